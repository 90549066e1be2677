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
  allow: ["Bash(echo *)", "Bash(sleep *)"],
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

// A command in the background is a session: its number comes in `structured`, its end as a notice.
const args = { command: "sleep 0.1", run_in_background: true };
const { structured } = await runtime.call(turn, { id: "4", name: "Bash", args });
const wait = { action: "wait", session_id: structured.session };
// What a host calls itself needn't be what its model sees.
const own = await runtime.prepareTurn({ toolset: "lean" });
const over = await runtime.call(own, { id: "5", name: "shell_session", args: wait });
console.log(`${over.id} ${over.outcome}: ${textOf(over.content)}`);

await runtime.close();
