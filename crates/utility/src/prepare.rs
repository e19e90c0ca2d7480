//! From the call of a utility to what runs it.

use crate::io::{Failure, Running};
use crate::profile::Profile;
use crate::utility::{Language, Prepared, Stopped, Unsupported, UtilityCall, UtilityContext};

/// Reads a call with `read`, once, and keeps what it gives for `body`, which does the work and gives the exit status.
///
/// A call that the real program would call wrong ([`Unsupported::mistake`]) is prepared as well, but yields to that program: where
/// there is none, the user reads here what is wrong.
///
/// # Errors
/// As `read`.
pub fn prepare<'a, T: 'a>(
    profile: impl Into<Profile>,
    call: &UtilityCall<'a>,
    read: impl FnOnce(&UtilityCall<'a>) -> Result<T, Unsupported>,
    body: impl FnOnce(&Running<'_>, T) -> Result<u8, Failure> + 'a,
) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
    prepare_yielding(profile, call, read, |_| false, body)
}

/// The same for a utility which does a call that the real program does otherwise, or knows better: it yields to that program, where
/// there is one, if `yields` says so of what was read.
///
/// # Errors
/// As `read`.
pub fn prepare_yielding<'a, T: 'a>(
    profile: impl Into<Profile>,
    call: &UtilityCall<'a>,
    read: impl FnOnce(&UtilityCall<'a>) -> Result<T, Unsupported>,
    yields: impl FnOnce(&T) -> bool,
    body: impl FnOnce(&Running<'_>, T) -> Result<u8, Failure> + 'a,
) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
    prepare_compiling(profile, call, read, yields, |_| Language::None, body)
}

/// The same for a utility whose calls have a program in a language of its own: `language` says whether it compiles.
///
/// # Errors
/// As `read`.
pub fn prepare_compiling<'a, T: 'a>(
    profile: impl Into<Profile>,
    call: &UtilityCall<'a>,
    read: impl FnOnce(&UtilityCall<'a>) -> Result<T, Unsupported>,
    yields: impl FnOnce(&T) -> bool,
    language: fn(&T) -> Language,
    body: impl FnOnce(&Running<'_>, T) -> Result<u8, Failure> + 'a,
) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
    let profile = profile.into();
    match read(call) {
        Ok(command) => Ok(Box::new(Ready { profile, yields: yields(&command), language, command, body })),
        Err(unsupported) if unsupported.is_mistake() => Ok(Box::new(Mistaken { profile, unsupported })),
        Err(unsupported) => Err(unsupported),
    }
}

/// A call that was read.
struct Ready<T, F> {
    profile: Profile,
    yields: bool,
    language: fn(&T) -> Language,
    command: T,
    body: F,
}

impl<T, F: FnOnce(&Running<'_>, T) -> Result<u8, Failure>> Prepared for Ready<T, F> {
    fn yields(&self) -> bool {
        self.yields
    }

    fn language(&self) -> Language {
        (self.language)(&self.command)
    }

    fn run(self: Box<Self>, context: &UtilityContext<'_>) -> Result<u8, Stopped> {
        let Self { profile, command, body, .. } = *self;
        Running::run(profile, context, |running| body(running, command))
    }
}

/// A call that is wrong as far as is known.
struct Mistaken {
    profile: Profile,
    unsupported: Unsupported,
}

impl Prepared for Mistaken {
    fn yields(&self) -> bool {
        true
    }

    fn run(self: Box<Self>, context: &UtilityContext<'_>) -> Result<u8, Stopped> {
        Running::run(self.profile, context, |running| running.refuse(&self.unsupported))
    }
}
