/** `agent sessions kill`: ends some sessions, or all. */
import { EXIT, UsageError } from "../../core/errors.ts";
import { isRecord } from "../../core/json.ts";
import { type Result, textOf } from "../../core/result.ts";
import { Flags, type Invocation } from "../command.ts";
import { callSessions } from "../daemon/session_call.ts";
import { Printer } from "../printer.ts";
import { idOf } from "./sessions_call.ts";

/** The exit code is that of the first that failed. */
export async function run(invocation: Invocation): Promise<number> {
  const { args, flags, printer } = invocation;
  const all = flags.has("all");
  if (all && args.length > 0) {
    throw new UsageError(
      "Cannot use --all with a number: that would be one of them",
      "leave one of both out",
    );
  }
  const typed = args.length === 0 && !all ? [idOf(undefined)] : args.map(idOf);
  const ids = all ? await runningOnes(invocation) : typed;
  if (typeof ids === "number") return ids;
  if (ids.length === 0) printer.note("no session is running");
  let code: number = EXIT.done;
  for (const id of new Set(ids)) {
    const own = await callSessions(invocation, { args: { action: "kill", session_id: id } });
    if (own === EXIT.interrupted) return own;
    code ||= own;
  }
  return code;
}

/** Their numbers; the exit code, where they can't be had. */
async function runningOnes(invocation: Invocation): Promise<number[] | number> {
  const { flags, printer } = invocation;
  let text = "";
  const code = await callSessions({
    ...invocation,
    flags: new Flags(new Map([...flags.entries(), ["json", []]])),
    printer: new Printer({
      color: printer.isColored ? "always" : "never",
      debug: flags.has("debug"),
      write: (fd, piece) => fd === 1 ? void (text += piece) : printer.err(piece),
    }),
  }, { args: { action: "list" } });
  if (text === "") return code;
  const { content, structured } = JSON.parse(text) as Result;
  if (code !== EXIT.done) {
    printer.failure(textOf(content));
    return code;
  }
  const list = isRecord(structured) ? structured.sessions as { id: number; state: string }[] : [];
  return list.filter(({ state }) => state === "running" || state === "adopted").map(({ id }) => id);
}
