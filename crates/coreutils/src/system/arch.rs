//! `arch`: the machine's architecture.

use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::parse;
use hookshell_utility::utility;
use hookshell_utility::{Unsupported, UtilityCall};

utility! {
    /// `arch` (GNU): what `uname -m` says.
    Arch, "arch"
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Option<&'a [u8]>, Unsupported> {
    if cfg!(target_os = "macos") {
        return Err(Unsupported::new("this system's arch"));
    }
    Ok(parse(call.argv, &[])?.operands.first().copied())
}

fn run(running: &Running<'_>, extra: Option<&[u8]>) -> Result<u8, Failure> {
    if let Some(extra) = extra {
        return running.usage(&[&b"extra operand "[..], &hookshell_utility::quote::locale(extra)].concat());
    }
    running.write(&[&super::uname::machine()[..], b"\n"].concat())?;
    Ok(0)
}
