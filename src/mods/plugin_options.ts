/** What settings say of a plugin: whether it is on, where it runs, and its own options. */
import { messageOf } from "../core/errors.ts";
import { isRecord } from "../core/json.ts";
import type { Plugin } from "../sdk.ts";
import type { Found } from "./places.ts";

type Given = Readonly<Record<string, unknown>>;

export class PluginOptions {
  readonly #user: Given;
  readonly #project: Given;

  /** `project`: what a project says of its own plugins, and of no others. */
  constructor(user: Given, project: Given = {}) {
    this.#user = user;
    this.#project = project;
  }

  /** What the user says of a plugin, else what its project does. */
  of({ from }: Found, name: string): unknown {
    if (Object.hasOwn(this.#user, name)) return this.#user[name];
    return from === "project" && Object.hasOwn(this.#project, name) ? this.#project[name] : undefined;
  }

  isOff(found: Found, name: string): boolean {
    const given = this.of(found, name);
    return isRecord(given) && given.enabled === false;
  }

  /** Where it is to run, if somebody says so. Nothing of it has run yet, so its file's name is all that is known. */
  isolationOf(found: Found, name = found.name): "none" | "process" | undefined {
    const given = this.of(found, name);
    const isolation = isRecord(given) ? given.isolation : undefined;
    if (isolation === undefined || isolation === "none" || isolation === "process") return isolation;
    throw new Error(`its isolation is set to ${JSON.stringify(isolation)}, not to "process" or "none"`);
  }
}

/** The options that `setup` gets, without what is the host's. Throws a sentence without a subject. */
export function ownOptions(given: unknown = {}): Record<string, unknown> {
  if (!isRecord(given)) throw new Error("its options are wrong: not an object");
  const { enabled: _, isolation: __, ...options } = given;
  return options;
}

/** The same, checked by the plugin's own schema. */
export function checkedOptions(plugin: Plugin, options: Record<string, unknown>): Record<string, unknown> {
  if (!plugin.options) return options;
  const parsed = plugin.options.safeParse(options);
  if (!parsed.success) throw new Error(`its options are wrong: ${faultsOf(parsed.error)}`);
  return parsed.data as Record<string, unknown>;
}

/** zod's message is its list of issues as JSON; people get them in words. */
function faultsOf(
  error: { message: string; issues?: readonly { path: PropertyKey[]; message: string }[] } = { message: "" },
) {
  const issues = error.issues?.map(({ path, message }) =>
    [path.map(String).join("."), message].join(" ").trim()
  );
  return issues?.join("; ") ?? messageOf(error);
}
