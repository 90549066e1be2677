/** Encoded secrets through the real program: in no result, event, log, hook input, plugin payload or overflow file. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { ENCODINGS, holdsSecret } from "../secret_encodings.ts";
import { type Json, Scratch, textOf } from "../support.ts";

const SECRET = "s3cr3t/+value 'q\"\\&$0123456789";

/** A file that holds the secret in each encoding at some alignments, long enough to be cut. */
function sample(): string {
  const filler = Array.from({ length: 60 }, (_, line) => `line ${line} of output\n`).join("");
  return Object.values(ENCODINGS).flatMap((encode) =>
    [0, 1, 2, 17, 63].map((before) => encode(SECRET, "x".repeat(before), "y") + "\n" + filler)
  ).join("");
}

function prepared(): Scratch {
  const scratch = new Scratch();
  scratch.settings({
    secrets: ["*_TOKEN"],
    hooks: { PostToolUse: [{ matcher: "*", hooks: [{ type: "command", command: "cat > hook.json" }] }] },
  });
  scratch.file("sample.txt", sample());
  scratch.plugin(
    "watch",
    `const fs = process.getBuiltinModule("node:fs");
     const note = (what) => fs.appendFileSync("mod.jsonl", JSON.stringify(what) + "\\n");
     agent.on("tool_output", (call, output) => { note(output); });
     agent.on("tool_end", (call, result) => { note(result); });`,
  );
  return scratch;
}

/** All files that the run made. */
function written(scratch: Scratch): string[] {
  return fs.readdirSync(scratch.state, { recursive: true, encoding: "utf8" })
    .map((name) => path.join(scratch.state, name)).filter((place) => fs.statSync(place).isFile());
}

/** Texts that stand in JSON are looked at as they are, too. */
function texts(json: string): string {
  const found: string[] = [];
  const visit = (value: unknown): void => {
    if (typeof value === "string") found.push(value);
    else if (typeof value === "object" && value !== null) Object.values(value).forEach(visit);
  };
  for (const line of json.split("\n")) if (line.startsWith("{")) visit(JSON.parse(line));
  return found.join("");
}

for (
  const [how, command] of [["at once", "cat sample.txt"], [
    "in pieces",
    "dd if=sample.txt bs=977 status=none",
  ]] as const
) {
  test(`encoded secrets printed ${how} leave by no way`, async () => {
    using scratch = prepared();
    const ran = await scratch.agent(
      ["exec", "--jsonl", "--full", "--plugins", "p", "Bash", `command=${command}`],
      { env: { MY_TOKEN: SECRET } },
    );
    const end = ran.stdout.trim().split("\n").map((line) => JSON.parse(line) as Json)
      .find(({ type }) => type === "tool_end")!;
    assert.equal(end.status, "success", ran.stdout.slice(0, 2000) + ran.stderr);
    assert.match(textOf(end), /characters omitted; all of it/);
    const sinks: Record<string, string> = {
      "events": texts(ran.stdout),
      "standard error": ran.stderr,
      "hook input": texts(scratch.read("hook.json")),
      "plugin payloads": texts(scratch.read("mod.jsonl")),
    };
    for (const place of written(scratch)) {
      const text = fs.readFileSync(place, "utf8");
      sinks[place] = place.endsWith(".jsonl") ? texts(text) : text;
    }
    assert.ok(Object.keys(sinks).some((place) => place.includes("/log/")));
    const marks = Object.keys(ENCODINGS).length * 5;
    for (const [sink, text] of Object.entries(sinks)) {
      assert.ok(!holdsSecret(text, SECRET), sink);
      // What is trusted tells of files, and nothing of what was printed.
      const isPrinted = !sink.includes("/blobs/") && !sink.includes("/trust/");
      if (text !== "" && sink !== "standard error" && isPrinted) {
        assert.ok(text.includes("<redacted:MY_TOKEN>"), sink);
      }
    }
    assert.equal(fs.readFileSync(end.overflow, "utf8").match(/<redacted:MY_TOKEN>/g)!.length, marks);
  });
}

test("a secret of which each stream prints a half is not put together", async () => {
  using scratch = new Scratch();
  scratch.settings({ secrets: ["*_TOKEN"] });
  const value = "abcdefabcdef";
  const { result } = await scratch.exec(
    ["Bash", "command=printf abcdef; printf abcdef >&2"],
    { env: { MY_TOKEN: value } },
  );
  assert.ok(!textOf(result).includes(value), textOf(result));
});
