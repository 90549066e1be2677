/**
 * A host: it talks to a model itself, and wants the model's tools run well. Here the "model" is a list of calls; in
 * its place stand your provider's request, with `turn.clientTools()` as its tools, and the calls of its answer.
 *
 *     node docs/examples/host.mjs
 *     deno run -A docs/examples/host.mjs
 */
import { createRuntime, textOf } from "agent-runtime";

const runtime = await createRuntime({
  // Nobody is there to ask, so say beforehand what may run.
  mode: "acceptEdits",
  allow: ["Bash(echo *)"],
  onEvent: (event) => {
    if (event.type === "tool_end") {
      console.error(`${event.name}: ${event.outcome} after ${event.durationMs} ms`);
    }
  },
});

// A tool of the host's own. It gets the same hooks, plugins, permission and gate as any other.
runtime.addExternal({
  name: "ticket_title",
  description: "Looks up the title of a ticket",
  inputSchema: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] },
  traits: { effect: "read", keys: [] },
  execute: ({ id }) => `Ticket ${id}: the cat is on fire`,
});

const turn = await runtime.prepareTurn({ toolset: "default" });
console.log("The model sees:", turn.clientTools().map(({ name }) => name).join(", "));

const calls = [
  { id: "1", name: "ticket_title", args: { id: 7 } },
  { id: "2", name: "Bash", args: { command: "echo from the shell" } },
  { id: "3", name: "Bash", args: { command: "rm -rf build" } },
];
// `turn.id` does as well as the turn, where a host keeps no objects from one request to the next.
const running = calls.map((call) => runtime.call(turn.id, call, { origin: "model" }));
for (const result of await Promise.all(running)) {
  console.log(`${result.id} ${result.outcome}: ${textOf(result.content)}`);
}

await runtime.close();
