/** `agent sessions stop`: ends the daemon and all its sessions. */
import { dirs } from "../../core/dirs.ts";
import { join } from "../../core/paths.ts";
import { reap } from "../../shell/live.ts";
import type { Invocation } from "../command.ts";
import { stopDaemon } from "../daemon/client.ts";

export async function run(invocation: Invocation): Promise<number> {
  const wasThere = await stopDaemon(invocation);
  // One that was killed couldn't end its sessions.
  if (!wasThere) await reap(join(dirs().sessions, "live"));
  invocation.printer.note(wasThere ? "the daemon has ended" : "no daemon is running");
  return 0;
}
