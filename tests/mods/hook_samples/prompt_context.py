#!/usr/bin/env python3
# UserPromptSubmit: adds context, and stops prompts with secrets in them.
import json
import re
import sys

input_data = json.load(sys.stdin)
prompt = input_data.get("prompt", "")

for pattern, message in [(r"(?i)\b(password|secret|key|token)\s*[:=]", "Prompt contains potential secrets")]:
    if re.search(pattern, prompt):
        print(json.dumps({"decision": "block", "reason": f"Security policy violation: {message}."}))
        sys.exit(0)

print("Current branch: main")
sys.exit(0)
