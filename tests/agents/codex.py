#!/usr/bin/env python3
"""The real Codex as oracle of the dialect `codex`: see rig.py."""
import json, os, re, subprocess, sys

import rig
from rig import *

# What differs on purpose: a part of the label to the heading of docs/dialects/AGENT.md that says why.
EXCUSED = {r"^PreToolUse: switched off: .*pre_tool_use": "What is switched off in `/hooks`", r"^SessionEnd: a hook of 2 s": "The time that Codex gives hookshell"}

TOML = 'model = "%s"\nmodel_provider = "mock"\napproval_policy = "never"\nsandbox_mode = "danger-full-access"\ncheck_for_update_on_startup = false\n%s\n[analytics]\nenabled = false\n' \
       '[model_providers.mock]\nname = "mock"\nbase_url = "%s/v1"\nenv_key = "MOCK_KEY"\n[projects."%s"]\ntrust_level = "trusted"\n[mcp_servers.my]\ncommand = "python3"\nargs = ["%s/mcp.py"]\n'
MCP = """import json, sys
for line in sys.stdin:
    m = json.loads(line)
    r = {"initialize": lambda: dict(protocolVersion=m["params"]["protocolVersion"], capabilities=dict(tools={}), serverInfo=dict(name="x", version="1")),
         "tools/list": lambda: dict(tools=[dict(name="do_it", description="x", inputSchema=dict(type="object", properties=dict(a=dict(type="string"))))])}
    "id" in m and print(json.dumps(dict(jsonrpc="2.0", id=m["id"], result=r.get(m["method"], lambda: dict(content=[dict(type="text", text="hi")]))())), flush=True)
"""

# Every field of an event's output: what it may be, what it may not, and what it may not stand beside.
EVERY = """
stopReason alone | «{"stopReason":"WHYA"}» ¦ block and stopReason | «{"decision":"block","reason":"WHYA","stopReason":"WHYB"}» ¦ continue: true and block | «{"continue":true,"decision":"block","reason":"WHYA"}» ¦ continue: null | «{"continue":null,"decision":"block","reason":"WHYA"}»
continue, a string | «{"continue":"false","stopReason":"WHYA"}» ¦ continue: false without stopReason | «{"continue":false}» ¦ continue: false and block | «{"continue":false,"stopReason":"WHYA","decision":"block","reason":"WHYB"}» ¦ continue: false and a blank stopReason | «{"continue":false,"stopReason":" "}»
continue: false and additionalContext | «{"continue":false,"stopReason":"WHYA","hookSpecificOutput":{"hookEventName":"EVENT","additionalContext":"CTXA"}}» ¦ suppressOutput: false | «{"suppressOutput":false,"decision":"block","reason":"WHYA"}» ¦ suppressOutput: null | «{"suppressOutput":null,"decision":"block","reason":"WHYA"}»
suppressOutput and block | «{"suppressOutput":true,"decision":"block","reason":"WHYA"}» ¦ systemMessage and block | «{"systemMessage":"hello","decision":"block","reason":"WHYA"}» ¦ block with a blank reason | «{"decision":"block","reason":" "}» ¦ block and reason: null | «{"decision":"block","reason":null}»
block with blanks around the reason | «{"decision":"block","reason":" WHYA "}» ¦ block and a reason that is a number | «{"decision":"block","reason":7}» ¦ decision: null | «{"decision":null,"reason":null}» ¦ decision, empty | «{"decision":"","reason":"WHYA"}» ¦ decision, a number | «{"decision":1,"reason":"WHYA"}»
hookSpecificOutput: null and block | «{"decision":"block","reason":"WHYA","hookSpecificOutput":null}» ¦ hookSpecificOutput, empty, and block | «{"decision":"block","reason":"WHYA","hookSpecificOutput":{}}» ¦ hookSpecificOutput with a name alone | «{"decision":"block","reason":"WHYA","hookSpecificOutput":{"hookEventName":"EVENT"}}»
hookSpecificOutput, a string | «{"decision":"block","reason":"WHYA","hookSpecificOutput":"x"}» ¦ hookEventName: null | «{"hookSpecificOutput":{"hookEventName":null,"additionalContext":"CTXA"}}» ¦ hookEventName of no event | «{"hookSpecificOutput":{"hookEventName":"Bogus","additionalContext":"CTXA"}}»
hookEventName in another case | «{"hookSpecificOutput":{"hookEventName":"sessionstart","additionalContext":"CTXA"}}» ¦ hookEventName of another event | «{"hookSpecificOutput":{"hookEventName":"SubagentStop","additionalContext":"CTXA"}}» ¦ additionalContext: null | «{"hookSpecificOutput":{"hookEventName":"EVENT","additionalContext":null}}»
additionalContext, a list | «{"hookSpecificOutput":{"hookEventName":"EVENT","additionalContext":["CTXA"]}}» ¦ additionalContext and an unknown field beside it | «{"hookSpecificOutput":{"hookEventName":"EVENT","additionalContext":"CTXA","foo":1}}» ¦ additionalContext and an unknown field at the top | «{"foo":1,"hookSpecificOutput":{"hookEventName":"EVENT","additionalContext":"CTXA"}}»
the same key twice | «{"decision":"approve","decision":"block","reason":"WHYA"}» ¦ the same key twice, block first | «{"decision":"block","decision":null,"reason":"WHYA"}» ¦ half a pair of surrogates | «{"decision":"block","reason":"WHYA \\ud800"}» ¦ text after the object | «{"decision":"block","reason":"WHYA"} x»
blank lines around | echo; echo; «{"decision":"block","reason":"WHYA"}»; echo ¦ a no-break space before it | printf '\302\240'; «{"decision":"block","reason":"WHYA"}» ¦ not UTF-8 | printf '{"decision":"block","reason":"WHYA \377"}' ¦ in UTF-16 | printf '\377\376{\0"\0d\0"\0:\0001\0}\0'
exit 2 and blanks | echo ' ' >&2; exit 2 ¦ exit 2 and a block | «{"decision":"block","reason":"WHYB"}»; echo WHYA >&2; exit 2 ¦ exit 2 and context | «{"hookSpecificOutput":{"hookEventName":"EVENT","additionalContext":"CTXA"}}»; echo WHYA >&2; exit 2 ¦ no shell code | if then
a string alone | «"CTXA"» ¦ a number alone | «5» ¦ an empty object | «{}» ¦ an object in an array | «[{"decision":"block","reason":"WHYA"}]» ¦ updatedMCPToolOutput | «{"hookSpecificOutput":{"hookEventName":"EVENT","additionalContext":"CTXA","updatedMCPToolOutput":{"a":1}}}»
updatedMCPToolOutput: null | «{"hookSpecificOutput":{"hookEventName":"EVENT","additionalContext":"CTXA","updatedMCPToolOutput":null}}» ¦ updatedToolOutput | «{"hookSpecificOutput":{"hookEventName":"EVENT","additionalContext":"CTXA","updatedToolOutput":{"a":1}}}»
a failed hook beside context | exit 1 || «{"hookSpecificOutput":{"hookEventName":"EVENT","additionalContext":"CTXA"}}» ¦ two contexts | «{"hookSpecificOutput":{"hookEventName":"EVENT","additionalContext":"CTXA"}}» || «{"hookSpecificOutput":{"hookEventName":"EVENT","additionalContext":"CTXB"}}»
"""
TOOL = """
reason inside alone | «{"hookSpecificOutput":{"hookEventName":"EVENT","permissionDecisionReason":"WHYA"}}» ¦ permissionDecision: null and a block | «{"decision":"block","reason":"WHYA","hookSpecificOutput":{"hookEventName":"EVENT","permissionDecision":null}}» ¦ defer, inside | «{"hookSpecificOutput":{"hookEventName":"EVENT","permissionDecision":"defer"}}»
a block and an allow inside | «{"decision":"block","reason":"WHYA","hookSpecificOutput":{"hookEventName":"EVENT","permissionDecision":"allow"}}» ¦ approve and a deny inside | «{"decision":"approve","hookSpecificOutput":{"hookEventName":"EVENT",DENY}}» ¦ a block beside a reason inside | «{"decision":"block","reason":"WHYA","hookSpecificOutput":{"hookEventName":"EVENT","permissionDecisionReason":"WHYB"}}»
allow and context | «{"hookSpecificOutput":{"hookEventName":"EVENT","permissionDecision":"allow","additionalContext":"CTXA"}}» ¦ updatedInput: null and allow | «{"hookSpecificOutput":{"hookEventName":"EVENT","permissionDecision":"allow","updatedInput":null,"additionalContext":"CTXA"}}» ¦ updatedInput, a list | «{"hookSpecificOutput":{"hookEventName":"EVENT","permissionDecision":"allow","updatedInput":["x"]}}»
updatedInput with a command that is a number | «{"hookSpecificOutput":{"hookEventName":"EVENT","permissionDecision":"allow","updatedInput":{"command":5}}}» ¦ updatedInput, allow, context | «{"hookSpecificOutput":{"hookEventName":"EVENT","permissionDecision":"allow","permissionDecisionReason":"WHYA","updatedInput":{"command":"echo ran > marker2"},"additionalContext":"CTXA"}}»
updatedInput and ask | «{"hookSpecificOutput":{"hookEventName":"EVENT","permissionDecision":"ask","updatedInput":{"command":"echo ran > marker2"}}}» ¦ updatedInput beside a deny | «{"hookSpecificOutput":{"hookEventName":"EVENT","permissionDecision":"allow","updatedInput":{"command":"echo ran > marker2"}}}» || echo WHYB >&2; exit 2
two updatedInputs | «{"hookSpecificOutput":{"hookEventName":"EVENT","permissionDecision":"allow","updatedInput":{"command":"echo ran > marker2"}}}» || sleep .4; «{"hookSpecificOutput":{"hookEventName":"EVENT","permissionDecision":"allow","updatedInput":{"command":"echo ran > marker"}}}» ¦ deny beside an exit 2 | «{"hookSpecificOutput":{"hookEventName":"EVENT",DENY}}» || echo WHYB >&2; exit 2
deny and a context beside another | «{"hookSpecificOutput":{"hookEventName":"EVENT",DENY,"additionalContext":"CTXA"}}» || «{"hookSpecificOutput":{"hookEventName":"EVENT","additionalContext":"CTXB"}}»
"""
# Of an approval that the user would be asked for.
ASKED = """
nothing | exit 0 ¦ exit 1 | exit 1 ¦ exit 2 | echo WHYA >&2; exit 2 ¦ exit 2, silent | exit 2 ¦ plain text | echo CTXA ¦ allow | «{ALLOWED}» ¦ deny | «{"hookSpecificOutput":{"hookEventName":"EVENT","decision":{"behavior":"deny","message":"WHYA"}}}»
deny without a message | «{"hookSpecificOutput":{"hookEventName":"EVENT","decision":{"behavior":"deny"}}}» ¦ deny, exit 1 | «{"hookSpecificOutput":{"hookEventName":"EVENT","decision":{"behavior":"deny","message":"WHYA"}}}»; exit 1 ¦ Deny | «{"hookSpecificOutput":{"hookEventName":"EVENT","decision":{"behavior":"Deny","message":"WHYA"}}}» ¦ no behavior | «{"hookSpecificOutput":{"hookEventName":"EVENT","decision":{"message":"WHYA"}}}»
interrupt | «{"hookSpecificOutput":{"hookEventName":"EVENT","decision":{"behavior":"deny","message":"WHYA","interrupt":true}}}» ¦ interrupt: false | «{"hookSpecificOutput":{"hookEventName":"EVENT","decision":{"behavior":"deny","message":"WHYA","interrupt":false}}}» ¦ updatedInput | «{"hookSpecificOutput":{"hookEventName":"EVENT","decision":{"behavior":"allow","updatedInput":{"command":"echo ran > marker2"}}}}»
updatedInput: null | «{"hookSpecificOutput":{"hookEventName":"EVENT","decision":{"behavior":"allow","updatedInput":null}}}» ¦ updatedPermissions | «{"hookSpecificOutput":{"hookEventName":"EVENT","decision":{"behavior":"allow","updatedPermissions":[]}}}» ¦ continue: false | «{"continue":false,ALLOWED}» ¦ stopReason | «{"stopReason":"WHYA",ALLOWED}» ¦ suppressOutput | «{"suppressOutput":true,ALLOWED}»
systemMessage and allow | «{"systemMessage":"hello",ALLOWED}» ¦ block at the top | «{"decision":"block","reason":"WHYA"}» ¦ permissionDecision | «{"hookSpecificOutput":{"hookEventName":"EVENT",DENY}}» ¦ an unknown field beside allow | «{"foo":1,ALLOWED}» ¦ allow beside a deny | «{ALLOWED}» || «{"hookSpecificOutput":{"hookEventName":"EVENT","decision":{"behavior":"deny","message":"WHYB"}}}»
two denies | «{"hookSpecificOutput":{"hookEventName":"EVENT","decision":{"behavior":"deny","message":"WHYA"}}}» || «{"hookSpecificOutput":{"hookEventName":"EVENT","decision":{"behavior":"deny","message":"WHYB"}}}» ¦ additionalContext | «{"hookSpecificOutput":{"hookEventName":"EVENT","additionalContext":"CTXA"}}» ¦ allow with another event's name | «{"hookSpecificOutput":{"hookEventName":"PreToolUse","decision":{"behavior":"allow"}}}»
""".replace("ALLOWED", '"hookSpecificOutput":{"hookEventName":"EVENT","decision":{"behavior":"allow"}}')
HOOK = dict(type="command", command="echo a >> @/runs; " + NO)
GOOD = dict(hooks=[HOOK])
# Whole files: each with one hook that would deny.
FILES = [("no description", dict(description=None, hooks=dict(PreToolUse=[GOOD]))), ("description, a number", dict(description=1, hooks=dict(PreToolUse=[GOOD]))), ("matcher: null", dict(hooks=dict(PreToolUse=[dict(GOOD, matcher=None)]))), ("matcher, a list", dict(hooks=dict(PreToolUse=[GOOD, dict(GOOD, matcher=["Bash"])]))),
         ("a bad matcher beside it", dict(hooks=dict(PreToolUse=[dict(GOOD, matcher="["), GOOD]))), ("a group that is a string", dict(hooks=dict(PreToolUse=["x", GOOD]))), ("an event that is an object", dict(hooks=dict(Stop={}, PreToolUse=[GOOD]))), ("an event that is null", dict(hooks=dict(Stop=None, PreToolUse=[GOOD]))),
         ("an unknown event that is a number", dict(hooks=dict(Bogus=1, PreToolUse=[GOOD]))), ("hooks: null in a group", dict(hooks=dict(PreToolUse=[dict(hooks=None), GOOD]))), ("command, a number", dict(hooks=dict(PreToolUse=[dict(hooks=[dict(type="command", command=1)]), GOOD]))), ("an empty command beside it", dict(hooks=dict(PreToolUse=[dict(hooks=[dict(type="command", command=" "), HOOK])]))),
         ("async, a string", dict(hooks=dict(PreToolUse=[dict(hooks=[dict(HOOK, **{"async": "no"})])]))), ("async: null", dict(hooks=dict(PreToolUse=[dict(hooks=[dict(HOOK, **{"async": None})])]))), ("statusMessage, a number", dict(hooks=dict(PreToolUse=[dict(hooks=[dict(HOOK, statusMessage=1)])]))), ("a prompt hook beside it", dict(hooks=dict(PreToolUse=[dict(hooks=[dict(type="prompt"), HOOK])]))),
         ("an agent hook beside it", dict(hooks=dict(PreToolUse=[dict(hooks=[dict(type="agent"), HOOK])]))), ("an mcp_tool hook beside it", dict(hooks=dict(PreToolUse=[dict(hooks=[dict(type="mcp_tool", server="no", tool="no"), HOOK])]))), ("an mcp_tool hook without a tool beside it", dict(hooks=dict(PreToolUse=[dict(hooks=[dict(type="mcp_tool"), HOOK])]))), ("no hooks at all", dict()),
         ("additionalContextLimit", dict(hooks=dict(PreToolUse=[dict(hooks=[dict(HOOK, additionalContextLimit=5)])]))), ("additionalContextLimit, a string", dict(hooks=dict(PreToolUse=[dict(hooks=[dict(HOOK, additionalContextLimit="5")])]))), ("commandWindows, a number", dict(hooks=dict(PreToolUse=[dict(hooks=[dict(HOOK, commandWindows=5)])]))), ("Type", dict(hooks=dict(PreToolUse=[dict(hooks=[dict(command=HOOK["command"], Type="command")])]))),
         ("type: Command", dict(hooks=dict(PreToolUse=[dict(hooks=[dict(HOOK, type="Command")])]))), ("env and cwd", dict(hooks=dict(PreToolUse=[dict(hooks=[dict(HOOK, env=dict(A="b"), cwd="/nowhere")])]))), ("timeout 600.0", dict(hooks=dict(PreToolUse=[dict(hooks=[dict(HOOK, timeout=600.0)])]))), ("state in hooks", dict(hooks=dict(state={"x": dict(enabled=True)}, PreToolUse=[GOOD])))]
RAW = [("the same event twice", '{"hooks":{"PreToolUse":[],"PreToolUse":[GOOD]}}'), ("hooks twice", '{"hooks":{},"hooks":{"PreToolUse":[GOOD]}}'), ("an unknown key twice", '{"hooks":{"PreToolUse":[{"foo":1,"foo":2,"hooks":[HOOK]}]}}'), ("matcher twice", '{"hooks":{"PreToolUse":[{"matcher":"no","matcher":"Bash","hooks":[HOOK]}]}}'),
       ("command twice", '{"hooks":{"PreToolUse":[{"hooks":[{"command":"exit 0",HOOK_]}]}}'), ("an empty file", ""), ("a list", "[]"), ("text after it", '{"hooks":{"PreToolUse":[GOOD]}} x'), ("single quotes", "{'hooks':{}}"), ("half a pair of surrogates", '{"description":"\\ud800","hooks":{"PreToolUse":[GOOD]}}')]
TOMLS = [("a hook", '[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = "command"\ncommand = COMMAND\n'), ("matcher", '[[hooks.PreToolUse]]\nmatcher = "Ba"\n[[hooks.PreToolUse.hooks]]\ntype = "command"\ncommand = COMMAND\n'), ("timeout", '[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = "command"\ncommand = COMMAND\ntimeout = 0x10\n'),
         ("inline", 'hooks = { PreToolUse = [{ hooks = [{ type = "command", command = COMMAND }] }] }\n'), ("an unknown key of the hook", '[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = "command"\nfoo = 1\nif = "x"\ncommand = COMMAND\n'), ("an unknown event", '[[hooks.Bogus]]\n[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = "command"\ncommand = COMMAND\n'),
         ("a bad matcher beside it", '[[hooks.PreToolUse]]\nmatcher = "["\n[[hooks.PreToolUse.hooks]]\ntype = "command"\ncommand = "exit 0"\n[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = "command"\ncommand = COMMAND\n')]
# The feature that hooks are, in the project's file.
TOMLS += [("features: " + features, "%s\n%s" % (features, TOMLS[0][1])) for features in
          ("[features]\nhooks = false", "[features]\ncodex_hooks = false", "[features]\nhooks = true", "features = { hooks = false }", "[features]\nhooks = true\ncodex_hooks = false", "[features]\nhooks = false\ncodex_hooks = true", "[features]\nother = false")]

# `codex exec` never asks for an approval. This asks by `codex app-server`, declines what it is asked, and trusts the hooks before.
CLIENT = """import json, subprocess, sys
program, project, policy, config = sys.argv[1:]
def serve(talk):
    server = subprocess.Popen([program, "app-server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=project)
    count = [0]
    def write(message):
        server.stdin.write(json.dumps(message) + "\\n")
        server.stdin.flush()
    def call(method, params, until=None):
        count[0] += 1
        number, answer = count[0], None
        write(dict(id=number, method=method, params=params))
        for line in server.stdout:
            message = json.loads(line)
            print(line.strip()[:600], flush=True)
            if "method" in message and "id" in message:
                write(dict(id=message["id"], result=dict(decision="decline")))
            elif message.get("id") == number:
                answer = message.get("result")
            if (answer is not None or "error" in message) and until is None or message.get("method") == until:
                return answer
    call("initialize", dict(clientInfo=dict(name="rig", version="1"), capabilities=dict(experimentalApi=True)))
    write(dict(method="initialized"))
    talk(call)
    server.stdin.close()
    server.kill()
    server.wait()
def trust(call):
    with open(config, "a") as file:
        for entry in call("hooks/list", dict(cwds=[project]))["data"]:
            for hook in entry["hooks"]:
                file.write("[hooks.state.%s]\\ntrusted_hash = %s\\n" % (json.dumps(hook["key"]), json.dumps(hook["currentHash"])))
def turn(call):
    thread = call("thread/start", dict(cwd=project, approvalPolicy=policy))["thread"]["id"]
    call("turn/start", dict(threadId=thread, input=[dict(type="text", text="please do it")]), until="turn/completed")
serve(trust)
serve(turn)
"""

class Codex(Agent):
    agent = "Codex"
    name, file, shell, asked = "codex", ".codex/hooks.json", "exec_command", ("ran", "on")
    call = staticmethod(lambda command: dict(cmd=command))
    sent = staticmethod(lambda request: json.dumps([i for i in request["input"] if i.get("type") not in ("function_call", "custom_tool_call")]))
    env = staticmethod(lambda: dict(MOCK_KEY="dummy"))
    def installed_at(self):
        self.program = self.installed.file("vendor/x86_64-unknown-linux-musl/bin/codex")
    def prepare(self, case, box, home, project, recorder):
        if case["event"].startswith("Subagent"):
            # The sub-agent ends before the agent does.
            recorder["hooks"]["Stop"] = self.hooks(["sleep 2"])
        put(home + "/.codex/hooks.json", json.dumps(recorder))
        put(home + "/.codex/config.toml", TOML % (case.get("model", "gpt-5.2"), case.get("toml", "").replace("@", box), MOCK.url, project, box))
        put(box + "/mcp.py", MCP)
        put(box + "/client.py", CLIENT)
        self.policy = case.get("policy")
    def argv(self, project):
        if self.policy:
            box = os.path.dirname(project)
            return [sys.executable, box + "/client.py", self.program, project, self.policy, box + "/home/.codex/config.toml"]
        return [self.program, "exec", "--dangerously-bypass-hook-trust", "-C", project, "please do it"]
    def summary(self, event, hook, runs, real):
        said = super().summary(event, hook, runs, real)
        if event == "SessionStart" and said["turn"] == "ended":
            said["model"] = []  # it is kept for later turns
        if event.endswith("ModelRequest"):
            said["runs"] = "".join(sorted(said["runs"] * 2))  # the agent makes two
        if event == "PermissionRequest":
            # Without an answer the user is asked, who declines.
            said["act"] = "ran" if '"decision":"allow"' in hook.stdout.partition('"hooks":')[0] else "not"
        return said
    def cases(self):
        for event in ("PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "SessionStart"):
            yield from table(event, COMMON)
            # On Stop this blocks for ever: not even what lets the turn end the second time can be read.
            yield from (case for case in table(event, EVERY) if (event, case["name"]) != ("Stop", "no shell code"))
        yield from table("PreToolUse", OWN)
        yield from table("PreToolUse", TOOL)
        agent = dict(toml="[features]\nmulti_agent = true", steps=[dict(tool="spawn_agent", namespace="multi_agent_v1", args=dict(message="do it")), *[dict(tool="exec_command", args=dict(cmd="echo ran > marker; sleep .5"))] * 2, *[dict(text="done")] * 3])
        for event in ("SubagentStart", "SubagentStop"):
            yield from table(event, COMMON, ("exit 0", "exit 1", "exit 2", "exit 2, silent", "plain text", "an array", "continue: false", "block", "block without a reason", "additionalContext", "unknown field", "suppressOutput", "systemMessage", "two blocks"), **agent)
            yield from matchers(event, ["default", "no", "(", "*"], no="exit 0", **agent)
        yield from table("PermissionRequest", ASKED, policy="untrusted")
        yield from matchers("PermissionRequest", ["Bash", "Ba", "(", "^B"], policy="untrusted")
        yield from matchers("PreToolUse", ["Bash", "^Bash$", "bash", "Ba", "*", "", " ", "Bash|Edit", "Edit|Write", "exec_command", "shell", "(", "Bash(echo *)", ".*", "^(?!mcp)", "Bash ", None, "Bash,Edit", "(?i)bash"])
        patch = [dict(patch="*** Begin Patch\n*** Add File: marker\n+x\n*** End Patch\n"), dict(text="done")]
        yield from matchers("PreToolUse", ["apply_patch", "Edit", "Write", "MultiEdit", "Bash", "^Edit$", "edit", "Wri", "apply", "Edit|Write", "^Ed", ".*patch"], " on apply_patch", steps=patch, model="gpt-5.5")
        mcp = [dict(tool="do_it", namespace="mcp__my", args=dict(a="b")), dict(text="done")]
        yield from matchers("PostToolUse", ["mcp__my", "mcp__my__do_it", "mcp__my__.*", "mcp__.*", "my", "mcp__my__do"], " on an MCP tool", steps=mcp)
        yield from matchers("SessionStart", ["startup", "Startup", "start", "resume", "startup|resume", "*", ""])
        for event, matcher in [("UserPromptSubmit", "no"), ("Stop", "no"), ("Stop", "("), ("SessionEnd", "no"), ("SessionEnd", "other")]:
            yield dict(name="matcher %r" % matcher, event=event, hooks=["exit 0"], matcher=matcher)
        for event in ("PreModelRequest", "PostModelRequest"):
            yield from table(event, COMMON, ("exit 0", "exit 1", "exit 2", "plain text", "continue: false", "block", "additionalContext"))
            yield dict(name="matcher 'no'", event=event, hooks=["exit 0"], matcher="no")
        yield from table("SessionEnd", COMMON, ("exit 0", "exit 2", "plain text", "continue: false", "block", "additionalContext"))
        for seconds, fields in [(.3, {}), (1.6, {}), (2, dict(timeout=10)), (4, dict(timeout=10)), (1.5, dict(timeout=0))]:
            yield dict(name="a hook of %s s with %s" % (seconds, json.dumps(fields)), event="SessionEnd", hooks=["sleep %s; echo z >> @/runs" % seconds], fields=fields)
        compact = dict(toml="model_auto_compact_token_limit = 12\nmodel_context_window = 100000", model="gpt-5.5", steps=[dict(tool="exec_command", args=dict(cmd="echo ran > marker")), dict(text="summary")])
        for event in ("PreCompact", "PostCompact"):
            yield from table(event, COMMON, ("exit 0", "exit 1", "exit 2", "plain text", "an array", "invalid JSON", "continue: false", "block", "systemMessage", "suppressOutput", "additionalContext", "unknown field"), **compact)
            yield from table(event, EVERY, ("stopReason alone", "continue: false without stopReason", "continue: null", "continue, a string", "an empty object"), **compact)
            yield from matchers(event, ["auto", "manual", "Auto", "(", "au", ".*to"], no="exit 0", **compact)
        yield from matchers("PreToolUse", ["Bash|", "|", "Bash||Edit", "^(Bash|Edit)$", "B.sh", "Bash$", "^ash", "ash$", "[Bb]ash", "Bash-", "mcp__.*|Bash", "(?=Bash)", "Bash(", "Bash{1}", "Bäsh", "\\\\bBash\\\\b", "Bash\\n", "Edit|B.*", "**", "* "])
        yield from matchers("UserPromptSubmit", ["*", "(", "please"], no="exit 0")
        yield from matchers("SessionEnd", ["*", "(", "oth", "other|exit"], no="exit 0")
        deep = [dict(tool="exec_command", args=dict(cmd="echo ran > ../marker", workdir="@/project/sub")), dict(text="done")]
        yield dict(name="the hook's directory is the session's", event="PreToolUse", hooks=["[ -d sub ] && " + NO], steps=deep, files={"sub/x": ""})
        yield dict(name="CLAUDE_PROJECT_DIR is not set", event="PreToolUse", hooks=['[ -n "$CLAUDE_PROJECT_DIR" ] || { ' + NO + "; }"])
        for key in ("session_id", "turn_id", "transcript_path", "cwd", "hook_event_name", "model", "permission_mode", "tool_name", "tool_use_id", "agent_id", "effort"):
            yield dict(name="the payload has %s" % key, event="PreToolUse", hooks=['grep -q \'"%s":\' && { %s; }' % (key, NO)])
        for name, top in FILES:
            yield dict(name="file: " + name, event="PreToolUse", raw=json.dumps(top))
        fill = lambda raw: raw.replace("GOOD", json.dumps(GOOD)).replace("HOOK_", json.dumps(HOOK)[1:]).replace("HOOK", json.dumps(HOOK))
        for name, raw in RAW:
            yield dict(name="file: " + name, event="PreToolUse", raw=fill(raw))
        for name, raw in TOMLS:
            yield dict(name="config.toml: " + name, event="PreToolUse", raw=raw.replace("COMMAND", json.dumps(HOOK["command"])), file=".codex/config.toml")
        # What the user switches off in `/hooks`.
        for key in ("@/project/.codex/hooks.json:pre_tool_use:0:0", "@/project/.codex/hooks.json:pre_tool_use:0:1", "@/project/.codex/hooks.json:stop:0:0"):
            yield dict(name="switched off: " + key, event="PreToolUse", hooks=[NO, "echo WHYB >&2; exit 2"], toml='[hooks.state."%s"]\nenabled = false' % key)
        for fields in [dict(timeout=1), dict(timeout=5), dict(timeout=1000), dict(timeout=0), dict(timeout=1.5), dict(timeout="1"), dict(timeout=-1), dict(timeout=None), dict(timeoutSec=1), dict(timeout_sec=1)]:
            yield dict(name=json.dumps(fields), event="PreToolUse", hooks=["sleep 2.2; " + NO], fields=fields)
        yield from shapes("PreToolUse", [dict(commandWindows="exit 0"), dict(statusMessage="x"), {"async": True}, {"if": "Bash(rm *)"}, dict(once=True), dict(shell="powershell"), dict(args=["a"]), dict(enabled=False), dict(foo=1), dict(type="prompt", prompt="x"), dict(type="bogus")],
                          [dict(enabled=False), dict(foo=1)], [dict(foo=1), dict(description="x"), dict(disableAllHooks=True), dict(version=1)])

if __name__ == "__main__":
    rig.run(Codex, EXCUSED)
