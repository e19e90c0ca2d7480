//! What the tests start: one small program that does what its first argument says, the same on every system.
//!
//! It is an interpreter too: `helper [--flag…] FILE [ARG…]` does what the lines of FILE below its `#!` line say, where
//! `$1` to `$9` are the arguments. Nothing here starts anything but two fixed actions, and nothing lives longer than
//! [`LIFETIME`]: whatever a test does wrong, no process is left behind and none can multiply.
#![allow(clippy::print_stdout, clippy::exit, reason = "a program for tests, not a library")]

use std::env;
use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::process::{Command, Stdio, exit};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The longest that this program lives.
const LIFETIME: Duration = Duration::from_secs(60);

fn main() {
    let words: Vec<String> = env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let done = match script(&words) {
        Some((text, args)) => text
            .lines()
            .skip(1)
            .map(|line| line.split_ascii_whitespace().map(|word| substitute(word, args)).collect::<Vec<_>>())
            .filter(|line| !line.is_empty())
            .try_for_each(|line| act(&line, &words)),
        None => act(&words, &words),
    };
    if let Err(error) = done {
        let _ = writeln!(io::stderr(), "test helper: {error}");
        exit(98);
    }
}

/// The script that the words name, and its arguments.
fn script(words: &[String]) -> Option<(String, &[String])> {
    let at = words.iter().position(|word| !word.starts_with("--"))?;
    let text = fs::read_to_string(&words[at]).ok()?;
    text.starts_with("#!").then(|| (text, &words[at + 1..]))
}

fn substitute(word: &str, args: &[String]) -> String {
    match word.strip_prefix('$').and_then(|number| number.parse::<usize>().ok()) {
        Some(number) => args.get(number.wrapping_sub(1)).cloned().unwrap_or_default(),
        None => word.to_owned(),
    }
}

fn act(line: &[String], words: &[String]) -> io::Result<()> {
    let Some((action, rest)) = line.split_first() else {
        return Ok(());
    };
    let text = |index: usize| rest.get(index).map_or("", String::as_str);
    let number = |index: usize| text(index).parse::<u64>().map_err(io::Error::other);
    let mut out = io::stdout();
    match &**action {
        // The arguments, one a line in brackets: those of the interpreter where a script says it.
        "args" => {
            let shown = if rest.is_empty() && words.first() != Some(action) { words } else { rest };
            shown.iter().try_for_each(|word| writeln!(out, "[{word}]"))
        }
        "env" => writeln!(out, "{}", env::var_os(text(0)).map_or("unset".into(), |v| v.to_string_lossy().into_owned())),
        "cwd" => writeln!(out, "{}", env::current_dir()?.display()),
        // Ends with that code, what else is given is written to standard error.
        "exit" => {
            if rest.len() > 1 {
                writeln!(io::stderr(), "{}", rest[1..].join(" "))?;
            }
            out.flush()?;
            exit(text(0).parse().unwrap_or(99))
        }
        "say" => writeln!(out, "{}", rest.join(" ")),
        "err" => writeln!(io::stderr(), "{}", rest.join(" ")),
        "cat-stdin" => io::copy(&mut io::stdin(), &mut out).map(drop),
        // The files' contents, one after the other.
        "cat" => rest.iter().try_for_each(|file| io::copy(&mut fs::File::open(file)?, &mut out).map(drop)),
        "ignore-stdin" => writeln!(out, "ignored"),
        // How many bytes standard input has.
        "count" => io::copy(&mut io::stdin(), &mut io::sink()).and_then(|count| writeln!(out, "{count}")),
        // The first bytes of standard input only.
        "first" => {
            let mut bytes = vec![0; usize::try_from(number(0)?).map_err(io::Error::other)?];
            unbuffered_stdin()?.read_exact(&mut bytes)?;
            out.write_all(&bytes)
        }
        "zeros" => io::copy(&mut io::repeat(0).take(number(0)?), &mut out).map(drop),
        "yes" => until_the_end(Duration::ZERO, || out.write_all(b"y\n")),
        "sleep" => {
            sleep(LIFETIME.min(Duration::from_millis(number(0)?)));
            Ok(())
        }
        "touch" => fs::write(text(0), "touched\n"),
        // Writes into a file again and again: shows whether it is still alive.
        "tick" => tick(text(0)),
        // Writes a file after so many milliseconds: shows whether it was still alive then.
        "late" => {
            sleep(LIFETIME.min(Duration::from_millis(number(1)?)));
            fs::write(text(0), "late\n")
        }
        // Ticks into the first file while a child of its own ticks into the second: "spawn-orphan" ends at once.
        "spawn-grandchild" => spawn(&["tick", text(1)]).and_then(|()| tick(text(0))),
        "spawn-orphan" => spawn(&["tick", text(0)]),
        other => Err(io::Error::other(format!("what is {other:?}?"))),
    }
}

/// Starts this program again: only ever with an action that starts nothing.
fn spawn(words: &[&str; 2]) -> io::Result<()> {
    let mut command = Command::new(env::current_exe()?);
    // It keeps the output open, as a careless hook's children do.
    command.args(words).stdin(Stdio::null()).spawn().map(drop)
}

/// Standard input without the standard library's buffer: what is not read stays for others.
fn unbuffered_stdin() -> io::Result<fs::File> {
    #[cfg(unix)]
    let own = std::os::fd::AsFd::as_fd(&io::stdin()).try_clone_to_owned()?;
    #[cfg(windows)]
    let own = std::os::windows::io::AsHandle::as_handle(&io::stdin()).try_clone_to_owned()?;
    Ok(own.into())
}

fn tick(file: &str) -> io::Result<()> {
    until_the_end(Duration::from_millis(20), || {
        OpenOptions::new().create(true).append(true).open(file).and_then(|mut file| file.write_all(b"tick\n"))
    })
}

fn until_the_end(pause: Duration, mut turn: impl FnMut() -> io::Result<()>) -> io::Result<()> {
    let end = Instant::now() + LIFETIME;
    while Instant::now() < end {
        turn()?;
        sleep(pause);
    }
    Ok(())
}
