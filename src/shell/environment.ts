/**
 * The environment of a child: ours, without variables that look like secrets unless the command names them or
 * settings keep them, and with answers that stop programs from opening a pager, an editor or a prompt.
 */
import { host } from "../core/runtime.ts";
import { looksSecret, namedBy } from "../core/secrets.ts";
import { variablesIn } from "../core/variables.ts";

export interface EnvironmentPolicy {
  keep: readonly string[];
  drop: readonly string[];
  /** Names of known secrets, whatever they are called. */
  secrets: readonly string[];
}

/** Why a command doesn't get a variable: it is a secret, its name looks like one's, or a setting says so. */
export type Reason = "secret" | "looks" | "dropped";

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
  // Empty, it beats git's own setting too.
  GIT_ASKPASS: "",
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
  readonly #secrets: Set<string>;
  /** What hooks added for this session, over our own. */
  #added: Readonly<Record<string, string>> = {};

  constructor(policy: EnvironmentPolicy) {
    this.#policy = policy;
    this.#secrets = new Set(policy.secrets);
  }

  /** Variables for the commands to come; `secrets`: those that only a command gets which names them. */
  add(variables: Readonly<Record<string, string>>, secrets: readonly string[]): void {
    this.#added = { ...this.#added, ...variables };
    for (const name of secrets) this.#secrets.add(name);
  }

  #own(): Record<string, string> {
    return { ...host.envAll(), ...this.#added };
  }

  /** The variables for `command`, with the secrets that it names. */
  forCommand(command: string, secrets: Record<string, string>): Record<string, string> {
    const result: Record<string, string> = { ...FALLBACK };
    const named = variablesIn(command);
    for (const [name, value] of Object.entries(this.#own())) {
      // A shell function that somebody exported is code, not a setting.
      if (name.startsWith("BASH_FUNC_")) continue;
      if (this.#reason(name) && !named.has(name)) continue;
      result[name] = value;
    }
    Object.assign(result, QUIET);
    if (!/utf-?8/i.test(result.LC_ALL ?? result.LC_CTYPE ?? result.LANG ?? "")) {
      delete result.LC_ALL;
      result.LC_CTYPE = "C.UTF-8";
    }
    return Object.assign(result, secrets);
  }

  /** What `command` doesn't get, by name: secrets of the store, and variables of ours. */
  withheldFrom(command: string): { name: string; reason: Reason }[] {
    const named = variablesIn(command), own = this.#own();
    const withheld: { name: string; reason: Reason }[] = [];
    for (const name of new Set([...Object.keys(own), ...this.#secrets])) {
      if (named.has(name)) continue;
      // To keep a variable is of no use where there is none.
      const reason = Object.hasOwn(own, name) ? this.#reason(name) : "secret";
      if (reason) withheld.push({ name, reason });
    }
    return withheld.sort((a, b) => a.name < b.name ? -1 : 1);
  }

  /** Why a variable of ours isn't passed on; `undefined`: it is. */
  #reason(name: string): Reason | undefined {
    const { keep, drop } = this.#policy;
    if (namedBy(keep, name)) return undefined;
    if (this.#secrets.has(name)) return "secret";
    if (namedBy(drop, name)) return "dropped";
    return looksSecret(name) ? "looks" : undefined;
  }
}
