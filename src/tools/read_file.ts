/** Reads a text file in pages of lines. */
import { AgentError, quote } from "../core/errors.ts";
import { takeHead } from "../core/fit.ts";
import { decode, isBinary } from "../core/text.ts";
import { defineTool, type Output } from "../core/tool.ts";

export interface ReadArgs {
  path: string;
  offset?: number;
  limit?: number;
}

/** A page of a file: the lines as they are, without their ends. */
export interface Page {
  path: string;
  lines: string[];
  /** The number of the first line, from 1. */
  start: number;
  total: number;
  /** The page ended because its characters, not its lines, ran out. */
  full: boolean;
  undecodable: boolean;
  note?: string;
}

/** Lines a page has at most, characters a line shows at most. */
export const PAGE_LINES = 2000;
export const LINE_CHARS = 2000;
const PAGE_CHARS = 30_000;

export const readFile = defineTool<ReadArgs, Page>({
  name: "read_file",
  toolsets: ["lean"],
  covers: "read",
  aliases: ["cat", "view", "open_file"],
  input: (z) =>
    z.strictObject({
      path: z.string().min(1).describe("absolute, relative to the working folder, or ~/…"),
      offset: z.int().min(1).optional().describe("number of the first line, from 1"),
      limit: z.int().min(1).optional().describe("how many lines; 2,000 where absent"),
    }),
  traits({ path }, place) {
    const real = place.identify(path);
    return {
      effect: "read",
      keys: [`path:${real}`],
      subjects: [{ kind: "path", value: real, access: "read" }],
    };
  },
  limit: { chars: 30_000, keep: "head" },
  run({ path, offset = 1, limit = PAGE_LINES }, context) {
    const bytes = context.files.read(context.resolve(path));
    if (isBinary(bytes)) return notice(path, `binary file, ${bytes.length} bytes; its content is not shown`);
    if (bytes.length === 0) return notice(path, "the file is empty");
    const { text, undecodable } = decode(bytes);
    return page(path, text, offset, Math.min(limit, PAGE_LINES), undecodable);
  },
  present: (data) => presentPage(data, (number) => `${number}\t`, (line) => `offset=${line}`),
});

function notice(path: string, note: string): Page {
  return { path, lines: [], start: 1, total: 0, full: false, undecodable: false, note };
}

/** Lines `offset` to `offset + limit - 1`. A last newline ends a line and starts none. */
function page(path: string, text: string, offset: number, limit: number, undecodable: boolean): Page {
  const lines: string[] = [];
  let total = 0;
  let chars = 0;
  let full = false;
  for (let at = 0; at < text.length;) {
    const end = text.indexOf("\n", at);
    const stop = end < 0 ? text.length : end;
    total++;
    if (total >= offset && lines.length < limit && !full) {
      const line = clipLine(text.slice(at, text.charCodeAt(stop - 1) === 13 && stop > at ? stop - 1 : stop));
      // The first line of a page always fits, so that paging moves on.
      if (lines.length > 0 && chars + line.length + 12 > PAGE_CHARS - 400) full = true;
      else {
        lines.push(line);
        chars += line.length + 12;
      }
    }
    at = stop + 1;
  }
  if (offset > total) {
    throw new AgentError(
      `Cannot read ${quote(path)} from line ${offset}: it has ${total} ${total === 1 ? "line" : "lines"}`,
      `the last offset with content is ${total}`,
    );
  }
  return { path, lines, start: offset, total, full, undecodable };
}

function clipLine(line: string): string {
  if (line.length <= LINE_CHARS) return line;
  const head = takeHead(line, LINE_CHARS);
  return `${head}... [line clipped: ${line.length} characters in all]`;
}

/** A page as text: each line behind its mark, then what is left and the call that continues. */
export function presentPage(
  data: Page,
  mark: (line: number) => string,
  next: (line: number) => string,
): Output {
  const { lines, start, total, note } = data;
  if (note !== undefined) return { content: `[${data.path}: ${note}]` };
  const rows = lines.map((line, index) => mark(start + index) + line);
  const last = start + lines.length - 1;
  const notes: string[] = [];
  if (data.undecodable) {
    notes.push("[some bytes are not UTF-8 and show as \uFFFD; edits to this file are refused]");
  }
  if (last < total) {
    notes.push(`[lines ${start}-${last} of ${total} shown. Use ${next(last + 1)} to continue]`);
  }
  return { content: [...rows, ...notes].join("\n") };
}
