//! The user and group databases of Unix.
#![allow(unsafe_code, reason = "getpwnam_r and its relatives have no safe interface")]

use std::ffi::{CStr, CString, OsString};
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

#[cfg(target_os = "linux")]
mod outside;
#[cfg(target_os = "linux")]
pub(super) use outside::{groups_of, keep_modules_out};

pub(super) fn home_of(user: &[u8]) -> Option<PathBuf> {
    User::find(Key::Name(user)).map(|user| PathBuf::from(OsString::from_vec(user.home)))
}

pub(super) fn user_name(id: u32) -> Option<Vec<u8>> {
    User::find(Key::Id(id)).map(|user| user.name)
}

pub(super) fn user_ids(name: &[u8]) -> Option<(u32, u32)> {
    User::find(Key::Name(name)).map(|user| (user.uid, user.gid))
}

pub(super) fn group_name(id: u32) -> Option<Vec<u8>> {
    Group::find(Key::Id(id)).map(|group| group.name)
}

pub(super) fn group_id(name: &[u8]) -> Option<u32> {
    Group::find(Key::Name(name)).map(|group| group.gid)
}

/// What an entry is looked up by.
#[derive(Clone, Copy)]
enum Key<'a> {
    Name(&'a [u8]),
    Id(u32),
}

/// What is asked for of an entry of passwd(5).
#[derive(Debug, PartialEq, Eq)]
struct User {
    name: Vec<u8>,
    uid: u32,
    gid: u32,
    home: Vec<u8>,
}

impl User {
    fn find(key: Key<'_>) -> Option<Self> {
        let read = |entry: &libc::passwd| Self {
            name: owned(entry.pw_name),
            uid: entry.pw_uid,
            gid: entry.pw_gid,
            home: owned(entry.pw_dir),
        };
        let found = match key {
            Key::Name(name) => {
                let name = CString::new(name).ok()?;
                // SAFETY: all pointers are to live objects of the sizes that are passed.
                look_up(
                    |e, buffer, size, found| unsafe { libc::getpwnam_r(name.as_ptr(), e, buffer, size, found) },
                    read,
                )
            }
            Key::Id(id) => {
                // SAFETY: as above.
                look_up(|e, buffer, size, found| unsafe { libc::getpwuid_r(id, e, buffer, size, found) }, read)
            }
        };
        #[cfg(target_os = "linux")]
        let found = found.or_else(|| outside::user(key));
        found
    }
}

/// What is asked for of an entry of group(5).
#[derive(Debug, PartialEq, Eq)]
struct Group {
    name: Vec<u8>,
    gid: u32,
}

impl Group {
    fn find(key: Key<'_>) -> Option<Self> {
        let read = |entry: &libc::group| Self { name: owned(entry.gr_name), gid: entry.gr_gid };
        let found = match key {
            Key::Name(name) => {
                let name = CString::new(name).ok()?;
                // SAFETY: all pointers are to live objects of the sizes that are passed.
                look_up(
                    |e, buffer, size, found| unsafe { libc::getgrnam_r(name.as_ptr(), e, buffer, size, found) },
                    read,
                )
            }
            Key::Id(id) => {
                // SAFETY: as above.
                look_up(|e, buffer, size, found| unsafe { libc::getgrgid_r(id, e, buffer, size, found) }, read)
            }
        };
        #[cfg(target_os = "linux")]
        let found = found.or_else(|| outside::group(key));
        found
    }
}

/// Entries are some hundred bytes; a directory service that answers with more than this is not believed.
const LARGEST_ENTRY: usize = 1 << 20;

/// Calls one of the functions that look up an entry of the user or group database, with a buffer that is large enough. `read`
/// takes what is wanted from the entry.
fn look_up<E, T>(
    mut call: impl FnMut(*mut E, *mut libc::c_char, usize, *mut *mut E) -> libc::c_int,
    read: impl FnOnce(&E) -> T,
) -> Option<T> {
    #[cfg(target_os = "linux")]
    keep_modules_out();
    let mut call = |e, buffer, size, found| crate::while_not_copied(|| call(e, buffer, size, found));
    let mut buffer: Vec<libc::c_char> = vec![0; 1024];
    loop {
        let mut entry = MaybeUninit::<E>::uninit();
        let mut found = std::ptr::null_mut();
        match call(entry.as_mut_ptr(), buffer.as_mut_ptr(), buffer.len(), &mut found) {
            libc::EINTR => {}
            libc::ERANGE if buffer.len() < LARGEST_ENTRY => buffer.resize(buffer.len() * 4, 0),
            0 if !found.is_null() => {
                // SAFETY: `found` points to `entry`, which is filled in; its strings lie in `buffer`, which is alive.
                return Some(read(unsafe { &*found }));
            }
            _ => return None,
        }
    }
}

/// A string of an entry.
fn owned(text: *const libc::c_char) -> Vec<u8> {
    if text.is_null() {
        return Vec::new();
    }
    // SAFETY: the database's strings end with a NUL, and are alive while their entry is read.
    unsafe { CStr::from_ptr(text) }.to_bytes().to_vec()
}
