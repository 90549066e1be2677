/** `agent replay [LOG]`: logged calls once more, with today's plugins, hooks and rules; what differs is shown. */
import { accept } from "../../core/accept.ts";
import { TurnPlace } from "../../core/context.ts";
import { EXIT } from "../../core/errors.ts";
import { realPath, resolvePath } from "../../core/paths.ts";
import { host } from "../../core/runtime.ts";
import type { Invocation } from "../command.ts";
import { sessionLog } from "../logged.ts";
import { compare, type Compared } from "../replay/compare.ts";
import { FolderCopy } from "../replay/copy.ts";
import { needCalls, readCalls, readSource, type Recorded } from "../replay/recorded.ts";
import { type Given, onStage, type Rehearsed, type Stage } from "../replay/rehearse.ts";
import { firstLine, plural, shownDiff } from "../replay/words.ts";

interface Row extends Compared {
  call: Recorded;
  came: Rehearsed;
}

interface LeftOut {
  call: Recorded;
  why: string;
}

export async function run(invocation: Invocation): Promise<number> {
  const { args: [given], flags } = invocation;
  const source = sourceOf(given);
  const calls = needCalls(readCalls(await readSource(source), source), source);
  const cwd = calls.find(({ cwd }) => cwd !== undefined && host.files.exists(cwd))?.cwd ?? host.cwd();
  const copy = flags.has("run") ? new FolderCopy(realPath(cwd)) : undefined;
  const parts: Given = copy ? { cwd: copy.path } : {};
  try {
    return await onStage(invocation, false, parts, async (stage) => {
      const rows: Row[] = [];
      const leftOut: LeftOut[] = [];
      for (const call of calls) {
        const why = call.unfit ?? (copy && await whyNot(stage, call, copy));
        if (why !== undefined) leftOut.push({ call, why });
        else if (!copy) rows.push(rowOf(call, await stage.rehearse(call), false));
        else {
          const there = call.cwd === undefined ? call : { ...call, cwd: copy.placeOf(call.cwd) };
          rows.push(rowOf(call, copy.told(await stage.rehearse(there, copy.argsOf(call.args))), true));
        }
      }
      const { gate } = await stage.turnIn(undefined);
      return show(source, rows, leftOut, invocation, (text) => gate.redact(text));
    });
  } finally {
    copy?.remove();
  }
}

/** A file, `-`, or a session's name; the newest session where nothing is given. */
function sourceOf(given: string | undefined): string {
  if (given === "-") return given;
  const path = given === undefined ? undefined : resolvePath(host.cwd(), given);
  return path !== undefined && host.files.exists(path) ? path : sessionLog(given).path;
}

function rowOf(call: Recorded, came: Rehearsed, isRun: boolean): Row {
  return { call, came, ...compare(call, came, isRun) };
}

/** Why a call isn't run, in a copy: another one makes it, or it would reach outside. */
async function whyNot(stage: Stage, call: Recorded, copy: FolderCopy): Promise<string | undefined> {
  if (call.parent !== undefined) return "the call that made it makes it again";
  if (call.cwd !== undefined && !copy.holds(call.cwd)) {
    return `it was made in ${call.cwd}, which is outside the folder that is copied`;
  }
  const turn = await stage.turnIn(call.cwd === undefined ? undefined : copy.placeOf(call.cwd));
  const entry = turn.find(call.name);
  if (!entry) return undefined;
  try {
    const { traits } = await accept(
      entry,
      copy.argsOf(call.args),
      new TurnPlace(turn.session.cwd),
      call.name,
    );
    const path = copy.outside(traits);
    return path === undefined ? undefined : `it would change ${path}, which is outside the copy`;
  } catch {
    return undefined;
  }
}

function show(
  source: string,
  rows: readonly Row[],
  leftOut: readonly LeftOut[],
  { flags, printer }: Invocation,
  clean: (text: string) => string,
): number {
  const different = rows.filter(({ differs }) => differs.length > 0);
  const blind = rows.filter(({ isBlind }) => isBlind).length;
  const code = different.length > 0 ? EXIT.failed : EXIT.done;
  if (flags.has("json")) {
    const report = {
      log: source,
      calls: rows.length + leftOut.length,
      different: different.map(({ call: { id, name, where }, came, differs, before, now }) => ({
        id,
        name,
        where,
        differs,
        before,
        now,
        by: came.by,
        ...(came.asks !== undefined && { asks: came.asks }),
      })),
      leftOut: leftOut.map(({ call: { id, name, where }, why }) => ({ id, name, where, why })),
      resultsNotCompared: blind,
    };
    printer.out(clean(JSON.stringify(report)) + "\n");
    return code;
  }
  if (different.length > 0) table(different, (text) => printer.line(clean(text)));
  for (const { call, why } of leftOut) {
    printer.note(clean(`${call.id ?? call.where}  ${call.name}  left out: ${why}`));
  }
  const unseen = blind === 0
    ? ""
    : `; ${
      plural(blind, "result")
    } not compared, as something changed it then (log.originals keeps what it was)`;
  printer.line(`${plural(rows.length, "call")}, ${different.length} different${unseen}`);
  return code;
}

/** A row a call; under it what changed. */
function table(rows: readonly Row[], line: (text: string) => void): void {
  const heads = ["CALL", "TOOL", "DIFFERS", "BEFORE", "NOW"];
  const cells = rows.map(({ call, differs, before, now }) => [
    call.id ?? call.where,
    call.name,
    differs.join(", "),
    before.outcome,
    now.outcome,
  ]);
  const widths = heads.map((head, column) =>
    Math.max(head.length, ...cells.map((row) => row[column]!.length))
  );
  const told = (row: readonly string[]) =>
    row.map((cell, column) => cell.padEnd(widths[column]!)).join("  ").trimEnd();
  line(told(heads));
  for (const [index, { came, differs, before, now }] of rows.entries()) {
    line(told(cells[index]!));
    if (came.by.length > 0) line(`    by ${came.by.join(", ")}`);
    if (came.asks !== undefined) line(`    somebody would be asked: ${came.asks}`);
    if (differs.includes("args")) shownDiff(before.args, now.args).forEach(line);
    if (differs.includes("result")) shownDiff(before.text, now.text).forEach(line);
    else if (differs.includes("outcome")) line(`    ${firstLine(now.text)}`);
  }
}
