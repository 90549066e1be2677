/** A call and its result as mods, hooks and permission see them. What mods get is frozen. */
import type { Accepted } from "./accept.ts";
import type { Handler, ModCall, ModResult } from "./events.ts";
import type { Family } from "./face.ts";
import type { HookCall } from "./hooks.ts";
import { resolvePath } from "./paths.ts";
import { type Result, textOf } from "./result.ts";
import { copy, deepFreeze } from "./json.ts";
import type { Asked } from "./permission.ts";
import type { Entry } from "./registry.ts";
import type { CallRequest } from "./request.ts";
import type { Place, Traits } from "./tool.ts";
import type { Turn } from "./turn.ts";

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

/** What is known of a call so far, for those who look at it from outside. */
export interface CallFacts {
  readonly id: string;
  readonly parentId: string | undefined;
  readonly request: CallRequest;
  readonly turn: Turn;
  readonly dryRun: boolean;
  /** Absent until the name was found. */
  readonly entry: Entry | undefined;
  /** Absent until the arguments passed. */
  readonly accepted: Accepted | undefined;
  readonly face: ModCall["face"];
}

export function modCall({ id, parentId, request, turn, dryRun, entry, accepted, face }: CallFacts): ModCall {
  const view = {
    id,
    parent: parentId,
    name: request.name,
    tool: entry?.tool.name ?? "",
    args: accepted?.args ?? NO_ARGS,
    face,
    traits: accepted?.traits,
    family: entry?.family,
    cwd: turn.session.cwd,
    dryRun,
  };
  return new CallView(view, turn.glob);
}

const NO_ARGS = Object.freeze({});

/** Does a handler want to see this call? */
export function concerns({ tools, effect }: Pick<Handler, "tools" | "effect">, facts: CallFacts): boolean {
  const { entry, accepted, request } = facts;
  if (effect !== undefined && accepted?.traits.effect !== effect) return false;
  return tools === undefined || tools.some((name) => entry ? entry.names.has(name) : name === request.name);
}

/** A call whose arguments passed, as permission looks at it. */
export function askedOf(turn: Turn, entry: Entry, { traits }: Accepted): Asked {
  const { cwd, folders, mode } = turn.session;
  return { entry, traits, cwd, folders, mode };
}

/** A call whose arguments passed, as command hooks see it: in Claude's names, with the model's own beside them. */
export function hookCall(
  { id, request, turn }: CallFacts,
  entry: Entry,
  accepted: Accepted,
  place: Place,
  signal: () => AbortSignal | undefined,
): HookCall {
  const { args, traits } = accepted;
  const view = entry.hooks?.view(args, place) ?? { name: entry.name, input: args };
  const { id: session, cwd, project, mode } = turn.session;
  return {
    id,
    view,
    names: [request.name, entry.tool.name, view.name, ...entry.hooks?.alsoMatches ?? []],
    agent: {
      name: request.name,
      args: request.args,
      tool: entry.tool.name,
      family: entry.family,
      effect: traits.effect,
    },
    session: { id: session, cwd, project, mode },
    asked: askedOf(turn, entry, accepted),
    get signal() {
      return signal();
    },
  };
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
