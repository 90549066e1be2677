/** `agent mods test PLUGIN [CALLS]`: recorded calls through one plugin, while no tool is run. */
import { dirs } from "../../core/dirs.ts";
import { AgentError, EXIT, nearest, quote, UsageError } from "../../core/errors.ts";
import { dirname, join, resolvePath } from "../../core/paths.ts";
import { textOf } from "../../core/result.ts";
import { host } from "../../core/runtime.ts";
import { findPlugins } from "../../mods/places.ts";
import type { Invocation } from "../command.ts";
import { sessionLog } from "../logged.ts";
import { failures } from "../replay/expect.ts";
import { needCalls, readCalls, readSource, type Recorded } from "../replay/recorded.ts";
import { type Given, onStage, type Rehearsed, type Stage } from "../replay/rehearse.ts";
import { counted, firstLine, plural, shownDiff } from "../replay/words.ts";

/** A call with what came of it. */
interface Row {
  call: Recorded;
  came: Rehearsed | undefined;
  failed: readonly string[];
}

export async function run(invocation: Invocation): Promise<number> {
  const { args: [given, file] } = invocation;
  if (given === undefined) {
    throw new UsageError("Cannot test a plugin: none was named", "agent mods test ./my-plugin calls.jsonl");
  }
  const plugin = pluginAt(given);
  const source = file ?? callsOf(plugin, invocation);
  const calls = needCalls(readCalls(await readSource(source), source), source);
  const settings: Given["settings"] = [["permissions.defaultMode", "bypassPermissions"]];
  return await onStage(invocation, true, { plugins: [plugin], settings }, async (stage) => {
    checkLoaded(stage, given);
    stage.complaints();
    const rows: Row[] = [];
    for (const call of calls) rows.push(await rowOf(stage, call));
    const clean = await cleaner(stage);
    return show(rows, stage.complaints(), invocation, clean);
  });
}

/** A path, or the name of one of the user's plugins. */
function pluginAt(given: string): string {
  const path = resolvePath(host.cwd(), given);
  if (host.files.exists(path)) return path;
  const found = findPlugins([], dirs().plugins).find(({ name }) => name === given);
  if (!found) {
    throw new UsageError(
      `Cannot test the plugin ${quote(given)}: no such file, and none of your plugins is called so`,
      "agent mods list shows them",
    );
  }
  return found.manifest === undefined ? found.entry : dirname(found.manifest);
}

/** What stands beside a plugin, else what was called last. */
function callsOf(plugin: string, { printer }: Invocation): string {
  const isFolder = host.files.stat(plugin).kind === "directory";
  const beside = isFolder ? join(plugin, "calls.jsonl") : plugin.replace(/\.[cm]?[jt]s$/, ".calls.jsonl");
  if (host.files.exists(beside)) return beside;
  const { session, path } = sessionLog(undefined);
  printer.note(`with the calls of session ${session}, the newest`);
  return path;
}

function checkLoaded({ runtime }: Stage, given: string): void {
  const mods = runtime.mods();
  if (mods.length === 0) throw new UsageError(`Cannot test ${quote(given)}: there is no plugin in it`);
  const off = mods.find(({ state }) => state !== "ready");
  if (off) {
    throw new AgentError(`Cannot test the plugin ${quote(off.name)}: ${off.reason ?? `it is ${off.state}`}`);
  }
}

async function rowOf(stage: Stage, call: Recorded): Promise<Row> {
  if (call.unfit !== undefined) return { call, came: undefined, failed: [] };
  await knowTool(stage, call);
  const came = await stage.rehearse(call);
  return { call, came, failed: call.expect ? failures(call.expect, came) : [] };
}

/**
 * A tool of another plugin or a server: its arguments are taken as they are. What somebody wrote and is nearly the name
 * of a tool is most likely a slip, and a test of it would test nothing.
 */
async function knowTool(
  { runtime, turnIn, renew }: Stage,
  { name, cwd, end, where }: Recorded,
): Promise<void> {
  if ((await turnIn(cwd)).find(name)) return;
  if (end === undefined) {
    const [near] = nearest(name, runtime.registry.names(), 1);
    if (near !== undefined) {
      throw new UsageError(
        `Cannot test the call in ${where}: no tool is called ${quote(name)}`,
        `did you mean ${near}?`,
      );
    }
  }
  runtime.addExternal({ name, description: "", inputSchema: { type: "object" }, execute: () => "" });
  renew();
}

async function cleaner({ turnIn }: Stage): Promise<(text: string) => string> {
  const { gate } = await turnIn(undefined);
  return (text) => gate.redact(text);
}

function show(
  rows: readonly Row[],
  complaints: readonly string[],
  { flags, printer }: Invocation,
  clean: (text: string) => string,
): number {
  const failed = rows.filter((row) => row.failed.length > 0).length;
  const code = failed > 0 || complaints.length > 0 ? EXIT.failed : EXIT.done;
  if (flags.has("json")) {
    const calls = rows.map(({ call: { where, id, name, unfit }, came, failed }) => ({
      where,
      id,
      name,
      ...(came ? { ...came } : { unfit }),
      failed,
    }));
    printer.out(clean(JSON.stringify({ calls, complaints, met: code === EXIT.done })) + "\n");
    return code;
  }
  for (const row of rows) for (const line of linesOf(row)) printer.line(clean(line));
  const words = counted(rows.map(({ came }) => came?.did ?? "left out"));
  const expected = rows.filter(({ call }) => call.expect !== undefined).length;
  const told = expected === 0 ? "" : `; ${expected - failed} of ${plural(expected, "expectation")} met`;
  printer.line(`${plural(rows.length, "call")}${words && `: ${words}`}${told}`);
  return code;
}

function linesOf({ call, came, failed }: Row): string[] {
  const head = `${call.where}  ${call.name}`;
  const wrong = failed.map((text) => `  failed: ${text}`);
  if (!came) return [`${head}  left out: ${call.unfit}`];
  const { did, text, args, argsBefore, by, outcome } = came;
  if (did === "unchanged" && !call.expect) return [];
  const who = by.length > 0 ? `  (${by.join(", ")})` : "";
  const lines = [`${head}  ${did}${who}`];
  if (args !== argsBefore) lines.push(...shownDiff(argsBefore, args));
  const hasRun = outcome === "success" || outcome === "error";
  if (!hasRun) lines.push(`    ${firstLine(text)}`);
  else if (did !== "unchanged") lines.push(...shownDiff(givenText(call), text));
  return [...lines, ...wrong];
}

function givenText({ given }: Recorded): string {
  const content = given?.content ?? "";
  return typeof content === "string" ? content : textOf(content);
}
