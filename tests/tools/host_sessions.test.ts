/** Sessions of a program that uses the library. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import process from "node:process";
import { test } from "node:test";
import type { StreamEvent } from "../../src/index.ts";
import { runtimeIn } from "../core/in_process.ts";
import { type Json, processesWith, Scratch } from "../support.ts";

test("a host starts sessions, asks for them, hears of them, and close ends them", async () => {
  using scratch = new Scratch();
  const mark = randomUUID();
  const notices: StreamEvent[] = [];
  let heard = () => {};
  const told = new Promise<void>((resolve) => heard = resolve);
  const runtime = await runtimeIn(scratch, {
    onEvent: (event) => {
      if (event.type !== "notice") return;
      notices.push(event);
      heard();
    },
  });
  const turn = await runtime.prepareTurn({ toolset: "lean" });
  let count = 0;
  const call = (name: string, args: Record<string, unknown>) =>
    runtime.call(turn, { id: String(++count), name, args });
  const command = `export MARK=${mark}; echo up; exec sleep 300`;
  const { structured } = await call("shell", { command, background: true });
  assert.deepEqual(structured, { session: 1, state: "running" });
  const wait = { action: "wait", session_id: 1, until_output: "^up$", timeout_s: 60 };
  assert.deepEqual((await call("shell_session", wait)).structured, {
    session: 1,
    state: "running",
    seen: true,
  });
  await call("shell", { command: "exit 3", background: true });
  await told;
  const [{ source, text }] = notices as [Extract<StreamEvent, { type: "notice" }>];
  assert.equal(source, "session 2");
  assert.match(text, /^\[session 2 \(exit 3\) exited with code 3 after/);
  const list = await call("shell_session", { action: "list" });
  const [{ seconds, ...first }, ...others] = (list.structured as { sessions: Json[] }).sessions as [Json];
  assert.deepEqual([first, others], [{ id: 1, state: "running", command, cwd: scratch.work }, []]);
  assert.ok(Number.isInteger(seconds) && seconds >= 0);
  assert.match(
    list.content.map((block) => block.type === "text" ? block.text : "").join(),
    /exited with code 3/,
  );
  await runtime.close();
  if (process.platform === "linux") assert.deepEqual(await processesWith(mark), []);
});
