#!/usr/bin/env python3
import json, re, sys

data = json.load(sys.stdin)
tool_name = data.get("tool_name", "")
command = data.get("tool_input", {}).get("command", "")

if tool_name == "bash" and re.search(r"rm\s+-(rf|fr)\s+/", command):
    print("Refusing to run rm -rf against root", file=sys.stderr)
    sys.exit(2)
