/**
 * Paths in permission rules: gitignore patterns. `//x` is absolute, `~/x` in the home folder, `/x` at the rule's
 * root, anything else below it. The path is a real one, so no link leads around a rule.
 */
import ignore from "ignore";
import { inside, join, realPath } from "../core/paths.ts";
import { host } from "../core/runtime.ts";

/**
 * Does the pattern fit the path or a folder that it is in? `guards`: the pattern also stands for what the place
 * that it names leads to by links. A rule that allows doesn't: whoever makes a link would widen it.
 */
export function pathMatches(pattern: string, path: string, root: string, guards = false): boolean {
  const place = anchored(pattern, root);
  if (fits(place, path)) return true;
  if (!guards) return false;
  const named = join(place.base, place.relative);
  return place.base !== "/" && fits(absolute(named), path) || isSameFile(named, path);
}

/** A second name of the file that a rule guards is guarded as well. Only a rule without wildcards names a file. */
function isSameFile(named: string, path: string): boolean {
  if (MAGIC.test(named)) return false;
  try {
    const file = host.files.stat(path);
    if (file.kind !== "file" || file.nlink < 2) return false;
    const guarded = host.files.stat(named);
    return guarded.ino === file.ino && guarded.dev === file.dev;
  } catch {
    return false;
  }
}

const MAGIC = /[*?[\]\\]/;

function fits({ base, relative }: Anchored, path: string): boolean {
  const rest = inside(base, path);
  if (rest === undefined || rest === "") return rest === "" && relative === "/**";
  return ignore({ ignorecase: host.platform !== "linux", allowRelativePaths: true }).add(
    literalStart(relative),
  ).ignores(rest);
}

interface Anchored {
  base: string;
  relative: string;
}

function anchored(pattern: string, root: string): Anchored {
  if (pattern.startsWith("//")) return absolute(pattern.slice(1));
  if (pattern === "~" || pattern.startsWith("~/")) return absolute(join(host.home(), pattern.slice(1)));
  return { base: root, relative: pattern.startsWith("./") ? pattern.slice(1) : pattern };
}

/** The fixed start of an absolute pattern is made real: `/tmp` may be a link. */
function absolute(pattern: string): Anchored {
  const parts = pattern.split("/");
  const magic = parts.findIndex((part) => MAGIC.test(part));
  const fixed = magic < 0 ? parts : parts.slice(0, magic);
  const rest = magic < 0 ? [] : parts.slice(magic);
  const real = realPath(fixed.join("/") || "/");
  return { base: "/", relative: join(real, ...rest) };
}

/** A pattern that starts with `!` or `#` means those characters here: a rule can't be a negation or a comment. */
function literalStart(pattern: string): string {
  return /^[!#]/.test(pattern) ? `\\${pattern}` : pattern;
}
