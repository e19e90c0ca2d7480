//! Tilde expansion (XCU 2.6.1).

use std::borrow::Cow;

use hookshell_process::{system, text};
use hookshell_syntax::Dialect;
use hookshell_text::integer;

use crate::options::Opt;
use crate::shell::Shell;

impl Shell {
    /// What a tilde-prefix stands for: a directory, or the prefix itself where there is no such user.
    pub(super) fn tilde(&self, user: &[u8]) -> Vec<u8> {
        let found = match user {
            b"" => match self.vars.scalar_bytes(b"HOME") {
                Some(home) => Some(home.to_vec()),
                None => self.home_without_home(),
            },
            b"+" => self.vars.scalar_bytes(b"PWD").map(<[u8]>::to_vec),
            b"-" => self.vars.scalar_bytes(b"OLDPWD").map(<[u8]>::to_vec),
            name => self.stack_entry(name).or_else(|| {
                // The directory service of the machine may be asked.
                self.host.cancel.before_wait();
                system::home_of(name).map(|home| text::from_os(home.as_os_str()).into_owned())
            }),
        };
        found.unwrap_or_else(|| [b"~", user].concat())
    }

    /// Where programs are looked for, nothing where PATH is unset. bash: a tilde that stands in it as it is, because it was
    /// quoted, leads home too, except in POSIX mode.
    pub(crate) fn search_list(&self) -> Cow<'_, [u8]> {
        let list = self.vars.scalar_bytes(b"PATH").unwrap_or_default();
        if cfg!(windows) || self.opt(Opt::Posix) || memchr::memchr(b'~', list).is_none() {
            return Cow::Borrowed(list);
        }
        let mut expanded = Vec::with_capacity(list.len());
        for (at, element) in list.split(|&byte| byte == b':').enumerate() {
            if at > 0 {
                expanded.push(b':');
            }
            match element.strip_prefix(b"~") {
                Some(after) => {
                    let user = memchr::memchr(b'/', after).unwrap_or(after.len());
                    expanded.extend_from_slice(&self.tilde(&after[..user]));
                    expanded.extend_from_slice(&after[user..]);
                }
                None => expanded.extend_from_slice(element),
            }
        }
        Cow::Owned(expanded)
    }

    /// bash: `~N`, `~+N` and `~-N` are entries of the directory stack, from its top or its bottom on.
    fn stack_entry(&self, position: &[u8]) -> Option<Vec<u8>> {
        let (from_bottom, digits) = match position {
            [b'+', digits @ ..] => (false, digits),
            [b'-', digits @ ..] => (true, digits),
            digits => (false, digits),
        };
        if self.env.dialect == Dialect::Posix || digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let number = usize::try_from(integer::parse_integer(digits)?).ok()?;
        let below = self.env.inherited.dir_stack.len();
        let from_top = if from_bottom { below.checked_sub(number)? } else { number };
        match from_top {
            0 => Some(self.pwd()),
            _ => self.env.inherited.dir_stack.get(below.checked_sub(from_top)?).cloned(),
        }
    }

    /// The own home where HOME is unset: Windows sets USERPROFILE instead.
    fn home_without_home(&self) -> Option<Vec<u8>> {
        if let Some(profile) = self.vars.scalar_bytes(b"USERPROFILE") {
            return Some(crate::paths::shell_path(profile));
        }
        self.host.cancel.before_wait();
        let user = system::user_name(system::ids().uid)?;
        system::home_of(&user).map(|home| text::from_os(home.as_os_str()).into_owned())
    }
}
