/** `agent mods check PATH`: what can be said of plugins without a call: types, names, what they use and shadow. */
import { dirs } from "../../core/dirs.ts";
import { EXIT, quote, UsageError } from "../../core/errors.ts";
import { dirname, resolvePath } from "../../core/paths.ts";
import { host } from "../../core/runtime.ts";
import { declaredIn } from "../../mods/declared_uses.ts";
import { findPlugins, type Found } from "../../mods/places.ts";
import type { ModStatus } from "../../mods/host.ts";
import type { Invocation } from "../command.ts";
import { typecheck } from "../kit/typecheck.ts";
import { compareUses } from "../kit/uses.ts";
import { onStage } from "../replay/rehearse.ts";

interface Report {
  name: string;
  path: string;
  problems: string[];
  notes: string[];
}

export async function run(invocation: Invocation): Promise<number> {
  const { args: [given], flags, printer } = invocation;
  if (given === undefined) {
    throw new UsageError("Cannot check a plugin: none was named", "agent mods check ./my-plugin");
  }
  const path = resolvePath(host.cwd(), given);
  const found = findPlugins([path]);
  if (found.length === 0) throw new UsageError(`Cannot check ${quote(given)}: there is no plugin in it`);
  const others = await namesOfUser(found);
  const { mods, complaints } = await onStage(
    invocation,
    true,
    { plugins: [path], quiet: true },
    (stage) => Promise.resolve({ mods: stage.runtime.mods(), complaints: stage.complaints() }),
  );
  const reports = await Promise.all(mods.map((mod) => reportOf(mod, found, others, complaints)));
  const isFine = reports.every(({ problems }) => problems.length === 0);
  if (flags.has("json")) printer.json({ plugins: reports, ok: isFine });
  else {
    for (const { name, path, problems, notes } of reports) {
      printer.line(`${name}  ${problems.length === 0 ? "fine" : "has problems"}\n  ${path}`);
      for (const problem of problems) printer.line(`  problem: ${problem}`);
      for (const note of notes) printer.line(`  note: ${note}`);
    }
  }
  return isFine ? EXIT.done : EXIT.failed;
}

/** Names of the user's other plugins, read without running them. */
async function namesOfUser(checked: readonly Found[]): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (const { entry, name } of findPlugins([], dirs().plugins)) {
    if (checked.some((one) => one.entry === entry)) continue;
    const declared = await declaredIn(entry, sourceOf(entry) ?? "");
    names.set(declared.name || name, entry);
  }
  return names;
}

function sourceOf(entry: string): string | undefined {
  try {
    return host.files.readText(entry);
  } catch {
    return undefined;
  }
}

async function reportOf(
  mod: ModStatus,
  found: readonly Found[],
  others: ReadonlyMap<string, string>,
  complaints: readonly string[],
): Promise<Report> {
  const { name, path, state, reason, uses, tools, handlers, shadows } = mod;
  const problems = complaints.filter((text) => text.includes(`(${path})`));
  const notes: string[] = [];
  if (state !== "ready" && problems.length === 0) problems.push(reason ?? `it is ${state}`);
  const twin = others.get(name);
  if (twin !== undefined) problems.push(`another plugin of yours has its name: ${twin}`);
  const one = found.find(({ entry }) => entry === path);
  const { errors } = typecheck(path, one?.manifest === undefined ? undefined : dirname(one.manifest));
  if (errors) {
    const isNodes = (line: string) => line.includes("TS2591");
    // Without the types of Node's modules what they give has none either.
    const count = errors.some(isNodes)
      ? (line: string) => !isNodes(line) && !/TS70\d\d/.test(line)
      : () => true;
    problems.push(...errors.filter(count));
    if (errors.some(isNodes)) {
      notes.push("the types of Node's modules aren't there: npm install -D @types/node");
    }
  } else notes.push("its types weren't checked: there is no tsc in PATH");
  if (state === "ready") {
    const compared = compareUses(uses, await withoutComments(path));
    problems.push(...compared.problems);
    notes.push(...compared.notes);
    if (uses.length > 0) notes.push(`it may use ${uses.join(", ")}`);
    if (tools.length + handlers.length + mod.commands.length === 0) {
      notes.push("it registers nothing without options: no tool, handler or command");
    }
    for (const { tool, stands, other } of shadows) {
      notes.push(`its tool ${tool} stands ${stands} that of ${other}`);
    }
  }
  return { name, path, problems, notes };
}

async function withoutComments(path: string): Promise<string> {
  const { transform } = await import("esbuild");
  const loader = /\.m?ts$/.test(path) ? "ts" : "js";
  const { code } = await transform(sourceOf(path) ?? "", { loader, logLevel: "silent", tsconfigRaw: {} });
  return code;
}
