/** What a plugin's code seems to use, held against what it declares. Read from the code, so it is a hint, not a proof. */
import { nearest, quote } from "../../core/errors.ts";

const KNOWN = ["tools", "events.tools", "exec", "call", "permission", "surface", "run"];
const WITH_VALUE = /^(?:secrets|read|write|net|env):./;

const STARTS = /["'](?:node:)?child_process["']|\bDeno\.Command\b/;

export interface UsesReport {
  problems: string[];
  notes: string[];
}

/** `code`: without comments, as esbuild prints it. */
export function compareUses(uses: readonly string[], code: string): UsesReport {
  const problems: string[] = [];
  const notes: string[] = [];
  const starts = STARTS.test(code);
  if (starts && !uses.includes("exec")) notes.push("it starts programs by itself; say so with exec in uses");
  for (const use of uses) {
    if (KNOWN.includes(use) || WITH_VALUE.test(use)) continue;
    const near = nearest(use, KNOWN, 1)[0];
    problems.push(`uses has ${quote(use)}, which means nothing${near ? `; did you mean ${near}?` : ""}`);
  }
  for (const use of usedIn(code)) {
    const isDeclared = uses.includes(use) || (use.startsWith("secrets:") && uses.includes("secrets:*"));
    if (!isDeclared) problems.push(`it seems to use ${use}, which it doesn't declare: add "${use}" to uses`);
  }
  for (const use of uses) {
    const word = /^secrets:/.test(use) ? "secret" : use;
    const isWord = ["exec", "call", "permission", "surface", "secret"].includes(word) &&
      !(use === "exec" && starts);
    if (isWord && !new RegExp(`\\b${word}\\b`).test(withoutUses(code))) {
      notes.push(`it declares ${quote(use)}, and its code never names it`);
    }
  }
  return { problems, notes };
}

function usedIn(code: string): Set<string> {
  const used = new Set<string>();
  for (const [, use] of code.matchAll(/\b(?:context|ctx)\.(exec|call)\(/g)) used.add(use!);
  for (const [, name] of code.matchAll(/\b(?:(?:context|ctx)\.)?secret\(["'](\w+)["']\)/g)) {
    used.add(`secrets:${name}`);
  }
  // Taken out of the context in a parameter list: run(args, { exec }).
  for (const [, names] of code.matchAll(/\brun\([^()]*?,\s*\{([\w\s,:]*)\}\s*\)/g)) {
    for (const use of ["exec", "call"]) if (new RegExp(`\\b${use}\\b`).test(names!)) used.add(use);
  }
  return used;
}

function withoutUses(code: string): string {
  return code.replace(/\buses:\s*\[[^\]]*\]/g, "");
}
