/** Starts the daemon, out of the reach of whoever needs it first. */
import { fileError } from "../../core/errors.ts";
import { host } from "../../core/runtime.ts";
import { looksSecret } from "../../core/secrets.ts";
import { MARKED } from "../../shell/processes.ts";
import type { DaemonPlace } from "./place.ts";

/** A daemon that was started; it may find that there is one already. */
export interface StartedDaemon {
  readonly ended: boolean;
}

export function startDaemon({ log }: DaemonPlace): StartedDaemon {
  const { spawn } = host.builtin<typeof import("node:child_process")>("node:child_process");
  const { openSync, closeSync } = host.builtin<typeof import("node:fs")>("node:fs");
  const [program, ...args] = ourselves();
  let fd: number;
  try {
    fd = openSync(log, "a", 0o600);
  } catch (error) {
    throw fileError("write", log, error);
  }
  const state = { ended: false };
  host.keepOpenFiles();
  try {
    const child = spawn(program, [...args, "sessions", "serve", "--color", "never"], {
      cwd: "/",
      env: lasting(host.envAll(), (name) => !looksSecret(name)),
      stdio: ["ignore", fd, fd],
      detached: true,
    });
    child.once("error", () => state.ended = true);
    child.once("exit", () => state.ended = true);
    child.unref();
  } finally {
    closeSync(fd);
  }
  return state;
}

/** What is to outlive a session that this process is part of doesn't carry its mark. */
export function lasting(
  env: Readonly<Record<string, string>>,
  keeps: (name: string) => boolean = () => true,
): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => name !== MARKED && keeps(name)));
}

/** The program that runs now. */
function ourselves(): [string, ...string[]] {
  const { execPath, argv } = host.builtin<typeof process>("node:process");
  const script = argv[1]!;
  return host.name === "node"
    ? [execPath, script]
    : [execPath, "run", "--quiet", "--no-check", "--allow-all", script];
}
