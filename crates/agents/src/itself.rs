//! Hooks that start hookshell: run by `hookshell run` they would have it start itself.

use hookshell_shell::command_line::KnownShell;

use crate::config::{HookConfig, HookKind};
use crate::dialect::Dialect;
use crate::event_kind::EventKind;
use crate::programs::wrapper;

/// The command that takes messages from its standard input, where a hook has its event.
const SERVE: &str = "serve";

impl HookConfig {
    /// Is its command `hookshell run` for this event, or `hookshell serve`, as far as a look at it tells? hookshell does not run such
    /// a hook.
    pub fn starts_hookshell_for(&self, event: EventKind) -> bool {
        self.own_run().is_some_and(|words| {
            if words.get(1).is_some_and(|word| word == SERVE) {
                return true;
            }
            let mut is_after_option = false;
            for word in words.iter().skip(2) {
                match Dialect::any_event(word) {
                    _ if word.starts_with('-') => is_after_option = !word.contains('='),
                    Ok((named, _)) => return named == event,
                    // `--dialect claude`
                    Err(_) if is_after_option => is_after_option = false,
                    Err(_) => return false,
                }
            }
            // It takes the event from the payload.
            true
        })
    }

    /// A hook that `hookshell install` has wired by itself, as it was.
    pub fn unwired(&self) -> Option<Self> {
        let command = self.exec_command()?;
        // Where the text stands is the place of another one.
        Some(Self { command, args: None, command_windows: None, command_text: None, ..self.clone() })
    }

    /// The command of a hook that is `hookshell exec COMMAND`, as `hookshell install` wires each hook of some agents.
    pub(crate) fn exec_command(&self) -> Option<String> {
        match &self.args {
            Some(args) => match &args[..] {
                [exec, command] if exec == "exec" && is_program(&self.command) => {
                    // The agent would put a directory in by itself where it stood as it was written.
                    Some(command.replace("${CLAUDE_PROJECT_DIR-}", "${CLAUDE_PROJECT_DIR}"))
                }
                _ => None,
            },
            None => {
                let (program, rest) = self.own_command().trim().split_once(" exec '")?;
                let command = rest.strip_suffix('\'')?.replace(r"'\''", "'");
                let is_whole = command.replace('\'', r"'\''").len() + 1 == rest.len() && is_program(program);
                is_whole.then_some(command)
            }
        }
    }

    /// Is its command a line that `hookshell install` has written? The hooks that it runs are in the side file that it names.
    pub fn is_installed_line(&self) -> bool {
        // To take the line apart takes a hundred times as long, and each hook of a config is asked.
        let names_it = |text: &str| text.contains(Dialect::SIDE_DIRECTORY);
        if !names_it(self.own_command()) && !self.args.iter().flatten().any(|word| names_it(word)) {
            return false;
        }
        self.own_run().is_some_and(|words| {
            let config = words.iter().position(|word| word == "--config").and_then(|at| words.get(at + 1));
            config.is_some_and(|config| config.split(['/', '\\']).any(|part| part == Dialect::SIDE_DIRECTORY))
        })
    }

    /// The words of `hookshell run …`, or of a `hookshell serve` whose client would be the event.
    fn own_run(&self) -> Option<Vec<String>> {
        /// How many commands may stand within each other before it: `hookshell exec 'sh -c "env -i hookshell run"'`.
        const DEEPEST: usize = 8;
        if !matches!(self.kind, HookKind::Command) {
            return None;
        }
        let mut words = match &self.args {
            Some(args) => std::iter::once(self.command.clone()).chain(args.iter().cloned()).collect(),
            None => words(self.own_command()),
        };
        for _ in 0..DEEPEST {
            let start = words.iter().position(|word| !is_before_a_command(word))?;
            let command = words.split_off(start);
            if !is_program(command.first()?) {
                words = started_by(&command)?;
                continue;
            }
            match command.get(1).map(String::as_str) {
                Some("run") => return Some(command),
                // With an input of its own it has a client, which may ask for other hooks.
                Some(SERVE) => return (!self.own_command().contains(['|', '<'])).then_some(command),
                // `hookshell exec 'hookshell run …'` is the same.
                Some("exec") => words = self::words(command.last()?),
                _ => return None,
            }
        }
        None
    }
}

/// The words of the command that a command starts: `env -i hookshell run …`, `bash -lc 'hookshell run …'`.
fn started_by(command: &[String]) -> Option<Vec<String>> {
    let (first, rest) = command.split_first()?;
    let file = first.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = file.strip_suffix(".exe").unwrap_or(file);
    if KnownShell::named(name.as_bytes()).is_some() {
        let is_code = |word: &String| word.starts_with('-') && !word.starts_with("--") && word.ends_with('c');
        let after = rest.iter().position(is_code).and_then(|at| rest.get(at + 1..))?;
        return after.iter().find(|word| !word.starts_with('-')).map(|code| words(code));
    }
    let at = wrapper(name)?.command(name, rest)?;
    rest.get(at..).map(<[String]>::to_vec)
}

fn is_program(word: &str) -> bool {
    let name = word.rsplit(['/', '\\']).next().unwrap_or_default();
    name == "hookshell" || name.eq_ignore_ascii_case("hookshell.exe")
}

/// Is it in a word, say in the code that a shell is given?
fn names_hookshell(word: &str) -> bool {
    is_program(word) || word.contains("hookshell")
}

/// May a word stand before a command's own first word?
fn is_before_a_command(word: &str) -> bool {
    let is_assignment = word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    });
    is_assignment || ["{", "(", "!", "if", "then", "do"].contains(&word)
}

/// The words of the first simple command of a line that names hookshell, else of the last; quotes are taken off.
fn words(line: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for letter in line.chars() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (Some(_), _) => word.get_or_insert_default().push(letter),
            (None, '"' | '\'') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, ';' | '&' | '|' | '\n') => {
                words.extend(word.take());
                if words.iter().any(|word| names_hookshell(word)) {
                    return words;
                }
                words.clear();
            }
            (None, letter) if letter.is_whitespace() => words.extend(word.take()),
            (None, _) => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::words;
    use crate::config::HookConfig;
    use crate::event_kind::EventKind;

    #[test]
    fn the_words_of_a_line_are_those_of_its_hookshell() {
        let cases: [(&str, &[&str]); 4] = [
            ("hookshell run PreToolUse", &["hookshell", "run", "PreToolUse"]),
            ("cd x && \"/a b/hookshell\" run x; echo", &["/a b/hookshell", "run", "x"]),
            ("echo 'a b' c", &["echo", "a b", "c"]),
            ("a|hookshell exec 'hookshell run Stop'", &["hookshell", "exec", "hookshell run Stop"]),
        ];
        for (line, expected) in cases {
            assert_eq!(words(line), expected, "{line}");
        }
    }

    #[test]
    fn the_command_of_a_wired_hook_is_known() {
        let of_line = |line: &str| HookConfig::new(EventKind::PreToolUse, line).exec_command();
        assert_eq!(of_line("hookshell exec './a.sh \"$x\"'").as_deref(), Some("./a.sh \"$x\""));
        assert_eq!(of_line(r"hookshell exec 'it'\''s'").as_deref(), Some("it's"));
        for line in ["hookshell exec a", "hookshell exec 'a' 'b'", "hookshell exec 'a'; echo 'b'", "echo exec 'a'", "x"]
        {
            assert_eq!(of_line(line), None, "{line}");
        }
        let of_args = |args: &[&str]| {
            let args = args.iter().map(|arg| (*arg).to_owned()).collect();
            HookConfig { args: Some(args), ..HookConfig::new(EventKind::PreToolUse, "hookshell") }.exec_command()
        };
        assert_eq!(
            of_args(&["exec", "\"${CLAUDE_PROJECT_DIR-}\"/x.sh"]).as_deref(),
            Some("\"${CLAUDE_PROJECT_DIR}\"/x.sh")
        );
        assert_eq!(of_args(&["exec"]), None);
        assert_eq!(of_args(&["sh", "x"]), None);
    }

    #[test]
    fn only_a_hook_for_the_same_event_is_hookshell_itself() {
        let is_itself = |line: &str| {
            let hook = HookConfig::new(EventKind::PreToolUse, line);
            (hook.starts_hookshell_for(EventKind::PreToolUse), hook.is_installed_line())
        };
        for line in [
            "hookshell run PreToolUse -v",
            "X=1 hookshell run --dialect=claude",
            "hookshell exec 'hookshell run beforeTool'",
            "hookshell serve",
            "exec hookshell.exe serve --dialect claude",
            "hookshell run --dialect claude --output claude",
            "hookshell run --output claude PreToolUse --fail-closed",
            "env -i PATH=$PATH HOME=$HOME hookshell run PreToolUse --dialect claude",
            "/usr/bin/env hookshell run",
            "nohup timeout -k 1 5 nice -n 5 hookshell run PreToolUse",
            "sh -c 'hookshell run PreToolUse --dialect claude'; exit 0",
            "C:/Git/bin/bash.exe --noprofile -lc 'cd x && exec hookshell run PreToolUse'",
            "sudo -u me env -i bash -c \"hookshell exec 'hookshell run PreToolUse'\"",
            "if hookshell run PreToolUse; then exit 0; fi",
        ] {
            assert_eq!(is_itself(line), (true, false), "{line}");
        }
        for line in [
            "hookshell run Stop",
            "hookshell run --dialect claude Stop",
            "echo hookshell run PreToolUse",
            "hookshell exec ./guard.sh",
            "hookshellx run PreToolUse",
            "printf '%s' \"$REQUESTS\" | hookshell serve",
            "hookshell serve <requests.json",
            "sh -c 'hookshell run Stop'",
            "sh -c 'echo hookshell run PreToolUse'",
            "sh hookshell run PreToolUse",
            "env -i hookshell run Stop",
            "grep -c hookshell run",
        ] {
            assert_eq!(is_itself(line), (false, false), "{line}");
        }
        assert_eq!(
            is_itself("hookshell run PreToolUse --output codex --config ~/.codex/hookshell/hooks.json"),
            (true, true)
        );
    }
}
