/** Reads the command line and runs the command; gives back the exit code. */
import { errorCode, EXIT, UsageError } from "../core/errors.ts";
import { host } from "../core/runtime.ts";
import type { Flags } from "./command.ts";
import { parse } from "./parse.ts";
import { Printer } from "./printer.ts";

export async function run(words: readonly string[]): Promise<number> {
  const parsed = parse(words);
  if (!parsed) {
    const { explain } = await import("./commander.ts");
    return explain(words);
  }
  const { command, flags, args } = parsed;
  const printer = printerFor(flags);
  try {
    const folder = flags.get("directory");
    if (folder !== undefined) changeFolder(folder);
    const { run } = await command.load();
    return await run({ command, flags, args, printer });
  } catch (error) {
    if (errorCode(error) === "EPIPE") return EXIT.done;
    printer.error(error);
    return error instanceof UsageError ? EXIT.usage : EXIT.failed;
  }
}

export function printerFor(flags: Flags): Printer {
  const printer = new Printer({ color: flags.get("color"), debug: flags.has("debug") });
  printer.onBrokenPipe = () => host.exit(EXIT.done);
  return printer;
}

function changeFolder(folder: string): void {
  try {
    host.chdir(folder);
  } catch {
    throw new UsageError(`Cannot change to the folder ${JSON.stringify(folder)}: no such folder`);
  }
}
