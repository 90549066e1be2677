/**
 * A program of its own: starts others for a process that has grown (`helper.ts`). A JSON line each: what to start;
 * then that it is taken, started (or not), ended. When its input ends, all groups that still live are killed.
 */
import { errorCode } from "../core/errors.ts";
import { host } from "../core/runtime.ts";
import type { HelperAnswer, HelperReady, HelperRequest } from "./helper.ts";
import { groupIsThere, send } from "./processes.ts";

async function main(): Promise<void> {
  const groups = new Set<number>();
  const decoder = new TextDecoder();
  let rest = "";
  say({ state: "ready" });
  for await (const chunk of host.stdin()) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop()!;
    for (const line of lines) take(JSON.parse(line) as HelperRequest & { id: number }, groups);
  }
  for (const group of groups) send(-group, "SIGKILL");
  host.exit(0);
}

function take(request: HelperRequest & { id: number }, groups: Set<number>): void {
  const { id, argv, cwd, env, stdin, stdout, stderr } = request;
  const { spawn } = host.builtin<typeof import("node:child_process")>("node:child_process");
  const { closeSync } = host.builtin<typeof import("node:fs")>("node:fs");
  const opened: number[] = [];
  const open = (path: string, forWriting: boolean) => opened[opened.push(openPipe(path, forWriting)) - 1]!;
  say({ id, state: "taken" });
  try {
    const child = spawn(argv[0]!, argv.slice(1), {
      cwd,
      env,
      stdio: [stdin === undefined ? "ignore" : open(stdin, false), open(stdout, true), open(stderr, true)],
      detached: true,
    });
    const { pid } = child;
    child.on("error", (error) => {
      if (pid === undefined) say({ id, state: "failed", code: errorCode(error) ?? "EIO" });
    });
    if (pid === undefined) return;
    groups.add(pid);
    child.once("exit", (code, signal) => {
      for (const group of groups) if (!groupIsThere(group)) groups.delete(group);
      say({ id, state: "ended", code, signal });
    });
    say({ id, state: "started", pid });
  } catch (error) {
    say({ id, state: "failed", code: errorCode(error) ?? "EIO" });
  } finally {
    for (const fd of opened) closeSync(fd);
  }
}

/** The other side has both ends open until it has its answer. Should it be dead, this fails instead of waiting for it. */
function openPipe(path: string, forWriting: boolean): number {
  const { openSync, closeSync, constants } = host.builtin<typeof import("node:fs")>("node:fs");
  if (!forWriting) return openSync(path, constants.O_RDONLY);
  const probe = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  try {
    return openSync(path, constants.O_WRONLY);
  } finally {
    closeSync(probe);
  }
}

function say(answer: HelperAnswer | HelperReady): void {
  try {
    host.write(1, JSON.stringify(answer) + "\n");
  } catch {
    // Nobody listens any more; the end of the input says so as well.
  }
}

void main();
