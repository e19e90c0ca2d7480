#!/usr/bin/env python3
"""The real Codex as oracle of the dialect `codex`: see rig.py."""
import json, os, re, subprocess, sys

import rig
from rig import *

# What differs on purpose: a part of the label to the heading of docs/dialects.md that says why.
EXCUSED = {}

TOML = 'model = "%s"\nmodel_provider = "mock"\napproval_policy = "never"\nsandbox_mode = "danger-full-access"\ncheck_for_update_on_startup = false\n%s\n[analytics]\nenabled = false\n' \
       '[model_providers.mock]\nname = "mock"\nbase_url = "%s/v1"\nenv_key = "MOCK_KEY"\n[projects."%s"]\ntrust_level = "trusted"\n[mcp_servers.my]\ncommand = "python3"\nargs = ["%s/mcp.py"]\n'
MCP = """import json, sys
for line in sys.stdin:
    m = json.loads(line)
    r = {"initialize": lambda: dict(protocolVersion=m["params"]["protocolVersion"], capabilities=dict(tools={}), serverInfo=dict(name="x", version="1")),
         "tools/list": lambda: dict(tools=[dict(name="do_it", description="x", inputSchema=dict(type="object", properties=dict(a=dict(type="string"))))])}
    "id" in m and print(json.dumps(dict(jsonrpc="2.0", id=m["id"], result=r.get(m["method"], lambda: dict(content=[dict(type="text", text="hi")]))())), flush=True)
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
        put(home + "/.codex/hooks.json", json.dumps(recorder))
        put(home + "/.codex/config.toml", TOML % (case.get("model", "gpt-5.2"), case.get("toml", ""), MOCK.url, project, box))
        put(box + "/mcp.py", MCP)
    def argv(self, project):
        return [self.program, "exec", "--dangerously-bypass-hook-trust", "-C", project, "please do it"]
    def cases(self):
        for event in ("PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "SessionStart"):
            yield from table(event, COMMON)
        yield from table("PreToolUse", OWN)
        yield from matchers("PreToolUse", ["Bash", "^Bash$", "bash", "Ba", "*", "", " ", "Bash|Edit", "Edit|Write", "exec_command", "shell", "(", "Bash(echo *)", ".*", "^(?!mcp)", "Bash ", None, "Bash,Edit", "(?i)bash"])
        patch = [dict(patch="*** Begin Patch\n*** Add File: marker\n+x\n*** End Patch\n"), dict(text="done")]
        yield from matchers("PreToolUse", ["apply_patch", "Edit", "Write", "MultiEdit", "Bash", "^Edit$", "edit", "Wri", "apply", "Edit|Write", "^Ed", ".*patch"], " on apply_patch", steps=patch, model="gpt-5.5")
        mcp = [dict(tool="do_it", namespace="mcp__my", args=dict(a="b")), dict(text="done")]
        yield from matchers("PostToolUse", ["mcp__my", "mcp__my__do_it", "mcp__my__.*", "mcp__.*", "my", "mcp__my__do"], " on an MCP tool", steps=mcp)
        yield from matchers("SessionStart", ["startup", "Startup", "start", "resume", "startup|resume", "*", ""])
        for event, matcher in [("UserPromptSubmit", "no"), ("Stop", "no"), ("Stop", "("), ("SessionEnd", "no"), ("SessionEnd", "other")]:
            yield dict(name="matcher %r" % matcher, event=event, hooks=["exit 0"], matcher=matcher)
        yield dict(name="at all", event="PreModelRequest", hooks=["exit 0"])
        compact = dict(toml="model_auto_compact_token_limit = 12\nmodel_context_window = 100000", model="gpt-5.5", steps=[dict(tool="exec_command", args=dict(cmd="echo ran > marker")), dict(text="summary")])
        for event in ("PreCompact", "PostCompact"):
            yield from table(event, COMMON, ("exit 0", "exit 2", "continue: false", "block"), **compact)
        for fields in [dict(timeout=1), dict(timeout=5), dict(timeout=1000), dict(timeout=0), dict(timeout=1.5), dict(timeout="1"), dict(timeout=-1), dict(timeout=None), dict(timeoutSec=1), dict(timeout_sec=1)]:
            yield dict(name=json.dumps(fields), event="PreToolUse", hooks=["sleep 2.2; " + NO], fields=fields)
        yield from shapes("PreToolUse", [dict(commandWindows="exit 0"), dict(statusMessage="x"), {"async": True}, {"if": "Bash(rm *)"}, dict(once=True), dict(shell="powershell"), dict(args=["a"]), dict(enabled=False), dict(foo=1), dict(type="prompt", prompt="x"), dict(type="bogus")],
                          [dict(enabled=False), dict(foo=1)], [dict(foo=1), dict(description="x"), dict(disableAllHooks=True), dict(version=1)])

if __name__ == "__main__":
    rig.run(Codex, EXCUSED)
