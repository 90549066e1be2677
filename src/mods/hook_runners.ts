/** Runs hooks, each as its kind wants it. */
import { quote } from "../core/errors.ts";
import type { ProcessGroups } from "../shell/groups.ts";
import type { HookRun } from "./hook_answer.ts";
import { type AnyHook, type CommandHook, nameOf } from "./hook_config.ts";
import { type HookPlace, runOnce } from "./hook_process.ts";
import type { PersistentHook } from "./hook_persistent.ts";

export interface RunnersParts {
  groups: ProcessGroups;
  complain(text: string): void;
}

/** A signal that is made when somebody asks for it. */
interface Stoppable {
  readonly signal?: AbortSignal | undefined;
}

export class HookRunners {
  readonly #parts: RunnersParts;
  /** Processes of the session, by what they run. */
  readonly #persistent = new Map<string, Promise<PersistentHook> | PersistentHook>();

  constructor(parts: RunnersParts) {
    this.#parts = parts;
  }

  /** Sends `input`, one JSON object on a line, and takes what comes back. Never rejects. */
  run(hook: AnyHook, input: string, place: HookPlace, call: Stoppable | undefined): Promise<HookRun> {
    if (hook.type === "http") {
      return import("./hook_http.ts").then(({ post }) => post(hook, input, call?.signal));
    }
    if (!hook.persistent) return runOnce(hook, input + "\n", place, call?.signal, this.#parts.groups);
    const process = this.#processOf(hook, place);
    // A call that was given up leaves its answer to nobody: the next one's is the next line.
    return process instanceof Promise
      ? process.then((process) => process.ask(input, hook.timeoutMs))
      : process.ask(input, hook.timeoutMs);
  }

  /** The same command is one process, whatever it is asked about. */
  #processOf(hook: CommandHook, place: HookPlace): Promise<PersistentHook> | PersistentHook {
    const key = JSON.stringify([hook.command, hook.args, hook.plugin?.root, hook.folder]);
    const known = this.#persistent.get(key);
    if (known) return known;
    const { groups, complain } = this.#parts;
    const name = `hook ${quote(nameOf(hook))}`;
    const making = import("./hook_persistent.ts").then(({ PersistentHook }) => {
      const process = new PersistentHook(hook, place, {
        groups,
        complain: (text) => complain(`${name} ${text}`),
      });
      this.#persistent.set(key, process);
      return process;
    });
    this.#persistent.set(key, making);
    return making;
  }

  get areIdle(): boolean {
    return this.#persistent.size === 0;
  }

  /** Ends what runs for the session. */
  async close(): Promise<void> {
    await Promise.all([...this.#persistent.values()].map(async (process) => (await process).close()));
  }
}
