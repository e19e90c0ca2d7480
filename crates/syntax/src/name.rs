//! Names of variables and functions, hashed once when they are parsed.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU32, Ordering};

use bstr::{BStr, ByteSlice};

use crate::bytes::{NAME, begins_name, is};
use crate::text::Text;

/// A name from the source (variable, function), with its hash computed at parse time and a hint for the
/// interpreter's symbol table.
///
/// The hint is a cache and no part of the name's value: an interpreter that finds a name in slot `n` of its table
/// leaves `n` here, and looks into that slot first the next time. Programs are shared between interpreters, so a
/// hint may be wrong: it must be checked against the slot's own name.
pub struct Name {
    text: Text,
    hash: u64,
    hint: AtomicU32,
}

impl Name {
    /// A name with these bytes.
    pub fn new(text: impl Into<Text>) -> Self {
        let text = text.into();
        let hash = hash_name(&text);
        Self { text, hash, hint: AtomicU32::new(u32::MAX) }
    }

    /// The bytes of the name.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        &self.text
    }

    /// [`hash_name`] of the bytes.
    #[inline]
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// The slot that an interpreter last found this name in; `u32::MAX` at first.
    #[inline]
    pub fn hint(&self) -> u32 {
        self.hint.load(Ordering::Relaxed)
    }

    /// Leaves a hint for the next look-up.
    #[inline]
    pub fn set_hint(&self, slot: u32) {
        self.hint.store(slot, Ordering::Relaxed);
    }
}

/// Names of up to so many bytes have no hash in common with another one that is as long.
pub const UNIQUE_HASH: usize = 8;

/// The hash of a name: the same for the same bytes on every machine and in every run. Of names as long as each other, of up to
/// [`UNIQUE_HASH`] bytes, it is a different one for each.
///
/// A script that chooses names which collide slows only itself down.
#[inline]
pub fn hash_name(text: &[u8]) -> u64 {
    if text.len() <= UNIQUE_HASH {
        // Each step can be undone, so different bytes stay different.
        let packed = text.iter().fold(0_u64, |packed, &byte| packed << 8 | u64::from(byte));
        let mixed = (packed ^ packed >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        return mixed ^ mixed >> 29;
    }
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for &byte in text {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    // The table takes its index from the high and the low bits: spread the entropy to both.
    hash ^ (hash >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl Clone for Name {
    fn clone(&self) -> Self {
        Self { text: self.text.clone(), hash: self.hash, hint: AtomicU32::new(self.hint()) }
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Name {}

impl Hash for Name {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.text.as_bstr())
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(BStr::new(&*self.text), f)
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        Self::new(text.as_bytes())
    }
}

impl From<&[u8]> for Name {
    fn from(text: &[u8]) -> Self {
        Self::new(text)
    }
}

/// Is this a *name* in the sense of XBD 3.216: a letter or underscore, then letters, digits and underscores?
pub fn is_name(text: &[u8]) -> bool {
    match text.split_first() {
        Some((&first, rest)) => begins_name(first) && rest.iter().all(|&byte| is(byte, NAME)),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::hash_name;

    #[test]
    fn short_names_as_long_as_each_other_have_hashes_of_their_own() {
        let letters = b"abxyz_AZ09";
        let mut seen = HashSet::new();
        let mut count = 0;
        for length in 1..=5 {
            for number in 0..10_usize.pow(length) {
                let digits = (0..length).map(|place| letters[number / 10_usize.pow(place) % 10]);
                let name: Vec<u8> = digits.collect();
                count += 1;
                seen.insert((name.len(), hash_name(&name)));
            }
        }
        assert_eq!(seen.len(), count);
        for (one, other) in [("abcdefgh", "abcdefgi"), ("aaaaaaaa", "baaaaaaa"), ("abcdefghi", "abcdefghj")] {
            assert_ne!(hash_name(one.as_bytes()), hash_name(other.as_bytes()));
        }
    }
}
