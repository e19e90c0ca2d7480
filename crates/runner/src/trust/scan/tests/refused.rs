//! A strict trust refuses hooks with unknowns.

use super::place::Place;
use crate::{Config, EventKind, HookConfig, Origin, Runner, TrustError, TrustStore};

fn hook(command: &str) -> HookConfig {
    let mut hook = HookConfig::new(EventKind::PreToolUse, command);
    hook.origin = Origin::Project;
    hook
}

fn outcome(place: &Place, store: TrustStore, hook: &HookConfig) -> (String, String) {
    let mut config = Config::default();
    config.push(hook.clone());
    let runner = Runner::builder().config(config).trust(store.project(place.project())).build().unwrap();
    let result = runner.run_blocking(&place.event()).hooks.remove(0);
    (result.outcome.as_str().to_owned(), result.opinion.reason.unwrap_or_default())
}

#[test]
fn a_strict_store_refuses_to_trust_a_hook_with_unknowns() {
    let place = Place::new();
    let (plain, unknown) = (hook("exit 0"), hook("bash -c \"$X\"; exit 0"));
    let store = place.store().strict(true);
    let examined = [&plain, &unknown].map(|hook| store.examine(hook, &place.project()).unwrap());
    let error = store.trust(&place.project(), &examined).unwrap_err();
    assert!(matches!(&error, TrustError::Unknown { what, .. } if what == "\"$X\""), "{error}");
    assert!(store.projects().unwrap().is_empty(), "nothing was changed");
    store.trust(&place.project(), &examined[..1]).unwrap();
    assert!(store.projects().unwrap()[0].strict);
    assert_eq!(outcome(&place, place.store(), &plain).0, "NoOpinion");
    // It stays so until it is revoked.
    let plainly = place.store();
    assert!(matches!(plainly.trust(&place.project(), &examined), Err(TrustError::Unknown { .. })));
    assert!(plainly.revoke(&place.project()).unwrap());
    plainly.trust(&place.project(), &examined).unwrap();
    assert!(!plainly.projects().unwrap()[0].strict);
}

#[test]
fn a_strict_store_judges_what_was_trusted_without() {
    let place = Place::new();
    let unknown = hook("bash -c \"$X\"; exit 0");
    let store = place.store();
    let examined = store.examine(&unknown, &place.project()).unwrap();
    store.trust(&place.project(), &[examined]).unwrap();
    assert_eq!(outcome(&place, place.store(), &unknown).0, "NoOpinion");
    let (outcome, reason) = outcome(&place, place.store().strict(true), &unknown);
    assert_eq!(outcome, "Untrusted");
    assert_eq!(reason, "trust is strict, and it runs what is only known when it runs: \"$X\"");
}

/// What a config of git's runs that is too long to be looked through is not known.
#[test]
fn a_config_of_gits_that_is_not_looked_through_is_an_unknown() {
    let place = Place::new();
    let guard = hook("git status");
    std::fs::create_dir_all(place.project().join(".git")).unwrap();
    let config = place.project().join(".git/config");
    let uncertain = || place.store().examine(&guard, &place.project()).unwrap().uncertain;
    std::fs::write(&config, "[core]\n\tbare = false\n").unwrap();
    assert_eq!(uncertain(), Vec::<String>::new());
    let long = format!("{}[core]\n\tfsmonitor = ./evil\n", "#\n".repeat(600 * 1024));
    std::fs::write(&config, long).unwrap();
    assert_eq!(uncertain(), [format!("what {} says", config.canonicalize().unwrap().display())]);
}

/// A project that was trusted strictly stays so, whoever judges later.
#[test]
fn what_was_trusted_strictly_is_judged_strictly() {
    let place = Place::new();
    // It becomes unknown by a directory that is there later.
    let guard =
        hook("[ -d tools ] && PYTHONPATH=/nowhere/x:/nowhere/y; cd tools 2>/dev/null; ./x.sh 2>/dev/null; exit 0");
    let store = place.store().strict(true);
    let examined = store.examine(&guard, &place.project()).unwrap();
    assert_eq!(examined.uncertain, Vec::<String>::new());
    store.trust(&place.project(), &[examined]).unwrap();
    assert_eq!(outcome(&place, place.store(), &guard).0, "NoOpinion");
    #[cfg(unix)]
    {
        std::fs::create_dir(place.project().join("tools")).unwrap();
        std::os::unix::fs::symlink("/dev/stdin", place.project().join("tools/x.sh")).unwrap();
        let (outcome, reason) = outcome(&place, place.store(), &guard);
        assert_eq!(outcome, "Untrusted");
        assert!(reason.starts_with("trust is strict"), "{reason}");
    }
}

/// A file that was written before there was a strict trust.
#[test]
fn a_record_without_the_word_is_not_strict() {
    let place = Place::new();
    let unknown = hook("bash -c \"$X\"; exit 0");
    let store = place.store();
    let examined = store.examine(&unknown, &place.project()).unwrap();
    store.trust(&place.project(), &[examined]).unwrap();
    let text = std::fs::read_to_string(store.path()).unwrap();
    let without = text.replace("\"strict\": false,", "");
    assert_ne!(text, without);
    std::fs::write(store.path(), without).unwrap();
    assert!(!store.projects().unwrap()[0].strict);
    assert_eq!(outcome(&place, place.store(), &unknown).0, "NoOpinion");
}
