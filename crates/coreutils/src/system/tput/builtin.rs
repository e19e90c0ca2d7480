//! Descriptions for systems without a database: the terminals that Windows has.
#![cfg_attr(not(any(windows, test)), allow(dead_code, reason = "other systems have a database"))]

use super::description::Description;

const FLAGS: [&str; 9] = ["am", "bce", "km", "mc5i", "mir", "msgr", "npc", "xenl", "ccc"];

/// What a script uses to write; keys are not here.
const STRINGS: [(&str, &str); 55] = [
    ("bel", "\x07"),
    ("blink", "\x1b[5m"),
    ("bold", "\x1b[1m"),
    ("cbt", "\x1b[Z"),
    ("civis", "\x1b[?25l"),
    ("clear", "\x1b[H\x1b[2J"),
    ("cnorm", "\x1b[?12l\x1b[?25h"),
    ("cr", "\r"),
    ("csr", "\x1b[%i%p1%d;%p2%dr"),
    ("cub", "\x1b[%p1%dD"),
    ("cub1", "\x08"),
    ("cud", "\x1b[%p1%dB"),
    ("cud1", "\n"),
    ("cuf", "\x1b[%p1%dC"),
    ("cuf1", "\x1b[C"),
    ("cup", "\x1b[%i%p1%d;%p2%dH"),
    ("cuu", "\x1b[%p1%dA"),
    ("cuu1", "\x1b[A"),
    ("cvvis", "\x1b[?12;25h"),
    ("dch", "\x1b[%p1%dP"),
    ("dch1", "\x1b[P"),
    ("dim", "\x1b[2m"),
    ("dl", "\x1b[%p1%dM"),
    ("dl1", "\x1b[M"),
    ("ech", "\x1b[%p1%dX"),
    ("ed", "\x1b[J"),
    ("el", "\x1b[K"),
    ("el1", "\x1b[1K"),
    ("home", "\x1b[H"),
    ("hpa", "\x1b[%i%p1%dG"),
    ("ht", "\t"),
    ("ich", "\x1b[%p1%d@"),
    ("il", "\x1b[%p1%dL"),
    ("il1", "\x1b[L"),
    ("ind", "\n"),
    ("invis", "\x1b[8m"),
    ("nel", "\x1bE"),
    ("op", "\x1b[39;49m"),
    ("rc", "\x1b8"),
    ("rev", "\x1b[7m"),
    ("ri", "\x1bM"),
    ("ritm", "\x1b[23m"),
    ("rmam", "\x1b[?7l"),
    ("rmcup", "\x1b[?1049l\x1b[23;0;0t"),
    ("rmso", "\x1b[27m"),
    ("rmul", "\x1b[24m"),
    ("sc", "\x1b7"),
    ("sgr0", "\x1b(B\x1b[m"),
    ("sitm", "\x1b[3m"),
    ("smam", "\x1b[?7h"),
    ("smcup", "\x1b[?1049h\x1b[22;0;0t"),
    ("smso", "\x1b[7m"),
    ("smul", "\x1b[4m"),
    ("vpa", "\x1b[%i%p1%dd"),
    ("E3", "\x1b[3J"),
];

const EIGHT: [(&str, &str); 2] = [("setab", "\x1b[4%p1%dm"), ("setaf", "\x1b[3%p1%dm")];

const MANY: [(&str, &str); 2] = [
    ("setab", "\x1b[%?%p1%{8}%<%t4%p1%d%e%p1%{16}%<%t10%p1%{8}%-%d%e48;5;%p1%d%;m"),
    ("setaf", "\x1b[%?%p1%{8}%<%t3%p1%d%e%p1%{16}%<%t9%p1%{8}%-%d%e38;5;%p1%d%;m"),
];

/// The description of one of these, as ncurses 6.4 has it.
pub(super) fn description(terminal: &[u8]) -> Option<Description> {
    let (names, colors, pairs, setters): (&[u8], _, _, _) = match terminal {
        b"dumb" => {
            let strings = [("bel", "\x07"), ("cr", "\r"), ("cud1", "\n"), ("ind", "\n")];
            return Some(Description::of(b"dumb|80-column dumb tty", &["am"], &[("cols", 80)], &strings));
        }
        b"xterm" => (b"xterm|xterm-debian|xterm terminal emulator (X Window System)", 8, 64, EIGHT),
        b"xterm-256color" => (b"xterm-256color|xterm with 256 colors", 256, 65536, MANY),
        _ => return None,
    };
    let flags = FLAGS.get(..if colors == 8 { 8 } else { 9 }).unwrap_or_default();
    let numbers = [("colors", colors), ("cols", 80), ("it", 8), ("lines", 24), ("pairs", pairs)];
    Some(Description::of(names, flags, &numbers, &[&STRINGS[..], &setters].concat()))
}
