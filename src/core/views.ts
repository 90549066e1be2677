/** A call and its result as mods, hooks and permission see them. What mods get is frozen. */
import type { Accepted, Taken } from "./accept.ts";
import type { Handler, ModCall, ModResult } from "./events.ts";
import type { Family, HookView } from "./face.ts";
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
  /** What it was before its tool said that it is another's: rules, matchers and filters for that hold too. */
  readonly came: Taken | undefined;
  readonly face: ModCall["face"];
}

export function modCall(facts: CallFacts): ModCall {
  const { id, parentId, request, turn, dryRun, entry, accepted, came, face } = facts;
  const view = {
    id,
    parent: parentId,
    name: request.name,
    tool: entry?.tool.name ?? "",
    args: accepted?.args ?? NO_ARGS,
    face,
    traits: accepted?.traits,
    family: (came?.entry ?? entry)?.family,
    cwd: turn.session.cwd,
    dryRun,
  };
  return new CallView(view, turn.glob);
}

const NO_ARGS = Object.freeze({});

/** Does a handler want to see this call? */
export function concerns({ tools, effect }: Pick<Handler, "tools" | "effect">, facts: CallFacts): boolean {
  const { entry, accepted, came, request } = facts;
  if (effect !== undefined && accepted?.traits.effect !== effect) return false;
  return tools === undefined ||
    tools.some((name) =>
      entry ? isCalled(entry, name) || (came && isCalled(came.entry, name)) : name === request.name
    );
}

/** By any name of its capability, or by one that stands for what it does (`Edit` for a patch). */
function isCalled({ names, hooks }: Entry, name: string): boolean {
  return names.has(name) || (hooks?.alsoMatches?.includes(name) ?? false);
}

/** A call whose arguments passed, as permission looks at it. */
export function askedOf(turn: Turn, entry: Entry, { traits }: Accepted, came: Taken | undefined): Asked {
  const { cwd, folders, mode } = turn.session;
  const asked = { entry, traits, cwd, folders, mode };
  return came ? { ...asked, came: askedOf(turn, came.entry, came.accepted, undefined) } : asked;
}

/** A call whose arguments passed, as command hooks see it: in Claude's names, with the model's own beside them. */
export function hookCall(
  { id, request, turn, came }: CallFacts,
  entry: Entry,
  accepted: Accepted,
  place: Place,
  signal: () => AbortSignal | undefined,
  heard?: HookCall["heard"],
): HookCall {
  const { args, traits } = accepted;
  const view = hookView(entry, args, place);
  const { id: session, cwd, project, mode } = turn.session;
  return {
    id,
    view,
    names: [
      request.name,
      ...matcherNames(entry, view),
      ...came ? matcherNames(came.entry, hookView(came.entry, came.accepted.args, place)) : [],
    ],
    agent: {
      name: request.name,
      args: request.args,
      tool: entry.tool.name,
      family: (came?.entry ?? entry).family,
      effect: traits.effect,
    },
    session: { id: session, cwd, project, mode },
    asked: askedOf(turn, entry, accepted, came),
    heard,
    get signal() {
      return signal();
    },
  };
}

function hookView(entry: Entry, args: Accepted["args"], place: Place): HookView {
  return entry.hooks?.view(args, place) ?? { name: entry.name, input: args };
}

function matcherNames({ tool, hooks }: Entry, { name }: HookView): string[] {
  return [tool.name, name, ...hooks?.alsoMatches ?? []];
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
