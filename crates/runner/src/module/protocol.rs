//! The messages between the runner and a module: lines of JSON (`sdk/python/README.md` has the list).

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Python's part, which needs not be installed. A published crate has only what is in its own directory: these are copies of
/// the SDK's files, which `cargo xtask schemas` makes.
const FILES: [(&str, &str); 2] =
    [("hookshell", include_str!("python/__init__.py")), ("hookshell._host", include_str!("python/_host.py"))];

/// What Python runs: it reads the first line, makes modules of the sources in it, and gives them the conversation. The
/// working directory is taken off the path first: a `json.py` in the project is none of ours.
pub(super) const BOOTSTRAP: &str = "\
import sys
sys.path[:] = [entry for entry in sys.path if entry]
import json, types
init = json.loads(sys.stdin.buffer.readline())
for name, source in init['files'].items():
    module = types.ModuleType(name)
    module.__package__ = 'hookshell'
    module.__path__ = []
    sys.modules[name] = module
    exec(compile(source, '<' + name + '>', 'exec'), module.__dict__)
sys.modules['hookshell._host'].main(init)
";

/// The first line.
pub(super) fn init(module: &Path, project_dir: &Path, has_ui: bool) -> Vec<u8> {
    #[derive(Serialize)]
    struct Init<'i> {
        files: serde_json::Map<String, serde_json::Value>,
        module: &'i str,
        project_dir: &'i str,
        has_ui: bool,
    }
    let files = FILES.into_iter().map(|(name, source)| (name.to_owned(), source.into())).collect();
    let (module, project_dir) = (module.to_string_lossy(), project_dir.to_string_lossy());
    line(&Init { files, module: &module, project_dir: &project_dir, has_ui })
}

/// What the runner tells a module.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(super) enum ToModule<'m> {
    Event {
        id: u64,
        event: &'m RawValue,
    },
    Cancel {
        id: u64,
    },
    Answer {
        id: &'m str,
        #[serde(skip_serializing_if = "Option::is_none")]
        value: Option<serde_json::Value>,
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<&'m str>,
    },
}

/// A message with its newline.
pub(super) fn line(message: &impl Serialize) -> Vec<u8> {
    // Writing strings and numbers into memory cannot fail.
    let mut line = serde_json::to_vec(message).unwrap_or_default();
    line.push(b'\n');
    line
}

/// What a module tells the runner.
#[derive(Debug, Deserialize)]
pub(super) struct FromModule<'m> {
    #[serde(rename = "type")]
    pub(super) kind: &'m str,
    /// A number for events, a text for the module's own requests.
    #[serde(borrow)]
    pub(super) id: Option<&'m RawValue>,
    #[serde(borrow)]
    pub(super) result: Option<&'m RawValue>,
    /// What each handler gave, where there were several: an array.
    #[serde(borrow)]
    pub(super) each: Option<&'m RawValue>,
    pub(super) message: Option<String>,
    /// The event in whose handler a person is asked.
    pub(super) event: Option<u64>,
    #[serde(flatten)]
    pub(super) request: Request,
}

/// What a module asks for.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Request {
    pub(super) call: String,
    pub(super) title: String,
    pub(super) placeholder: String,
    pub(super) options: Vec<String>,
    pub(super) level: String,
    pub(super) command: String,
    pub(super) args: Vec<String>,
    pub(super) timeout: Option<f64>,
    pub(super) cwd: Option<String>,
}
