use std::path::PathBuf;

#[cfg(unix)]
use hookshell_test_support::bash;

use super::*;

struct Fake {
    cwd: PathBuf,
}

impl Environment for Fake {
    fn cwd(&self) -> &Path {
        &self.cwd
    }
    fn variable_is_set(&self, name: &[u8]) -> bool {
        name == b"HOME" || name == b"a[1]"
    }
    fn is_nameref(&self, name: &[u8]) -> bool {
        name == b"ref"
    }
    fn option_is_set(&self, name: &[u8]) -> bool {
        name == b"pipefail"
    }
    fn is_terminal(&self, descriptor: u32) -> bool {
        descriptor == 7
    }
    fn descriptor(&self, descriptor: u32) -> Option<Descriptor> {
        (descriptor == 0).then(|| Descriptor {
            info: FileInfo::of_kind(FileKind::Fifo),
            readable: true,
            writable: false,
        })
    }
}

fn run(expression: &str, cwd: &Path) -> Result<bool, String> {
    let words: Vec<&[u8]> = words(expression);
    test(&words, &Fake { cwd: cwd.to_path_buf() }).map_err(|error| error.to_string())
}

/// Words between single spaces; `''` is the empty word.
fn words(expression: &str) -> Vec<&[u8]> {
    if expression.is_empty() {
        return Vec::new();
    }
    expression.split(' ').map(|word| if word == "''" { b"".as_slice() } else { word.as_bytes() }).collect()
}

/// Expressions and their values, or bash 5.2's complaint.
#[cfg(unix)]
const CASES: &[(&str, Result<bool, &str>)] = &[
    ("", Ok(false)),
    ("x", Ok(true)),
    ("''", Ok(false)),
    ("-f", Ok(true)),
    ("!", Ok(true)),
    ("(", Ok(true)),
    ("! ''", Ok(true)),
    ("! x", Ok(false)),
    ("-n ''", Ok(false)),
    ("-n x", Ok(true)),
    ("-z ''", Ok(true)),
    ("-z x", Ok(false)),
    ("-q x", Err("-q: unary operator expected")),
    ("x y", Err("x: unary operator expected")),
    ("-- x", Err("--: unary operator expected")),
    ("a = a", Ok(true)),
    ("a == b", Ok(false)),
    ("a != b", Ok(true)),
    ("a < b", Ok(true)),
    ("a > b", Ok(false)),
    ("B < a", Ok(true)),
    ("-f = -f", Ok(true)),
    ("! = !", Ok(true)),
    ("( = )", Ok(false)),
    ("1 -eq 1", Ok(true)),
    ("1 -ne 1", Ok(false)),
    ("-1 -lt 2", Ok(true)),
    ("2 -le 2", Ok(true)),
    ("3 -gt 2", Ok(true)),
    ("3 -ge 4", Ok(false)),
    ("010 -eq 10", Ok(true)),
    ("+5 -eq 5", Ok(true)),
    ("x -eq 1", Err("x: integer expression expected")),
    ("1 -eq ''", Err(": integer expression expected")),
    ("1 -eq 0x1", Err("0x1: integer expression expected")),
    ("1 -eq 9223372036854775808", Err("9223372036854775808: integer expression expected")),
    ("9223372036854775807 -eq 9223372036854775807", Ok(true)),
    ("-9223372036854775808 -lt 0", Ok(true)),
    ("a -a b", Ok(true)),
    ("a -a ''", Ok(false)),
    ("'' -o b", Ok(true)),
    ("a -o ''", Ok(true)),
    ("! -n x", Ok(false)),
    ("( x )", Ok(true)),
    ("( '' )", Ok(false)),
    ("a b c", Err("b: binary operator expected")),
    ("! a = a", Ok(false)),
    ("( -n x )", Ok(true)),
    ("( ! x )", Ok(false)),
    ("a = a b", Err("too many arguments")),
    ("a b c d", Err("too many arguments")),
    ("x -f y z", Err("syntax error: `-f' unexpected")),
    ("a = a -a b = b", Ok(true)),
    ("a = a -a b = c", Ok(false)),
    ("a = b -o b = b", Ok(true)),
    ("a = b -o b = b -a c = d", Ok(false)),
    ("a = a -o x -eq 1 -a b = b", Err("x: integer expression expected")),
    ("! a = b -a ! c = d", Ok(true)),
    ("! ! a = b -a c", Ok(false)),
    ("( a = a -a b = b ) -o c = d", Ok(true)),
    ("( a = a -a b = b", Err("`)' expected")),
    ("( a = a b )", Err("`)' expected, found b")),
    ("a = a -a", Err("argument expected")),
    ("-n x -a -z '' -a y", Ok(true)),
    ("-t x -a y", Err("too many arguments")),
    ("-t x", Ok(false)),
    ("! ( a = a )", Ok(false)),
    ("x -a -f y z", Err("too many arguments")),
    ("-d . -a -e . -a ! -f .", Ok(true)),
    ("-e nonexistent", Ok(false)),
    ("-e ''", Ok(false)),
    ("-f file", Ok(true)),
    ("-s file", Ok(true)),
    ("-s empty", Ok(false)),
    ("-d dir", Ok(true)),
    ("-h link", Ok(true)),
    ("-L file", Ok(false)),
    ("-f link", Ok(true)),
    ("-L dangling", Ok(true)),
    ("-e dangling", Ok(false)),
    ("-a file", Ok(true)),
    ("-r file", Ok(true)),
    ("-w file", Ok(true)),
    ("-x file", Ok(false)),
    ("-x script", Ok(true)),
    ("-x dir", Ok(true)),
    ("-u script", Ok(true)),
    ("-g script", Ok(false)),
    ("-k dir", Ok(true)),
    ("-S file", Ok(false)),
    ("-p file", Ok(false)),
    ("-b file", Ok(false)),
    ("-c file", Ok(false)),
    ("-c /dev/null", Ok(true)),
    ("-O file", Ok(true)),
    ("-G file", Ok(true)),
    ("-N old", Ok(false)),
    ("-N unread", Ok(true)),
    ("file -nt old", Ok(true)),
    ("old -nt file", Ok(false)),
    ("old -ot file", Ok(true)),
    ("file -nt nonexistent", Ok(true)),
    ("nonexistent -ot file", Ok(true)),
    ("nonexistent -nt nonexistent", Ok(false)),
    ("file -ef link", Ok(true)),
    ("file -ef hard", Ok(true)),
    ("file -ef old", Ok(false)),
    ("nonexistent -ef nonexistent", Ok(false)),
    ("dir/../file -ef file", Ok(true)),
    ("-e dir/file/x", Ok(false)),
    ("-f file/", Ok(false)),
];

#[cfg(unix)]
fn tree() -> tempfile::TempDir {
    use std::fs::{self, File, FileTimes, Permissions};
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::time::{Duration, SystemTime};
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    fs::create_dir(at("dir")).unwrap();
    for (name, text) in [("file", "x"), ("empty", ""), ("old", ""), ("unread", ""), ("script", "#!/bin/sh\n")] {
        fs::write(at(name), text).unwrap();
    }
    let set_times = |name: &str, modified: u64, accessed: u64| {
        let time = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        let times = FileTimes::new().set_modified(time(modified)).set_accessed(time(accessed));
        File::options().write(true).open(at(name)).unwrap().set_times(times).unwrap();
    };
    set_times("old", 1000, 2000);
    set_times("unread", 2000, 1000);
    fs::set_permissions(at("script"), Permissions::from_mode(0o4755)).unwrap();
    fs::set_permissions(at("dir"), Permissions::from_mode(0o1755)).unwrap();
    symlink("file", at("link")).unwrap();
    symlink("nowhere", at("dangling")).unwrap();
    fs::hard_link(at("file"), at("hard")).unwrap();
    directory
}

#[cfg(unix)]
#[test]
fn expressions_have_the_values_that_bash_gives_them() {
    let directory = tree();
    for (expression, expected) in CASES {
        assert_eq!(run(expression, directory.path()), expected.map_err(str::to_owned), "{expression}");
    }
}

#[cfg(unix)]
#[test]
fn bash_agrees_with_the_table() {
    let directory = tree();
    let mut differing = Vec::new();
    for (expression, expected) in CASES {
        let mut arguments = vec![directory.path().as_os_str().as_encoded_bytes()];
        arguments.extend(words(expression));
        let Some(answer) = bash("cd \"$1\"; shift; test \"$@\"", &arguments) else { return };
        let expected = match expected {
            Ok(value) => (i32::from(!value), String::new()),
            Err(complaint) => (2, format!("test: {complaint}\n")),
        };
        let answered = (answer.status, answer.stderr);
        if answered != expected {
            differing.push(format!("{expression}: {answered:?}"));
        }
    }
    assert_eq!(differing, Vec::<String>::new());
}

#[test]
fn integers_may_have_white_space_around() {
    let env = Fake { cwd: PathBuf::from("/") };
    assert_eq!(test(&[b" \n1", b"-eq", b"1 \t"], &env), Ok(true));
    assert!(test(&[b"1\n", b"-eq", b"1"], &env).is_err());
}

#[test]
fn shell_questions_go_to_the_environment() {
    let cwd = Path::new("/");
    for (expression, expected) in [
        ("-v HOME", true),
        ("-v a[1]", true),
        ("-v other", false),
        ("-R ref", true),
        ("-o pipefail", true),
        ("-o errexit", false),
        ("-t 7", true),
        ("-t 8", false),
        ("-t -1", false),
        ("-p /dev/stdin", true),
        ("-p /dev/fd/0", true),
        ("-r /dev/stdin", true),
        ("-w /dev/stdin", false),
        ("-e /dev/fd/1", false),
        ("-e /dev/fd/99999999999999999999", false),
        ("/dev/stdin -ef /dev/fd/0", false),
    ] {
        if expression.contains("-ef") {
            continue;
        }
        assert_eq!(run(expression, cwd), Ok(expected), "{expression}");
    }
}

#[test]
fn deep_parentheses_are_an_error() {
    let open: Vec<&[u8]> = vec![b"("; 100_000];
    assert_eq!(test(&open, &Fake { cwd: PathBuf::new() }), Err(TestError::TooDeep { limit: 200 }));
    let mut chain: Vec<&[u8]> = vec![b"x"; 100_001];
    for word in chain.iter_mut().skip(1).step_by(2) {
        *word = b"-o";
    }
    assert_eq!(test(&chain, &Fake { cwd: PathBuf::new() }), Ok(true));
    let nots: Vec<&[u8]> = vec![b"!"; 100_000];
    assert_eq!(test(&nots, &Fake { cwd: PathBuf::new() }), Err(TestError::ArgumentExpected));
}

proptest::proptest! {
    #[test]
    fn no_words_panic(words in proptest::collection::vec(proptest::sample::select(vec!["!", "(", ")", "-a", "-o", "x", "", "-n", "-f", "=", "-eq", "1", "-t", "\0", "-"]), 0..9)) {
        let words: Vec<&[u8]> = words.iter().map(|word| word.as_bytes()).collect();
        let _ = test(&words, &Fake { cwd: PathBuf::from("/") });
    }
}
