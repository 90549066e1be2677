/**
 * The host of mods: loads plugins, sets them up in order, keeps what they registered, disposes them in reverse.
 * A plugin that fails disables itself alone.
 */
import { messageOf, nearest, quote, UsageError } from "../core/errors.ts";
import { type EventName, EVENTS, type Handler, type Handlers, inOrder } from "../core/events.ts";
import { join, makeFolder } from "../core/paths.ts";
import type { Registry } from "../core/registry.ts";
import { host } from "../core/runtime.ts";
import { isThenable, type Watchdog } from "../core/watchdog.ts";
import * as sdk from "../sdk.ts";
import type { Agent, ModContext, ModTool, Plugin } from "../sdk.ts";
import { type Bundle, BundleCache } from "./bundle.ts";
import { briefly, type HostModules, loadPlugin, sourceName } from "./load.ts";
import { isEffect, isStrings, isZod, modTool } from "./mod_tool.ts";
import type { Found } from "./places.ts";
import { SharedPrototypes } from "./prototypes.ts";

export type Phase = "build" | "import" | "setup" | "ready" | "disposed" | "disabled";

/** A plugin as `agent mods list` shows it. */
export interface ModStatus {
  name: string;
  path: string;
  place: string;
  state: "ready" | "failed" | "disabled" | "disposed";
  /** Where it failed, and why. */
  phase?: Phase;
  reason?: string;
  uses: readonly string[];
  tools: readonly string[];
  handlers: readonly HandlerStatus[];
  loadMs: number;
}

/** A handler with what narrows it. */
export type HandlerStatus = Pick<Handler, "event" | "tools" | "effect" | "order">;

export interface ModHostParts {
  registry: Registry;
  watchdog: Watchdog;
  cacheFolder: string;
  storageFolder: string;
  loadTimeoutMs: number;
  options: Readonly<Record<string, unknown>>;
  required: readonly string[];
  exec(command: string, cwd: string, signal: AbortSignal): ReturnType<ModContext["exec"]>;
  /** A diagnostic for people. */
  warn(text: string): void;
  /** What a plugin has to say to people. */
  note(text: string): void;
}

interface Loaded {
  found: Found;
  bundle?: Bundle;
  plugin?: Plugin;
  phase: Phase;
  reason?: string;
  tools: string[];
  handlers: Handler[];
  removers: (() => void)[];
  dispose?: (() => unknown) | undefined;
  /** Its handle may be used. */
  alive: boolean;
  /** Has a tool whose schema is zod's, wherever that came from. */
  bringsZod?: boolean;
  loadMs: number;
}

export class ModHost {
  readonly #parts: ModHostParts;
  readonly #cache: BundleCache;
  readonly #modules: HostModules = { agent: sdk };
  readonly #prototypes: SharedPrototypes;
  #loaded: Loaded[] = [];

  constructor(parts: ModHostParts) {
    this.#parts = parts;
    this.#cache = new BundleCache(parts.cacheFolder, parts.warn);
    this.#prototypes = new SharedPrototypes((added) =>
      parts.warn(`a plugin added ${added}, which all code shares; that was undone`)
    );
  }

  /** Builds and imports all plugins at once and sets them up one after another, in the order given. */
  async load(found: readonly Found[]): Promise<void> {
    this.#loaded = found.map((one) => ({
      found: one,
      phase: "build",
      tools: [],
      handlers: [],
      removers: [],
      alive: true,
      loadMs: 0,
    }));
    await Promise.all(this.#loaded.map((one) => this.#bring(one)));
    this.#cache.save();
    for (const one of this.#loaded) {
      if (one.alive && one.phase !== "disabled") await this.#guard(one, () => this.#setUp(one), true);
    }
    this.#checkRequired();
    this.#reportFilters();
  }

  /** Everything registered, in running order; a snapshot. */
  handlers(): Handlers {
    const all = this.#loaded.flatMap((one) => one.handlers);
    const entries = (Object.keys(EVENTS) as EventName[]).map((event) =>
      [event, Object.freeze(inOrder(all.filter((handler) => handler.event === event)))] as const
    );
    return Object.freeze(Object.fromEntries(entries)) as unknown as Handlers;
  }

  list(): ModStatus[] {
    return this.#loaded.map((one) => {
      const { found, phase, reason, tools, handlers, plugin, loadMs } = one;
      const state = reason !== undefined
        ? "failed"
        : phase === "disabled" || phase === "disposed"
        ? phase
        : "ready";
      return {
        name: plugin?.name ?? found.name,
        path: found.entry,
        place: found.place,
        state,
        ...(reason !== undefined && { phase, reason }),
        uses: plugin?.uses ?? [],
        tools,
        handlers: handlers.map(({ mod: _, fn: __, ...status }) => status),
        loadMs,
      };
    });
  }

  /** Disposes all plugins, the last first. Their handles say "stale" from here on. */
  async dispose(): Promise<void> {
    for (const one of [...this.#loaded].reverse()) {
      if (!one.alive) continue;
      await this.#retire(one, "disposed");
    }
  }

  /** A late rejection, or a throw in a timer: pinned on its plugin where the stack tells. */
  reportStray(error: unknown): void {
    const stack = error instanceof Error ? error.stack ?? "" : "";
    // A line's number stands behind the name on Node, `, <anonymous>` on Deno.
    const one = this.#loaded.find(({ found, bundle }) =>
      bundle && [":", ","].some((end) => stack.includes(sourceName(found.entry, bundle) + end))
    );
    const who = one
      ? `plugin ${quote(one.plugin?.name ?? one.found.name)} (${one.found.entry})`
      : "a plugin, or a library of one,";
    this.#parts.warn(`${who} failed late: ${messageOf(error)}`);
  }

  /** Everything up to the setup. A plugin that is switched off by its file's name isn't even built. */
  async #bring(one: Loaded): Promise<void> {
    if (this.#isOff(one.found.name)) {
      one.phase = "disabled";
      return;
    }
    await this.#guard(one, async () => {
      one.bundle = await this.#cache.bundle(one.found);
    });
    if (one.alive) await this.#guard(one, () => this.#import(one, one.bundle!), true);
  }

  async #import(one: Loaded, bundle: Bundle): Promise<void> {
    one.phase = "import";
    const plugin = await loadPlugin(one.found.entry, bundle, this.#cache, this.#modules, this.#prototypes);
    if (one.alive) one.plugin = plugin;
  }

  async #setUp(one: Loaded): Promise<void> {
    one.phase = "setup";
    const plugin = one.plugin!;
    if (this.#isOff(plugin.name)) {
      one.phase = "disabled";
      return;
    }
    const twin = this.#loaded.find((other) =>
      other !== one && other.phase === "ready" && other.plugin?.name === plugin.name
    );
    if (twin) throw new Error(`a plugin of that name is loaded already, from ${twin.found.entry}`);
    const options = optionsFor(plugin, this.#optionsOf(plugin.name));
    const returned: unknown = await this.#prototypes.watch(() => plugin.setup(this.#handle(one), options));
    if (typeof returned === "function") one.dispose = returned as () => unknown;
    // Too late: it was taken out, and what it holds is let go.
    if (!one.alive) return await this.#retire(one, one.phase);
    if (one.bringsZod) this.#modules.zod ??= await import("zod");
    one.phase = "ready";
  }

  #optionsOf(name: string): unknown {
    const { options } = this.#parts;
    return Object.hasOwn(options, name) ? options[name] : undefined;
  }

  #isOff(name: string): boolean {
    const given = this.#optionsOf(name);
    return isRecord(given) && given.enabled === false;
  }

  /** Runs a step of loading; a failure takes the plugin out and names it. `limited`: the plugin's own code runs. */
  async #guard(one: Loaded, step: () => Promise<void>, limited = false): Promise<void> {
    const { watchdog, loadTimeoutMs, warn } = this.#parts;
    const started = host.now();
    const late = () => new Error(`it did not finish within ${loadTimeoutMs} ms`);
    try {
      await (limited ? watchdog.limit(step(), loadTimeoutMs, late) : step());
    } catch (error) {
      one.reason = briefly(error);
      const phase = one.phase;
      await this.#retire(one, phase);
      const name = one.plugin?.name ?? one.found.name;
      warn(`plugin ${quote(name)} is off: ${phase} failed: ${one.reason} (${one.found.entry})`);
    } finally {
      one.loadMs = Math.round((one.loadMs + host.now() - started) * 100) / 100;
    }
  }

  /** Nothing of it runs any more from here on; its handle may be used until its disposal has ended. */
  async #retire(one: Loaded, phase: Phase): Promise<void> {
    const { watchdog, loadTimeoutMs, warn } = this.#parts;
    const { dispose } = one;
    one.phase = phase;
    one.dispose = undefined;
    withdraw(one);
    try {
      const work = dispose?.();
      const limit = Math.min(loadTimeoutMs, 2000);
      if (isThenable(work)) {
        await watchdog.limit(work, limit, () => new Error(`it did not finish within ${limit} ms`));
      }
    } catch (error) {
      warn(`plugin ${quote(one.plugin!.name)}: disposal failed: ${briefly(error)} (${one.found.entry})`);
    }
    one.alive = false;
    withdraw(one);
  }

  #handle(one: Loaded): Agent {
    const { name, uses = [] } = one.plugin!;
    const { registry, storageFolder, note, exec } = this.#parts;
    const alive = () => {
      if (!one.alive) {
        throw new Error(`the handle of plugin ${quote(name)} is stale: the plugin was disposed`);
      }
    };
    const remover = (remove: () => void) => {
      one.removers.push(remove);
      return remove;
    };
    return Object.freeze({
      name,
      get storage() {
        alive();
        const folder = join(storageFolder, name);
        makeFolder(folder, 0o700);
        return folder;
      },
      tool: (definition: ModTool<never>) => {
        alive();
        const zod = () => this.#modules.zod;
        const tool = modTool(definition, { mod: name, source: one.found.entry, uses, alive, zod, exec });
        one.bringsZod ||= isZod(definition.input);
        const { name: added } = tool.tool;
        const remove = registry.add(tool);
        one.tools.push(added);
        return remover(() => {
          remove();
          one.tools = one.tools.filter((other) => other !== added);
        });
      },
      on: (event: EventName, fn: Handler["fn"], options: sdk.HandlerOptions = {}) => {
        alive();
        if (!Object.hasOwn(EVENTS, event)) throw new Error(`there is no event ${quote(String(event))}`);
        if (typeof fn !== "function") throw new Error(`the handler for ${event} is not a function`);
        if (EVENTS[event].declared && !uses.includes(event)) {
          throw new Error(`it listens to ${event} without declaring it: add "${event}" to uses`);
        }
        const handler = { event, mod: name, fn, ...filterOf(event, options) } as Handler;
        one.handlers.push(handler);
        return remover(() => {
          one.handlers = one.handlers.filter((other) => other !== handler);
        });
      },
      log: (message: string) => {
        alive();
        note(`${name}: ${message}`);
      },
    }) as unknown as Agent;
  }

  /** A filter that fits no tool guards nothing, which its author should know. */
  #reportFilters(): void {
    const known = this.#parts.registry.names();
    for (const { found, plugin, handlers } of this.#loaded) {
      const unknown = new Set(handlers.flatMap(({ tools = [] }) => tools.filter((name) => !known.has(name))));
      for (const name of unknown) {
        if (name.startsWith("mcp__")) continue;
        const near = nearest(name, known, 1)[0];
        this.#parts.warn(
          `plugin ${quote(plugin!.name)}: the filter ${quote(name)} fits no known tool${
            near ? `; did you mean ${near}?` : ""
          } (${found.entry})`,
        );
      }
    }
  }

  #checkRequired(): void {
    for (const name of this.#parts.required) {
      const one = this.#loaded.find(({ plugin, found }) => (plugin?.name ?? found.name) === name);
      if (one?.phase === "ready") continue;
      const why = one ? one.reason ?? "it is disabled" : "no such plugin was found";
      throw new UsageError(
        `Cannot start without the required plugin ${quote(name)}: ${why}`,
        "see agent mods list",
      );
    }
  }
}

/** Takes out all that a plugin registered. */
function withdraw(one: Loaded): void {
  for (const remove of one.removers.splice(0).reverse()) remove();
  one.handlers = [];
}

/** The options of a handler, checked: plugins needn't have been compiled against their types. */
function filterOf(
  event: EventName,
  options: sdk.HandlerOptions,
): Pick<Handler, "tools" | "effect" | "order"> {
  const { tools, effect, order } = options;
  const wrong = (what: string, allowed: string) =>
    new Error(`${what} of a handler for ${event} is not ${allowed}`);
  if (!EVENTS[event].call && (tools ?? effect) !== undefined) {
    throw new Error(`a handler for ${event} can't be narrowed to tools or an effect: it is given no call`);
  }
  if (tools !== undefined && !isStrings(tools)) throw wrong("tools", "a list of names");
  if (effect !== undefined && !isEffect(effect)) throw wrong("effect", "read, write or run");
  if (order !== undefined && order !== "early" && order !== "late") throw wrong("order", "early or late");
  return { ...(tools && { tools: [...tools] }), ...(effect && { effect }), order: order ?? "normal" };
}

function optionsFor(plugin: Plugin, given: unknown = {}): Record<string, unknown> {
  if (!isRecord(given)) throw new Error("its options are wrong: not an object");
  const { enabled: _, ...options } = given;
  if (!plugin.options) return options;
  const parsed = plugin.options.safeParse(options);
  if (!parsed.success) throw new Error(`its options are wrong: ${faultsOf(parsed.error)}`);
  return parsed.data as Record<string, unknown>;
}

/** zod's message is its list of issues as JSON; people get them in words. */
function faultsOf(
  error: { message: string; issues?: readonly { path: PropertyKey[]; message: string }[] } = { message: "" },
) {
  const issues = error.issues?.map(({ path, message }) =>
    [path.map(String).join("."), message].join(" ").trim()
  );
  return issues?.join("; ") ?? messageOf(error);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
