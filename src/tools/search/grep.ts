/** What `grep_files` does: one run of ripgrep, in order and within the room, and a second look where nothing was found. */
import { quote } from "../../core/errors.ts";
import type { Context } from "../../core/tool.ts";
import type { GrepArgs } from "../grep_files.ts";
import { Allowed } from "./allowed.ts";
import { byText, First } from "./first.ts";
import { NameReader } from "./names.ts";
import { type Aged, aged, newestFirst } from "./newest.ts";
import { filesIn, leftOutNotes, someOf, warningsOf } from "./notes.ts";
import { type Row, RowReader } from "./rows.ts";
import { type Scope, scopeOf } from "./scope.ts";
import { glance, search } from "./search.ts";
import { checkedText, COMMON_WORDS, narrowed } from "./words.ts";

/** A line that is shown. */
export interface Match {
  /** As it is shown. */
  path: string;
  line: number;
  isMatch: boolean;
  text: string;
}

export interface Searched {
  output: NonNullable<GrepArgs["output"]>;
  pattern: string;
  /** What was searched, as it was written. */
  written: string;
  /** For `content`, by path and line. */
  rows: readonly Match[];
  /** For the others: `files` newest first, `count` by path. */
  files: readonly { path: string; count: number }[];
  /** Lines around matches were asked for. */
  hasContext: boolean;
  /** In all, shown or not. */
  totalMatches: number;
  totalFiles: number;
  /** What there is to say besides, a line each. */
  notes: readonly string[];
}

/** Rows that are shown where nothing is said. */
const ROWS = 250;
/** Characters that what stands around rows may take. */
const NOTES_CHARS = 1500;
const ROW_CHARS = 24;

/** A pattern that has one means several lines, and would find nothing in single ones. */
const LINE_END = /\n|\\n/;

export async function grep(args: GrepArgs, context: Context): Promise<Searched> {
  checkedText(args.pattern, "pattern");
  const run = new Grep(args, context);
  await run.search([]);
  // Whoever names a folder means what is in it, also where a rule from above ignores it.
  if (run.isEmpty && run.scope.isNamed && run.scope.kind === "directory") {
    await run.search(["--no-ignore-parent"]);
  }
  return await run.told();
}

class Grep {
  readonly scope: Scope;
  readonly #args: GrepArgs;
  readonly #context: Context;
  readonly #output: NonNullable<GrepArgs["output"]>;
  readonly #allowed: Allowed;
  readonly #narrow: readonly string[];
  readonly #rows: First<Row>;
  readonly #newest: First<Aged>;
  readonly #counts: First<{ name: string; count: number }>;
  readonly #binary = new Set<string>();
  #complaints: readonly string[] = [];
  #lastPath: string | undefined;
  #matches = 0;
  #files = 0;
  #beyondIgnored = false;

  constructor(args: GrepArgs, context: Context) {
    const { path, glob, type, output = "files", limit = ROWS, offset = 0 } = args;
    this.#args = args;
    this.#context = context;
    this.#output = output;
    this.scope = scopeOf(path, "search", context);
    this.#allowed = new Allowed(context, args.ignore_file);
    const globs = typeof glob === "string" ? [glob] : glob ?? [];
    for (const one of globs) checkedText(one, "glob");
    this.#narrow = narrowed({ glob: globs, ...(type !== undefined && { type: checkedText(type, "type") }) });
    const count = offset + limit;
    this.#rows = new First(count, (a, b) => byText(a.path, b.path) || a.line - b.line);
    this.#newest = newestFirst(count);
    this.#counts = new First(count, (a, b) => byText(a.name, b.name));
  }

  get isEmpty(): boolean {
    return this.#files === 0;
  }

  async search(more: readonly string[]): Promise<void> {
    const { before = 0, after = 0 } = this.#args;
    const output = this.#output;
    const how = output === "files" ? ["--files-with-matches"] : output === "count" ? ["--count"] : [
      ...["--no-heading", "--with-filename", "--line-number", "--column", "--binary"],
      ...[`--before-context=${before}`, `--after-context=${after}`],
    ];
    const take = output === "content" ? this.#takeRows() : this.#takeNames();
    const { signal } = this.#context;
    const words = this.#words([...how, ...more]);
    this.#complaints = await search(words, this.#args.pattern, signal, take);
    this.#beyondIgnored = more.length > 0 && !this.isEmpty;
  }

  #words(how: readonly string[]): string[] {
    const { pattern, ignore_case, multiline } = this.#args;
    return [
      ...COMMON_WORDS,
      "--engine=auto",
      ...how,
      ...ignore_case ? ["--ignore-case"] : [],
      ...multiline ? ["--multiline", "--multiline-dotall"] : LINE_END.test(pattern) ? ["--multiline"] : [],
      ...this.#narrow,
      `--regexp=${pattern}`,
      "--",
      this.scope.root,
    ];
  }

  #takeRows(): (chunk: Uint8Array) => Promise<void> {
    let rows: Row[] = [], binary: string[] = [];
    const passes = this.#allowed.passesAll;
    const reader = new RowReader({
      wants: (path, line, isMatch) => {
        // What may be left out is counted once that is known.
        if (!passes) return true;
        this.#count(path, isMatch);
        const isWanted = this.#rows.wants({ path, line, isMatch, text: "" });
        if (!isWanted) this.#rows.pass();
        return isWanted;
      },
      row: (row) => rows.push(row),
      binary: (path) => binary.push(path),
    });
    return async (chunk) => {
      reader.push(chunk);
      const found = rows, odd = binary;
      rows = [];
      binary = [];
      for (const path of await this.#allowed.filter(odd, (path) => path)) this.#binary.add(path);
      for (const row of await this.#allowed.filter(found, ({ path }) => path)) {
        if (!passes) this.#count(row.path, row.isMatch);
        this.#rows.add(row);
      }
    };
  }

  /** All rows of a file come one after the other. */
  #count(path: string, isMatch: boolean): void {
    if (isMatch) this.#matches++;
    if (path !== this.#lastPath) this.#files++;
    this.#lastPath = path;
  }

  #takeNames(): (chunk: Uint8Array) => Promise<void> {
    const isCount = this.#output === "count";
    const reader = new NameReader(isCount);
    return async (chunk) => {
      for (const found of await this.#allowed.filter(reader.push(chunk), ({ name }) => name)) {
        this.#files++;
        this.#matches += found.count;
        if (isCount) this.#counts.add(found);
        else this.#newest.add(aged(found.name));
      }
    };
  }

  async told(): Promise<Searched> {
    const { before = 0, after = 0, offset = 0, pattern } = this.#args;
    const shown = (path: string) => this.scope.shown(path);
    let room = this.#context.gate.limit - NOTES_CHARS;
    /** As many as there is room for; one always is. */
    const fitting = <T>(items: readonly T[], chars: (item: T) => number): T[] => {
      const page = items.slice(offset);
      let count = 0;
      for (; count < page.length; count++) {
        room -= chars(page[count]!);
        if (room < 0 && count > 0) break;
      }
      return page.slice(0, count);
    };
    const isContent = this.#output === "content";
    const clean = this.#cleaner();
    const lines = this.#rows.sorted().map((row) => ({ ...row, path: shown(row.path) }));
    const rows = fitting(lines, ({ path, text }) => path.length + text.length + ROW_CHARS)
      .map(({ path, line, isMatch, ...rest }) => ({ path, line, isMatch, text: clean(rest) }));
    const named = this.#output === "files"
      ? this.#newest.sorted().map(({ path }) => ({ path: shown(path), count: 1 }))
      : this.#counts.sorted().map(({ name, count }) => ({ path: shown(name), count }));
    const files = fitting(named, ({ path }) => path.length + ROW_CHARS / 2);
    const total = isContent ? this.#rows.total : this.#files;
    const next = offset + rows.length + files.length;
    return {
      output: this.#output,
      pattern,
      written: this.scope.written,
      rows,
      files,
      hasContext: before + after > 0,
      totalMatches: this.#matches,
      totalFiles: this.#files,
      notes: [
        ...this.isEmpty ? await this.#nothing() : [],
        ...!this.isEmpty && next <= offset
          ? [`[There are no more than ${total} rows: use an offset below that]`]
          : [],
        ...next > offset && next < total
          ? [`[${total - next} more rows. Use offset=${next} to continue]`]
          : [],
        ...this.#beyondIgnored
          ? [
            `[Ignore rules of folders above leave these files out; they were searched because the folder was named]`,
          ]
          : [],
        ...this.#binary.size > 0
          ? [`[Binary files match, their lines are not shown: ${this.#named(this.#binary)}]`]
          : [],
        ...leftOutNotes(this.#allowed, this.#args.ignore_file),
        ...warningsOf(this.#complaints, shown),
      ],
    };
  }

  /** A cut line without what may be the rest of a secret. */
  #cleaner(): (row: Pick<Row, "text" | "lead" | "isCut">) => string {
    return ({ text, lead, isCut }) => {
      if (lead === undefined && !isCut) return text;
      const redaction = this.#context.gate.redaction();
      if (lead !== undefined) redaction.push(lead);
      const kept = redaction.push(text);
      return `${lead === undefined ? "" : "…"}${isCut ? `${kept}…` : kept + redaction.flush()}`;
    };
  }

  #named(paths: Iterable<string>): string {
    const names = [...paths].map((path) => this.scope.shown(path)).sort();
    return `${filesIn(names.length)} (${someOf(names)})`;
  }

  /** That nothing was found, where, and what may have hidden something. */
  async #nothing(): Promise<string[]> {
    const { pattern, glob, type, ignore_case } = this.#args;
    const { signal } = this.#context;
    const { written, kind } = this.scope;
    const head = `No matches found for ${quote(pattern)} in ${quote(written)}`;
    if (kind !== "directory") return [head];
    const all = ["--files-with-matches", "--no-ignore"];
    const [hidden, binary] = await Promise.all([
      glance(this.#words(all), signal),
      glance(this.#words([...all, "--binary"]), signal),
    ]);
    const plain = await this.#allowed.filter(hidden, (name) => name);
    const odd = await this.#allowed.filter(binary.filter((name) => !hidden.includes(name)), (name) => name);
    const filters = [
      ".gitignore, .ignore and the user's excludes",
      "folders of version control",
      "binary files",
      ...glob === undefined ? [] : [`glob ${[glob].flat().map(quote).join(", ")}`],
      ...type === undefined ? [] : [`type ${quote(type)}`],
      ...ignore_case ? [] : ["case"],
    ];
    return [
      head,
      ...plain.length > 0
        ? [`But ${this.#named(plain)} left out by ignore rules: name the file or its folder to search it`]
        : [],
      ...odd.length > 0 ? [`Binary files match: ${this.#named(odd)}`] : [],
      `What was left out: ${filters.join("; ")}`,
    ];
  }
}
