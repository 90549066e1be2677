/**
 * No commits, merges, rebases and pushes on main or master, and nothing else that moves them. Settings:
 *
 *     "plugins": {"protect-main": {"branches": ["main", "release"]}}
 *
 * Commands are read as text and the branch from `.git/HEAD`: git isn't started, so nothing that a repository configures
 * runs. What can't be told is refused wherever it might change a branch:
 *
 * - a folder, unless the script starts with `cd FOLDER &&` and the folder is there: any other `cd`, `pushd`, `popd`,
 *   `eval`, `trap`, `alias` or GIT_DIR leaves it open, and so does `&` after that `cd`;
 * - a switch, unless `&&` joins it with what follows;
 * - git started by a program that isn't known to stay in its folder, and a shell that reads commands in which git occurs;
 * - a program, verb or branch that stands in a variable or substitution; on a protected branch, a verb that isn't known.
 *
 * It guards against slips: a script in a file, or an alias that is used elsewhere, gets past it.
 */
import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { definePlugin } from "agent";
import { z } from "zod";

const REDIRECTION = /(?:\d+|&)?(?:<<<|<<-?|<>|>>|>\||[<>])&?(?!\()/y;
const BEFORE = /^(?:\w+\+?=[^]*|if|then|else|elif|do|while|until|!|\{)$/;
const MOVES = /^(?:cd|pushd|popd|eval|trap|alias)$/;
/** Programs that run another in the same folder, and those that run none. */
const WRAPS = /^(?:sudo|doas|env|nice|nohup|timeout|time|command|builtin|exec|stdbuf|setsid|ionice)$/;
const TALKS = /^(?:echo|printf|cat|ls|e?grep|rg|sed|which|type|man|test|for|case|:|\[\[?)$/;
const SHELL = /^(?:ba|da|z|k)?sh$/;
const CHANGES = /^(?:commit|merge|rebase|cherry-pick|revert|am|pull|push|reset|update-ref)$/;
const OPEN = /[$`{]/;
/** Verbs that leave the branches alone. */
const LEAVES = new RegExp(
  "^(?!submodule foreach|bisect run|stash branch)(?:add|apply|archive|bisect|blame|bundle|cat-file|check-\\S+|clean|" +
    "clone|config|describe|diff\\S*|for-each-ref|format-patch|fsck|gc|grep|hash-object|help|init|lfs|log|ls-\\S+|" +
    "merge-base|merge-tree|mv|name-rev|notes|range-diff|reflog|remote|restore|rev-list|rev-parse|rm|shortlog|show\\S*|" +
    "sparse-checkout|stash|status|submodule|tag|var|verify-\\S+|version|whatchanged|worktree)?(?: |$)",
);
const VALUED =
  /^(?:-[oxsXmF]|--(?:push-option|receive-pack|exec|onto|strategy|strategy-option|recurse-submodules))$/;
const NOW = /\$\(git (?:branch --show-current|rev-parse --abbrev-ref HEAD)\)/g;
const UNKNOWN = "a branch that can't be told";
const namesGit = (text: string) => /\bgit\b/.test(text);
type Guarded = (name?: string) => boolean;

interface Command {
  /** What stands before it. */
  joint: string;
  /** Without their quotes; what a variable or substitution gives begins with its `$`. */
  words: string[];
  /** It stands in a substitution. */
  inner: boolean;
}

/** The simple commands of a script, those of a substitution before the one that it stands in. */
function commandsOf(script: string): Command[] {
  const found: Command[] = [],
    documents: { mark: string; raw: boolean }[] = [],
    ends = new Map<string, number>();
  for (const { 0: line, index } of script.matchAll(/.+/g)) ends.set(line.trim(), index);
  let at = 0;
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const text = pattern.exec(script)?.[0] ?? "";
    at += text.length;
    return text;
  };
  const through = (mark: string) => {
    const from = at + 1, end = script.indexOf(mark, from);
    at = end < 0 ? script.length : end + 1;
    return script.slice(from, end < 0 ? undefined : end);
  };
  const substitution = () => {
    const from = at;
    if (script[at] === "`") found.push(...commandsOf(through("`")).map((one) => ({ ...one, inner: true })));
    else {
      at += 2;
      list("$(");
    }
    return `$${script.slice(from, at)}`;
  };
  /** Up to the end of a word, or of what stands in double quotes. */
  const word = (end: RegExp, quoted = false): string => {
    let text = "";
    while (at < script.length) {
      const next = script[at]!;
      if (next === "\\") text += script.slice(at + 1, at += 2).replace("\n", "");
      else if (next === "`" || script.startsWith("$(", at)) text += substitution();
      else if (quoted && next === '"') break;
      else if (!quoted && next === "'") text += through("'");
      else if (!quoted && next === '"' && ++at) text += word(/[^"\\$`]+/y, true), at++;
      else {
        const more = take(end) || (next === "$" ? take(/\$/y) : "");
        if (more === "") break;
        text += more;
      }
    }
    return text;
  };
  const list = (opening: string) => {
    const inner = opening !== "";
    let joint = opening, words: string[] = [], depth = 0;
    const close = (next: string) => {
      // A line's end after `&&` joins nothing.
      if (words.length === 0 && next === "\n") return;
      found.push({ joint, words, inner });
      [joint, words] = [next, []];
    };
    while (at < script.length) {
      if (take(/(?:\\\n|[^\S\n])+|#.*/y)) continue;
      if (/[<>]/.test(script[at]!) && script[at + 1] === "(") words.push(substitution());
      const redirection = take(REDIRECTION);
      if (redirection) {
        take(/[^\S\n]+/y);
        const from = at, mark = word(/[^\s\\'"$`;&|()<>]+/y);
        if (/^<<-?$/.test(redirection)) documents.push({ mark, raw: script.slice(from, at) !== mark });
        continue;
      }
      const next = take(/&&|\|[|&]?|;+|&|\n|[()]/y);
      if (next === ")" && inner && depth-- === 0) break;
      if (next === "(") depth++;
      if (next === "\n") { for (const { mark, raw } of documents.splice(0)) document(mark, raw); }
      if (next) close(next);
      else words.push(word(/[^\s\\'"$`;&|()<>]+/y));
    }
    close("");
  };
  const document = (mark: string, raw: boolean) => {
    if ((ends.get(mark) ?? -1) < at) return;
    const from = at;
    while (take(/.*/y).trim() !== mark) at++;
    const text = script.slice(from, at).replaceAll('"', '\\"');
    if (!raw) found.push(...commandsOf(`: "${text}"`).map((one) => ({ ...one, inner: true })));
  };
  list("");
  return found;
}

/** A folder as a script names it; `undefined` where only running the script would tell. */
function folderOf(base: string | undefined, name: string): string | undefined {
  if (base === undefined || base.length > 4096 || /[$*?[{]|^-|^~[^/]/.test(name)) return undefined;
  const folder = resolve(base, name.replace(/^~(?=\/|$)/, homedir()));
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? folder : undefined;
}

/** The file that says which branch is checked out; `undefined` outside a repository. */
function headOf(folder: string): string | undefined {
  const git = join(folder, ".git"), kind = statSync(git, { throwIfNoEntry: false });
  if (!kind) return folder === dirname(folder) ? undefined : headOf(dirname(folder));
  // A worktree's is a file that says where. One that is neither throws, which refuses the call.
  const place = kind.isFile() ? readFileSync(git, "utf8").replace(/^gitdir: |\n$/g, "") : ".git";
  return resolve(folder, place, "HEAD");
}

/** The branch that is checked out; `undefined` on none. */
function branchOf(head: string): string | undefined {
  const text = statSync(head).isFile() ? readFileSync(head, "utf8") : "";
  // What keeps its branches otherwise says so by this name.
  return /^ref: refs\/heads\/(.+)/.exec(text)?.[1]?.replace(/^\.invalid$/, UNKNOWN);
}

/** The words that are neither options nor the values of known ones. */
function plainOf(args: readonly string[]): string[] {
  let isValue = false;
  return args.filter((word) => {
    const isPlain = !isValue && !/^-./.test(word);
    isValue = !isValue && VALUED.test(word);
    return isPlain;
  });
}

/** The branches that a git command would change: by name, HEAD for the one that is checked out, `*` for all. */
function targetsOf(verb: string, args: readonly string[]): string[] {
  const plain = plainOf(args), has = (option: RegExp) => args.some((word) => option.test(word));
  const past = args.includes("--") ? args.indexOf("--") : args.length;
  // What follows an option may be its value.
  const isHarmless = (word: string, at: number) =>
    at < past && /^--(?:abort|quit|dry-run|help)$/.test(word) && !/^-|\$/.test(args[at - 1] ?? "");
  if (args.some(isHarmless)) return [];
  const mapped = plain.slice(1).filter((word) => word.includes(":"));
  switch (verb) {
    case "push":
      return has(/^--(?:all|branches|mirror)$|^\+?:$/) ? ["*"] : plain.length > 1 ? plain.slice(1) : ["HEAD"];
    case "pull":
      return args.join(" ") === "--ff-only" ? [] : ["HEAD", ...mapped];
    case "fetch":
      return mapped;
    case "rebase": {
      const named = plain.slice(has(/^--root$/) ? 0 : 1);
      return has(/\bgit\b/) ? ["*"] : named.length > 0 ? named : ["HEAD"];
    }
    case "reset":
      return /^(?:HEAD|@)?$/.test(plainOf(args.slice(0, past))[0] ?? "") ? [] : ["HEAD"];
    case "branch":
      if (has(/^-\w*f|^--force$/)) return [plain[0] ?? "*"];
      if (!has(/^-\w*[mMcCdD]|^--(?:move|copy|delete)$/)) return [];
      return has(/^-\w*[mM]|^--move$/) && plain.length < 2 ? ["HEAD", ...plain] : plain;
    case "symbolic-ref":
      return plain.length > 1 ? plain : [];
    case "update-ref":
      return [plain[0] ?? "*"];
    default:
      if (/^(?:submodule|bisect|filter-\w+)$/.test(verb) && has(/\bgit\b|^--all$/)) return ["*"];
      return LEAVES.test([verb, ...args].join(" ")) ? [] : ["HEAD"];
  }
}

/** The branch that a `switch` or `checkout` would leave checked out, and whether it would move it. */
function switchOf(
  verb: string,
  args: readonly string[],
  guarded: Guarded,
): { name?: string; moves: boolean } {
  const made = args.findIndex((word) => /^(?:-\w*[bBcC]|--create|--force-create|--orphan)$/.test(word)) + 1;
  const tracks = made === 0 && args.some((word) => /^(?:-t|--track)/.test(word));
  const given = made > 0 ? args[made] : plainOf(args)[0]?.replace(tracks ? /^[^/]*\// : "", "");
  const name = given === undefined || /^[\w./-]+$/.test(given) ? given : UNKNOWN;
  const moves = /^-\w*[BC]$|^--force-create$/.test(args[made - 1] ?? "") && guarded(name);
  // What checkout is given may be a file's name.
  return { name: verb === "switch" || made > 0 || tracks || guarded(name) ? name : undefined, moves };
}

/** What a script would do to a protected branch. */
function offence(script: string, cwd: string | undefined, guarded: Guarded): string | undefined {
  const commands = commandsOf(script.replace(NOW, "HEAD"));
  const programOf = ({ words }: Command) => {
    let at = words.findIndex((word) => !BEFORE.test(word));
    while (/^(?:command|builtin|time)$/.test(words[at] ?? "")) at += words[at + 1]?.startsWith("-") ? 2 : 1;
    return words[at] ?? "";
  };
  const [first, ...others] = commands;
  const leads = first?.words[0] === "cd" && first.words.length === 2 && !first.inner &&
    others.find(({ inner }) => !inner)?.joint === "&&" && !others.some(({ joint }) => joint === "&");
  const isMoved = commands.some((one) =>
    (MOVES.test(programOf(one)) && !(leads && one === first)) ||
    one.words.some((word) => /^GIT_(?:DIR|COMMON_DIR)=/.test(word))
  );
  const folder = isMoved ? undefined : leads ? folderOf(cwd, first.words[1]!) : cwd;
  const isNamed = commands.some(({ words }) => words.some((word) => /^\w+\+?=/.test(word) && namesGit(word)));
  const switched = new Map<string, string>();

  for (const { joint, words, inner } of commands) {
    if (!inner && joint !== "&&") {
      for (const [head, name] of switched) if (!guarded(name)) switched.delete(head);
    }
    const start = words.findIndex((word) => !BEFORE.test(word));
    if (start < 0) continue;
    const run = words.slice(start), programs = run.map((word) => basename(word)), program = programs[0]!;
    if (TALKS.test(program)) continue;
    if (/[$`{*?]/.test(run[0]!) && (isNamed || namesGit(run[0]!) || run.some((word) => CHANGES.test(word)))) {
      return `${run[0]!.slice(0, 100)} on ${UNKNOWN}`;
    }
    const at = programs.findIndex((name) => name === "git" || SHELL.test(name));
    if (program !== "git") {
      for (const text of run.slice(1).filter((word) => /\s/.test(word) && namesGit(word))) {
        const found = offence(text.replace(/^-(?:-[\w-]+=|\w)/, ""), folder, guarded);
        if (found) return found;
      }
    }
    if (at < 0) continue;
    const rest = run.slice(at + 1);
    if (programs[at] !== "git") {
      const given = rest.find((word) => !word.startsWith("-"));
      if (given !== undefined && !given.startsWith("$") && !rest.includes("-s") || !namesGit(script)) {
        continue;
      }
      return `git by ${programs[at]} on ${UNKNOWN}`;
    }
    // Does what starts it stay in this folder, and start it for these words alone?
    const wraps = at === 0 || WRAPS.test(program);
    let elsewhere = !wraps ||
      run.slice(0, at).some((word) => /^(?:-[CDRi]|--chdir|--chroot|--login)/.test(word));
    let here = folder;
    for (; rest[0]?.startsWith("-"); rest.shift()) {
      elsewhere ||= rest[0].startsWith("--git-dir");
      if (rest[0] === "-C") here = folderOf(here, rest[1] ?? "$");
      if (/^(?:-[Cc]|--(?:git-dir|work-tree|namespace|config-env))$/.test(rest[0])) rest.shift();
    }
    const [verb = "", ...args] = rest;
    if (
      !wraps && !OPEN.test(verb) && !(verb === "" ? /^(?:xargs|parallel)$/ : CHANGES).test(verb || program)
    ) continue;
    const head = elsewhere || here === undefined ? undefined : headOf(here);
    const isKnown = !elsewhere && here !== undefined;
    if (verb === "switch" || verb === "checkout") {
      const { name, moves } = switchOf(verb, args, guarded);
      if (moves) return `git ${verb} on ${name}`;
      const isSure = joint !== "||" && !inner && !words.slice(0, start).includes("!");
      if (head !== undefined && name !== undefined && (isSure || guarded(name))) switched.set(head, name);
      continue;
    }
    const branch = !isKnown ? UNKNOWN : head === undefined ? undefined : switched.get(head) ?? branchOf(head);
    const names = OPEN.test(verb) || (verb === "" && !wraps) ? [UNKNOWN] : targetsOf(verb, args)
      .map((name) => name.replace(/^[^]*:|^\+/, "").replace(/^(?:refs\/)?heads\//, ""))
      .map((name) => /^(?:HEAD|@)?$/.test(name) ? branch : OPEN.test(name) ? UNKNOWN : name);
    const hit = names.find(guarded);
    if (hit !== undefined) return `git ${verb} on ${hit}`;
  }
}

export default definePlugin<{ branches?: string[] }>({
  name: "protect-main",
  options: z.strictObject({ branches: z.array(z.string()).optional() }),
  uses: ["permission"], // Asked when a call is final: whatever other plugins and hooks made of it.
  setup(agent, { branches = ["main", "master"] }) {
    const guarded = (name = "") => [UNKNOWN, "-", ...branches].includes(name) || name.includes("*");
    const next = "git switch -c NAME first, push that branch by name, and open a pull request";
    const plainly = "start with `cd FOLDER &&` if anywhere else, and write program, verb and branch out";
    agent.on("permission", ({ cwd, traits }) => {
      const found = (traits?.subjects ?? []).filter(({ kind }) => kind === "command")
        .map((one) => offence(one.value, one.cwd ?? cwd, guarded)).find((what) => what !== undefined);
      if (found === undefined) return undefined;
      return { deny: `protect-main: ${found} is refused; ${found.endsWith(UNKNOWN) ? plainly : next}` };
    });
  },
});
