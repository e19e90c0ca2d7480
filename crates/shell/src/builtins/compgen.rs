//! bash: `compgen`, as scripts use it to list names and files. What completes a command line (`-F`, `-C`) is out of scope.

use std::ops::ControlFlow;

use hookshell_process::{path_list, signals, text};
use hookshell_syntax::Parser;
use hookshell_syntax::ast::{Argument, ArrayElement, Assignment, AssignmentValue, Command, Word};

use super::command::search_path;
use super::help::{invalid_option, usage};
use super::{BUILTINS, USAGE, done};
use crate::args::Args;
use crate::flow::{Flow, divert};
use crate::limits::Limit;
use crate::options::{Opt, SET_OPTIONS, SHOPT_OPTIONS};
use crate::pattern::{self, Pattern};
use crate::shell::Shell;
use crate::{flow, glob};

/// The reserved words in bash's order.
const KEYWORDS: [&str; 22] = [
    "if", "then", "else", "elif", "fi", "case", "esac", "for", "select", "while", "until", "do", "done", "in",
    "function", "time", "{", "}", "!", "[[", "]]", "coproc",
];

/// What is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Action {
    Alias,
    ArrayVariable,
    Builtin,
    Command,
    Directory,
    Disabled,
    Enabled,
    Export,
    File,
    Function,
    Keyword,
    SetOption,
    ShellOption,
    Signal,
    Variable,
    /// Known to bash; there is nothing to list here.
    Nothing,
}

fn by_letter(letter: u8) -> Option<Action> {
    Some(match letter {
        b'a' => Action::Alias,
        b'b' => Action::Builtin,
        b'c' => Action::Command,
        b'd' => Action::Directory,
        b'e' => Action::Export,
        b'f' => Action::File,
        b'k' => Action::Keyword,
        b'v' => Action::Variable,
        b'g' | b'j' | b's' | b'u' => Action::Nothing,
        _ => return None,
    })
}

fn by_name(name: &[u8]) -> Option<Action> {
    Some(match name {
        b"alias" => Action::Alias,
        b"arrayvar" => Action::ArrayVariable,
        b"builtin" | b"helptopic" => Action::Builtin,
        b"command" => Action::Command,
        b"directory" => Action::Directory,
        b"disabled" => Action::Disabled,
        b"enabled" => Action::Enabled,
        b"export" => Action::Export,
        b"file" => Action::File,
        b"function" => Action::Function,
        b"keyword" => Action::Keyword,
        b"setopt" => Action::SetOption,
        b"shopt" => Action::ShellOption,
        b"signal" => Action::Signal,
        b"variable" => Action::Variable,
        b"binding" | b"group" | b"hostname" | b"job" | b"running" | b"service" | b"stopped" | b"user" => {
            Action::Nothing
        }
        _ => return None,
    })
}

#[derive(Default)]
struct Request {
    actions: Vec<Action>,
    words: Option<Vec<u8>>,
    glob: Option<Vec<u8>>,
    filter: Option<Vec<u8>>,
    prefix: Vec<u8>,
    suffix: Vec<u8>,
    /// `-F` or `-C`
    runs: bool,
}

fn request(shell: &mut Shell, args: &Args) -> Result<(Request, usize), u8> {
    const NAME: &[u8] = b"compgen";
    let mut request = Request::default();
    let mut index = 1;
    while let Some(word) = args.get(index) {
        let cluster = match word {
            b"--" => {
                index += 1;
                break;
            }
            [b'-', cluster @ ..] if !cluster.is_empty() => cluster,
            _ => break,
        };
        index += 1;
        for (at, &letter) in cluster.iter().enumerate() {
            if let Some(action) = by_letter(letter) {
                request.actions.push(action);
                continue;
            }
            if !b"oAGWFCXPS".contains(&letter) {
                return Err(invalid_option(shell, NAME, &[b'-', letter]));
            }
            let rest = &cluster[at + 1..];
            let value = if rest.is_empty() {
                index += 1;
                args.get(index - 1)
            } else {
                Some(rest)
            };
            let Some(value) = value else {
                shell.builtin_error(NAME, format!("-{}: option requires an argument", char::from(letter)));
                usage(shell, NAME);
                return Err(USAGE);
            };
            match letter {
                b'A' => match by_name(value) {
                    Some(action) => request.actions.push(action),
                    None => {
                        shell.builtin_error(NAME, [value, b": invalid action name"].concat());
                        return Err(USAGE);
                    }
                },
                b'W' => request.words = Some(value.to_vec()),
                b'G' => request.glob = Some(value.to_vec()),
                b'X' => request.filter = Some(value.to_vec()),
                b'P' => request.prefix = value.to_vec(),
                b'S' => request.suffix = value.to_vec(),
                b'F' | b'C' => request.runs = true,
                // How a line editor treats the result.
                _ => {}
            }
            break;
        }
    }
    Ok((request, index))
}

/// `compgen [-abcdefgjksuv] [-A action] [-G pattern] [-W words] [-X filter] [-P prefix] [-S suffix] [word]`: 0 where
/// there is anything.
pub(super) fn compgen(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    const NAME: &[u8] = b"compgen";
    let (request, first) = match request(shell, args) {
        Ok(parsed) => parsed,
        Err(status) => return done(status),
    };
    if request.runs {
        shell.builtin_error(NAME, "programmable completion is not available: this shell is never interactive");
        return done(1);
    }
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
        output.extend_from_slice(&request.prefix);
        output.extend_from_slice(name);
        output.extend_from_slice(&request.suffix);
        output.push(b'\n');
    }
    // Asked for nothing, it has not failed.
    let status = u8::from(args.len() > 1 && found.is_empty());
    shell.print(NAME, &output).map_continue(|printed| if printed == 0 { status } else { printed })
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
        let mut names: Vec<Vec<u8>> = shell.settled.functions.keys().map(|name| name.to_vec()).collect();
        names.sort_unstable();
        names
    };
    let names = match action {
        Action::Alias => shell.settled.aliases.keys().cloned().collect(),
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
        Action::Builtin => builtins(shell, None),
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
            let mut names: Vec<Vec<u8>> = shell.settled.aliases.keys().cloned().collect();
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
        Action::Nothing => Vec::new(),
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
    names.sort_unstable();
    names.dedup();
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
    let interrupt = shell.interrupt.clone();
    let mut keep_going = || !(cancel.is_cancelled() && interrupt.is_raised());
    let temp = shell.temp_dir();
    match glob::expand(pattern, &shell.settled.cwd, &|| temp.clone(), &options, &mut keep_going, out) {
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
        shell.options.set(Opt::Noglob, true);
        let mut fields = Args::new();
        let flow = elements.iter().try_for_each(|element| shell.expand_fields(&element.value, &mut fields));
        shell.options.set(Opt::Noglob, noglob);
        flow?;
        return ControlFlow::Continue(fields.iter().map(<[u8]>::to_vec).collect());
    }
    let ifs = shell.settled.ifs.clone();
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
