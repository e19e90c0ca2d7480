//! A file's first bytes read as the kernel and GNU env read a #! line.
//!
//! Pure and without I/O: the caller reads up to [`HEAD_LEN`] bytes, [`classify`] says what the file
//! is, and [`Shebang::resolve`] says what a `#!` line starts, with `/usr/bin/env` and its `-S` read
//! in place of running `env`.
//!
//! ```
//! use hookshell_shebang::{Head, Interpreter, classify};
//!
//! let Head::Shebang(shebang) = classify(b"#!/usr/bin/env -S node --flag\nconsole.log(1)\n") else {
//!     unreachable!()
//! };
//! let resolved = shebang.resolve(&|_name| None)?;
//! assert_eq!(resolved.interpreter, Interpreter::Name(b"node".into()));
//! assert_eq!(resolved.args, [&b"--flag"[..]]);
//! # Ok::<(), hookshell_shebang::ShebangError>(())
//! ```
//!
//! # Sources
//!
//! - The line: Linux 6.x `fs/binfmt_script.c` (`load_script`), compared with the running kernel by
//!   `tests/kernel.rs`.
//! - `env`: GNU coreutils 9.1 `src/env.c` (`main`, `build_argv`), compared with the installed
//!   `env` by `tests/env.rs`.
//! - What is a binary: bash's `check_binary_file`, and the magic numbers of each format.
//!
//! # Differences from the kernel and env, all deliberate
//!
//! - A UTF-8 byte order mark before `#!` and a CR before the line's newline are dropped.
//! - `#!` with nothing but blanks after it is shell source, with or without a newline (Linux fails
//!   to open the empty name when the file ends there).
//! - An `env` that would start the script again without end (no command), and every `env` option
//!   other than `-S`, is an error.
#![forbid(unsafe_code)]

/// The README's example is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod command;
mod env;
mod error;
mod head;
mod shebang;
mod split;

pub use command::{Hint, Interpreter, Resolved};
pub use error::{ShebangError, ShebangErrorCause};
pub use head::{BinaryKind, Head, classify};
pub use shebang::{HEAD_LEN, Shebang, base_name};
