//! Hooks that are Python modules, with a real `python3`.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "test helpers: a panic fails the test, and a skip is printed"
)]

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hookshell_runner::inprocess::{HookUi, NotifyLevel};
use hookshell_runner::{
    Config, Decision, Event, EventKind, HookConfig, HookKind, JsonText, Matcher, ModuleHook, Runner, ToolInput, Verdict,
};

/// Long enough for a loaded machine to start Python.
const LONG: Duration = Duration::from_secs(120);

/// A project with these modules, each for every event.
struct Project {
    directory: tempfile::TempDir,
    config: Config,
}

impl Project {
    fn new(modules: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let mut config = Config::default();
        for (name, source) in modules {
            std::fs::write(directory.path().join(name), source).unwrap();
            for event in ["PreToolUse", "PostToolUse", "SessionStart", "UserPromptSubmit"] {
                let module = HookKind::Module(ModuleHook::new(*name));
                let mut hook = HookConfig::of_kind(event.parse().unwrap(), module);
                hook.timeout = LONG;
                config.push(hook);
            }
        }
        Self { directory, config }
    }

    fn runner(&self) -> Runner {
        Runner::builder().config(self.config.clone()).build().unwrap()
    }

    fn call(&self, command: &str) -> Event {
        let input = format!("{{\"command\":{}}}", serde_json::to_string(command).unwrap());
        Event::pre_tool_use("bash", ToolInput::parse(&input).unwrap(), self.directory.path()).with_session_id("s")
    }

    fn show(&self, runner: &Runner, command: &str) -> String {
        show(&runner.run_blocking(&self.call(command)))
    }
}

/// `outcome decision reason` of each hook.
fn show(verdict: &Verdict) -> String {
    let hooks = verdict.hooks.iter().map(|hook| {
        let decision = hook.opinion.decision.map_or("-", Decision::as_str);
        format!("{} {decision} {}", hook.outcome.as_str(), hook.opinion.reason.as_deref().unwrap_or("-"))
    });
    hooks.collect::<Vec<_>>().join("; ")
}

const GATE: &str = r#"
import hookshell
from hookshell import BlockToolResult, HookAPI, HookContext, ToolCallEvent

print("loading goes to standard error")
count = 0

async def check(event: ToolCallEvent, ctx: HookContext):
    global count
    count += 1
    print("and so does this")
    command = event.input.get("command", "")
    if "sudo" in command:
        return BlockToolResult(reason=f"{event.tool_name} call {count} of {ctx.session_id}")

def register(hooks: HookAPI) -> None:
    hooks.on_tool_call(check)
"#;

#[test]
fn a_module_stays_loaded_for_its_session() {
    if !hookshell_test_support::has("python3") {
        return;
    }
    let project = Project::new(&[("gate.py", GATE)]);
    let runner = project.runner();
    assert_eq!(project.show(&runner, "ls"), "NoOpinion - -");
    assert_eq!(project.show(&runner, "sudo ls"), "Decided deny bash call 2 of s");
    let other = project.call("sudo ls").with_session_id("t");
    assert_eq!(show(&runner.run_blocking(&other)), "Decided deny bash call 1 of t");
    runner.end_session("s");
    assert_eq!(project.show(&runner, "sudo ls"), "Decided deny bash call 1 of s");
}

#[test]
fn a_deny_of_one_handler_is_not_lost_to_the_next() {
    if !hookshell_test_support::has("python3") {
        return;
    }
    let source = r#"
import json

def first(payload, ctx):
    return json.loads(payload["tool_input"]["command"])[0]

def second(payload, ctx):
    word = json.loads(payload["tool_input"]["command"])[1]
    if word == "raise":
        raise ValueError("no such thing")
    if word == "nan":
        return {"x": float("nan")}
    return word

def register(hooks):
    hooks.on("PreToolUse", first)
    hooks.on("PreToolUse", second)
"#;
    let project = Project::new(&[("two.py", source)]);
    let runner = project.runner();
    let own = |word: &str| format!(r#"{{"hookSpecificOutput":{{"permissionDecision":"{word}"}}}}"#);
    let cases = [
        (r#"{"decision":"DENY","reason":"r"}"#.to_owned(), r#"{"decision":"allow"}"#.to_owned(), "deny r"),
        (r#"{"decision":"block","reason":"r"}"#.to_owned(), r#"{"decision":"allow"}"#.to_owned(), "deny r"),
        (own("deny"), own("allow"), "deny -"),
        (own("deny"), "null".to_owned(), "deny -"),
        (own("ask"), own("allow"), "ask -"),
        (own("allow"), own("deny"), "deny -"),
        (r#"{"continue":false}"#.to_owned(), r#"{"continue":true}"#.to_owned(), "- -"),
        (own("deny"), r#""raise""#.to_owned(), "deny -"),
        (own("deny"), r#""nan""#.to_owned(), "deny -"),
        (r#"{"decision":"allow"}"#.to_owned(), r#"{"context":"c"}"#.to_owned(), "allow -"),
    ];
    for (first, second, expected) in cases {
        let command = format!("[{first},{second}]");
        let verdict = runner.run_blocking(&project.call(&command));
        assert_eq!(show(&verdict), format!("Decided {expected}"), "{command}");
        assert_eq!(verdict.opinion.halt, first.contains("continue"), "{command}");
    }
}

#[test]
fn every_kind_of_handler_and_result() {
    if !hookshell_test_support::has("python3") {
        return;
    }
    let source = r#"
from hookshell import *

def call(event, ctx):
    word = event.input["command"]
    if word == "change":
        return ModifyInputResult(input={"command": "other"})
    if word == "ask":
        return AskToolResult(reason="sure?")
    if word == "allow":
        return AllowToolResult()
    if word == "dict":
        return {"decision": "deny", "reason": "a dict", "context": "seen"}
    if word == "odd":
        return 7
    if word == "raise":
        raise ValueError("no such thing")
    if word == "exit":
        raise SystemExit(3)
    if word == "unknown":
        return {"decision": "perhaps"}

def second(event, ctx):
    if event.input["command"] in ("ask", "change"):
        return {"decision": "allow", "reason": "weaker", "context": "second"}

async def result(event, ctx):
    return ModifyResultResult(content=f"{event.content} {event.details} {event.is_error}")

def session(event, ctx):
    return {"context": f"{event.reason} in {ctx.project_dir.name == ctx.cwd.name}"}

def prompt(payload, ctx):
    return {"updated_prompt": payload["prompt"].upper()}

def register(hooks):
    hooks.on_tool_call(call)
    hooks.on_tool_call(second)
    hooks.on_tool_result(result)
    hooks.on_session(session)
    hooks.on("UserPromptSubmit", prompt)
"#;
    let project = Project::new(&[("all.py", source)]);
    let runner = project.runner();
    let cases = [
        ("ls", "NoOpinion - -"),
        ("ask", "Decided ask sure?"),
        ("allow", "Decided allow -"),
        ("dict", "Decided deny a dict"),
        (
            "odd",
            "Module - the module failed: TypeError: a handler returned int: it must be None, a dict or a result of hookshell's",
        ),
        ("raise", "Module - the module failed: ValueError: no such thing (all.py:17)"),
        ("exit", "Module - the module failed: SystemExit: 3 (all.py:19)"),
    ];
    for (command, expected) in cases {
        assert_eq!(project.show(&runner, command), expected, "{command}");
    }
    assert!(project.show(&runner, "unknown").starts_with("BadEnvelope - "));
    let verdict = runner.run_blocking(&project.call("change"));
    assert_eq!(verdict.opinion.decision, Some(Decision::Allow));
    assert_eq!(verdict.context().as_deref(), Some("second"));
    assert_eq!(verdict.updated_input().unwrap().get(), r#"{"command":"other"}"#);

    let response = JsonText::parse(r#"{"out":1}"#).unwrap();
    let event = Event::post_tool_use("bash", ToolInput::default(), response, project.directory.path());
    let verdict = runner.run_blocking(&event.with_session_id("s"));
    assert_eq!(verdict.opinion.updated_result.unwrap().get(), r#""{\"out\": 1} {'out': 1} False""#);

    let event = Event::session_start("startup", project.directory.path()).with_session_id("s");
    assert_eq!(runner.run_blocking(&event).context().as_deref(), Some("start in True"));
    let event = Event::user_prompt_submit("héllo", project.directory.path()).with_session_id("s");
    assert_eq!(runner.run_blocking(&event).opinion.updated_prompt.as_deref(), Some("HÉLLO"));
}

#[test]
fn a_crash_fails_its_event_and_the_module_is_started_once_more() {
    if !hookshell_test_support::has("python3") {
        return;
    }
    let source = r#"
import os, sys
from hookshell import _host

async def call(event, ctx):
    if event.input["command"] == "crash":
        print("going down", file=sys.stderr, flush=True)
        os._exit(3)
    if event.input["command"] == "garbage":
        import gc
        host = next(o for o in gc.get_objects() if isinstance(o, _host.Host))
        host.out.write(b"garbage\n")
        host.out.flush()
        import asyncio
        await asyncio.sleep(600)
    return {"decision": "allow"}

def register(hooks):
    hooks.on_tool_call(call)
"#;
    let project = Project::new(&[("frail.py", source)]);
    let runner = project.runner();
    assert_eq!(project.show(&runner, "a"), "Decided allow -");
    assert_eq!(
        project.show(&runner, "crash"),
        "Module - the module failed: crash: it ended with exit code 3: going down"
    );
    assert_eq!(project.show(&runner, "b"), "Decided allow -");
    assert_eq!(
        project.show(&runner, "garbage"),
        "Module - the module failed: crash: it wrote what is no message: \"garbage\\n\""
    );
    assert_eq!(
        project.show(&runner, "c"),
        "Module - the module failed: it is not started a third time; last crash: it wrote what is no message: \"garbage\\n\""
    );
    // A session of its own has a module of its own.
    let other = project.call("d").with_session_id("t");
    assert_eq!(show(&runner.run_blocking(&other)), "Decided allow -");
}

#[test]
fn an_event_that_a_crashed_module_had_not_begun_goes_to_the_next() {
    if !hookshell_test_support::has("python3") {
        return;
    }
    // After its first event it ends as soon as the second one is read.
    let source = "\
import os, json
count = 0
def on_call(event, ctx):
    global count
    count += 1
    if not os.path.exists(str(ctx.project_dir / 'died')):
        def die(line):
            (ctx.project_dir / 'died').write_text('')
            os._exit(3)
        json.loads = die
    return {'decision': 'deny', 'reason': f'event {count}'}
def register(hooks):
    hooks.on_tool_call(on_call)
";
    let project = Project::new(&[("m.py", source)]);
    let runner = project.runner();
    assert_eq!(project.show(&runner, "a"), "Decided deny event 1");
    assert_eq!(project.show(&runner, "b"), "Decided deny event 1");
    assert_eq!(project.show(&runner, "c"), "Decided deny event 2");
}

#[test]
fn a_module_that_cannot_be_loaded_says_why() {
    if !hookshell_test_support::has("python3") {
        return;
    }
    let project = Project::new(&[("none.py", "x = 1\n")]);
    assert_eq!(
        project.show(&project.runner(), "a"),
        "Module - the module failed: it could not be loaded: TypeError: none.py has no function register(hooks)"
    );
    let project = Project::new(&[("broken.py", "def register(hooks:\n")]);
    assert!(project.show(&project.runner(), "a").contains("it could not be loaded: SyntaxError: "));
    let project = Project::new(&[("gone.py", "")]);
    std::fs::remove_file(project.directory.path().join("gone.py")).unwrap();
    assert!(project.show(&project.runner(), "a").starts_with("NotFound - not found: the module "));
    // What lies in the project under a name of the standard library is not taken for it.
    let project = Project::new(&[("gate.py", GATE)]);
    std::fs::write(project.directory.path().join("types.py"), "raise SystemExit(9)").unwrap();
    assert_eq!(project.show(&project.runner(), "ls"), "NoOpinion - -");
}

#[test]
fn a_module_that_hangs_is_given_up_and_one_that_awaits_continues() {
    if !hookshell_test_support::has("python3") {
        return;
    }
    let source = r#"
import asyncio, os, time

async def call(event, ctx):
    if event.input["command"] == "await":
        await asyncio.sleep(600)
    if event.input["command"] == "block":
        time.sleep(600)
    return {"decision": "allow", "reason": str(os.getpid())}

def register(hooks):
    hooks.on_tool_call(call)
"#;
    let mut project = Project::new(&[("slow.py", source)]);
    // The same module, which is not waited for as long where the tool is another one.
    let mut config = Config::default();
    for (tool, timeout) in [("^bash$", LONG), ("^quick$", Duration::from_millis(300))] {
        let module = HookKind::Module(ModuleHook::new("slow.py"));
        let mut hook = HookConfig::of_kind("PreToolUse".parse().unwrap(), module);
        hook.matcher = Matcher::new(tool).unwrap();
        hook.timeout = timeout;
        config.push(hook);
    }
    project.config = config;
    let quick = |command: &str| {
        let input = ToolInput::parse(&format!("{{\"command\":\"{command}\"}}")).unwrap();
        Event::pre_tool_use("quick", input, project.directory.path()).with_session_id("s")
    };
    // It is cancelled, lets go, and is the same process.
    let runner = Runner::builder().config(project.config.clone()).grace(LONG).build().unwrap();
    let first = project.show(&runner, "a");
    assert!(first.starts_with("Decided allow "), "{first}");
    assert_eq!(show(&runner.run_blocking(&quick("await"))), "TimedOut - timed out after 0.3 s");
    assert_eq!(project.show(&runner, "b"), first);
    drop(runner);
    // It does not let go, is killed after the grace, and another one is started for one of the next events.
    let grace = Duration::from_millis(10);
    let runner = Runner::builder().config(project.config.clone()).grace(grace).build().unwrap();
    let first = project.show(&runner, "a");
    assert!(first.starts_with("Decided allow "), "{first}");
    assert_eq!(show(&runner.run_blocking(&quick("block"))), "TimedOut - timed out after 0.3 s");
    let until = Instant::now() + LONG;
    loop {
        let shown = project.show(&runner, "c");
        if shown.starts_with("Decided allow ") && shown != first {
            break;
        }
        assert!(Instant::now() < until, "{shown}");
    }
}

#[test]
fn two_modules_are_two_processes_and_one_takes_events_at_the_same_time() {
    if !hookshell_test_support::has("python3") {
        return;
    }
    // Each event of the second module waits for the other one.
    let pair = r#"
import asyncio, os
met = asyncio.Event

async def call(event, ctx):
    global met
    if event.input["command"] == "pid":
        return {"context": str(os.getpid())}
    if isinstance(met, type):
        met = asyncio.Event()
    if event.input["command"] == "first":
        await met.wait()
    else:
        met.set()
    return {"context": "met"}

def register(hooks):
    hooks.on_tool_call(call)
"#;
    let project = Project::new(&[("a.py", pair), ("b.py", pair)]);
    let runner = project.runner();
    let verdict = runner.run_blocking(&project.call("pid"));
    let context = verdict.context().unwrap();
    let pids: Vec<_> = context.lines().collect();
    assert_eq!(pids.len(), 2);
    assert_ne!(pids[0], pids[1]);
    let (one, event) = (runner.clone(), project.call("first"));
    let waiting = std::thread::spawn(move || one.run_blocking(&event).context());
    assert_eq!(runner.run_blocking(&project.call("second")).context().as_deref(), Some("met\nmet"));
    assert_eq!(waiting.join().unwrap().as_deref(), Some("met\nmet"));
}

/// A person who answers the same each time.
struct Person(Arc<Mutex<Vec<String>>>);

impl HookUi for Person {
    async fn select(&self, title: &str, options: &[String]) -> Option<String> {
        self.0.lock().unwrap().push(format!("select {title} {}", options.join(",")));
        options.last().cloned()
    }

    async fn confirm(&self, title: &str, message: &str) -> bool {
        self.0.lock().unwrap().push(format!("confirm {title} {message}"));
        true
    }

    async fn input(&self, title: &str, placeholder: &str) -> Option<String> {
        self.0.lock().unwrap().push(format!("input {title} {placeholder}"));
        Some("typed".to_owned())
    }

    fn notify(&self, message: &str, level: NotifyLevel) {
        self.0.lock().unwrap().push(format!("notify {message} {level:?}"));
    }
}

#[test]
fn a_module_asks_the_person_and_without_one_gets_the_safe_answers() {
    if !hookshell_test_support::has("python3") {
        return;
    }
    let source = r#"
async def call(event, ctx):
    ctx.notify("hello", "warning")
    answers = [
        await ctx.select("which", ["a", "b"]),
        await ctx.confirm("sure", "it is"),
        await ctx.input("name", "you"),
    ]
    return {"context": f"{ctx.has_ui} {answers}"}

def register(hooks):
    hooks.on_tool_call(call)
"#;
    let project = Project::new(&[("ui.py", source)]);
    let verdict = project.runner().run_blocking(&project.call("a"));
    assert_eq!(verdict.context().as_deref(), Some("False [None, False, None]"), "{}", show(&verdict));

    let asked = Arc::new(Mutex::new(Vec::new()));
    let person = Arc::new(Person(Arc::clone(&asked)));
    let runner = Runner::builder().config(project.config.clone()).ui(person).build().unwrap();
    let verdict = runner.run_blocking(&project.call("a"));
    assert_eq!(verdict.context().as_deref(), Some("True ['b', True, 'typed']"));
    assert_eq!(
        *asked.lock().unwrap(),
        ["notify hello Warning", "select which a,b", "confirm sure it is", "input name you"]
    );
}

/// A person who thinks longer than hooks may take.
struct Thinker(Duration);

impl HookUi for Thinker {
    async fn select(&self, _: &str, _: &[String]) -> Option<String> {
        None
    }

    async fn confirm(&self, _: &str, _: &str) -> bool {
        std::thread::sleep(self.0);
        false
    }

    async fn input(&self, _: &str, _: &str) -> Option<String> {
        None
    }

    fn notify(&self, _: &str, _: NotifyLevel) {}
}

#[test]
fn the_time_that_a_person_takes_does_not_count() {
    if !hookshell_test_support::has("python3") {
        return;
    }
    let source = "\
import asyncio
async def call(event, ctx):
    if not await ctx.confirm('sure?', ''):
        if 'slow' in event.input['command']:
            await asyncio.sleep(600)
        return {'decision': 'deny', 'reason': 'the person says no'}
def register(hooks):
    hooks.on_tool_call(call)
";
    let mut project = Project::new(&[("ui.py", source)]);
    let person = |thinks| Arc::new(Thinker(thinks));
    // Loaded first, with all the time that a machine takes for it.
    let timeout = Duration::from_secs(5);
    for hook in project.config.hooks().to_vec() {
        if hook.event == EventKind::PreToolUse {
            let mut quick = hook.clone();
            quick.timeout = timeout;
            let mut config = Config::default();
            let mut load = hook.clone();
            load.event = EventKind::SessionStart;
            config.push(load);
            config.push(quick);
            project.config = config;
        }
    }
    let runner = |thinks| Runner::builder().config(project.config.clone()).ui(person(thinks)).build().unwrap();
    let start = Event::session_start("startup", project.directory.path()).with_session_id("s");

    let slow = runner(timeout + Duration::from_secs(2));
    slow.run_blocking(&start);
    assert_eq!(project.show(&slow, "a"), "Decided deny the person says no");
    // What the module itself takes counts.
    assert_eq!(project.show(&slow, "slow"), "TimedOut - timed out after 5 s");
}

#[test]
fn a_module_runs_programs_as_hooks_are_run() {
    if !hookshell_test_support::has("python3") {
        return;
    }
    let source = r#"
from hookshell import ExecError

async def call(event, ctx):
    done = await ctx.exec("sh", ["-c", "cat a.txt; echo \"$1\" >&2; exit 7", "sh", "two  words"])
    try:
        await ctx.exec("no-such-program-here")
        missing = "found"
    except ExecError as error:
        missing = "not found" in str(error)
    try:
        await ctx.exec("sleep", ["600"], timeout=0.05)
        late = "ended"
    except ExecError as error:
        late = str(error)
    return {"context": f"{done} {missing} {late}"}

def register(hooks):
    hooks.on_tool_call(call)
"#;
    let project = Project::new(&[("exec.py", source)]);
    std::fs::write(project.directory.path().join("a.txt"), "of the project\n").unwrap();
    let verdict = project.runner().run_blocking(&project.call("a"));
    assert_eq!(
        verdict.context().as_deref(),
        Some(r"ExecResult(code=7, stdout='of the project\n', stderr='two  words\n') True timed out"),
        "{}",
        show(&verdict)
    );
}

/// Is there a process of this id?
#[cfg(target_os = "linux")]
fn lives(pid: &str) -> bool {
    // A zombie has ended.
    std::fs::read_to_string(Path::new("/proc").join(pid).join("stat"))
        .is_ok_and(|stat| !stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('Z')))
}

#[cfg(target_os = "linux")]
#[test]
fn modules_and_what_they_started_end_with_the_session_and_with_the_runner() {
    if !hookshell_test_support::has("python3") {
        return;
    }
    let source = r#"
import os, subprocess, time
child = None

def call(event, ctx):
    global child
    child = subprocess.Popen(["sleep", "600"])
    return {"context": [str(os.getpid()), str(child.pid)]}

def register(hooks):
    hooks.on_tool_call(call)
"#;
    let project = Project::new(&[("tree.py", source)]);
    let gone = |pids: &str| {
        let until = Instant::now() + Duration::from_secs(60);
        for pid in pids.lines() {
            while lives(pid) {
                assert!(Instant::now() < until, "{pid} lives on");
                std::thread::sleep(Duration::from_millis(10));
            }
        }
    };
    let runner = project.runner();
    let pids = runner.run_blocking(&project.call("a")).context().unwrap();
    assert!(pids.lines().count() == 2 && pids.lines().all(lives), "{pids}");
    runner.end_session("s");
    gone(&pids);
    let pids = runner.run_blocking(&project.call("a")).context().unwrap();
    drop(runner);
    gone(&pids);
}

#[test]
fn a_hook_file_of_the_design_runs_as_it_is() {
    if !hookshell_test_support::has("python3") {
        return;
    }
    let source = r#"
from rollouts.hooks import HookAPI, ToolCallEvent, HookContext, BlockToolResult
import re

DANGEROUS = [r"\brm\s+(-rf?|--recursive)", r"\bsudo\b"]

async def check_dangerous(event: ToolCallEvent, ctx: HookContext) -> BlockToolResult | None:
    if event.tool_name != "bash":
        return None

    command = event.input.get("command", "")
    if any(re.search(p, command, re.I) for p in DANGEROUS):
        if not ctx.has_ui:
            return BlockToolResult(reason="Dangerous command blocked")
        if not await ctx.confirm("Dangerous command", command):
            return BlockToolResult(reason="Blocked by user")
    return None

def register(hooks: HookAPI) -> None:
    hooks.on_tool_call(check_dangerous)
"#;
    let source = source.replace(" -> BlockToolResult | None", "");
    let project = Project::new(&[("permission_gate.py", &source)]);
    let runner = project.runner();
    assert_eq!(project.show(&runner, "rm -rf /"), "Decided deny Dangerous command blocked");
    assert_eq!(project.show(&runner, "ls"), "NoOpinion - -");
    let asked = Arc::new(Mutex::new(Vec::new()));
    let person = Arc::new(Person(Arc::clone(&asked)));
    let runner = Runner::builder().config(project.config.clone()).ui(person).build().unwrap();
    assert_eq!(project.show(&runner, "sudo ls"), "NoOpinion - -");
    assert_eq!(*asked.lock().unwrap(), ["confirm Dangerous command sudo ls"]);
}

#[test]
fn the_example_of_the_readme_gates() {
    if !hookshell_test_support::has("python3") {
        return;
    }
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../sdk/python/README.md");
    let readme = std::fs::read_to_string(readme).unwrap().replace("\r\n", "\n");
    let (_, rest) = readme.split_once("```python\n").unwrap();
    let (source, _) = rest.split_once("```").unwrap();
    let project = Project::new(&[("gate.py", source)]);
    let runner = project.runner();
    assert_eq!(project.show(&runner, "sudo ls"), "Decided deny Dangerous command blocked");
    assert_eq!(project.show(&runner, "ls"), "NoOpinion - -");
}
