/** How the room is shared among files: equally, and what smaller ones leave over goes to the others. */

/** A file gets as much in any case, as long as there is room at all. */
const LEAST_SHARE = 2000;
/** Files that a share is reckoned with: more than these never have room together. */
const MOST_RECKONED = 1000;

/** The most that the file at `at` may take; `wants` is about how much each file would take, from the first one on. */
export function shareOf(room: number, wants: readonly number[], at: number): number {
  const wanted = wants[at]!;
  if (wanted <= LEAST_SHARE) return Infinity;
  const sorted = wants.slice(at, at + MOST_RECKONED).sort((a, b) => a - b);
  let left = room;
  for (const [index, want] of sorted.entries()) {
    const share = Math.floor(left / (sorted.length - index));
    if (want > share) return wanted <= share ? Infinity : Math.max(share, LEAST_SHARE);
    left -= want;
  }
  return Infinity;
}
