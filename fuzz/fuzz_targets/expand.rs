//! Expansion: one word in every place where words are expanded, by a shell that starts nothing.
#![no_main]

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use hookshell_shell::{
    CancelReason, RunToken, ExecError, ExecRequest, Executor, FdTable, Identity, Limits, NoUtilities, Pool, Shell,
    ShellConfig, Started, Stream,
};
use hookshell_syntax::{Dialect, ParseOptions, parse_program};
use libfuzzer_sys::fuzz_target;

/// What one word may take; then it is cancelled, which must end it.
const TIME: Duration = Duration::from_secs(2);

/// How long the end may take after that.
const GRACE: Duration = Duration::from_secs(5);

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

fuzz_target!(|word: &[u8]| {
    // No redirection and no command: this is about expansions, and nothing may touch the disk.
    if word.len() > 400 || word.iter().any(|byte| b"<>\n".contains(byte)) {
        return;
    }
    let mut source = b"x='a b*' y= i=3 a=(1 'b c' [5]=d); declare -A m=([k]=v); set -- one 'two 2' ''\n".to_vec();
    let probe = parse_program([&b"z=("[..], word, b")"].concat(), &ParseOptions::default());
    let tree = format!("{:?}", probe.units);
    let is_one_word_list = probe.error.is_none() && probe.units.len() == 1 && probe.units[0].list.items.len() == 1;
    if !is_one_word_list || tree.contains("CommandSubstitution(") || tree.contains("ProcessSubstitution(") {
        return;
    }
    for (head, tail) in [("z=(", ")"), ("set -- ", ""), ("x=", ""), ("case $x in a) ;; ", ") ;; esac"), ("[[ $x == ", " ]]")] {
        source.extend_from_slice(head.as_bytes());
        source.extend_from_slice(word);
        source.extend_from_slice(tail.as_bytes());
        source.push(b'\n');
    }
    run(source);
});

fn run(source: Vec<u8>) {
    let cancel = RunToken::isolated();
    let pool = POOL.clone();
    let (stdout, _captured) = Stream::capture(1 << 20);
    let (stderr, _errors) = Stream::capture(1 << 20);
    let null = Arc::new(Stream::null());
    let config = ShellConfig {
        executor: Arc::new(StartsNothing),
        utilities: Arc::new(NoUtilities),
        pool: pool.clone(),
        cancel: cancel.clone(),
        env: Arc::new(Vec::new()),
        cwd: "/usr/share".into(),
        fds: FdTable::new(null, Arc::new(stdout), Arc::new(stderr)),
        name: "fuzz".into(),
        args: Vec::new(),
        dialect: Dialect::Bash,
        limits: Limits { expansion_bytes: 1 << 20, captured_bytes: 1 << 20, glob_results: 1_000, ..Limits::default() },
        identity: Identity::Virtual(hookshell_shell::FIRST_VIRTUAL_ID),
        is_command_string: false,
    };
    let (sender, ended) = sync_channel(1);
    let text = source.clone();
    let started = pool.run(move || {
        // A panic drops the sender, which the other side sees.
        let program = parse_program(source, &ParseOptions::default());
        let exit = Shell::new(config).run_program(&program);
        let _ = sender.send(exit);
    });
    if started.is_err() {
        return;
    }
    let text = bstr::BStr::new(&text);
    match ended.recv_timeout(TIME) {
        Ok(_) => {}
        Err(RecvTimeoutError::Disconnected) => panic!("the shell panicked: {text:?}"),
        Err(RecvTimeoutError::Timeout) => {
            cancel.cancel(CancelReason::TimedOut);
            cancel.kill(CancelReason::TimedOut);
            match ended.recv_timeout(GRACE) {
                Ok(_) => {}
                Err(RecvTimeoutError::Disconnected) => panic!("the shell panicked: {text:?}"),
                Err(RecvTimeoutError::Timeout) => panic!("does not end when cancelled: {text:?}"),
            }
        }
    }
}
