/**
 * A plugin that runs in a process of its own. To the host it is a plugin like any other: its tools, handlers and commands
 * are asked there by messages. A process that hangs or ends takes what it works on with it, and the next order starts
 * another one, within a limit.
 */
import { messageOf, quote } from "../core/errors.ts";
import { EVENTS, type Handler } from "../core/events.ts";
import { isRecord, put } from "../core/json.ts";
import { join, makeFolder, realPath } from "../core/paths.ts";
import { host } from "../core/runtime.ts";
import type { Checked } from "../core/schema.ts";
import type { Place, Subject, Traits } from "../core/tool.ts";
import type { Watchdog } from "../core/watchdog.ts";
import type { CommandContext, ModContext, ModTool, Plugin, WorkContext } from "../sdk.ts";
import type { ProcessGroups } from "../shell/groups.ts";
import type { Bundle } from "./bundle.ts";
import type { Handle } from "./handle.ts";
import { answerTo, FileGate } from "./isolation_context.ts";
import { IsolatedProcess } from "./isolation_process.ts";
import { type Grants, grantsOf, startOf, unfenced } from "./isolation_start.ts";
import type { Answer, ContextFacts, Orders, Registered } from "./isolation_wire.ts";
import type { Found } from "./places.ts";

/** How often its process may end within the time before it is off. */
const MOST_ENDS = 3;
const ENDS_MS = 60_000;
/** Time for a tool to end after its call did. */
const ABORT_MS = 2000;

export interface IsolationParts {
  found: Found;
  bundle: Bundle;
  /** The bundle's script. */
  code: string;
  groups: ProcessGroups;
  storageFolder: string;
  watchdog: Watchdog;
  loadTimeoutMs: number;
  handlerTimeoutMs: number;
  warn(text: string): void;
  /** It isn't started any more. */
  onOff(reason: string): void;
}

/** What an order works with: the call's context, and the files that it may use. */
interface Work {
  context: WorkContext;
  files: FileGate;
}

export class IsolatedPlugin {
  readonly #parts: IsolationParts;
  readonly #name: string;
  readonly #uses: readonly string[];
  readonly #grants: Grants;
  readonly #storage: string;
  #process: IsolatedProcess | undefined;
  #starting: Promise<IsolatedProcess> | undefined;
  /** Work in progress, by the number of its order. */
  readonly #works = new Map<number, Work>();
  #handle: Handle | undefined;
  #options: Record<string, unknown> = {};
  /** What its set-up registered, and what a new process has registered so far. */
  #known: string[] | undefined;
  #adding: string[] = [];
  #isSettingUp = false;
  readonly #removers = new Map<number, () => void>();
  #fault: unknown;
  /** When its process ended, lately. */
  #ends: number[] = [];
  #off: string | undefined;
  #isEnded = false;

  /** Throws a sentence without a subject where it can't run so. */
  constructor(parts: IsolationParts) {
    this.#parts = parts;
    const { found, bundle: { declared }, storageFolder } = parts;
    const how = "write it plainly in the plugin's own file";
    if (declared.name === "") throw new Error(`its name can't be read without running it; ${how}`);
    if (declared.uses === "computed") throw new Error(`its uses can't be read without running it; ${how}`);
    if (declared.uses.includes("secrets:*")) {
      throw new Error("it runs in a process of its own and uses secrets:*; name each secret");
    }
    this.#name = declared.name;
    this.#uses = declared.uses;
    this.#grants = grantsOf(declared.uses, found.entry);
    const storage = join(storageFolder, declared.name);
    makeFolder(storage, 0o700);
    this.#storage = realPath(storage);
  }

  /** What the runtime can't keep it from, in words. */
  get unfenced(): string | undefined {
    return unfenced(this.#grants);
  }

  /** Starts its process and runs its file there. */
  async import(): Promise<Plugin> {
    const { unfenced } = this;
    if (unfenced !== undefined) {
      const { node } = host.builtin<typeof process>("node:process").versions;
      this.#parts.warn(
        `plugin ${
          quote(this.#name)
        } runs in a process of its own, but Node ${node} can't keep it from ${unfenced}`,
      );
    }
    await this.#start();
    return { name: this.#name, uses: this.#uses, setup() {} };
  }

  /** Gives back what disposes it. */
  async setUp(handle: Handle, options: Record<string, unknown>): Promise<() => Promise<void>> {
    this.#handle = handle;
    this.#options = options;
    await this.#setUpIn(this.#process!);
    this.#known = this.#adding;
    if (this.#fault !== undefined) throw this.#fault;
    return () => this.#dispose();
  }

  async #start(): Promise<IsolatedProcess> {
    const { groups, found: { entry }, bundle: { format, needs }, code } = this.#parts;
    const process = this.#process = new IsolatedProcess({
      groups,
      start: startOf(this.#grants, this.#storage),
      hear: (message) => this.#hear(process, message),
      over: (why, asked) => this.#over(process, why, asked),
    });
    if (this.#isEnded) await process.close();
    const told = await process.order("import", { entry, format, code, needsZod: needs.includes("zod") });
    const { name, uses } = isRecord(told) ? told : {};
    if (name !== this.#name || JSON.stringify(uses) !== JSON.stringify(this.#uses)) {
      process.end("its name or its uses are not what its source says");
      throw new Error("its name or its uses are not what its source says");
    }
    return process;
  }

  async #setUpIn(process: IsolatedProcess): Promise<void> {
    this.#adding = [];
    this.#isSettingUp = true;
    await process.order("setup", { options: this.#options, storage: this.#storage }, {
      // What stands on the next line is not of the set-up any more.
      answered: () => this.#isSettingUp = false,
    });
  }

  /** A process that can take orders; a new one where the last one ended. */
  #ready(): Promise<IsolatedProcess> | IsolatedProcess {
    if (this.#off !== undefined) throw new Error(`it is off: ${this.#off}`);
    if (this.#process && !this.#process.isOver && !this.#starting) return this.#process;
    return this.#starting ??= this.#startAgain().finally(() => this.#starting = undefined);
  }

  async #startAgain(): Promise<IsolatedProcess> {
    const { watchdog, loadTimeoutMs } = this.#parts;
    const late = () => {
      const why = `it did not start again within ${loadTimeoutMs} ms`;
      this.#process!.end(why);
      return new Error(why);
    };
    const start = async () => {
      const process = await this.#start();
      await this.#setUpIn(process);
      return process;
    };
    const process = await watchdog.limit(start(), loadTimeoutMs, late);
    if (JSON.stringify(this.#adding) !== JSON.stringify(this.#known)) {
      this.#turnOff("it registered other things when it was started again");
      process.end(this.#off!);
      throw new Error(this.#off);
    }
    return process;
  }

  #over(process: IsolatedProcess, why: string, asked: boolean): void {
    if (process !== this.#process || this.#isEnded) return;
    this.#works.clear();
    const setUp = this.#known?.length ?? 0;
    for (const [number, remove] of [...this.#removers].filter(([number]) => number >= setUp)) {
      this.#removers.delete(number);
      remove();
    }
    if (!this.#known) return;
    const now = host.now();
    this.#ends = [...this.#ends.filter((at) => now - at < ENDS_MS), now];
    if (this.#ends.length > MOST_ENDS) {
      this.#turnOff(`its process ended ${MOST_ENDS + 1} times within a minute; the last time: ${why}`);
    } else if (!asked) {
      this.#parts.warn(`plugin ${quote(this.#name)}: ${why}; it is started again when it is needed`);
    }
  }

  #turnOff(reason: string): void {
    if (this.#off !== undefined) return;
    this.#off = reason;
    this.#parts.onOff(reason);
  }

  /** An order within a handler's time, which starts when there is a process that can take it. */
  async #orderInTime<D extends keyof Orders>(what: D, given: Orders[D]): Promise<unknown> {
    const { watchdog, handlerTimeoutMs } = this.#parts;
    const process = await this.#ready();
    const stop = watchdog.watch(
      handlerTimeoutMs,
      () => process.end(`it did not answer within ${handlerTimeoutMs} ms, so its process was ended`),
    );
    try {
      return await process.order(what, given);
    } finally {
      stop();
    }
  }

  /** An order that ends soon after its call has, or its process does. */
  async #orderFor<D extends "run" | "command">(what: D, given: Orders[D], work: Work): Promise<unknown> {
    const { watchdog } = this.#parts;
    const { signal } = work.context;
    const process = await this.#ready();
    let number = 0;
    let stop = () => {};
    const onAbort = () => {
      process.send({ abort: number });
      stop = watchdog.watch(ABORT_MS, () => process.end("it went on after its call was ended"));
    };
    try {
      return await process.order(what, given, {
        begun: (order) => {
          number = order;
          this.#works.set(order, work);
          signal.addEventListener("abort", onAbort, { once: true });
          if (signal.aborted) queueMicrotask(onAbort);
        },
      });
    } finally {
      stop();
      signal.removeEventListener("abort", onAbort);
      this.#works.delete(number);
    }
  }

  // ─ what it says

  #hear(process: IsolatedProcess, message: Record<string, unknown>): void {
    if (process !== this.#process || this.#isEnded) return;
    try {
      if ("question" in message) void this.#answer(process, message);
      else if ("add" in message) this.#add(message);
      else if ("remove" in message) this.#remove(Number(message.remove));
      else if ("say" in message) this.#say(message);
    } catch (error) {
      if (!this.#known) this.#fault ??= error;
      else this.#parts.warn(`plugin ${quote(this.#name)}: ${messageOf(error)}`);
    }
  }

  async #answer(process: IsolatedProcess, message: Record<string, unknown>): Promise<void> {
    const reply = Number(message.question);
    let answer: Answer;
    try {
      const work = this.#works.get(Number(message.order));
      if (!work) throw new Error("the call that it works on has ended");
      const given = Array.isArray(message.with) ? message.with : [];
      answer = { value: await answerTo(String(message.do), given, work.context, work.files) };
    } catch (error) {
      const { hint } = error as { hint?: unknown };
      answer = { error: { message: messageOf(error), ...(typeof hint === "string" && { hint }) } };
    }
    if (!process.isOver) process.send({ reply, ...answer });
  }

  #say({ say, order, text }: Record<string, unknown>): void {
    const said = String(text);
    const context = this.#works.get(Number(order))?.context;
    if (say === "note") this.#handle?.agent.log(said);
    else if (say === "stray") {
      const { entry } = this.#parts.found;
      this.#parts.warn(`plugin ${quote(this.#name)} (${entry}) failed late: ${said}`);
    } else if (say === "log") context?.log(said);
    else if (say === "output") (context as Partial<ModContext> | undefined)?.output?.(said);
    else if (say === "print") (context as Partial<CommandContext> | undefined)?.print?.(said);
  }

  #remove(number: number): void {
    this.#removers.get(number)?.();
    this.#removers.delete(number);
  }

  // ─ what it registers

  #add({ add, number }: Record<string, unknown>): void {
    if (!isRecord(add) || typeof number !== "number") return;
    const told = JSON.stringify(add);
    if (this.#isSettingUp) {
      this.#adding.push(told);
      // Started again, it registers what is there already, or what its process before took back.
      if (this.#known && (this.#removers.has(number) || this.#known[number] !== told)) return;
    }
    this.#removers.set(number, this.#register(add as unknown as Registered, number));
  }

  #register(added: Registered, number: number): () => void {
    const handle = this.#handle!;
    if (added.kind === "tool") return this.#addTool(handle, added, number);
    if (added.kind === "command") {
      const { name, description } = added;
      const run = (args: readonly string[], context: CommandContext) =>
        this.#orderFor("command", { command: number, args, context: this.#factsOf(context) }, {
          context,
          files: new FileGate(undefined, this.#grants, this.#storage),
        });
      return handle.agent.command({ name, description, run });
    }
    const ask = async (...args: unknown[]) => {
      // That it is off has been told; a gate stays shut all the same.
      if (this.#off !== undefined && !EVENTS[added.event].gate) return undefined;
      return await this.#orderInTime("handle", { handler: number, args }) ?? undefined;
    };
    return handle.addHandler(added.event, ask as Handler["fn"], added.options, true);
  }

  #addTool(handle: Handle, added: Extract<Registered, { kind: "tool" }>, number: number): () => void {
    const { name, description, effect, limit, schema, checks, hasTraits } = added;
    const definition: ModTool = {
      name,
      description,
      run: () => undefined,
      ...(effect && { effect }),
      ...(typeof limit === "number" && { limit }),
      ...(schema && { input: schema }),
    };
    return handle.addTool(definition as ModTool<never>, {
      check: checks
        ? async (args) => checkedBy(await this.#orderInTime("check", { tool: number, args }))
        : undefined,
      traits: hasTraits
        ? async (args, place) =>
          identified(await this.#orderInTime("traits", { tool: number, args, cwd: place.cwd }), place)
        : undefined,
      run: (args, context, traits) =>
        this.#orderFor("run", { tool: number, args, context: this.#factsOf(context) }, {
          context,
          files: new FileGate(traits, this.#grants, this.#storage),
        }),
    });
  }

  #factsOf({ id, cwd, secret }: WorkContext): ContextFacts {
    const secrets: ContextFacts["secrets"] = {};
    for (const use of this.#uses) {
      if (!use.startsWith("secrets:")) continue;
      const name = use.slice("secrets:".length);
      put(secrets, name, secret(name) ?? null);
    }
    return { id, cwd, secrets };
  }

  // ─ its end

  async #dispose(): Promise<void> {
    const process = this.#process;
    if (process && !process.isOver) await process.order("dispose", {});
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    await this.#process?.close();
  }
}

function checkedBy(told: unknown): Checked {
  if (isRecord(told) && told.ok === true && isRecord(told.value)) return { ok: true, value: told.value };
  const issues = isRecord(told) && Array.isArray(told.issues) ? told.issues.filter(isRecord) : [];
  return {
    ok: false,
    issues: issues.map(({ path, message }) => ({ path: String(path ?? ""), message: String(message) })),
  };
}

/** It can't look where links lead, so that is done for it. What isn't sound is refused by whoever takes the traits. */
function identified(told: unknown, { identify }: Place): Traits {
  const { effect, keys, subjects, streams } = (isRecord(told) ? told : {}) as unknown as Traits;
  const real = (key: string) => {
    const [, kind, path] = /^(path|tree):([^]*)$/.exec(key) ?? [];
    return kind === undefined ? key : `${kind}:${identify(path!)}`;
  };
  return {
    effect,
    ...(Array.isArray(keys) && { keys: keys.map((key) => real(String(key))) }),
    ...(Array.isArray(subjects) && {
      subjects: subjects.map((subject: Subject) => {
        const value = String(subject.value);
        return { ...subject, value: subject.kind === "path" ? identify(value) : value };
      }),
    }),
    ...(streams === true && { streams }),
  };
}
