/** Reads a file: text in pages of lines, and what else can be shown (images, PDFs, notebooks). */
import { type Encoding, nameOf, UTF8 } from "../core/encoding.ts";
import { AgentError, quote } from "../core/errors.ts";
import { sha256Stream } from "../core/hash.ts";
import { escaped } from "../core/look_alike.ts";
import { basename } from "../core/paths.ts";
import { exists } from "../core/upkeep.ts";
import { decodeText, isBinary } from "../core/text.ts";
import { TextStream } from "../core/text_stream.ts";
import { type Context, defineTool } from "../core/tool.ts";
import { withMissingHint } from "./missing.ts";
import { judgedPath, readTraits } from "./path_traits.ts";
import { type BlockOptions, pageOfBlock } from "./read/indentation.ts";
import {
  NOTES_CHARS,
  notice,
  type Page,
  PAGE_LINES,
  type PageGate,
  Pager,
  presentPage,
} from "./read/pager.ts";
import { readRich, richKind } from "./read/rich.ts";

export interface ReadArgs {
  path: string;
  offset?: number;
  limit?: number;
  mode?: "slice" | "head" | "indentation";
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
      mode: z.enum(["slice", "head", "indentation"]).optional().describe(
        "slice: lines in a row (default); head: the same, and a large file is not read beyond them; " +
          "indentation: the block around a line",
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
    const full = judgedPath(context.traits);
    const page = withMissingHint(path, context, () => read(args, full, context));
    // A name that differs is a link's, or only looks the same.
    if (path.endsWith(basename(full)) || exists(context.resolve(path))) return page;
    return withHead(page, `[nothing is called ${escaped(path)}; this is ${escaped(full)}]`);
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
  const whole = wantsBlock(args);
  const bytes = context.files.readUpTo(full, whole ? MOST_WHOLE : IN_ONE_PIECE, path);
  if (!(bytes instanceof Uint8Array)) {
    const { size } = bytes;
    if (!whole) return inPieces(args, full, size, context);
    throw new AgentError(
      `Cannot read ${quote(path)} by indentation: ${size} bytes are too many`,
      "use mode=slice with an offset",
    );
  }
  const kind = richKind(bytes, path);
  if (!kind) return seen(plain(bytes, args, context), full, bytes, context);
  return rich(kind, bytes, args, context).then((page) => seen(page, full, bytes, context));
}

/** Only what was shown counts: a page past the end is an error. */
function seen(
  page: Page,
  full: string,
  content: Parameters<Context["reads"]["saw"]>[1],
  { reads }: Context,
): Page {
  if (page.start <= Math.max(page.total, 1)) reads.saw(full, content);
  return page;
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
    return { ...pageOfBlock(text, args, gateOf(context)), ...said(encoding) };
  }
  const pager = pagerFor(args, context);
  pager.push(text);
  return finished(pager, args, encoding);
}

function pagerFor({ offset = 1, limit = PAGE_LINES }: ReadArgs, context: Context): Pager {
  return new Pager(offset, Math.min(limit, PAGE_LINES), gateOf(context));
}

function gateOf({ gate }: Context): PageGate {
  return { room: gate.limit - NOTES_CHARS, clean: (text) => gate.redaction().push(text) };
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
  let taken = 0;
  for (const chunk of context.files.chunks(full, path)) {
    if (!text) {
      const kind = richKind(chunk, path);
      if (kind && size <= MOST_WHOLE) {
        const bytes = context.files.read(full, path);
        return rich(kind, bytes, args, context).then((page) => seen(page, full, bytes, context));
      }
      if (isBinary(chunk)) {
        // That it is binary is all there is to see of it.
        context.reads.saw(full, { sha256: context.files.snapshot(full, { shown: path })!.sha256 });
        return binary(size);
      }
      text = new TextStream(chunk);
    }
    hash.update(chunk);
    pager.push(text.push(chunk));
    taken += chunk.length;
    // What was not read to its end counts as unseen.
    if (args.mode === "head" && pager.done && taken < size) {
      // Whatever follows is a line at least, or the rest of one.
      const total = pager.total + 1;
      const page = finished(pager, args, { ...text.encoding, damaged: text.damaged });
      return { ...page, total, more: true };
    }
  }
  pager.push(text?.end() ?? "");
  const encoding = text?.encoding ?? UTF8;
  const page = finished(pager, args, { ...encoding, damaged: text?.damaged ?? false });
  return seen(page, full, { sha256: hash.digest("hex") }, context);
}

/** What isn't text is shown as text, images or both; its text has pages like any other. */
async function rich(
  kind: NonNullable<ReturnType<typeof richKind>>,
  bytes: Uint8Array,
  args: ReadArgs,
  context: Context,
): Promise<Page> {
  const shown = await readRich(kind, bytes, args.path, context.signal);
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
