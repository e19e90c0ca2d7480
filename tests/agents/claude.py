#!/usr/bin/env python3
"""The real Claude Code as oracle of the dialect `claude`.

    python3 tests/agents/claude.py HOOKSHELL [-k REGEX] [-v] [-a] [--way run|exec] [--shell] [--jobs N] [--reduced] [--latest]

Each case is a project with hooks. A: the agent runs it headless against a mock of the Messages API on 127.0.0.1; what came of it is
read from its streams: which calls ran, were asked about or denied, what model and user were told (hooks' texts are marked Zz...),
which hooks ran. B: `hookshell run EVENT --dialect claude` on the payloads that the agent sent. With -a, C in place of B: the agent
again, with one hook an event, `hookshell run EVENT --dialect claude --output claude --config ORIGINAL`; with --way exec each command
C in the exec form, `hookshell` with args `exec C`. With --shell no hooks are looked at, but the agent's own shell: the commands of
session.txt through its Bash tool, with bash and with hookshell as CLAUDE_CODE_SHELL. One line for each difference, then the counts; the exit codes are those of rig.py.
"""
import concurrent.futures, http.server, json, os, re, shutil, subprocess, sys, tempfile, threading

import http_hooks, rig

# What differs on purpose: a part of the label to the heading of docs/dialects/AGENT.md that says why.
EXCUSED = {
    r"answer: deny, interrupt$": "`interrupt` of PermissionRequest",
    r"^SubagentStop: systemMessage$": "A message of SubagentStop",
    r"script (not executable|CRLF|no interpreter)|bash's language": "Commands run in hookshell's own shell",
    r"^if .*, lines of which hookshell sees more$": "An if sees more of a command line",
    r"^if .*, texts of here-documents$": "The text of a here-document is no command",
}
# Lines in which hookshell finds a command that the agent misses: after another program, and in what may be expanded.
SEEN = re.compile(r"^(timeout|sudo|env|time|nohup|command|nice|eval|sh -c|/bin/)|xargs|[$`\\{]|<[(<]")
# The same for the agent with hookshell as its hook.
EXCUSED_AS_HOOK = {label: EXCUSED[label] for label in EXCUSED if EXCUSED[label] in ("Commands run in hookshell's own shell", "An if sees more of a command line", "The text of a here-document is no command")}

ROOT, AGENT = os.path.join(rig.ROOT, "claude-cases"), None  # the agent's path is known when it is installed
PRE, POST, FAIL, PROMPT, START, STOP, PERM = "PreToolUse", "PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "SessionStart", "Stop", "PermissionRequest"
BATCH, SUBSTART, SUBSTOP = "PostToolBatch", "SubagentStart", "SubagentStop"
EVENTS = [PRE, POST, FAIL, PROMPT, START, STOP, PERM, "PostToolBatch", "SubagentStart", "SubagentStop", "SessionEnd", "CwdChanged", "MessageDisplay"]
RECORD = 'cat >> "$REC/%s"; env > "$REC/%s.env"; env -0 > "$REC/%s.env0"'
MCP = r'''import json, sys
for m in map(json.loads, sys.stdin):
    if "id" not in m: continue
    r = {"initialize": {"protocolVersion": m.get("params", {}).get("protocolVersion"), "capabilities": {"tools": {}}, "serverInfo": {"name": "srv", "version": "1"}},
         "tools/list": {"tools": [{"name": "echo", "description": "echo", "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}}}]},
         "tools/call": {"content": [{"type": "text", "text": "pong"}]}}.get(m["method"], {})
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": r}), flush=True)
'''

class Mock(http.server.ThreadingHTTPServer):
    """Answers each request that has tools with the next content block of `script`, then with a final text."""
    daemon_threads = True
    def __init__(self, script):
        super().__init__(("127.0.0.1", 0), Handler); self.script, self.requests, self.lock = list(script), [], threading.Lock()
        threading.Thread(target=self.serve_forever, daemon=True).start()

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    log_message, do_HEAD, do_GET = lambda self, *_: None, lambda self: self.reply(""), lambda self: self.reply('{"data":[]}')

    def reply(self, body, kind="application/json"):
        self.send_response(200); self.send_header("content-type", kind); self.send_header("content-length", str(len(body.encode()))); self.end_headers()
        self.wfile.write(body.encode())

    def do_POST(self):
        q = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        if "count_tokens" in self.path: return self.reply('{"input_tokens":10}')
        with self.server.lock:
            block = self.server.script.pop(0) if q.get("tools") and self.server.script else {"type": "text", "text": "final"}
            self.server.requests.append(q)
        text = block["type"] == "text"; stop = "end_turn" if text else "tool_use"
        message = dict(id=f"msg_{len(self.server.requests)}", type="message", role="assistant", model=q.get("model"), content=[], stop_reason=None, stop_sequence=None, usage=dict(input_tokens=10, output_tokens=1))
        if not q.get("stream"): return self.reply(json.dumps(dict(message, content=[block], stop_reason=stop)))
        events = [dict(type="message_start", message=message), dict(type="content_block_start", index=0, content_block=dict(block, text="") if text else dict(block, input={})),
                  dict(type="content_block_delta", index=0, delta=dict(type="text_delta", text=block["text"]) if text else dict(type="input_json_delta", partial_json=json.dumps(block["input"]))),
                  dict(type="content_block_stop", index=0), dict(type="message_delta", delta=dict(stop_reason=stop, stop_sequence=None), usage=dict(output_tokens=5)), dict(type="message_stop")]
        self.reply("".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events), "text/event-stream")

def put(path, body, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", newline="") as f: f.write(body if isinstance(body, str) else json.dumps(body))
    os.chmod(path, mode)

def adopted(value, binary):
    """A config whose commands are run by `hookshell exec`, in the exec form; all else is left to the agent."""
    if isinstance(value, list): return [adopted(x, binary) for x in value]
    if not isinstance(value, dict): return value
    if value.get("type") == "command" and value.get("command") and "args" not in value and value.get("shell", "bash") == "bash":
        return dict({k: v for k, v in value.items() if k != "shell"}, command=binary, args=["exec", value["command"].replace("${CLAUDE_PROJECT_DIR}", "${CLAUDE_PROJECT_DIR-}")])
    return {k: adopted(v, binary) for k, v in value.items()}

def agent(case, directory, nested=None, way=None):
    """Runs the agent in directory/proj; with `nested` (hookshell's path) its hooks are hookshell's: one an event (`run`) or each command (`exec`)."""
    home, proj, rec = directory + "/home", directory + "/" + case.get("dir", "proj"), directory + "/rec"
    for d in (home, proj + "/.claude", rec): os.makedirs(d, exist_ok=True)
    put(home + "/.claude.json", {"hasCompletedOnboarding": True, "projects": {proj: {"hasTrustDialogAccepted": True}}})
    put(home + "/.claude/settings.json", {"hooks": {e: [{"hooks": [{"type": "command", "command": RECORD % (e, e, e)}]}] for e in EVENTS}})
    put(directory + "/mcp.py", MCP)
    put(directory + "/mcp.json", {"mcpServers": {"srv": {"command": sys.executable, "args": [directory + "/mcp.py"]}} if any(n.startswith("mcp__") for n, _ in case["calls"]) else {}})
    for name, body in case.get("files", {}).items(): put(f"{proj}/{name}", body[0] if isinstance(body, tuple) else body, body[1] if isinstance(body, tuple) else 0o755)
    configs = {n: case[k] for n, k in (("settings.json", "config"), ("settings.local.json", "local")) if case.get(k) is not None}
    for name, body in configs.items(): put(f"{proj}/.claude/{'own/' if way == 'run' else ''}{name}", adopted(body, nested) if way == "exec" else body)
    if way == "run":
        own = " ".join(f'--config "$CLAUDE_PROJECT_DIR"/.claude/own/{n}' for n in configs)
        rest = {k: v for c in configs.values() for k, v in c.items() if k != "hooks"}
        put(proj + "/.claude/settings.json", dict(rest, hooks={e: [{"hooks": [{"type": "command", "command": f"{nested} run {e} --dialect claude --output claude --no-log {own}"}]}] for c in configs.values() if isinstance(c.get("hooks"), dict) for e in c["hooks"]}))
    mock = Mock(dict(type="text", text=x) if n == "text" else dict(type="tool_use", id=f"toolu_{i}", name=n, input=x) for i, (n, x) in enumerate(case["calls"], 1))
    env = {"PATH": os.environ["PATH"], "HOME": home, "LANG": "C.UTF-8", "SHELL": "/bin/bash", "REC": rec, "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{mock.server_port}",
           "ANTHROPIC_API_KEY": "dummy", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1", "DISABLE_TELEMETRY": "1", **case.get("env", {})}
    argv = [*f"{AGENT} -p --input-format stream-json --output-format stream-json --verbose --include-hook-events --permission-prompt-tool stdio --strict-mcp-config --mcp-config {directory}/mcp.json --allowedTools".split(), case.get("allowed") or "Bash(touch a*),Bash(false),Bash(cd:*),Bash(printenv:*),Agent"]
    with open(directory + "/stderr", "w") as err: p = subprocess.Popen(argv, cwd=proj, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=err, text=True)
    late = threading.Timer(case.get("limit", 120), p.kill); late.start()
    say = lambda m: (p.stdin.write(json.dumps(m) + "\n"), p.stdin.flush())
    say({"type": "user", "message": {"role": "user", "content": "please do it"}})
    stream, answers = [], {}
    for line in p.stdout:
        m = json.loads(line) if line.startswith("{") else {"type": "raw", "text": line}
        stream.append(m)
        if m["type"] == "control_request":  # a hook on PermissionRequest races with the answer: it gets its time
            response = {"subtype": "success", "request_id": m["request_id"], "response": {"behavior": "deny", "message": "not now"}}
            answers[m["request_id"]] = threading.Timer(2.5 if case["event"] == PERM else 0, say, [{"type": "control_response", "response": response}])
            answers[m["request_id"]].start()
        if m["type"] == "control_cancel_request": answers[m["request_id"]].cancel()
        if m["type"] == "result": p.stdin.close()
    p.wait(); late.cancel(); mock.shutdown(); mock.server_close()
    log = [json.loads(l) for base, _, names in os.walk(home + "/.claude/projects") for n in names if n.endswith(".jsonl") for l in open(f"{base}/{n}")]
    return dict(stream=stream, requests=mock.requests, log=log, proj=proj, rec=rec, home=home)

def words(text, strip=()):
    """The marks of hooks' own texts in a text, without those in the commands that the agent quotes."""
    text = text if isinstance(text, str) else json.dumps(text)
    for s in strip: text = text.replace(s, "").replace(json.dumps(s)[1:-1], "")
    return re.findall(r"Zz\w+", text)

def commands(value):
    """All commands in a config, with their arguments, as the agent quotes them."""
    if isinstance(value, str): return commands(json.loads(re.sub("//.*", "", value.lstrip("\ufeff")).replace(",}", "}")))
    if isinstance(value, list): return [c for x in value for c in commands(x)] if value and isinstance(value[0], (dict, list)) else []
    if not isinstance(value, dict): return []
    own = [" ".join([value["command"], *value.get("args", [])])] if isinstance(value.get("command"), str) else []
    return own + [c for k, x in value.items() if isinstance(x, (dict, list)) for c in commands(x)]

def payloads(r, event):
    p = f"{r['rec']}/{event}"
    return [json.loads(l) for l in open(p)] if os.path.exists(p) else []

def facts(r, calls, block, halt, model, user):
    p = r["proj"] + "/ran"
    return dict(calls=calls, block=block, halt=halt, model=sorted(set(model)), user=sorted(set(user)), ran=sorted(open(p).read().split()) if os.path.exists(p) else [])

def observe(case, r):
    """What the agent did: from its stream, the requests that the model got and its transcript."""
    strip, event = commands(case.get("config")) + commands(case.get("local")), case["event"]
    result = next((m for m in r["stream"] if m["type"] == "result"), {})
    asked = {m["request"].get("tool_use_id"): m["request"] for m in r["stream"] if m["type"] == "control_request"}
    results = {b["tool_use_id"]: b for m in r["stream"] if m["type"] == "user" and isinstance(m["message"]["content"], list) for b in m["message"]["content"] if b.get("type") == "tool_result"}
    done = {p["tool_use_id"]: p["tool_input"] for e in (POST, FAIL) for p in payloads(r, e)}
    calls, user = [], []
    for i, (_, given) in enumerate(case["calls"], 1):
        t = f"toolu_{i}"
        if t in asked and "not now" in str(results.get(t)): calls.append(["asked", asked[t]["input"]]); user += words(asked[t].get("decision_reason") or "", strip)
        elif t in done or t in results and not results[t].get("is_error"): calls.append(["ran", done.get(t, given)])
        elif t in results: calls.append(["denied"])
        elif result.get("terminal_reason") == "tool_deferred" and len(calls) == i - 1 and ["deferred"] not in calls: calls.append(["deferred"])
    last = max(r["requests"], key=lambda q: len(q["messages"]), default={"messages": []})["messages"]
    if event.startswith("Subagent"): last = [m for q in r["requests"] for m in q["messages"]]  # the sub-agent's are its own
    model = [w for m in last if m["role"] != "assistant" for b in (m["content"] if isinstance(m["content"], list) else [{"text": m["content"]}]) for w in words(b.get("text") or b.get("content") or "", strip)]
    notes = [m["attachment"] for m in r["log"] if m.get("type") == "attachment"]
    stopped = [a["message"] for a in notes if a["type"] == "hook_stopped_continuation"]
    for s in stopped + [a["content"] for a in notes if a["type"] == "hook_system_message"] + [m.get("content", "") for m in r["stream"] if m.get("subtype") == "informational"]: user += words(s, strip)
    told = " hook blocking error" in json.dumps(last) or " hook additional context" in json.dumps(last)
    block = told if event in (POST, FAIL) else "blocked by hook" in str(result.get("result")) if event == PROMPT else len(r["requests"]) > case.get("requests", 1) if event in (STOP, SUBSTOP) else False
    return facts(r, calls, block, bool(stopped) or "stopped by hook" in str(result.get("result")), model, user)

def hookshell(case, r, binary, fallback):
    """What would come of hookshell's verdicts on the payloads that the agent sent, in the words of `observe`; and the verdicts."""
    for f in os.listdir(r["proj"]):
        if re.match("ran$|once", f): os.remove(f"{r['proj']}/{f}")
    configs = [a for n, k in (("settings.json", "config"), ("settings.local.json", "local")) if case.get(k) is not None for a in ("--config", f"{r['proj']}/.claude/{n}")]
    strip, event = commands(case.get("config")) + commands(case.get("local")), case["event"]
    calls, model, user, block, halt, verdicts = [], [], [], False, False, []
    for n, payload in enumerate(payloads(r, event) or [dict(p, cwd=r["proj"]) for p in fallback.get(event, [])[:len(case["calls"])]]):
        if halt or event in (STOP, SUBSTOP) and n: break
        env = {"PATH": os.environ["PATH"], "HOME": r["home"], "LANG": "C.UTF-8", "XDG_STATE_HOME": r["home"] + "/state", **case.get("env", {})}
        p = subprocess.run([binary, "run", event, "--dialect", "claude", "--no-log", *configs], cwd=r["proj"], env=env, input=json.dumps(payload), capture_output=True, text=True, timeout=60)
        v = json.loads(p.stdout) if p.stdout.startswith("{") else {}
        verdicts.append(dict(v, exit=p.returncode, stderr=p.stderr[:400]))
        decision, halts, reason, context = v.get("decision"), bool(v.get("halt")), words(v.get("reason") or "", strip), words(v.get("context") or "", strip)
        denied, given = decision == "deny" and not halts, v.get("updated_input") or payload.get("tool_input")
        if event == SUBSTOP and halts: halts, reason, context = False, [], []  # the sub-agent ends, as it was to: the turn goes on
        if event == PRE:
            free = payload["tool_name"] == "Bash" and re.match("touch a|false$|cd ", given.get("command", ""))
            what = {"deny": "denied", "ask": "asked", "allow": "ran", "defer": "deferred"}.get(decision) or ("ran" if free else "asked")
            calls.append([what] if what in ("denied", "deferred") else [what, given])
            halts = halts and what == "ran" and given.get("command") != "false"  # the turn ends once the tool has run well, and only then
        if event in (POST, FAIL): calls.append(["ran", given])
        if event == PERM: calls += [["ran", TOUCH[0][1]], ["denied"] if decision == "deny" else ["ran" if decision == "allow" else "asked", given]]
        block |= event in (PROMPT, STOP, SUBSTOP) and denied or event in (POST, FAIL) and not halts and (denied or bool(v.get("context")))
        (user if event == PROMPT or halts or decision == "ask" else model if denied else []).extend(reason)
        halt |= halts
        model += [] if event == PROMPT and block or halt else context + words(v.get("updated_result") or "") + words(v.get("env") or "")
        user += words(v.get("system_message") or "")
    if event in (START, STOP, PROMPT, BATCH, SUBSTART, SUBSTOP): calls = [["ran", x] for n, x in case["calls"] if n != "text"]
    return facts(r, calls, block, halt, model, user), verdicts

# ---- the cases ----------------------------------------------------------------------------------------------------------------
out = lambda **k: "echo '" + json.dumps(k) + "'"
spec = lambda event=PRE, **k: out(hookSpecificOutput=dict(hookEventName=event, **k))
bash = lambda c, d="one": ("Bash", {"command": c, "description": d})
TOUCH, CASES = [bash("touch a1"), bash("touch b1", "two")], []  # the first is allowed by a rule
CALLS = {PRE: TOUCH, PERM: TOUCH, POST: TOUCH[:1], FAIL: [bash("false")]}
HALT = {"continue": False, "stopReason": "Zzstop"}

def case(name, config, event=PRE, **k): CASES.append(dict(dict(name=name, config=config, event=event, calls=CALLS.get(event, [])), **k))
def hooks(event, *commands, **k): return {"hooks": {event: [dict(matcher="Bash", hooks=[dict(type="command", command=c, **k) for c in commands])]}}
def P(name, *commands, hook={}, **k): case("PreToolUse: " + name, hooks(PRE, *commands, **hook), **k)

allow, deny, ask, defer = (spec(permissionDecision=d, permissionDecisionReason="Zz" + d) for d in ("allow", "deny", "ask", "defer"))
for event in (PRE, POST, FAIL, PROMPT, START, STOP, PERM):
    context, block = spec(event, additionalContext="Zzctx"), out(decision="block", reason="Zzwhy")
    for name, cs in {"exit 0 and text": ["echo Zzout; echo Zzerr >&2"], "exit 1, text on both": ["echo Zzout; echo Zzerr >&2; exit 1"], "exit 2 and standard error": ["echo Zzout; echo Zzerr >&2; exit 2"], "exit 2 and nothing": ["exit 2"],
                     "exit 2 and only standard output": ["echo Zzout; exit 2"], "exit 2, no such file": ["echo 'Zzerr: No such file' >&2; exit 2"], "decision block": [block], "block without reason": [out(decision="block")], "continue false": [out(**HALT)],
                     "context": [context], "systemMessage": [out(systemMessage="Zzsys")], "two contexts": ["sleep 0.4; " + context, context.replace("ctx", "ctx2")], "invalid JSON": ["echo '{Zznope'"], "an unknown key": [out(foo="Zzfoo")],
                     "block and context": [out(decision="block", reason="Zzwhy", hookSpecificOutput=dict(hookEventName=event, additionalContext="Zzctx"))], "block JSON, exit 2": [block + "; echo Zzerr >&2; exit 2"],
                     "block JSON, exit 1": [block + "; echo Zzerr >&2; exit 1"], "context JSON, exit 1": [context + "; exit 1"], "one blocks, one stops": [block, out(**HALT)]}.items():
        case(f"{event}: {name}", hooks(event, *[(f"[ -e once{i} ] && exit 0; touch once{i}; " if event == STOP else "") + c for i, c in enumerate(cs)]) if event not in (PROMPT, START, STOP) else
             {"hooks": {event: [dict(hooks=[dict(type="command", command=(f"[ -e once{i} ] && exit 0; touch once{i}; " if event == STOP else "") + c) for i, c in enumerate(cs)])]}}, event)
for code in (3, 49, 126, 127, 255): P(f"exit {code}", f"echo Zzerr >&2; exit {code}")
U = lambda **k: spec(updatedInput={"command": "touch b2"}, **k)
for name, cs in {"allow": [allow], "deny": [deny], "ask": [ask], "defer": [defer], "approve": [out(decision="approve", reason="Zzwhy")], "a missing program": ["no-such-program-xyz"], "a signal": ["kill -9 $$"], "updatedInput alone": [U()], "updatedInput, allow": [U(permissionDecision="allow")],
                 "updatedInput, ask": [U(permissionDecision="ask")], "updatedInput, deny": [U(permissionDecision="deny")], "updatedInput of one, allow of another": [U(), allow], "allow and deny": [allow, deny], "ask and allow": [ask, allow], "defer and ask": [defer, ask], "defer and allow": [defer, allow],
                 "defer and deny": [defer, deny], "allow and exit 2": [allow, "echo Zzerr >&2; exit 2"], "two denials": ["sleep 0.4; " + deny, "echo Zztwo >&2; exit 2"], "two updatedInputs, the first one late": ["sleep 0.4; " + U(permissionDecision="allow"), U(permissionDecision="allow").replace("b2", "b3")],
                 "allow JSON, exit 1": [allow + "; exit 1"], "allow JSON, exit 2": [allow + "; echo Zzerr >&2; exit 2"], "deny JSON, exit 49": [deny + "; exit 49"], "suppressOutput": [out(suppressOutput=True)], "deny and stop": [deny.replace("{", '{"continue":false,"stopReason":"Zzstop",', 1)],
                 "a background child holds standard output": ["sleep 6 & " + deny], "1 MB on standard output, exit 2": ["head -c 1000000 /dev/zero | tr '\\0' x; echo Zzerr >&2; exit 2"], "input read to its end": ["cat > /dev/null; " + deny], "bash's language": ["[[ abc == a* ]] && " + deny], "a syntax error": ["if then"]}.items(): P(name, *cs)
for k, v in (("timeout", 1), ("timeout", 0.5), ("async", True), ("asyncRewake", True), ("shell", "bash"), ("shell", "powershell"), ("shell", "zsh"), ("once", True), ("timeout", 0), ("timeout", -1), ("timeout", "5"), ("foo", 1), ("if", "Bash(git")):
    P(f"{k} {v}", f"sleep {4 if k == 'timeout' and v in (1, 0.5) else 0.2 if 'async' in k else 0}; echo Zzerr >&2; exit 2", hook={k: v})
J = '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"Zzdeny"}}'
for name, text in {"blank lines before": rf"\n \n{J}\n", "a BOM before": rf"\357\273\277{J}", "text before": rf"hello\n{J}\n", "text after": rf"{J}\nhello\n", "twice": rf"{J}\n{J}\n", "in an array": f"[{J}]", "a string": r'"deny"', "CRLF after": rf"{J}\r\n", "a comment": rf"{J[:-1]} /* x */" + "}", "a trailing comma": J[:-1] + ",}"}.items(): P("JSON, " + name, f"printf '{text}'")
A = J.replace('"deny"', '"allow"')
for name, j in {"another event's name": J.replace("PreToolUse", "PostToolUse"), "no hookEventName": J.replace('"hookEventName":"PreToolUse",', ""), "an unknown decision": J.replace('"deny"', '"forbid"'), "Deny": J.replace('"deny"', '"Deny"'), "BLOCK": '{"decision":"BLOCK","reason":"Zzwhy"}', "decision deny": '{"decision":"deny"}',
                "decision allow": '{"decision":"allow"}', "Allow": J.replace('"deny"', '"Allow"'), "permissionDecision at the top": '{"permissionDecision":"deny"}', "allow, another event's name": A.replace("PreToolUse", "PostToolUse"), "allow, no hookEventName": A.replace('"hookEventName":"PreToolUse",', ""), "allow, a number for systemMessage": '{"systemMessage":5,' + A[1:],
                "continue \"false\"": '{"continue":"false"}', "a number for systemMessage": '{"systemMessage":5,' + J[1:], "updatedInput a string": A.replace('"permissionDecisionReason"', '"updatedInput"'), "block at the top, allow inside": '{"decision":"block","reason":"Zzwhy",' + A[1:], "approve at the top, deny inside": '{"decision":"approve",' + J[1:],
                "an unknown key": '{"foo":1,' + J[1:], "a number for the reason": J.replace('"Zzdeny"', "7"), "a list for context": A.replace('"permissionDecisionReason":"Zzdeny"', '"additionalContext":["Zzctx"]'), "empty": "{}", "async": '{"async":true}', "null members": '{"decision":null,' + J[1:]}.items(): P("JSON: " + name, f"echo '{j}'")
SH, D, LATER = "#!/bin/sh\necho Zzerr >&2\nexit 2\n", "$CLAUDE_PROJECT_DIR", dict(files={"h.sh": "#!/bin/sh\ngrep -q touch && { echo Zzerr >&2; exit 2; }\nexit 0\n", "sub/x": ""}, calls=[bash("cd sub")] + TOUCH)
for name, c, body in (("quoted whole", f'"{D}/h.sh"', SH), ("quoted in part", f'"{D}"/h.sh', SH), ("not quoted", f"{D}/h.sh", SH), ("in braces", "${CLAUDE_PROJECT_DIR}/h.sh", SH), ("in single quotes", "sh '${CLAUDE_PROJECT_DIR}'/h.sh", SH), ("relative", "./h.sh", SH), ("not executable", f'"{D}"/h.sh', (SH, 0o644)),
                      ("without #!", f'"{D}"/h.sh', SH[10:]), ("CRLF", f'"{D}"/h.sh', SH.replace("\n", "\r\n")), ("python3", f'python3 "{D}"/h.sh', "import sys; print('Zzerr', file=sys.stderr); sys.exit(2)"), ("missing", f'"{D}"/no.sh', SH), ("missing, sh", f'sh "{D}"/no.sh', SH), ("no interpreter", f'"{D}"/h.sh', "#!/no/such/sh\nexit 2\n")):
    P("script " + name, c, files={"h.sh": body})
    if "quoted" in name: P(f"script {name}, directory with a blank", c, files={"h.sh": body}, dir="my proj")
P("script of the project after cd", f'"{D}"/h.sh', **LATER); P("a relative script after cd", "./h.sh", **LATER)
X = dict(type="command", command="echo Zzerr >&2; exit 2")
G = lambda *entries, event=PRE, **k: {"hooks": {event: [dict(k, hooks=list(entries))]}}
TEXT = json.dumps(G(X))
for name, c in {"args": G(dict(X, command="sh", args=["-c", "echo Zzerr $1 >&2; exit 2", "sh", "${CLAUDE_PROJECT_DIR}"])), "empty args, words in the command": G(dict(X, args=[])), "no type": G(dict(command=X["command"])), "unknown type": G(dict(X, type="nope")), "no command": G(dict(type="command")),
                "unknown event beside": {"hooks": {"PreTolUse": [{"hooks": [X]}], PRE: [{"hooks": [X]}]}}, "event in lower case": G(X, event="pretooluse"), "no groups": {"hooks": {PRE: [X]}}, "a group that is no array": {"hooks": {PRE: {"hooks": [X]}}}, "an invalid entry beside a valid one": G(dict(type="nope"), X),
                "an invalid group beside a valid one": {"hooks": {PRE: [{"matcher": 5, "hooks": [X]}, {"hooks": [X]}]}}, "an invalid matcher beside a valid one": {"hooks": {PRE: [{"matcher": "[", "hooks": [X]}, {"hooks": [X]}]}}, "an invalid if beside a valid one": G(dict(X, **{"if": "Bash(git"}), dict(X, command="sleep 0; " + X["command"])), "an empty if": G(dict(X, **{"if": ""})), "an invalid setting beside hooks": dict(G(X), permissions="x"),
                "a trailing comma in the file": TEXT[:-1] + ",}", "a comment in the file": "// x\n" + TEXT, "a BOM in the file": "\ufeff" + TEXT, "disableAllHooks": dict(G(X), disableAllHooks=True)}.items(): case("config: " + name, c, fast=isinstance(c, str))
case("config: disableAllHooks in settings.local.json", G(X), local={"disableAllHooks": True}); case("config: only settings.local.json", {}, local=G(X)); case("config: a script in args", G(dict(X, command="${CLAUDE_PROJECT_DIR}/h.sh", args=[])), files={"h.sh": SH})
mark = lambda label, **k: dict(type="command", command=f'''T=$(sed 's/.*"tool_use_id":"\\([^"]*\\)".*/\\1/'); echo "{label}:$T" >> "{D}/ran"''', **k)
tools = [TOUCH[0], ("Write", {"file_path": "w1", "content": "x"}), ("mcp__srv__echo", {"text": "x"}), ("Read", {"file_path": "/etc/hostname"}), ("Agent", {"description": "d", "prompt": "p", "subagent_type": "general-purpose"}), ("text", "done")]
M = [None, "", "*", "Bash", "bash", "Bas", "^B.*", "B.*", "Edit|Write", "Write|Edit|Bash", "Edit, Write", "Edit,Write", "Bash(touch *)", "Bash(git *)", "Write(*.md)", ".*", "mcp__.*", "mcp__srv", "mcp__srv__.*", "mcp__srv__echo", "mcp__srv__*", "^(?!Bash)", "Bash|", "|", " Bash ", "Bash |Write", "Read Write", "Ba-sh|Bash", "\\bBash\\b", "Notebook", "Bash$|Write$", "Task", "^Task$", "Agent"]
case("matchers", {"hooks": {PRE: [dict({} if m is None else {"matcher": m}, hooks=[mark(i)]) for i, m in enumerate(M)]}}, calls=tools, labels=[f"matcher {m!r}" for m in M])
IFS = ["Bash(git *)", "Bash(git:*)", "Bash(git status)", "Bash", "Bash(*)", "Bash(touch a1)", "Bash(git push *)", "Write(*.ts)", "Write(src/**)", "Edit(src/**)", "Edit", "Read", "bash(git *)", "Bash(head *)", "Write(//**/x.ts)", "mcp__srv", "mcp__srv__echo", "*"]
case("if", G(*[mark(i, **{"if": x}) for i, x in enumerate(IFS)]), labels=[f"if {x!r}" for x in IFS], per_call=True, calls=[bash(c) for c in ("touch a1", "git status", "cd . && git status", "FOO=1 git push origin main", "echo $(git log)", "git log | head -1", "ls 'git status'", "timeout 5 git status")] + [("Write", {"file_path": "src/x.ts", "content": "x"}), tools[2]])
HIDDEN = ["$(echo rm) x", "X=rm; $X x", "eval 'rm x'", "sh -c 'rm x'", "ls | xargs rm", "`echo rm` x", "sudo rm x", "env rm x", "time rm x", "(rm x)", "if true; then rm x; fi", "rm x > /dev/null", "r\\m x", "'rm' x", "/bin/rm x", "command rm x", "nohup rm x", "rm  x", "A=b rm x", "ls; rm x", "rm", "ls &\nrm x"]
case("if Bash(rm *)", G(mark(0, **{"if": "Bash(rm *)"})), labels=["if 'Bash(rm *)'"], per_call=True, calls=[bash(c) for c in HIDDEN])
S = ["startup", "resume", "startup|resume", "", "*", None, "start", "^start", "Startup"]
note = lambda s, **k: dict(type="command", command=f'echo {s} >> "{D}/ran"', **k)
case("SessionStart matchers", {"hooks": {START: [dict({} if m is None else {"matcher": m}, hooks=[note(f"{i}:x")]) for i, m in enumerate(S)]}}, START, labels=[f"SessionStart matcher {m!r}" for m in S])
for name, c, k in (("in a group", G(note("x"), note("x")), {}), ("in two groups", {"hooks": {PRE: [{"matcher": "Bash", "hooks": [note("x")]}, {"hooks": [note("x")]}]}}, {}), ("with two timeouts", G(note("x", timeout=5), note("x", timeout=6)), {}), ("with two ifs", G(note("x", **{"if": "Bash"}), note("x", **{"if": "Bash(touch *)"})), {}),
                   ("in two files", G(note("x")), dict(local=G(note("x"), note("y")))), ("with two shells", G(note("x"), note("x", shell="bash")), {})): case("one command twice " + name, c, calls=TOUCH[:1], **k)
for event in (PROMPT, STOP): case(f"{event}: a matcher", G(note("x"), event=event, matcher="nothing"), event)
for d in (dict(behavior="allow"), dict(behavior="deny", message="Zzwhy"), dict(behavior="allow", updatedInput={"command": "touch b2"})): case(f"PermissionRequest: decision {d}", hooks(PERM, spec(PERM, decision=d)), PERM)
case("PostToolUse: updatedToolOutput", hooks(POST, spec(POST, updatedToolOutput={"stdout": "Zznew", "stderr": "", "interrupted": False, "isImage": False})), POST)
case("SessionStart: CLAUDE_ENV_FILE", G(dict(type="command", command='echo export FROM_HOOK=Zzenv >> "$CLAUDE_ENV_FILE"'), event=START), START, calls=[bash("printenv FROM_HOOK")])
EXCUSED.update(http_hooks.EXCUSED)
EXCUSED_AS_HOOK.update(http_hooks.EXCUSED)
http_hooks.claude(case, (PRE, POST, FAIL, PROMPT, START, STOP, PERM))

# Answers: fields of other types, exit codes beside objects, several hooks, and events that are seldom used.
DENY = dict(hookEventName=PRE, permissionDecision="deny", permissionDecisionReason="Zzdeny")
OWN = lambda event=PRE, **k: dict(dict(hookEventName=event), **k)
for field in ("continue", "suppressOutput", "stopReason", "decision", "reason", "systemMessage", "terminalSequence"):
    for value in (None, {}): P(f"answer: {field} {json.dumps(value)} beside a deny", out(**{field: value}, hookSpecificOutput=DENY))
for field, value in [(f, v) for f in ("hookEventName", "permissionDecision", "permissionDecisionReason", "additionalContext", "updatedInput") for v in (None, 7)] + [("hookEventName", "pretooluse"), ("updatedInput", []), ("foo", 1)]:
    P(f"answer: own {field} {json.dumps(value)} beside a deny", out(hookSpecificOutput=dict(DENY, **{field: value})))
for value in (None, [DENY], "deny", {}): P(f"answer: hookSpecificOutput {json.dumps(value)[:20]}", out(decision="block", reason="Zzwhy", hookSpecificOutput=value))
for name, c in {"an empty object": "echo {}", "approve": out(decision="approve"), "ask": ask, "BLOCK": out(decision="BLOCK"), "async": out(**{"async": True}), "a context": spec(additionalContext="Zzctx"), "a deny": deny, "a stop": out(**HALT), "an object of another event": spec(POST, additionalContext="Zzctx"), "{Zznope": "echo '{Zznope'"}.items():
    P(f"answer: exit 2 beside {name}", c + "; echo Zzerr >&2; exit 2")
for code in (1, 49, 127): P(f"answer: exit {code} beside a deny and a missing program", deny + f"; echo 'Zzerr: not found' >&2; exit {code}")
stop, V = out(**HALT), lambda command, **k: spec(updatedInput={"command": command}, **k)
for name, cs in {"an input late beside an allow": ["sleep 0.5; " + V("touch b2"), allow], "an allow with an input, then one without": [V("touch b2", permissionDecision="allow"), "sleep 0.5; " + allow], "ask and allow with inputs": [V("touch b2", permissionDecision="ask"), V("touch b3", permissionDecision="allow")],
                 "two inputs without a decision, the first late": ["sleep 0.5; " + V("touch b2"), V("touch b3")], "stop and allow": [stop, allow], "stop and deny": [stop, deny], "stop and ask": [stop, ask], "stop and exit 2": [stop, "echo Zzerr >&2; exit 2"], "two stops": [stop, stop.replace("Zzstop", "Zzhalt")], "a late deny beside exit 2": ["sleep 0.5; " + deny, "echo Zzerr >&2; exit 2"],
                 "a late exit 2 beside a deny": ["sleep 0.5; echo Zzerr >&2; exit 2", deny], "an input without a command": [spec(updatedInput={"x": 1})], "an allow with an input without a command": [spec(permissionDecision="allow", updatedInput={"x": 1})], "an empty input": [spec(updatedInput={})], "an input with an unknown key": [spec(permissionDecision="allow", updatedInput={"command": "touch b2", "x": 1})],
                 "block and approve": [out(decision="block", reason="Zzwhy"), out(decision="approve")], "a deny and an invalid allow": [deny, out(decision="allow")], "a deny without a reason": [spec(permissionDecision="deny")], "a deny with the reason at the top": [out(reason="Zzwhy", hookSpecificOutput=OWN(permissionDecision="deny"))], "allow and context": [spec(permissionDecision="allow", additionalContext="Zzctx")],
                 "deny and context": [spec(permissionDecision="deny", permissionDecisionReason="Zzdeny", additionalContext="Zzctx")], "exit 2 beside a hook's context": ["echo Zzerr >&2; exit 2", spec(additionalContext="Zzctx")], "a stop without a reason": [out(**{"continue": False})], "the first deny slow, an allow late": [deny, "sleep 0.5; " + allow]}.items(): P("answers: " + name, *cs)
P("answers: a stop, the tool fails", stop, calls=[bash("false")])
AGENT_CALL = [("Agent", {"description": "d", "prompt": "p", "subagent_type": "general-purpose"}), ("text", "done")]
for event, calls, more in ((BATCH, TOUCH[:1], {}), (SUBSTART, AGENT_CALL, {}), (SUBSTOP, AGENT_CALL, dict(requests=3))):
    context, block, once = spec(event, additionalContext="Zzctx"), out(decision="block", reason="Zzwhy"), "[ -e once@ ] && exit 0; touch once@; " if event == SUBSTOP else ""
    for name, cs in {"text": ["echo Zzout"], "exit 1": ["echo Zzerr >&2; exit 1"], "exit 2": ["echo Zzerr >&2; exit 2"], "exit 2, no such file": ["echo 'Zzerr: No such file' >&2; exit 2"], "block": [block], "stop": [stop], "context": [context], "block and context": [out(decision="block", reason="Zzwhy", hookSpecificOutput=OWN(event, additionalContext="Zzctx"))],
                     "systemMessage": [out(systemMessage="Zzsys")], "another event's name": [spec(PRE, additionalContext="Zzctx")], "one blocks, one stops": [block, stop]}.items():
        case(f"{event}: {name}", {"hooks": {event: [dict(hooks=[dict(type="command", command=once.replace("@", str(i)) + c) for i, c in enumerate(cs)])]}}, event, calls=calls, **more)
answer = lambda **d: spec(PERM, decision=d)
for name, cs in {"deny, interrupt": [answer(behavior="deny", message="Zzwhy", interrupt=True)], "an input without a command": [answer(behavior="allow", updatedInput={"x": 1})], "allow, a late deny": [answer(behavior="allow"), "sleep 0.6; " + answer(behavior="deny", message="Zzwhy")], "deny, a late allow": [answer(behavior="deny", message="Zzwhy"), "sleep 0.6; " + answer(behavior="allow")],
                 "Deny": [answer(behavior="Deny", message="Zzwhy")], "no behavior": [answer(message="Zzwhy")], "null": [spec(PERM, decision=None)], "allow beside exit 2": [answer(behavior="allow") + "; echo Zzerr >&2; exit 2"], "deny beside exit 1": [answer(behavior="deny", message="Zzwhy") + "; exit 1"], "another event's name": [spec(PRE, permissionDecision="deny", permissionDecisionReason="Zzdeny")]}.items():
    case(f"PermissionRequest: answer: {name}", hooks(PERM, *cs), PERM)
NEW = dict(stdout="Zznew", stderr="", interrupted=False)
for name, cs in {"a text for updatedToolOutput": [spec(POST, updatedToolOutput="Zznew")], "updatedToolOutput of two, the first late": ["sleep 0.5; " + spec(POST, updatedToolOutput=NEW), spec(POST, updatedToolOutput=dict(NEW, stdout="Zzother"))], "updatedMCPToolOutput": [spec(POST, updatedMCPToolOutput="Zznew")], "updatedToolOutput and block": [out(decision="block", reason="Zzwhy", hookSpecificOutput=OWN(POST, updatedToolOutput=NEW))],
                 "updatedToolOutput and stop": [out(**HALT, hookSpecificOutput=OWN(POST, updatedToolOutput=NEW, additionalContext="Zzctx"))], "block and stop in one": [out(**HALT, decision="block", reason="Zzwhy")], "two blocks": [out(decision="block", reason="Zzwhy"), out(decision="block", reason="Zzwhat")], "stop, a late block": [stop, "sleep 0.5; " + out(decision="block", reason="Zzwhy")],
                 "another event's name": [out(decision="block", reason="Zzwhy", hookSpecificOutput=OWN(PRE, additionalContext="Zzctx"))]}.items(): case(f"PostToolUse: answer: {name}", hooks(POST, *cs), POST)
for event, table in {PROMPT: {"suppressOriginalPrompt": [out(decision="block", reason="Zzwhy", hookSpecificOutput=OWN(PROMPT, suppressOriginalPrompt=True))], "sessionTitle": [spec(PROMPT, sessionTitle="Zztitle")], "a JSON string": ["echo '\"Zzout\"'"], "two blocks, the first late": ["sleep 0.6; " + out(decision="block", reason="Zzwhy"), out(decision="block", reason="Zzwhat")],
                              "a stop, a late block": [stop, "sleep 0.6; " + out(decision="block", reason="Zzwhy")], "a block, a late stop": ["sleep 0.6; " + stop, out(decision="block", reason="Zzwhy")], "block and stop in one": [out(**HALT, decision="block", reason="Zzwhy")], "text and a block": ["echo Zzout", "sleep 0.3; echo Zzerr >&2; exit 2"], "another event's name": [spec(PRE, additionalContext="Zzctx")]},
                     START: {"sessionTitle, watchPaths, reloadSkills": [spec(START, sessionTitle="Zztitle", watchPaths=["/no-such-directory"], reloadSkills=True, additionalContext="Zzctx")], "a block beside exit 2": [out(decision="block", reason="Zzwhy") + "; echo Zzerr >&2; exit 2"], "a context beside exit 2": [spec(START, additionalContext="Zzctx") + "; echo Zzerr >&2; exit 2"], "watchPaths a string": [spec(START, watchPaths="/tmp", additionalContext="Zzctx")],
                              "two texts": ["echo Zzout", "echo Zztwo"], "a context at the top": [out(additionalContext="Zzctx")]},
                     STOP: {"can't open": ["echo \"Zzerr: can't open x\" >&2; exit 2"], "no such file, with text": ["echo log; echo 'Zzerr: no such file' >&2; exit 2"], "a context beside exit 2": [spec(STOP, additionalContext="Zzctx") + "; echo Zzerr >&2; exit 2"], "context and stop": [out(**HALT, hookSpecificOutput=OWN(STOP, additionalContext="Zzctx"))], "two blocks": [out(decision="block", reason="Zzwhy"), out(decision="block", reason="Zzwhat")],
                            "a context beside a stop": [spec(STOP, additionalContext="Zzctx"), stop], "two stops": [stop, "sleep 0.4; " + stop.replace("Zzstop", "Zzhalt")], "block and stop in one": [out(**HALT, decision="block", reason="Zzwhy")], "another event's name": [out(decision="block", reason="Zzwhy", hookSpecificOutput=OWN(PRE))]}}.items():
    for name, cs in table.items():
        case(f"{event}: answer: {name}", {"hooks": {event: [dict(hooks=[dict(type="command", command=(f"[ -e once{i} ] && exit 0; touch once{i}; " if event == STOP else "") + c) for i, c in enumerate(cs)])]}}, event)

# More of what runs, and with what.
FIRST = ["Bash(git *)", "Bash(git:*)", "Bash(git status)", "Bash(git push *)", "Bash(head *)", "Bash(touch a1)", "Bash(* main)", "Bash(git * main)", "Bash(*status*)", "Bash"]
LINES = ["touch a1", "git status", "git  status", "git statusx", "cd . && git status", "FOO=1 git push origin main", "git push origin main", "git pull | head -1", "ls 'git status'", 'echo "git status"', "false; git status", "git status > /dev/null", "(git status)", "if true; then git status; fi", "for i in 1; do git status; done", "! git status", "git", "gitx status", "touch a1 a2", "ls #git status", "false || git push x", "git status &", "g''it status", "git\\\nstatus", "sub() { git status; }; sub", "while false; do git status; done", "case x in x) git status;; esac", "timeout 5 git status", "echo $(git log)", "echo `git log`", "echo $HOME", 'echo "$HOME"', "X=git; $X status", "cat <(git log)", "echo {git,status}", "cat <<E\ngit status\nE", "echo a\\ b", "echo $((1+1))"]
case("if, lines", G(*[mark(i, **{"if": x}) for i, x in enumerate(FIRST)]), labels=[f"if {x!r}" for x in FIRST], calls=[bash(c) for c in LINES], per_call=True)
OTHER = ["Task", "Agent", "Agent(general-purpose)", "Write", "Write(w1)", "Write(*)", "Write(./w1)", "Write(/w1)", "Write(*.txt)", "Write(**/w1)", "Write(w*)", "Edit(w1)", "Write(w1)|Bash", "Bash|Write", "Bash, Write", "Read(/etc/*)", "Read(//etc/**)", "Read(//etc/hostname)", "Read(*hostname)", "Read(*/hostname)", "Read(hostname)", "Read(~/x)", "read", "mcp__srv__*", "mcp__srv__echo(x)", "mcp__.*", "Bash()", "Bash(", "Bash(touch a1) ", " Bash", "Bash(touch*)", "Bash(touch a?)", "B*", "BashOutput", "Write(src/**)", "Write(*/w1)"]
case("if, tools", G(*[mark(i, **{"if": x}) for i, x in enumerate(OTHER)]), labels=[f"if {x!r}" for x in OTHER], calls=tools, per_call=True)
M2 = ["KillShell", "BashOutput", "Task|Bash", "Agent|Write", "^Agent$", "^(Task|Agent)$", "Tas", "Write|", "Edit,Bash", " ", "  Bash", ",", "mcp__srv__echo|Bash", "mcp__.*__echo", "mcp__SRV__.*", "[A-Z]ash", "Bash.*", "^Bash", "sh$", "Write-Bash", "Bash*", "\\w+", "TaskOutput", "Ba(sh", "*Bash", "+", "BASH", "^(Bash|Write)$", ".+__.+", "mcp__srv|Bash", "(?=Ba)Bash", "Bash(touch a1)", "Bash(*)", "Bash(.*)", "Bash|Write(*)", "Bash\n", "Ägent", "."]
case("more matchers", {"hooks": {PRE: [dict(matcher=m, hooks=[mark(i)]) for i, m in enumerate(M2)]}}, calls=tools, labels=[f"matcher {m!r}" for m in M2])
OF_EVENT = ["", "*", "general-purpose", "general", "^general", "general-purpose|x", "Agent", "Bash"]
for event in ("SubagentStart", "SubagentStop", POST, "PostToolBatch", "MessageDisplay", "SessionEnd"):
    also = {POST: ["Bash", "Bash|Write", "Task", "Agent", "^A"], "SessionEnd": ["other", "clear", "oth"]}.get(event, [])
    case(f"{event} matchers", {"hooks": {event: [dict(matcher=m, hooks=[note(f"{i}:x")]) for i, m in enumerate(OF_EVENT + also)]}}, event, calls=[TOUCH[0], tools[4], ("text", "done")], labels=[f"{event} matcher {m!r}" for m in OF_EVENT + also])
case("if beside other events", {"hooks": {e: [dict(hooks=[note(f"{i}:x", **{"if": "Bash"})])] for i, e in enumerate((STOP, START))}}, STOP, labels=[f"if on {e}" for e in (STOP, START)])
GOOD = dict(X, command="sleep 0; " + X["command"])
for name, c in {"a number for async": G(dict(X, **{"async": 1}), GOOD), "a text for args": G(dict(X, args="a"), GOOD), "a number for if": G(dict(X, **{"if": 1}), GOOD), "null for command": G(dict(X, command=None), GOOD), "null for timeout": G(dict(X, timeout=None), GOOD), "a number for statusMessage": G(dict(X, statusMessage=5), GOOD),
                "a text for once": G(dict(X, once="yes"), GOOD), "null for matcher": {"hooks": {PRE: [dict(matcher=None, hooks=[X])]}}, "a group without hooks": {"hooks": {PRE: [{"matcher": "Bash"}, {"hooks": [X]}]}}, "null for a group": {"hooks": {PRE: [None, {"hooks": [X]}]}}, "null for another event": {"hooks": {STOP: None, PRE: [{"hooks": [X]}]}}, "an object for another event": {"hooks": {STOP: {}, PRE: [{"hooks": [X]}]}},
                "a wrong entry of another event": {"hooks": {STOP: [{"hooks": [dict(type="nope")]}], PRE: [{"hooks": [X]}]}}, "hooks in an array": {"hooks": [{"hooks": [X]}]}, "a prompt without a prompt": G(dict(type="prompt"), X), "an MCP tool without a server": G(dict(type="mcp_tool", tool="t"), X), "no URL": G(dict(type="http", url="x"), X), "a number for a key that is not known": G(dict(X, name=5, env=5, cwd=5)),
                "permissions.allow as a text": dict(G(X), permissions={"allow": "Bash"}), "a rule that is none": dict(G(X), permissions={"allow": [5]}), "a mode that is none": dict(G(X), permissions={"defaultMode": "never"}), "a number for model": dict(G(X), model=5), "a number for theme": dict(G(X), theme=5), "numbers in env": dict(G(X), env={"A": 5}), "an unknown setting": dict(G(X), whatever=[None]), "a text for disableAllHooks": dict(G(X), disableAllHooks="yes"),
                "CLAUDE_PLUGIN_ROOT in settings": G(dict(X, command="echo ${CLAUDE_PLUGIN_ROOT}; " + X["command"])), "$CLAUDE_PLUGIN_ROOT in settings": G(dict(X, command="echo $CLAUDE_PLUGIN_ROOT; " + X["command"])), "an empty command beside": G(dict(X, command=""), X), "an empty matcher in blanks": G(X, matcher=" ")}.items(): case("config: " + name, c)
for name, text in {"hooks twice": '{"hooks":{"PreToolUse":[]},' + TEXT[1:], "the event twice": TEXT.replace('{"PreToolUse"', '{"PreToolUse":[],"PreToolUse"'), "a command twice": TEXT.replace('"command":', '"command": "exit 0", "command":', 1), "a comment behind": TEXT + " // x", "a NUL escape": TEXT.replace("Zzerr", "Zzerr\\u0041")}.items():
    case("config: " + name, text, fast=True)
case("config: an invalid settings.local.json", G(X), local=G(dict(type="nope"))); case("config: disableAllHooks in an invalid settings.local.json", G(X), local={"disableAllHooks": True, "model": 5}); case("config: disableAllHooks false in settings.local.json", G(X), local={"disableAllHooks": False})
for name, c, k in (("with two args", G(dict(note("x"), command="sh", args=["-c", f'echo x >> "{D}/ran"', "1"]), dict(note("x"), command="sh", args=["-c", f'echo x >> "{D}/ran"', "2"])), {}), ("with and without an if", G(note("x"), note("x", **{"if": "Bash"})), {}), ("with the same if", G(note("x", **{"if": "Bash"}), note("x", **{"if": "Bash"})), {}),
                   ("with two statusMessages", G(note("x", statusMessage="a"), note("x", statusMessage="b")), {}), ("once", G(note("x", once=True)), {}), ("with a blank more", G(note("x"), dict(note("x"), command=note("x")["command"] + " ")), {})): case("one command twice " + name, c, calls=TOUCH[:1], **k)
for name, c in {"true": """echo '{"async":true}'; echo Zzerr >&2; exit 2""", "with a timeout": """echo '{"async":true,"asyncTimeout":5000}'; sleep .2; exit 2""", "false": """echo '{"async":false}'; echo Zzerr >&2; exit 2""", "on the second line": """echo x; echo '{"async":true}'; echo Zzerr >&2; exit 2""", "as a text": """echo '{"async":"true"}'; echo Zzerr >&2; exit 2""", "and a denial behind": f"""echo '{{"async":true}}'; echo '{J}'"""}.items(): P("first line async " + name, c)

# ---- the comparison -----------------------------------------------------------------------------------------------------------
def behaviours(case, seen):
    if "labels" not in case: return {case["name"]: seen}
    if case.get("per_call"):  # the calls that each rule ran for
        return {l: [said(call) for n, call in enumerate(case["calls"], 1) if f"{i}:toolu_{n}" in seen["ran"]] for i, l in enumerate(case["labels"])}
    return {l: [x.partition(":")[2] for x in seen["ran"] if x.startswith(f"{i}:")] for i, l in enumerate(case["labels"])}

def said(call): return call[1]["command"].replace("\n", "; ") if call[0] == "Bash" else call[0]

def differ(a, b):
    return ("" if a == b else f"{a} but {b}") if isinstance(a, list) else "; ".join(f"{k} {json.dumps(a[k])[:250]} but {json.dumps(b[k])[:250]}" for k in a if a[k] != b[k])

def variables(r, binary):
    """Payload and variables that hooks get from the agent and from hookshell, event by event: [(behaviour, difference)]."""
    found, read = [], lambda p: dict(l.split("=", 1) for l in open(p) if "=" in l)
    for e in [e for e in EVENTS if payloads(r, e)]:
        theirs, p = read(f"{r['rec']}/{e}.env"), payloads(r, e)[-1]
        put(r["home"] + "/s.json", G(dict(type="command", command="cat > $HOME/in; env > $HOME/env"), event=e))
        subprocess.run([binary, "run", e, "--dialect", "claude", "--no-log", "--config", r["home"] + "/s.json"], input=json.dumps(p), text=True, capture_output=True, cwd=r["proj"], env={"PATH": os.environ["PATH"], "HOME": r["home"]})
        ours, got = read(r["home"] + "/env"), json.load(open(r["home"] + "/in"))
        skip = lambda k: re.match("PWD|SHLVL|_$|OLDPWD|PATH|HOME|LANG|REC|SHELL|ANTHROPIC|DISABLE|CLAUDE_CODE_DISABLE|CLAUDE_ENV_FILE", k)
        found.append((f"payload of {e}", " ".join(sorted(k for k in {**p, **got} if p.get(k) != got.get(k)))))
        missing, other = [k for k in theirs if not skip(k) and k not in ours], [f"{k} is {v.strip()!r} but {ours[k].strip()!r}" for k, v in theirs.items() if not skip(k) and ours.get(k, v) != v]
        found.append((f"variables of {e}", "; ".join([f"hookshell gives no {' '.join(sorted(missing))}"] * bool(missing) + other)))
    return found

def one(case, args, fallback):
    directory = tempfile.mkdtemp(prefix="case-", dir=ROOT)
    try:
        r = agent(case, directory + "/a"); a = observe(case, r)
        if args.a: return a, observe(case, agent(case, directory + "/c", args.hookshell, args.way)), []
        b, verdicts = hookshell(case, r, args.hookshell, fallback)
        return a, b, verdicts
    finally: shutil.rmtree(directory, ignore_errors=True)

def stricter(a, b):
    """Does the agent stop or run more than hookshell: is something let through?"""
    if isinstance(a, list): return len(a) > len(b) or bool(set(a) - set(b))
    stops = lambda facts: [c[0] in ("denied", "asked", "deferred") for c in facts["calls"]]
    return any(x and not y for x, y in zip(stops(a), stops(b) + [False] * len(a["calls"]))) or a["block"] and not (b["block"] or b["halt"]) or a["halt"] and not (b["halt"] or b["block"]) or len(a["ran"]) > len(b["ran"])

RC = """alias greet='echo hello'
alias quote='echo "it'\\''s"'
shout() { local word; for word in "$@"; do printf '%s!\\n' "${word^^}"; done; }
here() {
    cat <<EOF
  in $1
EOF
}
export EDITOR=vi
shopt -s globstar
"""

def session():
    """The commands of session.txt: {name: input of the tool}; and calls that only the agent itself can make."""
    parts = rig.read(os.path.join(rig.HERE, "session.txt")).split("=== ")[1:]
    calls = {name: {"command": text.rstrip("\n")} for name, text in (part.split("\n", 1) for part in parts)}
    calls["its own time limit"] = {"command": "echo begun; sleep 60; echo never", "timeout": 1500}
    calls["in the background"] = {"command": "echo begun; sleep 60", "run_in_background": True}
    calls["after both"] = {"command": "echo here"}
    return calls

def bash_tool(shell, calls, directory):
    """What the agent's Bash tool says to each call with this shell; the first one asks the shell for its own path."""
    # As those that the session uses in agent_session.rs; without a start-up file the agent makes no whole snapshot. With no
    # SHLVL bash takes itself for started by ssh, as its input is a socket, and reads the file before each command.
    put(directory + "/home/.bashrc", RC)
    script = [("Bash", {"command": "echo \"$BASH\""}), *(("Bash", c) for c in calls.values())]
    r = agent(dict(config={}, event=PRE, calls=script, allowed="Bash", limit=600, env={"CLAUDE_CODE_SHELL": shell, "SHELL": shell, "SHLVL": "1"}), directory)
    said = {b["tool_use_id"]: b for m in r["stream"] if m["type"] == "user" and isinstance(m["message"]["content"], list) for b in m["message"]["content"] if b.get("type") == "tool_result"}
    def text(n):
        b = said.get(f"toolu_{n}")
        if b is None: return "no result"
        content = b["content"] if isinstance(b["content"], str) else "".join(x.get("text", "") for x in b["content"])
        for own, mark in ((shell, "SHELL"), (directory, "BOX")): content = content.replace(own, mark)
        # Identifiers and paths of a run's own; where a command is not finished, ours says more.
        content = re.sub(r"(unexpected end of file).*", r"\1", content)
        # The snapshot switches on `monitor` (its name has `on` in it), and hookshell has no job control: docs/agents/README.md.
        content = re.sub(r"\[\d+\]\+  Done  .*\n?", "", content).rstrip("\n")
        content = re.sub(r"(/tmp/claude-\S*?/|BOX/home/\S*?/projects/)\S+", "FILE", content)
        return ("error: " if b.get("is_error") else "") + re.sub(r"(ID: )\w+|\[\w+ [0-9a-f]{7}\]", r"\1", content)
    return {name: text(n) for n, name in enumerate(["$BASH", *calls], 1)}

def as_shell(args, version):
    """The Bash tool of the agent with bash and with hookshell: the report."""
    report, calls = rig.Report("claude", version, {}, "calls of the Bash tool equal with hookshell as the shell"), session()
    calls = {name: call for name, call in calls.items() if re.search(args.k, name)}
    directory = tempfile.mkdtemp(prefix="case-", dir=ROOT)
    try:
        shells = {"bash": shutil.which("bash"), "hookshell": directory + "/bin/bash"}
        os.makedirs(directory + "/bin")
        os.symlink(args.hookshell, shells["hookshell"])
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            both = {name: pool.submit(bash_tool, shell, calls, f"{directory}/{name}") for name, shell in shells.items()}
        theirs, ours = (both[name].result() for name in ("bash", "hookshell"))
        if theirs["$BASH"] != "SHELL": sys.exit(f"claude: CLAUDE_CODE_SHELL is not its shell: {theirs['$BASH']}")
        for name in theirs:
            report.add(name, differ([theirs[name]], [ours[name]]))
            if args.v: print(f"  {name}: {calls.get(name)}\n    bash: {theirs[name][:600]!r}\n    hookshell: {ours[name][:600]!r}", flush=True)
    finally: shutil.rmtree(directory, ignore_errors=True)
    sys.exit(0 if report.end() else 1)

def main():
    global AGENT
    def more(parser):
        parser.add_argument("--jobs", type=int, default=2)
        parser.add_argument("--way", choices=["run", "exec"], default="run")
        parser.add_argument("--shell", action="store_true")
    args = rig.arguments("Claude Code", more)
    installed = rig.Installed("claude", args.latest)
    AGENT = installed.file("claude")
    os.makedirs(ROOT, exist_ok=True)
    if args.shell: as_shell(args, installed.version)
    directory = tempfile.mkdtemp(prefix="case-", dir=ROOT)
    r = agent(dict(config={}, event=PRE, calls=TOUCH + tools[4:] + [bash("false"), bash("cd sub")], files={"sub/x": ""}), directory)
    chosen = [c for c in CASES if re.search(args.k, c["name"])]
    if args.a: chosen = [c for c in chosen if not isinstance(c["config"], str)]  # of a text the events are not known
    if args.reduced: chosen = rig.reduced([c for c in chosen if not c.get("fast")], 56)
    what = "behaviours equal with `hookshell %s` as the hook" % args.way if args.a else "behaviours equal"
    report = rig.Report("claude", installed.version, EXCUSED_AS_HOOK if args.a else EXCUSED, what, rig.GOAL_AS_HOOK if args.a and args.way == "run" else rig.GOAL)
    fallback = {e: payloads(r, e) for e in EVENTS}
    if not args.a and re.search(args.k, "variables"):
        for name, difference in variables(r, args.hookshell): report.add(name, difference)
    if args.record:
        own = {directory: "/box", ROOT: "/agents", installed.path: "/agent", os.environ["PATH"]: "/usr/bin:/bin"}
        for e in EVENTS:
            if payloads(r, e): rig.record("claude", installed.version, e, json.dumps(payloads(r, e)[-1]), rig.read(f"{r['rec']}/{e}.env0"), own)
    shutil.rmtree(directory)
    budget = rig.Budget(args.reduced)
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for case, done in zip(chosen, pool.map(lambda c: None if budget.is_over() else one(c, args, fallback), chosen)):
            if not done: continue
            a, b, verdicts = done
            theirs = behaviours(case, a)
            for name, fact in behaviours(case, b).items():
                # Of a rule that begins with `*` any program may be meant.
                more = [line for line in fact if line not in theirs[name] and (SEEN.search(line) or name.startswith("if 'Bash(*"))] if case.get("per_call") else []
                if more: report.add(name + ", lines of which hookshell sees more", f"{more} too")
                fact = [x for x in fact if x not in more] if more else fact
                # The agent does not judge a line with a here-document, and runs every hook for it.
                texts = [line for line in theirs[name] if line not in fact and "<<" in line] if case.get("per_call") else []
                if texts: report.add(name + ", texts of here-documents", f"not {texts}")
                judged = [x for x in theirs[name] if x not in texts] if texts else theirs[name]
                report.add(name, differ(judged, fact), stricter(judged, fact))
            if args.v: print(f"  {case['name']}: {json.dumps(case['config'])[:400]}\n    agent: {json.dumps(a)}\n    hookshell: {json.dumps(verdicts)[:1200]}", flush=True)
    budget.say()
    sys.exit(0 if report.end() else 1)

if __name__ == "__main__": main()
