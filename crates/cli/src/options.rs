//! The options that several commands have.

use std::path::PathBuf;

use clap::Args;
use hookshell_dispatch::{Dispatcher, DispatcherBuilder, MissingShell, ShellScripts, UtilityPreference};
use hookshell_runner::Dialect;
use hookshell_shell::{LimitError, Limits};

use crate::value_parsers;

/// Which hooks.
#[derive(Debug, Default, Clone, Args)]
pub(crate) struct HookSources {
    /// A config file. May be repeated; a later file takes precedence [default: the user's and the project's]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Vec<PathBuf>,
    /// Read configs and run hooks by the rules of this agent: crush, claude, codex, gemini, cursor, copilot or qwen [default:
    /// detected from each file's path and contents; without --config, Crush's files are read]
    #[arg(long, value_name = "AGENT", value_parser = value_parsers::agent(), hide_possible_values = true)]
    pub(crate) dialect: Option<Dialect>,
    /// A script or program that is a hook itself, in addition to the others. May be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) hook: Vec<PathBuf>,
    /// Ignore discovered hooks; use only --config and --hook
    #[arg(long)]
    pub(crate) no_hooks: bool,
}

/// How commands are dispatched.
#[derive(Debug, Default, Clone, Args)]
pub(crate) struct DispatchArgs {
    /// Which one runs if a bundled utility and a program on PATH have the same name
    #[arg(long, value_name = "bundled|path|off", default_value = "bundled", hide_possible_values = true,
        value_parser = value_parsers::words::<UtilityPreference, 3>(["bundled", "path", "off"]))]
    utilities: UtilityPreference,
    /// What to do with a script for sh, bash, dash, ash or ksh if that shell is not installed [default: interpret on
    /// Windows, fail elsewhere]
    #[arg(long, value_name = "interpret|fail", hide_possible_values = true,
        value_parser = value_parsers::words::<MissingShell, 2>(["interpret", "fail"]))]
    missing_shell: Option<MissingShell>,
    /// What runs a script for sh, bash, dash, ash or ksh: the installed shell, or hookshell's own
    #[arg(long, value_name = "installed|in-process", default_value = "installed", hide_possible_values = true,
        value_parser = value_parsers::words::<ShellScripts, 2>(["installed", "in-process"]))]
    shell_scripts: ShellScripts,
    /// Limit what a script may use. May be repeated: --limit call-depth=100 --limit state-bytes=64M --limit
    /// wall-time=2.5. docs/limits.md lists all limits
    #[arg(long = "limit", value_name = "NAME=VALUE", hide_possible_values = true,
        value_parser = value_parsers::limit(checked_limit))]
    limits: Vec<String>,
}

/// The text of a limit, which can be set.
fn checked_limit(text: &str) -> Result<String, LimitError> {
    Limits::default().set(text).map(|()| text.to_owned())
}

impl DispatchArgs {
    pub(crate) fn shell_scripts(&self) -> ShellScripts {
        self.shell_scripts
    }

    pub(crate) fn missing_shell(&self) -> Option<MissingShell> {
        self.missing_shell
    }

    /// For a command that is a process of its own.
    pub(crate) fn dispatcher(&self) -> Dispatcher {
        self.process_builder().build()
    }

    /// For this process, which does nothing else than to run commands.
    pub(crate) fn process_builder(&self) -> DispatcherBuilder {
        self.builder().copying_process()
    }

    /// For a process that does other things, too.
    pub(crate) fn builder(&self) -> DispatcherBuilder {
        let mut limits = Limits::default();
        for limit in &self.limits {
            // They were looked at when the command line was read.
            let _ = limits.set(limit);
        }
        let builder = Dispatcher::builder().utilities(self.utilities).shell_scripts(self.shell_scripts).limits(limits);
        match self.missing_shell {
            Some(missing_shell) => builder.missing_shell(missing_shell),
            None => builder,
        }
    }
}
