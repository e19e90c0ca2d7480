//! What grep writes.

use hookshell_utility::io::{BUFFER, Failure, Running};

use super::colors::{Colors, Part};

/// Standard output in blocks.
pub(crate) struct Output<'r, 'a> {
    running: &'r Running<'a>,
    data: Vec<u8>,
    /// `None`: nothing is coloured.
    pub(crate) colors: Option<Colors>,
}

impl<'r, 'a> Output<'r, 'a> {
    pub(crate) fn new(running: &'r Running<'a>, colors: Option<Colors>) -> Self {
        Self { running, data: Vec::new(), colors }
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

    /// Writes in the colour of a part, if there are colours.
    pub(crate) fn colored(&mut self, part: Part, bytes: &[u8]) -> Result<(), Failure> {
        self.begin(part)?;
        self.push(bytes)?;
        let end = self.colors.as_ref().map(|colors| colors.end(part));
        self.push(end.unwrap_or_default().as_bytes())
    }

    /// Begins the colour of a part, if it has one.
    pub(crate) fn begin(&mut self, part: Part) -> Result<(), Failure> {
        let start = self.colors.as_ref().map(|colors| colors.start(part));
        self.push(start.unwrap_or_default().as_bytes())
    }

    pub(crate) fn byte(&mut self, byte: u8) -> Result<(), Failure> {
        self.push(&[byte])
    }

    pub(crate) fn number(&mut self, part: Part, mut number: u64) -> Result<(), Failure> {
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
        self.colored(part, digits.get(at..).unwrap_or_default())
    }

    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        let written = self.running.write(&self.data);
        self.data.clear();
        written
    }
}
