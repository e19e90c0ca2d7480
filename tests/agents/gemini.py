#!/usr/bin/env python3
"""The real Gemini CLI as oracle of the dialect `gemini`: see rig.py."""
import json, os, re, subprocess, sys

import rig
from rig import *

# What differs on purpose: a part of the label to the heading of docs/dialects/AGENT.md that says why.
EXCUSED = {
    r'^BeforeTool: \{"timeout": 0\}$': "Gemini CLI: a timeout of 0",
    r"matcher 'run_shell_command\(echo \*\)'": "Gemini CLI: a matcher that is a permission's rule",
    r"(byte order mark|trailing comma) in the file$": "Gemini CLI: a file that it cannot read",
}

GEMINI_OWN = """
deny and stopReason | «{"decision":"deny","reason":"WHYA","stopReason":"WHYB"}» ¦ permissionDecision | «{"hookSpecificOutput":{"hookEventName":"EVENT",DENY}}» ¦ tool_input | «{"hookSpecificOutput":{"hookEventName":"EVENT","tool_input":{"command":"echo ran > marker2"}}}»
tool_input of another event | «{"hookSpecificOutput":{"hookEventName":"AfterTool","tool_input":{"command":"echo ran > marker2"}}}» ¦ tool_input at the top | «{"tool_input":{"command":"echo ran > marker2"}}»
tool_input and deny | «{"decision":"deny","reason":"WHYA","hookSpecificOutput":{"tool_input":{"command":"echo ran > marker2"}}}» ¦ tool_input without command | «{"hookSpecificOutput":{"hookEventName":"EVENT","tool_input":{"description":"n"}}}»
two tool_inputs | sleep .4; «{"hookSpecificOutput":{"tool_input":{"command":"echo ran > marker"}}}» || «{"hookSpecificOutput":{"tool_input":{"command":"echo ran > marker2"}}}»
two parts of the tool_input | «{"hookSpecificOutput":{"tool_input":{"command":"echo ran > marker2"}}}» || sleep .4; «{"hookSpecificOutput":{"tool_input":{"description":"n"}}}» ¦ ask beside allow | «{"decision":"ask","reason":"WHYA"}» || «{"decision":"allow"}»
GEMINI_PROJECT_DIR in quotes | case "$GEMINI_PROJECT_DIR/x" in /*/x) «BLOCK» ;; esac
"""

class Gemini(Agent):
    agent = "Gemini CLI"
    name, file, shell, asked = "gemini", ".gemini/settings.json", "run_shell_command", ("not", "ended")
    call = staticmethod(lambda command: dict(command=command, description="d"))
    sent = staticmethod(lambda request: json.dumps([part for content in request["contents"] for part in content["parts"] if "functionCall" not in part]))
    env = staticmethod(lambda: dict(GEMINI_API_KEY="dummy", GOOGLE_GEMINI_BASE_URL=MOCK.url, GEMINI_CLI_NO_RELAUNCH="true", GEMINI_SANDBOX="false"))
    def installed_at(self):
        self.program, self.node = self.installed.file("bundle/gemini.js"), node()
    def prepare(self, case, box, home, project, recorder):
        put(home + "/.gemini/settings.json", json.dumps(dict(recorder, security=dict(auth=dict(selectedType="gemini-api-key"), folderTrust=dict(enabled=False)), privacy=dict(usageStatisticsEnabled=False), general=dict(enableAutoUpdate=False))))
    def argv(self, project):
        return [self.node, self.program, "--yolo", "-m", "gemini-2.5-flash", "-p", "please do it"]
    def cases(self):
        yield from table("BeforeTool", COMMON)
        yield from table("BeforeTool", GEMINI_OWN)
        for event in ("AfterTool", "BeforeAgent", "AfterAgent", "SessionStart"):
            yield from table(event, COMMON)
        yield dict(name="at all", event="SessionEnd", hooks=["exit 0"])
        yield from matchers("BeforeTool", ["run_shell_command", "shell", "Shell", "Bash", "run_.*", "^run", "*", "", " ", "write_file|run_shell_command", "write_file", "(", "^(?!mcp)", None, "run_shell_command(echo *)"])
        yield from matchers("SessionStart", ["startup", "start", "startup|resume", "*", ""])
        yield dict(name="matcher 'no'", event="AfterAgent", hooks=["exit 0"], matcher="no")
        for fields in [dict(timeout=1000), dict(timeout=5), dict(timeout=5000), dict(timeout=0), dict(timeout="1000")]:
            yield dict(name=json.dumps(fields), event="BeforeTool", hooks=["sleep 2.2; " + NO], fields=fields)
        yield from shapes("BeforeTool", [dict(name="n"), dict(description="x"), {"async": True}, {"if": "Bash(rm *)"}, dict(enabled=False), dict(env=dict(A="b")), dict(foo=1), dict(type="bogus")],
                          [dict(sequential=True), dict(foo=1)], [dict(foo=1), dict(disableAllHooks=True), dict(hooksConfig=dict(enabled=False)), dict(hooksConfig=dict(disabled=["n"])), dict(tools=dict(enableHooks=False))])

if __name__ == "__main__":
    rig.run(Gemini, EXCUSED)
