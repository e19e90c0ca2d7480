//! `USER:GROUP`, as gnulib's `userspec.c` reads it.

use hookshell_process::system;

/// Who is to own a file; what is missing stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Owner {
    pub(super) user: Option<u32>,
    /// For messages: a name as it was written.
    pub(super) user_text: Option<Vec<u8>>,
    pub(super) group: Option<u32>,
    pub(super) group_text: Option<Vec<u8>>,
    /// It is `USER.GROUP`, which is out of use.
    pub(super) has_dot: bool,
}

/// What is wrong with it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Wrong<'t> {
    pub(super) what: &'static str,
    pub(super) name: &'t [u8],
    /// A directory service of the machine may know the name.
    pub(super) may_be_elsewhere: bool,
}

/// A number; it may begin with `+`, and then it is never a name.
fn number(text: &[u8]) -> Option<u32> {
    let text = text.trim_ascii_start();
    let digits = text.strip_prefix(b"+").unwrap_or(text);
    let digits = std::str::from_utf8(digits).ok().filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
    digits.parse().ok().filter(|number| *number != u32::MAX)
}

/// Is it known of every user who that is?
fn are_all_users_known() -> bool {
    // Where there is no other service, the groups of any name can be told.
    !cfg!(target_os = "linux") || system::groups_of(b"root").is_some()
}

fn user_id(name: &[u8]) -> Option<(u32, Option<u32>)> {
    let named = if name.starts_with(b"+") { None } else { system::user_ids(name) };
    named.map(|(user, group)| (user, Some(group))).or_else(|| number(name).map(|id| (id, None)))
}

/// The group, and whether it is known by this name.
fn group_id(name: &[u8]) -> Option<(u32, bool)> {
    let named = if name.starts_with(b"+") { None } else { system::group_id(name) };
    named.map(|id| (id, true)).or_else(|| number(name).map(|id| (id, false)))
}

fn text(id: u32, name: &[u8], is_name: bool) -> Vec<u8> {
    if is_name { name.to_vec() } else { id.to_string().into_bytes() }
}

fn wrong<'t>(what: &'static str, name: &'t [u8]) -> Wrong<'t> {
    Wrong { what, name, may_be_elsewhere: !are_all_users_known() }
}

/// A group alone, as `chgrp` has it; an empty one changes nothing.
pub(super) fn of_group(text: &[u8]) -> Result<Owner, Wrong<'_>> {
    if text.is_empty() {
        return Ok(Owner::default());
    }
    let (group, _) = group_id(text).ok_or_else(|| wrong("invalid group", text))?;
    Ok(Owner { group: Some(group), group_text: Some(text.to_vec()), ..Owner::default() })
}

/// `USER`, `USER:GROUP`, `:GROUP`, and `USER:` with the user's login group. The dot of old stands for the colon where the text is no
/// user's name.
pub(super) fn of_user(text: &[u8]) -> Result<Owner, Wrong<'_>> {
    let at = |separator: u8| text.iter().position(|byte| *byte == separator);
    let colon = at(b':');
    split(text, colon).or_else(|wrong| match at(b'.').filter(|_| colon.is_none()) {
        Some(dot) => split(text, Some(dot)).map(|owner| Owner { has_dot: true, ..owner }).map_err(|_| wrong),
        None => Err(wrong),
    })
}

fn split(text: &[u8], separator: Option<usize>) -> Result<Owner, Wrong<'_>> {
    let (user, group) = match separator {
        Some(at) => (text.get(..at).unwrap_or_default(), text.get(at + 1..).unwrap_or_default()),
        None => (text, &b""[..]),
    };
    let mut owner = Owner::default();
    if !user.is_empty() {
        let wants_login_group = separator.is_some() && group.is_empty();
        let (id, login) = match user_id(user) {
            Some((_, None)) | None if wants_login_group => return Err(wrong("invalid spec", user)),
            Some(found) => found,
            None => return Err(wrong("invalid user", user)),
        };
        owner.user = Some(id);
        owner.user_text = Some(self::text(id, user, login.is_some()));
        if let Some(login) = login.filter(|_| wants_login_group) {
            owner.group = Some(login);
            owner.group_text = Some(super::group_text(login));
        }
    }
    if !group.is_empty() {
        let (id, is_name) = group_id(group).ok_or_else(|| wrong("invalid group", group))?;
        owner.group = Some(id);
        owner.group_text = Some(self::text(id, group, is_name));
    }
    Ok(owner)
}

#[cfg(all(test, unix))]
mod tests {
    use super::{Owner, of_group, of_user};

    #[test]
    fn numbers_and_names_are_read() {
        let owner = |user: Option<u32>, group: Option<u32>| (user, group);
        for (text, expected) in [
            ("5", owner(Some(5), None)),
            ("5:7", owner(Some(5), Some(7))),
            (":7", owner(None, Some(7))),
            ("+5:+7", owner(Some(5), Some(7))),
            (" 5", owner(Some(5), None)),
            (":", owner(None, None)),
            ("", owner(None, None)),
            ("5.7", owner(Some(5), Some(7))),
            ("root", owner(Some(0), None)),
            ("root:", owner(Some(0), Some(0))),
        ] {
            let read = of_user(text.as_bytes()).map(|owner| (owner.user, owner.group));
            assert_eq!(read, Ok(expected), "{text}");
        }
        assert!(of_user(b"5.7").is_ok_and(|owner| owner.has_dot));
        assert_eq!(of_group(b""), Ok(Owner::default()));
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, what) in [
            ("no such:", "invalid spec"),
            ("5:", "invalid spec"),
            ("no such", "invalid user"),
            ("5:no such", "invalid group"),
            ("4294967295", "invalid user"),
            ("0x5", "invalid user"),
        ] {
            assert_eq!(of_user(text.as_bytes()).map_err(|wrong| wrong.what), Err(what), "{text}");
        }
    }
}
