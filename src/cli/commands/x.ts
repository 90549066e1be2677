/** `agent x`: commands that plugins bring. */
import { EXIT } from "../../core/errors.ts";
import { host } from "../../core/runtime.ts";
import type { Invocation } from "../command.ts";
import { withRuntime } from "../open.ts";

export async function run(invocation: Invocation): Promise<number> {
  const { args: [name, ...args], printer } = invocation;
  return await withRuntime(invocation, async (runtime) => {
    if (name === undefined) {
      const commands = runtime.modCommands();
      if (commands.length === 0) printer.note("no plugin brings a command");
      for (const { name, description, mod } of commands) printer.line(`${name}  ${description} (${mod})`);
      return EXIT.done;
    }
    const stop = new AbortController();
    const onSignal = () => {
      if (!stop.signal.aborted) return stop.abort();
      runtime.kill();
      host.exit(EXIT.interrupted);
    };
    const removers = (["SIGINT", "SIGTERM", "SIGHUP"] as const).map((signal) =>
      host.onSignal(signal, onSignal)
    );
    try {
      const print = (text: string) => printer.line(text);
      const ended = new Promise<number>((resolve) =>
        stop.signal.addEventListener("abort", () => resolve(EXIT.interrupted), { once: true })
      );
      return await Promise.race([runtime.runModCommand(name, args, { signal: stop.signal, print }), ended]);
    } finally {
      for (const remove of removers) remove();
    }
  });
}
