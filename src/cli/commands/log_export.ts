/** `agent log export [SESSION]`: a session's events as they were logged. */
import { host } from "../../core/runtime.ts";
import type { Invocation } from "../command.ts";
import { sessionLog } from "../logged.ts";

const CHUNK = 256 * 1024;

export function run({ args, printer }: Invocation): Promise<number> {
  const file = host.files.open(sessionLog(args[0]).path, "r");
  try {
    const buffer = new Uint8Array(CHUNK);
    const decoder = new TextDecoder();
    for (let count = file.read(buffer); count > 0; count = file.read(buffer)) {
      printer.out(decoder.decode(buffer.subarray(0, count), { stream: true }));
    }
  } finally {
    file.close();
  }
  return Promise.resolve(0);
}
