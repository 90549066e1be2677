/** Turns that hosts name by id. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Turn } from "../../src/core/turn.ts";
import { TurnStore } from "../../src/core/turns.ts";
import { Scratch, textOf } from "../support.ts";
import { external, gate, runtimeIn } from "./in_process.ts";

/** A turn with a handler that notes its end. */
function noting(turn: Turn, ended: string[]): Turn {
  const handler = {
    event: "turn_end",
    mod: "m",
    order: "normal",
    fn: () => void ended.push(turn.id),
  } as const;
  return { ...turn, handlers: { ...turn.handlers, turn_end: [handler] } };
}

test("of too many turns the one that was idle longest ends, and is told so", async () => {
  using scratch = new Scratch();
  const runtime = await runtimeIn(scratch);
  const { opened, open } = gate();
  const traits = { effect: "read", keys: [] } as const;
  runtime.addExternal(external("wait", () => opened.then(() => "waited"), { traits }));
  runtime.addExternal(external("go", () => "gone", { traits }));
  const store = new TurnStore(3);
  const ended: string[] = [];
  const turns: Turn[] = [];
  for (let count = 0; count < 6; count++) {
    turns.push(noting(await runtime.prepareTurn({ open: true }), ended));
  }
  const ids = turns.map(({ id }) => id);
  const call = (at: number, name: string) => store.call(ids[at]!, { name, args: {} }, {});

  for (const turn of turns.slice(0, 3)) await store.add(turn);
  const running = call(0, "wait");
  await call(1, "go");
  await store.add(turns[3]!);
  assert.deepEqual(ended, [ids[2]], "0 is busy, 1 was used");
  await store.add(turns[4]!);
  await store.add(turns[5]!);
  assert.deepEqual(ended, [ids[2], ids[1], ids[3]]);
  await assert.rejects(call(1, "go"), /no such turn/);
  open();
  assert.equal(textOf(await running), "waited");

  await store.releaseAll();
  assert.deepEqual(ended.slice(3).sort(), [ids[0], ids[4], ids[5]].sort());
  await runtime.close();
});
