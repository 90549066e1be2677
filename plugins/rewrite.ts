/**
 * Changes calls and results by rules. Settings:
 *
 *     "plugins": {"rewrite": {
 *       "args": [{"tools": ["Bash"], "field": "command", "find": "npm ", "replace": "pnpm "}],
 *       "results": [{"find": "/home/me", "replace": "~"}],
 *       "cache": [{"tools": ["Bash"], "field": "command", "equals": "git --version"}]
 *     }}
 *
 * `find` is plain text. A call that `cache` fits is answered from memory the second time, without running.
 */
import { type Block, definePlugin, type ModCall } from "agent";
import { z } from "zod";

interface Where {
  tools?: string[];
  /** A field of the tool's canonical arguments. */
  field?: string;
}
interface Change extends Where {
  find: string;
  replace: string;
}
interface Cached extends Where {
  equals: string;
}
interface Options {
  args?: Change[];
  results?: Change[];
  cache?: Cached[];
}

const WHERE = { tools: z.array(z.string()).optional(), field: z.string().optional() };
const CHANGES = z.array(z.strictObject({ ...WHERE, find: z.string().min(1), replace: z.string() }));

export default definePlugin<Options>({
  name: "rewrite",
  options: z.strictObject({
    args: CHANGES.optional(),
    results: CHANGES.optional(),
    cache: z.array(z.strictObject({ ...WHERE, equals: z.string() })).optional(),
  }),
  setup(agent, { args = [], results = [], cache = [] }) {
    const answers = new Map<string, string>();
    const fits = (call: ModCall, { field, equals }: Cached) =>
      field !== undefined && call.args[field] === equals;

    for (const { tools, field, find, replace } of args) {
      agent.on("tool_start", (call) => {
        const value = field === undefined ? undefined : call.args[field];
        if (typeof value !== "string" || !value.includes(find)) return;
        return { args: { ...call.args, [field!]: value.replaceAll(find, () => replace) } };
      }, { tools });
    }
    for (const rule of cache) {
      const key = (call: ModCall) => JSON.stringify([call.tool, call.cwd, call.args]);
      agent.on("tool_start", (call) => {
        const known = fits(call, rule) ? answers.get(key(call)) : undefined;
        return known === undefined ? undefined : { result: known };
      }, { tools: rule.tools });
      agent.on("tool_end", (call, result) => {
        if (fits(call, rule) && result.outcome === "success") answers.set(key(call), result.text);
      }, { tools: rule.tools });
    }
    for (const { tools, find, replace } of results) {
      agent.on("tool_end", (_, result) => {
        if (!result.text.includes(find)) return;
        const change = (block: Block) =>
          block.type === "text" ? { ...block, text: block.text.replaceAll(find, () => replace) } : block;
        return { result: result.content.map(change) };
      }, { tools });
    }
  },
});
