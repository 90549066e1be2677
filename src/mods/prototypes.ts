/** The prototypes that all objects share: what a plugin adds to them changes the host and all other plugins. */
const SHARED = { Object: Object.prototype, Array: Array.prototype, Function: Function.prototype };

export class SharedPrototypes {
  readonly #known = Object.entries(SHARED).map(([name, object]) => ({
    name: `${name}.prototype`,
    object,
    keys: new Set(Reflect.ownKeys(object)),
  }));
  readonly #stray: (added: string) => void;

  /** `stray` is told of additions that can't be pinned on one plugin. */
  constructor(stray: (added: string) => void) {
    this.#stray = stray;
  }

  /** Runs a plugin's code, undoes what it added, as soon as its synchronous part is over, and throws if it did. */
  async watch<T>(run: () => T | PromiseLike<T>): Promise<T> {
    // Of a plugin that is still loading, or of one whose time is over.
    const others = this.#undo();
    if (others.length > 0) this.#stray(others.join(", "));
    const added: string[] = [];
    try {
      const running = run();
      added.push(...this.#undo());
      return await running;
    } finally {
      added.push(...this.#undo());
      refuse(added);
    }
  }

  /** Removes the additions; returns their names. One that can't be removed is named once. */
  #undo(): string[] {
    const added: string[] = [];
    for (const { name, object, keys } of this.#known) {
      for (const key of Reflect.ownKeys(object)) {
        if (keys.has(key)) continue;
        if (!Reflect.deleteProperty(object, key)) keys.add(key);
        added.push(typeof key === "symbol" ? `${name}[${String(key)}]` : `${name}.${key}`);
      }
    }
    return added;
  }
}

function refuse(added: readonly string[]): void {
  if (added.length > 0) {
    throw new Error(`it added ${added.join(", ")}, which all code shares; that was undone`);
  }
}
