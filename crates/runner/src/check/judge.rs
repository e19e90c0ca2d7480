//! What engines are asked about programs that stand in commands, and how much: a config and its scripts may be anybody's.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

use hookshell_dispatch::{Dispatcher, Language};
use hookshell_process::text::to_path;

use super::programs::{Known, WrongProgram, wrong_program};
use crate::read_file::read_regular;

/// The words of one command may have so many bytes: nobody writes longer programs into a command by hand.
const COMMAND_BYTES: usize = 64 * 1024;

/// What is compiled in one run of a check: bytes of commands and of program files.
const RUN_BYTES: u64 = 4 * 1024 * 1024;

/// What a call counts beside the bytes of its words.
const CALL_BYTES: usize = 512;

/// The program of one command is judged for so long.
const COMMAND_TIME: Duration = Duration::from_secs(5);

/// All programs of one run of a check are judged for so long.
const RUN_TIME: Duration = Duration::from_secs(10);

/// How long a file that a command with `-f` names may be.
const FILE_BYTES: u64 = 64 * 1024;

/// Of a command with `-f` each word is looked at as the name of a file, of at most so many.
const MOST_FILES: usize = 1024;

/// What is left of what one run of a check does for programs in commands.
#[derive(Debug)]
pub(super) struct Allowance {
    bytes: AtomicU64,
    microseconds: AtomicU64,
}

impl Default for Allowance {
    fn default() -> Self {
        Self { bytes: AtomicU64::new(RUN_BYTES), microseconds: AtomicU64::new(microseconds(RUN_TIME)) }
    }
}

fn microseconds(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

impl Allowance {
    /// Takes so many bytes, where so many are left.
    fn take(&self, bytes: u64) -> bool {
        self.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes)).is_ok()
    }

    /// How long one command may take now; `None`: no time is left.
    fn time(&self) -> Option<Duration> {
        let left = Duration::from_micros(self.microseconds.load(Ordering::Relaxed));
        (!left.is_zero()).then(|| left.min(COMMAND_TIME))
    }

    fn spend(&self, time: Duration) {
        let spend = |left: u64| Some(left.saturating_sub(microseconds(time)));
        // It never refuses.
        let _ = self.microseconds.fetch_update(Ordering::Relaxed, Ordering::Relaxed, spend);
    }
}

/// Has the programs in the commands of a hook compiled.
#[derive(Clone)]
pub(super) struct Judge {
    dispatcher: Dispatcher,
    env: Vec<(OsString, OsString)>,
    /// The file of jq's own definitions, `~/.jq`.
    definitions: Option<PathBuf>,
    cwd: PathBuf,
    project: PathBuf,
    allowance: Arc<Allowance>,
}

impl Judge {
    /// Of commands that run in `cwd` for a project, whose directory holds the only program files that are read.
    pub(super) fn new(
        dispatcher: &Dispatcher,
        env: &[(OsString, OsString)],
        cwd: &Path,
        project: &Path,
        allowance: &Arc<Allowance>,
    ) -> Self {
        let home = env.iter().find(|(name, _)| name == "HOME").map(|(_, home)| cwd.join(home));
        Self {
            dispatcher: dispatcher.clone(),
            env: env.iter().filter(|(name, _)| name != "HOME").cloned().collect(),
            definitions: home.map(|home| home.join(".jq")),
            cwd: cwd.to_owned(),
            project: project.to_owned(),
            allowance: allowance.clone(),
        }
    }

    /// The program in the words of a command that does not compile. Nothing is said of what is too much, or takes too long.
    pub(super) fn wrong_program(&self, words: Vec<Known>) -> Option<WrongProgram> {
        let bytes: usize = words.iter().map(|word| word.text().len() + 1).sum();
        if bytes > COMMAND_BYTES || !words.iter().any(Known::is_language) {
            return None;
        }
        let limit = self.allowance.time()?;
        let start = Instant::now();
        let judge = self.clone();
        let found = within(limit, move || {
            let dispatcher = judge.dispatcher.clone();
            // It recurses as deep as the program nests.
            dispatcher.call(move || wrong_program(&words, &|argv| judge.language(argv)))
        });
        // After one that did not end there is no time left soon.
        self.allowance.spend(start.elapsed());
        found.flatten().flatten()
    }

    fn language(&self, argv: &[Vec<u8>]) -> Language {
        let bytes = argv.iter().map(|word| word.len() + 1).sum::<usize>() + CALL_BYTES;
        if !self.allowance.take(bytes as u64) || !self.may_compile(argv) {
            return Language::None;
        }
        self.dispatcher.language_of(argv, &self.env, &self.cwd)
    }

    /// Is all that compiling it reads a program of the project? Messages quote programs, and what else lies on the machine is nobody's
    /// business. Modules of jq's are not read at all.
    fn may_compile(&self, argv: &[Vec<u8>]) -> bool {
        let Some((name, words)) = argv.split_first() else { return false };
        let is_jq = name == b"jq";
        if is_jq && (words.iter().any(|word| has_modules(word)) || self.has_definitions()) {
            return false;
        }
        if !words.iter().any(|word| names_file(word)) {
            return true;
        }
        let Ok(project) = self.project.canonicalize() else { return false };
        let may_read = |name: &[u8]| self.may_read(name, &project, is_jq);
        words.len() <= MOST_FILES && words.iter().flat_map(|word| names_in(word)).flatten().all(may_read)
    }

    /// Is there a file with definitions that every filter has? (As a directory it is one of modules.)
    fn has_definitions(&self) -> bool {
        self.definitions.as_ref().and_then(|file| file.metadata().ok()).is_some_and(|metadata| !metadata.is_dir())
    }

    /// May the engine read this, if it is the name of a file?
    fn may_read(&self, name: &[u8], project: &Path, is_jq: bool) -> bool {
        let path = self.cwd.join(to_path(name));
        let Ok(metadata) = path.metadata() else { return true };
        if metadata.is_dir() {
            return true;
        }
        metadata.is_file()
            && metadata.len() <= FILE_BYTES
            && path.canonicalize().is_ok_and(|path| path.starts_with(project))
            && self.allowance.take(metadata.len())
            && (!is_jq || read_regular(&path, FILE_BYTES).is_ok_and(|text| !has_modules(&text)))
    }
}

/// May it be a filter of jq's that reads modules?
fn has_modules(text: &[u8]) -> bool {
    let has = |word: &[u8]| text.windows(word.len()).any(|part| part == word);
    has(b"import") || has(b"include")
}

/// May it be the option for the file of a program: `-f`, `-nfFILE`, `--file`, `--from-file`?
fn names_file(word: &[u8]) -> bool {
    match word {
        [b'-', b'-', long @ ..] => long.starts_with(b"f"),
        [b'-', letters @ ..] => letters.contains(&b'f'),
        _ => false,
    }
}

/// What in a word may be the name of a file: all of it, and what stands after `-f` or `=`.
fn names_in(word: &[u8]) -> [Option<&[u8]>; 3] {
    let after = |byte: u8| {
        let at = word.iter().position(|other| *other == byte).filter(|_| word.starts_with(b"-"));
        at.and_then(|at| word.get(at + 1..))
    };
    [Some(word), after(b'f'), after(b'=')]
}

/// What work gives, where it does within the time. Else it continues by itself: nothing waits for it.
fn within<T: Send + 'static>(limit: Duration, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (sender, receiver) = sync_channel(1);
    let work = move || {
        // Nobody may wait any more.
        let _ = sender.send(work());
    };
    std::thread::Builder::new().name("hookshell-check".to_owned()).spawn(work).ok()?;
    receiver.recv_timeout(limit).ok()
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::path::Path;
    use std::sync::Arc;
    use std::sync::atomic::Ordering;
    use std::sync::mpsc::channel;
    use std::time::{Duration, Instant};

    use hookshell_dispatch::Dispatcher;

    use super::{Allowance, Judge, Known, RUN_BYTES, WrongProgram, within};

    fn judge_with(env: &[(OsString, OsString)], cwd: &Path, allowance: &Arc<Allowance>) -> Judge {
        Judge::new(&Dispatcher::new(), env, cwd, cwd, allowance)
    }

    fn known(words: &[&str]) -> Vec<Known> {
        words.iter().map(|word| Known::Text(word.as_bytes().to_vec())).collect()
    }

    fn wrong(cwd: &Path, words: &[&str]) -> Option<WrongProgram> {
        judge_with(&[], cwd, &Arc::default()).wrong_program(known(words))
    }

    #[test]
    fn what_compiles_long_or_often_is_left_alone() {
        let directory = tempfile::tempdir().unwrap();
        let start = Instant::now();
        let operands = vec!["f"; 16_000];
        let long = "p;".repeat(25_000);
        let broken = format!("{long}s/a");
        let expressions = ["-e", "p"].repeat(4_000);
        for (words, is_found) in [
            ([&["sed", "-e", "s/a", "-e", "s/b"], &operands[..]].concat(), true),
            ([&["jq", ".a ("], &operands[..]].concat(), true),
            ([&["sed", &broken], &operands[..2_000]].concat(), true),
            ([&["sed", &broken], &operands[..]].concat(), false),
            ([&["sed"], &expressions[..], &["-e", "s/a"]].concat(), false),
        ] {
            let shown = &words[..2];
            assert_eq!(wrong(directory.path(), &words).is_some(), is_found, "{:.20} {}", shown[1], words.len());
        }
        // Without a limit it is minutes.
        assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
    }

    #[test]
    fn a_run_compiles_so_much_and_no_more() {
        let directory = tempfile::tempdir().unwrap();
        let allowance = Arc::new(Allowance::default());
        let judge = judge_with(&[], directory.path(), &allowance);
        let is_found = || judge.wrong_program(known(&["jq", ".a ("])).is_some();
        assert!(is_found());
        let left = allowance.bytes.load(Ordering::Relaxed);
        assert!(left < RUN_BYTES);
        allowance.bytes.store(100, Ordering::Relaxed);
        assert!(!is_found());
        allowance.bytes.store(left, Ordering::Relaxed);
        assert!(is_found());
        allowance.spend(Duration::from_secs(3600));
        assert!(!is_found());
    }

    #[test]
    fn what_does_not_end_is_not_waited_for() {
        let (sender, receiver) = channel::<()>();
        assert_eq!(within(Duration::from_millis(20), move || receiver.recv().is_ok()), None);
        drop(sender);
        assert_eq!(within(Duration::from_secs(60), || 1), Some(1));
    }

    #[test]
    fn only_program_files_of_the_project_are_read() {
        let outside = tempfile::tempdir().unwrap();
        let project = outside.path().join("project");
        std::fs::create_dir(&project).unwrap();
        std::fs::write(outside.path().join("cred"), "ghp_SECRET123").unwrap();
        std::fs::write(project.join("own"), "ghp_OWN").unwrap();
        std::fs::write(project.join("own.sed"), "s/OWN").unwrap();
        std::fs::write(project.join("importing"), "include \"m\"; ghp_OWN").unwrap();
        std::fs::write(project.join("long"), "ghp_OWN | ".repeat(10_000)).unwrap();
        let absolute = outside.path().join("cred").display().to_string();
        let cases = [
            (&["jq", "-f", "own", "x"][..], true),
            (&["sed", "-nfown.sed", "x"], true),
            (&["jq", "-f", "../cred", "x"], false),
            (&["jq", "x", "-rf", "../cred"], false),
            (&["jq", "--from-file", &absolute], false),
            (&["sed", "-f", "../cred"], false),
            (&["sed", "-nf../cred"], false),
            (&["sed", "--file=../cred"], false),
            (&["awk", "-f../cred"], false),
            (&["grep", "-E", "-f", "../cred", "-e", "("], false),
            (&["jq", "-f", "importing"], false),
            (&["jq", "-f", "long"], false),
            (&["jq", "-f", "."], false),
        ];
        for (words, is_found) in cases {
            let found = wrong(&project, words);
            assert_eq!(found.is_some(), is_found, "{words:?}: {found:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_lead_to_no_file_that_is_read() {
        use std::os::unix::fs::symlink;

        let outside = tempfile::tempdir().unwrap();
        let project = outside.path().join("project");
        std::fs::create_dir(&project).unwrap();
        std::fs::write(outside.path().join("cred"), "ghp_SECRET123").unwrap();
        symlink("../cred", project.join("link")).unwrap();
        symlink("/dev/zero", project.join("m.jq")).unwrap();
        symlink("/dev/zero", project.join("m.json")).unwrap();
        symlink("/dev/zero", project.join(".jq")).unwrap();
        for words in [
            &["jq", "-f", "link"][..],
            &["sed", "-f", "link"],
            &["jq", "-f", "m.jq"],
            &["jq", "-L", ".", "include \"m\"; foo"],
            &["jq", "-L", ".", "import \"m\" as $d; foo"],
            &["jq", "-L.", "# x\n import \"m\" as m; foo"],
        ] {
            let allowance = Arc::new(Allowance::default());
            let found = judge_with(&[], &project, &allowance).wrong_program(known(words));
            assert_eq!(found, None, "{words:?}");
            assert!(allowance.time().is_some(), "{words:?}");
        }
        let home = [("HOME".into(), project.clone().into_os_string())];
        assert_eq!(judge_with(&home, &project, &Arc::default()).wrong_program(known(&["jq", "foo"])), None);
        assert!(wrong(&project, &["jq", "foo"]).is_some());
    }
}
