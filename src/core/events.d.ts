/**
 * The events that mods listen to: one typed table. For each event its payload, its kind, and what a handler may
 * answer, so that a wrong answer doesn't compile. Each kind has one short runner.
 */
import { AgentError } from "./errors.ts";
import type { Family } from "./face.ts";
import type { Result } from "./result.ts";
import type { Block, Effect, Output, Traits } from "./tool.ts";
import { type Watchdog } from "./watchdog.ts";
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
    readonly face: {
        readonly args: unknown;
    };
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
export type ModResult = Readonly<Result> & {
    readonly text: string;
};
/** What a handler may put in a result's place. */
export type ResultLike = string | readonly Block[] | Output;
export interface SurfaceTool {
    readonly name: string;
    readonly description: string;
}
type Chain<Args extends readonly unknown[], Answer> = {
    kind: "chain";
    args: Args;
    answer: Answer;
};
type First<Args extends readonly unknown[], Answer> = {
    kind: "first";
    args: Args;
    answer: Answer;
};
type Notify<Args extends readonly unknown[]> = {
    kind: "notify";
    args: Args;
    answer: never;
};
/** The table. `chain`: each answer changes what the next handler sees. `first`: the first answer ends it. */
export interface Events {
    session_start: Notify<[session: {
        id: string;
        cwd: string;
        source: string;
    }]>;
    session_end: Notify<[session: {
        id: string;
        reason: string;
    }]>;
    turn_start: Notify<[turn: {
        id: string;
        family: Family;
        toolset: string;
    }]>;
    turn_end: Notify<[turn: {
        id: string;
    }]>;
    /** Rewrite the arguments, answer in the tool's place, or refuse. An answer or a refusal ends the chain. */
    tool_start: Chain<[
        call: ModCall
    ], {
        args: Record<string, unknown>;
    } | {
        result: ResultLike;
    } | {
        deny: string;
    }>;
    permission: First<[call: ModCall], {
        deny: string;
    }>;
    tool_output: Notify<[call: ModCall, output: {
        stream: "stdout" | "stderr";
        text: string;
    }]>;
    tool_end: Chain<[call: ModCall, result: ModResult], {
        result: ResultLike;
    }>;
    /** Hide or redescribe tools before the surface is hashed and published. */
    surface: Chain<[tools: readonly SurfaceTool[]], {
        hide?: string[];
        describe?: Record<string, string>;
    }>;
    notice: Notify<[notice: {
        source: string;
        text: string;
    }]>;
}
export type EventName = keyof Events;
export type Answer<E extends EventName> = Events[E]["answer"] | void | undefined;
export type HandlerFn<E extends EventName> = (...args: Events[E]["args"]) => Answer<E> | Promise<Answer<E>>;
/** The kinds at run time, and whether the event is a gate: a broken gate refuses the call. */
export declare const EVENTS: {
    readonly [E in EventName]: {
        kind: Events[E]["kind"];
        gate?: true;
    };
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
}
/** All handlers of a turn, in the order in which they run. */
export type Handlers = {
    readonly [E in EventName]: readonly Handler<E>[];
};
/** A handler that broke its promise: it threw, took too long, or gave an answer the table doesn't allow. */
export declare class HandlerFault extends AgentError {
    readonly mod: string;
    constructor(mod: string, event: EventName, what: string);
}
export interface HandlerLimits {
    watchdog: Watchdog;
    timeoutMs: number;
    /** Told of every fault; at a gate it is thrown as well. */
    report(fault: HandlerFault): void;
}
/**
 * `chain`: `argsNow` gives a handler the newest value (or `undefined` to pass it over), `fold` takes its answer in and
 * returns `true` to end the chain. At a gate a fault ends it with an error; elsewhere the chain goes on without that
 * handler.
 */
export declare function runChain<E extends EventName>(handlers: readonly Handler<E>[], limits: HandlerLimits, argsNow: (handler: Handler<E>) => Events[E]["args"] | undefined, fold: (answer: NonNullable<Events[E]["answer"]>, handler: Handler<E>) => true | void | Promise<true | void>): Promise<void>;
/** `first`: the first answer, or `undefined`. */
export declare function runFirst<E extends EventName>(handlers: readonly Handler<E>[], limits: HandlerLimits, args: Events[E]["args"], wanted?: (handler: Handler<E>) => boolean): Promise<Events[E]["answer"] | undefined>;
/** `notify`: each in turn; a fault is reported and nothing else. */
export declare function runNotify<E extends EventName>(handlers: readonly Handler<E>[], limits: HandlerLimits, args: Events[E]["args"], wanted?: (handler: Handler<E>) => boolean): Promise<void>;
/** Sorts by early, normal, late; within those the order of registration stays. */
export declare function inOrder<E extends EventName>(handlers: readonly Handler<E>[]): Handler<E>[];
/** No handlers at all: what a turn without mods has. */
export declare const NO_HANDLERS: Handlers;
export {};
