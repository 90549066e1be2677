/** Reads the command line and runs the command; gives back the exit code. */
import { errorCode, EXIT, messageOf, quote, UsageError } from "../core/errors.ts";
import { host } from "../core/runtime.ts";
import { Flags } from "./command.ts";
import { parse } from "./parse.ts";
import { Printer } from "./printer.ts";

export async function run(words: readonly string[]): Promise<number> {
  const read = parse(words);
  if (!("args" in read)) {
    const printer = printerFor(new Flags(new Map()));
    if (read instanceof UsageError) {
      printer.error(read);
      return EXIT.usage;
    }
    const { helpText } = await import("./help.ts");
    printer.out(helpText(read));
    return EXIT.done;
  }
  const { command, flags, args } = read;
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
  } catch (error) {
    const state = errorCode(error) === "ENOENT" ? "no such folder" : messageOf(error);
    throw new UsageError(`Cannot change to the folder ${quote(folder)}: ${state}`);
  }
}
