/** The context of a tool or a command in a plugin's own process: what isn't known here is asked of the host. */
import { fromBase64, toBase64 } from "../core/base64.ts";
import { AgentError } from "../core/errors.ts";
import type { Files } from "../core/files.ts";
import type { Place } from "../core/tool.ts";
import type { CommandContext, ModContext } from "../sdk.ts";
import type { ContextFacts } from "./isolation_wire.ts";

export interface Host {
  ask(what: string, given: unknown[]): Promise<unknown>;
  say(what: "output" | "log" | "print", text: string): void;
}

/** The same as in the host's process, but that whatever the host must look up is a promise. */
type Apart<T> = {
  [K in keyof T]: T[K] extends (...args: infer A) => infer R ? (...args: A) => R | Promise<R> : T[K];
};

/** Functions need no `this`: plugins take them off the object. */
export class ChildContext implements Apart<ModContext & CommandContext> {
  readonly id: string;
  readonly cwd: string;
  readonly resolve: Place["resolve"];
  readonly #host: Host;
  readonly #secrets: ContextFacts["secrets"];
  readonly #abort = new AbortController();

  constructor({ id, cwd, secrets }: ContextFacts, { resolve }: Place, host: Host) {
    this.id = id;
    this.cwd = cwd;
    this.resolve = resolve;
    this.#secrets = secrets;
    this.#host = host;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  abort(): void {
    this.#abort.abort();
  }

  readonly identify = (path: string) => this.#host.ask("identify", [path]) as Promise<string>;
  readonly locate = (path: string) => this.#host.ask("locate", [path]) as Promise<string>;
  readonly exec = (command: string) => this.#host.ask("exec", [command]) as ReturnType<ModContext["exec"]>;
  readonly call = (name: string, args: Record<string, unknown>) =>
    this.#host.ask("call", [name, args]) as ReturnType<ModContext["call"]>;
  readonly ask = (question: string, choices?: readonly string[]) =>
    this.#host.ask("ask", choices ? [question, choices] : [question]) as Promise<string>;
  readonly output = (text: string) => this.#host.say("output", text);
  readonly log = (text: string) => this.#host.say("log", text);
  readonly print = (text: string) => this.#host.say("print", text);

  readonly secret = (name: string): string | undefined => {
    if (Object.hasOwn(this.#secrets, name)) return this.#secrets[name] ?? undefined;
    throw new AgentError(`May not use secrets:${name}: it is not declared`, `add "secrets:${name}" to uses`);
  };

  /** Snapshots, commits and chunks aren't to be had from here. */
  get files(): Files {
    const ask = (what: string, ...given: unknown[]) => this.#host.ask(`files.${what}`, given);
    const bytes = (value: unknown) => typeof value === "string" ? fromBase64(value) : value;
    const files = {
      info: (path: string) => ask("info", path),
      read: async (path: string) => bytes(await ask("read", path)),
      readUpTo: async (path: string, most: number) => bytes(await ask("readUpTo", path, most)),
      write: (path: string, content: Uint8Array, options = {}) =>
        ask("write", path, toBase64(content), options),
      remove: (path: string) => ask("remove", path),
      snapshot: () => ask("snapshot"),
      commit: () => ask("commit"),
      chunks: () => ask("chunks"),
    };
    return files as unknown as Files;
  }
}
