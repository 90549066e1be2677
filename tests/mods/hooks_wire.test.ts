/** What command hooks are sent: the wire format, held to golden payloads. */
import assert from "node:assert/strict";
import { realpathSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { type Json, Scratch, textOf } from "../support.ts";
import { hook, hooksFlag, quoted, recorded, records } from "./hook_scripts.ts";

/** Sends calls with a recording hook at each point of a call; the payloads by event, and the results. */
async function sent(scratch: Scratch, calls: Json[], flags: string[] = []) {
  const events = ["PreToolUse", "PostToolUse", "PostToolUseFailure"];
  const hooks = Object.fromEntries(events.map((event) => [event, [{ hooks: [records(scratch, event)] }]]));
  const ran = await scratch.batch(calls, [
    "--mode",
    "bypassPermissions",
    ...hooksFlag(scratch, hooks),
    ...flags,
  ]);
  const [before, after, failed] = events.map((event) => recorded(scratch, event)) as [Json[], Json[], Json[]];
  return { ...ran, before, after, failed };
}

/** The fields that stand in every payload, checked and taken off. */
function withoutCommon(payload: Json, scratch: Scratch, event: string): Json {
  const { session_id, transcript_path, cwd, hook_event_name, permission_mode, ...rest } = payload;
  assert.match(session_id, /^\S+$/);
  assert.ok(transcript_path.startsWith(scratch.state), transcript_path);
  assert.equal(cwd, realpathSync(scratch.work));
  assert.equal(hook_event_name, event);
  assert.equal(permission_mode, "bypassPermissions");
  return rest;
}

const golden: {
  name: string;
  call: Json;
  payload: (file: string) => Json;
  response: (file: string) => Json;
}[] = [
  {
    name: "Read",
    call: { name: "Read", args: { file_path: "a.txt", offset: 2, limit: 1 } },
    payload: (file) => ({ tool_name: "Read", tool_input: { file_path: file, offset: 2, limit: 1 } }),
    response: (file) => ({
      type: "text",
      file: { filePath: file, content: "two", numLines: 1, startLine: 2, totalLines: 3 },
    }),
  },
  {
    name: "Gemini's read_file, whose lines count from 0",
    call: { name: "read_file", args: { file_path: "a.txt", offset: 1, limit: 1 }, family: "gemini" },
    payload: (file) => ({ tool_name: "Read", tool_input: { file_path: file, offset: 2, limit: 1 } }),
    response: (file) => ({
      type: "text",
      file: { filePath: file, content: "two", numLines: 1, startLine: 2, totalLines: 3 },
    }),
  },
  {
    name: "Write",
    call: { name: "Write", args: { file_path: "a.txt", content: "new\n" } },
    payload: (file) => ({ tool_name: "Write", tool_input: { file_path: file, content: "new\n" } }),
    response: (file) => ({ type: "update", filePath: file, content: "new\n" }),
  },
  {
    name: "Edit",
    call: { name: "Edit", args: { file_path: "a.txt", old_string: "two", new_string: "2" } },
    payload: (file) => ({
      tool_name: "Edit",
      tool_input: { file_path: file, old_string: "two", new_string: "2" },
    }),
    response: (file) => ({
      filePath: file,
      oldString: "two",
      newString: "2",
      replaceAll: false,
      replaced: 1,
    }),
  },
  {
    name: "Gemini's replace, without the field that Claude doesn't have",
    call: {
      name: "replace",
      args: { file_path: "a.txt", old_string: "o", new_string: "0", expected_replacements: 2 },
    },
    payload: (file) => ({
      tool_name: "Edit",
      tool_input: { file_path: file, old_string: "o", new_string: "0" },
    }),
    response: (file) => ({ filePath: file, oldString: "o", newString: "0", replaceAll: false, replaced: 2 }),
  },
  {
    name: "several edits as MultiEdit",
    call: {
      name: "edit_file",
      args: {
        path: "a.txt",
        edits: [{ old_string: "one", new_string: "1" }, {
          old_string: "t",
          new_string: "T",
          replace_all: true,
        }],
      },
    },
    payload: (file) => ({
      tool_name: "MultiEdit",
      tool_input: {
        file_path: file,
        edits: [{ old_string: "one", new_string: "1" }, {
          old_string: "t",
          new_string: "T",
          replace_all: true,
        }],
      },
    }),
    response: (file) => ({
      filePath: file,
      edits: [{ oldString: "one", newString: "1", replaceAll: false }, {
        oldString: "t",
        newString: "T",
        replaceAll: true,
      }],
      replaced: 3,
    }),
  },
  {
    name: "Bash",
    call: { name: "Bash", args: { command: "echo out; echo err >&2", description: "both", timeout: 60_000 } },
    payload: () => ({
      tool_name: "Bash",
      tool_input: { command: "echo out; echo err >&2", description: "both", timeout: 60_000 },
    }),
    response: () => ({ stdout: "out\n", stderr: "err\n", interrupted: false, isImage: false }),
  },
  {
    name: "Codex' shell_command, whose folder Claude doesn't have",
    call: { name: "shell_command", args: { command: "pwd", workdir: "/", timeout_ms: 60_000 } },
    payload: () => ({ tool_name: "Bash", tool_input: { command: "pwd", timeout: 60_000 } }),
    response: () => ({ stdout: "/\n", stderr: "", interrupted: false, isImage: false }),
  },
];

for (const { name, call, payload, response } of golden) {
  test(`hooks are sent ${name} in Claude's form, with the call as it came beside it`, async () => {
    using scratch = new Scratch();
    scratch.file("a.txt", "one\ntwo\nthree\n");
    const file = path.join(realpathSync(scratch.work), "a.txt");
    // Seen before, so that it may be written.
    const flags = ["--session", "s", ...call.family === "gemini" ? ["--toolset", "gemini_snake"] : []];
    await scratch.agent(["exec", "--session", "s", "Read", "file_path=a.txt"]);
    const { family: _, ...request } = call;
    const { before, after, failed, results } = await sent(scratch, [{ id: "c1", ...request }], flags);
    assert.equal(results[0]!.status, "success", textOf(results[0]!));
    assert.equal(before.length, 1);
    const { agent, ...shown } = withoutCommon(before[0]!, scratch, "PreToolUse");
    assert.deepEqual(shown, { ...payload(file), tool_use_id: "c1" });
    assert.equal(agent.name, call.name);
    assert.deepEqual(agent.args, call.args);
    assert.deepEqual(Object.keys(agent).sort(), ["args", "effect", "family", "name", "tool"]);
    const { duration_ms, agent: again, ...done } = withoutCommon(after[0]!, scratch, "PostToolUse");
    assert.ok(Number.isInteger(duration_ms) && duration_ms >= 0);
    assert.deepEqual(again, agent);
    assert.deepEqual(done, { ...payload(file), tool_use_id: "c1", tool_response: response(file) });
    assert.deepEqual(failed, []);
  });
}

test("PostToolUseFailure is sent for a tool that throws and for a command that fails, and PostToolUse isn't", async () => {
  using scratch = new Scratch();
  const { after, failed, results } = await sent(scratch, [
    { id: "c1", name: "Read", args: { file_path: "none.txt" } },
    { id: "c2", name: "Bash", args: { command: "echo lost >&2; exit 3" } },
  ]);
  assert.deepEqual(results.map(({ outcome }) => outcome), ["error", "error"]);
  assert.deepEqual(after, []);
  const byId = new Map(failed.map((payload) => [payload.tool_use_id, payload]));
  for (const [id, error] of [["c1", /no such file/], ["c2", /lost[^]*3/]] as const) {
    const { error: text, is_interrupt, duration_ms, tool_response } = byId.get(id)!;
    assert.match(text, error);
    assert.equal(is_interrupt, false);
    assert.ok(Number.isInteger(duration_ms));
    assert.equal(tool_response, undefined);
  }
});

test("a call that ran out of time is a failure to hooks, and no interrupt", async () => {
  using scratch = new Scratch();
  const { failed, results } = await sent(scratch, [{ name: "Bash", args: { command: "sleep 60" } }], [
    "--timeout",
    "0.3",
  ]);
  assert.equal(results[0]!.outcome, "timeout");
  assert.equal(failed.length, 1);
  assert.equal(failed[0]!.is_interrupt, false);
});

test("SessionStart has its source, SessionEnd its reason, each once, and matchers are held against those", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  const flags = hooksFlag(scratch, {
    SessionStart: [{ matcher: "startup", hooks: [records(scratch, "start")] }, {
      matcher: "resume",
      hooks: [records(scratch, "other")],
    }],
    SessionEnd: [{ matcher: "exit", hooks: [records(scratch, "end")] }],
  });
  const ran = await scratch.exec(["Read", "file_path=a.txt", ...flags]);
  assert.equal(ran.code, 0);
  const [start, ...moreStarts] = recorded(scratch, "start");
  const [end, ...moreEnds] = recorded(scratch, "end");
  assert.deepEqual([moreStarts, moreEnds, recorded(scratch, "other")], [[], [], []]);
  assert.equal(start!.hook_event_name, "SessionStart");
  assert.equal(start!.source, "startup");
  assert.equal(end!.hook_event_name, "SessionEnd");
  assert.equal(end!.reason, "exit");
  assert.equal(start!.session_id, end!.session_id);
});

test("hooks from the user's settings and from --hooks both run, in a session without a terminal, told where they are", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  const out = path.join(scratch.root, "seen");
  const shows = 'echo "$CLAUDE_PROJECT_DIR|$AGENT_PROJECT_DIR|$PWD|$(test -t 0 || echo no terminal)"';
  scratch.settings({
    hooks: { PreToolUse: [{ matcher: "Read", hooks: [hook(`${shows} > ${quoted(out)}1`)] }] },
  });
  const flags = hooksFlag(scratch, {
    PreToolUse: [{ matcher: "Read", hooks: [hook(`${shows} > ${quoted(out)}2`)] }],
  });
  const ran = await scratch.exec(["Read", "file_path=a.txt", ...flags]);
  assert.equal(ran.stderr, "");
  const work = realpathSync(scratch.work);
  for (const n of [1, 2]) assert.equal(scratch.read(`${out}${n}`), `${work}|${work}|${work}|no terminal\n`);
});

test("args are handed to the program as they are, without a shell", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  const script = scratch.file("hook.sh", '#!/bin/sh\nprintf "%s\\n" "$@" > "$OUT"\n', 0o755);
  const out = path.join(scratch.root, "seen");
  const args = ["two words", "$HOME", "*", ""];
  const flags = hooksFlag(scratch, { PreToolUse: [{ hooks: [hook(script, { args })] }] });
  await scratch.exec(["Read", "file_path=a.txt", ...flags], { env: { OUT: out } });
  assert.equal(scratch.read(out), args.join("\n") + "\n");
});

test("hooks are sent no secret that a tool printed", async () => {
  using scratch = new Scratch();
  scratch.settings({ secrets: ["MY_TOKEN"] });
  const flags = hooksFlag(scratch, {
    PostToolUse: [{ hooks: [records(scratch, "after")] }],
    PostToolUseFailure: [{ hooks: [records(scratch, "failed")] }],
  });
  const calls = [
    { name: "Bash", args: { command: "echo $MY_TOKEN" } },
    { name: "Bash", args: { command: "echo $MY_TOKEN >&2; false" } },
  ];
  await scratch.batch(calls, ["--mode", "bypassPermissions", ...flags], {
    env: { MY_TOKEN: "hunter2-hunter2" },
  });
  assert.equal(recorded(scratch, "after")[0]!.tool_response.stdout, "<redacted:MY_TOKEN>\n");
  const [failed] = recorded(scratch, "failed");
  assert.match(failed!.error, /<redacted:MY_TOKEN>/);
  assert.ok(!JSON.stringify([recorded(scratch, "after"), failed]).includes("hunter2"));
});
