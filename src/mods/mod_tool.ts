/** A plugin's tool as one of ours: its schema checked, its context no more than it declared. */
import { AgentError, quote } from "../core/errors.ts";
import type { Files } from "../core/files.ts";
import { copy, isRecord, isStrings } from "../core/json.ts";
import type { PlainTool } from "../core/registry.ts";
import {
  type Checked,
  checkSchema,
  checkWithLibrary,
  type JsonSchema,
  needsLibrary,
} from "../core/schema.ts";
import type { AnyTool, Context, Place, Traits } from "../core/tool.ts";
import { isThenable } from "../core/watchdog.ts";
import type { ModContext, ModTool } from "../sdk.ts";
import type { Asker } from "./asker.ts";

/** What a plugin's tools need from the host. */
export interface ModToolParts {
  mod: string;
  source: string;
  uses: readonly string[];
  /** Throws once the plugin is disposed. */
  alive(): void;
  /** The host's zod, once it is loaded. */
  zod(): object | undefined;
  exec(command: string, cwd: string, signal: AbortSignal): ReturnType<ModContext["exec"]>;
  ask: Asker;
}

/** A tool of a plugin that runs elsewhere: what can't be told from its definition is asked there. */
export interface RemoteTool {
  /** Where it has a schema of its own. */
  check?: ((args: unknown) => Promise<Checked>) | undefined;
  /** Where it says more than its effect. */
  traits?: ((args: Record<string, unknown>, place: Place) => Promise<Traits>) | undefined;
  run(args: Record<string, unknown>, context: ModContext, traits: Traits): unknown;
}

const NO_ARGUMENTS: JsonSchema = { type: "object", properties: {}, additionalProperties: false };
const ANY_ARGUMENTS: JsonSchema = { type: "object", properties: {} };

interface ZodSchema {
  _zod: object;
  safeParse(value: unknown): ZodResult;
  safeParseAsync(value: unknown): Promise<ZodResult>;
}

interface ZodResult {
  success: boolean;
  data?: unknown;
  error?: { issues: { path: PropertyKey[]; message: string }[] };
}

export function modTool(given: ModTool<never>, parts: ModToolParts, remote?: RemoteTool): PlainTool {
  const definition = given as ModTool;
  const { name, description } = definition;
  if (typeof name !== "string" || !/^[A-Za-z_][\w-]{0,63}$/.test(name)) {
    throw new AgentError(
      `Cannot add the tool ${quote(String(name))}: not a name of letters, digits, - and _`,
    );
  }
  if (typeof definition.run !== "function") {
    throw new AgentError(`Cannot add the tool ${quote(name)}: it has no run`);
  }
  if (definition.effect !== undefined && !isEffect(definition.effect)) {
    throw new AgentError(`Cannot add the tool ${quote(name)}: its effect is not read, write or run`);
  }
  const zod = isZod(definition.input) ? new ZodInput(definition.input, parts.zod) : undefined;
  const plain = zod ? undefined : plainSchema(name, definition.input);
  const output = (args: Record<string, unknown>) => zod ? zod.output(args) : args;
  const tool: AnyTool = {
    name,
    input: () => {
      throw new AgentError("a plugin's tool brings its own schema");
    },
    traits: (args, place) => traitsOf(definition, output(args), place),
    ...(remote?.traits &&
      { traitsLater: async (args, place) => checkTraits(await remote.traits!(args, place)) }),
    run(args, context) {
      parts.alive();
      const own = new PluginContext(context, parts);
      return remote ? remote.run(args, own, context.traits) : definition.run(output(args), own);
    },
    ...(definition.limit !== undefined && { limit: { chars: definition.limit, keep: "middle" as const } }),
  };
  return {
    tool,
    tier: "mod",
    source: parts.source,
    description: typeof description === "string" ? description : "",
    get schema() {
      return plain ?? zod!.schema;
    },
    ...(zod && { check: (args: unknown) => zod.check(args) }),
    ...(remote?.check && { check: remote.check }),
  };
}

export function isEffect(value: unknown): boolean {
  return value === "read" || value === "write" || value === "run";
}

export function isZod(input: unknown): input is ZodSchema {
  return typeof input === "object" && input !== null && "_zod" in input;
}

/** A JSON Schema that a plugin gave, as our own copy. */
function plainSchema(tool: string, input: unknown): JsonSchema {
  if (input === undefined) return NO_ARGUMENTS;
  const { type } = (input ?? {}) as JsonSchema;
  if (typeof input !== "object" || input === null || (type !== undefined && type !== "object")) {
    throw new AgentError(`Cannot add the tool ${quote(tool)}: its input is not a schema of an object`);
  }
  return copy(input) as JsonSchema;
}

function traitsOf(
  definition: ModTool,
  args: Record<string, unknown>,
  place: Parameters<AnyTool["traits"]>[1],
): Traits {
  return checkTraits(definition.traits?.(args, place) ?? { effect: definition.effect ?? "run" });
}

function checkTraits(traits: Traits): Traits {
  if (!isEffect(traits.effect)) throw new AgentError("its traits have no effect of read, write or run");
  if (traits.keys !== undefined && !isStrings(traits.keys)) {
    throw new AgentError("the keys of its traits are not a list of strings");
  }
  return traits;
}

/**
 * Arguments by a zod schema. Canonical arguments are what the schema takes, so that they stay JSON and can be checked
 * again after a rewrite; what it makes of them is for the tool alone.
 */
export class ZodInput {
  readonly #zod: ZodSchema;
  readonly #library: () => object | undefined;
  readonly #outputs = new WeakMap<object, Record<string, unknown>>();
  #schema: JsonSchema | undefined;

  constructor(zod: ZodSchema, library: () => object | undefined) {
    this.#zod = zod;
    this.#library = library;
  }

  /** A schema that can't be told as JSON Schema is published as taking anything. */
  get schema(): JsonSchema {
    if (this.#schema) return this.#schema;
    const library = this.#library() as
      | { toJSONSchema(schema: unknown, options: object): JsonSchema }
      | undefined;
    try {
      this.#schema = library?.toJSONSchema(this.#zod, { io: "input", unrepresentable: "any" });
    } catch {
      // Stays unknown.
    }
    return this.#schema ??= ANY_ARGUMENTS;
  }

  output(args: Record<string, unknown>): Record<string, unknown> {
    return this.#outputs.get(args) ?? args;
  }

  check(args: unknown): Checked | Promise<Checked> {
    if (isRecord(args) && this.#outputs.has(args)) return { ok: true, value: args };
    const parsed = this.#parse(args);
    const settle = (result: ZodResult) =>
      result.success ? this.#accept(args, result) : this.#coerced(args, result);
    return isThenable(parsed) ? parsed.then(settle) : settle(parsed);
  }

  /** What models get wrong in form alone (`"10"` for 10) is put right by the published schema, as for any tool. */
  async #coerced(args: unknown, refused: ZodResult): Promise<Checked> {
    const { schema } = this;
    const plain = checkSchema(schema, args);
    // What the published schema already tells is told as for any tool; the rest in the words of zod's schema.
    if (!plain.ok) return plain;
    const checked = needsLibrary(schema) ? await checkWithLibrary(schema, args) : plain;
    if (!checked.ok) return this.#accept(args, refused);
    return this.#accept(checked.value, await this.#parse(checked.value));
  }

  #accept(args: unknown, { success, data, error }: ZodResult): Checked {
    if (!success) {
      const issues = error!.issues.map(({ path, message }) => ({
        path: path.reduce<string>(inPath, ""),
        message,
      }));
      return { ok: false, issues };
    }
    if (!isRecord(args) || !isRecord(data)) {
      return { ok: false, issues: [{ path: "", message: "must be an object" }] };
    }
    const value = copy(args) as Record<string, unknown>;
    this.#outputs.set(value, data);
    return { ok: true, value };
  }

  #parse(args: unknown): ZodResult | Promise<ZodResult> {
    try {
      return this.#zod.safeParse(args);
    } catch {
      // A schema with asynchronous checks says so by throwing.
      return this.#zod.safeParseAsync(args);
    }
  }
}

/** `edits[0].text`, as our own issues have it. */
function inPath(path: string, key: PropertyKey): string {
  if (typeof key === "number") return `${path}[${key}]`;
  return path === "" ? String(key) : `${path}.${String(key)}`;
}

/** A class, because one is made for every call. Functions are made when asked for: plugins take them off the object. */
class PluginContext implements ModContext {
  readonly #context: Context;
  readonly #parts: ModToolParts;

  constructor(context: Context, parts: ModToolParts) {
    this.#context = context;
    this.#parts = parts;
  }

  get id(): string {
    return this.#context.id;
  }
  get cwd(): string {
    return this.#context.cwd;
  }
  get files(): Files {
    return this.#context.files;
  }
  get signal(): AbortSignal {
    return this.#context.signal;
  }

  get resolve(): ModContext["resolve"] {
    return (path) => this.#context.resolve(path);
  }

  get identify(): ModContext["identify"] {
    return (path) => this.#context.identify(path);
  }

  get locate(): ModContext["locate"] {
    return (path) => this.#context.locate(path);
  }

  get output(): ModContext["output"] {
    return (text) => this.#context.output(text);
  }

  get log(): ModContext["log"] {
    return (message) => this.#context.log(message);
  }

  get ask(): ModContext["ask"] {
    return (question, choices) => {
      this.#parts.alive();
      return this.#parts.ask({ plugin: this.#parts.mod, question, choices }, this.signal);
    };
  }

  get secret(): ModContext["secret"] {
    return (name) => {
      this.#needs(`secrets:${name}`);
      return this.#context.secret(name);
    };
  }

  get exec(): ModContext["exec"] {
    return (command) => {
      this.#needs("exec");
      return this.#parts.exec(command, this.cwd, this.signal);
    };
  }

  get call(): ModContext["call"] {
    return (name, args) => {
      this.#needs("call");
      return this.#context.call(name, args);
    };
  }

  #needs(use: string): void {
    this.#parts.alive();
    checkUse(this.#parts, use);
  }
}

/** What isn't declared isn't handed over. */
export function checkUse({ mod, uses }: Pick<ModToolParts, "mod" | "uses">, use: string): void {
  if (uses.includes(use) || (use.startsWith("secrets:") && uses.includes("secrets:*"))) return;
  throw new AgentError(
    `Plugin ${quote(mod)} may not use ${use}: it is not declared`,
    `add "${use}" to uses`,
  );
}
