/** `agent doctor`: is everything there that is needed? Exit 1 where something isn't. */
import { dirs } from "../../core/dirs.ts";
import { messageOf } from "../../core/errors.ts";
import { makeFolder } from "../../core/paths.ts";
import { readSecretsFile } from "../../core/secrets_file.ts";
import { host } from "../../core/runtime.ts";
import { VERSION } from "../../version.ts";
import type { Invocation } from "../command.ts";
import { oddLinesOf } from "./secrets_list.ts";
import { openRuntime, settingsOf } from "../open.ts";

interface Finding {
  name: string;
  ok: boolean;
  detail: string;
}

export async function run(invocation: Invocation): Promise<number> {
  const { flags, printer } = invocation;
  const findings: Finding[] = [{
    name: "agent",
    ok: true,
    detail: `${VERSION} on ${host.name} ${host.version}, ${host.platform}`,
  }];
  const check = async (name: string, look: () => string | Promise<string>) => {
    try {
      findings.push({ name, ok: true, detail: await look() });
    } catch (error) {
      const detail = messageOf(error);
      // What one fault makes fail everywhere is said once.
      if (!findings.some((finding) => finding.detail === detail)) findings.push({ name, ok: false, detail });
    }
  };
  await check("settings", async () => {
    await settingsOf(invocation);
    return dirs().settingsFile;
  });
  for (const name of ["state", "cache"] as const) await check(name, () => writable(dirs()[name]));
  await check("secrets", secrets);
  await check("shell", () => program("bash", ["-c", "echo ok"]));
  await check("esbuild", async () => `esbuild ${(await import("esbuild")).version}, for plugins`);
  await check("plugins and hooks", async () => {
    const runtime = await openRuntime(invocation);
    try {
      await runtime.start();
      const broken = runtime.mods().filter(({ state }) => state === "failed");
      if (broken.length > 0) {
        throw new Error(`${broken.map(({ name }) => name).join(", ")} failed; see agent mods list`);
      }
      return `${runtime.mods().length} plugins`;
    } finally {
      await runtime.close();
    }
  });
  if (flags.has("json")) printer.json(findings);
  else {for (const { name, ok, detail } of findings) {
      printer.line(`${ok ? "ok  " : "FAIL"} ${name}: ${detail}`);
    }}
  return findings.every(({ ok }) => ok) ? 0 : 1;
}

function secrets(): string {
  const { path, exists, open, oddLines, secrets } = readSecretsFile();
  if (!exists) return `no ${path}; agent secrets set NAME makes it`;
  // The words of whatever fails to start for it.
  if (open !== undefined) throw new Error(`Cannot use "${path}": ${open}`);
  if (oddLines.length > 0) throw new Error(oddLinesOf(path, oddLines));
  return `${path}, ${secrets.length} stored, nobody else can read it`;
}

function writable(folder: string): string {
  makeFolder(folder, 0o700);
  const path = `${folder}/.doctor-${host.pid}`;
  const file = host.files.open(path, "w", 0o600);
  file.close();
  host.files.remove(path);
  return folder;
}

function program(name: string, args: string[]): string {
  const { spawnSync } = host.builtin<typeof import("node:child_process")>("node:child_process");
  const { error, status } = spawnSync(name, args, { stdio: "ignore", timeout: 10_000 });
  if (error) throw error;
  if (status !== 0) throw new Error(`${name} ended with exit code ${status}`);
  return name;
}
