/** One run of ripgrep over a scope: complaints about single files are warnings, others are errors. */
import { AgentError, quote } from "../../core/errors.ts";
import { NameReader } from "./names.ts";
import { runRipgrep } from "./ripgrep.ts";

/** Runs it; what it couldn't read comes back as lines. Throws where it didn't search at all, with its reason. */
export async function search(
  words: readonly string[],
  subject: string,
  signal: AbortSignal,
  take: (chunk: Uint8Array) => void | Promise<void>,
): Promise<string[]> {
  const { complaints, failed } = await runRipgrep(words, signal, take);
  // All paths are absolute; a fault in the pattern has none.
  const isAboutFile = (line: string) => /^(?:\/|[A-Za-z]:[\\/])/.test(line);
  if (!failed || complaints.every(isAboutFile)) return complaints.filter(isAboutFile);
  const why = plainly(complaints.filter((line) => !isAboutFile(line)));
  throw new AgentError(`Cannot search for ${quote(subject)}: ${why || "ripgrep failed"}`, hintFor(why));
}

const RULE = /^~+$/;

/** Where neither of its two engines takes a pattern, it says so of each: what the first says, or of look-around the second. */
function plainly(lines: readonly string[]): string {
  const rules = lines.flatMap((line, index) => RULE.test(line) ? [index] : []);
  if (rules.length < 2) return lines.join("\n");
  const first = lines.slice(rules[0]! + 1, rules[1]).join("\n");
  return /look-around|backreferences/.test(first) ? lines.slice(rules[1]! + 2).join("\n") : first;
}

function hintFor(why: string): string | undefined {
  if (why.includes("unrecognized file type")) return "name the files by glob, *.ts say";
  if (why.includes("PCRE2 is not available")) {
    return "this machine's search knows no look-around: write it without";
  }
  return why.includes("regex") ? "a backslash makes a sign literal: \\( \\[ \\{" : undefined;
}

/** Names of files, as far as they come within some time: for what helps and isn't worth a long wait. */
export async function glance(words: readonly string[], signal: AbortSignal): Promise<string[]> {
  const enough = new AbortController();
  const names: string[] = [];
  const reader = new NameReader();
  const timer = setTimeout(() => enough.abort(), GLANCE_MS);
  try {
    await runRipgrep(words, AbortSignal.any([signal, enough.signal]), (chunk) => {
      for (const { name } of reader.push(chunk)) names.push(name);
      if (names.length >= GLANCE_NAMES) enough.abort();
    });
  } catch (error) {
    signal.throwIfAborted();
    if (!enough.signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
  }
  return names.sort();
}

const GLANCE_MS = 2000;
const GLANCE_NAMES = 1000;
