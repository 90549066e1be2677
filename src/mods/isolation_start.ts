/** How a plugin's own process is started: with what the plugin declares to use, and nothing else. */
import { AgentError } from "../core/errors.ts";
import { dirname, realPath, resolvePath } from "../core/paths.ts";
import { host } from "../core/runtime.ts";
import { exists } from "../core/upkeep.ts";
import type { ChildStart } from "../shell/child.ts";

/** What a plugin's `uses` gives its process. */
export interface Grants {
  read: readonly string[];
  write: readonly string[];
  net: readonly string[];
  env: readonly string[];
  run: boolean;
}

const HEAP_MB = 512;

/** Variables that tell nothing of the user's. */
const PLAIN = [
  "PATH",
  "HOME",
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "TZ",
  "TMPDIR",
  "DENO_DIR",
  "SystemRoot",
  "TEMP",
];

/** Paths are taken from the plugin's folder. */
export function grantsOf(uses: readonly string[], entry: string): Grants {
  const named = (kind: string) =>
    uses.filter((use) => use.startsWith(`${kind}:`)).map((use) => use.slice(kind.length + 1));
  const paths = (kind: string) => named(kind).map((path) => realPath(resolvePath(dirname(entry), path)));
  const write = paths("write");
  return {
    read: [...paths("read"), ...write],
    write,
    net: named("net"),
    env: named("env"),
    run: uses.includes("run"),
  };
}

export function startOf(grants: Grants, storage: string): Pick<ChildStart, "argv" | "cwd" | "env"> {
  const program = programBeside();
  const { execPath } = host.builtin<typeof process>("node:process");
  const flags = host.name === "deno" ? denoFlags(grants, storage) : nodeFlags(grants, storage, program);
  const env: Record<string, string> = {};
  for (const name of [...PLAIN, ...grants.env]) {
    const value = host.env(name);
    if (value !== undefined) env[name] = value;
  }
  return { argv: [execPath, ...flags, program], cwd: storage, env };
}

function denoFlags({ read, write, net, run }: Grants, storage: string): string[] {
  // A comma within a path is written twice.
  const list = (values: readonly string[]) => values.map((value) => value.replaceAll(",", ",,")).join(",");
  return [
    ...["run", "--quiet", "--no-prompt", "--no-check", "--cached-only", "--allow-env"],
    `--v8-flags=--max-old-space-size=${HEAP_MB}`,
    `--allow-read=${list([storage, ...read])}`,
    `--allow-write=${list([storage, ...write])}`,
    ...net.length > 0 ? [net.includes("*") ? "--allow-net" : `--allow-net=${list(net)}`] : [],
    ...run ? ["--allow-run"] : [],
  ];
}

function nodeFlags({ read, write, net, run }: Grants, storage: string, program: string): string[] {
  const known = nodeKnows();
  return [
    `--max-old-space-size=${HEAP_MB}`,
    // Before it was one for good, it warned of itself.
    ...known.has("--permission")
      ? ["--permission"]
      : ["--experimental-permission", "--disable-warning=ExperimentalWarning"],
    // It opens files by itself, wherever they are.
    ...known.has("--no-experimental-sqlite") ? ["--no-experimental-sqlite"] : [],
    ...[dirname(program), storage, ...read].map((path) => `--allow-fs-read=${path}`),
    ...[storage, ...write].map((path) => `--allow-fs-write=${path}`),
    ...net.length > 0 && known.has("--allow-net") ? ["--allow-net"] : [],
    ...run ? ["--allow-child-process"] : [],
  ];
}

/** What it can reach though it doesn't declare it, because this runtime has no fence there; in words. */
export function unfenced({ net }: Grants): string | undefined {
  if (host.name === "deno" || net.includes("*") || (net.length === 0 && nodeKnows().has("--allow-net"))) {
    return undefined;
  }
  return net.length === 0 ? "the network" : "other hosts than those that it declares";
}

function nodeKnows(): ReadonlySet<string> {
  return host.builtin<typeof process>("node:process").allowedNodeEnvironmentFlags;
}

/** It stands beside this file, in the source as in the build. */
function programBeside(): string {
  const self = import.meta.filename;
  const path = self?.replace(/isolation(?:_start)?(\.\w+)$/, "isolation_child$1");
  if (path !== undefined && path !== self && exists(path)) return path;
  throw new AgentError(
    "Cannot start a process for it: its program isn't beside the code that starts it",
    "load agent-runtime from its own folder, not from inside another bundle",
  );
}
