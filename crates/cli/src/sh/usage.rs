//! What `hookshell sh --help` shows. The command line itself is read without clap ([`super::main`]).

use std::ffi::OsString;

use clap::Args;

pub(crate) const USAGE: &str = "hookshell sh [OPTION]… [-c SCRIPT [NAME [ARG…]] | FILE [ARG…] | -s [ARG…]]";

pub(crate) const EXAMPLES: &str = "\
Options of sh and bash:
  -c                      run the first operand; the next one is $0
  -s                      read the commands from standard input (also without FILE)
  -e -f -n -u -v -x -C, +e …
                          set or unset an option of `set`
  -o NAME, +o NAME        the same by name: errexit, pipefail, …
  -O NAME, +O NAME        set or unset an option of `shopt`
  -r                      run as a restricted shell
  --posix                 the POSIX language instead of bash's

Options of hookshell:
  --utilities WHICH       bundled, path or off: which one runs if a bundled utility and a program
                          on PATH have the same name
  --missing-shell WHICH   interpret or fail: scripts for sh, bash, … if that shell is not installed
  --limit NAME=VALUE      limit what the script may use: call-depth, state-bytes, threads,
                          wall-time, … (docs/limits.md lists all limits)

The exit code is the script's. A wrong command line is 2, a missing script 127, as in any sh.
If hookshell is started under the name sh or bash, it runs as this command.

Examples:
  hookshell sh -euc 'echo \"$1\"' name argument
  hookshell sh build.sh release
  echo 'ls | wc -l' | hookshell sh";

#[derive(Debug, Args)]
pub(crate) struct ShArgs {
    #[arg(long, hide = true, action = clap::ArgAction::Help)]
    help: Option<bool>,
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true, value_hint = clap::ValueHint::AnyPath)]
    pub(crate) args: Vec<OsString>,
}
