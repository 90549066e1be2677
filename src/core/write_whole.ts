/** Files that are whole at any moment, whoever reads them meanwhile and whenever a write ends. */
import { randomHex } from "./hash.ts";
import { basename, dirname, join } from "./paths.ts";
import { host } from "./runtime.ts";
import { removeQuietly } from "./upkeep.ts";

export interface WholeOptions {
  mode: number;
  /** The bytes are on the disk before the file is in its place. */
  sync?: boolean;
}

/** A temporary file in the same folder, then a rename: `path` is the old file or the new one. */
export function writeWhole(path: string, bytes: Uint8Array, options: WholeOptions): void {
  const temporary = `${siblingOf(path)}.agent-tmp`;
  writeNew(temporary, [bytes], options);
  try {
    host.files.rename(temporary, path);
  } catch (error) {
    removeQuietly(temporary);
    throw error;
  }
}

/** Makes a file that wasn't there, with all of the pieces in it or not at all. */
export function writeNew(path: string, pieces: readonly Uint8Array[], { mode, sync }: WholeOptions): void {
  const file = host.files.open(path, "wx", mode);
  try {
    for (const piece of pieces) file.write(piece);
    if (sync) file.sync();
  } catch (error) {
    removeQuietly(path);
    throw error;
  } finally {
    file.close();
  }
}

/**
 * The start of a hidden name beside a file, that nobody else has. Some file systems end names at 255 bytes, and the
 * file's own may be that long already.
 */
export function siblingOf(path: string): string {
  return join(dirname(path), `.${basename(path).slice(0, 40)}.${randomHex(8)}`);
}
