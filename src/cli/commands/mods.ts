/** `agent mods list`: plugins with their state. */
import type { Runtime } from "../../agent.ts";
import { dirs } from "../../core/dirs.ts";
import { messageOf } from "../../core/errors.ts";
import { type TimeTotal, totalTimes } from "../../core/handler_times.ts";
import { logFiles, readLog } from "../../core/log.ts";
import { host } from "../../core/runtime.ts";
import type { HandlerStatus, ModStatus } from "../../mods/host.ts";
import type { Shadow } from "../../mods/status.ts";
import type { Invocation } from "../command.ts";
import { openRuntime } from "../open.ts";

export async function run(invocation: Invocation): Promise<number> {
  const runtime = await openRuntime(invocation);
  try {
    await runtime.start();
    // Before anybody sees what was loaded: what they change then is a change.
    const marks = runtime.modMarks();
    show(runtime.mods(), invocation);
    if (invocation.flags.has("watch")) await watch(runtime, marks, invocation);
    return 0;
  } catch (error) {
    // Without a plugin that is required nothing starts; this is where one looks why.
    if (runtime.mods().length > 0) show(runtime.mods(), invocation);
    throw error;
  } finally {
    await runtime.close();
  }
}

/** How often files are looked at. */
const LOOK_MS = 300;

/** Loads plugins anew at each change of their files, and shows them, until a signal. */
async function watch(runtime: Runtime, marks: string, invocation: Invocation): Promise<void> {
  let stop = () => {};
  const stopped = new Promise<void>((resolve) => stop = resolve);
  const removers = (["SIGINT", "SIGTERM", "SIGHUP"] as const).map((signal) => host.onSignal(signal, stop));
  let isOver = false;
  void stopped.then(() => isOver = true);
  let before = marks;
  while (!isOver) {
    await Promise.race([stopped, new Promise((resolve) => setTimeout(resolve, LOOK_MS))]);
    if (isOver) break;
    try {
      if (runtime.modMarks() === before) continue;
      const mods = await runtime.reloadMods();
      before = runtime.modMarks();
      show(mods, invocation);
    } catch (error) {
      // A folder that is away for a moment, say.
      if (messageOf(error) !== before) invocation.printer.warn(messageOf(error));
      before = messageOf(error);
    }
  }
  for (const remove of removers) remove();
}

function show(mods: readonly ModStatus[], { flags, printer }: Invocation): void {
  const times = flags.has("timing") ? lastTimes() : undefined;
  if (flags.has("json")) {
    return printer.json(times ? mods.map((mod) => ({ ...mod, timing: times.get(mod.name) ?? [] })) : mods);
  }
  if (mods.length === 0) printer.note("no plugins");
  for (const mod of mods) {
    const time = times ? `, ${mod.loadMs} ms` : "";
    const open = mod.unfenced === undefined ? "" : `, not kept from ${mod.unfenced}`;
    const apart = mod.isolation === "process" ? `, in a process of its own${open}` : "";
    printer.line(`${mod.name}  ${mod.state}${mod.phase ? ` in ${mod.phase}` : ""}${apart}${time}`);
    printer.line(`  ${mod.path}`);
    if (mod.reason !== undefined) printer.line(`  ${mod.reason}`);
    if (mod.kept !== undefined) printer.line(`  as it was before: ${mod.kept}`);
    if (mod.tools.length > 0) printer.line(`  tools: ${mod.tools.join(", ")}`);
    for (const shadow of mod.shadows) printer.line(`  ${shadowInWords(shadow)}`);
    if (mod.handlers.length > 0) {
      printer.line(`  events: ${[...new Set(mod.handlers.map(inWords))].join(", ")}`);
    }
    if (mod.commands.length > 0) printer.line(`  commands: ${mod.commands.join(", ")}`);
    if (mod.uses.length > 0) printer.line(`  uses: ${mod.uses.join(", ")}`);
    for (const total of times?.get(mod.name) ?? []) printer.line(`  ${timeInWords(total)}`);
  }
}

/** Of the session that was written last and in which handlers ran. */
function lastTimes(): Map<string, TimeTotal[]> {
  for (const { path } of logFiles(dirs().log).reverse()) {
    const times = readLog(path).flatMap((event) =>
      event.type === "tool_end" && event.mods ? [event.mods] : []
    );
    if (times.length > 0) return totalTimes(times);
  }
  return new Map();
}

/** `tool_start (Bash, Write; late)` */
function inWords({ event, tools, effect, order }: HandlerStatus): string {
  const narrowed = [tools?.join(", "), effect, order === "normal" ? undefined : order]
    .filter((part) => part !== undefined).join("; ");
  return narrowed === "" ? event : `${event} (${narrowed})`;
}

function shadowInWords({ tool, stands, other }: Shadow): string {
  const whose = other === "built in" ? "the built-in tool" : other;
  return stands === "before"
    ? `${tool} stands before ${whose}`
    : `${tool} stands behind that of ${whose}, and isn't used`;
}

function timeInWords({ event, calls, totalMs, mostMs }: TimeTotal): string {
  return `${event}: ${totalMs} ms in ${calls} ${calls === 1 ? "call" : "calls"}, ${mostMs} ms at most`;
}
