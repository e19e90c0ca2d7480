//! Variables in a guard's words: those that nobody sets, and paths that are split at blanks.

use hookshell_syntax::ast::{Parameter, ParameterExpansion, ParameterOperation, Word, WordPart};

use super::super::FindingCode;
use super::Walk;

impl Walk<'_> {
    /// The word that names a program or a script: is it one word whatever the directory is called, and is it expanded at all?
    pub(super) fn path_of_program(&mut self, word: &Word) {
        match word.parts.first() {
            Some(WordPart::Parameter(_)) if word.parts.len() > 1 => self.split_path(word),
            Some(WordPart::Quoted(text)) => {
                let text = String::from_utf8_lossy(text).into_owned();
                let raw = self.source.get(word.span.start as usize..word.span.start as usize + 1);
                // `'$CLAUDE_PROJECT_DIR'/x.sh`: what follows the quotes says that a directory is meant.
                let is_directory = matches!(word.parts.get(1), Some(WordPart::Literal(rest)) if rest.starts_with(b"/"));
                if raw == Some(b"'") && (placeholder(&text) || is_directory && placeholder(&format!("{text}/"))) {
                    let message = format!("in single quotes {text} is not expanded: use double quotes");
                    self.error(self.place(word.span), FindingCode::QuotedPlaceholder, message);
                }
            }
            _ => {}
        }
    }

    /// A word that begins with an unquoted variable: `$CLAUDE_PROJECT_DIR/x`.
    pub(super) fn split_path(&mut self, word: &Word) {
        let Some(WordPart::Parameter(expansion)) = word.parts.first() else { return };
        let Some(name) = variable(expansion) else { return };
        let Some((_, value)) = self.around.directories.iter().find(|(known, _)| *known == name) else { return };
        let has_blank = value.contains([' ', '\t']);
        // Any project may be in such a directory one day; what else is in a directory of the user's stays where it is.
        let is_any = self.around.splits_projects && name.ends_with("_PROJECT_DIR");
        if has_blank || is_any || self.around.is_strict {
            let shown = if has_blank { value.as_str() } else { "a directory with a blank in its name" };
            let message = format!("${name} is split at blanks ({shown}): write \"${name}\"/… in double quotes");
            match has_blank {
                true => self.error(self.place(word.span), FindingCode::UnquotedPath, message),
                false => self.warn(self.place(word.span), FindingCode::UnquotedPath, message),
            }
        }
    }

    /// Operands that are paths: `cat $CLAUDE_PROJECT_DIR/x`, `cd $CLAUDE_PROJECT_DIR`. What is only printed is no path.
    pub(super) fn operands(&mut self, name: &[u8], operands: &[&Word]) {
        if matches!(name, b"echo" | b"printf" | b":") {
            return;
        }
        let goes_there = matches!(name, b"cd" | b"pushd" | b"exec" | b"." | b"source");
        for word in operands.iter().filter(|word| goes_there || word.parts.len() > 1) {
            self.split_path(word);
        }
    }

    pub(super) fn expanded(&mut self, expansion: &ParameterExpansion) {
        let Some(name) = needed(expansion) else { return };
        if !self.around.is_inline || self.is_known(&name) {
            return;
        }
        let message = format!("nobody sets {name}: {}", (self.around.unset)(&name));
        self.warn(self.place(expansion.span), FindingCode::UnsetVariable, message);
    }

    /// Is it asked for before: `[ -n "$SLACK_URL" ]`? A part of the event nobody sets, so to ask for it is the mistake itself.
    fn is_asked_for(&self, name: &str, before: &str) -> bool {
        let before = before.trim_end_matches(['$', '{', '"']).trim_end();
        let asks = before.ends_with("-n") || before.ends_with("-z");
        asks && !(self.around.is_of_event)(name)
    }

    /// Is the variable set by somebody: the agent, the environment, the shell, or anything in the source that names it without expanding it?
    pub(super) fn is_known(&self, name: &str) -> bool {
        if (self.around.is_set)(name) || is_of_the_shell(name) || self.is_set_elsewhere {
            return true;
        }
        let text = &self.text;
        text.match_indices(name).any(|(at, _)| {
            let before = text.get(..at).unwrap_or_default();
            let after = text.get(at + name.len()..).unwrap_or_default();
            let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let is_whole = !before.ends_with(is_word) && !after.starts_with(is_word);
            let is_length = before.ends_with("${#");
            let is_braced = is_length || before.ends_with("${");
            // `${x:-y}`: who writes so does not count on it.
            let has_default = after.strip_prefix(':').unwrap_or(after).starts_with(['-', '=', '?', '+']);
            let is_expanded = before.ends_with('$') || is_braced && (is_length || !has_default);
            is_whole && (!is_expanded || self.is_asked_for(name, before))
        })
    }
}

/// The variable that is expanded and has no default.
fn needed(expansion: &ParameterExpansion) -> Option<String> {
    use ParameterOperation as Operation;

    let Parameter::Variable(name) = &expansion.parameter else { return None };
    let is_needed = match &expansion.operation {
        Operation::UseDefault(..)
        | Operation::UseAlternative(..)
        | Operation::AssignDefault(..)
        | Operation::ErrorIfUnset(..)
        | Operation::Names { .. }
        | Operation::Keys
        | Operation::Bad(_) => false,
        Operation::None
        | Operation::Length
        | Operation::RemovePrefix(..)
        | Operation::RemoveSuffix(..)
        | Operation::Substring(..)
        | Operation::Replace(..)
        | Operation::ChangeCase(..)
        | Operation::Transform(_) => true,
    };
    (is_needed && !expansion.indirect).then(|| String::from_utf8_lossy(name.as_bytes()).into_owned())
}

/// Variables that the shell itself sets.
fn is_of_the_shell(name: &str) -> bool {
    const OWN: [&str; 29] = [
        "_",
        "DIRSTACK",
        "EPOCHREALTIME",
        "EPOCHSECONDS",
        "EUID",
        "FUNCNAME",
        "GROUPS",
        "HISTCMD",
        "HOME",
        "HOSTNAME",
        "HOSTTYPE",
        "IFS",
        "LINENO",
        "MACHTYPE",
        "MAPFILE",
        "OLDPWD",
        "OPTARG",
        "OPTERR",
        "OPTIND",
        "OSTYPE",
        "PATH",
        "PIPESTATUS",
        "PPID",
        "PWD",
        "RANDOM",
        "REPLY",
        "SECONDS",
        "SHELL",
        "UID",
    ];
    // In the environment of many sessions, if not of this one.
    const SESSION: [&str; 27] = [
        "USER",
        "LOGNAME",
        "TMPDIR",
        "TEMP",
        "TMP",
        "LANG",
        "TERM",
        "USERPROFILE",
        "EDITOR",
        "SHLVL",
        "APPDATA",
        "LOCALAPPDATA",
        "CI",
        "DEBUG",
        "DISPLAY",
        "WAYLAND_DISPLAY",
        "TMUX",
        "TMUX_PANE",
        "SSH_CONNECTION",
        "SSH_CLIENT",
        "SSH_TTY",
        "VIRTUAL_ENV",
        "NO_COLOR",
        "TERM_PROGRAM",
        "WSL_DISTRO_NAME",
        "VISUAL",
        "PAGER",
    ];
    name.starts_with("BASH")
        || name.starts_with("XDG_")
        || name.starts_with("LC_")
        || name.starts_with("COMP_")
        || name.starts_with("GITHUB_")
        || OWN.contains(&name)
        || SESSION.contains(&name)
}

/// The variable that is expanded as it is.
pub(super) fn variable(expansion: &ParameterExpansion) -> Option<String> {
    match &expansion.parameter {
        Parameter::Variable(name) if !expansion.indirect && expansion.operation == ParameterOperation::None => {
            Some(String::from_utf8_lossy(name.as_bytes()).into_owned())
        }
        _ => None,
    }
}

/// Does a text look like a variable that is to be expanded: `${CLAUDE_PROJECT_DIR}/x`?
fn placeholder(text: &str) -> bool {
    let rest = text.strip_prefix("${").or_else(|| text.strip_prefix('$'));
    rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()) && rest.contains(['/', '\\', '}']))
}
