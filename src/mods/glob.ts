/** Globs for `call.touches`, on absolute paths. Dot files count; a pattern is data, never an option. */
import picomatch from "picomatch";

export function compileGlob(pattern: string): (path: string) => boolean {
  return picomatch(pattern, { dot: true, nonegate: true });
}
