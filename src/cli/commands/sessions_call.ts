/** `agent sessions list`, `poll`, `wait`, `write`, `kill`: calls of the tool that looks after sessions. */
import { quote, UsageError } from "../../core/errors.ts";
import type { Invocation } from "../command.ts";
import { callDaemon } from "../daemon/client.ts";
import { requestOf } from "../daemon/request.ts";
import { Interrupt, runCall } from "./exec.ts";

type Arguments = Record<string, unknown>;

/** The arguments of each command's call. */
const ARGUMENTS: Readonly<Record<string, (invocation: Invocation) => Arguments>> = {
  "sessions list": () => ({ action: "list" }),
  "sessions poll": ({ flags, args }) => ({
    action: "poll",
    session_id: idOf(args[0]),
    ...(flags.has("peek") && { peek: true }),
    filter: flags.get("filter"),
    yield_time_ms: milliseconds(flags.get("wait")),
  }),
  "sessions wait": ({ flags, args }) => ({
    action: "wait",
    session_id: idOf(args[0]),
    timeout_s: flags.positive("for"),
    until_output: flags.get("until"),
  }),
  "sessions write": ({ flags, args: [id, text] }) => {
    const keys = flags.all("key");
    if (text === undefined && keys.length === 0) {
      throw new UsageError("Cannot write: no text was given", "agent sessions write ID TEXT");
    }
    return {
      action: "poll",
      session_id: idOf(id),
      chars: text === undefined || flags.has("raw") ? text : `${text}\n`,
      ...(keys.length > 0 && { keys }),
    };
  },
  "sessions kill": ({ args }) => ({ action: "kill", session_id: idOf(args[0]) }),
};

export async function run(invocation: Invocation): Promise<number> {
  const given = ARGUMENTS[invocation.command.name]!(invocation);
  const args = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const code = await callDaemon(invocation, { args }, { start: false });
  // Without a daemon nothing is kept, which a call here says as one there would; what a dead one left is ended.
  return code ?? await runCall(invocation, (runtime) => requestOf(runtime, { args }), new Interrupt());
}

function idOf(text: string | undefined): number {
  if (text === undefined) {
    throw new UsageError("Cannot find a session: no number was given", "agent sessions list shows them");
  }
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UsageError(`Cannot find session ${quote(text)}: not a number`, "agent sessions list shows them");
}

/** 0 doesn't wait. */
function milliseconds(seconds: string | undefined): number | undefined {
  if (seconds === undefined) return undefined;
  const number = Number(seconds);
  if (seconds.trim() !== "" && number >= 0 && Number.isFinite(number)) return Math.round(number * 1000);
  throw new UsageError(`Cannot use --wait ${quote(seconds)}: not a number from 0 up`);
}
