//! The in-process POSIX shell interpreter with the bash dialect.
