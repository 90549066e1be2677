/** The toolsets there are, and which a model gets. What is in one is declared by tools and faces. */
import { nearest, quote, UsageError } from "../core/errors.ts";
import type { Family } from "../core/face.ts";
import type { Entry } from "../core/registry.ts";

/** Each toolset's family decides the form in which it is published. */
export const TOOLSETS: Readonly<Record<string, Family>> = {
  default: "claude",
  codex: "codex",
  codex_snake: "codex",
  gemini: "gemini",
  gemini_snake: "gemini",
  lean: "canonical",
  none: "canonical",
};

export function familyOf(toolset: string): Family {
  if (Object.hasOwn(TOOLSETS, toolset)) return TOOLSETS[toolset]!;
  const near = nearest(toolset, Object.keys(TOOLSETS));
  throw new UsageError(
    `Cannot use the toolset ${quote(toolset)}: no such toolset`,
    near.length > 0 ? `did you mean ${near.join(", ")}?` : `one of ${Object.keys(TOOLSETS).join(", ")}`,
  );
}

/** In which toolset a model was trained, by the parts of its handle; routers put others' names behind their own. */
const MODELS: readonly { toolset: string; handle: RegExp }[] = [
  {
    toolset: "codex_snake",
    handle: /(^|[/.])(openai|openai-codex|chatgpt_oauth)[/.]|(^|\/)(gpt-|o\d|codex)/,
  },
  { toolset: "gemini_snake", handle: /(^|[/.])(google|google_ai|gemini)[/.]|(^|\/)gemini-/ },
  { toolset: "default", handle: /(^|[/.])(anthropic)[/.]|claude/ },
];

/** The toolset for a model's handle, such as `anthropic/claude-…` or `openrouter/openai/gpt-…`. */
export function toolsetFor(model: string): string {
  const handle = model.toLowerCase();
  return MODELS.find((entry) => entry.handle.test(handle))?.toolset ?? "default";
}

/** Is a tool shown? Mods' and external tools are in every toolset but `none`. */
export function inToolset(entry: Entry, toolset: string): boolean {
  if (toolset === "none") return false;
  return entry.tier !== "builtin" || entry.toolsets.includes(toolset);
}
