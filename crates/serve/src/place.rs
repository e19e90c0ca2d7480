//! Where in an object something is wrong, by the names of its members.

/// How many names are said.
const MAX_NAMES: usize = 8;

/// How long a name may be, in bytes: a client's own may be any text.
const MAX_NAME: usize = 64;

/// What is wrong with parameters, and with which: `` `params.options.env.A`: invalid type: … ``. `text` is what was read.
pub(crate) fn describe(text: &str, error: &serde_json::Error) -> String {
    let said = error.to_string();
    let at = format!(" at line {} column {}", error.line(), error.column());
    let Some(why) = said.strip_suffix(&at) else { return format!("`params`: {said}") };
    let before: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let end = before.saturating_add(error.column()).min(text.len());
    let mut place = "params".to_owned();
    for name in names(text.as_bytes().get(..end).unwrap_or_default()) {
        place.push_str(&name);
    }
    format!("`{place}`: {why}")
}

/// The names of the members and places in arrays that are open at the end of the beginning of a JSON text.
fn names(beginning: &[u8]) -> Vec<String> {
    // For each open object the name of the member whose value is read, for each open array the place in it.
    let mut open: Vec<Open<'_>> = Vec::new();
    let mut last = None;
    let mut rest = beginning;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'"' => {
                let length = string_length(rest);
                last = rest.get(..length);
                rest = rest.get(length.saturating_add(1)..).unwrap_or_default();
            }
            b'{' => open.push(Open::Object(None)),
            b'[' => open.push(Open::Array(0)),
            b'}' | b']' => drop(open.pop()),
            b':' => {
                if let Some(Open::Object(name)) = open.last_mut() {
                    *name = last;
                }
            }
            b',' => match open.last_mut() {
                Some(Open::Object(name)) => *name = None,
                Some(Open::Array(place)) => *place += 1,
                None => {}
            },
            _ => {}
        }
    }
    let mut names: Vec<String> = open.iter().take(MAX_NAMES).map_while(Open::name).collect();
    if open.len() > MAX_NAMES {
        names.push("…".to_owned());
    }
    names
}

enum Open<'t> {
    Object(Option<&'t [u8]>),
    Array(usize),
}

impl Open<'_> {
    /// `None`: no member's value is read.
    fn name(&self) -> Option<String> {
        match self {
            Self::Array(place) => Some(format!("[{place}]")),
            Self::Object(None) => None,
            Self::Object(Some(name)) if name.len() > MAX_NAME => Some(".…".to_owned()),
            Self::Object(Some(name)) => Some(format!(".{}", String::from_utf8_lossy(name))),
        }
    }
}

/// How long a string is, as it is written, up to its end quote.
fn string_length(text: &[u8]) -> usize {
    let mut is_escaped = false;
    let end = text.iter().position(|&byte| {
        let is_end = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    });
    end.unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{ExecParams, RunParams};

    fn why<T: serde::de::DeserializeOwned>(text: &str) -> String {
        let error = crate::by_name::object_from_str::<T>(text).err().expect("it is wrong");
        describe(text, &error)
    }

    #[test]
    fn the_member_that_is_wrong_is_named() {
        for (text, expected) in [
            (
                r#"{"command":"x","options":{"env":{"B":"","A":1}}}"#,
                "`params.options.env.A`: invalid type: integer `1`, ",
            ),
            (r#"{"command":["x"]}"#, "`params.command`: invalid type: sequence, expected a string"),
            (r#"{"options":{"configs":"a"},"command":"x"}"#, "`params.options.configs`: invalid type: string \"a\", "),
            (
                "{\"options\":\n{\"configs\":[\"a,{\\\"\", 2]}}",
                "`params.options.configs[1]`: invalid type: integer `2`, ",
            ),
            (r#"{"options":{"cwd":"/"},"stdin":""}"#, "`params`: missing field `command`"),
            (r#"{"options":{"cwd":"/","pwd":"/"}}"#, "`params.options`: unknown field `pwd`, "),
            (r#"{"cmd":"x"}"#, "`params`: unknown field `cmd`, "),
            ("[]", "`params`: invalid type: sequence, expected an object"),
        ] {
            let said = why::<ExecParams>(text);
            assert!(said.starts_with(expected), "{text}: {said}");
            assert!(!said.contains(" column "), "{said}");
        }
    }

    #[test]
    fn deep_and_long_places_are_said_shortly() {
        let long = format!(r#"{{"options":{{"env":{{"{}":1}}}}}}"#, "x".repeat(1 << 20));
        assert!(why::<RunParams>(&long).starts_with("`params.options.env.…`: "), "{}", why::<RunParams>(&long).len());
        let deep = format!(r#"{{"input":{}"#, "[".repeat(1000));
        assert_eq!(names(deep.as_bytes()).concat(), ".input[0][0][0][0][0][0][0]…");
    }
}
