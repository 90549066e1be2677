/** Commands in the texts of other languages: guesses, for rules that deny or ask. */

/** What another language runs commands by. */
const RUNS = /system|exec|popen|spawn|subprocess|shell|run\b|qx|%x|`|!|\||\bget(line)?\b|Command/;
const LITERAL = /"((?:[^"\\]|\\[^])*)"|'((?:[^'\\]|\\[^])*)'|`([^`]*)`|(?:qx|%x)[({[/]([^)}\]/]*)/g;
/** Longer texts are programs of their own, which take too long to guess about. */
const LONGEST = 32_000;
const MOST_LITERALS = 200;

/** The commands that a word of some program may hold: itself, what stands behind a mark, and strings in it. */
export function guessesIn(text: string): string[] {
  if (text.length > LONGEST || !/[\s"'`([]/.test(text)) return [];
  const guesses = new Set<string>();
  if (/\s/.test(text)) {
    guesses.add(text);
    guesses.add(text.replace(/^[-+:.]*[\w-]*[=:!|]\s*/, ""));
    for (const [, , behind] of text.matchAll(/(^|[^!])!\s*([^!]+)/g)) guesses.add(behind!);
    for (const [, behind] of text.matchAll(/(?:shell|system)\s+([^\n]+)/g)) guesses.add(behind!);
  }
  if (RUNS.test(text)) { for (const one of literals(text)) guesses.add(one); }
  return [...guesses];
}

/** The strings of a text, and what they are one behind the other: `["rm", "x"]`. */
function literals(text: string): string[] {
  const found: string[] = [];
  for (const [, double, single, back, other] of text.matchAll(LITERAL)) {
    found.push((double ?? single ?? back ?? other ?? "").replace(/\\([^])/g, "$1"));
    if (found.length >= MOST_LITERALS) break;
  }
  const tails = found.map((_, index) => found.slice(index).join(" "));
  return [...found, ...tails, found.join("")];
}

/** Does a script of `awk` run a text that isn't in it? */
export function awkRunsUnknown(script: string): boolean {
  const code = script.replace(/"(?:[^"\\]|\\[^])*"/g, '""')
    // A pattern's `|` is no pipe.
    .replace(/(^|[(,~!{;&|\n]\s*)\/(?:[^/\\\n]|\\.)+\//g, "$1");
  return code.split(/[;}\n]/).some((statement) => {
    const text = statement.replace(/\s+/g, " ").replaceAll("||", " ");
    return /\bsystem ?\((?! ?(?:"" ?)*(?:\)|$))/.test(text) ||
      /\bprintf?\b/.test(text) && /\|&? ?[^" &]/.test(text) ||
      /[\w)\]] ?\|&? ?getline/.test(text);
  });
}

/** The commands in the lines of what a program reads: recipes, rows of a crontab, lines with a mark. */
export function guessesInLines(text: string): string[] {
  const lines = text.split("\n").flatMap((line) => {
    const bare = line.replace(/^[\s@+!:.-]*/, "");
    const behind = [...line.matchAll(/[;!:]\s*([^\n]+)|\(shell\s+([^)]*)/g)].map(([, a, b]) => a ?? b!);
    const row = /^\s*(?:@\w+|(?:\S+\s+){4}\S+)\s+(.+)$/.exec(line)?.[1];
    return [bare, ...behind, ...row ? [row] : [], bare.replace(/^(?:shell|system|exec)\s+/, "")];
  });
  return [...new Set([text, ...lines, ...lines.flatMap((line) => guessesIn(line))])].filter((line) =>
    line !== ""
  );
}
