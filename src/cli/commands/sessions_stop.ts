/** `agent sessions stop`: ends the daemon and all its sessions. */
import type { Invocation } from "../command.ts";
import { stopDaemon } from "../daemon/client.ts";

export async function run(invocation: Invocation): Promise<number> {
  const wasThere = await stopDaemon(invocation);
  invocation.printer.note(wasThere ? "the daemon has ended" : "no daemon is running");
  return 0;
}
