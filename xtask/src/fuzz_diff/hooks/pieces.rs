//! What hooks are made of. Each piece ends, does the same every time, and prints no process id.

/// First lines.
pub(super) const SHEBANGS: [&str; 4] =
    ["#!/usr/bin/env bash", "#!/bin/bash", "#!/usr/bin/env -S bash -u", "#!/bin/bash -e"];

/// How a script begins: its options, and how it finds and sources its library.
pub(super) const PROLOGUES: [&str; 5] = [
    "set -euo pipefail\nhere=$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" && pwd)\n. \"$here/lib/common.sh\"",
    "here=$(dirname \"$0\")\nsource \"$here/lib/common.sh\" arg",
    "set -u\nhere=${BASH_SOURCE%/*}\n. \"$here\"/lib/common.sh || exit 49",
    "set -e\nhere=\"$(cd -P \"$(dirname -- \"$0\")\" >/dev/null && pwd -P)\"\nsource \"${here}/lib/common.sh\"",
    "set -o pipefail\nhere=$(realpath \"$(dirname \"$0\")\")\n. \"$here/lib/common.sh\" || true",
];

/// What each script sources.
pub(super) const LIBRARY: &str = r#"# common.sh
lib_dir=$(dirname "${BASH_SOURCE[0]}")
deny() { printf 'deny: %s\n' "$1" >&2; exit 2; }
halt() { echo "halt: $*" >&2; exit 49; }
say() { local IFS=,; printf '%s:%s\n' "${FUNCNAME[1]}" "$*"; }
where() { echo "${BASH_SOURCE[1]##*/} ${BASH_LINENO[0]} ${FUNCNAME[1]}"; }
main() { say main "$@"; return "$#"; }
retry() { local n=0; until "$@"; do n=$((n + 1)); [ "$n" -ge 3 ] && return 7; done; echo "after $n"; }
count=0
bump() { count=$((count + ${1:-1})); }
echo "lib ${#} ${lib_dir##*/}"
"#;

/// What each script starts.
pub(super) const HELPER: &str = r#"#!/usr/bin/env bash
name=${0##*/}
trap 'echo "helper ends $?"' EXIT
echo "$name $# ${1-none} ${HELPER_MODE-unset}"
case ${1-} in
  fail) exit 3 ;;
  read) IFS= read -r line || true; echo "read <${line-}>" ;;
  term) trap 'echo helper-term; exit 9' TERM; kill $$; echo never ;;
  die) trap - EXIT; kill -TERM $$; echo never ;;
  nest) shift; bash "$0" "$@"; echo "nested $?" ;;
  sub) (exit 4); echo "sub $?" ;;
esac
"#;

/// The pieces of scripts.
pub(super) const PIECES: &[&str] = &[
    // Standard input, by parts.
    "input=$(cat); echo \"${#input}\"",
    "IFS= read -r first || true; echo \"first <$first>\"",
    "read -r -n 5 part || :; echo \"part <$part>\"",
    "while IFS= read -r line || [ -n \"$line\" ]; do echo \"line <$line>\"; done",
    "mapfile -t lines; echo \"${#lines[@]} ${lines[0]-}\"",
    "head -c 4 | tr a-z A-Z; echo; cat | wc -c | tr -d ' '",
    "if ! read -r; then echo empty; else echo \"$REPLY\"; fi",
    "\"$here/helper.sh\" read; cat",
    "input=$(cat); tool=$(printf '%s' \"$input\" | sed -n 's/.*\"tool_name\":\"\\([a-z]*\\)\".*/\\1/p'); echo \"tool=$tool\"",
    "payload=$(cat); if grep -q 'git push' <<<\"$payload\"; then deny \"no push\"; fi",
    "cat >payload.json; wc -c <payload.json | tr -d ' '",
    // Traps.
    "trap 'echo \"exit $?\"' EXIT",
    "tmp=tmp.@#; : >\"$tmp\"; trap 'rm -f \"$tmp\"; echo cleaned' EXIT",
    "trap 'echo \"err $? line $LINENO\"' ERR; false || true; (exit @D) || echo caught",
    "trap 'echo term-@#' TERM; kill $$; echo alive",
    "trap 'echo usr1' USR1; kill -USR1 $$; kill -s USR1 \"$$\"",
    "trap '' HUP; kill -HUP $$; echo ignored",
    "(trap 'echo inner' EXIT; exit @D) || echo \"sub $?\"",
    "trap 'echo int; exit 49' INT; kill -INT $$",
    "trap 'echo return-@#' RETURN; main >/dev/null || true; trap - RETURN",
    "kill -TERM $$",
    // Scripts that start others.
    "\"$here/helper.sh\" @W; echo \"$?\"",
    "\"$here/helper.sh\" fail || echo \"helper $?\"",
    "bash \"$here/helper.sh\" term || echo \"helper $?\"",
    "bash \"$here/helper.sh\" die 2>/dev/null || echo \"helper $?\"",
    "bash \"$here/helper.sh\" nest nest sub",
    "HELPER_MODE=@N bash \"$here/helper.sh\" | sed 's/^/> /'",
    "export HELPER_MODE='@W'; sh -c 'echo \"$0 $1 $HELPER_MODE\"' me '@W'",
    "bash -c 'echo \"$0 $# $*\"; exit @D' '@W' '@W' || echo \"c $?\"",
    "bash -s @N <\"$here/helper.sh\"",
    "echo 'echo \"from a pipe $1\"; exit @D' | bash -s '@W' || echo \"piped $?\"",
    "bash <<'END' || true\necho \"a here-document ${x-unset}\"\nexit @D\nEND",
    "printf '%s\\n' one two | xargs -n 1 bash \"$here/helper.sh\"",
    "find \"$here\" -name 'helper.sh' -exec bash {} @N \\;",
    "timeout 20 bash \"$here/helper.sh\" fail || echo \"timeout $?\"",
    "env -u HELPER_MODE bash \"$here/helper.sh\" '@W'",
    "env -i PATH=\"$PATH\" HELPER_MODE=clean \"$here/helper.sh\"",
    "(exec bash \"$here/helper.sh\" fail) || echo \"exec $?\"",
    "(cd hooks && ./helper.sh @N)",
    "nice bash \"$here/helper.sh\" >/dev/null; echo nice",
    "x=$(bash \"$here/helper.sh\" @W) || true; echo \"<${x}>\"",
    "if out=$(\"$here/helper.sh\" fail 2>&1); then echo yes; else echo \"no $? $out\"; fi",
    "umask 027; bash -c 'umask'; cd hooks; bash -c 'echo \"${PWD##*/}\"; cd /'; echo \"${PWD##*/}\"; cd ..",
    "export SHLVL=3; bash -c 'echo $SHLVL; bash -c \"echo \\$SHLVL\"; true'",
    "set -- '@W' '@W'; bash -c 'echo \"$# $1\"' _ \"$@\"",
    "bash -c 'test \"$$\" = \"$BASHPID\" && echo same; (test \"$$\" = \"$BASHPID\" || echo other)'",
    // Background jobs.
    "bash \"$here/helper.sh\" fail >bg.@# & wait $! || echo \"bg $?\"; cat bg.@#",
    "(sleep 0.01; echo late >late.@#) & wait; cat late.@#",
    "for i in 1 2 3; do bash -c \"exit $i\" & pids[i]=$!; done; for i in 1 2 3; do wait \"${pids[i]}\" || echo \"$i:$?\"; done",
    // Not at once: until bash's child is the program, it runs the EXIT trap of the script.
    "sleep 20 & p=$!; sleep 0.1; kill $p; wait $p 2>/dev/null || echo \"killed $?\"",
    "(trap 'exit 5' TERM; echo ready >ready.@#; while :; do sleep 0.01; done) & p=$!\n\
     until [ -s ready.@# ]; do sleep 0.01; done; kill $p; wait $p || echo \"trapped $?\"",
    "{ echo a; exit @D; } & wait $! || echo \"list $?\"",
    "coproc { cat; }; echo '@W' >&\"${COPROC[1]}\"; exec {COPROC[1]}>&-; cat <&\"${COPROC[0]}\"",
    // Here-documents, redirections, files.
    "cat <<EOF\n$0 has $# arguments, ${1-none}\nEOF",
    "cat <<'EOF'\n$0 `stays` \\\nEOF",
    "cat <<-EOF >doc.@#\n\tindented ${count}\n\t\ttwice\n\tEOF\ncat doc.@#",
    "{ echo out; echo err >&2; } >both.@# 2>&1; cat both.@#",
    "exec 3>log.@#; echo one >&3; bash -c 'echo two >&3'; exec 3>&-; cat log.@#",
    "mkdir -p state/@N; printf '%s\\n' \"$(date +%Y >/dev/null; echo @D)\" >>state/@N/counter; cat state/*/counter",
    "diff <(printf 'a\\nb\\n') <(printf 'a\\nc\\n') || echo \"diff $?\"",
    "printf '%s|' \"$@\"; echo; printf '%q ' \"$@\"; echo",
    // Where we are.
    "where; echo \"${BASH_SOURCE[0]##*/} ${0##*/} $LINENO\"",
    "f@#() { where; echo \"${FUNCNAME[*]}\"; caller 0 | sed 's,/.*/,,'; }; f@#",
    "echo \"${BASH_SOURCE[@]##*/} ${#BASH_SOURCE[@]}\"; basename \"$0\" .sh",
    "eval 'echo \"eval $LINENO\"'; . /dev/stdin <<<'echo \"sourced $#\"'",
    // The language.
    "bump @D; bump; echo \"$count\"; ((count > 3)) && echo big || echo small",
    "[[ '@W' =~ ^([a-z]+)(.*)$ ]] && echo \"${BASH_REMATCH[1]}|${BASH_REMATCH[2]}\" || echo nomatch",
    "declare -A map=([one]=1 [two]=@D); for k in $(printf '%s\\n' \"${!map[@]}\" | sort); do echo \"$k=${map[$k]}\"; done",
    "case '@W' in git\\ *) echo git ;; -*) echo option ;; '') echo empty ;; *) echo other ;; esac",
    "retry test -e none || echo \"retry $?\"; retry true",
    "local_test() { local x=@D; x=$((x + 1)); echo \"$x\"; }; local_test; echo \"${x-unset}\"",
    "set +u; echo \"${undefined}\"; set -u; echo \"${undefined:-default}\"",
    "v='@W'; echo \"${v//[aeiou]/_} ${#v} ${v^^} ${v:1:3}\"",
    "while getopts ab: o -a -b '@W' rest; do echo \"$o ${OPTARG-}\"; done; echo \"$OPTIND\"; OPTIND=1",
    "false | true; echo \"${PIPESTATUS[*]}\"; { false | true; } || echo pipefail",
    "printf '%s\\n' c a b | sort | head -n 2 | paste -sd, -",
    "readonly r@#=@D; (r@#=5) 2>/dev/null || echo readonly",
    "shopt -s nullglob; for f in *.none; do echo \"$f\"; done; shopt -u nullglob; echo *.none",
    "awk 'BEGIN { print \"@W\" }'; expr 3 + @D; seq -s, 3",
    "echo \"$-\" | tr -d 's'; set -o | grep -E '^(errexit|nounset|pipefail)'",
    "[ \"$#\" -gt 2 ] && halt too many; echo few",
    "unset -f say; type -t say || echo gone; type -t where",
];
