/** `agent trust remove`: a project is a stranger's again. It may be gone from the disk. */
import { AgentError, quote } from "../../core/errors.ts";
import { realPath, resolvePath } from "../../core/paths.ts";
import { findProject } from "../../core/project.ts";
import { host } from "../../core/runtime.ts";
import { forgetProject } from "../../core/trust_write.ts";
import type { Invocation } from "../command.ts";

export function run({ flags, args, printer }: Invocation): Promise<number> {
  const path = realPath(resolvePath(host.cwd(), args[0] ?? "."));
  // The folder itself first: what was trusted there may have lost its marks since.
  const root = [path, findProject(path)?.root].find((one) => one !== undefined && forgetProject(one));
  if (root === undefined) {
    throw new AgentError(
      `Cannot remove the trust in ${quote(path)}: it is not trusted`,
      "agent trust list shows what is",
    );
  }
  if (flags.has("json")) printer.json({ path: root, removed: true });
  else printer.note(`${root} is not trusted any more`);
  return Promise.resolve(0);
}
