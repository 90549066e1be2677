/**
 * All tools that are there, in three tiers: mod, external, built-in. A registration gives back its remover.
 */
import type { AnyFace, Family, HookFace } from "./face.ts";
import { checkAction } from "./object_tool.ts";
import { type Checked, checkSchema, checkWithLibrary, type JsonSchema, needsLibrary } from "./schema.ts";
import type { AnyTool, Asset, Effect } from "./tool.ts";
import { apart, published, type Unpublished, withPassed } from "./unpublished.ts";

export type Tier = "mod" | "external" | "builtin";

/** A tool under one name, ready to be called; all tiers look the same from here on. */
export interface Entry {
  readonly name: string;
  readonly tier: Tier;
  /** Where it comes from, for people: a plugin's path, a server's name, `built in`. */
  readonly source: string;
  readonly tool: AnyTool;
  readonly family: Family | undefined;
  readonly toolsets: readonly string[];
  readonly description: string;
  readonly schema: JsonSchema;
  /** For a tool that may be published as free text. */
  readonly grammar?: string | undefined;
  /** Every name that rules, matchers and filters may know it by: its own, the canonical, all faces'. */
  readonly names: ReadonlySet<string>;
  /** Names for this form alone, beside its tool's aliases. */
  readonly aliases?: readonly string[] | undefined;
  readonly hooks: HookFace | undefined;
  /** Hidden unless a turn chooses the scope. */
  readonly scope: string | undefined;
  check(args: unknown): Checked | Promise<Checked>;
  toCanonical(args: Record<string, unknown>): Record<string, unknown>;
  checkCanonical(args: unknown): Checked | Promise<Checked>;
  present(data: unknown, args: Record<string, unknown>): unknown;
}

/** A tool that stands under its own name only: a mod's, an MCP server's, an SDK host's. */
export interface PlainTool {
  tool: AnyTool;
  tier: "mod" | "external";
  source: string;
  description: string;
  readonly schema: JsonSchema;
  scope?: string;
  /** Overrides the check by schema, for tools that bring a zod schema. */
  check?(args: unknown): Checked | Promise<Checked>;
}

export class Registry {
  readonly #entries = new Map<object, readonly Entry[]>();
  readonly #canonical = new Map<AnyTool, Entry>();

  /** Adds the built-in tools with their faces. */
  addBuiltins(
    tools: readonly AnyTool[],
    faces: readonly AnyFace[],
    asset: (key: string) => Asset,
  ): () => void {
    const namesOf = new Map<AnyTool, Set<string>>(tools.map((tool) => [tool, new Set([tool.name])]));
    const hooksOf = new Map<AnyTool, HookFace>();
    for (const face of faces) {
      const names = namesOf.get(face.tool);
      for (const name of [face.name, ...face.aliases ?? []]) names?.add(name);
      if (face.hooks) {
        hooksOf.set(face.tool, face.hooks);
      }
    }
    const entries: Entry[] = [];
    for (const tool of tools) {
      const names = namesOf.get(tool)!, hooks = hooksOf.get(tool);
      const form = (family: Family, name: string) => new Form(() => asset(assetKey(family, name)));
      const canonical = form("canonical", tool.name);
      for (const face of faces) {
        if (face.tool === tool) {
          entries.push(new BuiltinEntry(tool, face, names, hooks, form(face.family, face.name), canonical));
        }
      }
      const own = {
        name: tool.name,
        family: "canonical",
        toolsets: tool.toolsets ?? [],
        toCanonical: sameArgs,
      } as const;
      const entry = new BuiltinEntry(tool, own, names, hooks, canonical, canonical);
      entries.push(entry);
      this.#canonical.set(tool, entry);
    }
    return this.#add(entries);
  }

  /** Adds a mod's or an external tool. Its schema is asked for when it is needed, since making one may be dear. */
  add(plain: PlainTool): () => void {
    const { tool, tier, source, description, scope } = plain;
    const verify = plain.check ?? checker(() => plain);
    return this.#add([{
      name: tool.name,
      tier,
      source,
      tool,
      family: undefined,
      toolsets: [],
      description,
      get schema() {
        return plain.schema;
      },
      names: new Set([tool.name]),
      hooks: undefined,
      scope,
      check: verify,
      toCanonical: sameArgs,
      checkCanonical: verify,
      present: tool.present ?? identity,
    }]);
  }

  #add(entries: readonly Entry[]): () => void {
    const key = {};
    this.#entries.set(key, entries);
    return () => {
      this.#entries.delete(key);
      for (const { tool } of entries) this.#canonical.delete(tool);
    };
  }

  /** A built-in tool in its canonical form, whatever turns show and whoever has taken its name. */
  canonical(tool: AnyTool): Entry | undefined {
    return this.#canonical.get(tool);
  }

  /** What is there now, in order of registration. */
  entries(): Entry[] {
    return [...this.#entries.values()].flat();
  }

  /** Every name that a rule, a matcher or a filter may mean. */
  names(): Set<string> {
    return new Set(this.entries().flatMap(({ names }) => [...names]));
  }

  /** Effects that a rule's name covers beyond its own tool, by name. */
  covers(): Map<string, Effect> {
    const covers = new Map<string, Effect>();
    for (const { tool, names } of this.entries()) {
      if (tool.covers) { for (const name of names) covers.set(name, tool.covers); }
    }
    return covers;
  }
}

/** The key of a face's text and schema among the generated assets. */
export function assetKey(family: Family, name: string): string {
  return `${family}:${name}`;
}

/** A built-in tool's canonical form, or the face of a family. */
class BuiltinEntry implements Entry {
  readonly tier = "builtin";
  readonly source = "built in";
  readonly scope = undefined;
  readonly tool: AnyTool;
  readonly name: string;
  readonly family: Family;
  readonly toolsets: readonly string[];
  readonly names: ReadonlySet<string>;
  readonly aliases: readonly string[] | undefined;
  readonly hooks: HookFace | undefined;
  readonly toCanonical: (args: Record<string, unknown>) => Record<string, unknown>;
  readonly present: (data: unknown, args: Record<string, unknown>) => unknown;
  readonly #form: Form;
  readonly #canonical: Form;
  readonly #unpublished: Unpublished | undefined;
  /** What arguments are checked against. */
  readonly #taken: Form;

  constructor(
    tool: AnyTool,
    shown: Pick<
      AnyFace,
      "name" | "family" | "toolsets" | "toCanonical" | "present" | "aliases" | "unpublished"
    >,
    names: ReadonlySet<string>,
    hooks: HookFace | undefined,
    form: Form,
    canonical: Form,
  ) {
    this.tool = tool;
    this.name = shown.name;
    this.family = shown.family;
    this.toolsets = shown.toolsets;
    this.names = names;
    this.aliases = shown.aliases;
    this.hooks = hooks;
    this.present = shown.present ?? tool.present ?? identity;
    this.#form = this.#taken = form;
    this.#canonical = canonical;
    const more = this.#unpublished = shown.unpublished;
    if (more?.passes) {
      const schema = () => withPassed(form.asset.schema, more, canonical.asset.schema);
      this.#taken = new Form(() => ({ ...form.asset, schema: schema() }));
      this.toCanonical = (args) => {
        const { own, passed } = apart(args, more);
        return { ...shown.toCanonical(own), ...passed };
      };
    } else this.toCanonical = shown.toCanonical;
  }

  get description(): string {
    return this.#form.asset.description;
  }

  get schema(): JsonSchema {
    return this.#form.asset.schema;
  }

  get grammar(): string | undefined {
    return this.#form.asset.grammar;
  }

  check(args: unknown): Checked | Promise<Checked> {
    return this.#taken.check(this.#unpublished ? published(args, this.#unpublished) : args);
  }

  checkCanonical(args: unknown): Checked | Promise<Checked> {
    return this.#canonical.check(args);
  }
}

/** Text and schema are read when they are asked for: a run calls one tool of thirty. */
class Form {
  readonly #read: () => Asset;
  #asset: Asset | undefined;
  #check: ReturnType<typeof checker> | undefined;

  constructor(read: () => Asset) {
    this.#read = read;
  }

  get asset(): Asset {
    return this.#asset ??= this.#read();
  }

  check(args: unknown): Checked | Promise<Checked> {
    this.#check ??= checker(() => this.asset);
    return this.#check(args);
  }
}

/** The schema, and whether a library is needed for it, are looked at at the first call. */
function checker(schemaOf: () => Schemas): (args: unknown) => Checked | Promise<Checked> {
  let known: Schemas & { library: boolean } | undefined;
  return (args) => {
    known ??= { ...schemaOf(), library: needsLibrary(schemaOf().schema) };
    const { schema, variants, library } = known;
    if (library) return checkWithLibrary(schema, args);
    const checked = checkSchema(schema, args);
    return variants ? checkAction(checked, variants, checkSchema) : checked;
  };
}

type Schemas = Pick<Asset, "schema" | "variants">;

function identity(data: unknown): unknown {
  return data;
}

function sameArgs(args: Record<string, unknown>): Record<string, unknown> {
  return args;
}
