/** Hook configurations and small hook scripts that the tests of command hooks share. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Json, Scratch } from "../support.ts";

export interface Group {
  matcher?: string;
  sequential?: boolean;
  hooks: Json[];
}

/** A hook that runs `text` in a shell. */
export function hook(text: string, more: Json = {}): Json {
  return { type: "command", command: text, ...more };
}

/** A hook that prints `answer` and ends well. */
export function says(answer: Json | string, more: Json = {}): Json {
  return hook(`printf %s ${quoted(typeof answer === "string" ? answer : JSON.stringify(answer))}`, more);
}

/** The answer of a PreToolUse hook. */
export function pre(specific: Json): Json {
  return { hookSpecificOutput: { hookEventName: "PreToolUse", ...specific } };
}

/** A hook that keeps what it was sent, for `recorded`. */
export function records(scratch: Scratch, name: string): Json {
  return hook(`cat >> ${quoted(place(scratch, name))}`);
}

/** What the hook `records(scratch, name)` was sent, a payload a call. */
export function recorded(scratch: Scratch, name: string): Json[] {
  const file = place(scratch, name);
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line));
}

/** Writes a file for `--hooks`. Returns the flag and its path. */
export function hooksFlag(scratch: Scratch, hooks: Json, name = "hooks.json"): string[] {
  return ["--hooks", scratch.file(path.join(scratch.root, name), JSON.stringify({ hooks }))];
}

/** The flag for one event whose hooks concern every tool. */
export function onAll(scratch: Scratch, event: string, ...hooks: Json[]): string[] {
  return hooksFlag(scratch, { [event]: [{ hooks }] });
}

export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function place(scratch: Scratch, name: string): string {
  return path.join(scratch.root, `${name}.jsonl`);
}
