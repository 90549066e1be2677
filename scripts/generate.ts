/**
 * Makes `src/generated/`: published schemas, descriptions and help texts, from their sources. Run by the build; a
 * test fails when the files are stale.
 */
import * as z from "zod";
import type { Flag } from "../src/cli/command.ts";
import { COMMANDS } from "../src/cli/commands.ts";
import { COMMON } from "../src/cli/declared/flags.ts";
import { ENVIRONMENT, EXIT_CODES, flagAbout, flagName, overview } from "../src/cli/help.ts";
import type { AnyFace } from "../src/core/face.ts";
import { host } from "../src/core/runtime.ts";
import { assetKey } from "../src/core/registry.ts";
import { publishSchema } from "../src/core/publish_schema.ts";
import type { JsonSchema } from "../src/core/schema.ts";
import { hasVariable, type Setting, type SettingName, SETTINGS, variableOf } from "../src/core/settings.ts";
import type { AnyTool, Asset } from "../src/core/tool.ts";
import { builtins } from "../src/tools/builtins.ts";
import { Environment } from "../src/shell/environment.ts";
import { Notices } from "../src/shell/notices.ts";
import { ShellSessions } from "../src/shell/sessions.ts";
import { ProcessGroups } from "../src/shell/groups.ts";
import { eventsPage } from "./events_page.ts";

const HEADER =
  "// Made by scripts/generate.ts from the tools, faces and commands. Do not edit: npm run build\n";

/** File names below `root` with what they should hold. */
export function generated(root: string): Record<string, string> {
  const { tools, faces } = builtins({
    environment: new Environment({ keep: [], drop: [], secrets: [] }),
    groups: new ProcessGroups(),
    sessions: new ShellSessions(new Notices(() => {})),
    timeoutMs: 0,
  });
  const assets: Record<string, Asset> = {};
  for (const tool of tools) {
    assets[assetKey("canonical", tool.name)] = {
      description: toolText(root, tool),
      schema: schemaOf(tool),
      ...(tool.runsCommands && { runsCommands: true }),
      ...(tool.variants && { variants: variantsOf(tool.variants(z)) }),
    };
  }
  for (const face of faces) {
    const grammar = face.custom ? text(`${root}/src/tools/${face.tool.name}.lark`) : undefined;
    assets[assetKey(face.family, face.name)] = {
      description: faceText(root, face),
      schema: schemaOf(face),
      ...(face.tool.runsCommands && { runsCommands: true }),
      ...(grammar !== undefined && { grammar }),
    };
  }
  const serialized = Object.fromEntries(
    Object.entries(assets).map(([key, asset]) => [key, JSON.stringify(asset)]),
  );
  return {
    "src/generated/tools.ts":
      `${HEADER}/** Text and schema of each tool and face, as JSON that is parsed when it is needed. */
export const ASSETS: Readonly<Record<string, string>> = ${JSON.stringify(serialized, null, 2)};

/** Below the description of what runs commands, on Windows. */
export const WINDOWS_CARE = ${JSON.stringify(text(`${root}/src/tools/shell/windows.md`))};
`,
    "src/generated/kit.ts": `${HEADER}/** Texts of a new plugin's files, by name. */
export const TEMPLATE: Readonly<Record<string, string>> = ${JSON.stringify(template(root), null, 2)};
`,
    "docs/cli.md": commandLinePage(),
    "docs/settings.md": settingsPage(root),
    "docs/events.md": eventsPage(),
    "src/generated/help.ts": `${HEADER}export const HELP = ${JSON.stringify(overview())};\n`,
  };
}

/** The page about the command line, from the same declarations as parser and help. */
/** The files of `agent mods new`, which are kept with `.txt` behind their names. */
function template(root: string): Record<string, string> {
  const names = ["index.ts", "calls.jsonl", "plugin.test.mjs", "README.md"];
  return Object.fromEntries(
    names.map((name) => [name, text(`${root}/src/cli/kit/template/${name}.txt`)! + "\n"]),
  );
}

function commandLinePage(): string {
  const flagTable = (flags: readonly Flag[]) => [
    "| flag | |",
    "|---|---|",
    ...flags.map((flag) => `| \`${flagName(flag)}\` | ${flagAbout(flag).replaceAll("|", "\\|")} |`),
  ];
  const sections = COMMANDS.filter(({ hidden }) => !hidden).flatMap((command) => [
    `## agent ${command.name}${command.args ? ` ${command.args}` : ""}`,
    "",
    `${command.about[0]!.toUpperCase()}${command.about.slice(1)}.`,
    "",
    "```sh",
    ...command.examples.map(({ line, about }) => `${line}  # ${about}`),
    "```",
    "",
    ...(command.flags.length > 0 ? [...flagTable(command.flags), ""] : []),
  ]);
  return [
    "<!-- Made by scripts/generate.ts from src/cli/commands.ts. Do not edit: npm run build -->",
    "# The command line",
    "",
    "`agent <command> [flags]`. Standard output is the result alone; warnings and errors go to standard error. Text after",
    "`--` is never a flag.",
    "",
    ...flagTable(COMMON),
    "",
    ...sections,
    "## Environment",
    "",
    "| variable | |",
    "|---|---|",
    ...ENVIRONMENT.map(([name, about]) => `| \`${name}\` | ${about} |`),
    "",
    "Every setting that isn't an object has a variable: [settings.md](settings.md).",
    "",
    "## Exit codes",
    "",
    "| code | |",
    "|---|---|",
    ...EXIT_CODES.map(([code, about]) => `| ${code} | ${about} |`),
    "",
    "Of many calls from standard input: 0 if all succeeded, 1 if any did not, 2 if nothing could start.",
    "A line longer than 64 MB is answered as an error.",
    "",
  ].join("\n");
}

/** The page about settings: what there is, from the table that reads them, below what a table can't say. */
function settingsPage(root: string): string {
  const rows = (Object.keys(SETTINGS) as SettingName[]).map((name) => {
    const { kind, fallback, about, oneOf }: Setting = SETTINGS[name];
    const values = oneOf ? `: ${oneOf.join(", ")}` : "";
    const variable = hasVariable(name) ? `\`${variableOf(name)}\`` : "";
    return `| \`${name}\` | ${kind} | \`${JSON.stringify(fallback)}\` | ${variable} | ${about}${values} |`;
  });
  const table = ["| name | kind | default | variable | |", "|---|---|---|---|---|", ...rows].join("\n");
  const made =
    "<!-- Made by scripts/generate.ts from src/core/settings.ts and scripts/settings.md: npm run build -->";
  return `${made}\n${text(`${root}/scripts/settings.md`)!.replace("<!-- the table -->", table)}\n`;
}

function schemaOf({ input }: Pick<AnyTool | AnyFace, "input">): JsonSchema {
  return publishSchema(z.toJSONSchema(input(z), { io: "input" }) as JsonSchema);
}

function variantsOf(variants: Record<string, z.ZodType>): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(variants).map((
      [name, input],
    ) => [name, schemaOf({ input: () => input } as unknown as AnyTool)]),
  );
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
