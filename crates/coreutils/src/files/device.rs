//! Descriptors and devices as operands of utilities that copy files: a script's descriptors are not those of this process, and
//! Windows has no files for devices.

use hookshell_files::file_stat::FileStat;
use hookshell_utility::io::{BUFFER, Failure, Running};
use hookshell_utility::quote;
use hookshell_utility::{SpecialFile, special_name};

/// Is it such a name?
pub(super) fn is_device(running: &Running<'_>, name: &[u8]) -> bool {
    is_known(running.special(name))
}

/// Is it one by its name alone, not by where a link leads?
pub(super) fn is_device_name(name: &[u8]) -> bool {
    is_known(special_name(name))
}

fn is_known(special: Option<SpecialFile>) -> bool {
    match special {
        Some(SpecialFile::Descriptor(_) | SpecialFile::Host) => true,
        Some(_) => cfg!(windows),
        None => false,
    }
}

/// Writes what the source has into the destination, of which at least one is a device; says whether all went well.
pub(super) fn copy_device(running: &Running<'_>, source: &[u8], destination: &[u8]) -> Result<bool, Failure> {
    // A file that is copied to its own end would never be at it.
    if is_same_file(running, source, destination) {
        let text = [&quote::always(source)[..], b" and ", &quote::always(destination), b" are the same file"].concat();
        running.message(&text)?;
        return Ok(false);
    }
    let input = match running.open_file(source)? {
        Ok(input) => input,
        Err(error) => {
            running.report_error(&[&b"cannot open "[..], &quote::always(source), b" for reading"].concat(), &error)?;
            return Ok(false);
        }
    };
    let output = match running.create(destination, false) {
        Ok(output) => output,
        Err(error) => {
            running.report_error_of("cannot create regular file", destination, &error)?;
            return Ok(false);
        }
    };
    let mut buffer = vec![0; BUFFER];
    loop {
        let count = match running.read(&input, &mut buffer)? {
            Ok(0) => return Ok(true),
            Ok(count) => count,
            Err(error) => {
                running.report_error_of("error reading", source, &error)?;
                return Ok(false);
            }
        };
        if let Err(error) = running.write_to(&output, buffer.get(..count).unwrap_or_default())? {
            running.report_error_of("error writing", destination, &error)?;
            return Ok(false);
        }
    }
}

/// Are both the same regular file?
fn is_same_file(running: &Running<'_>, source: &[u8], destination: &[u8]) -> bool {
    let stat = |name: &[u8]| running.path(name).metadata().ok().filter(|it| it.is_file()).map(|it| FileStat::of(&it));
    match (stat(source), stat(destination)) {
        (Some(a), Some(b)) => a.inode != 0 && (a.device, a.inode) == (b.device, b.inode),
        _ => false,
    }
}
