/**
 * The text of a PDF, read in a process of its own: the library drops errors that would end ours, and a file of a few
 * KB can keep it busy for hours or fill all memory.
 */
import { AgentError, quote } from "../../core/errors.ts";
import { host } from "../../core/runtime.ts";
import { type Ended, runBounded } from "./bounded.ts";
import type { PdfAnswer } from "./pdf_text.ts";
import type { Rich } from "./rich.ts";

const MOST_SECONDS = 20;

/** Throws where the file is broken, needs a password, or asks for too much. */
export async function readPdf(bytes: Uint8Array, shown: string, signal: AbortSignal): Promise<Rich> {
  const ended = await runBounded({ script: script(shown), input: bytes, ms: MOST_SECONDS * 1000, signal });
  if (ended.why !== "done") throw unanswered(ended, shown);
  const answer = JSON.parse(ended.output) as PdfAnswer;
  if ("state" in answer) throw new AgentError(`Cannot read ${quote(shown)}: ${answer.state}`, answer.hint);
  return answer;
}

function unanswered(ended: Exclude<Ended, { why: "done" }>, shown: string): AgentError {
  const state = ended.why === "time"
    ? `reading the PDF takes more than ${MOST_SECONDS} seconds`
    : ended.why === "memory"
    ? "reading the PDF takes too much memory"
    : `the program that reads PDFs failed (${ended.reason})`;
  return new AgentError(
    `Cannot read ${quote(shown)}: ${state}`,
    "take its text out with a command (pdftotext, say) and read that",
  );
}

/** The program stands beside this file, in the source as in the build. */
function script(shown: string): string {
  const self = import.meta.filename;
  const path = self?.replace(/pdf(\.\w+)$/, "pdf_child$1");
  if (path !== undefined && path !== self && isThere(path)) return path;
  throw new AgentError(
    `Cannot read ${quote(shown)}: the program that reads PDFs isn't beside the code that starts it`,
    "load agent-runtime from its own folder, not from inside another bundle",
  );
}

function isThere(path: string): boolean {
  try {
    return host.files.stat(path).kind === "file";
  } catch {
    return false;
  }
}
