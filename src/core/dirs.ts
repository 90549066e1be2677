/** The folders of the XDG base directory specification, below `agent`. */
import { isAbsolute, join } from "./paths.ts";
import { host } from "./runtime.ts";

export interface Dirs {
  /** Settings, plugins and hooks of the user's. */
  config: string;
  /** Log, journal and overflow files. */
  state: string;
  /** Bundles of plugins; may be removed at any time. */
  cache: string;
  settingsFile: string;
  secretsFile: string;
  plugins: string;
  log: string;
  overflow: string;
  /** Old contents of files that calls changed. */
  journal: string;
  /** What named sessions have seen. */
  sessions: string;
  /** Storage of plugins, a folder each. */
  storage: string;
  /** Which projects are trusted, and what the user's own plugins and hooks were. */
  trust: string;
}

/** As the specification says, a relative value of an XDG variable is ignored. */
export function dirs(): Dirs {
  const at = (variable: string, fallback: string) => {
    const value = host.env(variable);
    return join(value !== undefined && isAbsolute(value) ? value : join(host.home(), fallback), "agent");
  };
  const config = at("XDG_CONFIG_HOME", ".config");
  const state = at("XDG_STATE_HOME", ".local/state");
  const cache = at("XDG_CACHE_HOME", ".cache");
  return {
    config,
    state,
    cache,
    settingsFile: `${config}/settings.json`,
    secretsFile: `${config}/secrets.env`,
    plugins: `${config}/plugins`,
    log: `${state}/log`,
    overflow: `${state}/overflow`,
    journal: `${state}/journal`,
    sessions: `${state}/sessions`,
    storage: `${state}/storage`,
    trust: `${state}/trust.json`,
  };
}
