//! Parses a script many times with this parser or with conch-parser, and prints how many bytes were parsed: what
//! `cargo xtask bench` times. Both read one complete command after the other and drop it, as a shell that runs a script
//! does, or with `kept` keep all of the script's commands until its end.
//!
//! ```text
//! cargo run --release -p hookshell-syntax --example parse_speed -- hookshell|conch COUNT FILE [kept]
//! ```

use std::error::Error;
use std::hint::black_box;
use std::sync::Arc;

use conch_parser::lexer::Lexer;
use conch_parser::parse::DefaultParser;
use hookshell_syntax::{ParseOptions, Parser, parse_program};

#[allow(clippy::print_stdout, reason = "an example program")]
fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(parser), Some(count), Some(file)) = (args.next(), args.next(), args.next()) else {
        return Err("usage: parse_speed hookshell|conch COUNT FILE [kept]".into());
    };
    let is_kept = match args.next().as_deref() {
        None => false,
        Some("kept") => true,
        Some(other) => return Err(format!("neither `kept` nor nothing: {other}").into()),
    };
    let script = std::fs::read_to_string(file)?;
    // Each parser is given the text as it takes it, so that none has to copy it.
    let shared: Arc<[u8]> = script.as_bytes().into();
    let conch = || DefaultParser::new(Lexer::new(black_box(&script).chars())).into_iter();
    let mut bytes = 0;
    for _ in 0..count.parse::<u32>()? {
        match (parser.as_str(), is_kept) {
            ("hookshell", false) => {
                let mut parser = Parser::new(black_box(&shared));
                while let Some(unit) = parser.next_unit(&ParseOptions::default(), None)? {
                    black_box(unit);
                }
            }
            ("hookshell", true) => {
                let program = parse_program(Arc::clone(black_box(&shared)), &ParseOptions::default());
                if let Some(error) = &program.error {
                    return Err(error.to_string().into());
                }
                black_box(program);
            }
            ("conch", false) => {
                for command in conch() {
                    black_box(command.map_err(|error| error.to_string())?);
                }
            }
            ("conch", true) => {
                let commands: Result<Vec<_>, _> = conch().collect();
                black_box(commands.map_err(|error| error.to_string())?);
            }
            (other, _) => return Err(format!("no such parser: {other}").into()),
        }
        bytes += script.len();
    }
    println!("{bytes}");
    Ok(())
}
