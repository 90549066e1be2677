/** Turns, in process: frozen surfaces, tiers, ids, and two turns at once. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { textOf } from "../../src/index.ts";
import { Scratch } from "../support.ts";
import { external, gate, runtimeIn } from "./in_process.ts";

test("a turn stays what it was: later tools aren't in it, removed ones still run", async () => {
  using scratch = new Scratch();
  const runtime = await runtimeIn(scratch);
  const remove = runtime.addExternal(external("early", () => "early ran"));
  const turn = await runtime.prepareTurn();
  const before = JSON.stringify(turn.clientTools()), hash = turn.surfaceHash();
  remove();
  runtime.addExternal(external("late", () => "late ran"));
  assert.equal(JSON.stringify(turn.clientTools()), before);
  assert.equal(turn.surfaceHash(), hash);
  assert.equal(textOf((await runtime.call(turn, { name: "early", args: {} })).content), "early ran");
  assert.equal((await runtime.call(turn, { name: "late", args: {} })).outcome, "unknown");
  const next = await runtime.prepareTurn();
  assert.notEqual(next.surfaceHash(), hash);
  assert.equal((await runtime.call(next, { name: "late", args: {} })).outcome, "success");
  assert.throws(() => (turn as { id: string }).id = "other", TypeError);
  assert.throws(() => (turn.surface as unknown[]).push(1), TypeError);
  await runtime.close();
});

test("one scope has one sequence of bytes: built-ins in code-unit order, then what was added, whatever the order", async () => {
  using scratch = new Scratch();
  const surfaces: string[] = [];
  for (const names of [["zeta", "Alpha", "beta"], ["beta", "zeta", "Alpha"]]) {
    const runtime = await runtimeIn(scratch);
    for (const name of names) runtime.addExternal(external(name, () => ""));
    surfaces.push(JSON.stringify((await runtime.prepareTurn()).clientTools()));
    await runtime.close();
  }
  assert.equal(surfaces[0], surfaces[1]);
  const shown = (JSON.parse(surfaces[0]!) as { name: string }[]).map(({ name }) => name);
  assert.deepEqual(shown.slice(0, 4), ["Bash", "BashOutput", "Edit", "KillBash"]);
  assert.deepEqual(shown.slice(-3), ["Alpha", "beta", "zeta"]);
});

test("an external tool may take a built-in's name and place, in scope only", async () => {
  using scratch = new Scratch();
  const runtime = await runtimeIn(scratch);
  runtime.addExternal(external("Read", () => "mine", { scope: "s", traits: { effect: "read", keys: [] } }));
  const plain = await runtime.prepareTurn(), scoped = await runtime.prepareTurn({ scopes: ["s"] });
  const names = (turn: typeof plain) => turn.clientTools().map(({ name }) => name);
  assert.deepEqual(names(scoped), names(plain));
  assert.equal(textOf((await runtime.call(scoped, { name: "Read", args: {} })).content), "mine");
  assert.equal((await runtime.call(plain, { name: "Read", args: {} })).outcome, "invalid");
  await runtime.close();
});

test("a host finds a turn by its id, until 4,096 newer ones were used; one with a call in flight stays", async () => {
  using scratch = new Scratch();
  const runtime = await runtimeIn(scratch);
  const { open, opened } = gate();
  runtime.addExternal(
    external("waits", () => opened.then(() => "done"), { traits: { effect: "read", keys: [] } }),
  );
  const [idle, busy, used] = [
    await runtime.prepareTurn(),
    await runtime.prepareTurn(),
    await runtime.prepareTurn(),
  ];
  const inFlight = runtime.call(busy.id, { name: "waits", args: {} });
  for (let i = 0; i < 4096; i++) {
    await runtime.prepareTurn({ toolset: "none" });
    if (i === 4000) await runtime.call(used.id, { name: "none", args: {} });
  }
  await assert.rejects(
    runtime.call(idle.id, { name: "waits", args: {} }),
    /Cannot run a call in turn "turn_.*": no such turn/,
  );
  assert.equal((await runtime.call(used.id, { name: "none", args: {} })).outcome, "unknown");
  open();
  assert.equal((await inFlight).outcome, "success");
  assert.equal(
    (await runtime.call(idle, { name: "waits", args: {} })).outcome,
    "success",
    "the turn itself still works",
  );
  assert.equal((await runtime.call(busy.id, { name: "waits", args: {} })).outcome, "success");
  await runtime.releaseTurn(busy.id);
  await assert.rejects(runtime.call(busy.id, { name: "waits", args: {} }), /no such turn/);
  await runtime.close();
});

test("two turns at once, in different folders and modes, never see each other's", async () => {
  using scratch = new Scratch();
  const folders = [scratch.folder("one"), scratch.folder("two")];
  const runtime = await runtimeIn(scratch);
  const [free, bound] = [
    await runtime.prepareTurn({ cwd: folders[0]!, mode: "bypassPermissions" }),
    await runtime.prepareTurn({ cwd: folders[1]!, mode: "plan" }),
  ];
  const calls = Array.from({ length: 20 }, (_, i) => {
    const request = { name: "Write", args: { file_path: `f${i}`, content: "x" } };
    return Promise.all([runtime.call(free, request), runtime.call(bound, request)]);
  });
  for (const [here, there] of await Promise.all(calls)) {
    assert.equal(here.outcome, "success");
    assert.equal(there.outcome, "denied");
  }
  assert.ok(scratch.exists(`${folders[0]}/f19`) && !scratch.exists(`${folders[1]}/f0`));
  const where = await Promise.all(
    [free, bound].map((turn) => runtime.call(turn, { name: "Read", args: { file_path: "f0" } })),
  );
  assert.deepEqual(where.map(({ status }) => status), ["success", "error"]);
  await runtime.close();
});
