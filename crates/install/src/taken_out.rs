//! Hooks of a side file that its config has no line for: somebody has taken the line out by hand, and did not want them to run. They are
//! nowhere else.

use std::path::Path;

use serde_json::Value as Json;

use crate::json_text::pretty;
use crate::record;
use crate::side_form;

/// What of a side file stays there when the config has its hooks back: hooks whose line somebody has taken out of the config. Who did so
/// did not want them to run, and has them nowhere else.
pub(crate) fn stays(side: &Json, own: Option<&Json>, lines: &[String], back: &[(String, Vec<Json>)]) -> Option<Json> {
    let lists = side_form::lists(side).filter(|(event, _)| !lines.contains(event)).map(|(event, list)| {
        let is_back = |entry: &Json| {
            let of_own = own.and_then(|own| side_form::side_event(own, event));
            let of_config = back.iter().filter(|(name, _)| name == event).map(|(_, groups)| groups);
            of_own.into_iter().chain(of_config).any(|list| list.contains(entry))
        };
        (event.clone(), list.iter().filter(|entry| !is_back(entry)).cloned().collect::<Vec<Json>>())
    });
    let lists = lists.filter(|(_, list)| !list.is_empty()).map(|(event, list)| (event, Json::Array(list)));
    let mut stays = side.clone();
    stays.as_object_mut()?.insert("hooks".to_owned(), Json::Object(lists.collect()));
    side_form::has_any_hooks(&stays).then_some(stays)
}

/// Says that these hooks stay in the side file of a config.
pub(crate) fn told(side: &Path, config: &Path, stays: &Json) -> String {
    let events: Vec<&str> = side_form::lists(stays).map(|(event, _)| event.as_str()).collect();
    format!(
        "{}: its hooks for {} stay there: {} had none of them when it was wired, or their line was taken out of it by hand; copy them \
         into its `hooks` to have them run, or remove the file",
        side.display(),
        events.join(", "),
        config.display()
    )
}

/// The text of a side file with more hooks, after what the user has there; `None`: that cannot be written anew.
pub(crate) fn with_hooks(own: Option<String>, more: &Json) -> Option<String> {
    let side = match own {
        // It stays as it is written.
        Some(own) if !side_form::has_any_hooks(more) => return Some(own),
        Some(own) => {
            let mut side = record::json(Some(&own))?;
            side_form::add(&mut side, more);
            side
        }
        None => more.clone(),
    };
    Some(format!("{}\n", pretty(&side, "  ")))
}

/// The hooks of a side file that run again, as others of their event are moved to it, which had no line before.
pub(crate) fn revived(side: Option<&Json>, moved: Option<&Json>) -> Option<Json> {
    let mut revived = side?.clone();
    let of_event = |(event, list): (&String, &[Json])| {
        let old = side_form::side_event(side?, event)?.iter().filter(|entry| !list.contains(entry));
        let old: Vec<Json> = old.cloned().collect();
        (!old.is_empty()).then(|| (event.clone(), Json::Array(old)))
    };
    let lists = side_form::lists(moved?).filter_map(of_event).collect();
    revived.as_object_mut()?.insert("hooks".to_owned(), Json::Object(lists));
    side_form::has_any_hooks(&revived).then_some(revived)
}

/// The text of the user's own part of a side file, without what stands in the config as well and is moved from there; `None`: there is
/// no more in it.
pub(crate) fn without_moved(own: String, moved: Option<&Json>) -> Option<String> {
    let Some(before) = record::json(Some(&own)) else { return Some(own) };
    let rest = side_form::without(before.clone(), moved);
    if rest == before {
        return Some(own);
    }
    side_form::has_any_hooks(&rest).then(|| format!("{}\n", pretty(&rest, "  ")))
}
