#!/usr/bin/env python3
"""The real Copilot CLI as oracle of the dialect `copilot`: see rig.py."""
import json, os, re, subprocess, sys

import http_hooks, rig
from rig import *

# What differs on purpose: a part of the label to the heading of docs/dialects/AGENT.md that says why.
EXCUSED = {}

# A call's answer, in both cases of the event's name.
PRE = """
deny, the reason a number | «{"permissionDecision":"deny","permissionDecisionReason":5}» ¦ an empty reason | «{"permissionDecision":"deny","permissionDecisionReason":""}» ¦ a null reason | «{"permissionDecision":"deny","permissionDecisionReason":null}» ¦ a decision that is a number | «{"permissionDecision":5}» ¦ a decision that is null | «{"permissionDecision":null}» ¦ defer | «{"permissionDecision":"defer"}» ¦ a blank before the word | «{"permissionDecision":" deny"}»
inside allow, outside deny | «{DENY,"hookSpecificOutput":{"hookEventName":"EVENT","permissionDecision":"allow"}}» ¦ inside deny, outside allow | «{"permissionDecision":"allow","hookSpecificOutput":{DENY}}» ¦ the reason inside | «{"permissionDecision":"deny","hookSpecificOutput":{"permissionDecisionReason":"WHYB"}}» ¦ nothing inside | «{DENY,"hookSpecificOutput":null}» ¦ a list inside | «{DENY,"hookSpecificOutput":[]}» ¦ the event in camel case inside | «{"hookSpecificOutput":{"hookEventName":"preToolUse",DENY}}» ¦ block inside | «{"hookSpecificOutput":{"decision":"block","reason":"WHYA"}}» ¦ behavior | «{"behavior":"deny","message":"WHYA"}»
progress before a deny | echo '{"type":"progress","message":"x"}'; «{DENY}» ¦ progress after a deny | «{DENY}»; echo '{"type":"progress","message":"x"}' ¦ a deny and text | «{DENY}»; echo x ¦ a deny and an object | «{DENY}»; echo {} ¦ a NUL after it | «{DENY}»; printf '\\000' ¦ a comma too many | «{DENY,}» ¦ a comment | echo // x; «{DENY}» ¦ blank lines around it | echo; echo; «{DENY}»; echo ¦ equal keys | «{"permissionDecision":"allow","permissionDecision":"deny"}» ¦ not UTF-8 | printf '{"permissionDecision":"deny","permissionDecisionReason":"\\351"}'
exit 2 and a deny | «{DENY}»; exit 2 ¦ exit 2 and an ask | «{"permissionDecision":"ask","permissionDecisionReason":"WHYA"}»; exit 2 ¦ exit 2 and an allow | «{"permissionDecision":"allow"}»; exit 2 ¦ exit 2 and a reason | «{"permissionDecisionReason":"WHYA"}»; exit 2 ¦ exit 2 and a reason inside | «{"hookSpecificOutput":{DENY}}»; exit 2 ¦ exit 2 and additionalContext | «{"additionalContext":"CTXA"}»; exit 2 ¦ exit 2 and additionalContext inside | «{"hookSpecificOutput":{"additionalContext":"CTXA"}}»; exit 2 ¦ a syntax error | if then fi
modifiedArgs, a text | «{"modifiedArgs":"x"}» ¦ modifiedArgs, an object as text | «{"modifiedArgs":"{\\"command\\":\\"echo ran > marker2\\",\\"description\\":\\"d\\"}"}» ¦ modifiedArgs, null | «{"modifiedArgs":null}» ¦ modifiedArgs, a list | «{"modifiedArgs":[1]}» ¦ modifiedArgs and deny | «{DENY,"modifiedArgs":{"command":"echo ran > marker2","description":"d"}}» ¦ modifiedArgs and ask | «{"permissionDecision":"ask","permissionDecisionReason":"WHYA","modifiedArgs":{"command":"echo ran > marker2","description":"d"}}» ¦ modifiedArgs, exit 1 | «{"modifiedArgs":{"command":"echo ran > marker2","description":"d"}}»; exit 1 ¦ updatedInput at the top | «{"updatedInput":{"command":"echo ran > marker2","description":"d"}}» ¦ updatedInput, null | «{"hookSpecificOutput":{"updatedInput":null}}» ¦ updatedInput, an object as text | «{"hookSpecificOutput":{"updatedInput":"{\\"command\\":\\"echo ran > marker2\\",\\"description\\":\\"d\\"}"}}» ¦ modifiedArgs inside | «{"hookSpecificOutput":{"modifiedArgs":{"command":"echo ran > marker2","description":"d"}}}»
additionalContext, a list | «{"additionalContext":["CTXA"]}» ¦ additionalContext and a deny | «{DENY,"additionalContext":"CTXA"}» ¦ additionalContext, exit 1 | «{"additionalContext":"CTXA"}»; exit 1
a deny, and a hook after it | «{DENY}» || «{"additionalContext":"CTXB"}» ¦ an ask, and a deny after it | «{"permissionDecision":"ask","permissionDecisionReason":"WHYA"}» || «{"permissionDecision":"deny","permissionDecisionReason":"WHYB"}» ¦ an allow, and a deny after it | «{"permissionDecision":"allow"}» || «{DENY}» ¦ an allow, and an ask after it | «{"permissionDecision":"allow"}» || «{"permissionDecision":"ask","permissionDecisionReason":"WHYA"}» ¦ exit 1, and a deny after it | exit 1 || «{DENY}» ¦ exit 2, and a deny after it | exit 2 || «{DENY}» ¦ new arguments, and a deny after it | «{"modifiedArgs":{"command":"echo ran > marker2","description":"d"}}» || «{DENY}» ¦ new arguments that the next hook sees | «{"modifiedArgs":{"command":"echo ran > marker2","description":"d"}}» || grep -q marker2 && «{DENY}» ¦ two contexts | «{"additionalContext":"CTXA"}» || «{"additionalContext":"CTXB"}» ¦ three hooks, the second denies | exit 0 || «{DENY}» || exit 0
"""
PERMISSION = """
allow | «{"behavior":"allow"}» ¦ deny | «{"behavior":"deny","message":"WHYA"}» ¦ deny and interrupt | «{"behavior":"deny","message":"WHYA","interrupt":true}» ¦ deny, interrupt no boolean | «{"behavior":"deny","message":"WHYA","interrupt":"x"}» ¦ deny without a message | «{"behavior":"deny"}» ¦ deny, the message a number | «{"behavior":"deny","message":5}» ¦ ask | «{"behavior":"ask"}» ¦ DENY | «{"behavior":"DENY","message":"WHYA"}» ¦ a behavior that is a number | «{"behavior":5}» ¦ a list | echo '[]' ¦ null | echo null ¦ an empty object | echo {} ¦ blanks | printf ' \\n ' ¦ invalid JSON | echo '{CTXA' ¦ killed | kill -9 $$ ¦ a command that is not there | no-such-command
permissionDecision | «{DENY}» ¦ decision: deny | «{"decision":"deny","reason":"WHYA"}» ¦ a decision as Claude Code has it | «{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"WHYA"}}}» ¦ behavior inside | «{"hookSpecificOutput":{"behavior":"deny","message":"WHYA"}}» ¦ progress and a deny | echo '{"type":"progress","message":"x"}'; «{"behavior":"deny","message":"WHYA"}» ¦ text and a deny | echo x; «{"behavior":"deny","message":"WHYA"}» ¦ byte order mark and a deny | printf '\\357\\273\\277'; «{"behavior":"deny","message":"WHYA"}» ¦ new arguments | «{"behavior":"allow","updatedInput":{"command":"echo ran > marker2"}}»
exit 2 and a deny | «{"behavior":"deny","message":"WHYA"}»; exit 2 ¦ exit 2 and an allow | «{"behavior":"allow"}»; exit 2 ¦ exit 1 and an allow | «{"behavior":"allow"}»; exit 1
a deny, and an allow after it | «{"behavior":"deny","message":"WHYA"}» || «{"behavior":"allow"}» ¦ an allow, and a deny after it | «{"behavior":"allow"}» || «{"behavior":"deny","message":"WHYA"}» ¦ a deny, and nothing after it | «{"behavior":"deny","message":"WHYA"}» || echo {} ¦ a deny, and an ask after it | «{"behavior":"deny","message":"WHYA"}» || «{"behavior":"ask"}» ¦ two denies | «{"behavior":"deny","message":"WHYA"}» || «{"behavior":"deny","message":"WHYB"}» ¦ exit 1, and an allow after it | exit 1 || «{"behavior":"allow"}» ¦ an allow, and exit 1 after it | «{"behavior":"allow"}» || exit 1 ¦ exit 2, and an allow after it | exit 2 || «{"behavior":"allow"}» ¦ text, and a deny after it | echo x || «{"behavior":"deny","message":"WHYA"}»
"""
POST = """
additionalContext, a list | «{"additionalContext":["CTXA"]}» ¦ additionalContext, exit 2 | «{"additionalContext":"CTXA"}»; exit 2 ¦ additionalContext, exit 1 | «{"additionalContext":"CTXA"}»; exit 1 ¦ BLOCK in capitals | «{"decision":"BLOCK","reason":"WHYA"}» ¦ decision: deny | «{"decision":"deny","reason":"WHYA"}» ¦ block, the reason a number | «{"decision":"block","reason":5}» ¦ block inside | «{"hookSpecificOutput":{"decision":"block","reason":"WHYA"}}» ¦ block, exit 2 | «BLOCK»; exit 2 ¦ permissionDecision | «{DENY}»
modifiedResult | «{"modifiedResult":{"resultType":"success","textResultForLlm":"CTXA"}}» ¦ modifiedResult, a failure | «{"modifiedResult":{"resultType":"failure","textResultForLlm":"CTXA"}}» ¦ modifiedResult, a text | «{"modifiedResult":"CTXA"}» ¦ modifiedResult, empty | «{"modifiedResult":{}}» ¦ modifiedResult, null | «{"modifiedResult":null}» ¦ modifiedResult in snake case | «{"modifiedResult":{"result_type":"success","text_result_for_llm":"CTXA"}}» ¦ modifiedResult inside | «{"hookSpecificOutput":{"modifiedResult":{"resultType":"success","textResultForLlm":"CTXA"}}}» ¦ modifiedResult, exit 2 | «{"modifiedResult":{"textResultForLlm":"CTXA"}}»; exit 2 ¦ modifiedResult and a block | «{"decision":"block","reason":"WHYA","modifiedResult":{"textResultForLlm":"CTXA"}}» ¦ modifiedResult and additionalContext | «{"additionalContext":"CTXB","modifiedResult":{"textResultForLlm":"CTXA"}}» ¦ updatedToolOutput | «{"hookSpecificOutput":{"hookEventName":"EVENT","updatedToolOutput":"CTXA"}}»
two contexts | «{"additionalContext":"CTXA"}» || «{"additionalContext":"CTXB"}» ¦ a context, and a block after it | «{"additionalContext":"CTXA"}» || «BLOCK» ¦ a block, and a context after it | «BLOCK» || «{"additionalContext":"CTXA"}» ¦ two results | «{"modifiedResult":{"textResultForLlm":"CTXA"}}» || «{"modifiedResult":{"textResultForLlm":"CTXB"}}» ¦ a result, and a block after it | «{"modifiedResult":{"textResultForLlm":"CTXA"}}» || «BLOCK» ¦ exit 1, and a block after it | exit 1 || «BLOCK»
"""
FAILURE = """
exit 2 | echo WHYA >&2; exit 2 ¦ exit 2, text on stdout | echo CTXA; exit 2 ¦ plain text | echo CTXA ¦ additionalContext at the top | «{"additionalContext":"CTXA"}» ¦ additionalContext | «{"hookSpecificOutput":{"hookEventName":"EVENT","additionalContext":"CTXA"}}» ¦ additionalContext, a list | «{"additionalContext":["CTXA"]}» ¦ additionalContext, exit 2 | «{"additionalContext":"CTXA"}»; echo WHYA >&2; exit 2 ¦ additionalContext, exit 1 | «{"additionalContext":"CTXA"}»; exit 1 ¦ block | «BLOCK» ¦ modifiedResult | «{"modifiedResult":{"textResultForLlm":"CTXA"}}» ¦ two contexts | «{"additionalContext":"CTXA"}» || «{"additionalContext":"CTXB"}»
"""
PROMPT = """
BLOCK in capitals | «{"decision":"BLOCK","reason":"WHYA"}» ¦ decision: deny | «{"decision":"deny","reason":"WHYA"}» ¦ block, an empty reason | «{"decision":"block","reason":""}» ¦ block, exit 2 | «BLOCK»; exit 2 ¦ block inside | «{"hookSpecificOutput":{"decision":"block","reason":"WHYA"}}» ¦ additionalContext, a list | «{"additionalContext":["CTXA"]}» ¦ additionalContext, exit 2 | «{"additionalContext":"CTXA"}»; exit 2
modifiedPrompt | «{"modifiedPrompt":"CTXA"}» ¦ modifiedPrompt, a number | «{"modifiedPrompt":5}» ¦ modifiedPrompt and additionalContext | «{"modifiedPrompt":"CTXA","additionalContext":"CTXB"}» ¦ modifiedPrompt inside | «{"hookSpecificOutput":{"modifiedPrompt":"CTXA"}}» ¦ modifiedTransformedPrompt | «{"modifiedTransformedPrompt":"CTXA"}» ¦ handled | «{"handled":true,"responseContent":"CTXA"}» ¦ handled, no response | «{"handled":true}» ¦ handled, the response a number | «{"handled":true,"responseContent":5}» ¦ handled: false | «{"handled":false,"responseContent":"CTXA"}»
two contexts | «{"additionalContext":"CTXA"}» || «{"additionalContext":"CTXB"}» ¦ a block, and a context after it | «BLOCK» || «{"additionalContext":"CTXA"}» ¦ two prompts | «{"modifiedPrompt":"CTXA"}» || «{"modifiedPrompt":"CTXB"}» ¦ a block, and an allow after it | «BLOCK» || «{"decision":"allow"}»
"""
TRANSFORMED = """
at all | exit 0 ¦ exit 1 | exit 1 ¦ exit 2 | echo WHYA >&2; exit 2 ¦ modifiedTransformedPrompt | «{"modifiedTransformedPrompt":"CTXA"}» ¦ modifiedTransformedPrompt, a number | «{"modifiedTransformedPrompt":5}» ¦ modifiedTransformedPrompt, exit 2 | «{"modifiedTransformedPrompt":"CTXA"}»; exit 2 ¦ block | «BLOCK» ¦ additionalContext at the top | «{"additionalContext":"CTXA"}» ¦ modifiedPrompt | «{"modifiedPrompt":"CTXA"}»
"""
START = """
additionalContext, a list | «{"additionalContext":["CTXA"]}» ¦ additionalContext, exit 2 | «{"additionalContext":"CTXA"}»; exit 2 ¦ additionalContext, exit 1 | «{"additionalContext":"CTXA"}»; exit 1 ¦ two contexts | «{"additionalContext":"CTXA"}» || «{"additionalContext":"CTXB"}» ¦ systemMessage | «{"systemMessage":"CTXA"}»
"""
STOP = """
block, a blank reason | «{"decision":"block","reason":" "}» ¦ block, an empty reason | «{"decision":"block","reason":""}» ¦ block, the reason a number | «{"decision":"block","reason":5}» ¦ block, exit 2 | «BLOCK»; echo WHYB >&2; exit 2 ¦ decision: deny | «{"decision":"deny","reason":"WHYA"}» ¦ block inside | «{"hookSpecificOutput":{"decision":"block","reason":"WHYA"}}» ¦ block and continue: false | «{"continue":false,"stopReason":"WHYB","decision":"block","reason":"WHYA"}» ¦ a block, and an allow after it | «BLOCK» || «{"decision":"allow"}» ¦ a block, and nothing after it | «BLOCK» || exit 0 ¦ nothing, and a block after it | exit 0 || «BLOCK» ¦ exit 2, and a block after it | exit 2 || «BLOCK»
"""
SUBAGENT_START = """
exit 2 | echo WHYA >&2; exit 2 ¦ plain text | echo CTXA ¦ additionalContext at the top | «{"additionalContext":"CTXA"}» ¦ additionalContext | «{"hookSpecificOutput":{"hookEventName":"EVENT","additionalContext":"CTXA"}}» ¦ additionalContext, exit 2 | «{"additionalContext":"CTXA"}»; exit 2 ¦ block | «BLOCK»
"""
SUBAGENT_STOP = """
exit 2 | echo WHYA >&2; exit 2 ¦ block without a reason | «{"decision":"block"}» ¦ additionalContext at the top | «{"additionalContext":"CTXA"}» ¦ modifiedResponse | «{"modifiedResponse":"CTXA"}» ¦ modifiedResponse, a number | «{"modifiedResponse":5}» ¦ block | [ ! -e @/oncea ] || exit 0; : > @/oncea; «BLOCK» ¦ block and modifiedResponse | [ ! -e @/oncea ] || exit 0; : > @/oncea; «{"decision":"block","reason":"WHYA","modifiedResponse":"CTXA"}»
"""
MATCHERS = ["bash", "^bash$", "Bash", "ba", "*", "**", "", " ", "bash|edit", "Bash|Edit", "edit", ".*", "(", "^(?!mcp)", ".*(?!mcp)", None, "shell", "bash(echo *)", "BASH", "bash,edit", " bash", "bash|B.*", "bash$|bash", "bash | edit", "B.*", "[Bb]ash", "(?i)BASH", "(?i:BASH)",
            "\\bbash\\b", "\\p{L}+", "bas{", "[^]*", "(?<n>Bash)", "(?P<n>Bash)", "x|*", "(.)ash", "ba(sh)?", "Bash*"]
FIELDS = [dict(powershell="exit 0"), dict(comment="x"), dict(comment=5), dict(env=dict(A="b")), dict(env=dict(A=1)), dict(env="x"), dict(env=None), dict(cwd="/"), dict(cwd="none"), dict(cwd=""), dict(cwd=5), {"async": True}, {"async": "x"}, {"if": "Bash(rm *)"}, {"if": 5},
          dict(once=True), dict(enabled=False), dict(foo=1), dict(type="prompt", prompt="x"), dict(type="bogus"), dict(type="Command"), dict(type=None), dict(bash=""), dict(bash=" "), dict(bash=None), dict(bash=5), dict(command="exit 0"), dict(name=5), dict(description=5), dict(shell="powershell"), dict(args=["x"]), dict(args="x"),
          dict(exec="true"), dict(linux="exit 0"), dict(windows="exit 0"), dict(osx="exit 0"), dict(matcher=5), dict(matcher=["bash"]), dict(timeout=0), dict(timeout="x"), dict(timeoutSec=None), dict(timeout=5, timeoutSec=0), dict(timeoutSec=1e9)]

class Copilot(Agent):
    agent = "Copilot CLI"
    name, file, shell, asked, own = "copilot", ".github/hooks/h.json", "bash", ("not", "on"), dict(version=1)
    call, no = staticmethod(lambda command: dict(command=command, description="d")), "echo '{%s}'" % DENY
    sent = staticmethod(lambda request: json.dumps([{k: m[k] for k in m if k != "tool_calls"} for m in request["messages"]]))
    env = staticmethod(lambda: dict(COPILOT_OFFLINE="true", COPILOT_PROVIDER_BASE_URL=MOCK.url + "/v1", COPILOT_PROVIDER_API_KEY="dummy", COPILOT_MODEL="mock", COPILOT_AUTO_UPDATE="false", XDG_CACHE_HOME=ROOT + "/cache"))
    def installed_at(self):
        self.program = self.installed.file("copilot")
    def prepare(self, case, box, home, project, recorder):
        put(home + "/.copilot/hooks/recorder.json", json.dumps(recorder))
    def argv(self, project):
        return [self.program, "--trust-folder", "--allow-all-tools", "--disable-client-telemetry", "-p", "please do it"]
    def hooks(self, commands, case=dict()):
        return [dict({k: case[k] for k in case if k == "matcher"}, **dict(dict(type="command", bash=c), **case.get("fields", {}))) for c in commands]
    def summary(self, event, hook, runs, real):
        """As everywhere; and the model is sent what takes the place of a prompt, a result or a response."""
        summary = super().summary(event, hook, runs, real)
        said = json.loads(hook.stdout) if hook.stdout.strip() else {}
        if said.get("event") == "SubagentStop" and said["decision"] == "deny":
            summary.update(turn="again", runs="".join(sorted(summary["runs"] * 2)))
        if summary["turn"] != "ended":
            instead = json.dumps([said.get("updated_prompt"), said.get("updated_result"), said.get("agent_output")])
            summary["model"] = sorted(set(summary["model"] + SHOWN.findall(instead)))
        return summary
    def cases(self):
        ran = dict(tool="bash", args=self.call("echo ran > marker"))
        failing = dict(steps=[ran, dict(tool="view", args=dict(path="@/project/nope")), dict(text="all done")])
        delegating = dict(steps=[ran, dict(tool="task", args=dict(agent_type="explore", description="d", name="n", prompt="look", mode="sync")), dict(text="sub done"), dict(text="all done")])
        yield from table("preToolUse", COMMON)
        yield from table("PreToolUse", COMMON, FEW)
        for event in ("preToolUse", "PreToolUse"):
            yield from table(event, OWN)
            yield from table(event, PRE)
        for event in ("postToolUse", "userPromptSubmitted", "agentStop", "sessionStart", "permissionRequest"):
            yield from table(event, COMMON, FEW)
        for event in ("PostToolUse", "UserPromptSubmit", "Stop", "SessionStart"):
            yield from table(event, COMMON, FEW[:3] + FEW[5:8] + FEW[10:12])
        yield from table("permissionRequest", PERMISSION)
        yield from table("PermissionRequest", PERMISSION, ("deny", "a list", "invalid JSON", "permissionDecision", "a decision as Claude Code has it", "a deny, and an allow after it"))
        yield from table("postToolUse", POST)
        yield from table("PostToolUse", POST, ("modifiedResult", "block inside", "two contexts"))
        yield from table("postToolUseFailure", FAILURE, **failing)
        yield from table("PostToolUseFailure", FAILURE, ("exit 2", "additionalContext at the top", "additionalContext"), **failing)
        yield from table("userPromptSubmitted", PROMPT)
        yield from table("UserPromptSubmit", PROMPT, ("modifiedPrompt", "handled", "modifiedPrompt inside"))
        yield from table("userPromptTransformed", TRANSFORMED)
        yield from table("sessionStart", START)
        yield from table("agentStop", STOP)
        yield from table("Stop", STOP, ("block, exit 2", "block, an empty reason", "block inside"))
        yield from table("subagentStart", SUBAGENT_START, **delegating)
        yield from table("SubagentStart", SUBAGENT_START, ("additionalContext at the top", "additionalContext"), **delegating)
        yield from table("subagentStop", SUBAGENT_STOP, **delegating)
        yield from table("SubagentStop", SUBAGENT_STOP, ("modifiedResponse", "block"), **delegating)
        for event in ("sessionEnd", "SessionEnd"):
            yield from table(event, COMMON, ("exit 0", "exit 2", "block"))
        yield from matchers("preToolUse", MATCHERS, no=self.no)
        yield from matchers("PreToolUse", MATCHERS, no=self.no)
        for event in ("permissionRequest", "PermissionRequest"):
            yield from matchers(event, ["bash", "Bash", "edit", "*", ""], no="exit 2")
        for event in ("postToolUse", "PostToolUse"):
            yield from matchers(event, ["bash", "Bash", "Edit", "*", ""], no="echo '{\"additionalContext\":\"CTXA\"}'")
        for event in ("userPromptSubmitted", "agentStop", "sessionStart"):
            yield from (dict(name="matcher %r" % pattern, event=event, hooks=["echo '{\"additionalContext\":\"CTXA\"}'"], matcher=pattern) for pattern in ["zzz", "*", "", "("])
        yield from (dict(name="matcher %r" % pattern, event="subagentStart", hooks=["echo '{\"additionalContext\":\"CTXA\"}'"], matcher=pattern, **delegating) for pattern in ["explore", "zzz", "exp"])
        for fields in [dict(timeoutSec=1), dict(timeoutSec=5), dict(timeout=1), dict(timeoutSec=0), dict(timeoutSec="1"), dict(timeoutSec=1.5), dict(timeoutSec=-1)]:
            yield dict(name=json.dumps(fields), event="preToolUse", hooks=["sleep 2.2; " + self.no], fields=fields)
        yield dict(name="a deny, and then too long", event="preToolUse", hooks=[self.no + "; sleep 2.2"], fields=dict(timeoutSec=1))
        yield dict(name="too long, and a deny after it", event="preToolUse", hooks=["sleep 2.2", self.no], fields=dict(timeoutSec=1))
        yield dict(name="too long", event="permissionRequest", hooks=["sleep 2.2; exit 2"], fields=dict(timeoutSec=1))
        yield from shapes("preToolUse", FIELDS, [], [dict(foo=1), dict(disableAllHooks=True), dict(disableAllHooks=False), dict(disableAllHooks="x"), dict(disableAllHooks=None), dict(version=2), dict(version=0), dict(version="1"), dict(version=1.0), dict(version=None)], self.no)
        yield from self.files()
        yield from http_hooks.copilot(self, DENY)
    def files(self):
        """Files in shapes of their own: each has a hook that denies."""
        no = lambda letter="a", **more: dict(dict(type="command", bash="echo %s >> @/runs; %s" % (letter, self.no)), **more)
        file = lambda hooks, **more: dict(dict(version=1, hooks=hooks), **more)
        text = json.dumps(file(dict(preToolUse=[no()])))
        for name, raw in [("no version", dict(hooks=dict(preToolUse=[no()]))), ("hooks, a list", file([no()])), ("hooks, null", file(None)), ("a group", file(dict(preToolUse=[dict(hooks=[no()])]))), ("a group with a matcher", file(dict(preToolUse=[dict(matcher="bash", hooks=[no()])]))),
                          ("a group with *", file(dict(preToolUse=[dict(matcher="*", hooks=[no()])]))), ("a group with a matcher, in Pascal case", file(dict(PreToolUse=[dict(matcher="Bash", hooks=[no()])]))), ("a group's matcher and a hook's", file(dict(preToolUse=[dict(matcher="edit", hooks=[no(matcher="bash")])]))),
                          ("a hook's matcher and a group's", file(dict(preToolUse=[dict(matcher="bash", hooks=[no(matcher="edit")])]))), ("a group with an empty matcher", file(dict(preToolUse=[dict(matcher="", hooks=[no()])]))), ("a group whose matcher is null", file(dict(PreToolUse=[dict(matcher=None, hooks=[no()])]))),
                          ("a group with no matcher of sense", file(dict(preToolUse=[dict(matcher="(", hooks=[no()])]))), ("a group in a group", file(dict(preToolUse=[dict(hooks=[dict(hooks=[no()])])]))), ("a group in a group beside a hook", file(dict(preToolUse=[dict(hooks=[dict(hooks=[no()])]), no()]))),
                          ("a group whose hooks are an object", file(dict(preToolUse=[dict(hooks=no())]))), ("a group with a timeout", file(dict(preToolUse=[dict(timeoutSec=0, hooks=[no()])]))), ("an empty group beside a hook", file(dict(preToolUse=[dict(hooks=[]), no()]))), ("a group with a bad hook", file(dict(preToolUse=[dict(hooks=[dict(type="command"), no()])]))),
                          ("null beside a hook", file(dict(preToolUse=[None, no()]))), ("a text beside a hook", file(dict(preToolUse=["x", no()]))), ("a bad type beside a hook", file(dict(preToolUse=[no("b", type="bogus"), no()]))), ("a bad command beside a hook", file(dict(preToolUse=[no("b", bash=5), no()]))), ("a bad matcher beside a hook", file(dict(preToolUse=[no("b", matcher="("), no()]))),
                          ("a prompt beside a hook", file(dict(preToolUse=[dict(type="prompt", prompt="x"), no()]))), ("an event that is an object", file(dict(preToolUse=no()))), ("an event beside it that is a number", file(dict(preToolUse=[no()], postToolUse=5))), ("an event beside it that is null", file(dict(preToolUse=[no()], postToolUse=None))),
                          ("an unknown event beside it that is a number", file(dict(preToolUse=[no()], Bogus=5))), ("an event in capitals", file(dict(PRETOOLUSE=[no()]))), ("an event in small letters", file(dict(pretooluse=[no()]))), ("both events", file(dict(PreToolUse=[dict(type="command", bash="echo a >> @/runs")], preToolUse=[no("b")]))),
                          ("a program and its arguments", file(dict(preToolUse=[dict(type="command", exec="sh", args=["-c", "echo a >> @/runs; " + self.no])]))), ("a program and a command line", file(dict(preToolUse=[dict(no(), exec="true")]))), ("a command for this system", file(dict(preToolUse=[dict(type="command", linux="echo a >> @/runs; " + self.no)]))),
                          ("a command for another system", file(dict(preToolUse=[dict(type="command", osx="exit 0")]))), ("a command for PowerShell", file(dict(preToolUse=[dict(type="command", powershell="exit 0")]))), ("a command for PowerShell and one for all", file(dict(preToolUse=[dict(type="command", powershell="exit 0", command="echo a >> @/runs; " + self.no)]))),
                          ("the same hook twice", file(dict(preToolUse=[dict(type="command", bash="echo a >> @/runs")] * 2)))]:
            yield dict(name="file: " + name, event="preToolUse", raw=json.dumps(raw))
        for name, raw in [("equal keys", text[:-1] + ',"hooks":{}}'), ("equal events, the last empty", '{"version":1,"hooks":{"preToolUse":[%s],"preToolUse":[]}}' % json.dumps(no())), ("equal events, the first empty", '{"version":1,"hooks":{"preToolUse":[],"preToolUse":[%s]}}' % json.dumps(no())),
                          ("equal commands", '{"version":1,"hooks":{"preToolUse":[{"type":"command","bash":"exit 0","bash":%s}]}}' % json.dumps(no()["bash"])), ("a block comment", "/* x */" + text), ("cut off", text[:-1]), ("empty", ""), ("a list", "[]"), ("blanks", " \n")]:
            yield dict(name="file: " + name, event="preToolUse", raw=raw)
    def run(self, case):
        self.case_env = case.get("env", {})
        return super().run(case)
    def variables(self, box):
        return dict(super().variables(box), **self.case_env)
    def filled(self, text, box):
        return http_hooks.fill(text, box)

if __name__ == "__main__":
    rig.run(Copilot, dict(EXCUSED, **http_hooks.EXCUSED))
