/** Hooks in the background: nobody waits for them but the session's end. */
import { quote } from "../core/errors.ts";

/** How long they may go on after the session's end. */
const GRACE_MS = 5000;

export class Background {
  readonly #complain: (text: string) => void;
  /** By what they run. */
  readonly #running = new Map<string, Promise<unknown>>();

  constructor(complain: (text: string) => void) {
    this.#complain = complain;
  }

  get isEmpty(): boolean {
    return this.#running.size === 0;
  }

  add(name: string, work: Promise<unknown>): void {
    const all = Promise.all([this.#running.get(name), work]);
    this.#running.set(name, all);
    void all.then(() => {
      if (this.#running.get(name) === all) this.#running.delete(name);
    });
  }

  /** They may end on their own, but not outlive the session by long. */
  async settle(): Promise<void> {
    if (this.isEmpty) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise((resolve) => timer = setTimeout(resolve, GRACE_MS));
    await Promise.race([late, Promise.all(this.#running.values())]);
    clearTimeout(timer);
    for (const name of this.#running.keys()) {
      this.#complain(`hook ${quote(name)} still runs in the background and is ended with the session`);
    }
  }
}
