//! `uuidgen`: a new UUID, or that of a name.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{OptionSpec, flag, parse, value};
use hookshell_utility::quote;
use hookshell_utility::random::Unforeseen;
use hookshell_utility::utility;
use hookshell_utility::{Unsupported, UtilityCall};
use sha2::Digest;

utility! {
    /// `uuidgen [-r | -t]`, `uuidgen -m|-s -n NAMESPACE -N NAME [-x]` (util-linux): RFC 4122's versions 4, 1, 3 and 5.
    Uuidgen, "uuidgen"
}

const OPTIONS: &[OptionSpec] = &[
    flag(b'r', "random"),
    flag(b't', "time"),
    value(b'n', "namespace"),
    value(b'N', "name"),
    flag(b'm', "md5"),
    flag(b's', "sha1"),
    flag(b'x', "hex"),
];

/// What the UUID comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Random,
    Time,
    Md5,
    Sha1,
}

struct Command<'a> {
    kind: Kind,
    namespace: Option<&'a [u8]>,
    name: Option<&'a [u8]>,
    hexadecimal: bool,
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let parsed = parse(call.argv, OPTIONS)?;
    let mut kinds = parsed.options.iter().filter_map(|(letter, _)| match letter {
        b'r' => Some(Kind::Random),
        b't' => Some(Kind::Time),
        b'm' => Some(Kind::Md5),
        b's' => Some(Kind::Sha1),
        _ => None,
    });
    Ok(Command {
        kind: kinds.next_back().unwrap_or(Kind::Random),
        namespace: parsed.last(b'n'),
        name: parsed.last(b'N'),
        hexadecimal: parsed.has(b'x'),
    })
}

/// RFC 4122's namespaces, by their aliases; otherwise a UUID as text.
fn namespace(text: &[u8]) -> Option<[u8; 16]> {
    let text = match text {
        b"@dns" => b"6ba7b810-9dad-11d1-80b4-00c04fd430c8",
        b"@url" => b"6ba7b811-9dad-11d1-80b4-00c04fd430c8",
        b"@oid" => b"6ba7b812-9dad-11d1-80b4-00c04fd430c8",
        b"@x500" => b"6ba7b814-9dad-11d1-80b4-00c04fd430c8",
        text => text,
    };
    if text.len() != 36 || [8, 13, 18, 23].iter().any(|at| text.get(*at) != Some(&b'-')) {
        return None;
    }
    let digits: Vec<u8> = text.iter().copied().filter(|byte| *byte != b'-').collect();
    bytes_of(&digits)
}

/// The bytes of so many hexadecimal digits.
fn bytes_of(digits: &[u8]) -> Option<[u8; 16]> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let mut id = [0; 16];
    if digits.len() != 32 {
        return None;
    }
    for (byte, pair) in id.iter_mut().zip(digits.chunks(2)) {
        *byte = match pair {
            [high, low] => digit(*high)? * 16 + digit(*low)?,
            _ => return None,
        };
    }
    Some(id)
}

/// With the version, and the variant of RFC 4122.
fn marked(id: u128, version: u128) -> u128 {
    (id & !(0xf << 76) & !(0b11 << 62)) | (version << 76) | (0b10 << 62)
}

/// 128 bits that nobody knows.
fn random() -> u128 {
    let half = |at: usize| u128::from(Unforeseen::new().at(at));
    (half(0) << 64) | half(1)
}

/// Version 1 with a random node, which has the bit that no network card has.
fn of_time(random: u128) -> u128 {
    /// From 1582-10-15 to 1970-01-01.
    const GREGORIAN: Duration = Duration::from_secs(12_219_292_800);
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default() + GREGORIAN;
    let ticks = since.as_nanos() / 100;
    let time = ((ticks & 0xffff_ffff) << 96) | (((ticks >> 32) & 0xffff) << 80) | (((ticks >> 48) & 0xfff) << 64);
    let clock_and_node = (random & 0xffff_ffff_ffff_ffff) | (1 << 40);
    marked(time | clock_and_node, 1)
}

fn of_name(digest: &[u8], version: u128) -> u128 {
    marked(digest.iter().take(16).fold(0, |id: u128, byte| (id << 8) | u128::from(*byte)), version)
}

fn show(id: u128) -> String {
    let digits = format!("{id:032x}");
    let part = |from: usize, to: usize| digits.get(from..to).unwrap_or_default();
    format!("{}-{}-{}-{}-{}\n", part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32))
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let is_of_name = matches!(command.kind, Kind::Md5 | Kind::Sha1);
    let (space, name) = match (command.namespace, command.name) {
        (Some(space), Some(name)) if is_of_name => (space, name),
        (Some(_), Some(_)) => return running.usage(b"--namespace requires --md5 or --sha1"),
        (Some(_), None) => return running.usage(b"--namespace requires --name argument"),
        (None, Some(_)) => return running.usage(b"--name requires --namespace argument"),
        (None, None) if is_of_name => return running.usage(b"--md5 or --sha1 requires --namespace argument"),
        (None, None) => {
            let id = if command.kind == Kind::Time { of_time(random()) } else { marked(random(), 4) };
            running.write(show(id).as_bytes())?;
            return Ok(0);
        }
    };
    let Some(namespace) = namespace(space) else {
        let what: &[u8] =
            if space.first() == Some(&b'@') { b"unknown namespace alias: " } else { b"invalid uuid for namespace: " };
        return running.usage(&[what, &quote::always(space)].concat());
    };
    let name = match command.hexadecimal {
        false => Some(name.to_vec()),
        true => unhex(name),
    };
    let Some(name) = name else { return running.usage(b"not a valid hex string") };
    let text = [&namespace[..], &name].concat();
    let id = match command.kind {
        Kind::Md5 => of_name(&md5::Md5::digest(&text), 3),
        _ => of_name(&sha1::Sha1::digest(&text), 5),
    };
    running.write(show(id).as_bytes())?;
    Ok(0)
}

fn unhex(text: &[u8]) -> Option<Vec<u8>> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    text.chunks(2)
        .map(|pair| match pair {
            [high, low] => u8::try_from(digit(high)? * 16 + digit(low)?).ok(),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{marked, of_time, random, show};

    #[test]
    fn versions_and_variants_are_marked() {
        for (id, version, expected) in [
            (0, 4, "00000000-0000-4000-8000-000000000000\n"),
            (u128::MAX, 4, "ffffffff-ffff-4fff-bfff-ffffffffffff\n"),
            (u128::MAX, 5, "ffffffff-ffff-5fff-bfff-ffffffffffff\n"),
        ] {
            assert_eq!(show(marked(id, version)), expected);
        }
        assert!(show(of_time(0)).ends_with("-8000-010000000000\n"), "{}", show(of_time(0)));
        assert_ne!(random(), random());
    }
}
