//! The hook contract: config, events, payload, verdicts.
