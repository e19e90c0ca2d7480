//! Hooks: one command string through the dispatcher, and events through a runner.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput};
use hookshell_dispatch::{Command, Dispatcher, Invocation};
use hookshell_runner::{Config, Decision, Event, Runner, ToolInput};
use serde_json::json;

const ALLOW: &str = r#"echo '{"decision":"allow"}'"#;

pub(crate) fn benches(criterion: &mut Criterion) {
    let cwd = std::env::temp_dir();
    criterion.bench_function("dispatch/inline allow", |bencher| {
        let dispatcher = Dispatcher::new();
        let invocation = Invocation::new(Command::source(ALLOW), &cwd);
        bencher.iter(|| {
            let outcome = dispatcher.run(black_box(invocation.clone()));
            assert_eq!(outcome.stdout, b"{\"decision\":\"allow\"}\n");
        });
    });
    let event = Event::pre_tool_use("bash", ToolInput::parse(r#"{"command":"ls"}"#).unwrap(), &cwd);
    let mut group = criterion.benchmark_group("runner");
    for hooks in [1_u64, 10, 100] {
        // Equal hooks would be run once.
        let all: Vec<_> = (0..hooks).map(|n| json!({ "command": format!("n={n}; {ALLOW}") })).collect();
        let text = json!({ "hooks": { "PreToolUse": all } }).to_string();
        let runner = Runner::builder().config(Config::parse(&text, "bench").unwrap()).build().unwrap();
        group.throughput(Throughput::Elements(hooks));
        group.bench_function(BenchmarkId::new("hooks", hooks), |bencher| {
            bencher.iter(|| assert_eq!(runner.run_blocking(black_box(&event)).opinion.decision, Some(Decision::Allow)));
        });
    }
    group.finish();
}
