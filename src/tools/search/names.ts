/** Reads what ripgrep prints of files alone: `NAME\0`, or with `--count` `NAME\0NUMBER\n`. A name may hold line ends. */
export class NameReader {
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  readonly #entry: RegExp;
  #rest = "";

  constructor(counted = false) {
    this.#entry = counted ? /([^\0]*)\0(\d+)\n/y : /([^\0]*)\0/y;
  }

  /** The names that are whole by now; each counts one where none is told. */
  push(chunk: Uint8Array): { name: string; count: number }[] {
    const text = this.#rest + this.#decoder.decode(chunk, { stream: true });
    const found = [];
    let end = 0;
    this.#entry.lastIndex = 0;
    for (let entry; (entry = this.#entry.exec(text));) {
      found.push({ name: entry[1]!, count: Number(entry[2] ?? 1) });
      end = this.#entry.lastIndex;
    }
    this.#rest = text.slice(end);
    return found;
  }
}
