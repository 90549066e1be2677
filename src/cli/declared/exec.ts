/** `agent exec`, which stands alone: a start that runs a call reads no other command's declaration. */
import type { Command } from "../command.ts";
import { RUNTIME, SURFACE } from "./flags.ts";

export const EXEC: Command = {
  name: "exec",
  about: "run one tool call, or calls from standard input",
  args: "[TOOL] [ARGS...]",
  takesTool: true,
  flags: [
    { name: "json", about: "print the whole result as one JSON object" },
    { name: "jsonl", about: "print events as they happen, one JSON object a line" },
    { name: "plain", about: "with calls from standard input: print texts, failures to standard error" },
    {
      name: "explain",
      about: "tell on standard error what was done to each call, by whom, and how long it took",
    },
    { name: "full", about: "do not cut the event stream" },
    { name: "timeout", value: "SECONDS", about: "end a call after SECONDS" },
    { name: "concurrency", value: "N", about: "calls at once, from standard input (default 64)" },
    { name: "unordered", about: "print results as they come" },
    {
      name: "dialect",
      value: "NAME",
      choices: ["agent", "anthropic", "openai"],
      about: "the form that calls must have",
    },
    { name: "dry-run", about: "every step but the running" },
    { name: "exit-status", about: "print and end as the command itself did" },
    { name: "detach", about: "keep what it leaves running; agent sessions looks after that" },
    ...SURFACE,
    ...RUNTIME,
  ],
  examples: [
    { line: "agent exec Read file_path=README.md limit=20", about: "arguments as key=value" },
    { line: 'agent exec Bash \'{"command": "make test"}\'', about: "arguments as JSON" },
    { line: "agent exec Write file_path=notes.md content=@draft.md", about: "a value from a file" },
    { line: "agent exec - < calls.jsonl", about: "many calls, one a line, results in order" },
    {
      line: "agent exec --detach Bash command='npm run dev' run_in_background=true",
      about: "goes on when this has ended: agent sessions poll 1",
    },
  ],
  load: () => import("../commands/exec.ts"),
};
