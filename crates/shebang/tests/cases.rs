//! The table of cases: a file's first bytes, and what they start.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test's helpers fail the test so")]

use std::borrow::Cow;

use hookshell_shebang::{
    Head, Hint, Interpreter, Resolved, Shebang, ShebangError, ShebangErrorCause as Cause, base_name, classify,
};

/// `FOO` is `v a`, `EMPTY` is set to nothing, `LOOP` holds itself; all else is unset.
fn lookup(name: &[u8]) -> Option<Vec<u8>> {
    match name {
        b"FOO" => Some(b"v a".to_vec()),
        b"EMPTY" => Some(Vec::new()),
        b"LOOP" => Some(b"-S${LOOP}".to_vec()),
        b"BIG" => Some(vec![b'x'; 1_500_000]),
        _ => None,
    }
}

fn shebang(head: &[u8]) -> Shebang<'_> {
    match classify(head) {
        Head::Shebang(shebang) => shebang,
        other => panic!("{}: {other:?}", head.escape_ascii()),
    }
}

fn resolve(head: &[u8]) -> Result<Resolved<'_>, ShebangError> {
    shebang(head).resolve(&lookup)
}

fn bytes(text: &str) -> &[u8] {
    text.as_bytes()
}

#[test]
fn the_kernel_takes_an_interpreter_and_one_argument() {
    let cases: &[(&str, &str, Option<&str>)] = &[
        ("#!/bin/sh\n", "/bin/sh", None),
        ("#!/bin/sh", "/bin/sh", None),
        ("#! /bin/sh\n", "/bin/sh", None),
        ("#!\t /bin/sh \t\n", "/bin/sh", None),
        ("#!/bin/sh -e\nexit\n", "/bin/sh", Some("-e")),
        ("#!/bin/sh\t-e\t\n", "/bin/sh", Some("-e")),
        ("#!/bin/awk  -v \t x -f \t\n", "/bin/awk", Some("-v \t x -f")),
        ("#!/bin/sh \"a\\b\" 'c' # d\n", "/bin/sh", Some("\"a\\b\" 'c' # d")),
        ("#!relative/sh\n", "relative/sh", None),
        ("#!sh -x\n", "sh", Some("-x")),
        // No newline: the kernel trims nothing, and sees an argument after a blank.
        ("#!/bin/sh ", "/bin/sh", Some("")),
        ("#!/bin/sh  \t", "/bin/sh", Some("")),
        ("#!/bin/sh a b  ", "/bin/sh", Some("a b  ")),
        // NUL ends what the kernel reads.
        ("#!/bin/sh\0junk\n", "/bin/sh", None),
        ("#!/bin/sh \0junk\n", "/bin/sh", Some("")),
        ("#!/bin/sh a \0junk\n", "/bin/sh", Some("a ")),
        // A file with CRLF line ends, and one with a byte order mark.
        ("#!/bin/sh\r\n", "/bin/sh", None),
        ("#!/bin/sh -e\r\nexit\r\n", "/bin/sh", Some("-e")),
        ("#!/bin/sh -e \r\n", "/bin/sh", Some("-e")),
        ("#!/bin/sh \r\n", "/bin/sh", None),
        ("#!/bin/sh\r\r\n", "/bin/sh\r", None),
        ("#!/bin/sh\r", "/bin/sh\r", None),
        ("#!/bin/sh a\rb\n", "/bin/sh", Some("a\rb")),
        ("\u{feff}#!/bin/sh -e\n", "/bin/sh", Some("-e")),
        ("\u{feff}#! /bin/sh\r\n", "/bin/sh", None),
        // Windows paths; blanks split as everywhere.
        ("#!C:\\tools\\bash.exe -e\r\n", "C:\\tools\\bash.exe", Some("-e")),
        ("#!C:/Program Files/Git/bin/sh.exe\n", "C:/Program", Some("Files/Git/bin/sh.exe")),
    ];
    for (head, interpreter, argument) in cases {
        let shebang = shebang(head.as_bytes());
        assert_eq!(shebang.interpreter(), bytes(interpreter), "{head:?}");
        assert_eq!(shebang.argument(), argument.map(str::as_bytes), "{head:?}");
        assert_eq!(
            shebang.resolve(&lookup).unwrap(),
            Resolved {
                interpreter: Interpreter::Path(interpreter.as_bytes()),
                args: argument.map(|it| Cow::Borrowed(it.as_bytes())).into_iter().collect(),
                assignments: vec![],
            },
            "{head:?}"
        );
    }
}

#[test]
fn the_line_ends_before_its_newline_or_nul() {
    assert_eq!(shebang(b"#! /bin/sh -e \nexit\n").line(), b"#! /bin/sh -e ");
    assert_eq!(shebang(b"#!/bin/sh\r\n").line(), b"#!/bin/sh");
    assert_eq!(shebang(b"#!/bin/sh a \0b\n").line(), b"#!/bin/sh a ");
    assert_eq!(shebang(b"\xef\xbb\xbf#!/bin/sh").line(), b"#!/bin/sh");
}

#[test]
fn kernel_argv_is_the_interpreter_the_argument_and_the_script() {
    let argv = |head: &'static [u8]| shebang(head).kernel_argv(b"./s").collect::<Vec<_>>();
    assert_eq!(argv(b"#!/bin/sh\n"), [&b"/bin/sh"[..], b"./s"]);
    assert_eq!(argv(b"#!/bin/sh -e u\n"), [&b"/bin/sh"[..], b"-e u", b"./s"]);
}

#[test]
fn an_argument_longer_than_the_head_is_cut_at_255_bytes() {
    let file = |len: usize, end: &str| {
        let mut file = b"#!/bin/i ".to_vec();
        file.resize(len, b'a');
        file.extend_from_slice(end.as_bytes());
        file
    };
    // The line's length, what follows, and the argument's length.
    for (len, end, expected) in [
        (127, "", 118),
        (128, "\n", 119),
        (254, "", 245),
        (254, "\n", 245),
        (255, "", 246),
        (255, "\n", 246),
        (255, "\r\n", 246),
        (256, "", 246),
        (256, "\n", 246),
        (257, "\nmore\n", 246),
        (900, "\n", 246),
        // Blanks stay before the end of the file, but not at the head's last place but one.
        (253, " ", 245),
        (254, " ", 245),
        (253, "  ", 244),
        (255, " ", 246),
        (252, "  ", 245),
        (254, " b", 245),
        (255, " b", 246),
        (254, " \0b", 245),
        (253, " \0b", 245),
    ] {
        let file = file(len, end);
        let argument = shebang(&file).argument().unwrap();
        assert_eq!(argument.len(), expected, "{len} {end:?}");
    }
}

#[test]
fn an_interpreter_path_that_the_head_may_cut_is_no_shebang() {
    let file = |len: usize, end: &str| {
        let mut file = b"#!/".to_vec();
        file.resize(len, b'i');
        file.extend_from_slice(end.as_bytes());
        file
    };
    for end in ["", "\n", " ", " x\n", "\0q"] {
        for (len, path_len) in [(254, 252), (255, 253)] {
            let file = file(len, end);
            assert_eq!(shebang(&file).interpreter().len(), path_len, "{len} {end:?}");
            assert_eq!(shebang(&file).argument(), None, "{len} {end:?}");
        }
        for len in [256, 257, 300] {
            assert_eq!(classify(&file(len, end)), Head::ShellSource, "{len} {end:?}");
        }
    }
    let mut blanks = b"#!".to_vec();
    blanks.resize(254, b' ');
    assert_eq!(shebang(&[&blanks[..252], b"i /x\n"].concat()).interpreter(), b"i");
    assert_eq!(classify(&[&blanks[..], b"/bin/sh\n"].concat()), Head::ShellSource);
    assert_eq!(classify(&[&blanks[..], b"          "].concat()), Head::ShellSource);
}

#[test]
fn with_a_byte_order_mark_a_cut_line_is_still_a_cut_line() {
    let mut file = b"\xef\xbb\xbf#!/".to_vec();
    file.resize(300, b'i');
    assert_eq!(classify(&file), Head::ShellSource);
    file[20] = b' ';
    assert_eq!(shebang(&file).interpreter().len(), 15);
    assert_eq!(shebang(&file).argument().unwrap().len(), 255 - 21);
}

#[test]
fn env_gives_a_name_to_look_up() {
    for head in [
        "#!/usr/bin/env python3\n",
        "#!/usr/bin/env python3",
        "#! /bin/env \t python3 \t\r\n",
        "#!/usr/local/bin/env python3\n",
        "#!env python3\n",
        "#!/usr/bin/env.exe python3\n",
        "#!C:\\msys64\\usr\\bin\\env.exe python3\r\n",
        "#!C:/msys64/usr/bin/ENV.EXE python3\r\n",
        "#!\\\\server\\share\\Env python3\r\n",
    ] {
        assert!(shebang(head.as_bytes()).is_env(), "{head:?}");
        let resolved = resolve(head.as_bytes()).unwrap();
        assert_eq!(resolved.interpreter, Interpreter::Name(b"python3".into()), "{head:?}");
        assert!(resolved.args.is_empty() && resolved.assignments.is_empty(), "{head:?}");
        assert_eq!(resolved.hint(), None, "{head:?}");
    }
    for head in [
        "#!/usr/bin/ENV python3\n",
        "#!/usr/bin/envy python3\n",
        "#!/usr/bin\\env python3\n",
        "#!/usr/bin/env/ python3\n",
        "#!/env/python3\n",
    ] {
        assert!(!shebang(head.as_bytes()).is_env(), "{head:?}");
    }
}

#[test]
fn env_takes_the_whole_argument_as_one_name_and_the_hint_says_why_that_fails() {
    let hint = |head: &'static str, name: &str| {
        let resolved = resolve(head.as_bytes()).unwrap();
        assert_eq!(resolved.interpreter.as_bytes(), bytes(name), "{head:?}");
        assert!(resolved.args.is_empty(), "{head:?}");
        resolved.hint()
    };
    assert_eq!(hint("#!/usr/bin/env python3 -u\n", "python3 -u"), Some(Hint::SplitStringMeant));
    assert_eq!(hint("#!/usr/bin/env a\tb\n", "a\tb"), Some(Hint::SplitStringMeant));
    assert_eq!(hint("#!/usr/bin/env python3 ", "python3 "), Some(Hint::BlankAtEndOfName));
    assert_eq!(hint("#!/usr/bin/env python3\r", "python3\r"), Some(Hint::BlankAtEndOfName));
    assert_eq!(hint("#!/usr/bin/env -S 'my node'\n", "my node"), None);
    assert_eq!(resolve(b"#!/my interpreter\n").unwrap().hint(), None);
}

#[test]
fn a_path_that_ends_at_its_blank_is_told() {
    for (head, is_cut) in [
        ("#!/opt/my interpreter/sh\n", true),
        ("#!/opt/my own interpreter/sh -e\n", true),
        ("#!C:\\Program Files\\Git\\bin\\bash.exe\n", true),
        ("#!/usr/bin/awk -f\n", false),
        ("#!/usr/bin/awk -f /opt/x.awk\n", false),
        ("#!/usr/bin/python3 /opt/tool\n", false),
        ("#!/usr/bin/python3 ./tool\n", false),
        ("#!/usr/bin/env -S node lib/x\n", false),
        ("#!/bin/sh\n", false),
    ] {
        let hint = resolve(head.as_bytes()).unwrap().hint();
        assert_eq!(hint == Some(Hint::BlankInPath), is_cut, "{head:?}");
    }
}

#[test]
fn env_splits_the_string_of_its_s_option() {
    // The argument of env, and the words; a word with `=` before the command is an assignment.
    let cases: &[(&str, &[&str])] = &[
        ("-S node --flag", &["node", "--flag"]),
        ("-Snode --flag", &["node", "--flag"]),
        ("-S\tnode\t\t--flag", &["node", "--flag"]),
        ("--split-string=node --flag", &["node", "--flag"]),
        ("--split=node --flag", &["node", "--flag"]),
        ("--s=node --flag", &["node", "--flag"]),
        ("-S node -S --x=1 - --", &["node", "-S", "--x=1", "-", "--"]),
        ("-S n a\x0bb\x0cc\rd", &["n", "a", "b", "c", "d"]),
        // Quotes.
        (r#"-S n "a b" 'c d' e"f"'g'"#, &["n", "a b", "c d", "efg"]),
        (r#"-S n "" '' x"""#, &["n", "", "", "x"]),
        (r#"-S n "it's" '"'"#, &["n", "it's", "\""]),
        (r"-S n 'a\_b\\c\'d\n\c\$'", &["n", r"a\_b\c'd\n\c\$"]),
        (r#"-S n "a\_b\\c\'d\"\n\$\#""#, &["n", "a b\\c'd\"\n$#"]),
        // Escapes.
        (r"-S n a\_b\_\_c", &["n", "a", "b", "c"]),
        (r"-S n \t\n\f\v\r", &["n", "\t\n\x0c\x0b\r"]),
        (r#"-S n \#\$\\\"\'"#, &["n", "#$\\\"'"]),
        (r#"-S n a\c b " "#, &["n", "a"]),
        (r"-S n a \c b", &["n", "a"]),
        // Comments.
        (r#"-S n a # b " $"#, &["n", "a"]),
        (r"-S n a\_#b", &["n", "a"]),
        (r##"-S n a#b "#" '#' """##, &["n", "a#b", "#", "#", ""]),
        (r##"-S n ""#b"##, &["n", "#b"]),
        // Variables.
        ("-S n ${FOO} x${FOO}y", &["n", "v a", "xv ay"]),
        (r#"-S n "${FOO}" '${FOO}' \${FOO}"#, &["n", "v a", "${FOO}", "${FOO}"]),
        (r#"-S n ${NOPE} x${NOPE}y "${NOPE}" ${EMPTY}"#, &["n", "xy", "", ""]),
        ("-S ${NOPE}n", &["n"]),
        ("-S ${NOPE}#n", &[]),
        ("-S ${FOO}", &["v a"]),
        // Options again, and their end.
        ("-S-S node -x", &["node", "-x"]),
        (r#"-S -S "node -x" y"#, &["node", "-x", "y"]),
        (r#"-S --split-string "node -x" y"#, &["node", "-x", "y"]),
        (r"-S -Snode\_-x y", &["node", "-x", "y"]),
        ("-S --split-string= node", &["node"]),
        ("-S -- node -x", &["node", "-x"]),
        ("-S -- -S", &["-S"]),
        ("-S -- --", &["--"]),
        ("-S node é\u{ff}", &["node", "é\u{ff}"]),
    ];
    for (argument, words) in cases {
        let head = format!("#!/usr/bin/env {argument}\n");
        let Some((name, args)) = words.split_first() else {
            let error = resolve(head.as_bytes()).unwrap_err();
            assert_eq!(error.cause, Cause::NoCommand, "{argument}");
            continue;
        };
        let resolved = resolve(head.as_bytes()).unwrap();
        assert_eq!(resolved.interpreter, Interpreter::Name(name.as_bytes().into()), "{argument}");
        let args: Vec<_> = args.iter().map(|arg| arg.as_bytes()).collect();
        assert_eq!(resolved.args, args, "{argument}");
        assert!(resolved.assignments.is_empty(), "{argument}");
    }
}

#[test]
fn env_sets_variables_before_the_command() {
    let resolved = resolve(b"#!/usr/bin/env -S A=1 B= \"C=x y\" D=a=b node E=2\n").unwrap();
    assert_eq!(resolved.interpreter, Interpreter::Name(b"node".into()));
    assert_eq!(resolved.args, [&b"E=2"[..]]);
    let expected = [("A", "1"), ("B", ""), ("C", "x y"), ("D", "a=b")];
    assert_eq!(
        resolved.assignments,
        expected.map(|(name, value)| (name.as_bytes().to_vec(), value.as_bytes().to_vec()))
    );
}

#[test]
fn what_env_refuses_is_an_error_with_its_place() {
    let option = |option: &str| Cause::UnsupportedOption { option: option.into() };
    let missing = |option: &str| Cause::MissingSplitString { option: option.into() };
    let only = |word: &str| Cause::AssignmentWithoutCommand { assignment: word.into() };
    // The line after `#!/usr/bin/env`, and the place in it.
    let cases: &[(&str, usize, Cause)] = &[
        ("", 0, Cause::NoCommand),
        (" \t", 0, Cause::NoCommand),
        (" --", 1, Cause::NoCommand),
        (" -S ", 1, missing("-S")),
        (" -S # x", 1, Cause::NoCommand),
        (r" -S \c", 1, Cause::NoCommand),
        (" -S --", 1, Cause::NoCommand),
        (" FOO=1", 1, only("FOO=1")),
        (" FOO=1 node", 1, only("FOO=1 node")),
        (" -S A=1 B=2", 8, only("B=2")),
        (" -S =1 node", 4, Cause::EmptyVariableName { assignment: "=1".into() }),
        (" -S \"\" node", 4, Cause::EmptyCommand),
        (" -i", 1, option("-i")),
        (" -i node", 1, option("-i")),
        (" -iS node", 1, option("-i")),
        (" -vS node", 1, option("-v")),
        (" -", 1, option("-")),
        (" -0", 1, option("-0")),
        (" -é", 1, option("-é")),
        (" -u NAME node", 1, option("-u")),
        (" --unset=NAME node", 1, option("--unset")),
        (" --ignore-environment", 1, option("--ignore-environment")),
        (" --split-string node", 1, option("--split-string node")),
        (" --splitstring=node", 1, option("--splitstring")),
        (" --=node", 1, option("--")),
        (" -- node", 1, option("-- node")),
        (" -S -i node", 4, option("-i")),
        (" -S - node", 4, option("-")),
        (" -S -- - node", 7, option("-")),
        (" -S -C /tmp node", 4, option("-C")),
        (" -S-S", 3, missing("-S")),
        (" -S  --split-string", 5, missing("--split-string")),
        (" --split-string", 1, missing("--split-string")),
        (" -S node 'x", 9, Cause::UnterminatedQuote { quote: '\'' }),
        (" -S node x\"y '", 10, Cause::UnterminatedQuote { quote: '"' }),
        (r" -S node 'x\", 9, Cause::UnterminatedQuote { quote: '\'' }),
        (r" -S node x\", 10, Cause::TrailingBackslash),
        (r#" -S node "\"#, 10, Cause::TrailingBackslash),
        (r" -S node \q", 9, Cause::UnknownEscape { character: 'q' }),
        (r" -S node \ x", 9, Cause::UnknownEscape { character: ' ' }),
        (r" -S node \é", 9, Cause::UnknownEscape { character: 'é' }),
        (r#" -S node "a\cb""#, 11, Cause::StopInDoubleQuotes),
        (" -S node $FOO", 9, Cause::UnsupportedExpansion),
        (" -S node ${1}", 9, Cause::UnsupportedExpansion),
        (" -S node ${}", 9, Cause::UnsupportedExpansion),
        (" -S node \"${FOO", 10, Cause::UnsupportedExpansion),
        (" -S node ${FOO:-x}", 9, Cause::UnsupportedExpansion),
        (" -S node $", 9, Cause::UnsupportedExpansion),
        // The place of the word, where the text came out of quotes.
        (r#" -S -S "node \\q""#, 7, Cause::UnknownEscape { character: 'q' }),
        (" -S ${LOOP}", 4, Cause::NestedTooDeep { limit: 8 }),
        (" -S node ${BIG} ${BIG}", 16, Cause::TooLong { limit: 2_097_152 }),
    ];
    for (rest, at, cause) in cases {
        let head = format!("#!/usr/bin/env{rest}\n");
        let error = resolve(head.as_bytes()).unwrap_err();
        assert_eq!(&error.cause, cause, "{rest}");
        assert_eq!(error.at, "#!/usr/bin/env".len() + at, "{rest}");
        assert!(!error.hint().is_empty(), "{rest}");
    }
    assert_eq!(resolve(b"#!/usr/bin/env ").unwrap_err().cause, Cause::EmptyCommand);
}

#[test]
fn an_error_says_where_what_and_what_to_do() {
    let error = resolve(b"#!/usr/bin/env -i node\n").unwrap_err();
    assert_eq!(
        error.to_string(),
        "#! line, byte 16: env's option `-i` is not supported; only -S STRING and \
         --split-string=STRING are: #!/usr/bin/env -S NAME ARGUMENTS"
    );
    assert_eq!(error.exit_status(), 126);
    let error = resolve(b"#!/usr/bin/env -S node $X\n").unwrap_err();
    assert_eq!(
        error.to_string(),
        "#! line, byte 24: env's -S string expands only `${NAME}`; write ${NAME}, or \\$ for a \
         dollar sign"
    );
    assert_eq!(error.exit_status(), 125);
}

#[test]
fn a_base_name_is_the_last_component_of_a_unix_or_windows_path() {
    for (path, expected) in [
        ("/usr/bin/python3", "python3"),
        ("python3", "python3"),
        ("./x/y", "y"),
        ("/usr/bin/", ""),
        ("", ""),
        ("/usr/bin\\x", "bin\\x"),
        ("C:\\tools\\bash.exe", "bash.exe"),
        ("C:/tools/bash.exe", "bash.exe"),
        ("c:bash.exe", "bash.exe"),
        ("\\\\server\\share\\sh.exe", "sh.exe"),
    ] {
        assert_eq!(base_name(path.as_bytes()), bytes(expected), "{path}");
    }
}
