/** Permission rules that limit hooks (`if`). */
import type { HookCall } from "../core/hooks.ts";
import { type Matchers, parseRule, Policy } from "../core/permission.ts";
import type { Effect, Traits } from "../core/tool.ts";

export class HookRules {
  readonly #matchers: Matchers;
  readonly #covers: ReadonlyMap<string, Effect>;
  /** A call's command is taken apart once, however many hooks ask. */
  readonly #ofCalls = new WeakMap<Traits, Matchers>();

  constructor(matchers: Matchers, covers: ReadonlyMap<string, Effect>) {
    this.#matchers = matchers;
    this.#covers = covers;
  }

  /** A hook's own rule fits a call as a deny rule would: one part of a command is enough. */
  fits(text: string, { asked, session }: HookCall): Promise<boolean> {
    const rule = parseRule(text, "deny", session.project);
    return new Policy([rule], this.#of(asked.traits), this.#covers).mayFit(asked);
  }

  #of(traits: Traits): Matchers {
    let matchers = this.#ofCalls.get(traits);
    if (!matchers) {
      const { commandParts } = this.#matchers;
      const read = new Map<string, ReturnType<Matchers["commandParts"]>>();
      matchers = {
        ...this.#matchers,
        commandParts(command, cwd) {
          const key = JSON.stringify([command, cwd]);
          if (!read.has(key)) read.set(key, commandParts(command, cwd));
          return read.get(key);
        },
      };
      this.#ofCalls.set(traits, matchers);
    }
    return matchers;
  }
}
