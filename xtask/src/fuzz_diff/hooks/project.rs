//! A hook project: a script, the library that it sources, and the scripts that it starts.

use std::fmt;

use fastrand::Rng;

use super::pieces::{HELPER, LIBRARY, PIECES, PROLOGUES, SHEBANGS};

/// How many pieces a script has at most.
const MOST_PIECES: usize = 9;

/// A project. The pieces of its script come in the order in which they stand.
#[derive(Debug, Clone)]
pub(super) struct Project {
    shebang: &'static str,
    prologue: &'static str,
    pieces: Vec<String>,
    end: String,
    payload: String,
    names_shell: bool,
    script: &'static str,
    arguments: Vec<String>,
}

const WORDS: [&str; 8] = ["alpha", "b c", "", "x=1", "-n", "*", "git push", "ünï"];
const NAMES: [&str; 4] = ["one", "two", "three", "four"];

impl Project {
    /// Project `index` of the run with this seed.
    pub(super) fn new(seed: u64, index: u64) -> Self {
        let mut random = Rng::with_seed(seed.wrapping_add(index.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        let count = random.usize(2..=MOST_PIECES);
        let pieces = (0..count).map(|number| piece(&mut random, number)).collect();
        let end = match random.u8(..7) {
            0 => "exit 2\n".to_owned(),
            1 => "exit 49\n".to_owned(),
            2 => "deny 'not allowed'\n".to_owned(),
            3 => "echo '{\"decision\":\"allow\"}'\n".to_owned(),
            4 => "exit \"$(($# + 1))\"\n".to_owned(),
            5 => "main \"$@\"\n".to_owned(),
            _ => String::new(),
        };
        let word = |random: &mut Rng| WORDS[random.usize(..WORDS.len())];
        let payload = match random.u8(..4) {
            0 => format!("{{\"tool_name\":\"bash\",\"tool_input\":{{\"command\":\"{}\"}}}}\n", word(&mut random)),
            1 => "{\"tool_name\":\"edit\",\n \"n\": 3,\n\"list\":[1,2]}\n".to_owned(),
            2 => "first line\n  second\\ line\nthird without end".to_owned(),
            _ => String::new(),
        };
        let arguments = (0..random.usize(..4)).map(|_| word(&mut random).to_owned()).collect();
        Self {
            shebang: SHEBANGS[random.usize(..SHEBANGS.len())],
            prologue: PROLOGUES[random.usize(..PROLOGUES.len())],
            pieces,
            end,
            payload,
            names_shell: random.bool(),
            script: if random.bool() { "hooks/main.sh" } else { "./hooks/main.sh" },
            arguments,
        }
    }

    /// How many pieces it has.
    pub(super) fn len(&self) -> usize {
        self.pieces.len()
    }

    /// The same without one piece.
    pub(super) fn without(&self, piece: usize) -> Self {
        let mut smaller = self.clone();
        smaller.pieces.remove(piece);
        smaller
    }

    /// Its files, all executable.
    pub(super) fn files(&self) -> [(String, String); 3] {
        let main = format!("{}\n{}\n{}{}", self.shebang, self.prologue, self.pieces.concat(), self.end);
        [("hooks/main.sh", main.as_str()), ("hooks/lib/common.sh", LIBRARY), ("hooks/helper.sh", HELPER)]
            .map(|(name, text)| (name.to_owned(), text.to_owned()))
    }

    /// Its standard input.
    pub(super) fn payload(&self) -> &str {
        &self.payload
    }

    /// Does its command name the shell?
    pub(super) fn names_shell(&self) -> bool {
        self.names_shell
    }

    pub(super) fn script(&self) -> &str {
        self.script
    }

    /// The options of the shell that its first line gives, where that is what starts it.
    pub(super) fn options(&self) -> impl Iterator<Item = &str> {
        self.shebang.split(' ').filter(|word| !self.names_shell && matches!(*word, "-u" | "-e"))
    }

    pub(super) fn arguments(&self) -> &[String] {
        &self.arguments
    }

    /// The command line of the hook.
    pub(super) fn command(&self) -> String {
        let quoted = self.arguments.iter().map(|word| format!(" '{word}'")).collect::<String>();
        format!("{}{}{quoted}", if self.names_shell { "bash " } else { "" }, self.script)
    }
}

/// One piece, with its blanks filled in: `@W` a word, `@N` a name, `@D` a digit, `@#` the piece's own number.
fn piece(random: &mut Rng, number: usize) -> String {
    let mut text = String::new();
    let mut rest = PIECES[random.usize(..PIECES.len())];
    while let Some((before, after)) = rest.split_once('@') {
        text.push_str(before);
        let mut characters = after.chars();
        match characters.next() {
            Some('W') => text.push_str(WORDS[random.usize(..WORDS.len())]),
            Some('N') => text.push_str(NAMES[random.usize(..NAMES.len())]),
            Some('D') => text.push_str(&random.u8(..10).to_string()),
            Some('#') => text.push_str(&number.to_string()),
            Some(other) => text.extend(['@', other]),
            None => text.push('@'),
        }
        rest = characters.as_str();
    }
    text.push_str(rest);
    text.push('\n');
    text
}

impl fmt::Display for Project {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "command: {}\npayload: {:?}", self.command(), self.payload)?;
        self.files().iter().try_for_each(|(name, text)| write!(f, "--- {name}\n{text}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_project_every_time() {
        let text = |index| Project::new(1, index).to_string();
        assert_eq!(text(3), text(3));
        assert_ne!(text(3), text(4));
    }

    #[test]
    fn a_smaller_project_has_one_piece_less() {
        let project = Project::new(1, 0);
        assert_eq!(project.without(0).len(), project.len() - 1);
    }
}
