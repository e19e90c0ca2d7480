//! Random command lines and inputs for the text utilities, beside the installed programs.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test's helpers fail the test so")]

mod tables;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;

use hookshell_utility::{
    Args, FdTable, NoCommands, RunToken, Stream, Utility as Bundled, UtilityCall, UtilityContext, UtilityMemory,
};

/// Small and repeatable.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Below `limit`.
    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() >> 11).unwrap() % limit.max(1)
    }

    fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}

/// What the inputs of a utility look like.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Inputs {
    /// Any bytes.
    Any,
    /// Lines of words and numbers.
    Lines,
    /// The same, sorted.
    Sorted,
    /// Lines that repeat, and the second file is the first one, changed.
    Similar,
}

/// What is run at random: some of the options, then the operands.
pub(crate) struct Utility {
    pub(crate) name: &'static str,
    pub(crate) options: &'static [&'static [&'static str]],
    /// One of these stands after the options; `F` is one of the files, `-` standard input.
    pub(crate) operands: &'static [&'static [&'static str]],
    pub(crate) inputs: Inputs,
    pub(crate) runs: usize,
}

const WORDS: &[&str] = &[
    "a", "b", "B", "ab", "abc", "10", "9", "-3", "1.5", "1e3", "2K", "0x1f", "Feb", "jan", "", " ", "\t", "x:y", ":",
    "a:b:c", "é", "\u{4e00}", "~", "v1.10", "v1.9", ".x", "a.tar.gz", "007", "\u{1}", "#", "+5", "nan", "inf",
];

fn line(random: &mut Random) -> Vec<u8> {
    let mut line = Vec::new();
    for _ in 0..random.below(4) {
        line.extend_from_slice(random.pick(WORDS).as_bytes());
        line.extend_from_slice(random.pick(&[" ", " ", "\t", "  ", ":", ""]).as_bytes());
    }
    line
}

fn lines(random: &mut Random) -> Vec<Vec<u8>> {
    let count = *random.pick(&[0, 1, 2, 5, 10, 40]);
    let mut lines: Vec<Vec<u8>> = Vec::new();
    for _ in 0..count {
        if random.below(3) == 0 && !lines.is_empty() {
            let again = random.pick(&lines).clone();
            lines.push(again);
        } else {
            lines.push(line(random));
        }
    }
    lines
}

fn joined(lines: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = lines.join(&b'\n');
    if !bytes.is_empty() && random.below(5) > 0 {
        bytes.push(b'\n');
    }
    bytes
}

/// The content of standard input and the files `a` and `b`.
fn contents(inputs: Inputs, random: &mut Random) -> [Vec<u8>; 3] {
    let mut one = || {
        let mut content = lines(random);
        match inputs {
            Inputs::Sorted => content.sort(),
            Inputs::Any => match random.below(8) {
                0 => {
                    let count = random.below(300);
                    return (0..count).map(|_| u8::try_from(random.below(256)).unwrap()).collect();
                }
                1 => {
                    let limit = if random.below(8) == 0 { 150_000 } else { 1000 };
                    let count = random.below(limit);
                    return vec![*random.pick(b"x\n\0\xe2"); count];
                }
                2 => {
                    let count = random.below(60);
                    return (0..count).map(|_| *random.pick(b"ab\n\0\n \t\r\x08:\xff")).collect();
                }
                _ => {}
            },
            _ => {}
        }
        joined(&content, random)
    };
    let mut all = [one(), one(), one()];
    if inputs == Inputs::Similar {
        let few =
            [b"a".to_vec(), b"b".to_vec(), b"c".to_vec(), b" b".to_vec(), b"B".to_vec(), Vec::new(), b"}".to_vec()];
        let count = random.below(20);
        let base: Vec<Vec<u8>> = (0..count).map(|_| random.pick(&few).clone()).collect();
        let mut changed = base.clone();
        for _ in 0..random.below(6) {
            let at = random.below(changed.len() + 1);
            match random.below(3) {
                0 => changed.insert(at, random.pick(&few).clone()),
                1 if at < changed.len() => drop(changed.remove(at)),
                _ if at < changed.len() => changed[at] = random.pick(&few).clone(),
                _ => {}
            }
        }
        all[1] = joined(&base, random);
        all[2] = joined(&changed, random);
    }
    all
}

#[derive(Debug, PartialEq, Eq)]
struct Left {
    status: i32,
    stdout: Vec<u8>,
    stderr: String,
    files: BTreeMap<String, Vec<u8>>,
}

/// The directory that both work in, one after the other. It is made once: thousands of runs would otherwise mostly make and
/// remove directories.
struct Workplace {
    directory: tempfile::TempDir,
    utilities: Vec<Box<dyn Bundled>>,
}

const NAMES: [&str; 3] = ["in", "a", "b"];

impl Workplace {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir(directory.path().join("dir")).unwrap();
        Self { directory, utilities: hookshell_coreutils::all(|_| false) }
    }

    fn bundled(&self, name: &str) -> &dyn Bundled {
        &**self.utilities.iter().find(|utility| utility.name() == name).unwrap()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let mut found = BTreeMap::new();
        for entry in fs::read_dir(self.directory.path()).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_file() {
                found.insert(entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap());
            }
        }
        found
    }

    /// Makes the files as they are to be; `there`: what there is.
    fn prepare(&self, contents: &[Vec<u8>; 3], there: &BTreeMap<String, Vec<u8>>) {
        for name in there.keys().filter(|name| !NAMES.contains(&&***name)) {
            fs::remove_file(self.path(name)).unwrap();
        }
        for (name, content) in NAMES.iter().zip(contents) {
            if there.get(*name) != Some(content) {
                fs::write(self.path(name), content).unwrap();
            }
        }
    }

    fn real(&self, words: &[&str], locale: &str) -> Left {
        let output = Command::new(words[0])
            .args(&words[1..])
            .current_dir(self.directory.path())
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("LC_ALL", locale)
            .stdin(Stdio::from(fs::File::open(self.path("in")).unwrap()))
            .output()
            .unwrap();
        Left {
            status: output.status.code().unwrap_or_else(|| 128 + output.status.signal().unwrap()),
            stdout: output.stdout,
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            files: self.files(),
        }
    }

    /// Is it left to the real program?
    fn refuses(&self, words: &[&str], locale: &str) -> bool {
        let argv: Args = words.iter().collect();
        let env = Arc::new(vec![("LC_ALL".into(), locale.into())]);
        let call = UtilityCall { argv: &argv, env: &env, cwd: self.directory.path() };
        let utility = self.bundled(words[0]);
        utility.prepare(&call).map_or(true, |prepared| prepared.yields())
    }

    fn ours(&self, words: &[&str], locale: &str) -> Left {
        let utility = self.bundled(words[0]);
        let argv: Args = words.iter().collect();
        let env = Arc::new(vec![("LC_ALL".into(), locale.into())]);
        let (stdout, out) = Stream::capture(usize::MAX);
        let (stderr, err) = Stream::capture(usize::MAX);
        let stdin = Stream::from_file(fs::File::open(self.path("in")).unwrap());
        let cancel = RunToken::isolated();
        let context = UtilityContext {
            argv: &argv,
            env: &env,
            cwd: self.directory.path(),
            fds: &FdTable::new(Arc::new(stdin), Arc::new(stdout), Arc::new(stderr)),
            umask: None,
            cancel: &cancel,
            memory: UtilityMemory::default(),
            commands: &NoCommands,
        };
        let status = utility.prepare(&context.call()).unwrap().run(&context).unwrap();
        Left {
            status: status.into(),
            stdout: out.take(),
            stderr: String::from_utf8_lossy(&err.take()).into_owned(),
            files: self.files(),
        }
    }
}

fn shortened(bytes: &[u8]) -> String {
    format!("{} bytes: {}", bytes.len(), bytes[..bytes.len().min(200)].escape_ascii())
}

/// Runs one utility's table; the differences.
fn compare(utility: &Utility, seed: u64) -> Vec<String> {
    let mut random = Random(seed ^ 0x9e37_79b9_7f4a_7c15);
    let workplace = Workplace::new();
    let mut there = BTreeMap::new();
    let mut wrong = Vec::new();
    let mut ran = 0;
    for _ in 0..utility.runs {
        let mut words = vec![utility.name];
        for _ in 0..random.below(4) {
            if !utility.options.is_empty() {
                let option: &&[&str] = random.pick(utility.options);
                words.extend_from_slice(option);
            }
        }
        for word in *random.pick(utility.operands) {
            words.push(if *word == "F" {
                *random.pick(&["a", "b", "a", "b", "a", "b", "-", "none", "dir"])
            } else {
                word
            });
        }
        let locale = *random.pick(&["C.UTF-8", "C"]);
        let contents = contents(utility.inputs, &mut random);
        if workplace.refuses(&words, locale) {
            continue;
        }
        workplace.prepare(&contents, &there);
        let found = workplace.ours(&words, locale);
        workplace.prepare(&contents, &found.files);
        ran += 1;
        let mut expected = workplace.real(&words, locale);
        there.clone_from(&expected.files);
        // GNU quotes with \u{2018} \u{2019} in UTF-8 locales; ours always as in C.
        expected.stderr = expected.stderr.replace(['\u{2018}', '\u{2019}'], "'");
        if found != expected {
            let show = |left: &Left| {
                let changed: Vec<_> = left.files.iter().filter(|(name, _)| !NAMES.contains(&&***name)).collect();
                format!("{} {} {:?} {changed:?}", left.status, shortened(&left.stdout), left.stderr)
            };
            wrong.push(format!(
                "LC_ALL={locale} {words:?}\n  in {}\n  a {}\n  b {}\n  real {}\n  ours {}",
                shortened(&contents[0]),
                shortened(&contents[1]),
                shortened(&contents[2]),
                show(&expected),
                show(&found)
            ));
        }
    }
    assert!(ran * 4 > utility.runs, "{}: only {ran} of {} were done in process", utility.name, utility.runs);
    wrong
}

fn check(names: &[&str]) {
    if !hookshell_test_support::says_version("sort", "sort (GNU coreutils)") {
        return;
    }
    // RANDOM_TEXT=SEED,FACTOR looks for more.
    let given = std::env::var("RANDOM_TEXT").unwrap_or_default();
    let (seed, factor) = given.split_once(',').unwrap_or(("1", "1"));
    let (seed, factor) = (seed.parse().unwrap(), factor.parse::<usize>().unwrap());
    let mut wrong = Vec::new();
    for name in names {
        let table = tables::UTILITIES.iter().find(|utility| utility.name == *name).unwrap();
        wrong.extend(compare(&Utility { runs: table.runs * factor, ..*table }, seed));
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong[..wrong.len().min(6)].join("\n"));
}

macro_rules! tests {
    ($($test:ident: $($name:literal)*;)*) => {
        $(#[test]
        fn $test() {
            check(&[$($name),*]);
        })*

        #[test]
        fn every_table_is_run() {
            let run = [$($($name),*),*];
            for utility in tables::UTILITIES {
                assert!(run.contains(&utility.name), "{}", utility.name);
            }
        }
    };
}

tests! {
    random_fmt: "fmt";
    random_fold: "fold";
    random_nl: "nl";
    random_paste: "paste";
    random_tac: "tac";
    random_tee: "tee";
    random_cat: "cat";
    random_head_and_tail: "head" "tail";
    random_base64: "base64";
    random_comm: "comm";
    random_expand: "expand" "unexpand";
    random_rev: "rev";
    random_cmp: "cmp";
    random_join: "join";
    random_od: "od";
    random_sums: "md5sum" "sha1sum" "sha224sum" "sha256sum" "sha384sum" "sha512sum";
    random_diff: "diff";
    random_xxd: "xxd";
    random_cut: "cut";
    random_sort: "sort";
    random_tr: "tr";
    random_uniq: "uniq";
    random_wc: "wc";
    random_split: "split";
    random_cksum: "cksum" "sum";
    random_column: "column";
    random_hexdump: "hexdump" "hd";
    random_dd: "dd";
    random_truncate: "truncate";
}
