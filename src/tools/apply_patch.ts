/** Applies a patch to any number of files: all of it, or nothing. */
import { AgentError, messageOf } from "../core/errors.ts";
import type { Files } from "../core/files.ts";
import { type Context, defineTool } from "../core/tool.ts";
import { parsePatch } from "./patch/parse.ts";
import { type FileChange, type Found, type Plan, planPatch } from "./patch/plan.ts";
import { refuseUnwritable } from "./writing.ts";

export interface PatchArgs {
  input: string;
}

export type PatchData = Plan["told"];

export const applyPatch = defineTool<PatchArgs, PatchData>({
  name: "apply_patch",
  toolsets: ["lean"],
  aliases: ["patch"],
  input: (z) =>
    z.strictObject({
      input: z.string().min(1).describe("the whole patch, from *** Begin Patch to *** End Patch"),
    }),
  traits({ input }, place) {
    const paths = parsePatch(input).flatMap((hunk) =>
      hunk.kind === "update" && hunk.moveTo !== undefined ? [hunk.path, hunk.moveTo] : [hunk.path]
    );
    const real = [...new Set(paths.map((path) => place.identify(path)))];
    return {
      effect: "write",
      keys: real.map((path) => `path:${path}`),
      // A patch that finds no place shows what it looked for and not the file, so it isn't a reading.
      subjects: real.map((value) => ({ kind: "path", value, access: "write" })),
    };
  },
  run({ input }, context) {
    const hunks = parsePatch(input);
    for (const hunk of hunks) {
      const added = hunk.kind === "add"
        ? hunk.lines
        : hunk.kind === "update"
        ? hunk.chunks.flatMap(({ changes }) =>
          changes.filter(({ kind }) => kind === "add").map(({ text }) => text)
        )
        : [];
      refuseUnwritable("patch", hunk.path, ...added);
    }
    const { changes, told } = planPatch(hunks, context.identify, (path) => found(context, path));
    commit(context.files, changes);
    return told;
  },
  present: (told) => ({
    content: [
      "Success. Updated the following files:",
      ...told.map(({ letter, path, note }) => `${letter} ${path}${note ? ` (${note})` : ""}`),
    ].join("\n"),
    structured: { files: told },
  }),
});

function found({ files }: Context, path: string): Found | undefined {
  const info = files.info(path);
  return info && { bytes: files.read(path), mode: info.mode & 0o7777 };
}

/** Writes first, removals last. What an error leaves half done is taken back, and the error says if that failed too. */
function commit(files: Files, changes: readonly FileChange[]): void {
  const done: FileChange[] = [];
  const ordered = [...changes.filter(({ after }) => after), ...changes.filter(({ after }) => !after)];
  try {
    for (const change of ordered) {
      put(files, change.path, change.before, change.after);
      done.push(change);
    }
  } catch (error) {
    const standing = takeBack(files, done.reverse());
    if (standing.length === 0) {
      throw new AgentError(`${messageOf(error)}; the patch was taken back, nothing is changed`);
    }
    throw new AgentError(`${messageOf(error)}; these files stay changed: ${standing.join(", ")}`);
  }
}

function takeBack(files: Files, done: readonly FileChange[]): string[] {
  return done.flatMap(({ path, before, after }) => {
    try {
      put(files, path, after, before);
      return [];
    } catch {
      return [path];
    }
  });
}

function put(files: Files, path: string, from: FileChange["after"], to: FileChange["after"]): void {
  if (!to) files.remove(path);
  else files.write(path, to.bytes, { mode: to.mode, createOnly: from === undefined });
}
