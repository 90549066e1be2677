/** Where a call names a file that isn't there: what the caller may have meant. */
import { AgentError, errorCode, nearest, quote } from "../core/errors.ts";
import { alike, escaped, lookAlike } from "../core/look_alike.ts";
import { basename, dirname, isAbsolute } from "../core/paths.ts";
import { type FileInfo, host } from "../core/runtime.ts";
import type { Place } from "../core/tool.ts";
import { namesIn } from "../core/upkeep.ts";

/** Names of one folder that are compared. */
const MOST_NAMES = 5000;
const MOST_NAMED = 3;

type Here = Pick<Place, "cwd" | "resolve">;

/** What `read` gives; its error with a hint that fits what is there instead, where it has none of its own. */
export function withMissingHint<T>(path: string, here: Here, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof AgentError) || error.hint !== undefined) throw error;
    // Throws where several look like it.
    lookAlike(here.resolve(path));
    throw new AgentError(error.message, missingHint(path, here));
  }
}

/**
 * The next step where `path`, as it was written, is no file: names that are near, the folder that it was taken relative
 * to, or what stands there instead. `undefined` where nothing can be said, or a file is there.
 */
export function missingHint(path: string, { cwd, resolve }: Here): string | undefined {
  const full = resolve(path);
  const found = look(full, host.files.stat);
  if (found !== "nothing") {
    return found?.kind === "directory" ? "list it with a shell command, or name a file in it" : undefined;
  }
  const itself = look(full, host.files.lstat);
  if (itself !== "nothing") {
    return itself?.kind === "symlink"
      ? `it is a link to ${quote(host.files.readlink(full))}, where nothing is`
      : undefined;
  }
  const twins = alike(full);
  if (twins.length > 0) return `did you mean ${twins.slice(0, MOST_NAMED).map(escaped).join(", ")}?`;
  let missing = full, folder = dirname(full);
  while (look(folder, host.files.stat) === "nothing" && dirname(folder) !== folder) {
    missing = folder;
    folder = dirname(folder);
  }
  const names = nearest(basename(missing), comparable(namesIn(folder), basename(missing)), MOST_NAMED);
  const parts = missing === full ? [] : [`there is no folder ${quote(missing)}`];
  if (names.length > 0) {
    // Beside the file itself, as the caller would write it.
    const start = missing === full
      ? path.slice(0, path.replace(/\/+$/, "").lastIndexOf("/") + 1)
      : folder === "/"
      ? "/"
      : `${folder}/`;
    parts.push(`did you mean ${names.map((name) => quote(start + name)).join(", ")}?`);
  } else if (!isAbsolute(path) && !path.startsWith("~")) {
    parts.push(`the path was taken relative to ${quote(cwd)}`);
  }
  return parts.length === 0 ? undefined : parts.join("; ");
}

function look(path: string, how: (path: string) => FileInfo): FileInfo | "nothing" | undefined {
  try {
    return how(path);
  } catch (error) {
    return errorCode(error) === "ENOENT" ? "nothing" : undefined;
  }
}

/** Of a large folder, those that can be near by their length. */
function comparable(names: readonly string[], wanted: string): string[] {
  if (names.length <= MOST_NAMES) return [...names];
  const most = Math.max(2, Math.floor(wanted.length / 2));
  return names.filter(({ length }) => Math.abs(length - wanted.length) <= most).slice(0, MOST_NAMES);
}
