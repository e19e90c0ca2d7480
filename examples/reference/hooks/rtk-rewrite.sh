#!/usr/bin/env bash
# Rewrite bash commands to go through RTK (https://github.com/rtk-ai/rtk), which shortens what the model has to read.
# Where rtk or jq is missing, or rtk has no shorter form, stay silent: the command runs as it is.

command -v rtk >/dev/null && command -v jq >/dev/null || exit 0

original=$CRUSH_TOOL_INPUT_COMMAND
rewritten=$(rtk rewrite "$original") || exit 0
if [ -z "$rewritten" ] || [ "$rewritten" = "$original" ]; then
  exit 0
fi

# jq quotes the command as JSON, whatever it holds. No decision: the permission prompt still runs.
jq -nc --arg command "$rewritten" '{context: "Rewrote with RTK", updated_input: {command: $command}}'
