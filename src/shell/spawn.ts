/** How a child is started: by this process, or in its place by a helper that is quicker at it. */
import { AgentError, errorCode, fileError, quote } from "../core/errors.ts";
import { randomHex } from "../core/hash.ts";
import { isAbsolute, join } from "../core/paths.ts";
import { host } from "../core/runtime.ts";
import { removeQuietly } from "../core/upkeep.ts";
import type { ChildStart } from "./child.ts";
import type { SpawnHelper } from "./helper.ts";
import type { NamedPipe, NamedPipes } from "./pipes.ts";

type ChildProcess = import("node:child_process").ChildProcess;
type Readable = import("node:stream").Readable;
type Writable = import("node:stream").Writable;

/** A process that has started. */
export interface Spawned {
  pid: number;
  exited: Promise<{ code: number | null; signal: string | null }>;
  stdin: Writable | null;
  stdout: Readable | null;
  stderr: Readable | null;
}

/** Throws where arguments are such that no system would start them. */
export function checkStart({ argv }: ChildStart): void {
  const program = argv[0]!;
  if (program === "") throw new AgentError("Cannot start a program: its name is empty");
  if (argv.some((word) => word.includes("\0"))) {
    throw new AgentError(`Cannot start ${quote(program)}: an argument holds a NUL character`);
  }
}

/** In a group and session of its own: no terminal to ask on, and one signal reaches all of it. */
export function spawnDirectly(start: ChildStart, pipes: NamedPipes): Promise<Spawned> {
  const { spawn } = host.builtin<typeof import("node:child_process")>("node:child_process");
  let [program, ...args] = start.argv as [string, ...string[]];
  // Where `detached` is slow, `setsid` does the same; it replaces itself, so the pid stays the same. Where it can't start
  // the program it would say so in its own words and with an exit code, so that is found out before.
  const outside = host.detachesSlowly && host.platform === "linux" &&
    unstartable("setsid", start) === undefined;
  if (outside) {
    const code = unstartable(program, start);
    if (code !== undefined) throw Object.assign(new Error(code), { code });
    [program, args] = ["setsid", ["--", program, ...args]];
  }
  const ends = new Ends(start, pipes);
  host.keepOpenFiles();
  let child: ChildProcess;
  try {
    child = spawn(program, args, {
      cwd: start.cwd,
      env: start.env,
      stdio: ends.stdio,
      detached: !outside && host.platform !== "win32",
      windowsHide: true,
    });
  } catch (error) {
    ends.abandon();
    throw error;
  }
  const { pid } = child;
  if (pid === undefined) {
    ends.abandon();
    return new Promise((_, reject) => child.once("error", reject));
  }
  // A signal that can't be sent, say.
  child.on("error", () => {});
  const exited = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
  return Promise.resolve({ pid, exited, ...ends.handOver(child) });
}

/** The same by the helper; `undefined` where it died before it began. */
export async function spawnThroughHelper(
  start: ChildStart,
  pipes: NamedPipes,
  helper: SpawnHelper,
): Promise<Spawned | undefined> {
  const { argv, cwd, env } = start;
  const ends = new Ends(start, pipes);
  const [stdin, stdout, stderr] = ends.paths;
  if (stdout === undefined || stderr === undefined) {
    ends.abandon();
    return undefined;
  }
  try {
    const started = await helper.spawn({ argv, cwd, env, stdin, stdout, stderr });
    if (started) return { ...started, ...ends.handOver() };
  } catch (error) {
    ends.abandon();
    throw error;
  }
  ends.abandon();
  return undefined;
}

/** The three streams of a child: pipes of ours where there are such, its own otherwise. */
class Ends {
  readonly #pipes: NamedPipes;
  readonly #stdin: NamedPipe | undefined;
  readonly #stdout: NamedPipe | undefined;
  readonly #stderr: NamedPipe | undefined;
  readonly #isOpen: boolean;
  /** Input that is there already. A pipe whose writer is gone would make whoever opens it by name wait for ever. */
  readonly #input: InputFile | undefined;

  constructor({ stdin }: ChildStart, pipes: NamedPipes) {
    this.#pipes = pipes;
    this.#input = typeof stdin === "object" ? new InputFile(stdin.text) : undefined;
    this.#isOpen = stdin === "open";
    this.#stdin = this.#isOpen ? pipes.input() : undefined;
    this.#stdout = pipes.output();
    this.#stderr = pipes.output();
  }

  get stdio(): (number | "pipe" | "ignore")[] {
    return [
      this.#input?.fd ?? this.#stdin?.theirs ?? (this.#isOpen ? "pipe" : "ignore"),
      this.#stdout?.theirs ?? "pipe",
      this.#stderr?.theirs ?? "pipe",
    ];
  }

  get paths(): (string | undefined)[] {
    return [this.#input?.path ?? this.#stdin?.path, this.#stdout?.path, this.#stderr?.path];
  }

  /** The child has its ends, so they are closed here, and ours become streams. */
  handOver(child?: ChildProcess): Pick<Spawned, "stdin" | "stdout" | "stderr"> {
    this.#input?.remove();
    for (const pipe of this.#all()) fs().closeSync(pipe.theirs);
    return {
      stdin: this.#stdin ? this.#writer(this.#stdin) : child?.stdin ?? null,
      stdout: this.#stdout ? this.#reader(this.#stdout) : child?.stdout ?? null,
      stderr: this.#stderr ? this.#reader(this.#stderr) : child?.stderr ?? null,
    };
  }

  /** There is no child, as far as one knows. */
  abandon(): void {
    this.#input?.remove();
    for (const pipe of this.#all()) {
      fs().closeSync(pipe.theirs);
      fs().closeSync(pipe.ours);
      this.#pipes.drop(pipe);
    }
  }

  #all(): NamedPipe[] {
    return [this.#stdin, this.#stdout, this.#stderr].filter((pipe) => pipe !== undefined);
  }

  #reader(pipe: NamedPipe): Readable {
    const { Socket } = host.builtin<typeof import("node:net")>("node:net");
    // All pipes are read into the same memory, so that a long output leaves nothing to be cleared away.
    const onread: import("node:net").OnReadOpts = {
      buffer: this.#pipes.memory,
      callback(length, memory) {
        socket.emit("data", memory.subarray(0, length));
        return true;
      },
    };
    const options = { fd: pipe.ours, readable: true, writable: false, onread };
    const socket: import("node:net").Socket = new Socket(options);
    let isAtEnd = false;
    socket.once("end", () => isAtEnd = true);
    // At its end nobody has the other side any more.
    socket.once("close", () => isAtEnd ? this.#pipes.reuse(pipe) : this.#pipes.drop(pipe));
    return socket;
  }

  #writer(pipe: NamedPipe): Writable {
    const { Socket } = host.builtin<typeof import("node:net")>("node:net");
    // Who still reads from it then isn't known.
    this.#pipes.drop(pipe);
    return new Socket({ fd: pipe.ours, readable: false, writable: true });
  }
}

/** A text in a file that is gone once the child has it open. */
class InputFile {
  readonly path: string;
  readonly fd: number;

  constructor(text: string) {
    const { tmpdir } = host.builtin<typeof import("node:os")>("node:os");
    this.path = `${tmpdir()}/agent-input-${host.pid}-${randomHex(16)}`;
    fs().writeFileSync(this.path, text, { flag: "wx", mode: 0o600 });
    this.fd = fs().openSync(this.path, "r");
  }

  remove(): void {
    fs().closeSync(this.fd);
    removeQuietly(this.path);
  }
}

function fs(): typeof import("node:fs") {
  return host.builtin("node:fs");
}

/** The code with which starting a program would fail, looked for as the system does. */
export function unstartable(program: string, { cwd, env }: ChildStart): "ENOENT" | "EACCES" | undefined {
  const places = program.includes("/")
    ? [program]
    : (env.PATH ?? "/usr/bin:/bin").split(":").map((folder) => join(folder || ".", program));
  let code: "ENOENT" | "EACCES" = "ENOENT";
  for (const place of places) {
    try {
      const { kind, mode } = host.files.stat(isAbsolute(place) ? place : join(cwd, place));
      if (kind === "file" && (mode & 0o111) !== 0) return undefined;
      code = "EACCES";
    } catch (error) {
      if (errorCode(error) === "EACCES") code = "EACCES";
    }
  }
  return code;
}

/** The error of a start, in words. */
export function startError({ argv, cwd }: ChildStart, error: unknown): unknown {
  if (errorCode(error) === undefined) return error;
  const program = argv[0]!;
  try {
    // A folder and a program that are missing or closed give the same codes. The dot asks for leave to enter.
    host.files.stat(`${cwd}/.`);
  } catch (reason) {
    const state = errorCode(reason) === "EACCES" ? "permission denied" : "no such folder";
    return new AgentError(`Cannot run a command in ${quote(cwd)}: ${state}`);
  }
  if (errorCode(error) !== "ENOENT") return fileError("start", program, error);
  return new AgentError(
    `Cannot start ${quote(program)}: no such program`,
    program.includes(" ") ? "a list is a program and its arguments; give a command line as text" : undefined,
  );
}
