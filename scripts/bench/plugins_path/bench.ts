/** A tool that does nothing, and as many handlers as the options say: half rewrite, half replace. */
import { definePlugin } from "agent";

export default definePlugin<{ handlers?: number }>({
  name: "bench",
  setup(agent, { handlers = 0 }) {
    agent.tool({
      name: "empty",
      description: "Does nothing",
      input: { type: "object", properties: { n: { type: "integer" } } },
      traits: () => ({ effect: "read", keys: [] }),
      run: () => "",
    });
    for (let i = 0; i < handlers / 2; i++) {
      agent.on("tool_start", (call) => ({ args: { n: Number(call.args.n) + 1 } }));
      agent.on("tool_end", (_, result) => ({ result: `${result.text}x` }));
    }
  },
});
