/** Runs of bytes that don't count, in order; neighbours are one. The lists are open, since all of a long output passes by. */
export class Gaps {
  starts = new Int32Array(64);
  ends = new Int32Array(64);
  count = 0;

  add(start: number, end: number): void {
    const count = this.count;
    if (count > 0 && this.ends[count - 1] === start) {
      this.ends[count - 1] = end;
      return;
    }
    if (count === this.starts.length) this.#grow();
    this.starts[count] = start;
    this.ends[count] = end;
    this.count = count + 1;
  }

  #grow(): void {
    const starts = new Int32Array(this.count * 2), ends = new Int32Array(this.count * 2);
    starts.set(this.starts);
    ends.set(this.ends);
    this.starts = starts;
    this.ends = ends;
  }

  start(index: number): number {
    return index < this.count ? this.starts[index]! : -1;
  }

  end(index: number): number {
    return index >= 0 ? this.ends[index]! : -1;
  }

  /** The first one that begins at a place or behind it. */
  from(place: number): number {
    let low = 0, high = this.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.starts[middle]! < place) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
