//! Random dates and formats: the bundled `date` beside the real one.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test's helpers fail the test so")]

use std::path::Path;

use hookshell_test_support::beside::{ours, real};
use hookshell_test_support::{Random, is_gnu};

fn day(random: &mut Random) -> String {
    let (y, m, d) = (random.below(80) + 1960, random.below(12) + 1, random.below(31) + 1);
    let month = *random.pick(&["Jan", "feb", "March", "SEPT", "Dec.", "oct"]);
    match random.below(13) {
        0..=3 => format!("{y}-{m:02}-{d:02}"),
        4 => format!("{y}-{m}-{d}"),
        5 => format!("{y}/{m}/{d}"),
        6 => format!("{m}/{d}/{y}"),
        7 => format!("{m}/{d}/{:02}", y % 100),
        8 => format!("{y}{m:02}{d:02}"),
        9 => format!("{d} {month} {y}"),
        10 => format!("{month} {d}, {y}"),
        11 => format!("{d}-{month}-{y}"),
        _ => format!("{month} {d}"),
    }
}

fn time(random: &mut Random) -> String {
    let (h, m, s) = (random.below(25), random.below(61), random.below(61));
    match random.below(10) {
        0..=2 => format!("{h:02}:{m:02}"),
        3 | 4 => format!("{h}:{m:02}:{s:02}"),
        5 => format!("{h:02}:{m:02}:{s:02}.{}", random.below(1_000_000)),
        6 => format!("{h}pm"),
        7 => format!("{h}:{m:02} a.m."),
        8 => format!("{h:02}{m:02}"),
        _ => String::new(),
    }
}

fn relative(random: &mut Random) -> String {
    let n = random.below(100);
    let unit = *random.pick(&[
        "day",
        "days",
        "week",
        "hours",
        "min",
        "minutes",
        "sec",
        "months",
        "month",
        "year",
        "fortnight",
    ]);
    match random.below(9) {
        0 => format!("{n} {unit} ago"),
        1 => format!("+{n} {unit}"),
        2 => format!("-{n} {unit}"),
        3 => format!("{n}{unit}"),
        4 => format!("next {unit}"),
        5 => format!("last {unit}"),
        6 => (*random.pick(&["tomorrow", "yesterday", "today", "1.5 seconds", "-0.25 sec ago"])).to_owned(),
        7 => format!("third {unit}"),
        _ => format!("{n} {unit} hence"),
    }
}

fn date(random: &mut Random) -> String {
    let zone = *random.pick(&["", "", "", "Z", "UTC", "GMT", "+0100", "-05:30", "+2", "EST", " + 3"]);
    let weekday = *random.pick(&["monday", "next friday", "last sun", "Tue,", "3 wednesday"]);
    match random.below(9) {
        0 | 1 => format!("{}{}{}{zone}", day(random), random.pick(&[" ", "T", " "]), time(random)),
        2 | 3 => format!("{} {} {zone} {}", day(random), time(random), relative(random)),
        4 => format!("{} {} {} 10:00", relative(random), relative(random), day(random)),
        5 => format!("{weekday} {} 2001-02-03", time(random)),
        6 => format!("@{}{}", random.below(4_000_000_000), random.pick(&["", ".5", ".123456789"])),
        7 => format!("{zone} {} {} {weekday}", relative(random), day(random)),
        _ => (*random.pick(&["junk", "2024-13-01", "1 2 3 4", "10:00 11:00", "@x", "2024-01-01T", "24:00"])).to_owned(),
    }
}

const FORMATS: &[&str] = &[
    "+%F %T %z %s %N",
    "+%c|%x|%X|%r|%D|%R",
    "+%a %b %e %H:%M:%S %Z %Y",
    "+%G-W%V-%u %j %U %W %w %y %C %g %h",
    "+%s.%N %3N %_N %9N %12N %q %P %p %I %l %k",
    "+%^a %#Z %^B %10d|%-d|%_d|%05m|%:z %::z %:::z %_z %-z %10z",
    "+%10F|%20T|%-20T|%_5Y|%+6Y|%6C|%-j|%_j|%020s|%20A|%-20A|%020B",
    "-R",
    "-Iseconds",
    "--rfc-3339=ns",
];

#[test]
fn random_dates_give_the_same() {
    if !is_gnu("date") {
        return;
    }
    let utilities = hookshell_coreutils::all(|_| false);
    let utility = utilities.iter().find(|utility| utility.name() == "date").unwrap();
    let zones = ["UTC0", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "<+03>-3"];
    let directory = Path::new("/");
    let mut done = 0;
    for seed in 0..1200 {
        let mut random = Random::new(seed);
        let (date, zone) = (date(&mut random), *random.pick(&zones));
        let words = ["date", "-d", &date, *random.pick(FORMATS)];
        let Some(ours) = ours(&**utility, &words, directory, b"", &[("TZ", zone)]) else { continue };
        let theirs = real(&words, directory, b"", &[("TZ", zone)]);
        done += 1;
        assert_eq!(ours.readable(), theirs.readable(), "seed {seed}: TZ={zone} {words:?}");
    }
    assert!(done > 600, "{done}");
}
