#!/usr/bin/env bash
# PreToolUse, matcher "Bash": no commits on main.
set -euo pipefail
INPUT=$(cat)
COMMAND=$(printf '%s' "$INPUT" | sed -n 's/.*"command":"\([^"]*\)".*/\1/p')
case "$COMMAND" in
  *"git commit"*|*"git push"*)
    echo "BLOCKED: work on a branch, not on main" >&2
    exit 2
    ;;
esac
exit 0
