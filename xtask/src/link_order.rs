//! `cargo xtask link-order`: which functions stand together in the release binary.
//!
//! A start runs a thousand functions of some fifteen thousand, and each page that it comes to for the first time is a page
//! fault, which costs as much as some thousand instructions. So the linker puts together what the workloads of
//! `instructions` run. A function's name has a hash that is another one with each compiler and each version of a crate; the
//! linker's script has patterns for that. What it no longer names stands with all others: it only takes a little longer.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use crate::bench::find_program;
use crate::error::Error;
use crate::instructions::WORKLOADS;
use crate::run::run;
use crate::workspace::Workspace;

/// What is written, in the workspace.
const SCRIPT: &str = "crates/cli/link/start.ld";

const HEAD: &str = "\
/* Which functions stand together in the release binary: what a start runs, and then what hooks run (docs/PERFORMANCE.md).
   Written by `cargo xtask link-order`; do not edit. */
";

/// How much larger than the functions that ran those may be that a pattern names, which is by generic functions: their
/// names do not tell for which types they are.
const MOST_TIMES: u64 = 8;
/// Below that it does not matter.
const FEW_BYTES: u64 = 3_000;

/// Builds the release binary with a map of it, runs the workloads, and writes the script.
pub(crate) fn write(workspace: &Workspace) -> Result<(), Error> {
    let valgrind = find_program("valgrind")
        .ok_or_else(|| Error::Unexpected("link-order: valgrind is not installed".to_owned()))?;
    let directory = workspace.target().join("link-order");
    std::fs::create_dir_all(&directory).map_err(|source| Error::File { path: directory.clone(), source })?;
    let map = directory.join("map.txt");
    let mut build = workspace.cargo(&["rustc", "--release", "-p", "hookshell", "--bin", "hookshell", "--", "-C"]);
    run(build.arg(format!("link-arg=-Wl,-Map={}", map.display())))?;
    let sections = sections(&read(&map)?);

    let mut named = BTreeSet::new();
    let mut text = format!("{HEAD}SECTIONS {{\n  .text.start : {{\n");
    for workload in WORKLOADS {
        let profile = directory.join("profile.txt");
        workload.trace(workspace, &valgrind, &profile)?;
        let patterns = patterns(&sections, &addresses(&read(&profile)?), &mut named);
        println!("{:<12} {:>5} more patterns", workload.name, patterns.values().map(Vec::len).sum::<usize>());
        let _ = writeln!(text, "    /* {} */", workload.name);
        for (file, names) in patterns {
            let _ = writeln!(text, "    {file}(\n      {}\n    )", names.join("\n      "));
        }
    }
    text.push_str("  }\n}\nINSERT BEFORE .text;\n");
    let path = workspace.root().join(SCRIPT);
    std::fs::write(&path, text).map_err(|source| Error::File { path, source })
}

fn read(path: &Path) -> Result<String, Error> {
    let bytes = std::fs::read(path).map_err(|source| Error::File { path: path.to_owned(), source })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A function, or several, of one of the linker's input files.
#[derive(Debug, PartialEq, Eq)]
struct Section {
    begin: u64,
    size: u64,
    pattern: Pattern,
}

/// What the script says of a section: the file and the name, without what is another one with each build.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Pattern {
    file: String,
    name: String,
}

/// The sections of code in LLD's map, by their addresses. A line is `ADDRESS LOAD-ADDRESS SIZE ALIGNMENT FILE:(NAME)`, the numbers
/// but the last in hexadecimal.
fn sections(map: &str) -> Vec<Section> {
    let mut sections: Vec<Section> = map.lines().filter_map(section).collect();
    sections.sort_by_key(|section| section.begin);
    sections
}

fn section(line: &str) -> Option<Section> {
    let mut rest = line;
    let mut number = || {
        let (number, after) = rest.trim_start().split_once(' ')?;
        rest = after;
        u64::from_str_radix(number, 16).ok()
    };
    let (begin, _, size, _) = (number()?, number()?, number()?, number()?);
    let (file, name) = rest.trim_start().strip_suffix(')')?.rsplit_once(":(")?;
    if size == 0 || !(name == ".text" || name.starts_with(".text.")) {
        return None;
    }
    Some(Section { begin, size, pattern: Pattern { file: file_pattern(file)?, name: name_pattern(name) } })
}

/// `hookshell-HASH.serde_json-HASH.serde_json.HASH-cgu.0.rcgu.o.rcgu.o` is one crate's, `…/libc.a(malloc.o)` a part of a library.
fn file_pattern(file: &str) -> Option<String> {
    let base = file.rsplit('/').next()?;
    if let Some((library, member)) = base.strip_suffix(')').and_then(|base| base.split_once('(')) {
        return Some(match library.strip_suffix(".rlib").and_then(|library| library.rsplit_once('-')) {
            // Its parts have hashes for names.
            Some((library, _)) => format!("*{library}-*.rlib:*"),
            // `libm-2.36.a` is one of a version.
            None => match library.strip_suffix(".a").and_then(|library| library.split_once('-')) {
                Some((library, _)) => format!("*{library}-*.a:{member}"),
                None => format!("*{library}:{member}"),
            },
        });
    }
    let (krate, _) = base.split('.').nth(1)?.rsplit_once('-')?;
    Some(format!("*.{krate}-*.o"))
}

/// The name without its hashes: `17h` and sixteen digits near the end, or `Cs`, digits, letters and `_` before the name of each crate;
/// and without the number that makes it one of a kind (`.llvm.NUMBER`).
fn name_pattern(name: &str) -> String {
    let name = name.split(".llvm.").next().unwrap_or(name);
    let hash = name.rmatch_indices("17h").map(|(at, _)| at).find(|at| {
        let digits = name.as_bytes().get(at + 3..at + 19);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    });
    let pattern = match hash {
        Some(at) => format!("{}17h*", &name[..at]),
        None if name.contains("._R") => format!("{}*", without_crates_hashes(name)),
        None => name.to_owned(),
    };
    // A dollar sign means nothing in a pattern, but not every linker has it in a name without quotes.
    pattern.replace('$', "?")
}

fn without_crates_hashes(name: &str) -> String {
    let mut pattern = String::new();
    let mut rest = name;
    while let Some((before, after)) = rest.split_once("Cs") {
        let hash = after.len() - after.trim_start_matches(|c: char| c.is_ascii_alphanumeric()).len();
        let is_hash = hash > 8 && after[hash..].starts_with('_');
        pattern.push_str(before);
        pattern.push_str(if is_hash { "Cs*" } else { "Cs" });
        rest = if is_hash { &after[hash..] } else { after };
    }
    pattern + rest
}

/// The addresses of callgrind's lines `0xADDRESS LINE COUNT`.
fn addresses(profile: &str) -> BTreeSet<u64> {
    let address = |line: &str| u64::from_str_radix(line.strip_prefix("0x")?.split(' ').next()?, 16).ok();
    profile.lines().filter_map(address).collect()
}

/// The patterns of the sections that have one of the addresses, for each file, without those that are `named`; they are that afterwards.
fn patterns(
    sections: &[Section],
    addresses: &BTreeSet<u64>,
    named: &mut BTreeSet<Pattern>,
) -> BTreeMap<String, Vec<String>> {
    let mut sizes: BTreeMap<&Pattern, (u64, u64)> = BTreeMap::new();
    for section in sections {
        let (ran, all) = sizes.entry(&section.pattern).or_default();
        *all += section.size;
        if addresses.range(section.begin..section.begin + section.size).next().is_some() {
            *ran += section.size;
        }
    }
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (pattern, (ran, all)) in sizes {
        let is_worth_it = ran > 0 && all <= (ran * MOST_TIMES).max(FEW_BYTES);
        if !is_worth_it {
            continue;
        }
        let more = of_other_processors(pattern);
        for pattern in std::iter::once(pattern.clone()).chain(more) {
            if named.insert(pattern.clone()) {
                found.entry(pattern.file).or_default().push(pattern.name);
            }
        }
    }
    found
}

/// The C library has its functions of strings for several processors. valgrind's has AVX2; one with AVX-512 runs others.
fn of_other_processors(pattern: &Pattern) -> Vec<Pattern> {
    let Some((stem, _)) = pattern.file.split_once("-avx").filter(|(stem, _)| stem.contains("libc.a:")) else {
        return Vec::new();
    };
    let of = |processor| Pattern { file: format!("{stem}-{processor}*.o"), name: ".text*".to_owned() };
    ["avx512", "evex"].map(of).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAP: &str = "\
             VMA              LMA     Size Align Out     In      Symbol
          5d00d0           5d00d0       81    16         /t/deps/hookshell-63b033.serde_json-c0b1d9.serde_json.e3c8-cgu.0.rcgu.o.rcgu.o:(.text._ZN5alloc4sync16Arc$LT$T$GT$9drop_slow17h454a1c5118f0a84aE.llvm.12)
          5d00d0           5d00d0       81     1                 alloc::sync::Arc$LT$T$GT$::drop_slow::h454a1c5118f0a84a
         1461650          1461650     5c56    16         /usr/lib/x86_64-linux-gnu/libc.a(malloc.o):(.text)
          366ebc           366ebc       28     4         /usr/lib/x86_64-linux-gnu/libc.a(malloc.o):(.rodata)
          700000           700000       10    16         /r/lib/libcore-27cf.rlib(core.4af-cgu.0.rcgu.o):(.text._ZN4core3fmt5write17h0123456789abcdefE)
";

    fn found(addresses: &[u64], named: &mut BTreeSet<Pattern>) -> Vec<String> {
        let found = patterns(&sections(MAP), &addresses.iter().copied().collect(), named);
        found.iter().map(|(file, names)| format!("{file}({})", names.join(" "))).collect()
    }

    #[test]
    fn what_ran_is_named_without_hashes_and_once() {
        let mut named = BTreeSet::new();
        assert_eq!(
            found(&[0x5d0150, 0x70_0000], &mut named),
            [
                "*.serde_json-*.o(.text._ZN5alloc4sync16Arc?LT?T?GT?9drop_slow17h*)",
                "*libcore-*.rlib:*(.text._ZN4core3fmt5write17h*)"
            ]
        );
        assert_eq!(found(&[0x5d0150, 0x146_1650], &mut named), ["*libc.a:malloc.o(.text)"]);
        assert_eq!(found(&[0x5d0151, 0x36_6ebc], &mut named), [""; 0]);
    }

    #[test]
    fn functions_of_strings_stand_there_for_all_processors() {
        let of = |file: &str| {
            let pattern = Pattern { file: file.to_owned(), name: ".text.avx".to_owned() };
            of_other_processors(&pattern).into_iter().map(|pattern| pattern.file).collect::<Vec<_>>()
        };
        assert_eq!(of("*libc.a:strlen-avx2.o"), ["*libc.a:strlen-avx512*.o", "*libc.a:strlen-evex*.o"]);
        assert_eq!(of("*libc.a:strlen.o"), [""; 0]);
        assert_eq!(of("*.memchr-avx-*.o"), [""; 0]);
    }

    #[test]
    fn hashes_of_both_kinds_are_left_out() {
        assert_eq!(name_pattern(".text"), ".text");
        assert_eq!(name_pattern(".text._ZN1a1b17h0123456789abcdefE.llvm.7"), ".text._ZN1a1b17h*");
        assert_eq!(
            name_pattern(".text._RNvNtCsgEmfK2I1SDS_4core3strINtB5_6RawVech_ECs2kdhTYp1Xz0_3std.llvm.15"),
            ".text._RNvNtCs*_4core3strINtB5_6RawVech_ECs*_3std*"
        );
        assert_eq!(name_pattern(".text._RNvCs_Csb_1a"), ".text._RNvCs_Csb_1a*");
    }

    #[test]
    fn addresses_are_those_of_the_lines_of_instructions() {
        let profile = "fn=(1) f\n0x5d00d0 12 3\ncalls=1 0x5d0000 4\n0x5d00d4 12 90\n+3 4\n";
        assert_eq!(addresses(profile), [0x5d00d0, 0x5d00d4].into());
    }
}
