/** argv in, exit code out. Nothing is loaded for `--version` and `-h`: their texts were made when we were built. */
import { host } from "./core/runtime.ts";
import { HELP } from "./generated/help.ts";
import { VERSION } from "./version.ts";

async function main(): Promise<void> {
  const words = host.args();
  const only = words.length === 1 ? words[0] : undefined;
  if (only === "--version" || only === "-V") return host.write(1, `${VERSION}\n`);
  if (only === "-h" || words.length === 0) return host.write(1, HELP);
  const { run } = await import("./cli/run.ts");
  host.setExitCode(await run(words));
}

void main();
