//! `groups`: the names of the groups of the process, or of users.

use hookshell_process::system;
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::parse;
use hookshell_utility::quote;
use hookshell_utility::utility;
use hookshell_utility::{Unsupported, UtilityCall};

use super::id::{are_groups_known, group_list, groups_of};

utility! {
    /// `groups [USER]…` (GNU); everything on Windows is for the real program, and users where there is a directory service.
    Groups, "groups"
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Vec<&'a [u8]>, Unsupported> {
    let users = parse(call.argv, &[])?.operands;
    if cfg!(windows) {
        return Err(Unsupported::new("this system"));
    }
    match users.iter().find(|user| !are_groups_known(user)) {
        Some(user) => Err(Unsupported::new(format!("the user {}", user.escape_ascii()))),
        None => Ok(users),
    }
}

fn run(running: &Running<'_>, users: Vec<&[u8]>) -> Result<u8, Failure> {
    let mut status = 0;
    let mut print = |before: &[u8], groups: Vec<u32>| -> Result<(), Failure> {
        let mut words = Vec::new();
        for id in groups {
            words.push(match system::group_name(id) {
                Some(name) => name,
                None => {
                    running.message(format!("cannot find name for group ID {id}").as_bytes())?;
                    status = 1;
                    id.to_string().into_bytes()
                }
            });
        }
        running.write(&[before, &words.join(&b' ')[..], b"\n"].concat())
    };
    if users.is_empty() {
        print(b"", group_list())?;
        return Ok(status);
    }
    let mut missing = false;
    for user in users {
        match system::user_ids(user) {
            Some((uid, gid)) => print(&[user, b" : "].concat(), groups_of(uid, gid))?,
            None => {
                running.message(&[&quote::locale(user), &b": no such user"[..]].concat())?;
                missing = true;
            }
        }
    }
    Ok(status | u8::from(missing))
}
