//! Programs that start the command which stands in their words.

use super::command::{behind_double_dash, joined, named_file};
use super::{Executed, Fields, HOLE, Judge, Word, is_assignment, is_device};
use crate::programs::Wrapper;
use hookshell_dispatch::command_line::{Grammar, KnownShell, OptionReader};

/// Where a wrapper's own words end.
enum Behind<'w> {
    Command(&'w [Word]),
    /// What the words are cannot be told.
    Unknown,
}

impl Judge<'_> {
    pub(super) fn wrapper(&mut self, name: &str, wrapper: &Wrapper, words: &[Word]) {
        let arguments = words.get(1..).unwrap_or_default();
        let rest = match behind(wrapper.short, wrapper.long, wrapper.operands, arguments) {
            Behind::Command(rest) => rest,
            Behind::Unknown => return self.found(),
        };
        let rest = if wrapper.assignments { self.behind_assignments(rest) } else { rest };
        let Some(first) = rest.first() else {
            if wrapper.is_shell
                && !arguments.iter().any(|word| {
                    matches!(word.text.as_slice(), b"-V" | b"--version" | b"--help" | b"-l" | b"-v" | b"-k" | b"-K")
                })
            {
                self.read_input(None);
            }
            return;
        };
        // `flock file -c 'rm x'`
        if name == "flock" && (first.text.starts_with(b"-c") || first.text.starts_with(b"--command")) {
            return self.shell_code(rest);
        }
        if (name == "npx" || name == "bunx" || name == "pnpx")
            && arguments
                .iter()
                .any(|word| word.text.starts_with(b"-c") || word.text.starts_with(b"--call") || word.text == b"--shell")
        {
            return self.starter(arguments);
        }
        match wrapper.is_joined {
            true => self.joined(rest),
            false => self.command(rest),
        }
    }

    pub(super) fn behind_options(&mut self, short: &str, long: &[&str], arguments: &[Word]) {
        match behind(short, long, 0, arguments) {
            Behind::Command(rest) => self.command(rest),
            Behind::Unknown => self.found(),
        }
    }

    fn behind_assignments<'w>(&mut self, mut words: &'w [Word]) -> &'w [Word] {
        while let Some((first, rest)) = words.split_first()
            && let Some((name, value)) = assignment(first)
        {
            self.variable(&name, &value, true);
            words = rest;
        }
        words
    }

    pub(super) fn env(&mut self, arguments: &[Word]) {
        let mut words: Vec<Word> = arguments.to_vec();
        let mut at = 0;
        while let Some(word) = words.get(at).cloned() {
            if word.fields != Fields::One {
                return self.found();
            }
            let text = word.text.as_slice();
            let long = |name: &[u8]| text.starts_with(b"--") && text.len() > 2 && name.starts_with(text);
            let split = match text {
                _ if long(b"--split-string") => words.get(at + 1).map(|next| (next.clone(), 2)),
                _ if text.starts_with(b"--s") && text.contains(&b'=') => {
                    let value = text.splitn(2, |byte| *byte == b'=').nth(1).unwrap_or_default();
                    Some((Word { text: value.to_vec(), ..word.clone() }, 1))
                }
                [b'-', rest @ ..] if !rest.starts_with(b"-") && has_letter(rest, b'S', b"uCa") => {
                    let place = rest.iter().position(|byte| *byte == b'S').unwrap_or_default();
                    match rest.get(place + 1..).filter(|rest| !rest.is_empty()) {
                        Some(value) => Some((Word { text: value.to_vec(), ..word.clone() }, 1)),
                        None => words.get(at + 1).map(|next| (next.clone(), 2)),
                    }
                }
                _ => None,
            };
            if let Some((value, count)) = split {
                // Its own rules of quotes and variables are not a shell's.
                let Some(text) = value.text().filter(|text| !text.iter().any(|byte| b"\\$#".contains(byte))) else {
                    return self.found();
                };
                let Some(split) = std::str::from_utf8(text).ok().and_then(|text| shell_words::split(text).ok()) else {
                    return self.found();
                };
                let rest = words.split_off((at + count).min(words.len()));
                words.truncate(at);
                words.extend(split.iter().map(|word| Word::known(word.as_bytes())));
                words.extend(rest);
                // What it is split into may hold options again, `-S` too.
                self.step(text.len() + words.len());
                if self.is_found {
                    return;
                }
                continue;
            }
            match text {
                b"--" => {
                    at += 1;
                    break;
                }
                b"-" => at += 1,
                [b'-', b'-', ..] => {
                    let takes = [&b"--unset"[..], b"--chdir", b"--argv0"].iter().any(|name| long(name));
                    at += if takes { 2 } else { 1 };
                }
                [b'-', rest @ ..] => at += if ends_with_value(rest, b"uCaP") { 2 } else { 1 },
                _ => break,
            }
        }
        let rest = words.get(at..).unwrap_or_default();
        let rest = self.behind_assignments(rest);
        self.command(rest);
    }

    /// A shell: its code, its script, or what it reads.
    pub(super) fn shell(&mut self, name: &str, words: &[Word]) {
        let arguments = words.get(1..).unwrap_or_default();
        let is_fish_like =
            matches!(name, "fish" | "nu" | "xonsh" | "elvish" | "murex" | "ion" | "rc" | "es" | "csh" | "tcsh");
        let mut rest = arguments;
        let mut grammar = Grammar::Shell;
        if name == "hookshell"
            && let Some((command, after)) = arguments.split_first()
        {
            match command.text() {
                Some(b"sh") => (rest, grammar) = (after, Grammar::Hookshell),
                Some(b"exec") => return after.iter().for_each(|word| self.code_word(Some(word))),
                _ => {}
            }
        }
        let is_bash =
            grammar == Grammar::Hookshell || KnownShell::named(name.as_bytes()).is_some_and(KnownShell::is_bash);
        let mut reader = OptionReader::new(grammar);
        let mut reads_code = false;
        let mut reads_input = false;
        while let Some((word, after)) = rest.split_first() {
            if word.fields != Fields::One || word.text.first() == Some(&HOLE) && named_file(word).is_none() {
                return self.found();
            }
            let text = word.text.as_slice();
            let option = reader.read(text);
            match text {
                b"--" | b"-" => {
                    rest = after;
                    break;
                }
                b"--version" | b"--help" => return,
                _ if !is_fish_like && option.is_long() => {
                    // What is a long option with one hyphen to bash (`-rcfile x`) is letters to other shells.
                    if !is_bash && !text.starts_with(b"--") {
                        return self.found();
                    }
                    if option.names_startup_file()
                        && let Some(path) = after.first()
                    {
                        self.executes(&path.text, Executed::Shell);
                    }
                    rest = after.get(option.values()..).unwrap_or_default();
                }
                [b'-', b'-', name @ ..] => {
                    // fish: `--command=…`, `--init-command`; nu: `--commands`
                    if name.starts_with(b"comm") || name.starts_with(b"init-c") || name.starts_with(b"exec") {
                        match name.iter().position(|byte| *byte == b'=') {
                            Some(at) => {
                                let code =
                                    Word { text: name.get(at + 1..).unwrap_or_default().to_vec(), ..word.clone() };
                                self.code_word(Some(&code));
                            }
                            None => self.code_word(after.first()),
                        }
                        if name.contains(&b'=') || after.is_empty() {
                            return;
                        }
                        return self.foreign_shell(is_fish_like, after);
                    }
                    rest = after;
                }
                [b'-' | b'+', letters @ ..] => {
                    if letters.contains(&HOLE) {
                        return self.found();
                    }
                    if letters.contains(&b'c') || is_fish_like && letters.contains(&b'C') {
                        reads_code = true;
                    }
                    reads_input |= letters.contains(&b's');
                    // `-o pipefail`, `+O extglob`
                    let values = letters.iter().filter(|letter| matches!(letter, b'o' | b'O')).count();
                    rest = after.get(values..).unwrap_or_default();
                    // Shells that have the code in the same word.
                    if is_fish_like && reads_code && letters.first() == Some(&b'c') && letters.len() > 1 {
                        return self.found();
                    }
                }
                _ => break,
            }
        }
        if reads_code {
            match rest.first() {
                Some(code) => self.code_word(Some(code)),
                None => self.found(),
            }
            return self.foreign_shell(is_fish_like, rest);
        }
        match rest.first() {
            Some(script) if !reads_input => match named_file(script) {
                Some(path) if is_device(path) => self.read_input(None),
                Some(path) => {
                    let path = path.to_vec();
                    self.file_operand(&path, Executed::Shell, rest);
                }
                None => self.found(),
            },
            _ => self.read_input(None),
        }
    }

    /// Shells whose language is another one.
    fn foreign_shell(&mut self, is_foreign: bool, words: &[Word]) {
        if is_foreign && self.pattern.is_mentioned(&joined(words)) {
            self.found();
        }
    }

    /// `-c CODE` somewhere in the words.
    fn shell_code(&mut self, words: &[Word]) {
        for (index, word) in words.iter().enumerate() {
            match word.text.as_slice() {
                b"-c" | b"--command" => self.code_word(words.get(index + 1)),
                text => {
                    let value = text.strip_prefix(b"--command=").or_else(|| text.strip_prefix(b"-c"));
                    if let Some(value) = value {
                        self.code_word(Some(&Word { text: value.to_vec(), ..word.clone() }));
                    }
                }
            }
        }
    }

    /// Programs of which some options take a command line.
    pub(super) fn optioned(&mut self, name: &str, options: &[&str], words: &[Word]) {
        let arguments = words.get(1..).unwrap_or_default();
        let is_su = matches!(name, "su" | "runuser");
        // `runuser -u USER COMMAND` is no shell's.
        let has_user = |word: &Word| word.text.starts_with(b"-u") || word.text.starts_with(b"--user");
        if name == "runuser" && arguments.first().is_some_and(has_user) {
            return self.behind_options("ugGw", &["--user", "--group", "--supp-group"], arguments);
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
            let behind = behind(
                "ugGsw",
                &["--user", "--group", "--supp-group", "--shell", "--whitelist-environment"],
                0,
                arguments,
            );

            match behind {
                Behind::Unknown => self.found(),
                Behind::Command(rest) if name == "runuser" && arguments.iter().any(has_user) => self.command(rest),
                // What stands behind the user's name is for the shell.
                Behind::Command(rest) if rest.len() > 1 => {
                    let shell: Vec<Word> =
                        std::iter::once(Word::known(b"sh")).chain(rest.iter().skip(1).cloned()).collect();
                    self.command(&shell);
                }
                Behind::Command(_)
                    if arguments.iter().any(|word| word.text == b"--version" || word.text == b"--help") => {}
                Behind::Command(_) => self.read_input(None),
            }
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

    /// `docker exec`, `npm exec`, `poetry run`: what stands behind the subcommand.
    pub(super) fn subcommands(&mut self, name: &str, commands: &[&str], words: &[Word]) {
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
        if matches!(name, "docker" | "podman" | "nerdctl" | "finch" | "docker-compose" | "podman-compose") {
            return self.container(arguments.get(at).map(|word| word.text.as_slice()), rest);
        }
        if matches!(name, "uv" | "poetry" | "pipenv" | "pdm" | "rye" | "bundle" | "bundler" | "npm" | "pnpm" | "yarn") {
            let long = [
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
            return self.behind_options("pCdwP", &long, rest);
        }
        // Behind `--` stands the command.
        if let Some(dashes) = rest.iter().position(|word| word.text == b"--") {
            let own = rest.get(..dashes).unwrap_or_default();
            if own.iter().any(super::command::is_starter) {
                return self.starter(rest);
            }
            if own.iter().any(|word| word.fields == Fields::Any) || self.pattern.is_mentioned(&joined(own)) {
                return self.found();
            }
            let command = rest.get(dashes + 1..).unwrap_or_default();
            return self.command(command);
        }
        let rest = if is_container && matches!(name, "conda" | "mamba" | "micromamba") {
            match behind("np", &["--name", "--prefix", "--cwd"], 0, rest) {
                Behind::Command(rest) => return self.command(rest),
                Behind::Unknown => return self.found(),
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

    pub(super) fn find(&mut self, arguments: &[Word]) {
        if arguments.iter().any(|word| word.fields == Fields::Any) {
            return self.found();
        }
        let mut rest = arguments;
        while let Some(at) =
            rest.iter().position(|word| matches!(word.text.as_slice(), b"-exec" | b"-execdir" | b"-ok" | b"-okdir"))
        {
            let command = rest.get(at + 1..).unwrap_or_default();
            let end =
                command.iter().position(|word| matches!(word.text.as_slice(), b";" | b"+")).unwrap_or(command.len());
            let words: Vec<Word> =
                command.get(..end).unwrap_or_default().iter().map(|word| replaced(word, &[b"{}"])).collect();
            self.command(&words);
            if self.is_found {
                return;
            }
            rest = command.get(end..).unwrap_or_default();
        }
    }

    pub(super) fn xargs(&mut self, arguments: &[Word]) {
        let mut replaces: Vec<Vec<u8>> = Vec::new();
        let mut rest = arguments;
        while let Some((word, after)) = rest.split_first() {
            let text = word.text.as_slice();
            if word.fields == Fields::Any || text.first() == Some(&HOLE) {
                return self.found();
            }
            let mut skipped = after;
            match text {
                b"--" => {
                    rest = after;
                    break;
                }
                [b'-', b'-', ..] => {
                    if text.starts_with(b"--repl") || text.starts_with(b"--rep") {
                        let value = text.splitn(2, |byte| *byte == b'=').nth(1).unwrap_or(b"{}");
                        replaces.push(value.to_vec());
                    } else if !text.contains(&b'=') {
                        let takes = [
                            "--arg-file",
                            "--delimiter",
                            "--max-args",
                            "--max-procs",
                            "--max-chars",
                            "--process-slot-var",
                        ];
                        if takes.iter().any(|name| name.as_bytes().starts_with(text)) {
                            skipped = after.get(1..).unwrap_or_default();
                        }
                    }
                }
                [b'-', letters @ ..] if !letters.is_empty() => {
                    let value = letters.iter().position(|letter| b"adEILnPsJRS".contains(letter));
                    if let Some(at) = value {
                        let attached = letters.get(at + 1..).unwrap_or_default();
                        let letter = letters.get(at).copied().unwrap_or_default();
                        let given = if attached.is_empty() {
                            skipped = after.get(1..).unwrap_or_default();
                            after.first().map(|word| word.text.clone()).unwrap_or_default()
                        } else {
                            attached.to_vec()
                        };
                        if matches!(letter, b'I' | b'J') {
                            replaces.push(given);
                        }
                    }
                    if letters.contains(&b'i') {
                        let at = letters.iter().position(|letter| *letter == b'i').unwrap_or_default();
                        let given = letters.get(at + 1..).unwrap_or_default();
                        replaces.push(if given.is_empty() { b"{}".to_vec() } else { given.to_vec() });
                    }
                }
                _ => break,
            }
            rest = skipped;
        }
        if rest.is_empty() {
            return;
        }
        if replaces.iter().any(|text| text.contains(&HOLE) || text.is_empty()) {
            return self.found();
        }
        let texts: Vec<&[u8]> = replaces.iter().map(Vec::as_slice).collect();
        let mut words: Vec<Word> = rest.iter().map(|word| replaced(word, &texts)).collect();
        if replaces.is_empty() {
            words.push(Word::any());
        }
        self.command(&words);
    }

    /// `ssh [OPTIONS] HOST COMMAND`: the words are one text for a shell.
    pub(super) fn remote(&mut self, arguments: &[Word]) {
        let mut rest = arguments;
        let mut has_host = false;
        let mut is_asked = false;
        while let Some((word, after)) = rest.split_first() {
            let text = word.text.as_slice();
            if word.fields == Fields::Any {
                return self.found();
            }
            match text {
                b"--" => {
                    rest = after;
                    if has_host {
                        break;
                    }
                }
                [b'-', b'-', ..] => {
                    if self.pattern.is_mentioned(text) || text.starts_with(b"--ssh") || text.starts_with(b"--server") {
                        return self.found();
                    }
                    rest = after;
                }
                [b'-', letters @ ..] if !letters.is_empty() => {
                    let at = letters.iter().position(|letter| b"BbcDEeFIiJLlmOopPQRSWw".contains(letter));
                    let mut value = None;
                    rest = after;
                    if let Some(at) = at {
                        let attached = letters.get(at + 1..).unwrap_or_default();
                        value = match attached.is_empty() {
                            true => {
                                rest = after.get(1..).unwrap_or_default();
                                after.first().cloned()
                            }
                            false => Some(Word { text: attached.to_vec(), ..word.clone() }),
                        };
                        if letters.get(at) == Some(&b'o') {
                            let value = value.clone().unwrap_or_else(Word::any);
                            let lower = value.text.to_ascii_lowercase();
                            let has = |part: &[u8]| lower.windows(part.len()).any(|window| window == part);
                            if has(b"command")
                                || has(b"exec")
                                || value.text.first() == Some(&HOLE)
                                || has(b"include")
                                || has(b"askpass")
                            {
                                return self.found();
                            }
                        }
                        if letters.get(at) == Some(&b'F')
                            && value.as_ref().is_some_and(|value| value.has_hole() || is_device(&value.text))
                        {
                            return self.found();
                        }
                    }
                    is_asked |= letters.contains(&b'V')
                        || letters.contains(&b'N')
                        || letters.contains(&b'G')
                        || letters.contains(&b'Q')
                        || letters.contains(&b'O')
                        || letters.contains(&b'T') && value.is_none();
                }
                _ if !has_host => {
                    has_host = true;
                    rest = after;
                    // Options may follow the host.
                }
                _ => break,
            }
        }
        match rest.is_empty() {
            true if is_asked && matches!(self.input, super::Input::Inherited) => {}
            true if !has_host => {}
            true => self.read_input(None),
            false => self.joined(behind_double_dash(rest)),
        }
    }
}

/// What stands behind a program's options, and its operands before the command.
fn behind<'w>(short: &str, long: &[&str], operands: usize, arguments: &'w [Word]) -> Behind<'w> {
    let mut rest = arguments;
    let mut left = operands;
    while let Some((word, after)) = rest.split_first() {
        let text = word.text.as_slice();
        if word.fields == Fields::Any {
            return Behind::Unknown;
        }
        match text {
            b"--" => {
                rest = after;
                if left == 0 {
                    break;
                }
                rest = rest.get(left..).unwrap_or_default();
                break;
            }
            [b'-', b'-', name @ ..] => {
                let takes = !text.contains(&b'=')
                    && long
                        .iter()
                        .any(|long| long.as_bytes() == text || name.len() > 1 && long.as_bytes().starts_with(text));
                rest = if takes { after.get(1..).unwrap_or_default() } else { after };
            }
            [b'-', letters @ ..] if !letters.is_empty() => {
                rest =
                    if ends_with_value(letters, short.as_bytes()) { after.get(1..).unwrap_or_default() } else { after };
            }
            // What it is, is not known: an option, an operand, the command.
            [HOLE, ..] if left == 0 => return Behind::Unknown,
            _ if left > 0 => {
                left -= 1;
                rest = after;
                if left == 0 {
                    // GNU's wrappers stop at the first operand; `--` may still follow.
                    rest = behind_double_dash(rest);
                    break;
                }
            }
            _ => break,
        }
    }
    Behind::Command(rest)
}

/// Has the last letter of a group of options a value, which is the next word then?
fn ends_with_value(letters: &[u8], with_value: &[u8]) -> bool {
    match letters.iter().position(|letter| with_value.contains(letter)) {
        Some(at) => at + 1 == letters.len(),
        None => false,
    }
}

/// Is a letter among the options of a group, before one that takes a value?
fn has_letter(letters: &[u8], letter: u8, with_value: &[u8]) -> bool {
    letters.iter().take_while(|other| !with_value.contains(other)).any(|other| *other == letter)
}

/// `NAME=value`
fn assignment(word: &Word) -> Option<(Vec<u8>, Word)> {
    if word.fields != Fields::One || !is_assignment(&word.text) {
        return None;
    }
    let at = word.text.iter().position(|byte| *byte == b'=')?;
    let value = Word { text: word.text.get(at + 1..)?.to_vec(), ..word.clone() };
    Some((word.text.get(..at)?.to_vec(), value))
}

/// A word with a hole wherever one of these texts stands in it.
fn replaced(word: &Word, texts: &[&[u8]]) -> Word {
    let mut out = Vec::with_capacity(word.text.len());
    let mut rest = word.text.as_slice();
    while let Some((first, after)) = rest.split_first() {
        match texts.iter().find(|text| !text.is_empty() && rest.starts_with(text)) {
            Some(text) => {
                out.push(HOLE);
                rest = rest.get(text.len()..).unwrap_or_default();
            }
            None => {
                out.push(*first);
                rest = after;
            }
        }
    }
    Word { text: out, ..word.clone() }
}
