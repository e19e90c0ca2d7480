//! One command line by our utility and by the installed program, side by side.
#![allow(dead_code, clippy::unwrap_used, clippy::print_stdout, reason = "shared by tests; helpers fail the test")]

use std::ffi::OsString;
use std::io::Write;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use hookshell_shell::{
    Args, CancelToken, Environment, FdTable, NoCommands, Stream, UtilityCall, UtilityContext, UtilitySet,
};
use hookshell_utilities::Bundle;

/// Status, standard output, standard error.
pub(crate) type Said = (u8, Vec<u8>, Vec<u8>);

/// Is the program there? Otherwise the test is skipped, or fails where programs are required.
pub(crate) fn is_installed(name: &str, version: &str) -> bool {
    let output = Command::new(name).arg("--version").output();
    let found = output.is_ok_and(|output| output.stdout.starts_with(version.as_bytes()));
    if !found {
        let required = std::env::var_os("REQUIRE_INTERPRETERS").is_some_and(|value| value == "1");
        assert!(!required, "REQUIRE_INTERPRETERS=1, but {version} is not installed");
        println!("skipped: {version} is not installed");
    }
    found
}

pub(crate) fn real(words: &[Vec<u8>], stdin: &[u8], folder: &Path, locale: &str) -> Said {
    let words: Vec<OsString> = words.iter().map(|word| OsString::from_vec(word.clone())).collect();
    let mut child = Command::new(&words[0])
        .args(&words[1..])
        .current_dir(folder)
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("LC_ALL", locale)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let data = stdin.to_vec();
    let writer = std::thread::spawn(move || {
        let _ = input.write_all(&data);
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    (u8::try_from(output.status.code().unwrap()).unwrap(), output.stdout, output.stderr)
}

/// `None`: it is left to the real one.
pub(crate) fn ours(bundle: &Bundle, words: &[Vec<u8>], stdin: &[u8], folder: &Path, locale: &str) -> Option<Said> {
    let utility = bundle.utility(&words[0]).unwrap();
    let argv: Args = words.iter().collect();
    let env: Environment = Arc::new([(OsString::from("LC_ALL"), OsString::from(locale))].into_iter().collect());
    let call = UtilityCall { argv: &argv, env: &env, cwd: folder };
    if utility.accepts(&call).is_err() {
        return None;
    }
    let (stdout, out) = Stream::capture(usize::MAX);
    let (stderr, err) = Stream::capture(usize::MAX);
    let cancel = CancelToken::isolated();
    let mut context = UtilityContext {
        argv: &argv,
        env: &env,
        cwd: folder,
        fds: &FdTable::new(Arc::new(Stream::input(stdin)), Arc::new(stdout), Arc::new(stderr)),
        umask: None,
        cancel: &cancel,
        memory: hookshell_shell::UtilityMemory::default(),
        commands: &NoCommands,
    };
    let status = utility.run(&mut context).unwrap();
    Some((status, out.take(), err.take()))
}

pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// From the environment, or always the same.
    pub(crate) fn new() -> Self {
        Self(std::env::var("RANDOM_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(20_261_122))
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap() % limit
    }

    pub(crate) fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    pub(crate) fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }
}

/// Lines of text: words, blanks, now and then NUL, bytes that are no characters, a long line, no newline at the end.
pub(crate) fn text(random: &mut Random, with_binary: bool) -> Vec<u8> {
    let mut text = Vec::new();
    for _ in 0..random.below(12) {
        if random.chance(40) {
            text.extend(std::iter::repeat_n(b'a', 70_000));
        }
        for _ in 0..random.below(7) {
            let piece: &[u8] = random.pick(&[
                b"a",
                b"b",
                b"ab",
                b"foo",
                b"bar",
                b"_",
                b" ",
                b"  ",
                b"A",
                b"1",
                b"22",
                b".",
                b"-",
                b"Foo",
                b"x",
                "é".as_bytes(),
                "É".as_bytes(),
                b"\t",
                b"abab",
                b"*",
            ]);
            text.extend_from_slice(piece);
            if with_binary && random.chance(25) {
                text.extend_from_slice(random.pick(&[b"\0", b"\xff", b"\xe2"]));
            }
        }
        text.push(b'\n');
    }
    if random.chance(4) {
        text.pop();
    }
    text
}

/// How many turns a test makes: `RANDOM_TIMES=20` for a long run.
pub(crate) fn times(usual: usize) -> usize {
    usual * std::env::var("RANDOM_TIMES").ok().and_then(|times| times.parse().ok()).unwrap_or(1)
}

/// One difference as a text.
pub(crate) fn difference(words: &[Vec<u8>], locale: &str, stdin: &[u8], real: &Said, ours: &Said) -> String {
    let show = |bytes: &[u8]| bytes[..bytes.len().min(300)].escape_ascii().to_string();
    let line: Vec<String> = words.iter().map(|word| show(word)).collect();
    format!(
        "{locale} {line:?} on {:?}\n  real {} {:?} {:?}\n  ours {} {:?} {:?}",
        show(stdin),
        real.0,
        show(&real.1),
        show(&real.2),
        ours.0,
        show(&ours.1),
        show(&ours.2)
    )
}
