//! The command line of `diff`.

use hookshell_regex::{Builder, Regex, Syntax};
use hookshell_utility::io::read_file;
use hookshell_utility::options::{OptionSpec, flag, optional, parse, value, with_digits};
use hookshell_utility::{Unsupported, UtilityCall};

use super::formats::{Formats, Which};
use super::header::shell_word;
use super::print::Style;
use super::side::Side as Layout;
use super::text::{Equality, Space};

const UNIFIED: u8 = 128;
const CONTEXT: u8 = 129;
const NORMAL: u8 = 130;
const STRIP_CR: u8 = 131;
const COLOR: u8 = 132;
const HORIZON: u8 = 141;
const CASE: u8 = 142;
const TAB_SIZE: u8 = 133;
const LEFT_COLUMN: u8 = 134;
const SUPPRESS_COMMON: u8 = 135;
const FROM: u8 = 136;
const TO: u8 = 137;
const SUPPRESS_EMPTY: u8 = 138;
/// The options of [`FORMATS`] from here on.
const FIRST_FORMAT: u8 = 143;

/// The options that give formats, and which.
const FORMATS: [(u8, Which); 9] = [
    (b'D', Which::Name),
    (FIRST_FORMAT, Which::AllLines),
    (FIRST_FORMAT + 1, Which::UnchangedLine),
    (FIRST_FORMAT + 2, Which::OldLine),
    (FIRST_FORMAT + 3, Which::NewLine),
    (FIRST_FORMAT + 4, Which::Unchanged),
    (FIRST_FORMAT + 5, Which::Old),
    (FIRST_FORMAT + 6, Which::New),
    (FIRST_FORMAT + 7, Which::Changed),
];

const OPTIONS: &[OptionSpec] = &with_digits::<63>(
    &[
        value(FROM, "from-file"),
        value(TO, "to-file"),
        value(b'X', "exclude-from"),
        flag(b'q', "brief"),
        flag(b's', "report-identical-files"),
        flag(b'r', "recursive"),
        flag(b'N', "new-file"),
        flag(b'P', "unidirectional-new-file"),
        value(b'S', "starting-file"),
        flag(SUPPRESS_EMPTY, "suppress-blank-empty"),
        flag(b'a', "text"),
        flag(b'i', "ignore-case"),
        flag(b'b', "ignore-space-change"),
        flag(b'w', "ignore-all-space"),
        flag(b'Z', "ignore-trailing-space"),
        flag(b'B', "ignore-blank-lines"),
        flag(b'd', "minimal"),
        // These change how long it takes, and what names mean where case counts.
        flag(b'H', "speed-large-files"),
        value(HORIZON, "horizon-lines"),
        flag(CASE, "no-ignore-file-name-case"),
        flag(b'u', ""),
        flag(b'c', ""),
        value(b'U', ""),
        value(b'C', ""),
        optional(UNIFIED, "unified"),
        optional(CONTEXT, "context"),
        flag(NORMAL, "normal"),
        flag(STRIP_CR, "strip-trailing-cr"),
        value(b'L', "label"),
        optional(COLOR, "color"),
        flag(b'e', "ed"),
        flag(b'n', "rcs"),
        flag(b'y', "side-by-side"),
        value(b'W', "width"),
        flag(LEFT_COLUMN, "left-column"),
        flag(SUPPRESS_COMMON, "suppress-common-lines"),
        flag(b'E', "ignore-tab-expansion"),
        value(b'I', "ignore-matching-lines"),
        flag(b'p', "show-c-function"),
        value(b'F', "show-function-line"),
        flag(b't', "expand-tabs"),
        flag(b'T', "initial-tab"),
        value(TAB_SIZE, "tabsize"),
        value(b'x', "exclude"),
        value(b'D', "ifdef"),
        value(FIRST_FORMAT, "line-format"),
        value(FIRST_FORMAT + 1, "unchanged-line-format"),
        value(FIRST_FORMAT + 2, "old-line-format"),
        value(FIRST_FORMAT + 3, "new-line-format"),
        value(FIRST_FORMAT + 4, "unchanged-group-format"),
        value(FIRST_FORMAT + 5, "old-group-format"),
        value(FIRST_FORMAT + 6, "new-group-format"),
        value(FIRST_FORMAT + 7, "changed-group-format"),
    ],
    flag(b'0', ""),
);

/// When the output has colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Color {
    Never,
    /// At a terminal.
    Auto,
    Always,
}

/// What a command line asks for.
pub(super) struct Command<'a> {
    pub(super) style: Style,
    pub(super) formats: Formats,
    pub(super) recursive: bool,
    pub(super) new_file: bool,
    /// Files that are missing on the left are empty, those on the right are not.
    pub(super) new_file_left: bool,
    /// Of the directories that are compared first, names before this one are left out.
    pub(super) first_name: Option<&'a [u8]>,
    /// Nothing stands before an empty line but a mark.
    pub(super) suppress_empty: bool,
    pub(super) report_identical: bool,
    pub(super) color: Color,
    pub(super) text: bool,
    pub(super) strip_cr: bool,
    pub(super) equality: Equality,
    pub(super) side: Layout,
    pub(super) initial_tab: bool,
    pub(super) heading: Option<Regex>,
    /// Patterns of names that are left out.
    pub(super) excluded: Vec<Vec<u8>>,
    pub(super) labels: Vec<&'a [u8]>,
    /// The options as they were given, for the lines before files in directories.
    pub(super) switches: Vec<u8>,
    /// What is compared with what.
    pub(super) pairs: Vec<[&'a [u8]; 2]>,
}

pub(super) fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let parsed = parse(call.argv, OPTIONS)?;
    let pairs: Vec<[&[u8]; 2]> = match (parsed.last(FROM), parsed.last(TO), &parsed.operands[..]) {
        (None, None, [left, right]) => vec![[*left, *right]],
        (None, None, _) => return Err(Unsupported::mistake("any number of operands but two")),
        (Some(from), None, [_, ..]) => parsed.operands.iter().map(|file| [from, file]).collect(),
        (None, Some(to), [_, ..]) => parsed.operands.iter().map(|file| [file, to]).collect(),
        _ => return Err(Unsupported::new("--from-file with --to-file, or without operands")),
    };
    // Labels name one pair; standard input is read once; before files in directories the options are shown.
    if (parsed.has(FROM) || parsed.has(TO))
        && (parsed.has(b'r') || parsed.has(b'L') || parsed.operands.contains(&&b"-"[..]))
    {
        return Err(Unsupported::new("--from-file or --to-file with such options"));
    }
    let mut style = None;
    let mut context: usize = 0;
    let mut labels = Vec::new();
    let mut color = Color::Never;
    let mut formats = Formats::default();
    // `-NUM`: digits that follow each other are one number.
    let mut wished: Option<usize> = None;
    let mut before = 0;
    for &(letter, text) in &parsed.options {
        let previous = std::mem::replace(&mut before, letter);
        let asked = match letter {
            b'0'..=b'9' => {
                let tens = wished.filter(|_| previous.is_ascii_digit()).map_or(0, |number| number.saturating_mul(10));
                wished = Some(tens.saturating_add(usize::from(letter - b'0')).min(1 << 30));
                continue;
            }
            b'u' | b'U' | UNIFIED => b'u',
            b'c' | b'C' | CONTEXT => b'c',
            NORMAL => b'n',
            b'e' | b'y' => letter,
            b'n' => b'R',
            _ if let Some((_, which)) = FORMATS.iter().find(|(option, _)| *option == letter) => {
                formats.set(*which, text)?;
                b'D'
            }
            b'L' => {
                labels.push(text);
                continue;
            }
            COLOR => {
                color = match text {
                    b"never" => Color::Never,
                    b"" | b"auto" => Color::Auto,
                    b"always" => Color::Always,
                    _ => return Err(Unsupported::mistake(format!("the colour {}", text.escape_ascii()))),
                };
                continue;
            }
            _ => continue,
        };
        if style.is_some_and(|before| before != asked) {
            return Err(Unsupported::mistake("several output styles"));
        }
        style = Some(asked);
        if matches!(asked, b'e' | b'y' | b'R' | b'D') {
            continue;
        }
        let lines = match text {
            b"" if letter == b'U' || letter == b'C' => None,
            b"" => Some(3),
            text => std::str::from_utf8(text)
                .ok()
                .filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))
                .and_then(|text| text.parse().ok())
                .filter(|lines| *lines < 1 << 30),
        };
        context =
            context.max(lines.ok_or_else(|| Unsupported::mistake(format!("the context {}", text.escape_ascii())))?);
    }
    if labels.len() > 2 {
        return Err(Unsupported::mistake("more than two labels"));
    }
    let number = |letter: u8, default: usize| match parsed.last(letter) {
        None => Ok(default),
        Some(text) => std::str::from_utf8(text)
            .ok()
            .filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0'))
            .and_then(|text| text.parse().ok())
            .filter(|number| (1..=100_000).contains(number))
            .ok_or_else(|| Unsupported::mistake(format!("the number {}", text.escape_ascii()))),
    };
    if let Some(text) = parsed.last(HORIZON)
        && !text.iter().all(u8::is_ascii_digit)
    {
        return Err(Unsupported::mistake(format!("the number {}", text.escape_ascii())));
    }
    let regex = |pattern: &[u8]| {
        Builder::new(Syntax::Grep)
            .bytes(hookshell_utility::locale::is_bytes(call.env))
            .build(pattern)
            .map_err(|_| Unsupported::mistake(format!("the pattern {}", pattern.escape_ascii())))
    };
    let all = |letter: u8| parsed.options.iter().filter(move |(own, _)| *own == letter).map(|(_, text)| *text);
    let mut headings = all(b'F').collect::<Vec<_>>();
    if parsed.has(b'p') {
        headings.push(b"^[[:alpha:]$_]");
        if style.is_none() {
            (style, context) = (Some(b'c'), 3);
        }
    }
    let heading = match headings[..] {
        [] => None,
        [heading] => Some(regex(heading)?),
        _ => return Err(Unsupported::new("several function lines")),
    };
    let ignored = all(b'I').map(regex).collect::<Result<Vec<_>, _>>()?;
    let mut excluded: Vec<_> = all(b'x').map(<[u8]>::to_vec).collect();
    for file in all(b'X') {
        excluded.extend(patterns_in(file, call)?);
    }
    if excluded.iter().any(|pattern| pattern.contains(&b'/')) {
        return Err(Unsupported::new("-x with a path"));
    }
    let odd = [b'b', b'w', b'Z'].iter().any(|letter| parsed.has(*letter));
    if parsed.has(b'E') && (odd || parsed.has(TAB_SIZE)) {
        return Err(Unsupported::new("-E with such options"));
    }
    if style == Some(b'y') && (parsed.has(b'r') || parsed.has(b'T') || parsed.has(b'q')) {
        return Err(Unsupported::new("-y with such options"));
    }
    // The lines of these two are coloured by rules of their own, and `auto` needs to know the output first.
    if color == Color::Always && matches!(style, Some(b'c' | b'y')) {
        return Err(Unsupported::new("colours of -c or -y"));
    }
    let tab = number(TAB_SIZE, 8)?;
    let side = Layout {
        width: number(b'W', 130)?,
        tab,
        expand_tabs: parsed.has(b't'),
        left_column: parsed.has(LEFT_COLUMN),
        suppress_common: parsed.has(SUPPRESS_COMMON),
    };
    let space = [(b'E', Space::Tabs), (b'w', Space::All), (b'b', Space::Amount), (b'Z', Space::Trailing)];
    Ok(Command {
        style: match style {
            _ if parsed.has(b'q') => Style::Brief,
            Some(b'u') => Style::Unified(context.max(wished.unwrap_or(0))),
            Some(b'c') => Style::Context(context.max(wished.unwrap_or(0))),
            Some(b'D') => Style::Formats,
            Some(b'e') => Style::Ed,
            Some(b'R') => Style::Rcs,
            Some(b'y') => Style::SideBySide,
            _ => Style::Normal,
        },
        formats: formats.complete(),
        recursive: parsed.has(b'r'),
        new_file: parsed.has(b'N'),
        new_file_left: parsed.has(b'P'),
        first_name: parsed.last(b'S'),
        suppress_empty: parsed.has(SUPPRESS_EMPTY),
        report_identical: parsed.has(b's'),
        color,
        text: parsed.has(b'a'),
        strip_cr: parsed.has(STRIP_CR),
        equality: Equality {
            space: space.iter().find(|(letter, _)| parsed.has(*letter)).map_or(Space::Exact, |(_, space)| *space),
            fold: parsed.has(b'i'),
            minimal: parsed.has(b'd'),
            ignore_blank: parsed.has(b'B'),
            ignored,
        },
        side,
        initial_tab: parsed.has(b'T'),
        heading,
        excluded,
        labels,
        switches: switches(call),
        pairs,
    })
}

/// A pattern may stand in a file of so many bytes.
const MAX_PATTERNS: u64 = 1024 * 1024;

/// The patterns of a file, one a line, without blanks at its end.
fn patterns_in(file: &[u8], call: &UtilityCall<'_>) -> Result<Vec<Vec<u8>>, Unsupported> {
    let refused = || Unsupported::new(format!("-X {}", file.escape_ascii()));
    let path = call.cwd.join(hookshell_process::text::to_path(file));
    let is_special = file == b"-" || hookshell_utility::special_file(file, call.cwd).is_some();
    let missing = || Unsupported::mistake(format!("-X {}: there is no such file", file.escape_ascii()));
    let text = match is_special {
        true => None,
        false if file.is_empty() => return Err(missing()),
        false => match read_file(&path, call.cwd, MAX_PATTERNS) {
            Err(error) if hookshell_process::is_missing(&error) => return Err(missing()),
            read => read.ok().flatten(),
        },
    };
    let text = text.ok_or_else(refused)?;
    let lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end);
    Ok(lines.filter(|line| !line.is_empty()).map(<[u8]>::to_vec).collect())
}

/// The words that are options or their values, each with a blank before it.
fn switches(call: &UtilityCall<'_>) -> Vec<u8> {
    let mut switches = Vec::new();
    let mut is_value = false;
    for word in call.argv.iter_from(1) {
        let is_option = word.len() > 1 && word.starts_with(b"-");
        if !is_option && !is_value {
            continue;
        }
        switches.push(b' ');
        switches.extend_from_slice(&shell_word(word));
        if word == b"--" {
            break;
        }
        let long = word.starts_with(b"--");
        let is_format = word.starts_with(b"--") && (word.ends_with(b"-format") || word == b"--ifdef");
        let named: [&[u8]; 8] = [
            b"--label",
            b"--starting-file",
            b"--width",
            b"--tabsize",
            b"--exclude",
            b"--exclude-from",
            b"--ignore-matching-lines",
            b"--show-function-line",
        ];
        is_value = !is_value
            && (named.contains(&word)
                || is_format
                || (!long
                    && matches!(
                        word.last(),
                        Some(b'U' | b'C' | b'L' | b'F' | b'I' | b'S' | b'W' | b'x' | b'X' | b'D')
                    )));
    }
    switches
}
