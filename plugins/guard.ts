/**
 * Refuses calls by effect and path. Settings:
 *
 *     "plugins": {"guard": {"deny": [{"effect": "write", "paths": ["/etc/**", "**\/.env"]}, {"effect": "run"}]}}
 *
 * Without options it protects system folders, key folders and `.git` from being written to.
 */
import { definePlugin, type Effect } from "agent";

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
  setup(agent, { deny = DEFAULTS }) {
    if (!Array.isArray(deny)) throw new Error("the option deny is not a list of rules");
    for (const { effect, paths, reason } of deny) {
      agent.on("tool_start", (call) => {
        const path = paths?.find((glob) => call.touches(glob));
        if (paths && path === undefined) return;
        return { deny: `guard: ${reason ?? "refused"}${path === undefined ? "" : ` (${path})`}` };
      }, effect === undefined ? {} : { effect });
    }
  },
});
