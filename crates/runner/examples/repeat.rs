//! Runs a hook many times through a `Runner`, as an agent does before every tool call, and prints the last verdict, or
//! with a number of hooks as many at once, and then the decision and the peak of the resident memory in kB (0 where the
//! system does not tell it): what `cargo xtask bench` times. A script for a shell (`./guard.sh`) runs in process.
//!
//! ```text
//! cargo run --release -p hookshell-runner --example repeat -- COUNT HOOK [TOOL_INPUT [HOOKS]]
//! ```

use std::error::Error;

use hookshell_runner::{Config, Event, Runner, ToolInput};

#[allow(clippy::print_stdout, reason = "an example program")]
fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(count), Some(hook)) = (args.next(), args.next()) else {
        return Err("usage: repeat COUNT HOOK [TOOL_INPUT [HOOKS]]".into());
    };
    let input = args.next().unwrap_or_else(|| r#"{"command":"ls"}"#.into());
    let hooks = args.next().map(|text| text.parse::<u32>()).transpose()?;
    // Each is another one: equal hooks would be run once.
    let all: Vec<_> = match hooks {
        None => vec![serde_json::json!({ "command": hook })],
        Some(hooks) => (0..hooks).map(|n| serde_json::json!({ "command": format!("n={n}; {hook}") })).collect(),
    };
    let text = serde_json::json!({ "hooks": { "shell_scripts": "in-process", "PreToolUse": all } }).to_string();
    let runner = Runner::builder().config(Config::parse(&text, "bench")?).build()?;
    let event = Event::pre_tool_use("bash", ToolInput::parse(&input)?, std::env::current_dir()?);
    let mut verdict = runner.run_blocking(&event);
    for _ in 1..count.parse::<u32>()? {
        verdict = runner.run_blocking(&event);
    }
    if hooks.is_none() {
        println!("{}", verdict.to_json());
        return Ok(());
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0");
    println!("{:?} {}", verdict.opinion.decision, peak.trim().trim_end_matches(" kB"));
    Ok(())
}
