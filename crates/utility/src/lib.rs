//! What a utility is that runs in process: the seam between a shell and its bundled utilities.
//!
//! A utility is prepared for a call ([`Utility::prepare`]) and then run ([`Prepared::run`]). It takes everything from its
//! [`UtilityContext`]: words, environment, working directory, descriptors, the run's [`RunToken`], and where what it keeps in
//! memory is counted. It takes nothing from the process, of which it is a guest.
#![forbid(unsafe_code)]

mod declare;

mod args;
mod budget;
mod cancel;
pub mod command;
mod fds;
mod first_line;
pub mod input;
pub mod io;
pub mod locale;
pub mod long_names;
mod memory;
pub mod options;
pub mod output;
mod prepare;
mod profile;
pub mod program_file;
pub mod quote;
pub mod random;
pub mod recent;
mod special_file;
mod stream;
pub mod timezone;
mod utility;
pub mod zone;

pub use args::{Args, Iter as ArgsIter};
pub use budget::{Budget, Held, Reached};
pub use cancel::{CancelReason, RunToken};
pub use fds::FdTable;
pub use first_line::FirstLine;
pub use memory::{HeldMemory, UtilityMemory};
pub use prepare::{prepare, prepare_compiling, prepare_yielding};
pub use profile::Profile;
pub use special_file::{Device, SpecialFile, special_file, special_name};
pub use stream::{Capture, OutputSink, Piece, Stream, bad_descriptor, feed, open_null};
pub use utility::{
    CommandCall, CommandEnd, CommandOutcome, Commands, Done, Environment, Language, NoCommands, NoUtilities, Prepared,
    ShellCall, StartedShell, Stopped, TimeLimit, Unsupported, Utility, UtilityCall, UtilityContext, UtilitySet,
};
