//! Arithmetic: read in both dialects, and evaluated by a shell that starts nothing.
#![no_main]

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use hookshell_shell::{
    RunToken, ExecError, ExecRequest, Executor, FdTable, Identity, Limits, NoUtilities, Pool, Shell, ShellConfig,
    Started, Stream,
};
use hookshell_syntax::{DEFAULT_MAX_DEPTH, Dialect, ParseOptions, parse_arithmetic, parse_number, parse_program};
use libfuzzer_sys::fuzz_target;

/// One for all runs: new threads take most of the time under the address sanitizer.
static POOL: LazyLock<Pool> = LazyLock::new(Pool::new);

struct StartsNothing;

impl Executor for StartsNothing {
    fn start(&self, _: &ExecRequest<'_>) -> Result<Started, ExecError> {
        Err(ExecError::CommandNotFound)
    }

    fn find(&self, _: &[u8], _: &[u8], _: &Path) -> Option<PathBuf> {
        None
    }
}

fuzz_target!(|text: &[u8]| {
    if text.len() > 300 {
        return;
    }
    for dialect in [Dialect::Bash, Dialect::Posix] {
        let _ = parse_number(text, dialect);
        let _ = parse_arithmetic(text, dialect, DEFAULT_MAX_DEPTH);
    }
    // Evaluated as a value (`let`) and as source, unless the text could run or write something.
    if text.iter().any(|byte| b"$`'\"\\\n".contains(byte)) {
        return;
    }
    let value = [&b"x=2 i=3 a=(1 2 3)\nlet '"[..], text, b"'\necho $x $i ${a[@]}\n"].concat();
    assert!(!evaluate(value), "the shell panicked");
});

/// Did it panic?
fn evaluate(source: Vec<u8>) -> bool {
    let pool = POOL.clone();
    let (stdout, _captured) = Stream::capture(1 << 16);
    let (stderr, _errors) = Stream::capture(1 << 16);
    let config = ShellConfig {
        executor: Arc::new(StartsNothing),
        utilities: Arc::new(NoUtilities),
        pool: pool.clone(),
        cancel: RunToken::isolated(),
        env: Arc::new(Vec::new()),
        cwd: "/".into(),
        fds: FdTable::new(Arc::new(Stream::null()), Arc::new(stdout), Arc::new(stderr)),
        name: "fuzz".into(),
        args: Vec::new(),
        dialect: Dialect::Bash,
        limits: Limits::default(),
        identity: Identity::Virtual(hookshell_shell::FIRST_VIRTUAL_ID),
        is_command_string: false,
    };
    let ended = pool.call(move || {
        let program = parse_program(source, &ParseOptions::default());
        Shell::new(config).run_program(&program)
    });
    ended.is_none()
}
