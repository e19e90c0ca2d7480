//! Files as utilities see and change them: relative to directories that are held open, by what the system knows of them, with the
//! script's file mode creation mask, and by their real paths.
#![forbid(unsafe_code)]

pub mod at;
pub mod attributes;
pub mod canonical;
pub mod file_stat;
pub mod mode;
