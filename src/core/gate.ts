/**
 * The one gate by which text leaves: shape, redact, cut with an overflow file. Results, errors, events, logs and
 * overflow files all come through here.
 */
import { cut, cutBlocks, LAST_LIMIT, textLength, wellFormed } from "./fit.ts";
import { type OverflowStore, restIn } from "./overflow.ts";
import type { Redactor } from "./redact.ts";
import { shape, type Shaped, type Stamp, stamp, textOf } from "./result.ts";
import type { Block, Limit } from "./tool.ts";

export interface GateOptions {
  redactor: Redactor;
  overflow: OverflowStore;
  /** Characters that any result may have, whoever made it. */
  lastLimit: number;
  /** Limits by a tool's name, any face's, that replace the tools' own. */
  limits: Readonly<Record<string, number>>;
}

export class Gate {
  readonly redactor: Redactor;
  readonly overflow: OverflowStore;
  readonly #lastLimit: number;
  readonly #limits: Readonly<Record<string, number>>;
  #second = 0;
  #stamp: Stamp = stamp(0);

  constructor(options: GateOptions) {
    this.redactor = options.redactor;
    this.overflow = options.overflow;
    this.#lastLimit = Math.min(options.lastLimit, LAST_LIMIT);
    this.#limits = options.limits;
  }

  /** The limit that holds for a tool: the user's under any of its names, else its own, else the last one. */
  limitOf(names: Iterable<string>, own: Limit | undefined): Limit {
    let chars = own?.chars ?? this.#lastLimit;
    for (const name of names) if (Object.hasOwn(this.#limits, name)) chars = this.#limits[name]!;
    return { chars: Math.min(chars, this.#lastLimit), keep: own?.keep ?? "middle" };
  }

  /** A tool's value: shaped into blocks, redacted, cut to the tool's limit with the whole in an overflow file. */
  admit(value: unknown, tool: string, limit: Limit): Shaped {
    const shaped = this.#redact(shape(value));
    if (shaped.stdout) shaped.stdout = shaped.stdout.map((text) => cut(text, limit.chars, limit.keep));
    if (shaped.stderr) shaped.stderr = shaped.stderr.map((text) => cut(text, limit.chars, limit.keep));
    return this.#cut(shaped, tool, limit);
  }

  /** The last step before a result leaves: redacted again, well-formed, within the last limit. */
  finish(shaped: Shaped, tool: string): Shaped {
    return this.#cut(this.#redact(shaped), tool, { chars: this.#lastLimit, keep: "middle" });
  }

  /** Now, as results and events carry it. Made once a second: a call asks for it four times. */
  stamp(): Stamp {
    const second = Math.floor(Date.now() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#stamp = stamp(second * 1000);
    }
    return this.#stamp;
  }

  redact(text: string): string {
    return wellFormed(this.redactor.redact(text));
  }

  /** Comes back as it was where there is nothing to redact: the usual case, and done twice a call. */
  #redact(shaped: Shaped): Shaped {
    const { content, stdout, stderr, structured } = shaped;
    const textOnly = stdout === undefined && stderr === undefined && structured === undefined;
    if (!this.redactor.active && textOnly && content.every(isWellFormed)) return shaped;
    const clean = (text: string) => this.redact(text);
    const result: Shaped = { ...shaped, content: content.map((block) => redactBlock(block, clean)) };
    if (stdout) result.stdout = stdout.map(clean);
    if (stderr) result.stderr = stderr.map(clean);
    if (structured !== undefined) result.structured = this.redactor.redactJson(structured);
    return result;
  }

  #cut(shaped: Shaped, tool: string, limit: Limit): Shaped {
    if (textLength(shaped.content) <= limit.chars) return shaped;
    // Even where the tool spilled as it went: its own file doesn't hold what hooks and mods added.
    const saved = this.overflow.save(tool, textOf(shaped.content));
    const content = cutBlocks(shaped.content, limit.chars, limit.keep, restIn(saved));
    const overflow = shaped.overflow ?? saved?.path;
    return overflow === undefined ? { ...shaped, content } : { ...shaped, content, overflow };
  }
}

function isWellFormed(block: Block): boolean {
  return block.type !== "text" || wellFormed(block.text) === block.text;
}

function redactBlock(block: Block, clean: (text: string) => string): Block {
  return block.type === "text" ? { type: "text", text: clean(block.text) } : block;
}
