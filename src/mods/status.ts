/** A plugin as `agent mods list` shows it. */
import type { Handler } from "../core/events.ts";

export type Phase = "build" | "trust" | "import" | "setup" | "ready" | "disposed" | "disabled" | "running";

export interface ModStatus {
  name: string;
  path: string;
  place: string;
  state: "ready" | "failed" | "disabled" | "disposed";
  /** Where it failed, and why. */
  phase?: Phase;
  reason?: string;
  /** It runs as it was before a reload: why its new version is off. */
  kept?: string;
  isolation: "none" | "process";
  /** What the runtime can't keep its process from though it doesn't declare it, in words. */
  unfenced?: string;
  uses: readonly string[];
  tools: readonly string[];
  handlers: readonly HandlerStatus[];
  commands: readonly string[];
  /** Tools of its that stand before others of the same name, or behind them. */
  shadows: readonly Shadow[];
  loadMs: number;
}

/** A handler with what narrows it. */
export type HandlerStatus = Pick<Handler, "event" | "tools" | "effect" | "order">;

/** `built in`, or a plugin's path: whose tool of this name is not used, or is used in place of this plugin's. */
export interface Shadow {
  tool: string;
  stands: "before" | "behind";
  other: string;
}
