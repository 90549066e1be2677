/** Ways for a script to end the process that it runs in. A plugin that takes one gets an error instead. */
import { host } from "../core/runtime.ts";

type Fn = (...args: unknown[]) => unknown;

/** Keys of `process` and `Deno` that end the process, with what stands in their place. */
const ENDS: Record<string, (name: string, original: () => Fn) => Fn> = {
  exit: refusal,
  abort: refusal,
  // Node's own `exit` comes by here, once it has begun.
  reallyExit: (name, original) =>
    function (this: unknown, ...args) {
      const begun = (this as { _exiting?: boolean } | undefined)?._exiting === true;
      return begun ? Reflect.apply(original(), this, args) : refusal(name)();
    },
  kill: (name, original) =>
    function (this: unknown, ...args) {
      return isOwn(args[0]) && args[1] !== 0 ? refusal(name)() : Reflect.apply(original(), this, args);
    },
};

/** What stands in the place of `object[key]`, if that ends the process. */
export function insteadOf(key: PropertyKey, name: string, original: () => Fn): Fn | undefined {
  return typeof key === "string" && Object.hasOwn(ENDS, key) ? ENDS[key]!(name, original) : undefined;
}

/**
 * Makes them errors for all code but the host's own `exit`, also where a script comes by them through `globalThis`;
 * returns what undoes it. For a process that is ours.
 */
export function forbidExits(): () => void {
  const undo: (() => void)[] = [];
  const define = (object: object, key: string, make: (found: PropertyDescriptor) => PropertyDescriptor) => {
    const found = Object.getOwnPropertyDescriptor(object, key);
    if (!found?.configurable) return;
    Object.defineProperty(object, key, { configurable: true, enumerable: found.enumerable!, ...make(found) });
    undo.push(() => Object.defineProperty(object, key, found));
  };
  const guard = (object: object, name: string) => {
    for (const key of Object.keys(ENDS)) {
      define(object, key, (found) => {
        const original = () => (found.get ? found.get.call(object) : found.value) as Fn;
        return { writable: true, value: insteadOf(key, `${name}.${key}`, original) };
      });
    }
  };
  if (host.name === "node") guard(globalThis.process, "process");
  else {
    guard((globalThis as unknown as { Deno: object }).Deno, "Deno");
    // Loading `process` takes long there, so it is guarded when somebody asks for it.
    let guarded = false;
    define(globalThis, "process", (found) => ({
      get() {
        const process: object = found.get ? found.get.call(globalThis) : found.value;
        if (!guarded) guard(process, "process");
        guarded = true;
        return process;
      },
      set: found.set,
    }));
  }
  return () => {
    for (const one of undo.splice(0).reverse()) one();
  };
}

function refusal(name: string): Fn {
  return () => {
    throw new Error(`${name} was called; a plugin may not end the process`);
  };
}

/** The process itself, or a group that it may be in. */
function isOwn(pid: unknown): boolean {
  return [host.pid, 0, -1, -host.pid].includes(Number(pid));
}
