//! Programs of which options or sub-commands take a command.

use super::super::command::{is_starter, joined};
use super::super::{Fields, HOLE, Input, Judge, Word};
use super::{Wrapped, replaced, wrapped};
use crate::programs::{after, writes_files};

impl Judge<'_> {
    /// Programs of which some options take a command line.
    pub(in super::super) fn optioned(&mut self, name: &str, options: &[&str], words: &[Word]) {
        let arguments = words.get(1..).unwrap_or_default();
        if writes_files(name) {
            self.writes_input();
        }
        let is_su = matches!(name, "su" | "runuser");
        // `runuser -u USER COMMAND` is no shell's.
        let has_user = |word: &Word| word.text.starts_with(b"-u") || word.text.starts_with(b"--user");
        if name == "runuser" && arguments.first().is_some_and(has_user) {
            return self.after_options("ugGw", &["--user", "--group", "--supp-group"], arguments);
        }
        let mut has_code = false;
        for (index, word) in arguments.iter().enumerate() {
            if self.is_found {
                return;
            }
            let text = word.text.as_slice();
            // tar's first word has options without a dash.
            let is_old = name.ends_with("tar") && index == 0 && !text.starts_with(b"-");
            for option in options {
                let option = option.as_bytes();
                if option == b"+" {
                    if text.starts_with(b"+") && text.contains(&b'!') {
                        return self.found();
                    }
                    continue;
                }
                let value: Option<Word> = if option.starts_with(b"--") || option.len() > 2 {
                    let given = text.split(|byte| *byte == b'=').next().unwrap_or_default();
                    let is_it = given == option
                        || given.len() > 3 && option.starts_with(given) && given.starts_with(b"--")
                        || text.starts_with(option) && option.len() > 2 && !option.starts_with(b"--");
                    is_it.then(|| match text.iter().position(|byte| *byte == b'=') {
                        Some(at) => Word { text: text.get(at + 1..).unwrap_or_default().to_vec(), ..word.clone() },
                        None => arguments.get(index + 1).cloned().unwrap_or_else(Word::any),
                    })
                } else {
                    let letter = option.get(1).copied().unwrap_or_default();
                    let letters = match text {
                        [b'-', rest @ ..] if !rest.starts_with(b"-") => rest,
                        _ if is_old => text,
                        _ => &[],
                    };
                    letters.iter().position(|byte| *byte == letter).map(|at| match letters.get(at + 1..) {
                        Some(rest) if !rest.is_empty() && !is_old && !is_su => {
                            Word { text: rest.to_vec(), ..word.clone() }
                        }
                        Some(rest) if !rest.is_empty() && is_su && letters.len() > 2 && rest.len() > 2 => {
                            Word { text: rest.to_vec(), ..word.clone() }
                        }
                        _ => arguments.get(index + 1).cloned().unwrap_or_else(Word::any),
                    })
                };
                let Some(value) = value else { continue };
                if is_old {
                    // The values stand in the order of the letters.
                    for value in arguments.iter().skip(1).take(text.len()) {
                        if value.text.iter().any(u8::is_ascii_whitespace) || self.pattern.is_mentioned(&value.text) {
                            self.option_value(name, value, &[]);
                        }
                    }
                }
                if is_su && matches!(option, b"-u" | b"--user") {
                    continue;
                }
                has_code |= matches!(option, b"-c" | b"--command" | b"--session-command");
                self.option_value(name, &value, arguments.get(index + 1..).unwrap_or_default());
            }
        }
        if is_su && !has_code && !self.is_found {
            let long = &["--user", "--group", "--supp-group", "--shell", "--whitelist-environment"];
            // `su - root`: a shell that logs in.
            let words: Vec<Word> = arguments.iter().filter(|word| word.text != b"-").cloned().collect();
            match wrapped(&after("ugGsw", long, 0), &words) {
                Wrapped::Unknown => self.found(),
                Wrapped::Command(rest) if name == "runuser" && arguments.iter().any(has_user) => self.command(rest),
                // What stands after the user's name is for the shell.
                Wrapped::Command(rest) if rest.len() > 1 => {
                    let shell: Vec<Word> =
                        std::iter::once(Word::known(b"sh")).chain(rest.iter().skip(1).cloned()).collect();
                    self.command(&shell);
                }
                Wrapped::Command(_)
                    if arguments.iter().any(|word| word.text == b"--version" || word.text == b"--help") => {}
                Wrapped::Command(_) => self.read_input(None),
            }
        }
        // `!rm x` of an interactive client.
        let has_shell = matches!(&self.input, Input::Text(text) if text.contains(&b'!'));
        if matches!(name, "ftp" | "sftp") && has_shell && self.is_rule_in_input() {
            self.found();
        }
        // BSD's `script file command`
        if name == "script" && !has_code {
            self.starter(arguments.get(1..).unwrap_or_default());
        }
    }

    /// The value of an option that is a command line, or has one in it: `exec=rm x`, `ProxyCommand=rm x`.
    fn option_value(&mut self, name: &str, value: &Word, rest: &[Word]) {
        if value.has_hole() {
            return self.found();
        }
        let text = value.text.as_slice();
        if matches!(name, "scp" | "sftp") {
            let lower = text.to_ascii_lowercase();
            if [&b"command"[..], b"exec"].iter().any(|part| lower.windows(part.len()).any(|window| window == *part))
                || self.pattern.is_mentioned(text)
            {
                self.found();
            }
            return;
        }
        if matches!(name, "fzf" | "sk" | "hg" | "svn" | "dpkg" | "apt" | "apt-get" | "aptitude") {
            let is_code = text.windows(2).any(|pair| pair == b"$(") || text.contains(&b'`');
            if is_code
                || self.pattern.is_mentioned(text)
                || text.windows(6).any(|part| part.eq_ignore_ascii_case(b"invoke"))
                || text.starts_with(b"alias")
            {
                self.found();
            }
            return;
        }
        if matches!(name, "gcc" | "g++" | "cc" | "c++" | "clang" | "clang++") && self.pattern.is_mentioned(text) {
            return self.found();
        }
        let code = text.strip_prefix(b"exec=").unwrap_or(text);
        self.code(code);
        if matches!(name, "fd" | "fdfind") {
            let words: Vec<Word> = rest.iter().map(|word| replaced(word, &[b"{"])).collect();
            self.command(&words);
        }
    }

    /// `docker exec`, `npm exec`, `poetry run`: what stands after the subcommand.
    pub(in super::super) fn subcommands(&mut self, name: &str, commands: &[&str], words: &[Word]) {
        self.runs_project = true;
        let arguments = words.get(1..).unwrap_or_default();
        let is_command = |word: &Word| {
            commands.iter().any(|command| {
                word.text == command.as_bytes()
                    || command.starts_with("--") && word.text.starts_with(command.as_bytes())
            })
        };
        if matches!(name, "npm" | "pnpm" | "yarn") {
            let is_code = |word: &Word| {
                let text = word.text.as_slice();
                [&b"--script-shell"[..], b"--shell", b"--node-options", b"--call", b"-c"]
                    .iter()
                    .any(|option| text.starts_with(option))
                    || text.windows(12).any(|part| part == b"script-shell")
                    || text.windows(12).any(|part| part == b"script_shell")
            };
            if arguments.iter().any(is_code) {
                return self.starter(arguments);
            }
        }
        let Some(at) = arguments.iter().position(is_command) else {
            // `docker build -`, `kubectl apply -f -`; to others it is a text to post (`gh pr create -F -`), or a password.
            let is_data = matches!(name, "gh" | "glab" | "az") || arguments.iter().any(|word| word.text == b"login");
            if !is_data && self.is_rule_in_input() {
                return self.found();
            }
            // Which subcommand it is, is not known.
            let is_option = |word: &Word| word.text.starts_with(b"-");
            let first = arguments.iter().position(|word| !is_option(word));
            let is_value = first.and_then(|first| arguments.get(first.checked_sub(1)?)).is_some_and(is_option);
            if !is_value
                && first.and_then(|first| arguments.get(first)).is_some_and(|word| word.text.first() == Some(&HOLE))
            {
                self.found();
            }
            return;
        };
        let rest = arguments.get(at + 1..).unwrap_or_default();
        let is_container = !matches!(
            name,
            "npm"
                | "pnpm"
                | "yarn"
                | "uv"
                | "poetry"
                | "pipenv"
                | "pdm"
                | "hatch"
                | "rye"
                | "pixi"
                | "bundle"
                | "bundler"
                | "cargo"
        );
        // A namespace of this machine's, and no container.
        if arguments.get(at).is_some_and(|word| word.text == b"unshare") {
            self.starter(rest);
            return self.command(rest.iter().position(is_operand).and_then(|at| rest.get(at..)).unwrap_or_default());
        }
        if matches!(name, "docker" | "podman" | "nerdctl" | "finch" | "docker-compose" | "podman-compose") {
            return self.container(arguments.get(at).map(|word| word.text.as_slice()), rest);
        }
        if matches!(name, "uv" | "poetry" | "pipenv" | "pdm" | "rye" | "bundle" | "bundler" | "npm" | "pnpm" | "yarn") {
            let long = &[
                "--with",
                "--from",
                "--python",
                "--project",
                "--directory",
                "--package",
                "--extra",
                "--group",
                "--env-file",
                "--workspace",
                "--gemfile",
            ];
            return self.after_options("pCdwP", long, rest);
        }
        // After `--` stands the command.
        if let Some(dashes) = rest.iter().position(|word| word.text == b"--") {
            let own = rest.get(..dashes).unwrap_or_default();
            if own.iter().any(is_starter) {
                return self.starter(rest);
            }
            if own.iter().any(|word| word.fields == Fields::Any) || self.pattern.is_mentioned(&joined(own)) {
                return self.found();
            }
            let command = rest.get(dashes + 1..).unwrap_or_default();
            return self.command(command);
        }
        let rest = if is_container && matches!(name, "conda" | "mamba" | "micromamba") {
            match wrapped(&after("np", &["--name", "--prefix", "--cwd"], 0), rest) {
                Wrapped::Command(rest) => return self.command(rest),
                Wrapped::Unknown => return self.found(),
            }
        } else {
            rest
        };
        self.starter(rest);
        // `direnv exec . rm`, `kubectl exec pod ls`: what it names may stand in each place.
        for index in 0..rest.len().min(3) {
            let command = rest.get(index..).unwrap_or_default();
            if command.first().is_some_and(|word| word.text().is_some() && !word.text.starts_with(b"-"))
                && self.pattern.may_be(command)
            {
                return self.found();
            }
        }
    }

    /// `docker run [OPTIONS] IMAGE COMMAND`, `docker exec [OPTIONS] CONTAINER COMMAND`
    fn container(&mut self, subcommand: Option<&[u8]>, words: &[Word]) {
        const FLAGS: [&[u8]; 26] = [
            b"--rm",
            b"--init",
            b"--privileged",
            b"--read-only",
            b"--no-healthcheck",
            b"--publish-all",
            b"--oom-kill-disable",
            b"--sig-proxy",
            b"--help",
            b"--quiet",
            b"--interactive",
            b"--tty",
            b"--detach",
            b"--no-deps",
            b"--no-TTY",
            b"--service-ports",
            b"--use-aliases",
            b"--build",
            b"--replace",
            b"--tls-verify",
            b"--no-hosts",
            b"--rmi",
            b"--no-hostname",
            b"--latest",
            b"--disable-content-trust",
            b"--quiet-pull",
        ];
        let mut rest = words;
        while let Some((word, after)) = rest.split_first() {
            let text = word.text.as_slice();
            if word.fields == Fields::Any {
                return self.found();
            }
            if text.starts_with(b"--entrypoint") {
                match text.strip_prefix(b"--entrypoint=") {
                    Some(program) => {
                        let command = [Word::known(program), Word::any()];
                        self.command(&command);
                    }
                    None => self.command(&[after.first().cloned().unwrap_or_else(Word::any), Word::any()]),
                }
            }
            rest = match text {
                [b'-', b'-', ..] if text.contains(&b'=') || FLAGS.contains(&text) => after,
                [b'-', b'-', ..] => after.get(1..).unwrap_or_default(),
                [b'-', letters @ ..] if letters.iter().all(|letter| b"itdPTq".contains(letter)) => after,
                // `-p80:80`, `-eA=b`
                [b'-', letters @ ..] => {
                    let at = letters.iter().position(|letter| !b"itdPTq".contains(letter)).unwrap_or_default();
                    if at + 1 < letters.len() { after } else { after.get(1..).unwrap_or_default() }
                }
                _ => break,
            };
        }
        let command = rest.get(1..).unwrap_or_default();
        if command.is_empty() || subcommand.is_none() {
            return;
        }
        self.command(command);
    }
}

/// Is a word no option?
fn is_operand(word: &Word) -> bool {
    !word.text.starts_with(b"-")
}
