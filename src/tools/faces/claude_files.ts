/** Claude's faces of the file tools. */
import { type AnyFace, defineFace } from "../../core/face.ts";
import { type Edit, type EditArgs, type EditData, editFile } from "../edit_file.ts";
import type { Picture } from "../read/image.ts";
import type { Page } from "../read/pager.ts";
import { type ReadArgs, readFile } from "../read_file.ts";
import { type ViewArgs, viewImage } from "../view_image.ts";
import { type WriteArgs, type WriteData, writeFile } from "../write_file.ts";
import { FAMILY, given, hidden } from "./claude_shared.ts";

const read = defineFace(readFile, {
  ...FAMILY,
  name: "Read",
  input: (z) =>
    z.strictObject({
      file_path: z.string().min(1).describe("The absolute path to the file to read"),
      offset: z.int().min(1).optional().describe("The line number to start reading from, from 1"),
      limit: z.int().min(1).optional().describe("The number of lines to read"),
    }),
  toCanonical: ({ file_path, ...rest }): ReadArgs => ({ path: file_path, ...rest }),
  hooks: {
    view: ({ path, offset, limit }, place) => ({
      name: "Read",
      input: given({ file_path: place.resolve(path), offset, limit }),
    }),
    rewrite: ({ file_path, ...rest }, before) =>
      given({ ...hidden(before, ["path", "offset", "limit"]), ...rest, path: file_path }),
    response: (data, { path }, place) => {
      const { lines, start, total, blocks = [] } = data as Page;
      const image = blocks.find((block) => block.type === "image");
      if (image && lines.length === 0) {
        return { type: "image", file: { base64: image.data, type: image.mediaType } };
      }
      const file = {
        filePath: place.resolve(path),
        content: lines.join("\n"),
        numLines: lines.length,
        startLine: start,
        totalLines: total,
      };
      return { type: "text", file };
    },
  },
});

/** Claude looks at images by Read, so that is what hooks see of it. */
const view = defineFace<ViewArgs, ViewArgs, Picture>(viewImage, {
  family: "claude",
  toolsets: [],
  name: "ViewImage",
  input: (z) => z.strictObject({ path: z.string().min(1).describe("The absolute path to the image file") }),
  toCanonical: ({ path }) => ({ path }),
  hooks: {
    alsoMatches: ["Read"],
    view: ({ path }, place) => ({ name: "Read", input: { file_path: place.resolve(path) } }),
    rewrite: ({ file_path, ...rest }) => ({ ...rest, path: file_path }),
    response: (data, { path }, place) => {
      const { block } = data as Picture;
      return { type: "image", file: { filePath: place.resolve(path), type: block.mediaType } };
    },
  },
});

const write = defineFace(writeFile, {
  ...FAMILY,
  name: "Write",
  input: (z) =>
    z.strictObject({
      file_path: z.string().min(1).describe("The absolute path to the file to write"),
      content: z.string().describe("The content to write to the file"),
    }),
  toCanonical: ({ file_path, content }): WriteArgs => ({ path: file_path, content }),
  hooks: {
    view: ({ path, content }, place) => ({
      name: "Write",
      input: { file_path: place.resolve(path), content },
    }),
    rewrite: ({ file_path, ...rest }, before) =>
      given({ ...hidden(before, ["path", "content"]), ...rest, path: file_path }),
    response: (data, { path, content }, place) => {
      const { written } = data as WriteData;
      return { type: written.created ? "create" : "update", filePath: place.resolve(path), content };
    },
  },
});

const edit: AnyFace = defineFace(editFile, {
  ...FAMILY,
  name: "Edit",
  input: (z) =>
    z.strictObject({
      file_path: z.string().min(1).describe("The absolute path to the file to modify"),
      old_string: z.string().describe("The text to replace"),
      new_string: z.string().describe("The text to replace it with (must be different from old_string)"),
      replace_all: z.boolean().optional().describe("Replace all occurrences of old_string (default false)"),
      expected_replacements: z.int().min(1).optional().describe(
        "How many occurrences there must be (default 1)",
      ),
    }),
  toCanonical: ({ file_path, ...one }): EditArgs => ({ path: file_path, edits: [one as Edit] }),
  hooks: {
    alsoMatches: ["Edit"],
    // Several edits are Claude's MultiEdit; a single one is Edit.
    view({ path, edits }, place) {
      const file_path = place.resolve(path);
      const shown = edits.map(({ old_string, new_string, replace_all }) =>
        given({ old_string, new_string, replace_all })
      );
      return shown.length === 1
        ? { name: edit.name, input: { file_path, ...shown[0] } }
        : { name: multiEdit.name, input: { file_path, edits: shown } };
    },
    rewrite({ file_path, edits, ...one }, before) {
      const kept = (index: number) => {
        const count = before.edits[index]?.expected_replacements;
        return count === undefined ? {} : { expected_replacements: count };
      };
      const list = Array.isArray(edits)
        ? edits.map((item, index) => ({ ...kept(index), ...item }))
        : [{ ...kept(0), ...one }];
      return given({ ...hidden(before, ["path", "edits"]), path: file_path, edits: list });
    },
    response: (data, { path, edits }, place) => {
      const { replaced } = data as EditData;
      const filePath = place.resolve(path);
      const shown = edits.map(({ old_string, new_string, replace_all = false }) => ({
        oldString: old_string,
        newString: new_string,
        replaceAll: replace_all,
      }));
      return edits.length === 1 ? { filePath, ...shown[0], replaced } : { filePath, edits: shown, replaced };
    },
  },
});

const multiEdit: AnyFace = defineFace(editFile, {
  family: "claude",
  toolsets: [],
  name: "MultiEdit",
  input: (z) =>
    z.strictObject({
      file_path: z.string().min(1).describe("The absolute path to the file to modify"),
      edits: z.array(z.strictObject({
        old_string: z.string().describe("The text to replace"),
        new_string: z.string().describe("The text to replace it with"),
        replace_all: z.boolean().optional().describe("Replace all occurrences of old_string (default false)"),
      })).min(1).describe(
        "Edits in the order in which they are applied, each to the result of the one before",
      ),
    }),
  toCanonical: ({ file_path, edits }): EditArgs => ({ path: file_path, edits: edits as Edit[] }),
});

export const FILE_FACES: readonly AnyFace[] = [read, view, write, edit, multiEdit];
