/** Events that hosts fire: in a process of its own that has the library. */
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { mergeEvent } from "../../src/core/hooks.ts";
import { eventFields } from "../../src/core/host_event.ts";
import { AGENT, type Json, ON_DENO, ROOT, run, Scratch } from "../support.ts";
import { type Group, hook, hooksFlag, recorded, records, says } from "./hook_scripts.ts";

/** Fires events in one runtime with these hooks; what `runtime.fire` gave for each, and what people were told. */
async function fire(scratch: Scratch, hooks: Record<string, Group[]>, events: [string, Json][]) {
  const [, file] = hooksFlag(scratch, hooks);
  const library = path.join(ROOT, ON_DENO ? "src/index.ts" : "dist/index.cjs");
  const script = scratch.file(
    "host.mjs",
    `import { createRuntime } from ${JSON.stringify(library)};
    const told = [], verdicts = [];
    const runtime = await createRuntime({ hookFiles: [${
      JSON.stringify(file)
    }], warn: (text) => told.push(text) });
    for (const [event, fields] of ${JSON.stringify(events)}) {
      verdicts.push(await runtime.fire(event, fields).catch(({ message, hint }) => ({ message, hint })));
    }
    await runtime.close();
    console.log(JSON.stringify({ verdicts, told }));`,
  );
  const argv = ON_DENO
    ? [AGENT[0]!, "run", "-A", "--no-check", "--config", path.join(ROOT, "deno.json"), script]
    : [AGENT[0]!, script];
  const ran = await run(argv, { cwd: scratch.work, env: scratch.env() });
  assert.equal(ran.code, 0, ran.stderr);
  return JSON.parse(ran.stdout) as { verdicts: Json[]; told: string[] };
}

const NOTHING = { blocked: false, reason: "", contexts: [], continue: true, stopReason: "" };

test("one block is enough, all contexts are kept, and continue false stands beside it", () => {
  assert.deepEqual(mergeEvent([]), NOTHING);
  const verdict = mergeEvent([{ context: "1" }, { block: "no" }, { stop: "enough", context: "2" }, {
    block: "no",
  }]);
  assert.deepEqual(verdict, {
    blocked: true,
    reason: "no",
    contexts: ["1", "2"],
    continue: false,
    stopReason: "enough",
  });
});

test("a host's events reach their hooks with their fields, and the answers are merged", async () => {
  using scratch = new Scratch();
  const { verdicts, told } = await fire(scratch, {
    UserPromptSubmit: [{
      hooks: [
        records(scratch, "prompt"),
        hook("echo plain"),
        says({ hookSpecificOutput: { additionalContext: "more" } }),
      ],
    }],
    Stop: [{ hooks: [records(scratch, "stop"), hook("echo not yet >&2; exit 2"), hook("echo ignored")] }],
    PreCompact: [{ matcher: "auto", hooks: [says({ decision: "block", reason: "keep it" })] }],
    SubagentStart: [{
      matcher: "reviewer",
      hooks: [says({ hookSpecificOutput: { additionalContext: "be kind" } })],
    }],
    Notification: [{ hooks: [records(scratch, "note")] }],
    Setup: [{ hooks: [says({ continue: false, stopReason: "no disk" })] }],
  }, [
    ["UserPromptSubmit", { prompt: "hi" }],
    ["Stop", { stop_hook_active: true, last_assistant_message: "done" }],
    ["PreCompact", { trigger: "auto" }],
    ["PreCompact", { trigger: "manual" }],
    ["SubagentStart", { agent_id: "1", agent_type: "reviewer" }],
    ["SubagentStart", { agent_id: "2", agent_type: "writer" }],
    ["Notification", { message: "look" }],
    ["Setup", { trigger: "init" }],
    ["SubagentStop", { stop_hook_active: false, agent_id: "1", agent_type: "reviewer" }],
  ]);
  assert.deepEqual(told, []);
  assert.deepEqual(verdicts, [
    { ...NOTHING, contexts: ["plain", "more"] },
    { ...NOTHING, blocked: true, reason: "not yet" },
    { ...NOTHING, blocked: true, reason: "keep it" },
    NOTHING,
    { ...NOTHING, contexts: ["be kind"] },
    NOTHING,
    NOTHING,
    { ...NOTHING, continue: false, stopReason: "no disk" },
    NOTHING,
  ]);
  const [prompt] = recorded(scratch, "prompt"), [stop] = recorded(scratch, "stop");
  assert.equal(prompt!.hook_event_name, "UserPromptSubmit");
  assert.equal(prompt!.prompt, "hi");
  assert.match(prompt!.session_id, /./);
  assert.deepEqual([stop!.stop_hook_active, stop!.last_assistant_message], [true, "done"]);
  assert.equal(recorded(scratch, "note")[0]!.message, "look");
});

test("a hook that fails is told; it blocks a prompt where it is to, and never an end", async () => {
  using scratch = new Scratch();
  const broken = [{ hooks: [hook("exit 7", { onFailure: "block" })] }];
  const { verdicts, told } = await fire(scratch, {
    UserPromptSubmit: broken,
    Stop: broken,
    PreCompact: broken,
  }, [
    ["UserPromptSubmit", { prompt: "hi" }],
    ["Stop", { stop_hook_active: false }],
    ["PreCompact", { trigger: "auto" }],
  ]);
  assert.deepEqual(verdicts.map(({ blocked }) => blocked), [true, false, true]);
  assert.match(verdicts[0]!.reason, /failed: it ended with exit code 7/);
  assert.match(told[0]!, /exit code 7; the prompt is blocked/);
  assert.match(told[1]!, /exit code 7; all goes on without it/);
});

test("an event that isn't a host's is an error that names those that are", async () => {
  using scratch = new Scratch();
  const { verdicts } = await fire(scratch, {}, [["PreToolUse", {}], ["Stop", { stop_hook_active: false }]]);
  assert.match(verdicts[0]!.message, /Cannot fire "PreToolUse": no event of a host's/);
  assert.match(verdicts[0]!.hint, /UserPromptSubmit/);
  assert.deepEqual(verdicts[1], NOTHING);
});

test("fields that would change what the session is, silence a matcher or are no JSON are errors", async () => {
  using scratch = new Scratch();
  const { verdicts } = await fire(scratch, { PreCompact: [{ matcher: "manual", hooks: [hook("exit 2")] }] }, [
    ["Stop", { stop_hook_active: false, session_id: "x" }],
    ["PreCompact", {}],
    ["PreCompact", { trigger: 5 }],
    ["UserPromptSubmit", []],
  ]);
  const told = [
    /Cannot fire Stop: "session_id" is the session's own/,
    /Cannot fire PreCompact: "trigger" is no string/,
    /Cannot fire PreCompact: "trigger" is no string/,
    /Cannot fire UserPromptSubmit: its fields are no object/,
  ];
  told.forEach((pattern, at) => assert.match(verdicts[at]!.message, pattern));
  const circular: Json = { prompt: "hi" };
  circular.self = circular;
  assert.throws(
    () => eventFields("UserPromptSubmit", circular as never),
    /Cannot fire UserPromptSubmit: a field /,
  );
});
