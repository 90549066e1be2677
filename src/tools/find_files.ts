/** Finds files by their names. */
import { quote } from "../core/errors.ts";
import { defineTool, type Output } from "../core/tool.ts";
import { treeTraits } from "./path_traits.ts";
import type { FoundFiles } from "./search/find.ts";

export interface FindArgs {
  pattern: string;
  path?: string;
  limit?: number;
  offset?: number;
  ignore_case?: boolean;
  with_ignored?: boolean;
  /** The name of ignore files that count besides ripgrep's. */
  ignore_file?: string;
}

export const findFiles = defineTool<FindArgs, FoundFiles>({
  name: "find_files",
  aliases: ["find", "glob"],
  input: (z) =>
    z.strictObject({
      pattern: z.string().min(1).max(4096).describe(
        "a glob relative to path, such as **/*.ts; * goes within a folder, ** over several",
      ),
      path: z.string().min(1).optional().describe("the folder to search; the working folder where absent"),
      limit: z.int().min(1).max(10_000).optional().describe("paths shown; default 100"),
      offset: z.int().min(0).optional().describe("paths passed over first"),
      ignore_case: z.boolean().optional(),
      with_ignored: z.boolean().optional().describe("also what .gitignore and the like leave out"),
      ignore_file: z.string().min(1).optional().describe("also leave out what files of this name list"),
    }),
  traits: ({ path = "." }, place) => treeTraits(place, path),
  limit: { chars: 30_000, keep: "head" },
  async run(args, context) {
    const { find } = await import("./search/find.ts");
    return await find(args, context);
  },
  present: (found) =>
    foundText(found, (total) => `Found ${total === 1 ? "1 file" : `${total} files`}, newest first`),
});

/** Paths, one a line, under a line of the family's. */
export function foundText(found: FoundFiles, head: (total: number) => string): Output {
  const { files, total, pattern, written, notes } = found;
  const first = total === 0 ? `No files found for ${quote(pattern)} in ${quote(written)}` : head(total);
  return { content: [...first === "" ? [] : [first], ...files, ...notes].join("\n") };
}
