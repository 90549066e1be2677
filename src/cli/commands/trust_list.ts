/** `agent trust list`: what is trusted, without a look at whether it still is what it was. */
import { dirs } from "../../core/dirs.ts";
import { printable, UsageError } from "../../core/errors.ts";
import { readTrust } from "../../core/trust_store.ts";
import { exists } from "../../core/upkeep.ts";
import type { Invocation } from "../command.ts";

export function run({ flags, printer }: Invocation): Promise<number> {
  const { projects, users, broken } = readTrust();
  if (broken !== undefined) {
    throw new UsageError(`Cannot use "${dirs().trust}": ${broken}`, "agent trust makes it anew");
  }
  const rows = Object.entries(projects).map(([path, { hash, at }]) => ({
    path,
    hash,
    at,
    exists: exists(path),
  }));
  const own = Object.entries(users).map(([path, { at, plugins = {} }]) => ({
    path,
    at,
    plugins: Object.keys(plugins).length,
  }));
  if (flags.has("json")) printer.json({ projects: rows, user: own });
  else {
    for (const { path, hash, at, exists } of rows) {
      printer.line(`${hash.slice(0, 16)}  ${at}  ${printable(path)}${exists ? "" : "  (gone)"}`);
    }
    for (const { path, at, plugins } of own) {
      printer.line(`your own          ${at}  ${printable(path)}, ${plugins} plugins`);
    }
    if (rows.length + own.length === 0) printer.note("nothing is trusted");
  }
  return Promise.resolve(0);
}
