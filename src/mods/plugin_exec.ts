/** The `exec` of a plugin's tools: a shell command with the environment that the shell tool gives. */
import type { SecretStore } from "../core/secrets.ts";
import type { ModContext } from "../sdk.ts";
import { withShell } from "../shell/command_line.ts";
import type { Environment } from "../shell/environment.ts";
import type { ProcessGroups } from "../shell/groups.ts";
import { run } from "../shell/process.ts";
import { Capture } from "./capture.ts";

export interface PluginExecParts {
  environment: Environment;
  secrets: SecretStore;
  groups: ProcessGroups;
  timeoutMs: number;
}

export async function pluginExec(
  { environment, secrets, groups, timeoutMs }: PluginExecParts,
  command: string,
  cwd: string,
  signal: AbortSignal,
): ReturnType<ModContext["exec"]> {
  const capture = new Capture();
  const env = environment.forCommand(command, secrets.namedIn(command));
  const onOutput: Capture["push"] = (chunk, stream) => capture.push(chunk, stream);
  const { exitCode, why } = await withShell(
    command,
    false,
    groups.live,
    (argv) => run({ argv, cwd, env, timeoutMs, signal, onOutput }, groups),
  );
  const stdout = capture.text("stdout"), stderr = capture.text("stderr");
  const cut = capture.cut("stdout") || capture.cut("stderr");
  return { stdout, stderr, exitCode, timedOut: why === "timeout", cut };
}
