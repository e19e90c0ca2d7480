//! Whether a command is for the line that was read: addresses and ranges.

use std::io;

use hookshell_regex::{Regex, SearchError, Subject};
use hookshell_utility::io::Failure;

use super::{Machine, Range};
use crate::program::{Address, End, Select};

impl<'m> Machine<'m, '_> {
    pub(super) fn matches(&mut self, regex: &'m Option<Regex>) -> Result<bool, Failure> {
        if let Some(regex) = regex {
            self.last_regex = Some(regex.clone());
        }
        let Some(regex) = &self.last_regex else {
            return Err(self.no_regex());
        };
        let running = self.running;
        let interrupt = || running.check().is_err();
        let subject = Subject::new(&self.pattern.text).interruptible(&interrupt);
        let found = regex.is_match(&subject);
        self.judged(found)
    }

    /// What a search that gave no answer means.
    pub(super) fn judged(&mut self, found: Result<bool, SearchError>) -> Result<bool, Failure> {
        match found {
            Ok(found) => Ok(found),
            Err(SearchError::Interrupted) => {
                self.running.check()?;
                Ok(false)
            }
            Err(SearchError::TooComplex) => Err(Failure::Write(io::Error::other(SearchError::TooComplex.to_string()))),
        }
    }

    fn is_at(&mut self, address: &'m Address) -> Result<bool, Failure> {
        Ok(match address {
            Address::Line(number) => self.input.line == *number,
            Address::Last => self.is_last()?,
            Address::Match(regex) => self.matches(regex)?,
            Address::Step(first, step) => self.input.line >= *first && (self.input.line - first).is_multiple_of(*step),
        })
    }

    pub(super) fn is_selected(&mut self, select: &'m Select) -> Result<bool, Failure> {
        let (first, end, number) = match select {
            Select::All => return Ok(true),
            Select::One(address) => return self.is_at(address),
            Select::Range(first, end, number) => (first, end, *number),
        };
        let line = self.input.line;
        let state = self.ranges.get(number).copied().unwrap_or(Range::Inactive);
        let (selected, state) = match state {
            Range::Active(limit) => match end {
                End::At(Address::Line(_)) => (line <= limit, if line >= limit { Range::Closed } else { state }),
                // Where `n` or `N` went over the end, the line after is the last one.
                End::Lines(_) | End::Multiple(_) | End::At(Address::Step(..)) => {
                    (true, if line >= limit { Range::Closed } else { state })
                }
                End::At(address) => (true, if self.is_at(address)? { Range::Closed } else { state }),
            },
            Range::Inactive | Range::Closed => {
                let begins = match first {
                    Address::Line(start) => matches!(state, Range::Inactive) && line >= *start,
                    first => self.is_at(first)?,
                };
                if !begins {
                    (false, state)
                } else {
                    let limit = match end {
                        End::At(Address::Line(limit)) => Some(*limit),
                        End::Lines(count) => Some(line.saturating_add(*count)),
                        End::Multiple(0) => Some(line),
                        End::Multiple(step) => Some(line + (step - line % step)),
                        End::At(Address::Step(first, _)) if line <= *first => Some(*first),
                        End::At(Address::Step(first, step)) => {
                            Some(first.saturating_add((line - first).div_ceil(*step).saturating_mul(*step)))
                        }
                        End::At(_) => None,
                    };
                    match limit {
                        Some(limit) if line >= limit => {
                            let by_number = matches!(first, Address::Line(start) if *start != line);
                            (!by_number || line <= limit, Range::Closed)
                        }
                        limit => (true, Range::Active(limit.unwrap_or(0))),
                    }
                }
            }
        };
        if let Some(place) = self.ranges.get_mut(number) {
            *place = state;
        }
        Ok(selected)
    }

    pub(super) fn reset_ranges(&mut self) {
        for command in &self.program.commands {
            if let Select::Range(first, _, number) = &command.select
                && let Some(range) = self.ranges.get_mut(*number)
            {
                *range = if matches!(first, Address::Line(0)) { Range::Active(0) } else { Range::Inactive };
            }
        }
    }
}
