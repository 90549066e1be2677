/**
 * A process that starts others in place of this one. Node copies itself to start a program, which takes the longer
 * the more memory it has; the helper has little. It is told what to start in JSON lines and answers in such
 * (`spawn_helper.ts`); no byte of output passes through it. At the end of its input it kills what still runs.
 */
import { AgentError, quote } from "../core/errors.ts";
import { host } from "../core/runtime.ts";
import { exists } from "../core/upkeep.ts";
import { send } from "./processes.ts";

type ChildProcess = import("node:child_process").ChildProcess;

/** What to start; the streams are named pipes. */
export interface HelperRequest {
  argv: readonly string[];
  cwd: string;
  env: Record<string, string>;
  /** Empty standard input where absent. */
  stdin: string | undefined;
  stdout: string;
  stderr: string;
}

/** The helper's lines about one request; `taken` comes before anything is done. */
export type HelperAnswer =
  | { id: number; state: "taken" }
  | { id: number; state: "started"; pid: number }
  | { id: number; state: "failed"; code: string }
  | { id: number; state: "ended"; code: number | null; signal: string | null };

/** The helper's first line. */
export interface HelperReady {
  state: "ready";
}

interface Exit {
  code: number | null;
  signal: string | null;
}

interface Started {
  pid: number;
  exited: Promise<Exit>;
}

interface Asked {
  program: string;
  taken: boolean;
  pid?: number;
  resolve(started: Started | undefined): void;
  reject(error: unknown): void;
  exit?(exit: Exit): void;
}

export class SpawnHelper {
  readonly #process: ChildProcess;
  readonly #asked = new Map<number, Asked>();
  readonly #forget: (group: number) => void;
  #count = 0;
  #rest = "";
  ready = false;
  ended = false;

  /** `undefined` where there is no such program. `forget` hears of groups that ended with the helper. */
  static start(forget: (group: number) => void): SpawnHelper | undefined {
    // The program stands beside this file in the build; Node can't run the source.
    const path = import.meta.filename!.replace(/helper\.cjs$/, "spawn_helper.cjs");
    return path !== import.meta.filename && exists(path) ? new SpawnHelper(path, forget) : undefined;
  }

  private constructor(path: string, forget: (group: number) => void) {
    this.#forget = forget;
    const { spawn } = host.builtin<typeof import("node:child_process")>("node:child_process");
    const { execPath } = host.builtin<typeof process>("node:process");
    // Out of the terminal's reach: Ctrl-C there is this process's affair. No variable is its own.
    this.#process = spawn(execPath, [path], {
      cwd: "/",
      env: {},
      stdio: ["pipe", "pipe", "ignore"],
      detached: true,
    });
    const { stdin, stdout } = this.#process;
    this.#process.on("error", () => this.#lost());
    stdin!.on("error", () => {});
    stdout!.setEncoding("utf8").on("data", (text: string) => this.#hear(text));
    // Not its exit: the last lines may still be on their way.
    stdout!.on("close", () => this.#lost());
    this.#process.unref();
    this.#hold(false);
  }

  /** `undefined` where the helper died before it began with it. */
  spawn(request: HelperRequest): Promise<Started | undefined> {
    if (this.ended) return Promise.resolve(undefined);
    const id = ++this.#count;
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { program: request.argv[0]!, taken: false, resolve, reject });
      this.#hold(true);
      this.#process.stdin!.write(JSON.stringify({ id, ...request }) + "\n");
    });
  }

  close(): void {
    this.#process.stdin!.end();
  }

  #hear(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop()!;
    for (const line of lines) this.#take(JSON.parse(line) as HelperAnswer | HelperReady);
  }

  #take(answer: HelperAnswer | HelperReady): void {
    if (answer.state === "ready") {
      this.ready = true;
      return;
    }
    const asked = this.#asked.get(answer.id);
    if (!asked) return;
    switch (answer.state) {
      case "taken":
        asked.taken = true;
        break;
      case "started":
        asked.pid = answer.pid;
        asked.resolve({ pid: answer.pid, exited: new Promise((resolve) => asked.exit = resolve) });
        break;
      case "failed":
        asked.reject(Object.assign(new Error(answer.code), { code: answer.code }));
        this.#done(answer.id);
        break;
      case "ended":
        asked.exit!({ code: answer.code, signal: answer.signal });
        this.#done(answer.id);
    }
  }

  #done(id: number): void {
    this.#asked.delete(id);
    if (this.#asked.size === 0) this.#hold(false);
  }

  /** Does this process stay for the helper's sake? As long as it waits for an answer. */
  #hold(yes: boolean): void {
    const { stdin, stdout } = this.#process;
    for (const stream of [stdin, stdout] as unknown as import("node:net").Socket[]) {
      if (yes) stream.ref();
      else stream.unref();
    }
  }

  /** It died. What it has started can't be waited for any more, so it is ended. */
  #lost(): void {
    this.ended = true;
    for (const [id, { program, taken, pid, resolve, reject, exit }] of this.#asked) {
      if (pid !== undefined) {
        send(-pid, "SIGKILL");
        this.#forget(pid);
        exit!({ code: null, signal: "SIGKILL" });
      } else if (!taken) resolve(undefined);
      else {
        reject(
          new AgentError(
            `Cannot start ${quote(program)}: the process that starts commands has died`,
            "it may have run; look at what it does before it is run again",
          ),
        );
      }
      this.#done(id);
    }
  }
}
