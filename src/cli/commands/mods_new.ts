/** `agent mods new NAME`: a plugin that runs at once, with types, calls to test it with, and a test. */
import { dirs } from "../../core/dirs.ts";
import { fileError, quote, UsageError } from "../../core/errors.ts";
import { join, makeFolder, resolvePath } from "../../core/paths.ts";
import { host } from "../../core/runtime.ts";
import { refuseWithinSession } from "../../core/trust_write.ts";
import { exists } from "../../core/upkeep.ts";
import { MARKED } from "../../shell/processes.ts";
import type { Invocation } from "../command.ts";
import { filesOf } from "../kit/templates.ts";
import { kitOf } from "../kit/typecheck.ts";
import { pin } from "./mods_add.ts";

export async function run(invocation: Invocation): Promise<number> {
  const { args: [name], flags, printer } = invocation;
  if (name === undefined) {
    throw new UsageError("Cannot make a plugin: it has no name", "agent mods new my-plugin");
  }
  if (!/^[A-Za-z][\w-]{0,63}$/.test(name)) {
    throw new UsageError(`Cannot make the plugin ${quote(name)}: a name is letters, digits, - and _`);
  }
  if (name === "node_modules") {
    throw new UsageError(
      `Cannot make the plugin ${quote(name)}: nothing is loaded from a folder of that name`,
    );
  }
  const place = flags.get("dir");
  if (place === undefined) refuseWithinSession(MARKED);
  const parent = place === undefined ? dirs().plugins : resolvePath(host.cwd(), place);
  const folder = join(parent, name);
  if (exists(folder)) {
    throw new UsageError(`Cannot make the plugin ${quote(name)}: ${quote(folder)} is there already`);
  }
  try {
    makeFolder(folder, 0o755);
  } catch (error) {
    throw fileError("make the folder", folder, error);
  }
  for (const [file, text] of Object.entries(filesOf(kitOf(name)))) {
    const open = host.files.open(join(folder, file), "wx");
    try {
      open.writeText(text);
    } finally {
      open.close();
    }
  }
  if (place === undefined) await pin(name, folder, join(folder, "index.ts"), invocation);
  printer.line(folder);
  printer.note(
    place === undefined
      ? "it is loaded from now on; after you change it: agent trust --user"
      : `agent exec --plugins ${folder} … loads it`,
  );
  printer.note(`agent mods test ${folder} shows what it does; README.md there says more`);
  return 0;
}
