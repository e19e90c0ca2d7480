//! What is wrong with an event's hooks and their configs, and whom it is told.

use hookshell_runner::{Config, EventKind, Verdict};

use super::RunArgs;
use crate::as_hook;
use crate::failure::Failure;
use crate::options::HookSources;
use crate::output::note;
use crate::project::{Report, left_out};

/// What is wrong, found before and while the hooks ran.
pub(super) struct Problems {
    /// A line each.
    lines: Vec<String>,
    /// Hooks that are lost by a slip of the pen, a line each.
    lost: Vec<String>,
    /// What keeps a part of the user's config from being read.
    broken: Option<Failure>,
}

impl Problems {
    /// What is wrong with the user's config, whose hooks are all there yet.
    pub(super) fn of_config(config: &Config, event: EventKind, sources: &HookSources, broken: Option<Failure>) -> Self {
        let has_none = config.hooks().is_empty() && config.disabled().is_empty();
        let is_empty = has_none && config.warnings().is_empty() && broken.is_none();
        let empty = sources.config.iter().filter(|_| is_empty).map(|file| as_hook::has_no_hooks(file));
        Self { lines: empty.collect(), lost: as_hook::lost(config, Some(event)), broken }
    }

    /// Is nothing wrong?
    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.lost.is_empty() && self.broken.is_none()
    }

    /// Adds a line for each.
    pub(super) fn add(&mut self, lines: impl IntoIterator<Item = String>) {
        self.lines.extend(lines);
    }

    /// Tells of all of it when the hooks have run: in the verdict, and on standard error where the agent shows nobody what a
    /// verdict says. `is_closed`: the verdict denies for it. Gives what is wrong in the configs.
    pub(super) fn tell(
        self,
        args: &RunArgs,
        is_closed: bool,
        verdict: &mut Verdict,
        project: &mut Report,
    ) -> Option<Failure> {
        let Self { lines: mut wrong, mut lost, broken } = self;
        let has_run = !verdict.hooks.is_empty();
        let of_project = project.config_failure(has_run);
        let broken = broken.map(|failure| left_out(failure, has_run)).or(of_project);
        let of_config = broken.as_ref().map(Failure::one_line);
        lost.append(&mut project.lost);
        if args.output.is_some() {
            wrong.append(&mut lost);
        }
        wrong.append(&mut project.itself);
        wrong.extend(of_config.clone());
        wrong.extend(as_hook::failures(verdict, args.sources.dialect, args.verbose));
        if args.output.is_none_or(|agent| !agent.contract().tells_user() && !is_closed) {
            // What is wrong in a config is printed at the end.
            let shown = wrong.iter().filter(|line| Some(*line) != of_config.as_ref());
            shown.for_each(|line| note(&format!("warning: {line}")));
        }
        // Without --output these were said when the config was read.
        wrong.append(&mut lost);
        as_hook::tell(verdict, &wrong, is_closed, args.output.is_some());
        broken
    }
}
