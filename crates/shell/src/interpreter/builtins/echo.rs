//! `echo` (XCU echo)

use hookshell_syntax::ast::Argument;
use hookshell_text::echo as text;
use hookshell_utility::Args;

use crate::flow::Flow;
use crate::options::Opt;
use crate::shell::Shell;

/// `echo [-neE] [string …]`, as bash.
pub(super) fn echo(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    let mut output = shell.take_bytes();
    let plain = !shell.opt(Opt::XpgEcho) && args.get(1).is_none_or(|word| word.first() != Some(&b'-'));
    if plain {
        for (index, word) in args.iter_from(1).enumerate() {
            if index > 0 {
                output.push(b' ');
            }
            output.extend_from_slice(word);
        }
        output.push(b'\n');
    } else {
        let words = args.slices_from(1);
        text::echo(&words, shell.opt(Opt::XpgEcho), shell.opt(Opt::Posix), shell.env.bytes, &mut output);
    }
    let flow = shell.print(b"echo", &output);
    shell.give_bytes(output);
    flow
}
