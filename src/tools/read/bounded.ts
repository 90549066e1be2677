/**
 * A program of ours in a process of its own, for input that may be hostile: it can't run for long, take much memory or
 * end the process that asks. On Windows nothing but its heap and its time are bounded.
 */
import { concat } from "../../core/bytes.ts";
import { host } from "../../core/runtime.ts";

export interface Work {
  /** The program: a script beside ours, for the runtime that runs us. */
  script: string;
  input: Uint8Array;
  ms: number;
  signal: AbortSignal;
}

/** How it ended: with all that it printed, or why without. `reason` is the first line of its complaint. */
export type Ended =
  | { why: "done"; output: string }
  | { why: "time" }
  | { why: "memory" }
  | { why: "failed"; reason: string };

const HEAP_MB = 512;
/** Memory that is written to, all in all; Deno needs a third of it to start. */
const DATA_KB = 1_500_000;
const MOST_OUTPUT = 64 * 1024 * 1024;
const MOST_COMPLAINT = 16 * 1024;
/** What a runtime needs to start and to find its own cache. */
const VARIABLES = ["HOME", "DENO_DIR", "XDG_CACHE_HOME", "LD_LIBRARY_PATH", "SystemRoot", "LOCALAPPDATA"];

/** Runs it to its end. An abort ends it and is thrown. */
export async function runBounded({ script, input, ms, signal }: Work): Promise<Ended> {
  signal.throwIfAborted();
  const { spawn } = host.builtin<typeof import("node:child_process")>("node:child_process");
  const [program, ...args] = limited(runtime(script), ms);
  const child = spawn(program!, args, { env: environment(), stdio: "pipe", windowsHide: true });
  let late = false, printed = 0;
  const output: Uint8Array[] = [];
  let complaint = "";
  const end = () => void child.kill("SIGKILL");
  const timer = setTimeout(() => {
    late = true;
    end();
  }, ms);
  signal.addEventListener("abort", end);
  try {
    const by = await new Promise<string | number | null | Error>((resolve) => {
      child.once("error", resolve);
      child.once("close", (code, name) => resolve(name ?? code));
      child.stdout.on("data", (chunk: Uint8Array) => {
        printed += chunk.length;
        if (printed > MOST_OUTPUT) end();
        else output.push(chunk);
      });
      child.stderr.on("data", (chunk: Uint8Array) => {
        if (complaint.length < MOST_COMPLAINT) complaint += new TextDecoder().decode(chunk);
      });
      // It may end before it has read all.
      child.stdin.on("error", () => {});
      child.stdin.end(input);
    });
    signal.throwIfAborted();
    if (by === 0) return { why: "done", output: new TextDecoder().decode(concat(output)) };
    if (by instanceof Error) return { why: "failed", reason: by.message };
    if (late || by === "SIGXCPU") return { why: "time" };
    // The runtimes crash where they get no memory, not always with a word.
    const crashed = typeof by === "string" && printed <= MOST_OUTPUT;
    if (crashed || /out of memory|memory allocation|allocation failed/i.test(complaint)) {
      return { why: "memory" };
    }
    const [reason] = complaint.trim().split("\n");
    return { why: "failed", reason: reason || `ended by ${by}` };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
  }
}

function runtime(script: string): string[] {
  const { execPath } = host.builtin<typeof process>("node:process");
  const heap = `--max-old-space-size=${HEAP_MB}`;
  if (host.name === "node") return [execPath, heap, script];
  // It may read files, which is how it loads its library, and nothing else.
  return [
    execPath,
    "run",
    "--quiet",
    "--no-prompt",
    "--no-check",
    "--allow-read",
    `--v8-flags=${heap}`,
    script,
  ];
}

/**
 * The system's own limits, set by a shell that then becomes the program. The processor's time is for when we are gone
 * and can't end it; several threads use it up sooner than the clock.
 */
function limited(argv: string[], ms: number): string[] {
  if (host.platform === "win32") return argv;
  const limits = [
    "ulimit -c 0",
    `ulimit -S -t ${Math.ceil(ms / 1000) * 3}`,
    ...host.platform === "linux" ? [`ulimit -d ${DATA_KB}`] : [],
  ];
  return ["/bin/sh", "-c", `{ ${limits.join("; ")}; } 2>/dev/null; exec "$@"`, "sh", ...argv];
}

function environment(): Record<string, string> {
  const env: Record<string, string> = { DENO_NO_UPDATE_CHECK: "1" };
  for (const name of VARIABLES) {
    const value = host.env(name);
    if (value !== undefined) env[name] = value;
  }
  return env;
}
