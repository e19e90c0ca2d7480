//! bash: `compgen`, as scripts use it to list names, files and what completion functions and commands give.

use std::io::Read as _;
use std::ops::ControlFlow;
use std::path::Path;

use hookshell_process::{Opening, path_list, signals, text};
use hookshell_syntax::Parser;
use hookshell_syntax::ast::{Argument, ArrayElement, Assignment, AssignmentValue, Command, Word};
use hookshell_text::pattern::{self, Pattern};
use hookshell_text::quote;
use hookshell_utility::Args;

use super::command::search_path;
use super::help::invalid_option;
use super::letters::Letters;
use super::{BUILTINS, USAGE, done};
use crate::completions::{Action, Request};
use crate::context::Text;
use crate::flow::{Flow, divert};
use crate::limits::Limit;
use crate::options::{Opt, SET_OPTIONS, SHOPT_OPTIONS};
use crate::shell::Shell;
use crate::vars::Value;
use crate::{flow, glob};

/// The reserved words in bash's order.
const KEYWORDS: [&str; 22] = [
    "if", "then", "else", "elif", "fi", "case", "esac", "for", "select", "while", "until", "do", "done", "in",
    "function", "time", "{", "}", "!", "[[", "]]", "coproc",
];

/// Name and letter of each, in the order in which bash shows them.
pub(super) const ACTIONS: [(Action, &str, Option<u8>); 24] = [
    (Action::Alias, "alias", Some(b'a')),
    (Action::Builtin, "builtin", Some(b'b')),
    (Action::Command, "command", Some(b'c')),
    (Action::Directory, "directory", Some(b'd')),
    (Action::Export, "export", Some(b'e')),
    (Action::File, "file", Some(b'f')),
    (Action::Group, "group", Some(b'g')),
    (Action::Job, "job", Some(b'j')),
    (Action::Keyword, "keyword", Some(b'k')),
    (Action::Service, "service", Some(b's')),
    (Action::User, "user", Some(b'u')),
    (Action::Variable, "variable", Some(b'v')),
    (Action::ArrayVariable, "arrayvar", None),
    (Action::Binding, "binding", None),
    (Action::Disabled, "disabled", None),
    (Action::Enabled, "enabled", None),
    (Action::Function, "function", None),
    (Action::HelpTopic, "helptopic", None),
    (Action::Hostname, "hostname", None),
    (Action::Running, "running", None),
    (Action::SetOption, "setopt", None),
    (Action::ShellOption, "shopt", None),
    (Action::Signal, "signal", None),
    (Action::Stopped, "stopped", None),
];

/// What a line editor is told about a result (`-o`), in bash's order.
pub(super) const OPTIONS: [&str; 8] =
    ["bashdefault", "default", "dirnames", "filenames", "noquote", "nosort", "nospace", "plusdirs"];

fn by_letter(letter: u8) -> Option<Action> {
    ACTIONS.iter().find(|(_, _, own)| *own == Some(letter)).map(|(action, _, _)| *action)
}

fn by_name(name: &[u8]) -> Option<Action> {
    ACTIONS.iter().find(|(_, own, _)| own.as_bytes() == name).map(|(action, _, _)| *action)
}

/// Reads the options of the built-in: those of `flags` are given back, and where the operands begin.
pub(super) fn request(shell: &mut Shell, args: &Args, flags: &[u8]) -> Result<(Request, Vec<u8>, usize), u8> {
    let name = &args[0];
    let mut request = Request::default();
    let mut given = Vec::new();
    let mut letters = Letters::of(args);
    while let Some(letter) = letters.next() {
        if flags.contains(&letter) {
            given.push(letter);
            continue;
        }
        if let Some(action) = by_letter(letter) {
            request.actions.push(action);
            continue;
        }
        if !b"oAGWFCXPS".contains(&letter) {
            return Err(invalid_option(shell, name, &[b'-', letter]));
        }
        let value = letters.value(shell, letter)?;
        match letter {
            b'A' => match by_name(value) {
                Some(action) => request.actions.push(action),
                None => {
                    shell.builtin_error(name, [value, b": invalid action name"].concat());
                    return Err(USAGE);
                }
            },
            b'o' => match OPTIONS.iter().find(|option| option.as_bytes() == value) {
                Some(option) => request.options.push(option),
                None => {
                    shell.builtin_error(name, [value, b": invalid option name"].concat());
                    return Err(USAGE);
                }
            },
            b'W' => request.words = Some(value.to_vec()),
            b'G' => request.glob = Some(value.to_vec()),
            b'X' => request.filter = Some(value.to_vec()),
            b'P' => request.prefix = Some(value.to_vec()),
            b'S' => request.suffix = Some(value.to_vec()),
            b'F' => request.function = Some(value.to_vec()),
            _ => request.command = Some(value.to_vec()),
        }
    }
    Ok((request, given, letters.operands()))
}

/// `compgen [-abcdefgjksuv] [-A action] [-G pattern] [-W words] [-X filter] [-P prefix] [-S suffix] [word]`: 0 where
/// there is anything.
pub(super) fn compgen(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    const NAME: &[u8] = b"compgen";
    let (request, _, first) = match request(shell, args, b"") {
        Ok(parsed) => parsed,
        Err(status) => return done(status),
    };
    for (letter, text) in [('F', &request.function), ('C', &request.command)] {
        if text.is_some() {
            shell.builtin_error(NAME, format!("warning: -{letter} option may not work as you expect"));
        }
    }
    let has_options = first > 1 && args.get(1).is_some_and(|word| word != b"--");
    let word = args.get(first).unwrap_or_default();
    let mut found: Vec<Vec<u8>> = Vec::new();
    for &action in &request.actions {
        let mut names = candidates(shell, action, word)?;
        names.retain(|name| name.starts_with(word));
        found.extend(names);
    }
    if let Some(pattern) = &request.glob {
        paths(shell, pattern, &mut |path| found.push(path.to_vec()))?;
    }
    if let Some(words) = &request.words {
        let mut list = word_list(shell, words)?;
        list.retain(|name| name.starts_with(word));
        found.extend(list);
    }
    if let Some(function) = &request.function {
        found.extend(given_by_function(shell, function, word)?);
    }
    if let Some(command) = &request.command {
        found.extend(given_by_command(shell, command, word)?);
    }
    if let Some(filter) = &request.filter {
        // `&` is the word, and `!` keeps what matches.
        let (keeps, filter) = match filter.as_slice() {
            [b'!', rest @ ..] => (true, rest),
            rest => (false, rest),
        };
        let text = bstr::ByteSlice::replace(filter, "&", word);
        let pattern = Pattern::new(&text, shell.glob_options().pattern);
        found.retain(|name| pattern.matches(name) == keeps);
    }
    let mut output = Vec::new();
    for name in &found {
        output.extend_from_slice(request.prefix.as_deref().unwrap_or_default());
        output.extend_from_slice(name);
        output.extend_from_slice(request.suffix.as_deref().unwrap_or_default());
        output.push(b'\n');
    }
    for name in others(shell, &request, word, found.is_empty())? {
        output.extend_from_slice(&name);
        output.push(b'\n');
    }
    // Asked for nothing, it has not failed.
    let status = u8::from(has_options && output.is_empty());
    shell.print(NAME, &output).map_continue(|printed| if printed == 0 { status } else { printed })
}

/// What `-o` adds, unfiltered: directories, and where nothing was found what the shell would complete, or files.
fn others(shell: &mut Shell, request: &Request, word: &[u8], mut is_empty: bool) -> Flow<Vec<Vec<u8>>> {
    let mut found = Vec::new();
    let has = |option: &str| request.options.contains(&option);
    if has("plusdirs") || has("dirnames") && is_empty {
        found.extend(candidates(shell, Action::Directory, word)?);
    }
    is_empty &= found.is_empty();
    if has("bashdefault") && is_empty {
        found.extend(by_default(shell, word)?);
    }
    is_empty &= found.is_empty();
    if has("default") && is_empty {
        found.extend(candidates(shell, Action::File, word)?);
    }
    ControlFlow::Continue(found)
}

/// bash's completion of a word that is no file: of `$name`, `~user` and `@host`, and what a pattern matches.
fn by_default(shell: &mut Shell, word: &[u8]) -> Flow<Vec<Vec<u8>>> {
    let (action, sign) = match word.first() {
        Some(sign @ b'$') => (Action::Variable, sign),
        Some(sign @ b'~') if !word.contains(&b'/') => (Action::User, sign),
        Some(sign @ b'@') => (Action::Hostname, sign),
        _ => {
            let mut found = Vec::new();
            if pattern::has_special(word, shell.glob_options().pattern) {
                paths(shell, word, &mut |path| found.push(path.to_vec()))?;
            }
            return ControlFlow::Continue(found);
        }
    };
    let rest = word.get(1..).unwrap_or_default();
    let mut names = candidates(shell, action, rest)?;
    names.retain(|name| name.starts_with(rest));
    ControlFlow::Continue(names.into_iter().map(|name| [&[*sign], &*name].concat()).collect())
}

/// What a completion function and command are called with: the command, the word, and the word before it.
fn call(name: &[u8], word: &[u8]) -> Vec<u8> {
    let mut text = name.to_vec();
    text.extend_from_slice(b" compgen ");
    quote::single(word, &mut text);
    text.extend_from_slice(b" ''");
    text
}

/// `-F`: what the function leaves in COMPREPLY.
fn given_by_function(shell: &mut Shell, function: &[u8], word: &[u8]) -> Flow<Vec<Vec<u8>>> {
    if !shell.env.inherited.functions.contains_key(function) {
        shell.builtin_error(b"compgen", [b"warning: function `", function, b"' not found"].concat());
        return ControlFlow::Continue(Vec::new());
    }
    let mut name = Vec::new();
    quote::single(function, &mut name);
    shell.run_text(&call(&name, word), Text::Builtin("compgen"))?;
    let id = shell.vars.slot_bytes(b"COMPREPLY");
    let found = match shell.vars.get(id).map(|variable| &variable.value) {
        Some(Value::Indexed(array)) => array.iter().map(|(_, text)| text.to_vec()).collect(),
        Some(Value::Scalar(text)) => vec![text.clone()],
        _ => Vec::new(),
    };
    *shell.vars.change(id) = None;
    ControlFlow::Continue(found)
}

/// `-C`: the lines that the command writes.
fn given_by_command(shell: &mut Shell, command: &[u8], word: &[u8]) -> Flow<Vec<Vec<u8>>> {
    let text = [b"\"$(", &*call(command, word), b"\n)\""].concat();
    let Some(substitution) = assigned_word(shell, &text) else { return ControlFlow::Continue(Vec::new()) };
    let mut output = Vec::new();
    shell.expand_assigned(&substitution, &mut output)?;
    ControlFlow::Continue(
        output.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(<[u8]>::to_vec).collect(),
    )
}

/// How many bytes of a file with names are read.
const MOST_NAMES: u64 = 16 << 20;

/// A file with names, or the beginning of it: where it is very long nobody wants all of them offered.
fn read_some(path: &Path) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    std::fs::File::open(path).ok()?.take(MOST_NAMES).read_to_end(&mut text).ok()?;
    Some(text)
}

/// The first fields of the lines of a file of the system (`/etc/passwd`).
fn first_fields(path: &str) -> Vec<Vec<u8>> {
    let Some(text) = read_some(Path::new(path)) else { return Vec::new() };
    let first = |line: &[u8]| line.split(|byte| matches!(byte, b':' | b' ' | b'\t' | b'#')).next().map(<[u8]>::to_vec);
    text.split(|byte| *byte == b'\n').filter_map(first).filter(|name| !name.is_empty()).collect()
}

/// The names of the hosts in HOSTFILE, or in the file of the system.
fn hosts(shell: &Shell) -> Vec<Vec<u8>> {
    let file = shell.vars.scalar_bytes(b"HOSTFILE").filter(|file| !file.is_empty()).unwrap_or(b"/etc/hosts");
    let opening = Opening { guest: !shell.host.is_process, ..Opening::to_read() };
    let mut text = Vec::new();
    let read = opening.open(&shell.absolute(file)).and_then(|file| file.take(MOST_NAMES).read_to_end(&mut text));
    if read.is_err() {
        return Vec::new();
    }
    let mut names: Vec<Vec<u8>> = Vec::new();
    for line in text.split(|byte| *byte == b'\n') {
        let line = line.split(|byte| *byte == b'#').next().unwrap_or_default();
        // The address stands before them.
        let fields = line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty());
        for name in fields.skip(1).map(<[u8]>::to_vec) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

fn candidates(shell: &mut Shell, action: Action, word: &[u8]) -> Flow<Vec<Vec<u8>>> {
    let builtins = |shell: &Shell, disabled: Option<bool>| -> Vec<Vec<u8>> {
        BUILTINS
            .iter()
            .map(|builtin| builtin.name.as_bytes().to_vec())
            .filter(|name| disabled.is_none_or(|disabled| shell.jobs.is_disabled(name) == disabled))
            .collect()
    };
    let functions = |shell: &Shell| {
        let mut names: Vec<Vec<u8>> = shell.env.inherited.functions.keys().map(|name| name.to_vec()).collect();
        names.sort_unstable();
        names
    };
    let names = match action {
        Action::Alias => shell.env.inherited.aliases.keys().cloned().collect(),
        Action::ArrayVariable | Action::Export | Action::Variable => {
            let mut ids = shell.listed_variables();
            ids.retain(|&id| {
                let letters = shell.attribute_letters(id);
                match action {
                    Action::ArrayVariable => letters.iter().any(|letter| matches!(letter, b'a' | b'A')),
                    Action::Export => shell.has_listed_value(id) && letters.contains(&b'x'),
                    _ => shell.has_listed_value(id),
                }
            });
            ids.into_iter().map(|id| shell.vars.name(id).to_vec()).collect()
        }
        Action::Builtin | Action::HelpTopic => builtins(shell, None),
        Action::Enabled => builtins(shell, Some(false)),
        Action::Disabled => builtins(shell, Some(true)),
        Action::Function => functions(shell),
        Action::Keyword => KEYWORDS.iter().map(|word| word.as_bytes().to_vec()).collect(),
        Action::SetOption => SET_OPTIONS.iter().map(|(name, _, _)| name.as_bytes().to_vec()).collect(),
        Action::ShellOption => SHOPT_OPTIONS.iter().map(|(name, _)| name.as_bytes().to_vec()).collect(),
        Action::Signal => {
            signals::all().iter().map(|(name, _)| format!("SIG{}", name.trim_start_matches("SIG")).into()).collect()
        }
        Action::Command => {
            let mut names: Vec<Vec<u8>> = shell.env.inherited.aliases.keys().cloned().collect();
            names.extend(KEYWORDS.iter().map(|word| word.as_bytes().to_vec()));
            names.extend(functions(shell));
            names.extend(builtins(shell, Some(false)));
            names.extend(programs(shell));
            names
        }
        Action::File | Action::Directory => {
            let mut pattern = Vec::new();
            pattern::escape(word, &mut pattern);
            pattern.push(b'*');
            let mut names = Vec::new();
            paths(shell, &pattern, &mut |path| names.push(path.to_vec()))?;
            if action == Action::Directory {
                names.retain(|name| shell.absolute(name).is_dir());
            }
            names
        }
        Action::User => first_fields("/etc/passwd"),
        Action::Group => first_fields("/etc/group"),
        Action::Service => first_fields("/etc/services"),
        Action::Hostname => hosts(shell),
        // There are none in a shell that is not interactive.
        Action::Binding | Action::Job | Action::Running | Action::Stopped => Vec::new(),
    };
    ControlFlow::Continue(names)
}

/// The names of the programs on PATH.
fn programs(shell: &Shell) -> Vec<Vec<u8>> {
    let path = search_path(shell, false);
    let mut names = Vec::new();
    for directory in path_list::elements(&path, cfg!(windows)) {
        let Ok(entries) = std::fs::read_dir(shell.absolute(&directory)) else { continue };
        names.extend(entries.flatten().map(|entry| text::from_os(&entry.file_name()).into_owned()));
    }
    // One that stands in several directories is named as often.
    names.sort_unstable();
    names
}

/// Pathname expansion; a pattern without special characters is a file that is there.
fn paths(shell: &mut Shell, pattern: &[u8], out: &mut dyn FnMut(&[u8])) -> Flow {
    let options = shell.glob_options();
    if !pattern::has_special(pattern, options.pattern) {
        if std::fs::symlink_metadata(shell.absolute(pattern)).is_ok() {
            out(pattern);
        }
        return flow::NEXT;
    }
    let cancel = shell.host.cancel.clone();
    let interrupt = shell.context.interrupt.clone();
    let mut keep_going = || !(cancel.is_cancelled() && interrupt.is_raised());
    let temp = shell.temp_dir();
    match glob::expand(pattern, &shell.env.inherited.cwd, &|| temp.clone(), &options, &mut keep_going, out) {
        Ok(_) => flow::NEXT,
        Err(glob::GlobError::Interrupted) => divert(flow::Divert::Stop),
        Err(error) => shell.exceed(Limit::GlobResults, error),
    }
}

/// The words of `-W`: split at the characters of IFS outside of quotes, then expanded one by one.
fn word_list(shell: &mut Shell, list: &[u8]) -> Flow<Vec<Vec<u8>>> {
    let usual = shell.vars.scalar_bytes(b"IFS").is_none_or(|ifs| ifs == b" \t\n");
    if usual && let Some(elements) = shell_words(shell, list) {
        let noglob = shell.opt(Opt::Noglob);
        shell.env.options.set(Opt::Noglob, true);
        let mut fields = Args::new();
        let flow = elements.iter().try_for_each(|element| shell.expand_fields(&element.value, &mut fields));
        shell.env.options.set(Opt::Noglob, noglob);
        flow?;
        return ControlFlow::Continue(fields.iter().map(<[u8]>::to_vec).collect());
    }
    let ifs = shell.env.inherited.ifs.clone();
    let mut pieces: Vec<&[u8]> = Vec::new();
    let (mut start, mut at, mut quote) = (0, 0, 0);
    while at < list.len() {
        let byte = list[at];
        let separator = if quote == 0 { ifs.separator(&list[at..]) } else { 0 };
        if separator > 0 {
            pieces.push(&list[start..at]);
            at += separator;
            start = at;
            continue;
        }
        match byte {
            b'\\' if quote != b'\'' => at += 1,
            b'\'' | b'"' if quote == 0 => quote = byte,
            _ if byte == quote => quote = 0,
            _ => {}
        }
        at += 1;
    }
    pieces.push(list.get(start..).unwrap_or_default());
    let mut words = Vec::new();
    for piece in pieces.into_iter().filter(|piece| !piece.is_empty()) {
        if !piece.iter().any(|byte| b"$`\\'\"~".contains(byte)) {
            words.push(piece.to_vec());
        } else if let Some(word) = assigned_word(shell, piece) {
            let mut value = Vec::new();
            shell.expand_assigned(&word, &mut value)?;
            words.push(value);
        } else {
            words.push(shell.expand_text(piece)?);
        }
    }
    ControlFlow::Continue(words)
}

/// The list as words of the shell, if it can be read as such.
fn shell_words(shell: &Shell, list: &[u8]) -> Option<Vec<ArrayElement>> {
    if list.contains(&b'#') {
        return None;
    }
    match assigned(shell, &[b"(", list, b")"].concat())? {
        AssignmentValue::Array(elements) if elements.iter().all(|element| element.subscript.is_none()) => {
            Some(elements)
        }
        _ => None,
    }
}

/// The piece as a word of the shell, if it is one.
fn assigned_word(shell: &Shell, piece: &[u8]) -> Option<Word> {
    match assigned(shell, piece)? {
        AssignmentValue::Scalar(word) => Some(word),
        AssignmentValue::Array(_) => None,
    }
}

/// What `a=TEXT` assigns, if that is what it is.
fn assigned(shell: &Shell, value: &[u8]) -> Option<AssignmentValue> {
    let text = [b"a=", value].concat();
    let unit = Parser::new(&text).next_unit(&shell.parse_options(), None).ok()??;
    let [item] = unit.list.items.as_slice() else { return None };
    let [stage] = item.and_or.first.stages.as_slice() else { return None };
    let Command::Simple(command) = &stage.command else { return None };
    match (command.assignments.as_slice(), command.arguments.as_slice()) {
        ([Assignment { value, .. }], []) => Some(value.clone()),
        _ => None,
    }
}
