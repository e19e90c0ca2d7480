//! One run of a program by one shell.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::messages;
use crate::error::Error;

/// After this a run has failed.
const TIMEOUT: Duration = Duration::from_secs(10);

/// How often the end of a run is looked for.
const POLL: Duration = Duration::from_micros(400);

/// More output than this is not compared: the program multiplies something.
const MAX_OUTPUT: u64 = 256 * 1024;

/// The status that stands for a run that had to be ended.
pub(crate) const TIMED_OUT: i32 = -1;

/// The files that a program finds in its directory; a name that ends with a slash is a directory.
pub(crate) const FILES: &[(&str, &str)] = &[
    ("in1", "a b c\nfoo:bar  baz\n\n  lead\\\nabcabc\n"),
    ("foo.txt", "text\n"),
    ("sp ace", ""),
    ("dir/", ""),
    ("dir/f1", "1\n"),
    ("dir/f2.txt", "2\n"),
    ("lib.sh", "echo \"lib $# $1\"\nx=lib\nreturn 3\n"),
];

/// Its standard input.
pub(crate) const STDIN: &str = "first line\nsecond\\ line\nthird\n";

/// What a run did.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Outcome {
    /// Standard output.
    pub(crate) stdout: Vec<u8>,
    /// The exit status, 128 + n for a signal, [`TIMED_OUT`].
    pub(crate) status: i32,
    /// Standard error, of which the messages are compared.
    pub(crate) stderr: Vec<u8>,
}

impl Outcome {
    /// Standard output, status and messages are the same.
    pub(crate) fn agrees(&self, other: &Self) -> bool {
        self.stdout == other.stdout && self.status == other.status && self.messages() == other.messages()
    }

    /// What kind of difference there is beside `other`; a smaller program must show the same kind.
    pub(crate) fn kind_of_difference(&self, other: &Self) -> (i32, i32, bool, bool) {
        (self.status, other.status, self.stdout == other.stdout, self.messages() == other.messages())
    }

    /// The messages as they are compared.
    pub(crate) fn messages(&self) -> Vec<Vec<u8>> {
        messages::compared(&self.stderr)
    }

    /// The program was not read as it was meant: a syntax error, or a here-document without an end.
    pub(crate) fn has_syntax_error(&self) -> bool {
        let text = String::from_utf8_lossy(&self.stderr);
        text.contains("syntax error")
            || text.contains("unexpected EOF")
            || text.contains("unexpected end of file")
            || text.contains("delimited by end-of-file")
    }
}

/// The directory in which one worker runs programs, one after another.
pub(crate) struct Bench {
    directory: PathBuf,
    bash: PathBuf,
    ours: PathBuf,
}

impl Bench {
    /// A bench in `directory`, which is made.
    pub(crate) fn new(directory: PathBuf, bash: &Path, ours: &Path) -> Result<Self, Error> {
        fs::create_dir_all(&directory).map_err(|source| Error::File { path: directory.clone(), source })?;
        let bench = Self { directory, bash: bash.to_path_buf(), ours: ours.to_path_buf() };
        bench.write("stdin", STDIN)?;
        Ok(bench)
    }

    /// What bash and hookshell make of a program, in this order.
    pub(crate) fn both(&self, script: &str) -> Result<(Outcome, Outcome), Error> {
        self.write("case.sh", script)?;
        Ok((self.one(&self.bash, &[])?, self.one(&self.ours, &["sh"])?))
    }

    fn one(&self, program: &Path, arguments: &[&str]) -> Result<Outcome, Error> {
        let cwd = self.directory.join("w");
        self.set_up(&cwd).map_err(|source| Error::File { path: cwd.clone(), source })?;
        let file = |name: &str| {
            let path = self.directory.join(name);
            File::create(&path).map_err(|source| Error::File { path, source })
        };
        let (stdout, stderr) = (file("stdout")?, file("stderr")?);
        let path = self.directory.join("stdin");
        let stdin = File::open(&path).map_err(|source| Error::File { path, source })?;
        let mut command = Command::new(program);
        command.args(arguments).arg("../case.sh").current_dir(&cwd);
        command.env_clear().env("PATH", "/usr/bin:/bin").env("LC_ALL", "C.UTF-8").env("TZ", "UTC0");
        command.env("HOME", "/home/nobody").env("TMPDIR", &self.directory);
        command.stdin(stdin).stdout(stdout).stderr(stderr);
        let status =
            run(&mut command).map_err(|source| Error::Start { program: program.display().to_string(), source })?;
        Ok(Outcome { stdout: self.read("stdout")?, stderr: self.read("stderr")?, status: code(status) })
    }

    /// A fresh directory: what a program left running writes into the old one, which has no name any more.
    fn set_up(&self, cwd: &Path) -> io::Result<()> {
        match fs::remove_dir_all(cwd) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                // A program left running may put a file back; one more time is enough.
                fs::remove_dir_all(cwd)?;
            }
            _ => {}
        }
        fs::create_dir(cwd)?;
        for (name, content) in FILES {
            match name.strip_suffix('/') {
                Some(name) => fs::create_dir(cwd.join(name))?,
                None => fs::write(cwd.join(name), content)?,
            }
        }
        Ok(())
    }

    fn write(&self, name: &str, content: &str) -> Result<(), Error> {
        let path = self.directory.join(name);
        fs::write(&path, content).map_err(|source| Error::File { path, source })
    }

    fn read(&self, name: &str) -> Result<Vec<u8>, Error> {
        let path = self.directory.join(name);
        if fs::metadata(&path).is_ok_and(|file| file.len() > MAX_OUTPUT) {
            return Ok(b"(too much)".to_vec());
        }
        fs::read(&path).map_err(|source| Error::File { path, source })
    }
}

/// Runs it to its end or the timeout, as the leader of a process group.
pub(super) fn run(command: &mut Command) -> io::Result<Option<ExitStatus>> {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    let mut child = command.spawn()?;
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() > TIMEOUT {
            // The group that was made above, with what the program started in it.
            let group = format!("-{}", child.id());
            let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
            let _ = child.kill();
            let _ = child.wait();
            return Ok(None);
        }
        std::thread::sleep(POLL);
    }
}

pub(super) fn code(status: Option<ExitStatus>) -> i32 {
    let Some(status) = status else {
        return TIMED_OUT;
    };
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return 128 + signal;
    }
    status.code().unwrap_or(TIMED_OUT)
}
