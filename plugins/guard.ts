/**
 * Refuses calls by effect and path. Settings:
 *
 *     "plugins": {"guard": {"deny": [{"effect": "write", "paths": ["/etc/**", "**\/.env"]}, {"effect": "run"}]}}
 *
 * Without options it protects system folders, key folders and `.git` from being written to by tools for files. What a
 * command writes is not looked at: refuse `run`, or write deny rules.
 */
import { definePlugin, type Effect } from "agent";
import { z } from "zod";

interface Rule {
  /** What the call does; absent means anything. */
  effect?: Effect;
  /** Globs; relative ones are below the working folder. Absent means any call. */
  paths?: string[];
  /** Shown to the model. */
  reason?: string;
}

const DEFAULTS: Rule[] = [{
  effect: "write",
  paths: ["/etc/**", "/usr/**", "/boot/**", "~/.ssh/**", "**/.git/**"],
  reason: "this place is protected",
}];

export default definePlugin<{ deny?: Rule[] }>({
  name: "guard",
  options: z.strictObject({
    deny: z.array(z.strictObject({
      effect: z.enum(["read", "write", "run"]).optional(),
      paths: z.array(z.string()).optional(),
      reason: z.string().optional(),
    })).optional(),
  }),
  setup(agent, { deny = DEFAULTS }) {
    for (const { effect, paths, reason } of deny) {
      agent.on("tool_start", (call) => {
        const path = paths?.find((glob) => call.touches(glob));
        if (paths && path === undefined) return;
        return { deny: `guard: ${reason ?? "refused"}${path === undefined ? "" : ` (${path})`}` };
      }, effect === undefined ? {} : { effect });
    }
  },
});
