/** `agent config path`: the folders and files that are used. */
import { dirs } from "../../core/dirs.ts";
import type { Invocation } from "../command.ts";

export function run({ flags, printer }: Invocation): Promise<number> {
  const places = dirs();
  if (flags.has("json")) printer.json(places);
  else for (const [name, path] of Object.entries(places)) printer.line(`${name.padEnd(13)} ${path}`);
  return Promise.resolve(0);
}
