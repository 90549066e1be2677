/** Runtimes in the tests' own process, for what needs many calls or a hand on their course. */
import { type CreateOptions, createRuntime, type ExternalTool, type Runtime } from "../../src/index.ts";
import type { Scratch } from "../support.ts";

/** A runtime that keeps nothing outside the scratch folder. */
export async function runtimeIn(scratch: Scratch, more: CreateOptions = {}): Promise<Runtime> {
  const settings = {
    "mods.enabled": false,
    "log.enabled": false,
    "overflow.enabled": false,
    ...more.settings,
  };
  return await createRuntime({ cwd: scratch.work, mode: "bypassPermissions", ...more, settings });
}

/** A tool of a host's without parameters. */
export const external = (
  name: string,
  execute: ExternalTool["execute"],
  more: Partial<ExternalTool> = {},
): ExternalTool => ({
  name,
  description: `does ${name}`,
  inputSchema: { type: "object", properties: {}, additionalProperties: false },
  execute,
  ...more,
});

/** A promise with its end in hand. */
export function gate() {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => open = resolve);
  return { open, opened };
}
