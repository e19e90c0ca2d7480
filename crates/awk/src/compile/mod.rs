//! From the tree to code.

mod call;
mod statement;

use std::collections::HashMap;
use std::sync::Arc;

use super::ast::{Arithmetic, Builtin, Expr, Program, Variable, slot};
use super::code::{ArrayPlace, Code, FunctionCode, Operation, Place};
use super::lexer::Complaint;
use super::regex::{self, Regex};
use super::text::Characters;

/// Compiles a program.
///
/// # Errors
/// What is wrong with it: a regular expression that is none, for example.
pub(super) fn compile(program: Program, characters: Characters) -> Result<Code, Complaint> {
    let mut compiler = Compiler {
        code: Code {
            operations: Vec::new(),
            numbers: Vec::new(),
            strings: Vec::new(),
            regexes: Vec::new(),
            items: Vec::new(),
            functions: Vec::new(),
            begin: None,
            rules: None,
            end: None,
            globals: program.globals,
            global_arrays: program.global_arrays,
            ranges: 0,
            differing: program.differing,
        },
        numbers: HashMap::new(),
        strings: HashMap::new(),
        regexes: HashMap::new(),
        characters,
        local_arrays: Vec::new(),
        loops: Vec::new(),
        array_loops: 0,
    };
    if !program.begin.is_empty() {
        compiler.code.begin = Some(compiler.here());
        for action in &program.begin {
            compiler.statements(action)?;
        }
        compiler.emit(Operation::End);
    }
    if !program.rules.is_empty() {
        compiler.code.rules = Some(compiler.here());
        for rule in &program.rules {
            compiler.rule(&rule.pattern, rule.action.as_deref())?;
        }
        compiler.emit(Operation::End);
    }
    if !program.end.is_empty() {
        compiler.code.end = Some(compiler.here());
        for action in &program.end {
            compiler.statements(action)?;
        }
        compiler.emit(Operation::End);
    }
    for function in program.functions {
        let entry = compiler.here();
        compiler.local_arrays.clone_from(&function.parameters);
        compiler.statements(&function.body)?;
        compiler.emit(Operation::Uninitialized);
        compiler.emit(Operation::Return);
        compiler.local_arrays.clear();
        compiler.code.functions.push(FunctionCode {
            name: function.name,
            entry,
            parameters: function.parameters.into(),
        });
    }
    Ok(compiler.code)
}

/// The jumps of a loop that are not known yet.
#[derive(Default)]
struct Loop {
    breaks: Vec<usize>,
    continues: Vec<usize>,
}

struct Compiler {
    code: Code,
    /// Where what has been met stands among the constants.
    numbers: HashMap<u64, u32>,
    strings: HashMap<Box<[u8]>, u32>,
    regexes: HashMap<Box<[u8]>, u32>,
    characters: Characters,
    /// Which parameters of the function that is compiled are arrays.
    local_arrays: Vec<bool>,
    loops: Vec<Loop>,
    /// Loops over arrays around the present place.
    array_loops: usize,
}

impl Compiler {
    fn here(&self) -> usize {
        self.code.operations.len()
    }

    fn emit(&mut self, operation: Operation) -> usize {
        self.code.operations.push(operation);
        self.code.operations.len() - 1
    }

    /// Makes the jump at `at` lead to `target`.
    fn patch(&mut self, at: usize, target: usize) {
        if let Some(
            Operation::Jump(to)
            | Operation::JumpIfFalse(to)
            | Operation::JumpIfTrue(to)
            | Operation::JumpUnless(_, to)
            | Operation::JumpInRange(_, to)
            | Operation::NextFor(to),
        ) = self.code.operations.get_mut(at)
        {
            *to = target;
        }
    }

    fn patch_here(&mut self, at: usize) {
        self.patch(at, self.here());
    }

    fn number(&mut self, value: f64) -> u32 {
        let numbers = &mut self.code.numbers;
        *self.numbers.entry(value.to_bits()).or_insert_with(|| {
            numbers.push(value);
            (numbers.len() - 1) as u32
        })
    }

    fn string(&mut self, text: &[u8]) -> u32 {
        let strings = &mut self.code.strings;
        if let Some(at) = self.strings.get(text) {
            return *at;
        }
        let at = strings.len() as u32;
        strings.push(text.into());
        self.strings.insert(text.into(), at);
        at
    }

    fn regex(&mut self, source: &[u8]) -> Result<u32, Complaint> {
        if let Some(at) = self.regexes.get(source) {
            return Ok(*at);
        }
        let compiled = Regex::new(source, self.characters).map_err(Complaint::Mistake)?;
        self.note_differing(regex::differing(source));
        let at = self.code.regexes.len() as u32;
        self.code.regexes.push(Arc::new(compiled));
        self.regexes.insert(source.into(), at);
        Ok(at)
    }

    fn array(&self, variable: Variable) -> ArrayPlace {
        match variable {
            Variable::Global(at) => ArrayPlace::Global(at),
            Variable::Local(at) => ArrayPlace::Local(at),
        }
    }

    /// What the awks do not agree on.
    pub(super) fn note_differing(&mut self, differing: Option<&'static str>) {
        self.code.differing = self.code.differing.or(differing);
    }

    /// The same of the separators that are assigned.
    fn note_separator(&mut self, place: &Expr, value: &Expr) {
        if let Expr::Variable(Variable::Global(slot::FS | slot::RS)) = place
            && let Expr::String(value) = value
        {
            self.note_differing(regex::differing_separator(value));
        }
    }

    fn is_array(&self, variable: Variable) -> bool {
        let (table, at) = match variable {
            Variable::Global(at) => (&self.code.global_arrays, at),
            Variable::Local(at) => (&self.local_arrays, at),
        };
        table.get(at as usize).copied().unwrap_or(false)
    }

    fn subscript(&mut self, subscript: &[Expr]) -> Result<(), Complaint> {
        self.values(subscript)?;
        if subscript.len() > 1 {
            self.emit(Operation::Join(subscript.len() as u32));
        }
        Ok(())
    }

    /// Evaluates what a place needs, and says which it is.
    fn place(&mut self, expression: &Expr) -> Result<Place, Complaint> {
        Ok(match expression {
            Expr::Variable(Variable::Global(at)) if *at < slot::WATCHED => Place::Watched(*at),
            Expr::Variable(Variable::Global(at)) => Place::Global(*at),
            Expr::Variable(Variable::Local(at)) => Place::Local(*at),
            Expr::Element(array, subscript) => {
                self.subscript(subscript)?;
                Place::Element(self.array(*array))
            }
            Expr::Field(index) => {
                self.value(index)?;
                Place::Field
            }
            _ => return Err("an assignment to what is no variable".to_owned().into()),
        })
    }

    /// Assigns the value on the stack to a plain variable.
    fn store(&mut self, variable: &Expr) -> Result<(), Complaint> {
        let place = self.place(variable)?;
        self.emit(Operation::Store(place));
        Ok(())
    }

    fn values(&mut self, expressions: &[Expr]) -> Result<(), Complaint> {
        expressions.iter().try_for_each(|expression| self.value(expression))
    }

    /// Evaluates an expression for what it does.
    fn effect(&mut self, expression: &Expr) -> Result<(), Complaint> {
        match expression {
            Expr::Assign(place, value) => {
                if let Some(more) = appended(place, value) {
                    let place = self.place(place)?;
                    self.values(more)?;
                    self.emit(Operation::Append(place, more.len() as u32));
                    return Ok(());
                }
                self.note_separator(place, value);
                let place = self.place(place)?;
                self.value(value)?;
                self.emit(Operation::Store(place));
            }
            _ => {
                self.value(expression)?;
                self.emit(Operation::Pop);
            }
        }
        Ok(())
    }

    /// Emits a jump that is taken where the condition does not hold.
    fn jump_unless(&mut self, condition: &Expr) -> Result<usize, Complaint> {
        if let Expr::Compare(comparison, left, right) = condition {
            self.value(left)?;
            self.value(right)?;
            return Ok(self.emit(Operation::JumpUnless(*comparison, 0)));
        }
        if let Expr::Not(inner) = condition {
            self.value(inner)?;
            return Ok(self.emit(Operation::JumpIfTrue(0)));
        }
        self.value(condition)?;
        Ok(self.emit(Operation::JumpIfFalse(0)))
    }

    /// Evaluates an expression.
    fn value(&mut self, expression: &Expr) -> Result<(), Complaint> {
        match expression {
            Expr::Number(value) => {
                let at = self.number(*value);
                self.emit(Operation::Number(at));
            }
            Expr::String(text) => {
                let at = self.string(text);
                self.emit(Operation::String(at));
            }
            Expr::Regex(source) => {
                let at = self.regex(source)?;
                self.emit(Operation::MatchRecord(at));
            }
            Expr::Variable(variable) => {
                self.emit(match *variable {
                    Variable::Global(at) if at < slot::COMPUTED => Operation::Computed(at),
                    Variable::Global(at) => Operation::Global(at),
                    Variable::Local(at) => Operation::Local(at),
                });
            }
            Expr::Element(array, subscript) => {
                self.subscript(subscript)?;
                let array = self.array(*array);
                self.emit(Operation::Element(array));
            }
            Expr::Field(index) => match **index {
                Expr::Number(number) if constant_index(number).is_some() => {
                    self.emit(Operation::FieldAt(constant_index(number).unwrap_or(0)));
                }
                _ => {
                    self.value(index)?;
                    self.emit(Operation::Field);
                }
            },
            Expr::Assign(place, value) => {
                self.note_separator(place, value);
                let place = self.place(place)?;
                self.value(value)?;
                self.emit(Operation::Assign(place));
            }
            Expr::AssignWith(operator, place, value) => {
                let place = self.place(place)?;
                self.value(value)?;
                self.emit(Operation::AssignWith(place, *operator));
            }
            Expr::Increment { place, by, before } => {
                let place = self.place(place)?;
                self.emit(Operation::Increment { place, down: *by < 0.0, before: *before });
            }
            Expr::Conditional(condition, yes, no) => {
                let otherwise = self.jump_unless(condition)?;
                self.value(yes)?;
                let end = self.emit(Operation::Jump(0));
                self.patch_here(otherwise);
                self.value(no)?;
                self.patch_here(end);
            }
            Expr::And(left, right) => {
                let no = self.jump_unless(left)?;
                self.value(right)?;
                self.emit(Operation::Truth);
                let end = self.emit(Operation::Jump(0));
                self.patch_here(no);
                let zero = self.number(0.0);
                self.emit(Operation::Number(zero));
                self.patch_here(end);
            }
            Expr::Or(left, right) => {
                self.value(left)?;
                let yes = self.emit(Operation::JumpIfTrue(0));
                self.value(right)?;
                self.emit(Operation::Truth);
                let end = self.emit(Operation::Jump(0));
                self.patch_here(yes);
                let one = self.number(1.0);
                self.emit(Operation::Number(one));
                self.patch_here(end);
            }
            Expr::In(subscript, array) => {
                self.subscript(subscript)?;
                let array = self.array(*array);
                self.emit(Operation::In(array));
            }
            Expr::Match { text, regex, negated } => {
                self.value(text)?;
                self.with_regex(regex, Operation::Match, Operation::MatchDynamic)?;
                if *negated {
                    self.emit(Operation::Not);
                }
            }
            Expr::Compare(comparison, left, right) => {
                self.value(left)?;
                self.value(right)?;
                self.emit(Operation::Compare(*comparison));
            }
            Expr::Concat(operands) => {
                self.values(operands)?;
                self.emit(Operation::Concat(operands.len() as u32));
            }
            Expr::Binary(operator, left, right) => {
                self.value(left)?;
                self.value(right)?;
                self.emit(Operation::Binary(*operator));
            }
            Expr::Not(operand) => {
                self.value(operand)?;
                self.emit(Operation::Not);
            }
            Expr::Negative(operand) => {
                self.value(operand)?;
                self.emit(Operation::Negative);
            }
            Expr::Positive(operand) => {
                self.value(operand)?;
                self.emit(Operation::ToNumber);
            }
            Expr::Parenthesized(inner) => self.value(inner)?,
            Expr::Group(_) => return Err("a list in parentheses".to_owned().into()),
            Expr::Getline { from, into } => self.getline(from, into.as_deref())?,
            Expr::Call(function, arguments) => {
                for argument in arguments {
                    match argument {
                        Expr::Variable(variable) if self.is_array(*variable) => {
                            let array = self.array(*variable);
                            self.emit(Operation::Array(array));
                        }
                        argument => self.value(argument)?,
                    }
                }
                self.emit(Operation::Call { function: *function, arguments: arguments.len() as u32 });
            }
            Expr::Builtin(builtin, arguments) => self.builtin(*builtin, arguments)?,
        }
        Ok(())
    }
}

/// The number of a field that is known.
fn constant_index(number: f64) -> Option<u32> {
    (0.0..1e6).contains(&number).then_some(number as u32)
}

/// The name of an operator, for messages.
pub(super) fn operator_name(operator: Arithmetic) -> &'static str {
    match operator {
        Arithmetic::Remainder => "%",
        _ => "/",
    }
}

/// What `s = s x …` appends to a variable that is not one of awk's own, where nothing of it can assign to the variable.
fn appended<'e>(place: &Expr, value: &'e Expr) -> Option<&'e [Expr]> {
    let Expr::Variable(variable) = place else { return None };
    if matches!(variable, Variable::Global(at) if *at < slot::WATCHED) {
        return None;
    }
    let Expr::Concat(operands) = value else { return None };
    let (Expr::Variable(first), more) = operands.split_first()? else { return None };
    (first == variable && more.iter().all(assigns_nothing)).then_some(more)
}

fn assigns_nothing(expression: &Expr) -> bool {
    match expression {
        Expr::Number(_) | Expr::String(_) | Expr::Variable(_) => true,
        Expr::Field(inner)
        | Expr::Not(inner)
        | Expr::Negative(inner)
        | Expr::Positive(inner)
        | Expr::Parenthesized(inner) => assigns_nothing(inner),
        Expr::Element(_, inner) | Expr::Concat(inner) => inner.iter().all(assigns_nothing),
        Expr::Binary(_, left, right) | Expr::Compare(_, left, right) => assigns_nothing(left) && assigns_nothing(right),
        Expr::Conditional(condition, yes, no) => [condition, yes, no].into_iter().all(|part| assigns_nothing(part)),
        Expr::Builtin(
            Builtin::Index
            | Builtin::Int
            | Builtin::Length
            | Builtin::Sprintf
            | Builtin::Substr
            | Builtin::Tolower
            | Builtin::Toupper,
            arguments,
        ) => arguments.iter().all(assigns_nothing),
        _ => false,
    }
}
