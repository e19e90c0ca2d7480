#!/bin/bash
# A guard as projects write them: it reads the event from stdin, looks at the command and at the paths that a tool is
# about to change, and says allow, ask or deny. It starts no program: what it needs is in the shell or bundled.
set -euo pipefail

readonly PROTECTED=(.env .env.local .git node_modules secrets id_rsa id_ed25519)
readonly READ_ONLY='^(ls|cat|head|tail|wc|pwd|git (status|diff|log|show|branch)|grep|rg|find)( |$)'
readonly MAX_LENGTH=4000

payload=$(cat)
tool=$(jq -r '.tool_name // empty' <<<"$payload")
command=$(jq -r '.tool_input.command // empty' <<<"$payload")
file=$(jq -r '.tool_input.file_path // empty' <<<"$payload")

log() {
  local level=$1
  shift
  printf '%s: %-5s %s\n' "${0##*/}" "$level" "$*" >&2
}

deny() {
  log deny "$1"
  exit 2
}

decide() {
  local decision=$1 reason=${2//\"/\\\"}
  printf '{"decision":"%s","reason":"%s"}\n' "$decision" "$reason"
  exit 0
}

lower() {
  local text=$1
  echo "${text,,}"
}

# Is one part of the path a name that nobody may write to?
is_protected() {
  local path=${1//\\//} part name
  local -a parts
  IFS=/ read -r -a parts <<<"$path"
  for part in "${parts[@]}"; do
    for name in "${PROTECTED[@]}"; do
      if [[ $(lower "$part") == "$name" ]]; then
        return 0
      fi
    done
  done
  return 1
}

# The simple commands of a command line, one a line; quotes are not looked at.
split_commands() {
  printf '%s\n' "$1" | sed -e 's/&&/\n/g' -e 's/||/\n/g' -e 's/[;|]/\n/g' | sed -e 's/^ *//' -e '/^$/d'
}

check_command() {
  local line=$1 word flags='' count=0
  case $line in
    'sudo '*) line=${line#sudo } ;;
    'env '*=*) line=${line#env *=* } ;;
  esac
  for word in $line; do
    count=$((count + 1))
    if [ "$count" -gt 200 ]; then
      deny "too many words"
    fi
    case $word in
      --*) ;;
      -*) flags+=${word#-} ;;
      *.env | */.ssh/*) deny "$word holds secrets" ;;
    esac
  done
  case $line in
    'rm '*)
      if [[ $flags == *r* && $flags == *f* ]]; then
        [[ $line =~ [[:space:]](/|~|\$HOME)([[:space:]]|$) ]] && deny "refusing to remove ${BASH_REMATCH[1]}"
      fi
      ;;
    'git push'*) [[ $line == *--force* ]] && deny 'a forced push rewrites what others have' ;;
    'mkfs'* | 'dd '*of=/dev/*) deny 'that overwrites a disk' ;;
  esac
  return 0
}

case $tool in
  bash | shell)
    [ "${#command}" -le "$MAX_LENGTH" ] || deny "the command has ${#command} bytes"
    all_safe=yes
    while IFS= read -r line; do
      check_command "$line"
      echo "$line" | grep -qE "$READ_ONLY" || all_safe=no
    done < <(split_commands "$command")
    [ "$all_safe" = no ] || decide allow "only reads: $command"
    ;;
  edit | write)
    if is_protected "$file"; then deny "$file is protected"; fi
    ;;
esac
decide ask "${tool:-?} is not known to be safe"
