/** Standard output for results, standard error for everything else. */
import { AgentError, errorCode, fileError, messageOf, quote } from "../core/errors.ts";
import { heldOf } from "../core/overflow.ts";
import { type Result, textOf } from "../core/result.ts";
import { host } from "../core/runtime.ts";

export interface PrinterOptions {
  color?: string | undefined;
  debug: boolean;
  /** Where it goes, if not to this process's own streams. */
  write?: (fd: 1 | 2, text: string) => void;
}

export class Printer {
  readonly #options: PrinterOptions;
  readonly #write: (fd: 1 | 2, text: string) => void;
  /** Called once when nobody reads standard output any more. */
  onBrokenPipe: () => void = () => {};

  constructor(options: PrinterOptions) {
    this.#options = options;
    this.#write = options.write ?? ((fd, text) => host.write(fd, text));
  }

  out(text: string): void {
    try {
      this.#write(1, text);
    } catch (error) {
      if (errorCode(error) !== "EPIPE") throw fileError("write", "standard output", error);
      this.onBrokenPipe();
    }
  }

  line(text: string): void {
    this.out(text.endsWith("\n") ? text : text + "\n");
  }

  json(value: unknown): void {
    this.out(JSON.stringify(value) + "\n");
  }

  /** A result for people: output to standard output, failures to standard error. */
  result(result: Result): void {
    const { content, status, stdout } = result;
    const text = textOf(content);
    if (status === "error") {
      // What a command printed is not our sentence.
      if (stdout) this.note(text);
      else this.failure(text);
    } else if (text !== "") this.line(text);
    this.#cut(result);
  }

  /** What a command printed, each stream to its own. */
  streams(result: Result): void {
    const { stdout = [], stderr = [] } = result;
    this.out(stdout.join(""));
    this.err(stderr.join(""));
    this.#cut(result);
  }

  #cut({ overflow, overflowCutAt }: Result): void {
    if (overflow === undefined) return;
    const verb = overflowCutAt === undefined ? "is" : "are";
    this.warn(`the result was cut; ${heldOf(overflowCutAt)} ${verb} in ${quote(overflow)}`);
  }

  warn(text: string): void {
    this.err(`${this.#paint("33", "warning:")} ${text}\n`);
  }

  note(text: string): void {
    this.err(`${text}\n`);
  }

  /** `error: Cannot …`, a blank line, `hint: …`. */
  error(error: unknown): void {
    const hint = error instanceof AgentError ? error.hint : undefined;
    this.failure(hint === undefined ? messageOf(error) : `${messageOf(error)}\n\nhint: ${hint}`);
    if (this.#options.debug && error instanceof Error && error.stack) this.err(`${error.stack}\n`);
  }

  /** A failed call's text, which has its hint already. */
  failure(text: string): void {
    this.err(`${this.#paint("31", "error:")} ${text}\n`);
  }

  /** To standard error; it doesn't matter whether anybody reads it. */
  err(text: string): void {
    try {
      this.#write(2, text);
    } catch {
      // Nobody reads it.
    }
  }

  #paint(code: string, text: string): string {
    return this.isColored ? `\u001b[${code}m${text}\u001b[0m` : text;
  }

  /** Are there colours in what it says to people? */
  get isColored(): boolean {
    const { color } = this.#options;
    if (color === "always" || color === "never") return color === "always";
    if (host.env("NO_COLOR")) return false;
    if (host.env("FORCE_COLOR")) return host.env("FORCE_COLOR") !== "0";
    return host.env("TERM") !== "dumb" && host.isTerminal(2);
  }
}
