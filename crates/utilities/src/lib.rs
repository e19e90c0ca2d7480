//! Utilities that hooks call, as in-process functions.
