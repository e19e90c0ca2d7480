//! The hooks of the background of an event whose agent waits for this process: another process of hookshell's runs them.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Seek, Write};
use std::sync::Arc;

use hookshell_process::{Child, ProcessTree, SpawnRequest};

/// Starts this command once more, for the hooks of the background alone: with no stream of ours whose end the agent waits for, and
/// in no process group that it ends.
pub(crate) fn start(payload: &[u8]) -> io::Result<()> {
    let tree = ProcessTree::isolated();
    start_again(&tree, "--background".into(), payload, &[], 0)?;
    // It lives on when this process ends.
    tree.release();
    Ok(())
}

/// Starts this command once more in this tree: with the same arguments and this option, this payload on standard input, these other
/// streams, and nothing else of ours.
pub(crate) fn start_again(
    tree: &ProcessTree,
    option: OsString,
    payload: &[u8],
    streams: &[(u32, &File)],
    ignored_signals: u64,
) -> io::Result<Arc<Child>> {
    let program = std::env::current_exe()?;
    let argv = with_option(std::env::args_os().collect(), option);
    let env: Vec<(OsString, OsString)> = std::env::vars_os().collect();
    let input = input(payload)?;
    let mut fds = vec![(0, &input)];
    fds.extend_from_slice(streams);
    let request = SpawnRequest {
        program: &program,
        argv: &argv,
        env: &env,
        cwd: &std::env::current_dir()?,
        fds: &fds,
        close_missing: false,
        umask: None,
        ignored_signals,
        limits: &[],
    };
    tree.spawn(&request).map_err(io::Error::other)
}

/// The command line with one more option.
fn with_option(mut argv: Vec<OsString>, option: OsString) -> Vec<OsString> {
    // After the subcommand: following a `--` it would be no option.
    argv.insert(argv.len().min(2), option);
    argv
}

/// A file without a name: a pipe would have to be written by somebody.
fn input(payload: &[u8]) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    file.write_all(payload)?;
    file.rewind()?;
    Ok(file)
}
