/**
 * The ripgrep that searches: the program for this machine, which npm installs beside us, else the same one in
 * WebAssembly, which any machine runs. Both get the same words and print the same.
 */
import { host } from "../../core/runtime.ts";

export interface Program {
  command: string;
  /** What stands before ripgrep's own words. */
  args: readonly string[];
  env: Record<string, string>;
}

/** `AGENT_SEARCH=portable` takes the one in WebAssembly also where there is the other. */
export async function searchProgram(): Promise<Program> {
  const native = host.env("AGENT_SEARCH") === "portable" ? undefined : nativeProgram();
  if (native !== undefined) return { command: native, args: [], env: environment() };
  const { portableProgram } = await import("./portable.ts");
  return portableProgram(environment());
}

/** What it needs to find the user's own excludes for git. */
function environment(): Record<string, string> {
  const env: Record<string, string> = { HOME: host.home() };
  for (const name of ["XDG_CONFIG_HOME", "SystemRoot", "USERPROFILE"]) {
    const value = host.env(name);
    if (value) env[name] = value;
  }
  return env;
}

function nativeProgram(): string | undefined {
  const { createRequire } = host.builtin<typeof import("node:module")>("node:module");
  const { arch } = host.builtin<typeof process>("node:process");
  const name = host.platform === "win32" ? "rg.exe" : "rg";
  try {
    return createRequire(import.meta.filename!).resolve(
      `@vscode/ripgrep-${host.platform}-${arch}/bin/${name}`,
    );
  } catch {
    return undefined;
  }
}
