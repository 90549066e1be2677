/**
 * The environment of a child: ours, without variables that look like secrets unless the command names them or
 * settings keep them, and with answers that stop programs from opening a pager, an editor or a prompt.
 */
import { host } from "../core/runtime.ts";
import { looksSecret, namedBy } from "../core/secrets.ts";

export interface EnvironmentPolicy {
  keep: readonly string[];
  drop: readonly string[];
}

/** Defaults that a call can override by setting the variable itself. */
const QUIET: Readonly<Record<string, string>> = {
  PAGER: "cat",
  GIT_PAGER: "cat",
  MANPAGER: "cat",
  GH_PAGER: "cat",
  SYSTEMD_PAGER: "cat",
  AWS_PAGER: "",
  GIT_EDITOR: "true",
  GIT_SEQUENCE_EDITOR: "true",
  EDITOR: "true",
  VISUAL: "true",
  GIT_TERMINAL_PROMPT: "0",
  SSH_ASKPASS: "",
  SSH_ASKPASS_REQUIRE: "never",
  GH_PROMPT_DISABLED: "1",
  PIP_NO_INPUT: "1",
  COREPACK_ENABLE_DOWNLOAD_PROMPT: "0",
  DEBIAN_FRONTEND: "noninteractive",
  TERM: "dumb",
  NO_COLOR: "1",
  PYTHONUNBUFFERED: "1",
};

/** Set where the user has none: theirs may name a key. */
const FALLBACK: Readonly<Record<string, string>> = { GIT_SSH_COMMAND: "ssh -oBatchMode=yes" };

/** Environments for the commands of one session. */
export class Environment {
  readonly #policy: EnvironmentPolicy;
  readonly #said = new Set<string>();

  constructor(policy: EnvironmentPolicy) {
    this.#policy = policy;
  }

  /** The variables for `command`, with the secrets that it names. */
  forCommand(command: string, secrets: Record<string, string>): Record<string, string> {
    const result: Record<string, string> = { ...FALLBACK };
    for (const [name, value] of Object.entries(host.envAll())) {
      // A shell function that somebody exported is code, not a setting.
      if (name.startsWith("BASH_FUNC_")) continue;
      if (this.#dropped(name) && !names(command, name)) continue;
      result[name] = value;
    }
    Object.assign(result, QUIET);
    if (!/utf-?8/i.test(result.LC_ALL ?? result.LC_CTYPE ?? result.LANG ?? "")) {
      delete result.LC_ALL;
      result.LC_CTYPE = "C.UTF-8";
    }
    return Object.assign(result, secrets);
  }

  /**
   * Names that `command` doesn't get, for the note that explains a failing login. Each is told once: a session
   * that says it with every failure would only be noise.
   */
  withheldFrom(command: string): string[] {
    const withheld = Object.keys(host.envAll())
      .filter((name) => this.#dropped(name) && !names(command, name) && !this.#said.has(name));
    for (const name of withheld) this.#said.add(name);
    return withheld.sort();
  }

  #dropped(name: string): boolean {
    const { keep, drop } = this.#policy;
    return (looksSecret(name) || namedBy(drop, name)) && !namedBy(keep, name);
  }
}

/** Does the command name the variable as `$NAME` or `${NAME`? */
function names(command: string, name: string): boolean {
  for (let at = command.indexOf("$"); at >= 0; at = command.indexOf("$", at + 1)) {
    const start = command[at + 1] === "{" ? at + 2 : at + 1;
    if (command.startsWith(name, start) && !/\w/.test(command[start + name.length] ?? "")) return true;
  }
  return false;
}
