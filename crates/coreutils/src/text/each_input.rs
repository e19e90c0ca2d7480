//! Utilities that read one operand after the other.

use hookshell_utility::input::Input;
use hookshell_utility::io::Failure;
use hookshell_utility::output::Output;
use hookshell_utility::quote;

/// Has each file read. What cannot be opened, or read to its end, is reported, and the next one is read: the status says so.
pub(super) fn each_input<'r, 'c>(
    files: &[&[u8]],
    out: &mut Output<'r, 'c>,
    mut read: impl FnMut(&[u8], &mut Input, &mut Output<'r, 'c>) -> Result<(), Failure>,
) -> Result<u8, Failure> {
    let running = out.running();
    let mut status = 0;
    for file in files {
        let mut input = match running.open(file)? {
            Ok(source) => Input::new(source),
            Err(error) => {
                out.report_error(&quote::if_needed(file), &error)?;
                status = 1;
                continue;
            }
        };
        read(file, &mut input, out)?;
        if let Some(error) = &input.error {
            out.report_error(&quote::if_needed(file), error)?;
            status = 1;
        }
    }
    Ok(status)
}
