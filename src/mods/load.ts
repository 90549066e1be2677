/** Runs a plugin's bundle and hands out its default export, checked. */
import { messageOf } from "../core/errors.ts";
import { host } from "../core/runtime.ts";
import type { Plugin } from "../sdk.ts";
import { type Bundle, type BundleCache, HOST_SYMBOL } from "./bundle.ts";

/** Modules that plugins share with the host. */
export interface HostModules {
  agent: object;
  zod?: object;
}

/** What a plugin file exports must be a plugin. Throws a sentence without a subject. */
export async function loadPlugin(
  entry: string,
  bundle: Bundle,
  cache: BundleCache,
  modules: HostModules,
): Promise<Plugin> {
  if (bundle.needs.includes("zod")) modules.zod ??= await import("zod");
  const require = requireFor(entry, modules);
  let exported: unknown;
  if (bundle.format === "cjs") exported = runScript(cache.read(bundle), entry, require);
  else {
    // Modules can't be handed a `require`, so they find the host by a registered symbol.
    (globalThis as Record<symbol, unknown>)[Symbol.for(HOST_SYMBOL)] = { require };
    exported = await importModule(pathToFileUrl(bundle.file));
  }
  return checkPlugin((exported as { default?: unknown }).default);
}

/** A stack frame of a plugin's script names it like this, which is how a late error finds its plugin. */
export function sourceName(entry: string): string {
  return `agent-plugin:${entry}`;
}

function runScript(code: string, entry: string, require: (id: string) => unknown): unknown {
  const module = { exports: {} };
  const run = new Function(
    "require",
    "module",
    "exports",
    "__agentProcess",
    "__pluginUrl",
    `${code}\n//# sourceURL=${sourceName(entry)}`,
  );
  run(require, module, module.exports, require("node:process"), pathToFileUrl(entry));
  return module.exports;
}

function requireFor(entry: string, modules: HostModules): (id: string) => unknown {
  return (id) => {
    if (id === "agent") return modules.agent;
    if (id === "zod") return modules.zod;
    if (id === "node:process") return guardedProcess();
    const plain = id.replace(/^node:/, "");
    const { builtinModules, createRequire } = host.builtin<typeof import("node:module")>("node:module");
    if (builtinModules.includes(plain)) return host.builtin(`node:${plain}`);
    return createRequire(entry)(id);
  };
}

/** `process` whose `exit` is an error: a plugin has no business ending the host. */
function guardedProcess(): object {
  const process = host.builtin<typeof globalThis.process>("node:process");
  const refuse = () => {
    throw new Error("process.exit was called; a plugin may not end the process");
  };
  return new Proxy(process, {
    get(target, key) {
      if (key === "exit" || key === "abort" || key === "reallyExit" || key === "kill") {
        return key === "kill" ? target.kill.bind(target) : refuse;
      }
      if (key === "default") return guardedProcess();
      const value = Reflect.get(target, key);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** A real `import`, also in the CommonJS build. */
function importModule(url: string): Promise<unknown> {
  return new Function("url", "return import(url)")(url);
}

function pathToFileUrl(path: string): string {
  const url = new URL("file:///");
  url.pathname = path.split("/").map(encodeURIComponent).join("/");
  return url.href;
}

function checkPlugin(value: unknown): Plugin {
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

/** esbuild's errors come in many lines; the first says what and where. */
export function briefly(error: unknown): string {
  const text = messageOf(error);
  const build = /error: ([^\n]+)/i.exec(text);
  return build ? build[1]! : text.split("\n")[0]!;
}
