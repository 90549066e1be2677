/** What the stream carries of a call's output. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { OutputStreams } from "../../src/core/output_streams.ts";
import { redactor } from "../../src/core/redact.ts";
import type { StreamEvent } from "../../src/core/stream.ts";
import type { Turn } from "../../src/core/turn.ts";

test("a chunk larger than what is left is shown as far as it fits, the rest is counted", () => {
  const events: StreamEvent[] = [];
  const turn = { gate: { redactor: redactor([]) }, emit: (event: StreamEvent) => void events.push(event) };
  let heard = "";
  const streams = new OutputStreams(turn as unknown as Turn, "1", 10, (text) => heard += text);
  for (const chunk of ["abc", "x".repeat(100), "y"]) streams.push(chunk, "stderr");
  streams.end();
  const event = { type: "tool_output", id: "1" };
  assert.deepEqual(events, [
    { ...event, stream: "stderr", text: "abc" },
    { ...event, stream: "stderr", text: "x".repeat(7) },
    { ...event, stream: "stdout", text: "", omitted: 94 },
  ]);
  assert.equal(heard.length, 104);
});
