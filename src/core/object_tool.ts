/**
 * One object, one name: a tool with an action for each thing that is done to one kind of object. Each action has a
 * strict object of its own, and its own traits. Models are shown one flat object, since few providers take a choice at
 * the top; each field says there whose it is (`poll, wait: …`). A call is checked against its action, and faults say
 * which (`action=kill: "timeout_s" is not a parameter`).
 */
import type * as zod from "zod";
import { quote } from "./errors.ts";
import type { Checked, JsonSchema } from "./schema.ts";
import type { AnyTool, Context, Limit, Output, Place, Traits, Zod } from "./tool.ts";

/** The field that says which action is meant. */
export const ACTION = "action";

type Shape = Record<string, zod.ZodType>;

/** What is done to the object: its fields beside `action`, its traits, its work. */
export interface Action<Args, Data> {
  /** What it does, for the published description of `action`. */
  about: string;
  input(z: Zod): Shape;
  traits(args: Args, place: Place): Traits;
  run(args: Args, context: Context): Data | Promise<Data>;
  present?(data: Data, args: Args): Output;
}

export interface ObjectTool {
  name: string;
  toolsets?: readonly string[];
  aliases?: readonly string[];
  looksAfter?: AnyTool["looksAfter"];
  limit?: Limit;
  // deno-lint-ignore no-explicit-any -- each action has types of its own, which `action` has checked
  actions: Readonly<Record<string, Action<any, any>>>;
}

/** Checks an action's types against each other. */
export function action<Args, Data>(one: Action<Args, Data>): Action<Args, Data> {
  return one;
}

/** The tool that dispatches to its actions; `variants` are their strict schemas. */
export function defineObjectTool({ actions, ...rest }: ObjectTool): AnyTool {
  const of = (args: Record<string, unknown>) => actions[args[ACTION] as string]!;
  return {
    ...rest,
    input: (z) => flat(z, rest.name, actions) as unknown as zod.ZodType<Record<string, unknown>>,
    variants: (z) => strict(z, actions),
    traits: (args, place) => of(args).traits(args, place),
    run: async (args, context) => ({ args, data: await of(args).run(args, context) }),
    present: (done) => {
      const { args, data } = done as { args: Record<string, unknown>; data: unknown };
      return (of(args).present?.(data, args) ?? data) as Output;
    },
  };
}

function strict(z: Zod, actions: ObjectTool["actions"]): Record<string, zod.ZodType> {
  return Object.fromEntries(
    Object.entries(actions).map(([name, one]) => [
      name,
      z.strictObject({ [ACTION]: z.literal(name), ...one.input(z) }),
    ]),
  );
}

/** Throws where two actions mean different things by one field: only one could be published. */
function flat(z: Zod, tool: string, actions: ObjectTool["actions"]): zod.ZodType {
  const owners = new Map<string, string[]>();
  const fields: Shape = {};
  for (const [name, one] of Object.entries(actions)) {
    for (const [field, type] of Object.entries(one.input(z))) {
      const others = owners.get(field) ?? [];
      owners.set(field, [...others, name]);
      fields[field] ??= type;
      if (asJson(z, type) === asJson(z, fields[field])) continue;
      throw new Error(
        `Cannot define the tool ${quote(tool)}: its actions ${quote(others[0]!)} and ${
          quote(name)
        } differ in ` +
          `the field ${quote(field)}`,
      );
    }
  }
  const about = Object.entries(actions).map(([name, one]) => `${name}: ${one.about}`).join("; ");
  const published = Object.entries(fields).map(([field, type]) => [
    field,
    type.optional().describe(`${owners.get(field)!.join(", ")}: ${descriptionOf(type)}`),
  ]);
  return z.strictObject({
    [ACTION]: z.enum(Object.keys(actions) as [string, ...string[]]).describe(about),
    ...Object.fromEntries(published),
  });
}

function asJson(z: Zod, type: zod.ZodType): string {
  return JSON.stringify(z.toJSONSchema(type, { io: "input" }));
}

/** The description may stand on the type inside an optional one. */
function descriptionOf(type: zod.ZodType): string {
  const { description, def } = type as { description?: string; def?: { innerType?: zod.ZodType } };
  return description ?? (def?.innerType ? descriptionOf(def.innerType) : "");
}

/** Arguments that fit the flat object, held against their action's own. */
export function checkAction(
  checked: Checked,
  variants: Readonly<Record<string, JsonSchema>>,
  check: (schema: JsonSchema, args: unknown) => Checked,
): Checked {
  if (!checked.ok) return checked;
  const name = checked.value[ACTION] as string;
  const schema = variants[name]!;
  const result = check(schema, checked.value);
  if (result.ok) return result;
  const issues = result.issues.map(({ path, message }) => ({
    path: "",
    message: `${ACTION}=${name}: ${path === "" ? "" : `"${path}" `}${message}`,
  }));
  return { ok: false, issues, schema };
}
