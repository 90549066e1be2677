#!/usr/bin/env python3
# PreToolUse, matcher "Edit|MultiEdit|Write": keeps sensitive files as they are.
import json, os, sys

PROTECTED = (".env", "package-lock.json", ".git/", "secrets/")

data = json.load(sys.stdin)
path = data.get("tool_input", {}).get("file_path", "")
project = os.environ["CLAUDE_PROJECT_DIR"]
relative = os.path.relpath(path, project)

if any(part in relative for part in PROTECTED):
    print(json.dumps({
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": f"{relative} is protected",
        }
    }))
sys.exit(0)
