/** A call that waits for a session's end, however long that takes, while its output is passed on as it comes. */
import type { RuntimeParts } from "../../agent.ts";
import type { Result } from "../../core/result.ts";
import { textOf } from "../../core/result.ts";
import { FollowedSessions, type KeptSessions } from "../../shell/kept.ts";
import { Flags, type Invocation } from "../command.ts";
import { type Interrupt, runCall } from "../commands/exec.ts";
import { Printer } from "../printer.ts";
import { goesOn, requestOf, sessionCode } from "./request.ts";
import type { Asked } from "./wire.ts";

type Parts = Partial<RuntimeParts> & { kept: KeptSessions };

/** `hear` gets the output, redacted and as it came otherwise; the exit code is the command's. */
export async function follow(
  invocation: Invocation,
  call: Asked,
  stop: Interrupt,
  { kept, ...parts }: Parts,
  hear: (text: string) => void,
): Promise<number> {
  const { flags, printer } = invocation;
  const sessions = new FollowedSessions(kept.sessions, hear);
  const quiet: Invocation = {
    ...invocation,
    // The output is printed already, so of the result only its end is.
    flags: new Flags(new Map([...flags.entries(), ["json", []]])),
    printer: new Printer({
      color: printer.isColored ? "always" : "never",
      debug: flags.has("debug"),
      write: (fd, text) => fd === 2 && printer.err(text),
    }),
  };
  const found: { last?: Result } = {};
  const codeOf = (result: Result) => {
    found.last = result;
    return sessionCode(result);
  };
  try {
    for (;;) {
      const used = { ...parts, kept: { groups: kept.groups, sessions } };
      const code = await runCall(quiet, (runtime) => requestOf(runtime, call), stop, used, codeOf);
      const { last } = found;
      if (last && goesOn(last)) continue;
      await sessions.stop();
      if (last) sayEnd(last, printer);
      return code;
    }
  } finally {
    await sessions.stop();
  }
}

function sayEnd({ outcome, content }: Result, printer: Printer): void {
  const text = textOf(content);
  if (outcome === "success") printer.note(text.slice(text.lastIndexOf("\n") + 1));
  else if (outcome !== "interrupted") printer.failure(text);
}
