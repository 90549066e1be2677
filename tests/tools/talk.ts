/** A conversation with the real `agent exec - --jsonl`: calls go in one by one, events come out. */
import { type ChildProcess, spawn } from "node:child_process";
import { AGENT, type Json, type Scratch } from "../support.ts";

export class Talk {
  readonly #child: ChildProcess;
  readonly events: Json[] = [];
  readonly ended: Promise<number | null>;
  #rest = "";
  #errors = "";
  #isOver = false;
  readonly #waiting = new Set<() => void>();
  #count = 0;

  constructor(scratch: Scratch, flags: readonly string[] = [], env: Record<string, string> = {}) {
    const [program, ...args] = [...AGENT, "exec", "-", "--jsonl", "--mode", "bypassPermissions", ...flags];
    this.#child = spawn(program!, args, { cwd: scratch.work, env: scratch.env(env) });
    this.#child.stdout!.setEncoding("utf8").on("data", (text: string) => this.#take(text));
    this.#child.stderr!.setEncoding("utf8").on("data", (text: string) => this.#errors += text);
    this.#child.stdin!.on("error", () => {});
    this.ended = new Promise((resolve) =>
      this.#child.once("close", (code) => {
        this.#isOver = true;
        this.#wake();
        resolve(code);
      })
    );
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop()!;
    this.events.push(...lines.map((line) => JSON.parse(line)));
    this.#wake();
  }

  /** The first event that fits, which may have come already. */
  async event(fits: (event: Json) => boolean): Promise<Json> {
    for (let seen = 0;;) {
      for (; seen < this.events.length; seen++) if (fits(this.events[seen]!)) return this.events[seen]!;
      if (this.#isOver) throw new Error(`no such event: ${JSON.stringify(this.events)} ${this.#errors}`);
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  /** Sends a call; its result. */
  call(name: string, args: Json): Promise<Json> {
    const id = `call-${++this.#count}`;
    this.#child.stdin!.write(JSON.stringify({ id, name, args }) + "\n");
    return this.event((event) => event.type === "tool_end" && event.id === id);
  }

  notices(): string[] {
    return this.events.filter(({ type }) => type === "notice").map(({ text }) => text);
  }

  /** No more calls; resolves with the exit code. */
  end(): Promise<number | null> {
    this.#child.stdin!.end();
    return this.ended;
  }

  interrupt(): void {
    this.#child.kill("SIGINT");
  }
}
