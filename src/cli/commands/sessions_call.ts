/** `agent sessions list`, `poll`, `wait`, `write`: calls of the tool that looks after sessions. */
import { quote, UsageError } from "../../core/errors.ts";
import { MOST_POLL_S, MOST_WAIT_S } from "../../shell/session_limits.ts";
import type { Flags, Invocation } from "../command.ts";
import { callSessions } from "../daemon/session_call.ts";
import type { Asked } from "../daemon/wire.ts";

type Arguments = Record<string, unknown>;

/** Flags of a look, which one that goes on can't have. */
const LOOKS = ["peek", "filter", "wait", "json"];

/** What each command asks for. */
const ASKED: Readonly<Record<string, (invocation: Invocation) => Asked>> = {
  "sessions list": () => ({ args: { action: "list" } }),
  "sessions poll": ({ flags, args }) => {
    const session_id = idOf(args[0]);
    if (flags.has("follow")) {
      const odd = LOOKS.find((flag) => flags.has(flag));
      if (odd === undefined) {
        return { args: { action: "wait", session_id, timeout_s: MOST_WAIT_S }, waits: true, follows: true };
      }
      throw new UsageError(
        `Cannot use --${odd} with --follow: that prints all output as it comes`,
        `agent sessions poll ${session_id} --follow | grep REGEX takes some lines`,
      );
    }
    return {
      args: given({
        action: "poll",
        session_id,
        ...(flags.has("peek") && { peek: true }),
        filter: flags.get("filter"),
        yield_time_ms: milliseconds(flags.get("wait")),
      }),
    };
  },
  "sessions wait": ({ flags, args }) => ({
    args: given({
      action: "wait",
      session_id: idOf(args[0]),
      timeout_s: waitSeconds(flags),
      until_output: flags.get("until"),
    }),
    waits: true,
  }),
  "sessions write": ({ flags, args: [id, text] }) => {
    const keys = flags.all("key");
    if (text === undefined && keys.length === 0) {
      throw new UsageError("Cannot write: no text was given", "agent sessions write ID TEXT");
    }
    return {
      args: given({
        action: "poll",
        session_id: idOf(id),
        chars: text === undefined || flags.has("raw") ? text : `${text}\n`,
        ...(keys.length > 0 && { keys }),
      }),
    };
  },
};

export function run(invocation: Invocation): Promise<number> {
  return callSessions(invocation, ASKED[invocation.command.name]!(invocation));
}

function given(args: Arguments): Arguments {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined));
}

/** A session's number, as it was typed. */
export function idOf(text: string | undefined): number {
  if (text === undefined) {
    throw new UsageError("Cannot find a session: no number was given", "agent sessions list shows them");
  }
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UsageError(`Cannot find session ${quote(text)}: not a number`, "agent sessions list shows them");
}

function waitSeconds(flags: Flags): number | undefined {
  const seconds = flags.positive("for");
  if (seconds === undefined || seconds <= MOST_WAIT_S) return seconds;
  throw new UsageError(
    `Cannot use --for ${seconds}: more than ${MOST_WAIT_S} seconds`,
    "agent sessions poll ID --follow goes on until the end",
  );
}

/** 0 doesn't wait. */
function milliseconds(seconds: string | undefined): number | undefined {
  if (seconds === undefined) return undefined;
  const number = Number(seconds);
  if (seconds.trim() === "" || !(number >= 0) || !Number.isFinite(number)) {
    throw new UsageError(`Cannot use --wait ${quote(seconds)}: not a number from 0 up`);
  }
  if (number > MOST_POLL_S) {
    throw new UsageError(
      `Cannot use --wait ${number}: more than ${MOST_POLL_S} seconds`,
      `agent sessions wait ID --for SECONDS takes ${MOST_WAIT_S}`,
    );
  }
  return Math.round(number * 1000);
}
