//! What utilities say of their version: the first line of the program that they stand in for, which scripts look at to
//! tell GNU's tools from others (`sed --version | grep -q GNU`, `date --version >/dev/null 2>&1`).

/// The text for `NAME --version`. `None`: the program itself has no such option (`which`, `tput`, mawk).
pub(crate) fn text(name: &str) -> Option<String> {
    let first = match name {
        "jq" => return Some("jq-1.7.1\n".to_owned()),
        "hostname" => return Some("hostname 3.23\n".to_owned()),
        "shasum" => return Some("6.02\n".to_owned()),
        "cygpath" => return Some("cygpath (cygwin) 3.4.10\n".to_owned()),
        "awk" | "which" | "tput" | "xxd" => return None,
        "column" | "flock" | "getopt" | "hexdump" | "kill" | "rev" | "uuidgen" => {
            return Some(format!("{name} from util-linux 2.38.1\n"));
        }
        "grep" | "egrep" | "fgrep" => "grep (GNU grep) 3.8".to_owned(),
        "sed" => "sed (GNU sed) 4.9".to_owned(),
        "find" | "xargs" => format!("{name} (GNU findutils) 4.9.0"),
        "envsubst" => "envsubst (GNU gettext-runtime) 0.21".to_owned(),
        "strings" => "GNU strings (GNU Binutils for Debian) 2.40".to_owned(),
        "tree" => "tree v2.1.0".to_owned(),
        "patch" => "GNU patch 2.7.6".to_owned(),
        "iconv" => "iconv (Debian GLIBC 2.36-9+deb12u14) 2.36".to_owned(),
        "cmp" | "diff" => format!("{name} (GNU diffutils) 3.8"),
        _ => format!("{name} (GNU coreutils) 9.1"),
    };
    Some(format!("{first}\nhookshell's own {name}: it does as that version does, or says what it does not support.\n"))
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn scripts_find_gnu_in_it() {
        for (name, expected) in [
            ("date", "date (GNU coreutils) 9.1\n"),
            ("sed", "sed (GNU sed) 4.9\n"),
            ("egrep", "grep (GNU grep) 3.8\n"),
            ("xargs", "xargs (GNU findutils) 4.9.0\n"),
            ("diff", "diff (GNU diffutils) 3.8\n"),
            ("jq", "jq-1.7.1\n"),
        ] {
            let text = text(name);
            assert!(text.as_deref().is_some_and(|text| text.starts_with(expected)), "{name}: {text:?}");
        }
        assert_eq!(text("awk"), None);
    }
}
