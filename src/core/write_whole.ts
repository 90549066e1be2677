/** Files that are whole at any moment, whoever reads them meanwhile and whenever a write ends. */
import { randomHex } from "./hash.ts";
import { basename, dirname, join } from "./paths.ts";
import { host } from "./runtime.ts";

export interface WholeOptions {
  mode: number;
  /** The bytes are on the disk before the file is in its place. */
  sync?: boolean;
  /** Called with the temporary file's path before it takes its place. */
  prepare?(temporary: string): void;
}

/** A temporary file in the same folder, then a rename: `path` is the old file or the new one. */
export function writeWhole(path: string, bytes: Uint8Array, options: WholeOptions): void {
  const temporary = temporaryName(path);
  writeNew(temporary, bytes, options);
  try {
    options.prepare?.(temporary);
    host.files.rename(temporary, path);
  } catch (error) {
    host.files.remove(temporary);
    throw error;
  }
}

/** Makes a file that wasn't there, with all of `bytes` in it or not at all. */
export function writeNew(path: string, bytes: Uint8Array, { mode, sync }: WholeOptions): void {
  const file = host.files.open(path, "wx", mode);
  try {
    file.write(bytes);
    if (sync) file.sync();
  } catch (error) {
    host.files.remove(path);
    throw error;
  } finally {
    file.close();
  }
}

/** Some file systems end names at 255 bytes, and the file's own may be that long already. */
function temporaryName(path: string): string {
  return join(dirname(path), `.${basename(path).slice(0, 40)}.${randomHex(8)}.agent-tmp`);
}
