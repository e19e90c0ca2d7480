//! The process layer: starting, waiting for and killing child process trees.
