/** Shows one image file. */
import { AgentError, quote } from "../core/errors.ts";
import { escaped } from "../core/look_alike.ts";
import { defineTool } from "../core/tool.ts";
import { basename } from "../core/paths.ts";
import { exists } from "../core/upkeep.ts";
import { withMissingHint } from "./missing.ts";
import { judgedPath, readTraits } from "./path_traits.ts";
import type { Picture } from "./read/image.ts";

export interface ViewArgs {
  path: string;
}

/** Bytes of a file that is opened as an image at all. */
const MOST_BYTES = 64 * 1024 * 1024;

export const viewImage = defineTool<ViewArgs, Picture>({
  name: "view_image",
  input: (z) =>
    z.strictObject({
      path: z.string().min(1).describe("absolute, relative to the working folder, or ~/…"),
    }),
  traits: ({ path }, place) => readTraits(place, path),
  async run({ path }, { cwd, resolve, traits, files, reads }) {
    const full = judgedPath(traits);
    const bytes = withMissingHint(path, { cwd, resolve }, () => files.readUpTo(full, MOST_BYTES, path));
    if (!(bytes instanceof Uint8Array)) {
      const { size } = bytes;
      throw new AgentError(
        `Cannot show ${quote(path)}: ${size} bytes are too many`,
        "make a smaller copy and view that",
      );
    }
    reads.saw(full, bytes);
    const { picture } = await import("./read/image.ts");
    const shown = await picture(bytes, path);
    // Nothing has the name that was written, and this file's looks the same.
    return path.endsWith(basename(full)) || exists(resolve(path))
      ? shown
      : { ...shown, note: `${shown.note}\n[the file is ${escaped(full)}]` };
  },
  present: ({ block, note }) => ({ content: [{ type: "text", text: note }, block] }),
});
