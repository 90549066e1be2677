/**
 * Limits the calls of a session and the characters of their results. Settings:
 *
 *     "plugins": {"budget": {"calls": 200, "chars": 500000, "tellFrom": 0.5}}
 *
 * What isn't set isn't limited. From `tellFrom` on (the part that is spent; a half where absent, 0 for always) each
 * result ends with a line that says what is left. What is spent refuses every further call; the call that crosses the
 * line still gives its result. Calls at work at the same time hold up to 30,000 characters each of what is left, so that
 * no more than one crosses by that much. A tool's own calls count as that tool's. Each start of `agent` counts anew.
 */
import { definePlugin } from "agent";
import { z } from "zod";

interface Options {
  calls?: number;
  chars?: number;
  tellFrom?: number;
}

/** Characters that a call holds until its result is known: about what one gives at most. */
const HELD = 30_000;
/** Calls that did nothing don't count. */
const IDLE = new Set(["denied", "invalid", "unknown"]);

export default definePlugin<Options>({
  name: "budget",
  options: z.strictObject({
    calls: z.number().min(0).optional(),
    chars: z.number().min(0).optional(),
    tellFrom: z.number().min(0).optional(),
  }),
  setup(agent, { calls = Infinity, chars = Infinity, tellFrom = 0.5 }) {
    const limits = { calls, chars }, spent = { calls: 0, chars: 0 };
    /** What each call at work holds. */
    const counted = new Map<string, number>();
    const names = ["calls", "chars"] as const;
    const words = { calls: "calls", chars: "characters of output" };

    // Late: what other plugins refuse or answer isn't counted.
    agent.on("tool_start", (call) => {
      if (call.parent !== undefined || call.dryRun) return;
      const name = names.find((one) => spent[one] >= limits[one]);
      if (name !== undefined) {
        return {
          deny:
            `budget: this session's ${limits[name]} ${words[name]} are spent; finish with what you have, ` +
            `or ask the user to raise plugins.budget.${name} in the settings`,
        };
      }
      // Counted at its start: calls that run at the same time share what is left.
      const free = limits.chars - spent.chars - [...counted.values()].reduce((sum, held) => sum + held, 0);
      if (free <= 0) {
        return {
          deny:
            `budget: the calls at work may use what is left of ${limits.chars} ${words.chars}; when they have ended, ` +
            `send this one again`,
        };
      }
      spent.calls++;
      counted.set(call.id, Math.min(HELD, free));
    }, { order: "late" });

    agent.on("tool_end", (call, { outcome, content, text }) => {
      if (!counted.delete(call.id)) return;
      if (IDLE.has(outcome)) spent.calls--;
      spent.chars += text.length;
      const left = names.filter((name) => limits[name] < Infinity)
        .map((name) => `${Math.max(0, limits[name] - spent[name])} of ${limits[name]} ${words[name]}`);
      if (!names.some((name) => spent[name] >= limits[name] * tellFrom && limits[name] < Infinity)) return;
      return { result: [...content, { type: "text", text: `[budget: ${left.join(" and ")} left]` }] };
    }, { order: "late" });
  },
});
