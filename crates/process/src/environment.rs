//! An environment as a host has it.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::ops::Deref;
use std::sync::Arc;

/// The variables that programs get: names and values, each name once. On Unix both are any bytes; on Windows the case of names does
/// not matter, as the system has it (that of ASCII letters).
///
/// It is a slice of pairs, in the order in which they were given. Clones share them until one is changed.
///
/// ```
/// use hookshell_process::Environment;
///
/// let mut env = Environment::from([("PATH", "/bin"), ("LANG", "C"), ("PATH", "/usr/bin")]);
/// assert_eq!(env.get("PATH"), Some("/usr/bin".as_ref()));
/// env.set("HOME", "/home/me");
/// env.remove("LANG");
/// assert_eq!(env.iter().map(|(name, _)| name.to_str().unwrap()).collect::<Vec<_>>(), ["PATH", "HOME"]);
///
/// let own: Environment = std::env::vars_os().collect();
/// assert_eq!(own.get("PATH"), std::env::var_os("PATH").as_deref());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Environment(Arc<Vec<(OsString, OsString)>>);

impl Environment {
    /// No variables.
    pub fn new() -> Self {
        Self::default()
    }

    /// Variables whose names are known to be unique: that is not looked at.
    pub fn of_unique(variables: impl Into<Arc<Vec<(OsString, OsString)>>>) -> Self {
        Self(variables.into())
    }

    /// The process's own, as it is now.
    pub fn of_process() -> Self {
        std::env::vars_os().collect()
    }

    /// The value of a variable.
    pub fn get(&self, name: impl AsRef<OsStr>) -> Option<&OsStr> {
        variable(&self.0, name)
    }

    /// Sets a variable: the new one stands last.
    pub fn set(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) {
        let name = name.into();
        self.remove(&name);
        Arc::make_mut(&mut self.0).push((name, value.into()));
    }

    /// The environment with a variable set.
    #[must_use]
    pub fn with(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.set(name, value);
        self
    }

    /// Takes a variable out.
    pub fn remove(&mut self, name: impl AsRef<OsStr>) {
        let name = name.as_ref();
        Arc::make_mut(&mut self.0).retain(|(other, _)| !is_same(other, name));
    }

    /// How a variable is looked up, for what takes a function.
    pub fn lookup(&self) -> impl Fn(&str) -> Option<OsString> + Copy + '_ {
        |name| self.get(name).map(OsStr::to_owned)
    }

    /// Of the same name the last counts.
    fn of(mut variables: Vec<(OsString, OsString)>) -> Self {
        // Nearly always each name stands once, which is found out in a third of the time.
        let mut sorted: Vec<_> = variables.iter().map(|(name, _)| key(name)).collect();
        sorted.sort_unstable();
        if !sorted.windows(2).any(|pair| matches!(pair, [left, right] if left == right)) {
            drop(sorted);
            return Self::of_unique(variables);
        }
        let mut names = HashSet::with_capacity(variables.len());
        let is_last: Vec<bool> = variables.iter().rev().map(|(name, _)| names.insert(key(name))).collect();
        if names.len() < variables.len() {
            let mut is_last = is_last.into_iter().rev();
            variables.retain(|_| is_last.next().unwrap_or(true));
        }
        Self::of_unique(variables)
    }
}

/// The value of a variable of an environment that is a list, in which each name stands once.
pub fn variable(env: &[(OsString, OsString)], name: impl AsRef<OsStr>) -> Option<&OsStr> {
    let name = name.as_ref();
    env.iter().find(|(other, _)| is_same(other, name)).map(|(_, value)| value.as_os_str())
}

/// Do these name the same variable?
fn is_same(left: &OsStr, right: &OsStr) -> bool {
    if cfg!(windows) { left.eq_ignore_ascii_case(right) } else { left == right }
}

/// The same for names of the same variable.
fn key(name: &OsStr) -> Cow<'_, OsStr> {
    if cfg!(windows) { Cow::Owned(name.to_ascii_uppercase()) } else { Cow::Borrowed(name) }
}

impl Deref for Environment {
    type Target = [(OsString, OsString)];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<N: Into<OsString>, V: Into<OsString>> FromIterator<(N, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(variables: I) -> Self {
        Self::of(variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}

impl<N: Into<OsString>, V: Into<OsString>> Extend<(N, V)> for Environment {
    fn extend<I: IntoIterator<Item = (N, V)>>(&mut self, variables: I) {
        let mut all = Vec::from(std::mem::take(self));
        all.extend(variables.into_iter().map(|(name, value)| (name.into(), value.into())));
        *self = Self::of(all);
    }
}

impl From<Vec<(OsString, OsString)>> for Environment {
    fn from(variables: Vec<(OsString, OsString)>) -> Self {
        Self::of(variables)
    }
}

impl From<&[(OsString, OsString)]> for Environment {
    fn from(variables: &[(OsString, OsString)]) -> Self {
        Self::of(variables.to_vec())
    }
}

impl<N: Into<OsString>, V: Into<OsString>, const COUNT: usize> From<[(N, V); COUNT]> for Environment {
    fn from(variables: [(N, V); COUNT]) -> Self {
        variables.into_iter().collect()
    }
}

impl<N: Into<OsString>, V: Into<OsString>, S> From<HashMap<N, V, S>> for Environment {
    fn from(variables: HashMap<N, V, S>) -> Self {
        variables.into_iter().collect()
    }
}

impl<N: Into<OsString>, V: Into<OsString>> From<BTreeMap<N, V>> for Environment {
    fn from(variables: BTreeMap<N, V>) -> Self {
        variables.into_iter().collect()
    }
}

impl From<std::env::VarsOs> for Environment {
    fn from(variables: std::env::VarsOs) -> Self {
        variables.collect()
    }
}

impl From<Environment> for Vec<(OsString, OsString)> {
    fn from(environment: Environment) -> Self {
        Arc::unwrap_or_clone(environment.0)
    }
}

impl From<Environment> for Arc<Vec<(OsString, OsString)>> {
    fn from(environment: Environment) -> Self {
        environment.0
    }
}

impl IntoIterator for Environment {
    type Item = (OsString, OsString);
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        Arc::unwrap_or_clone(self.0).into_iter()
    }
}

impl<'e> IntoIterator for &'e Environment {
    type Item = &'e (OsString, OsString);
    type IntoIter = std::slice::Iter<'e, (OsString, OsString)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::ffi::OsString;

    use super::Environment;

    fn show(env: &Environment) -> String {
        let pairs: Vec<_> = env.iter().map(|(name, value)| format!("{}={}", name.display(), value.display())).collect();
        pairs.join(" ")
    }

    #[test]
    fn a_name_stands_once_and_the_last_counts() {
        let mut env = Environment::from([("A", "1"), ("B", "2"), ("A", "3")]);
        assert_eq!(show(&env), "B=2 A=3");
        env.extend([("B", "4"), ("C", "5")]);
        assert_eq!(show(&env), "A=3 B=4 C=5");
        env.set("A", "6");
        env.remove("B");
        assert_eq!(show(&env), "C=5 A=6");
        assert_eq!(show(&Environment::new().with("A", "1").with("A", "2")), "A=2");
    }

    #[test]
    fn the_case_of_names_matters_but_on_windows() {
        let env = Environment::from([("Path", "1"), ("PATH", "2")]);
        assert_eq!(env.len(), if cfg!(windows) { 1 } else { 2 });
        assert_eq!(env.get("path").is_some(), cfg!(windows));
        assert_eq!(env.lookup()("PATH"), Some("2".into()));
        let env = env.with("pAtH", "3");
        assert_eq!(env.get("PATH"), Some(if cfg!(windows) { "3" } else { "2" }.as_ref()));
    }

    #[test]
    fn it_is_made_of_what_hosts_have() {
        let pairs: Vec<(OsString, OsString)> = vec![("A".into(), "1".into())];
        let expected = Environment::from(pairs.clone());
        assert_eq!(Environment::from(&pairs[..]), expected);
        assert_eq!(Environment::from(BTreeMap::from([("A", "1")])), expected);
        assert_eq!(Environment::from(std::collections::HashMap::from([("A".to_owned(), "1")])), expected);
        assert_eq!(Vec::from(expected), pairs);
    }

    #[cfg(unix)]
    #[test]
    fn bytes_stay_as_they_are() {
        use std::os::unix::ffi::OsStringExt;
        let value = || OsString::from_vec(b"\xff\x01".to_vec());
        let env: Environment = [(OsString::from("A"), value())].into_iter().collect();
        assert_eq!(env.get("A"), Some(&*value()));
    }
}
