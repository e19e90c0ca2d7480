//! The stable codes of findings. `docs/findings.md` has a section for each; a test compares the two.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

use crate::config::{ConfigError, WarningKind};

/// Declares the codes: variant, number, and what it is about in a few words.
macro_rules! codes {
    ($($variant:ident = $code:literal, $summary:literal;)*) => {
        /// What kind of finding it is. A code keeps its meaning; a new kind gets a new code.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum FindingCode {
            $(#[doc = $summary] $variant,)*
        }

        impl FindingCode {
            /// All codes, in the order of their numbers.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// As reports have it: `HS101`.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $code),* }
            }

            /// What it is about, in a few words.
            pub fn summary(self) -> &'static str {
                match self { $(Self::$variant => $summary),* }
            }
        }
    };
}

codes! {
    UnreadableConfig = "HS101", "A config cannot be read";
    ConfigSyntax = "HS102", "A config is not valid JSON or TOML";
    WrongType = "HS103", "A value has the wrong type";
    BadValue = "HS104", "A value is not one of those that are possible";
    MissingKey = "HS105", "A key that is needed is missing";
    BadMatcher = "HS106", "A matcher is not a regular expression";
    FileIgnored = "HS107", "The agent uses nothing of the file";
    ProjectLimit = "HS108", "A project has more than is read of one";
    DuplicateKey = "HS109", "A key stands twice in one object";
    UnknownKey = "HS110", "An unknown key is ignored";
    UnknownEvent = "HS111", "The event is unknown, or the agent does not have it";
    MisplacedHooks = "HS112", "Hooks stand outside of `hooks`";
    OtherShape = "HS113", "The agent does not read hooks of this shape";
    PermissionMatcher = "HS114", "A matcher is written as a permission rule";
    PassedOver = "HS115", "The agent passes over a part of the config";
    TakenOtherwise = "HS116", "The agent reads a value in another way than it may be meant";
    MatchesNothing = "HS117", "The agent matches no tool with this matcher";
    NeverHolds = "HS118", "No call fulfils this `if`";
    KeyWithoutEffect = "HS119", "The agent does not use this key";
    TimeoutReplaced = "HS120", "The timeout cannot be used and is replaced";
    HooksDisabled = "HS121", "The file switches its hooks off";
    TypeNotSupported = "HS122", "A hook of this type is not run";
    NeverRead = "HS123", "The agent never reads the file";
    NoHooks = "HS124", "The file has no hooks";
    UnknownTool = "HS201", "The matcher matches no known tool";
    ToolOfAnotherAgent = "HS202", "The matcher names the tool of another agent";
    MatcherWithoutEffect = "HS203", "A matcher does not count on this event";
    ShortTimeout = "HS204", "The timeout is very short: seconds may be meant";
    LongTimeout = "HS205", "The timeout is very long: milliseconds may be meant";
    MissingDirectory = "HS206", "The hook's directory does not exist";
    StartsItself = "HS207", "The hook starts `hookshell run` for its own event";
    ShellSyntax = "HS301", "Shell code has a syntax error";
    NotStartable = "HS302", "The command cannot be started";
    PassedOverProgram = "HS303", "A program on PATH is passed over";
    MissingCommand = "HS304", "The command does not exist";
    MissingScript = "HS305", "The script does not exist, or is a directory";
    UnreadableScript = "HS306", "The script cannot be read";
    CrlfScript = "HS307", "The script has CRLF line ends";
    PowerShellCommand = "HS308", "PowerShell's -Command loses the exit code";
    ShellOption = "HS309", "The in-process shell does not take an option";
    UnquotedPath = "HS310", "An unquoted path is split at blanks";
    QuotedPlaceholder = "HS311", "A variable in single quotes is not expanded";
    EndsWithTest = "HS312", "The last command leaves the status of a test";
    DeniesNothing = "HS313", "An exit code denies nothing";
    UnsetVariable = "HS314", "Nobody sets a variable";
    EmptyPath = "HS315", "A path begins with a variable that may be empty";
    WrongProgram = "HS316", "A program inside a command does not compile";
    NoCommand = "HS317", "A command or script has no command in it";
    AsksOtherwise = "HS318", "A test asks something else than it says";
    NotPosix = "HS401", "Shell code is not portable to every sh";
    TargetCommand = "HS402", "The target system does not have a command";
    TargetOption = "HS403", "A command of the target system does not have an option";
    TargetPath = "HS404", "The target system does not have a path";
    TargetShell = "HS405", "The target system does not have a shell";
    TargetInterpreter = "HS406", "The target system does not have an interpreter";
    TargetBash = "HS407", "The target system's bash is too old";
    NothingToDecide = "HS501", "A model's answer counts for nothing";
    UnknownAgentTool = "HS502", "A sub-agent does not have the tool";
    MissingModule = "HS503", "The module does not exist, or is a directory";
    RequestRefused = "HS504", "The HTTP request is refused";
    EmptyHeaderVariable = "HS505", "A variable will be empty in a header";
    HeaderNotSent = "HS506", "A header is not sent";
    UnencryptedSecret = "HS507", "Variables are sent unencrypted";
    ModelAddress = "HS508", "The model's address cannot be used";
    UnknownCode = "HS901", "A code that is to be ignored does not exist";
}

impl FindingCode {
    pub(super) fn of_error(error: &ConfigError) -> Self {
        match error {
            ConfigError::Read { .. } => Self::UnreadableConfig,
            ConfigError::Syntax { .. } => Self::ConfigSyntax,
            ConfigError::WrongType { .. } => Self::WrongType,
            ConfigError::BadValue { .. } => Self::BadValue,
            ConfigError::Missing { .. } => Self::MissingKey,
            ConfigError::Grouped { .. } => Self::OtherShape,
            ConfigError::BadMatcher { .. } => Self::BadMatcher,
            ConfigError::NotTaken { .. } | ConfigError::FileIgnored { .. } => Self::FileIgnored,
            ConfigError::ProjectLimit { .. } => Self::ProjectLimit,
            ConfigError::Duplicate { .. } => Self::DuplicateKey,
            // What has no code of its own yet.
            _ => Self::BadValue,
        }
    }

    pub(super) fn of_warning(warning: &WarningKind) -> Self {
        match warning {
            WarningKind::UnknownKey { .. } => Self::UnknownKey,
            WarningKind::UnknownEvent(_) | WarningKind::NotItsEvent { .. } | WarningKind::OtherSpelling { .. } => {
                Self::UnknownEvent
            }
            WarningKind::Misplaced { .. } => Self::MisplacedHooks,
            WarningKind::OtherShape { .. } => Self::OtherShape,
            WarningKind::PermissionMatcher { .. } => Self::PermissionMatcher,
            WarningKind::PassedOver { .. } => Self::PassedOver,
            WarningKind::TakenOtherwise { .. } | WarningKind::ReadAs { .. } => Self::TakenOtherwise,
            WarningKind::MatchesNothing { .. } => Self::MatchesNothing,
            WarningKind::HoldsNever { .. } => Self::NeverHolds,
            WarningKind::FileIgnored { .. } => Self::FileIgnored,
            WarningKind::KeyWithoutEffect { .. } | WarningKind::KeyIgnored { .. } => Self::KeyWithoutEffect,
            WarningKind::TimeoutNotTaken { .. } => Self::TimeoutReplaced,
            WarningKind::Disabled { .. } => Self::HooksDisabled,
            WarningKind::TypeNotSupported { .. } | WarningKind::SubmitsPrompt { .. } => Self::TypeNotSupported,
            // What has no code of its own yet.
            _ => Self::KeyWithoutEffect,
        }
    }
}

impl fmt::Display for FindingCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for FindingCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl FromStr for FindingCode {
    type Err = String;

    /// A code in any case.
    fn from_str(text: &str) -> Result<Self, String> {
        let is_it = |code: &Self| code.as_str().eq_ignore_ascii_case(text);
        let unknown = || format!("there is no finding `{text}`: docs/findings.md lists the codes");
        Self::ALL.iter().copied().find(is_it).ok_or_else(unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::FindingCode;

    #[test]
    fn codes_are_unique_and_in_order() {
        let codes: Vec<&str> = FindingCode::ALL.iter().map(|code| code.as_str()).collect();
        assert!(codes.is_sorted_by(|one, next| one < next), "{codes:?}");
        assert!(FindingCode::ALL.iter().all(|code| code.as_str().parse() == Ok(*code)));
    }

    #[test]
    fn every_code_has_its_section_in_the_documentation() {
        let page = include_str!("../../../../docs/findings.md");
        let sections: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("### ")).collect();
        let expected: Vec<String> = FindingCode::ALL.iter().map(|code| format!("{code}: {}", code.summary())).collect();
        assert_eq!(sections, expected);
        // Each says something of its own, not only its title.
        for (section, text) in sections.iter().zip(page.split("\n### ").skip(1)) {
            assert!(text.lines().skip(1).map(str::len).sum::<usize>() > 60, "{section}");
        }
    }
}
