#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;

use super::*;

const ALL: GlobOptions = GlobOptions {
    pattern: pattern::Options { extglob: true, nocase: false, bytes: false },
    dotglob: false,
    dots: false,
    globstar: true,
    max_results: 0,
};

/// `a/{b/{c/f,f},f} d/.z .h/{x/,y} f s→a sf→f dang→nowhere`
fn tree() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    for directory in ["a/b/c", "d", ".h/x"] {
        fs::create_dir_all(root.join(directory)).unwrap();
    }
    for file in ["a/f", "a/b/f", "a/b/c/f", "f", "d/.z", ".h/y"] {
        fs::write(root.join(file), "").unwrap();
    }
    symlink("a", root.join("s")).unwrap();
    symlink("f", root.join("sf")).unwrap();
    symlink("nowhere", root.join("dang")).unwrap();
    dir
}

fn expand_with(pattern: &str, cwd: &Path, options: GlobOptions) -> Result<String, GlobError> {
    let mut found = Vec::new();
    let count = expand(pattern.as_bytes(), cwd, &PathBuf::new, &options, &mut || true, &mut |path| {
        found.push(String::from_utf8_lossy(path).into_owned());
    })?;
    assert_eq!(count, found.len());
    Ok(found.join(" "))
}

/// Each expectation is what bash 5.2 prints (the second test asks it).
const CASES: &[(&str, &str)] = &[
    ("*", "a d dang f s sf"),
    ("**", "a a/b a/b/c a/b/c/f a/b/f a/f d dang f s sf"),
    ("**/", "a/ a/b/ a/b/c/ d/ s/"),
    ("a/**", "a/ a/b a/b/c a/b/c/f a/b/f a/f"),
    ("a//**", "a// a//b a//b/c a//b/c/f a//b/f a//f"),
    ("**/f", "a/b/c/f a/b/f a/f f"),
    ("**/**", "a a/b a/b/c a/b/c/f a/b/f a/f d dang f s sf"),
    ("**/**/", "a/ a/b/ a/b/c/ d/ s/"),
    ("a/**/f", "a/b/c/f a/b/f a/f"),
    ("a/**/**", "a a/b a/b/c a/b/c/f a/b/f a/f"),
    ("./a/**/**/", "./a/ ./a/b/ ./a/b/c/"),
    ("a/**/*/**", "a/b a/b/c a/b/c a/b/c/f a/b/c/f a/b/f"),
    ("**/[ab]/**", "a a/b a/b a/b/c a/b/c a/b/c/f a/b/c/f a/b/f a/b/f a/f"),
    ("**/[ab]/**/", "a/ a/b/ a/b/ a/b/c/ a/b/c/"),
    ("**/?/**/f", "a/b/c/f a/b/c/f a/b/c/f a/b/f a/b/f a/f s/b/c/f s/b/f s/f"),
    ("*/**/**", "a a/b a/b/c a/b/c/f a/b/f a/f d s s/b s/b/c s/b/c/f s/b/f s/f"),
    ("a/**/**/f", "a/b/c/f a/b/f a/f"),
    ("s/**", "s/ s/b s/b/c s/b/c/f s/b/f s/f"),
    ("s/**/f", "s/b/c/f s/b/f s/f"),
    ("*/f", "a/f s/f"),
    ("*//f", "a/f s/f"),
    ("*//", "a/ d/ s/"),
    ("*/\\/f", "a/f s/f"),
    ("./**/f", "./a/b/c/f ./a/b/f ./a/f ./f ./s/f"),
    ("a//b//*", "a//b//c a//b//f"),
    ("@(.h|a)", ".h a"),
    ("!(a)", "d dang f s sf"),
    ("!(.h)", "a d dang f s sf"),
    ("*(.)h", ".h"),
    ("?(.)h", ".h"),
    ("?(x).h", ".h"),
    ("[.]h", ""),
    (".*", ".h"),
    (".*/y", ".h/y"),
    ("\\.*", ".h"),
    ("a/./*", "a/./b a/./f"),
    ("a/../*", "a/../a a/../d a/../dang a/../f a/../s a/../sf"),
    ("dan*", "dang"),
    ("dan*/", ""),
    ("sf*/", ""),
    ("f/**", ""),
    ("nope/**", ""),
    ("**/b/**", "a/b a/b/c a/b/c/f a/b/f"),
    ("**/b/", "a/b/"),
    ("*/b/c//", "a/b/c/ s/b/c/"),
    ("[a/b]*", ""),
    ("*/[bf]", "a/b a/f s/b s/f"),
    ("**/.", ". a/. a/b/. a/b/c/. d/."),
    ("**/*", "a a/b a/b/c a/b/c/f a/b/f a/f d dang f s sf"),
    ("***", "a d dang f s sf"),
    ("d/*", ""),
    ("*/.*", "d/.z"),
    ("[!a]*/f", "s/f"),
    ("a/b/[c]/f", "a/b/c/f"),
];

#[test]
fn patterns_expand_as_in_bash() {
    let dir = tree();
    for (pattern, expected) in CASES {
        assert_eq!(expand_with(pattern, dir.path(), ALL).unwrap(), *expected, "{pattern}");
    }
}

#[test]
fn bash_agrees_with_the_table() {
    let dir = tree();
    for (pattern, expected) in CASES {
        let script = format!("shopt -s globstar extglob nullglob; set -- {pattern}; echo \"$*\"");
        let Ok(output) = std::process::Command::new("bash")
            .args(["--norc", "-O", "extglob", "-c", &script])
            .env("LC_ALL", "C.UTF-8")
            .current_dir(dir.path())
            .output()
        else {
            return hookshell_test_support::skip("bash is not installed");
        };
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim_end(), *expected, "{pattern}");
    }
}

#[test]
fn dotglob_matches_names_with_a_leading_dot() {
    let dir = tree();
    let options = GlobOptions { dotglob: true, ..ALL };
    for (pattern, expected) in [
        ("**", ".h .h/x .h/y a a/b a/b/c a/b/c/f a/b/f a/f d d/.z dang f s sf"),
        ("*", ".h a d dang f s sf"),
        ("!(a)", ".h d dang f s sf"),
    ] {
        assert_eq!(expand_with(pattern, dir.path(), options).unwrap(), expected, "{pattern}");
    }
}

#[test]
fn an_absolute_pattern_keeps_its_prefix() {
    let dir = tree();
    let root = dir.path().to_str().unwrap();
    let expected = format!("{root}//a {root}//d {root}//dang {root}//f {root}//s {root}//sf");
    assert_eq!(expand_with(&format!("{root}//*"), Path::new("/nonexistent"), ALL).unwrap(), expected);
}

#[test]
fn letters_match_in_either_case_under_nocaseglob() {
    let dir = tree();
    let options = GlobOptions { pattern: pattern::Options { nocase: true, ..ALL.pattern }, ..ALL };
    assert_eq!(expand_with("A*", dir.path(), options).unwrap(), "a");
    assert_eq!(expand_with("[D]*", dir.path(), options).unwrap(), "d dang");
}

#[test]
fn a_limit_on_results_is_an_error() {
    let dir = tree();
    let options = GlobOptions { max_results: 5, ..ALL };
    assert_eq!(expand_with("*", dir.path(), options), Err(GlobError::TooMany { limit: 5 }));
    assert_eq!(expand_with("d*", dir.path(), options).unwrap(), "d dang");
}

#[test]
fn a_caller_can_interrupt() {
    let dir = tree();
    let mut turns = 0;
    let result = expand(
        b"**",
        dir.path(),
        &PathBuf::new,
        &ALL,
        &mut || {
            turns += 1;
            turns < 3
        },
        &mut |_| (),
    );
    assert_eq!(result, Err(GlobError::Interrupted));
}

#[test]
fn names_that_are_not_utf8_are_matched_and_kept() {
    use std::os::unix::ffi::OsStrExt as _;
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join(std::ffi::OsStr::from_bytes(b"x\xFFy")), "").unwrap();
    let mut found = Vec::new();
    expand(b"x?y", dir.path(), &PathBuf::new, &ALL, &mut || true, &mut |path| found.push(path.to_vec())).unwrap();
    assert_eq!(found, [b"x\xFFy".to_vec()]);
}

#[test]
fn deep_trees_cost_no_stack() {
    let dir = tempfile::tempdir().unwrap();
    let mut path = dir.path().to_path_buf();
    for _ in 0..200 {
        path.push("d");
    }
    fs::create_dir_all(&path).unwrap();
    let mut count = 0;
    expand(b"**", dir.path(), &PathBuf::new, &ALL, &mut || true, &mut |_| count += 1).unwrap();
    assert_eq!(count, 200);
    let pattern = "*/".repeat(200);
    expand(pattern.as_bytes(), dir.path(), &PathBuf::new, &ALL, &mut || true, &mut |_| count += 1).unwrap();
    assert_eq!(count, 201);
}
