use super::*;
use crate::strftime::Zone;
use hookshell_test_support::bash;

struct Utc;

impl PrintfEnv for Utc {
    fn bytes(&self) -> bool {
        false
    }
    fn now(&self) -> i64 {
        1_000_000_000
    }
    fn start(&self) -> i64 {
        999_999_999
    }
    fn zone(&self, _: i64) -> Zone {
        Zone::utc()
    }
    fn max_output(&self) -> usize {
        100_000
    }
}

fn run(words: &[&[u8]]) -> (Vec<u8>, Vec<String>, u8) {
    let mut out = Vec::new();
    let outcome = format(words[0], &words[1..], &Utc, &mut out);
    let errors = outcome.errors.iter().map(ToString::to_string).collect();
    (out, errors, outcome.status())
}

/// Words, output, and complaints.
type Case = (&'static [&'static [u8]], &'static [u8], &'static [&'static str]);

/// Each is what bash 5.2 prints.
const CASES: &[Case] = &[
    // Integers.
    (&[b"%d", b"abc"], b"0", &["abc: invalid number"]),
    (&[b"%d", b"08"], b"0", &["08: invalid octal number"]),
    (&[b"%d", b"0x"], b"0", &["0x: invalid hex number"]),
    (&[b"%d", b"0xg"], b"0", &["0xg: invalid hex number"]),
    (&[b"%d", b""], b"0", &[]),
    (&[b"%d", b" 12"], b"12", &[]),
    (&[b"%d", b"12 "], b"12", &["12 : invalid number"]),
    (&[b"%d", b"-"], b"0", &["-: invalid number"]),
    (&[b"%d", b"010"], b"8", &[]),
    (&[b"%d", b"-0x10"], b"-16", &[]),
    (&[b"%d", b"+5"], b"5", &[]),
    (
        &[b"%d", b"99999999999999999999"],
        b"9223372036854775807",
        &["warning: 99999999999999999999: Numerical result out of range"],
    ),
    (
        &[b"%d", b"-99999999999999999999"],
        b"-9223372036854775808",
        &["warning: -99999999999999999999: Numerical result out of range"],
    ),
    (&[b"%d", b"-9223372036854775808"], b"-9223372036854775808", &[]),
    (&[b"%u", b"-1"], b"18446744073709551615", &[]),
    (
        &[b"%u", b"18446744073709551616"],
        b"18446744073709551615",
        &["warning: 18446744073709551616: Numerical result out of range"],
    ),
    (&[b"%u", b"-18446744073709551615"], b"1", &[]),
    (&[b"%x", b"-1"], b"ffffffffffffffff", &[]),
    (&[b"%i", b"'a"], b"97", &[]),
    (&[b"%i", b"\""], b"0", &[]),
    (&[b"%i", "'é".as_bytes()], b"233", &[]),
    (&[b"%i", b"'\xFF"], b"255", &[]),
    (&[b"%i", b"'ab"], b"97", &[]),
    (
        &[
            b"%05d|%+d|% d|%-5d|%5d|%.3d|%+.3d|%05.3d|%.0d",
            b"42",
            b"42",
            b"42",
            b"42",
            b"42",
            b"42",
            b"42",
            b"42",
            b"0",
        ],
        b"00042|+42| 42|42   |   42|042|+042|  042|",
        &[],
    ),
    (
        &[b"%#x|%#o|%#X|%x|%o|%#x|%#o|%#.0o", b"255", b"8", b"255", b"255", b"8", b"0", b"0", b"0"],
        b"0xff|010|0XFF|ff|10|0|0|0",
        &[],
    ),
    (
        &[b"%#08x|%-#8x|%08.3x|%#.5o|%#.1o", b"255", b"255", b"255", b"8", b"8"],
        b"0x0000ff|0xff    |     0ff|00010|010",
        &[],
    ),
    (&[b"%-+5d|% 05d|%+ d|%'d", b"1", b"2", b"3", b"1234567"], b"+1   | 0002|+3|1234567", &[]),
    (&[b"%hd", b"70000"], b"70000", &[]),
    (&[b"%ld %lld %hhd %zd %jd %td %Lf", b"1", b"2", b"3", b"4", b"5", b"6", b"7"], b"1 2 3 4 5 6 7.000000", &[]),
    // Strings.
    (&[b"%s"], b"", &[]),
    (&[b"%d"], b"0", &[]),
    (&[b"%c"], b"\0", &[]),
    (&[b"%c", b""], b"\0", &[]),
    (&[b"%c", "é".as_bytes()], b"\xC3", &[]),
    (&[b"%.3c|%5c|%-5cx", b"abc", b"a", b"a"], b"a|    a|a    x", &[]),
    (&[b"%5s|%-5s|%.2s|%5.1s|%-5.1s", b"abc", b"abc", b"abc", b"abc", b"abc"], b"  abc|abc  |ab|    a|a    ", &[]),
    (&[b"%05s|%+s|% s|%#s", b"a", b"a", b"a", b"a"], b"    a|a|a|a", &[]),
    (&[b"%8.3s|", "é".as_bytes()], b"      \xC3\xA9|", &[]),
    (&[b"%.1s|", "é".as_bytes()], b"\xC3|", &[]),
    (&[b"%ls", "é".as_bytes()], "é".as_bytes(), &[]),
    // Widths from arguments.
    (&[b"%*d", b"5", b"42"], b"   42", &[]),
    (&[b"%-*d|", b"5", b"42"], b"42   |", &[]),
    (&[b"%*d|", b"-5", b"42"], b"42   |", &[]),
    (&[b"%.*f", b"2", b"3.14159"], b"3.14", &[]),
    (&[b"%.*f", b"-2", b"3.14159"], b"3.141590", &[]),
    (&[b"%*s", b"abc", b"x"], b"x", &["abc: invalid number"]),
    (&[b"%*d"], b"0", &[]),
    // Broken formats.
    (&[b"%z"], b"", &["`%z': missing format character"]),
    (&[b"abc%"], b"abc", &["`%': missing format character"]),
    (&[b"%5"], b"", &["`%5': missing format character"]),
    (&[b"a%yb"], b"a", &["`y': invalid format character"]),
    (&[b"%5%"], b"", &["`%': invalid format character"]),
    (&[b"a%%b"], b"a%b", &[]),
    (&[b""], b"", &[]),
    // The format is used again.
    (&[b"%s %s\n", b"a", b"b", b"c"], b"a b\nc \n", &[]),
    (&[b"x\n", b"a", b"b"], b"x\n", &[]),
    (&[b"%s\n", b"a", b"b", b"c"], b"a\nb\nc\n", &[]),
    (&[b"%d %s\n", b"1", b"a", b"2"], b"1 a\n2 \n", &[]),
    (&[b"%d", b"1", b"2x", b"3"], b"123", &["2x: invalid number"]),
    (&[b"%%%s", b"a", b"b"], b"%a%b", &[]),
    // Escapes.
    (&[br#"a\n\t\\\101\x41\u00e9\0101\q\"\'\?"#], "a\n\t\\AAé\u{8}1\\q\"'?".as_bytes(), &[]),
    (&[br"a\cb"], br"a\cb", &[]),
    (&[b"%b", br"a\cb", b"x"], b"a", &[]),
    (&[b"x%bx%sx", br"a\cb", b"q"], b"xa", &[]),
    (&[b"%b", br#"a\101\0101\x41\u00e9\e\"\'\?\q\\"#], "aAAAé\u{1B}\\\"\\'\\?\\q\\".as_bytes(), &[]),
    (&[b"%5b|%-5b|%.2b", br"a\tb", b"x", b"xyz"], b"  a\tb|x    |xy", &[]),
    (&[br"\x"], br"\x", &["missing hex digit for \\x"]),
    (&[b"%b", br"\u"], br"\u", &["missing unicode digit for \\u"]),
    (&[br"tail\"], br"tail\", &[]),
    (&[b"%b", br"tail\"], br"tail\", &[]),
    (&[br"\ud800\U110000\Uffffffff\u80"], b"\xED\xA0\x80\xF4\x90\x80\x80\xC2\x80", &[]),
    (&[br"\1234\400"], b"S4\0", &[]),
    // Quoting.
    (&[b"%q", b"a b"], br"a\ b", &[]),
    (&[b"%q"], b"''", &[]),
    (&[b"%5q|%-8q|%.3q", b"a", b"b c", b"a b c"], br"    a|b\ c    |a\ ", &[]),
    (&[b"%Q|%.3Q|%8Q", b"a b", b"a b c", b"a b"], br"a\ b|a\ b|    a\ b", &[]),
    // Floating point, as x87 long double has it.
    (&[b"%f", b"abc"], b"0.000000", &["abc: invalid number"]),
    (&[b"%f", b"1e"], b"1.000000", &["1e: invalid number"]),
    (&[b"%f", b"1.5x"], b"1.500000", &["1.5x: invalid number"]),
    (&[b"%f", b"0x"], b"0.000000", &["0x: invalid hex number"]),
    (&[b"%f", b"."], b"0.000000", &[".: invalid number"]),
    (&[b"%f %f %f", b".5", b"5.", b"+.5e+1"], b"0.500000 5.000000 5.000000", &[]),
    (&[b"%f %f", b" 1", b"1 "], b"1.000000 1.000000", &["1 : invalid number"]),
    (&[b"%f", b""], b"0.000000", &[]),
    (&[b"%f"], b"0.000000", &[]),
    (&[b"%f", b"'a"], b"97.000000", &[]),
    (&[b"%f %F %f %f", b"inf", b"INFINITY", b"-inf", b"nan"], b"inf INF -inf nan", &[]),
    (&[b"%f", b"infi"], b"inf", &["infi: invalid number"]),
    (&[b"%f %f", b"nan(12)", b"-nan"], b"nan -nan", &[]),
    (&[b"%5f|%05f|%-8fx|%+f|% f", b"inf", b"inf", b"inf", b"nan", b"inf"], b"  inf|  inf|inf     x|+nan| inf", &[]),
    (&[b"%f", b"1e5000"], b"inf", &["warning: 1e5000: Numerical result out of range"]),
    (&[b"%e", b"1e-5000"], b"0.000000e+00", &["warning: 1e-5000: Numerical result out of range"]),
    (&[b"%g", b"1e-4950"], b"1.09356e-4950", &["warning: 1e-4950: Numerical result out of range"]),
    (&[b"%a", b"1e-4940"], b"0x0.000000663278e62p-16385", &["warning: 1e-4940: Numerical result out of range"]),
    (&[b"%g", b"1e4932"], b"1e+4932", &[]),
    (&[b"%f", b"0x1p-2"], b"0.250000", &[]),
    (&[b"%e %g %g %G", b"12345.678", b"0.0001", b"1e10", b"1e-10"], b"1.234568e+04 0.0001 1e+10 1E-10", &[]),
    (
        &[b"%g %g %g %#g %.3g %g", b"100000", b"1000000", b"123456789", b"1", b"0.00012345", b"0.00001"],
        b"100000 1e+06 1.23457e+08 1.00000 0.000123 1e-05",
        &[],
    ),
    (&[b"%.0f %.0f %.0f %.1f %.1f %#.0f", b"0.5", b"1.5", b"2.5", b"0.25", b"0.35", b"3"], b"0 2 2 0.2 0.3 3.", &[]),
    (&[b"%.2f %.2f %.20f", b"2.675", b"1.005", b"0.1"], b"2.67 1.00 0.10000000000000000000", &[]),
    (&[b"%.15g %.25g", b"0.1", b"0.1"], b"0.1 0.1000000000000000000013553", &[]),
    (&[b"%.30e %.3f", b"1e22", b"1e22"], b"1.000000000000000000000000000000e+22 10000000000000000000000.000", &[]),
    (&[b"%010.3f|%+.1e|%f", b"-3.14159", b"0", b"-0"], b"-00003.142|+0.0e+00|-0.000000", &[]),
    (
        &[b"%a %a %A %.2a %a %.0a", b"1", b"0.1", b"255.5", b"3.14", b"0", b"1.5"],
        b"0x8p-3 0xc.ccccccccccccccdp-7 0XF.F8P+4 0xc.8fp-2 0x0p+0 0xcp-3",
        &[],
    ),
    (
        &[b"%.3a %#a|%20.2a|%020.2a|%a", b"1", b"1", b"1", b"1", b"123456789"],
        b"0x8.000p-3 0x8.p-3|           0x8.00p-3|0x000000000008.00p-3|0xe.b79a2ap+23",
        &[],
    ),
    // Time.
    (&[b"%(%Y-%m-%d %H:%M:%S %Z %z)T", b"0"], b"1970-01-01 00:00:00 UTC +0000", &[]),
    (
        &[b"%(%a %A %b %B %c %C %d %D)T", b"1234567890"],
        b"Fri Friday Feb February Fri Feb 13 23:31:30 2009 20 13 02/13/09",
        &[],
    ),
    (
        &[b"%(%e %F %g %G %h %H %I %j %k %l %m %M %p %P %r %R)T", b"1234567890"],
        b"13 2009-02-13 09 2009 Feb 23 11 044 23 11 02 31 PM pm 11:31:30 PM 23:31",
        &[],
    ),
    (
        &[b"%(%s %S %T %u %U %V %w %W %x %X %y %Y %% %n %t)T", b"1234567890"],
        b"1234567890 30 23:31:30 5 06 07 5 06 02/13/09 23:31:30 09 2009 % \n \t",
        &[],
    ),
    (
        &[
            b"%(%E)T %(%q)T %(%-d)T %(%_H)T %(%05d)T %(%^a)T %(%#Z)T %(%N)T %(%Ey %Od)T %(%10Y)T",
            b"0",
            b"0",
            b"0",
            b"0",
            b"0",
            b"0",
            b"0",
            b"0",
            b"0",
            b"0",
        ],
        b"%E %q 1  0 00001 THU utc %N 70 01 0000001970",
        &[],
    ),
    (&[b"%()T", b"0"], b"00:00:00", &[]),
    (&[b"%(%Y)T", b"abc"], b"1970", &["abc: invalid number"]),
    (&[b"%(x(y)z)T", b"0"], b"x(y)z", &[]),
    (&[b"%20(%F)T|%-20(%F)T|%.4(%F)T", b"0", b"0", b"0"], b"          1970-01-01|1970-01-01          |1970", &[]),
    (&[b"%(%F %T)T", b"-3"], b"1969-12-31 23:59:57", &[]),
    (&[b"%(%F %j %U %W)T", b"99999999999999"], b"3170843-11-07 311 44 44", &[]),
];

#[test]
fn formats_print_as_in_bash() {
    for (words, expected, complaints) in CASES {
        let (out, errors, _) = run(words);
        let shown = bstr::BStr::new(words[0]);
        assert_eq!(bstr::BStr::new(&out), bstr::BStr::new(expected), "{shown}");
        assert_eq!(errors, *complaints, "{shown}");
    }
}

#[test]
fn bash_agrees_with_the_table() {
    for (words, expected, complaints) in CASES {
        let Some(answer) = bash("printf \"$@\"", words) else {
            return;
        };
        let shown = bstr::BStr::new(words[0]);
        assert_eq!(bstr::BStr::new(&answer.stdout), bstr::BStr::new(expected), "{shown}");
        let stderr: String = complaints.iter().map(|line| format!("printf: {line}\n")).collect();
        assert_eq!(answer.stderr, stderr, "{shown}");
        assert_eq!(answer.status, i32::from(run(words).2), "{shown}");
    }
}

#[test]
fn an_unclosed_time_format_is_a_warning_and_literal() {
    let (out, errors, status) = run(&[b"%(%Y)d", b"0"]);
    assert_eq!(out, b"%(");
    assert_eq!(errors, ["warning: `d': invalid time format specification", "`Y': invalid format character"]);
    assert_eq!(status, 1);
}

#[test]
fn now_and_start_come_from_the_environment() {
    assert_eq!(run(&[b"%(%s)T %(%s)T %(%s)T", b"-1", b"-2"]).0, b"1000000000 999999999 1000000000");
}

#[test]
fn counts_are_given_back_for_the_caller_to_assign() {
    let mut out = b"before".to_vec();
    let outcome = format(b"abc%n%s%n", &[b"v", b"de", b"w"], &Utc, &mut out);
    assert_eq!(out, b"beforeabcde");
    assert_eq!(outcome.counts, [(b"v".to_vec(), 3), (b"w".to_vec(), 5)]);
    assert_eq!(run(&[b"abc%n", b"1x"]).1, ["`1x': not a valid identifier"]);
}

#[test]
fn a_stop_escape_is_reported() {
    let mut out = Vec::new();
    assert!(format(b"%b%s", &[br"x\cy", b"z"], &Utc, &mut out).stop);
    assert_eq!(out, b"x");
}

#[test]
fn a_field_over_the_limit_is_an_error_and_not_an_allocation() {
    for format in [
        "%999999999999999999999d",
        "%.99999999999d",
        "%*d",
        "%.999999999f",
        "%.9999999999e",
        "%.99999999g",
        "%.999999999a",
        "%9999999s",
        "%9999999c",
        "%9999999b",
        "%9999999q",
        "%9999999(%F)T",
        "%(%999999999Y)T",
    ] {
        let (out, errors, status) = run(&[format.as_bytes(), b"2000000000", b"1"]);
        assert!(out.is_empty(), "{format}");
        assert_eq!(errors, ["limit expansion-bytes of 100000 reached: the output is larger"], "{format}");
        assert_eq!(status, 1);
    }
    let words: Vec<&[u8]> = std::iter::once(b"%60000d".as_slice()).chain([b"1".as_slice(), b"2"]).collect();
    assert_eq!(run(&words).0.len(), 60_000);
}

#[test]
fn bytes_of_the_c_locale_are_characters() {
    struct Bytes;
    impl PrintfEnv for Bytes {
        fn bytes(&self) -> bool {
            true
        }
        fn now(&self) -> i64 {
            0
        }
        fn start(&self) -> i64 {
            0
        }
        fn zone(&self, _: i64) -> Zone {
            Zone::utc()
        }
        fn max_output(&self) -> usize {
            1000
        }
    }
    let mut out = Vec::new();
    let _ = format("%d %q \\u00e9 \\U1f600".as_bytes(), &["'é".as_bytes(), "é".as_bytes()], &Bytes, &mut out);
    assert_eq!(bstr::BStr::new(&out), bstr::BStr::new(br"195 $'\303\251' \u00E9 \U0001F600"));
}

proptest::proptest! {
    #[test]
    fn no_format_panics(format in proptest::collection::vec(proptest::sample::select(b"%%%%dsfgaebqcn(T)*.-0 #'+19\\x\\0uc\xC3".as_slice()), 0..24), arguments in proptest::collection::vec(proptest::collection::vec(proptest::num::u8::ANY, 0..6), 0..4)) {
        let words: Vec<&[u8]> = std::iter::once(format.as_slice()).chain(arguments.iter().map(Vec::as_slice)).collect();
        run(&words);
    }

    #[test]
    fn doubles_print_as_the_standard_library_prints_them(value in proptest::num::f64::NORMAL, precision in 0_usize..40) {
        // The shortest hexadecimal form is exact.
        let exact = hexadecimal(value);
        let directive = format!("%.{precision}f");
        let (out, errors, _) = run(&[directive.as_bytes(), exact.as_bytes()]);
        proptest::prop_assert_eq!(String::from_utf8_lossy(&out), format!("{value:.precision$}"));
        proptest::prop_assert!(errors.is_empty());
    }
}

fn hexadecimal(value: f64) -> String {
    let bits = value.to_bits();
    let sign = if value.is_sign_negative() { "-" } else { "" };
    let exponent = i64::try_from(bits >> 52 & 0x7FF).unwrap() - 1023;
    format!("{sign}0x1.{:013x}p{exponent}", bits & ((1 << 52) - 1))
}
