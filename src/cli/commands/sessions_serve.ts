/** `agent sessions serve`: the daemon, until it has nothing to do or is told to end. */
import { AgentError, EXIT, messageOf } from "../../core/errors.ts";
import { host } from "../../core/runtime.ts";
import type { Invocation } from "../command.ts";
import { claim, daemonPlace, release } from "../daemon/place.ts";
import { Daemon } from "../daemon/server.ts";
import { settingsOf } from "../open.ts";

export async function run(invocation: Invocation): Promise<number> {
  const { printer } = invocation;
  const settings = await settingsOf(invocation);
  const place = daemonPlace(true)!;
  const other = claim(place);
  if (other !== undefined) {
    throw new AgentError(
      `Cannot serve sessions: process ${other} does`,
      "agent sessions stop ends it with its sessions",
    );
  }
  const say = (text: string) => printer.note(`${new Date().toISOString()} ${text}`);
  const daemon = new Daemon({ place, idleMs: settings.get("sessions.idleMs"), say });
  let ending = false;
  const end = () => {
    if (ending) {
      daemon.kill();
      host.exit(EXIT.interrupted);
    }
    ending = true;
    daemon.stop();
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) host.onSignal(signal, end);
  // A plugin's late error or exit must not take the sessions of others along.
  host.onStray((error) => say(`nobody caught: ${messageOf(error)}`));
  const { forbidExits } = await import("../../mods/exits.ts");
  forbidExits();
  try {
    await daemon.listen();
  } catch (error) {
    release(place);
    throw error;
  }
  say(`process ${host.pid} keeps sessions`);
  await daemon.finished;
  await daemon.close();
  say(`process ${host.pid} ends`);
  return 0;
}
