#!/bin/bash
# Keeps tools from writing to secrets, installed packages and git's own files.
path=${CRUSH_TOOL_INPUT_FILE_PATH-}
[ -n "$path" ] || exit 0

IFS=/ read -r -a parts <<<"${path//\\//}"
for part in "${parts[@]}"; do
  # Windows and macOS do not tell the cases of a name apart.
  case ${part,,} in
    .env.example) ;;
    .git | node_modules | .env | .env.*)
      echo "$path is protected (${part,,})" >&2
      exit 2
      ;;
  esac
done
