/**
 * The patch language that Codex models write.
 *
 *     patch      = "*** Begin Patch" LF hunk* "*** End Patch" LF?
 *     hunk       = add | delete | update
 *     add        = "*** Add File: " path LF ( "+" line LF )*
 *     delete     = "*** Delete File: " path LF
 *     update     = "*** Update File: " path LF ( "*** Move to: " path LF )? chunk+
 *     chunk      = header* change+ ( "*** End of File" LF )?
 *     header     = "@@" ( " " context )? LF
 *     change     = ( " " | "-" | "+" ) line LF | LF
 *
 * Leniencies: the whole may stand in a heredoc (`<<'EOF'` … `EOF`); blanks around markers don't count; the first
 * chunk of an update needs no header; an empty line in a chunk is an empty context line; lines may end in CR LF. Several
 * headers in a row narrow the place, each from where the one before was found.
 */
import { AgentError } from "../../core/errors.ts";

/** A line that is kept, removed or added. */
export interface Change {
  kind: "keep" | "remove" | "add";
  text: string;
}

export interface Chunk {
  /** Lines that come before it, from outside in; each is looked for after the one before. */
  contexts: string[];
  changes: Change[];
  /** The old lines are the end of the file. */
  atEnd: boolean;
  /** Where it stands in the patch, for errors; from 1. */
  line: number;
}

export type Hunk =
  | { kind: "add"; path: string; lines: string[]; line: number }
  | { kind: "delete"; path: string; line: number }
  | { kind: "update"; path: string; moveTo?: string; chunks: Chunk[]; line: number };

const BEGIN = "*** Begin Patch";
const END = "*** End Patch";
const END_OF_FILE = "*** End of File";
const HEADERS = { add: "*** Add File: ", delete: "*** Delete File: ", update: "*** Update File: " } as const;
const MOVE = "*** Move to: ";

/** The hunks of a patch, in order. Throws an error that names the line which can't be read. */
export function parsePatch(text: string): Hunk[] {
  return new Parser(linesOf(text)).parse();
}

/** Without the heredoc around it, the blanks before and after, and the CRs at the ends of lines. */
function linesOf(text: string): string[] {
  const lines = text.replace(/^\uFEFF/, "").trim().split("\n").map((line) => line.replace(/\r$/, ""));
  const heredoc = /^<<-?\s*(?:'([^']+)'|"([^"]+)"|(\S+))$/.exec(lines[0]!.trim());
  const name = heredoc?.[1] ?? heredoc?.[2] ?? heredoc?.[3];
  return name !== undefined && lines.at(-1)!.trim() === name ? lines.slice(1, -1) : lines;
}

class Parser {
  readonly #lines: readonly string[];
  #at = 0;

  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  parse(): Hunk[] {
    if (this.#lines[0]?.trim() !== BEGIN) {
      throw invalidPatch(`the first line of the patch must be '${BEGIN}'`);
    }
    if (this.#lines.at(-1)!.trim() !== END) throw invalidPatch(`the last line of the patch must be '${END}'`);
    const hunks: Hunk[] = [];
    this.#at = 1;
    while (this.#at < this.#lines.length - 1) {
      if (this.#line().trim() === "") this.#at++;
      else hunks.push(this.#hunk());
    }
    if (hunks.length === 0) throw invalidPatch("it changes no file");
    return hunks;
  }

  #hunk(): Hunk {
    const header = this.#line().trim();
    const line = this.#at + 1;
    for (const kind of ["add", "delete", "update"] as const) {
      const path = after(header, HEADERS[kind]);
      if (path === undefined) continue;
      if (path === "") throw invalidHunk(line, "it names no file");
      this.#at++;
      if (kind === "delete") return { kind, path, line };
      return kind === "add" ? { kind, path, lines: this.#added(), line } : this.#update(path, line);
    }
    const known = Object.values(HEADERS).map((one) => `'${one}{path}'`).join(", ");
    throw invalidHunk(line, `'${header}' is not a valid hunk header. Valid hunk headers: ${known}`);
  }

  #added(): string[] {
    const lines: string[] = [];
    for (; !this.#isMarker(); this.#at++) {
      const line = this.#line();
      if (!line.startsWith("+")) {
        // A blank line before the next file is how people write; inside the text it would have a plus.
        if (line.trim() === "" && this.#isMarker(this.#at + 1)) continue;
        throw invalidHunk(this.#at + 1, `a line of a new file must start with '+', got '${line}'`);
      }
      lines.push(line.slice(1));
    }
    return lines;
  }

  #update(path: string, line: number): Hunk {
    const moveTo = this.#isOver() ? undefined : after(this.#line().trim(), MOVE);
    if (moveTo !== undefined) this.#at++;
    if (moveTo === "") throw invalidHunk(line, "it moves the file to no name");
    const chunks: Chunk[] = [];
    while (!this.#isMarker()) {
      if (this.#line().trim() === "" && this.#isMarker(this.#at + 1)) this.#at++;
      else chunks.push(this.#chunk(chunks.length === 0));
    }
    // A move alone is a rename; without one there has to be something to change.
    if (chunks.length === 0 && moveTo === undefined) {
      throw invalidHunk(line, `Update file hunk for path '${path}' is empty`);
    }
    return { kind: "update", path, ...(moveTo !== undefined && { moveTo }), chunks, line };
  }

  #chunk(first: boolean): Chunk {
    const chunk: Chunk = { contexts: [], changes: [], atEnd: false, line: this.#at + 1 };
    let headers = 0;
    for (; !this.#isMarker() && isHeader(this.#line()); this.#at++) {
      headers++;
      const context = this.#line().trim().slice(2).replace(/^ /, "");
      if (context !== "") chunk.contexts.push(context);
    }
    if (headers === 0 && !first) {
      throw invalidHunk(this.#at + 1, `expected '@@' or the next file, got '${this.#line()}'`);
    }
    for (; !this.#isMarker() && !isHeader(this.#line()); this.#at++) {
      const line = this.#line();
      if (line.includes(END_OF_FILE) && line.trim() === END_OF_FILE) {
        chunk.atEnd = true;
        this.#at++;
        break;
      }
      if (line.trim() === "" && this.#isMarker(this.#at + 1)) continue;
      take(chunk, line, this.#at + 1);
    }
    if (chunk.changes.length === 0) throw invalidHunk(this.#at + 1, "Update hunk does not contain any lines");
    return chunk;
  }

  #line(): string {
    return this.#lines[this.#at]!;
  }

  #isOver(at = this.#at): boolean {
    return at >= this.#lines.length - 1;
  }

  /** The end of the patch, or the header of the next file. `*** End of File` belongs to a chunk. */
  #isMarker(at = this.#at): boolean {
    if (this.#isOver(at)) return true;
    // A line of a file starts with its own mark, so one that starts like this is none.
    const line = this.#lines[at]!;
    return line.startsWith("***") && MARKERS.some((header) => line.startsWith(header));
  }
}

const MARKERS: readonly string[] = Object.values(HEADERS).map((header) => header.trimEnd());

const KINDS: Readonly<Record<string, Change["kind"]>> = { " ": "keep", "-": "remove", "+": "add" };

function take(chunk: Chunk, line: string, number: number): void {
  const kind = line === "" ? "keep" : KINDS[line[0]!];
  if (kind === undefined) {
    throw invalidHunk(
      number,
      `Unexpected line found in update hunk: '${line}'. Every line should start with ' ' (context line), ` +
        "'+' (added line), or '-' (removed line)",
    );
  }
  chunk.changes.push({ kind, text: line.slice(1) });
}

function isHeader(line: string): boolean {
  return line.startsWith("@@");
}

function after(line: string, header: string): string | undefined {
  return line.startsWith(header.trimEnd()) ? line.slice(header.trimEnd().length).trim() : undefined;
}

function invalidPatch(what: string): AgentError {
  return new AgentError(`Invalid patch: ${what}`);
}

function invalidHunk(line: number, what: string): AgentError {
  return new AgentError(`Invalid patch hunk on line ${line}: ${what}`);
}
