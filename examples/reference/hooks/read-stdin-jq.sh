#!/usr/bin/env bash
# Read the event from standard input with jq.
read -r input
tool_name=$(echo "$input" | jq -r '.tool_name')
command=$(echo "$input" | jq -r '.tool_input.command // empty')

if [ "$tool_name" = bash ] && [ -z "$command" ]; then
  echo "Blocked: a bash call without a command" >&2
  exit 2
fi
