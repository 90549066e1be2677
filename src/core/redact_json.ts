/** Texts of a JSON value cleaned, wherever they stand, and the value kept within bounds. */
import { wellFormed } from "./fit.ts";
import { isForeign, MOST_DEPTH, MOST_NODES } from "./json.ts";

/** `value` with all texts cleaned and within bounds; itself where `keep` is given and nothing has to change. */
export function cleanJson(value: unknown, clean: (text: string) => string, keep: boolean): unknown {
  try {
    return keep && new Bounds().isPlain(value, 0) ? value : new Bounds().visit(value, clean, 0);
  } catch {
    // A getter or a proxy of a stranger's.
    return leftOut("it can't be read");
  }
}

function leftOut(why: string): string {
  return `[left out: ${why}]`;
}

/** Long texts count for several values, so that the whole stays a text that can be written. */
const TEXT_PER_NODE = 64;

/** One walk through a JSON value, of at most `MOST_NODES` steps: an object that holds itself has no end. */
class Bounds {
  #left = MOST_NODES;

  /** True where `visit` would change nothing but secrets: the usual case, which makes no copy. */
  isPlain(value: unknown, depth: number): boolean {
    if (!this.#spend(value)) return false;
    if (typeof value === "string") return wellFormed(value) === value;
    if (typeof value !== "object" || value === null) return !isForeign(value);
    if (depth >= MOST_DEPTH) return false;
    if (Array.isArray(value)) return value.every((item) => this.isPlain(item, depth + 1));
    return Object.entries(value).every(([key, item]) =>
      wellFormed(key) === key && this.isPlain(item, depth + 1)
    );
  }

  visit(value: unknown, clean: (text: string) => string, depth: number): unknown {
    if (!this.#spend(value)) return leftOut("too much");
    if (typeof value === "string") return clean(value);
    if (typeof value === "number") {
      // A secret of digits alone is a number in JSON.
      const text = String(value), cleaned = clean(text);
      return cleaned === text ? value : cleaned;
    }
    if (isForeign(value)) return leftOut(`a ${typeof value}`);
    if (typeof value !== "object" || value === null) return value;
    if (depth >= MOST_DEPTH) return leftOut(`nested more than ${MOST_DEPTH} deep`);
    if (Array.isArray(value)) return value.map((item) => this.visit(item, clean, depth + 1));
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [clean(key), this.visit(item, clean, depth + 1)]),
    );
  }

  #spend(value: unknown): boolean {
    this.#left -= 1 + (typeof value === "string" ? Math.floor(value.length / TEXT_PER_NODE) : 0);
    return this.#left >= 0;
  }
}
