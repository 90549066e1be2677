/**
 * Named pipes for what children print and read. On Linux Node makes sockets for that, which nobody can open a second
 * time: `echo x > /dev/stderr` fails in such a child. Making pipes starts a program, so they are used again, and
 * sessions pass them on to later ones:
 *
 *     state/sessions/live/pipes/NAME           free
 *     state/sessions/live/pipes/NAME.MARKER    a session's
 */
import { randomHex } from "../core/hash.ts";
import { join, makeFolder } from "../core/paths.ts";
import { host } from "../core/runtime.ts";
import { namesIn, removeQuietly } from "../core/upkeep.ts";

/** How many are made at a time, and at most left for others. */
const AT_ONCE = 16;
/** What a pipe holds on Linux. */
const PIPE_BYTES = 64 * 1024;

type Fs = typeof import("node:fs");

type OpenEnds = (
  path: string,
  open: (flags: number) => number,
  constants: Fs["constants"],
  close: (fd: number) => void,
) => NamedPipe;

/** A pipe with both ends open here. */
export interface NamedPipe {
  readonly path: string;
  /** The end that stays, which never blocks. */
  readonly ours: number;
  /** The child's, to be closed here once it has it. */
  readonly theirs: number;
}

/** The pipes of one session. */
export class NamedPipes {
  readonly #marker: string;
  readonly #folder: string;
  /** The folder is for this session alone, and goes with it. */
  readonly #isOwn: boolean;
  /** Where Node's own are pipes, or nobody knows how to make others, there are none. */
  #possible = !host.detachesSlowly && host.platform === "linux";
  #free: string[] = [];
  /** Those that a child has. */
  readonly #taken = new Set<string>();
  #memory: Uint8Array | undefined;

  /** `live`: the folder whose pipes are shared with other sessions; a temporary one where absent. */
  constructor(live: string | undefined, marker: string) {
    this.#marker = marker;
    this.#isOwn = live === undefined;
    this.#folder = live === undefined
      ? join(host.env("TMPDIR") || "/tmp", `agent-children-${marker}`)
      : storeIn(live);
  }

  /** To read into: what was read is good until the next read, of whatever pipe. */
  get memory(): Uint8Array {
    return this.#memory ??= new Uint8Array(PIPE_BYTES);
  }

  /** A pipe to read what a child prints; `undefined` where there can be none. */
  output(): NamedPipe | undefined {
    return this.#open((path, open, { O_RDONLY, O_WRONLY, O_NONBLOCK }) => {
      const ours = open(O_RDONLY | O_NONBLOCK);
      return { path, ours, theirs: open(O_WRONLY) };
    });
  }

  /** A pipe to write what a child reads. */
  input(): NamedPipe | undefined {
    return this.#open((path, open, { O_RDONLY, O_WRONLY, O_RDWR, O_NONBLOCK }, close) => {
      // Linux opens both ends at once without waiting for anybody, so that the others don't wait either.
      const both = open(O_RDWR);
      const pipe = { path, theirs: open(O_RDONLY), ours: open(O_WRONLY | O_NONBLOCK) };
      close(both);
      return pipe;
    });
  }

  /** Only once all other ends are closed: the next child would share the pipe with who holds one. */
  reuse({ path }: NamedPipe): void {
    if (this.#taken.delete(path)) this.#free.push(path);
  }

  /** Whoever has it open keeps it; nobody else gets it. */
  drop({ path }: NamedPipe): void {
    this.#taken.delete(path);
    removeQuietly(path);
  }

  /** At the session's end. */
  remove(): void {
    const paths = this.#free, taken = [...this.#taken];
    this.#free = [];
    this.#taken.clear();
    if (paths.length + taken.length === 0) return;
    // Whoever has one open keeps it.
    taken.forEach(removeQuietly);
    if (!this.#isOwn) {
      const room = Math.max(0, AT_ONCE - namesIn(this.#folder).filter((name) => FREE.test(name)).length);
      for (const path of paths.splice(0, room)) renameQuietly(path, path.slice(0, path.lastIndexOf(".")));
    }
    paths.forEach(removeQuietly);
    if (this.#isOwn) host.files.removeTree(this.#folder);
  }

  #open(openEnds: OpenEnds): NamedPipe | undefined {
    // The second time with new ones: who tidies the temporary folder may have taken the old.
    for (let tries = 0; this.#possible && tries < 2; tries++) {
      const opened: number[] = [];
      const { openSync, closeSync, constants } = host.builtin<Fs>("node:fs");
      try {
        const path = this.#free.pop() ?? this.#left() ?? this.#make();
        const open = (flags: number) => opened[opened.push(openSync(path, flags)) - 1]!;
        const pipe = openEnds(path, open, constants, closeSync);
        this.#taken.add(path);
        return pipe;
      } catch {
        opened.forEach((fd) => closeSync(fd));
        this.#free = [];
      }
    }
    return undefined;
  }

  /** One that an earlier session left. */
  #left(): string | undefined {
    if (this.#isOwn) return undefined;
    for (const name of namesIn(this.#folder)) {
      const [free, path] = [join(this.#folder, name), join(this.#folder, `${name}.${this.#marker}`)];
      if (FREE.test(name) && renameQuietly(free, path)) return path;
    }
    return undefined;
  }

  #make(): string {
    makeFolder(this.#folder, 0o700);
    const name = () => join(this.#folder, `${randomHex(16)}.${this.#marker}`);
    const paths = Array.from({ length: AT_ONCE }, name);
    const { spawnSync } = host.builtin<typeof import("node:child_process")>("node:child_process");
    const env = { PATH: host.env("PATH") ?? "/usr/bin:/bin" };
    this.#possible = spawnSync("mkfifo", ["-m", "600", ...paths], { stdio: "ignore", env }).status === 0;
    if (!this.#possible) throw new Error("mkfifo failed");
    this.#free = paths;
    return paths.pop()!;
  }
}

const FREE = /^[0-9a-f]{16}$/;

function storeIn(live: string): string {
  return join(live, "pipes");
}

/** Removes the pipes of a session that was killed. */
export function removePipes(live: string, marker: string): void {
  const folder = storeIn(live);
  for (const name of namesIn(folder)) if (name.endsWith(`.${marker}`)) removeQuietly(join(folder, name));
}

/** False where somebody else was quicker. */
function renameQuietly(from: string, to: string): boolean {
  try {
    host.files.rename(from, to);
    return true;
  } catch {
    return false;
  }
}
