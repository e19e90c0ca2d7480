#!/usr/bin/env python3
"""The real Copilot CLI as oracle of the dialect `copilot`: see rig.py."""
import json, os, re, subprocess, sys

import http_hooks, rig
from rig import *

# What differs on purpose: a part of the label to the heading of docs/dialects.md that says why.
EXCUSED = {}

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
    def cases(self):
        yield from table("preToolUse", COMMON)
        yield from table("PreToolUse", COMMON, FEW)
        for event in ("preToolUse", "PreToolUse"):
            yield from table(event, OWN)
        for event in ("postToolUse", "userPromptSubmitted", "agentStop", "sessionStart", "permissionRequest"):
            yield from table(event, COMMON, FEW)
        for event in ("PostToolUse", "UserPromptSubmit", "Stop", "SessionStart"):
            yield from table(event, COMMON, FEW[:3] + FEW[5:8] + FEW[10:12])
        yield dict(name="at all", event="userPromptTransformed", hooks=["exit 0"])
        yield from table("permissionRequest", "allow | «{\"behavior\":\"allow\"}»\ndeny | «{\"behavior\":\"deny\",\"message\":\"WHYA\"}»\ndeny and interrupt | «{\"behavior\":\"deny\",\"message\":\"WHYA\",\"interrupt\":true}»")
        yield from matchers("preToolUse", ["bash", "^bash$", "Bash", "ba", "*", "", " ", "bash|edit", "edit", ".*", "(", "^(?!mcp)", None, "shell", "bash(echo *)", "BASH"], no=self.no)
        yield from matchers("PreToolUse", ["bash", "Bash", "Ba", "Bash|Edit", "Edit", "*", "B.*", "Bash,Edit", "BASH"], no=self.no)
        for fields in [dict(timeoutSec=1), dict(timeoutSec=5), dict(timeout=1), dict(timeoutSec=0), dict(timeoutSec="1"), dict(timeoutSec=1.5), dict(timeoutSec=-1)]:
            yield dict(name=json.dumps(fields), event="preToolUse", hooks=["sleep 2.2; " + self.no], fields=fields)
        yield from shapes("preToolUse", [dict(powershell="exit 0"), dict(comment="x"), dict(env=dict(A="b")), dict(cwd="/"), dict(cwd="none"), {"async": True}, {"if": "Bash(rm *)"}, dict(once=True), dict(enabled=False), dict(foo=1), dict(type="prompt", prompt="x"), dict(type="bogus"), dict(bash=""), dict(command="exit 0")],
                          [], [dict(foo=1), dict(disableAllHooks=True), dict(version=2)], self.no)
        yield from http_hooks.copilot(self, DENY)
    def run(self, case):
        self.case_env = case.get("env", {})
        return super().run(case)
    def variables(self, box):
        return dict(super().variables(box), **self.case_env)
    def filled(self, text, box):
        return http_hooks.fill(text, box)

if __name__ == "__main__":
    rig.run(Copilot, dict(EXCUSED, **http_hooks.EXCUSED))
