//! What grep writes.

use hookshell_utility::io::{BUFFER, Failure, Running};

/// Standard output in blocks.
pub(crate) struct Output<'r, 'a> {
    running: &'r Running<'a>,
    data: Vec<u8>,
    pub(crate) is_colored: bool,
}

/// GNU's colours of what matches, of names, of numbers and of what stands between them.
pub(crate) const MATCH: &str = "01;31";
pub(crate) const NAME: &str = "35";
const NUMBER: &str = "32";
pub(crate) const SEPARATOR: &str = "36";

impl<'r, 'a> Output<'r, 'a> {
    pub(crate) fn new(running: &'r Running<'a>, is_colored: bool) -> Self {
        Self { running, data: Vec::new(), is_colored }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        if self.data.len() + bytes.len() > BUFFER {
            self.flush()?;
            if bytes.len() > BUFFER {
                return self.running.write(bytes);
            }
        }
        self.data.extend_from_slice(bytes);
        Ok(())
    }

    /// Writes in a colour, if there are colours.
    pub(crate) fn colored(&mut self, color: &str, bytes: &[u8]) -> Result<(), Failure> {
        if !self.is_colored {
            return self.push(bytes);
        }
        self.push(format!("\x1b[{color}m\x1b[K").as_bytes())?;
        self.push(bytes)?;
        self.push(b"\x1b[m\x1b[K")
    }

    pub(crate) fn byte(&mut self, byte: u8) -> Result<(), Failure> {
        self.push(&[byte])
    }

    pub(crate) fn number(&mut self, mut number: u64) -> Result<(), Failure> {
        let mut digits = [0; 20];
        let mut at = digits.len();
        loop {
            at -= 1;
            if let (Some(digit), Ok(low)) = (digits.get_mut(at), u8::try_from(number % 10)) {
                *digit = b'0' + low;
            }
            number /= 10;
            if number == 0 {
                break;
            }
        }
        self.colored(NUMBER, digits.get(at..).unwrap_or_default())
    }

    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        let written = self.running.write(&self.data);
        self.data.clear();
        written
    }
}
