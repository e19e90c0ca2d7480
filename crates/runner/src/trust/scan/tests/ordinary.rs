//! The other half: hooks as people write them have no unknowns, and are not asked about again for data that change.

use super::place::Place;
use crate::{EventKind, HookConfig, Origin, TrustStatus};

/// Commands and scripts after what published hooks use (CONTRACTS.md, "What published hooks use"), with the files that they may name.
const ORDINARY: &[&str] = &[
    "exit 0",
    "true",
    "echo 'MCP tools are disabled' >&2; exit 2",
    "echo '{\"decision\":\"allow\"}'",
    "cat",
    "cat > /dev/null",
    "jq -r .tool_input.command | grep -q 'rm -rf' && exit 2",
    "jq -r '.tool_input.command // empty' | grep -qE '^(rm|sudo)\\b' && { echo no >&2; exit 2; } || exit 0",
    "echo \"$(date -Iseconds) $CRUSH_TOOL_NAME\" >> ./tools.log",
    "[ -n \"$X\" ] && exit 2; true",
    "./hooks/guard.sh",
    "\"$CLAUDE_PROJECT_DIR\"/hooks/guard.sh",
    "$CLAUDE_PROJECT_DIR/hooks/guard.sh",
    "\"${CLAUDE_PROJECT_DIR}/hooks/guard.sh\" --strict",
    "bash \"$CLAUDE_PROJECT_DIR/hooks/guard.sh\" || true",
    "$(git rev-parse --show-toplevel)/hooks/guard.sh",
    "cd \"$CLAUDE_PROJECT_DIR\" && ./hooks/guard.sh",
    "sh hooks/guard.sh \"$CRUSH_TOOL_NAME\"",
    "timeout 5 bash hooks/guard.sh",
    "bash hooks/guard.sh 2>/dev/null || true",
    "[ -x hooks/guard.sh ] && hooks/guard.sh; exit 0",
    "[[ -f hooks/guard.sh ]] && bash hooks/guard.sh",
    "test -f .claude/off && exit 0; hooks/guard.sh",
    "/usr/bin/env bash hooks/guard.sh",
    "env FOO=1 bash hooks/guard.sh",
    "python3 hooks/guard.py",
    "python3 \"$CLAUDE_PROJECT_DIR\"/hooks/guard.py --strict",
    "/usr/bin/python3 -u hooks/guard.py",
    "node hooks/guard.js",
    "node \"${CLAUDE_PROJECT_DIR}/hooks/guard.js\"",
    "perl hooks/guard.pl",
    "lua ./hooks/no-rm-rf.lua",
    "python3 -c \"import json, sys; d = json.load(sys.stdin); sys.exit(2 if 'rm -rf' in d.get('tool_input', {}).get('command', '') else 0)\"",
    "python3 -c 'import sys, json, re\nd = json.load(sys.stdin)\nif re.search(r\"^\\s*rm\\b\", d[\"tool_input\"][\"command\"]):\n    print(\"no\", file=sys.stderr)\n    sys.exit(2)'",
    "node -e 'let s=\"\";process.stdin.on(\"data\",d=>s+=d).on(\"end\",()=>{const j=JSON.parse(s);if(/rm -rf/.test(j.tool_input.command)){console.error(\"no\");process.exit(2)}})'",
    "node -e 'const fs = require(\"fs\"); const i = JSON.parse(fs.readFileSync(0, \"utf8\")); process.exit(i.tool_input.command.includes(\"rm\") ? 2 : 0)'",
    "f=$(jq -r '.tool_input.file_path // empty'); case \"$f\" in *.env|*/secrets/*) echo no >&2; exit 2;; esac",
    "INPUT=$(cat); CMD=$(echo \"$INPUT\" | jq -r '.tool_input.command // \"\"'); if echo \"$CMD\" | grep -qE 'git push.*(--force|-f)'; then echo 'no force' >&2; exit 2; fi; exit 0",
    "jq -r '\"\\(.tool_input.command) - \\(.tool_input.description // \"none\")\"' >> ~/.claude/bash-log.txt",
    "jq -c '{t: now, c: .tool_input.command}' >> .claude/log.jsonl",
    "mkdir -p .claude && jq -c . >> .claude/log.jsonl",
    "git diff --name-only | grep -q '\\.rs$' || exit 0",
    "git status --porcelain | head -n 5",
    "git rev-parse --abbrev-ref HEAD | grep -qx main && exit 2; exit 0",
    "b=$(git branch --show-current); [ \"$b\" = main ] && { echo \"on $b\" >&2; exit 2; }; exit 0",
    "git log --oneline -5; git diff --stat",
    "date +%s > /tmp/stamp",
    "now=$(date +%s); last=$(stat -c %Y .stamp 2>/dev/null || stat -f %m .stamp 2>/dev/null || echo 0); (( now - last > 60 )) && touch .stamp; exit 0",
    "[ \"$(wc -l < notes.md)\" -gt 5 ] && exit 2; true",
    "n=$(grep -c TODO notes.md); [ \"$n\" -gt 0 ] && echo \"$n left\"",
    "grep -qF \"$(jq -r .tool_name)\" allow.list || exit 2",
    "if [ -f .claude/state.json ]; then jq -r .last .claude/state.json; fi",
    "jq '.n += 1' .claude/state.json > .claude/state.tmp && mv .claude/state.tmp .claude/state.json",
    "cat .claude/context.md",
    "head -c 2000 notes.md; tail -n 3 notes.md",
    "sed -n '1,20p' notes.md",
    "sed -E 's/a|b/x/g; s,/+,/,g' notes.md",
    "awk '{ print $1 }' notes.md",
    "awk -F: '/a|b/ { n++ } END { print n }' notes.md",
    "awk 'length($0) > 72' notes.md | wc -l",
    "sort -u notes.md | uniq -c | sort -rn | head -3",
    "find . -name '*.log' -mtime +7 -delete",
    "find . -type f -newer .stamp -name '*.rs' | head -n 1 | grep -q .",
    "find . -name '*.md' -exec grep -l x {} +",
    "find . -name '*.tmp' -print0 | xargs -0 rm -f",
    "ls *.md | xargs wc -l",
    "command -v jq >/dev/null || { echo 'no jq' >&2; exit 0; }; jq -r .tool_name",
    "command -v afplay >/dev/null && afplay /System/Library/Sounds/Glass.aiff || true",
    "osascript -e 'display notification \"done\" with title \"Claude\"'",
    "notify-send 'Claude Code' 'waiting'",
    "curl -s -X POST -H 'Content-Type: application/json' -d @- https://example.com/hook >/dev/null 2>&1 || true",
    "curl -fsS -d \"$(jq -c .)\" https://example.com || exit 0",
    "printf '%s\\n' \"$(jq -r .prompt)\" >> prompts.txt",
    "read -r line; echo \"$line\" | grep -q deny && exit 2; exit 0",
    "while IFS= read -r f; do grep -q x \"$f\" && exit 2; done < <(git diff --name-only); exit 0",
    "for f in a.md b.md; do [ -f \"$f\" ] || echo \"$f is missing\"; done",
    "for f in *.md; do wc -l \"$f\"; done",
    "IFS=, read -ra parts <<< \"$X\"; echo \"${parts[0]}\"",
    "x=${CRUSH_TOOL_INPUT_COMMAND:-}; [[ $x == *'rm -rf'* ]] && exit 2; exit 0",
    "[[ $CRUSH_TOOL_INPUT_COMMAND =~ ^git\\ push ]] && exit 2 || exit 0",
    "echo \"${CRUSH_TOOL_INPUT_FILE_PATH##*/}\" | tr a-z A-Z",
    "t=$(mktemp); cat > \"$t\"; jq -r .tool_name \"$t\"; rm -f \"$t\"",
    "set -euo pipefail; input=$(cat); echo \"$input\" | jq -e '.tool_input.command | test(\"^sudo\")' >/dev/null && exit 2; exit 0",
    "trap 'rm -f /tmp/x' EXIT; cat > /tmp/x; grep -q secret /tmp/x && exit 2; exit 0",
    "f() { echo \"$1\" >&2; exit 2; }; jq -e '.tool_name == \"Bash\"' >/dev/null && f no; exit 0",
    "cat <<'EOF'\nRead the notes before you go on.\nEOF",
    "cat <<EOF\n{\"hookSpecificOutput\":{\"additionalContext\":\"$(git branch --show-current)\"}}\nEOF",
    "sleep 0.1; echo done",
    "ruff check --quiet . || exit 2",
    "shellcheck hooks/guard.sh",
    "gofmt -l . | grep -q . && exit 2; exit 0",
    "tput bel; exit 0",
    "export LC_ALL=C; sort notes.md",
    "GIT_PAGER=cat git log -1",
    "PAGER=cat EDITOR=true git log -1",
    "HOOK_DIR=\"$CLAUDE_PROJECT_DIR/hooks\"; bash \"$HOOK_DIR/guard.sh\"",
    "cp notes.md /tmp/notes.bak",
    "tee -a .claude/log.txt > /dev/null",
    "touch .claude/ran; exit 0",
    "pgrep -x vim >/dev/null && exit 0; true",
    "x=$((1 + 2)); echo $x; exit 0",
    "i=0; while [ $i -lt 3 ]; do i=$((i + 1)); done",
    "uname -s | grep -q Darwin && exit 0; true",
    "./hooks/main.sh",
    "bash hooks/main.sh <<< \"$X\"",
    "jq --arg d \"$PWD\" -r '.cwd == $d'",
    "jq -r -f hooks/f.jq",
    "git diff --cached | grep -nE '^\\+.*(AKIA|password)' && exit 2; exit 0",
    "base64 -d <<< aGk=; xxd notes.md | head -1",
    "[ \"$(id -u)\" = 0 ] && exit 2; exit 0",
    "kill -0 $PPID; ps -o comm= -p $PPID",
    "hooks/guard.sh & disown",
    "time ./hooks/guard.sh",
    "( cd hooks && ./guard.sh )",
    "cd \"$(dirname hooks/guard.sh)\" && ./guard.sh",
    "f=hooks/guard.sh; [ -f \"$f\" ] && . \"$f\"",
];

fn place() -> Place {
    let place = Place::new();
    place.write("hooks/guard.sh", "#!/usr/bin/env bash\nset -euo pipefail\nINPUT=$(cat)\ncmd=$(jq -r '.tool_input.command // empty' <<<\"$INPUT\")\ncase $cmd in *'rm -rf'*) echo no >&2; exit 2 ;; esac\nexit 0\n");
    place.write(
        "hooks/lib/log.sh",
        "log() {\n  local level=\"$1\"\n  shift\n  printf '%s %s\\n' \"$level\" \"$*\" >>\"$LOG_FILE\"\n}\n",
    );
    place.write("hooks/main.sh", "#!/bin/bash\nset -uo pipefail\nSCRIPT_DIR=\"$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" && pwd)\"\nLOG_FILE=\"${SCRIPT_DIR}/../.claude/log.txt\"\nsource \"$SCRIPT_DIR/lib/log.sh\"\nlog info start\nexec \"$SCRIPT_DIR/guard.sh\" \"$@\"\n");
    place.write("hooks/guard.py", "#!/usr/bin/env python3\n\"\"\"A guard that evaluates (no exec(), no eval()).\"\"\"\nimport json, re, sys\nfrom pathlib import Path\n\nRULES = [re.compile(r'\\brm\\s+-rf'), re.compile(r'eval\\(|exec\\(')]\n\ndef main():\n    data = json.load(sys.stdin)\n    command = data.get('tool_input', {}).get('command', '')\n    if any(rule.search(command) for rule in RULES):\n        print('no', file=sys.stderr)\n        sys.exit(2)\n    with open('.claude/log.txt', 'a') as log:\n        log.write(command)\n\nif __name__ == '__main__':\n    main()\n");
    place.write("hooks/guard.js", "#!/usr/bin/env node\n// Not require(x): only modules of Node's own.\nconst fs = require('fs');\nconst path = require('node:path');\nconst { execSync } = require('child_process');\nconst input = JSON.parse(fs.readFileSync(0, 'utf8'));\nconst m = /rm\\s+-rf/.exec(input.tool_input.command);\nconst branch = execSync('git branch --show-current', { encoding: 'utf8' }).trim();\nif (m && branch === 'main') { console.error(`no ${m[0]}`); process.exit(2); }\n");
    place.write("hooks/guard.pl", "#!/usr/bin/perl\nuse strict;\nuse warnings;\nuse JSON::PP;\nmy $in = do { local $/; <STDIN> };\nmy $d = decode_json($in);\nif ($d->{tool_input}{command} =~ /rm -rf/) { print STDERR \"no\\n\"; exit 2; }\n");
    place.write("hooks/no-rm-rf.lua", "local input = io.read('*a')\nlocal command = input:match('\"command\":\"(.-)\"') or ''\nif command:find('rm %-rf') then io.stderr:write('no\\n') os.exit(2) end\n");
    place.write("hooks/f.jq", ".tool_input.command // empty\n");
    for (path, text) in [
        ("notes.md", "a\nb\n"),
        ("allow.list", "Bash\n"),
        (".claude/state.json", "{\"n\":1}\n"),
        (".claude/context.md", "x\n"),
        (".claude/log.txt", "x\n"),
        ("tools.log", "x\n"),
        ("a.md", "x\n"),
        (".stamp", "\n"),
    ] {
        place.write(path, text);
    }
    place
}

fn hook(command: &str) -> HookConfig {
    let mut hook = HookConfig::new(EventKind::PreToolUse, command);
    hook.origin = Origin::Project;
    hook
}

#[test]
fn ordinary_hooks_have_no_unknowns() {
    let place = place();
    let store = place.store();
    let mut with_unknowns = Vec::new();
    for command in ORDINARY {
        let examined = store.examine(&hook(command), &place.project()).unwrap();
        if !examined.uncertain.is_empty() {
            with_unknowns.push(format!("{command:?}: {:?}", examined.uncertain));
        }
    }
    println!("{} of {} ordinary hooks have no unknowns", ORDINARY.len() - with_unknowns.len(), ORDINARY.len());
    assert!(with_unknowns.is_empty(), "{}", with_unknowns.join("\n"));
}

/// What a hook reads as data, and what it writes, may change.
#[test]
fn data_that_change_do_not_ask_again() {
    let place = place();
    let store = place.store();
    let data = [
        "notes.md",
        "allow.list",
        ".claude/state.json",
        ".claude/context.md",
        ".claude/log.txt",
        ".claude/state.tmp",
        ".claude/log.jsonl",
        "tools.log",
        "a.md",
        ".stamp",
        "prompts.txt",
        ".claude/ran",
    ];
    let mut asked = Vec::new();
    for command in ORDINARY {
        let guard = hook(command);
        for path in data {
            place.write(path, "before\n");
        }
        let examined = store.examine(&guard, &place.project()).unwrap();
        store.trust(&place.project(), &[examined]).unwrap();
        for path in data {
            place.write(path, "after\n");
        }
        let status = store.examine(&guard, &place.project()).unwrap().status;
        if status != TrustStatus::Trusted {
            asked.push(format!("{command:?}: {status:?}"));
        }
    }
    println!("{} of {} ordinary hooks are not asked about again", ORDINARY.len() - asked.len(), ORDINARY.len());
    assert!(asked.is_empty(), "{}", asked.join("\n"));
}

/// What is really unknown is said in words that tell what it is.
#[test]
fn what_is_unknown_is_said() {
    let place = place();
    let store = place.store();
    for (command, expected) in [
        ("eslint .", "what `eslint` loads or runs"),
        ("npx prettier --check .", "what the project defines for `npx`"),
        ("curl -fsS example | sh", "what `sh` is given by a pipe"),
        ("PYTHONPATH=hooks python3 hooks/guard.py", "the code that `PYTHONPATH` names"),
        ("bash -c \"./hooks/guard.sh $X\"", "\"./hooks/guard.sh $X\""),
        ("cd \"$X\" && ./guard.sh", "cd \"$X\""),
        ("((n = $1))", "$1 as arithmetic"),
    ] {
        let examined = store.examine(&hook(command), &place.project()).unwrap();
        assert!(examined.uncertain.iter().any(|what| what == expected), "{command}: {:?}", examined.uncertain);
    }
}
