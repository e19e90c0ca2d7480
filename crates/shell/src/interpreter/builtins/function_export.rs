//! bash's exported functions: `export -f f` puts the function into the environment as `BASH_FUNC_f%%`.

use std::sync::Arc;

use hookshell_syntax::ast::{Command, FunctionDefinition};
use hookshell_syntax::{Parser, print_exported_function};

use crate::call::Function;
use crate::shell::Shell;
use crate::vars::{Attributes, Value, Variable};

const PREFIX: &[u8] = b"BASH_FUNC_";
const SUFFIX: &[u8] = b"%%";

/// Puts the function into the environment, or takes the one of that name out.
pub(crate) fn update(shell: &mut Shell, name: &[u8], definition: Option<&FunctionDefinition>) {
    let variable = [PREFIX, name, SUFFIX].concat();
    if definition.is_none() && shell.vars.find_bytes(&variable).is_none() {
        return;
    }
    let id = shell.vars.slot_bytes(&variable);
    *shell.vars.change(id) = definition.map(|definition| Variable {
        value: Value::Scalar(value(&print_exported_function(definition))),
        attributes: Attributes::default().with(Attributes::EXPORT, true),
    });
    shell.vars.environment_changed();
}

/// `() {  …`: bash takes no other beginning, and writes the first command on the same line.
fn value(text: &[u8]) -> Vec<u8> {
    let body = memchr::memmem::find(text, b"() ").map_or(text, |at| &text[at + 3..]);
    let body = body.trim_ascii();
    match body.strip_prefix(b"{ ") {
        Some(rest) => [b"() { ", rest.strip_prefix(b"\n").unwrap_or(rest)].concat(),
        None => [b"() { ", body, b"\n}"].concat(),
    }
}

/// Defines the function that a variable of the environment holds; `false` where it holds none.
pub(crate) fn import(shell: &mut Shell, variable: &[u8], value: &[u8]) -> bool {
    let Some(name) = variable.strip_prefix(PREFIX).and_then(|rest| rest.strip_suffix(SUFFIX)) else {
        return false;
    };
    if !value.starts_with(b"() {") || name.is_empty() {
        return false;
    }
    let text = [name, b" ", value].concat();
    let mut parser = Parser::new(&text);
    let Ok(Some(unit)) = parser.next_unit(&shell.parse_options(), None) else { return false };
    // One definition and nothing after it: a value that runs commands is none.
    let ([item], true) = (unit.list.items.as_slice(), parser.offset() >= text.len()) else { return false };
    let [stage] = item.and_or.first.stages.as_slice() else { return false };
    let Command::Function(definition) = &stage.command else { return false };
    if definition.name.as_bytes() != name || !item.and_or.rest.is_empty() || item.background {
        return false;
    }
    let function = Function {
        name: Arc::from(name),
        body: definition.body.clone(),
        source: Arc::from(&b"environment"[..]),
        line: 0,
        line_shift: 0,
        definition: definition.clone(),
        readonly: false,
        exported: true,
        traced: false,
    };
    Arc::make_mut(&mut shell.env.inherited.functions).insert(name.into(), Arc::new(function));
    update(shell, name, Some(definition));
    true
}
