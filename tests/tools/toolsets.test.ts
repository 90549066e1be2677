/** Toolsets: which family a model gets, and which faces each shows. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { generated } from "../../scripts/generate.ts";
import { familyOf, toolsetFor, TOOLSETS } from "../../src/tools/toolsets.ts";
import { type Json, ROOT, Scratch } from "../support.ts";

test("a model's handle decides the toolset, also behind routers", () => {
  const cases: [string, string][] = [
    ["anthropic/claude-x", "default"],
    ["bedrock/us.anthropic.claude-x", "default"],
    ["openai/gpt-x", "codex_snake"],
    ["openai-codex/x", "codex_snake"],
    ["chatgpt_oauth/x", "codex_snake"],
    ["openrouter/openai/gpt-x", "codex_snake"],
    ["google/gemini-x", "gemini_snake"],
    ["google_ai/gemini-x", "gemini_snake"],
    ["openrouter/google/gemini-x", "gemini_snake"],
    ["vertex/gemini-x", "gemini_snake"],
    ["vertex/claude-x", "default"],
    ["openrouter/anthropic/claude-x", "default"],
    ["nobody/knows", "default"],
  ];
  assert.deepEqual(cases.map(([handle]) => [handle, toolsetFor(handle)]), cases);
});

test("an unknown toolset is an error that names the nearest", () => {
  assert.throws(() => familyOf("gemni"), { message: 'Cannot use the toolset "gemni": no such toolset' });
  assert.throws(() => familyOf("gemni"), ({ hint }: Json) => /gemini/.test(hint));
  assert.throws(() => familyOf("constructor"), /no such toolset/);
  for (const name of Object.keys(TOOLSETS)) assert.ok(familyOf(name));
});

test("each toolset shows its family's faces, in order", async () => {
  using scratch = new Scratch();
  const shown: Record<string, string[]> = {};
  for (const toolset of Object.keys(TOOLSETS)) {
    const { stdout } = await scratch.agent(["tools", "--json", "--toolset", toolset]);
    const tools = JSON.parse(stdout);
    shown[toolset] = (Array.isArray(tools) ? tools : tools.tools).map(({ name }: Json) => name);
  }
  assert.deepEqual(shown, {
    default: ["Bash", "BashOutput", "Edit", "KillBash", "Monitor", "Read", "Write"],
    codex: ["ApplyPatch", "ExecCommand", "Monitor", "ShellSession", "ViewImage", "WriteStdin"],
    codex_snake: ["apply_patch", "exec_command", "shell_session", "view_image", "write_stdin"],
    gemini: [
      ...["GlobGemini", "ListDirectory", "ReadFileGemini", "ReadManyFiles", "Replace", "RunShellCommand"],
      ...["SearchFileContent", "ShellSession", "WriteFileGemini"],
    ],
    gemini_snake: [
      ...["glob", "list_directory", "read_file", "read_many_files", "replace", "run_shell_command"],
      ...["search_file_content", "shell_session", "write_file"],
    ],
    lean: ["apply_patch", "edit_file", "grep_files", "read_file", "shell", "shell_session", "write_file"],
    none: [],
  });
});

test("every published tool has a text and a closed schema, as the sources say", () => {
  for (const [file, content] of Object.entries(generated(ROOT))) {
    assert.equal(readFileSync(path.join(ROOT, file), "utf8"), content, `${file} is stale: npm run build`);
  }
  const source = generated(ROOT)["src/generated/tools.ts"]!;
  const assets: Record<string, string> = JSON.parse(
    source.slice(source.indexOf(" = {") + 3, source.lastIndexOf("}") + 1),
  );
  for (const [key, asset] of Object.entries(assets)) {
    const { description, schema }: Json = JSON.parse(asset);
    assert.ok(description.length > 20 && !/\bundefined\b/.test(description), key);
    assert.equal(schema.additionalProperties, false, key);
    assert.equal(schema.type, "object", key);
  }
});
