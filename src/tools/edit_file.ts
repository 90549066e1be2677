/** Replaces exact text in a file: one place, all places, or a stated number of them; several edits in order. */
import { isRow } from "../core/bytes.ts";
import { AgentError, quote } from "../core/errors.ts";
import type { Written } from "../core/files.ts";
import { ChangedError, needHash } from "../core/snapshot.ts";
import type { Seen } from "../core/reads.ts";
import { FileText } from "../core/file_text.ts";
import { type Context, defineTool } from "../core/tool.ts";
import { applyEdits, type Edit, type Edited } from "./edit/apply.ts";
import { snippetOf } from "./edit/snippet.ts";
import { missingHint } from "./missing.ts";
import { judgedPath, pathTraits } from "./path_traits.ts";
import {
  hashesOf,
  needFile,
  needText,
  notesOf,
  refuseFolderName,
  refuseUnwritable,
  SHA256,
} from "./writing.ts";

export type { Edit };

export interface EditArgs {
  path: string;
  edits: Edit[];
  expected_sha256?: string;
}

export interface EditData {
  written: Written;
  replaced: number;
  /** The first changed line, and the text around it as it is now. */
  line: number;
  snippet: string;
  notes: string[];
}

export const editFile = defineTool<EditArgs, EditData>({
  name: "edit_file",
  toolsets: ["lean"],
  covers: "write",
  aliases: ["str_replace", "str_replace_editor"],
  input: (z) =>
    z.strictObject({
      path: z.string().min(1).describe("absolute, relative to the working folder, or ~/…"),
      edits: z.array(z.strictObject({
        old_string: z.string().describe("the exact text to replace; empty creates the file"),
        new_string: z.string().describe("what stands in its place, taken literally"),
        replace_all: z.boolean().optional().describe("replace every place"),
        expected_replacements: z.int().min(1).optional().describe("how many places there must be"),
      })).min(1).describe("applied in order, each to the result of the one before; all or nothing"),
      expected_sha256: z.string().regex(SHA256).optional()
        .describe("hash of the content that the edits were made for; its first 8 digits will do"),
    }),
  // A failed edit shows the nearest place, so an edit is a reading too.
  traits: ({ path }, place) => pathTraits(place, path, "write", "write", "read"),
  run: editNow,
  present({ written, replaced, line, snippet, notes }, { path }) {
    const places = `${replaced} ${replaced === 1 ? "place" : "places"}, first in line ${line}`;
    const head = written.created
      ? `Created ${quote(path)} (${hashesOf(written)})`
      : `Edited ${quote(path)}: ${places} (${hashesOf(written)})`;
    const { oldSha256, newSha256 } = written;
    return {
      content: [[head, ...notes].join("; "), ...(snippet === "" ? [] : [snippet])].join("\n"),
      structured: { replaced, oldSha256, newSha256 },
    };
  },
});

/** Another process that changes the file at the same moment is let go first, and the edit made on what it wrote. */
function editNow(args: EditArgs, context: Context): EditData {
  for (let attempt = 1;; attempt++) {
    try {
      return edit(args, context);
    } catch (error) {
      if (!(error instanceof ChangedError) || attempt === MOST_ATTEMPTS) throw error;
    }
  }
}

const MOST_ATTEMPTS = 5;

function edit({ path, edits, expected_sha256 }: EditArgs, context: Context): EditData {
  refuseFolderName("edit", path);
  refuseUnwritable("edit", path, edits.map((one) => one.new_string));
  const full = judgedPath(context.traits);
  const before = context.files.snapshot(full, { shown: path });
  if (before) {
    needFile("edit", path, before);
    needText("edit", path, before);
  }
  if (!before && edits[0]!.old_string !== "") {
    const hint = [missingHint(path, context) ?? [], "an empty old_string creates it"].flat().join("; ");
    throw new AgentError(`Cannot edit ${quote(path)}: no such file`, hint);
  }
  if (expected_sha256 !== undefined) needHash("edit", path, before, expected_sha256);
  const file = new FileText(before?.bytes ?? new Uint8Array());
  // Asked after the commit, which knows the old hash anyway.
  const compared = () => before ? context.reads.compare(full, () => before.sha256) : "same";
  const edited = applied(path, file, edits, compared);
  if (before && isRow(edited.pieces, file.bytes)) {
    throw new AgentError(`Cannot edit ${quote(path)}: the new text is the same as the old`);
  }
  const [written] = context.files.commit([{ path: full, shown: path, before, after: edited.pieces }]);
  const seen = compared();
  // What else is in a file that changed, or was never read, is still unseen.
  if (seen === "same") context.reads.saw(full, { sha256: written!.newSha256! });
  const notes = notesOf(written!, file.encoding);
  if (seen === "changed") notes.unshift("the file had changed since it was read");
  return { written: written!, replaced: edited.replaced, ...snippetOf(file, edited), notes };
}

/** A miss in a file that changed meanwhile is most likely a stale copy of the text. */
function applied(path: string, file: FileText, edits: readonly Edit[], compared: () => Seen): Edited {
  try {
    return applyEdits(path, file, edits);
  } catch (error) {
    if (!(error instanceof AgentError) || compared() !== "changed") throw error;
    throw new AgentError(
      error.message,
      `the file changed since it was read${error.hint ? `; ${error.hint}` : ""}`,
    );
  }
}
