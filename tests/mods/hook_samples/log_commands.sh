#!/bin/sh
# PostToolUse, matcher "Bash": a log of all commands.
LOG="${CLAUDE_PROJECT_DIR}/command-log.txt"
sed 's/.*"tool_input":{"command":"\([^"]*\)".*/\1/' >> "$LOG"
