/** Where the types of plugins are, and `tsc` over a plugin, where there is one. */
import { dirname, join } from "../../core/paths.ts";
import { host } from "../../core/runtime.ts";
import { temporary } from "../replay/rehearse.ts";
import { compilerOptions, type Kit } from "./templates.ts";

/** The types as this program came with them. */
export function kitOf(name: string): Kit {
  const root = packageRoot();
  const zod = join(root, "node_modules/zod");
  const types = join(root, "node_modules/@types");
  const built = join(root, "dist/types/sdk.d.ts");
  return {
    name,
    types: host.files.exists(built) ? built : join(root, "src/sdk.ts"),
    zod: host.files.exists(zod) ? zod : undefined,
    typeRoot: host.files.exists(join(types, "node")) ? types : undefined,
  };
}

function packageRoot(): string {
  let folder = dirname(import.meta.filename!);
  while (!host.files.exists(join(folder, "package.json")) && folder !== dirname(folder)) {
    folder = dirname(folder);
  }
  return folder;
}

export interface Typed {
  /** `undefined`: there is no `tsc`. */
  errors: readonly string[] | undefined;
}

/** Checks a folder by its own `tsconfig.json`, anything else by ours. */
export function typecheck(entry: string, folder: string | undefined): Typed {
  const own = folder === undefined ? undefined : join(folder, "tsconfig.json");
  if (own !== undefined && host.files.exists(own)) return tsc(own);
  const place = temporary("agent-types-");
  try {
    const project = join(place, "tsconfig.json");
    const file = host.files.open(project, "w");
    file.writeText(JSON.stringify({
      compilerOptions: { ...compilerOptions(kitOf("")), allowJs: true },
      files: [entry],
    }));
    file.close();
    return tsc(project);
  } finally {
    host.files.removeTree(place);
  }
}

/** By the `tsc` that came with this program, or that of PATH: one in a plugin's folder is as much a stranger's as it is. */
function tsc(project: string): Typed {
  const { spawnSync } = host.builtin<typeof import("node:child_process")>("node:child_process");
  for (const program of [join(packageRoot(), "node_modules/.bin/tsc"), "tsc"]) {
    const { error, status, stdout } = spawnSync(program, ["--noEmit", "--pretty", "false", "-p", project], {
      encoding: "utf8",
      timeout: TSC_MS,
    });
    if (error) continue;
    const lines = String(stdout).split("\n").filter((line) => /error TS\d+/.test(line));
    return { errors: status === 0 ? [] : lines.length > 0 ? lines : [`tsc ended with exit code ${status}`] };
  }
  return { errors: undefined };
}

const TSC_MS = 120_000;
