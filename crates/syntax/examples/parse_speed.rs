//! Parses a script many times with this parser or with conch-parser, and prints how many bytes were parsed: what
//! `cargo xtask bench` times.
//!
//! ```text
//! cargo run --release -p hookshell-syntax --example parse_speed -- hookshell|conch COUNT FILE
//! ```

use std::error::Error;
use std::hint::black_box;
use std::sync::Arc;

use conch_parser::lexer::Lexer;
use conch_parser::parse::DefaultParser;
use hookshell_syntax::{ParseOptions, parse_program};

#[allow(clippy::print_stdout, reason = "an example program")]
fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(parser), Some(count), Some(file)) = (args.next(), args.next(), args.next()) else {
        return Err("usage: parse_speed hookshell|conch COUNT FILE".into());
    };
    let script = std::fs::read_to_string(file)?;
    // Each parser is given the text as it takes it, so that none has to copy it.
    let shared: Arc<[u8]> = script.as_bytes().into();
    let mut bytes = 0;
    for _ in 0..count.parse::<u32>()? {
        match parser.as_str() {
            "hookshell" => {
                let program = parse_program(Arc::clone(black_box(&shared)), &ParseOptions::default());
                if let Some(error) = &program.error {
                    return Err(error.to_string().into());
                }
                black_box(program);
            }
            "conch" => {
                for command in DefaultParser::new(Lexer::new(black_box(&script).chars())) {
                    black_box(command.map_err(|error| error.to_string())?);
                }
            }
            other => return Err(format!("no such parser: {other}").into()),
        }
        bytes += script.len();
    }
    println!("{bytes}");
    Ok(())
}
