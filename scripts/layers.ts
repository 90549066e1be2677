/**
 * Checks that imports go one way: core ← shell ← tools ← mods ← agent ← cli ← main. `core` uses no package but
 * the few that are imported when needed; a plugin uses nothing of ours but "agent".
 */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** Folders and files from the bottom up. A module may import its own rank and those below. */
const RANKS: readonly (readonly [string, number])[] = [
  ["src/version.ts", 0],
  ["src/core/", 0],
  ["src/sdk.ts", 1],
  ["src/shell/", 1],
  ["src/generated/tools.ts", 1],
  ["src/tools/", 2],
  ["src/mods/", 3],
  ["src/agent.ts", 4],
  ["src/index.ts", 5],
  ["src/cli/", 5],
  ["src/generated/help.ts", 5],
  ["src/generated/kit.ts", 5],
  ["src/code_cache.ts", 6],
  ["src/main.ts", 6],
];

/** Packages that core may load, and only when they are used. */
const CORE_PACKAGES = new Set(["zod", "jsonc-parser", "@cfworker/json-schema"]);

export function checkLayers(root: string): string[] {
  const faults: string[] = [];
  for (const file of [...sources(root, "src"), ...sources(root, "plugins")]) {
    const text = readFileSync(path.join(root, file), "utf8");
    for (const { id, typeOnly, dynamic } of importsOf(text)) {
      const fault = file.startsWith("plugins/")
        ? pluginFault(id)
        : sourceFault(file, id, typeOnly || dynamic);
      if (fault) faults.push(`${file}: ${fault}`);
    }
    if (file.startsWith("src/") && /^export default/m.test(text)) {
      faults.push(`${file}: has a default export`);
    }
    if (file.startsWith("src/") && /^(?:export )?let /m.test(text)) {
      faults.push(`${file}: has module-level mutable state`);
    }
  }
  return faults;
}

function sourceFault(file: string, id: string, late: boolean): string | undefined {
  if (id.startsWith("node:")) return undefined;
  if (!id.startsWith(".")) {
    if (!file.startsWith("src/core/") || (late && CORE_PACKAGES.has(id))) return undefined;
    return `core may not import ${id}`;
  }
  const target = path.posix.join(path.posix.dirname(file), id);
  const from = rankOf(file), to = rankOf(target);
  if (from === undefined) return "stands in no layer";
  if (to === undefined) return `imports ${target}, which stands in no layer`;
  return to > from ? `imports ${target}, which is above it` : undefined;
}

function pluginFault(id: string): string | undefined {
  if (id === "agent" || id === "zod" || id.startsWith("node:") || /^\.\/[^.]/.test(id)) return undefined;
  return `a plugin may not import ${id}`;
}

function rankOf(file: string): number | undefined {
  return RANKS.find(([prefix]) => file === prefix || (prefix.endsWith("/") && file.startsWith(prefix)))?.[1];
}

interface Import {
  id: string;
  typeOnly: boolean;
  dynamic: boolean;
}

function importsOf(text: string): Import[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
  const found: Import[] = [];
  for (const match of code.matchAll(/^\s*(import|export)\s+(type\s)?[^;]*?from\s+"([^"]+)"/gm)) {
    found.push({ id: match[3]!, typeOnly: match[2] !== undefined, dynamic: false });
  }
  for (const match of code.matchAll(/\bimport\("([^"]+)"\)/g)) {
    found.push({ id: match[1]!, typeOnly: false, dynamic: true });
  }
  return found;
}

function sources(root: string, folder: string): string[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
    .map((file) => path.posix.join(folder, file.replaceAll("\\", "/")))
    .filter((file) => file.endsWith(".ts") && !file.includes("node_modules"));
}
