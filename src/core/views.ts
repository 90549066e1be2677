/** A call and its result as handlers of mods see them: frozen, and made anew only when something changed. */
import type { ModCall, ModResult } from "./events.ts";
import type { Family } from "./face.ts";
import { resolvePath } from "./paths.ts";
import { type Result, textOf } from "./result.ts";
import { copy, deepFreeze } from "./schema.ts";
import type { Traits } from "./tool.ts";

type Compile = (pattern: string) => (path: string) => boolean;

/** All fields are set in one order, so that the engine gives every call the same shape: these are made by the dozen. */
export class CallView implements ModCall {
  readonly #glob: Compile;
  readonly id: string;
  readonly parent?: string;
  readonly name: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly face: { readonly args: unknown };
  readonly traits?: Traits;
  readonly family: Family | undefined;
  readonly cwd: string;
  readonly dryRun: boolean;

  constructor(view: Omit<ModCall, "touches">, glob: Compile) {
    this.#glob = glob;
    this.id = view.id;
    this.parent = view.parent;
    this.name = view.name;
    this.tool = view.tool;
    this.args = view.args;
    this.face = view.face;
    this.traits = view.traits;
    this.family = view.family;
    this.cwd = view.cwd;
    this.dryRun = view.dryRun;
    Object.freeze(this);
  }

  /** True for a call that may touch anything, and for one whose paths the glob matches. */
  touches(pattern: string): boolean {
    const { traits, cwd } = this;
    if (!traits?.keys) return true;
    const matches = this.#glob(resolvePath(cwd, pattern));
    return (traits.subjects ?? []).some((subject) => subject.kind === "path" && matches(subject.value)) ||
      traits.keys.some((key) => key.startsWith("path:") && matches(key.slice("path:".length)));
  }
}

/** The arguments as the model wrote them: a frozen copy, made when somebody looks. */
export function faceView(given: unknown): ModCall["face"] {
  let args: unknown;
  return Object.freeze({
    get args() {
      return args ??= deepFreeze(copy(given));
    },
  });
}

/** Takes the result over: it is frozen, with all that is in it. */
export function modResult(result: Result): ModResult {
  for (const block of result.content) Object.freeze(block);
  Object.freeze(result.content);
  if (result.stdout) Object.freeze(result.stdout);
  if (result.stderr) Object.freeze(result.stderr);
  if (result.structured !== undefined) deepFreeze(result.structured);
  const view = result as Result & { text: string };
  view.text = textOf(result.content);
  return Object.freeze(view);
}
