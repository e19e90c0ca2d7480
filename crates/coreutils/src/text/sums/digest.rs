//! The digest of an input.

use hookshell_utility::Stopped;
use hookshell_utility::input::Input;
use hookshell_utility::io::Running;
use sha2::Digest;

/// Reads all of an input and gives its digest in so many digits.
pub(in super::super) type DigestOf = fn(&Running<'_>, &mut Input, usize) -> Result<String, Stopped>;

pub(in super::super) fn digest<D: Digest>(
    running: &Running<'_>,
    input: &mut Input,
    _: usize,
) -> Result<String, Stopped> {
    let mut state = D::new();
    read_all(running, input, |block| state.update(block))?;
    Ok(hexadecimal(&state.finalize()))
}

/// BLAKE2b, whose digests have any length of up to 512 bits.
pub(super) fn blake2(running: &Running<'_>, input: &mut Input, digits: usize) -> Result<String, Stopped> {
    use blake2::digest::block_api::{Buffer, UpdateCore, VariableOutputCore};
    let length = digits / 2;
    // The length was looked at when the command line was read.
    let Ok(mut core) = blake2::Blake2bVarCore::new(length) else { return Ok(String::new()) };
    let mut buffer = Buffer::<blake2::Blake2bVarCore>::default();
    read_all(running, input, |data| buffer.digest_blocks(data, |blocks| core.update_blocks(blocks)))?;
    let mut digest = Default::default();
    core.finalize_variable_core(&mut buffer, &mut digest);
    Ok(hexadecimal(digest.get(..length).unwrap_or_default()))
}

fn read_all(running: &Running<'_>, input: &mut Input, mut update: impl FnMut(&[u8])) -> Result<(), Stopped> {
    loop {
        let block = input.block(running)?;
        if block.is_empty() {
            return Ok(());
        }
        update(block);
        let used = block.len();
        input.consume(used);
    }
}

fn hexadecimal(digest: &[u8]) -> String {
    let mut text = String::new();
    for byte in digest {
        use std::fmt::Write;
        // Writing into memory does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}
