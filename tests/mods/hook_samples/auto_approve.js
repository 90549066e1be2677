#!/usr/bin/env node
// PermissionRequest: read-only commands need no question.
let raw = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk) => {
  raw += chunk;
});
process.stdin.on("end", () => {
  const { tool_name, tool_input } = JSON.parse(raw);
  if (tool_name === "Bash" && /^(ls|pwd|git status|echo)\b/.test(tool_input.command)) {
    process.stdout.write(JSON.stringify({
      hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "allow" } },
    }));
  }
  process.exit(0);
});
