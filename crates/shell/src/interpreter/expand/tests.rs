//! A run that is told to stop does not finish the expansion of a long value.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookshell_syntax::ast::CaseChange;
use hookshell_syntax::{Dialect, Parser, SyntaxErrorCause};
use hookshell_utility::Args;

use super::sink::{FieldSink, StringSink};
use super::transform::change_case;
use super::{PIECE, piece_end};
use crate::{
    CancelReason, ExecError, ExecRequest, Executor, FdTable, Identity, Limits, NoUtilities, Pool, RunToken, Shell,
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

fn shell(cancel: &RunToken) -> Shell {
    let null = Arc::new(Stream::null());
    Shell::new(ShellConfig {
        executor: Arc::new(StartsNothing),
        utilities: Arc::new(NoUtilities),
        pool: Pool::new(),
        cancel: cancel.clone(),
        env: Arc::new(Vec::new()),
        cwd: std::env::temp_dir(),
        fds: FdTable::new(null.clone(), null.clone(), null),
        name: "test".into(),
        args: Vec::new(),
        dialect: Dialect::Bash,
        limits: Limits::default(),
        identity: Identity::Virtual(crate::FIRST_VIRTUAL_ID),
        is_command_string: false,
    })
}

#[test]
fn field_splitting_ends_when_the_run_is_told_to_stop() {
    let cancel = RunToken::isolated();
    let shell = shell(&cancel);
    let text = b"ab ".repeat(PIECE);
    let split = |shell: &Shell| {
        let mut fields = Args::new();
        let mut sink = FieldSink::new(&mut fields, true, false);
        shell.split(&text, &mut sink);
        let stopped = sink.stopped;
        (fields.len(), stopped)
    };
    assert_eq!(split(&shell), (PIECE, false));
    cancel.cancel(CancelReason::TimedOut);
    assert_eq!(split(&shell), (0, true));
}

#[test]
fn reading_a_text_ends_when_the_run_is_told_to_stop() {
    let cancel = RunToken::isolated();
    let shell = shell(&cancel);
    let text = [b":".to_vec(), b" x".repeat(10_000)].concat();
    let read = || shell.next_unit(&mut Parser::new(&text), &shell.parse_options()).map(|unit| unit.is_some());
    assert_eq!(read(), Ok(true));
    cancel.cancel(CancelReason::TimedOut);
    assert_eq!(read().map_err(|error| error.cause), Err(SyntaxErrorCause::Stopped));
}

#[test]
fn pieces_are_split_as_the_whole() {
    let shell = shell(&RunToken::isolated());
    // Fields and separators of all lengths stand across the ends of the pieces.
    for length in [2, 3, 5, 7] {
        let field = [&"é".repeat(length).into_bytes()[..], b"  "].concat();
        let text = field.repeat(PIECE / 4);
        let mut fields = Args::new();
        shell.split(&text, &mut FieldSink::new(&mut fields, true, false));
        assert_eq!(fields.len(), PIECE / 4);
        assert!(fields.iter_from(0).all(|one| one == &field[..field.len() - 2]), "{length}");
    }
    let mut whole = Vec::new();
    shell.split(&b"a b".repeat(PIECE), &mut StringSink(&mut whole));
    assert_eq!(whole.len(), 3 * PIECE);
}

#[test]
fn a_piece_never_ends_within_a_character() {
    for shift in 0..3 {
        let text = ["a".repeat(shift), "€".repeat(PIECE)].concat();
        let end = piece_end(text.as_bytes());
        assert!((PIECE..PIECE + 3).contains(&end) && text.is_char_boundary(end), "{shift}: {end}");
    }
    assert_eq!((piece_end(b"abc"), piece_end(b"")), (3, 0));
}

#[test]
fn case_modification_ends_when_the_run_is_told_to_stop() {
    let text = "aß".repeat(PIECE);
    let upper = |stopped: &dyn Fn() -> bool| change_case(text.as_bytes(), CaseChange::UpperAll, None, false, stopped);
    assert_eq!(upper(&|| false), "Aß".repeat(PIECE).into_bytes());
    let looks = std::cell::Cell::new(0);
    let second = || {
        looks.set(looks.get() + 1);
        looks.get() == 2
    };
    assert_eq!((upper(&second), looks.get()), (Vec::new(), 2));
}
