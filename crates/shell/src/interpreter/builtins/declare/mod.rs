//! `export`, `readonly` (XCU export, readonly), bash's `declare`, `typeset`, `local`.

mod listing;
mod operand;
mod request;

use std::ops::ControlFlow;

use hookshell_syntax::ast::{Argument, Assignment, AssignmentValue};
use hookshell_utility::Args;

use super::done;
use crate::flow::Flow;
use crate::shell::Shell;
use crate::vars::{Attributes, Value};

/// Which of the built-ins it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Declare,
    Local,
    Export,
    Readonly,
}

/// bash: `declare`, `typeset`
pub(super) fn declare(shell: &mut Shell, args: &Args, declarations: &[Argument]) -> Flow<u8> {
    run(shell, args, declarations, Kind::Declare)
}

/// bash: `local`
pub(super) fn local(shell: &mut Shell, args: &Args, declarations: &[Argument]) -> Flow<u8> {
    if shell.context.frames.functions() == 0 {
        shell.builtin_error(b"local", "can only be used in a function");
        return done(1);
    }
    run(shell, args, declarations, Kind::Local)
}

/// `export`
pub(super) fn export(shell: &mut Shell, args: &Args, declarations: &[Argument]) -> Flow<u8> {
    run(shell, args, declarations, Kind::Export)
}

/// `readonly`
pub(super) fn readonly(shell: &mut Shell, args: &Args, declarations: &[Argument]) -> Flow<u8> {
    run(shell, args, declarations, Kind::Readonly)
}

fn run(shell: &mut Shell, args: &Args, declarations: &[Argument], kind: Kind) -> Flow<u8> {
    let (mut request, first) = match request::request(shell, args, kind) {
        Ok(parsed) => parsed,
        Err(status) => return done(status),
    };
    // bash: no function is local.
    request.functions &= kind != Kind::Local || first < args.len();
    if first >= args.len() {
        return listing::list(shell, &args[0], &request, kind);
    }
    // bash: `local -g` is `declare -g`.
    let kind = if kind == Kind::Local && request.global { Kind::Declare } else { kind };
    if request.functions {
        return listing::functions(shell, args, first, &request, kind);
    }
    if request.print && matches!(kind, Kind::Declare | Kind::Local) {
        return listing::named(shell, args, first, kind);
    }
    if kind == Kind::Local && args.iter_from(first).any(|word| word == b"-") {
        save_options(shell);
    }
    let mut status = 0;
    let name = own_name(args);
    for (word, assignment) in operands(args, first, declarations) {
        if kind == Kind::Local && word == b"-" {
            continue;
        }
        let declare = |shell: &mut Shell| operand::declare(shell, &args[0], word, assignment, &request, kind);
        match shell.assigning_as(name, declare) {
            ControlFlow::Continue(true) => {}
            ControlFlow::Continue(false) => status = 1,
            ControlFlow::Break(divert) => return ControlFlow::Break(divert),
        }
    }
    done(status)
}

/// Assigns a list among the operands, as soon as the words before it, `args`, are expanded. The built-in, which gets the
/// name of the array later, gives it the other attributes, and says so where it could not be made.
pub(crate) fn list(shell: &mut Shell, args: &Args, list: &Assignment) -> Flow {
    shell.refuse_list_of_element(list)?;
    let kind = match &args[0] {
        // Outside of functions `local` itself fails, later.
        b"local" if shell.context.frames.functions() > 0 => Kind::Local,
        b"export" => Kind::Export,
        b"readonly" => Kind::Readonly,
        _ => Kind::Declare,
    };
    let mut request = request::of_lists(args, kind);
    // The built-in finds that a nameref is no array.
    let later = Attributes::READONLY.union(Attributes::EXPORT).union(Attributes::NAMEREF);
    request.set = request.set.with(later, false);
    let kind = if kind == Kind::Local && request.global { Kind::Declare } else { kind };
    let makes_local =
        shell.context.frames.functions() > 0 && !request.global && matches!(kind, Kind::Declare | Kind::Local);
    let id = shell.vars.slot(&list.name);
    let readonly = |shell: &Shell| shell.vars.get(id).is_some_and(|v| v.attributes.has(Attributes::READONLY));
    let is_fixed = if makes_local {
        // What the local variable hides is a failure of the built-in.
        shell.vars.scope(id) == shell.context.frames.functions()
            && shell.vars.get(id).is_some_and(|v| v.attributes.has(Attributes::LOCAL))
            && readonly(shell)
    } else if request.global {
        let global = shell.vars.enter_global(id);
        let is_fixed = readonly(shell);
        if let Some(global) = global {
            shell.vars.leave_global(global);
        }
        is_fixed
    } else {
        readonly(shell)
    };
    if is_fixed {
        if let AssignmentValue::Array(elements) = &list.value {
            shell.list_items(id, elements, shell.is_associative(id), 0)?;
        }
        return shell.readonly(id);
    }
    let conversion = match shell.vars.get(id).map(|variable| &variable.value) {
        Some(Value::Indexed(_)) if request.associative => Some("indexed to associative"),
        Some(Value::Associative(_)) if request.indexed => Some("associative to indexed"),
        _ => None,
    };
    // With `-g` the variable may be a local that hides the one that is meant.
    if let Some(conversion) =
        conversion.filter(|_| !makes_local && (shell.context.frames.functions() == 0 || !request.global))
    {
        // bash: an error of the expansion, not of the built-in.
        shell.error([list.name.as_bytes(), b": cannot convert ", conversion.as_bytes(), b" array"].concat());
        shell.env.status = 1;
        return shell.reported();
    }
    let word = [list.name.as_bytes(), if list.append { b"+=" } else { b"=" }].concat();
    let declare = |shell: &mut Shell| operand::declare(shell, &args[0], &word, Some(list), &request, kind);
    shell.assigning_as(own_name(args), declare).map_continue(|_| ())
}

/// The name under which the built-in was called.
fn own_name(args: &Args) -> &'static str {
    crate::interpreter::builtins::find(&args[0]).map_or("", |builtin| builtin.name)
}

/// The operands with the assignments that they were parsed as. They stand at the end of the words as they were parsed;
/// expansion may have made more of the others.
fn operands<'a>(args: &'a Args, first: usize, declarations: &'a [Argument]) -> Vec<(&'a [u8], Option<&'a Assignment>)> {
    let mut assignments = declarations.iter().filter_map(|argument| match argument {
        Argument::Assignment(assignment) => Some(&**assignment),
        Argument::Word(_) => None,
    });
    let mut pending = assignments.next();
    args.iter_from(first)
        .map(|word| {
            // A list that has been assigned leaves its name.
            if pending.is_some_and(|assignment| assignment.is_list() && word == assignment.name.as_bytes()) {
                pending = assignments.next();
                return (word, None);
            }
            let own = pending.filter(|assignment| {
                word.starts_with(assignment.name.as_bytes())
                    && matches!(word.get(assignment.name.as_bytes().len()), Some(b'=' | b'+' | b'['))
            });
            if own.is_some() {
                pending = assignments.next();
            }
            (word, own)
        })
        .collect()
}

/// `local -`: the options of `set` come back when the function returns.
fn save_options(shell: &mut Shell) {
    if !shell.has_local_options() {
        shell.context.local_options.push((
            shell.context.frames.functions(),
            shell.context.subshell.depth,
            shell.env.options,
        ));
    }
}
