/** The life of one call, in lines for people, from what the stream and the log hold of it. */
import { textOf } from "../../core/result.ts";
import { diffLines } from "../../core/text_diff.ts";
import type { StreamEvent } from "../../core/stream.ts";
import type { TrailStep } from "../../core/trail.ts";
import type { EndEvent, StartEvent } from "../logged.ts";

export function explained(start: StartEvent, end: EndEvent | undefined): string[] {
  const lines = [
    `${start.id}  ${start.name}${start.parent === undefined ? "" : `  made by ${start.parent}`}`,
  ];
  const line = (step: string, text: string) => lines.push(`  ${step.padEnd(12)} ${text}`);
  const whose = start.origin === undefined ? "" : `, a call of the ${start.origin}'s`;
  line("received", `${start.at}${start.cwd === undefined ? "" : ` in ${start.cwd}`}${whose}`);
  line("arguments", JSON.stringify(start.args) ?? "none");
  if (!end) {
    line("end", "none: it was cut short");
    return lines;
  }
  if (end.tool !== undefined && end.tool !== start.name) line("tool", end.tool);
  for (const step of end.trail ?? []) {
    line(step.step, inWords(step));
    for (const change of changesOf(step)) lines.push(`  ${"".padEnd(12)}   ${change}`);
  }
  for (const by of end.changedBy ?? []) line("result", `replaced by ${by}`);
  for (const [mod, events] of Object.entries(end.mods ?? {})) {
    for (const [event, ms] of Object.entries(events)) line("heard", `plugin "${mod}" ${event}, ${ms} ms`);
  }
  for (const text of whatIsMissing(end)) line("text", text);
  line("end", `${end.outcome}, after ${end.durationMs} ms`);
  return lines;
}

function inWords({ did, by, reason, ms }: TrailStep): string {
  if (did === "allowed" && by === "hook") return `allowed by a hook, though ${reason}`;
  const who = by === undefined
    ? ""
    : did === "allowed" || did === "asked" || did === "denied"
    ? ` by ${by}`
    : `  ${by}`;
  return `${did}${who}${reason === undefined ? "" : `: ${reason}`}${ms === undefined ? "" : `, ${ms} ms`}`;
}

/** `- "path": "a"`, `+ "path": "b"`; texts of several lines as a diff. */
function changesOf({ changed = {} }: TrailStep): string[] {
  return Object.entries(changed).flatMap(([key, { from, to }]) => {
    if (isLong(from) && isLong(to)) return [`${JSON.stringify(key)}:`, ...diffLines(from, to)];
    return [
      ...from === undefined ? [] : [`- ${JSON.stringify(key)}: ${JSON.stringify(from)}`],
      ...to === undefined ? [] : [`+ ${JSON.stringify(key)}: ${JSON.stringify(to)}`],
    ];
  });
}

function isLong(value: unknown): value is string {
  return typeof value === "string" && value.includes("\n");
}

/** What was added, cut and redacted, and where the whole is. */
function whatIsMissing({ content, notes, notices, overflow, overflowCutAt }: EndEvent): string[] {
  const text = textOf(content);
  const told: string[] = [];
  if (notes) told.push(`${notes} ${notes === 1 ? "note" : "notes"} of hooks stand after the result`);
  if (notices) told.push(`${notices} ${notices === 1 ? "notice" : "notices"} after it`);
  if (overflow !== undefined) {
    const part = overflowCutAt === undefined ? "the whole" : `its first ${overflowCutAt} bytes`;
    told.push(`cut to ${text.length} characters; ${part} is in ${overflow}`);
  }
  const names = [...text.matchAll(/<redacted:([\w.-]+)/g)].map(([, name]) => name!);
  if (names.length > 0) told.push(`redacted: ${[...new Set(names)].join(", ")}`);
  return told;
}

/** Takes the stream's events, and has the lines of each call when it has ended. */
export function explainer(say: (text: string) => void): (event: StreamEvent) => void {
  const open = new Map<string, StartEvent>();
  return (event) => {
    if (event.type === "tool_start") open.set(event.id, event);
    if (event.type !== "tool_end") return;
    const start = open.get(event.id);
    open.delete(event.id);
    if (start) say(explained(start, event).join("\n"));
  };
}
