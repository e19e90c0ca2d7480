//! A strict trust refuses hooks with unknowns.
