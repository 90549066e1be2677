/** What docs/events.md says of payloads is what handlers get, also where the types would let it differ. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { CALL_DOCS, EVENT_DOCS, RESULT_DOCS } from "../../src/core/event_docs.ts";
import { type EventName, EVENTS } from "../../src/core/events.ts";
import { type Json, ROOT, Scratch } from "../support.ts";

const EVENT_NAMES = Object.keys(EVENTS) as EventName[];

/** Fields that must be there, and those that may. */
function fieldsOf(part: unknown): { needed: string[]; all: string[] } {
  const docs = part === "call"
    ? CALL_DOCS
    : part === "result"
    ? RESULT_DOCS
    : Object.assign({}, part) as Json;
  const fields = Object.entries((docs as Json).each ?? (docs as Json).fields ?? docs) as [string, string[]][];
  return {
    needed: fields.filter(([, [type]]) => !type!.endsWith("?")).map(([name]) => name),
    all: fields.map(([name]) => name),
  };
}

test("every event comes, with the fields that are described and no others", async () => {
  using scratch = new Scratch();
  scratch.plugin(
    "see",
    `const { appendFileSync } = await import("node:fs");
    const keys = (value) => Array.isArray(value) ? keys(value[0])
      : [...Object.keys(value), ...(value.touches ? ["touches"] : [])].filter((key) => value[key] !== undefined);
    for (const event of ${JSON.stringify(EVENT_NAMES)}) {
      agent.on(event, (...args) => appendFileSync("${scratch.work}/seen",
        JSON.stringify([event, args.map(keys)]) + "\\n"));
    }
    agent.tool({ name: "outer", description: "", run: (_, context) => {
      return context.call("Read", {});
    } });`,
    `uses: ["permission", "surface", "call"],`,
  );
  scratch.settings({
    hooks: { SessionStart: [{ hooks: [{ type: "command", command: "echo hello" }] }] },
  });
  const { results } = await scratch.batch([
    { name: "outer", args: {} },
    { name: "Bash", args: { command: "echo hi; sleep 600 & exit 1" } },
    { name: "Nothing", args: {} },
  ], ["--plugins", "p", "--mode", "bypassPermissions"]);
  assert.equal(results.length, 3);
  const seen = scratch.read("seen").trim().split("\n").map((line) => JSON.parse(line) as [EventName, Json[]]);
  assert.deepEqual(
    [...new Set(seen.map(([event]) => event))].sort(),
    [...EVENT_NAMES].sort(),
  );
  for (const [event, args] of seen) {
    assert.equal(args.length, EVENT_DOCS[event].payload.length, event);
    for (const [index, keys] of args.entries()) {
      const { needed, all } = fieldsOf(EVENT_DOCS[event].payload[index]);
      const got = keys as unknown as string[];
      assert.deepEqual(got.filter((key) => !all.includes(key)), [], `${event} has what isn't described`);
      const missing = needed.filter((key) => !got.includes(key));
      assert.deepEqual(missing, [], `${event} has not what is described`);
    }
  }
});

test("the page has a section for each event", () => {
  const page = readFileSync(path.join(ROOT, "docs/events.md"), "utf8");
  for (const event of EVENT_NAMES) assert.ok(page.includes(`\n## ${event}\n`), event);
});
