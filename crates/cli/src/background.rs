//! The hooks of the background of an event whose agent waits for this process: another process of hookshell's runs them.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Seek, Write};

use hookshell_process::{ProcessTree, SpawnRequest};

/// Starts this command once more, for the hooks of the background alone. It has the same arguments and this payload on standard
/// input, and nothing else of ours: no stream whose end the agent waits for, and no process group that it ends.
pub(crate) fn start(payload: &[u8]) -> io::Result<()> {
    let program = std::env::current_exe()?;
    let argv = again(&["--background".into()]);
    let env: Vec<(OsString, OsString)> = std::env::vars_os().collect();
    let input = input(payload)?;
    let request = SpawnRequest {
        program: &program,
        argv: &argv,
        env: &env,
        cwd: &std::env::current_dir()?,
        fds: &[(0, &input)],
        close_missing: false,
        umask: None,
        ignored_signals: 0,
        limits: &[],
    };
    let tree = ProcessTree::isolated();
    tree.spawn(&request).map_err(io::Error::other)?;
    // It lives on when this process ends.
    tree.release();
    Ok(())
}

/// This command line, with further options.
pub(crate) fn again(options: &[OsString]) -> Vec<OsString> {
    let mut argv: Vec<OsString> = std::env::args_os().collect();
    // After the subcommand: following a `--` they would be no options.
    let at = argv.len().min(2);
    argv.splice(at..at, options.iter().cloned());
    argv
}

/// A file without a name: a pipe would have to be written by somebody.
pub(crate) fn input(payload: &[u8]) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    file.write_all(payload)?;
    file.rewind()?;
    Ok(file)
}
