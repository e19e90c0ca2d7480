//! Variables and elements in arithmetic: their numbers, and assignments to them.

use std::ops::ControlFlow;

use hookshell_syntax::ast::{ArithmeticVariable, Subscript, WordPart};
use hookshell_text::integer;

use super::{Failure, plain_decimal};
use crate::flow::Divert;
use crate::interpreter::reference::Reference;
use crate::options::Opt;
use crate::shell::Shell;
use crate::vars::{Attributes, Fetched, Value};

/// Is it `name[]`? Blanks in the brackets are an expression, with the value 0.
pub(super) fn has_empty_subscript(variable: &ArithmeticVariable) -> bool {
    let Some(subscript) = variable.subscript.as_deref() else { return false };
    matches!(subscript, Subscript::Index(index)
        if index.key.literal().is_some_and(|text| text.is_empty()))
}

/// The text of a subscript with expansions in it: text that came up at run time may have some (`let 'x = a[$i]'`).
pub(super) fn expanding_text(variable: &ArithmeticVariable) -> Option<&[u8]> {
    let Some(Subscript::Index(index)) = variable.subscript.as_deref() else { return None };
    match &*index.key.parts {
        [WordPart::Quoted(text)] if text.iter().any(|byte| matches!(byte, b'$' | b'`')) => Some(text),
        _ => None,
    }
}

impl Shell {
    pub(super) fn variable_value(&mut self, variable: &ArithmeticVariable) -> Result<i64, Failure> {
        if variable.subscript.is_none() {
            let id = self.vars.slot(&variable.name);
            if let Some(found) = self.vars.get(id)
                && let Value::Scalar(text) = &found.value
                && !found.attributes.has(Attributes::NAMEREF)
            {
                if let Some(value) = plain_decimal(text) {
                    return Ok(value);
                }
                let text = text.clone();
                return self.evaluate_value(&text);
            }
        }
        if variable.subscript.is_some()
            && let Some(value) = self.with_global(&variable.name, |shell| shell.variable_value(variable))
        {
            return value;
        }
        if has_empty_subscript(variable) {
            return self.no_element(variable);
        }
        let reference = self.arithmetic_reference(variable)?;
        self.number_at(variable, &reference)
    }

    /// bash: `a[]` has no value: a message (twice), and the expression continues with 0.
    pub(super) fn no_element(&mut self, variable: &ArithmeticVariable) -> Result<i64, Failure> {
        for _ in 0..2 {
            self.error(format!("{}[]: bad array subscript", variable.name));
        }
        if self.opt(Opt::Errexit) {
            return Failure::of(self.reported());
        }
        if self.opt(Opt::Nounset) {
            return Failure::of(self.unbound(variable.name.as_bytes()));
        }
        Ok(0)
    }

    /// The value of a variable that is about to change. The subscript of an element is evaluated once for both: the
    /// element comes with the value.
    pub(super) fn value_to_change(
        &mut self,
        variable: &ArithmeticVariable,
    ) -> Result<(i64, Option<Reference>), Failure> {
        if variable.subscript.is_none() {
            return Ok((self.variable_value(variable)?, None));
        }
        if let Some(value) = self.with_global(&variable.name, |shell| shell.value_to_change(variable)) {
            return value;
        }
        if has_empty_subscript(variable) {
            return Ok((self.no_element(variable)?, None));
        }
        let reference = self.arithmetic_reference(variable)?;
        let value = self.number_at(variable, &reference)?;
        Ok((value, Some(reference)))
    }

    pub(super) fn number_at(&mut self, variable: &ArithmeticVariable, reference: &Reference) -> Result<i64, Failure> {
        if let Reference::All(id, star) = reference {
            if self.opt(Opt::Nounset) && self.vars.get(*id).is_none_or(|v| v.value == Value::Unset) {
                return Failure::of(self.unbound(variable.name.as_bytes()));
            }
            self.all_elements(variable, *star);
            return Ok(0);
        }
        match self.fetch(reference) {
            Fetched::One(text) => self.evaluate_value(&text),
            Fetched::Unset if self.opt(Opt::Nounset) && !self.has_array_of(reference) => {
                let name = variable.name.as_bytes().to_vec();
                match self.unbound::<i64>(&name) {
                    ControlFlow::Break(divert) => Err(Failure::Diverted(divert)),
                    ControlFlow::Continue(value) => Ok(value),
                }
            }
            Fetched::Unset => Ok(0),
            Fetched::Many { items, .. } => {
                let text = items.into_iter().next().unwrap_or_default();
                self.evaluate_value(&text)
            }
        }
    }

    /// bash: all the elements are no number: a message, and the expression continues.
    pub(super) fn all_elements(&mut self, variable: &ArithmeticVariable, star: bool) {
        let subscript = if star { "*" } else { "@" };
        self.error(format!("{}[{subscript}]: bad array subscript", variable.name));
    }

    pub(super) fn arithmetic_reference(&mut self, variable: &ArithmeticVariable) -> Result<Reference, Failure> {
        let id = self.vars.slot(&variable.name);
        let reference = Failure::of(self.follow(id))?;
        if let (Some(text), Reference::Variable(id)) = (expanding_text(variable), &reference)
            && let Some(found) = Failure::of(self.subscript_of_word(*id, text))?
        {
            return Ok(found);
        }
        match (&variable.subscript, &reference) {
            (Some(subscript), Reference::Variable(id)) => {
                Failure::of(self.element(*id, subscript)).map(|found| self.all_as_key(found))
            }
            _ => Ok(reference),
        }
    }

    pub(super) fn assign_number(
        &mut self,
        variable: &ArithmeticVariable,
        mut reference: Option<Reference>,
        value: i64,
    ) -> Result<(), Failure> {
        let mut buffer = integer::DecimalBuffer::new();
        let digits = integer::decimal(value, &mut buffer);
        if variable.subscript.is_none() {
            let id = self.vars.slot(&variable.name);
            return Failure::of_assignment(self.assign_slot(id, digits, false));
        }
        let again = |shell: &mut Self| shell.assign_number(variable, reference.take(), value);
        if let Some(done) = self.with_global(&variable.name, again) {
            return done;
        }
        if has_empty_subscript(variable) {
            self.error(format!("`{}[]': not a valid identifier", variable.name));
            return Ok(());
        }
        let reference = match reference {
            Some(reference) => reference,
            None => self.arithmetic_reference(variable)?,
        };
        if let Reference::All(_, star) = reference {
            self.all_elements(variable, star);
            return Ok(());
        }
        match self.assign_reference(&reference, digits.to_vec(), false) {
            // bash: a bad subscript gives a message, and the expression continues.
            ControlFlow::Break(Divert::Discard | Divert::TopLevel) if reference.is_bad_subscript() => Ok(()),
            flow => Failure::of_assignment(flow),
        }
    }
}
