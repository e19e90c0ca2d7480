"""What the rigs of the agents have in common: installing a pinned agent, a mock of its model, the comparison and its report.

A rig runs each case's hooks in the real agent (headless, in a directory and a home of its own) and in `hookshell run EVENT
--dialect AGENT` with the same config and the payload that the agent sent, and compares what came of it. It prints a line for each
difference, then `AGENT VERSION: N of M behaviours equal, ...`. Linux, x86_64. Run by `cargo xtask agents`, or by hand:

    python3 tests/agents/AGENT.py HOOKSHELL [-k WORD] [-v] [-a] [--reduced] [--latest] [--record]

-k: the cases whose names hold WORD. -v: all that was said. -a: the agent beside itself: with the config as it is, and with
`hookshell run EVENT --output AGENT --config IT` as its hook. --reduced: some of the cases, evenly chosen. --latest: the newest
version on the registry instead of the pinned one of versions.json. --record: writes what hooks got to payloads/AGENT/EVENT.json.

Compared are: act (did the tool run, and with which input), turn (did it go on, end early, or go on again), model (which of the
words CTXx and WHYx the model was sent), runs (which hooks ran, by letter, and how often). `(let through)` marks the differences
where hookshell lets a call, a prompt or a turn's end through, or runs no hook, where the agent stops it or runs one.

Exit codes: 0: at least 97 % (95 % with -a) are equal or excused, and nothing is let through but what is excused; 1: that is not so; 3: skipped, because
the registry cannot be reached and the agent is not there.
"""
import argparse, base64, hashlib, io, json, os, random, re, subprocess, sys, tarfile, tempfile, threading, time, urllib.error, urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.environ.get("AGENTS_ROOT") or os.path.join(tempfile.gettempdir(), "hookshell-agents")
REGISTRY = "https://registry.npmjs.org"
VERSIONS = json.load(open(os.path.join(HERE, "versions.json"), encoding="utf-8"))
GOAL, GOAL_AS_HOOK, SKIPPED = 0.97, 0.95, 3
BEGUN, REDUCED_SECONDS = time.monotonic(), 300
SHOWN = re.compile(r"(?:CTX|WHY)[A-Z]\b")
# Where a hook has given no reason hookshell says which one it was, by its command: that is none of the words that it said.
NAMED = re.compile(r"the hook `.*?` (?=failed|denied|could not|printed)", re.S)

def shown(text):
    """The words that a text has of what hooks said."""
    return SHOWN.findall(NAMED.sub("", text or ""))

def arguments(agent, more=lambda parser: None):
    parser = argparse.ArgumentParser(description="The real %s beside hookshell." % agent)
    parser.add_argument("hookshell")
    parser.add_argument("-k", default="", metavar="WORD")
    parser.add_argument("-v", action="store_true")
    parser.add_argument("-a", action="store_true")
    parser.add_argument("--reduced", action="store_true")
    parser.add_argument("--latest", action="store_true")
    parser.add_argument("--record", action="store_true")
    more(parser)
    given = parser.parse_args()
    given.hookshell = os.path.abspath(given.hookshell)
    return given

def fetch(url):
    with urllib.request.urlopen(url, timeout=120) as answer:
        return answer.read()

class Installed:
    """A package of the registry, unpacked below ROOT: `path` of its directory, `version`."""
    def __init__(self, name, latest=False):
        own = VERSIONS[name]
        self.version, suffix, integrity = own["version"], own.get("suffix", ""), own["integrity"]
        try:
            if latest:
                self.version = json.loads(fetch("%s/%s/latest" % (REGISTRY, own.get("main", own["package"]))))["version"]
                integrity = json.loads(fetch("%s/%s/%s%s" % (REGISTRY, own["package"], self.version, suffix)))["dist"]["integrity"]
            self.path = os.path.join(ROOT, "%s-%s" % (name, self.version))
            if not os.path.isdir(self.path):
                self.unpack(own["package"], self.version + suffix, integrity)
        except (urllib.error.URLError, OSError) as error:
            if isinstance(error, urllib.error.HTTPError):
                raise
            print("%s: skipped: %s cannot be had from %s: %s" % (name, own["package"], REGISTRY, error), flush=True)
            sys.exit(SKIPPED)

    def unpack(self, package, version, integrity):
        kind, wanted = integrity.split("-", 1)
        body = fetch("%s/%s/-/%s-%s.tgz" % (REGISTRY, package, package.rpartition("/")[2], version))
        got = base64.b64encode(hashlib.new(kind, body).digest()).decode()
        if got != wanted:
            sys.exit("%s %s is not what versions.json says: %s-%s" % (package, version, kind, got))
        os.makedirs(ROOT, exist_ok=True)
        # By another name first: what was cut off is no installed agent.
        part = tempfile.mkdtemp(prefix="part-", dir=ROOT)
        with tarfile.open(fileobj=io.BytesIO(body)) as tar:
            tar.extractall(part)
        os.rename(os.path.join(part, "package"), self.path)
        os.rmdir(part)

    def file(self, name):
        path = os.path.join(self.path, name)
        os.chmod(path, 0o755)
        return path

def node(*least):
    """A node of at least that version (20 unless said): the machine's, or one of the registry."""
    try:
        said = subprocess.run(["node", "--version"], stdout=subprocess.PIPE, text=True).stdout
        if tuple(int(part) for part in said.strip().lstrip("v").split(".")) >= (least or (20,)):
            return "node"
    except (OSError, ValueError):
        pass
    return Installed("node").file("bin/node")

def reduced(cases, count=64):
    """So many of them, evenly chosen, in an order that is even too, wherever it is cut off."""
    step = max(1.0, len(cases) / count)
    chosen = [cases[int(at * step)] for at in range(min(count, len(cases)))]
    random.Random(0).shuffle(chosen)
    return chosen

class Budget:
    """Time for the cases of a reduced run, from the start of the rig on (a minute at least): a slow machine does fewer of them, and says so."""
    def __init__(self, is_reduced):
        now = time.monotonic()
        self.until, self.left_out = max(BEGUN + REDUCED_SECONDS, now + 60) if is_reduced else float("inf"), 0

    def is_over(self):
        """Asked before each case."""
        over = time.monotonic() > self.until
        self.left_out += over
        return over

    def say(self):
        if self.left_out:
            print("left out: %d cases, as %d s were over" % (self.left_out, REDUCED_SECONDS), flush=True)

def record(name, version, event, payload, env, own):
    """Keeps what a hook got of an agent, without what is this machine's: `own` maps its texts to placeholders. `env` is the
    output of `env -0`. Variables that every process has, and those that a rig itself sets, are left out."""
    def clean(value):
        if isinstance(value, dict):
            return {key: clean(value[key]) for key in value}
        if isinstance(value, list):
            return [clean(item) for item in value]
        if isinstance(value, str):
            for text in sorted(own, key=len, reverse=True):
                value = value.replace(text, own[text])
        return value
    common = re.compile(r"(?:PATH|HOME|PWD|OLDPWD|SHLVL|_|LANG|REC|NO_COLOR|SHELL|XDG_.*|.*API_KEY|MOCK_KEY|.*BASE_URL|(?:CLAUDE_CODE_)?DISABLE_.*"
                        "|GEMINI_(?:CLI_NO_RELAUNCH|SANDBOX)|COPILOT_(?:OFFLINE|PROVIDER_.*|MODEL|AUTO_UPDATE)|OPENAI_.*)$")
    variables = dict(entry.partition("=")[::2] for entry in env.split("\0") if "=" in entry)
    kept = dict(agent=name, version=version, event=event, payload=clean(json.loads(payload)),
                env={key: clean(variables[key]) for key in sorted(variables) if not common.match(key)})
    put(os.path.join(HERE, "payloads", name, event + ".json"), json.dumps(kept, indent=1, ensure_ascii=False) + "\n")

class Report:
    """Behaviours and what became of them. `excused` maps a part of a label (a regular expression) to the heading in
    docs/dialects/AGENT.md that gives the reason."""
    def __init__(self, agent, version, excused, what="behaviours equal", goal=GOAL):
        self.agent, self.version, self.what, self.goal = agent, version, what, goal
        self.excused = [(re.compile(label), reason) for label, reason in excused.items()]
        self.equal = self.total = self.excuses = self.through = 0

    def is_excused(self, label):
        """The reason, or `None`."""
        return next((reason for label_of, reason in self.excused if label_of.search(label)), None)

    def add(self, label, difference, through=False):
        """`difference`: empty where both did the same."""
        self.total += 1
        if not difference:
            self.equal += 1
            return
        reason = self.is_excused(label)
        self.excuses += reason is not None
        self.through += through and reason is None
        mark = "(excused: %s) " % reason if reason else "(let through) " if through else ""
        print("%s %s%s: %s" % (self.agent, mark, label, difference), flush=True)

    def end(self):
        """Prints the counts; is the goal reached?"""
        print("%s %s: %d of %d %s, %d excused, %d let through" % (self.agent, self.version, self.equal, self.total, self.what, self.excuses, self.through), flush=True)
        return self.total > 0 and self.equal + self.excuses >= self.goal * self.total and self.through == 0

class Mock:
    """The models: each request that offers tools takes the next step of the script; all are logged."""
    def __init__(self):
        self.steps, self.log, self.count, mock = [], [], 0, self

        class Handler(BaseHTTPRequestHandler):
            protocol_version, log_message = "HTTP/1.1", lambda *_: None

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
                streams = "stream" in self.path or body.get("stream")
                text = (mock.say(self.path, body, streams) if self.command == "POST" else '{"models":[],"data":[]}').encode()
                self.send_response(200)
                self.send_header("content-type", "text/event-stream" if streams else "application/json")
                self.send_header("content-length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)
            do_GET = do_POST

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = "http://127.0.0.1:%d" % server.server_address[1]
        threading.Thread(target=server.serve_forever, daemon=True).start()

    def say(self, path, body, streams):
        step, call = {"text": '{"next_speaker":"user","reasoning":"-"}'}, "call_%d" % self.count  # to an agent's question to itself
        self.count += 1
        if body.get("tools"):
            self.log.append(body)
            step = self.steps.pop(0) if self.steps else {"text": "done"}
        if "responses" in path:
            if "text" in step:
                item = dict(type="message", role="assistant", id="m" + call, content=[dict(type="output_text", text=step["text"])])
            elif "patch" in step:
                item = dict(type="custom_tool_call", id="c" + call, call_id=call, name="apply_patch", input=step["patch"])
            else:
                item = dict({k: step[k] for k in step if k == "namespace"}, type="function_call", id="f" + call, call_id=call, name=step["tool"], arguments=json.dumps(step["args"]))
            usage = dict(input_tokens=10, output_tokens=5, total_tokens=15)
            events = [dict(type="response.created", response=dict(id="r" + call)), dict(type="response.output_item.done", output_index=0, item=item),
                      dict(type="response.completed", response=dict(id="r" + call, usage=usage))]
            return "".join("event: %s\ndata: %s\n\n" % (e["type"], json.dumps(e)) for e in events)
        if "enerateContent" in path:
            part = {"text": step["text"]} if "text" in step else {"functionCall": {"name": step["tool"], "args": step["args"]}}
            reply = json.dumps(dict(candidates=[dict(content=dict(role="model", parts=[part]), finishReason="STOP", index=0)], usageMetadata=dict(promptTokenCount=10, candidatesTokenCount=5, totalTokenCount=15)))
            return "data: %s\n\n" % reply if streams else reply
        said = {"role": "assistant", "content": step.get("text")}
        if "tool" in step:
            said["tool_calls"] = [dict(index=0, id=call, type="function", function=dict(name=step["tool"], arguments=json.dumps(step["args"])))]
        end = dict(index=0, finish_reason="tool_calls" if "tool" in step else "stop")
        head = dict(id=call, object="chat.completion.chunk", created=1, model="mock", usage=dict(prompt_tokens=10, completion_tokens=5, total_tokens=15))
        if not streams:
            return json.dumps(dict(head, object="chat.completion", choices=[dict(end, message=said)]))
        return "".join("data: %s\n\n" % json.dumps(dict(head, choices=[c])) for c in (dict(index=0, delta=said, finish_reason=None), dict(end, delta={}))) + "data: [DONE]\n\n"

MOCK = Mock()

def put(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)

def read(path):
    return open(path, encoding="utf-8", errors="replace").read() if os.path.exists(path) else ""
# Cases: `name | hook || second hook`, parted by lines or ¦. «JSON» is a command that prints it, EVENT the event's name, BLOCK a whole object that blocks.
COMMON = """
exit 0 | exit 0 ¦ exit 1 | echo WHYA >&2; exit 1 ¦ exit 2 | echo WHYA >&2; exit 2 ¦ exit 2, silent | exit 2 ¦ exit 2, text on stdout | echo WHYA; exit 2 ¦ exit 2, text on both | echo WHYA; echo WHYB >&2; exit 2 ¦ exit 3 | echo WHYA >&2; exit 3 ¦ exit 49 | echo WHYA >&2; exit 49 ¦ exit 127 | no-such-command ¦ killed | kill -9 $$
plain text | echo CTXA ¦ plain text, exit 1 | echo CTXA; exit 1 ¦ invalid JSON | echo '{CTXA' ¦ an array | «["CTXA"]» ¦ JSON on stderr | «BLOCK» >&2 ¦ JSON in a JSON string | «"{\\"decision\\":\\"block\\",\\"reason\\":\\"WHYA\\"}"» ¦ text before JSON | echo x; «BLOCK» ¦ two objects | echo {}; «BLOCK»
byte order mark | printf '\\357\\273\\277'; «BLOCK» ¦ continue: false | «{"continue":false,"stopReason":"WHYA"}» ¦ block | «BLOCK» ¦ block, exit 1 | «BLOCK»; exit 1 ¦ exit 2 and {} | echo {}; echo WHYA >&2; exit 2 ¦ block without a reason | «{"decision":"block"}» ¦ decision: deny | «{"decision":"deny","reason":"WHYA"}»
decision: DENY | «{"decision":"DENY","reason":"WHYA"}» ¦ decision: ask | «{"decision":"ask","reason":"WHYA"}» ¦ decision: approve | «{"decision":"approve","reason":"WHYA"}» ¦ a reason alone | «{"reason":"WHYA"}» ¦ systemMessage | «{"systemMessage":"hello"}»
suppressOutput | «{"suppressOutput":true,"hookSpecificOutput":{"hookEventName":"EVENT","additionalContext":"CTXA"}}» ¦ additionalContext | «{"hookSpecificOutput":{"hookEventName":"EVENT","additionalContext":"CTXA"}}» ¦ additionalContext at the top | «{"additionalContext":"CTXA"}»
block and additionalContext | «{"decision":"block","reason":"WHYA","hookSpecificOutput":{"hookEventName":"EVENT","additionalContext":"CTXA"}}» ¦ unknown field | «{"decision":"block","reason":"WHYA","foo":1}» ¦ wrong type | «{"decision":"block","reason":"WHYA","systemMessage":5}»
null field | «{"decision":"block","reason":"WHYA","systemMessage":null}» ¦ two blocks | sleep .2; «BLOCK» || «{"decision":"block","reason":"WHYB"}» ¦ allow beside a block | «{"decision":"allow"}» || «BLOCK» ¦ continue: false beside a block | «{"continue":false,"stopReason":"WHYA"}» || «{"decision":"block","reason":"WHYB"}»
the same hook twice | exit 0 || exit 0
"""
OWN = """
deny | «{DENY}» ¦ deny, inside | «{"hookSpecificOutput":{"hookEventName":"EVENT",DENY}}» ¦ deny without a reason | «{"hookSpecificOutput":{"hookEventName":"EVENT","permissionDecision":"deny"}}»
deny with a blank reason | «{"hookSpecificOutput":{"hookEventName":"EVENT","permissionDecision":"deny","permissionDecisionReason":" "}}» ¦ allow, inside | «{"hookSpecificOutput":{"hookEventName":"EVENT","permissionDecision":"allow"}}» ¦ ask | «{"permissionDecision":"ask","permissionDecisionReason":"WHYA"}»
ask, inside | «{"hookSpecificOutput":{"hookEventName":"EVENT","permissionDecision":"ask","permissionDecisionReason":"WHYA"}}» ¦ DENY, inside | «{"hookSpecificOutput":{"hookEventName":"EVENT","permissionDecision":"DENY","permissionDecisionReason":"WHYA"}}»
deny, exit 1 | «{DENY,"hookSpecificOutput":{"hookEventName":"EVENT",DENY}}»; exit 1 ¦ deny with another event's name | «{"hookSpecificOutput":{"hookEventName":"PostToolUse",DENY}}» ¦ deny without an event's name | «{"hookSpecificOutput":{DENY}}»
unknown field inside | «{"hookSpecificOutput":{"hookEventName":"EVENT",DENY,"foo":1}}» ¦ deny and additionalContext | «{"hookSpecificOutput":{"hookEventName":"EVENT",DENY,"additionalContext":"CTXA"}}»
additionalContext beside exit 2 | «{"hookSpecificOutput":{"hookEventName":"EVENT","additionalContext":"CTXA"}}» || echo WHYA >&2; exit 2 ¦ deny beside a deny | «{DENY}» || «{"permissionDecision":"deny","permissionDecisionReason":"WHYB"}»
updatedInput and allow | «{"hookSpecificOutput":{"hookEventName":"EVENT","permissionDecision":"allow","updatedInput":{"command":"echo ran > marker2","description":"d"}}}» ¦ updatedInput alone | «{"hookSpecificOutput":{"hookEventName":"EVENT","updatedInput":{"command":"echo ran > marker2","description":"d"}}}»
updatedInput and deny | «{"hookSpecificOutput":{"hookEventName":"EVENT",DENY,"updatedInput":{"command":"echo ran > marker2","description":"d"}}}» ¦ updatedInput without command | «{"hookSpecificOutput":{"hookEventName":"EVENT","permissionDecision":"allow","updatedInput":{"x":1}}}»
updatedInput, a string | «{"hookSpecificOutput":{"hookEventName":"EVENT","permissionDecision":"allow","updatedInput":"x"}}» ¦ modifiedArgs | «{"modifiedArgs":{"command":"echo ran > marker2","description":"d"}}» ¦ modifiedArgs without command | «{"modifiedArgs":{"description":"n"}}»
two updatedInputs, the first hook slow | sleep .4; «{"hookSpecificOutput":{"hookEventName":"EVENT","permissionDecision":"allow","updatedInput":{"command":"echo ran > marker","description":"d"}}}» || «{"hookSpecificOutput":{"hookEventName":"EVENT","permissionDecision":"allow","updatedInput":{"command":"echo ran > marker2","description":"d"}}}»
"""
FEW = ("exit 0", "exit 1", "exit 2", "exit 2, silent", "exit 49", "plain text", "continue: false", "block", "block, exit 1", "block without a reason", "additionalContext",
       "additionalContext at the top", "block and additionalContext", "two blocks", "continue: false beside a block")
BLOCK, DENY, NO = '{"decision":"block","reason":"WHYA"}', '"permissionDecision":"deny","permissionDecisionReason":"WHYA"', "echo WHYA >&2; exit 2"
UTF8 = dict(encoding="utf-8", errors="replace")

def table(event, text, wanted=None, **more):
    for line in re.split(r"\n| ¦ ", text.strip()):
        name, hooks = line.split(" | ", 1)
        hooks = hooks.replace("EVENT", event).replace("BLOCK", BLOCK).replace("DENY,", DENY + ",").replace("DENY}", DENY + "}").replace("«", "echo '").replace("»", "'")
        if wanted is None or name in wanted:
            yield dict(name=name, event=event, hooks=hooks.split(" || "), **more)

def matchers(event, patterns, where="", no=NO, **more):
    for pattern in patterns:
        yield dict(name="matcher %r%s" % (pattern, where), event=event, hooks=["echo CTXA" if event == "SessionStart" else no], matcher=pattern, **more)

def shapes(event, fields, groups, tops, no=NO):
    """Fields of a hook, of its group, of the file; and files in other shapes."""
    yield from (dict(name="hook with " + json.dumps(f), event=event, hooks=[no], fields=f) for f in fields)
    yield from (dict(name="group with " + json.dumps(g), event=event, hooks=[no], group=g) for g in groups)
    yield from (dict(name="file with " + json.dumps(t), event=event, hooks=[no], top=t, fields=dict(name="n") if "disabled" in json.dumps(t) else {}) for t in tops)
    hook = dict(type="command", command="echo a >> @/runs; " + no)
    group = [dict(hooks=[hook])]
    snake = re.sub("(?<=[a-z])(?=[A-Z])", "_", event).lower()
    for name, hooks in [("no type", [dict(hooks=[dict(command=hook["command"])])]), ("no group", [hook]), ("a group", group), ("a hook without a command beside it", [dict(hooks=[dict(type="command"), hook])]), ("an http hook beside it", [dict(hooks=[dict(type="http", url="x"), hook])]),
                        ("missing script", [dict(hook, command="./nope.sh", hooks=[dict(hook, command="./nope.sh")])]), ("no #! line, no x bit", [dict(hook, command="sh ./h.sh", hooks=[dict(hook, command="sh ./h.sh")])])]:
        yield dict(name=name, event=event, raw=json.dumps(dict(version=1, hooks={event: hooks}) if event == "preToolUse" else dict(hooks={event: hooks})), files={"h.sh": hook["command"] + "\n"})
    good = dict(version=1, hooks={event: [hook]}) if event == "preToolUse" else dict(hooks={event: group})
    for name, raw in [("no `hooks` around", json.dumps(good["hooks"])), ("event in snake case", json.dumps(good).replace(event, snake)), ("an unknown event beside it", json.dumps(dict(good, hooks=dict(good["hooks"], Bogus=good["hooks"][event])))),
                      ("comments", "// x\n" + json.dumps(good)), ("byte order mark", "\ufeff" + json.dumps(good)), ("trailing comma", json.dumps(good)[:-1] + ",}")]:
        yield dict(name=name + " in the file", event=event, raw=raw)

class Agent:
    """An agent's rig: `name` (the dialect), `agent` (what it is called), `file` (its config in a project), `shell` (its tool)."""
    own = {}

    def __init__(self, given):
        self.given, self.hookshell, self.recorded = given, given.hookshell, set()
        self.installed = Installed(self.name, given.latest)
        self.version = self.installed.version
        self.installed_at()

    def config(self, case):
        """The project's config file: `raw`, else one group of the case's hooks; each hook writes its letter first."""
        if "raw" in case:
            return case["raw"]
        once = "if [ -e @/once%s ]; then exit 0; fi; : > @/once%s; " if case["event"] in ("Stop", "SubagentStop", "AfterAgent", "agentStop") else "%.0s%.0s"
        commands = ["echo %s >> @/runs; " % a + once % (a, a) + c for a, c in zip("abcd", case["hooks"])]
        return json.dumps(dict(self.own, **case.get("top", {}), hooks={case["event"]: self.hooks(commands, case)}))
    def hooks(self, commands, case=dict()):
        hooks = [dict(dict(type="command"), **dict(dict(command=c), **case.get("fields", {}))) for c in commands]
        return [dict({k: case[k] for k in case if k == "matcher"}, **case.get("group", {}), hooks=hooks)]

    def run(self, case):
        """The case in the real agent and in hookshell: two summaries, and what they said."""
        with tempfile.TemporaryDirectory(prefix="agents-", ignore_cleanup_errors=True) as box:
            real, payload, shown = self.real(case, box)
            if self.given.a:
                with tempfile.TemporaryDirectory(prefix="agents-", ignore_cleanup_errors=True) as other:
                    ours, _, answer = self.real(case, other, adopted=True)
                return real, ours, shown + answer
            project, argv = box + "/project", [self.hookshell, "run", case["event"], "--dialect", self.name, "--config", box + "/project/" + case.get("file", self.file)]
            hook = subprocess.run(argv, input=payload, env=self.variables(box), cwd=project, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, **UTF8)
            return real, self.summary(case["event"], hook, read(box + "/runs"), real), shown + hook.stdout + hook.stderr
    def texts_of_this_machine(self, box):
        return {box: "/box", self.installed.path: "/agent", ROOT: "/agents", os.environ["PATH"]: "/usr/bin:/bin", MOCK.url: "http://mock"}

    def filled(self, text, box):
        return text
    def variables(self, box):
        return dict(HOME=box + "/home", PATH=os.environ["PATH"], NO_COLOR="1", XDG_STATE_HOME=box + "/state", **self.env())
    def real(self, case, box, adopted=False):
        """The case in the real agent; `adopted`: with one hook there, `hookshell run`, to which the config is given."""
        event, project, fill = case["event"], box + "/project", lambda text: self.filled(text.replace("@", box), box)
        os.makedirs(project)
        subprocess.run(["git", "init", "-q", project], check=True)
        for name, text in case.get("files", {}).items():
            put(project + "/" + name, fill(text), 0o755)
        own = box + "/own" + os.path.splitext(case.get("file", ".json"))[1]
        put(own, fill(self.config(case)))
        command = "%s run %s --dialect %s --output %s --config %s" % (self.hookshell, event, self.name, self.name, own)
        put(project + "/" + (self.file if adopted else case.get("file", self.file)), json.dumps(dict(self.own, hooks={event: self.hooks([command])})) if adopted else fill(self.config(case)))
        recorder = "[ -e %s/in ] || { env -0 > %s/in.env; cat > %s/in; }; exit 0" % (box, box, box)
        self.prepare(case, box, box + "/home", project, dict(self.own, hooks={event: self.hooks([recorder])}))
        steps = case.get("steps") or [dict(tool=self.shell, args=self.call("echo ran > marker")), dict(text="all done")]
        MOCK.steps, MOCK.log = json.loads(fill(json.dumps(steps))), []
        wanted = len(MOCK.steps)
        done = subprocess.run(self.argv(project), env=self.variables(box), cwd=project, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=180, **UTF8)
        act = "changed" if os.path.exists(project + "/marker2") else "ran" if os.path.exists(project + "/marker") else "not"
        turn = len(MOCK.log) - wanted
        sent = shown("\n".join(self.sent(request) for request in MOCK.log))
        real = dict(act=act, turn="ended" if turn < 0 else "again" if turn > 0 else "on", model=sorted(set(sent)), runs="".join(sorted(read(box + "/runs").split())))
        kept = ROOT + "/payload.%s.%s" % (self.name, event)
        payload = read(box + "/in") or read(kept).replace("@", box)
        put(kept, payload.replace(box, "@"))
        if self.given.record and read(box + "/in") and event not in self.recorded:
            self.recorded.add(event)
            record(self.name, self.version, event, payload, read(box + "/in.env"), self.texts_of_this_machine(box))
        for left in ("runs", "oncea", "onceb", "project/marker", "project/marker2"):
            os.path.exists(box + "/" + left) and os.remove(box + "/" + left)
        return real, payload, done.stdout

    def summary(self, event, hook, runs, real):
        """What a host that obeys the verdict would do."""
        said = json.loads(hook.stdout) if hook.stdout.strip() else dict(event=event, decision=None, halt=False, reason=None, context=None, updated_input=None)
        event, denied, halted, new = said["event"], said["decision"] == "deny", said["halt"], said["updated_input"]
        act, turn, words = "ran", "on", SHOWN.findall(said["context"] or "")
        if event in ("PreToolUse", "UserPromptSubmit", "SessionStart", "PermissionRequest") and (denied or halted) or isinstance(new, dict) and "command" not in new and "cmd" not in new:
            act = "not"
        elif "marker2" in json.dumps(new or ""):
            act = "changed"
        if halted and event not in ("Stop", "SubagentStop") or denied and event == "UserPromptSubmit":
            turn = "ended"
        elif denied and event in ("Stop", "SubagentStop") and not halted:
            turn, runs = "again", runs * 2  # the hooks run once more then, and let it end
        if event == "PreToolUse" and said["decision"] == "ask":
            act, turn = self.asked
        if (denied or act != "ran" and said["decision"] == "ask" and turn != "ended") and not halted and event in ("PreToolUse", "Stop", "SubagentStop", "PermissionRequest"):
            words += shown(said["reason"])
        if turn == "ended":
            words = []  # the model is not asked again
        return dict(act=act if real["act"] != "not" or event != "PostToolUse" else "not", turn=turn, model=sorted(set(words)), runs="".join(sorted(runs.split())))

def run(kind, excused=None):
    """The whole rig of an agent of the class `kind`."""
    given = arguments(kind.agent)
    agent = kind(given)
    report = Report(kind.agent, agent.version, excused or {}, *(("behaviours equal as the hook", GOAL_AS_HOOK) if given.a else ("behaviours equal", GOAL)))
    cases = [(label, case) for case in agent.cases() for label in ["%s: %s" % (case["event"], case["name"])] if given.k in label]
    budget = Budget(given.reduced)
    for label, case in reduced(cases) if given.reduced else cases:
        if budget.is_over():
            continue
        real, ours, shown = agent.run(case)
        if real != ours and not report.is_excused(label):
            real, ours, shown = agent.run(case)  # once more: an agent that was slow on a busy machine has seen less
        through = real["act"] == "not" != ours["act"] or (real["turn"], ours["turn"]) in (("ended", "on"), ("again", "on")) or len(real["runs"]) > len(ours["runs"])
        report.add(label, "; ".join("%s: real %s, hookshell %s" % (k, json.dumps(real[k]), json.dumps(ours[k])) for k in real if real[k] != ours[k]), through)
        if given.v:
            print(label, real, ours, shown[-3000:], sep="\n  ")
    budget.say()
    sys.exit(0 if report.end() else 1)
