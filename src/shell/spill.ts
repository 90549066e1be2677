/** The whole of an output on its way to its overflow file, which is made late: most outputs need none. */
import type { OverflowFile, Saved } from "../core/overflow.ts";

/** Bytes that are written together. */
const BATCH = 256 * 1024;
/** And those that are written by themselves, once there is a file: to copy them would cost more than the write. */
const LARGE = 32 * 1024;
const FIRST = 4 * 1024;

export class Spill {
  readonly #open: () => OverflowFile | undefined;
  #file: OverflowFile | undefined;
  #opened = false;
  #batch = new Uint8Array(FIRST);
  #used = 0;

  constructor(open: () => OverflowFile | undefined) {
    this.#open = open;
  }

  /** `bytes` are whole characters. */
  write(bytes: Uint8Array): void {
    if (this.#opened && this.#file === undefined) return;
    if (this.#used + bytes.length > this.#batch.length) this.#makeRoom(bytes.length);
    if (this.#file !== undefined && bytes.length >= LARGE) {
      this.flush();
      this.#file.write(bytes);
    } else if (bytes.length > this.#batch.length) this.#file?.write(bytes);
    else {
      this.#batch.set(bytes, this.#used);
      this.#used += bytes.length;
    }
  }

  #makeRoom(needed: number): void {
    const room = Math.min(BATCH, Math.max(this.#used + needed, this.#batch.length * 2));
    if (this.#used + needed > BATCH) this.flush();
    if (room <= this.#batch.length) return;
    const more = new Uint8Array(room);
    more.set(this.#batch.subarray(0, this.#used));
    this.#batch = more;
  }

  /** Everything that came so far is in the file, as far as its cap lets it. `undefined` where there is none. */
  flush(): Saved | undefined {
    if (!this.#opened) {
      this.#opened = true;
      this.#file = this.#open();
    }
    if (this.#used > 0) this.#file?.write(this.#batch.subarray(0, this.#used));
    this.#used = 0;
    return this.#file?.saved;
  }

  /** Ends it with all of it in the file. */
  save(): Saved | undefined {
    this.flush();
    return this.#file?.close();
  }

  /** Nothing comes any more: a file that was begun holds all of it, and is closed. */
  close(): void {
    if (!this.#opened) return;
    this.flush();
    this.#file?.close();
  }

  /** Ends it without a file. */
  discard(): void {
    this.#file?.discard();
    this.#file = undefined;
    this.#opened = true;
    this.#used = 0;
  }
}
