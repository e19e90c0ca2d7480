//! A hook and what it is for.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;

use super::{EventKind, Hook};
use crate::config::{HookConfig, OnFailure};
use crate::matcher::Matcher;

/// A hook, the tools that it is for, and how it is run. Clones share the hook.
///
/// ```
/// use std::time::Duration;
///
/// use hookshell_runner::OnFailure;
/// use hookshell_runner::inprocess::{EventKind, HookMatcher, HookRegistry, Response, hook_fn};
///
/// let mut hooks = HookRegistry::<()>::new();
/// let guard = HookMatcher::with_pattern("^(bash|edit)$", hook_fn(async |_ctx| Response::ask()))?
///     .named("guard")
///     .timeout(Duration::from_secs(5))
///     .on_failure(OnFailure::Deny);
/// assert!(guard.matches("bash"));
/// hooks.add_matcher(EventKind::PreToolUse, guard);
/// # Ok::<(), hookshell_runner::inprocess::BadPattern>(())
/// ```
pub struct HookMatcher<H: ?Sized> {
    /// Its event is set when it is added to a registry.
    pub(super) config: HookConfig,
    pub(super) hook: Arc<dyn Hook<H>>,
}

impl<H: ?Sized + 'static> HookMatcher<H> {
    /// A hook for every tool, with a timeout of 30 s, in sub-agents too.
    pub fn new(hook: impl Hook<H> + 'static) -> Self {
        let mut config = HookConfig::new(EventKind::PreToolUse, "");
        config.name = Some("in-process hook".to_owned());
        config.include_sub_agents = true;
        // It reads the event itself: no variable is between them.
        config.require_env = false;
        Self { config, hook: Arc::new(hook) }
    }

    /// A hook for the tools whose names match: an unanchored regular expression, as a config's `matcher` is. On an event
    /// without a tool it is tested against what the event has instead ([`EventKind::matched`](crate::Event::matched)).
    ///
    /// # Errors
    /// The pattern is not a regular expression.
    pub fn with_pattern(pattern: &str, hook: impl Hook<H> + 'static) -> Result<Self, BadPattern> {
        Self::new(hook).pattern(pattern)
    }

    pub(super) fn pattern(mut self, pattern: &str) -> Result<Self, BadPattern> {
        let bad = |source| BadPattern { pattern: pattern.to_owned(), source };
        self.config.matcher = Matcher::new(pattern).map_err(bad)?;
        Ok(self)
    }

    /// Is the hook for this tool?
    pub fn matches(&self, tool_name: &str) -> bool {
        self.config.matcher.matches(tool_name)
    }

    /// What messages and the verdict call it.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.config.name = Some(name.into());
        self
    }

    /// How long it may take, the time in which a person is asked not counted. 30 s unless set; [`Duration::MAX`] is for
    /// ever.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.config.timeout = timeout;
        self
    }

    /// What its failure means: nothing, unless set.
    #[must_use]
    pub fn on_failure(mut self, on_failure: OnFailure) -> Self {
        self.config.on_failure = on_failure;
        self
    }

    /// Is it called on what happens in sub-agents? It is, unless set: a guard of the host holds for all of its agents.
    #[must_use]
    pub fn include_sub_agents(mut self, include: bool) -> Self {
        self.config.include_sub_agents = include;
        self
    }
}

impl<H: ?Sized> Clone for HookMatcher<H> {
    fn clone(&self) -> Self {
        Self { config: self.config.clone(), hook: Arc::clone(&self.hook) }
    }
}

impl<H: ?Sized> fmt::Debug for HookMatcher<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HookMatcher").field("config", &self.config).finish_non_exhaustive()
    }
}

/// A pattern that is no regular expression.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("the pattern `{pattern}` is no regular expression: {source}")]
#[non_exhaustive]
pub struct BadPattern {
    /// The pattern.
    pub pattern: String,
    /// What is wrong with it.
    pub source: regex::Error,
}
