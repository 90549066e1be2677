/** Reads all files that patterns mean, each by the path that reading one takes. */
import type * as zod from "zod";
import { quote } from "../core/errors.ts";
import { dirname, inside } from "../core/paths.ts";
import { textOf } from "../core/result.ts";
import { type Context, defineTool, type Output, type Place, type Zod } from "../core/tool.ts";
import type { Page } from "./read/pager.ts";
import { readFile } from "./read_file.ts";
import type { Found, FoundFile } from "./read_many/find.ts";
import { shareOf } from "./read_many/share.ts";
import { around, files, type Fitted, Sheet } from "./read_many/sheet.ts";
import { startOf } from "./read_many/start.ts";

export interface ReadManyArgs {
  include: string[];
  exclude?: string[];
  recursive?: boolean;
  useDefaultExcludes?: boolean;
  file_filtering_options?: { respect_git_ignore?: boolean; respect_gemini_ignore?: boolean };
}

/** The canonical parameters are the ones that models were trained on. */
export function readManyInput(z: Zod): zod.ZodType<ReadManyArgs> {
  const patterns = () => z.array(z.string().min(1).max(4096));
  return z.strictObject({
    include: patterns().min(1).max(100).describe(
      "globs, files or folders, relative to the working folder or absolute",
    ),
    exclude: patterns().max(100).optional().describe(
      "globs of what to leave out; without a slash, a name anywhere",
    ),
    recursive: z.boolean().optional().describe("search folders below; default true"),
    useDefaultExcludes: z.boolean().optional().describe(
      "leave out node_modules, .git, build folders, lock files, archives and the like; default true",
    ),
    file_filtering_options: z.strictObject({
      respect_git_ignore: z.boolean().optional().describe("default true"),
      respect_gemini_ignore: z.boolean().optional().describe("default true"),
    }).optional(),
  });
}

const UNASKED = "an image or document: shown where a pattern has its name or ending";
/** Bytes of a file whose lines are counted beyond what is shown. */
const COUNTED = 16 * 1024 * 1024;
/** Files that are opened in one call, whatever comes of them. */
const MOST_OPENED = 1000;

export const readManyFiles = defineTool<ReadManyArgs, Output>({
  name: "read_many_files",
  input: readManyInput,
  traits({ include, exclude = [] }, place) {
    for (const pattern of exclude) startOf(pattern, place);
    const folders = [...new Set(include.map((pattern) => baseOf(pattern, place)))];
    return {
      effect: "read",
      keys: folders.map((folder) => `tree:${folder}`),
      subjects: folders.map((value) => ({ kind: "path", value, access: "read" })),
    };
  },
  limit: { chars: 30_000, keep: "head" },
  async run(args, context) {
    const { find } = await import("./read_many/find.ts");
    const found = await find(args, context);
    const sheet = new Sheet(context.gate.limit);
    const wants = found.files.map(wantOf);
    let opened = 0;
    for (const [index, file] of found.files.entries()) {
      context.signal.throwIfAborted();
      if (sheet.full || opened >= MOST_OPENED) sheet.leave(file.shown);
      else if (file.media && !file.named) sheet.skip(file.shown, UNASKED);
      else if (file.kind === "directory") sheet.skip(file.shown, "a link to a folder, which is not followed");
      else {
        opened++;
        await readInto(sheet, file, shareOf(sheet.room, wants, index), context);
      }
    }
    const warnings = unreadable(found);
    return found.files.length === 0 ? nothing(args, found, warnings) : sheet.end(warnings);
  },
});

/**
 * What permission looks at before anything is searched: the folder that a pattern starts in. Each file is asked for by
 * itself later, so a named one inside the working folder stands for its folder, and one that is forbidden is left out.
 */
function baseOf(pattern: string, place: Place): string {
  const { folder, glob } = startOf(pattern, place);
  const value = place.identify(folder);
  return glob === "" && inside(place.identify("."), value) ? dirname(value) : value;
}

/** About how much room a file would take, as far as its size tells. */
function wantOf({ shown, size, kind, media, named }: FoundFile): number {
  // Of an image or a document most is no text.
  return kind !== "file" || media && !named ? 0 : around(shown) + (media ? 0 : size);
}

async function readInto(sheet: Sheet, file: FoundFile, share: number, context: Context): Promise<void> {
  const { path, shown, size } = file;
  let page: Page | undefined;
  let fits: Fitted | undefined;
  const present = (data: unknown) => {
    page = data as Page;
    fits = sheet.fit(page, shown, share);
    return fits.output;
  };
  // The absolute path: a relative one might begin with "~".
  const args = { path, ...(size > COUNTED && { mode: "head" }) };
  const { status, content } = await context.run(readFile, args, present);
  context.signal.throwIfAborted();
  if (status === "error") return sheet.fail(shown, textOf(content));
  // What has no text is no file to read here, but for an empty one.
  if (page?.note !== undefined && size > 0) return sheet.skip(shown, page.note);
  if (page?.blocks?.length && page.lines.length === 0 && !file.named) return sheet.skip(shown, UNASKED);
  if (fits?.part === "none") return sheet.leave(shown);
  sheet.add(shown, content);
  if (fits?.part === "some") sheet.full = true;
}

function unreadable({ unreadable }: Found): string[] {
  if (unreadable.length === 0) return [];
  const named = unreadable.slice(0, 3).map(quote).join(", ");
  return [
    `Folders that could not be listed: ${unreadable.length} (${named}${unreadable.length > 3 ? ", …" : ""})`,
  ];
}

/** Nothing to read is an answer, and no error; it tells what may have hidden something. */
function nothing({ include }: ReadManyArgs, found: Found, warnings: readonly string[]): Output {
  const { leftOut, closed, filters } = found;
  const patterns = include.slice(0, 10).map(quote).join(", ");
  const lines = [`No files to read: nothing matched ${patterns}${include.length > 10 ? ", …" : ""}`];
  for (const [filter, count] of leftOut) {
    lines.push(`${files(count)} that matched ${count === 1 ? "was" : "were"} left out by ${filter}`);
  }
  if (closed > 0) {
    lines.push(`${closed} ${closed === 1 ? "folder was" : "folders were"} not entered by default`);
  }
  if (filters.length > 0) lines.push(`Filters in force: ${filters.join(", ")}`);
  return { content: [...lines, ...warnings].join("\n") };
}
