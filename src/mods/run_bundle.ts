/**
 * Runs a plugin's bundle, in this process or in a child of its own: a script that is handed its `require`, or a module
 * where the plugin awaits at its top level.
 */
import { host } from "../core/runtime.ts";
import type { Plugin } from "../sdk.ts";
import { insteadOf } from "./exits.ts";

/** Modules that plugins share with the host. */
export interface HostModules {
  agent: object;
  zod?: object;
}

/** The name under which module bundles find their `require`, by the plugin's path. */
export const HOST_SYMBOL = "agent.plugin-host";

/** A script's code, or where a module is. */
export type Runnable = { format: "cjs"; code: string } | { format: "esm"; url: string };

/** What the bundle exports. The host's modules that it needs must be loaded before. */
export function runBundle(entry: string, bundle: Runnable, modules: HostModules): unknown {
  const require = requireFor(entry, modules);
  if (bundle.format === "cjs") return runScript(bundle.code, entry, require);
  // Modules can't be handed a `require`, so they find it by a registered symbol.
  const shared = globalThis as Record<symbol, Map<string, unknown> | undefined>;
  (shared[Symbol.for(HOST_SYMBOL)] ??= new Map()).set(entry, require);
  return importModule(bundle.url);
}

/** Without spaces: a name that has one is ignored. */
export function scriptName(entry: string): string {
  return `agent-plugin:${encodeURI(entry)}`;
}

/** A module that stands in no file. */
export function dataUrl(code: string): string {
  return `data:text/javascript,${encodeURIComponent(code)}`;
}

function runScript(code: string, entry: string, require: (id: string) => unknown): unknown {
  const module = { exports: {} };
  const run = new Function(
    "require",
    "module",
    "exports",
    "__agentProcess",
    "__agentConsole",
    // Strict, as modules are: what a handler may not change throws when it is assigned to.
    `"use strict";${code}\n//# sourceURL=${scriptName(entry)}`,
  );
  // Most plugins use neither, and on Deno the first costs as much as a small plugin.
  const used = (name: string, id: string) => code.includes(name) ? require(id) : undefined;
  const own = [used("__agentProcess", "node:process"), used("__agentConsole", "node:console")];
  run(require, module, module.exports, ...own);
  return module.exports;
}

function requireFor(entry: string, modules: HostModules): (id: string) => unknown {
  return (id) => {
    if (id === "agent") return modules.agent;
    if (id === "zod") return modules.zod;
    if (id === "node:process") return guardedProcess();
    if (id === "node:console") return errorConsole();
    const plain = id.replace(/^node:/, "");
    const { builtinModules, createRequire } = host.builtin<typeof import("node:module")>("node:module");
    if (builtinModules.includes(plain)) return host.builtin(`node:${plain}`);
    const { fileURLToPath } = host.builtin<typeof import("node:url")>("node:url");
    return createRequire(entry)(id.startsWith("file:") ? fileURLToPath(id) : id);
  };
}

/** `console` on standard error, made when it is used: standard output is for results. */
function errorConsole(): object {
  let made: object | undefined;
  const make = () => {
    const { Console } = host.builtin<typeof import("node:console")>("node:console");
    return made = new Console(host.builtin<typeof globalThis.process>("node:process").stderr);
  };
  return new Proxy(console, { get: (_, key) => Reflect.get(made ?? make(), key) });
}

/**
 * `process` that can't be ended, since a plugin has no business ending the host, and whose standard output is
 * standard error.
 */
function guardedProcess(): object {
  const process = host.builtin<typeof globalThis.process>("node:process");
  return new Proxy(process, {
    get(target, key) {
      if (key === "default") return guardedProcess();
      if (key === "stdout") return target.stderr;
      const value = Reflect.get(target, key);
      const instead = insteadOf(key, `process.${String(key)}`, () => value.bind(target));
      if (instead) return instead;
      // Called on the real `process`, which some of them need; `hrtime.bigint` and the like stay where they are.
      return typeof value === "function"
        ? new Proxy(value, { apply: (fn, _, args) => Reflect.apply(fn, target, args) })
        : value;
    },
  });
}

/** Given by the code cache's loader; absent where modules are loaded plainly. */
declare const __import: ((url: string) => Promise<unknown>) | undefined;

/** A real `import`, also in the CommonJS build, which knows `require` alone. */
function importModule(url: string): Promise<unknown> {
  if (typeof __import === "function") return __import(url);
  return new Function("url", "return import(url)")(url);
}

/** What a plugin file exports must be a plugin. Throws a sentence without a subject. */
export function checkPlugin(value: unknown): Plugin {
  if (typeof value !== "object" || value === null) throw new Error("it has no default export (definePlugin)");
  const { name, setup, uses } = value as Partial<Plugin>;
  if (typeof name !== "string" || !/^[A-Za-z][\w-]{0,63}$/.test(name)) {
    throw new Error(`its name ${JSON.stringify(name) ?? "is missing and"} is not letters, digits, - and _`);
  }
  if (typeof setup !== "function") throw new Error("it has no setup function");
  if (uses !== undefined && !(Array.isArray(uses) && uses.every((use) => typeof use === "string"))) {
    throw new Error("its uses is not a list of strings");
  }
  return value as Plugin;
}
