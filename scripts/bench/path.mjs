// The cost of the path itself: an empty tool of a mod's, in one process, with a number of handlers that work.
// Prints microseconds a call. Run by scripts/bench.ts; arguments: the plugin's folder, the number of handlers.
import { createRuntime } from "../../dist/index.cjs";

const [folder, handlers] = process.argv.slice(2);
const CALLS = 20_000;

/** The median of five rounds, after one that warms up. */
async function measure(settings) {
  const runtime = await createRuntime({ plugins: [folder], settings });
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

console.log(await measure({ plugins: { bench: { handlers: Number(handlers) } } }));
