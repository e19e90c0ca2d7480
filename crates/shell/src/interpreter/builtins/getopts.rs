//! `getopts` (XCU getopts)

use hookshell_syntax::ast::Argument as Word;
use hookshell_syntax::is_name;
use hookshell_text::getopts::{self as text, Argument};
use hookshell_text::integer;
use hookshell_utility::Args;

use super::help::{invalid_option, usage};
use super::{USAGE, assigned, done};
use crate::flow::Flow;
use crate::shell::Shell;
use crate::vars::Attributes;

/// `getopts optstring name [argument …]`
pub(super) fn getopts(shell: &mut Shell, args: &Args, _: &[Word]) -> Flow<u8> {
    let first = match args.get(1) {
        Some(b"--") => 2,
        Some([b'-', letter, ..]) => return done(invalid_option(shell, b"getopts", &[b'-', *letter])),
        _ => 1,
    };
    let (Some(options), Some(name)) = (args.get(first), args.get(first + 1)) else {
        usage(shell, b"getopts");
        return done(USAGE);
    };
    let positional = shell.env.positional.clone();
    let words: Vec<&[u8]> =
        if args.len() > first + 2 { args.slices_from(first + 2) } else { positional.iter().collect() };
    let index = shell
        .vars
        .scalar_bytes(b"OPTIND")
        .and_then(integer::parse_integer)
        .and_then(|n| usize::try_from(n).ok())
        .filter(|n| *n > 0)
        .unwrap_or(1);
    let mut state = text::State { index, letters: shell.env.getopts.letters };
    let step = text::next(options, &words, &mut state);
    let report = step.report(options);
    let status = u8::from(step == text::Step::End);
    // The assignment resets the place in the cluster, so the place comes after it.
    assigned(shell, |shell| shell.set_variable(b"OPTIND", state.index.to_string().as_bytes()))?;
    shell.env.getopts.letters = state.letters;
    // A read-only one stays as it is, with a message where it was to be set; bash continues.
    let argument = report.argument.map(|argument| match argument {
        Argument::Word(word) => word.to_vec(),
        Argument::Letter(letter) => vec![letter],
    });
    match argument {
        Some(argument) => {
            shell.assigning_as("getopts", |shell| assigned(shell, |shell| shell.set_variable(b"OPTARG", &argument)))?;
        }
        None => {
            let id = shell.vars.slot_bytes(b"OPTARG");
            if !shell.vars.get(id).is_some_and(|v| v.attributes.has(Attributes::READONLY)) {
                *shell.vars.change(id) = None;
            }
        }
    }
    if let Some((message, letter)) = report.message
        && shell.vars.scalar_bytes(b"OPTERR").and_then(integer::parse_integer) != Some(0)
    {
        let text = [&*shell.env.inherited.name, b": ", message.as_bytes(), &[letter], b"\n"].concat();
        shell.write_error(&text);
    }
    if !is_name(name) {
        shell.builtin_error(b"getopts", [b"`", name, b"': not a valid identifier"].concat());
        return done(1);
    }
    let assigned = assigned(shell, |shell| shell.set_variable(name, &[report.name]))?;
    // At the end of the options there is nothing else to say.
    done(if assigned || status != 0 { status } else { USAGE })
}
