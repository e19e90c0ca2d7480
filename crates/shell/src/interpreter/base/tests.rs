//! A shell that begins with a kept environment is the one that the whole environment makes.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookshell_process::text;
use hookshell_syntax::{Dialect, ParseOptions, parse_program};

use super::BaseEnvironment;
use crate::{
    Capture, ExecError, ExecRequest, Executor, FdTable, Identity, Limits, NoUtilities, Pool, RunToken, Shell,
    ShellConfig, Started, Stream,
};

struct StartsNothing;

impl Executor for StartsNothing {
    fn start(&self, _: &ExecRequest<'_>) -> Result<Started, ExecError> {
        Err(ExecError::CommandNotFound)
    }

    fn find(&self, _: &[u8], _: &[u8], _: &Path) -> Option<PathBuf> {
        None
    }
}

type Variables = Vec<(OsString, OsString)>;

fn variables(list: &[(&str, &str)]) -> Variables {
    list.iter().map(|(name, value)| (name.into(), value.into())).collect()
}

fn shell(base: &BaseEnvironment, own: Variables, dialect: Dialect) -> (Shell, Capture) {
    let null = Arc::new(Stream::null());
    let (stdout, capture) = Stream::capture(1 << 20);
    let config = ShellConfig {
        executor: Arc::new(StartsNothing),
        utilities: Arc::new(NoUtilities),
        pool: Pool::new(),
        cancel: RunToken::isolated(),
        env: Arc::new(own),
        cwd: std::env::temp_dir(),
        fds: FdTable::new(null.clone(), Arc::new(stdout), null),
        name: "test".into(),
        args: Vec::new(),
        dialect,
        limits: Limits::default(),
        identity: Identity::Virtual(crate::FIRST_VIRTUAL_ID),
        is_command_string: true,
    };
    (Shell::with_base(config, base), capture)
}

/// Everything that the environment makes of a shell.
fn describe(shell: &mut Shell) -> Vec<String> {
    let mut lines: Vec<String> = shell
        .vars
        .sorted()
        .into_iter()
        .map(|id| {
            format!("{} {:?} {:?}", bstr::BStr::new(&shell.vars.name(id)), shell.vars.get(id), shell.vars.special(id))
        })
        .collect();
    let mut exported: Vec<String> = shell.vars.environment().iter().map(|pair| format!("{pair:?}")).collect();
    exported.sort();
    lines.append(&mut exported);
    let mut functions: Vec<String> =
        shell.env.inherited.functions.keys().map(|name| format!("{:?}", bstr::BStr::new(name))).collect();
    functions.sort();
    lines.append(&mut functions);
    lines.push(format!(
        "{:?} {} {:?} {:?} {}",
        shell.env.options, shell.env.bytes, shell.env.last_argument, shell.env.inherited.cwd, shell.env.trace_fd
    ));
    lines
}

fn base_variables() -> Variables {
    let mut base = variables(&[
        ("HOME", "/home/me"),
        ("PATH", "/bin"),
        ("SHLVL", "3"),
        ("LANG", "C.UTF-8"),
        ("_", "/bin/x"),
        ("A(b)", "1"),
        ("BASH_FUNC_f%%", "() { echo f; }"),
        ("OLD", "old"),
        ("BASH_XTRACEFD", "1"),
    ]);
    let temp = std::env::temp_dir();
    base.push(("PWD".into(), text::to_os(&crate::paths::shell_path(&text::from_path(&temp))).into_owned()));
    base
}

#[test]
fn a_kept_beginning_makes_the_same_shell() {
    let cases: &[&[(&str, &str)]] = &[
        &[],
        &[("CRUSH", "1"), ("CRUSH_EVENT", "PreToolUse")],
        &[("OLD", "new")],
        &[("PATH", "/usr/bin")],
        &[("LC_ALL", "C")],
        &[("SHLVL", "7")],
        &[("PWD", "/nowhere")],
        &[("IFS", ":")],
        &[("PPID", "1"), ("UID", "2"), ("PS4", "x")],
        &[("SHELLOPTS", "noglob"), ("POSIXLY_CORRECT", "y")],
        &[("BASH_FUNC_g%%", "() { echo g; }")],
        &[("_", "own")],
        &[("TERM", "xterm")],
        &[("a-b", "no name")],
        &[("BASH_XTRACEFD", "0")],
    ];
    for dialect in [Dialect::Bash, Dialect::Posix] {
        for own in cases {
            let base = BaseEnvironment::new(base_variables());
            let own = variables(own);
            let whole = base.with(&own);
            let expected = describe(&mut shell(&BaseEnvironment::default(), whole, dialect).0);
            // The first of all, made for others too, and kept.
            for _ in 0..3 {
                assert_eq!(describe(&mut shell(&base, own.clone(), dialect).0), expected, "{own:?}");
            }
        }
    }
}

#[test]
fn what_a_script_changes_is_its_own() {
    let base = BaseEnvironment::new(base_variables());
    let run = |script: &str| {
        let (mut shell, capture) = shell(&base, variables(&[("OWN", "1")]), Dialect::Bash);
        shell.run_program(&parse_program(script.as_bytes(), &ParseOptions::default()));
        String::from_utf8(capture.take()).unwrap()
    };
    let show = "echo \"$HOME $OLD ${OLD+set} $OWN\"";
    let before = "/home/me old set 1\n";
    let cases = [
        (format!("(HOME=x; unset OLD; OWN=2; {show}); {show}"), format!("x   2\n{before}")),
        (format!("f() {{ local HOME=x OLD; {show}; }}; f; {show}"), format!("x   1\n{before}")),
        (format!("f() {{ {show}; }}; HOME=y f; {show}"), format!("y old set 1\n{before}")),
        (format!("f() {{ local OLD=1; unset OLD; (OLD=z; {show}); declare -g OLD=g; }}; f; {show}"), {
            "/home/me z set 1\n/home/me g set 1\n".to_owned()
        }),
        (format!("x=$(OLD=y; {show}); echo \"$x\"; {show}"), format!("/home/me y set 1\n{before}")),
        (format!("OLD+=er; unset HOME; echo $OLD | {{ read -r x; OLD=$x$x; {show}; }}; {show}"), {
            " olderolder set 1\n older set 1\n".to_owned()
        }),
        (format!("HOME=/a; OLD=; {show}"), "/a  set 1\n".to_owned()),
        (show.to_owned(), before.to_owned()),
    ];
    for (script, expected) in cases {
        assert_eq!(run(&script), expected, "{script}");
    }
}
