//! `--mutations`.
use crate::error::Error;
use crate::workspace::Workspace;
use super::options::Options;
pub(crate) fn command(_: &Workspace, _: &Options) -> Result<(), Error> { Ok(()) }
