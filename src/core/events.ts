/**
 * The events that mods listen to: one typed table. For each event its payload, its kind, and what a handler may
 * answer, so that a wrong answer doesn't compile. Each kind has one short runner.
 */
import { AgentError, messageOf } from "./errors.ts";
import type { Family } from "./face.ts";
import { isRecord, isStrings } from "./json.ts";
import type { Result } from "./result.ts";
import { host } from "./runtime.ts";
import type { Block, Effect, Output, Traits } from "./tool.ts";
import { isThenable, type Watchdog } from "./watchdog.ts";

/** A call as handlers see it: frozen, with the arguments in the tool's canonical form. */
export interface ModCall {
  readonly id: string;
  /** The id of the call that made this one. */
  readonly parent?: string;
  /** The name as the model called it. */
  readonly name: string;
  /** The canonical name; the name itself for tools without one. `""` for an unknown tool. */
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly face: { readonly args: unknown };
  /** What the call does; absent where it was unknown or malformed. */
  readonly traits?: Traits;
  readonly family: Family | undefined;
  readonly cwd: string;
  /** The call will stop before it runs. */
  readonly dryRun: boolean;
  /** True where the call reads or writes a path that `glob` matches, and for a call that may touch anything. */
  touches(glob: string): boolean;
}

/** A result as handlers see it: frozen, with its text in one piece. */
export type ModResult = Readonly<Result> & { readonly text: string };

/** What a handler may put in a result's place. */
export type ResultLike = string | readonly Block[] | Output;

export interface SurfaceTool {
  readonly name: string;
  readonly description: string;
}

type Chain<Args extends readonly unknown[], Answer> = { kind: "chain"; args: Args; answer: Answer };
type First<Args extends readonly unknown[], Answer> = { kind: "first"; args: Args; answer: Answer };
type Notify<Args extends readonly unknown[]> = { kind: "notify"; args: Args; answer: never };

/** The table. `chain`: each answer changes what the next handler sees. `first`: the first answer ends it. */
export interface Events {
  session_start: Notify<[session: { id: string; cwd: string; source: string }]>;
  session_end: Notify<[session: { id: string; reason: string }]>;
  turn_start: Notify<[turn: { id: string; family: Family; toolset: string }]>;
  turn_end: Notify<[turn: { id: string }]>;
  /** Rewrite the arguments, answer in the tool's place, or refuse. An answer or a refusal ends the chain. */
  tool_start: Chain<
    [call: ModCall],
    { args: Record<string, unknown> } | { result: ResultLike } | { deny: string }
  >;
  permission: First<[call: ModCall], { deny: string }>;
  tool_output: Notify<[call: ModCall, output: { stream: "stdout" | "stderr"; text: string }]>;
  tool_end: Chain<[call: ModCall, result: ModResult], { result: ResultLike }>;
  /** Hide or redescribe tools before the surface is hashed and published. */
  surface: Chain<[tools: readonly SurfaceTool[]], { hide?: string[]; describe?: Record<string, string> }>;
  notice: Notify<[notice: { source: string; text: string }]>;
}

export type EventName = keyof Events;
export type Answer<E extends EventName> = Events[E]["answer"] | void | undefined;
export type HandlerFn<E extends EventName> = (...args: Events[E]["args"]) => Answer<E> | Promise<Answer<E>>;

/** What is known of an event at run time. */
interface EventFacts<E extends EventName> {
  kind: Events[E]["kind"];
  /** A handler that breaks refuses the call. */
  gate?: true;
  /** Handed over only to plugins that name it in their `uses`. */
  declared?: true;
  /** Its payload starts with the call, so handlers can be narrowed by tools and effect. */
  call?: true;
}

export const EVENTS: { readonly [E in EventName]: EventFacts<E> } = {
  session_start: { kind: "notify" },
  session_end: { kind: "notify" },
  turn_start: { kind: "notify" },
  turn_end: { kind: "notify" },
  tool_start: { kind: "chain", call: true, gate: true },
  permission: { kind: "first", call: true, gate: true, declared: true },
  tool_output: { kind: "notify", call: true },
  tool_end: { kind: "chain", call: true },
  surface: { kind: "chain", declared: true },
  notice: { kind: "notify" },
};

/** One registered handler. */
export interface Handler<E extends EventName = EventName> {
  readonly event: E;
  readonly mod: string;
  readonly fn: HandlerFn<E>;
  /** Names of tools, any face's; absent means all. */
  readonly tools?: readonly string[];
  readonly effect?: Effect;
  readonly order: "early" | "normal" | "late";
  /** Whoever runs it elsewhere looks after its time. */
  readonly ownLimit?: true;
}

/** All handlers of a turn, in the order in which they run. */
export type Handlers = { readonly [E in EventName]: readonly Handler<E>[] };

/** A handler that broke its promise: it threw, took too long, or gave an answer the table doesn't allow. */
export class HandlerFault extends AgentError {
  readonly mod: string;
  readonly event: EventName;
  constructor(mod: string, event: EventName, what: string) {
    super(`Plugin "${mod}" failed in ${event}: ${what}`);
    this.mod = mod;
    this.event = event;
  }
}

export interface HandlerLimits {
  watchdog: Watchdog;
  timeoutMs: number;
  /** Told of every fault; at a gate it is thrown as well. */
  report(fault: HandlerFault): void;
  /** Told how long each handler took, in milliseconds. */
  took?(handler: Handler, ms: number): void;
}

/**
 * Runs one handler within the limit and checks its answer. An answer that is there at once comes back at once: most
 * handlers are plain functions, and a promise for each would cost more than they do. Faults are `HandlerFault`s.
 */
function ask<E extends EventName>(
  handler: Handler<E>,
  args: Events[E]["args"],
  limits: HandlerLimits,
): Asked<E> | Promise<Asked<E>> {
  const started = limits.took ? host.now() : 0;
  try {
    const answer: unknown = handler.fn(...args);
    if (!isThenable(answer)) {
      limits.took?.(handler, host.now() - started);
      return checked(handler, answer);
    }
    const late = () => new Error(`it did not answer within ${limits.timeoutMs} ms`);
    const within = handler.ownLimit
      ? Promise.resolve(answer)
      : limits.watchdog.limit(answer, limits.timeoutMs, late);
    return within
      .finally(() => limits.took?.(handler, host.now() - started))
      .then((value) => checked(handler, value))
      .catch((error) => fail(handler, error, limits));
  } catch (error) {
    return fail(handler, error, limits);
  }
}

type Asked<E extends EventName> = Events[E]["answer"] | undefined;

function checked<E extends EventName>(handler: Handler<E>, answer: unknown): Asked<E> {
  if (answer === undefined || answer === null || EVENTS[handler.event].kind === "notify") return undefined;
  return readAnswer(handler.event, answer) as Events[E]["answer"];
}

function fail<E extends EventName>(handler: Handler<E>, error: unknown, limits: HandlerLimits): never {
  const fault = new HandlerFault(handler.mod, handler.event, messageOf(error));
  limits.report(fault);
  throw fault;
}

/**
 * `chain`: `argsNow` gives a handler the newest value (or `undefined` to pass it over), `fold` takes its answer in and
 * returns `true` to end the chain. At a gate a fault ends it with an error; elsewhere the chain goes on without that
 * handler.
 */
export async function runChain<E extends EventName>(
  handlers: readonly Handler<E>[],
  limits: HandlerLimits,
  argsNow: (handler: Handler<E>) => Events[E]["args"] | undefined,
  fold: (answer: NonNullable<Events[E]["answer"]>, handler: Handler<E>) => true | void | Promise<true | void>,
): Promise<void> {
  for (const handler of handlers) {
    const args = argsNow(handler);
    if (args === undefined) continue;
    let answer: Asked<E>;
    try {
      const asked = ask(handler, args, limits);
      answer = isThenable(asked) ? await asked : asked;
    } catch (fault) {
      if (EVENTS[handler.event].gate) throw fault;
      continue;
    }
    if (answer === undefined) continue;
    const folded = fold(answer as NonNullable<Asked<E>>, handler);
    if (isThenable(folded) ? await folded : folded) return;
  }
}

/** `notify`: each in turn; a fault is reported and nothing else. */
export async function runNotify<E extends EventName>(
  handlers: readonly Handler<E>[],
  limits: HandlerLimits,
  args: Events[E]["args"],
  wanted: (handler: Handler<E>) => boolean = () => true,
): Promise<void> {
  for (const handler of handlers) {
    if (!wanted(handler)) continue;
    try {
      await ask(handler, args, limits);
    } catch {
      // Reported already.
    }
  }
}

/**
 * An answer as the table has it, for handlers that weren't compiled against it; throws what is wrong with it. Its
 * fields are read here, once: a getter that throws later would harm the call and not its plugin.
 */
function readAnswer(event: EventName, answer: unknown): Record<string, unknown> {
  if (!isRecord(answer)) {
    throw new Error(`it answered ${Array.isArray(answer) ? "a list" : `a ${typeof answer}`}, not an object`);
  }
  const allowed: Fields = (Object.hasOwn(ANSWERS, event) && ANSWERS[event]) || {};
  const names = () => Object.keys(allowed).join(", ");
  // Without a prototype, which might have been given an answer.
  const read: Record<string, unknown> = Object.create(null);
  const keys = Object.keys(answer);
  for (const key of keys) {
    if (!Object.hasOwn(allowed, key)) throw new Error(`its answer has "${key}"; allowed: ${names()}`);
    const { is, what } = allowed[key]!;
    const value = answer[key];
    if (!is(value)) throw new Error(`its ${key} is not ${what}`);
    read[key] = value;
  }
  if (event !== "surface" && keys.length !== 1) {
    throw new Error(`its answer must have exactly one of ${names()}`);
  }
  return read;
}

type Fields = Readonly<Record<string, { is(value: unknown): boolean; what: string }>>;

const DENY = { is: isString, what: "a string" };
const RESULT = {
  is: (value: unknown) =>
    typeof value === "string" || (typeof value === "object" && value !== null && isJson(value)),
  what: "a string, blocks or an object of JSON",
};

/** What each event's answer may hold. */
const ANSWERS: { readonly [E in EventName]?: Fields } = {
  tool_start: { args: { is: isRecord, what: "an object" }, result: RESULT, deny: DENY },
  permission: { deny: DENY },
  tool_end: { result: RESULT },
  surface: {
    hide: { is: isStrings, what: "a list of names" },
    describe: {
      is: (value) => isRecord(value) && Object.values(value).every(isString),
      what: "an object of descriptions",
    },
  },
};

function isString(value: unknown): value is string {
  return typeof value === "string";
}

function isJson(value: object): boolean {
  try {
    JSON.stringify(value);
    return true;
  } catch {
    return false;
  }
}

/** Sorts by early, normal, late; within those the order of registration stays. */
export function inOrder<E extends EventName>(handlers: readonly Handler<E>[]): Handler<E>[] {
  const rank = { early: 0, normal: 1, late: 2 };
  return [...handlers].sort((a, b) => rank[a.order] - rank[b.order]);
}

/** No handlers at all: what a turn without mods has. */
export const NO_HANDLERS: Handlers = Object.freeze(
  Object.fromEntries(Object.keys(EVENTS).map((event) => [event, Object.freeze([])])),
) as unknown as Handlers;
