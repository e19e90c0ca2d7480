//! `base64`, `base32`, `basenc`: bytes as text in one of several encodings (RFC 4648, ZeroMQ's Z85), and back.

use hookshell_utility::input::Input;
use hookshell_utility::io::{Failure, Running, reason};
use hookshell_utility::options::{OptionSpec, flag, parse, value};
use hookshell_utility::output::Output;
use hookshell_utility::prepare;
use hookshell_utility::quote;
use hookshell_utility::{Prepared, Unsupported, Utility, UtilityCall};

/// `base64 [-di] [-w COLUMNS] [FILE]`, `base32 …`, `basenc ENCODING …` (GNU's).
pub(crate) struct BaseN {
    name: &'static str,
    /// What the name stands for; `None`: an option says it.
    encoding: Option<&'static Encoding>,
}

impl BaseN {
    pub(crate) const BASE64: Self = Self { name: "base64", encoding: Some(&BASE64) };
    pub(crate) const BASE32: Self = Self { name: "base32", encoding: Some(&BASE32) };
    pub(crate) const BASENC: Self = Self { name: "basenc", encoding: None };
}

/// How bytes are written as letters.
struct Encoding {
    /// The letter of each value.
    alphabet: &'static [u8],
    /// Bytes of a group, and the letters they become.
    bytes: usize,
    letters: usize,
    /// A group that is not full is filled up with `=`.
    pads: bool,
    /// The lowest bit of a byte comes first.
    reversed: bool,
}

static BASE64: Encoding = Encoding {
    alphabet: b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    bytes: 3,
    letters: 4,
    pads: true,
    reversed: false,
};
static BASE64URL: Encoding =
    Encoding { alphabet: b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", ..BASE64 };
static BASE32: Encoding =
    Encoding { alphabet: b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", bytes: 5, letters: 8, pads: true, reversed: false };
static BASE32HEX: Encoding = Encoding { alphabet: b"0123456789ABCDEFGHIJKLMNOPQRSTUV", ..BASE32 };
static BASE16: Encoding =
    Encoding { alphabet: b"0123456789ABCDEF", bytes: 1, letters: 2, pads: false, reversed: false };
static BASE2MSBF: Encoding = Encoding { alphabet: b"01", bytes: 1, letters: 8, pads: false, reversed: false };
static BASE2LSBF: Encoding = Encoding { reversed: true, ..BASE2MSBF };
static Z85: Encoding = Encoding {
    alphabet: b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#",
    bytes: 4,
    letters: 5,
    pads: false,
    reversed: false,
};

/// The most letters and bytes of a group.
const LETTERS: usize = 8;
const BYTES: usize = 5;

const OPTIONS: &[OptionSpec] = &[flag(b'd', "decode"), flag(b'i', "ignore-garbage"), value(b'w', "wrap")];

const FIRST: u8 = hookshell_utility::options::LONG_ONLY;
const OPTIONS_OF_BASENC: &[OptionSpec] = &[
    flag(b'd', "decode"),
    flag(b'i', "ignore-garbage"),
    value(b'w', "wrap"),
    flag(FIRST, "base64"),
    flag(FIRST + 1, "base64url"),
    flag(FIRST + 2, "base32"),
    flag(FIRST + 3, "base32hex"),
    flag(FIRST + 4, "base16"),
    flag(FIRST + 5, "base2msbf"),
    flag(FIRST + 6, "base2lsbf"),
    flag(FIRST + 7, "z85"),
];

/// In the order of the options.
static ENCODINGS: [&Encoding; 8] = [&BASE64, &BASE64URL, &BASE32, &BASE32HEX, &BASE16, &BASE2MSBF, &BASE2LSBF, &Z85];

struct Command<'a> {
    encoding: &'static Encoding,
    decode: bool,
    ignore_garbage: bool,
    /// 0: no line breaks.
    wrap: usize,
    file: &'a [u8],
}

impl BaseN {
    fn read<'a>(&self, call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
        let parsed = parse(call.argv, if self.encoding.is_some() { OPTIONS } else { OPTIONS_OF_BASENC })?;
        if parsed.operands.len() > 1 {
            return Err(Unsupported::mistake("several files"));
        }
        let chosen = parsed.options.iter().rev().find_map(|(letter, _)| letter.checked_sub(FIRST));
        let chosen = chosen.and_then(|at| ENCODINGS.get(usize::from(at)).copied());
        let encoding = self.encoding.or(chosen).ok_or_else(|| Unsupported::mistake("no encoding"))?;
        let wrap = match parsed.last(b'w') {
            None => 76,
            Some(text) => std::str::from_utf8(text)
                .ok()
                .filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))
                // Lines that long are one line.
                .and_then(|text| if text.is_empty() { None } else { Some(text.parse().unwrap_or(0)) })
                .ok_or_else(|| Unsupported::mistake(format!("the width {}", text.escape_ascii())))?,
        };
        Ok(Command {
            encoding,
            decode: parsed.has(b'd'),
            ignore_garbage: parsed.has(b'i'),
            wrap,
            file: parsed.operands.first().copied().unwrap_or(b"-"),
        })
    }
}

impl Utility for BaseN {
    fn name(&self) -> &'static str {
        self.name
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare(self.name, call, |call| self.read(call), run)
    }
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let source = match running.open(command.file)? {
        Ok(source) => source,
        Err(error) => {
            running.report_error(&quote::if_needed(command.file), &error)?;
            return Ok(1);
        }
    };
    let mut input = Input::new(source);
    let mut out = Output::new(running);
    let wrong = if command.decode {
        let valid = decode(command.encoding, &mut input, &mut out, command.ignore_garbage)?;
        (!valid).then_some(&b"invalid input"[..])
    } else {
        let complete = encode(command.encoding, &mut input, &mut out, command.wrap)?;
        (!complete).then_some(&b"invalid input (length must be multiple of 4 characters)"[..])
    };
    if let Some(error) = &input.error {
        out.message(format!("read error: {}", reason(error)).as_bytes())?;
        return Ok(1);
    }
    if let Some(message) = wrong {
        out.message(message)?;
        return Ok(1);
    }
    out.flush()?;
    Ok(0)
}

impl Encoding {
    /// Is it Z85, whose letters are no fixed number of bits?
    fn is_z85(&self) -> bool {
        self.alphabet.len() == 85
    }

    /// Bits of a letter.
    fn bits(&self) -> usize {
        self.bytes * 8 / self.letters
    }

    /// The letters that a group begins with which has so many bytes.
    fn letters_of(&self, bytes: usize) -> usize {
        (bytes * 8).div_ceil(self.bits())
    }

    fn letter(&self, value: u64) -> u8 {
        usize::try_from(value).ok().and_then(|at| self.alphabet.get(at)).copied().unwrap_or(b'=')
    }

    /// Appends the letters of these bytes, of which the last group is filled up where it is not full.
    fn encode(&self, bytes: &[u8], letters: &mut Vec<u8>) {
        let radix = self.alphabet.len() as u64;
        let bits = self.bits();
        for group in bytes.chunks(self.bytes) {
            let byte = |byte: u8| u64::from(if self.reversed { byte.reverse_bits() } else { byte });
            let number = group.iter().fold(0, |number, &own| number << 8 | byte(own));
            if group.len() == self.bytes && !self.is_z85() {
                letters.extend((0..self.letters).rev().map(|at| self.letter((number >> (at * bits)) & (radix - 1))));
                continue;
            }
            let mut number = number << (8 * (self.bytes - group.len()));
            let used = if group.len() == self.bytes { self.letters } else { self.letters_of(group.len()) };
            let first = letters.len();
            letters.resize(first + self.letters, b'=');
            for (at, letter) in letters.iter_mut().skip(first).enumerate().rev() {
                if at < used {
                    *letter = self.letter(number % radix);
                }
                number /= radix;
            }
        }
    }

    /// The value of each letter.
    fn values(&self) -> [Option<u8>; 256] {
        let mut values = [None; 256];
        for (value, letter) in (0..).zip(self.alphabet) {
            if let Some(entry) = values.get_mut(usize::from(*letter)) {
                *entry = Some(value);
            }
        }
        values
    }

    /// Letters of a group, fewer at the end of the input: how many bytes they give, and whether they are complete and
    /// valid.
    fn decode_group(&self, group: &[u8], values: &[Option<u8>; 256], bytes: &mut [u8; BYTES]) -> (usize, bool) {
        // GNU's base64 writes what an incomplete group has; the others do not.
        if group.len() < self.letters && self.letters != BASE64.letters {
            return (0, false);
        }
        let letter = |at: usize| group.get(at).copied();
        let value = |at: usize| letter(at).and_then(|byte| values.get(usize::from(byte)).copied().flatten());
        if self.is_z85() {
            let number = (0..self.letters).try_fold(0_u64, |number, at| Some(number * 85 + u64::from(value(at)?)));
            let Some(number) = number.and_then(|number| u32::try_from(number).ok()) else { return (0, false) };
            bytes.iter_mut().zip(number.to_be_bytes()).for_each(|(byte, own)| *byte = own);
            return (4, true);
        }
        let (mut number, mut have) = (0_u64, 0);
        for (at, byte) in bytes.iter_mut().enumerate().take(self.bytes) {
            let needed = self.letters_of(at + 1);
            if at > 0 && self.pads && letter(have) == Some(b'=') {
                return (at, (have..self.letters).all(|at| letter(at) == Some(b'=')));
            }
            while have < needed {
                let Some(value) = value(have) else { return (at, false) };
                number = number << self.bits() | u64::from(value);
                have += 1;
            }
            let low = have * self.bits() - (at + 1) * 8;
            *byte = (number >> low) as u8;
            if self.reversed {
                *byte = byte.reverse_bits();
            }
        }
        (self.bytes, true)
    }
}

/// Encodes; `false` where Z85 cannot, because bytes are missing in the last group.
fn encode(encoding: &Encoding, input: &mut Input, out: &mut Output<'_, '_>, wrap: usize) -> Result<bool, Failure> {
    /// What GNU's encodes at once: a multiple of all groups. Of a piece with an error it writes nothing.
    const PIECE: usize = 30 * 1024;
    let running = out.running();
    let mut column = 0;
    let mut any = false;
    let mut letters = Vec::new();
    loop {
        let block = input.at_least(running, PIECE)?;
        let piece = block.get(..PIECE).unwrap_or(block);
        if piece.is_empty() {
            break;
        }
        if encoding.is_z85() && !piece.len().is_multiple_of(encoding.bytes) {
            return Ok(false);
        }
        any = true;
        letters.clear();
        encoding.encode(piece, &mut letters);
        let mut rest = &*letters;
        while wrap > 0 && rest.len() > wrap - column {
            let (now, later) = rest.split_at(wrap - column);
            out.push(now)?;
            out.byte(b'\n')?;
            column = 0;
            rest = later;
        }
        out.push(rest)?;
        column += rest.len();
        let used = piece.len();
        input.consume(used);
    }
    if any && wrap > 0 {
        out.byte(b'\n')?;
    }
    Ok(true)
}

/// Decodes; `false` where the input is not valid: what comes before that is written.
fn decode(
    encoding: &Encoding,
    input: &mut Input,
    out: &mut Output<'_, '_>,
    ignore_garbage: bool,
) -> Result<bool, Failure> {
    let running = out.running();
    let values = encoding.values();
    let is_letter = |byte: u8| values.get(usize::from(byte)).copied().flatten().is_some();
    let is_url = encoding.alphabet == BASE64URL.alphabet;
    let mut group = [0; LETTERS];
    let mut length = 0;
    loop {
        let block = input.block(running)?;
        if block.is_empty() {
            break;
        }
        // GNU's looks for these before it decodes.
        if is_url && !ignore_garbage && block.iter().any(|byte| matches!(byte, b'+' | b'/')) {
            return Ok(false);
        }
        for &byte in block {
            if byte == b'\n' || (ignore_garbage && !(encoding.pads && byte == b'=') && !is_letter(byte)) {
                continue;
            }
            if let Some(place) = group.get_mut(length) {
                *place = byte;
            }
            length += 1;
            if length == encoding.letters {
                length = 0;
                let mut bytes = [0; BYTES];
                let letters = group.get(..encoding.letters).unwrap_or_default();
                let (count, valid) = encoding.decode_group(letters, &values, &mut bytes);
                out.push(bytes.get(..count).unwrap_or_default())?;
                if !valid {
                    return Ok(false);
                }
            }
        }
        let used = block.len();
        input.consume(used);
    }
    if length == 0 {
        return Ok(true);
    }
    let mut bytes = [0; BYTES];
    let (count, _) = encoding.decode_group(group.get(..length).unwrap_or_default(), &values, &mut bytes);
    out.push(bytes.get(..count).unwrap_or_default())?;
    Ok(false)
}
