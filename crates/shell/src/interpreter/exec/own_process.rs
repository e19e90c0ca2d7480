//! Subshells in the foreground that are processes of their own, as all are in every shell of Unix.
//!
//! Mostly nobody sees that a subshell runs on the thread of its parent. A program sees it that the subshell starts: its parent is
//! whom it asks or signals (`kill $PPID`). So a subshell that starts a program, and has something to do after it, runs in a copy
//! of this process, where the host allows copies and passes signals on (`hookshell sh`). The last program of a subshell takes
//! its place: its parent is this process in bash too.

use std::collections::BTreeSet;
use std::sync::Arc;

use hookshell_syntax::ast::{Argument, Command, Compound, CompoundCommand, List, SimpleCommand, Stage, WordPart};

use super::Place;
use crate::call::Function;
use crate::command_line::KnownShell;
use crate::flow::Flow;
use crate::interpreter::background::only_command;
use crate::interpreter::forked::Ground;
use crate::interpreter::run::ends_in_program;
use crate::jobs::Job;
use crate::limits::Limits;
use crate::options::Opt;
use crate::shell::Shell;

/// What a list was seen to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seen {
    Nothing,
    /// It starts a program that has the environment of the list as its parent.
    Program,
    /// It starts lists in the background that are not programs: in a copy they would be threads, for which it would wait.
    BackgroundLists,
}

/// Which programs a list is looked at for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Programs {
    All,
    /// Those that look at their parents: shells, other languages, what asks for or signals processes, and what is named by a path
    /// (a script, mostly). `x=$(git …)` and `… | while read x; do git …; done` are too many for a process each.
    Curious,
}

/// See [`Programs::Curious`]; shells are known by themselves, and versions may stand after (`python3.11`).
const CURIOUS: [&[u8]; 11] =
    [b"busybox", b"perl", b"python", b"ruby", b"node", b"bun", b"deno", b"php", b"ps", b"pgrep", b"pkill"];

/// So many functions are looked at for one list: it is a look that every turn of a loop may take again.
const MOST_FUNCTIONS: usize = 64;

/// A look at a list.
struct Search {
    programs: Programs,
    /// One was found: the rest is looked at for lists in the background only.
    has_program: bool,
    /// Those that were looked at, or will be.
    functions: BTreeSet<Vec<u8>>,
    /// Those that will be: functions call each other in chains that are longer than the stack.
    pending: Vec<Arc<Function>>,
}

impl Search {
    fn new(programs: Programs) -> Self {
        Self { programs, has_program: false, functions: BTreeSet::new(), pending: Vec::new() }
    }
}

impl Shell {
    /// Runs `( list )` in a process of its own, and waits for it. `None`: nobody would see that.
    pub(super) fn run_subshell_process(&mut self, command: &CompoundCommand, list: &List) -> Option<Flow> {
        if !self.makes_processes() || !self.list_starts(list, Programs::All) {
            return None;
        }
        let limits = self.limits_of_foreground()?;
        let place = if ends_in_program(list) { Place::AtEnd } else { Place::Within };
        let mut shell = Some(self.fork());
        let job = self.run_forked(&mut shell, limits, Ground::Front, false, |shell| {
            shell.run_in_subshell(command, list, false, place)
        })?;
        drop(shell);
        Some(self.wait_in_foreground(|shell| shell.wait_for_process(&job)))
    }

    /// Runs the list of `$( )`, whose environment `body` begins, in a process of its own, and waits for it.
    pub(crate) fn run_substitution_process(
        &mut self,
        list: &List,
        body: impl FnOnce(&mut Self) -> Flow,
    ) -> Option<Flow> {
        if !self.makes_processes() || !self.list_starts(list, Programs::Curious) {
            return None;
        }
        let limits = self.limits_of_foreground()?;
        let shell = self.fork();
        self.run_in_process(shell, limits, body)
    }

    /// Is a stage of a pipeline to be a process of its own?
    pub(super) fn stage_is_process(&mut self, stage: &Stage) -> bool {
        let Command::Compound(compound) = &stage.command else { return false };
        if !self.makes_processes() {
            return false;
        }
        let mut search = Search::new(Programs::Curious);
        let seen = match &compound.kind {
            // It is the environment of the stage.
            Compound::Subshell(list) => self.look_for_programs(list, true, &mut search),
            kind => self.look_at_compound(kind, &mut search),
        };
        self.look_at_functions(seen, search) == Seen::Program
    }

    /// Can there be processes for what runs in the foreground?
    fn makes_processes(&self) -> bool {
        self.host.most_copies.get().is_some()
            && (self.host.signal_source.get().is_some() || self.host.copy_id.is_some())
            && !self.host.run.has_timed()
            && !self.opt(Opt::Noexec)
    }

    fn list_starts(&mut self, list: &List, programs: Programs) -> bool {
        let mut search = Search::new(programs);
        let seen = self.look_for_programs(list, true, &mut search);
        self.look_at_functions(seen, search) == Seen::Program
    }

    /// What was seen and the functions that were met do, together.
    fn look_at_functions(&mut self, mut seen: Seen, mut search: Search) -> Seen {
        while seen != Seen::BackgroundLists
            && let Some(function) = search.pending.pop()
        {
            match self.look_at_compound(&function.definition.body.kind, &mut search) {
                Seen::Nothing => {}
                more => seen = more,
            }
        }
        seen
    }

    /// Runs `body` in a copy of this process, whose environment is `shell`, and waits for it.
    pub(super) fn run_in_process(
        &mut self,
        shell: Self,
        limits: Limits,
        body: impl FnOnce(&mut Self) -> Flow,
    ) -> Option<Flow> {
        let mut shell = Some(shell);
        let job = self.run_forked(&mut shell, limits, Ground::Front, false, body)?;
        // Its descriptors are the copy's now.
        drop(shell);
        Some(self.wait_for_process(&job))
    }

    fn wait_for_process(&mut self, job: &Job) -> Flow {
        let flow = self.wait_for_job(job);
        self.report_jobs();
        flow
    }

    /// `is_last`: nothing of the environment comes after the list.
    fn look_for_programs(&mut self, list: &List, is_last: bool, search: &mut Search) -> Seen {
        let mut seen = Seen::Nothing;
        for (index, item) in list.items.iter().enumerate() {
            if item.background && only_command(&item.and_or).is_none() {
                return Seen::BackgroundLists;
            }
            let is_last = is_last && !item.background && index + 1 == list.items.len();
            let others = item.and_or.rest.iter().map(|(_, pipeline)| pipeline);
            let last = item.and_or.rest.len();
            for (index, pipeline) in std::iter::once(&item.and_or.first).chain(others).enumerate() {
                let is_alone = pipeline.stages.len() == 1 && !pipeline.negated && pipeline.time.is_none();
                for stage in &pipeline.stages {
                    match self.look_at_stage(stage, is_last && is_alone && index == last, search) {
                        Seen::Nothing => {}
                        Seen::Program => {
                            seen = Seen::Program;
                            search.has_program = true;
                        }
                        Seen::BackgroundLists => return Seen::BackgroundLists,
                    }
                }
            }
        }
        seen
    }

    fn look_at_stage(&mut self, stage: &Stage, is_last: bool, search: &mut Search) -> Seen {
        match &stage.command {
            Command::Simple(simple) => self.look_at_simple(simple, is_last, search),
            Command::Compound(compound) => self.look_at_compound(&compound.kind, search),
            Command::Function(_) => Seen::Nothing,
        }
    }

    fn look_at_compound(&mut self, compound: &Compound, search: &mut Search) -> Seen {
        // What a subshell within starts has that as its parent.
        if matches!(compound, Compound::Subshell(_)) {
            return Seen::Nothing;
        }
        let mut seen = Seen::Nothing;
        for list in compound.lists() {
            match self.look_for_programs(list, false, search) {
                Seen::Nothing => {}
                Seen::Program => seen = Seen::Program,
                Seen::BackgroundLists => return Seen::BackgroundLists,
            }
        }
        seen
    }

    fn look_at_simple(&mut self, simple: &SimpleCommand, is_last: bool, search: &mut Search) -> Seen {
        let Some(Argument::Word(word)) = simple.arguments.first() else { return Seen::Nothing };
        let Some(name) = word.literal() else {
            // A path of which a part is known only later.
            let has_slash = |part: &WordPart| matches!(part, WordPart::Literal(text) if text.contains(&b'/'));
            let is_path = word.parts.iter().any(|part| match part {
                WordPart::DoubleQuoted(parts) => parts.iter().any(has_slash),
                part => has_slash(part),
            });
            return if is_path && !is_last { Seen::Program } else { Seen::Nothing };
        };
        if let Some(function) = self.env.inherited.functions.get(&*name).cloned() {
            if search.functions.len() < MOST_FUNCTIONS && search.functions.insert(name.into_owned()) {
                search.pending.push(function);
            }
            return Seen::Nothing;
        }
        if search.has_program
            || is_last && simple.redirections.is_empty()
            || crate::interpreter::builtins::find(&name).is_some()
            || self.prefers_utility(&name)
        {
            return Seen::Nothing;
        }
        // The working directory may be another one by then.
        if name.contains(&b'/') {
            return Seen::Program;
        }
        if search.programs == Programs::Curious && !is_curious(&name) {
            return Seen::Nothing;
        }
        let path = self.search_list();
        match self.host.executor.find(&name, &path, &self.env.inherited.cwd) {
            Some(_) => Seen::Program,
            None => Seen::Nothing,
        }
    }
}

fn is_curious(name: &[u8]) -> bool {
    let end = name.iter().rposition(|byte| !matches!(byte, b'0'..=b'9' | b'.')).map_or(0, |last| last + 1);
    let unversioned = &name[..end];
    // `ksh93` is a name of its own, `bash5.2` is a version of bash.
    [name, unversioned].into_iter().any(|name| KnownShell::named(name).is_some()) || CURIOUS.contains(&unversioned)
}
