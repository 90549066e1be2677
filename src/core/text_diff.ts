/** What changed between two texts, as people read it: a unified diff. */

/** Lines around a change. */
const CONTEXT = 3;
/** Edits that are looked for before a text counts as another one altogether. */
const MOST_EDITS = 1_000;

interface Edit {
  sign: " " | "-" | "+";
  line: string;
}

/** Hunks with their heads; empty where nothing changed. */
export function diffLines(before: string, after: string): string[] {
  const edits = editsBetween(linesOf(before), linesOf(after));
  const shown: string[] = [];
  let old = 1, now = 1;
  for (let at = 0; at < edits.length;) {
    const next = edits.findIndex(({ sign }, index) => index >= at && sign !== " ");
    if (next < 0) break;
    const from = Math.max(at, next - CONTEXT);
    old += from - at;
    now += from - at;
    let end = next, still = 0;
    for (let i = next; i < edits.length && still <= 2 * CONTEXT; i++) {
      still = edits[i]!.sign === " " ? still + 1 : 0;
      if (still === 0) end = i + 1;
    }
    const hunk = edits.slice(from, end + CONTEXT);
    const olds = hunk.filter(({ sign }) => sign !== "+").length;
    const news = hunk.filter(({ sign }) => sign !== "-").length;
    shown.push(`@@ -${old},${olds} +${now},${news} @@`, ...hunk.map(({ sign, line }) => sign + line));
    old += olds;
    now += news;
    at = from + hunk.length;
  }
  return shown;
}

function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Myers' shortest way from one to the other. */
function editsBetween(a: readonly string[], b: readonly string[]): Edit[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const same = (lines: readonly string[]): Edit[] => lines.map((line) => ({ sign: " ", line }));
  const middle = shortest(a.slice(start, a.length - end), b.slice(start, b.length - end));
  return [...same(a.slice(0, start)), ...middle, ...same(a.slice(a.length - end))];
}

function shortest(a: readonly string[], b: readonly string[]): Edit[] {
  const furthest = new Map<number, number>([[1, 0]]);
  const trace: Map<number, number>[] = [];
  for (let d = 0; d <= Math.min(a.length + b.length, MOST_EDITS); d++) {
    trace.push(new Map(furthest));
    for (let k = -d; k <= d; k += 2) {
      let x = isDown(furthest, k, d) ? furthest.get(k + 1)! : furthest.get(k - 1)! + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      furthest.set(k, x);
      if (x >= a.length && x - k >= b.length) return wayBack(trace, a, b);
    }
  }
  return [...a.map((line): Edit => ({ sign: "-", line })), ...b.map((line): Edit => ({ sign: "+", line }))];
}

function isDown(furthest: ReadonlyMap<number, number>, k: number, d: number): boolean {
  return k === -d || (k !== d && furthest.get(k - 1)! < furthest.get(k + 1)!);
}

function wayBack(trace: readonly Map<number, number>[], a: readonly string[], b: readonly string[]): Edit[] {
  const edits: Edit[] = [];
  let x = a.length, y = b.length;
  for (let d = trace.length - 1; d >= 0; d--) {
    const furthest = trace[d]!, k = x - y;
    const last = isDown(furthest, k, d) ? k + 1 : k - 1;
    const fromX = d === 0 ? 0 : furthest.get(last)!;
    const fromY = d === 0 ? 0 : fromX - last;
    while (x > fromX && y > fromY) {
      x--, y--;
      edits.push({ sign: " ", line: a[x]! });
    }
    if (d === 0) break;
    edits.push(x > fromX ? { sign: "-", line: a[--x]! } : { sign: "+", line: b[--y]! });
  }
  return edits.reverse();
}
