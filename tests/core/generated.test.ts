/** What is built ahead of time and what is written down twice agrees with its source. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { generated } from "../../scripts/generate.ts";
import { VERSION } from "../../src/version.ts";
import { ROOT } from "../support.ts";

const read = (name: string) => readFileSync(path.join(ROOT, name), "utf8");

test("generated files are what their sources make", () => {
  const files = Object.entries(generated(ROOT));
  assert.ok(files.length > 0);
  for (const [name, text] of files) assert.equal(read(name), text, `${name} is stale: npm run build`);
});

test("the version is package.json's, and deno.json's", () => {
  assert.equal(VERSION, (JSON.parse(read("package.json")) as { version: string }).version);
  assert.equal(VERSION, (JSON.parse(read("deno.json")) as { version: string }).version);
});

test("no code but a face's own file knows a tool's name", () => {
  const sources = readdirSync(path.join(ROOT, "src"), { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/")).filter((name) =>
      name.endsWith(".ts") && !name.startsWith("generated/")
    );
  const holding = (name: string) => sources.filter((file) => read(`src/${file}`).includes(`"${name}"`));
  assert.deepEqual(holding("Bash"), ["tools/faces/bash_view.ts"]);
  const names = [
    "Read",
    "Write",
    "Edit",
    "MultiEdit",
    "read_file",
    "write_file",
    "edit_file",
    "run_shell_command",
  ];
  for (const name of names) {
    const outside = holding(name).filter((file) => !file.startsWith("tools/"));
    assert.deepEqual(outside, [], `"${name}" stands in ${outside.join(", ")}`);
  }
});
