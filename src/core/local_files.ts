/** `Files` on this machine: reading in `local_read.ts`, changing in `commit.ts`. */
import { type CommitCall, commitChanges } from "./commit.ts";
import { AgentError, quote } from "./errors.ts";
import type { Change, Files, Snapshot, WriteOptions, Written } from "./files.ts";
import type { Journal } from "./journal.ts";
import { chunksOf, infoOf, readFile, readFileUpTo } from "./local_read.ts";
import type { FileInfo } from "./runtime.ts";
import { LocalSnapshot, needHash } from "./snapshot.ts";

export { readAll } from "./local_read.ts";

/** The files of this machine, for one call: what it changes stands in the journal under its name. */
export class LocalFiles implements Files {
  readonly #journal: Journal;
  readonly #call: CommitCall;

  constructor(journal: Journal, call: CommitCall) {
    this.#journal = journal;
    this.#call = call;
  }

  info(path: string, shown?: string): FileInfo | undefined {
    return infoOf(path, shown);
  }

  read(path: string, shown?: string): Uint8Array {
    return readFile(path, shown);
  }

  readUpTo(path: string, most: number, shown?: string): Uint8Array | { size: number } {
    return readFileUpTo(path, most, shown);
  }

  chunks(path: string, shown?: string): Iterable<Uint8Array> {
    return chunksOf(path, shown);
  }

  snapshot(path: string, { shown, itself }: { shown?: string; itself?: boolean } = {}): Snapshot | undefined {
    return LocalSnapshot.take(path, shown, itself);
  }

  commit(changes: readonly Change[]): Written[] {
    return commitChanges(changes, this.#journal, this.#call);
  }

  write(path: string, bytes: Uint8Array, options: WriteOptions = {}): Written {
    const { shown = path, mode, createOnly, expectedSha256 } = options;
    const before = this.snapshot(path, { shown });
    if (before && createOnly) throw new AgentError(`Cannot create ${quote(shown)}: it already exists`);
    if (expectedSha256 !== undefined) needHash("write", shown, before, expectedSha256);
    return this.commit([{ path, shown, before, after: [bytes], mode }])[0]!;
  }

  remove(path: string): void {
    const before = this.snapshot(path, { itself: true });
    if (!before) throw new AgentError(`Cannot remove ${quote(path)}: no such file`);
    this.commit([{ path, before, after: undefined }]);
  }
}
