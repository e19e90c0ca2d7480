//! `unset` (XCU unset)

use std::sync::Arc;

use hookshell_syntax::ast::{Argument, WordPart};
use hookshell_syntax::{Dialect, is_name};
use hookshell_utility::Args;

use super::{done, options};
use crate::flow::Flow;
use crate::interpreter::reference::{Reference, split_expanded, split_subscript};
use crate::options::Opt;
use crate::shell::Shell;
use crate::vars::{Attributes, SlotId, Special, Value, Variable};

/// `unset [-fvn] name …`
pub(super) fn unset(shell: &mut Shell, args: &Args, source: &[Argument]) -> Flow<u8> {
    let (letters, first) = match options(shell, args, b"fvn") {
        Ok(parsed) => parsed,
        Err(status) => return done(status),
    };
    let has = |letter: u8| letters.contains(&letter);
    if has(b'f') && has(b'v') {
        shell.builtin_error(b"unset", "cannot simultaneously unset a function and a variable");
        return done(1);
    }
    let mut status = 0;
    let mut elements = source.iter().filter_map(element_prefix).peekable();
    for name in args.iter_from(first) {
        let is_element = elements.next_if(|prefix| name.starts_with(prefix) && name.ends_with(b"]")).is_some();
        if has(b'f') {
            if !unset_function(shell, name) {
                status = 1;
            }
            continue;
        }
        if is_name(name) {
            let id = shell.named_slot(name)?;
            let target = if has(b'n') { Reference::Variable(id) } else { shell.follow(id)? };
            let exists = shell.vars.get(id).is_some();
            // What is no nameref is left alone.
            if has(b'n')
                && shell
                    .vars
                    .get(id)
                    .is_some_and(|v| !v.attributes.has(Attributes::NAMEREF) && !v.attributes.has(Attributes::READONLY))
            {
                continue;
            }
            if !exists && !has(b'v') && !has(b'n') && shell.env.inherited.functions.contains_key(name) {
                if !unset_function(shell, name) {
                    status = 1;
                }
                continue;
            }
            match target {
                Reference::Variable(id) => {
                    if !unset_variable(shell, b"unset", id) {
                        status = 1;
                    }
                }
                // bash: a nameref to an element of what is no array says nothing.
                Reference::Index(id, index) if index > 0 && !is_array(shell, id) => {}
                reference => {
                    if !unset_element(shell, &reference) {
                        status = 1;
                    }
                }
            }
            continue;
        }
        let once = is_element || shell.opt(Opt::AssocExpandOnce);
        let split = if once { split_expanded(name) } else { split_subscript(name) };
        match split {
            Some(_) if has(b'n') => {}
            // The bracket ends the subscript, and what follows makes it no element's name.
            Some((_, subscript)) if once && !is_element && subscript.contains(&b']') => {}
            Some((array, subscript)) => {
                let id = shell.vars.slot_bytes(array);
                if shell.vars.get(id).is_some_and(|v| v.attributes.has(Attributes::READONLY)) {
                    let array = array.to_vec();
                    shell.builtin_error(b"unset", [&*array, b": cannot unset: readonly variable"].concat());
                    status = 1;
                    continue;
                }
                // bash does not look at the subscript where there is no such variable.
                if shell.vars.get(id).is_none() && !shell.vars.special(id).is_computed() {
                    continue;
                }
                let reference = match once {
                    true => shell.expanded_subscript(id, subscript)?,
                    false => shell.subscript_from_text(id, subscript)?,
                };
                if let Some(reference) = reference
                    && !unset_element(shell, &reference)
                {
                    status = 1;
                }
            }
            None => {
                if !has(b'v') && shell.env.inherited.functions.contains_key(name) {
                    if !unset_function(shell, name) {
                        status = 1;
                    }
                    continue;
                }
                // Without -v it may be the name of a function, which can be anything; that there is none is no error.
                if has(b'v') {
                    shell.builtin_error(b"unset", [b"`", name, b"': not a valid identifier"].concat());
                    status = 1;
                }
            }
        }
    }
    if status != 0 && shell.env.dialect == Dialect::Posix {
        // XCU 2.8.1: an error of a special built-in. bash continues, in its POSIX mode too.
        shell.scratch.special_failed = true;
    }
    done(status)
}

/// What a word begins with that stands in the source as `name[subscript]`: its subscript is expanded with the word, and
/// not once more.
fn element_prefix(argument: &Argument) -> Option<&[u8]> {
    let Argument::Word(word) = argument else { return None };
    let (Some(WordPart::Literal(start)), Some(WordPart::Literal(end))) = (word.parts.first(), word.parts.last()) else {
        return None;
    };
    let open = memchr::memchr(b'[', start)?;
    (is_name(&start[..open]) && end.ends_with(b"]")).then(|| &start[..=open])
}

fn unset_function(shell: &mut Shell, name: &[u8]) -> bool {
    match shell.env.inherited.functions.get(name) {
        Some(function) if function.readonly => {
            shell.builtin_error(b"unset", [name, b": cannot unset: readonly function"].concat());
            false
        }
        Some(_) => {
            Arc::make_mut(&mut shell.env.inherited.functions).remove(name);
            super::function_export::update(shell, name, None);
            true
        }
        None => true,
    }
}

/// Unsets a variable; false, with a message of the built-in utility, where it is read-only.
pub(super) fn unset_variable(shell: &mut Shell, utility: &[u8], id: SlotId) -> bool {
    if shell.vars.get(id).is_some_and(|v| v.attributes.has(Attributes::READONLY)) {
        let name = shell.vars.name(id);
        shell.builtin_error(utility, [&*name, b": cannot unset: readonly variable"].concat());
        return false;
    }
    if shell.vars.get(id).is_none() && !shell.vars.special(id).is_computed() {
        return true;
    }
    let special = shell.vars.special(id);
    forget(shell, id);
    shell.vars.environment_changed();
    if matches!(special, Special::LastArgument | Special::Pipestatus) {
        // The next command makes it anew.
        shell.env.pipe_status.clear();
    } else if special.is_computed() || special.is_table() {
        // bash: it loses its meaning, even if it is set again.
        shell.vars.make_ordinary(id);
        return true;
    }
    if special.is_watched() {
        shell.variable_changed(id, special);
    }
    true
}

/// Takes away a variable's value. A local of the running function stays a local, without value and attributes; one of a
/// caller is gone, and what it hides is seen again, as after an assignment before the command (bash's dynamic scope).
fn forget(shell: &mut Shell, id: SlotId) {
    let attributes = shell.vars.get(id).map(|v| v.attributes).unwrap_or_default();
    let (scope, depth) = (shell.vars.scope(id), shell.context.frames.functions());
    if attributes.has(Attributes::LOCAL) && (scope == depth || scope < depth && shell.opt(Opt::LocalvarUnset)) {
        let kept = if attributes.has(Attributes::TEMPORARY) { Attributes::EXPORT } else { Attributes::default() };
        *shell.vars.change(id) = Some(Variable { value: Value::Unset, attributes: kept.union(Attributes::LOCAL) });
        return;
    }
    if attributes.has(Attributes::LOCAL.union(Attributes::TEMPORARY)) && shell.vars.reveal(id) {
        return;
    }
    *shell.vars.change(id) = None;
}

fn is_array(shell: &Shell, id: SlotId) -> bool {
    !matches!(shell.vars.get(id).map(|variable| &variable.value), Some(Value::Scalar(_) | Value::Unset))
}

fn not_an_array(shell: &mut Shell, id: SlotId) -> bool {
    let name = shell.vars.name(id);
    shell.builtin_error(b"unset", [&*name, b": not an array variable"].concat());
    false
}

/// Unsets an element; false, with a message, where there can be none.
fn unset_element(shell: &mut Shell, reference: &Reference) -> bool {
    if let Reference::OutOfRange(id, index) = reference {
        // Its one value has no subscripts, whatever they are.
        if !is_array(shell, *id) {
            return not_an_array(shell, *id);
        }
        shell.builtin_error(b"unset", format!("[{index}]: bad array subscript"));
        return false;
    }
    let (Reference::Index(id, _) | Reference::Key(id, _) | Reference::All(id, _)) = reference else { return true };
    if !is_array(shell, *id) {
        // It is the element 0 of itself.
        if matches!(reference, Reference::Index(_, 0)) {
            return unset_variable(shell, b"unset", *id);
        }
        return not_an_array(shell, *id);
    }
    if shell.vars.special(*id).is_table() {
        // bash: the table itself keeps it.
        return true;
    }
    // bash: up to 5.1 all the elements were the variable.
    if matches!(reference, Reference::All(..)) && shell.compatibility() <= 51 {
        return unset_variable(shell, b"unset", *id);
    }
    let Some(variable) = shell.vars.change(*id) else { return true };
    match (reference, &mut variable.value) {
        (Reference::Index(_, index), Value::Indexed(array)) => array.remove(*index),
        (Reference::Key(_, key), Value::Associative(array)) => array.remove(key),
        // bash: in an associative array these are keys as any other.
        (Reference::All(_, star), Value::Associative(array)) => array.remove(if *star { b"*" } else { b"@" }),
        (Reference::All(..), value) => {
            *value = match value {
                Value::Indexed(_) => Value::Indexed(Box::default()),
                _ => Value::Unset,
            };
        }
        _ => {}
    }
    true
}
