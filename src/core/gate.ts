/**
 * The one gate by which text leaves: shape, redact, cut with an overflow file. Results, errors, events, logs and
 * overflow files all come through here.
 */
import { cutBlocks, LAST_LIMIT, textLength, wellFormed } from "./fit.ts";
import { soundImage } from "./image_check.ts";
import { overflowFields, type OverflowStore, restIn } from "./overflow.ts";
import type { Redactor } from "./redact.ts";
import { shape, type Shaped, type Stamp, stamp, text, textOf } from "./result.ts";
import type { Block, Limit } from "./tool.ts";

/** Blocks of a result, or pieces of a stream. */
const MOST_BLOCKS = 100;

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
  /** Images that were found sound. They are frozen, so they stay it. */
  readonly #sound = new WeakSet<Block>();
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
    return this.#cut(this.#redact(this.#recognized(shape(value), value)), tool, limit);
  }

  /** The last step before a result leaves: redacted again, well-formed, its images sound, within the last limit. */
  finish<T extends Content>(shaped: T, tool: string): T {
    const limit: Limit = { chars: this.#lastLimit, keep: "middle" };
    return this.#cut(this.#withoutExcess(this.#withSoundImages(this.#redact(shaped)), tool), tool, limit);
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
  #redact<T extends Content>(shaped: T): T {
    const { content, stdout, stderr, structured } = shaped;
    const textOnly = stdout === undefined && stderr === undefined && structured === undefined;
    if (!this.redactor.active && textOnly && content.every(isWellFormed)) return shaped;
    const clean = (text: string) => this.redact(text);
    const result: T = { ...shaped, content: content.map((block) => redactBlock(block, clean)) };
    if (stdout) result.stdout = stdout.map(clean);
    if (stderr) result.stderr = stderr.map(clean);
    if (structured !== undefined) result.structured = this.redactor.redactJson(structured);
    return result;
  }

  /** Shaping copies blocks. Images that left by here before, as a nested call's, are put back: they are known. */
  #recognized(shaped: Shaped, value: unknown): Shaped {
    if (shaped.content.every(({ type }) => type === "text")) return shaped;
    const given = Array.isArray(value) ? value : (value as { content: readonly Block[] }).content;
    const content = shaped.content.map((block, index) =>
      this.#sound.has(given[index]!) ? given[index]! : block
    );
    return { ...shaped, content };
  }

  /** Each image is looked at once. */
  #withSoundImages<T extends Content>(shaped: T): T {
    const { content } = shaped;
    if (content.every((block) => block.type === "text" || this.#sound.has(block))) return shaped;
    return { ...shaped, content: content.map((block) => this.#checked(block)) };
  }

  #checked(block: Block): Block {
    if (block.type === "text" || this.#sound.has(block)) return block;
    const checked = soundImage(block);
    if (checked.type === "image") this.#sound.add(Object.freeze(checked));
    return checked;
  }

  #cut<T extends Content>(shaped: T, tool: string, limit: Limit): T {
    const { content, stdout, stderr } = shaped;
    const tooLong = textLength(content) > limit.chars;
    const [outTooLong, errTooLong] = [lengthOf(stdout) > limit.chars, lengthOf(stderr) > limit.chars];
    if (!tooLong && !outTooLong && !errTooLong) return shaped;
    const result = { ...shaped };
    const cutTexts = (blocks: readonly Block[]): readonly Block[] => {
      // Even where the tool spilled as it went: its own file doesn't hold what hooks and mods added.
      const saved = this.overflow.save(tool, textOf(blocks));
      if (result.overflow === undefined) Object.assign(result, overflowFields(saved));
      return cutBlocks(blocks, limit.chars, limit.keep, restIn(saved));
    };
    if (tooLong) result.content = cutTexts(content);
    const cutStream = (pieces: readonly string[]) =>
      cutTexts(pieces.flatMap(text)).map((block) => textOf([block]));
    if (outTooLong) result.stdout = cutStream(stdout!);
    if (errTooLong) result.stderr = cutStream(stderr!);
    return result;
  }

  /** Without what no cut of a text makes small: data, the number of blocks. */
  #withoutExcess<T extends Content>(shaped: T, tool: string): T {
    const { content, stdout = [], stderr = [], structured } = shaped;
    const pieces = Math.max(content.length, stdout.length, stderr.length);
    if (structured === undefined && pieces <= MOST_BLOCKS) return shaped;
    const result = { ...shaped };
    const json = shaped.structured === undefined ? "" : JSON.stringify(shaped.structured);
    if (json.length > this.#lastLimit) {
      const saved = this.overflow.save(tool, json);
      if (result.overflow === undefined) Object.assign(result, overflowFields(saved));
      delete result.structured;
      const note = `[${json.length} characters of structured data omitted${restIn(saved)}]`;
      result.content = [...result.content, ...text(note)];
    }
    if (result.content.length > MOST_BLOCKS) result.content = text(textOf(result.content));
    if (result.stdout && result.stdout.length > MOST_BLOCKS) result.stdout = [result.stdout.join("")];
    if (result.stderr && result.stderr.length > MOST_BLOCKS) result.stderr = [result.stderr.join("")];
    return result;
  }
}

/** What the gate looks at; whatever else an object carries goes through it as it is. */
type Content = Omit<Shaped, "outcome">;

function lengthOf(pieces: readonly string[] = []): number {
  let length = 0;
  for (const piece of pieces) length += piece.length;
  return length;
}

function isWellFormed(block: Block): boolean {
  return block.type !== "text" || wellFormed(block.text) === block.text;
}

function redactBlock(block: Block, clean: (text: string) => string): Block {
  return block.type === "text" ? { type: "text", text: clean(block.text) } : block;
}
