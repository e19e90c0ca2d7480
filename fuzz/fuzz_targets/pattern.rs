//! The pattern matcher: it ends, and its functions agree with one another. The input is options, pattern, NUL, text.
#![no_main]

use hookshell_text::pattern::{Options, Pattern, escape, unescape};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((flags, rest)) = data.split_first() else { return };
    let at = rest.iter().position(|byte| *byte == 0).unwrap_or(rest.len());
    let (source, text) = (&rest[..at], rest.get(at + 1..).unwrap_or_default());
    if source.len() > 100 || text.len() > 100 {
        return;
    }
    let options = Options { extglob: flags & 1 != 0, nocase: flags & 2 != 0, bytes: flags & 4 != 0 };
    let pattern = Pattern::new(source, options);
    let whole = pattern.matches(text);
    let edges = [
        (pattern.shortest_prefix(text), pattern.longest_prefix(text), true),
        (pattern.shortest_suffix(text), pattern.longest_suffix(text), false),
    ];
    for (shortest, longest, is_prefix) in edges {
        assert_eq!(shortest.is_some(), longest.is_some());
        let (Some(shortest), Some(longest)) = (shortest, longest) else {
            assert!(!whole, "the whole text matches, but no part of it does");
            continue;
        };
        let length = |at: usize| if is_prefix { at } else { text.len() - at };
        // Both are cuts of the text: a shorter or a longer piece, never past its end.
        assert!(shortest <= text.len() && longest <= text.len());
        assert!(length(shortest) <= length(longest) || length(longest) == 0);
        for cut in [shortest, longest] {
            let piece = if is_prefix { &text[..cut] } else { &text[cut..] };
            assert!(pattern.matches(piece), "a found piece does not match: {:?}", bstr::BStr::new(piece));
        }
        if whole {
            assert_eq!(length(longest), text.len());
        }
    }
    if let Some(found) = pattern.find(text, 0) {
        assert!(found.start <= found.end && found.end <= text.len());
        assert!(pattern.matches(&text[found]));
    }
    let (mut escaped, mut back) = (Vec::new(), Vec::new());
    escape(text, &mut escaped);
    unescape(&escaped, &mut back);
    assert_eq!(back, text);
    assert!(Pattern::new(&escaped, Options { nocase: false, ..options }).matches(text), "escaped text is itself");
});
