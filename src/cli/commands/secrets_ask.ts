/** Asks for a line on the terminal without showing it. */
import { EXIT, UsageError } from "../../core/errors.ts";
import { host } from "../../core/runtime.ts";
import type { Printer } from "../printer.ts";

/** `undefined` for Ctrl-C and the terminal's end. Standard input must be a terminal. */
export async function askHidden(prompt: string, printer: Printer): Promise<string | undefined> {
  const { stdin } = host.builtin<typeof import("node:process")>("node:process");
  // Before the prompt, so that nothing typed ahead is shown.
  stdin.setRawMode(true);
  const restore = () => stdin.setRawMode(false);
  const removers = (["SIGTERM", "SIGHUP"] as const).map((signal) =>
    host.onSignal(signal, () => {
      restore();
      host.exit(EXIT.interrupted);
    })
  );
  const line = new HiddenLine();
  printer.note(prompt);
  try {
    await new Promise<void>((resolve, reject) => {
      const decoder = new TextDecoder();
      stdin.on("data", (chunk: Uint8Array) => {
        line.type(decoder.decode(chunk, { stream: true }));
        if (line.ended) resolve();
      });
      stdin.once("end", resolve);
      stdin.once("error", reject);
    });
  } finally {
    restore();
    stdin.pause();
    for (const remove of removers) remove();
  }
  return line.value();
}

/** What was typed, edited as terminals do: backspace, Ctrl-U, Ctrl-C, Ctrl-D. */
export class HiddenLine {
  #chars: string[] = [];
  #rest = "";
  #ended: "entered" | "left" | undefined;

  get ended(): boolean {
    return this.#ended !== undefined;
  }

  type(text: string): void {
    for (const char of text) {
      if (this.#ended) this.#rest += char;
      else if (char === "\r" || char === "\n") this.#ended = "entered";
      else if (char === "\x03" || (char === "\x04" && this.#chars.length === 0)) this.#ended = "left";
      else if (char === "\x04") this.#ended = "entered";
      else if (char === "\x7f" || char === "\b") this.#chars.pop();
      else if (char === "\x15") this.#chars = [];
      else this.#chars.push(char);
    }
  }

  /** The line; `undefined` where the terminal ended first. Throws where it can't be what was meant. */
  value(): string | undefined {
    if (this.#ended !== "entered") return undefined;
    if (this.#rest.replace(/^\n/, "") !== "") {
      throw new UsageError("Cannot use what was pasted: more than one line", "give it as a file: < FILE");
    }
    const line = this.#chars.join("");
    if (/[\x00-\x08\x0a-\x1f]/.test(line)) {
      throw new UsageError("Cannot use what was typed: it holds a key that is no character", "type it again");
    }
    return line;
  }
}
