/**
 * A tool under a model family's name, parameters and result text. Traits, permission, hooks and events follow
 * the tool, so a rule or a hook that guards one face guards all.
 */
import type * as zod from "zod";
import type { AnyTool, Output, Tool, Zod } from "./tool.ts";
import type { Unpublished } from "./unpublished.ts";

/** The model families; `canonical` is our own naming. */
export type Family = "claude" | "codex" | "gemini" | "canonical";

/** The order in which a bare name is looked for. */
export const FAMILIES: readonly Family[] = ["claude", "codex", "gemini", "canonical"];

/** How a capability looks to command hooks, whose format knows Claude's names only. */
export interface HookView {
  name: string;
  input: Record<string, unknown>;
}

export interface Face<Args = Record<string, unknown>, Canonical = Record<string, unknown>, Data = unknown> {
  name: string;
  family: Family;
  /** Toolsets that show this face. */
  toolsets: readonly string[];
  input(z: Zod): zod.ZodType<Args>;
  /** Further names that its callers, rules and matchers use for it. */
  aliases?: readonly string[];
  /** What its callers send that `input` doesn't show. */
  unpublished?: Unpublished;
  /** Published as free text with the tool's grammar where the provider takes that, else as a function. */
  custom?: true;
  toCanonical(args: Args): Canonical;
  present?(data: Data, args: Canonical): Output;
}

/** A face of Claude's also says how command hooks see a call of its capability, and what they see of the result. */
export interface HookFace<Canonical = Record<string, unknown>> {
  view(args: Canonical, place: { resolve(path: string): string }): HookView;
  /** The canonical arguments after a hook replaced the input: shown fields it omits are dropped, hidden ones stay. */
  rewrite(input: Record<string, unknown>, before: Canonical): unknown;
  /** `tool_response`, from what the tool returned. */
  response(data: unknown, args: Canonical, place: { resolve(path: string): string }): unknown;
  /** Further names that a matcher for this capability may use. */
  alsoMatches?: readonly string[];
}

export type AnyFace = Face<Record<string, unknown>, Record<string, unknown>, unknown> & {
  tool: AnyTool;
  hooks?: HookFace;
};

/** Ties a face to its tool, checks the types of both, and forgets them. */
export function defineFace<Args, Canonical, Data>(
  tool: Tool<Canonical, Data> | AnyTool,
  face: Face<Args, Canonical, Data> & { hooks?: HookFace<Canonical> },
): AnyFace {
  return { ...face, tool } as unknown as AnyFace;
}
