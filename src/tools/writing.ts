/** What the tools that write files have in common. */
import { type Encoding, nameOf } from "../core/encoding.ts";
import { AgentError, notAFile, quote } from "../core/errors.ts";
import type { Snapshot, Written } from "../core/files.ts";
import { hasPlaceholder } from "../core/redact.ts";
import { FileText } from "../core/file_text.ts";
import { isBinary, withEnds } from "../core/text.ts";

/** Refuses text that can't be stored as it is: lone surrogates, and marks that stand for a redacted secret. */
export function refuseUnwritable(action: string, path: string, texts: readonly string[]): void {
  for (const text of texts) {
    if (!text.isWellFormed()) {
      throw new AgentError(
        `Cannot ${action} ${quote(path)}: the text holds half of a character (a lone surrogate)`,
        "send the whole character",
      );
    }
    if (hasPlaceholder(text)) {
      throw new AgentError(
        `Cannot ${action} ${quote(path)}: the text holds a mark that stands for a redacted secret`,
        "edit around it, or name the secret as an environment variable",
      );
    }
  }
}

/** A text that takes the place of a file: it gets the file's encoding, its mark, and its line ends where it has only LF. */
export function inTheFormOf(
  old: Uint8Array | undefined,
  action: string,
  path: string,
  content: string,
): { pieces: Uint8Array[]; notes: string[]; encoding: Encoding } {
  // What is no text has no form that a text could take over.
  const file = new FileText(old && !isBinary(old) ? old : new Uint8Array());
  const keepsEnds = content.includes("\n") && !content.includes("\r") && file.dominantEnd === "\r\n";
  const text = keepsEnds ? withEnds(content, "\r\n") : content;
  const marked = text.startsWith("\uFEFF") && file.encoding.mark > 0;
  const body = file.encode(marked ? text.slice(1) : text, action, path);
  return {
    pieces: [file.mark, body].filter((piece) => piece.length > 0),
    notes: keepsEnds ? ["CRLF line ends were kept"] : [],
    encoding: file.encoding,
  };
}

/** A hash or the first digits of one, as results show them. */
export const SHA256 = /^[0-9a-f]{8,64}$/;

/** Refuses a name that can only be a folder's. */
export function refuseFolderName(action: string, path: string): void {
  if (path.endsWith("/")) {
    throw new AgentError(`Cannot ${action} ${quote(path)}: a path that ends with "/" names a folder`);
  }
}

/** Refuses a folder, pipe, socket or device before it is opened. */
export function needFile(action: string, path: string, { info }: Snapshot): void {
  if (info.kind !== "file") throw notAFile(action, path, info);
}

/** Refuses to change a part of what is no text. */
export function needText(action: string, path: string, { bytes }: { bytes: Uint8Array }): void {
  if (!isBinary(bytes)) return;
  throw new AgentError(
    `Cannot ${action} ${quote(path)}: it is a binary file of ${bytes.length} bytes`,
    "change it with a program that knows its format",
  );
}

/** The old and the new hash, for the result of a write. */
export function hashesOf({ oldSha256, newSha256 }: Written): string {
  const short = [oldSha256, newSha256].flatMap((sha) => sha === undefined ? [] : [sha.slice(0, 12)]);
  return `sha256 ${short.join(" → ")}`;
}

/** What a person or a model should know of a write beyond that it was done. */
export function notesOf({ lost }: Written, encoding: Encoding): string[] {
  const notes: string[] = [];
  if (encoding.name !== "utf-8" || encoding.damaged) {
    notes.push(`its encoding, ${nameOf(encoding)}, was kept`);
  }
  if (lost !== undefined) notes.push(`agent undo can't take this back: ${lost}`);
  return notes;
}
