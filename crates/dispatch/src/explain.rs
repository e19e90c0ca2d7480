//! What would be done with a command, and why.

use std::fmt;
use std::path::PathBuf;

use bstr::ByteSlice;
use hookshell_shell::ExecError;

use crate::executor::ProgramExecutor;
use crate::foreign::{foreign_shell_hint, unknown_command_hint};
use crate::invocation::{Command, Invocation};
use crate::plan::Action;
use crate::route::Route;
use crate::shared::Shared;

/// What would be done with a command, without running it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explanation {
    /// The command's words; expansions as they stand in the source.
    pub tokens: Vec<String>,
    /// The first word of a command that is one simple command.
    pub argv0: Option<String>,
    /// Where it goes.
    pub route: Route,
    /// The program that would be started, where one would be.
    pub program: Option<PathBuf>,
    /// The arguments it would be given, `argv[0]` included.
    pub argv: Vec<String>,
    /// The why, step by step.
    pub reasons: Vec<String>,
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |words: &[String]| {
            let quoted: Vec<_> = words.iter().map(|word| shell_words::quote(word).into_owned()).collect();
            quoted.join(" ")
        };
        writeln!(f, "tokens:  {}", list(&self.tokens))?;
        writeln!(f, "argv[0]: {}", self.argv0.as_deref().unwrap_or("(none)"))?;
        writeln!(f, "route:   {}", self.route)?;
        if let Some(program) = &self.program {
            writeln!(f, "starts:  {}", program.display())?;
            writeln!(f, "argv:    {}", list(&self.argv))?;
        }
        for reason in &self.reasons {
            writeln!(f, "because: {reason}")?;
        }
        Ok(())
    }
}

impl Shared {
    /// What would be done with a command; to be called on a pool thread.
    pub(crate) fn explain(&self, invocation: &Invocation) -> Explanation {
        let show = |words: &[Vec<u8>]| -> Vec<String> { words.iter().map(|word| word.as_bstr().to_string()).collect() };
        let executor = self.executor(invocation);
        let mut explanation = Explanation {
            tokens: Vec::new(),
            argv0: None,
            route: Route::Shell,
            program: None,
            argv: Vec::new(),
            reasons: Vec::new(),
        };
        let words = match (&invocation.command, self.file_words(invocation)) {
            (Command::Source(source), _) => {
                let Some(command) = self.one_command(invocation) else {
                    let source = source.to_str_lossy();
                    explanation.tokens = shell_words::split(&source)
                        .unwrap_or_else(|_| source.split_whitespace().map(str::to_owned).collect());
                    let program = self.programs.parse(
                        &self.source(&source.as_bytes().into()),
                        invocation.dialect,
                        &self.limits,
                        &|| false,
                    );
                    explanation.reasons.push(match &program.error {
                        Some(error) => format!("it has a syntax error: {error}"),
                        None if program.units.is_empty() => "there is no command in it: nothing is run".into(),
                        None => "it is more than one simple command: shell code".into(),
                    });
                    return explanation;
                };
                explanation.tokens = show(&command.words);
                let is_path = command.is_path_like(self.platform);
                let Some(name) = command.name else {
                    explanation.argv0 = explanation.tokens.first().cloned();
                    explanation
                        .reasons
                        .push("argv[0] is known only after expansion: the shell resolves it, by the same probe".into());
                    return explanation;
                };
                explanation.argv0 = Some(name.as_bstr().to_string());
                if !is_path {
                    self.explain_shell_word(&name, &mut explanation);
                    if explanation.route != Route::Shell || !explanation.reasons.is_empty() {
                        return explanation;
                    }
                }
                let mut words = command.words;
                if let Some(first) = words.first_mut() {
                    *first = name;
                }
                if is_path {
                    explanation.reasons.push("argv[0] is a path: a file is started".into());
                } else {
                    explanation
                        .reasons
                        .push("argv[0] is no path: shell code, in which the shell starts the program".into());
                    self.explain_plan(&executor, invocation, words, &mut explanation);
                    explanation.route = Route::Shell;
                    return explanation;
                }
                words
            }
            (Command::File { .. }, words) => {
                let words = words.unwrap_or_default();
                explanation.tokens = show(&words);
                explanation.argv0 = explanation.tokens.first().cloned();
                words
            }
        };
        self.explain_plan(&executor, invocation, words, &mut explanation);
        explanation
    }

    /// Says what a name is that the shell has itself.
    fn explain_shell_word(&self, name: &[u8], explanation: &mut Explanation) {
        if hookshell_shell::is_builtin(name) {
            explanation
                .reasons
                .push(format!("argv[0] is no path: shell code; {} is built into the shell", name.as_bstr()));
        } else if self.utilities.utility(name).is_some() {
            explanation.reasons.push(format!(
                "argv[0] is no path: shell code; {} is a bundled utility for the options that it has exactly, else the \
                 program on PATH",
                name.as_bstr()
            ));
        }
    }

    fn explain_plan(
        &self,
        executor: &ProgramExecutor,
        invocation: &Invocation,
        words: Vec<Vec<u8>>,
        explanation: &mut Explanation,
    ) {
        let env = invocation.whole_env();
        if let Some(name) = words.first().filter(|name| self.is_own_program(name, &env, &invocation.cwd)) {
            explanation.reasons.push(format!("{} does not exist: the shell has that command itself", name.as_bstr()));
            explanation.route = Route::Shell;
            return;
        }
        let mut planner = self.planner(executor, &env, &invocation.cwd);
        let planned = planner.command(words, None);
        explanation.reasons.append(&mut planner.findings.notes);
        match planned {
            Ok(plan) => {
                explanation.route = plan.route;
                if let Action::Start { program, argv, .. } = plan.action {
                    explanation.program = Some(program);
                    explanation.argv = argv.iter().map(|arg| arg.as_bstr().to_string()).collect();
                }
            }
            Err(error) => {
                let reason = error.to_string();
                explanation.reasons.push(reason.clone());
                if let (ExecError::CommandNotFound, Some(name)) = (&error, &explanation.argv0) {
                    explanation.reasons.extend(unknown_command_hint(name, &invocation.cwd));
                }
                if let Command::Source(source) = &invocation.command {
                    explanation.reasons.extend(foreign_shell_hint(&self.source(source)));
                }
                explanation.route = Route::NotStartable { reason };
            }
        }
    }
}
