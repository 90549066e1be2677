/**
 * What the tests share: a folder of their own with its own settings, state and cache, and the real `agent` started
 * in it, on the runtime that runs the tests.
 */
import { spawn, type SpawnOptions } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";

/** The project's folder. Bundled tests run from elsewhere, so the runner says where it is. */
export const ROOT = process.env.AGENT_TEST_ROOT ?? path.resolve(import.meta.dirname!, "..");
export const ON_DENO = "Deno" in globalThis;

export type RuntimeName = "node" | "deno";

/** The program and first arguments that start `agent`, on each runtime. */
export const AGENTS: Readonly<Record<RuntimeName, readonly string[]>> = {
  node: [ON_DENO ? "node" : process.execPath, path.join(ROOT, "dist/main.cjs")],
  deno: [
    ON_DENO ? process.execPath : path.join(ROOT, "node_modules/.bin/deno"),
    "run",
    "-A",
    "--no-check",
    path.join(ROOT, "src/main.ts"),
  ],
};

/** The same on the runtime that runs the tests. */
export const AGENT: readonly string[] = AGENTS[ON_DENO ? "deno" : "node"];

/** A parsed result; tests look into it freely. */
// deno-lint-ignore no-explicit-any
export type Json = Record<string, any>;

export interface Ran {
  code: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  /** Standard input; empty where absent. */
  input?: string | Uint8Array;
  env?: Record<string, string | undefined>;
  cwd?: string;
  /** Flags for Node or Deno itself. */
  nodeFlags?: readonly string[];
  /** Not the runtime that runs the tests. */
  on?: RuntimeName;
}

/** A scratch folder with a user of its own. `using` or `remove()` clears it away. */
export class Scratch {
  readonly root: string;
  /** The folder calls run in. */
  readonly work: string;
  /** `$XDG_CONFIG_HOME/agent`. */
  readonly config: string;
  readonly state: string;
  readonly home: string;

  constructor() {
    this.root = mkdtempSync(path.join(tmpdir(), "agent-test-"));
    this.home = this.folder("home");
    this.work = this.folder("work");
    this.config = this.folder("config/agent");
    this.state = path.join(this.root, "state/agent");
  }

  /** Makes a folder below the root. */
  folder(name: string): string {
    const place = path.join(this.root, name);
    mkdirSync(place, { recursive: true });
    return place;
  }

  /** Writes a file; relative names are below the working folder. Returns its path. */
  file(name: string, content: string | Uint8Array, mode?: number): string {
    const place = path.resolve(this.work, name);
    mkdirSync(path.dirname(place), { recursive: true });
    writeFileSync(place, content);
    if (mode !== undefined) chmodSync(place, mode);
    return place;
  }

  read(name: string): string {
    return readFileSync(path.resolve(this.work, name), "utf8");
  }

  exists(name: string): boolean {
    return existsSync(path.resolve(this.work, name));
  }

  /** Writes the plugin `name` into the folder `p`, for `--plugins p`; `more` stands before its setup. */
  plugin(name: string, setup: string, more = ""): string {
    return this.file(
      `p/${name}.ts`,
      `import { definePlugin } from "agent";\n` +
        `export default definePlugin({ name: "${name}", ${more}\nasync setup(agent, options) {\n${setup}\n} });\n`,
    );
  }

  /** Writes the user's settings. */
  settings(value: unknown): void {
    writeFileSync(
      path.join(this.config, "settings.json"),
      typeof value === "string" ? value : JSON.stringify(value),
    );
  }

  /** The environment of a started `agent`. */
  env(more: Record<string, string | undefined> = {}): Record<string, string> {
    const env: Record<string, string | undefined> = {
      PATH: process.env.PATH,
      LANG: "C.UTF-8",
      TZ: "UTC",
      HOME: this.home,
      XDG_CONFIG_HOME: path.join(this.root, "config"),
      XDG_STATE_HOME: path.join(this.root, "state"),
      XDG_CACHE_HOME: path.join(this.root, "cache"),
      // A test writes the user's settings and plugins as its user would; tests/cli/trust_user.test.ts is about the rest.
      AGENT_TRUST_PIN_USER: "off",
      // Deno's own cache of compiled sources, which must not be made anew for every test.
      DENO_DIR: process.env.DENO_DIR ?? path.join(process.env.HOME ?? "/root", ".cache/deno"),
      ...more,
    };
    return Object.fromEntries(
      Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined),
    );
  }

  /** Runs the real `agent` to its end. */
  async agent(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
    return await run([...withFlags(options.nodeFlags, options.on), ...args], {
      cwd: options.cwd ?? this.work,
      env: this.env(options.env),
    }, options.input);
  }

  /** `agent exec --json …`, parsed. */
  async exec(
    args: readonly string[],
    options: RunOptions = {},
  ): Promise<Ran & { result: Json }> {
    const ran = await this.agent(["exec", "--json", ...args], options);
    try {
      return { ...ran, result: JSON.parse(ran.stdout) };
    } catch {
      throw new Error(`agent printed no result: ${JSON.stringify(ran)}`);
    }
  }

  /** `agent exec -` with calls, one a line; the results as JSON, in order. */
  async batch(calls: readonly unknown[], flags: readonly string[] = [], options: RunOptions = {}) {
    const input = calls.map((call) => typeof call === "string" ? call : JSON.stringify(call)).join("\n") +
      "\n";
    const ran = await this.agent(["exec", "-", ...flags], { ...options, input });
    const results = ran.stdout.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
    return { ...ran, results: results as Json[] };
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  [Symbol.dispose](): void {
    this.remove();
  }
}

function withFlags(flags: readonly string[] = [], on: RuntimeName = ON_DENO ? "deno" : "node"): string[] {
  const [program, ...rest] = AGENTS[on] as [string, ...string[]];
  return on === "deno" ? [program, rest[0]!, ...flags, ...rest.slice(1)] : [program, ...flags, ...rest];
}

/** Runs a program to its end, whatever its exit code. */
export function run(
  argv: readonly string[],
  options: SpawnOptions = {},
  input: string | Uint8Array = "",
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(argv[0]!, argv.slice(1), { ...options, stdio: ["pipe", "pipe", "pipe"] });
    const out: Uint8Array[] = [], err: Uint8Array[] = [];
    child.stdout!.on("data", (chunk: Uint8Array) => out.push(chunk));
    child.stderr!.on("data", (chunk: Uint8Array) => err.push(chunk));
    child.stdin!.on("error", () => {});
    child.stdin!.end(input);
    child.once("error", reject);
    child.once("close", (code, signal) => {
      resolve({ code, signal, stdout: text(out), stderr: text(err) });
    });
  });
}

function text(chunks: readonly Uint8Array[]): string {
  return new TextDecoder().decode(Buffer.concat(chunks));
}

/** Processes whose environment holds `marker`; on Linux. */
export async function processesWith(marker: string): Promise<string[]> {
  const { readdirSync } = await import("node:fs");
  return readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/environ`, "latin1").includes(marker) &&
        !readFileSync(`/proc/${name}/stat`, "latin1").includes(") Z ");
    } catch {
      return false;
    }
  });
}

/** Those that are still there once they have had time to die: a signal that was sent takes a moment to end its process. */
export async function leftWith(marker: string): Promise<string[]> {
  for (const end = Date.now() + 30_000;;) {
    const left = await processesWith(marker);
    if (left.length === 0 || Date.now() > end) return left;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The text of a result's blocks. */
export function textOf(result: Json): string {
  return result.content.map((block: { text?: string }) => block.text ?? "").join("\n");
}
