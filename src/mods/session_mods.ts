/** The plugins of a session: held against what their person trusts, loaded, and loaded anew. Loaded where there are any. */
import { dirs } from "../core/dirs.ts";
import { host } from "../core/runtime.ts";
import type { Trusted } from "../core/settings.ts";
import type { ClaudePlugin } from "./claude_plugins.ts";
import { forbidExits } from "./exits.ts";
import { ModHost } from "./host.ts";
import type { LoaderParts, Vouch } from "./loader.ts";
import type { Found } from "./places.ts";
import { isPinned, pluginsIn, requiredIn, type Search } from "./search.ts";
import { PluginTrust, trustedNow } from "./trusted_plugins.ts";

export interface SessionModsParts extends
  Pick<
    LoaderParts,
    "registry" | "watchdog" | "groups" | "storageFolder" | "exec" | "ask" | "warn" | "note"
  > {
  search: Search;
  /** Late errors of plugins are told of, and none ends the process. */
  catchStrays: boolean;
}

export class SessionMods {
  readonly host: ModHost;
  readonly #search: Search;
  readonly #warn: (text: string) => void;
  readonly #forgetStrays: (() => void)[] = [];

  constructor({ search, catchStrays, ...parts }: SessionModsParts) {
    const { settings } = search;
    const given = settings.all("plugins");
    this.#search = search;
    this.#warn = parts.warn;
    this.host = new ModHost({
      ...parts,
      cacheFolder: dirs().cache,
      loadTimeoutMs: settings.get("mods.loadTimeoutMs"),
      handlerTimeoutMs: settings.get("mods.handlerTimeoutMs"),
      options: optionsIn(given.filter(({ project }) => project === undefined)),
      projectOptions: optionsIn(given.filter(({ project }) => project !== undefined)),
      required: requiredIn(search),
    });
    if (catchStrays) {
      this.#forgetStrays = [host.onStray((error) => this.host.reportStray(error)), forbidExits()];
    }
  }

  /** Gives back the plugins of Claude Code's whose hooks are what they were. */
  async load(found: readonly Found[], claude: readonly ClaudePlugin[]): Promise<readonly ClaudePlugin[]> {
    const trust = this.#trust(this.#search.settings.trusted, found, claude);
    await this.host.load(found, vouchOf(trust));
    const trusted = trust?.claudePlugins(claude, dirs().plugins) ?? claude;
    trust?.settle(found);
    return trusted;
  }

  async reload(): Promise<void> {
    // What was trusted since the start, in another terminal, counts.
    const trusted = await trustedNow(this.#search.settings.trusted);
    const found = pluginsIn(this.#search, trusted);
    const trust = this.#trust(trusted, found, []);
    await this.host.reload(found, vouchOf(trust));
  }

  /** Who judges plugins; `undefined` where there is nothing to judge, or nothing to judge it by. */
  #trust(
    trusted: Trusted,
    found: readonly Found[],
    claude: readonly ClaudePlugin[],
  ): PluginTrust | undefined {
    const isQuiet = !isPinned(this.#search) && (claude.length === 0 || !trusted.pins) &&
      found.every(({ from }) => from === "named" || (from === "user" && !trusted.pins));
    return isQuiet ? undefined : new PluginTrust(trusted, this.#warn);
  }

  /** After the last event: errors are the process' own again. */
  forgetStrays(): void {
    for (const forget of this.#forgetStrays) forget();
  }
}

function vouchOf(trust: PluginTrust | undefined): Vouch {
  return trust && ((...given) => trust.vouch(...given));
}

/** Options of plugins by name, the strongest last word first. */
function optionsIn(given: readonly { value: Readonly<Record<string, unknown>> }[]): Record<string, unknown> {
  return Object.assign({}, ...given.map(({ value }) => value).reverse());
}
