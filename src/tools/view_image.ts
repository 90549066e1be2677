/** Shows one image file. */
import { AgentError, quote } from "../core/errors.ts";
import { escaped } from "../core/look_alike.ts";
import { defineTool } from "../core/tool.ts";
import { readTraits } from "./path_traits.ts";
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
  async run({ path }, { resolve, locate, files }) {
    const full = locate(path);
    const size = files.info(full, path)?.size ?? 0;
    if (size > MOST_BYTES) {
      throw new AgentError(
        `Cannot show ${quote(path)}: ${size} bytes are too many`,
        "make a smaller copy and view that",
      );
    }
    const bytes = files.read(full, path);
    const { picture } = await import("./read/image.ts");
    const shown = await picture(bytes, path);
    // Nothing has the name that was written, and this file's looks the same.
    return full === resolve(path)
      ? shown
      : { ...shown, note: `${shown.note}\n[the file is ${escaped(full)}]` };
  },
  present: ({ block, note }) => ({ content: [{ type: "text", text: note }, block] }),
});
