// The cost of the path itself: an empty tool of a mod's, in one process, with a number of handlers that work.
// Prints microseconds a call. Run by scripts/bench.ts; arguments: the plugin's folder, the number of handlers, the number of
// further plugins, which have one each.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createRuntime } from "../../dist/index.cjs";

const [folder, handlers, mods = 0] = process.argv.slice(2);
const others = mkdtempSync(path.join(tmpdir(), "agent-bench-"));
const CALLS = 20_000;

/** The median of five rounds, after one that warms up. */
async function measure(settings) {
  const runtime = await createRuntime({ plugins: [folder, others], settings });
  const turn = await runtime.prepareTurn({});
  const rounds = [];
  for (let round = 0; round < 6; round++) {
    const started = process.hrtime.bigint();
    for (let i = 0; i < CALLS; i++) await runtime.call(turn, { name: "empty", args: { n: i } });
    rounds.push(Number(process.hrtime.bigint() - started) / 1e3 / CALLS);
  }
  await runtime.close();
  return rounds.slice(1).sort((a, b) => a - b)[2];
}

const KINDS = [
  `agent.on("tool_start", (call) => ({ args: { n: Number(call.args.n) + 1 } }));`,
  `agent.on("tool_end", (_, result) => ({ result: result.text + "x" }));`,
];
for (let i = 0; i < Number(mods); i++) {
  writeFileSync(
    path.join(others, `other${i}.js`),
    `export default { name: "other${i}", setup(agent) { ${KINDS[i % 2]} } };`,
  );
}
console.log(await measure({ plugins: { bench: { handlers: Number(handlers) } } }));
rmSync(others, { recursive: true });
