//! `find`'s expressions.

use hookshell_text::pattern::{Options, Pattern};
use hookshell_utility::zone::{Zone, since_epoch};
use hookshell_utility::{Unsupported, UtilityCall};

use super::super::mode_change::ModeChange;
use super::printf::Format;
use super::regex::{Kind, PathRegex};
use crate::date::{Expression as Date, parse_date};

/// What is done to each entry.
#[derive(Debug)]
pub(super) enum Node<'a> {
    Not(Box<Node<'a>>),
    /// All, as long as they are true.
    And(Vec<Node<'a>>),
    /// Until one is true.
    Or(Vec<Node<'a>>),
    /// All; the last one counts.
    List(Vec<Node<'a>>),
    Test(Test<'a>),
}

/// How a number is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    Less,
    Equal,
    Greater,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) comparison: Comparison,
    pub(super) number: u64,
}

/// One of a file's times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Time {
    Accessed,
    Modified,
    Changed,
}

/// A pattern for names.
#[derive(Debug)]
pub(super) struct NamePattern {
    characters: Pattern,
    /// For names that are not UTF-8.
    bytes: Pattern,
}

impl NamePattern {
    pub(super) fn matches(&self, name: &[u8]) -> bool {
        if std::str::from_utf8(name).is_ok() { self.characters.matches(name) } else { self.bytes.matches(name) }
    }
}

/// A point in time to compare with.
#[derive(Debug)]
pub(super) enum Reference<'a> {
    /// A file's.
    File(&'a [u8], Time),
    Date(Box<Date>, &'a [u8]),
    Known((i64, u32)),
}

#[derive(Debug)]
pub(super) enum Owner<'a> {
    Name(&'a [u8]),
    Id(u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PermissionMatch {
    Exact,
    All,
    Any,
}

#[derive(Debug)]
pub(super) enum Test<'a> {
    True,
    False,
    Name(NamePattern),
    Path(NamePattern),
    LinkName(NamePattern),
    /// Types of `struct stat`; of what a link leads to or the other way round.
    Kind(Vec<u32>, bool),
    /// A count of blocks of this size, rounded up.
    Size(Count, u64),
    Empty,
    Permissions(PermissionMatch, [u32; 2]),
    User(Owner<'a>),
    Group(Owner<'a>),
    UserId(Count),
    GroupId(Count),
    NoUser,
    NoGroup,
    Links(Count),
    Inode(Count),
    SameFile(&'a [u8], Option<(u64, u64)>),
    Newer(Time, Reference<'a>),
    /// Age in units of so many seconds, before now or the time that `-daystart` takes for it.
    Age(Time, Comparison, f64, u32, Option<(i64, u32)>),
    /// On a file system of these devices.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only Linux's file systems are listed"))]
    Devices(Vec<u64>),
    Access(hookshell_process::system::Access),
    Prune,
    Quit,
    Delete,
    /// With this after each.
    Print(u8, Where),
    Printf(Format, Where),
    /// As `ls -dils`.
    List(Where),
    Regex(PathRegex),
    /// The index among the commands.
    Execute(usize),
}

/// Where something is written: one of the expression's files; `None`: standard output.
pub(super) type Where = Option<usize>;

/// A command that is run.
#[derive(Debug)]
pub(super) struct Execution<'a> {
    pub(super) words: Vec<&'a [u8]>,
    /// `+`
    pub(super) is_batch: bool,
    /// In the entry's directory.
    pub(super) in_directory: bool,
    /// Only when the answer is yes.
    pub(super) asks: bool,
}

#[derive(Debug)]
pub(super) struct Expression<'a> {
    pub(super) root: Node<'a>,
    pub(super) executions: Vec<Execution<'a>>,
    /// The files that are written.
    pub(super) files: Vec<&'a [u8]>,
    pub(super) max_depth: usize,
    /// `-files0-from`: the file with the operands.
    pub(super) files_from: Option<&'a [u8]>,
    pub(super) min_depth: usize,
    pub(super) depth_first: bool,
    pub(super) one_device: bool,
    pub(super) follows: bool,
    /// Said before the walk.
    pub(super) warnings: Vec<Vec<u8>>,
}

/// Parentheses nest at most so deep here.
const DEEPEST: usize = 100;

/// Reads the expression.
///
/// # Errors
/// What is not supported, and everything that is no expression: the real program says what is wrong with it.
pub(super) fn read_expression<'a>(words: &[&'a [u8]], call: &UtilityCall<'a>) -> Result<Expression<'a>, Unsupported> {
    let mut parser = Parser {
        words,
        at: 0,
        depth: 0,
        zone: Zone::of(call.env)?,
        has_action: false,
        deletes: false,
        prunes: false,
        has_depth: false,
        regex_kind: Kind::Default,
        day_end: None,
        bytes: hookshell_utility::locale::is_bytes(call.env),
        expression: Expression {
            root: Node::Test(Test::True),
            executions: Vec::new(),
            files: Vec::new(),
            max_depth: usize::MAX,
            files_from: None,
            min_depth: 0,
            depth_first: false,
            one_device: false,
            follows: false,
            warnings: Vec::new(),
        },
    };
    let root = if words.is_empty() { Node::Test(Test::True) } else { parser.list()? };
    if parser.at < words.len() {
        return Err(parser.broken());
    }
    if parser.deletes && parser.prunes && !parser.has_depth {
        return Err(Unsupported::mistake("-delete with -prune"));
    }
    let mut expression = parser.expression;
    expression.root = match parser.has_action {
        true => root,
        false => Node::And(vec![root, Node::Test(Test::Print(b'\n', None))]),
    };
    Ok(expression)
}

struct Parser<'w, 'a> {
    words: &'w [&'a [u8]],
    at: usize,
    depth: usize,
    zone: Zone,
    /// Something is done, so that nothing is printed by itself.
    has_action: bool,
    deletes: bool,
    prunes: bool,
    has_depth: bool,
    regex_kind: Kind,
    /// The end of this day, once there was a `-daystart`.
    day_end: Option<(i64, u32)>,
    /// Characters are bytes.
    bytes: bool,
    expression: Expression<'a>,
}

impl<'a> Parser<'_, 'a> {
    fn broken(&self) -> Unsupported {
        match self.words.get(self.at) {
            Some(word) => Unsupported::mistake(format!("{} there", word.escape_ascii())),
            None => Unsupported::mistake("an expression that ends so"),
        }
    }

    fn peek(&self) -> Option<&'a [u8]> {
        self.words.get(self.at).copied()
    }

    fn list(&mut self) -> Result<Node<'a>, Unsupported> {
        let mut nodes = vec![self.or()?];
        while self.peek() == Some(b",") {
            self.at += 1;
            nodes.push(self.or()?);
        }
        // The real one's optimizer drops or keeps such operands by rules of its own.
        if nodes.len() > 1 && !nodes.iter().all(acts) {
            return Err(Unsupported::new("a comma after or before tests alone"));
        }
        Ok(single(nodes, Node::List))
    }

    fn or(&mut self) -> Result<Node<'a>, Unsupported> {
        let mut nodes = vec![self.and()?];
        while matches!(self.peek(), Some(b"-o" | b"-or")) {
            self.at += 1;
            nodes.push(self.and()?);
        }
        Ok(single(nodes, Node::Or))
    }

    fn and(&mut self) -> Result<Node<'a>, Unsupported> {
        let mut nodes = vec![self.not()?];
        loop {
            match self.peek() {
                Some(b"-a" | b"-and") => self.at += 1,
                None | Some(b"-o" | b"-or" | b"," | b")") => break,
                Some(_) => {}
            }
            nodes.push(self.not()?);
        }
        Ok(single(nodes, Node::And))
    }

    fn not(&mut self) -> Result<Node<'a>, Unsupported> {
        let mut negative = false;
        while matches!(self.peek(), Some(b"!" | b"-not")) {
            self.at += 1;
            negative = !negative;
        }
        let node = self.primary()?;
        Ok(if negative { Node::Not(Box::new(node)) } else { node })
    }

    fn primary(&mut self) -> Result<Node<'a>, Unsupported> {
        let word = self.peek().ok_or_else(|| self.broken())?;
        if word == b"(" {
            if self.depth >= DEEPEST {
                return Err(Unsupported::new("so many parentheses"));
            }
            self.at += 1;
            self.depth += 1;
            let node = self.list()?;
            self.depth -= 1;
            if self.peek() != Some(b")") {
                return Err(self.broken());
            }
            self.at += 1;
            return Ok(node);
        }
        let Some(name) = word.strip_prefix(b"-") else { return Err(self.broken()) };
        let start = self.at;
        self.at += 1;
        let test = self.test(name)?;
        match test {
            Some(test) => Ok(Node::Test(test)),
            None => {
                self.at = start;
                Err(Unsupported::option(word))
            }
        }
    }

    fn argument(&mut self) -> Result<&'a [u8], Unsupported> {
        let word = self.peek().ok_or_else(|| self.broken())?;
        self.at += 1;
        Ok(word)
    }

    /// What cannot be read is refused with the argument.
    fn bad<T>(&self, text: &[u8]) -> Result<T, Unsupported> {
        let test = self.at.checked_sub(2).and_then(|at| self.words.get(at)).copied().unwrap_or_default();
        Err(Unsupported::mistake(format!("{} {}", test.escape_ascii(), text.escape_ascii())))
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
            return Err(self.broken());
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

    fn test(&mut self, name: &[u8]) -> Result<Option<Test<'a>>, Unsupported> {
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
                let Ok(devices) = super::super::df::devices_of(kind) else { return self.bad(kind) };
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
}

fn single<'a>(mut nodes: Vec<Node<'a>>, join: impl FnOnce(Vec<Node<'a>>) -> Node<'a>) -> Node<'a> {
    match (nodes.len(), nodes.pop()) {
        (1, Some(node)) => node,
        (_, Some(node)) => {
            nodes.push(node);
            join(nodes)
        }
        (_, None) => Node::Test(Test::True),
    }
}

/// Is anything done there?
fn acts(node: &Node<'_>) -> bool {
    match node {
        Node::Not(inner) => acts(inner),
        Node::And(nodes) | Node::Or(nodes) | Node::List(nodes) => nodes.iter().any(acts),
        Node::Test(test) => {
            matches!(test, Test::Print(..) | Test::Printf(..) | Test::List(_) | Test::Execute(_) | Test::Delete)
        }
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

impl Count {
    pub(super) fn holds(self, value: u64) -> bool {
        match self.comparison {
            Comparison::Less => value < self.number,
            Comparison::Equal => value == self.number,
            Comparison::Greater => value > self.number,
        }
    }
}
