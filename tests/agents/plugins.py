"""What the rigs of agents have in common whose hooks are code (opencode, pi): the plugin that `hookshell install` writes, in the real agent.

There is no second oracle here: each behaviour of the agent is beside what Crush's contract says of the hook. One session of the agent has a call
for each, so that a rig takes two starts of the agent. Options, exit codes and what is printed: rig.py; -k, -a and --record mean nothing.
"""
import json, os, subprocess, sys, tempfile

import rig
from rig import MOCK, UTF8, put, read

GUARD = r"""
case $CRUSH_TOOL_INPUT_COMMAND in
  *denied*) echo WHYA >&2; exit 2 ;;
  *old*) echo '{"decision":"allow","updated_input":{"command":"echo ran > new"}}' ;;
  *context*) echo '{"context":"CTXA"}' ;;
  *asked*) echo '{"decision":"ask","reason":"WHYB"}' ;;
  *broken*) exit 1 ;;
  *slow*) sleep 9 ;;
  *halted*) echo WHYC >&2; exit 49 ;;
esac
case $CRUSH_TOOL_INPUT_FILE_PATH in
  *guarded) echo WHYD >&2; exit 2 ;;
  *moved) echo '{"updated_input":{"file_path":"elsewhere"}}' ;;
esac
"""
AFTER = """case $CRUSH_TOOL_INPUT_COMMAND in *context*) echo '{"context":"CTXB"}' ;; esac"""

class Plugin:
    """An agent's rig: `name`, `path_key` (what its tools call a file), `prepare` and `argv`."""
    def __init__(self, given):
        self.hookshell, self.installed = given.hookshell, rig.Installed(self.name, given.latest)
        self.installed_at()

    def installed_at(self):
        pass

    def start(self, box, steps, has_hookshell=True):
        """The agent with these steps of its model: what it printed, and what the model was told of each call."""
        path = os.pathsep.join([box + "/bin"] * has_hookshell + self.path() + ["/usr/bin", "/bin"])
        env = dict(HOME=box + "/home", PATH=path, NO_COLOR="1", XDG_STATE_HOME=box + "/state", **self.env)
        if has_hookshell:
            subprocess.run(["hookshell", "install", self.name, "--user"], cwd=box + "/project", env=env, check=True, stdout=subprocess.DEVNULL)
        MOCK.steps, MOCK.log = list(steps), []
        done = subprocess.run(self.argv(), env=env, cwd=box + "/project", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=180, **UTF8)
        told = [str(message["content"]) for message in (MOCK.log[-1]["messages"] if MOCK.log else []) if message["role"] == "tool"]
        return done.stdout, told

    def path(self):
        return []

    def behaviours(self, box):
        """Labels, and whether the agent did so."""
        project = box + "/project"
        put(box + "/home/.config/crush/crush.json", json.dumps(dict(hooks=dict(PreToolUse=[dict(command=GUARD, timeout=2)], PostToolUse=[dict(command=AFTER)]))))
        os.makedirs(project)
        os.makedirs(box + "/bin")
        os.symlink(self.hookshell, box + "/bin/hookshell")
        self.prepare(box + "/home")
        bash = lambda name: dict(tool="bash", args=dict(command="echo ran > " + name, description="d"))
        write = lambda name: dict(tool="write", args={self.path_key: project + "/" + name, "content": "x"})
        calls = [bash("denied"), bash("allowed"), bash("old"), bash("context"), bash("asked"), bash("broken"), bash("slow"), write("guarded"), write("moved"), bash("halted")]
        printed, told = self.start(box, calls + [dict(text="done")])
        # The model is not asked after the halt: what it was told of the others is in the request before.
        did, told = set(os.listdir(project)), told + [""] * len(calls)
        yield "deny: the call is stopped, with the reason", "denied" not in did and "WHYA" in told[0]
        yield "no opinion: the call runs", "allowed" in did
        yield "updated_input is used", "new" in did and "old" not in did
        yield "context, before and after the call, reaches the model", "context" in did and "CTXA" in told[3] and "CTXB" in told[3]
        yield "ask: it is not run unasked", "asked" not in did and "WHYB" in told[4]
        yield "a hook that fails is seen", "broken" in did and "exit code 1" in printed
        yield "a hook that is too slow is seen", "slow" in did and "timed out after 2 s" in printed
        yield "file_path is known to a guard", "guarded" not in did and "WHYD" in told[7]
        yield "a changed file_path is used", "elsewhere" in did and "moved" not in did
        yield "halt: the turn is over, and why is seen", "halted" not in did and "WHYC" in printed and len(MOCK.log) == len(calls)
        os.unlink(box + "/bin/hookshell")
        printed, _ = self.start(box, [bash("unguarded"), dict(text="done")], has_hookshell=False)
        yield "a hookshell that is not there is seen", "no hook has run" in printed

def run(kind):
    """The whole rig of an agent of the class `kind`."""
    given = rig.arguments(kind.name)
    agent = kind(given)
    report = rig.Report(kind.name, agent.installed.version, {}, "behaviours as Crush's contract says")
    with tempfile.TemporaryDirectory(prefix="agents-", ignore_cleanup_errors=True) as box:
        for label, is_so in agent.behaviours(box):
            report.add(label, "" if is_so else "it is not so", not is_so)
    sys.exit(0 if report.end() else 1)
