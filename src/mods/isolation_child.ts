/**
 * The program of a plugin's own process: runs its bundle, tells what it registers, and carries out the host's orders. What
 * it may do is settled by how it was started; what it asks of a call is the host's to give.
 */
import { messageOf } from "../core/errors.ts";
import { copy, deepFreeze, isRecord, NotJson } from "../core/json.ts";
import { resolvePath } from "../core/paths.ts";
import { host } from "../core/runtime.ts";
import type { JsonSchema } from "../core/schema.ts";
import type { Place } from "../core/tool.ts";
import { CallView } from "../core/views.ts";
import type { EventName } from "../core/events.ts";
import * as sdk from "../sdk.ts";
import type {
  Agent,
  CommandContext,
  HandlerOptions,
  ModCommand,
  ModContext,
  ModTool,
  Plugin,
} from "../sdk.ts";
import { compileGlob } from "./glob.ts";
import { ChildContext } from "./isolation_child_context.ts";
import {
  type Answer,
  type FromChild,
  MOST_LINE,
  type Order,
  type Orders,
  type Registered,
} from "./isolation_wire.ts";
import { isZod, ZodInput } from "./mod_tool.ts";
import { checkedOptions } from "./plugin_options.ts";
import { checkPlugin, dataUrl, type HostModules, runBundle } from "./run_bundle.ts";

interface OwnTool {
  definition: ModTool;
  zod: ZodInput | undefined;
}

class PluginProcess {
  readonly #modules: HostModules = { agent: sdk };
  #plugin: Plugin | undefined;
  #dispose: (() => unknown) | undefined;
  #count = 0;
  readonly #tools = new Map<number, OwnTool>();
  readonly #handlers = new Map<number, (...args: unknown[]) => unknown>();
  readonly #commands = new Map<number, ModCommand>();
  /** Work in progress, by the number of its order. */
  readonly #contexts = new Map<number, ChildContext>();
  readonly #questions = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>();
  #asked = 0;

  hear(message: Record<string, unknown>): void {
    if (typeof message.order === "number") void this.#obey(message as unknown as Order);
    else if (typeof message.abort === "number") this.#contexts.get(message.abort)?.abort();
    else if (typeof message.reply === "number") this.#settle(message.reply, message as unknown as Answer);
  }

  async #obey({ order, do: what, with: given }: Order): Promise<void> {
    let answer: Answer;
    try {
      const work = this.#works[what] as (given: unknown, order: number) => unknown;
      answer = { value: jsonOf(await work(given, order)) };
    } catch (error) {
      const { hint } = (error ?? {}) as { hint?: unknown };
      answer = { error: { message: messageOf(error), ...(typeof hint === "string" && { hint }) } };
    } finally {
      this.#contexts.delete(order);
    }
    const line = JSON.stringify({ answer: order, ...answer });
    if (line.length < MOST_LINE) return write(line);
    this.send({ answer: order, error: { message: "its answer is larger than 16 MB" } });
  }

  readonly #works: { [D in keyof Orders]: (given: Orders[D], order: number) => unknown } = {
    import: (given) => this.#import(given),
    setup: async ({ options, storage }) => {
      const plugin = this.#plugin!;
      const returned: unknown = await plugin.setup(this.#agent(storage), checkedOptions(plugin, options));
      if (typeof returned === "function") this.#dispose = returned as () => unknown;
    },
    handle: ({ handler, args }) => this.#known(this.#handlers, handler)(...args.map(payload)),
    check: async ({ tool, args }) => await this.#known(this.#tools, tool).zod!.check(args),
    traits: async ({ tool, args, cwd }) => {
      const { definition, zod } = this.#known(this.#tools, tool);
      return definition.traits!(await outputOf(zod, args), placeIn(cwd));
    },
    run: async ({ tool, args, context }, order) => {
      const { definition, zod } = this.#known(this.#tools, tool);
      return await definition.run(
        await outputOf(zod, args),
        this.#context(order, context) as object as ModContext,
      );
    },
    command: ({ command, args, context }, order) =>
      this.#known(this.#commands, command).run(
        args,
        this.#context(order, context) as object as CommandContext,
      ),
    dispose: () => this.#dispose?.(),
  };

  async #import({ entry, format, code, needsZod }: Orders["import"]) {
    if (needsZod) this.#modules.zod ??= await import("zod");
    const runnable = format === "cjs" ? { format, code } as const : { format, url: dataUrl(code) } as const;
    const exported = await runBundle(entry, runnable, this.#modules);
    const { name, uses = [] } = this.#plugin = checkPlugin((exported as { default?: unknown }).default);
    return { name, uses };
  }

  #known<T>(things: ReadonlyMap<number, T>, number: number): T {
    const found = things.get(number);
    if (found === undefined) throw new Error("what was asked for isn't registered any more");
    return found;
  }

  #agent(storage: string): Agent {
    const { name } = this.#plugin!;
    return Object.freeze({
      name,
      storage,
      tool: (definition: ModTool) => {
        const { name, description, effect, limit, input } = definition;
        const zod = isZod(input) ? new ZodInput(input, () => this.#modules.zod) : undefined;
        const registered: Registered = {
          kind: "tool",
          name,
          description,
          effect,
          limit,
          schema: zod ? zod.schema : input as JsonSchema | undefined,
          checks: zod !== undefined,
          hasTraits: definition.traits !== undefined,
        };
        if (typeof definition.run !== "function") {
          throw new Error(`the tool ${JSON.stringify(name)} has no run`);
        }
        return this.#add(registered, this.#tools, { definition, zod });
      },
      on: (event: EventName, fn: (...args: unknown[]) => unknown, options: HandlerOptions = {}) => {
        if (typeof fn !== "function") throw new Error(`the handler for ${String(event)} is not a function`);
        return this.#add({ kind: "handler", event, options }, this.#handlers, fn);
      },
      command: (command: ModCommand) => {
        const { name, description } = command;
        return this.#add({ kind: "command", name, description }, this.#commands, command);
      },
      log: (text: string) => this.send({ say: "note", text: String(text) }),
    }) as unknown as Agent;
  }

  #add<T>(registered: Registered, to: Map<number, T>, thing: T): () => void {
    const number = this.#count++;
    to.set(number, thing);
    const what = `the ${registered.kind} ${
      JSON.stringify("name" in registered ? registered.name : registered.event)
    }`;
    this.send({ add: jsonOf(registered, what) as Registered, number });
    return () => {
      if (to.delete(number)) this.send({ remove: number });
    };
  }

  #context(order: number, facts: Orders["run"]["context"]): ChildContext {
    const context = new ChildContext(facts, placeIn(facts.cwd), {
      ask: (what, given) => this.#ask(order, what, given),
      say: (say, text) => this.send({ say, order, text: String(text) }),
    });
    this.#contexts.set(order, context);
    return context;
  }

  #ask(order: number, what: string, given: unknown[]): Promise<unknown> {
    const question = ++this.#asked;
    return new Promise((resolve, reject) => {
      this.#questions.set(question, { resolve, reject });
      this.send({ question, order, do: what, with: jsonOf(given, `what it gives to ${what}`) as unknown[] });
    });
  }

  #settle(question: number, answer: Answer): void {
    const asked = this.#questions.get(question);
    this.#questions.delete(question);
    if (!("error" in answer)) return asked?.resolve(answer.value);
    const { message, hint } = answer.error;
    asked?.reject(Object.assign(new Error(message), hint !== undefined && { hint }));
  }

  send(message: FromChild): void {
    const line = JSON.stringify(message);
    if (line.length >= MOST_LINE) throw new Error("it is more than 16 MB");
    write(line);
  }
}

function write(line: string): void {
  host.write(1, line + "\n");
}

/** Throws what is wrong with a value that is no JSON. */
function jsonOf(value: unknown, what = "its answer"): unknown {
  try {
    return copy(value);
  } catch (error) {
    throw error instanceof NotJson ? new Error(`${what} ${error.fault}`) : error;
  }
}

/** What a handler is given: a call gets its methods back. */
function payload(value: unknown): unknown {
  deepFreeze(value);
  return isRecord(value) && "tool" in value && "dryRun" in value
    ? new CallView(value as unknown as CallView, compileGlob)
    : value;
}

async function outputOf(zod: ZodInput | undefined, args: unknown): Promise<Record<string, unknown>> {
  if (!zod) return args as Record<string, unknown>;
  const checked = await zod.check(args);
  if (checked.ok) return zod.output(checked.value);
  throw new Error(checked.issues.map(({ path, message }) => `${path} ${message}`.trim()).join("; "));
}

/** Where links lead is found out by the host. */
function placeIn(cwd: string): Place {
  const resolve = (path: string) => resolvePath(cwd, path);
  return { cwd, resolve, identify: resolve, locate: resolve };
}

// Node writes its reports wherever it is told to, past its own permissions.
if (host.name === "node") {
  Object.defineProperty(host.builtin("node:process"), "report", { value: undefined, configurable: false });
}
const plugin = new PluginProcess();
host.onStray((error) => plugin.send({ say: "stray", text: messageOf(error) }));

async function listen(): Promise<void> {
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  for await (const chunk of host.stdin()) {
    for (const [index, part] of decoder.decode(chunk, { stream: true }).split("\n").entries()) {
      if (index > 0) {
        plugin.hear(JSON.parse(pieces.join("")));
        pieces = [];
      }
      pieces.push(part);
    }
  }
  // Whoever started it is gone.
  host.exit(0);
}

void listen();
