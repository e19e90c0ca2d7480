//! The tests and actions by their names, and the words that they take.

use hookshell_text::pattern::{Options, Pattern};
use hookshell_utility::Unsupported;
use hookshell_utility::zone::since_epoch;

use super::super::super::mode_change::ModeChange;
use super::super::printf::Format;
use super::super::regex::{Kind, PathRegex};
use super::parser::Parser;
use super::{Comparison, Count, Execution, NamePattern, Owner, PermissionMatch, Reference, Test, Time, Where};
use crate::date::parse_date;

impl<'a> Parser<'_, 'a> {
    pub(super) fn test(&mut self, name: &[u8]) -> Result<Option<Test<'a>>, Unsupported> {
        use hookshell_process::system::Access;
        let test = match name {
            b"true" | b"noleaf" | b"warn" | b"nowarn" | b"ignore_readdir_race" | b"noignore_readdir_race" => Test::True,
            b"false" => Test::False,
            b"maxdepth" => {
                self.expression.max_depth = self.depth_option()?;
                Test::True
            }
            b"files0-from" => {
                self.expression.files_from = Some(self.argument()?);
                Test::True
            }
            b"mindepth" => {
                self.expression.min_depth = self.depth_option()?;
                Test::True
            }
            b"daystart" => {
                let (now, _) = since_epoch(std::time::SystemTime::now());
                let civil = self.zone.civil(now);
                let midnight = now - (civil.hour * 3600 + civil.minute * 60 + civil.second);
                self.day_end = Some((midnight + 86_400, 0));
                Test::True
            }
            #[cfg(target_os = "linux")]
            b"fstype" => {
                let kind = self.argument()?;
                let Ok(devices) = super::super::super::df::devices_of(kind) else { return self.bad(kind) };
                Test::Devices(devices)
            }
            b"depth" | b"d" => {
                self.has_depth = true;
                self.expression.depth_first = true;
                Test::True
            }
            b"xdev" | b"mount" => {
                self.expression.one_device = true;
                Test::True
            }
            b"follow" => {
                self.expression.follows = true;
                Test::True
            }
            b"name" => Test::Name(self.pattern(false)?),
            b"iname" => Test::Name(self.pattern(true)?),
            b"path" | b"wholename" => Test::Path(self.pattern(false)?),
            b"ipath" | b"iwholename" => Test::Path(self.pattern(true)?),
            b"lname" => Test::LinkName(self.pattern(false)?),
            b"ilname" => Test::LinkName(self.pattern(true)?),
            b"type" => self.kinds(false)?,
            b"xtype" => self.kinds(true)?,
            b"size" => self.size()?,
            b"empty" => Test::Empty,
            b"perm" => self.permissions()?,
            b"user" => Test::User(self.owner()?),
            b"group" => Test::Group(self.owner()?),
            b"uid" => Test::UserId(self.count()?),
            b"gid" => Test::GroupId(self.count()?),
            b"nouser" if !cfg!(windows) => Test::NoUser,
            b"nogroup" if !cfg!(windows) => Test::NoGroup,
            b"links" => Test::Links(self.count()?),
            b"inum" if !cfg!(windows) => Test::Inode(self.count()?),
            b"samefile" if !cfg!(windows) => Test::SameFile(self.argument()?, None),
            b"newer" => Test::Newer(Time::Modified, Reference::File(self.argument()?, Time::Modified)),
            b"anewer" => Test::Newer(Time::Accessed, Reference::File(self.argument()?, Time::Modified)),
            b"cnewer" => Test::Newer(Time::Changed, Reference::File(self.argument()?, Time::Modified)),
            [b'n', b'e', b'w', b'e', b'r', letters @ ..] => return self.newer(letters),
            b"amin" => self.age(Time::Accessed, 60)?,
            b"cmin" => self.age(Time::Changed, 60)?,
            b"mmin" => self.age(Time::Modified, 60)?,
            b"atime" => self.age(Time::Accessed, 86_400)?,
            b"ctime" => self.age(Time::Changed, 86_400)?,
            b"mtime" => self.age(Time::Modified, 86_400)?,
            b"readable" => Test::Access(Access::Read),
            b"writable" => Test::Access(Access::Write),
            b"executable" => Test::Access(Access::Execute),
            b"prune" => {
                self.prunes = true;
                Test::Prune
            }
            b"quit" => Test::Quit,
            b"print" => {
                self.has_action = true;
                Test::Print(b'\n', None)
            }
            b"print0" => {
                self.has_action = true;
                Test::Print(0, None)
            }
            b"printf" => {
                self.has_action = true;
                let text = self.argument()?;
                Test::Printf(Format::parse(text, &mut self.expression.warnings)?, None)
            }
            b"delete" => {
                self.has_action = true;
                self.deletes = true;
                self.expression.depth_first = true;
                Test::Delete
            }
            b"ls" if !cfg!(windows) => {
                self.has_action = true;
                Test::List(None)
            }
            b"fls" if !cfg!(windows) => Test::List(self.file()?),
            b"fprint" => Test::Print(b'\n', self.file()?),
            b"fprint0" => Test::Print(0, self.file()?),
            b"fprintf" => {
                let file = self.file()?;
                let text = self.argument()?;
                Test::Printf(Format::parse(text, &mut self.expression.warnings)?, file)
            }
            b"regextype" => {
                let text = self.argument()?;
                match Kind::named(text) {
                    Some(kind) => self.regex_kind = kind,
                    None => return self.bad(text),
                }
                Test::True
            }
            b"regex" | b"iregex" => {
                let text = self.argument()?;
                Test::Regex(PathRegex::new(text, self.regex_kind, name == b"iregex", self.bytes)?)
            }
            b"exec" => self.execute(false, false)?,
            b"execdir" => self.execute(true, false)?,
            b"ok" => self.execute(false, true)?,
            b"okdir" => self.execute(true, true)?,
            _ => return Ok(None),
        };
        Ok(Some(test))
    }

    fn count(&mut self) -> Result<Count, Unsupported> {
        let text = self.argument()?;
        match read_count(text) {
            Some(count) => Ok(count),
            None => self.bad(text),
        }
    }

    fn pattern(&mut self, nocase: bool) -> Result<NamePattern, Unsupported> {
        let text = self.argument()?;
        // `fnmatch` finds nothing with a backslash at the end, and has byte rules for what is not UTF-8.
        let backslashes = text.iter().rev().take_while(|byte| **byte == b'\\').count();
        if backslashes % 2 == 1 || std::str::from_utf8(text).is_err() || (nocase && !text.is_ascii()) {
            return self.bad(text);
        }
        let options = Options { nocase, ..Options::default() };
        Ok(NamePattern {
            characters: Pattern::new(text, options),
            bytes: Pattern::new(text, Options { bytes: true, ..options }),
        })
    }

    fn owner(&mut self) -> Result<Owner<'a>, Unsupported> {
        let text = self.argument()?;
        if text.is_empty() || cfg!(windows) { self.bad(text) } else { Ok(Owner::Name(text)) }
    }

    fn age(&mut self, time: Time, unit: u32) -> Result<Test<'a>, Unsupported> {
        let text = self.argument()?;
        let (comparison, number) = split_comparison(text);
        let is_plain = number.first().is_some_and(u8::is_ascii_digit)
            && number.len() <= 12
            && number.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.');
        let parsed = std::str::from_utf8(number).ok().filter(|_| is_plain).and_then(|number| number.parse().ok());
        match parsed {
            Some(number) => Ok(Test::Age(time, comparison, number, unit, self.day_end)),
            None => self.bad(text),
        }
    }

    fn newer(&mut self, letters: &[u8]) -> Result<Option<Test<'a>>, Unsupported> {
        let time = |letter: u8| match letter {
            b'a' => Some(Time::Accessed),
            b'c' => Some(Time::Changed),
            b'm' => Some(Time::Modified),
            _ => None,
        };
        let &[of, with] = letters else { return Ok(None) };
        let Some(of) = time(of) else { return Ok(None) };
        let reference = if with == b't' {
            let text = self.argument()?;
            match parse_date(text, &self.zone)? {
                Some(date) => Reference::Date(Box::new(date), text),
                None => return self.bad(text),
            }
        } else {
            let Some(with) = time(with) else { return Ok(None) };
            Reference::File(self.argument()?, with)
        };
        Ok(Some(Test::Newer(of, reference)))
    }

    fn permissions(&mut self) -> Result<Test<'a>, Unsupported> {
        let text = self.argument()?;
        let (how, mode) = match text {
            [b'-', rest @ ..] => (PermissionMatch::All, rest),
            [b'/', rest @ ..] => (PermissionMatch::Any, rest),
            _ => (PermissionMatch::Exact, text),
        };
        // A mode that begins with `+` had another meaning once.
        let change = ModeChange::parse(mode).filter(|_| mode.first() != Some(&b'+') && !cfg!(windows));
        match change {
            Some(change) => Ok(Test::Permissions(how, [change.apply(0, false, 0).0, change.apply(0, true, 0).0])),
            None => self.bad(text),
        }
    }

    fn depth_option(&mut self) -> Result<usize, Unsupported> {
        let text = self.argument()?;
        let digits = !text.is_empty() && text.len() < 10 && text.iter().all(u8::is_ascii_digit);
        match std::str::from_utf8(text).ok().filter(|_| digits).and_then(|text| text.parse().ok()) {
            Some(depth) => Ok(depth),
            None => self.bad(text),
        }
    }

    fn kinds(&mut self, follows: bool) -> Result<Test<'a>, Unsupported> {
        use hookshell_files::file_stat::{BLOCK, CHARACTER, DIRECTORY, FIFO, LINK, REGULAR, SOCKET};
        let text = self.argument()?;
        let mut kinds = Vec::new();
        for (index, letter) in text.iter().enumerate() {
            if index % 2 == 1 {
                if *letter == b',' {
                    continue;
                }
                return self.bad(text);
            }
            let kind = match letter {
                b'f' => REGULAR,
                b'd' => DIRECTORY,
                b'l' => LINK,
                b'p' => FIFO,
                b's' => SOCKET,
                b'b' => BLOCK,
                b'c' => CHARACTER,
                _ => return self.bad(text),
            };
            if kinds.contains(&kind) {
                return self.bad(text);
            }
            kinds.push(kind);
        }
        if text.len() % 2 == 0 { self.bad(text) } else { Ok(Test::Kind(kinds, follows)) }
    }

    fn size(&mut self) -> Result<Test<'a>, Unsupported> {
        let text = self.argument()?;
        let (number, unit) = match text.split_last() {
            Some((b'c', rest)) => (rest, 1),
            Some((b'w', rest)) => (rest, 2),
            Some((b'b', rest)) => (rest, 512),
            Some((b'k', rest)) => (rest, 1024),
            Some((b'M', rest)) => (rest, 1024 * 1024),
            Some((b'G', rest)) => (rest, 1024 * 1024 * 1024),
            _ => (text, 512),
        };
        match read_count(number) {
            Some(count) => Ok(Test::Size(count, unit)),
            None => self.bad(text),
        }
    }

    fn execute(&mut self, in_directory: bool, asks: bool) -> Result<Test<'a>, Unsupported> {
        let mut words: Vec<&'a [u8]> = Vec::new();
        loop {
            let word = self.argument()?;
            if word == b";" {
                break;
            }
            if word == b"+" && !asks && words.last() == Some(&&b"{}"[..]) {
                words.pop();
                let has_more = words.iter().any(|word| memchr::memmem::find(word, b"{}").is_some());
                if has_more || words.is_empty() {
                    return Err(Unsupported::mistake("more than one {} before +"));
                }
                return Ok(self.add_execution(Execution { words, is_batch: true, in_directory, asks }));
            }
            words.push(word);
        }
        if words.is_empty() {
            return Err(self.misplaced());
        }
        Ok(self.add_execution(Execution { words, is_batch: false, in_directory, asks }))
    }

    /// The file of `-fprint` and its like; one that is named twice is one.
    fn file(&mut self) -> Result<Where, Unsupported> {
        let name = self.argument()?;
        self.has_action = true;
        if name == b"/dev/stdout" {
            return Ok(None);
        }
        let files = &mut self.expression.files;
        let at = files.iter().position(|known| *known == name).unwrap_or_else(|| {
            files.push(name);
            files.len() - 1
        });
        Ok(Some(at))
    }

    fn add_execution(&mut self, execution: Execution<'a>) -> Test<'a> {
        self.has_action = true;
        self.expression.executions.push(execution);
        Test::Execute(self.expression.executions.len() - 1)
    }
}

fn split_comparison(text: &[u8]) -> (Comparison, &[u8]) {
    match text {
        [b'+', rest @ ..] => (Comparison::Greater, rest),
        [b'-', rest @ ..] => (Comparison::Less, rest),
        _ => (Comparison::Equal, text),
    }
}

fn read_count(text: &[u8]) -> Option<Count> {
    let (comparison, digits) = split_comparison(text);
    if digits.is_empty() || digits.len() > 18 || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let number = std::str::from_utf8(digits).ok()?.parse().ok()?;
    Some(Count { comparison, number })
}
