/** A program in a terminal, with what it printed. */
import { accessSync } from "node:fs";
import process from "node:process";
import type { Child, ChildEnd } from "../../src/shell/child.ts";
import { ProcessGroups } from "../../src/shell/groups.ts";
import { startTerminal } from "../../src/shell/terminal.ts";

export interface OpenOptions {
  cwd?: string;
  env?: Record<string, string>;
  groups?: ProcessGroups;
  onText?: (text: string) => void;
}

export class Opened {
  readonly child: Child;
  readonly ended: Promise<ChildEnd>;
  readonly #state: { text: string; wake: () => void };

  constructor(child: Child, state: { text: string; wake: () => void }) {
    this.child = child;
    this.#state = state;
    this.ended = child.ended.then((end) => {
      state.wake();
      return end;
    });
  }

  get text(): string {
    return this.#state.text;
  }

  /** Resolves when `done` says so after some output; rejects where the program ends before. */
  async until(done: (text: string) => boolean): Promise<void> {
    let isOver = false;
    void this.child.ended.then(() => isOver = true);
    while (!done(this.text)) {
      if (isOver) throw new Error(`it ended after ${JSON.stringify(this.text)}`);
      await new Promise<void>((resolve) => this.#state.wake = resolve);
    }
  }
}

/** Starts a program in a terminal of 80 by 24; a text is a script for `sh`. */
export async function open(program: string | readonly string[], options: OpenOptions = {}): Promise<Opened> {
  const state = { text: "", wake: () => {} };
  const decoder = new TextDecoder();
  const child = await startTerminal({
    argv: typeof program === "string" ? ["sh", "-c", program] : program,
    cwd: options.cwd ?? "/",
    env: { PATH: process.env.PATH!, LANG: "C.UTF-8", ...options.env },
    cols: 80,
    rows: 24,
    onOutput: (chunk) => {
      const text = decoder.decode(chunk, { stream: true });
      state.text += text;
      options.onText?.(text);
      state.wake();
    },
  }, options.groups ?? new ProcessGroups());
  return new Opened(child, state);
}

/** Is there a program of that name? */
export function has(program: string): boolean {
  return process.env.PATH!.split(":").some((folder) => {
    try {
      accessSync(`${folder}/${program}`, 1);
      return true;
    } catch {
      return false;
    }
  });
}
