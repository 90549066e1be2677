/**
 * A hook that is one process for a whole session: a JSON line in, a JSON line out for each call. Answers come in the
 * order of the questions, which is all that ties them together: so a process that is late, or says something without
 * being asked, is ended with all that waits for it. The next question starts another one, within a limit.
 */
import { quote } from "../core/errors.ts";
import { host } from "../core/runtime.ts";
import { LONGEST_MS } from "../core/watchdog.ts";
import type { ProcessGroups } from "../shell/groups.ts";
import { type LineFault, LineProcess } from "../shell/line_process.ts";
import { ANSWER_MB, failedRun, type HookRun, lastLine, TOO_LONG } from "./hook_answer.ts";
import type { CommandHook } from "./hook_config.ts";
import { type HookPlace, startOf } from "./hook_process.ts";

/** How often a process is started again within the time. */
const RESTARTS = 3;
const RESTARTS_MS = 60_000;
/** Time to end on its own after the end of its input. */
const FAREWELL_MS = 300;

export interface PersistentParts {
  groups: ProcessGroups;
  /** Something is odd with it that isn't the failure of one call. */
  complain(text: string): void;
}

/** One hook, whatever process answers for it now. */
export class PersistentHook {
  readonly #hook: CommandHook;
  readonly #place: HookPlace;
  readonly #parts: PersistentParts;
  /** When it was started, lately. */
  #starts: number[] = [];
  #process: HookProcess | undefined;
  #gaveUp = false;
  #closed = false;

  constructor(hook: CommandHook, place: HookPlace, parts: PersistentParts) {
    this.#hook = hook;
    this.#place = place;
    this.#parts = parts;
  }

  /** `line` has no line end in it. The time counts from when the answer before it has come. Never rejects. */
  ask(line: string, timeoutMs: number): Promise<HookRun> {
    if (this.#closed) return Promise.resolve(failedRun("the session is over"));
    if (!this.#process || this.#process.isOver) {
      if (!this.#mayStart()) return Promise.resolve(this.#givenUp());
      this.#gaveUp = false;
      this.#process = new HookProcess(this.#hook, this.#place, this.#parts);
    }
    return this.#process.ask(line, timeoutMs);
  }

  #mayStart(): boolean {
    const now = host.now();
    this.#starts = this.#starts.filter((at) => now - at < RESTARTS_MS);
    if (this.#starts.length > RESTARTS) return false;
    this.#starts.push(now);
    return true;
  }

  #givenUp(): HookRun {
    const fault = `it ended ${RESTARTS + 1} times within a minute and isn't started again for now`;
    const isKnown = this.#gaveUp;
    this.#gaveUp = true;
    return failedRun(fault, isKnown ? { isKnown } : {});
  }

  /** Ends its process: the end of its input, a moment, TERM, a moment, KILL. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#process?.close();
  }
}

interface Question {
  timeoutMs: number;
  answer(run: HookRun): void;
}

/** One process and who waits for it. */
class HookProcess {
  readonly #complain: (text: string) => void;
  readonly #lines: LineProcess;
  readonly #waiting: Question[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** When the timer fires, and when the oldest question's time is over. */
  #due = Infinity;
  #deadline = Infinity;
  #isNoisy = false;
  isOver = false;

  constructor(hook: CommandHook, place: HookPlace, { groups, complain }: PersistentParts) {
    this.#complain = complain;
    this.#lines = new LineProcess({
      groups,
      start: () => startOf(hook, place),
      mostLine: ANSWER_MB * 1024 * 1024,
      take: (line) => this.#take(line),
      failed: (fault) => this.#failed(fault),
    });
  }

  ask(line: string, timeoutMs: number): Promise<HookRun> {
    return new Promise((answer) => {
      this.#waiting.push({ timeoutMs, answer });
      if (this.#waiting.length === 1) this.#watch();
      this.#lines.send(line);
    });
  }

  /** Only the oldest question's time runs: those behind it wait for their turn. */
  #watch(): void {
    const [oldest] = this.#waiting;
    this.#deadline = oldest ? host.now() + oldest.timeoutMs : Infinity;
    if (this.#deadline >= this.#due) return;
    clearTimeout(this.#timer);
    this.#arm();
  }

  /** A timer a question would cost as much as the rest of it: one that comes too early is set anew. */
  #arm(): void {
    const ms = Math.min(Math.max(this.#deadline - host.now(), 0), LONGEST_MS);
    this.#due = host.now() + ms;
    this.#timer = setTimeout(() => {
      this.#due = Infinity;
      if (this.isOver || this.#deadline === Infinity) return;
      if (host.now() < this.#deadline) return this.#arm();
      this.#end("it ran out of time: it gave no line for a line", { timedOut: true });
    }, ms);
  }

  #take(line: string): void {
    const text = line.replace(/^\uFEFF/, "").trim();
    if (text === "") return;
    if (!text.startsWith("{")) {
      if (!this.#isNoisy) this.#complain(`prints lines that are no answers: ${quote(text.slice(0, 100))}`);
      this.#isNoisy = true;
      return;
    }
    const asked = this.#waiting.shift();
    if (!asked) {
      this.#complain("answered without being asked; its process is ended");
      return this.#end("its process was ended");
    }
    this.#watch();
    asked.answer({
      exitCode: 0,
      signal: undefined,
      timedOut: false,
      tooLong: false,
      stdout: text,
      stderr: "",
    });
  }

  #failed(fault: LineFault): void {
    if (fault.kind === "too long") return this.#end(TOO_LONG, { tooLong: true });
    if (fault.kind === "deaf") return this.#end("it doesn't read what it is sent");
    if (fault.kind === "not started") return this.#end(fault.why);
    this.#end(`its process ended ${fault.how} before it answered${lastLine(this.#lines.stderr)}`);
  }

  /** Who asked first is told what happened, the others that it took their answers with it. */
  #end(why: string, how: Partial<HookRun> = {}): void {
    if (this.isOver) return;
    this.isOver = true;
    clearTimeout(this.#timer);
    const { stderr } = this.#lines;
    if (!this.#lines.isOver) this.#lines.end();
    for (const [index, { answer }] of this.#waiting.splice(0).entries()) {
      answer(
        index === 0 ? failedRun(why, { ...how, stderr }) : failedRun(`${why} (an earlier call)`, { stderr }),
      );
    }
  }

  async close(): Promise<void> {
    const closing = this.#lines.close(FAREWELL_MS);
    clearTimeout(this.#timer);
    await closing;
  }
}
