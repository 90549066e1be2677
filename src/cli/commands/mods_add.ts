/**
 * `agent mods add`: installs a plugin into the user's folder. Everything is fetched into a folder that isn't looked at,
 * without running any of it; what it may use is shown; and only a yes puts it into its place.
 */
import { dirs } from "../../core/dirs.ts";
import { AgentError, fileError, messageOf, quote, UsageError } from "../../core/errors.ts";
import { randomHex } from "../../core/hash.ts";
import { isRecord } from "../../core/json.ts";
import { basename, dirname, inside, join, makeFolder, realPath, resolvePath } from "../../core/paths.ts";
import { host } from "../../core/runtime.ts";
import { refuseWithinSession } from "../../core/trust_write.ts";
import { exists, isRunning, namesIn } from "../../core/upkeep.ts";
import { writeWhole } from "../../core/write_whole.ts";
import { BundleCache } from "../../mods/bundle.ts";
import { declaredUses } from "../../mods/declared_uses.ts";
import { FILE } from "../../mods/places.ts";
import { changePins } from "../../mods/trusted_plugins.ts";
import { MARKED } from "../../shell/processes.ts";
import { openTerminal } from "../ask.ts";
import type { Invocation } from "../command.ts";

const NPM_MS = 300_000;

export async function run(invocation: Invocation): Promise<number> {
  const { args: [source], printer } = invocation;
  if (source === undefined) {
    throw new UsageError(
      "Cannot add a plugin: none was named",
      "agent mods add NPM-NAME, or a folder or tarball",
    );
  }
  refuseWithinSession(MARKED);
  const { plugins } = dirs();
  makeFolder(plugins, 0o700);
  removeUnfinished(plugins);
  const staging = join(plugins, `.adding-${host.pid}-${randomHex(8)}`);
  host.files.mkdir(staging, 0o700);
  try {
    const { name, entry } = isPath(source) && !hasManifest(source)
      ? copied(resolvePath(host.cwd(), source), staging)
      : installed(source, staging);
    const target = join(plugins, name);
    if (exists(target)) {
      throw new UsageError(
        `Cannot add ${quote(name)}: it is there already`,
        `agent mods remove ${name}, then add it`,
      );
    }
    const real = join(staging, entry);
    const uses = await declaredUses(real, host.files.readText(real));
    printer.line(`${name}  from ${source}`);
    printer.line(
      `  uses: ${
        uses === "computed" ? "computed, only running it would tell" : uses.join(", ") || "nothing declared"
      }`,
    );
    printer.line(`  packages: ${packagesIn(staging).join(", ") || "none"}`);
    if (!await isWanted(name, invocation)) return 1;
    host.files.rename(staging, target);
    await pin(name, target, join(target, entry), invocation);
    printer.note(`${name} is in ${target}; it is loaded from now on`);
    return 0;
  } finally {
    host.files.removeTree(staging);
  }
}

/** What an add that was interrupted left. One that is still at work is known by its process. */
function removeUnfinished(plugins: string) {
  for (const name of namesIn(plugins)) {
    const [isOne, pid] = /^\.adding-(?:(\d+)-)?[\da-f]+$/.exec(name) ?? [];
    if (isOne && !(pid && isRunning(Number(pid)))) host.files.removeTree(join(plugins, name));
  }
}

function isPath(source: string): boolean {
  return /^(?:\.{1,2}(?:\/|$)|\/|~\/)/.test(source) || exists(resolvePath(host.cwd(), source));
}

function hasManifest(source: string): boolean {
  const path = resolvePath(host.cwd(), source);
  return !exists(path) || exists(join(path, "package.json")) || /\.t(?:ar\.)?gz$/.test(path);
}

interface Added {
  /** Its folder's name. */
  name: string;
  /** Its file, from that folder. */
  entry: string;
}

/** A file, or a folder without a `package.json`: nothing is to be installed for it. */
function copied(path: string, staging: string): Added {
  const { kind } = host.files.stat(path);
  const entry = kind === "directory" ? entryIn(path) : FILE.test(basename(path)) ? basename(path) : undefined;
  // Also the name of the folder that it gets, in which nothing is looked for where it begins with a point.
  const name = kind === "directory" ? basename(path) : FILE.exec(basename(path))?.[1];
  if (!entry || !name || (kind !== "directory" && kind !== "file")) throw noPlugin(path);
  if (name.startsWith(".") || name === "node_modules") {
    throw new UsageError(`Cannot add ${quote(path)}: no plugin can be named ${quote(name)}`);
  }
  const source = kind === "file" ? dirname(path) : path;
  for (const one of kind === "file" ? [entry] : filesIn(path)) {
    makeFolder(dirname(join(staging, one)), 0o700);
    host.files.copy(join(source, one), join(staging, one));
  }
  if (!exists(join(staging, entry))) throw noPlugin(path); // Links aren't copied.
  manifest(staging, path, { plugin: `./${entry}` });
  return { name, entry };
}

/** The plugin's file as a folder's `package.json` names it, or its index file. It lies in the folder, links followed. */
function entryIn(folder: string): string | undefined {
  const { agent } = exists(join(folder, "package.json")) ? readManifest(folder) : {};
  const named = isRecord(agent) && typeof agent.plugin === "string" ? agent.plugin : undefined;
  const entry = named ?? ["index.ts", "index.js"].find((one) => exists(join(folder, one)));
  if (entry === undefined) return undefined;
  const path = join(folder, entry);
  const within = inside(folder, path);
  if (within === undefined || inside(realPath(folder), realPath(path)) === undefined) {
    throw new AgentError(
      `Cannot add ${quote(folder)}: its plugin ${quote(entry)} lies outside`,
      'its package.json names a file of its own: "agent": {"plugin": "./index.ts"}',
    );
  }
  const isScript = /(?<!\.d)\.[cm]?[jt]sx?$/.test(path) && host.files.exists(path);
  return isScript && host.files.stat(path).kind === "file" ? within : undefined;
}

function filesIn(folder: string, prefix = ""): string[] {
  return namesIn(join(folder, prefix)).filter((name) => name !== ".git" && name !== "node_modules")
    .flatMap((name) => {
      const path = prefix === "" ? name : `${prefix}/${name}`;
      const { kind } = host.files.lstat(join(folder, path));
      return kind === "directory" ? filesIn(folder, path) : kind === "file" ? [path] : [];
    });
}

/** By npm, into a folder of its own: no scripts are run, and no project's or user's `.npmrc` is read. */
function installed(source: string, staging: string): Added {
  const spec = isPath(source) ? resolvePath(host.cwd(), source) : source;
  if (spec.startsWith("-")) throw new UsageError(`Cannot add ${quote(source)}: no package has such a name`);
  if (isPath(source) && host.files.stat(spec).kind === "directory" && !entryIn(spec)) throw noPlugin(source);
  manifest(staging, source, {});
  const { spawnSync } = host.builtin<typeof import("node:child_process")>("node:child_process");
  const env = Object.fromEntries(
    Object.entries(host.envAll()).filter(([name]) => !/^npm_config_/i.test(name)),
  );
  const config = join(staging, ".no-npmrc");
  const flags = [
    ...["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--install-links"],
    ...["--omit=dev", `--userconfig=${config}`, `--prefix=${staging}`],
  ];
  const program = host.platform === "win32" ? "npm.cmd" : "npm";
  const { error, status, stderr } = spawnSync(program, [...flags, "--", spec], {
    cwd: staging,
    env,
    timeout: NPM_MS,
    encoding: "utf8",
  });
  if (error) throw new AgentError(`Cannot add ${quote(source)}: npm can't be run (${messageOf(error)})`);
  if (status !== 0) {
    const lines = String(stderr).split("\n").filter((line) => /^npm (?:error|ERR!)/.test(line));
    throw new AgentError(`Cannot add ${quote(source)}: ${lines[0] ?? `npm ended with exit code ${status}`}`);
  }
  const wrapper = readManifest(staging);
  const [name] = Object.keys(isRecord(wrapper.dependencies) ? wrapper.dependencies : {});
  if (name === undefined) throw new AgentError(`Cannot add ${quote(source)}: npm installed nothing`);
  const folder = join(staging, "node_modules", name);
  const own = entryIn(folder);
  if (own === undefined) throw noPlugin(source);
  const entry = join("node_modules", name, own);
  manifest(staging, source, { plugin: `./${entry}` }, wrapper);
  return { name: name.replace(/^@/, "").replaceAll("/", "-"), entry };
}

function noPlugin(source: string): AgentError {
  return new AgentError(
    `Cannot add ${quote(source)}: it is no plugin`,
    "a plugin is a .ts, .mts, .js or .mjs file, or a folder whose package.json names one: " +
      '"agent": {"plugin": "./index.ts"}',
  );
}

function readManifest(folder: string): Record<string, unknown> {
  const path = join(folder, "package.json");
  try {
    const manifest: unknown = JSON.parse(host.files.readText(path));
    return isRecord(manifest) ? manifest : {};
  } catch (error) {
    if (error instanceof SyntaxError) throw new AgentError(`Cannot read ${quote(path)}: it isn't JSON`);
    throw fileError("read", path, error);
  }
}

/** The folder's own `package.json`, with npm's lock beside it. */
function manifest(
  folder: string,
  added: string,
  agent: Record<string, string>,
  before: Record<string, unknown> = {},
) {
  const text = JSON.stringify({ private: true, ...before, agent: { ...agent, added } }, null, 2) + "\n";
  writeWhole(join(folder, "package.json"), new TextEncoder().encode(text), { mode: 0o600 });
}

/** `name@version` of everything that npm brought. */
function packagesIn(staging: string): string[] {
  try {
    const lock: unknown = JSON.parse(host.files.readText(join(staging, "package-lock.json")));
    const packages = isRecord(lock) && isRecord(lock.packages) ? lock.packages : {};
    return Object.entries(packages).filter(([path]) => path !== "").map(([path, one]) =>
      `${path.slice(path.lastIndexOf("node_modules/") + 13)}@${isRecord(one) ? one.version : "?"}`
    );
  } catch {
    return [];
  }
}

async function isWanted(name: string, { flags, printer }: Invocation): Promise<boolean> {
  if (flags.has("yes")) return true;
  if (flags.has("no-input") || !host.isTerminal(0)) {
    printer.note("nothing was added; agent mods add --yes adds what stands here");
    return false;
  }
  const answer = await openTerminal(printer)(`Add ${name}? [y]es, [n]o`);
  return answer.trim().toLowerCase()[0] === "y";
}

/** The person's yes was to these bytes. */
export async function pin(
  name: string,
  place: string,
  entry: string,
  { printer }: Invocation,
): Promise<void> {
  try {
    const cache = new BundleCache(dirs().cache, () => {});
    const manifest = join(place, "package.json");
    const { inputs } = await cache.bundle({ name, entry, place, from: "user", manifest });
    cache.save();
    const hashes = Object.fromEntries(inputs.map(({ path, sha256 }) => [path, sha256]));
    changePins((pins) => ({ ...pins, [entry]: hashes }));
  } catch (error) {
    printer.warn(`it can't be built: ${messageOf(error)}`);
  }
}
