/**
 * Arguments in: coerce, check, explain.
 *
 * `checkSchema` interprets the part of JSON Schema that tools use (draft 2020-12, without references), builds a
 * fresh value and never touches the one it was given. Libraries are for what it doesn't know: `needsLibrary`
 * says so, and `checkWithLibrary` loads `@cfworker/json-schema` then.
 */
import { AgentError, quote } from "./errors.ts";
import { takeHead } from "./fit.ts";
import { copy, isRecord, NotJson, put } from "./json.ts";

export interface JsonSchema {
  type?: string | readonly string[];
  description?: string;
  properties?: Readonly<Record<string, JsonSchema>>;
  required?: readonly string[];
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema | boolean;
  enum?: readonly unknown[];
  const?: unknown;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  pattern?: string;
  default?: unknown;
  anyOf?: readonly JsonSchema[];
  oneOf?: readonly JsonSchema[];
  [keyword: string]: unknown;
}

/** One fault: where (`edits[0].old_string`), and what is wrong there. */
export interface Issue {
  path: string;
  message: string;
}

export type Checked =
  | { ok: true; value: Record<string, unknown> }
  /** `schema`: whose parameters were meant, where that isn't the whole. */
  | { ok: false; issues: Issue[]; schema?: JsonSchema };

const UNDERSTOOD = new Set([
  ..."type description properties required additionalProperties items enum const default title examples"
    .split(" "),
  ..."minimum maximum exclusiveMinimum exclusiveMaximum minLength maxLength minItems maxItems".split(" "),
  ..."pattern anyOf $schema $comment deprecated readOnly writeOnly format".split(" "),
]);

/** What may stand beside `anyOf`: it decides alone. */
const SAYS_NOTHING = new Set(
  "anyOf description default title examples $schema $comment deprecated readOnly writeOnly".split(" "),
);

/** True when `schema` uses keywords that `checkSchema` would overlook. */
export function needsLibrary(schema: JsonSchema | boolean | undefined): boolean {
  if (typeof schema !== "object" || schema === null) return false;
  const known = schema.anyOf ? SAYS_NOTHING : UNDERSTOOD;
  for (const key of Object.keys(schema)) if (!known.has(key)) return true;
  const parts = [...Object.values(schema.properties ?? {}), ...(schema.anyOf ?? [])];
  for (const nested of [schema.items, schema.additionalProperties]) {
    if (typeof nested === "object") parts.push(nested);
  }
  return parts.some(needsLibrary);
}

/**
 * Checks tool arguments. Values are converted only where the schema's type is clear and the conversion exact
 * (`"10"` for an integer, `"true"` for a boolean, JSON text for a list or an object, `null` for an optional
 * field); strings stay strings.
 */
export function checkSchema(schema: JsonSchema, value: unknown): Checked {
  const issues: Issue[] = [];
  const checked = visitCopy(schema, value, issues);
  if (issues.length > 0) return { ok: false, issues };
  if (isRecord(checked)) return { ok: true, value: checked };
  return { ok: false, issues: [{ path: "", message: `must be an object, got ${show(value)}` }] };
}

/** Checks with a full JSON Schema validator, for schemas that mods and servers bring. Coerces first as above. */
export async function checkWithLibrary(schema: JsonSchema, value: unknown): Promise<Checked> {
  const { Validator } = await import("@cfworker/json-schema");
  const found: Issue[] = [];
  const coerced = visitCopy(schema, value, found);
  if (coerced === undefined) return { ok: false, issues: found };
  const result = new Validator(schema as object, "2020-12", false).validate(coerced);
  if (result.valid && isRecord(coerced)) return { ok: true, value: coerced };
  const deepest = result.errors.filter((error) =>
    error.keyword !== "properties" && error.keyword !== "items"
  );
  const issues = deepest.slice(0, 5).map((error) => ({
    path: error.instanceLocation.replace(/^#\/?/, "").replaceAll("/", "."),
    message: error.error,
  }));
  return { ok: false, issues: issues.length > 0 ? issues : [{ path: "", message: "must be an object" }] };
}

/** `Cannot call Read: "limit" must be an integer, got "3.7"`, with the parameters as the hint. */
export function argumentError(tool: string, issues: readonly Issue[], schema: JsonSchema): AgentError {
  const faults = issues.slice(0, 5).map(({ path, message }) =>
    path === "" ? message : `${quote(path)} ${message}`
  );
  return new AgentError(`Cannot call ${tool}: ${faults.join("; ")}`, parameterHint(schema));
}

function parameterHint(schema: JsonSchema): string | undefined {
  const names = Object.keys(schema.properties ?? {});
  if (names.length === 0) return "this tool takes no arguments";
  const required = new Set(schema.required);
  return `parameters: ${names.map((name) => required.has(name) ? `${name}*` : name).join(", ")} (* required)`;
}

/** Builds on a copy of our own; `undefined`, and an issue, where the value is none that could be copied. */
function visitCopy(schema: JsonSchema, value: unknown, issues: Issue[]): unknown {
  try {
    return visit(schema, copy(value), "", issues);
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    issues.push({ path: "", message: `its arguments are not JSON: a value ${error.fault}` });
    return undefined;
  }
}

/** What `given`, a copy of our own, becomes by the schema. */
function visit(schema: JsonSchema | boolean, given: unknown, path: string, issues: Issue[]): unknown {
  if (typeof schema === "boolean") return given;
  if (schema.anyOf) return visitAnyOf(schema.anyOf, given, path, issues);
  const types = schema.type === undefined
    ? undefined
    : typeof schema.type === "string"
    ? [schema.type]
    : schema.type;
  const value = types?.length === 1 ? coerce(types[0]!, given) : given;
  if (types && !types.some((type) => hasType(type, value))) {
    issues.push({ path, message: `must be ${types.map(article).join(" or ")}, got ${show(given)}` });
    return value;
  }
  if (schema.enum && !schema.enum.some((allowed) => same(allowed, value))) {
    issues.push({ path, message: `must be one of ${schema.enum.map(show).join(", ")}, got ${show(given)}` });
  }
  if ("const" in schema && !same(schema.const, value)) {
    issues.push({ path, message: `must be ${show(schema.const)}, got ${show(given)}` });
  }
  if (typeof value === "number") checkNumber(schema, value, path, issues);
  else if (typeof value === "string") checkString(schema, value, path, issues);
  else if (Array.isArray(value)) return visitArray(schema, value, path, issues);
  else if (isRecord(value)) return visitObject(schema, value, path, issues);
  return value;
}

function visitAnyOf(options: readonly JsonSchema[], given: unknown, path: string, issues: Issue[]): unknown {
  let fewest: Issue[] | undefined;
  for (const option of options) {
    const found: Issue[] = [];
    const value = visit(option, given, path, found);
    if (found.length === 0) return value;
    if (!fewest || found.length < fewest.length) fewest = found;
  }
  issues.push(...(fewest ?? []));
  return given;
}

function visitObject(
  schema: JsonSchema,
  source: Record<string, unknown>,
  path: string,
  issues: Issue[],
): object {
  const properties = schema.properties ?? {};
  const result: Record<string, unknown> = {};
  const required = schema.required ?? [];
  for (const key of Object.keys(source)) {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    const at = path === "" ? key : `${path}.${key}`;
    if (property !== undefined) {
      // Models send null for "not given".
      if (source[key] === null && !required.includes(key) && !allowsNull(property)) continue;
      if (source[key] === undefined) continue;
      put(result, key, visit(property, source[key], at, issues));
    } else {
      // Kept where it is a fault too: the library judges by what is there.
      const others = schema.additionalProperties ?? true;
      if (others === false) issues.push({ path: at, message: "is not a parameter of this tool" });
      put(result, key, visit(others, source[key], at, issues));
    }
  }
  for (const key of required) {
    if (source[key] === undefined || (!Object.hasOwn(source, key))) {
      issues.push({ path: path === "" ? key : `${path}.${key}`, message: "is missing" });
    }
  }
  for (const key of Object.keys(properties)) {
    const fallback = properties[key]!.default;
    if (fallback !== undefined && !Object.hasOwn(result, key)) put(result, key, copy(fallback));
  }
  return result;
}

function visitArray(schema: JsonSchema, value: unknown[], path: string, issues: Issue[]): unknown[] {
  const { minItems, maxItems, items } = schema;
  if (minItems !== undefined && value.length < minItems) {
    issues.push({ path, message: `must have at least ${minItems} items, has ${value.length}` });
  }
  if (maxItems !== undefined && value.length > maxItems) {
    issues.push({ path, message: `must have at most ${maxItems} items, has ${value.length}` });
  }
  return value.map((item, index) => visit(items ?? true, item, `${path}[${index}]`, issues));
}

function checkNumber(schema: JsonSchema, value: number, path: string, issues: Issue[]): void {
  const say = (bound: string) => issues.push({ path, message: `must be ${bound}, got ${value}` });
  if (schema.minimum !== undefined && value < schema.minimum) say(`at least ${schema.minimum}`);
  if (schema.maximum !== undefined && value > schema.maximum) say(`at most ${schema.maximum}`);
  const { exclusiveMinimum: above, exclusiveMaximum: below } = schema;
  if (above !== undefined && value <= above) say(`more than ${above}`);
  if (below !== undefined && value >= below) say(`less than ${below}`);
}

function checkString(schema: JsonSchema, value: string, path: string, issues: Issue[]): void {
  const { minLength, maxLength, pattern } = schema;
  if (minLength !== undefined && value.length < minLength) {
    issues.push({
      path,
      message: value === "" ? "must not be empty" : `must have at least ${minLength} characters`,
    });
  }
  if (maxLength !== undefined && value.length > maxLength) {
    issues.push({ path, message: `must have at most ${maxLength} characters, has ${value.length}` });
  }
  if (pattern !== undefined && !compile(pattern).test(value)) {
    issues.push({ path, message: `must match /${pattern}/, got ${show(value)}` });
  }
}

/** Patterns are meant for `u`; what a plugin's expression escapes without need is fine without it alone. */
function compile(pattern: string): RegExp {
  try {
    return new RegExp(pattern, "u");
  } catch {
    return new RegExp(pattern);
  }
}

/** Exact conversions only; anything doubtful comes back as it was and fails the check. */
function coerce(type: string, value: unknown): unknown {
  if (typeof value !== "string") return value;
  if (type === "integer" || type === "number") {
    const number = Number(value);
    return /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(value.trim()) && Number.isFinite(number)
      ? number
      : value;
  }
  if (type === "boolean") return value === "true" ? true : value === "false" ? false : value;
  if (type === "array" || type === "object") {
    const text = value.trim();
    if (!text.startsWith(type === "array" ? "[" : "{")) return value;
    let parsed: unknown;
    try {
      parsed = JSON.parse(text);
    } catch {
      return value;
    }
    return copy(parsed);
  }
  return value;
}

function hasType(type: string, value: unknown): boolean {
  switch (type) {
    case "string":
      return typeof value === "string";
    case "boolean":
      return typeof value === "boolean";
    case "number":
      return typeof value === "number" && Number.isFinite(value);
    case "integer":
      return Number.isSafeInteger(value);
    case "array":
      return Array.isArray(value);
    case "object":
      return isRecord(value);
    case "null":
      return value === null;
    default:
      return true;
  }
}

function allowsNull(schema: JsonSchema): boolean {
  return schema.type === "null" || (Array.isArray(schema.type) && schema.type.includes("null")) ||
    (schema.enum?.includes(null) ?? false) || (schema.anyOf?.some(allowsNull) ?? false) ||
    (schema.type === undefined && schema.enum === undefined && schema.anyOf === undefined);
}

function article(type: string): string {
  if (type === "null") return "null";
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

function show(value: unknown): string {
  if (value === undefined) return "nothing";
  let text: string;
  try {
    text = JSON.stringify(value) ?? String(value);
  } catch {
    return "something that is not JSON or nested too deep";
  }
  return text.length > 80 ? `${takeHead(text, 79)}…` : text;
}

function same(a: unknown, b: unknown): boolean {
  return a === b ||
    (typeof a === "object" && typeof b === "object" && JSON.stringify(a) === JSON.stringify(b));
}
