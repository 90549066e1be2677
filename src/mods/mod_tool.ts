/** A plugin's tool as one of ours: its schema checked, its context no more than it declared. */
import { AgentError, quote } from "../core/errors.ts";
import type { Files } from "../core/files.ts";
import type { PlainTool } from "../core/registry.ts";
import type { Result } from "../core/result.ts";
import type { Checked, JsonSchema } from "../core/schema.ts";
import type { AnyTool, Context, Traits } from "../core/tool.ts";
import { isThenable } from "../core/watchdog.ts";
import type { ModContext, ModTool } from "../sdk.ts";

/** What a plugin's tools need from the host. */
export interface ModToolParts {
  mod: string;
  source: string;
  uses: readonly string[];
  /** Throws once the plugin is disposed. */
  alive(): void;
  zod: object | undefined;
  exec(command: string, cwd: string, signal: AbortSignal): ReturnType<ModContext["exec"]>;
}

const NO_ARGUMENTS: JsonSchema = { type: "object", properties: {}, additionalProperties: false };

interface ZodSchema {
  _zod: object;
  safeParse(value: unknown): {
    success: boolean;
    data?: unknown;
    error?: { issues: { path: PropertyKey[]; message: string }[] };
  };
  safeParseAsync: ZodSchema["safeParse"];
}

export function modTool(given: ModTool<never>, parts: ModToolParts): PlainTool {
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
  const input = definition.input as ZodSchema | JsonSchema | undefined;
  const zod = input !== undefined && "_zod" in input ? input as ZodSchema : undefined;
  let schema: JsonSchema | undefined;
  const tool: AnyTool = {
    name,
    input: () => {
      throw new AgentError("a plugin's tool brings its own schema");
    },
    traits: (args, place) => traitsOf(definition, args, place),
    run(args, context) {
      parts.alive();
      return definition.run(args, new PluginContext(context, parts));
    },
    ...(definition.limit !== undefined && { limit: { chars: definition.limit, keep: "middle" as const } }),
  };
  return {
    tool,
    tier: "mod",
    source: parts.source,
    description: typeof description === "string" ? description : "",
    get schema() {
      return schema ??= zod
        ? jsonSchemaOf(zod, parts.zod)
        : (input as JsonSchema | undefined) ?? NO_ARGUMENTS;
    },
    ...(zod && { check: (args: unknown) => checkWithZod(zod, args) }),
  };
}

function traitsOf(
  definition: ModTool,
  args: Record<string, unknown>,
  place: Parameters<AnyTool["traits"]>[1],
): Traits {
  const traits = definition.traits?.(args, place) ?? { effect: definition.effect ?? "run" };
  if (!["read", "write", "run"].includes(traits.effect)) {
    throw new AgentError(`its traits have no effect of read, write or run`);
  }
  return traits;
}

function jsonSchemaOf(schema: ZodSchema, zod: object | undefined): JsonSchema {
  const { toJSONSchema } = zod as { toJSONSchema(schema: unknown, options: object): JsonSchema };
  return toJSONSchema(schema, { io: "input", unrepresentable: "any" });
}

function checkWithZod(schema: ZodSchema, args: unknown): Checked | Promise<Checked> {
  let parsed;
  try {
    parsed = schema.safeParse(args);
  } catch {
    // A schema with asynchronous checks says so by throwing.
    parsed = Promise.resolve(schema.safeParseAsync(args));
  }
  const read = (result: ReturnType<ZodSchema["safeParse"]>): Checked => {
    if (result.success) return { ok: true, value: result.data as Record<string, unknown> };
    const issues = result.error!.issues.map(({ path, message }) => ({
      path: path.map(String).join("."),
      message,
    }));
    return { ok: false, issues };
  };
  return isThenable(parsed) ? parsed.then(read) : read(parsed);
}

/** A class, because one is made for every call. Its methods are bound by nobody: plugins call them on the object. */
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

  resolve(path: string): string {
    return this.#context.resolve(path);
  }

  identify(path: string): string {
    return this.#context.identify(path);
  }

  output(text: string): void {
    this.#context.output(text);
  }

  log(message: string): void {
    this.#context.log(message);
  }

  secret(name: string): string | undefined {
    this.#needs(`secrets:${name}`);
    return this.#context.secret(name);
  }

  exec(command: string): ReturnType<ModContext["exec"]> {
    this.#needs("exec");
    return this.#parts.exec(command, this.cwd, this.signal);
  }

  call(name: string, args: Record<string, unknown>): Promise<Result> {
    this.#needs("call");
    return this.#context.call(name, args);
  }

  #needs(use: string): void {
    const { mod, uses, alive } = this.#parts;
    alive();
    if (uses.includes(use) || (use.startsWith("secrets:") && uses.includes("secrets:*"))) return;
    throw new AgentError(
      `Plugin ${quote(mod)} may not use ${use}: it is not declared`,
      `add "${use}" to uses`,
    );
  }
}
