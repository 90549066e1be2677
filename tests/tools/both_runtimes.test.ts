/** The same calls give the same results on Node and on Deno, to the byte. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Json, type RuntimeName, Scratch } from "../support.ts";

const CALLS: [name: string, args: Json][] = [
  ["Read", { file_path: "five" }],
  ["Read", { file_path: "five", offset: 9 }],
  ["ReadFileGemini", { file_path: "five", offset: 1, limit: 1 }],
  ["Read", { file_path: "latin" }],
  ["Read", { file_path: "none" }],
  ["Read", { file_path: "." }],
  ["Read", { file_path: 5 }],
  ["Write", { file_path: "made/new", content: "é\n" }],
  ["Write", { file_path: "five/x", content: "" }],
  ["Edit", { file_path: "five", old_string: "b", new_string: "B" }],
  ["Edit", { file_path: "five", old_string: "missing c", new_string: "x" }],
  ["MultiEdit", { file_path: "five", edits: [] }],
  ["Bash", { command: "echo out; echo err >&2; exit 3" }],
  ["Bash", { command: "kill -TERM $$" }],
  ["Bash", { command: "nosuchcommand" }],
  ["Bash", { command: "printf '\\033[1mbold\\033[0m \\xff'" }],
  ["Bash", { command: "sleep 30", timeout: 100 }],
  ["Bash", { command: "echo a\u0000b" }],
  ["shell", { command: ["no-such-program", "x"] }],
  ["shell", { command: ["./five"] }],
  ["shell", { command: ["."] }],
  ["shell", { command: ["--help"] }],
  ["shell", { command: ["printf", "%s", "x".repeat(200_000)] }],
  ["shell_command", { command: "pwd", workdir: "five" }],
  ["shell_command", { command: "pwd", workdir: "none" }],
  ["run_shell_command", { command: "env | sort | grep -v -e ^_= -e ^AGENT_CHILD_OF=", dir_path: "/" }],
  ["NoSuchTool", {}],
];

async function resultsOn(runtime: RuntimeName): Promise<Json[]> {
  using scratch = new Scratch();
  scratch.file("five", "a\nb\nc\nd\ne\n", 0o644);
  scratch.file("latin", new Uint8Array([0x63, 0xe9, 0x0a]));
  const { results, stderr } = await scratch.batch(
    CALLS.map(([name, args], index) => ({ id: `c${index}`, name, args })),
    ["--mode", "bypassPermissions"],
    { on: runtime },
  );
  assert.equal(stderr, "");
  // What must differ: when it was, how long it took, and the scratch folder's name.
  return results.map((result) => {
    const { durationMs, at, ...rest } = result;
    assert.ok(durationMs >= 0 && typeof at === "string");
    return JSON.parse(JSON.stringify(rest).replaceAll(scratch.root, "<root>"));
  });
}

test("results are the same on Node and on Deno", async () => {
  const [onNode, onDeno] = [await resultsOn("node"), await resultsOn("deno")];
  assert.equal(onNode.length, CALLS.length);
  for (const [index, [name, args]] of CALLS.entries()) {
    const call = `${name} ${JSON.stringify(args).slice(0, 100)}`;
    assert.equal(JSON.stringify(onDeno[index]), JSON.stringify(onNode[index]), call);
  }
});
