#!/usr/bin/env python3
"""The real Qwen Code as oracle of the dialect `qwen`: see rig.py."""
import json, os, re, subprocess, sys

import rig
from rig import *

# What differs on purpose: a part of the label to the heading of docs/dialects/qwen.md that says why.
HOLDS, TOLD, SHELL_PUTS, KNOWN = "A deny or an ask holds beside other answers", "Every hook's reason is told", "Variables are put in by the shell", "What only the running agent knows"
EXCUSED = {
    "a deny, then an allow inside|exit 2 beside an allow inside|ask beside an allow at the top|ask beside a log line": HOLDS,
    "PreToolUse: continue: false beside a block|Stop: continue: false beside a block|two denies inside|ask inside beside a block": TOLD,
    "HOME in single quotes": SHELL_PUTS,
    "the model in the environment": KNOWN,
    "Stop: wrong type|file: a list": "An agent that fails gives no answer",
    "SubagentStart: additionalContext for an agent whose prompt has no place for it": "Context of SubagentStart",
    "PermissionRequest: two log lines": "Lines of a log deny no permission",
    "TodoCreated: two exits 2": "Several hooks for one todo",
    "trailing comma in the file": "A trailing comma is put up with",
}

INSIDE = '"hookSpecificOutput":{"hookEventName":"EVENT"'
QWEN_OWN = """
deny and stopReason | «{"decision":"deny","reason":"WHYA","stopReason":"WHYB"}» ¦ continue: false and reason | «{"continue":false,"reason":"WHYA"}» ¦ continue: false, both reasons | «{"continue":false,"reason":"WHYA","stopReason":"WHYB"}» ¦ continue: "false" | «{"continue":"false","stopReason":"WHYA"}»
continue: false without a reason | «{"continue":false}» ¦ continue: false, exit 1 | «{"continue":false,"stopReason":"WHYA"}»; exit 1 ¦ continue: true and block | «{"continue":true,"decision":"block","reason":"WHYA"}» ¦ suppressOutput and block | «{"suppressOutput":true,"decision":"block","reason":"WHYA"}»
block on stderr, exit 1 | «BLOCK» >&2; exit 1 ¦ block on stderr, exit 2 | «BLOCK» >&2; exit 2 ¦ allow on stderr, exit 2 | «{"decision":"allow"}» >&2; exit 2 ¦ an empty object on stderr, exit 2 | echo {} >&2; exit 2 ¦ block on both, exit 2 | «{"decision":"block","reason":"WHYB"}»; «BLOCK» >&2; exit 2
block, exit 2, nothing on stderr | «BLOCK»; exit 2 ¦ text on stdout, block on stderr | echo CTXB; «BLOCK» >&2 ¦ blanks on stdout, block on stderr | echo '  '; «BLOCK» >&2 ¦ block, exit 3 | «BLOCK»; exit 3 ¦ block, exit 49 | «BLOCK»; exit 49 ¦ block, killed | «BLOCK»; kill -9 $$
invalid JSON on stderr, exit 2 | echo '{WHYA' >&2; exit 2 ¦ an array on stderr, exit 2 | echo '["WHYA"]' >&2; exit 2 ¦ number | echo 5 ¦ null | echo null ¦ a JSON string | echo '"CTXA"' ¦ JSON with a comment | echo '{"decision":"block","reason":"WHYA"} // x' ¦ JSON with a trailing comma | echo '{"decision":"block","reason":"WHYA",}'
a key twice | «{"decision":"allow","decision":"block","reason":"WHYA"}» ¦ a key twice, the block first | «{"decision":"block","decision":"allow","reason":"WHYA"}» ¦ Block | «{"decision":"Block","reason":"WHYA"}» ¦ a blank reason | «{"decision":"block","reason":" "}» ¦ decision is no text | «{"decision":true,"reason":"WHYA"}»
hookSpecificOutput is no object | «{"decision":"block","reason":"WHYA","hookSpecificOutput":5}» ¦ hookSpecificOutput is null | «{"decision":"block","reason":"WHYA","hookSpecificOutput":null}» ¦ context is no text | «{INSIDE,"additionalContext":["CTXA"]}}» ¦ context of another event | «{"hookSpecificOutput":{"hookEventName":"Bogus","additionalContext":"CTXA"}}»
context without an event | «{"hookSpecificOutput":{"additionalContext":"CTXA"}}» ¦ context, exit 1 | «{INSIDE,"additionalContext":"CTXA"}}»; exit 1 ¦ context on stderr | «{INSIDE,"additionalContext":"CTXA"}}» >&2 ¦ two contexts | «{INSIDE,"additionalContext":"CTXA"}}» || «{INSIDE,"additionalContext":"CTXB"}}» ¦ context and continue: false | «{"continue":false,"stopReason":"WHYA",INSIDE,"additionalContext":"CTXA"}}»
CRLF after | printf '{"decision":"block","reason":"WHYA"}\\r\\n' ¦ text on stderr | echo CTXA >&2 ¦ text on both | echo CTXA; echo CTXB >&2 ¦ text, killed | echo CTXA; kill -9 $$ ¦ exit 2 beside a failure | echo WHYA >&2; exit 2 || exit 1 ¦ exit 2 beside a missing program | echo WHYA >&2; exit 2 || no-such-program ¦ two exits 2 | echo WHYA >&2; exit 2 || echo WHYB >&2; exit 2
stdin is read to its end | cat > /dev/null; «BLOCK» ¦ bash's language | [[ abc == a* ]] && «BLOCK» ¦ a syntax error | if then ¦ the project's directory in quotes | case "$QWEN_PROJECT_DIR/x" in /*/project/x) «BLOCK» ;; esac ¦ Claude Code's variable | case "$CLAUDE_PROJECT_DIR/x" in /*/project/x) «BLOCK» ;; esac
Gemini's variable | case "$GEMINI_PROJECT_DIR/x" in /*/project/x) «BLOCK» ;; esac ¦ the working directory | case "$PWD" in */project) «BLOCK» ;; esac ¦ the session in the environment | test -n "$QWEN_CODE_SESSION_ID" && «BLOCK» ¦ the model in the environment | test "$QWEN_CODE_MODEL" = mock && «BLOCK»
QWEN_CODE_PROMPT_ID | test -n "${QWEN_CODE_PROMPT_ID+x}" && «BLOCK» ¦ QWEN_CODE_AGENT_ID | test -n "${QWEN_CODE_AGENT_ID+x}" && «BLOCK» ¦ HOME in single quotes | test '$HOME' = "$HOME" && «BLOCK» ¦ a variable that is not set, in single quotes | test '$NOSUCH' = "\\$NOSUCH" && «BLOCK»
""".replace("INSIDE", INSIDE)
CALL_OWN = """
ask at the top | «{"decision":"ask","reason":"WHYA"}» ¦ approve at the top, deny inside | «{"decision":"approve",INSIDE,DENY}}» ¦ block at the top, allow inside | «{"decision":"block","reason":"WHYA",INSIDE,"permissionDecision":"allow"}}» ¦ block at the top, ask inside | «{"decision":"block","reason":"WHYB",INSIDE,"permissionDecision":"ask","permissionDecisionReason":"WHYA"}}»
block at the top, an unknown word inside | «{"decision":"block","reason":"WHYA",INSIDE,"permissionDecision":"forbid"}}» ¦ defer inside | «{INSIDE,"permissionDecision":"defer","permissionDecisionReason":"WHYA"}}» ¦ both reasons | «{"reason":"WHYB",INSIDE,DENY}}» ¦ deny inside, the reason at the top | «{"reason":"WHYA",INSIDE,"permissionDecision":"deny"}}»
deny inside, an empty reason, stopReason | «{"stopReason":"WHYA",INSIDE,"permissionDecision":"deny","permissionDecisionReason":""}}» ¦ allow inside and continue: false | «{"continue":false,"stopReason":"WHYA",INSIDE,"permissionDecision":"allow"}}» ¦ deny and continue: false | «{"continue":false,"stopReason":"WHYB",INSIDE,DENY}}»
ask without a reason | «{INSIDE,"permissionDecision":"ask"}}» ¦ deny, exit 49 | «{INSIDE,DENY}}»; exit 49 ¦ deny inside on stderr, exit 2 | «{INSIDE,DENY}}» >&2; exit 2 ¦ deny inside on stdout, text on stderr, exit 2 | «{INSIDE,"permissionDecision":"deny","permissionDecisionReason":"WHYB"}}»; echo WHYA >&2; exit 2 ¦ allow inside beside exit 2, text | «{INSIDE,"permissionDecision":"allow"}}»; echo WHYA >&2; exit 2
two denies inside | «{INSIDE,DENY}}» || «{INSIDE,"permissionDecision":"deny","permissionDecisionReason":"WHYB"}}» ¦ a deny, then an allow inside | «{INSIDE,DENY}}» || «{INSIDE,"permissionDecision":"allow"}}» ¦ an allow, then a deny inside | «{INSIDE,"permissionDecision":"allow"}}» || «{INSIDE,DENY}}» ¦ exit 2 beside an allow inside | echo WHYA >&2; exit 2 || «{INSIDE,"permissionDecision":"allow"}}»
ask beside an allow at the top | «{"decision":"ask","reason":"WHYA"}» || «{"decision":"allow"}» ¦ ask beside a log line | «{"decision":"ask","reason":"WHYA"}» || echo log ¦ ask inside beside a log line | «{INSIDE,"permissionDecision":"ask","permissionDecisionReason":"WHYA"}}» || echo log ¦ ask inside beside a block | «{INSIDE,"permissionDecision":"ask","permissionDecisionReason":"WHYA"}}» || «{"decision":"block","reason":"WHYB"}»
tool_input inside | «{INSIDE,"tool_input":{"command":"echo ran > marker2","description":"d"}}}» ¦ block and updatedInput | «{"decision":"block","reason":"WHYA",INSIDE,"updatedInput":{"command":"echo ran > marker2"}}}»
""".replace("INSIDE", INSIDE)
PERMISSION = """
allow | «{"hookSpecificOutput":{"decision":{"behavior":"allow"}}}» ¦ deny | «{"hookSpecificOutput":{"decision":{"behavior":"deny","message":"WHYA"}}}» ¦ deny without a message | «{"hookSpecificOutput":{"decision":{"behavior":"deny"}}}» ¦ allow and updatedInput | «{"hookSpecificOutput":{"decision":{"behavior":"allow","updatedInput":{"command":"echo ran > marker2","description":"d","is_background":false}}}}»
deny and interrupt | «{"hookSpecificOutput":{"decision":{"behavior":"deny","message":"WHYA","interrupt":true}}}» ¦ an unknown behavior | «{"hookSpecificOutput":{"decision":{"behavior":"Allow"}}}» ¦ an empty decision | «{"hookSpecificOutput":{"decision":{}}}» ¦ a decision that is a word | «{"hookSpecificOutput":{"decision":"allow"}}» ¦ permissionDecision | «{"hookSpecificOutput":{"permissionDecision":"allow"}}»
allow, exit 1 | «{"hookSpecificOutput":{"decision":{"behavior":"allow"}}}»; exit 1 ¦ allow and deny | «{"hookSpecificOutput":{"decision":{"behavior":"allow"}}}» || «{"hookSpecificOutput":{"decision":{"behavior":"deny","message":"WHYA"}}}» ¦ allow beside a log line | «{"hookSpecificOutput":{"decision":{"behavior":"allow"}}}» || echo log ¦ two log lines | echo log || echo more ¦ a log line beside a silent hook | echo log || exit 0
"""
# Some of those for the other events.
MORE = ("continue: false and reason", "continue: false, both reasons", "continue: false without a reason", "deny and stopReason", "block on stderr, exit 2", "allow on stderr, exit 2", "block, exit 2, nothing on stderr", "text on stdout, block on stderr",
        "context without an event", "context of another event", "context, exit 1", "two contexts", "context and continue: false", "text on stderr", "text on both", "two exits 2", "block, exit 3", "a JSON string", "null", "decision: deny", "exit 2, text on both", "plain text, exit 1", "invalid JSON", "wrong type", "systemMessage", "decision: DENY")
LITTLE = ("exit 0", "exit 1", "exit 2", "exit 2, silent", "plain text", "continue: false", "block", "decision: deny", "additionalContext", "block and additionalContext")

TEXT, SHELL = dict(text="all done"), dict(tool="run_shell_command", args=dict(command="echo ran > marker", description="d", is_background=False))
TODO = lambda *states: dict(tool="todo_write", args=dict(todos=[dict(id=str(n), content="t%d" % n, status=s) for n, s in enumerate(states)]))
EVENTS = {
    "PostToolUseFailure": dict(steps=[dict(tool="read_file", args=dict(file_path="@/project/nope")), TEXT]),
    # What a hook tells a sub-agent stands where its prompt says so.
    "SubagentStart": dict(files={".qwen/agents/helper.md": "---\nname: helper\ndescription: helps\n---\nYou help. ${hook_context}\n"},
                          steps=[dict(tool="agent", args=dict(description="d", prompt="p", subagent_type="helper", run_in_background=False)), dict(text="sub"), TEXT]),
    "TodoCreated": dict(steps=[TODO("pending"), TEXT]),
    "TodoCompleted": dict(steps=[TODO("pending"), TODO("completed"), TEXT]),
    "InstructionsLoaded": dict(files={"QWEN.md": "be nice"}),
    "UserPromptExpansion": dict(files={".qwen/commands/x.md": "---\ndescription: x\n---\nplease do it"}, prompt="/x"),
}
EVENTS["SubagentStop"] = EVENTS["SubagentStart"]
# They are fired more than once in a run: how often a hook ran says nothing.
OFTEN = ("UserPromptSubmit", "InstructionsLoaded", "MessageDisplay", "TodoCreated", "TodoCompleted", "Notification")
ENDS = ("Stop", "SubagentStop")

class Qwen(Agent):
    agent = "Qwen Code"
    name, file, shell, asked = "qwen", ".qwen/settings.json", "run_shell_command", ("not", "on")
    call = staticmethod(lambda command: dict(command=command, description="d", is_background=False))
    sent = staticmethod(lambda request: json.dumps([m for m in request["messages"] if m["role"] != "assistant"]))
    env = staticmethod(lambda: dict(OPENAI_API_KEY="dummy", OPENAI_BASE_URL=MOCK.url + "/v1", OPENAI_MODEL="mock", QWEN_CODE_NO_RELAUNCH="true", QWEN_CODE_SUPPRESS_YOLO_WARNING="1"))
    def installed_at(self):
        self.program, self.node = self.installed.file("cli.js"), node(22)
        self.installed.file("vendor/ripgrep/x64-linux/rg")
    def config(self, case):
        if "raw" in case or case["event"] != "SubagentStop":
            return super().config(case)
        once = "if [ -e @/once%s ]; then exit 0; fi; : > @/once%s; "
        commands = ["echo %s >> @/runs; " % a + once % (a, a) + c for a, c in zip("abcd", case["hooks"])]
        return json.dumps(dict(self.own, **case.get("top", {}), hooks={case["event"]: self.hooks(commands, case)}))
    def prepare(self, case, box, home, project, recorder):
        self.case = case
        own = dict(security=dict(auth=dict(selectedType="openai")), privacy=dict(usageStatisticsEnabled=False), general=dict(enableAutoUpdate=False), tools=dict(todoWrite=dict(enabled=True)))
        put(home + "/.qwen/settings.json", json.dumps(dict(recorder, **own)))
    def argv(self, project):
        if self.case["event"] == "PermissionRequest":
            # The user is asked over the stream, and nobody answers.
            message = json.dumps(dict(type="user", message=dict(role="user", content="please do it")))
            return ["sh", "-c", "printf '%s\\n' \"$1\" | timeout -k 1 12 \"$2\" \"$3\" --approval-mode default --input-format stream-json --output-format stream-json", "sh", message, self.node, self.program]
        return [self.node, self.program, "--yolo", "-p", self.case.get("prompt", "please do it")]
    def real(self, case, box, adopted=False):
        real, payload, shown = super().real(case, box, adopted)
        if case["event"] in OFTEN:
            real["runs"] = "".join(sorted(set(real["runs"])))
        if case["event"] in ("TodoCreated", "TodoCompleted"):
            real["act"] = "not" if "blocked" in shown + json.dumps([self.sent(r) for r in MOCK.log]) else "ran"
        return real, payload, shown
    def summary(self, event, hook, runs, real):
        said = super().summary(event, hook, runs, real)
        verdict = json.loads(hook.stdout) if hook.stdout.strip() else dict(decision=None, halt=False, reason=None, updated_result=None)
        denied, words = verdict["decision"] == "deny", set(said["model"])
        if event in ENDS and denied and not verdict["halt"] and said["turn"] == "on":
            said.update(turn="again", runs="".join(sorted(runs.split() * 2)))
            words |= set(shown(verdict["reason"]))
        if denied and event in ("PostToolBatch", "TodoCreated", "TodoCompleted"):
            words |= set(shown(verdict["reason"]))
        if event == "UserPromptExpansion" and denied:
            said.update(act="not", turn="ended")
            words = set()
        if event in ("TodoCreated", "TodoCompleted"):
            said["act"] = "not" if denied else "ran"
        elif event == "PermissionRequest" and verdict["decision"] is None:
            said.update(act="not", turn="ended")
        elif event not in ("PermissionRequest", "PreToolUse", "UserPromptSubmit", "UserPromptExpansion", "SessionStart"):
            said["act"] = real["act"]
        words |= set(SHOWN.findall(json.dumps(verdict.get("updated_result"))))
        if self.case.get("other_tool"):
            said.update(act=real["act"], turn=real["turn"])  # it writes no marker, and who is not started asks for nothing
        if event in OFTEN:
            said["runs"] = "".join(sorted(set(said["runs"])))
        return dict(said, model=sorted(words))
    def cases(self):
        for event in ("PreToolUse",):
            yield from table(event, COMMON)
            yield from table(event, OWN)
            yield from table(event, CALL_OWN)
            yield from table(event, QWEN_OWN)
        for event in ("PostToolUse", "UserPromptSubmit", "Stop"):
            yield from table(event, COMMON.strip() + QWEN_OWN, FEW + MORE)
        for event in ("SessionStart", "PostToolUseFailure", "PostToolBatch", "UserPromptExpansion", "SubagentStart", "SubagentStop", "TodoCreated", "TodoCompleted", "Notification", "InstructionsLoaded", "MessageDisplay"):
            yield from table(event, COMMON.strip() + QWEN_OWN, LITTLE, **EVENTS.get(event, {}))
        yield from table("TodoCreated", COMMON, ("two blocks", "allow beside a block"), **EVENTS["TodoCreated"])
        yield from table("TodoCreated", QWEN_OWN, ("two exits 2", "exit 2 beside a failure"), **EVENTS["TodoCreated"])
        yield from matchers("PreToolUse", ["run_shell_command", "shell", "Shell", "ShellTool", "Bash", "bash", "run_.*", "run_", "^run", "shell_command$", "*", ".*", "", " ", " Shell ", "Shell|Edit", "Edit|Shell", "Edit | Shell", "Edit|WriteFile", "write_file|run_shell_command", "write_file|run_shell", "write_file", "(", "[", "Edit|(", "|", "Edit|", "Edit|*",
                                           "^(?!mcp)", "^(?!run)", "(Shell|Edit)", "(run|edit)_.*", "^Shell", None, "run_shell_command(echo *)", "Shell(echo *)", "Shell, Edit", "Edit,run_shell_command", "RUN_SHELL_COMMAND", "run.shell.command", "\\brun", "Ru[n]|Edit", "run_shell_command\\", "exec", "SHELL|Shell"])
        yield from matchers("PostToolUse", ["Shell", "Edit", "run_"], no="echo '{\"continue\":false,\"stopReason\":\"WHYA\"}'")
        yield from matchers("PreToolUse", ["read_file", "ReadFile", "Read", "ReadFileTool", "edit"], " on read_file", files={"f": "x"}, other_tool=True, steps=[dict(tool="read_file", args=dict(file_path="@/project/f")), TEXT])
        yield from matchers("PreToolUse", ["edit", "replace", "Edit", "EditTool", "write"], " on the old name replace", other_tool=True, steps=[dict(tool="replace", args=dict(file_path="@/project/x", old_string="", new_string="y")), TEXT])
        yield from matchers("PreToolUse", ["agent", "Task", "task", "Agent"], " on agent", other_tool=True, **EVENTS["SubagentStart"])
        yield from matchers("SessionStart", ["startup", "start", "Startup", "startup|resume", "resume|startup", "resume", "*", "", "^start", "start|x", "("])
        yield from matchers("SubagentStart", ["helper", "help", "x", "^h.*r$"], no=CONTEXT, **EVENTS["SubagentStart"])
        yield dict(name="additionalContext for an agent whose prompt has no place for it", event="SubagentStart", hooks=[CONTEXT], steps=[dict(tool="agent", args=dict(description="d", prompt="p", subagent_type="general-purpose", run_in_background=False)), dict(text="sub"), TEXT])
        yield from matchers("UserPromptExpansion", ["x", "y", "/x", "^x$"], no=CONTEXT, **EVENTS["UserPromptExpansion"])
        yield from matchers("Notification", ["auth_success", "auth", "permission_prompt"], no="exit 0")
        yield from matchers("InstructionsLoaded", ["QWEN", "AGENTS", "session_start"], no="exit 0", **EVENTS["InstructionsLoaded"])
        for event in ("Stop", "UserPromptSubmit", "PostToolBatch", "MessageDisplay"):
            yield dict(name="matcher 'no'", event=event, hooks=["exit 0"], matcher="no")
        yield dict(name="matcher is a number", event="PreToolUse", hooks=[NO], matcher=5)
        yield from table("PermissionRequest", COMMON, ("exit 0", "exit 2", "plain text", "block", "continue: false"))
        yield from table("PermissionRequest", PERMISSION)
        for fields in [dict(timeout=1000), dict(timeout=1), dict(timeout=5), dict(timeout=5000), dict(timeout=0), dict(timeout=-1), dict(timeout=0.5), dict(timeout="1000"), dict(timeout="1"), dict(timeout="x"), dict(timeout=None)]:
            yield dict(name=json.dumps(fields), event="PreToolUse", hooks=["sleep 2.2; " + NO], fields=fields)
        yield from shapes("PreToolUse", [dict(name="n"), dict(description="x"), {"async": True}, {"async": "true"}, {"asyncRewake": True}, {"if": "Bash(rm *)"}, {"if": "Bash(git"}, dict(enabled=False), dict(env=dict(A="b")), dict(foo=1), dict(type="bogus"), dict(type="Command"), dict(type=5), dict(shell="bash"), dict(shell="zsh"), dict(shell=5), dict(once=True), dict(args=["x"]),
                                         dict(cwd="/"), dict(cwd="/nope"), dict(statusMessage="x"), dict(matcher="Edit"), dict(name=5), dict(command=["x"]), dict(command=5)],
                          [dict(sequential=True), dict(sequential="x"), dict(foo=1), dict(disabled=True), dict(enabled=False), dict(description="x")],
                          [dict(foo=1), dict(disableAllHooks=True), dict(disableAllHooks="true"), dict(hooksConfig=dict(enabled=False)), dict(hooksConfig=dict(disabled=["n"])), dict(tools=dict(enableHooks=False)), {"$version": 4}, {"$version": 3}, {"$version": "x"}])
        yield dict(name="env reaches the hook", event="PreToolUse", hooks=['test "$A" = b && ' + NO], fields=dict(env=dict(A="b")))
        yield dict(name="env overrides the project's variable", event="PreToolUse", hooks=['test "$QWEN_PROJECT_DIR" = b && ' + NO], fields=dict(env=dict(QWEN_PROJECT_DIR="b")))
        yield dict(name="sequential: the second sees what the first has done", event="PreToolUse", hooks=["sleep .5; : > first", "test -e first && { " + NO + "; }"], group=dict(sequential=True))
        yield dict(name="not sequential: the second does not", event="PreToolUse", hooks=["sleep .8; : > first", "test -e first && { " + NO + "; }"])
        hook = lambda c=NO, a="a", **k: dict(dict(type="command", command="echo %s >> @/runs; " % a + c), **k)
        groups = lambda *g, **top: json.dumps(dict(top, hooks=dict(PreToolUse=list(g))))
        for name, raw in {"two of one name": groups(dict(hooks=[hook(name="n"), hook(a="b", name="n")])), "one command of two names": groups(dict(hooks=[hook(name="n"), hook(name="m")])), "one command in two groups": groups(dict(hooks=[hook()]), dict(hooks=[hook()])), "one command with two matchers": groups(dict(matcher="Shell", hooks=[hook()]), dict(matcher="*", hooks=[hook()])),
                          "one command with two timeouts": groups(dict(hooks=[hook(timeout=5), hook(timeout=6)])), "a group without hooks beside it": groups(dict(matcher="Shell"), dict(hooks=[hook()])), "a group that is null beside it": groups(None, dict(hooks=[hook()])), "a hook that is null beside it": groups(dict(hooks=[None, hook()])), "an event that is no list": json.dumps(dict(hooks=dict(Stop={}, PreToolUse=[dict(hooks=[hook()])]))),
                          "an invalid matcher beside it": groups(dict(matcher="(", hooks=[hook(a="b")]), dict(hooks=[hook()])), "a hook of an unknown type beside it": groups(dict(hooks=[dict(type="nope"), hook()])), "enabled among the events": json.dumps(dict(hooks=dict(enabled=False, disabled=["n"], PreToolUse=[dict(hooks=[hook(name="n")])]))), "hooks is a list": json.dumps(dict(hooks=[dict(hooks=[hook()])])), "event in lower case": groups(dict(hooks=[hook()])).replace("PreToolUse", "pretooluse"),
                          "Gemini's event": groups(dict(hooks=[hook()])).replace("PreToolUse", "BeforeTool"), "hooks twice": groups(dict(hooks=[hook()]))[:-1] + ',"hooks":{}}', "a list": "[" + groups(dict(hooks=[hook()])) + "]", "an empty file": "", "a block comment": "/* x */" + groups(dict(hooks=[hook()])), "single quotes": groups(dict(hooks=[hook()])).replace('"hooks"', "'hooks'"), "a sequential group beside another": groups(dict(sequential=True, hooks=[hook("sleep .5; : > first")]), dict(hooks=[hook("test -e first && { " + NO + "; }", "b")]))}.items():
            yield dict(name="file: " + name, event="PreToolUse", raw=raw)

CONTEXT = "echo '{\"hookSpecificOutput\":{\"additionalContext\":\"CTXA\"}}'"

if __name__ == "__main__":
    rig.run(Qwen, EXCUSED)
