/** Lists what is in a folder. */
import { defineTool } from "../core/tool.ts";
import { treeTraits } from "./path_traits.ts";
import type { Listing } from "./search/listing.ts";

export interface ListArgs {
  path?: string;
  depth?: number;
  offset?: number;
  limit?: number;
  ignore?: string[];
  without_ignored?: boolean;
  /** The name of ignore files that count besides. */
  ignore_file?: string;
}

export const listDir = defineTool<ListArgs, Listing>({
  name: "list_dir",
  aliases: ["ls", "dir", "tree"],
  input: (z) =>
    z.strictObject({
      path: z.string().min(1).optional().describe("the folder; the working folder where absent"),
      depth: z.int().min(1).max(100).optional().describe("levels below it that are shown; default 2"),
      offset: z.int().min(1).optional().describe("number of the first entry, from 1"),
      limit: z.int().min(1).max(10_000).optional().describe("entries shown; default 200"),
      ignore: z.array(z.string().min(1)).max(100).optional().describe("globs of names or paths to leave out"),
      without_ignored: z.boolean().optional().describe("leave out what .gitignore leaves out"),
      ignore_file: z.string().min(1).optional().describe("also leave out what files of this name list"),
    }),
  traits: ({ path = "." }, place) => treeTraits(place, path),
  limit: { chars: 30_000, keep: "head" },
  async run(args, context) {
    const { list } = await import("./search/listing.ts");
    return await list(args, context);
  },
  present: (listing) => ({
    content: [
      `Absolute path: ${listing.path}`,
      ...listing.entries.map(({ name, level, kind }) => `${"  ".repeat(level)}${name}${SUFFIX[kind] ?? "?"}`),
      ...listing.next === undefined
        ? []
        : [`More entries available. Use offset=${listing.next} to continue.`],
      ...listing.notes,
    ].join("\n"),
  }),
});

/** What is no plain file is marked: folders, links, and whatever else. */
const SUFFIX: Readonly<Record<string, string>> = { file: "", directory: "/", symlink: "@" };
