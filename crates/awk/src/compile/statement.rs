//! Statements, with the jumps of their loops.

use super::{Compiler, Loop, constant_index};
use crate::ast::{Expr, Pattern, Redirection, RedirectionKind, Statement, Variable, slot};
use crate::code::{Item, Operation};
use crate::lexer::Complaint;

impl Compiler {
    pub(super) fn rule(&mut self, pattern: &Pattern, action: Option<&[Statement]>) -> Result<(), Complaint> {
        let skip = match pattern {
            Pattern::Always => None,
            Pattern::Expression(condition) => Some(self.jump_unless(condition)?),
            Pattern::Range(first, last) => {
                let range = self.code.ranges as u32;
                self.code.ranges += 1;
                let inside = self.emit(Operation::JumpInRange(range, 0));
                let skip = self.jump_unless(first)?;
                self.emit(Operation::SetRange(range, true));
                self.patch_here(inside);
                let to_rest = self.jump_unless(last)?;
                self.emit(Operation::SetRange(range, false));
                self.patch_here(to_rest);
                Some(skip)
            }
        };
        match action {
            Some(statements) => self.statements(statements)?,
            None => {
                self.emit(Operation::PrintRecord);
            }
        }
        if let Some(skip) = skip {
            self.patch_here(skip);
        }
        Ok(())
    }

    pub(super) fn statements(&mut self, statements: &[Statement]) -> Result<(), Complaint> {
        statements.iter().try_for_each(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &Statement) -> Result<(), Complaint> {
        match statement {
            Statement::Expression(expression) => self.effect(expression)?,
            Statement::Print { arguments, to } => self.print(arguments, to.as_ref())?,
            Statement::Printf { arguments, to } => {
                if let Some(format) = arguments.first() {
                    self.note_nul(format);
                }
                self.values(arguments)?;
                let to = self.redirection(to.as_ref())?;
                self.emit(Operation::Printf { arguments: arguments.len() as u32, to });
            }
            Statement::If { arms, otherwise } => {
                let mut ends = Vec::new();
                for (at, (condition, body)) in arms.iter().enumerate() {
                    let skip = self.jump_unless(condition)?;
                    self.statements(body)?;
                    if at + 1 < arms.len() || !otherwise.is_empty() {
                        ends.push(self.emit(Operation::Jump(0)));
                    }
                    self.patch_here(skip);
                }
                self.statements(otherwise)?;
                for end in ends {
                    self.patch_here(end);
                }
            }
            Statement::While { condition, body } => {
                let start = self.here();
                let end = self.jump_unless(condition)?;
                self.loop_body(body, |_| Ok(start))?;
                self.emit(Operation::Jump(start));
                self.patch_here(end);
                self.end_loop();
            }
            Statement::DoWhile { body, condition } => {
                let start = self.here();
                self.loop_body(body, |compiler| Ok(compiler.here()))?;
                let end = self.jump_unless(condition)?;
                self.emit(Operation::Jump(start));
                self.patch_here(end);
                self.end_loop();
            }
            Statement::For { start, condition, step, body } => {
                if let Some(start) = start {
                    self.statement(start)?;
                }
                let top = self.here();
                let end = match condition {
                    Some(condition) => Some(self.jump_unless(condition)?),
                    None => None,
                };
                self.loop_body(body, |compiler| {
                    let next = compiler.here();
                    if let Some(step) = step {
                        compiler.statement(step)?;
                    }
                    Ok(next)
                })?;
                self.emit(Operation::Jump(top));
                if let Some(end) = end {
                    self.patch_here(end);
                }
                self.end_loop();
            }
            Statement::ForIn { variable, array, body } => {
                let array = self.array(*array);
                self.emit(Operation::BeginFor(array));
                self.array_loops += 1;
                let start = self.emit(Operation::NextFor(0));
                self.store(variable)?;
                self.loop_body(body, |_| Ok(start))?;
                self.emit(Operation::Jump(start));
                // `break` ends the loop over the array too.
                self.patch_here(start);
                self.end_loop();
                self.emit(Operation::EndFor);
                self.array_loops -= 1;
            }
            Statement::Block(statements) => self.statements(statements)?,
            Statement::Delete { array, subscript } => {
                let array = self.array(*array);
                match subscript {
                    None => {
                        self.emit(Operation::DeleteAll(array));
                    }
                    Some(subscript) => {
                        self.subscript(subscript)?;
                        self.emit(Operation::Delete(array));
                    }
                }
            }
            Statement::Next => {
                self.emit(Operation::Next);
            }
            Statement::NextFile => {
                self.emit(Operation::NextFile);
            }
            Statement::Break => {
                let jump = self.emit(Operation::Jump(0));
                if let Some(innermost) = self.loops.last_mut() {
                    innermost.breaks.push(jump);
                }
            }
            Statement::Continue => {
                let jump = self.emit(Operation::Jump(0));
                if let Some(innermost) = self.loops.last_mut() {
                    innermost.continues.push(jump);
                }
            }
            Statement::Exit(status) => match status {
                Some(status) => {
                    self.value(status)?;
                    self.emit(Operation::Exit);
                }
                None => {
                    self.emit(Operation::ExitAsBefore);
                }
            },
            Statement::Return(value) => {
                match value {
                    Some(value) => self.value(value)?,
                    None => {
                        self.emit(Operation::Uninitialized);
                    }
                }
                for _ in 0..self.array_loops {
                    self.emit(Operation::EndFor);
                }
                self.emit(Operation::Return);
            }
        }
        Ok(())
    }

    /// The body of a loop; `next` compiles what follows each turn and says where `continue` leads.
    fn loop_body(
        &mut self,
        body: &[Statement],
        next: impl FnOnce(&mut Self) -> Result<usize, Complaint>,
    ) -> Result<(), Complaint> {
        self.loops.push(Loop::default());
        self.statements(body)?;
        let target = next(self)?;
        let continues = self.loops.last_mut().map(|innermost| std::mem::take(&mut innermost.continues));
        for jump in continues.unwrap_or_default() {
            self.patch(jump, target);
        }
        Ok(())
    }

    fn end_loop(&mut self) {
        for jump in self.loops.pop().unwrap_or_default().breaks {
            self.patch_here(jump);
        }
    }

    fn print(&mut self, arguments: &[Expr], to: Option<&Redirection>) -> Result<(), Complaint> {
        if to.is_none() {
            if arguments.is_empty() {
                self.emit(Operation::PrintRecord);
                return Ok(());
            }
            let items: Option<Vec<Item>> = arguments.iter().map(|argument| self.item(argument)).collect();
            if let Some(items) = items {
                self.code.items.push(items.into());
                let at = self.code.items.len() - 1;
                self.emit(Operation::PrintItems(at as u32));
                return Ok(());
            }
        }
        self.values(arguments)?;
        let to = self.redirection(to)?;
        self.emit(Operation::Print { arguments: arguments.len() as u32, to });
        Ok(())
    }

    fn item(&mut self, argument: &Expr) -> Option<Item> {
        Some(match argument {
            Expr::String(text) => Item::String(self.string(text)),
            Expr::Number(value) => Item::Number(self.number(*value)),
            Expr::Field(index) => match **index {
                Expr::Number(index) => Item::Field(constant_index(index)?),
                _ => return None,
            },
            Expr::Variable(Variable::Global(at)) if *at < slot::COMPUTED => Item::Computed(*at),
            Expr::Variable(Variable::Global(at)) => Item::Global(*at),
            Expr::Variable(Variable::Local(at)) => Item::Local(*at),
            Expr::Parenthesized(inner) => return self.item(inner),
            _ => return None,
        })
    }

    fn redirection(&mut self, to: Option<&Redirection>) -> Result<Option<RedirectionKind>, Complaint> {
        let Some(to) = to else { return Ok(None) };
        self.value(&to.name)?;
        Ok(Some(to.kind))
    }
}
