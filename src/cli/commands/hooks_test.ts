/** `agent hooks test EVENT`: asks hooks about a call that isn't run, and says what their answers mean. */
import { accept, divert, type Taken } from "../../core/accept.ts";
import { TurnPlace } from "../../core/context.ts";
import { dirs } from "../../core/dirs.ts";
import { EXIT, messageOf, nearest, quote, UsageError } from "../../core/errors.ts";
import { HOOK_EVENTS, type HookCall, type HookEvent, isHostEvent } from "../../core/hooks.ts";
import { isRecord } from "../../core/json.ts";
import { join } from "../../core/paths.ts";
import type { Turn } from "../../core/turn.ts";
import { faceView, hookCall } from "../../core/views.ts";
import type { CommandHooks, HookTrace } from "../../mods/command_hooks.ts";
import { type HookGroup, isCallEvent, nameOf, readHooks } from "../../mods/hook_config.ts";
import { ask, type Asked, meaning } from "../../mods/hook_meaning.ts";
import { hookGroups, hooksOf } from "../../mods/load_hooks.ts";
import { ProcessGroups } from "../../shell/groups.ts";
import type { Invocation } from "../command.ts";
import { openRuntime } from "../open.ts";
import { hookPlaces } from "./hooks.ts";
import { MATCHERS } from "../../tools/matchers.ts";

export async function run(invocation: Invocation): Promise<number> {
  const { flags, args, printer } = invocation;
  const event = eventOf(args[0]);
  const runtime = await openRuntime(invocation);
  const groups = new ProcessGroups({ live: join(dirs().sessions, "live") });
  try {
    const tool = flags.get("tool");
    if (isCallEvent(event) && tool === undefined) {
      throw new UsageError(`Cannot test hooks of ${event}: no tool is named`, "add --tool NAME --args JSON");
    }
    if (tool !== undefined && !runtime.registry.names().has(tool)) {
      printer.warn(`no tool of ours is called ${quote(tool)}; its arguments are taken as they are`);
      const inputSchema = { type: "object" };
      runtime.addExternal({ name: tool, description: "", inputSchema, execute: () => "" });
    }
    const turn = await runtime.prepareTurn({ open: true });
    const places = await hookPlaces(invocation);
    const clean = (text: string) => turn.gate.redact(text);
    const traces: HookTrace[] = [];
    const hooks = hooksOf(await groupsOf(invocation, event, places), {
      ...places,
      project: turn.session.project,
      toolNames: runtime.registry.names(),
      transcript: runtime.logPath ?? "",
      groups,
      matchers: MATCHERS,
      covers: runtime.registry.covers(),
      shorten: clean,
      // What went wrong stands in the answer below.
      complain: () => {},
      warn: (text) => printer.warn(text),
      heard: (trace) => traces.push(trace),
    });
    const asked = await askAll(hooks, event, invocation, turn);
    return show(invocation, event, asked, traces, clean);
  } finally {
    await groups.endAll();
    await runtime.close();
  }
}

function eventOf(given: string | undefined): HookEvent {
  const event = HOOK_EVENTS.find((name) => name === given);
  if (event) return event;
  const hint = `one of ${HOOK_EVENTS.join(", ")}`;
  if (given === undefined) throw new UsageError("Cannot test hooks: no event is named", hint);
  const near = nearest(given, HOOK_EVENTS, 1)[0];
  throw new UsageError(
    `Cannot test hooks of ${quote(given)}: no such event`,
    near ? `did you mean ${near}?` : hint,
  );
}

async function groupsOf(
  { flags, printer }: Invocation,
  event: HookEvent,
  places: Parameters<typeof hookGroups>[0],
): Promise<HookGroup[]> {
  const warn = (text: string) => printer.warn(text);
  const command = flags.get("script");
  if (command === undefined) return await hookGroups(places, warn);
  return readHooks(
    { hooks: { [event]: [{ hooks: [{ type: "command", command }] }] }, source: "--script" },
    warn,
  );
}

async function askAll(
  hooks: CommandHooks,
  event: HookEvent,
  { flags }: Invocation,
  turn: Turn,
): Promise<Asked> {
  try {
    const json = (flag: string) => jsonOf(flag, flags.get(flag));
    if (isHostEvent(event)) return await ask(hooks, { event, fields: json("fields") ?? {} }, turn.session);
    if (event === "SessionStart" || event === "SessionEnd") {
      return await ask(hooks, { event, fields: json("fields") ?? {} }, turn.session);
    }
    const args = json("args") ?? {};
    const response = flags.get("response");
    const given = {
      response: response === undefined ? {} : parsed(response),
      error: flags.get("error") ?? "",
    };
    return await ask(
      hooks,
      { event, call: await callOf(turn, flags.get("tool")!, args), ...given },
      turn.session,
    );
  } finally {
    await hooks.close();
  }
}

/** The call as hooks are shown it: checked, and with the traits that rules ask for. */
async function callOf(turn: Turn, name: string, args: Record<string, unknown>): Promise<HookCall> {
  const entry = turn.find(name);
  if (!entry) {
    throw new UsageError(
      `Cannot test a call of ${quote(name)}: no such tool`,
      "names are those of agent tools",
    );
  }
  const place = new TurnPlace(turn.session.cwd);
  const came: Taken = { entry, accepted: await accept(entry, args, place, name) };
  const other = await divert(came, turn.canonical, place, name);
  const is = other ?? came;
  const request = { name, args };
  const facts = { id: turn.callId(), parentId: undefined, request, turn, dryRun: true, face: faceView(args) };
  return hookCall(
    { ...facts, ...is, came: other ? came : undefined },
    is.entry,
    is.accepted,
    place,
    () => undefined,
  );
}

function jsonOf(flag: string, text: string | undefined): Record<string, unknown> | undefined {
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`Cannot use --${flag} ${quote(text)}: ${messageOf(error)}`);
  }
  if (!isRecord(value)) throw new UsageError(`Cannot use --${flag} ${quote(text)}: not a JSON object`);
  return value;
}

/** JSON, or any text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function show(
  { flags, printer }: Invocation,
  event: HookEvent,
  { words, comesTo }: Asked,
  traces: readonly HookTrace[],
  clean: (text: string) => string,
): number {
  const failed = traces.some(({ understood }) => understood.failure !== undefined);
  const all = new Set([...comesTo, ...failed ? ["failure"] : []]);
  if (all.size === 0) all.add("none");
  // Who thinks in exit codes expects that.
  if (all.has("deny")) all.add("block");
  const missing = flags.all("expect").filter((word) => !all.has(word));
  const rows = traces.map(({ hook, group, payload, run, understood, answer, ms }) => ({
    hook: nameOf(hook),
    source: group.source,
    stdin: JSON.stringify(payload),
    ...(run.exitCode !== undefined && run.status === undefined && { exit: run.exitCode }),
    ...(run.signal !== undefined && { signal: run.signal }),
    ...(run.status !== undefined && { status: run.status }),
    ...(run.timedOut && { timedOut: true }),
    stdout: run.stdout,
    stderr: run.stderr,
    ms: Math.round(ms * 10) / 10,
    means: meaning(event, understood, answer, hook.onFailure === "block"),
  }));
  if (flags.has("json")) {
    const report = { event, hooks: rows, comesTo: [...all], words, expected: flags.all("expect") };
    printer.out(clean(JSON.stringify({ ...report, met: missing.length === 0 })) + "\n");
  } else {
    const line = (text: string) => printer.line(clean(text));
    for (const { hook, source, stdin, exit, signal, status, timedOut, stdout, stderr, ms, means } of rows) {
      const end = status !== undefined
        ? `HTTP ${status}`
        : timedOut
        ? "out of time"
        : signal ?? (exit === undefined ? "none" : `exit ${exit}`);
      line(`${event}  ${hook}  (${source})`);
      line(`  stdin   ${stdin}`);
      line(`  end     ${end}, after ${ms} ms`);
      if (stdout !== "") line(`  stdout  ${indented(stdout)}`);
      if (stderr !== "") line(`  stderr  ${indented(stderr)}`);
      line(`  means   ${indented(means.join("\n"))}`);
    }
    line(rows.length === 0 ? "no hook was asked" : `together: ${words}`);
  }
  for (const word of missing) {
    printer.failure(`expected ${word}, but it comes to ${[...all].join(", ")}`);
  }
  return missing.length > 0 ? EXIT.failed : EXIT.done;
}

function indented(text: string): string {
  return text.trimEnd().split("\n").join("\n          ");
}
