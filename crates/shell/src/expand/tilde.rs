//! Tilde expansion (XCU 2.6.1).

use hookshell_process::{system, text};

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
            name => system::home_of(name).map(|home| text::from_os(home.as_os_str()).into_owned()),
        };
        found.unwrap_or_else(|| [b"~", user].concat())
    }

    /// The own home where HOME is unset: Windows sets USERPROFILE instead.
    fn home_without_home(&self) -> Option<Vec<u8>> {
        if let Some(profile) = self.vars.scalar_bytes(b"USERPROFILE") {
            return Some(crate::shell::shell_path(profile));
        }
        let user = self.vars.scalar_bytes(b"USER").or_else(|| self.vars.scalar_bytes(b"LOGNAME"))?;
        system::home_of(user).map(|home| text::from_os(home.as_os_str()).into_owned())
    }
}
