/**
 * Random schedules of faults: three plugins, each healthy or broken at one step of its life, in one process. Whatever they
 * do, calls are answered, the culprit is named, the healthy ones work, and the session ends.
 */
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { createRuntime } from "agent-runtime";
import { Scratch, textOf } from "../support.ts";

const PHASES = [
  "import",
  "setup",
  "session_start",
  "tool_start",
  "permission",
  "tool_end",
  "tool",
  "reload",
  "dispose",
];
const FAULTS = ["throw", "reject", "never", "odd", "circular", "huge", "frozen", "prototype"];

/** Does what its schedule says, when its phase comes. Plugins of other names are healthy. */
const SOURCE = (name: string) =>
  `const schedule = globalThis.schedules?.["${name}"] ?? {};
  const fault = (phase, target) => {
    if (schedule.phase !== phase) return undefined;
    switch (schedule.fault) {
      case "throw": throw new Error("deliberate");
      case "reject": return Promise.reject(new Error("deliberate"));
      case "never": return new Promise(() => {});
      case "odd": return { odd: 1, get deny() { throw new Error("deliberate"); } };
      case "circular": { const a = {}; a.a = a; return { result: a, args: a, content: a }; }
      case "huge": return { result: "x".repeat(schedule.chars ?? 1e6) };
      case "frozen": target.name = "x"; return undefined;
      case "prototype": Object.setPrototypeOf(target ?? {}, { deny: "polluted" }); return JSON.parse('{"__proto__": {"deny": "no"}}');
    }
  };
  // Nobody could wait for a promise there.
  if (schedule.phase === "import" && schedule.fault === "reject") throw new Error("deliberate");
  fault("import");
  export default { name: "${name}", uses: ["permission"], setup(agent) {
    const round = globalThis.round;
    const phase = round === 0 ? "setup" : "reload";
    for (const event of ["session_start", "tool_start", "permission", "tool_end"]) {
      agent.on(event, (target) => fault(event, target), event === "session_start" ? {} : { tools: ["hit_${name}"] });
    }
    agent.tool({ name: "hit_${name}", description: "", effect: "read", run: (args) => fault("tool", args) ?? "ran" });
    agent.tool({ name: "well_${name}", description: "", effect: "read", run: () => "well" });
    const broken = fault(phase);
    const dispose = () => fault("dispose");
    return broken ? Promise.resolve(broken).then(() => dispose) : dispose;
  } };\n`;

const NAMES = ["a", "b", "c"];
const CALL_EVENTS = ["tool_start", "permission", "tool_end"];

/** Does such a fault show? An answer that an event allows isn't one, and what nobody reads isn't looked at. */
function shows(phase: string, fault: string): boolean {
  const inCall = CALL_EVENTS.includes(phase);
  switch (fault) {
    case "never":
      // A promise that an import leaves behind isn't waited for.
      return phase !== "tool" && phase !== "import";
    case "huge":
      return phase === "permission";
    case "odd":
    case "circular":
      return inCall;
    case "prototype":
      return inCall || phase === "session_start";
    default:
      // A tool's fault is its result.
      return phase !== "tool";
  }
}

type Plan = Record<string, { phase: string; fault: string; chars?: number } | undefined>;

test("200 random schedules of faults: the runtime goes on and names the culprit", async () => {
  using scratch = new Scratch();
  process.env.XDG_CONFIG_HOME = path.join(scratch.root, "config");
  process.env.XDG_STATE_HOME = path.join(scratch.root, "state");
  process.env.XDG_CACHE_HOME = path.join(scratch.root, "cache");
  for (const name of NAMES) scratch.file(`p/${name}.js`, SOURCE(name));
  const shared = globalThis as unknown as { schedules: Plan; round: number };
  const one = fc.option(fc.record({ phase: fc.constantFrom(...PHASES), fault: fc.constantFrom(...FAULTS) }), {
    nil: undefined,
    freq: 3,
  });
  const check = async (plan: Plan) => {
    shared.schedules = plan;
    shared.round = 0;
    const said: string[] = [];
    const runtime = await createRuntime({
      cwd: scratch.work,
      plugins: [path.join(scratch.work, "p")],
      mode: "bypassPermissions",
      // Healthy ones do nothing that waits, so no limit is too short for them.
      settings: {
        "mods.loadTimeoutMs": 5,
        "mods.handlerTimeoutMs": 5,
        "overflow.enabled": false,
        "log.enabled": false,
      },
      warn: (text) => said.push(text),
    });
    shared.round = 1;
    await runtime.reloadMods();
    const turn = await runtime.prepareTurn({ open: true });
    for (const name of NAMES) {
      const { phase, fault } = plan[name] ?? {};
      const isUp = runtime.mods().some((mod) => mod.name === name && mod.state === "ready");
      const hit = await runtime.call(
        turn,
        { name: `hit_${name}`, args: {} },
        phase === "tool" && fault === "never" ? { timeoutMs: 5 } : {},
      );
      assert.ok(
        ["success", "error", "denied", "answered", "unknown", "timeout"].includes(hit.outcome),
        hit.outcome,
      );
      const well = await runtime.call(turn, { name: `well_${name}`, args: {} });
      assert.equal(textOf(well) === "well", isUp, JSON.stringify([plan, said]));
      if (phase === undefined) {
        assert.deepEqual([isUp, textOf(hit)], [true, "ran"], JSON.stringify([plan, said]));
      }
      const isGate = phase === "tool_start" || phase === "permission";
      if (isUp && isGate && shows(phase, fault!)) {
        assert.equal(hit.outcome, "denied");
      }
    }
    await runtime.close();
    for (const name of NAMES) {
      const { phase, fault } = plan[name] ?? {};
      const named = said.some((line) => line.includes(`lugin "${name}"`));
      if (phase !== undefined && shows(phase, fault!)) assert.ok(named, JSON.stringify([name, plan, said]));
      if (phase === undefined) assert.equal(named, false, JSON.stringify([plan, said]));
    }
    assert.equal(({} as { deny?: unknown }).deny, undefined);
  };
  await fc.assert(fc.asyncProperty(fc.record<Plan>({ a: one, b: one, c: one }), check), {
    numRuns: 200,
    seed: 5,
    // The large one, once.
    examples: [[{ a: { phase: "tool_end", fault: "huge", chars: 5e7 }, b: undefined, c: undefined }]],
  });
});
