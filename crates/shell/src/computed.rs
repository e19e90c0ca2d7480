//! Variables whose value is computed when it is read (bash).

use std::time::{SystemTime, UNIX_EPOCH};

use crate::reference::Fetched;
use crate::shell::Shell;
use crate::vars::Special;

impl Shell {
    /// The value of a computed variable.
    pub(crate) fn computed(&mut self, special: Special) -> Fetched {
        let one = |text: String| Fetched::One(text.into_bytes());
        // Only bash has most of them.
        if self.dialect == hookshell_syntax::Dialect::Posix && special != Special::Lineno {
            return Fetched::Unset;
        }
        match special {
            Special::Lineno => one(self.line.to_string()),
            Special::Random => one(self.next_random().to_string()),
            Special::Srandom => {
                let bits = self.next_random() << 17 ^ self.next_random() << 8 ^ self.next_random();
                one((bits ^ self.host.started.elapsed().subsec_nanos()).to_string())
            }
            Special::Seconds => {
                let (base, offset) = self.seconds_base;
                let elapsed = i64::try_from(base.elapsed().as_secs()).unwrap_or(i64::MAX);
                one(elapsed.saturating_add(offset).to_string())
            }
            Special::Epochseconds => one(since_epoch().as_secs().to_string()),
            Special::Epochrealtime => {
                let now = since_epoch();
                one(format!("{}.{:06}", now.as_secs(), now.subsec_micros()))
            }
            Special::Bashpid => one(self.own_id.to_string()),
            Special::BashSubshell => one((self.subshell_depth - self.uncounted_subshells).to_string()),
            Special::BashCommand => Fetched::One(self.traps.command_text()),
            Special::LastArgument => Fetched::One(self.last_argument.clone()),
            Special::Argv0 => Fetched::One(self.name.to_vec()),
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
                if !self.shows_main && !self.frames.iter().any(|f| f.is_function) {
                    return Vec::new();
                }
                let mut names: Vec<Vec<u8>> = self.frames.iter().rev().map(|f| f.function.to_vec()).collect();
                if !self.host.is_command_string {
                    names.push(b"main".to_vec());
                }
                names
            }
            Special::BashSource => {
                let mut sources: Vec<Vec<u8>> = self.frames.iter().rev().map(|f| f.source.to_vec()).collect();
                if !self.host.is_command_string {
                    sources.push(self.name.to_vec());
                }
                sources
            }
            Special::BashLineno => {
                let mut lines: Vec<Vec<u8>> =
                    self.frames.iter().rev().map(|f| f.call_line.to_string().into_bytes()).collect();
                if !self.host.is_command_string {
                    lines.push(b"0".to_vec());
                }
                lines
            }
            Special::Pipestatus => self.pipe_status.iter().map(|s| s.to_string().into_bytes()).collect(),
            Special::Dirstack => {
                let mut items = vec![self.pwd()];
                items.extend(self.dir_stack.iter().rev().cloned());
                items
            }
            Special::Groups => vec![hookshell_process::system::ids().gid.to_string().into_bytes()],
            _ => Vec::new(),
        }
    }

    /// A step of the generator behind RANDOM, 15 bits: bash 5.1's, so that a seed gives the same numbers here. It is the
    /// minimal standard generator of Park and Miller, by Schrage's method, with both halves of its state mixed.
    fn next_random(&mut self) -> u32 {
        let state = if self.random == 0 { 123_459_876 } else { i64::from(self.random as i32) };
        let (high, low) = (state / 127_773, state % 127_773);
        let next = 16_807 * low - 2_836 * high;
        // C's 32 bits: what does not fit wraps around.
        let next = next as i32;
        self.random = (if next < 0 { next.wrapping_add(0x7fff_ffff) } else { next }) as u32;
        (self.random >> 16 ^ self.random & 0xffff) & 0x7fff
    }
}

fn since_epoch() -> std::time::Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}
