use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::tools::Tools;
use super::{AnySubagent, LlmSubagents, Subagent, SubagentError, SubagentFactory, SubagentTask};
use crate::cancel::CancelToken;
use crate::config::{AgentHook, Config, HookConfig, HookKind};
use crate::decision::Decision;
use crate::event::Event;
use crate::event_kind::EventKind;
use crate::llm::{LlmClient, LlmError, LlmMessage, LlmReply, LlmRequest};
use crate::runner::{Runner, RunnerBuilder};
use crate::tool_input::ToolInput;
use crate::verdict::Verdict;
use hookshell_dispatch::Environment;

fn run(dir: &Path, hook: AgentHook, timeout: Duration, set_up: impl FnOnce(RunnerBuilder) -> RunnerBuilder) -> Verdict {
    let mut config = Config::default();
    let mut hook = HookConfig::of_kind(EventKind::PreToolUse, HookKind::Agent(hook));
    hook.timeout = timeout;
    config.push(hook);
    let runner = set_up(Runner::builder().config(config).env(Environment::new())).build().unwrap();
    let event = Event::pre_tool_use("bash", ToolInput::default(), dir).with_session_id("s");
    runner.run_blocking(&event)
}

fn show(verdict: &Verdict) -> String {
    let hook = &verdict.hooks[0];
    let decision = hook.opinion.decision.map_or("-", Decision::as_str);
    format!("{} {decision} {}", hook.outcome.as_str(), hook.opinion.reason.as_deref().unwrap_or("-"))
}

const LONG: Duration = Duration::from_secs(60);

/// A host's own agent, which does what its word says, and tells what is done to it.
struct Host(&'static str, Arc<Mutex<Vec<String>>>);

struct Agent(&'static str, Arc<Mutex<Vec<String>>>, SubagentTask);

impl SubagentFactory for Host {
    fn create(&self, task: SubagentTask) -> Result<Box<dyn AnySubagent>, SubagentError> {
        if self.0 == "none" {
            return Err(SubagentError::Other("no agent to spare".to_owned()));
        }
        self.1.lock().unwrap().push(format!("{} {} {}", task.tools.join(","), task.max_turns, task.session_id));
        Ok(Box::new(Agent(self.0, Arc::clone(&self.1), task)))
    }
}

impl Subagent for Agent {
    async fn run(&mut self) -> Result<String, SubagentError> {
        assert!(self.2.prompt.contains("Your task:\nlook\n\nThe event:\n{\"event\":"));
        match self.0 {
            "hang" => {
                std::future::pending::<()>().await;
                Ok("ALLOW".to_owned())
            }
            "block" => {
                let (sender, receiver) = std::sync::mpsc::channel();
                let _guard = self.2.cancel.on_cancel(move || sender.send(()).unwrap());
                receiver.recv_timeout(LONG).unwrap();
                Err(SubagentError::Other("woken".to_owned()))
            }
            "panic" => panic!("an agent's own"),
            "model" => Err(LlmError::Other("no key".to_owned()).into()),
            "turns" => Err(SubagentError::TooManyTurns(3)),
            word => Ok(word.to_owned()),
        }
    }

    fn clean_up(&mut self) {
        self.1.lock().unwrap().push("cleaned up".to_owned());
    }
}

#[test]
fn a_sub_agent_is_cleaned_up_however_it_ends() {
    let cases = [
        ("I looked.\nDENY: it is bad", "Decided deny it is bad"),
        ("ALLOW", "Decided allow -"),
        (
            "I would ALLOW it.",
            "BadAnswer - the model's answer is no decision: its last line does not begin with ALLOW or DENY",
        ),
        ("hang", "TimedOut - timed out after 0.02 s"),
        ("block", "TimedOut - timed out after 0.02 s"),
        ("panic", "Panicked - internal error: a thread panicked"),
        ("model", "Model - the model gave no answer: no key"),
        ("turns", "LimitExceeded - reached a limit: no answer after 3 turns"),
        ("none", "Subagent - the sub-agent failed: no agent to spare"),
    ];
    let dir = tempfile::tempdir().unwrap();
    for (word, expected) in cases {
        let log = Arc::new(Mutex::new(Vec::new()));
        let host = Host(word, Arc::clone(&log));
        let timeout = if matches!(word, "hang" | "block") { Duration::from_millis(20) } else { LONG };
        let verdict = run(dir.path(), AgentHook::new("look"), timeout, |runner| runner.subagents(host));
        assert_eq!(show(&verdict), expected);
        if word == "none" {
            continue;
        }
        // One that is not waited for any more is cleaned up when it has ended, on its own thread.
        let until = Instant::now() + LONG;
        while log.lock().unwrap().len() < 2 && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(*log.lock().unwrap(), ["read,glob,grep 10 s", "cleaned up"], "{word}");
    }
}

/// A model that goes through its messages, and keeps the last chat.
struct Script(Mutex<Vec<LlmReply>>, Mutex<Vec<LlmMessage>>, Mutex<Vec<String>>);

impl LlmClient for Script {
    async fn complete(&self, request: &LlmRequest) -> Result<LlmReply, LlmError> {
        *self.1.lock().unwrap() = request.messages.clone();
        *self.2.lock().unwrap() = request.tools.iter().map(|tool| tool.name.clone()).collect();
        let mut replies = self.0.lock().unwrap();
        // The last one is given again and again.
        Ok(if replies.len() > 1 { replies.remove(0) } else { replies[0].clone() })
    }
}

fn script(replies: Vec<LlmReply>) -> Arc<Script> {
    Arc::new(Script(Mutex::new(replies), Mutex::default(), Mutex::default()))
}

#[test]
fn the_bundled_sub_agent_calls_tools_until_the_model_decides() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a.txt"), "one\ntwo\n").unwrap();
    let client = script(vec![
        LlmReply::default().with_call("1", "read", r#"{"path":"a.txt"}"#).with_call(
            "2",
            "grep",
            r#"{"pattern":"t.o"}"#,
        ),
        LlmReply::text("Bad.\nDENY two is one too many"),
    ]);
    let mut hook = AgentHook::new("look");
    hook.tools = vec!["read".to_owned(), "bash".to_owned()];
    let verdict = run(dir.path(), hook, LONG, |runner| runner.llm_client(Arc::clone(&client)));
    assert_eq!(show(&verdict), "Decided deny two is one too many");
    assert_eq!(verdict.hooks[0].route.as_deref(), Some("agent to the default model"));
    assert_eq!(*client.2.lock().unwrap(), ["read"]);
    let chat = client.1.lock().unwrap();
    assert_eq!(
        chat[2..],
        [
            LlmMessage::ToolResult { id: "1".to_owned(), content: "1\tone\n2\ttwo\n".to_owned() },
            LlmMessage::ToolResult { id: "2".to_owned(), content: "error: there is no tool `grep`".to_owned() },
        ]
    );
}

#[test]
fn an_answer_that_was_cut_off_may_deny_and_never_allows() {
    let dir = tempfile::tempdir().unwrap();
    let cut = |text: &str| {
        let client = script(vec![LlmReply { is_cut: true, ..LlmReply::text(text) }]);
        show(&run(dir.path(), AgentHook::new("look"), LONG, |runner| runner.llm_client(client)))
    };
    assert_eq!(cut("DENY: it writes to"), "Decided deny it writes to");
    let expected = "Model - the model gave no answer: the answer was cut off";
    assert_eq!(cut("ALLOW"), expected);
    assert_eq!(cut("I think"), expected);
}

#[test]
fn a_model_that_never_decides_runs_out_of_turns() {
    let dir = tempfile::tempdir().unwrap();
    let client = script(vec![LlmReply::default().with_call("1", "glob", r#"{"pattern":"*"}"#)]);
    let mut hook = AgentHook::new("look");
    hook.max_turns = 3;
    let verdict = run(dir.path(), hook, LONG, |runner| runner.subagents(LlmSubagents::new(client)));
    assert_eq!(show(&verdict), "LimitExceeded - reached a limit: no answer after 3 turns");
}

fn tools(root: &Path) -> Tools {
    Tools::new(&SubagentTask {
        prompt: String::new(),
        model: None,
        tools: ["read", "glob", "grep"].map(str::to_owned).into(),
        max_turns: 1,
        project_dir: root.to_owned(),
        session_id: String::new(),
        deadline: Instant::now() + LONG,
        cancel: CancelToken::new(),
    })
    .unwrap()
}

#[test]
fn tools_see_the_project_and_nothing_else() {
    let outer = tempfile::tempdir().unwrap();
    let root = outer.path().join("project");
    std::fs::create_dir_all(root.join("src/.git")).unwrap();
    std::fs::write(outer.path().join("secret"), "secret\n").unwrap();
    std::fs::write(root.join("src/a.rs"), "fn a() {}\r\nfn Secret() {}\n").unwrap();
    std::fs::write(root.join("src/.git/config"), "secret\n").unwrap();
    std::fs::write(root.join("b.bin"), b"secret\0\n").unwrap();
    let tools = tools(&root);
    let secret = outer.path().join("secret");
    let absolute = format!("{{\"path\":{}}}", serde_json::to_string(&secret).unwrap());
    let cases = [
        ("read", r#"{"path":"src/a.rs"}"#, "1\tfn a() {}\n2\tfn Secret() {}\n"),
        ("read", r#"{"path":"./src/../src/a.rs","offset":2,"limit":1}"#, "2\tfn Secret() {}\n"),
        ("read", r#"{"path":"src/a.rs","offset":9}"#, "[no lines]"),
        ("read", r#"{"path":"b.bin"}"#, "error: b.bin: not a text"),
        ("read", r#"{"path":"src"}"#, "error: src: not a file"),
        ("read", r#"{"path":"../secret"}"#, "error: ../secret: outside of the project"),
        ("read", r#"{"path":"../none"}"#, "error: ../none: outside of the project"),
        ("read", &absolute, "outside of the project"),
        ("read", "[1", "error: the arguments are wrong: "),
        ("glob", r#"{"pattern":"*.rs"}"#, "src/a.rs\n"),
        ("glob", r#"{"pattern":"*","path":"src"}"#, "src/a.rs\n"),
        ("glob", r#"{"pattern":"*","path":".."}"#, "error: ..: outside of the project"),
        ("glob", r#"{"pattern":"*.py"}"#, "[no files]"),
        ("grep", r#"{"pattern":"secret"}"#, "[no matches]"),
        ("grep", r#"{"pattern":"secret","ignore_case":true,"glob":"*.rs"}"#, "src/a.rs:2:fn Secret() {}\n"),
        ("grep", r#"{"pattern":"^fn a","path":"src/a.rs"}"#, "src/a.rs:1:fn a() {}\n"),
        ("grep", r#"{"pattern":"("}"#, "error: regex parse error"),
        ("bash", "{}", "error: there is no tool `bash`"),
    ];
    for (tool, arguments, expected) in cases {
        let given = tools.call(tool, arguments);
        assert!(given == expected || expected.len() > 12 && given.contains(expected), "{tool} {arguments}: {given}");
    }
}

#[cfg(unix)]
#[test]
fn links_lead_nowhere_outside_and_what_blocks_is_not_opened() {
    use std::os::unix::fs::symlink;

    let outer = tempfile::tempdir().unwrap();
    let root = outer.path().join("project");
    std::fs::create_dir_all(root.join("src")).unwrap();
    std::fs::create_dir(outer.path().join("other")).unwrap();
    std::fs::write(outer.path().join("other/secret"), "secret\n").unwrap();
    std::fs::write(root.join("src/a"), "secret of the project\n").unwrap();
    symlink("../other", root.join("directory")).unwrap();
    symlink("../other/secret", root.join("file")).unwrap();
    symlink("src/a", root.join("inner")).unwrap();
    symlink("loop", root.join("loop")).unwrap();
    let tools = tools(&root);
    let cases = [
        ("read", r#"{"path":"file"}"#, "error: file: outside of the project"),
        ("read", r#"{"path":"directory/secret"}"#, "error: directory/secret: outside of the project"),
        ("read", r#"{"path":"inner"}"#, "1\tsecret of the project\n"),
        ("read", r#"{"path":"/dev/zero"}"#, "error: /dev/zero: outside of the project"),
        ("glob", r#"{"pattern":"**"}"#, "src/a\n"),
        ("glob", r#"{"pattern":"*","path":"directory"}"#, "error: directory: outside of the project"),
        ("grep", r#"{"pattern":"secret"}"#, "src/a:1:secret of the project\n"),
    ];
    for (tool, arguments, expected) in cases {
        assert_eq!(tools.call(tool, arguments), expected, "{tool} {arguments}");
    }
    assert!(tools.call("read", r#"{"path":"loop"}"#).starts_with("error: loop: "));
}
