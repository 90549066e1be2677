/** A line that a program writes, with no end: what is added costs its own length, and so does what is written over. */
export class EndlessLine {
  /** All of it, as long as nothing was written into its middle. */
  #text = "";
  /** Its characters from then on. */
  #cells: string[] | undefined;
  #length = 0;
  /** So many at the start are known to be blank. */
  #blanks = 0;

  constructor(text = "") {
    this.put(0, text);
  }

  /** In characters: a pair of surrogates is one. */
  get length(): number {
    return this.#cells?.length ?? this.#length;
  }

  get text(): string {
    return this.#cells?.join("") ?? this.#text;
  }

  /** Writes over what stands from `column` on, and gives the column behind it. */
  put(column: number, text: string): number {
    const isPaired = PAIRED.test(text);
    const length = isPaired ? [...text].length : text.length;
    const end = column + length;
    this.#blanks = Math.min(this.#blanks, column);
    if (!this.#cells && column === this.#length) {
      this.#text += text;
      this.#length = end;
    } else if (column === 0 && length >= this.length) {
      this.#text = text;
      this.#length = length;
      this.#cells = undefined;
    } else {
      const cells = this.#asCells();
      while (cells.length < column) cells.push(" ");
      let at = column;
      for (const character of isPaired ? text : text.split("")) cells[at++] = character;
    }
    return end;
  }

  /** Drops what stands from `column` on. */
  cut(column: number): void {
    if (column >= this.length) return;
    this.#blanks = Math.min(this.#blanks, column);
    if (column === 0) {
      this.#text = "";
      this.#length = 0;
      this.#cells = undefined;
    } else this.#asCells().length = column;
  }

  /** Blanks for the first `count` characters. */
  blank(count: number): void {
    this.#asCells().fill(" ", this.#blanks, count);
    this.#blanks = Math.max(this.#blanks, count);
  }

  #asCells(): string[] {
    return this.#cells ??= PAIRED.test(this.#text) ? [...this.#text] : this.#text.split("");
  }
}

/** Pairs of surrogates are one character. */
const PAIRED = /[\ud800-\udfff]/;
