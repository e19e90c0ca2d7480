//! Which characters a run's environment means.

use crate::utility::Environment;

/// Is each byte a character? So in the C and POSIX locales; all others are taken for C.UTF-8, and so is none.
pub fn is_bytes(env: &Environment) -> bool {
    let value = |name: &str| {
        let found = env.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_encoded_bytes());
        found.filter(|value| !value.is_empty())
    };
    let locale = value("LC_ALL").or_else(|| value("LC_CTYPE")).or_else(|| value("LANG"));
    matches!(locale, Some(b"C" | b"POSIX"))
}
