/** Where patterns start and what they fit. A pattern is data: it holds globs and nothing that a regex engine could choke on. */
import picomatch from "picomatch";
import { inside } from "../../core/paths.ts";
import type { Place } from "../../core/tool.ts";
import { type Start, startOf } from "./start.ts";

/** How globs are read everywhere here; parentheses and the like mean themselves (`asGlob`). */
export const GLOB_OPTIONS = { noextglob: true, nonegate: true, posix: true } as const;

/** A glob whose characters that picomatch would read as a regex or a negation mean themselves. */
export function asGlob(glob: string): string {
  return glob.replace(/\\.|[()|+]|^!/g, (found) => found.startsWith("\\") ? found : `\\${found}`);
}

/**
 * Is a path left out by one of the patterns? One without a slash is a name anywhere; one that fits a folder leaves out
 * all that is in it.
 */
export function excluder(
  patterns: readonly string[],
  place: Pick<Place, "resolve">,
): (path: string) => boolean {
  const tests = patterns.map((pattern) => {
    const name = pattern.replace(/(?<=.)\/+$/, "");
    return test(startOf(name.includes("/") || name === "." || name === "~" ? name : `**/${name}`, place));
  });
  return (path) => tests.some((fits) => fits(path));
}

function test({ folder, glob }: Start): (path: string) => boolean {
  if (glob === "") return (path) => inside(folder, path) !== undefined;
  const matches = picomatch([asGlob(glob), `${asGlob(glob)}/**`], { ...GLOB_OPTIONS, dot: true });
  return (path) => {
    const rest = inside(folder, path);
    return rest !== undefined && rest !== "" && matches(rest);
  };
}
