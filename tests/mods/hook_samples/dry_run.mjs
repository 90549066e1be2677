#!/usr/bin/env node
// PreToolUse, matcher "Bash": makes npm publish a dry run.
import { readFileSync } from "node:fs";

const input = JSON.parse(readFileSync(0, "utf8"));
const { command = "" } = input.tool_input ?? {};
if (/\bnpm publish\b/.test(command) && !command.includes("--dry-run")) {
  console.log(JSON.stringify({
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "allow",
      permissionDecisionReason: "publishing is a dry run here",
      updatedInput: {
        ...input.tool_input,
        command: command.replace("npm publish", "echo npm publish --dry-run"),
      },
    },
  }));
}
