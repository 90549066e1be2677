/** Loads a plugin's bundle into this process and hands out its default export, checked. */
import { messageOf } from "../core/errors.ts";
import { sha256 } from "../core/hash.ts";
import type { Plugin } from "../sdk.ts";
import type { Bundle } from "./bundle.ts";
import type { SharedPrototypes } from "./prototypes.ts";
import {
  checkPlugin,
  dataUrl,
  type HostModules,
  runBundle,
  type Runnable,
  scriptName,
} from "./run_bundle.ts";

export async function loadPlugin(
  entry: string,
  bundle: Bundle,
  modules: HostModules,
  prototypes: SharedPrototypes,
): Promise<Plugin> {
  if (bundle.needs.includes("zod")) modules.zod ??= await import("zod");
  const exported = await prototypes.watch(() => runBundle(entry, runnable(entry, bundle), modules));
  return checkPlugin((exported as { default?: unknown }).default);
}

/** A module is run from memory as well: its file may be another one by the time it is imported. */
function runnable(entry: string, { format, code }: Bundle): Runnable {
  if (format === "cjs") return { format, code };
  return { format, url: dataUrl(`${code}\n//# sourceURL=${scriptName(entry)}\n//${endOf(entry)}`) };
}

/** Deno names a module from memory by its address, of which it shows the first 20 characters and the last. */
function endOf(entry: string): string {
  return sha256(entry).slice(0, 16);
}

/** How stack frames of a plugin's bundle name it, which is how a late error finds its plugin. */
export function sourceNames(entry: string, { format }: Bundle): string[] {
  return [scriptName(entry), ...format === "esm" ? [endOf(entry)] : []];
}

/** What is wrong, on one line. esbuild has a list of what it found: the first says what and where. */
export function briefly(error: unknown): string {
  const [first] = (error as { errors?: BuildError[] } | null)?.errors ?? [];
  if (typeof first?.text !== "string") return messageOf(error).split("\n")[0]!;
  const { text, location } = first;
  return location ? `${location.file}:${location.line}: ${text}` : text;
}

interface BuildError {
  text?: string;
  location?: { file: string; line: number } | null;
}
