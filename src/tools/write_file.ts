/** Writes a whole file. */
import { quote } from "../core/errors.ts";
import { decode, dominantEnd, encode, withEnds } from "../core/text.ts";
import { defineTool } from "../core/tool.ts";
import { pathTraits } from "./path_traits.ts";
import { refuseUnwritable } from "./writing.ts";

export interface WriteArgs {
  path: string;
  content: string;
  expected_sha256?: string;
  create_only?: boolean;
}

export interface WriteData {
  created: boolean;
  oldSha256: string | undefined;
  newSha256: string;
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
      expected_sha256: z.string().regex(/^[0-9a-f]{8,64}$/).optional()
        .describe("hash of the content that is to be replaced; its first 8 digits will do"),
      create_only: z.boolean().optional().describe("refuse where a file exists"),
    }),
  traits: ({ path }, place) => pathTraits(place, path, "write", "write"),
  run(args, context) {
    const { path, content } = args;
    refuseUnwritable("write", path, content);
    const full = context.resolve(path);
    const notes: string[] = [];
    let text = content;
    let mark = false;
    const existing = args.create_only ? undefined : context.files.info(full, path);
    if (existing?.kind === "file") {
      const old = decode(context.files.read(full, path));
      mark = old.mark && !content.startsWith("\uFEFF");
      // New text that has only LF takes the ends that the file has.
      if (
        !old.undecodable && !content.includes("\r") && dominantEnd(old.text) === "\r\n" &&
        content.includes("\n")
      ) {
        text = withEnds(content, "\r\n");
        notes.push("CRLF line ends were kept");
      }
      if (old.undecodable) notes.push("the old content was not UTF-8; the new one is");
    }
    const written = context.files.write(full, encode(text, mark), {
      shown: path,
      ...(args.create_only && { createOnly: true }),
      ...(args.expected_sha256 !== undefined && { expectedSha256: args.expected_sha256 }),
    });
    return { ...written, notes };
  },
  present({ created, oldSha256, newSha256, notes }, { path, content }) {
    const lines = content === "" ? 0 : content.split("\n").length - (content.endsWith("\n") ? 1 : 0);
    const size = `${lines} ${lines === 1 ? "line" : "lines"}`;
    const hashes = oldSha256 === undefined
      ? `sha256 ${newSha256.slice(0, 12)}`
      : `sha256 ${oldSha256.slice(0, 12)} → ${newSha256.slice(0, 12)}`;
    const head = created
      ? `Created ${quote(path)} (${size}, ${hashes})`
      : `Replaced ${quote(path)} (${size}, ${hashes})`;
    return { content: [head, ...notes].join("; "), structured: { created, oldSha256, newSha256 } };
  },
});
