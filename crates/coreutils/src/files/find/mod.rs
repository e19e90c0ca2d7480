//! `find`: walk file trees.

mod entry;
mod execute;
mod expression;
mod list;
mod printf;
pub(crate) mod regex;
mod test;
mod walk;

use hookshell_utility::io::{Failure, Running};
use hookshell_utility::prepare;
use hookshell_utility::quote;
use hookshell_utility::zone::Zone;
use hookshell_utility::{Args, Prepared, Unsupported, Utility, UtilityCall};

use self::expression::{Expression, read_expression};
use self::walk::Walk;
use crate::files0::names_in;

/// `find [-H | -L | -P] [PATH]… [EXPRESSION]` (XCU `find`, findutils 4.9).
///
/// Entries come in the order in which the system lists them, as the real one has them; above ten thousand in one directory it
/// sorts them by inode on most file systems, and so do we.
pub(crate) struct Find;

/// Which symbolic links are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Follow {
    Never,
    /// Those that the command line names.
    Operands,
    Always,
}

/// What the command line says.
struct Command<'a> {
    paths: Vec<&'a [u8]>,
    follow: Follow,
    expression: Expression<'a>,
    zone: Zone,
}

fn looks_like_expression(word: &[u8], is_leading: bool) -> bool {
    match word {
        [b'-', _, ..] => true,
        b")" | b"," => !is_leading,
        b"!" | b"(" => true,
        _ => false,
    }
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let argv: &'a Args = call.argv;
    let mut words = argv.slices_from(1);
    let mut follow = Follow::Never;
    let mut taken = 0;
    for word in &words {
        match *word {
            b"-P" => follow = Follow::Never,
            b"-H" => follow = Follow::Operands,
            b"-L" => follow = Follow::Always,
            b"--" => {
                taken += 1;
                break;
            }
            b"-O0" | b"-O1" | b"-O2" | b"-O3" => {}
            _ => break,
        }
        taken += 1;
    }
    let rest = words.split_off(taken);
    let end = rest.iter().position(|word| looks_like_expression(word, true)).unwrap_or(rest.len());
    let (paths, expression) = rest.split_at(end);
    let expression = read_expression(expression, call)?;
    if expression.follows {
        follow = Follow::Always;
    }
    let has_default = paths.is_empty() && expression.files_from.is_none();
    let paths = if has_default { vec![&b"."[..]] } else { paths.to_vec() };
    Ok(Command { paths, follow, expression, zone: Zone::of(call.env)? })
}

impl Utility for Find {
    fn name(&self) -> &'static str {
        "find"
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare(self.name(), call, read, run)
    }
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let Command { paths, follow, mut expression, zone } = command;
    if let Some(message) = test::resolve(running, &mut expression, &zone, follow) {
        running.message(&message)?;
        return Ok(1);
    }
    for warning in &expression.warnings {
        running.message(warning)?;
    }
    let mut files = Vec::new();
    for &name in &expression.files {
        match running.create(name, false) {
            Ok(stream) => files.push(stream),
            Err(error) => {
                running.report_error(&quote::locale(name), &error)?;
                return Ok(1);
            }
        }
    }
    let names;
    let (paths, wrong) = match expression.files_from {
        None => (paths, false),
        Some(from) => match names_from(running, from, paths.first().copied())? {
            Ok(found) => {
                names = found;
                let empty = |(at, name): (usize, &Vec<u8>)| name.is_empty().then_some(at + 1);
                for number in names.iter().enumerate().filter_map(empty) {
                    let place = format!(":{number}: invalid zero-length file name");
                    let from = if from == b"-" { b"(standard input)" } else { from };
                    running.message(&[&quote::locale(from)[..], place.as_bytes()].concat())?;
                }
                let wrong = names.iter().any(Vec::is_empty);
                (names.iter().map(|name| &name[..]).filter(|name| !name.is_empty()).collect(), wrong)
            }
            Err(()) => return Ok(1),
        },
    };
    let mut walk = Walk::new(running, &expression, follow, zone, &files);
    for path in paths {
        if walk.has_quit() {
            break;
        }
        walk.start(path)?;
    }
    let status = walk.finish()?;
    Ok(if wrong { 1 } else { status })
}

/// The operands in a file, each ended by a NUL. The error: what is wrong has been said.
fn names_from(running: &Running<'_>, file: &[u8], operand: Option<&[u8]>) -> Result<Result<Vec<Vec<u8>>, ()>, Failure> {
    if let Some(extra) = operand {
        running.message(&[&b"extra operand "[..], &quote::locale(extra)].concat())?;
        running.message(b"file operands cannot be combined with -files0-from")?;
        return Ok(Err(()));
    }
    let shown = quote::locale(file);
    let source = match running.open(file)? {
        Ok(source) => source,
        Err(error) => {
            running.report_error(&[&b"cannot open "[..], &shown, b" for reading"].concat(), &error)?;
            return Ok(Err(()));
        }
    };
    names_in(running, source, &shown)
}
