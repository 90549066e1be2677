/** A hook that is a program: how it is started, and run once for an answer. */
import { messageOf } from "../core/errors.ts";
import { makeFolder } from "../core/paths.ts";
import { findProject } from "../core/project.ts";
import { host } from "../core/runtime.ts";
import type { ProcessGroups } from "../shell/groups.ts";
import { run as runProcess } from "../shell/process.ts";
import { Capture } from "./capture.ts";
import { ANSWER_MB, failedRun, type HookRun } from "./hook_answer.ts";
import type { CommandHook } from "./hook_config.ts";

/** Where a hook runs, and what it finds beside its input. */
export interface HookPlace {
  /** The session's folder. */
  project: string;
  /** Variables beside those of all hooks. */
  variables?: Readonly<Record<string, string>>;
}

/** Its program, folder and environment: this process' own environment, as hooks are the person's. */
export function startOf(hook: CommandHook, { project, variables }: HookPlace) {
  const { command, args, plugin, folder } = hook;
  // The same folder as trust goes by, wherever in the project the session stands.
  const root = findProject(project)?.root ?? project;
  if (plugin) makeFolder(plugin.data, 0o700);
  return {
    argv: args ? [command, ...args] : ["/bin/sh", "-c", command],
    cwd: folder ?? project,
    env: {
      ...host.envAll(),
      CLAUDE_PROJECT_DIR: root,
      AGENT_PROJECT_DIR: root,
      ...(plugin && { CLAUDE_PLUGIN_ROOT: plugin.root, CLAUDE_PLUGIN_DATA: plugin.data }),
      ...variables,
    },
  };
}

/** Runs it to its end: exit and a short drain, or its deadline. Never rejects. */
export async function runOnce(
  hook: CommandHook,
  input: string,
  place: HookPlace,
  signal: AbortSignal | undefined,
  groups: ProcessGroups,
): Promise<HookRun> {
  const capture = new Capture({ stdoutMb: ANSWER_MB });
  try {
    const ended = await runProcess({
      ...startOf(hook, place),
      timeoutMs: hook.timeoutMs,
      // Its own: Node warns of more than ten listeners on one signal.
      signal: signal && AbortSignal.any([signal]),
      input,
      onOutput: (chunk, stream) => capture.push(chunk, stream),
    }, groups);
    return {
      exitCode: ended.why === "exit" ? ended.exitCode : undefined,
      signal: ended.signal,
      timedOut: ended.why === "timeout",
      tooLong: capture.cut("stdout"),
      stdout: capture.text("stdout"),
      stderr: capture.text("stderr"),
    };
  } catch (error) {
    return failedRun(messageOf(error));
  }
}
