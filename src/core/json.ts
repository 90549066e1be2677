/** JSON data: what counts as such, how deep and how much of it is taken, copies that share nothing. */
import { AgentError } from "./errors.ts";

/** How deep arguments may be nested, and any JSON that leaves: what is deeper breaks whoever reads it. */
export const MOST_DEPTH = 200;
/** How many values one piece of JSON may have. A small object that holds itself twice has 2^200 of them. */
export const MOST_NODES = 1_000_000;

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** Sets an own property whatever its name, `__proto__` included. */
export function put(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else target[key] = value;
}

/** What `copy` throws; `fault` is what is wrong with the value. */
export class NotJson extends AgentError {
  readonly fault: string;
  constructor(fault: string) {
    super(`Cannot use a value as JSON: it ${fault}`);
    this.fault = fault;
  }
}

/** What JSON has no word for. */
export function isForeign(value: unknown): boolean {
  return typeof value === "bigint" || typeof value === "function" || typeof value === "symbol";
}

/** A deep copy of JSON data. Throws `NotJson` for anything else, and for what has no end. */
export function copy(value: unknown): unknown {
  let nodes = 0;
  const visit = (node: unknown, depth: number): unknown => {
    if (++nodes > MOST_NODES) throw new NotJson(`has more than ${MOST_NODES} values, or holds itself`);
    if (isForeign(node)) throw new NotJson(`holds a ${typeof node}`);
    if (typeof node !== "object" || node === null) return node;
    if (depth >= MOST_DEPTH) throw new NotJson(`is nested more than ${MOST_DEPTH} deep, or holds itself`);
    if (Array.isArray(node)) return node.map((item) => visit(item, depth + 1));
    const result: Record<string, unknown> = {};
    for (const key of Object.keys(node)) {
      put(result, key, visit((node as Record<string, unknown>)[key], depth + 1));
    }
    return result;
  };
  return visit(value, 0);
}

/** Freezes JSON data all the way down and returns it. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const key of Object.keys(value)) deepFreeze((value as Record<string, unknown>)[key]);
  }
  return value;
}
