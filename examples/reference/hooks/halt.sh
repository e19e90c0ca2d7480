#!/usr/bin/env bash
# Exit 49 ends the whole turn: the user takes over.

case "$CRUSH_TOOL_INPUT_COMMAND" in
  *production.env*)
    echo "The agent reached for production.env" >&2
    exit 49
    ;;
esac
