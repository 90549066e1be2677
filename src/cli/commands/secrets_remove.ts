/** `agent secrets remove`: takes a secret out of the file. */
import { AgentError, nearest, quote, UsageError } from "../../core/errors.ts";
import { changeSecret, readSecretsFile } from "../../core/secrets_file.ts";
import type { Invocation } from "../command.ts";
import { warnOfFile } from "./secrets_list.ts";

export function run({ args, printer }: Invocation): Promise<number> {
  const [name] = args;
  if (name === undefined) {
    throw new UsageError("Cannot remove a secret: its name is missing", "agent secrets list shows the names");
  }
  const before = changeSecret(name, undefined);
  const names = before.secrets.map((secret) => secret.name);
  if (!names.includes(name)) {
    const [near] = nearest(name, names, 1);
    throw new AgentError(
      `Cannot remove ${quote(name)}: not in ${quote(before.path)}`,
      near === undefined ? "agent secrets list says where each is from" : `did you mean ${near}?`,
    );
  }
  printer.note(`${name} is removed from ${before.path}`);
  if (before.open !== undefined) printer.warn(`${before.path}: others could read it until now`);
  warnOfFile(readSecretsFile(), printer);
  return Promise.resolve(0);
}
