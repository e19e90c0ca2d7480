use super::*;

const PLAIN: Options = Options {
    extglob: false,
    nocase: false,
    bytes: false,
};
const EXT: Options = Options {
    extglob: true,
    nocase: false,
    bytes: false,
};

#[test]
fn smoke() {
    assert!(matches(b"a*c", b"abc", PLAIN));
    assert!(matches(b"@(a|b)c", b"bc", EXT));
}
