/** What is known of programs by their names: which run their words, which run none, which read a script. */
import { setOf } from "./words.ts";

/** Programs known to run the command which their arguments hold. */
const WRAPPERS = setOf(
  "sudo doas su sg runuser pkexec env command builtin exec nohup nice ionice time timeout stdbuf setsid chroot unshare " +
    "nsenter setpriv prlimit setarch linux32 linux64 runcon numactl systemd-run start-stop-daemon taskset chrt flock " +
    "script strace ltrace busybox toybox xargs parallel watch find fd",
);
/** The dynamic linker runs what it is given too. */
const LINKER = /^ld(-[\w-]+)?\.so/;
/** Programs that run none of their words, but for the options below. Any other may, known or not. */
export const QUIET = setOf(
  "echo printf grep egrep fgrep rg ag ls cat tac cd pwd test [ true false : head tail wc cut tr sort uniq diff " +
    "cmp comm tee which whereis type info apropos mkdir rmdir touch rm mv cp ln chmod chown chgrp stat " +
    "file du df basename dirname realpath readlink date sleep jq export unset set shopt local declare typeset readonly " +
    "read return exit break continue shift wait kill pkill pgrep killall seq md5sum sha256sum",
);
/** Programs whose words are files and scripts of their own, in which commands may stand. */
export const SCRIPTED = setOf("sed gsed awk gawk mawk nawk original-awk less more man");
/** Programs whose first operand is a word of their own: `git rm` is not `rm`. */
export const SUBCOMMANDS = setOf(
  "git gh hg svn docker podman kubectl helm npm pnpm yarn bun cargo go deno pip uv apt apt-get dnf brew ip",
);
/** Shells. */
export const SHELLS = setOf("sh bash rbash dash ash zsh ksh mksh yash fish");
/** Programs that read commands from standard input, where no file is named. */
export const READERS = setOf("at batch crontab ssh su ed ex vi vim nvim gdb ftp sqlite3 psql m4");
/** Other languages, whose programs may come from standard input. */
export const INTERPRETERS =
  /^(python|pypy|perl|ruby|node|deno|bun|php|lua|tclsh|expect|osascript|pwsh)[\d.]*$/;
/** Wrappers whose program stands behind other words: any of theirs may be it. */
export const OPERANDS_FIRST = setOf(
  "su sg chroot taskset flock script setarch start-stop-daemon find fd",
);
/** Of these only what follows an option is run. */
export const SEARCHERS = setOf("find fd");
/** The options of searchers which it follows. */
export const EXECUTES = /^(-(exec|ok)(dir)?$|-[xX]|--exec)/;
/** Options by which wrappers go to another folder first. */
export const MOVES = /^-$|^-\w*[CDRilw]|^--(chdir|wd|root|login|working-directory)/;
/** Builtins whose arguments are commands. */
export const EVALUATORS = setOf("eval trap alias hash mapfile readarray compgen complete");
/** Evaluators whose commands run later, wherever that is. */
export const LATER = setOf("trap alias");
/** Builtins that run what isn't in the text. */
export const LOADERS = setOf(". source enable");

/**
 * How an option or a setting starts whose value is a command, by program. The value is the rest of the word, or the next
 * word where nothing is left.
 */
export const COMMAND_OPTIONS: Readonly<Record<string, RegExp>> = {
  sort: /^--compress-prog\w*(?:=|$)/,
  rg: /^--(?:pre|hostname-bin)(?:=|$)/,
  ag: /^--pager(?:=|$)/,
  man: /^(?:-[PH]|--(?:pager|html)(?:=|$))/,
  less: /^\+\+?!/,
  more: /^\+\+?!/,
  tar:
    /^(?:-\w*[IF]|--(?:use-compress-prog\w*|to-command|rsh-command|rmt-command|info-script|new-volume-script)(?:=|$)|--checkpoint-action=exec=|exec=)/,
  rsync: /^(?:-\w*e|--(?:rsh|rsync-path)(?:=|$))/,
  split: /^--filter(?:=|$)/,
  ssh: /^(?:-\w*o\s*)?(?:Proxy|Local|Remote|KnownHosts)Command(?:\s*=\s*|\s+)/i,
  git:
    /^(?:-[xuO]|--(?:exec|extcmd|upload-pack|receive-pack|open-files-in-pager|[a-z-]+-filter)(?:=|$)|(?:-c|--config=)?[\w-]+\.\S+?=!?|!|foreach$|ext::|[\w-]+\.(?:\S+\.)?(?:cmd|command|program|helper|editor|pager|external|textconv|clean|smudge|process|driver|sshcommand|fsmonitor|askpass|gitproxy)$)/i,
  make: /^--eval(?:=|$)/,
};
for (const name of ["scp", "sftp"]) Object.assign(COMMAND_OPTIONS, { [name]: COMMAND_OPTIONS.ssh });
for (const name of ["gtar", "bsdtar"]) Object.assign(COMMAND_OPTIONS, { [name]: COMMAND_OPTIONS.tar });
for (const name of ["gmake", "remake"]) Object.assign(COMMAND_OPTIONS, { [name]: COMMAND_OPTIONS.make });

/** Of programs with words of their own: options that most often hold a command. */
export const COMMON_OPTIONS = /^(?:-[cx]|--(?:exec|call|command|cmd)(?:=|$))/;

/** Does a program run the command which its arguments hold? */
export function isWrapper(program: string): boolean {
  return WRAPPERS.has(program) || LINKER.test(program);
}
