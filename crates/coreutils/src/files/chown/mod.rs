//! `chown`, `chgrp`: change who owns files.

mod spec;

use std::io;

use hookshell_files::at::{Pinned, Place};
use hookshell_files::file_stat::FileStat;
use hookshell_process::system;
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{LONG_ONLY, OptionSpec, Parsed, flag, parse, value};
use hookshell_utility::prepare;
use hookshell_utility::quote;
use hookshell_utility::{Prepared, Unsupported, Utility, UtilityCall};

use self::spec::{Owner, of_group, of_user};
use super::levels::{Levels, Step, list, tell_kept_root};

/// `chown [-cfhvR] [-H|-L|-P] [--from=OWNER] OWNER[:GROUP] FILE…`, `chgrp … GROUP FILE…`, both with `--reference=FILE` (XCU `chown`
/// and `chgrp`, GNU's additions). Windows has owners of another kind: all is refused there.
pub(crate) enum Program {
    Chown,
    Chgrp,
}

const REFERENCE: u8 = LONG_ONLY;
const FROM: u8 = LONG_ONLY + 1;
const DEREFERENCE: u8 = LONG_ONLY + 2;
const PRESERVE_ROOT: u8 = LONG_ONLY + 3;
const NO_PRESERVE_ROOT: u8 = LONG_ONLY + 4;
const OPTIONS: &[OptionSpec] = &[
    flag(b'R', "recursive"),
    flag(b'c', "changes"),
    flag(b'f', "silent"),
    flag(b'f', "quiet"),
    flag(b'h', "no-dereference"),
    flag(b'v', "verbose"),
    flag(b'H', ""),
    flag(b'L', ""),
    flag(b'P', ""),
    flag(DEREFERENCE, "dereference"),
    flag(PRESERVE_ROOT, "preserve-root"),
    flag(NO_PRESERVE_ROOT, "no-preserve-root"),
    value(REFERENCE, "reference"),
    value(FROM, "from"),
];

impl Program {
    fn read<'a>(&self, call: &UtilityCall<'a>) -> Result<Parsed<'a>, Unsupported> {
        let parsed = parse(call.argv, OPTIONS)?;
        if cfg!(not(unix)) {
            return Err(Unsupported::new("this system"));
        }
        if matches!(self, Self::Chgrp) && parsed.has(FROM) {
            return Err(Unsupported::option(b"--from"));
        }
        let from = parsed.last(FROM);
        let named = parsed.operands.first().copied().filter(|_| !parsed.has(REFERENCE));
        for owner in from.into_iter().chain(named) {
            if let Some(name) = self.spec(owner).err().filter(|wrong| wrong.may_be_elsewhere).map(|wrong| wrong.name) {
                return Err(Unsupported::new(format!("the owner {}", name.escape_ascii())));
            }
        }
        Ok(parsed)
    }

    fn spec<'t>(&self, text: &'t [u8]) -> Result<Owner, spec::Wrong<'t>> {
        match self {
            Self::Chown => of_user(text),
            Self::Chgrp => of_group(text),
        }
    }
}

impl Utility for Program {
    fn name(&self) -> &'static str {
        match self {
            Self::Chown => "chown",
            Self::Chgrp => "chgrp",
        }
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare(self.name(), call, |call| self.read(call), |running, parsed| run(self, running, parsed))
    }
}

/// Which links are followed to what they lead to, in a tree.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Follows {
    None,
    Operands,
    All,
}

struct Chowning<'r, 'a> {
    running: &'r Running<'a>,
    parsed: &'r Parsed<'r>,
    owner: Owner,
    /// What the owner must be now.
    required: Owner,
    follows: Follows,
    /// Of a link that is met, what it leads to is changed.
    changes_referents: bool,
    /// `/`, where it is kept.
    root: Option<(u64, u64)>,
    failed: bool,
}

fn run(program: &Program, running: &Running<'_>, parsed: Parsed<'_>) -> Result<u8, Failure> {
    let is_recursive = parsed.has(b'R');
    let last = |letters: &[u8]| parsed.options.iter().rev().map(|(letter, _)| *letter).find(|it| letters.contains(it));
    let dereference = last(&[b'h', DEREFERENCE]);
    let follows = match last(b"HLP").filter(|_| is_recursive) {
        Some(b'H') => Follows::Operands,
        Some(b'L') => Follows::All,
        _ => Follows::None,
    };
    let reference = parsed.last(REFERENCE);
    let files = if reference.is_some() { &parsed.operands[..] } else { parsed.operands.get(1..).unwrap_or_default() };
    if is_recursive && follows == Follows::None && dereference == Some(DEREFERENCE) {
        running.message(b"-R --dereference requires either -H or -L")?;
        return Ok(1);
    }
    let wrong = |wrong: spec::Wrong<'_>, text: &[u8]| {
        running.message(&[wrong.what.as_bytes(), b": ", &quote::locale(text)[..]].concat())
    };
    // GNU looks at this value while it reads the options.
    let mut required = Owner::default();
    for (_, text) in parsed.options.iter().filter(|(letter, _)| *letter == FROM) {
        match of_user(text) {
            Ok(owner) => required = warned(running, owner, text)?,
            Err(reason) => {
                wrong(reason, text)?;
                return Ok(1);
            }
        }
    }
    if files.is_empty() {
        return match parsed.operands.last() {
            Some(last) => running.usage(&[&b"missing operand after "[..], &quote::locale(last)].concat()),
            None => running.usage(b"missing operand"),
        };
    }
    let owner = match (reference, parsed.operands.first()) {
        (Some(reference), _) => match running.path(reference).metadata() {
            Ok(metadata) => {
                let stat = FileStat::of(&metadata);
                let group = (Some(stat.gid), Some(group_text(stat.gid)));
                match program {
                    Program::Chown => Owner {
                        user: Some(stat.uid),
                        user_text: Some(user_text(stat.uid)),
                        group: group.0,
                        group_text: group.1,
                        has_dot: false,
                    },
                    Program::Chgrp => Owner { group: group.0, group_text: group.1, ..Owner::default() },
                }
            }
            Err(error) => {
                running.report_error_of("failed to get attributes of", reference, &error)?;
                return Ok(1);
            }
        },
        (None, Some(text)) => match program.spec(text) {
            Ok(owner) => warned(running, owner, text)?,
            Err(reason) => {
                wrong(reason, text)?;
                return Ok(1);
            }
        },
        (None, None) => return Ok(1),
    };
    let keeps_root = is_recursive && last(&[PRESERVE_ROOT, NO_PRESERVE_ROOT]) == Some(PRESERVE_ROOT);
    let root = Place::at("/".into()).stat().ok().filter(|_| keeps_root).map(|stat| (stat.device, stat.inode));
    let mut chowning = Chowning {
        running,
        parsed: &parsed,
        owner,
        required,
        follows,
        changes_referents: match dereference {
            Some(b'h') => false,
            _ => !(is_recursive && follows == Follows::None),
        },
        root,
        failed: false,
    };
    for &file in files {
        chowning.operand(file)?;
    }
    Ok(u8::from(chowning.failed))
}

/// The owner, after GNU's warning of `USER.GROUP`.
fn warned(running: &Running<'_>, owner: Owner, text: &[u8]) -> Result<Owner, Failure> {
    if owner.has_dot {
        running.message(&[&b"warning: '.' should be ':': "[..], &quote::locale(text)].concat())?;
    }
    Ok(owner)
}

fn user_text(id: u32) -> Vec<u8> {
    system::user_name(id).unwrap_or_else(|| id.to_string().into_bytes())
}

fn group_text(id: u32) -> Vec<u8> {
    system::group_name(id).unwrap_or_else(|| id.to_string().into_bytes())
}

/// `user:group`, or one of both; `None`: neither.
fn both(user: Option<Vec<u8>>, group: Option<Vec<u8>>) -> Option<Vec<u8>> {
    match (user, group) {
        (Some(user), Some(group)) => Some([&user[..], b":", &group].concat()),
        (user, group) => user.or(group),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Changed,
    Failed,
    Retained,
}

impl Chowning<'_, '_> {
    fn complain(&mut self, doing: &str, name: &[u8], error: &io::Error) -> Result<(), Failure> {
        self.failed = true;
        if !self.parsed.has(b'f') {
            self.running.report_error_of(doing, name, error)?;
        }
        Ok(())
    }

    /// Is it said what was done to a file? Of `-c` and `-v` the last one counts.
    fn is_verbose(&self, outcome: Outcome) -> bool {
        let last = self.parsed.options.iter().rev().find(|(option, _)| matches!(option, b'c' | b'v'));
        last.is_some_and(|(option, _)| *option == b'v' || outcome == Outcome::Changed)
    }

    fn describe(&self, name: &[u8], outcome: Outcome, old: Option<&FileStat>) -> Result<(), Failure> {
        if !self.is_verbose(outcome) {
            return Ok(());
        }
        let owner = &self.owner;
        let text = |id: Option<u32>, text: &Option<Vec<u8>>| text.clone().or(id.map(|id| id.to_string().into_bytes()));
        let group = text(owner.group, &owner.group_text);
        // `:GROUP` changes an owner, as its messages have it.
        let user = text(owner.user, &owner.user_text);
        let old_user = old.filter(|_| user.is_some()).map(|stat| user_text(stat.uid));
        let old_group = old.filter(|_| group.is_some()).map(|stat| group_text(stat.gid));
        let kind = match (&user, &group) {
            (Some(_), _) => Some("ownership"),
            (None, Some(_)) => Some("group"),
            (None, None) => None,
        };
        let new = both(user, group).unwrap_or_default();
        let old = both(old_user, old_group);
        let name = quote::always(name);
        let shown = match (outcome, kind, old) {
            (Outcome::Changed, Some(kind), Some(old)) => {
                [b"changed ", kind.as_bytes(), b" of ", &name, b" from ", &old, b" to ", &new].concat()
            }
            (Outcome::Changed, ..) => [b"no change to ownership of ", &name[..]].concat(),
            (Outcome::Failed, Some(kind), Some(old)) => {
                [b"failed to change ", kind.as_bytes(), b" of ", &name, b" from ", &old, b" to ", &new].concat()
            }
            (Outcome::Failed, Some(kind), None) => {
                [b"failed to change ", kind.as_bytes(), b" of ", &name, b" to ", &new].concat()
            }
            (Outcome::Failed, None, _) => [b"failed to change ownership of ", &name[..]].concat(),
            (Outcome::Retained, Some(kind), Some(old)) => {
                [kind.as_bytes(), b" of ", &name, b" retained as ", &old].concat()
            }
            (Outcome::Retained, ..) => [b"ownership of ", &name[..], b" retained"].concat(),
        };
        self.running.write(&[&shown[..], b"\n"].concat())
    }

    fn operand(&mut self, file: &[u8]) -> Result<(), Failure> {
        self.running.check()?;
        let place = Place::at(self.running.path(file));
        let found = if file.is_empty() { Err(io::ErrorKind::NotFound.into()) } else { place.lstat() };
        let own = match found {
            Ok(own) => own,
            Err(error) => {
                self.complain("cannot access", file, &error)?;
                return self.describe(file, Outcome::Failed, None);
            }
        };
        let mut follows = own.is_link() && self.follows != Follows::None;
        // A link that leads nowhere is changed, or not, as a link.
        let stat = match place.stat() {
            Ok(stat) if follows => stat,
            _ => {
                follows = false;
                own
            }
        };
        if stat.is_dir() && self.parsed.has(b'R') {
            return self.tree(file, place, follows, stat);
        }
        self.change(file, &place, follows, &stat)
    }

    /// A directory and all that is below it, what is in it first. What was looked at is what is changed and entered, whatever its name
    /// leads to by then.
    fn tree(&mut self, name: &[u8], place: Place, follows: bool, stat: FileStat) -> Result<(), Failure> {
        let mut levels: Levels<(Place, FileStat)> = Levels::new(name);
        self.directory(&mut levels, place, follows, stat)?;
        while let Some(step) = levels.next() {
            self.running.check()?;
            let place = match step {
                Step::Entry(place) => place,
                Step::Left((place, stat)) => {
                    let follows = place.lstat().is_ok_and(|stat| stat.is_link());
                    self.change(levels.shown(), &place, follows, &stat)?;
                    continue;
                }
            };
            let own = match place.lstat() {
                Ok(own) => own,
                Err(error) => {
                    self.complain("cannot access", levels.shown(), &error)?;
                    self.describe(levels.shown(), Outcome::Failed, None)?;
                    continue;
                }
            };
            let referent = (own.is_link() && self.follows == Follows::All).then(|| place.stat().ok()).flatten();
            let (follows, stat) = (referent.is_some(), referent.unwrap_or(own));
            if stat.is_dir() {
                self.directory(&mut levels, place, follows, stat)?;
            } else {
                self.change(levels.shown(), &place, follows, &stat)?;
            }
        }
        Ok(())
    }

    /// A directory that the walk has come to.
    fn directory(
        &mut self,
        levels: &mut Levels<(Place, FileStat)>,
        place: Place,
        follows: bool,
        stat: FileStat,
    ) -> Result<(), Failure> {
        if self.is_kept_root(levels.shown(), &stat)? {
            return Ok(());
        }
        if levels.known().any(|(_, above)| is_same(above, &stat)) {
            // A circle.
            return self.change(levels.shown(), &place, follows, &stat);
        }
        match list(&place, follows, &stat) {
            Ok(listed) => {
                levels.enter(listed, (place, stat));
                Ok(())
            }
            Err(error) => {
                self.complain("cannot read directory", levels.shown(), &error)?;
                self.describe(levels.shown(), Outcome::Failed, None)
            }
        }
    }

    /// Is it `/`, which `--preserve-root` keeps?
    fn is_kept_root(&mut self, name: &[u8], stat: &FileStat) -> Result<bool, Failure> {
        let is_root = self.root == Some((stat.device, stat.inode));
        if is_root {
            self.failed = true;
            tell_kept_root(self.running, name)?;
        }
        Ok(is_root)
    }

    /// Changes what was looked at: `follows` if that is what a link leads to.
    fn change(&mut self, name: &[u8], place: &Place, follows: bool, stat: &FileStat) -> Result<(), Failure> {
        let follows_now = follows || stat.is_link() && self.changes_referents;
        let pinned = match place.pin(follows_now) {
            Ok(pinned) if follows_now != follows || is_same(&pinned.stat, stat) => pinned,
            Ok(_) => {
                self.complain("cannot access", name, &hookshell_files::at::moved())?;
                return self.describe(name, Outcome::Failed, None);
            }
            Err(error) => {
                let doing = if follows_now { "cannot dereference" } else { "cannot access" };
                self.complain(doing, name, &error)?;
                return self.describe(name, Outcome::Failed, None);
            }
        };
        // As it was when it was looked at, also where a link led here meanwhile.
        let seen = if follows_now == follows { *stat } else { pinned.stat };
        let fits = |required: Option<u32>, is: u32| required.is_none_or(|required| required == is);
        let is_asked = fits(self.required.user, seen.uid) && fits(self.required.group, seen.gid);
        let outcome = match is_asked.then(|| self.set(&pinned)) {
            Some(Err(error)) => {
                let doing = if self.owner.user.is_some() { "changing ownership of" } else { "changing group of" };
                self.complain(doing, name, &error)?;
                Outcome::Failed
            }
            Some(Ok(())) if !self.is_same_owner(&seen) => Outcome::Changed,
            _ => Outcome::Retained,
        };
        self.describe(name, outcome, Some(&seen))
    }

    fn is_same_owner(&self, stat: &FileStat) -> bool {
        self.owner.user.is_none_or(|user| user == stat.uid) && self.owner.group.is_none_or(|group| group == stat.gid)
    }

    fn set(&self, file: &Pinned) -> io::Result<()> {
        file.set_owner(self.owner.user, self.owner.group)
    }
}

fn is_same(one: &FileStat, other: &FileStat) -> bool {
    (one.device, one.inode) == (other.device, other.inode)
}
