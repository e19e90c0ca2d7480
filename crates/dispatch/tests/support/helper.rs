//! A program for tests. What it does says the variable HELPER, so that its arguments are all free:
//!
//! - unset: prints its arguments, each ended by a NUL;
//! - `exit N`: ends with that status;
//! - `cat`: copies standard input to standard output;
//! - `sleep`: sleeps a minute;
//! - `tree FILE`: starts itself as `sleep`, writes both process ids to FILE, and sleeps;
//! - `hold`: starts itself as `sleep`, which keeps our standard output open, prints `done` and ends;
//! - `var NAME`: prints that variable.

use std::io::{self, Read, Write};
use std::process::{Command, ExitCode};
use std::time::Duration;

fn main() -> io::Result<ExitCode> {
    let helper = std::env::var("HELPER").unwrap_or_default();
    let (what, operand) = helper.split_once(' ').unwrap_or((&helper, ""));
    let mut stdout = io::stdout().lock();
    match what {
        "exit" => return Ok(ExitCode::from(operand.parse().unwrap_or(99))),
        "cat" => {
            let mut input = Vec::new();
            io::stdin().lock().read_to_end(&mut input)?;
            stdout.write_all(&input)?;
        }
        "sleep" => std::thread::sleep(Duration::from_secs(60)),
        "tree" => {
            let child = Command::new(std::env::current_exe()?).env("HELPER", "sleep").spawn()?;
            std::fs::write(operand, format!("{} {}", std::process::id(), child.id()))?;
            std::thread::sleep(Duration::from_secs(60));
        }
        "hold" => {
            Command::new(std::env::current_exe()?).env("HELPER", "sleep").spawn()?;
            stdout.write_all(b"done\n")?;
        }
        "var" => {
            let value = std::env::var_os(operand).unwrap_or_default();
            stdout.write_all(value.as_encoded_bytes())?;
        }
        _ => {
            for argument in std::env::args_os() {
                stdout.write_all(argument.as_encoded_bytes())?;
                stdout.write_all(&[0])?;
            }
        }
    }
    stdout.flush()?;
    Ok(ExitCode::SUCCESS)
}
