/**
 * Brings plugins from their files to life, each by steps that may fail: build, trust, import, set-up. A plugin that fails
 * disables itself alone.
 */
import { quote } from "../core/errors.ts";
import type { Registry } from "../core/registry.ts";
import { host } from "../core/runtime.ts";
import { isThenable, type Watchdog } from "../core/watchdog.ts";
import * as sdk from "../sdk.ts";
import type { ModContext, Plugin } from "../sdk.ts";
import type { ProcessGroups } from "../shell/groups.ts";
import { type Answerer, askerOf } from "./asker.ts";
import { type Bundle, BundleCache } from "./bundle.ts";
import { type Handle, makeHandle } from "./handle.ts";
import type { IsolatedPlugin } from "./isolation.ts";
import { briefly, loadPlugin } from "./load.ts";
import type { Found } from "./places.ts";
import { checkedOptions, ownOptions, PluginOptions } from "./plugin_options.ts";
import { SharedPrototypes } from "./prototypes.ts";
import { Registrations } from "./registrations.ts";
import type { HostModules } from "./run_bundle.ts";
import type { Phase } from "./status.ts";

export interface LoaderParts {
  registry: Registry;
  watchdog: Watchdog;
  /** For plugins in processes of their own. */
  groups: ProcessGroups;
  cacheFolder: string;
  storageFolder: string;
  loadTimeoutMs: number;
  handlerTimeoutMs: number;
  options: Readonly<Record<string, unknown>>;
  /** What a project says of its own plugins, and of no others. */
  projectOptions?: Readonly<Record<string, unknown>>;
  exec(command: string, cwd: string, signal: AbortSignal): ReturnType<ModContext["exec"]>;
  /** Absent where nobody can be asked. */
  ask?: Answerer | undefined;
  /** A diagnostic for people. */
  warn(text: string): void;
  /** What a plugin has to say to people. */
  note(text: string): void;
}

/** Throws where a plugin isn't what its person trusts; absent where there is nothing to hold it against. */
export type Vouch = ((found: Found, bundle: Bundle) => void) | undefined;

/** One load of all plugins. */
interface Round {
  vouch: Vouch;
  /** The plugin of these files goes on as it was should this one fail. */
  stays(found: Found): boolean;
}

/** One plugin, from its file to its end. */
export interface Loaded {
  found: Found;
  bundle?: Bundle;
  plugin?: Plugin;
  /** Where it runs in a process of its own. */
  isolated?: IsolatedPlugin;
  phase: Phase;
  reason?: string;
  /** Why its new version is off, where it stays as it was. */
  kept?: string;
  registrations: Registrations;
  dispose?: (() => unknown) | undefined;
  /** Its handle may be used. */
  alive: boolean;
  loadMs: number;
}

const DISPOSE_MS = 2000;

export function nameOf({ plugin, found }: Loaded): string {
  return plugin?.name ?? found.name;
}

export class Loader {
  readonly #parts: LoaderParts;
  readonly #cache: BundleCache;
  readonly #options: PluginOptions;
  readonly #modules: HostModules = { agent: sdk };
  readonly #prototypes: SharedPrototypes;

  constructor(parts: LoaderParts) {
    this.#parts = parts;
    this.#cache = new BundleCache(parts.cacheFolder, parts.warn);
    this.#options = new PluginOptions(parts.options, parts.projectOptions);
    this.#prototypes = new SharedPrototypes((added) =>
      parts.warn(`a plugin added ${added}, which all code shares; that was undone`)
    );
  }

  /**
   * Builds and imports all plugins at once and sets them up one after another, in the order given. Nothing that they
   * register is published yet.
   */
  async load(found: readonly Found[], round: Round): Promise<Loaded[]> {
    const loaded = found.map((one): Loaded => ({
      found: one,
      phase: "build",
      registrations: new Registrations(this.#parts.registry),
      alive: true,
      loadMs: 0,
    }));
    await Promise.all(loaded.map((one) => this.#bring(one, round)));
    this.#cache.save();
    for (const one of loaded) {
      if (one.alive && one.phase !== "disabled") {
        await this.#guard(one, round, () => this.#setUp(one, loaded), true);
      }
    }
    return loaded;
  }

  /** Everything up to the setup. A plugin that is switched off by its file's name isn't even built. */
  async #bring(one: Loaded, round: Round): Promise<void> {
    if (this.#options.isOff(one.found, one.found.name)) {
      one.phase = "disabled";
      return;
    }
    await this.#guard(one, round, async () => {
      one.bundle = await this.#cache.bundle(one.found);
    });
    const { vouch } = round;
    if (one.alive && vouch) await this.#guard(one, round, () => this.#trust(one, vouch));
    if (one.alive) await this.#guard(one, round, () => this.#import(one, one.bundle!), true);
  }

  #trust(one: Loaded, vouch: NonNullable<Vouch>): Promise<void> {
    one.phase = "trust";
    return Promise.resolve().then(() => vouch(one.found, one.bundle!));
  }

  async #import(one: Loaded, bundle: Bundle): Promise<void> {
    one.phase = "import";
    const { found } = one;
    const isolation = this.#options.isolationOf(found) ?? bundle.declared.isolation;
    if (isolation === "process") return await this.#importApart(one, bundle);
    const plugin = await loadPlugin(found.entry, bundle, this.#modules, this.#prototypes);
    if (!one.alive) return;
    one.plugin = plugin;
    if (plugin.isolation !== undefined && this.#options.isolationOf(found) !== "none") {
      throw new Error(`its isolation can't be read without running it; write isolation: "process" plainly`);
    }
    if (plugin.name !== found.name && this.#options.isolationOf(found, plugin.name) === "process") {
      const how = `set it under ${quote(found.name)}, its file's name`;
      throw new Error(`its isolation is set under a name that only running it tells; ${how}`);
    }
  }

  async #importApart(one: Loaded, bundle: Bundle): Promise<void> {
    const { IsolatedPlugin } = await import("./isolation.ts");
    const { groups, storageFolder, watchdog, loadTimeoutMs, handlerTimeoutMs, warn } = this.#parts;
    const isolated = new IsolatedPlugin({
      found: one.found,
      bundle,
      code: bundle.code,
      groups,
      storageFolder,
      watchdog,
      loadTimeoutMs,
      handlerTimeoutMs,
      warn,
      onOff: (reason) => {
        one.phase = "running";
        one.reason = reason;
        warn(`plugin ${quote(nameOf(one))} is off: ${reason} (${one.found.entry})`);
      },
    });
    one.isolated = isolated;
    const plugin = await isolated.import();
    if (one.alive) one.plugin = plugin;
    else await isolated.end();
  }

  async #setUp(one: Loaded, all: readonly Loaded[]): Promise<void> {
    one.phase = "setup";
    const plugin = one.plugin!;
    if (this.#options.isOff(one.found, plugin.name)) {
      one.phase = "disabled";
      await one.isolated?.end();
      return;
    }
    const twin = all.find((other) =>
      other !== one && other.phase === "ready" && other.plugin?.name === plugin.name
    );
    if (twin) throw new Error(`a plugin of that name is loaded already, from ${twin.found.entry}`);
    const given = ownOptions(this.#options.of(one.found, plugin.name));
    const handle = this.#handle(one);
    const returned: unknown = one.isolated
      ? await one.isolated.setUp(handle, given)
      : await this.#prototypes.watch(() => plugin.setup(handle.agent, checkedOptions(plugin, given)));
    if (typeof returned === "function") one.dispose = returned as () => unknown;
    // Too late: it was taken out, and what it holds is let go.
    if (!one.alive) return await this.retire(one, one.phase);
    if (one.registrations.bringsZod) this.#modules.zod ??= await import("zod");
    one.phase = "ready";
  }

  #handle(one: Loaded): Handle {
    const { name, uses = [] } = one.plugin!;
    const { storageFolder, note, exec, ask } = this.#parts;
    return makeHandle({
      name,
      source: one.found.entry,
      uses,
      storageFolder,
      registrations: one.registrations,
      alive() {
        if (one.alive) return;
        throw new Error(`the handle of plugin ${quote(name)} is stale: the plugin was disposed`);
      },
      zod: () => this.#modules.zod,
      exec,
      ask: askerOf(ask),
      note,
    });
  }

  /** Runs a step of loading; a failure takes the plugin out and names it. `limited`: the plugin's own code runs. */
  async #guard(
    one: Loaded,
    { stays }: Round,
    step: () => Promise<void>,
    limited = false,
  ): Promise<void> {
    const { watchdog, loadTimeoutMs, warn } = this.#parts;
    const started = host.now();
    const late = () => new Error(`it did not finish within ${loadTimeoutMs} ms`);
    try {
      await (limited ? watchdog.limit(step(), loadTimeoutMs, late) : step());
    } catch (error) {
      one.reason = briefly(error);
      const phase = one.phase;
      await this.retire(one, phase);
      const why = phase === "trust" ? one.reason : `${phase} failed: ${one.reason} (${one.found.entry})`;
      const state = stays(one.found) ? "stays as it was; its new version is off" : "is off";
      warn(`plugin ${quote(nameOf(one))} ${state}: ${why}`);
    } finally {
      one.loadMs = Math.round((one.loadMs + host.now() - started) * 100) / 100;
    }
  }

  /** Nothing of it runs any more from here on; its handle may be used until its disposal has ended. */
  async retire(one: Loaded, phase: Phase): Promise<void> {
    const { watchdog, loadTimeoutMs, warn } = this.#parts;
    const { dispose } = one;
    one.phase = phase;
    one.dispose = undefined;
    one.registrations.clear();
    try {
      const work = dispose?.();
      const limit = Math.min(loadTimeoutMs, DISPOSE_MS);
      if (isThenable(work)) {
        await watchdog.limit(work, limit, () => new Error(`it did not finish within ${limit} ms`));
      }
    } catch (error) {
      warn(`plugin ${quote(nameOf(one))}: disposal failed: ${briefly(error)} (${one.found.entry})`);
    }
    one.alive = false;
    await one.isolated?.end();
    one.registrations.clear();
  }
}
