#!/usr/bin/env bash

# Log all bash tool calls to a file.
printf "%s: %s / %s" \
    "$(date -Iseconds)" \
    "$CRUSH_SESSION_ID" \
    "$CRUSH_TOOL_INPUT_COMMAND" >> ./bash.log
