//! Which tools a hook is for.

use std::fmt;

use regex::Regex;

/// A hook's matcher: an unanchored regular expression that is tested against the tool's name. Without one, or with an
/// empty one, the hook is for every tool.
#[derive(Clone, Default)]
pub struct Matcher(Option<Regex>);

impl Matcher {
    /// Compiles a matcher.
    ///
    /// # Errors
    /// The text is not a regular expression.
    pub fn new(pattern: &str) -> Result<Self, regex::Error> {
        match pattern {
            "" => Ok(Self(None)),
            _ => Regex::new(pattern).map(Some).map(Self),
        }
    }

    /// Is the hook for this tool?
    pub fn matches(&self, tool_name: &str) -> bool {
        self.0.as_ref().is_none_or(|regex| regex.is_match(tool_name))
    }

    /// The pattern as the config has it; `None` where every tool matches.
    pub fn pattern(&self) -> Option<&str> {
        self.0.as_ref().map(Regex::as_str)
    }
}

impl fmt::Debug for Matcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Matcher").field(&self.pattern()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::Matcher;

    #[test]
    fn a_matcher_is_an_unanchored_regular_expression() {
        let cases = [
            ("", "bash", true),
            ("", "", true),
            ("bash", "bash", true),
            ("bash", "my_bash_tool", true),
            ("^bash$", "my_bash_tool", false),
            ("^(edit|write|multiedit)$", "multiedit", true),
            ("^(edit|write|multiedit)$", "multiedits", false),
            ("^mcp_", "mcp_github_create_pull_request", true),
            ("^mcp_", "bash", false),
            ("Bash", "bash", false),
            ("(?i)BASH", "bash", true),
        ];
        for (pattern, tool, expected) in cases {
            assert_eq!(Matcher::new(pattern).unwrap().matches(tool), expected, "{pattern:?} on {tool:?}");
        }
        assert!(Matcher::new("*").is_err());
    }
}
