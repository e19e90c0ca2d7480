//! Runs one hook many times through a `Runner`, as an agent does before every tool call, and prints the last verdict:
//! what `cargo xtask bench` times.
//!
//! ```text
//! cargo run --release -p hookshell-runner --example repeat -- COUNT HOOK [TOOL_INPUT]
//! ```

use std::error::Error;

use hookshell_runner::{Config, HookEvent, Runner, ToolInput};

#[allow(clippy::print_stdout, reason = "an example program")]
fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(count), Some(hook)) = (args.next(), args.next()) else {
        return Err("usage: repeat COUNT HOOK [TOOL_INPUT]".into());
    };
    let input = args.next().unwrap_or_else(|| r#"{"command":"ls"}"#.into());
    let text = serde_json::json!({ "hooks": { "PreToolUse": [{ "command": hook }] } }).to_string();
    let runner = Runner::builder().config(Config::parse(&text, "bench")?).build()?;
    let event = HookEvent::pre_tool_use("bash", ToolInput::parse(&input)?, std::env::current_dir()?);
    let mut verdict = runner.run_blocking(&event);
    for _ in 1..count.parse::<u32>()? {
        verdict = runner.run_blocking(&event);
    }
    println!("{}", verdict.to_json());
    Ok(())
}
