/** A tool with a zod schema: the host has to load zod for it. */
import { definePlugin } from "agent";
import * as z from "zod";

export default definePlugin({
  name: "zodded",
  setup(agent) {
    agent.tool({
      name: "greet",
      description: "Greets",
      input: z.object({ name: z.string() }),
      effect: "read",
      run: ({ name }) => `hello ${name}`,
    });
  },
});
