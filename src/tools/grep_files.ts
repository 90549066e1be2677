/** Searches the contents of files by regular expression. */
import { defineTool, type Output } from "../core/tool.ts";
import { treeTraits } from "./path_traits.ts";
import type { Match, Searched } from "./search/grep.ts";

export interface GrepArgs {
  pattern: string;
  path?: string;
  /** A glob, or several. */
  glob?: string | string[];
  type?: string;
  output?: "content" | "files" | "count";
  before?: number;
  after?: number;
  ignore_case?: boolean;
  multiline?: boolean;
  limit?: number;
  offset?: number;
  /** Default true. */
  numbers?: boolean;
  /** The name of ignore files that count besides ripgrep's. */
  ignore_file?: string;
}

export const grepFiles = defineTool<GrepArgs, Searched>({
  name: "grep_files",
  toolsets: ["lean"],
  aliases: ["grep", "rg", "search"],
  input: (z) =>
    z.strictObject({
      pattern: z.string().min(1).max(20_000).describe("a regular expression, as ripgrep reads it"),
      path: z.string().min(1).optional().describe(
        "file or folder to search; the working folder where absent",
      ),
      glob: z.union([z.string().min(1), z.array(z.string().min(1)).max(100)]).optional().describe(
        "only files whose path ends so: *.ts, src/**/*.md; with ! in front: not those",
      ),
      type: z.string().min(1).optional().describe("only files of a type that ripgrep knows: js, py, rust"),
      output: z.enum(["content", "files", "count"]).optional().describe(
        "files: the paths, newest first (default); content: lines with numbers, by path; count: matching lines of each file",
      ),
      before: z.int().min(0).max(1000).optional().describe("lines before each match"),
      after: z.int().min(0).max(1000).optional().describe("lines after each match"),
      ignore_case: z.boolean().optional(),
      multiline: z.boolean().optional().describe("the pattern may go over several lines"),
      limit: z.int().min(1).max(10_000).optional().describe("rows shown; default 250"),
      offset: z.int().min(0).optional().describe("rows passed over first"),
      numbers: z.boolean().optional().describe("numbers of lines; default true"),
      ignore_file: z.string().min(1).optional().describe("also leave out what files of this name list"),
    }),
  traits: ({ path = "." }, place) => treeTraits(place, path),
  limit: { chars: 30_000, keep: "head" },
  async run(args, context) {
    const { grep } = await import("./search/grep.ts");
    return await grep(args, context);
  },
  present: (found, { numbers = true }) => grepText(found, (row) => rowText(row, numbers)),
});

/** As grep prints a row: a match between colons, a line around one between dashes. */
export function rowText({ path, line, isMatch, text }: Match, numbers: boolean): string {
  const mark = isMatch ? ":" : "-";
  return `${path}${mark}${numbers ? `${line}${mark}` : ""}${text}`;
}

/** Rows, one a line, under a first line and with what there is to say below; each family has its own for both. */
export function grepText(found: Searched, rowText: (row: Match) => string, first = headOf(found)): Output {
  const lines = found.output === "content"
    ? contentLines(found, rowText)
    : found.output === "files"
    ? found.files.map(({ path }) => path)
    : found.files.map(({ path, count }) => `${path}:${count}`);
  const head = lines.length === 0 || first === "" ? [] : [first];
  return { content: [...head, ...lines, ...found.notes].join("\n") };
}

/** Groups that don't touch have a line between them, as grep prints it. */
export function contentLines({ rows, hasContext }: Searched, rowText: (row: Match) => string): string[] {
  const lines: string[] = [];
  let last: Match | undefined;
  for (const row of rows) {
    if (hasContext && last && (last.path !== row.path || last.line + 1 < row.line)) lines.push("--");
    lines.push(rowText(row));
    last = row;
  }
  return lines;
}

function headOf({ output, totalMatches, totalFiles }: Searched): string {
  const files = totalFiles === 1 ? "1 file" : `${totalFiles} files`;
  if (output === "files") return `Found ${files}`;
  return `Found ${totalMatches} ${totalMatches === 1 ? "line" : "lines"} in ${files}`;
}
