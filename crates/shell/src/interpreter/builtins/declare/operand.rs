//! One operand of a declaration utility: `name`, `name=value`, `name[subscript]=value`, `name=( … )`.

use std::ops::ControlFlow;

use hookshell_syntax::ast::{ArrayElement, Assignment, AssignmentValue, Command};
use hookshell_syntax::{Dialect, Parser, is_name};

use super::Kind;
use super::request::Request;
use crate::flow::{Flow, NEXT};
use crate::interpreter::assign::Items;
use crate::interpreter::reference::{Reference, closing_bracket, split_subscript};
use crate::options::Opt;
use crate::shell::Shell;
use crate::vars::{Attributes, SlotId, Special, Value, Variable};

/// An operand taken apart.
struct Operand<'a> {
    /// The built-in's name, for messages.
    builtin: &'a [u8],
    name: &'a [u8],
    subscript: Option<&'a [u8]>,
    append: bool,
    value: Option<&'a [u8]>,
    /// As it was parsed, where it was written as an assignment.
    assignment: Option<&'a Assignment>,
}

impl<'a> Operand<'a> {
    /// Takes it apart; `None`, with a message, where the name is none.
    fn read(
        shell: &mut Shell,
        builtin: &'a [u8],
        word: &'a [u8],
        assignment: Option<&'a Assignment>,
        kind: Kind,
    ) -> Option<Self> {
        let name_end = word.iter().position(|b| matches!(b, b'=' | b'[' | b'+')).unwrap_or(word.len());
        let name_end = match word.get(name_end) {
            Some(b'+') if word.get(name_end + 1) != Some(&b'=') => word.len(),
            _ => name_end,
        };
        let (name, rest) = word.split_at(name_end);
        let mut shown = word;
        let mut parsed = is_name(name).then_some((None, rest));
        if parsed.is_some()
            && let [b'[', inner @ ..] = rest
        {
            parsed = match closing_bracket(inner) {
                Some(close) if matches!(kind, Kind::Export | Kind::Readonly) => {
                    shown = &word[..name_end + 1 + close + 1];
                    None
                }
                Some(close) => {
                    let after = &inner[close + 1..];
                    let is_end = after.is_empty() || after.starts_with(b"=") || after.starts_with(b"+=");
                    is_end.then_some((Some(&inner[..close]), after))
                }
                None => None,
            };
        }
        let Some((subscript, rest)) = parsed else {
            shell.builtin_error(builtin, [b"`", shown, b"': not a valid identifier"].concat());
            if shell.env.dialect == Dialect::Posix && matches!(kind, Kind::Export | Kind::Readonly) {
                // XCU 2.8.1: an error of a special built-in. bash continues, in its POSIX mode too.
                shell.scratch.special_failed = true;
            }
            return None;
        };
        let (append, value) = match rest {
            [b'+', b'=', value @ ..] => (true, Some(value)),
            [b'=', value @ ..] => (false, Some(value)),
            _ => (false, None),
        };
        Some(Self { builtin, name, subscript, append, value, assignment })
    }

    /// The elements of the list that is assigned, if one is.
    fn elements(&self) -> Option<&'a [ArrayElement]> {
        match self.assignment.map(|a| &a.value) {
            Some(AssignmentValue::Array(elements)) => Some(elements),
            _ => None,
        }
    }

    /// Writes a message about the name; the operand has failed.
    fn fails(&self, shell: &mut Shell, message: &str) -> Flow<bool> {
        shell.builtin_error(self.builtin, [self.name, b": ", message.as_bytes()].concat());
        ControlFlow::Continue(false)
    }
}

/// Carries out one operand; `false`: it failed.
pub(super) fn declare(
    shell: &mut Shell,
    builtin: &[u8],
    word: &[u8],
    assignment: Option<&Assignment>,
    request: &Request,
    kind: Kind,
) -> Flow<bool> {
    let Some(operand) = Operand::read(shell, builtin, word, assignment, kind) else {
        return ControlFlow::Continue(false);
    };
    let id = shell.named_slot(operand.name)?;
    if request.set.has(Attributes::NAMEREF) && !check_nameref(shell, &operand, id) {
        return ControlFlow::Continue(false);
    }
    let makes_local = match kind {
        Kind::Local => true,
        Kind::Declare => shell.context.frames.functions() > 0,
        Kind::Export | Kind::Readonly => false,
    };
    if kind == Kind::Declare && request.global {
        return declare_global(shell, &operand, request, id);
    }
    // The elements are expanded with the variable that the local one hides: `local a=("${a[@]}" more)`.
    let items = if makes_local { local_items(shell, &operand, request, id)? } else { None };
    if makes_local && !make_local(shell, &operand, request, id) {
        return ControlFlow::Continue(false);
    }
    if let (Kind::Export | Kind::Readonly, Some(value), None) = (kind, operand.value, operand.elements())
        && shell.opt(Opt::Xtrace)
    {
        shell.trace_scalar(operand.name, operand.append, value);
    }
    let flow = apply(shell, &operand, request, kind, id, items);
    if flow == ControlFlow::Continue(false) && operand.value.is_some() && matches!(kind, Kind::Export | Kind::Readonly)
    {
        // POSIX: an assignment error.
        shell.scratch.special_failed = true;
    }
    flow
}

/// `declare -g`: the global variable, even after a local one. The elements of a list are expanded before it, with the
/// variables that the function sees.
fn declare_global(shell: &mut Shell, operand: &Operand<'_>, request: &Request, id: SlotId) -> Flow<bool> {
    let mut items = None;
    if let Some(elements) = operand.elements() {
        let global = shell.vars.enter_global(id);
        let associative = request.associative || shell.is_associative(id);
        let start = if operand.append { shell.append_index(id) } else { 0 };
        if let Some(global) = global {
            shell.vars.leave_global(global);
        }
        items = Some(shell.array_items(id, elements, associative, start)?);
    }
    let global = shell.vars.enter_global(id);
    let flow = apply(shell, operand, request, Kind::Declare, id, items);
    if let Some(global) = global {
        shell.vars.leave_global(global);
    }
    flow
}

/// The expanded elements of a list for a local variable that is still to be made.
fn local_items(shell: &mut Shell, operand: &Operand<'_>, request: &Request, id: SlotId) -> Flow<Option<Items>> {
    let Some(elements) = operand.elements() else { return ControlFlow::Continue(None) };
    let is_there = shell.vars.scope(id) == shell.context.frames.functions()
        && shell.vars.get(id).is_some_and(|variable| variable.attributes.has(Attributes::LOCAL));
    let is_kept = is_there || request.inherit || shell.opt(Opt::LocalvarInherit);
    let associative = request.associative || is_kept && shell.is_associative(id);
    let start = if operand.append && is_kept { shell.append_index(id) } else { 0 };
    let items = if is_there {
        shell.array_items(id, elements, associative, start)
    } else {
        // What the elements assign to the name is the outer variable's.
        shell.list_items(id, elements, associative, start)
    };
    items.map_continue(Some)
}

/// bash expands the elements of a list before it learns that the variable is read-only; the operand has failed.
fn expand_for_nothing(shell: &mut Shell, operand: &Operand<'_>, id: SlotId) -> Flow<bool> {
    if let Some(elements) = operand.elements() {
        shell.array_items(id, elements, shell.is_associative(id), 0)?;
    }
    ControlFlow::Continue(false)
}

/// Makes the variable a local of the running function; `false`, with a message, where it cannot be.
fn make_local(shell: &mut Shell, operand: &Operand<'_>, request: &Request, id: SlotId) -> bool {
    let depth = shell.context.frames.functions();
    let scope = shell.vars.scope(id);
    let old = shell.vars.get(id);
    let attributes = old.map(|variable| variable.attributes).unwrap_or_default();
    if scope == depth && (attributes.has(Attributes::LOCAL) || old.is_none()) {
        return true;
    }
    if scope == depth && attributes.has(Attributes::TEMPORARY) {
        // An assignment before the call: it has the function's own scope.
        if let Some(variable) = shell.vars.change(id) {
            variable.attributes = variable.attributes.with(Attributes::LOCAL, true);
        }
        return true;
    }
    if attributes.has(Attributes::READONLY) && !attributes.has(Attributes::LOCAL) {
        // A global variable stays what it is; the locals of callers may be hidden.
        let _ = operand.fails(shell, "readonly variable");
        return false;
    }
    let inherits = request.inherit || shell.opt(Opt::LocalvarInherit);
    let mut start = match old {
        Some(old) if inherits => {
            Variable { value: old.value.clone(), attributes: attributes.with(Attributes::NAMEREF, false) }
        }
        // What stands before a command keeps its value in all that it calls.
        Some(old) if attributes.has(Attributes::TEMPORARY) => {
            Variable { value: old.value.clone(), attributes: Attributes::EXPORT }
        }
        // A local of an exported variable stays exported (bash).
        _ => Variable {
            value: Value::Unset,
            attributes: Attributes::default().with(Attributes::EXPORT, attributes.has(Attributes::EXPORT)),
        },
    };
    start.attributes = start.attributes.with(Attributes::LOCAL, true).with(Attributes::TEMPORARY, false);
    shell.vars.hide(id, depth);
    *shell.vars.change(id) = Some(start);
    shell.vars.environment_changed();
    let special = shell.vars.special(id);
    if special.is_watched() && special != Special::Optind && !special.is_table() {
        shell.variable_changed(id, special);
    }
    true
}

/// Gives a variable its attributes and value. `items` are the expanded elements of a list.
fn apply(
    shell: &mut Shell,
    operand: &Operand<'_>,
    request: &Request,
    kind: Kind,
    id: SlotId,
    items: Option<Items>,
) -> Flow<bool> {
    let value = operand.value;
    let sets_nameref = request.set.has(Attributes::NAMEREF);
    // A nameref is declared itself; everything else goes to its target.
    let mut target = Reference::Variable(id);
    if !sets_nameref && !request.clear.has(Attributes::NAMEREF) {
        target = shell.follow(id)?;
    }
    let id = match &target {
        Reference::Variable(target) => *target,
        _ => id,
    };
    let old = shell.vars.get(id).map(|v| v.attributes).unwrap_or_default();
    let ends_nameref = old.has(Attributes::NAMEREF) && request.clear.has(Attributes::NAMEREF);
    if old.has(Attributes::READONLY) && (request.clear.has(Attributes::READONLY) || value.is_some() || ends_nameref) {
        // bash: an assignment of `export` and `readonly` fails without their name.
        if value.is_some() && matches!(kind, Kind::Export | Kind::Readonly) {
            shell.error([operand.name, b": readonly variable"].concat());
        } else {
            let _ = operand.fails(shell, "readonly variable");
        }
        return if items.is_some() { ControlFlow::Continue(false) } else { expand_for_nothing(shell, operand, id) };
    }
    match shell.vars.get(id).map(|v| &v.value) {
        Some(Value::Indexed(_)) if request.not_indexed => {
            return operand.fails(shell, "cannot destroy array variables in this way");
        }
        Some(Value::Associative(_)) if request.not_associative => {
            return operand.fails(shell, "cannot destroy array variables in this way");
        }
        Some(Value::Indexed(_)) if request.associative => {
            return operand.fails(shell, "cannot convert indexed to associative array");
        }
        Some(Value::Associative(_)) if request.indexed => {
            return operand.fails(shell, "cannot convert associative to indexed array");
        }
        Some(value) if sets_nameref && value.is_array() => {
            return operand.fails(shell, "reference variable cannot be an array");
        }
        // `export -n` makes no variable.
        None if kind == Kind::Export && request.clear.has(Attributes::EXPORT) && value.is_none() => {
            return ControlFlow::Continue(true);
        }
        _ => {}
    }
    let is_pipe_status = shell.vars.special(id) == Special::Pipestatus && !old.has(Attributes::LOCAL);
    if is_pipe_status && shell.env.pipe_status.is_empty() && !request.indexed && operand.elements().is_none() {
        // bash makes it an array with the first command that ends, unless it is there as something else.
        shell.vars.make_ordinary(id);
    }
    let exports = shell.opt(Opt::Allexport);
    let makes_array = request.associative || request.indexed || operand.elements().is_some();
    let variable = shell.vars.change(id).get_or_insert_with(|| Variable::new(Value::Unset));
    let mut attributes = variable.attributes;
    // -u and -l exclude each other.
    for (one, other) in [(Attributes::LOWER, Attributes::UPPER), (Attributes::UPPER, Attributes::LOWER)] {
        if request.set.has(one) {
            attributes = attributes.with(other, false).with(Attributes::CAPITALIZE, false);
        }
    }
    // READONLY comes after the assignment.
    attributes = attributes.union(request.set.with(Attributes::READONLY, false)).with(request.clear, false);
    if request.set.has(Attributes::EXPORT.union(Attributes::READONLY)) && attributes.has(Attributes::TEMPORARY) {
        attributes = attributes.union(Attributes::KEPT);
    }
    // `set -a`: of what is made here, or given a target.
    let is_new = variable.value == Value::Unset && !attributes.has(Attributes::LOCAL);
    if exports && (is_new || sets_nameref) && !makes_array {
        attributes = attributes.with(Attributes::EXPORT, true);
    }
    variable.attributes = attributes;
    let is_list = operand.elements().is_some();
    if request.associative {
        make_array(variable, true);
    } else if request.indexed || is_list || operand.subscript.is_some() && kind != Kind::Export {
        make_array(variable, false);
    }
    shell.vars.environment_changed();
    if let Reference::Index(..) | Reference::Key(..) = target
        && let Some(value) = value
        && operand.subscript.is_none()
        && !is_list
    {
        // A nameref to an element.
        shell.assign_reference(&target, value.to_vec(), operand.append)?;
    } else {
        if let Some(subscript) = operand.subscript.filter(|_| value.is_some() && items.is_none() && !is_list) {
            let found = if subscript.is_empty() { None } else { shell.subscript_from_text(id, subscript)? };
            let found = found.map(|reference| shell.all_as_key(reference));
            let Some(reference) = found.filter(|reference| !reference.is_bad_subscript()) else {
                shell.error([operand.name, b"[", subscript, b"]: bad array subscript"].concat());
                return ControlFlow::Continue(false);
            };
            shell.assign_reference(&reference, value.unwrap_or_default().to_vec(), operand.append)?;
        } else {
            // bash: the text of a list is one for these only.
            let elements = match value {
                Some(value) if matches!(kind, Kind::Declare | Kind::Local) && !is_list => list_text(shell, value, id),
                _ => None,
            };
            match elements {
                Some(elements) => shell.assign_array(id, &elements, operand.append)?,
                None => assign(shell, operand, sets_nameref, id, items)?,
            }
        }
    }
    if request.set.has(Attributes::READONLY)
        && let Some(variable) = shell.vars.change(id)
    {
        variable.attributes = variable.attributes.with(Attributes::READONLY, true);
    }
    if is_pipe_status
        && let Some(variable) = shell.vars.change(id)
        && matches!(variable.value, Value::Indexed(_))
    {
        // The statuses of this very command replace its elements.
        variable.value = Value::Unset;
    }
    ControlFlow::Continue(true)
}

/// May the value be that of a nameref? Writes the message where not.
fn check_nameref(shell: &mut Shell, operand: &Operand<'_>, id: SlotId) -> bool {
    if operand.subscript.is_some() {
        let _ = operand.fails(shell, "reference variable cannot be an array");
        return false;
    }
    let is_target = |value: &[u8]| is_name(value) || split_subscript(value).is_some();
    let Some(value) = operand.value else {
        // The value that it has becomes the target, unless it is hidden by a local.
        let is_kept = shell.context.frames.functions() == 0 || shell.vars.scope(id) == shell.context.frames.functions();
        return match shell.vars.get(id) {
            Some(Variable { value: Value::Scalar(text), .. }) if is_kept && !is_target(text) => {
                let text = text.clone();
                let message = [b"`", &*text, b"': invalid variable name for name reference"].concat();
                shell.builtin_error(operand.builtin, message);
                false
            }
            _ => true,
        };
    };
    if value.is_empty() && !operand.append {
        shell.builtin_error(operand.builtin, "`': not a valid identifier");
        return false;
    }
    let is_self_nameref =
        value == operand.name || split_subscript(value).is_some_and(|(array, _)| array == operand.name);
    if is_self_nameref {
        if shell.context.frames.functions() == 0 {
            let _ = operand.fails(shell, "nameref variable self references not allowed");
            return false;
        }
        let name = operand.name;
        shell.builtin_error(operand.builtin, [b"warning: ", name, b": circular name reference"].concat());
    }
    if !operand.append && !is_target(value) {
        shell.builtin_error(operand.builtin, [b"`", value, b"': invalid variable name for name reference"].concat());
        return false;
    }
    true
}

/// Makes an array of what is not one yet; a string becomes the element 0.
fn make_array(variable: &mut Variable, associative: bool) {
    let empty = |associative: bool| {
        if associative { Value::Associative(Box::default()) } else { Value::Indexed(Box::default()) }
    };
    match &mut variable.value {
        Value::Unset => {
            variable.value = empty(associative);
            variable.attributes = variable.attributes.with(Attributes::INVISIBLE, true);
        }
        Value::Scalar(text) => {
            let text = std::mem::take(text);
            let mut value = empty(associative);
            match &mut value {
                Value::Associative(array) => array.set(b"0", text),
                Value::Indexed(array) => array.set(0, text),
                _ => {}
            }
            variable.value = value;
        }
        Value::Indexed(_) | Value::Associative(_) => {}
    }
}

fn assign(shell: &mut Shell, operand: &Operand<'_>, sets_nameref: bool, id: SlotId, items: Option<Items>) -> Flow {
    if let Some(items) = items {
        return shell.assigning_as("", |shell| shell.assign_items(id, items, operand.append));
    }
    if let Some(elements) = operand.elements() {
        if operand.append && shell.is_associative(id) {
            // Unlike in `name+=(…)` no element is there before all are expanded.
            let items = shell.array_items(id, elements, true, 0)?;
            return shell.assigning_as("", |shell| shell.assign_items(id, items, true));
        }
        // bash names the built-in only in messages about single values.
        return shell.assigning_as("", |shell| shell.assign_array(id, elements, operand.append));
    }
    let Some(value) = operand.value else { return NEXT };
    if sets_nameref {
        if let Some(variable) = shell.vars.change(id) {
            let mut text = match &mut variable.value {
                Value::Scalar(old) if operand.append => std::mem::take(old),
                _ => Vec::new(),
            };
            text.extend_from_slice(value);
            variable.value = Value::Scalar(text);
        }
        return NEXT;
    }
    shell.assign_slot(id, value, operand.append)
}

/// bash: the text `(…)` as the value of an array, as in `declare -a "a=(1 2)"`.
fn list_text(shell: &Shell, value: &[u8], id: SlotId) -> Option<Vec<ArrayElement>> {
    if !shell.vars.get(id).is_some_and(|variable| variable.value.is_array()) {
        return None;
    }
    if !(value.starts_with(b"(") && value.ends_with(b")")) {
        return None;
    }
    let text = [b"a=", value].concat();
    let unit = Parser::new(&text).next_unit(&shell.parse_options(), None).ok()??;
    let [item] = unit.list.items.as_slice() else { return None };
    let [stage] = item.and_or.first.stages.as_slice() else { return None };
    let Command::Simple(command) = &stage.command else { return None };
    match (command.assignments.as_slice(), command.arguments.as_slice()) {
        ([Assignment { value: AssignmentValue::Array(elements), .. }], []) => Some(elements.clone()),
        _ => None,
    }
}
