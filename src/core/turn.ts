/**
 * A turn: the frozen snapshot that lists the tools and runs the calls. What is registered, reloaded or switched
 * afterwards makes a new turn; calls in flight keep theirs. Folder and mode are the session's.
 */
import { nearest } from "./errors.ts";
import type { HandlerLimits, Handlers } from "./events.ts";
import { FAMILIES, type Family } from "./face.ts";
import type { Files } from "./files.ts";
import type { Gate } from "./gate.ts";
import { randomHex, sha256 } from "./hash.ts";
import type { Hooks } from "./hooks.ts";
import type { Policy } from "./permission.ts";
import type { Entry, Tier } from "./registry.ts";
import type { Schedule } from "./schedule.ts";
import { publishSchema } from "./publish_schema.ts";
import type { JsonSchema } from "./schema.ts";
import type { SecretStore } from "./secrets.ts";
import type { Session } from "./session.ts";
import type { Sink } from "./stream.ts";
import type { AnyTool } from "./tool.ts";

/** A tool as a provider's request carries it. */
export interface ClientTool {
  name: string;
  description: string;
  /** The schema's key is the provider's: `input_schema`, `parameters`, `inputSchema`. */
  [schemaKey: string]: unknown;
}

/** Everything a call needs from outside; made once, never changed. */
export interface TurnParts {
  id: string;
  session: Session;
  family: Family;
  toolset: string;
  /** What the model sees, in order. */
  surface: readonly Entry[];
  /** Everything that may be called by name; the surface alone for a closed turn. */
  callable: readonly Entry[];
  /** The canonical form of a built-in tool that another one uses, shown here or not. */
  canonical(tool: AnyTool): Entry | undefined;
  handlers: Handlers;
  handlerLimits: HandlerLimits;
  glob(pattern: string): (path: string) => boolean;
  hooks: Hooks;
  policy: Policy;
  gate: Gate;
  secrets: SecretStore;
  schedule: Schedule;
  /** What waits to be told with the next result. */
  notices(): string | undefined;
  /** The files as one call changes them. */
  files(call: string): Files;
  emit: Sink;
  /** The stream also tells what a tool gave where hooks or mods changed it. */
  keepsOriginals?: boolean;
  /** Somebody hears the stream: `tool_end` says what was done to a call, step by step. */
  keepsTrails?: boolean;
}

const TIERS: readonly Tier[] = ["mod", "external", "builtin"];

export interface Turn extends TurnParts {
  /** The id by which a host's `runtime.call` finds this turn again. */
  readonly contextId: string;
  /** The tool that a name means here: a mod's, an external one, a built-in; then the aliases. */
  find(name: string, family?: Family): Entry | undefined;
  /** An id for a call that came without one; never given twice. */
  callId(): string;
  /** Names like this one, best first. */
  near(name: string): string[];
  /**
   * The surface as the family's provider takes it; the same bytes for the same surface. `custom: false` for a provider
   * that takes functions alone: free-text tools are then functions with one argument.
   */
  clientTools(options?: { custom?: boolean }): ClientTool[];
  /** SHA-256 of `clientTools()` as JSON. */
  surfaceHash(): string;
}

export function makeTurn(parts: TurnParts): Turn {
  const byName = new Map<string, Entry[]>();
  for (const entry of parts.callable) {
    const same = byName.get(entry.name);
    if (same) same.push(entry);
    else byName.set(entry.name, [entry]);
  }
  const byAlias = new Map<string, Entry>();
  for (const entry of parts.surface) {
    for (const alias of entry.aliases ?? []) byAlias.set(alias.toLowerCase(), entry);
  }
  for (const entry of parts.surface) {
    for (const alias of entry.tool.aliases ?? []) if (!byAlias.has(alias)) byAlias.set(alias, entry);
  }
  const clientTools = ({ custom = true } = {}) =>
    parts.surface.map((entry) => clientTool(entry, parts.family, custom));
  const prefix = `call_${randomHex(8)}`;
  let calls = 0;
  return Object.freeze({
    ...parts,
    contextId: parts.id,
    callId: () => prefix + (++calls).toString(36).padStart(4, "0"),
    find(name: string, family?: Family): Entry | undefined {
      const entries = byName.get(name);
      if (!entries) return byAlias.get(name.toLowerCase());
      if (entries.length === 1) return entries[0];
      return choose(entries, parts, family);
    },
    near: (name: string) => nearest(name, byName.keys()),
    clientTools,
    surfaceHash: () => sha256(JSON.stringify(clientTools())),
  });
}

/** Tier first; among built-ins the dialect's family, the toolset, then Claude, Codex, Gemini, canonical. */
function choose(entries: readonly Entry[], parts: TurnParts, family: Family | undefined): Entry | undefined {
  for (const tier of TIERS) {
    const found = entries.filter((entry) => entry.tier === tier);
    if (found.length === 0) continue;
    return found.find((entry) => family !== undefined && entry.family === family) ??
      found.find((entry) => parts.surface.includes(entry)) ??
      FAMILIES.map((name) => found.find((entry) => entry.family === name)).find((entry) => entry) ?? found[0];
  }
  return undefined;
}

/** The key under which each family's provider takes the schema. */
const SCHEMA_KEYS: Record<Family, string> = {
  claude: "input_schema",
  codex: "parameters",
  gemini: "parameters",
  canonical: "inputSchema",
};

function clientTool(entry: Entry, family: Family, custom: boolean): ClientTool {
  const { name, description, grammar } = entry;
  if (custom && grammar !== undefined) {
    return {
      type: "custom",
      name,
      description,
      format: { type: "grammar", syntax: "lark", definition: grammar },
    };
  }
  const schema: JsonSchema = publishSchema(entry.schema);
  const tool = { name, description, [SCHEMA_KEYS[family]]: schema };
  return family === "codex" ? { type: "function", ...tool } : tool;
}

/**
 * The surface of a toolset in publishing order: built-ins, then external, then mod tools, each by code unit. A
 * mod's or external tool that shadows a built-in takes its place.
 */
export function surfaceOf(entries: readonly Entry[], chosen: (entry: Entry) => boolean): Entry[] {
  const byName = new Map<string, Entry>();
  for (const tier of [...TIERS].reverse()) {
    const here = entries.filter((entry) => entry.tier === tier && chosen(entry));
    here.sort((a, b) => a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
    // A Map keeps the place of a key that is set again: that is how a shadowing tool takes the other's place. Within
    // a tier the first stands.
    for (const entry of here) if (byName.get(entry.name)?.tier !== tier) byName.set(entry.name, entry);
  }
  return [...byName.values()];
}
