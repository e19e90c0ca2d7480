//! What the declaration utilities show, and what they do with functions.

use std::sync::Arc;

use bstr::ByteSlice as _;
use hookshell_text::quote;
use hookshell_utility::Args;

use super::Kind;
use super::request::Request;
use crate::call::Function;
use crate::flow::Flow;
use crate::interpreter::builtins::{done, function_export, set};
use crate::options::Opt;
use crate::shell::Shell;
use crate::vars::{Attributes, Special, Value};

/// A function's definition, on lines of its own.
fn push_definition(function: &Function, posix: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(&hookshell_syntax::print_function(&function.definition, posix));
    if out.last() != Some(&b'\n') {
        out.push(b'\n');
    }
}

/// The line that gives a function its attributes back; nothing where it has none and a definition stands before it.
fn push_attributes(name: &[u8], function: &Function, always: bool, out: &mut Vec<u8>) {
    let flags = [(function.readonly, b'r'), (function.traced, b't'), (function.exported, b'x')];
    if !always && !flags.iter().any(|(on, _)| *on) {
        return;
    }
    out.extend_from_slice(b"declare -f");
    out.extend(flags.iter().filter(|(on, _)| *on).map(|(_, letter)| *letter));
    out.push(b' ');
    out.extend_from_slice(name);
    out.push(b'\n');
}

/// `-f name …`: shows functions, or changes their attributes.
pub(super) fn functions(shell: &mut Shell, args: &Args, first: usize, request: &Request, kind: Kind) -> Flow<u8> {
    // What only variables have makes no sense here.
    let only_variables = [
        (request.set.has(Attributes::NAMEREF), b'n'),
        (request.set.has(Attributes::INTEGER), b'i'),
        (request.associative, b'A'),
        (request.indexed, b'a'),
    ];
    if kind == Kind::Declare
        && !request.print
        && let Some((_, letter)) = only_variables.iter().find(|(asked, _)| *asked)
    {
        shell.builtin_error(&args[0], [b"-", &[*letter][..], b": invalid option"].concat());
        return done(1);
    }
    let mut status = 0;
    let mut output = Vec::new();
    for name in args.iter_from(first) {
        if kind == Kind::Declare && !request.print && memchr::memchr(b'=', name).is_some_and(|at| at > 0) {
            shell.builtin_error(&args[0], "cannot use `-f' to make functions");
            return done(1);
        }
        let Some(function) = shell.env.inherited.functions.get(name).cloned() else {
            if kind != Kind::Declare {
                shell.builtin_error(&args[0], [name, b": not a function"].concat());
            } else if request.print {
                shell.print_before_error(&mut output);
                shell.builtin_error(&args[0], [name, b": not found"].concat());
            }
            status = 1;
            continue;
        };
        if kind == Kind::Export && !request.unset_function_flags && name.iter().any(|byte| matches!(byte, b'=' | b'/'))
        {
            // The environment cannot hold it, or a script that is named by its path would be hidden.
            shell.builtin_error(&args[0], [name, b": cannot export"].concat());
            status = 1;
            continue;
        }
        let changed = match kind {
            Kind::Export => Some((!request.unset_function_flags, function.readonly, function.traced)),
            Kind::Readonly => Some((function.exported, true, function.traced)),
            _ if request.print => None,
            _ if request.set != Attributes::default() || request.clear != Attributes::default() => {
                if function.readonly && request.clear.has(Attributes::READONLY) {
                    shell.print_before_error(&mut output);
                    shell.builtin_error(&args[0], [name, b": readonly function"].concat());
                    status = 1;
                    continue;
                }
                let flag = |old: bool, attribute: Attributes| {
                    (old || request.set.has(attribute)) && !request.clear.has(attribute)
                };
                Some((
                    flag(function.exported, Attributes::EXPORT),
                    flag(function.readonly, Attributes::READONLY),
                    flag(function.traced, Attributes::TRACE),
                ))
            }
            _ => None,
        };
        match changed {
            Some((exported, readonly, traced)) => {
                let function = Function {
                    name: function.name.clone(),
                    body: function.body.clone(),
                    source: function.source.clone(),
                    line: function.line,
                    line_shift: function.line_shift,
                    definition: function.definition.clone(),
                    readonly,
                    exported,
                    traced,
                };
                function_export::update(shell, name, exported.then_some(&*function.definition));
                Arc::make_mut(&mut shell.env.inherited.functions).insert(name.into(), Arc::new(function));
            }
            None if request.names_only && request.print => push_attributes(name, &function, true, &mut output),
            None if request.names_only && shell.opt(Opt::Extdebug) => {
                output.extend_from_slice(name);
                output.extend_from_slice(format!(" {} ", function.line).as_bytes());
                output.extend_from_slice(&function.source);
                output.push(b'\n');
            }
            None if request.names_only => {
                output.extend_from_slice(name);
                output.push(b'\n');
            }
            None => {
                push_definition(&function, shell.opt(Opt::Posix), &mut output);
                if request.print {
                    push_attributes(name, &function, false, &mut output);
                }
            }
        }
    }
    shell.print(&args[0], &output).map_continue(|printed| if printed == 0 { status } else { printed })
}

/// `-p name …`
pub(super) fn named(shell: &mut Shell, args: &Args, first: usize, kind: Kind) -> Flow<u8> {
    let mut output = Vec::new();
    let mut status = 0;
    for name in args.iter_from(first) {
        let known = shell.vars.find_bytes(name);
        let id = if Special::of(name).is_computed() { Some(shell.vars.slot_bytes(name)) } else { known };
        // `local -p`: of this function only.
        let id = id.filter(|&id| kind != Kind::Local || shell.vars.scope(id) == shell.context.frames.functions());
        let found = id.and_then(|id| shell.declaration_of(id, true));
        match found {
            Some(text) => {
                output.extend_from_slice(&text);
                output.push(b'\n');
            }
            None => {
                shell.print_before_error(&mut output);
                shell.builtin_error(&args[0], [name, b": not found"].concat());
                status = 1;
            }
        }
    }
    shell.print(&args[0], &output).map_continue(|printed| if printed == 0 { status } else { printed })
}

/// How a line of `export -p` and `readonly -p` begins in POSIX mode.
fn push_posix_word(kind: Kind, out: &mut Vec<u8>) {
    out.extend_from_slice(if kind == Kind::Export { b"export " } else { b"readonly " });
}

/// Without operands: what matches the options.
pub(super) fn list(shell: &mut Shell, builtin: &[u8], request: &Request, kind: Kind) -> Flow<u8> {
    if request.functions {
        return list_functions(shell, builtin, request, kind);
    }
    if kind == Kind::Declare && !request.print && request.is_plain() && request.clear == Attributes::default() {
        // `declare` alone is `set`.
        return set::show(shell, builtin);
    }
    let posix = shell.opt(Opt::Posix);
    let mut output = Vec::new();
    if kind == Kind::Local && shell.has_local_options() {
        output.extend_from_slice(b"local -\n");
    }
    for id in shell.listed_variables() {
        let variable = shell.vars.get(id).filter(|_| shell.vars.computed(id).is_none());
        let Some(variable) = variable else {
            let Some(letters) = shell.computed_letters(id).filter(|_| kind == Kind::Declare) else { continue };
            let is_array = letters.contains(&b'a');
            let selected = match (request.indexed, request.associative) {
                (false, false) => {
                    let given = shell.vars.get(id).map(|variable| variable.attributes).unwrap_or_default();
                    request.set == Attributes::default()
                        || given.with(Attributes::INTEGER, letters.contains(&b'i')).has(request.set)
                }
                (indexed, associative) => is_array && indexed && !associative,
            };
            if let Some(text) = selected.then(|| shell.declaration_of(id, false)).flatten() {
                output.extend_from_slice(&text);
                output.push(b'\n');
            }
            continue;
        };
        let of_kind = (!request.indexed || matches!(variable.value, Value::Indexed(_)))
            && (!request.associative || matches!(variable.value, Value::Associative(_)));
        let selected = match kind {
            Kind::Local => shell.vars.scope(id) == shell.context.frames.functions(),
            Kind::Export => variable.attributes.has(Attributes::EXPORT),
            Kind::Readonly => variable.attributes.has(Attributes::READONLY) && of_kind,
            Kind::Declare if request.indexed || request.associative => of_kind,
            Kind::Declare => request.set == Attributes::default() || variable.attributes.has(request.set),
        };
        if !selected {
            continue;
        }
        if posix && matches!(kind, Kind::Export | Kind::Readonly) {
            push_posix_word(kind, &mut output);
            let array_flag: &[u8] = match variable.value {
                Value::Indexed(_) => b"-a ",
                Value::Associative(_) => b"-A ",
                _ => b"",
            };
            output.extend_from_slice(array_flag);
            match shell.declaration(id).filter(|_| !array_flag.is_empty()) {
                Some(text) => {
                    let skipped = text.find_byteset(b"=").unwrap_or(text.len());
                    output.extend_from_slice(&shell.vars.name(id));
                    output.extend_from_slice(&text[skipped..]);
                }
                None => {
                    output.extend_from_slice(&shell.vars.name(id));
                    if let Some(value) = variable.value.scalar() {
                        output.push(b'=');
                        quote::declaration(value, shell.env.bytes, &mut output);
                    }
                }
            }
            output.push(b'\n');
        } else if let Some(text) = shell.declaration(id) {
            output.extend_from_slice(&text);
            output.push(b'\n');
        }
    }
    shell.print(builtin, &output)
}

fn list_functions(shell: &mut Shell, builtin: &[u8], request: &Request, kind: Kind) -> Flow<u8> {
    let mut output = Vec::new();
    let mut names: Vec<&[u8]> = shell.env.inherited.functions.keys().map(|name| &**name).collect();
    names.sort_unstable();
    for name in names {
        let Some(function) = shell.env.inherited.functions.get(name) else { continue };
        let selected = match kind {
            Kind::Export => function.exported,
            Kind::Readonly => function.readonly,
            _ => {
                (!request.set.has(Attributes::EXPORT) || function.exported)
                    && (!request.set.has(Attributes::READONLY) || function.readonly)
                    && (!request.set.has(Attributes::TRACE) || function.traced)
            }
        };
        if !selected {
            continue;
        }
        if request.names_only {
            push_attributes(name, function, true, &mut output);
        } else if shell.opt(Opt::Posix) && matches!(kind, Kind::Export | Kind::Readonly) {
            push_posix_word(kind, &mut output);
            output.extend_from_slice(b"-f ");
            output.extend_from_slice(name);
            output.push(b'\n');
        } else {
            push_definition(function, shell.opt(Opt::Posix), &mut output);
            push_attributes(name, function, false, &mut output);
        }
    }
    shell.print(builtin, &output)
}
