//! What the tests of this package start: one small program that shows what it was given, and can be told to behave badly.
//!
//! The first argument says what to do; without one it does nothing.
#![allow(clippy::print_stdout, clippy::exit, reason = "a program for tests, not a library")]

use std::env;
use std::fs;
use std::io::{self, Read, Write};
use std::process::{Command, Stdio, exit};
use std::thread::sleep;
use std::time::Duration;

fn main() {
    let mut arguments = env::args_os();
    let name = arguments.next().unwrap_or_default();
    let Some(action) = arguments.next() else {
        return;
    };
    let rest: Vec<_> = arguments.collect();
    let text = |index: usize| rest.get(index).map(|value| value.to_string_lossy().into_owned()).unwrap_or_default();
    let result = match action.to_str().unwrap_or_default() {
        // Its arguments, `argv[0]` first, one a line, in debug form.
        "argv" => std::iter::once(&name).chain(&rest).try_for_each(|value| writeln!(io::stdout(), "{value:?}")),
        // Its environment, in the order the system has it.
        "env" => env::vars_os().try_for_each(|(name, value)| writeln!(io::stdout(), "{name:?}={value:?}")),
        "cwd" => env::current_dir().and_then(|path| writeln!(io::stdout(), "{}", path.display())),
        "cat" => io::copy(&mut io::stdin(), &mut io::stdout()).map(drop),
        "echo" => writeln!(io::stdout(), "{}", text(0)).and_then(|()| writeln!(io::stderr(), "{}", text(1))),
        "exit" => exit(text(0).parse().unwrap_or(99)),
        // Sleeps that many seconds, after it said that it lives.
        "sleep" => {
            let said = io::stdout().write_all(b"ready\n").and_then(|()| io::stdout().flush());
            sleep(Duration::from_secs_f64(text(0).parse().unwrap_or(0.0)));
            said
        }
        // Writes "tick" to a file forever: shows whether it is still alive.
        "tick" => loop {
            if let Err(error) = fs::OpenOptions::new()
                .create(true)
                .append(true)
                .open(text(0))
                .and_then(|mut file| file.write_all(b"tick\n"))
            {
                break Err(error);
            }
            sleep(Duration::from_millis(20));
        },
        // Starts this program again with the remaining arguments, and waits for it ("parent") or not ("orphan").
        kind @ ("parent" | "orphan") => env::current_exe().and_then(|program| {
            let mut command = Command::new(program);
            command.args(&rest).stdin(Stdio::null());
            let mut child = command.spawn()?;
            if kind == "parent" { child.wait().map(drop) } else { Ok(()) }
        }),
        "yes" => loop {
            if let Err(error) = io::stdout().write_all(b"y\n") {
                break Err(error);
            }
        },
        "read" => {
            let mut buffer = vec![0; text(0).parse().unwrap_or(0)];
            io::stdin().read_exact(&mut buffer)
        }
        #[cfg(target_os = "linux")]
        "linux" => linux(&text(0)),
        other => Err(io::Error::other(format!("what is {other:?}?"))),
    };
    if let Err(error) = result {
        let _ = writeln!(io::stderr(), "test helper: {error}");
        exit(98);
    }
}

/// What `/proc` says about this process: its process group, open descriptors, signal state and umask.
#[cfg(target_os = "linux")]
fn linux(what: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match what {
        // Signal mask and ignored signals, umask, process group.
        "status" => {
            let status = fs::read_to_string("/proc/self/status")?;
            for line in status
                .lines()
                .filter(|line| ["SigBlk:", "SigIgn:", "SigPnd:", "Umask:"].iter().any(|field| line.starts_with(field)))
            {
                writeln!(out, "{line}")?;
            }
            Ok(())
        }
        // Open descriptors and what they are; the one that lists them is not among them.
        "fds" => {
            let mut fds: Vec<(i32, String)> = fs::read_dir("/proc/self/fd")?
                .filter_map(|entry| {
                    let path = entry.ok()?.path();
                    let target = fs::read_link(&path).ok()?;
                    Some((path.file_name()?.to_str()?.parse().ok()?, target.display().to_string()))
                })
                .filter(|(_, target)| !(target.starts_with("/proc/") && target.ends_with("/fd")))
                .collect();
            fds.sort();
            fds.iter().try_for_each(|(fd, target)| writeln!(out, "{fd} {target}"))
        }
        "group" => {
            let stat = fs::read_to_string("/proc/self/stat")?;
            let after_name = stat.rsplit(") ").next().unwrap_or_default();
            writeln!(out, "{}", after_name.split(' ').nth(2).unwrap_or_default())
        }
        other => Err(io::Error::other(format!("what is {other:?}?"))),
    }
}
