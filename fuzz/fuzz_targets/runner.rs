//! The whole runner: a config, an event's payload and what the hooks give, all from the fuzzer's bytes.
//!
//! No input starts a program, runs shell code or touches a file: commands are not run, their answers are the fuzzer's
//! (`RunnerBuilder::answers`); models and sub-agents are fakes; hooks that are Python modules, which the runner starts by
//! itself, and those of Claude Code that get a file for the session's variables are left out. (Paths of
//! `context_files` are looked up, and never read.)
#![no_main]

use std::time::{Duration, Instant};

use hookshell_runner::fuzzing::ScriptedResponse;
use hookshell_runner::{
    AnySubagent, Config, Decision, Dialect, EventKind, Event, HookKind, HookOutcome, LlmClient, LlmError, LlmReply, LlmRequest,
    PayloadDefaults, Runner, Subagent, SubagentError, SubagentFactory, SubagentTask,
};
use libfuzzer_sys::fuzz_target;

/// Longer than a run takes in which nothing waits for more than its hooks' timeouts, which are cut to [`TIMEOUT`].
const MAX_WAIT: Duration = Duration::from_secs(20);

/// The longest that a hook may take: one that never answers takes it.
const TIMEOUT: Duration = Duration::from_millis(20);

/// Says the same whatever it is asked.
#[derive(Clone)]
struct Says(String);

impl LlmClient for Says {
    async fn complete(&self, _: &LlmRequest) -> Result<LlmReply, LlmError> {
        Ok(LlmReply::text(self.0.clone()))
    }
}

impl SubagentFactory for Says {
    fn create(&self, _: SubagentTask) -> Result<Box<dyn AnySubagent>, SubagentError> {
        Ok(Box::new(self.clone()))
    }
}

impl Subagent for Says {
    async fn run(&mut self) -> Result<String, SubagentError> {
        Ok(self.0.clone())
    }
}

const DIALECTS: [Dialect; 6] =
    [Dialect::Native, Dialect::Claude, Dialect::Codex, Dialect::Gemini, Dialect::Cursor, Dialect::Copilot];

/// Files whose names say by whose rules they are read.
const FILES: [&str; 5] = ["crush.json", ".claude/settings.json", ".cursor/hooks.json", ".gemini/settings.json", "x.toml"];

// DIALECT FILE config NUL payload NUL (END STATUS stdout 0x01 stderr NUL)…
fuzz_target!(|input: &[u8]| {
    let [dialect, file, rest @ ..] = input else { return };
    let mut parts = rest.split(|&byte| byte == 0);
    let (Some(config), Some(payload)) = (parts.next(), parts.next()) else { return };
    let Ok(text) = std::str::from_utf8(config) else { return };
    let dialect = DIALECTS.get(usize::from(*dialect) % (DIALECTS.len() + 1)).copied();
    let mut read = Config::in_dialect(dialect);
    let errors = read.add(text, FILES[usize::from(*file) % FILES.len()]);
    for error in &errors {
        assert!(!error.to_string().is_empty());
    }
    let mut config = Config::default();
    for hook in read.hooks() {
        let has_file = hook.dialect == Dialect::Claude
            && matches!(
                hook.event,
                EventKind::SessionStart | EventKind::Setup | EventKind::CwdChanged | EventKind::FileChanged
            );
        if !has_file && !matches!(hook.kind, HookKind::Module(_)) {
            config.push(hook.clone());
        }
    }
    let defaults = PayloadDefaults {
        event: config.hooks().first().map(|hook| hook.event).filter(|_| file & 0x80 != 0),
        cwd: "/nowhere".into(),
        ..PayloadDefaults::default()
    };
    let event = match Event::from_payload(payload, &defaults) {
        Ok(event) => event,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    let answers: Vec<ScriptedResponse> = parts.filter_map(answer).take(16).collect();
    let says = Says(answers.first().map(|first| String::from_utf8_lossy(&first.stdout).into_owned()).unwrap_or_default());
    let runner = Runner::builder()
        .config(config)
        .env([("PATH".into(), "/bin".into())])
        .grace(Duration::from_millis(1))
        .max_timeout(TIMEOUT)
        .llm_client(says.clone())
        .subagents(says)
        .answers(answers)
        .build()
        .expect("the defaults are good");
    let most = runner.hooks_for(&event).count();
    // The second run of a session: hooks that run once have run, and variables are set.
    for _ in 0..2 {
        check(&runner, &event, most);
    }
});

fn answer(part: &[u8]) -> Option<ScriptedResponse> {
    let [end, status, text @ ..] = part else { return None };
    let (stdout, stderr) = match text.iter().position(|&byte| byte == 1) {
        Some(at) => (&text[..at], &text[at + 1..]),
        None => (text, &[][..]),
    };
    // Most bytes are the usual end: an exit with 0, 2 or 49.
    let end = if *end >= 0x30 { 0 } else { *end };
    let status = match status {
        b'0' => 0,
        b'2' => 2,
        b'4' => 49,
        other => *other,
    };
    Some(ScriptedResponse { end, status, stdout: stdout.to_vec(), stderr: stderr.to_vec(), is_cut: text.last() == Some(&b'!') })
}

fn check(runner: &Runner, event: &Event, most: usize) {
    let start = Instant::now();
    let verdict = runner.run_blocking(event);
    assert!(start.elapsed() < MAX_WAIT, "it took {:?}", start.elapsed());
    assert!(verdict.hooks.len() <= most, "{} results of {most} hooks", verdict.hooks.len());
    assert!(matches!(verdict.exit_code(), 0 | 2 | 49), "{}", verdict.exit_code());
    let json: serde_json::Value = serde_json::from_str(&verdict.to_json()).expect("the verdict is JSON");
    assert_eq!(json["hooks"].as_array().map(Vec::len), Some(verdict.hooks.len()));
    for hook in &verdict.hooks {
        let has_reason = hook.opinion.reason.as_ref().is_some_and(|reason| !reason.is_empty());
        assert!(!matches!(hook.outcome, HookOutcome::Failed(_)) || has_reason, "no reason: {hook:?}");
        assert!(!matches!(hook.outcome, HookOutcome::Untrusted), "nobody asked for trust: {hook:?}");
    }
    let denies = verdict.hooks.iter().any(|hook| hook.opinion.decision == Some(Decision::Deny));
    assert!(!denies || verdict.opinion.decision == Some(Decision::Deny), "a deny was lost: {verdict:?}");
    let halts = verdict.hooks.iter().any(|hook| hook.opinion.halt);
    assert!(!halts || verdict.opinion.halt, "a halt was lost: {verdict:?}");
    if verdict.opinion.halt || verdict.opinion.decision == Some(Decision::Deny) {
        assert!(verdict.updated_input().is_none() && verdict.opinion.updated_prompt.is_none(), "updates of a blocked call");
    }
    for dialect in DIALECTS {
        let rendered = verdict.render(dialect);
        let is_json = serde_json::from_str::<serde_json::Value>(&rendered.stdout).is_ok();
        assert!(is_json || rendered.stdout.is_empty(), "{dialect:?}: {rendered:?}");
    }
}
