//! What settings allow hooks of the type `http`.

use super::Url;

/// What settings allow hooks of the type `http` (Claude Code's `allowedHttpHookUrls` and `httpHookAllowedEnvVars`). `None`: everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpLimits {
    /// Patterns of addresses.
    pub urls: Option<Vec<String>>,
    /// Names of variables.
    pub variables: Option<Vec<String>>,
}

impl HttpLimits {
    /// Does it allow everything?
    pub fn is_open(&self) -> bool {
        self.urls.is_none() && self.variables.is_none()
    }

    /// Adds what another file allows.
    pub fn join(&mut self, other: &Self) {
        for (own, other) in [(&mut self.urls, &other.urls), (&mut self.variables, &other.variables)] {
            if let Some(other) = other {
                own.get_or_insert_default().extend_from_slice(other);
            }
        }
    }

    /// Why nothing may be sent to this address.
    pub fn refuse(&self, url: &Url) -> Option<String> {
        let is_allowed = self.urls.as_ref().is_none_or(|urls| urls.iter().any(|pattern| url.is_allowed_by(pattern)));
        (!is_allowed).then(|| format!("{} does not match any pattern in allowedHttpHookUrls", url.masked()))
    }

    /// Those of the hook's variables that may be put in.
    pub fn allowed_variables(&self, names: &[String]) -> Vec<String> {
        let is_allowed = |name: &&String| self.variables.as_ref().is_none_or(|allowed| allowed.contains(name));
        names.iter().filter(is_allowed).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::config::{Config, FoundFile, Origin};
    use crate::dialect::Dialect;
    use crate::http::Url;

    /// What the files say, in order; whose hook; is it sent, and with which variables?
    #[test]
    fn a_projects_settings_take_nothing_from_the_users_hooks_and_give_its_own_no_more() {
        use Origin::{Managed, Project, User};
        let url = Url::parse("http://a.example/x").unwrap();
        let names = ["TOKEN".to_owned(), "SECRET".to_owned()];
        const HERE: &str = r#"{"allowedHttpHookUrls":["http://a.example/*"]}"#;
        const NOWHERE: &str = r#"{"allowedHttpHookUrls":[]}"#;
        const ALL: &str = r#"{"allowedHttpHookUrls":["*"],"httpHookAllowedEnvVars":["SECRET"]}"#;
        const TOKEN: &str = r#"{"httpHookAllowedEnvVars":["TOKEN"]}"#;
        const WRONG: &str = r#"{"allowedHttpHookUrls":"http://a.example/*","httpHookAllowedEnvVars":{}}"#;
        type Case = (&'static [(Origin, &'static str)], Origin, bool, &'static str);
        let cases: [Case; 16] = [
            (&[], User, true, "TOKEN SECRET"),
            (&[(User, NOWHERE)], User, false, "TOKEN SECRET"),
            (&[(User, HERE)], User, true, "TOKEN SECRET"),
            (&[(User, NOWHERE), (User, HERE)], User, true, "TOKEN SECRET"),
            (&[(User, TOKEN)], User, true, "TOKEN"),
            (&[(User, WRONG)], User, false, ""),
            (&[(Project, NOWHERE), (Project, WRONG)], User, true, "TOKEN SECRET"),
            (&[(Project, ALL)], User, true, "TOKEN SECRET"),
            (&[(Project, NOWHERE)], Project, false, "TOKEN SECRET"),
            (&[(Project, NOWHERE), (Project, ALL)], Project, true, "SECRET"),
            (&[(User, NOWHERE), (Project, ALL)], Project, false, "SECRET"),
            (&[(User, TOKEN), (Project, ALL)], Project, true, "TOKEN"),
            (&[(Project, ALL), (User, NOWHERE)], Project, false, "SECRET"),
            (&[(Managed, NOWHERE), (Project, ALL)], Project, false, "SECRET"),
            (&[(Managed, NOWHERE), (User, ALL)], User, true, "SECRET"),
            (&[(Managed, NOWHERE)], Project, false, "TOKEN SECRET"),
        ];
        for (files, origin, is_sent, variables) in cases {
            let directory = tempfile::tempdir().unwrap();
            let mut config = Config::in_dialect(Some(Dialect::Claude));
            for (number, (whose, text)) in files.iter().enumerate() {
                let path = directory.path().join(format!("{number}.json"));
                std::fs::write(&path, text).unwrap();
                let problems = config.add_found(&FoundFile::new(path, *whose));
                // The agent uses nothing of a project's file that has such a setting.
                assert!(problems.is_empty() || *text == WRONG && *whose == Project, "{problems:?}");
            }
            // The project's config is one of its own, made after the user's.
            for config in [&config, &{
                let mut project = config.for_project();
                project.append(Config::default());
                project
            }] {
                let limits = config.http_limits(Dialect::Claude, origin);
                assert_eq!(limits.refuse(&url).is_none(), is_sent, "{files:?} {origin:?}");
                assert_eq!(limits.allowed_variables(&names).join(" "), variables, "{files:?} {origin:?}");
                assert!(config.http_limits(Dialect::Gemini, origin).is_open());
            }
        }
    }
}
