/** argv in, exit code out. Nothing is loaded for `--version` and `-h`: their texts were made when we were built. */
import { host } from "./core/runtime.ts";
import { HELP } from "./generated/help.ts";
import { VERSION } from "./version.ts";

async function main(): Promise<void> {
  const words = host.args();
  const only = words.length === 1 ? words[0] : undefined;
  if (only === "--version" || only === "-V") return print(`${VERSION}\n`);
  if (only === "-h" || words.length === 0) return print(HELP);
  const { run } = await import("./cli/run.ts");
  // What a plugin left running must not keep the process; all that was printed has been written.
  host.exit(await run(words));
}

/** A reader that is gone is no error. */
function print(text: string): void {
  try {
    host.write(1, text);
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code === "EPIPE") return;
    host.write(2, `error: Cannot write "standard output": ${message}\n`);
    host.exit(1);
  }
}

void main();
