/** The first of many in an order, and how many there were: a search may find millions and shows some hundreds. */
export class First<T> {
  /** How many were added. */
  total = 0;
  readonly #count: number;
  readonly #compare: (a: T, b: T) => number;
  #items: T[] = [];
  #last: T | undefined;

  constructor(count: number, compare: (a: T, b: T) => number) {
    this.#count = count;
    this.#compare = compare;
  }

  /** Would it be among the first, as far as is known yet? One that isn't needn't be made, and is counted by `pass`. */
  wants(item: T): boolean {
    return this.#last === undefined || this.#compare(item, this.#last) <= 0;
  }

  pass(): void {
    this.total++;
  }

  add(item: T): void {
    this.total++;
    if (!this.wants(item)) return;
    this.#items.push(item);
    if (this.#items.length >= 2 * this.#count + 1000) this.#settle();
  }

  /** In their order, `count` at most. */
  sorted(): readonly T[] {
    this.#settle();
    return this.#items;
  }

  #settle(): void {
    this.#items.sort(this.#compare);
    if (this.#items.length <= this.#count) return;
    this.#items.length = this.#count;
    this.#last = this.#items.at(-1);
  }
}

/** By code unit, the same on every machine. */
export function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
