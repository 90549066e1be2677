/** A call of the tool that looks after sessions, in the daemon that keeps them. */
import type { Runtime } from "../../agent.ts";
import { AgentError, quote } from "../../core/errors.ts";
import { KeptSessions, NoSessions } from "../../shell/kept.ts";
import type { Invocation } from "../command.ts";
import { Interrupt, runCall } from "../commands/exec.ts";
import { callDaemon } from "./client.ts";
import { daemonPlace, hasDied } from "./place.ts";
import { requestOf, sessionCode } from "./request.ts";
import type { Asked } from "./wire.ts";

/** Its exit code. Where no daemon runs there are no sessions, which is said as one would say it. */
export async function callSessions(invocation: Invocation, asked: Asked): Promise<number> {
  const code = await callDaemon(invocation, asked, { start: false });
  if (code !== undefined) return code;
  const { session_id: id } = asked.args;
  const place = daemonPlace(false);
  const log = place && hasDied(place) ? place.log : undefined;
  if (log !== undefined && id === undefined) {
    invocation.printer.warn(`the daemon ended unexpectedly; ${quote(log)} may say why`);
  }
  const why = log === undefined
    ? new AgentError(`Cannot find session ${id}: no daemon is running`, "agent exec --detach starts one")
    : new AgentError(
      `Cannot find session ${id}: the daemon that kept it ended unexpectedly`,
      `${quote(log)} may say why`,
    );
  // The runtime ends what a dead daemon left.
  const find = (runtime: Runtime) => requestOf(runtime, asked);
  const kept = { groups: new KeptSessions().groups, sessions: new NoSessions(why) };
  return await runCall(invocation, find, new Interrupt(), { kept }, asked.waits ? sessionCode : undefined);
}
