/**
 * Makes `src/generated/`: published schemas, descriptions and help texts, from their sources. Run by the build; a
 * test fails when the files are stale.
 */
import * as z from "zod";
import { overview } from "../src/cli/help.ts";
import type { AnyFace } from "../src/core/face.ts";
import { host } from "../src/core/runtime.ts";
import { assetKey } from "../src/core/registry.ts";
import { type JsonSchema, publishSchema } from "../src/core/schema.ts";
import type { AnyTool } from "../src/core/tool.ts";
import { builtins } from "../src/tools/builtins.ts";
import { Environment } from "../src/shell/environment.ts";
import { ProcessGroups } from "../src/shell/process.ts";

const HEADER =
  "// Made by scripts/generate.ts from the tools, faces and commands. Do not edit: npm run build\n";

/** File names below `root` with what they should hold. */
export function generated(root: string): Record<string, string> {
  const { tools, faces } = builtins({
    environment: new Environment({ keep: [], drop: [] }),
    groups: new ProcessGroups(),
    timeoutMs: 0,
  });
  const assets: Record<string, { description: string; schema: JsonSchema }> = {};
  for (const tool of tools) {
    assets[assetKey("canonical", tool.name)] = { description: toolText(root, tool), schema: schemaOf(tool) };
  }
  for (const face of faces) {
    assets[assetKey(face.family, face.name)] = { description: faceText(root, face), schema: schemaOf(face) };
  }
  return {
    "src/generated/tools.ts":
      `${HEADER}export const ASSETS: Readonly<Record<string, { description: string; schema: object }>> = ${
        JSON.stringify(assets, null, 2)
      };\n`,
    "src/generated/help.ts": `${HEADER}export const HELP = ${JSON.stringify(overview())};\n`,
  };
}

function schemaOf({ input }: Pick<AnyTool | AnyFace, "input">): JsonSchema {
  return publishSchema(z.toJSONSchema(input(z), { io: "input" }) as JsonSchema);
}

function toolText(root: string, { name }: AnyTool): string {
  return text(`${root}/src/tools/${name}.md`)!;
}

/** A face has a text of its own or speaks with its tool's. */
function faceText(root: string, face: AnyFace): string {
  return text(`${root}/src/tools/faces/${face.family}/${face.name}.md`) ?? toolText(root, face.tool);
}

function text(path: string): string | undefined {
  try {
    return new TextDecoder().decode(host.files.read(path)).trim();
  } catch {
    return undefined;
  }
}
