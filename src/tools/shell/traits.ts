/** What tools that run a command answer about a call. */
import type { Place, Traits } from "../../core/tool.ts";

/** `command` is the text that rules look at; `workdir` the folder that the call names. */
export function commandTraits(command: string, workdir: string | undefined, place: Place): Traits {
  const subject = { kind: "command", value: command, access: "run" } as const;
  if (workdir === undefined) return { effect: "run", streams: true, subjects: [subject] };
  return {
    effect: "run",
    streams: true,
    subjects: [
      { ...subject, cwd: place.resolve(workdir) },
      { kind: "path", value: place.identify(workdir), access: "read" },
    ],
  };
}
