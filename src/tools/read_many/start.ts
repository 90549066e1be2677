/** The fixed beginning of a pattern: the folder it starts in, which is what permission looks at. */
import { AgentError, quote } from "../../core/errors.ts";
import type { Place } from "../../core/tool.ts";

/** `glob` is relative to the folder; `""` where the pattern has no wildcard and is itself the path. */
export interface Start {
  folder: string;
  glob: string;
}

const WILDCARD = /[*?[\]{}\\]/;
/**
 * Stars beside the first in a part of the path, summed up, and parts that stand for any folders. Matching tries all
 * the ways to share a name among them, which takes for ever with a few more.
 */
const MOST_FURTHER_STARS = 3;
const MOST_GLOBSTARS = 4;

/** Splits a pattern before its first part that has a wildcard. Throws what is wrong with it. */
export function startOf(pattern: string, place: Pick<Place, "resolve">): Start {
  if (pattern.includes("\0")) throw new AgentError(`the pattern ${quote(pattern)} holds a NUL character`);
  const parts = pattern.split("/");
  const first = parts.findIndex((part) => WILDCARD.test(part));
  if (first < 0) return { folder: place.resolve(pattern), glob: "" };
  const fixed = parts.slice(0, first);
  const rest = parts.slice(first).filter((part) => part !== "" && part !== ".");
  if (rest.includes("..")) {
    const hint = 'write ".." at its beginning only, or an absolute path';
    throw new AgentError(`the pattern ${quote(pattern)} has ".." after a wildcard`, hint);
  }
  const further = rest.map((part) => Math.max(0, (part.match(/\*+/g)?.length ?? 0) - 1));
  const globstars = rest.filter((part) => part === "**").length;
  if (further.reduce((sum, count) => sum + count, 0) > MOST_FURTHER_STARS || globstars > MOST_GLOBSTARS) {
    const more = `beyond that, ${MOST_FURTHER_STARS} more are allowed in all`;
    const hint = `each part between slashes may have one "*"; ${more}, and ${MOST_GLOBSTARS} "**"`;
    throw new AgentError(`the pattern ${quote(pattern)} has too many wildcards`, hint);
  }
  if (pattern.endsWith("/") && rest.at(-1) !== "**") rest.push("**");
  const folder = fixed.length === 1 && fixed[0] === "" ? "/" : fixed.join("/") || ".";
  return { folder: place.resolve(folder), glob: rest.join("/") };
}
