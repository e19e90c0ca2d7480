//! The variables and options that a shell begins with: what the environment brings, and what the shell itself sets (XCU 2.5.3).

use std::ffi::OsString;

use hookshell_process::text;
use hookshell_syntax::Dialect;

use crate::command_line::Setup;
use crate::options::{self, Opt};
use crate::paths::{DEFAULT_PATH, same_directory, shell_path};
use crate::shell::Shell;
use crate::vars::{Attributes, Value, Variable};

/// The SHLVL that bash takes for a loop.
const MOST_LEVELS: i64 = 1000;

/// About how many variables the shell sets itself, and a small script.
const OWN_VARIABLES: usize = 32;

impl Shell {
    /// Sets the variables that the environment brings and those that the shell itself sets (XCU 2.5.3).
    pub(crate) fn import_environment(&mut self, env: &[(OsString, OsString)]) {
        self.import_variables(env);
        self.look_around();
    }

    /// Takes notice of what variables say of the shell's surroundings: its working directory and its descriptors.
    pub(crate) fn look_around(&mut self) {
        self.import_pwd();
        if self.env.dialect != Dialect::Bash {
            return;
        }
        for id in self.vars.imported() {
            self.variable_imported(id);
        }
        // bash keeps an OLDPWD that is a directory.
        if let Some(old) = self.vars.scalar_bytes(b"OLDPWD")
            && !(old.starts_with(b"/") && self.env.inherited.cwd.join(text::to_path(old)).is_dir() || cfg!(windows))
        {
            let id = self.vars.slot_bytes(b"OLDPWD");
            if let Some(variable) = self.vars.change(id) {
                variable.value = Value::Unset;
            }
        }
    }

    /// All of it but what depends on the surroundings.
    pub(crate) fn import_variables(&mut self, env: &[(OsString, OsString)]) {
        self.set_from_environment(env);
        self.set_standard_variables();
        if self.env.dialect == Dialect::Bash {
            self.set_bash_variables(env);
        }
    }

    /// What the environment has.
    fn set_from_environment(&mut self, env: &[(OsString, OsString)]) {
        self.vars.reserve(env.len() + OWN_VARIABLES);
        for (os_name, value) in env {
            let name = text::from_os(os_name);
            // `$_` is this shell's own.
            if !hookshell_syntax::is_name(&name) || &*name == b"_" {
                if self.env.dialect == Dialect::Bash && name.ends_with(b"%%") {
                    crate::interpreter::builtins::function_export::import(self, &name, &text::from_os(value));
                } else if &*name != b"_" && !name.starts_with(b"=") {
                    // No parameter, but programs get it (`ProgramFiles(x86)`).
                    self.vars.pass_on(os_name, value);
                }
                continue;
            }
            let value = text::from_os(value).into_owned();
            let id = if cfg!(windows) {
                // Windows has `Path`, scripts say PATH; programs get the name as it was.
                self.vars.slot_of_system(&name.to_ascii_uppercase(), os_name)
            } else {
                self.vars.slot_bytes(&name)
            };
            let variable = self.vars.change(id);
            *variable = Some(Variable {
                value: Value::Scalar(value),
                attributes: Attributes::default().with(Attributes::EXPORT, true),
            });
        }
        if cfg!(windows)
            && self.vars.scalar_bytes(b"HOME").is_none()
            && let Some(profile) = self.vars.scalar_bytes(b"USERPROFILE").map(shell_path)
        {
            let id = self.vars.slot_bytes(b"HOME");
            *self.vars.change(id) = Some(Variable {
                value: Value::Scalar(profile),
                attributes: Attributes::default().with(Attributes::EXPORT, true),
            });
        }
    }

    /// What each shell sets by itself.
    fn set_standard_variables(&mut self) {
        // IFS is never taken from the environment (XCU 2.5.3).
        self.set_initial(b"IFS", b" \t\n", false);
        self.set_initial(b"OPTIND", b"1", false);
        if self.env.dialect == Dialect::Bash {
            self.set_initial(b"OPTERR", b"1", false);
            let id = self.vars.slot_bytes(b"OPTIND");
            if let Some(variable) = self.vars.change(id) {
                variable.attributes = variable.attributes.with(Attributes::INTEGER, true);
            }
            self.set_initial(b"COMP_WORDBREAKS", b" \t\n\"'@><=;|&(:", false);
        }
        self.set_initial(b"PS4", b"+ ", false);
        let parent = if self.host.is_process {
            hookshell_process::system::parent_id()
        } else {
            hookshell_process::system::process_id()
        };
        self.set_initial(b"PPID", parent.to_string().as_bytes(), true);
        self.note_locale();
    }

    /// What bash sets besides.
    fn set_bash_variables(&mut self, env: &[(OsString, OsString)]) {
        // bash declares OLDPWD from the start, exported and without a value.
        let old = self.vars.slot_bytes(b"OLDPWD");
        if self.vars.get(old).is_none() {
            *self.vars.change(old) = Some(Variable {
                value: Value::Unset,
                attributes: Attributes::default().with(Attributes::EXPORT, true),
            });
        }
        let ids = hookshell_process::system::ids();
        for (name, id) in [(&b"UID"[..], ids.uid), (b"EUID", ids.euid)] {
            if self.vars.get_bytes(name).is_none() {
                self.set_initial(name, id.to_string().as_bytes(), true);
            }
        }
        self.set_initial(b"BASH_VERSION", b"5.2.37(1)-release", false);
        self.set_missing(b"HOSTTYPE", std::env::consts::ARCH.as_bytes());
        self.set_missing(b"OSTYPE", os_type().as_bytes());
        self.set_missing(b"MACHTYPE", machine_type().as_bytes());
        self.set_initial(b"BASH", b"/bin/bash", false);
        // As bash has it: how the shell was started, in the words of who did.
        let started_as = env.iter().find(|(name, _)| *name == "_").map(|(_, value)| text::from_os(value).into_owned());
        self.env.last_argument = started_as.unwrap_or_else(|| b"/bin/bash".to_vec());
        if self.vars.get_bytes(b"HOSTNAME").is_none() {
            let hostname = hookshell_process::system::hostname();
            self.set_initial(b"HOSTNAME", &text::from_os(&hostname), false);
        }
        // The prompts of a shell that is not interactive.
        for name in [&b"PS1"[..], b"PS2"] {
            if let Some(id) = self.vars.find_bytes(name) {
                *self.vars.change(id) = None;
            }
        }
        self.set_initial_array(b"BASH_VERSINFO", &["5", "2", "37", "1", "release", machine_type()]);
        self.count_level();
        // What bash has where the environment has nothing of the name; none of it is exported.
        let missing = [(&b"PATH"[..], DEFAULT_PATH.as_bytes()), (b"TERM", b"dumb"), (b"SHELL", b"/bin/bash")];
        for (name, value) in missing {
            self.set_missing(name, value);
        }
        for name in [&b"BASH_ALIASES"[..], b"BASH_CMDS"] {
            let id = self.vars.slot_bytes(name);
            if self.vars.get(id).is_some() {
                // What the environment brings shows no table.
                self.vars.make_ordinary(id);
            } else {
                *self.vars.change(id) = Some(Variable::new(Value::Associative(Box::default())));
            }
        }
        self.import_options();
        self.vars.environment_changed();
    }

    /// SHLVL is one more than it was.
    fn count_level(&mut self) {
        let level = self
            .vars
            .scalar_bytes(b"SHLVL")
            .and_then(|v| std::str::from_utf8(v).ok())
            .and_then(|v| v.trim().parse::<i64>().ok())
            .unwrap_or(0)
            .saturating_add(1)
            .max(0);
        let level = if level < MOST_LEVELS { level } else { 1 };
        self.set_initial(b"SHLVL", level.to_string().as_bytes(), false);
        let id = self.vars.slot_bytes(b"SHLVL");
        if let Some(variable) = self.vars.change(id) {
            variable.attributes = variable.attributes.with(Attributes::EXPORT, true);
        }
    }

    /// PWD is kept when it names the working directory, and set otherwise.
    fn import_pwd(&mut self) {
        let cwd = text::from_os(self.env.inherited.cwd.as_os_str());
        let is_path =
            |pwd: &[u8]| pwd.starts_with(b"/") && !pwd.split(|&b| b == b'/').any(|part| part == b"." || part == b"..");
        match self.vars.scalar_bytes(b"PWD").filter(|pwd| is_path(pwd)) {
            // Exported, as all that the environment brings is.
            Some(pwd) if *pwd == *cwd => return,
            Some(pwd) if same_directory(&self.env.inherited.cwd.join(text::to_path(pwd)), &self.env.inherited.cwd) => {
                self.env.inherited.cwd = self.env.inherited.cwd.join(text::to_path(pwd)).into();
                return;
            }
            _ => {}
        }
        let pwd = shell_path(&cwd);
        let id = self.vars.slot_bytes(b"PWD");
        *self.vars.change(id) = Some(Variable {
            value: Value::Scalar(pwd),
            attributes: Attributes::default().with(Attributes::EXPORT, true),
        });
        self.vars.environment_changed();
    }

    /// Sets what the environment does not bring.
    fn set_missing(&mut self, name: &[u8], value: &[u8]) {
        if self.vars.scalar_bytes(name).is_none() {
            self.set_initial(name, value, false);
        }
    }

    /// Makes a shell that has not begun to run what a command line's options want.
    pub fn set_up(&mut self, setup: &Setup) {
        for &(opt, on) in &setup.settings {
            self.set_opt(opt, on);
        }
        if setup.restricted {
            self.restrict();
        }
        self.scratch.start_up_due = setup.reads_bash_env;
        self.env.is_bash = setup.reads_bash_env;
    }

    /// Says under which path the shell was started: `$BASH`. Before it runs.
    pub fn set_own_path(&mut self, path: &[u8]) {
        self.set_initial(b"BASH", path, false);
    }

    pub(crate) fn set_initial(&mut self, name: &[u8], value: &[u8], readonly: bool) {
        let id = self.vars.slot_bytes(name);
        let variable = self.vars.change(id);
        let exported = variable.as_ref().is_some_and(|v| v.attributes.has(Attributes::EXPORT))
            && (name != b"IFS" || self.env.dialect == Dialect::Bash);
        let mut attributes = Attributes::default().with(Attributes::EXPORT, exported && !readonly);
        if readonly && matches!(name, b"PPID" | b"UID" | b"EUID") {
            attributes = attributes.with(Attributes::INTEGER.union(Attributes::READONLY), true);
        }
        *variable = Some(Variable { value: Value::Scalar(value.to_vec()), attributes });
    }

    fn set_initial_array(&mut self, name: &[u8], values: &[&str]) {
        let id = self.vars.slot_bytes(name);
        let array = values.iter().map(|v| v.as_bytes().to_vec()).collect();
        *self.vars.change(id) = Some(Variable {
            value: Value::Indexed(Box::new(array)),
            attributes: Attributes::default().with(Attributes::READONLY, true),
        });
    }

    /// Options that the environment asks for (SHELLOPTS, BASHOPTS, POSIXLY_CORRECT), and the variables that name those
    /// that are on.
    fn import_options(&mut self) {
        for (name, of_set) in [(&b"SHELLOPTS"[..], true), (b"BASHOPTS", false)] {
            let names = self.vars.scalar_bytes(name).map(<[u8]>::to_vec).unwrap_or_default();
            for name in names.split(|&b| b == b':') {
                let found = if of_set { options::by_name(name) } else { options::shopt_by_name(name) };
                if let Some(opt) = found.filter(|&opt| !options::is_job_control(opt)) {
                    self.set_opt(opt, true);
                }
            }
        }
        if self.vars.scalar_bytes(b"POSIXLY_CORRECT").is_some() {
            self.set_opt(Opt::Posix, true);
        }
        self.name_options(true);
        self.name_options(false);
    }
}

fn os_type() -> &'static str {
    match std::env::consts::OS {
        "linux" => "linux-gnu",
        "macos" => "darwin",
        // What Git for Windows' bash says: scripts test for it.
        "windows" => "msys",
        other => other,
    }
}

fn machine_type() -> &'static str {
    match (std::env::consts::ARCH, std::env::consts::OS) {
        ("x86_64", "linux") => "x86_64-pc-linux-gnu",
        ("aarch64", "linux") => "aarch64-unknown-linux-gnu",
        ("x86_64", "macos") => "x86_64-apple-darwin",
        ("aarch64", "macos") => "aarch64-apple-darwin",
        ("x86_64", "windows") => "x86_64-pc-msys",
        _ => "unknown",
    }
}
