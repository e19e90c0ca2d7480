#!/bin/bash
# On TurnStart: keeps the tracked files as a commit under refs/hookshell/SESSION/turn-N; neither the branch nor the files are
# touched. On SessionBranch, with GIT_CHECKPOINT=restore in the hook's `env`: puts the files of that turn back.
git rev-parse --git-dir >/dev/null 2>&1 || exit 0
event=$(cat)
session=${CRUSH_SESSION_ID//[^A-Za-z0-9-]/_}
checkpoints=refs/hookshell/${session:-none}

save() {
  # Else a file that was only touched has `git stash create` fail. It says by its own exit code that files differ.
  git update-index -q --refresh >/dev/null
  commit=$(git stash create "checkpoint of an agent's turn") || return
  # Nothing printed: nothing differs from the last commit.
  [ -n "$commit" ] || commit=$(git rev-parse HEAD) || return
  git update-ref "$checkpoints/$1" "$commit"
}

case $CRUSH_EVENT in
  TurnStart)
    save "turn-$(jq -r .turn_index <<<"$event")"
    ;;
  SessionBranch)
    turn=$(jq -r '.target_turn_index // empty' <<<"$event")
    [ "${GIT_CHECKPOINT-keep}" = restore ] && [ -n "$turn" ] || exit 0
    git rev-parse --verify --quiet "$checkpoints/turn-$turn" >/dev/null || exit 0
    save before-restore && git checkout --quiet "$checkpoints/turn-$turn" -- . || exit 1
    jq -n --arg turn "$turn" '{context: "The files are as they were before turn \($turn)."}'
    ;;
esac
