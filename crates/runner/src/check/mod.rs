//! What is wrong with configs and with the commands and scripts that they name, without running anything.

mod bashism;
mod code;
mod command;
mod finding;
mod guard;
mod judge;
mod kind;
mod list;
pub(crate) mod matcher;
mod operands;
mod other_language;
mod own_codes;
mod portable;
mod programs;
mod project;
mod script;
mod suppress;
mod target;
mod text;
mod walk;
mod words;
mod wrapper;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

pub use code::FindingCode;
pub use finding::{Finding, Severity};
use hookshell_dispatch::{Dispatcher, Environment, MissingShell, ShellScripts};
use serde::Serialize;

use finding::{Sink, of_config, of_warning, shown, unknown_code, unread_directory};
use judge::Allowance;
use own_codes::own_codes;
use suppress::Comments;
pub use target::CheckTarget;

use crate::config::{Config, ConfigError, FoundFile, HookConfig, Origin};
use crate::dialect::Dialect;
use crate::event_kind::EventKind;
use crate::read_file::{CONFIG_LIMIT, read_regular};

/// A timeout from here on is likely meant as milliseconds: nobody waits a quarter of an hour before a tool call.
const LONG_TIMEOUT_SECONDS: u64 = 1000;

/// A timeout below it is likely meant as seconds: few hooks end in half a second on every machine.
const SHORT_TIMEOUT: Duration = Duration::from_millis(500);

/// What a check found.
#[derive(Debug, Default, Serialize)]
#[non_exhaustive]
pub struct CheckReport {
    /// The configs that were read.
    pub files: Vec<String>,
    /// How many hooks they have.
    pub hooks: usize,
    /// What is wrong, in the order of the files.
    pub findings: Vec<Finding>,
    /// How many findings comments, config keys and options have switched off.
    pub ignored: usize,
    /// Could a config not be read?
    pub unreadable: bool,
    /// What is left of what is done for programs in commands.
    #[serde(skip)]
    allowance: Arc<Allowance>,
}

/// Checks configs: their own shape, the syntax of inline commands (with the place in the config), the scripts that
/// commands name, their interpreters, matchers and timeouts. Nothing is run.
pub struct Checker {
    dispatcher: Dispatcher,
    env: Environment,
    cwd: PathBuf,
    is_cwd_fixed: bool,
    portable: bool,
    dialect: Option<Dialect>,
    target: Option<CheckTarget>,
    missing_shell: Option<MissingShell>,
    shell_scripts: ShellScripts,
    ignored: Vec<FindingCode>,
    model_fault: Option<String>,
}

impl Checker {
    /// A checker of hooks that would run in `cwd`, which is absolute, with this environment.
    pub fn new(dispatcher: Dispatcher, env: impl Into<Environment>, cwd: impl Into<PathBuf>) -> Self {
        Self {
            dispatcher,
            env: env.into(),
            cwd: cwd.into(),
            is_cwd_fixed: false,
            portable: false,
            dialect: None,
            target: None,
            missing_shell: None,
            shell_scripts: ShellScripts::default(),
            ignored: Vec::new(),
            model_fault: None,
        }
    }

    /// Says why the model that hooks ask cannot be asked, whoever sets it up; `None`: nothing is known against it.
    #[must_use]
    pub fn model_fault(mut self, fault: Option<String>) -> Self {
        self.model_fault = fault;
        self
    }

    /// Takes every config for one of the project in the checker's directory. Else a config that lies in a project below that is taken
    /// for one of that project.
    #[must_use]
    pub fn in_this_project(mut self, is_so: bool) -> Self {
        self.is_cwd_fixed = is_so;
        self
    }

    /// Also says what in any shell code not every sh takes.
    #[must_use]
    pub fn portable(mut self, portable: bool) -> Self {
        self.portable = portable;
        self
    }

    /// Reads every config in this dialect; unless set each file's is guessed.
    #[must_use]
    pub fn dialect(mut self, dialect: Option<Dialect>) -> Self {
        self.dialect = dialect;
        self
    }

    /// Also reports what this system does not have of what hooks use. What the machine that checks does not have counts
    /// only if it is such a system.
    #[must_use]
    pub fn target(mut self, target: Option<CheckTarget>) -> Self {
        self.target = target;
        self
    }

    /// What the hooks' runner does about scripts for a shell that is not there; `None`: the default of the target.
    #[must_use]
    pub fn missing_shell(mut self, missing_shell: Option<MissingShell>) -> Self {
        self.missing_shell = missing_shell;
        self
    }

    /// What runs scripts for shells, where a hook does not say it.
    #[must_use]
    pub fn shell_scripts(mut self, shell_scripts: ShellScripts) -> Self {
        self.shell_scripts = shell_scripts;
        self
    }

    /// Leaves out findings with these codes.
    #[must_use]
    pub fn ignore(mut self, codes: impl IntoIterator<Item = FindingCode>) -> Self {
        self.ignored.extend(codes);
        self
    }

    /// Is it said what the machine that checks does not have?
    fn judges_this_machine(&self) -> bool {
        self.target.is_none_or(CheckTarget::is_host)
    }

    /// Checks config files.
    pub fn check<P: AsRef<Path>>(&self, files: impl IntoIterator<Item = P>) -> CheckReport {
        let mut report = CheckReport::default();
        for file in files {
            self.check_config(file, &mut report);
        }
        report
    }

    /// Checks a config file, after what the report has.
    pub fn check_config(&self, file: impl AsRef<Path>, report: &mut CheckReport) {
        self.check_file(file.as_ref(), true, Config::add_file, report);
    }

    /// Checks hook files ([`Config::add_hook_file`]), after what the report has.
    pub fn check_hook_files<P: AsRef<Path>>(&self, files: impl IntoIterator<Item = P>, report: &mut CheckReport) {
        for file in files {
            let add = |config: &mut Config, path: &Path| {
                config.add_hook_file(&FoundFile { path: path.to_owned(), origin: Origin::Given })
            };
            self.check_file(file.as_ref(), false, add, report);
        }
    }

    /// Reports a directory whose files cannot be checked, since nobody knows what they are.
    pub fn unread_directory(&self, directory: &Path, why: &str, report: &mut CheckReport) {
        if self.ignored.contains(&FindingCode::UnreadableConfig) {
            report.ignored += 1;
        } else {
            report.unreadable = true;
            report.findings.push(unread_directory(directory, why));
        }
    }

    fn check_file<'f>(
        &self,
        file: &'f Path,
        is_config: bool,
        add: impl FnOnce(&mut Config, &'f Path) -> Vec<ConfigError>,
        report: &mut CheckReport,
    ) {
        report.files.push(file.display().to_string());
        let before = report.findings.len();
        let mut config = Config::in_dialect(self.dialect);
        for error in add(&mut config, file) {
            report.findings.push(of_config(&error, file));
        }
        report.hooks += config.hooks().len();
        let warnings = config.warnings().iter();
        report.findings.extend(warnings.map(of_warning));
        let mut comments = HashMap::new();
        let text = read_regular(file, CONFIG_LIMIT);
        let own_name = shown(file);
        if let Ok(text) = &text {
            let is_right = report.findings.len() == before;
            report.findings.extend(self.of_whole(file, &config, text, is_right));
            let read = if is_config { Comments::of_config(text) } else { Comments::read(text) };
            comments.insert(own_name.clone(), read);
        }
        let text = text.unwrap_or_default();
        for hook in config.hooks() {
            let start = report.findings.len();
            self.check_hook(hook, &mut report.findings, &mut comments, &report.allowance);
            // A comment in the command is for this hook, however many stand on its line.
            let of_command = Comments::read(hook.command.as_bytes());
            let begins = hook.place.as_ref().map(|place| place.line);
            let command_begins = match &hook.command_text {
                Some((place, _)) => Some(place.line),
                None => begins.filter(|_| is_config).and_then(|line| suppress::line_of_command(&text, line)),
            };
            if command_begins.is_some() {
                let unknown = of_command.unknown.iter();
                report.findings.extend(unknown.map(|(_, code)| unknown_code(own_name.clone(), command_begins, code)));
            }
            let of_config = comments.get(&own_name);
            report.ignored += drop_findings(&mut report.findings, start, |finding| {
                let is_of_config = finding.file == own_name;
                hook.ignored_findings.iter().any(|code| code.eq_ignore_ascii_case(finding.code.as_str()))
                    || is_of_config && of_command.has(finding.code)
                    // What is said of the hook stands where it begins, and a comment perhaps where its command does.
                    || is_of_config
                        && finding.line == begins
                        && of_config.is_some_and(|comments| comments.ignore(finding.code, command_begins))
            });
        }
        let of_hooks = config.hooks().iter().flat_map(|hook| &hook.ignored_findings);
        let mut unknown: Vec<&String> = config
            .ignored_findings()
            .iter()
            .chain(of_hooks)
            .filter(|code| code.parse::<FindingCode>().is_err())
            .collect();
        unknown.sort();
        unknown.dedup();
        report.findings.extend(unknown.into_iter().map(|code| {
            let line = suppress::line_of_string(&text, code);
            unknown_code(own_name.clone(), line, code)
        }));
        let mut files: Vec<_> = comments.iter().collect();
        files.sort_by_key(|(file, _)| *file);
        for (file, comments) in files {
            let unknown = comments.unknown.iter();
            report.findings.extend(unknown.map(|(line, code)| unknown_code(file.clone(), Some(*line), code)));
        }
        // The key counts in hookshell's own format, and elsewhere is an unknown one.
        let is_native = config.hooks().iter().all(|hook| hook.dialect.is_default());
        let own = if is_config && is_native { own_codes(&text) } else { Vec::new() };
        report.ignored += drop_findings(&mut report.findings, before, |finding| {
            self.ignored.contains(&finding.code)
                || finding.file == own_name
                    && own.iter().any(|own| own.ignore(finding.code.as_str(), finding.line, finding.column))
                || config.ignored_findings().iter().any(|code| code.eq_ignore_ascii_case(finding.code.as_str()))
                || comments.get(&finding.file).is_some_and(|comments| comments.ignore(finding.code, finding.line))
        });
        let is_unreadable = |finding: &Finding| finding.code == FindingCode::UnreadableConfig;
        report.unreadable |= report.findings.iter().skip(before).any(is_unreadable);
    }

    fn check_hook(
        &self,
        hook: &HookConfig,
        findings: &mut Vec<Finding>,
        comments: &mut HashMap<String, Comments>,
        allowance: &Arc<Allowance>,
    ) {
        // What `hookshell install` has wired is looked at as it was.
        let wired = hook.unwired();
        let hook = wired.as_ref().unwrap_or(hook);
        let elsewhere = self.elsewhere(hook);
        let mut sink = Sink { hook, findings, comments, is_sure: true, is_tolerated: false, elsewhere, allowance };
        if let Some((code, text)) = matcher::fault(hook) {
            sink.warn(code, text);
        }
        if matches!(hook.event, EventKind::UserPromptSubmit | EventKind::Stop)
            && hook.matcher.pattern().is_some()
            && !hook.dialect.contract().matches_prompts()
        {
            sink.warn(
                FindingCode::MatcherWithoutEffect,
                format!("a matcher does not count on {}: the hook runs each time", hook.dialect_event_name),
            );
        }
        if hook.dialect.contract().timeout_in_milliseconds() && hook.timeout < SHORT_TIMEOUT {
            sink.warn(
                FindingCode::ShortTimeout,
                format!(
                    "the timeout is {} milliseconds: are seconds meant? ({} counts in milliseconds)",
                    hook.timeout.as_millis(),
                    hook.dialect.agent()
                ),
            );
        }
        if hook.timeout.as_secs() >= LONG_TIMEOUT_SECONDS {
            sink.warn(
                FindingCode::LongTimeout,
                format!(
                    "the timeout is {} seconds: are milliseconds meant? (a timeout is in seconds)",
                    hook.timeout.as_secs()
                ),
            );
        }
        self.check_kind(hook, &mut sink);
    }
}

/// Takes out those of the findings from `start` on that are ignored; gives how many.
fn drop_findings(findings: &mut Vec<Finding>, start: usize, is_ignored: impl Fn(&Finding) -> bool) -> usize {
    let before = findings.len();
    let kept: Vec<Finding> = findings.drain(start..).filter(|finding| !is_ignored(finding)).collect();
    findings.extend(kept);
    before - findings.len()
}
