"""Hooks of the type `http` in the rigs: a server that answers as its path says, and the cases of both agents that have them.

The path is the answer, as JSON in base64: status, headers, body, delay (seconds before it), drip (seconds between the bytes of
the body), raw (what is sent in place of an answer), to (a file that gets the line `mark`; without it `ran` in the payload's cwd).
In the body HEADER(name) stands for what came in that header, and BODY(key) for what the payload has there.
"""
import base64, gzip, json, re, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class Hooks(BaseHTTPRequestHandler):
    protocol_version, log_message = "HTTP/1.1", lambda *_: None

    def do_POST(self):
        text = self.rfile.read(int(self.headers.get("content-length") or 0))
        try: payload = json.loads(text)
        except ValueError: payload = {}
        try: spec = json.loads(base64.urlsafe_b64decode(self.path.lstrip("/").partition("?")[0] or "e30="))
        except ValueError: spec = dict(raw="")  # an address that was changed on its way
        if spec.get("mark") and not payload.get("stop_hook_active"):
            with open(spec.get("to") or payload.get("cwd", "/tmp") + "/ran", "a") as file: file.write(spec["mark"] + "\n")
        time.sleep(spec.get("delay", 0))
        if "raw" in spec:
            self.wfile.write(spec["raw"].encode("latin-1")); self.close_connection = True
            return
        has = lambda m: json.dumps("|".join(self.headers.get_all(m[1]) or ["none"]))[1:-1]
        body = re.sub(r"HEADER\(([^)]*)\)", has, spec.get("body", ""))
        body = re.sub(r"BODY\(([^)]*)\)", lambda m: json.dumps(json.dumps(payload.get(m[1])))[1:-1], body)
        if payload.get("stop_hook_active"): body = ""  # or the turn would never end
        body = body.encode(spec.get("encoding", "utf-8")) + b" " * spec.get("padding", 0)
        if spec.get("gzip"): body = gzip.compress(body)
        self.send_response(spec.get("status", 200))
        for name, value in spec.get("headers", {"content-type": "application/json"}).items(): self.send_header(name, value.replace("SERVER", SERVER))
        if spec.get("status", 200) != 204: self.send_header("content-length", str(len(body) + spec.get("missing", 0)))
        self.end_headers()
        try:
            for at in range(0, len(body), 1 if spec.get("drip") else len(body) or 1):
                self.wfile.write(body[at:at + 1] if spec.get("drip") else body); self.wfile.flush(); time.sleep(spec.get("drip", 0))
        except OSError: pass
        if spec.get("missing"): self.close_connection = True
    do_GET = do_POST

server = ThreadingHTTPServer(("127.0.0.1", 0), Hooks)
server.daemon_threads = True
PORT = server.server_address[1]
SERVER = "http://127.0.0.1:%d" % PORT
threading.Thread(target=server.serve_forever, daemon=True).start()

def url(host="127.0.0.1", scheme="http", **spec):
    """The address of an answer."""
    return "%s://%s:%d/%s" % (scheme, host, PORT, base64.urlsafe_b64encode(json.dumps(spec, sort_keys=True).encode()).decode())

# Answers: name to what the server does. EVENT is the event's name.
DENY = '{"hookSpecificOutput":{"hookEventName":"EVENT","permissionDecision":"deny","permissionDecisionReason":"Zzdeny"}}'
BLOCK, CONTEXT = '{"decision":"block","reason":"Zzwhy"}', '{"hookSpecificOutput":{"hookEventName":"EVENT","additionalContext":"Zzctx"}}'
ANSWERS = {
    "empty": dict(), "204": dict(status=204), "{}": dict(body="{}"), "block": dict(body=BLOCK), "context": dict(body=CONTEXT), "plain text": dict(body="Zzout", headers={"content-type": "text/plain"}),
    "continue false": dict(body='{"continue":false,"stopReason":"Zzstop"}'), "systemMessage": dict(body='{"systemMessage":"Zzsys"}'), "500 and block": dict(status=500, body=BLOCK), "302 to a block": dict(status=302, headers={"location": url(body=BLOCK)}, body=BLOCK),
    "invalid JSON": dict(body='{"decision":"block","reason":"Zzwhy"'), "too late": dict(delay=4, body=BLOCK)}
MORE = {
    "deny": dict(body=DENY), "allow": dict(body=DENY.replace("deny", "allow")), "ask": dict(body=DENY.replace("deny", "ask")), "201 and deny": dict(status=201, body=DENY), "299 and deny": dict(status=299, body=DENY), "300 and deny": dict(status=300, body=DENY), "400 and deny": dict(status=400, body=DENY),
    "403 and deny": dict(status=403, body=DENY), "404": dict(status=404), "500 and nothing": dict(status=500), "503 and retry-after": dict(status=503, headers={"retry-after": "0"}, body=DENY), "301 to a deny": dict(status=301, headers={"location": url(body=DENY)}), "307 to a deny": dict(status=307, headers={"location": url(body=DENY)}), "308 to itself": dict(status=308, headers={"location": "/"}),
    "text before JSON": dict(body="x " + DENY), "blanks around": dict(body=" \r\n\t" + DENY + "\n\n"), "BOM before": dict(body="\ufeff" + DENY), "two objects": dict(body=DENY + "\n" + DENY), "an array": dict(body="[%s]" % DENY), "a string": dict(body=json.dumps(DENY)), "null": dict(body="null"), "trailing comma": dict(body=DENY[:-1] + ",}"),
    "text/plain with JSON": dict(body=DENY, headers={"content-type": "text/plain"}), "text/html with JSON": dict(body=DENY, headers={"content-type": "text/html"}), "no content type": dict(body=DENY, headers={}), "UTF-16": dict(body=DENY, encoding="utf-16"), "Latin-1": dict(body=DENY.replace("Zzdeny", "Zzd\u00e9ny"), encoding="latin-1"),
    "Latin-1, said": dict(body=DENY.replace("Zzdeny", "Zzd\u00e9ny"), encoding="latin-1", headers={"content-type": "application/json; charset=iso-8859-1"}),
    "gzip": dict(body=DENY, gzip=True, headers={"content-encoding": "gzip"}), "gzip, not said": dict(body=DENY, gzip=True), "said gzip, and is none": dict(body=DENY, headers={"content-encoding": "gzip"}), "1 MB": dict(body=DENY, padding=1 << 20), "12 MB": dict(body=DENY, padding=12 << 20),
    "cut off": dict(body=DENY, missing=10), "an answer that trickles": dict(body=DENY, drip=0.2), "no HTTP": dict(raw="hello\r\n"), "nothing at all": dict(raw=""), "a header without an end": dict(raw="HTTP/1.1 200 OK\r\nx: y\r\n"), "two lengths": dict(raw="HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}x"),
    "chunked": dict(raw="HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(DENY.replace("EVENT", "PreToolUse")), DENY.replace("EVENT", "PreToolUse"))), "until it closes": dict(raw="HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n" + DENY.replace("EVENT", "PreToolUse")),
    "HTTP/1.0": dict(raw="HTTP/1.0 200 OK\r\n\r\n" + DENY.replace("EVENT", "PreToolUse")), "100 before it": dict(raw="HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nconnection: close\r\n\r\n" + DENY.replace("EVENT", "PreToolUse")), "async": dict(body='{"async":true}'), "an unknown key": dict(body='{"foo":1,' + DENY[1:]), "a number for the reason": dict(body=DENY.replace('"Zzdeny"', "7")),
    "another event's name": dict(body=DENY.replace("EVENT", "Stop")), "no event's name": dict(body=DENY.replace('"hookEventName":"EVENT",', "")), "decision deny": dict(body='{"decision":"deny","reason":"Zzwhy"}'), "Deny": dict(body=DENY.replace('"deny"', '"Deny"')), "permissionDecision at the top": dict(body='{"permissionDecision":"deny","permissionDecisionReason":"Zzwhy"}'),
    "updatedInput": dict(body=DENY.replace('"deny"', '"allow","updatedInput":{"command":"touch b2"}')), "deny and stop": dict(body=DENY.replace("{", '{"continue":false,"stopReason":"Zzstop",', 1)), "block with no reason": dict(body='{"decision":"block"}'), "suppressOutput": dict(body='{"suppressOutput":true}')}
# What differs on purpose: parts of labels to the headings of docs/http-hooks.md that say why.
EXCUSED = {"http, gzip$": "An answer is not unpacked", "http, header, content-length$": "A request ends where it ends", "http, header, the settings' own variable": "Variables of the settings"}
SAYS = DENY.replace("Zzdeny", "Zz%s")  # the reason is what came

def answer(spec, event):
    return dict(spec, **{k: spec[k].replace("EVENT", event) for k in ("body",) if k in spec})

def claude(case, event_names):
    """The cases of claude.py."""
    pre, prompt, start, stop = event_names[0], *(e for e in event_names if e in ("UserPromptSubmit", "SessionStart", "Stop"))
    H = lambda address, **k: dict(type="http", url=address, **k)
    G = lambda *entries, event=pre, **k: {"hooks": {event: [dict({} if event in (prompt, start, stop) else {"matcher": "Bash"}, hooks=list(entries), **k)]}}
    for event in event_names:
        for name, spec in ANSWERS.items(): case(f"{event}: http, {name}", G(H(url(mark="x", **answer(spec, event)), timeout=2), event=event), event)
    for name, spec in MORE.items(): case("PreToolUse: http, " + name, G(H(url(mark="x", **answer(spec, pre)), timeout=30 if "MB" in name else 2)))
    deny = dict(mark="x", **answer(dict(body=DENY), pre))
    says = lambda what, **k: dict(body=SAYS.replace("EVENT", pre) % what, mark="x", **k)
    V = dict(ZVAR="Zvalue", ZSECRET="Zsecret", ZLINES="one\r\nx-evil: two", zlower="Zlow", ZEMPTY="", ZUTF="\u00e9")
    def heads(name, what="HEADER(x-a)", settings={}, **k): case("PreToolUse: http, header, " + name, dict(settings, **G(H(url(**says(what)), **k))), env=V)
    heads("plain", headers={"X-A": "abc"}); heads("a variable that is allowed", headers={"X-A": "a $ZVAR b"}, allowedEnvVars=["ZVAR"]); heads("in braces", headers={"X-A": "a${ZVAR}b"}, allowedEnvVars=["ZVAR"]); heads("one that is not allowed", headers={"X-A": "a $ZSECRET b"}, allowedEnvVars=["ZVAR"])
    heads("none is allowed", headers={"X-A": "a${ZVAR}b"}); heads("one that is not set", headers={"X-A": "a${ZNONE}b"}, allowedEnvVars=["ZNONE"]); heads("an empty one", headers={"X-A": "a${ZEMPTY}b"}, allowedEnvVars=["ZEMPTY"]); heads("in lower case", headers={"X-A": "a${zlower}b$zlower"}, allowedEnvVars=["zlower"])
    heads("with a default", headers={"X-A": "a${ZVAR:-x}b"}, allowedEnvVars=["ZVAR"]); heads("a longer name", headers={"X-A": "$ZVARX$ZVAR1-$ZVARx"}, allowedEnvVars=["ZVAR"]); heads("a dollar alone", headers={"X-A": "$5 $ $$ZVAR \\$ZVAR"}, allowedEnvVars=["ZVAR"]); heads("lines in the variable", "HEADER(x-a) HEADER(x-evil)", headers={"X-A": "a$ZLINES"}, allowedEnvVars=["ZLINES"])
    heads("lines in the value", "HEADER(x-a) HEADER(x-evil)", headers={"X-A": "a\r\nX-Evil: b"}); heads("a NUL in the value", headers={"X-A": "a\0b"}); heads("not ASCII", headers={"X-A": "a$ZUTF"}, allowedEnvVars=["ZUTF"]); heads("beyond Latin-1", headers={"X-A": "a\u4e2d"}); heads("a tab", headers={"X-A": "a\tb"}); heads("blanks around", headers={"X-A": "  a  "}); heads("empty", headers={"X-A": ""})
    heads("a name with lines", "HEADER(x-evil)", headers={"X-A\r\nX-Evil": "b"}); heads("a name with a blank", headers={"X A": "b"}); heads("an empty name", headers={"": "b"}); heads("a variable in the name", headers={"$ZVAR": "b"}, allowedEnvVars=["ZVAR"]); heads("a name twice in other case", headers={"X-A": "1", "x-a": "2"})
    heads("content-type", "HEADER(content-type)", headers={"Content-Type": "text/plain"}); heads("content-type in lower case", "HEADER(content-type)", headers={"content-type": "text/plain"}); heads("content-type as sent", "HEADER(content-type)"); heads("host", "HEADER(host)", headers={"Host": "other"}); heads("user-agent", "HEADER(user-agent)", headers={"User-Agent": "mine"})
    heads("accept", "HEADER(accept)", headers={"Accept": "x/y"}); heads("a number", headers={"X-A": 5}); heads("a list", headers=["X-A"]); heads("null", headers=None); heads("allowedEnvVars a text", headers={"X-A": "$ZVAR"}, allowedEnvVars="ZVAR"); heads("variables allowed by all settings", settings=dict(httpHookAllowedEnvVars=["ZVAR"]), headers={"X-A": "$ZVAR-$ZSECRET"}, allowedEnvVars=["ZVAR", "ZSECRET"])
    heads("no variables allowed by settings", settings=dict(httpHookAllowedEnvVars=[]), headers={"X-A": "a$ZVAR"}, allowedEnvVars=["ZVAR"]); heads("an authorization", "HEADER(authorization)", headers={"Authorization": "Bearer $ZVAR"}, allowedEnvVars=["ZVAR"]); heads("content-length", "HEADER(content-length)", headers={"Content-Length": "2"}); heads("transfer-encoding", headers={"X-A": "a", "Transfer-Encoding": "identity"})
    heads("the settings' own variable", settings=dict(env={"ZOWN": "Zown"}), headers={"X-A": "a$ZOWN"}, allowedEnvVars=["ZOWN"]); heads("the session's", headers={"X-A": "a$CLAUDE_PROJECT_DIR"}, allowedEnvVars=["CLAUDE_PROJECT_DIR"]); heads("cookie", "HEADER(cookie)", headers={"Cookie": "a=b"}); heads("connection", "HEADER(connection)", headers={"Connection": "close"})
    for key in ("hook_event_name", "tool_name", "tool_input", "permission_mode"): case("PreToolUse: http, payload, " + key, G(H(url(**says("BODY(%s)" % key)))))
    A = url(**deny)
    for name, hook in {"localhost": H(url("localhost", **deny)), "0.0.0.0": H(url("0.0.0.0", **deny)), "127.1": H(url("127.1", **deny)), "2130706433": H(url("2130706433", **deny)), "127.9.9.9": H(url("127.9.9.9", **deny)), "[::ffff:127.0.0.1]": H(url("[::ffff:127.0.0.1]", **deny)), "[::]": H(url("[::]", **deny)), "a private address": H("http://10.255.255.1:9/"), "the link's address": H("http://169.254.169.254/"),
                       "no such host": H("http://no-such-host.invalid/"), "nobody listens": H("http://127.0.0.1:9/"), "https where is none": H(url(scheme="https", **deny)), "HTTP": H(A.replace("http", "HTTP", 1)), "ftp": H(A.replace("http", "ftp", 1)), "file": H("file:///etc/passwd"), "no scheme": H(A.partition("//")[2]), "a path": H("/hook"), "empty": H(""), "blanks around": H(" %s " % A), "a number": H(5),
                       "none": dict(type="http"), "user and password": H(url(**says("HEADER(authorization)")).replace("//", "//u:p@")), "a fragment": H(A + "#x"), "a query": H(A + "?a=$HOME&b=c d"), "a variable in it": H(A + "$ZVAR", allowedEnvVars=["ZVAR"]), "a backslash": H(A.replace("//", "\\\\")), "a tab in it": H(A[:9] + "\t" + A[9:]), "an upper-case host": H(url("LOCALHOST", **deny)), "a dot behind": H(url("localhost.", **deny)), "port 0": H("http://127.0.0.1:0/")}.items():
        case("PreToolUse: http, url, " + name, G(hook), env=V)
    for name, (hook, spec) in {"timeout 1": (dict(timeout=1), dict(delay=3)), "timeout 0.5": (dict(timeout=0.5), dict(delay=3)), "timeout 0": (dict(timeout=0), {}), "timeout -1": (dict(timeout=-1), {}), "timeout as text": (dict(timeout="5"), {}), "async": (dict({"async": True}), {}), "asyncRewake": (dict(asyncRewake=True), {}), "once": (dict(once=True), {}), "an if that holds": ({"if": "Bash(touch b*)"}, {}),
                               "an if that does not": ({"if": "Bash(git *)"}, {}), "an invalid if": ({"if": "Bash(git"}, {}), "an unknown key": (dict(foo=1), {}), "method GET": (dict(method="GET"), {}), "a command beside the url": (dict(command="echo Zzcommand >&2; exit 2"), {}), "statusMessage": (dict(statusMessage="x"), {}), "shell": (dict(shell="bash"), {}), "slow": ({}, dict(delay=1))}.items():
        case("PreToolUse: http, " + name, G(H(url(**deny, **spec), **hook)))
    command = dict(type="command", command="echo Zzcommand >&2; exit 2")
    allow = url(mark="y", **answer(dict(body=DENY.replace("deny", "allow")), pre))
    for name, config in {"beside a command that denies": G(H(allow), command), "beside an allow": G(H(A), H(allow)), "beside one that fails": G(H("http://127.0.0.1:9/"), H(A)), "beside an invalid one": G(H("nope"), command), "beside one without url": G(dict(type="http"), H(A)), "twice": G(H(A), H(A)), "twice with other headers": G(*(H(url(**says("HEADER(x-a)")), headers={"X-A": x}) for x in "ab")),
                         "twice with other timeouts": G(H(A, timeout=5), H(A, timeout=6)), "twice with two ifs": G(H(A, **{"if": "Bash"}), H(A, **{"if": "Bash(touch *)"})), "in two groups": {"hooks": {pre: [{"matcher": "Bash", "hooks": [H(A)]}, {"hooks": [H(A)]}]}}, "a matcher that is not for it": {"hooks": {pre: [{"matcher": "Edit", "hooks": [H(A)]}]}}, "all hooks disabled": dict(G(H(A)), disableAllHooks=True)}.items():
        case("PreToolUse: http, " + name, config)
    for name, allowed in {"none": [], "all": ["*"], "the server": [SERVER + "/*"], "the server alone": [SERVER], "another port": ["http://127.0.0.1:1/*"], "any port": ["http://127.0.0.1:*/*"], "no port": ["http://127.0.0.1/*"], "a part of the host": ["http://127.*/*"], "any host": ["http://*/*"], "any host and port": ["http://*:*/*"], "any scheme": ["*://127.0.0.1:%d/*" % PORT], "https": ["https://127.0.0.1:%d/*" % PORT],
                          "stars alone": ["http*"], "the host in other case": ["HTTP://127.0.0.1:%d/*" % PORT], "one of two": ["https://x/*", SERVER + "/*"], "the whole": [A], "a question mark": [SERVER + "/?*"], "a directory": [SERVER + "/x/*"], "a star in the path": [SERVER + "/e*"], "no text": [5], "a text": SERVER, "no url": ["127.0.0.1"], "a host with a star within": ["http://127.0.*.1:%d/*" % PORT], "any port, behind it": [SERVER.rpartition(":")[0] + ":*"]}.items():
        case("PreToolUse: http, allowed urls, " + name, dict(G(H(A)), allowedHttpHookUrls=allowed))

def copilot(table_of, deny, rig_put=None):
    """The cases of copilot.py: each is `raw`, and its variables are `env`."""
    D = '{"permissionDecision":"deny","permissionDecisionReason":"WHYA"}'
    BLOCK = '{"decision":"block","reason":"WHYA"}'
    local = dict(COPILOT_HOOK_ALLOW_LOCALHOST="1", ZVAR="Zvalue", ZSECRET="Zsecret", ZLINES="one\r\nx-evil: two", zlower="Zlow")
    def one(name, event, hooks, env=local, top={}, **more):
        return dict(name="http, " + name, event=event, raw=json.dumps(dict(dict(version=1), **top, hooks={event: hooks})), env=env, **more)
    def at(letter="a", **spec): return dict(mark=letter, **spec)
    H = lambda spec, host="127.0.0.1", scheme="http", **k: dict(type="http", url="URL(%s)" % json.dumps(dict(spec, host=host, scheme=scheme)), **k)
    context = '{"additionalContext":"CTXA"}'
    inside = lambda event, **k: json.dumps(dict(hookSpecificOutput=dict(hookEventName=event, **k)))
    answers = lambda event, good: {"empty": {}, "204": dict(status=204), "{}": dict(body="{}"), "block": dict(body=BLOCK), "deny": dict(body=D), "behaviour": dict(body='{"behavior":"deny","message":"WHYA"}'), "deny, inside": dict(body=inside(event, permissionDecision="deny", permissionDecisionReason="WHYA")), "context": dict(body=context), "context, inside": dict(body=inside(event, additionalContext="CTXA")), "plain text": dict(body="CTXA"), "continue false": dict(body='{"continue":false,"stopReason":"WHYA"}'),
        "500 and it": dict(status=500, body=good), "404": dict(status=404), "403 and it": dict(status=403, body=good), "302 to it": dict(status=302, headers={"location": "TO"}), "invalid JSON": dict(body=good[:-1]), "an array": dict(body="[%s]" % good), "too late": dict(delay=4, body=good), "no HTTP": dict(raw="hello\r\n"), "cut off": dict(body=good, missing=10)}
    for event in ("preToolUse", "PreToolUse", "permissionRequest", "postToolUse", "PostToolUse", "userPromptSubmitted", "agentStop", "Stop", "sessionStart"):
        good = D if event.lower() == "pretooluse" else '{"behavior":"deny","message":"WHYA"}' if event == "permissionRequest" else BLOCK
        for name, spec in answers(event, good).items():
            if "TO" in spec.get("headers", {}).get("location", ""): spec = dict(spec, headers={"location": url(body=good)})
            yield one(name, event, [H(at(**spec), timeoutSec=2)])
    E = "preToolUse"
    for name, spec in {"201 and deny": dict(status=201, body=D), "299 and deny": dict(status=299, body=D), "300 and deny": dict(status=300, body=D), "307 to a deny": dict(status=307, headers={"location": url(body=D)}), "allow": dict(body=D.replace('"deny"', '"allow"')), "ask": dict(body=D.replace('"deny"', '"ask"')), "BOM": dict(body="\ufeff" + D), "text before": dict(body="x " + D), "two objects": dict(body=D + "\n" + D), "text/plain": dict(body=D, headers={"content-type": "text/plain"}), "gzip": dict(body=D, gzip=True, headers={"content-encoding": "gzip"}),
                       "1 MB": dict(body=D, padding=1 << 20), "12 MB": dict(body=D, padding=12 << 20), "trickles": dict(body=D, drip=0.2), "nothing at all": dict(raw=""), "Latin-1": dict(body=D.replace("WHYA", "WHYA \u00e9"), encoding="latin-1"), "modifiedArgs": dict(body='{"modifiedArgs":{"command":"echo ran > marker2","description":"d"}}'), "a progress line": dict(body='{"type":"progress","message":"x"}\n' + D), "null": dict(body="null"), "blanks": dict(body=" \n")}.items():
        yield one(name, E, [H(at(**spec), timeoutSec=30 if "MB" in name else 2)])
    allow_all = dict(COPILOT_HOOK_ALLOW_HTTP_AUTH_HOOKS="1")
    for event, body in ((E, D), ("PreToolUse", D), ("permissionRequest", '{"behavior":"deny","message":"WHYA"}'), ("postToolUse", BLOCK), ("userPromptSubmitted", BLOCK)):
        for name, env in (("no variable", {}), ("ALLOW_LOCALHOST=0", dict(COPILOT_HOOK_ALLOW_LOCALHOST="0")), ("ALLOW_LOCALHOST=true", dict(COPILOT_HOOK_ALLOW_LOCALHOST="true")), ("ALLOW_HTTP_AUTH_HOOKS", allow_all)):
            yield one("http without TLS, " + name, event, [H(at(body=body))], env=env)
    says = lambda what: at(body=D.replace("WHYA", "Zz" + what))
    show = lambda what, letter: at(body=D.replace("WHYA", what))
    # What came is told by the reason: WHYA where it is what is asked for.
    def header(name, want, **k): return one("header, " + name, E, [H(at(body='{"permissionDecision":"deny","permissionDecisionReason":"HEADER(x-a)"}'), **k)], env=dict(local, ZVAR="WHYA", ZSECRET="WHYB", zlower="WHYC", ZLINES="WHYD\r\nx-evil: two"))
    yield header("plain", "", headers={"X-A": "WHYA"})
    for name, value, allowed in [("a variable that is allowed", "WHYE $ZVAR", ["ZVAR"]), ("in braces", "WHYE ${ZVAR}", ["ZVAR"]), ("not allowed", "WHYE $ZSECRET", ["ZVAR"]), ("none allowed", "WHYE $ZVAR", None), ("lower case", "WHYE $zlower ${zlower}", ["zlower"]), ("not set", "WHYE $ZNONE", ["ZNONE"]), ("lines in the variable", "WHYE $ZLINES", ["ZLINES"]), ("lines in the value", "WHYE\r\nX-Evil: 1", None), ("not ASCII", "WHYE \u00e9", None)]:
        yield header(name, "", headers={"X-A": value}, **({} if allowed is None else dict(allowedEnvVars=allowed)))
    yield one("header, allowedEnvVars without TLS", "postToolUse", [H(at(body=BLOCK), headers={"X-A": "$ZVAR"}, allowedEnvVars=["ZVAR"])], env=dict(ZVAR="x"))
    yield one("header, empty allowedEnvVars without TLS", "postToolUse", [H(at(body=BLOCK), allowedEnvVars=[])], env={})
    yield one("header, a bad name", E, [H(at(body=D), headers={"X A": "b"})]); yield one("header, a number", E, [H(at(body=D), headers={"X-A": 5})]); yield one("headers a list", E, [H(at(body=D), headers=["x"])]); yield one("allowedEnvVars a text", E, [H(at(body=D), allowedEnvVars="ZVAR")])
    for name, hook in {"localhost": H(at(body=D), host="localhost"), "0.0.0.0": H(at(body=D), host="0.0.0.0"), "127.9.9.9": H(at(body=D), host="127.9.9.9"), "[::ffff:127.0.0.1]": H(at(body=D), host="[::ffff:127.0.0.1]"), "a private address": dict(type="http", url="https://10.255.255.1:9/", timeoutSec=2), "nobody listens": dict(type="http", url="http://127.0.0.1:9/"), "https where is none": H(at(body=D), scheme="https"), "ftp": H(at(body=D), scheme="ftp"), "no scheme": dict(type="http", url="127.0.0.1"), "empty": dict(type="http", url=""), "none": dict(type="http"), "a number": dict(type="http", url=5),
                       "no such host": dict(type="http", url="https://no-such-host.invalid/"), "blanks around": dict(type="http", url=" https://127.0.0.1:9/ "), "upper case": H(at(body=D), scheme="HTTP")}.items():
        yield one("url, " + name, E, [hook])
        yield one("url, %s, on postToolUse" % name, "postToolUse", [json.loads(json.dumps(hook).replace(json.dumps(json.dumps(D))[1:-1], json.dumps(json.dumps(BLOCK))[1:-1]))])
    for name, more in {"timeoutSec 1": (dict(timeoutSec=1), dict(delay=3)), "timeout 1": (dict(timeout=1), dict(delay=3)), "timeoutSec 0": (dict(timeoutSec=0), {}), "timeoutSec -1": (dict(timeoutSec=-1), {}), "timeoutSec 1.5": (dict(timeoutSec=1.5), {}), "a text": (dict(timeoutSec="5"), {}), "async": ({"async": True}, {}), "if": ({"if": "Bash(git *)"}, {}), "once": (dict(once=True), {}), "foo": (dict(foo=1), {}), "method GET": (dict(method="GET"), {}), "a command beside": (dict(bash="echo WHYB >&2; exit 2"), {}), "cwd": (dict(cwd="none"), {}), "env": (dict(env=dict(A="b")), {}), "matcher bash": (dict(matcher="bash"), {}), "matcher edit": (dict(matcher="edit"), {})}.items():
        yield one(name, E, [H(at(body=D, **more[1]), **more[0])])
    command = dict(type="command", bash="echo b >> @/runs; echo '%s'" % D.replace("WHYA", "WHYB"))
    yield one("beside a command", E, [H(at(body="{}")), command]); yield one("a deny before a command", E, [H(at(body=D)), command]); yield one("a failure before a command", E, [H(at(status=500)), command]); yield one("an invalid one before a command", E, [dict(type="http", url="nope"), command])
    yield one("twice", E, [H(at(body="{}")), H(at(body="{}"))]); yield one("all hooks disabled", E, [H(at(body=D))], top=dict(disableAllHooks=True)); yield one("in a group", "PreToolUse", [dict(matcher="Bash", hooks=[H(at(body=D))])])

def fill(text, box):
    """Puts in the addresses of a copilot case: the server is told the run's own file."""
    put = lambda m: url(to=box + "/runs", **json.loads(json.loads('"%s"' % m[1])))
    return re.sub(r"URL\((\{(?:[^()]|\([^()]*\))*\})\)", put, text)
