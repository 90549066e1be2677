/** Applies a patch to any number of files: all of it, or nothing. */
import { AgentError, quote } from "../core/errors.ts";
import { basename, dirname, join, resolvePath } from "../core/paths.ts";
import { type Context, defineTool, type Place } from "../core/tool.ts";
import { pathKeys } from "./path_traits.ts";
import { parsePatch } from "./patch/parse.ts";
import { type FileChange, planPatch, type Told } from "./patch/plan.ts";
import { refuseFolderName, refuseUnwritable } from "./writing.ts";

export interface PatchArgs {
  input: string;
  /** The folder that the patch's paths are relative to. */
  workdir?: string;
}

export interface PatchData {
  told: Told[];
  /** By full path. */
  hashes: { path: string; oldSha256?: string; newSha256?: string }[];
  notes: string[];
}

export const applyPatch = defineTool<PatchArgs, PatchData>({
  name: "apply_patch",
  toolsets: ["lean"],
  aliases: ["patch"],
  input: (z) =>
    z.strictObject({
      input: z.string().min(1).describe("the whole patch, from *** Begin Patch to *** End Patch"),
      workdir: z.string().min(1).optional().describe(
        "the folder that its paths are relative to; the working folder where absent",
      ),
    }),
  traits({ input, workdir }, place) {
    const identify = identifier(place, workdir);
    const read = new Set<string>(), written = new Set<string>();
    for (const hunk of parsePatch(input)) {
      const path = identify(hunk.path);
      written.add(path);
      // What goes is the name itself, also where it is a link.
      const goes = hunk.kind === "delete" || (hunk.kind === "update" && hunk.moveTo !== undefined);
      if (goes) written.add(join(identify(dirname(hunk.path)), basename(hunk.path)));
      if (hunk.kind !== "update") continue;
      // Whether its lines are found tells what a file holds, and a move carries it elsewhere.
      read.add(path);
      if (hunk.moveTo !== undefined) written.add(identify(hunk.moveTo));
    }
    return {
      effect: "write",
      keys: [...written].flatMap(pathKeys),
      subjects: [
        ...[...written].map((value) => ({ kind: "path", value, access: "write" } as const)),
        ...[...read].map((value) => ({ kind: "path", value, access: "read" } as const)),
      ],
    };
  },
  run({ input, workdir }, context) {
    refuseNoFolder(context, workdir);
    const hunks = parsePatch(input);
    for (const hunk of hunks) {
      const added = hunk.kind === "add"
        ? hunk.lines
        : hunk.kind === "update"
        ? hunk.chunks.flatMap(({ changes }) =>
          changes.filter(({ kind }) => kind === "add").map(({ text }) => text)
        )
        : [];
      refuseFolderName("patch", hunk.path);
      if (hunk.kind === "update" && hunk.moveTo !== undefined) refuseFolderName("move to", hunk.moveTo);
      refuseUnwritable("patch", hunk.path, added);
    }
    const { changes, told } = planPatch(
      hunks,
      identifier(context, workdir),
      (path, shown, itself) => context.files.snapshot(path, { shown, itself }),
    );
    return { told, ...commit(context, changes) };
  },
  present: ({ told, hashes, notes }) => ({
    content: [
      "Success. Updated the following files:",
      ...told.map(({ letter, path, note }) => `${letter} ${path}${note ? ` (${note})` : ""}`),
      ...notes,
    ].join("\n"),
    structured: { files: told, hashes },
  }),
});

/** The real path behind one that stands in the patch. */
function identifier(place: Place, workdir: string | undefined): (path: string) => string {
  if (workdir === undefined) return place.identify;
  const folder = place.resolve(workdir);
  return (path) => place.identify(resolvePath(folder, path));
}

/** A patch makes the folders of its new files, but not the one that it is said to work in. */
function refuseNoFolder({ files, resolve }: Context, workdir: string | undefined): void {
  if (workdir === undefined) return;
  const found = files.info(resolve(workdir));
  if (found?.kind === "directory") return;
  throw new AgentError(
    `Cannot patch in ${quote(workdir)}: ${found ? "it is not a folder" : "no such folder"}`,
  );
}

/** What was seen before stays seen, and what the patch holds whole is seen now. Returns what else is to be told. */
function commit(
  { files, reads }: Context,
  changes: readonly FileChange[],
): Pick<PatchData, "hashes" | "notes"> {
  const written = files.commit(changes);
  const stale: string[] = [];
  for (const [index, { newSha256 }] of written.entries()) {
    const { path, shown, before, whole } = changes[index]!;
    const seen = before ? reads.compare(path, () => before.sha256) : "same";
    if (seen === "changed") stale.push(shown);
    if ((whole || seen === "same") && newSha256 !== undefined) reads.saw(path, { sha256: newSha256 });
  }
  const lost = new Set(written.flatMap((one) => one.lost ?? []));
  const hashes = written.map(({ oldSha256, newSha256 }, index) => ({
    path: changes[index]!.path,
    ...(oldSha256 !== undefined && { oldSha256 }),
    ...(newSha256 !== undefined && { newSha256 }),
  }));
  const notes = [...lost].map((why) => `agent undo can't take this back: ${why}`);
  if (stale.length > 0) notes.unshift(`changed since they were read: ${stale.join(", ")}`);
  return { hashes, notes };
}
