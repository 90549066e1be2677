/**
 * The host of mods: loads plugins, sets them up in order, keeps what they registered, disposes them in reverse.
 * A plugin that fails disables itself alone.
 */
import { messageOf, quote, UsageError } from "../core/errors.ts";
import { type EventName, EVENTS, type Handler, type Handlers, inOrder } from "../core/events.ts";
import { join, makeFolder } from "../core/paths.ts";
import type { Registry } from "../core/registry.ts";
import { host } from "../core/runtime.ts";
import { isThenable, type Watchdog } from "../core/watchdog.ts";
import * as sdk from "../sdk.ts";
import type { Agent, ModContext, ModTool, Plugin } from "../sdk.ts";
import { BundleCache } from "./bundle.ts";
import { briefly, type HostModules, loadPlugin } from "./load.ts";
import { modTool } from "./mod_tool.ts";
import type { Found } from "./places.ts";

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
  events: readonly EventName[];
  loadMs: number;
}

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
}

interface Loaded {
  found: Found;
  plugin?: Plugin;
  phase: Phase;
  reason?: string;
  tools: string[];
  handlers: Handler[];
  removers: (() => void)[];
  dispose?: () => unknown;
  alive: boolean;
  loadMs: number;
}

/** Events that are handed over only where they are declared. */
const DECLARED: Partial<Record<EventName, string>> = { permission: "permission", surface: "surface" };

export class ModHost {
  readonly #parts: ModHostParts;
  readonly #cache: BundleCache;
  readonly #modules: HostModules = { agent: sdk };
  #loaded: Loaded[] = [];

  constructor(parts: ModHostParts) {
    this.#parts = parts;
    this.#cache = new BundleCache(parts.cacheFolder);
  }

  /** Loads all plugins at once and sets them up one after another, in the order given. */
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
    await Promise.all(this.#loaded.map((one) => this.#guard(one, () => this.#import(one))));
    this.#cache.save();
    for (const one of this.#loaded) {
      if (one.reason === undefined && one.phase !== "disabled") {
        await this.#guard(one, () => this.#setUp(one));
      }
    }
    this.#checkRequired();
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
        events: [...new Set(handlers.map(({ event }) => event))],
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

  /** The plugin whose script appears in an error's stack. */
  ownerOf(stack: string): string | undefined {
    const one = this.#loaded.find(({ found }) => stack.includes(found.entry));
    return one && `${quote(one.plugin?.name ?? one.found.name)} (${one.found.entry})`;
  }

  async #import(one: Loaded): Promise<void> {
    const bundle = await this.#cache.bundle(one.found);
    one.phase = "import";
    one.plugin = await loadPlugin(one.found.entry, bundle, this.#cache, this.#modules);
  }

  async #setUp(one: Loaded): Promise<void> {
    one.phase = "setup";
    const plugin = one.plugin!;
    const twin = this.#loaded.find((other) =>
      other !== one && other.phase === "ready" && other.plugin?.name === plugin.name
    );
    if (twin) throw new Error(`a plugin of that name is loaded already, from ${twin.found.entry}`);
    const given = this.#parts.options[plugin.name];
    if (isRecord(given) && given.enabled === false) {
      one.phase = "disabled";
      return;
    }
    const dispose = plugin.setup(this.#handle(one), optionsFor(plugin, given));
    const returned = isThenable(dispose) ? await dispose : dispose;
    if (typeof returned === "function") one.dispose = returned as () => unknown;
    one.phase = "ready";
  }

  /** Runs a step of loading within the time limit; a failure takes the plugin out and names it. */
  async #guard(one: Loaded, step: () => Promise<void>): Promise<void> {
    const { watchdog, loadTimeoutMs, warn } = this.#parts;
    const started = host.now();
    try {
      await watchdog.limit(
        step(),
        loadTimeoutMs,
        () => new Error(`it did not finish within ${loadTimeoutMs} ms`),
      );
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

  async #retire(one: Loaded, phase: Phase): Promise<void> {
    one.alive = false;
    one.phase = phase;
    for (const remove of one.removers.splice(0).reverse()) remove();
    one.handlers = [];
    if (!one.dispose) return;
    const { watchdog, loadTimeoutMs, warn } = this.#parts;
    try {
      const work = one.dispose();
      const limit = Math.min(loadTimeoutMs, 2000);
      if (isThenable(work)) {
        await watchdog.limit(work, limit, () => new Error(`it did not finish within ${limit} ms`));
      }
    } catch (error) {
      warn(`plugin ${quote(one.plugin!.name)}: disposal failed: ${briefly(error)} (${one.found.entry})`);
    }
  }

  #handle(one: Loaded): Agent {
    const { name, uses = [] } = one.plugin!;
    const { registry, storageFolder, warn, exec } = this.#parts;
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
        const zod = this.#modules.zod;
        const tool = modTool(definition, { mod: name, source: one.found.entry, uses, alive, zod, exec });
        one.tools.push(tool.tool.name);
        return remover(registry.add(tool));
      },
      on: (event: EventName, fn: Handler["fn"], options: sdk.HandlerOptions = {}) => {
        alive();
        if (!Object.hasOwn(EVENTS, event)) throw new Error(`there is no event ${quote(String(event))}`);
        if (typeof fn !== "function") throw new Error(`the handler for ${event} is not a function`);
        const declared = DECLARED[event];
        if (declared !== undefined && !uses.includes(declared)) {
          throw new Error(`it listens to ${event} without declaring it: add "${declared}" to uses`);
        }
        const { tools, effect, order = "normal" } = options;
        const handler = { event, mod: name, fn, tools, effect, order } as Handler;
        one.handlers.push(handler);
        return remover(() => {
          one.handlers = one.handlers.filter((other) => other !== handler);
        });
      },
      log: (message: string) => warn(`${name}: ${message}`),
    }) as unknown as Agent;
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

function optionsFor(plugin: Plugin, given: unknown): Record<string, unknown> {
  const { enabled: _, ...options } = isRecord(given) ? given : {};
  if (!plugin.options) return options;
  const parsed = plugin.options.safeParse(options);
  if (!parsed.success) throw new Error(`its options are wrong: ${messageOf(parsed.error)}`);
  return parsed.data as Record<string, unknown>;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
