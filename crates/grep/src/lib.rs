//! `grep`, `egrep` and `fgrep`: lines that match patterns.
#![forbid(unsafe_code)]

mod backtrack;
mod colors;
mod command;
mod line;
mod matcher;
mod names;
mod pattern_text;
mod perl;
mod scan;
mod searched;
mod source;
mod walk;

use hookshell_utility::Profile;
use hookshell_utility::prepare_compiling;
use hookshell_utility::{Language, Prepared, Unsupported, Utility, UtilityCall};

use matcher::Cache;
use source::Kind;

/// `grep` as GNU grep 3.8 does it.
///
/// In a directory (`-r`) the order is the directory's own, as GNU's is.
struct Grep {
    name: &'static str,
    kind: Kind,
    cache: Cache,
}

/// Those of this directory.
pub fn all() -> Vec<Box<dyn Utility>> {
    let grep = |name, kind| -> Box<dyn Utility> { Box::new(Grep { name, kind, cache: Cache::default() }) };
    vec![grep("grep", Kind::Basic), grep("egrep", Kind::Extended), grep("fgrep", Kind::Fixed)]
}

impl Utility for Grep {
    fn name(&self) -> &'static str {
        self.name
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        // Its messages begin with `grep` by whatever name it is called.
        prepare_compiling(
            Profile::new("grep").usage(2).write_error(Some(2)),
            call,
            |call| command::read(call, self.kind, &self.cache),
            |_| false,
            language,
            walk::run,
        )
    }
}

/// Do the patterns compile? Where their file cannot be read there are none.
fn language(command: &command::Command<'_>) -> Language {
    match &command.matcher {
        Some(Ok(_)) => Language::Compiles,
        Some(Err(message)) if !command.source.patterns.is_empty() => Language::Wrong(message.clone()),
        Some(Err(_)) | None => Language::None,
    }
}
