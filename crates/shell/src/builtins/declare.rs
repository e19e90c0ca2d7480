//! `export`, `readonly` (XCU export, readonly), bash's `declare`, `typeset`, `local`.

use std::ops::ControlFlow;
use std::sync::Arc;

use hookshell_syntax::ast::{Argument, ArrayElement, Assignment, AssignmentValue, Command};
use hookshell_syntax::{Parser, is_name};

use super::{USAGE, done};
use crate::args::Args;
use crate::flow::Flow;
use crate::options::Opt;
use crate::reference::Reference;
use crate::shell::{Function, Shell};
use crate::text::quote;
use crate::vars::{AssociativeArray, Attributes, IndexedArray, SlotId, Value, Variable};

/// What the options ask for.
#[derive(Default)]
struct Request {
    set: Attributes,
    clear: Attributes,
    indexed: bool,
    associative: bool,
    functions: bool,
    names_only: bool,
    print: bool,
    global: bool,
    inherit: bool,
    unset_function_flags: bool,
}

/// Which of the built-ins it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Declare,
    Local,
    Export,
    Readonly,
}

fn attribute(letter: u8) -> Option<Attributes> {
    Some(match letter {
        b'i' => Attributes::INTEGER,
        b'l' => Attributes::LOWER,
        b'n' => Attributes::NAMEREF,
        b'r' => Attributes::READONLY,
        b't' => Attributes::TRACE,
        b'u' => Attributes::UPPER,
        b'x' => Attributes::EXPORT,
        b'c' => Attributes::CAPITALIZE,
        _ => return None,
    })
}

/// Reads the options of any of the built-ins.
fn request(shell: &mut Shell, args: &Args, kind: Kind) -> Result<(Request, usize), u8> {
    let (allowed, usage): (&[u8], &str) = match kind {
        Kind::Declare => {
            (b"aAfFgiIlnprtuxc", "declare [-aAfFgiIlnrtux] [name[=value] ...] or declare -p [-aAfFilnrtux] [name ...]")
        }
        Kind::Local => (b"aAilnprtuxIc", "local [option] name[=value] ..."),
        Kind::Export => (b"fnp", "export [-fn] [name[=value] ...] or export -p"),
        Kind::Readonly => (b"aAfp", "readonly [-aAf] [name[=value] ...] or readonly -p"),
    };
    let name = args[0].to_vec();
    let mut request = Request::default();
    let mut index = 1;
    while let Some(word) = args.get(index) {
        let (on, letters) = match word {
            b"--" => {
                index += 1;
                break;
            }
            [b'-', letters @ ..] if !letters.is_empty() => (true, letters),
            [b'+', letters @ ..] if !letters.is_empty() && matches!(kind, Kind::Declare | Kind::Local) => {
                (false, letters)
            }
            _ => break,
        };
        for &letter in letters {
            if !allowed.contains(&letter) {
                let sign = if on { '-' } else { '+' };
                shell.builtin_error(&name, format!("{sign}{}: invalid option", char::from(letter)));
                shell.write_error(format!("{}: usage: {usage}\n", String::from_utf8_lossy(&name)).as_bytes());
                return Err(USAGE);
            }
            match (kind, letter) {
                (Kind::Export, b'n') => {
                    request.clear = request.clear.union(Attributes::EXPORT);
                    request.unset_function_flags = true;
                }
                (_, b'a') => request.indexed = on,
                (_, b'A') => request.associative = on,
                (_, b'f') => request.functions = true,
                (_, b'F') => {
                    request.functions = true;
                    request.names_only = true;
                }
                (_, b'p') => request.print = true,
                (_, b'g') => request.global = true,
                (_, b'I') => request.inherit = true,
                (_, letter) => {
                    if let Some(attribute) = attribute(letter) {
                        if on {
                            request.set = request.set.union(attribute);
                        } else {
                            request.clear = request.clear.union(attribute);
                        }
                    }
                }
            }
        }
        index += 1;
    }
    match kind {
        Kind::Export if !request.clear.has(Attributes::EXPORT) => request.set = Attributes::EXPORT,
        Kind::Readonly => request.set = Attributes::READONLY,
        _ => {}
    }
    // The last of -l, -u and -c wins.
    if request.set.has(Attributes::LOWER) && request.set.has(Attributes::UPPER) {
        request.set = request.set.with(Attributes::LOWER, false).with(Attributes::UPPER, false);
    }
    Ok((request, index))
}

/// bash: `declare`, `typeset`
pub(super) fn declare(shell: &mut Shell, args: &Args, declarations: &[Argument]) -> Flow<u8> {
    run(shell, args, declarations, Kind::Declare)
}

/// bash: `local`
pub(super) fn local(shell: &mut Shell, args: &Args, declarations: &[Argument]) -> Flow<u8> {
    if shell.function_depth == 0 {
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
    let (request, first) = match request(shell, args, kind) {
        Ok(parsed) => parsed,
        Err(status) => return done(status),
    };
    if first >= args.len() {
        return list(shell, &args[0], &request, kind);
    }
    if request.functions {
        return functions(shell, args, first, &request, kind);
    }
    if request.print && matches!(kind, Kind::Declare | Kind::Local) {
        return print_named(shell, args, first);
    }
    if kind == Kind::Local && args.iter_from(first).any(|word| word == b"-") {
        save_options(shell);
    }
    let mut status = 0;
    // The operands stand at the end of the words as they were parsed; expansion may have made more of the others.
    let operands: Vec<(&[u8], Option<&Assignment>)> = {
        let mut assignments = declarations.iter().filter_map(|argument| match argument {
            Argument::Assignment(assignment) => Some(assignment),
            Argument::Word(_) => None,
        });
        let mut pending = assignments.next();
        args.iter_from(first)
            .map(|word| {
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
    };
    // bash assigns lists of elements when it expands the words, before the built-in runs.
    let is_array = |assignment: &Assignment| matches!(assignment.value, AssignmentValue::Array(_));
    let has_arrays = operands.iter().any(|(_, assignment)| assignment.is_some_and(is_array));
    let makes_local = shell.function_depth > 0 && !request.global;
    let assigned = has_arrays && !(makes_local && matches!(kind, Kind::Declare | Kind::Local));
    if assigned {
        let request = Request { set: request.set.with(Attributes::READONLY, false), ..request };
        for (word, assignment) in &operands {
            if let Some(assignment) = assignment.filter(|assignment| is_array(assignment)) {
                let id = shell.vars.slot(&assignment.name);
                if shell.vars.get(id).is_some_and(|v| v.attributes.has(Attributes::READONLY)) {
                    return shell.readonly(id).map_continue(|()| 1);
                }
                if !one(shell, &args[0], word, Some(assignment), &request, kind)? {
                    status = 1;
                }
            }
        }
    }
    for (word, assignment) in operands {
        if kind == Kind::Local && word == b"-" {
            continue;
        }
        let (word, assignment) = match assignment {
            Some(array) if assigned && is_array(array) => (array.name.as_bytes(), None),
            other => (word, other),
        };
        match one(shell, &args[0], word, assignment, &request, kind) {
            ControlFlow::Continue(true) => {}
            ControlFlow::Continue(false) => status = 1,
            ControlFlow::Break(divert) => return ControlFlow::Break(divert),
        }
    }
    done(status)
}

/// One operand; `false`: it failed.
fn one(
    shell: &mut Shell,
    builtin: &[u8],
    word: &[u8],
    assignment: Option<&Assignment>,
    request: &Request,
    kind: Kind,
) -> Flow<bool> {
    let name_end = word.iter().position(|b| matches!(b, b'=' | b'[' | b'+')).unwrap_or(word.len());
    let name_end = match word.get(name_end) {
        Some(b'+') if word.get(name_end + 1) != Some(&b'=') => word.len(),
        _ => name_end,
    };
    let (name, rest) = word.split_at(name_end);
    if kind == Kind::Local && word == b"-" {
        return ControlFlow::Continue(true);
    }
    if !is_name(name) {
        shell.builtin_error(builtin, [b"`", word, b"': not a valid identifier"].concat());
        return ControlFlow::Continue(false);
    }
    let (subscript, rest) = match rest {
        [b'[', ..] => match rest.iter().position(|&b| b == b']') {
            Some(close) => (Some(&rest[1..close]), &rest[close + 1..]),
            None => {
                shell.builtin_error(builtin, [b"`", word, b"': not a valid identifier"].concat());
                return ControlFlow::Continue(false);
            }
        },
        rest => (None, rest),
    };
    if subscript.is_some() && matches!(kind, Kind::Export | Kind::Readonly) {
        shell.builtin_error(builtin, [b"`", &word[..word.len() - rest.len()], b"': not a valid identifier"].concat());
        return ControlFlow::Continue(false);
    }
    let (append, value) = match rest {
        [b'+', b'=', value @ ..] => (true, Some(value)),
        [b'=', value @ ..] => (false, Some(value)),
        _ => (false, None),
    };
    let id = shell.vars.slot_bytes(name);
    let make_local = match kind {
        Kind::Local => true,
        Kind::Declare => shell.function_depth > 0 && !request.global,
        Kind::Export | Kind::Readonly => false,
    };
    if make_local && shell.vars.scope(id) != shell.function_depth {
        let inherited =
            if request.inherit || shell.opt(Opt::LocalvarInherit) { shell.vars.get(id).cloned() } else { None };
        if shell.vars.get(id).is_some_and(|v| v.attributes.has(Attributes::READONLY)) && shell.vars.scope(id) == 0 {
            shell.builtin_error(builtin, [name, b": readonly variable"].concat());
            return ControlFlow::Continue(false);
        }
        let temporary = shell.vars.get(id).filter(|v| v.attributes.has(Attributes::EXPORT)).cloned();
        let depth = shell.function_depth;
        shell.vars.hide(id, depth);
        // A local of an exported variable stays exported (bash).
        let start = inherited.unwrap_or(Variable {
            value: Value::Unset,
            attributes: Attributes::default().with(Attributes::EXPORT, temporary.is_some()),
        });
        *shell.vars.change(id) = Some(start);
        shell.vars.environment_changed();
    }
    // A nameref is declared itself; everything else goes to its target.
    let id = if request.set.has(Attributes::NAMEREF) || request.clear.has(Attributes::NAMEREF) {
        id
    } else {
        match shell.follow(id)? {
            Reference::Variable(target) => target,
            _ => id,
        }
    };
    let old = shell.vars.get(id).map(|v| v.attributes).unwrap_or_default();
    if old.has(Attributes::READONLY) && (request.clear.has(Attributes::READONLY) || value.is_some()) {
        shell.builtin_error(builtin, [name, b": readonly variable"].concat());
        return ControlFlow::Continue(false);
    }
    // `export -n` makes no variable.
    if kind == Kind::Export && request.clear.has(Attributes::EXPORT) && value.is_none() && shell.vars.get(id).is_none()
    {
        return ControlFlow::Continue(true);
    }
    {
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
        variable.attributes = attributes;
        if request.associative {
            match &variable.value {
                Value::Unset => variable.value = Value::Associative(Box::<AssociativeArray>::default()),
                Value::Associative(_) => {}
                _ => {
                    shell.builtin_error(builtin, [name, b": cannot convert indexed to associative array"].concat());
                    return ControlFlow::Continue(false);
                }
            }
        } else if request.indexed || matches!(assignment.map(|a| &a.value), Some(AssignmentValue::Array(_))) {
            match &mut variable.value {
                Value::Unset => {
                    variable.value = Value::Indexed(Box::<IndexedArray>::default());
                }
                Value::Scalar(text) => {
                    let text = std::mem::take(text);
                    variable.value = Value::Indexed(Box::new(std::iter::once(text).collect()));
                }
                Value::Indexed(_) => {}
                Value::Associative(_) if request.indexed => {
                    shell.builtin_error(builtin, [name, b": cannot convert associative to indexed array"].concat());
                    return ControlFlow::Continue(false);
                }
                Value::Associative(_) => {}
            }
        }
    }
    shell.vars.environment_changed();
    let from_text = if subscript.is_none() && assignment.is_none_or(|a| matches!(a.value, AssignmentValue::Scalar(_))) {
        let is_array = shell.vars.get(id).is_some_and(|v| matches!(v.value, Value::Indexed(_) | Value::Associative(_)));
        value.filter(|_| is_array).and_then(|value| array_from_text(shell, value))
    } else {
        None
    };
    match (assignment.map(|a| &a.value), value) {
        _ if from_text.is_some() => {
            if let Some(elements) = from_text {
                shell.assign_array(id, &elements, append)?;
            }
        }
        (Some(AssignmentValue::Array(elements)), _) => shell.assign_array(id, elements, append)?,
        (_, Some(value)) => match subscript {
            Some(subscript) => {
                if let Some(reference) = shell.subscript_from_text(id, subscript)? {
                    shell.assign_reference(&reference, value.to_vec(), append)?;
                }
            }
            None if request.set.has(Attributes::NAMEREF) => {
                let valid = is_name(value) || crate::reference::split_subscript(value).is_some();
                if !valid {
                    shell
                        .builtin_error(builtin, [b"`", value, b"': invalid variable name for name reference"].concat());
                    return ControlFlow::Continue(false);
                }
                if value == name {
                    shell.builtin_error(builtin, [name, b": nameref variable self references not allowed"].concat());
                    return ControlFlow::Continue(false);
                }
                if let Some(variable) = shell.vars.change(id) {
                    variable.value = Value::Scalar(value.to_vec());
                }
            }
            None => shell.assign_slot(id, value, append)?,
        },
        _ => {}
    }
    if request.set.has(Attributes::READONLY)
        && let Some(variable) = shell.vars.change(id)
    {
        variable.attributes = variable.attributes.with(Attributes::READONLY, true);
    }
    ControlFlow::Continue(true)
}

/// bash: the text `(…)` as the value of an array, as in `declare -a "a=(1 2)"`.
fn array_from_text(shell: &Shell, value: &[u8]) -> Option<Vec<ArrayElement>> {
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

/// `local -`: the options of `set` come back when the function returns.
fn save_options(shell: &mut Shell) {
    let (function, subshell) = (shell.function_depth, shell.subshell_depth);
    if !shell.local_options.iter().any(|saved| (saved.0, saved.1) == (function, subshell)) {
        shell.local_options.push((function, subshell, shell.options));
    }
}

fn functions(shell: &mut Shell, args: &Args, first: usize, request: &Request, kind: Kind) -> Flow<u8> {
    let mut status = 0;
    let mut output = Vec::new();
    for name in args.iter_from(first) {
        let Some(function) = shell.functions.get(name).cloned() else {
            if kind != Kind::Declare {
                shell.builtin_error(&args[0], [name, b": not a function"].concat());
            }
            status = 1;
            continue;
        };
        let changed = match kind {
            Kind::Export => Some((!request.unset_function_flags, function.readonly, function.traced)),
            Kind::Readonly => Some((function.exported, true, function.traced)),
            _ if request.set != Attributes::default() => Some((
                function.exported || request.set.has(Attributes::EXPORT),
                function.readonly || request.set.has(Attributes::READONLY),
                function.traced || request.set.has(Attributes::TRACE),
            )),
            _ => None,
        };
        match changed {
            Some((exported, readonly, traced)) => {
                let function = Function {
                    body: function.body.clone(),
                    source: function.source.clone(),
                    line: function.line,
                    definition: function.definition.clone(),
                    readonly,
                    exported,
                    traced,
                };
                super::function_export::update(shell, name, exported.then_some(&*function.definition));
                Arc::make_mut(&mut shell.functions).insert(name.into(), Arc::new(function));
            }
            None if request.names_only => {
                output.extend_from_slice(name);
                output.push(b'\n');
            }
            None => {
                output.extend_from_slice(&hookshell_syntax::print_function(&function.definition));
                if output.last() != Some(&b'\n') {
                    output.push(b'\n');
                }
            }
        }
    }
    shell.print(&args[0], &output).map_continue(|printed| if printed == 0 { status } else { printed })
}

fn print_named(shell: &mut Shell, args: &Args, first: usize) -> Flow<u8> {
    let mut output = Vec::new();
    let mut status = 0;
    for name in args.iter_from(first) {
        match shell.vars.find_bytes(name).and_then(|id| shell.declaration(id)) {
            Some(text) => {
                output.extend_from_slice(&text);
                output.push(b'\n');
            }
            None => {
                shell.builtin_error(&args[0], [name, b": not found"].concat());
                status = 1;
            }
        }
    }
    shell.print(&args[0], &output).map_continue(|printed| if printed == 0 { status } else { printed })
}

/// Without operands: what matches the options.
fn list(shell: &mut Shell, builtin: &[u8], request: &Request, kind: Kind) -> Flow<u8> {
    let mut output = Vec::new();
    if request.functions {
        let mut names: Vec<&[u8]> = shell.functions.keys().map(|name| &**name).collect();
        names.sort_unstable();
        for name in names {
            let Some(function) = shell.functions.get(name) else { continue };
            if kind == Kind::Export && !function.exported || kind == Kind::Readonly && !function.readonly {
                continue;
            }
            if request.names_only {
                output.extend_from_slice(b"declare -f ");
                output.extend_from_slice(name);
                output.push(b'\n');
            } else {
                output.extend_from_slice(&hookshell_syntax::print_function(&function.definition));
                if output.last() != Some(&b'\n') {
                    output.push(b'\n');
                }
            }
        }
        return shell.print(builtin, &output);
    }
    let posix = shell.opt(Opt::Posix);
    for id in shell.vars.sorted() {
        let Some(variable) = shell.vars.get(id) else { continue };
        let selected = match kind {
            Kind::Local => shell.vars.scope(id) == shell.function_depth,
            Kind::Export => variable.attributes.has(Attributes::EXPORT),
            Kind::Readonly => variable.attributes.has(Attributes::READONLY),
            Kind::Declare => {
                (!request.indexed || matches!(variable.value, Value::Indexed(_)))
                    && (!request.associative || matches!(variable.value, Value::Associative(_)))
                    && (request.set == Attributes::default() || variable.attributes.has(request.set))
            }
        };
        if !selected {
            continue;
        }
        let plain = kind == Kind::Declare
            && !request.print
            && !request.indexed
            && !request.associative
            && request.set == Attributes::default();
        if plain {
            if let Some(text) = shell.plain_definition(id) {
                output.extend_from_slice(&text);
                output.push(b'\n');
            }
        } else if posix && matches!(kind, Kind::Export | Kind::Readonly) {
            output.extend_from_slice(if kind == Kind::Export { b"export " } else { b"readonly " });
            output.extend_from_slice(&shell.vars.name(id));
            if let Some(value) = variable.value.scalar() {
                output.push(b'=');
                quote::declaration(value, false, &mut output);
            }
            output.push(b'\n');
        } else if let Some(text) = shell.declaration(id) {
            output.extend_from_slice(&text);
            output.push(b'\n');
        }
    }
    shell.print(builtin, &output)
}

impl Shell {
    /// May something be assigned to it?
    pub(crate) fn is_assignable(&self, reference: &Reference) -> bool {
        matches!(reference, Reference::Variable(_) | Reference::Index(..) | Reference::Key(..))
    }

    /// `${x@a}` and the options of `declare -p`.
    pub(crate) fn attribute_letters(&self, id: SlotId) -> Vec<u8> {
        let Some(variable) = self.vars.get(id) else { return Vec::new() };
        let mut letters = Vec::new();
        match variable.value {
            Value::Indexed(_) => letters.push(b'a'),
            Value::Associative(_) => letters.push(b'A'),
            _ => {}
        }
        for (letter, attribute) in [
            (b'i', Attributes::INTEGER),
            (b'n', Attributes::NAMEREF),
            (b'r', Attributes::READONLY),
            (b't', Attributes::TRACE),
            (b'x', Attributes::EXPORT),
            (b'c', Attributes::CAPITALIZE),
            (b'l', Attributes::LOWER),
            (b'u', Attributes::UPPER),
        ] {
            if variable.attributes.has(attribute) {
                letters.push(letter);
            }
        }
        letters
    }

    /// The `declare -p` line of a variable; `None` where it is not even declared.
    pub(crate) fn declaration(&self, id: SlotId) -> Option<Vec<u8>> {
        let variable = self.vars.get(id)?;
        let mut text = b"declare -".to_vec();
        let letters = self.attribute_letters(id);
        if letters.is_empty() {
            text.push(b'-');
        }
        text.extend_from_slice(&letters);
        text.push(b' ');
        text.extend_from_slice(&self.vars.name(id));
        match &variable.value {
            Value::Unset => {}
            Value::Scalar(value) => {
                text.push(b'=');
                quote::declaration(value, false, &mut text);
            }
            array => {
                text.push(b'=');
                array_text(array, &mut text);
            }
        }
        Some(text)
    }

    /// The line that `set` prints for a variable that has a value.
    pub(crate) fn plain_definition(&self, id: SlotId) -> Option<Vec<u8>> {
        let variable = self.vars.get(id)?;
        let mut text = self.vars.name(id).to_vec();
        text.push(b'=');
        match &variable.value {
            Value::Unset => return None,
            Value::Scalar(value) => quote::assignment(value, self.opt(Opt::Posix), false, &mut text),
            array => array_text(array, &mut text),
        }
        Some(text)
    }

    /// `exec -c`: nothing is exported for this command.
    pub(crate) fn clear_environment(&mut self) {
        for id in self.vars.sorted() {
            if self.vars.get(id).is_some_and(|v| v.attributes.has(Attributes::EXPORT)) {
                let depth = self.vars.scope(id);
                self.vars.hide(id, depth);
            }
        }
        self.vars.environment_changed();
    }
}

fn array_text(value: &Value, out: &mut Vec<u8>) {
    out.push(b'(');
    let mut first = true;
    match value {
        Value::Indexed(array) => {
            for (index, text) in array.iter() {
                if !std::mem::take(&mut first) {
                    out.push(b' ');
                }
                out.extend_from_slice(format!("[{index}]=").as_bytes());
                quote::declaration(text, false, out);
            }
        }
        Value::Associative(array) => {
            for (key, text) in array.iter() {
                out.push(b'[');
                quote::subscript(key, false, out);
                out.extend_from_slice(b"]=");
                quote::declaration(text, false, out);
                out.push(b' ');
            }
        }
        _ => {}
    }
    out.push(b')');
}
