//! The in-process shell in the place of one that may be installed (`shell_scripts = in-process`).

use bstr::ByteSlice;
use hookshell_process::{script_path, text};
use hookshell_shebang::{Head, Resolved, base_name};
use hookshell_shell::command_line::Input;
use hookshell_shell::{ExecError, ScriptSource, ShellScripts};

use super::script_file::ScriptFile;
use super::{Action, Plan, Planner, fallback_shell};
use crate::platform::Platform;
use crate::shells::{self, ShellUse, is_shell};

/// Why the in-process shell runs it.
const BY_SETTING: &str = "shell_scripts = in-process";

impl Planner<'_> {
    /// A shell's command line, as a command has it: `bash FILE`, `/bin/sh -c '…'`. `None`: it is no shell's, or it goes to the
    /// installed one.
    pub(super) fn command_in_process(
        &mut self,
        argv: &[Vec<u8>],
        argv0: Option<&[u8]>,
    ) -> Result<Option<Plan>, ExecError> {
        if self.shell_scripts != ShellScripts::InProcess {
            return Ok(None);
        }
        if let Some(carrier) = Carrier::of(argv) {
            return self.carried(argv, carrier);
        }
        if argv.first().is_none_or(|name| !is_shell(self.platform, base_name(name)) || self.is_script(name)) {
            return Ok(None);
        }
        let line = match shells::parse(self.platform, argv) {
            Ok(line) => line,
            Err(error) => {
                self.refuse_in_process(&argv[0], &format!("it does not take the command line: {error}"));
                return Ok(None);
            }
        };
        let name = argv0.unwrap_or(&argv[0]);
        let plan = self.shell_command_line(line, name, None, &[])?;
        let plan = self.readable(plan, &argv[0]);
        if plan.is_some() {
            self.find_as_program(&argv[0]);
        }
        Ok(plan)
    }

    /// Notes where PATH has the program whose work is done here: `_` is the same as where that one runs.
    fn find_as_program(&mut self, name: &[u8]) {
        if self.platform != Platform::Unix {
            return;
        }
        if self.platform.has_separator(name) {
            self.findings.found_as = name.to_vec();
        } else if let Ok(found) = self.with_search(|search| search.program(name)) {
            self.findings.found_as = script_path::by_relative_element(&self.path, name, self.cwd, &found.path)
                .unwrap_or_else(|| text::from_path(&found.path).into_owned());
        }
    }

    /// A script whose `#!` line names a shell. `None`: it names another interpreter, or the installed shell runs it.
    pub(super) fn script_in_process(
        &mut self,
        resolved: &Resolved<'_>,
        file: &ScriptFile<'_>,
    ) -> Result<Option<Plan>, ExecError> {
        let shell = resolved.interpreter.as_bytes();
        if self.shell_scripts != ShellScripts::InProcess || !is_shell(self.platform, base_name(shell)) {
            return Ok(None);
        }
        let mut argv = fallback_shell::command_line(resolved, file.given);
        argv.extend_from_slice(file.args);
        let line = match shells::parse(self.platform, &argv) {
            Ok(line) => line,
            Err(error) => {
                self.refuse_in_process(file.given, &format!("it does not take the options of its #! line: {error}"));
                return Ok(None);
            }
        };
        let plan = match &line.input {
            Input::File(script) if *script == file.given => self.interpret(*file, line.setup, None)?,
            // With `-c` or `-s` in the `#!` line the file is an operand.
            _ => self.shell_command_line(line, shell, None, file.assignments)?,
        };
        Ok(self.readable(plan, file.given))
    }

    /// `nice bash FILE`, `setsid ./x.sh`: a program would start the script as a process, whose priority or session it
    /// changes. Here is none, so that the script is run as it is. `None`: what is started is no script for a shell.
    fn carried(&mut self, argv: &[Vec<u8>], carrier: Carrier) -> Result<Option<Plan>, ExecError> {
        let (notes, path, found_as) = (self.findings.notes.len(), self.path.clone(), self.findings.found_as.clone());
        let inner = argv.get(carrier.words..).unwrap_or_default().to_vec();
        let planned = self.command(inner, None);
        if let Ok(Plan { action: Action::Interpret(mut script), route }) = planned
            && self.findings.in_process.as_deref() == Some(BY_SETTING)
        {
            let name = carrier.name;
            // It would hand on the environment that it was started with, `_` included.
            self.find_as_program(&argv[0]);
            self.findings
                .notes
                .push(format!("{name} is not started: what it changes of a process is nothing to a script in process"));
            script.ignored_signals = carrier.ignored_signals;
            return Ok(Some(Plan { action: Action::Interpret(script), route }));
        }
        // The carrier is looked up for itself.
        self.findings.notes.truncate(notes);
        (self.path, self.findings.found_as, self.findings.where_looked) = (path, found_as, None);
        Ok(None)
    }

    /// The plan if its source is one for the in-process shell; `what` is what messages call it.
    fn readable(&mut self, mut plan: Plan, what: &[u8]) -> Option<Plan> {
        if let Action::Interpret(script) = &mut plan.action
            && let ScriptSource::File(text) | ScriptSource::CommandString(text) = &script.source
        {
            match self.scripts.read(text, &script.setup) {
                Ok(program) => script.program = program,
                Err(error) => {
                    let (line, cause) = (error.position.line, &error.cause);
                    self.refuse_in_process(what, &format!("it cannot read the script: line {line}: {cause}"));
                    return None;
                }
            }
        }
        self.findings.notes.push(format!("{} is run by the in-process shell ({BY_SETTING})", what.as_bstr()));
        self.findings.in_process = Some(BY_SETTING.to_owned());
        Some(plan)
    }

    fn refuse_in_process(&mut self, what: &[u8], why: &str) {
        self.findings.notes.push(format!(
            "{} is not for the in-process shell, although {BY_SETTING}: {why}; it is left to the installed shell",
            what.as_bstr()
        ));
        self.findings.not_in_process = Some(format!("not in process: {why}"));
    }

    /// Is it the path of a file that has a shell's name and is none, but a script (`./tools/sh`)? It is run as any other.
    fn is_script(&self, name: &[u8]) -> bool {
        if !self.platform.has_separator(name) {
            return false;
        }
        let path = self.with_search(|search| search.absolute(name));
        let probed = self.prober.probe(&path);
        probed.is_ok_and(|probed| matches!(probed.head(), Some(Head::Shebang(_) | Head::ShellSource)))
    }

    /// Which shell ran a plan, and why, where that is worth a word.
    pub(crate) fn shell_use<'w>(&self, action: &Action, argv: impl Iterator<Item = &'w [u8]>) -> Option<ShellUse> {
        /// How much of a command line is told.
        const WORDS: usize = 3;
        let words: Vec<_> = argv.take(WORDS).map(shown).collect();
        let (shell, reason) = match action {
            Action::Interpret(_) => (ShellUse::IN_PROCESS.to_owned(), self.findings.in_process.as_ref()?),
            Action::Start { program, .. } => (program.display().to_string(), self.findings.not_in_process.as_ref()?),
        };
        Some(ShellUse { command: words.join(" "), shell, reason: reason.clone() })
    }
}

/// A command in front of another that changes of its process only what a script in process has nothing of.
#[derive(Clone, Copy)]
struct Carrier {
    name: &'static str,
    /// How many words it has of its own.
    words: usize,
    /// What it makes the command ignore.
    ignored_signals: u64,
}

impl Carrier {
    fn of(argv: &[Vec<u8>]) -> Option<Self> {
        /// SIGHUP, signal 1.
        const HANGUP: u64 = 1;
        let (name, operands) = argv.split_first()?;
        let is_plain = |word: &&Vec<u8>| [&b"-w"[..], b"--wait", b"-c", b"--ctty"].contains(&word.as_slice());
        let (name, options, ignored_signals) = match base_name(name) {
            b"nohup" => ("nohup", 0, HANGUP),
            b"setsid" => ("setsid", operands.iter().take_while(is_plain).count(), 0),
            b"nice" => ("nice", options_of_nice(operands)?, 0),
            _ => return None,
        };
        let end = operands.get(options).is_some_and(|word| word == b"--");
        let words = 1 + options + usize::from(end);
        argv.get(words).filter(|word| !word.starts_with(b"-"))?;
        Some(Self { name, words, ignored_signals })
    }
}

/// How many words the options of `nice` are: `-n N`, `-nN`, `-N`, `--adjustment=N`. `None`: others, for the real one.
fn options_of_nice(operands: &[Vec<u8>]) -> Option<usize> {
    let is_number = |text: &[u8]| {
        let digits = text.strip_prefix(b"-").or(text.strip_prefix(b"+")).unwrap_or(text);
        !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
    };
    match operands.first()?.as_slice() {
        b"-n" | b"--adjustment" => is_number(operands.get(1)?).then_some(2),
        b"--" => Some(0),
        word => match word.strip_prefix(b"--adjustment=").or(word.strip_prefix(b"-n")).or(word.strip_prefix(b"-")) {
            Some(value) => is_number(value).then_some(1),
            None => Some(0),
        },
    }
}

/// The beginning of a word's first line.
fn shown(word: &[u8]) -> String {
    /// A script's path is as good as always shorter.
    const LENGTH: usize = 200;
    let line = word.lines().next().unwrap_or_default();
    let text = line.as_bstr().to_string();
    match text.char_indices().nth(LENGTH) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None if line.len() < word.len() => format!("{text}…"),
        None => text,
    }
}
