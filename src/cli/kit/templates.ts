/** The files of a new plugin; their texts are in `template/`. */
import { TEMPLATE } from "../../generated/kit.ts";

/** What they are filled with. */
export interface Kit {
  name: string;
  /** Where the types of `"agent"` and `"zod"` are, on this machine. */
  types: string;
  zod: string | undefined;
  /** Where `node` is, of `@types`. */
  typeRoot: string | undefined;
}

/** By name, `name` put in. */
export function filesOf(kit: Kit): Record<string, string> {
  const { name } = kit;
  const texts = Object.entries(TEMPLATE).map(([file, text]) =>
    [file, text.replaceAll("NAME", name)] as const
  );
  return {
    "package.json": json({
      name,
      version: "0.1.0",
      private: true,
      type: "module",
      agent: { plugin: "./index.ts" },
      scripts: { test: "node --test", check: "agent mods check ." },
    }),
    "tsconfig.json": json({
      compilerOptions: compilerOptions(kit, ["./node_modules/agent-runtime/dist/types/sdk.d.ts"]),
      include: ["*.ts"],
    }),
    ...Object.fromEntries(texts),
  };
}

/** For `tsc`: strict, and with `"agent"` where it can be found; the first place that is there counts. */
export function compilerOptions(
  { types, zod, typeRoot }: Kit,
  before: readonly string[] = [],
): Record<string, unknown> {
  return {
    target: "es2022",
    lib: ["es2024", "dom"],
    module: "esnext",
    moduleResolution: "bundler",
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    resolveJsonModule: true,
    ...typeRoot === undefined ? { types: [] } : { types: ["node"], typeRoots: [typeRoot] },
    paths: { agent: [...before, types], ...(zod !== undefined && { zod: [zod] }) },
  };
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2) + "\n";
}
