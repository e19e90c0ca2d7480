#!/bin/bash
# Denies dangerous commands. With PERMISSION_GATE=ask in the hook's `env` the agent asks the user instead.
dangerous='(^|[^[:alnum:]_-])(rm[[:space:]]+([^[:space:]]+[[:space:]]+)*(-[[:alnum:]]*[rRf]|--recursive|--force)|(sudo|doas)([^[:alnum:]_-]|$)|git[[:space:]]+push.*([[:space:]]-f|--force)|dd[[:space:]].*of=/dev/)'

printf '%s\n' "${CRUSH_TOOL_INPUT_COMMAND-}" | grep -qE "$dangerous" || exit 0

if [ "${PERMISSION_GATE-deny}" = ask ]; then
  echo '{"decision":"ask","reason":"Dangerous command"}'
  exit 0
fi
echo 'Dangerous command blocked: nobody is there to confirm it' >&2
exit 2
