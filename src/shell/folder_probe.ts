/**
 * Where a command ended. That is asked of bash itself by a trap, which it sets before it reads the command, from a start-up
 * file of ours; the command's text stays untouched. A command with a trap of its own, or one that another program takes
 * the place of, doesn't tell, and one that may list its traps isn't asked.
 */
import { join, makeFolder } from "../core/paths.ts";
import { host } from "../core/runtime.ts";
import { exists, removeQuietly } from "../core/upkeep.ts";
import { passingName } from "./live.ts";

export interface FolderProbe {
  /** Variables for the command. */
  env: Record<string, string>;
  /** Once the command has ended; `undefined` where it didn't tell, or is where it was. */
  end(): FolderAnswer | undefined;
}

/** Where a command ended. No name: it has one that is no text, so that nothing can be started there by its name. */
export interface FolderAnswer {
  folder: string | undefined;
}

/** The file that the answer goes to, the user's own start-up file, and `$_` as the command shall find it. */
const ANSWER = "AGENT_FOLDER_ANSWER", OWN = "AGENT_FOLDER_BASH_ENV", LAST = "AGENT_FOLDER_LAST";

/**
 * All of ours comes before the user's own start-up file, which may set a trap of its own, and children inherit neither
 * ours nor its variables. The trap is silent: redirections aren't traced, so they turn `set -x` away, wherever it goes and
 * whatever its prompt would run. It finds `pwd` whatever functions there are, since a POSIX shell has `unset` before
 * them; under `set -e` it is never what decides the exit code.
 */
const START_UP = `${LAST}=$_
builtin export -n ${ANSWER} ${OWN}
builtin printf -v ${ANSWER} '%s' '{ [[ . -ef '"\${PWD@Q}"' ]] ||
{ POSIXLY_CORRECT=1; unset -f builtin; builtin pwd -P >|'"\${${ANSWER}@Q}"'; } ||
:; } >/dev/null 2>&1 {PS4}>/dev/null {BASH_XTRACEFD}>/dev/null'
builtin trap -- "$${ANSWER}" EXIT
builtin unset ${ANSWER}
if [[ -n \${${OWN}-} ]]; then
  builtin export BASH_ENV=$${OWN}
  builtin unset ${OWN} ${LAST}
  builtin eval "[[ ! -e \\"\${BASH_ENV//\\"/\\\\\\"}\\" ]] || . \\"\${BASH_ENV//\\"/\\\\\\"}\\""
else
  builtin eval 'builtin unset BASH_ENV ${OWN} ${LAST} #' "\${${LAST}%%\$'\\n'*}"
fi
`;

/** Sets a trap, takes one away, or makes a function; what does anything else with `trap` may list them, ours too. */
const SETS_TRAP =
  /\btrap(?:[ \t]*\([ \t]*\)|[ \t]+(?:--[ \t]+)?(?:'[^']*'|"(?:[^"\\]|\\.)*"|-|[^\s;|&()<>'"-][^\s;|&()<>'"]*)[ \t]+[\w$"'{])/gs;

/** May the text list its traps, as far as one can see? */
function mayListTraps(command: string): boolean {
  return /\btrap\b/.test(command.replace(SETS_TRAP, ""));
}

/** The probes of one session. They share the start-up file, and a command that stays where it is needs no file at all. */
export class FolderProbes {
  readonly #live: string | undefined;
  #script: string | undefined;

  /** `live`: where its files go. */
  constructor(live: string | undefined) {
    this.#live = live;
  }

  /** `undefined` where the shell can't be asked: it isn't bash, would show it, or nothing can be written. */
  probe(command: string): FolderProbe | undefined {
    if (host.platform !== "linux" || mayListTraps(command)) return undefined;
    const folder = this.#live ?? host.builtin<typeof import("node:os")>("node:os").tmpdir();
    const script = this.#startUp(folder);
    if (script === undefined) return undefined;
    const answer = join(folder, passingName());
    const own = host.env("BASH_ENV");
    return {
      env: { BASH_ENV: script, [ANSWER]: answer, ...(own !== undefined && { [OWN]: own }) },
      end: () => told(answer),
    };
  }

  /** No command is asked any more. */
  remove(): void {
    if (this.#script !== undefined) removeQuietly(this.#script);
    this.#script = undefined;
  }

  #startUp(folder: string): string | undefined {
    // Somebody may have cleared the folder up.
    if (this.#script !== undefined && exists(this.#script)) return this.#script;
    const path = `${join(folder, passingName())}.sh`;
    try {
      makeFolder(folder, 0o700);
      const file = host.files.open(path, "wx", 0o600);
      file.writeText(START_UP);
      file.close();
    } catch {
      return undefined;
    }
    return this.#script = path;
  }
}

function told(answer: string): FolderAnswer | undefined {
  try {
    const bytes = host.files.read(answer);
    removeQuietly(answer);
    if (bytes[0] !== 0x2f) return undefined;
    return { folder: host.decode(bytes)?.replace(/\n$/, "") };
  } catch {
    return undefined;
  }
}
