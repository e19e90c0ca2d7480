//! What a script may use up.

/// Limits of a run: each ends the script with an error and never the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Nested function calls, `.`, `eval`, traps and command substitutions together. Whatever this says, nesting ends
    /// with the same error where the thread's stack ([`crate::STACK_SIZE`]) would.
    pub call_depth: u32,
    /// Nested commands and expansions in a source text.
    pub parse_depth: u32,
    /// Bytes of one expansion's result, and of one variable.
    pub expansion_bytes: usize,
    /// Bytes kept of one `$( )`.
    pub captured_bytes: usize,
    /// Live threads of the run (pipeline stages, background lists).
    pub threads: usize,
    /// Words that one pathname expansion may give.
    pub glob_results: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            call_depth: 5000,
            parse_depth: hookshell_syntax::DEFAULT_MAX_DEPTH,
            expansion_bytes: 256 * 1024 * 1024,
            captured_bytes: 256 * 1024 * 1024,
            threads: 512,
            glob_results: 1_000_000,
        }
    }
}
