/** A command as Claude's hooks see it, whatever runs it. */
import type { HookView } from "../../core/face.ts";

/** Claude's name for what runs commands. */
export const BASH = "Bash";

export function bashView(command: string, more: Record<string, unknown> = {}): HookView {
  return { name: BASH, input: { command, ...more } };
}
