/** What may run together: the schedule against a slow, obvious model, and nested calls. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Claim, claimOf, Schedule, type Ticket } from "../../src/core/schedule.ts";

const read = (...keys: string[]): Claim => ({ keys, alone: false });
const write = (...keys: string[]): Claim => ({ keys, alone: true });
const EVERYTHING: Claim = { keys: undefined, alone: true };
const LOOKS_AT_ALL: Claim = { keys: undefined, alone: false };

function conflict(a: Claim, b: Claim): boolean {
  if (!a.alone && !b.alone) return false;
  // An empty list claims nothing at all.
  if (a.keys?.length === 0 || b.keys?.length === 0) return false;
  return a.keys === undefined || b.keys === undefined ||
    a.keys.some((key) => b.keys!.some((other) => meet(key, other)));
}

/** A folder that is claimed whole meets all that is in it, and a kind all of it. */
function meet(a: string, b: string): boolean {
  const place = (key: string) => key.slice(5) + "/";
  return a === b ||
    [[a, b], [b, a]].some(([tree, key]) =>
      tree === "s:*" && key!.startsWith("s:") ||
      tree!.startsWith("tree:") && /^(path|tree):/.test(key!) && place(key!).startsWith(place(tree!))
    );
}

/** Lets everything that is ready go on. */
async function settle(): Promise<void> {
  for (let i = 0; i < 10; i++) await Promise.resolve();
}

/** A call under test, and what the model says of it. */
interface Call {
  ticket: Ticket;
  claim: Claim | undefined;
  state: "declared" | "waiting" | "running" | "over";
  /** What the schedule made of it. */
  real: "declared" | "waiting" | "running" | "over";
  abort: AbortController;
}

/** The model: in order of arrival, whoever waits starts if nothing earlier and nothing running conflicts. */
function advance(calls: readonly Call[]): void {
  for (let changed = true; changed;) {
    changed = false;
    for (const [index, call] of calls.entries()) {
      if (call.state !== "waiting") continue;
      const blocked = calls.some((other, at) =>
        other !== call && other.state !== "over" && other.claim !== undefined &&
        (other.state === "running" || at < index) && conflict(other.claim, call.claim!)
      );
      if (blocked) continue;
      call.state = "running";
      changed = true;
    }
  }
}

const claims = fc.oneof(
  fc.record({
    keys: fc.subarray(
      ["a", "b", "path:/x/y", "path:/x2", "tree:/x", "tree:/x/y/z", "s:1", "s:2", "s:*", "path:/s:*"],
      { minLength: 1 },
    ),
    alone: fc.boolean(),
  }),
  fc.constantFrom<Claim>(EVERYTHING, LOOKS_AT_ALL, { keys: [], alone: true }),
);
const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ op: fc.constant("arrive" as const), claim: claims }) },
    {
      weight: 3,
      arbitrary: fc.record({
        op: fc.constant("enter" as const),
        pick: fc.nat(),
        rewritten: fc.option(claims, { freq: 4 }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ op: fc.constantFrom("finish", "abort", "refuse"), pick: fc.nat() }) },
  ),
  { maxLength: 40 },
);

test("calls start exactly when the model says: readers together, writers alone, in call order, rewritten or not", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (todo) => {
      const schedule = new Schedule();
      const calls: Call[] = [];
      const pick = (state: Call["state"], index: number) => {
        const found = calls.filter((call) => call.state === state);
        return found[index % found.length];
      };
      for (const step of todo) {
        if (step.op === "arrive") {
          const ticket = schedule.take();
          ticket.declare(step.claim);
          calls.push({
            ticket,
            claim: step.claim,
            state: "declared",
            real: "declared",
            abort: new AbortController(),
          });
        } else if (step.op === "enter") {
          const call = pick("declared", step.pick);
          if (!call) continue;
          call.claim = step.rewritten ?? call.claim!;
          call.state = call.real = "waiting";
          const waiting = call.ticket.enter(call.claim, () => call.abort.signal);
          if (waiting) waiting.then(() => call.real = "running", () => call.real = "over");
          else call.real = "running";
        } else {
          const call = pick(
            step.op === "finish" ? "running" : step.op === "abort" ? "waiting" : "declared",
            step.pick,
          );
          if (!call) continue;
          if (step.op === "abort") {
            call.abort.abort(new Error("stop"));
            await settle();
            assert.equal(call.real, "over", "a queued call notices its abort at once");
          }
          call.state = call.real = "over";
          call.ticket.leave();
        }
        advance(calls);
        await settle();
        assert.deepEqual(calls.map(({ real }) => real), calls.map(({ state }) => state));
      }
      for (const call of calls) call.ticket.leave();
      assert.equal(schedule.size, 0);
    }),
    { numRuns: 600 },
  );
});

test("a call without keys is a barrier, and effect read alone makes a reader", () => {
  assert.deepEqual(claimOf({ effect: "read", keys: ["k"] }), read("k"));
  assert.deepEqual(claimOf({ effect: "write", keys: ["k"] }), write("k"));
  assert.deepEqual(claimOf({ effect: "run" }), EVERYTHING);
});

/** Enters, and tells whether the call had to wait. */
async function enters(ticket: Ticket, claim: Claim): Promise<{ waited: boolean; go: Promise<void> }> {
  const go = ticket.enter(claim) ?? undefined;
  await settle();
  return { waited: go !== undefined, go: go ?? Promise.resolve() };
}

test("a nested call runs inside its parent's claims, and others still wait", async () => {
  const schedule = new Schedule();
  const parent = schedule.take(), other = schedule.take();
  assert.equal(parent.enter(EVERYTHING), undefined);
  const waiting = await enters(other, write("a"));
  assert.equal(waiting.waited, true);
  const nested = schedule.take(parent);
  assert.equal(nested.enter(write("a")), undefined);
  nested.leave();
  parent.leave();
  await waiting.go;
});

test("two nested calls at one key run one after the other", async () => {
  const schedule = new Schedule();
  const parent = schedule.take();
  parent.enter(EVERYTHING);
  const first = schedule.take(parent), second = schedule.take(parent);
  assert.equal(first.enter(write("a")), undefined);
  const { waited, go } = await enters(second, write("a"));
  assert.equal(waited, true);
  first.leave();
  await go;
});

test("two calls whose nested calls want each other's keys: one is told, neither hangs", async () => {
  const schedule = new Schedule();
  const a = schedule.take(), b = schedule.take();
  a.enter(write("a"));
  b.enter(write("b"));
  const fromA = await enters(schedule.take(a), write("b"));
  assert.equal(fromA.waited, true);
  const fromB = schedule.take(b);
  assert.throws(() => fromB.enter(write("a")), /would wait for a call that waits for its own parent/);
  fromB.leave();
  b.leave();
  await fromA.go;
});

test("a nested call never waits for one that waits for its parent", async () => {
  const schedule = new Schedule();
  const slow = schedule.take(), outer = schedule.take();
  slow.declare(write("a"));
  outer.enter(write("b"));
  const inner = schedule.take(outer);
  const nested = await enters(inner, write("a"));
  assert.equal(nested.waited, true, "the slow call came first and may still want it");
  // Its hook rewrote it: now it waits for the outer call, which waits for the inner one.
  const rewritten = await enters(slow, EVERYTHING);
  assert.equal(rewritten.waited, true);
  await nested.go;
  inner.leave();
  outer.leave();
  await rewritten.go;
});

test("a call that has ended claims nothing any more", () => {
  const schedule = new Schedule();
  const ended = schedule.take();
  ended.leave();
  assert.throws(() => ended.enter(write("a")), /the call has ended/);
  assert.equal(schedule.take().enter(write("a")), undefined);
  ended.leave();
});

test("random families of nested calls never overlap in conflict, and all of them end", async () => {
  interface Plan {
    claim: Claim;
    later: Claim | null;
    together: boolean;
    nested: Plan[];
  }
  const planOf = (depth: number): fc.Arbitrary<Plan> =>
    fc.record({
      claim: claims,
      later: fc.option(claims, { freq: 3 }),
      together: fc.boolean(),
      nested: depth === 0 ? fc.constant([]) : fc.array(planOf(depth - 1), { maxLength: 2 }),
    });
  await fc.assert(
    fc.asyncProperty(fc.array(planOf(2), { maxLength: 6 }), async (plans) => {
      const schedule = new Schedule();
      const running = new Map<Ticket, { claim: Claim; family: Ticket[] }>();
      const perform = async (plan: Plan, above: Ticket[]): Promise<void> => {
        const ticket = schedule.take(above.at(-1));
        const family = [...above, ticket];
        try {
          ticket.declare(plan.claim);
          await settle();
          const claim = plan.later ?? plan.claim;
          await ticket.enter(claim);
          for (const [other, held] of running) {
            if (family.includes(other) || held.family.includes(ticket)) continue;
            assert.ok(!conflict(held.claim, claim), "two conflicting calls run at once");
          }
          running.set(ticket, { claim, family });
          if (plan.together) await Promise.all(plan.nested.map((one) => perform(one, family)));
          else for (const one of plan.nested) await perform(one, family);
        } catch (error) {
          if (!/waits for its own parent/.test((error as Error).message)) throw error;
        } finally {
          running.delete(ticket);
          ticket.leave();
        }
      };
      let timer: ReturnType<typeof setTimeout> | undefined;
      const late = new Promise((_, reject) =>
        timer = setTimeout(() => reject(new Error("deadlock")), 10_000)
      );
      try {
        await Promise.race([Promise.all(plans.map((one) => perform(one, []))), late]);
      } finally {
        clearTimeout(timer);
      }
      assert.equal(schedule.size, 0);
    }),
    { numRuns: 400 },
  );
});
