//! The options of the declaration utilities.

use hookshell_utility::Args;

use super::Kind;
use crate::declaration::attribute;
use crate::interpreter::builtins::help;
use crate::shell::Shell;
use crate::vars::Attributes;

/// What the options ask for.
#[derive(Default)]
pub(super) struct Request {
    pub(super) set: Attributes,
    pub(super) clear: Attributes,
    pub(super) indexed: bool,
    pub(super) associative: bool,
    /// `+a`, `+A`: an error where the variable is such an array.
    pub(super) not_indexed: bool,
    pub(super) not_associative: bool,
    pub(super) functions: bool,
    pub(super) names_only: bool,
    pub(super) print: bool,
    pub(super) global: bool,
    pub(super) inherit: bool,
    pub(super) unset_function_flags: bool,
}

impl Request {
    /// Is nothing asked for that chooses among variables?
    pub(super) fn is_plain(&self) -> bool {
        !self.indexed && !self.associative && self.set == Attributes::default()
    }

    /// -l and -u together are neither.
    fn settle_case(&mut self) {
        if self.set.has(Attributes::LOWER) && self.set.has(Attributes::UPPER) {
            self.set = self.set.with(Attributes::LOWER, false).with(Attributes::UPPER, false);
        }
    }
}

/// What the options before a list ask for. Those that there are not, and those of functions, are the built-in's to refuse.
pub(super) fn of_lists(args: &Args, kind: Kind) -> Request {
    let mut request = Request::default();
    for word in args.iter_from(1) {
        let (on, letters) = match word {
            [b'-', letters @ ..] if !letters.is_empty() && word != b"--" => (true, letters),
            [b'+', letters @ ..] if !letters.is_empty() => (false, letters),
            _ => break,
        };
        for &letter in letters {
            match letter {
                b'a' if on => request.indexed = true,
                b'A' if on => request.associative = true,
                _ if matches!(kind, Kind::Export | Kind::Readonly) => {}
                b'a' => request.not_indexed = true,
                b'A' => request.not_associative = true,
                b'g' => request.global = on,
                b'I' => request.inherit = true,
                _ => match attribute(letter) {
                    Some(attribute) if on => request.set = request.set.union(attribute),
                    Some(attribute) => request.clear = request.clear.union(attribute),
                    None => {}
                },
            }
        }
    }
    request.settle_case();
    request
}

/// Reads the options of any of the built-ins; gives the place of the first operand too.
pub(super) fn request(shell: &mut Shell, args: &Args, kind: Kind) -> Result<(Request, usize), u8> {
    let allowed: &[u8] = match kind {
        Kind::Declare => b"aAfFgiIlnprtuxc",
        Kind::Local => b"aAfFgiIlnprtuxc",
        // bash takes -a and -A for `export`, and -n for `readonly`, and does not name them.
        Kind::Export => b"aAfnp",
        Kind::Readonly => b"aAfnp",
    };
    let mut request = Request::default();
    // `readonly -n` makes nothing read-only.
    let mut is_plain = false;
    let mut index = 1;
    while let Some(word) = args.get(index) {
        let (on, letters) = match word {
            b"--" => {
                index += 1;
                break;
            }
            [b'-', letters @ ..] if !letters.is_empty() => (true, letters),
            [b'+', letters @ ..] if !letters.is_empty() && matches!(kind, Kind::Declare | Kind::Local) => {
                (false, letters)
            }
            _ => break,
        };
        for &letter in letters {
            if !allowed.contains(&letter) {
                let sign = if on { b'-' } else { b'+' };
                return Err(help::invalid_option(shell, &args[0], &[sign, letter]));
            }
            match (kind, letter) {
                (Kind::Export, b'n') => {
                    request.clear = request.clear.union(Attributes::EXPORT);
                    request.unset_function_flags = true;
                }
                (Kind::Readonly, b'n') => is_plain = true,
                (_, b'a') if on => request.indexed = true,
                (_, b'a') => request.not_indexed = true,
                (_, b'A') if on => request.associative = true,
                (_, b'A') => request.not_associative = true,
                (_, b'f') => request.functions = true,
                (_, b'F') => {
                    request.functions = true;
                    request.names_only = true;
                }
                (_, b'p') => request.print = true,
                (_, b'g') => request.global = on,
                (_, b'I') => request.inherit = true,
                (_, letter) => {
                    let Some(attribute) = attribute(letter) else { continue };
                    if on {
                        request.set = request.set.union(attribute);
                    } else {
                        request.clear = request.clear.union(attribute);
                    }
                }
            }
        }
        index += 1;
    }
    match kind {
        Kind::Export if !request.clear.has(Attributes::EXPORT) => request.set = Attributes::EXPORT,
        Kind::Readonly if !is_plain => request.set = Attributes::READONLY,
        _ => {}
    }
    request.settle_case();
    Ok((request, index))
}
