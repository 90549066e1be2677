/**
 * The host of mods: which plugins there are now, what they registered, and how long those stay that a reload replaced.
 */
import { messageOf, nearest, quote, UsageError } from "../core/errors.ts";
import { type EventName, EVENTS, type Handlers, inOrder } from "../core/events.ts";
import { host } from "../core/runtime.ts";
import type { ModCommand } from "../sdk.ts";
import { sourceNames } from "./load.ts";
import { type Loaded, Loader, type LoaderParts, nameOf, type Vouch } from "./loader.ts";
import type { Found } from "./places.ts";
import type { ModStatus, Shadow } from "./status.ts";

export type { HandlerStatus, ModStatus, Phase } from "./status.ts";

export interface ModHostParts extends LoaderParts {
  required: readonly string[];
}

/** A plugin's command with what the host knows of the plugin. */
export interface OwnedCommand {
  command: ModCommand;
  mod: string;
  uses: readonly string[];
  /** Throws once the plugin is disposed. */
  alive(): void;
}

export class ModHost {
  readonly #parts: ModHostParts;
  readonly #loader: Loader;
  #current: readonly Loaded[] = [];
  /** Replaced by a reload, and kept for turns that have them; in order of loading. */
  #replaced: readonly Loaded[] = [];
  /** What each turn that is in use was made of. */
  readonly #held = new Map<string, readonly Loaded[]>();
  #reloading: Promise<unknown> = Promise.resolve();
  #isDisposed = false;

  constructor(parts: ModHostParts) {
    this.#parts = parts;
    this.#loader = new Loader(parts);
  }

  async load(found: readonly Found[], vouch: Vouch): Promise<void> {
    this.#current = await this.#loader.load(found, { vouch, stays: () => false });
    for (const { registrations } of this.#current) registrations.publish();
    this.#checkRequired();
    this.#reportFilters();
    this.#reportTaken();
  }

  /**
   * Loads all plugins anew. Once they are set up, what they registered replaces the old at once; turns that are in use
   * keep theirs, and what they no longer need is disposed in reverse. A plugin that fails stays as it was before.
   */
  reload(found: readonly Found[], vouch: Vouch): Promise<void> {
    const work = this.#reloading.then(() => this.#reload(found, vouch));
    this.#reloading = work.catch(() => {});
    return work;
  }

  async #reload(found: readonly Found[], vouch: Vouch): Promise<void> {
    if (this.#isDisposed) return;
    const before = this.#current;
    const wasReady = ({ entry }: Found) =>
      before.find((one) => one.phase === "ready" && one.found.entry === entry);
    const stays = (one: Found) => wasReady(one) !== undefined;
    const fresh = await this.#loader.load(found, { vouch, stays });
    const isTaken = (name: string) => fresh.some((one) => one.phase === "ready" && nameOf(one) === name);
    const next = fresh.map((one) => {
      const old = one.reason === undefined ? undefined : wasReady(one.found);
      if (!old || isTaken(nameOf(old))) return one;
      old.kept = one.reason!;
      return old;
    });
    for (const name of this.#parts.required) {
      if (next.some((one) => one.phase === "ready" && nameOf(one) === name)) continue;
      const old = before.find((one) => one.phase === "ready" && nameOf(one) === name);
      if (!old) continue;
      old.kept = "it is required, and not there any more";
      this.#parts.warn(`plugin ${quote(name)} stays as it was: ${old.kept}`);
      next.push(old);
    }
    if (this.#isDisposed) return await this.#retireAll(fresh);
    this.#replace(next);
    this.#reportFilters();
    this.#reportTaken();
    await this.#sweep();
  }

  /** In one go: no turn is prepared in between. */
  #replace(next: readonly Loaded[]): void {
    const before = this.#current;
    for (const { registrations } of before) registrations.unpublish();
    this.#current = next;
    for (const { registrations } of next) registrations.publish();
    this.#replaced = [...this.#replaced, ...before.filter((one) => !next.includes(one))];
  }

  /** A turn that is made now is made of these plugins until `release`. */
  hold(turn: string): void {
    this.#held.set(turn, this.#current);
  }

  async release(turn: string): Promise<void> {
    this.#held.delete(turn);
    if (this.#replaced.length > 0) await this.#sweep();
  }

  /** Disposes what was replaced and no turn has any more. */
  async #sweep(): Promise<void> {
    const held = new Set([...this.#held.values()].flat());
    const free = this.#replaced.filter((one) => !held.has(one));
    this.#replaced = this.#replaced.filter((one) => held.has(one));
    await this.#retireAll(free);
  }

  /** The last first. Their handles say "stale" from here on. */
  async #retireAll(plugins: readonly Loaded[]): Promise<void> {
    for (const one of [...plugins].reverse()) if (one.alive) await this.#loader.retire(one, "disposed");
  }

  async dispose(): Promise<void> {
    this.#isDisposed = true;
    await this.#retireAll([...this.#replaced, ...this.#current]);
    this.#replaced = [];
    // Of a reload that was under way.
    await this.#reloading;
  }

  /** Everything registered, in running order; a snapshot. */
  handlers(): Handlers {
    const all = this.#current.flatMap(({ registrations }) => registrations.handlers);
    const entries = (Object.keys(EVENTS) as EventName[]).map((event) =>
      [event, Object.freeze(inOrder(all.filter((handler) => handler.event === event)))] as const
    );
    return Object.freeze(Object.fromEntries(entries)) as unknown as Handlers;
  }

  /** Of the files that plugins are made of: what `stat` says of each now. */
  marks(): string[] {
    return this.#current.flatMap(({ found, bundle }) =>
      (bundle?.inputs ?? [{ path: found.entry }]).map(({ path }) => {
        try {
          const { size, mtimeMs, ino } = host.files.stat(path);
          return `${path} ${size} ${mtimeMs} ${ino}`;
        } catch {
          return `${path} is gone`;
        }
      })
    );
  }

  /** By name. Of two with one name the first stands. */
  commands(): Map<string, OwnedCommand> {
    const commands = new Map<string, OwnedCommand>();
    for (const one of this.#current) {
      for (const command of one.registrations.commands) {
        const mod = nameOf(one);
        if (commands.has(command.name)) continue;
        const alive = () => {
          if (!one.alive) throw new Error(`plugin ${quote(mod)} was disposed`);
        };
        commands.set(command.name, { command, mod, uses: one.plugin?.uses ?? [], alive });
      }
    }
    return commands;
  }

  list(): ModStatus[] {
    return this.#current.map((one) => {
      const { found, phase, reason, kept, registrations, plugin, isolated, loadMs } = one;
      const state = reason !== undefined
        ? "failed"
        : phase === "disabled" || phase === "disposed"
        ? phase
        : "ready";
      return {
        name: nameOf(one),
        path: found.entry,
        place: found.place,
        state,
        ...(reason !== undefined && { phase, reason }),
        ...(kept !== undefined && { kept }),
        isolation: isolated ? "process" : "none",
        ...(isolated?.unfenced !== undefined && { unfenced: isolated.unfenced }),
        uses: plugin?.uses ?? [],
        tools: registrations.tools,
        handlers: registrations.handlers.map(({ mod: _, fn: __, ownLimit: ___, ...status }) => status),
        commands: registrations.commands.map(({ name }) => name),
        shadows: this.#shadowsOf(one),
        loadMs,
      };
    });
  }

  /** The first of several mods' tools with one name stands, before external and built-in ones. */
  #shadowsOf({ found, registrations }: Loaded): Shadow[] {
    const entries = this.#parts.registry.entries();
    return registrations.tools.flatMap((tool): Shadow[] => {
      const same = entries.filter(({ name }) => name === tool);
      const first = same.find(({ tier }) => tier === "mod");
      if (first && first.source !== found.entry) return [{ tool, stands: "behind", other: first.source }];
      const others = new Set(same.map(({ source }) => source));
      others.delete(found.entry);
      return [...others].map((other) => ({ tool, stands: "before", other }));
    });
  }

  /** A late rejection, or a throw in a timer: pinned on its plugin where the stack tells. */
  reportStray(error: unknown): void {
    const stack = error instanceof Error ? error.stack ?? "" : "";
    // A line's number stands behind the name on Node, `, <anonymous>` on Deno.
    const one = [...this.#current, ...this.#replaced].find(({ found, bundle }) =>
      bundle &&
      sourceNames(found.entry, bundle).some((name) => [":", ","].some((end) => stack.includes(name + end)))
    );
    const who = one ? `plugin ${quote(nameOf(one))} (${one.found.entry})` : "a plugin, or a library of one,";
    this.#parts.warn(`${who} failed late: ${messageOf(error)}`);
  }

  /** A filter that fits no tool guards nothing, which its author should know. */
  #reportFilters(): void {
    const known = this.#parts.registry.names();
    for (const one of this.#current) {
      const { handlers } = one.registrations;
      const unknown = new Set(handlers.flatMap(({ tools = [] }) => tools.filter((name) => !known.has(name))));
      for (const name of unknown) {
        if (name.startsWith("mcp__")) continue;
        const near = nearest(name, known, 1)[0];
        this.#parts.warn(
          `plugin ${quote(nameOf(one))}: the filter ${quote(name)} fits no known tool${
            near ? `; did you mean ${near}?` : ""
          } (${one.found.entry})`,
        );
      }
    }
  }

  /** Commands that another plugin of the same load stands before. */
  #reportTaken(): void {
    const commands = this.commands();
    for (const one of this.#current) {
      for (const command of one.registrations.commands) {
        const { command: first, mod } = commands.get(command.name)!;
        if (first === command) continue;
        const own = `plugin ${quote(nameOf(one))}: the command ${quote(command.name)}`;
        this.#parts.warn(`${own} is plugin ${quote(mod)}'s already`);
      }
    }
  }

  #checkRequired(): void {
    for (const name of this.#parts.required) {
      const one = this.#current.find((one) => nameOf(one) === name);
      if (one?.phase === "ready") continue;
      const why = one ? one.reason ?? "it is disabled" : "no such plugin was found";
      throw new UsageError(
        `Cannot start without the required plugin ${quote(name)}: ${why}`,
        "see agent mods list",
      );
    }
  }
}
