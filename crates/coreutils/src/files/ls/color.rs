//! Colours: `--color` and LS_COLORS.

use hookshell_files::file_stat::{BLOCK, CHARACTER, DIRECTORY, FIFO, FileStat, LINK, REGULAR, SOCKET};
use hookshell_text::pattern::{Options, matches};
use hookshell_utility::Environment;

use super::entry::Entry;

/// When names are coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    Never,
    AtTerminal,
    Always,
}

/// The labels of LS_COLORS, each with GNU's default.
const KINDS: [(&str, Option<&str>); 24] = [
    ("lc", Some("\x1b[")),
    ("rc", Some("m")),
    ("ec", None),
    ("rs", Some("0")),
    ("no", None),
    ("fi", None),
    ("di", Some("01;34")),
    ("ln", Some("01;36")),
    ("pi", Some("33")),
    ("so", Some("01;35")),
    ("bd", Some("01;33")),
    ("cd", Some("01;33")),
    ("mi", None),
    ("or", None),
    ("ex", Some("01;32")),
    ("do", Some("01;35")),
    ("su", Some("37;41")),
    ("sg", Some("30;43")),
    ("st", Some("37;44")),
    ("ow", Some("34;42")),
    ("tw", Some("30;42")),
    ("ca", None),
    ("mh", None),
    ("cl", Some("\x1b[K")),
];

/// Terminals that show colours, as far as their names say so (`dircolors`).
const TERMINALS: [&str; 25] = [
    "Eterm",
    "ansi",
    "*color*",
    "con[0-9]*x[0-9]*",
    "cons25",
    "console",
    "cygwin",
    "*direct*",
    "dtterm",
    "gnome",
    "hurd",
    "jfbterm",
    "konsole",
    "kterm",
    "linux",
    "linux-c",
    "mlterm",
    "putty",
    "rxvt*",
    "screen*",
    "st",
    "terminator",
    "tmux*",
    "vt100",
    "xterm*",
];

/// The colours of a listing.
#[derive(Debug)]
pub(super) struct Colors {
    kinds: Vec<Option<Vec<u8>>>,
    /// Ends of names, the last one that was given first.
    ends: Vec<(Vec<u8>, Vec<u8>)>,
    /// A colour was written.
    used: bool,
    /// The listing asks what links lead to, where the colours do not.
    pub(super) follows: bool,
    pub(super) is_long: bool,
}

/// A colour that a name has.
pub(super) type Color = Vec<u8>;

impl Colors {
    /// The colours that the environment asks for; `None`: the terminal has none, or LS_COLORS is wrong, of which `complain` is told.
    pub(super) fn of(env: &Environment, mut complain: impl FnMut(&[u8])) -> Option<Self> {
        let variable = |wanted: &str| {
            let found = env.iter().find(|(name, _)| *name == wanted);
            found.map(|(_, value)| hookshell_process::text::from_os(value).into_owned()).unwrap_or_default()
        };
        let kinds = KINDS.iter().map(|(_, value)| value.map(|value| value.as_bytes().to_vec())).collect();
        let mut colors = Self { kinds, ends: Vec::new(), used: false, follows: false, is_long: false };
        let given = variable("LS_COLORS");
        if given.is_empty() {
            let (terminal, options) = (variable("TERM"), Options { extglob: false, nocase: false, bytes: false });
            let is_known = TERMINALS.iter().any(|pattern| matches(pattern.as_bytes(), &terminal, options));
            return (is_known || !variable("COLORTERM").is_empty()).then_some(colors);
        }
        let mut rest = &given[..];
        loop {
            match rest {
                [] => return Some(colors),
                [b':', after @ ..] => rest = after,
                [b'*', after @ ..] => {
                    rest = after;
                    let color = string(&mut rest, true).filter(|_| take(&mut rest, b'=')).and_then(|end| {
                        let color = string(&mut rest, false)?;
                        Some((end, color))
                    });
                    let Some(color) = color else { break };
                    colors.ends.insert(0, color);
                }
                [first, second, b'=', after @ ..] => {
                    let label = [*first, *second];
                    rest = after;
                    let at = KINDS.iter().position(|(known, _)| known.as_bytes() == label);
                    let kind = at.and_then(|at| colors.kinds.get_mut(at));
                    let (Some(kind), Some(color)) = (kind, string(&mut rest, false)) else {
                        complain(&[b"unrecognized prefix: ", &hookshell_utility::quote::locale(&label)[..]].concat());
                        break;
                    };
                    *kind = Some(color);
                }
                _ => break,
            }
        }
        complain(b"unparsable value for LS_COLORS environment variable");
        None
    }

    fn get(&self, label: &str) -> Option<&Vec<u8>> {
        let at = KINDS.iter().position(|(known, _)| *known == label)?;
        self.kinds.get(at)?.as_ref()
    }

    /// Has the label a colour that can be seen?
    fn shows(&self, label: &str) -> bool {
        self.get(label).is_some_and(|color| !matches!(&color[..], b"" | b"0" | b"00"))
    }

    /// Links have the colours of what they lead to.
    fn sees_through_links(&self) -> bool {
        self.get("ln").is_some_and(|color| color == b"target")
    }

    /// The colour of an entry, or of what its link leads to.
    pub(super) fn color(&self, entry: &Entry, is_target: bool) -> Option<Color> {
        let (mut name, mut stat) = (&entry.name, Some(&entry.stat));
        let mut is_dangling = false;
        // GNU's asks only where it has to; what it has not asked for is not there.
        let asks = self.follows
            || self.shows("or")
            || self.shows("ex") && self.sees_through_links()
            || self.shows("mi") && self.is_long;
        if let Some((target, leads_to)) = &entry.target {
            let leads_to = leads_to.as_ref().filter(|_| asks);
            is_dangling = leads_to.is_none();
            if is_target {
                (name, stat) = (target, leads_to);
            } else if self.sees_through_links() && leads_to.is_some() {
                stat = leads_to;
            }
        }
        let label = match stat {
            None if self.shows("mi") => "mi",
            None => "or",
            Some(stat) => self.label(stat),
        };
        if label == "fi"
            && let Some((_, color)) = self.ends.iter().find(|(end, _)| {
                name.len()
                    .checked_sub(end.len())
                    .and_then(|at| name.get(at..))
                    .is_some_and(|last| last.eq_ignore_ascii_case(end))
            })
        {
            return Some(color.clone());
        }
        let is_orphan = label == "ln" && is_dangling && (self.sees_through_links() || self.shows("or"));
        self.get(if is_orphan { "or" } else { label }).cloned()
    }

    fn label(&self, stat: &FileStat) -> &'static str {
        let mode = stat.mode;
        match stat.kind() {
            REGULAR if mode & 0o4000 != 0 && self.shows("su") => "su",
            REGULAR if mode & 0o2000 != 0 && self.shows("sg") => "sg",
            REGULAR if mode & 0o111 != 0 && self.shows("ex") => "ex",
            REGULAR if stat.links > 1 && self.shows("mh") => "mh",
            REGULAR => "fi",
            DIRECTORY if mode & 0o1002 == 0o1002 && self.shows("tw") => "tw",
            DIRECTORY if mode & 0o002 != 0 && self.shows("ow") => "ow",
            DIRECTORY if mode & 0o1000 != 0 && self.shows("st") => "st",
            DIRECTORY => "di",
            LINK => "ln",
            FIFO => "pi",
            SOCKET => "so",
            BLOCK => "bd",
            CHARACTER => "cd",
            _ => "or",
        }
    }

    fn put(&mut self, label: &str, out: &mut Vec<u8>) {
        let text = self.get(label).cloned().unwrap_or_default();
        self.write(&text, out);
    }

    /// Before the first colour all is set back.
    fn write(&mut self, text: &[u8], out: &mut Vec<u8>) {
        if !std::mem::replace(&mut self.used, true) {
            self.end(out);
        }
        out.extend_from_slice(text);
    }

    /// After a name.
    fn end(&mut self, out: &mut Vec<u8>) {
        if self.get("ec").is_some() {
            return self.put("ec", out);
        }
        for label in ["lc", "rs", "rc"] {
            self.put(label, out);
        }
    }

    /// The colour of all that has none, before a line or an entry of one.
    pub(super) fn start(&mut self, out: &mut Vec<u8>) {
        if self.shows("no") {
            for label in ["lc", "no", "rc"] {
                self.put(label, out);
            }
        }
    }

    /// Writes a name, with what makes a link of it, which begins at a column of a line that is so wide (0: without end).
    pub(super) fn name(
        &mut self,
        (name, address): (&[u8], Option<&[u8]>),
        color: Option<&Color>,
        column: usize,
        width: usize,
        out: &mut Vec<u8>,
    ) {
        if let Some(color) = color {
            if self.shows("no") {
                self.put("lc", out);
                self.put("rc", out);
            }
            self.put("lc", out);
            self.write(color, out);
            self.put("rc", out);
        }
        put_linked(name, address, out);
        if color.is_some() || self.shows("no") {
            self.end(out);
            // A background would be drawn to the end of a line that the name goes over.
            if width > 0 && column / width != (column + name.len()).saturating_sub(1) / width {
                self.put("cl", out);
            }
        }
    }

    /// After the listing.
    pub(super) fn finish(&mut self, out: &mut Vec<u8>) {
        let is_usual =
            self.get("lc").is_some_and(|left| left == b"\x1b[") && self.get("rc").is_some_and(|right| right == b"m");
        if self.used && !is_usual {
            self.put("lc", out);
            self.put("rc", out);
        }
    }
}

/// A name that is a link to an address for terminals that have links.
pub(super) fn put_linked(name: &[u8], address: Option<&[u8]>, out: &mut Vec<u8>) {
    match address {
        None => out.extend_from_slice(name),
        Some(address) => {
            for part in [b"\x1b]8;;", address, b"\x07", name, b"\x1b]8;;\x07"] {
                out.extend_from_slice(part);
            }
        }
    }
}

fn take(rest: &mut &[u8], byte: u8) -> bool {
    match rest.split_first() {
        Some((first, after)) if *first == byte => {
            *rest = after;
            true
        }
        _ => false,
    }
}

/// A text of LS_COLORS up to `:`, or also to `=`, with its escapes resolved. `None`: it is wrong.
fn string(rest: &mut &[u8], ends_at_equals: bool) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    while let Some((&byte, after)) = rest.split_first() {
        match byte {
            b':' => break,
            b'=' if ends_at_equals => break,
            b'\\' => {
                let (&letter, after) = after.split_first()?;
                *rest = after;
                out.push(match letter {
                    b'0'..=b'7' => digits(rest, u32::from(letter - b'0'), 8),
                    b'x' | b'X' => digits(rest, 0, 16),
                    b'a' => 7,
                    b'b' => 8,
                    b'e' => 27,
                    b'f' => 12,
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'v' => 11,
                    b'?' => 127,
                    b'_' => b' ',
                    other => other,
                });
            }
            b'^' => {
                let (&letter, after_letter) = after.split_first()?;
                match letter {
                    b'@'..=b'~' => {
                        out.push(letter & 0x1f);
                        *rest = after_letter;
                    }
                    // GNU's leaves the question mark to be read again.
                    b'?' => {
                        out.push(127);
                        *rest = after;
                    }
                    _ => return None,
                }
            }
            _ => {
                out.push(byte);
                *rest = after;
            }
        }
    }
    Some(out)
}

/// A number of any length, of which eight bits count.
fn digits(rest: &mut &[u8], mut number: u32, radix: u32) -> u8 {
    while let Some((digit, after)) =
        rest.split_first().and_then(|(byte, after)| Some((char::from(*byte).to_digit(radix)?, after)))
    {
        number = (number * radix + digit) & 0xff;
        *rest = after;
    }
    let [.., byte] = number.to_be_bytes();
    byte
}
