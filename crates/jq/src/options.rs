//! jq's command line.

use hookshell_utility::{Args, Unsupported};

use super::read::Flags;

/// Where a variable comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Json,
    /// `--rawfile`
    RawFile,
    /// `--slurpfile`
    SlurpFile,
}

/// What a call of jq says.
#[derive(Debug, Default)]
pub(super) struct Options<'a> {
    pub(super) program: Option<&'a [u8]>,
    pub(super) from_file: bool,
    pub(super) slurp: bool,
    pub(super) raw_input: bool,
    pub(super) null_input: bool,
    pub(super) raw_output: bool,
    pub(super) raw_output0: bool,
    pub(super) no_newline: bool,
    pub(super) ascii: bool,
    pub(super) sorted: bool,
    pub(super) color: bool,
    pub(super) monochrome: bool,
    pub(super) unbuffered: bool,
    pub(super) exit_status: bool,
    pub(super) indent: Indent,
    /// `--stream`, `--stream-errors`, `--seq`
    pub(super) flags: Flags,
    /// `-L`; `None`: jq's own directories.
    pub(super) libraries: Option<Vec<&'a [u8]>>,
    /// `--arg` and the like: kind, name, value.
    pub(super) variables: Vec<(Kind, &'a [u8], &'a [u8])>,
    /// `--args` and `--jsonargs`.
    pub(super) positional: Vec<(Kind, &'a [u8])>,
    pub(super) files: Vec<&'a [u8]>,
    /// jq ends at the option that asks for it.
    pub(super) shows: Option<Shows>,
}

/// What jq says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shows {
    Help,
    Version,
    BuildConfiguration,
}

/// How levels are indented.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Indent {
    Spaces(usize),
    Tab,
}

impl Default for Indent {
    fn default() -> Self {
        Self::Spaces(2)
    }
}

/// Reads the command line as jq's `main` does. Options may stand anywhere; short ones can be combined.
/// A wrong command line is a message.
pub(super) fn parse(argv: &Args) -> Result<Result<Options<'_>, String>, Unsupported> {
    let words: Vec<&[u8]> = argv.iter_from(1).collect();
    let mut options = Options::default();
    let mut done = false;
    let mut rest = None;
    let mut at = 0;
    while let Some(&word) = words.get(at) {
        at += 1;
        let is_option =
            matches!(word, [b'-', b'-', ..]) || matches!(word, [b'-', letter, ..] if letter.is_ascii_alphabetic());
        if done || !is_option {
            match (options.program, rest) {
                (None, _) => options.program = Some(word),
                (_, None) => options.files.push(word),
                (_, Some(kind)) => options.positional.push((kind, word)),
            }
            continue;
        }
        let mut take = |count: usize| {
            let taken = words.get(at..at + count);
            at += count;
            taken
        };
        if options.shows.is_some() {
            break;
        }
        match word {
            b"--" => done = true,
            b"--slurp" => options.slurp = true,
            b"--raw-output" => options.raw_output = true,
            b"--raw-output0" => (options.raw_output, options.raw_output0, options.no_newline) = (true, true, true),
            b"--join-output" => (options.raw_output, options.no_newline) = (true, true),
            b"--compact-output" => options.indent = Indent::Spaces(0),
            b"--color-output" => options.color = true,
            b"--monochrome-output" => options.monochrome = true,
            b"--ascii-output" => options.ascii = true,
            // No `\r\n` on Windows, where ours never writes it.
            b"--binary" => {}
            b"--unbuffered" => options.unbuffered = true,
            b"--sort-keys" => options.sorted = true,
            b"--raw-input" => options.raw_input = true,
            b"--null-input" => options.null_input = true,
            b"--from-file" => options.from_file = true,
            b"--exit-status" => options.exit_status = true,
            b"--stream" => options.flags.stream = true,
            b"--stream-errors" => (options.flags.stream, options.flags.errors) = (true, true),
            b"--seq" => options.flags.sequence = true,
            b"-L" => {
                let Some([dir]) = take(1) else {
                    return Ok(Err("-L takes a parameter: (e.g. -L /search/path or -L/search/path)".to_owned()));
                };
                options.libraries.get_or_insert_default().push(dir);
            }
            [b'-', b'L', dir @ ..] => options.libraries.get_or_insert_default().push(dir),
            b"--tab" => options.indent = Indent::Tab,
            b"--indent" => {
                let Some([value]) = take(1) else {
                    return Ok(Err("--indent takes one parameter".to_owned()));
                };
                options.indent = match leading_number(value) {
                    -1 => Indent::Tab,
                    number @ 0..=7 => Indent::Spaces(usize::try_from(number).unwrap_or_default()),
                    _ => return Ok(Err("--indent takes a number between -1 and 7".to_owned())),
                };
            }
            b"--args" => rest = Some(Kind::Text),
            b"--jsonargs" => rest = Some(Kind::Json),
            b"--arg" | b"--argjson" | b"--rawfile" | b"--slurpfile" => {
                let Some([name, value]) = take(2) else {
                    let option = String::from_utf8_lossy(word);
                    let what = match word {
                        b"--arg" => "value",
                        b"--argjson" => "text",
                        _ => "filename",
                    };
                    return Ok(Err(format!("{option} takes two parameters (e.g. {option} varname {what})")));
                };
                let kind = match word {
                    b"--arg" => Kind::Text,
                    b"--argjson" => Kind::Json,
                    b"--rawfile" => Kind::RawFile,
                    _ => Kind::SlurpFile,
                };
                // The first of a name counts.
                if !options.variables.iter().any(|(_, own, _)| own == name) {
                    options.variables.push((kind, name, value));
                }
            }
            [b'-', letters @ ..] if letters.first() != Some(&b'-') => {
                for letter in letters {
                    match letter {
                        b's' => options.slurp = true,
                        b'r' => options.raw_output = true,
                        b'j' => (options.raw_output, options.no_newline) = (true, true),
                        b'c' => options.indent = Indent::Spaces(0),
                        b'C' => options.color = true,
                        b'M' => options.monochrome = true,
                        b'a' => options.ascii = true,
                        b'b' => {}
                        b'S' => options.sorted = true,
                        b'R' => options.raw_input = true,
                        b'n' => options.null_input = true,
                        b'f' => options.from_file = true,
                        b'e' => options.exit_status = true,
                        b'h' => options.shows = Some(Shows::Help),
                        b'V' => options.shows = Some(Shows::Version),
                        _ => return Ok(Err(unknown(word))),
                    }
                }
            }
            b"--help" => options.shows = Some(Shows::Help),
            b"--version" => options.shows = Some(Shows::Version),
            b"--build-configuration" => options.shows = Some(Shows::BuildConfiguration),
            b"--debug-dump-disasm" | b"--debug-trace" | b"--debug-trace=all" => return Err(Unsupported::option(word)),
            _ => return Ok(Err(unknown(word))),
        }
    }
    Ok(Ok(options))
}

fn unknown(word: &[u8]) -> String {
    format!("Unknown option {}", String::from_utf8_lossy(word))
}

/// The number that a text begins with, as C's `atoi` has it: 0 without one.
fn leading_number(text: &[u8]) -> i64 {
    let text = text.trim_ascii_start();
    let (sign, digits) = match text {
        [b'-', digits @ ..] => (-1, digits),
        [b'+', digits @ ..] => (1, digits),
        digits => (1, digits),
    };
    let digits = digits.iter().take_while(|byte| byte.is_ascii_digit());
    sign * digits.fold(0_i64, |number, digit| number.saturating_mul(10).saturating_add(i64::from(digit - b'0')))
}
