/** Reads a file: text in pages of lines, and what else can be shown (images, PDFs, notebooks). */
import { type Encoding, nameOf, UTF8 } from "../core/encoding.ts";
import { AgentError, quote } from "../core/errors.ts";
import { sha256Stream } from "../core/hash.ts";
import { escaped } from "../core/look_alike.ts";
import { decodeText, isBinary, TextStream } from "../core/text.ts";
import { type Context, defineTool } from "../core/tool.ts";
import { readTraits } from "./path_traits.ts";
import { type BlockOptions, pageOfBlock } from "./read/indentation.ts";
import { NOTES_CHARS, notice, type Page, PAGE_LINES, Pager, presentPage } from "./read/pager.ts";
import { readRich, richKind } from "./read/rich.ts";

export interface ReadArgs {
  path: string;
  offset?: number;
  limit?: number;
  mode?: "slice" | "indentation";
  indentation?: BlockOptions;
}

/** Bytes of a file that is read at once. */
const IN_ONE_PIECE = 256 * 1024;
/** Bytes of a file that can't be shown without having all of it. */
const MOST_WHOLE = 64 * 1024 * 1024;

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
      mode: z.enum(["slice", "indentation"]).optional().describe(
        "slice: lines in a row (default); indentation: the block around a line",
      ),
      indentation: z.strictObject({
        anchor_line: z.int().min(1).optional().describe("the line to start from; offset where absent"),
        max_levels: z.int().min(0).optional().describe("enclosing blocks to show; 0, the default, for all"),
        include_siblings: z.boolean().optional().describe("also blocks beside the outermost one shown"),
        include_header: z.boolean().optional().describe("the comment above the block; default true"),
        max_lines: z.int().min(1).optional().describe("a further limit"),
      }).optional(),
    }),
  traits: ({ path }, place) => readTraits(place, path),
  limit: { chars: 30_000, keep: "head" },
  run(args, context): Page | Promise<Page> {
    const { path } = args;
    const full = context.locate(path);
    if (full === context.resolve(path)) return read(args, full, context);
    return withHead(
      read(args, full, context),
      `[nothing is called ${escaped(path)}; this is ${escaped(full)}]`,
    );
  },
  present: (data, { path }) => presentPage(data, path, (number) => `${number}\t`, (line) => `offset=${line}`),
});

async function withHead(reading: Page | Promise<Page>, line: string): Promise<Page> {
  const page = await reading;
  return { ...page, head: page.head === undefined ? line : `${line}\n${page.head}` };
}

/** `full` is there, or nothing like it. */
function read(args: ReadArgs, full: string, context: Context): Page | Promise<Page> {
  const { path } = args;
  const size = context.files.info(full, path)?.size ?? 0;
  const whole = wantsBlock(args);
  if (whole && size > MOST_WHOLE) {
    throw new AgentError(
      `Cannot read ${quote(path)} by indentation: ${size} bytes are too many`,
      "use mode=slice with an offset",
    );
  }
  // Most files are small, and decoding in one piece is several times faster than in many.
  if (size > IN_ONE_PIECE && !whole) return inPieces(args, full, size, context);
  const bytes = context.files.read(full, path);
  context.reads.saw(context.identify(full), bytes);
  const kind = richKind(bytes, path);
  return kind ? rich(kind, bytes, args, context) : plain(bytes, args, context);
}

function wantsBlock({ mode, indentation }: ReadArgs): boolean {
  return (mode ?? (indentation ? "indentation" : "slice")) === "indentation";
}

function plain(bytes: Uint8Array, args: ReadArgs, context: Context): Page {
  if (isBinary(bytes)) return binary(bytes.length);
  const { text, encoding } = decodeText(bytes);
  return page(text, args, context, encoding);
}

function binary(size: number): Page {
  return notice(`binary file, ${size} bytes; its content is not shown`);
}

/** The part of a whole text that the arguments ask for. */
function page(text: string, args: ReadArgs, context: Context, encoding = UTF8): Page {
  if (wantsBlock(args)) {
    return { ...pageOfBlock(text, args, context.gate.limit - NOTES_CHARS), ...said(encoding) };
  }
  const pager = pagerFor(args, context);
  pager.push(text);
  return finished(pager, args, encoding);
}

function pagerFor({ offset = 1, limit = PAGE_LINES }: ReadArgs, context: Context): Pager {
  return new Pager(offset, Math.min(limit, PAGE_LINES), context.gate.limit - NOTES_CHARS);
}

function finished(pager: Pager, { offset = 1 }: ReadArgs, encoding: Encoding): Page {
  pager.end();
  if (pager.total === 0) return notice("the file is empty");
  return { lines: pager.lines, start: offset, total: pager.total, ...said(encoding) };
}

function said(encoding: Encoding): Pick<Page, "undecodable" | "encoding"> {
  const undecodable = encoding.damaged;
  return encoding.name === "utf-8" ? { undecodable } : { undecodable, encoding: nameOf(encoding) };
}

/** A file of any size, of which only the page is kept. */
function inPieces(args: ReadArgs, full: string, size: number, context: Context): Page | Promise<Page> {
  const { path } = args;
  const pager = pagerFor(args, context);
  const hash = sha256Stream();
  let text: TextStream | undefined;
  for (const chunk of context.files.chunks(full, path)) {
    if (!text) {
      const kind = richKind(chunk, path);
      if (kind && size <= MOST_WHOLE) return rich(kind, context.files.read(full, path), args, context);
      if (isBinary(chunk)) return binary(size);
      text = new TextStream(chunk);
    }
    hash.update(chunk);
    pager.push(text.push(chunk));
  }
  context.reads.saw(context.identify(full), { sha256: hash.digest("hex") });
  pager.push(text?.end() ?? "");
  const encoding = text?.encoding ?? UTF8;
  return finished(pager, args, { ...encoding, damaged: text?.damaged ?? false });
}

/** What isn't text is shown as text, images or both; its text has pages like any other. */
async function rich(
  kind: NonNullable<ReturnType<typeof richKind>>,
  bytes: Uint8Array,
  args: ReadArgs,
  context: Context,
): Promise<Page> {
  const shown = await readRich(kind, bytes, args.path);
  const { text, blocks = [], note } = shown;
  // A notebook that is none after all.
  if (text === undefined && blocks.length === 0 && note === undefined) return plain(bytes, args, context);
  const made = text === undefined || text === ""
    ? { lines: [], start: 1, total: 0, undecodable: false }
    : page(text, args, context);
  const first = made.start === 1;
  const away = first || blocks.length === 0 ? "" : `[images: ${blocks.length}, with the first page]`;
  const head = [note, away].filter((line) => line).join("\n");
  return { ...made, ...(head !== "" && { head }), ...(first && { blocks }) };
}
