//! Variables that are set: what they hold may be a command, or may change which command a name is.

use super::super::{DIRECTORIES_LIMIT, HOLE, Judge, Word};

/// Variables whose value is a command, or has one in it.
fn has_command(name: &[u8]) -> bool {
    const NAMES: [&[u8]; 33] = [
        b"BASH_ENV",
        b"ENV",
        b"PROMPT_COMMAND",
        b"PS0",
        b"PS1",
        b"PS2",
        b"PS3",
        b"PS4",
        b"LESSOPEN",
        b"LESSCLOSE",
        b"BROWSER",
        b"SHELL",
        b"VISUAL",
        b"FCEDIT",
        b"LD_PRELOAD",
        b"LD_AUDIT",
        b"DYLD_INSERT_LIBRARIES",
        b"GIT_SSH",
        b"GIT_EXTERNAL_DIFF",
        b"MAKEFLAGS",
        b"GNUMAKEFLAGS",
        b"MFLAGS",
        b"PERL5OPT",
        b"PERL5DB",
        b"RUBYOPT",
        b"PYTHONSTARTUP",
        b"PYTHONINSPECT",
        b"TAR_OPTIONS",
        b"RSYNC_RSH",
        b"CVS_RSH",
        b"NODE_REPL_EXTERNAL_MODULE",
        b"ZDOTDIR",
        b"COMP_WORDBREAKS",
    ];
    const ENDS: [&[u8]; 7] = [b"EDITOR", b"PAGER", b"_COMMAND", b"_CMD", b"ASKPASS", b"_RUNNER", b"_WRAPPER"];
    NAMES.contains(&name) || ENDS.iter().any(|end| name.ends_with(end)) || name.starts_with(b"BASH_FUNC_")
}

/// Variables that a shell keeps its names of commands in.
fn renames(name: &[u8]) -> bool {
    matches!(
        name,
        b"BASH_ALIASES"
            | b"BASH_CMDS"
            | b"aliases"
            | b"galiases"
            | b"saliases"
            | b"functions"
            | b"commands"
            | b"dis_aliases"
            | b"dis_functions"
            | b"GIT_CONFIG_PARAMETERS"
            | b"GIT_CONFIG_GLOBAL"
            | b"GIT_CONFIG_SYSTEM"
            | b"GIT_EXEC_PATH"
            | b"GIT_TEMPLATE_DIR"
    ) || name.starts_with(b"GIT_CONFIG_KEY")
        || name.starts_with(b"GIT_CONFIG_VALUE")
}

/// Variables that say where git's configs are, and with them its aliases.
fn names_gits_configs(name: &[u8]) -> bool {
    matches!(name, b"HOME" | b"USERPROFILE" | b"XDG_CONFIG_HOME" | b"GIT_DIR" | b"GIT_COMMON_DIR")
}

impl Judge<'_> {
    /// A variable that is set; whether a command is given it.
    pub(in super::super) fn variable(&mut self, name: &[u8], value: &Word, is_given: bool) {
        if renames(name) {
            return self.found();
        }
        self.moves_gits_configs |= names_gits_configs(name);
        if name == b"PATH" || name == b"path" {
            for directory in value.text.split(|byte| matches!(byte, b':' | b' ')).filter(|part| !part.contains(&HOLE)) {
                let Ok(directory) = std::str::from_utf8(directory) else { continue };
                let all = self.directories.iter().map(|start| start.join(directory)).collect::<Vec<_>>();
                for path in all {
                    if self.paths.len() < 4 * DIRECTORIES_LIMIT && !self.paths.contains(&path) {
                        self.paths.push(path);
                    }
                }
            }
            return;
        }
        let is_code = |text: &[u8]| text.windows(2).any(|pair| pair == b"$(") || text.contains(&b'`');
        if has_command(name) {
            return match value.text() {
                Some(b"") => {}
                Some(text) => self.code(text),
                None => self.found(),
            };
        }
        // Arithmetic evaluates what variables hold; and `$x` is a command, perhaps.
        if is_code(&value.text) && (value.text.contains(&b'[') || self.pattern.is_mentioned(&value.text)) {
            return self.found();
        }
        // `CC='rm x' make`
        let mut words =
            value.text.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty()).map(Word::known);
        if let Some(first) = words.next()
            && first.text().is_some()
        {
            let words: Vec<Word> = std::iter::once(first).chain(words).collect();
            if (words.len() > 1 || is_given) && self.pattern.may_be(&words) {
                self.found();
            }
        }
    }
}
