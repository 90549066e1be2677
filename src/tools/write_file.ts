/** Writes a whole file. */
import { AgentError, quote } from "../core/errors.ts";
import { isRow } from "../core/bytes.ts";
import type { Snapshot, Written } from "../core/files.ts";
import { type Context, defineTool } from "../core/tool.ts";
import { needHash } from "../core/snapshot.ts";
import { judgedPath, pathTraits } from "./path_traits.ts";
import {
  hashesOf,
  inTheFormOf,
  needFile,
  notesOf,
  refuseFolderName,
  refuseUnwritable,
  SHA256,
} from "./writing.ts";

export interface WriteArgs {
  path: string;
  content: string;
  expected_sha256?: string;
  overwrite?: boolean;
  create_only?: boolean;
}

export interface WriteData {
  written: Written;
  notes: string[];
}

export const writeFile = defineTool<WriteArgs, WriteData>({
  name: "write_file",
  toolsets: ["lean"],
  aliases: ["create_file", "save_file"],
  input: (z) =>
    z.strictObject({
      path: z.string().min(1).describe("absolute, relative to the working folder, or ~/…"),
      content: z.string().describe("the whole new text"),
      expected_sha256: z.string().regex(SHA256).optional()
        .describe("hash of the content that is to be replaced; its first 8 digits will do"),
      overwrite: z.boolean().optional()
        .describe("replace a file that was not read, or that changed since"),
      create_only: z.boolean().optional().describe("refuse where a file exists"),
    }),
  traits: ({ path }, place) => pathTraits(place, path, "write", "write"),
  run: write,
  present({ written, notes }, { path, content }) {
    const lines = content === "" ? 0 : content.split("\n").length - (content.endsWith("\n") ? 1 : 0);
    const size = `${lines} ${lines === 1 ? "line" : "lines"}`;
    const { created, oldSha256, newSha256 } = written;
    const head = `${created ? "Created" : "Replaced"} ${quote(path)} (${size}, ${hashesOf(written)})`;
    return { content: [head, ...notes].join("; "), structured: { created, oldSha256, newSha256 } };
  },
});

function write(args: WriteArgs, context: Context): WriteData {
  const { path, content, create_only, expected_sha256 } = args;
  refuseFolderName("write", path);
  refuseUnwritable("write", path, [content]);
  const full = judgedPath(context.traits);
  const before = context.files.snapshot(full, { shown: path });
  if (before) needFile("write", path, before);
  if (before && create_only) throw new AgentError(`Cannot create ${quote(path)}: it already exists`);
  if (expected_sha256 !== undefined) needHash("write", path, before, expected_sha256);
  const { pieces, notes, encoding } = inTheFormOf(before?.bytes, "write", path, content);
  if (before) heedUnseen(args, context, full, before, pieces);
  const [written] = context.files.commit([{ path: full, shown: path, before, after: pieces }]);
  context.reads.saw(full, { sha256: written!.newSha256! });
  return { written: written!, notes: [...notes, ...notesOf(written!, encoding)] };
}

/**
 * What this session has not seen is not written over unseen. A person means what they type; an empty file, and one
 * that would not change, lose nothing.
 */
function heedUnseen(
  { path, overwrite, expected_sha256 }: WriteArgs,
  context: Context,
  full: string,
  before: Snapshot,
  pieces: readonly Uint8Array[],
): void {
  if (overwrite || expected_sha256 !== undefined || context.person || before.info.size === 0) return;
  const seen = context.reads.compare(full, () => before.sha256);
  if (seen === "same" || isRow(pieces, before.bytes)) return;
  const why = seen === "changed"
    ? "it changed since it was read"
    : "it exists, and was not read in this session";
  throw new AgentError(
    `Cannot write ${quote(path)}: ${why}`,
    `read it ${seen === "changed" ? "again" : "first"}, so that nothing is lost unseen`,
  );
}
