//! Texts that are not kept whole.

use std::borrow::Cow;

/// The beginning of a text, with an ellipsis where it has more than so many bytes.
pub(crate) fn beginning(text: &str, most: usize) -> Cow<'_, str> {
    let end = (0..=most.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    match text.get(..end) {
        Some(kept) if end < text.len() => Cow::Owned(format!("{kept}…")),
        _ => Cow::Borrowed(text),
    }
}
