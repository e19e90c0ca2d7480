//! What grep writes.

use crate::io::{BUFFER, Failure, Running};

/// Standard output in blocks.
pub(crate) struct Output<'r, 'a> {
    running: &'r Running<'a>,
    data: Vec<u8>,
}

impl<'r, 'a> Output<'r, 'a> {
    pub(crate) fn new(running: &'r Running<'a>) -> Self {
        Self { running, data: Vec::new() }
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
        self.push(digits.get(at..).unwrap_or_default())
    }

    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        let written = self.running.write(&self.data);
        self.data.clear();
        written
    }
}
