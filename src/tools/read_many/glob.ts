/** Globs of a search: which files fit, and which folders lead to them. */
import picomatch from "picomatch";
import { asGlob, GLOB_OPTIONS } from "./patterns.ts";

/** Does a path fit, relative to the folder that the glob starts in? Hidden names fit where the glob has their dot. */
export function matcher(glob: string): (path: string) => boolean {
  const fits = picomatch(asGlob(glob), { ...GLOB_OPTIONS, dot: false });
  return (path) => fits(path);
}

/** May a folder hold what fits? It is asked part by part up to the first `**`, or brackets that go over a slash. */
export function leading(glob: string): (folder: string) => boolean {
  const parts = glob.split("/");
  const open = parts.findIndex((part) => part.includes("**") || !closes(part));
  const tests = parts.slice(0, open < 0 ? -1 : open).map(matcher);
  const depth = glob.includes("**") ? Infinity : parts.length - 1;
  const hidden = /(^|[^\w*?])\./.test(glob);
  return (folder) => {
    const names = folder.split("/");
    const last = names.length - 1, name = names[last]!;
    if (names.length > depth) return false;
    // Those above were asked when they were entered.
    return last < tests.length ? tests[last]!(name) : hidden || !name.startsWith(".");
  };
}

function closes(part: string): boolean {
  const count = (bracket: string) => part.split(bracket).length;
  return count("{") === count("}") && count("[") === count("]") && !part.endsWith("\\");
}
