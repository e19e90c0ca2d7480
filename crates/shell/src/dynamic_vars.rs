//! Variables whose value is computed when it is read (bash).

use std::time::{SystemTime, UNIX_EPOCH};

use hookshell_syntax::Dialect;

use crate::declaration::attribute_letters;
use crate::options::Opt;
use crate::shell::Shell;
use crate::vars::{Attributes, Fetched, SlotId, Special, Value};

/// The variables that bash lists although it computes them.
const COMPUTED: &[&[u8]] = &[
    b"BASHPID",
    b"BASH_ARGC",
    b"BASH_ARGV",
    b"BASH_ARGV0",
    b"BASH_COMMAND",
    b"BASH_LINENO",
    b"BASH_SOURCE",
    b"BASH_SUBSHELL",
    b"DIRSTACK",
    b"EPOCHREALTIME",
    b"EPOCHSECONDS",
    b"FUNCNAME",
    b"GROUPS",
    b"LINENO",
    b"PIPESTATUS",
    b"RANDOM",
    b"SECONDS",
    b"SRANDOM",
    b"_",
];

impl Shell {
    /// Do its commands come from a file? bash names nothing below the calls in `-c` text and on standard input
    /// (`curl … | bash`): scripts ask BASH_SOURCE for that.
    pub(crate) fn has_script(&self) -> bool {
        !self.host.is_command_string && !self.context.reads_stdin
    }

    /// The value of a computed variable.
    pub(crate) fn computed(&mut self, special: Special) -> Fetched {
        let one = |text: String| Fetched::One(text.into_bytes());
        // Only bash has most of them.
        if self.env.dialect == Dialect::Posix && special != Special::Lineno {
            return Fetched::Unset;
        }
        match special {
            Special::Lineno => one(self.context.line.to_string()),
            Special::Random => one(self.next_random().to_string()),
            Special::Srandom => {
                let bits = self.next_random() << 17 ^ self.next_random() << 8 ^ self.next_random();
                one((bits ^ self.host.started.elapsed().subsec_nanos()).to_string())
            }
            Special::Seconds => {
                let (base, offset) = self.env.seconds_base;
                let elapsed = i64::try_from(base.elapsed().as_secs()).unwrap_or(i64::MAX);
                one(elapsed.saturating_add(offset).to_string())
            }
            Special::Epochseconds => one(since_epoch().as_secs().to_string()),
            Special::Epochrealtime => {
                let now = since_epoch();
                one(format!("{}.{:06}", now.as_secs(), now.subsec_micros()))
            }
            Special::Bashpid => one(self.context.subshell.id.to_string()),
            // There is no history.
            Special::Histcmd => one("0".to_owned()),
            Special::BashSubshell => {
                one(self.context.subshell.depth.wrapping_sub(self.context.subshell.uncounted).to_string())
            }
            Special::BashCommand => Fetched::One(self.traps.command_text()),
            Special::LastArgument => Fetched::One(self.env.last_argument.clone()),
            Special::Argv0 => Fetched::One(self.env.inherited.name.to_vec()),
            array => match self.computed_items(array).into_iter().next() {
                Some(text) => Fetched::One(text),
                None => Fetched::Unset,
            },
        }
    }

    /// The elements of a computed array.
    pub(crate) fn computed_items(&mut self, special: Special) -> Vec<Vec<u8>> {
        match special {
            Special::Funcname => {
                if !self.context.subshell.shows_main && self.context.frames.functions() == 0 {
                    return Vec::new();
                }
                let mut names: Vec<Vec<u8>> = self.context.frames.calls().map(|f| f.name().to_vec()).collect();
                if self.has_script() {
                    names.push(b"main".to_vec());
                }
                names
            }
            Special::BashSource => {
                let mut sources: Vec<Vec<u8>> = self.context.frames.calls().map(|f| f.source().to_vec()).collect();
                if self.has_script() {
                    sources.push(self.env.inherited.name.to_vec());
                }
                sources
            }
            Special::BashLineno => {
                let mut lines: Vec<Vec<u8>> =
                    self.context.frames.calls().map(|f| f.call_line.to_string().into_bytes()).collect();
                if self.has_script() {
                    lines.push(b"0".to_vec());
                }
                lines
            }
            Special::Pipestatus => self.env.pipe_status.iter().map(|s| s.to_string().into_bytes()).collect(),
            Special::Dirstack => {
                let mut items = vec![self.pwd()];
                items.extend(self.env.inherited.dir_stack.iter().rev().cloned());
                items
            }
            Special::Arguments | Special::ArgumentCounts => {
                // bash: outside of functions they are there without `extdebug` too.
                if self.context.frames.functions() == 0 && !self.opt(Opt::Extdebug) {
                    self.env.note_arguments();
                }
                self.noted_arguments(special)
            }
            Special::Groups => vec![hookshell_process::system::ids().gid.to_string().into_bytes()],
            _ => Vec::new(),
        }
    }

    /// BASH_ARGV, the last parameter of the last call first; or BASH_ARGC, how many each call has.
    fn noted_arguments(&self, special: Special) -> Vec<Vec<u8>> {
        let calls = self.context.frames.calls().filter_map(|frame| frame.arguments.as_ref());
        let calls = calls.chain(&self.env.first_arguments);
        if special == Special::ArgumentCounts {
            return calls.map(|call| call.len().to_string().into_bytes()).collect();
        }
        calls
            .flat_map(|call| {
                let mut words: Vec<Vec<u8>> = call.iter().map(<[u8]>::to_vec).collect();
                words.reverse();
                words
            })
            .collect()
    }

    /// The letters of a computed variable's attributes; `None` if the name is that of an ordinary one.
    pub(crate) fn computed_letters(&self, id: SlotId) -> Option<Vec<u8>> {
        let special = self.vars.computed(id).filter(|_| self.env.dialect == Dialect::Bash)?;
        // There is none before the first command.
        if special == Special::Pipestatus && self.env.pipe_status.is_empty() {
            return None;
        }
        let (array, integer) = match special {
            Special::Bashpid | Special::Random | Special::Srandom | Special::Seconds | Special::Histcmd => {
                (false, true)
            }
            special => (special.is_computed_array(), false),
        };
        let given = self.vars.get(id).map(|variable| variable.attributes).unwrap_or_default();
        Some(attribute_letters(array, false, given.with(Attributes::INTEGER, integer)))
    }

    /// The value of a computed variable as a list of all variables shows it: bash shows those that are kept, not those that
    /// are made when they are asked for.
    fn listed_value(&mut self, id: SlotId, asked: bool) -> Option<Value> {
        let special = self.vars.special(id);
        if !special.is_computed_array() {
            return match (asked || special == Special::LastArgument).then(|| self.computed(special))? {
                Fetched::One(text) => Some(Value::Scalar(text)),
                _ => None,
            };
        }
        let items = match special {
            Special::Dirstack | Special::Groups if !asked => Vec::new(),
            Special::Arguments | Special::ArgumentCounts if !asked => self.noted_arguments(special),
            _ => self.computed_items(special),
        };
        if special == Special::Funcname && items.is_empty() {
            return None;
        }
        Some(Value::Indexed(Box::new(items.into_iter().collect())))
    }

    /// `${x@a}` and the options of `declare -p`.
    pub(crate) fn attribute_letters(&self, id: SlotId) -> Vec<u8> {
        if self.vars.computed(id).is_some() {
            return self.computed_letters(id).unwrap_or_default();
        }
        let Some(variable) = self.vars.get(id) else { return Vec::new() };
        let (indexed, associative) =
            (matches!(variable.value, Value::Indexed(_)), matches!(variable.value, Value::Associative(_)));
        attribute_letters(indexed, associative, variable.attributes)
    }

    /// The `declare -p` line of a variable; `None` if it is not even declared.
    pub(crate) fn declaration(&self, id: SlotId) -> Option<Vec<u8>> {
        let variable = self.vars.get(id)?;
        let letters = self.attribute_letters(id);
        Some(self.declaration_text(&letters, id, Some(&variable.value).filter(|_| variable.has_value())))
    }

    /// The `declare -p` line of a variable that may be a computed one, which was `asked` for by its name.
    pub(crate) fn declaration_of(&mut self, id: SlotId, asked: bool) -> Option<Vec<u8>> {
        let Some(letters) = self.computed_letters(id) else { return self.declaration(id) };
        let value = self.listed_value(id, asked);
        Some(self.declaration_text(&letters, id, value.as_ref()))
    }

    /// The line that `set` prints for a computed variable.
    pub(crate) fn computed_definition(&mut self, id: SlotId) -> Option<Vec<u8>> {
        let value = self.listed_value(id, false)?;
        Some(self.definition_text(id, &value))
    }

    /// All variables by name, those that the shell computes among them.
    pub(crate) fn listed_variables(&mut self) -> Vec<SlotId> {
        let mut ids = self.vars.sorted();
        if self.env.dialect == Dialect::Bash {
            for name in COMPUTED {
                let id = self.vars.slot_bytes(name);
                if self.computed_letters(id).is_some() && self.vars.get(id).is_none() {
                    let at = ids.partition_point(|&other| *self.vars.name(other) < **name);
                    ids.insert(at, id);
                }
            }
        }
        ids
    }

    /// Has it a value, if only a computed one?
    pub(crate) fn has_listed_value(&mut self, id: SlotId) -> bool {
        match self.vars.computed(id) {
            Some(Special::Funcname) => !self.computed_items(Special::Funcname).is_empty(),
            Some(_) => self.computed_letters(id).is_some(),
            None => self.vars.get(id).is_some_and(crate::vars::Variable::has_value),
        }
    }

    fn next_random(&mut self) -> u32 {
        let upper_half = self.compatibility() > 50;
        self.env.random.next(self.context.subshell.id, upper_half)
    }
}

fn since_epoch() -> std::time::Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}
