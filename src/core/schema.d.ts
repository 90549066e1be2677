/**
 * Arguments in: coerce, check, explain. JSON Schema out: one normal form per model family.
 *
 * `checkSchema` interprets the part of JSON Schema that tools use (draft 2020-12, without references), builds a
 * fresh value and never touches the one it was given. Libraries are for what it doesn't know: `needsLibrary`
 * says so, and `checkWithLibrary` loads `@cfworker/json-schema` then.
 */
import { AgentError } from "./errors.ts";
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
export type Checked = {
    ok: true;
    value: Record<string, unknown>;
} | {
    ok: false;
    issues: Issue[];
};
/** True when `schema` uses keywords that `checkSchema` would overlook. */
export declare function needsLibrary(schema: JsonSchema | boolean | undefined): boolean;
/**
 * Checks tool arguments. Values are converted only where the schema's type is clear and the conversion exact
 * (`"10"` for an integer, `"true"` for a boolean, JSON text for a list or an object, `null` for an optional
 * field); strings stay strings.
 */
export declare function checkSchema(schema: JsonSchema, value: unknown): Checked;
/** Checks with a full JSON Schema validator, for schemas that mods and servers bring. Coerces first as above. */
export declare function checkWithLibrary(schema: JsonSchema, value: unknown): Promise<Checked>;
/** `Cannot call Read: "limit" must be an integer, got "3.7"`, with the parameters as the hint. */
export declare function argumentError(tool: string, issues: readonly Issue[], schema: JsonSchema): AgentError;
/** A deep copy of JSON data; anything that isn't JSON data is refused by name. */
export declare function copy(value: unknown): unknown;
/** Freezes JSON data all the way down and returns it. */
export declare function deepFreeze<T>(value: T): T;
/**
 * The form in which a schema is published: no `$schema`, no bounds that only say "a safe integer", an object at
 * the root. Key order is that of the source, so the bytes are the same everywhere.
 */
export declare function publishSchema(schema: JsonSchema): JsonSchema;
