// The cost of the path itself: an empty tool of a mod's, in one process, with 0 and with 10 handlers that work.
// Prints one JSON object of microseconds a call. Run by scripts/bench.ts; argument: the plugin's folder.
import { createRuntime } from "../../dist/index.cjs";

const [folder] = process.argv.slice(2);
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

const none = await measure({ plugins: { bench: { handlers: 0 } } });
const ten = await measure({ plugins: { bench: { handlers: 10 } } });
console.log(JSON.stringify({ none, ten }));
