//! All long names of the options of the programs that utilities stand in for, which say what a shortened name means.

/// The names of the options of `utility` that begin with `name`; none where it is a program that takes no shortened names.
pub fn beginning_with<'a>(utility: &[u8], name: &'a [u8]) -> impl Iterator<Item = &'static str> + 'a {
    let utility = utility.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let names = NAMES.iter().find(|(utilities, _)| utilities.split(' ').any(|other| other.as_bytes() == utility));
    let all = names.map_or("", |(_, all)| all).split(' ');
    all.filter(move |long| !long.is_empty() && long.as_bytes().starts_with(name))
}

/// The utilities, and the names of their options: those of Debian 12's programs, also the ones that are not documented.
#[rustfmt::skip]
const NAMES: &[(&str, &str)] = &[
    ("arch factor groups link logname nohup rev sleep tsort whoami yes", "help version"),
    ("b2sum", "binary check help ignore-missing length quiet status strict tag text version warn zero"),
    ("base32 base64", "decode help ignore-garbage version wrap"),
    ("basename", "help multiple suffix version zero"),
    (
        "basenc",
        "base16 base2lsbf base2msbf base32 base32hex base64 base64url decode help ignore-garbage version wrap z85",
    ),
    ("cat", "help number number-nonblank show-all show-ends show-nonprinting show-tabs squeeze-blank version"),
    (
        "chgrp",
        "changes dereference help no-dereference no-preserve-root preserve-root quiet recursive reference silent \
         verbose version",
    ),
    ("chmod", "changes help no-preserve-root preserve-root quiet recursive reference silent verbose version"),
    (
        "chown",
        "changes dereference from help no-dereference no-preserve-root preserve-root quiet recursive reference silent \
         verbose version",
    ),
    ("cksum", "algorithm check debug help ignore-missing length quiet status strict tag untagged version warn zero"),
    ("cmp", "bytes help ignore-initial print-bytes print-chars quiet silent verbose version"),
    (
        "column",
        "columns fillrows help json keep-empty-lines output-separator output-width separator table table-columns \
         table-columns-limit table-empty-lines table-header-repeat table-hide table-name table-noextreme \
         table-noheadings table-order table-right table-truncate table-wrap tree tree-id tree-parent version",
    ),
    ("comm", "check-order help nocheck-order output-delimiter total version zero-terminated"),
    (
        "cp",
        "archive attributes-only backup context copy-contents dereference force help interactive link no-clobber \
         no-dereference no-preserve no-target-directory one-file-system parents preserve recursive reflink \
         remove-destination sparse strip-trailing-slashes suffix symbolic-link target-directory update verbose \
         version",
    ),
    ("csplit", "digits elide-empty-files help keep-files prefix quiet silent suffix-format suppress-matched version"),
    (
        "cut",
        "bytes characters complement delimiter fields help only-delimited output-delimiter version zero-terminated",
    ),
    (
        "date",
        "date debug file help iso-8601 reference resolution rfc-2822 rfc-3339 rfc-822 rfc-email set uct universal utc \
         version",
    ),
    (
        "df",
        "all block-size exclude-type help human-readable inodes local no-sync output portability print-type si sync \
         total type version",
    ),
    (
        "diff",
        "binary brief changed-group-format color context ed exclude exclude-from expand-tabs forward-ed from-file \
         help horizon-lines ifdef ignore-all-space ignore-blank-lines ignore-case ignore-file-name-case \
         ignore-matching-lines ignore-space-change ignore-tab-expansion ignore-trailing-space inhibit-hunk-merge \
         initial-tab label left-column line-format minimal new-file new-group-format new-line-format no-dereference \
         no-ignore-file-name-case normal old-group-format old-line-format paginate palette rcs recursive \
         report-identical-files sdiff-merge-assist show-c-function show-function-line side-by-side speed-large-files \
         starting-file strip-trailing-cr suppress-blank-empty suppress-common-lines tabsize text to-file \
         unchanged-group-format unchanged-line-format unidirectional-new-file unified version width",
    ),
    ("dirname", "help version zero"),
    (
        "du",
        "all apparent-size block-size bytes count-links dereference dereference-args exclude exclude-from files0-from \
         help human-readable inodes max-depth no-dereference null one-file-system separate-dirs si summarize \
         threshold time time-style total version",
    ),
    (
        "env",
        "block-signal chdir debug default-signal help ignore-environment ignore-signal list-signal-handling null \
         split-string unset version",
    ),
    ("envsubst", "help variables version"),
    ("expand", "help initial tabs version"),
    (
        "flock",
        "close command conflict-exit-code exclusive help nb no-fork nonblock shared timeout unlock verbose version \
         wait",
    ),
    ("fmt", "crown-margin goal help prefix split-only tagged-paragraph uniform-spacing version width"),
    ("fold", "bytes help spaces version width"),
    ("getopt", "alternative help longoptions name options quiet quiet-output shell test unquoted version"),
    (
        "grep egrep fgrep",
        "after-context basic-regexp before-context binary binary-files byte-offset color colour context count \
         dereference-recursive devices directories exclude exclude-dir exclude-from extended-regexp file \
         files-with-matches files-without-match fixed-regexp fixed-strings group-separator help ignore-case include \
         initial-tab invert-match label line-buffered line-number line-regexp max-count no-filename \
         no-group-separator no-ignore-case no-messages null null-data only-matching perl-regexp quiet recursive \
         regexp silent text unix-byte-offsets version with-filename word-regexp",
    ),
    ("head", "bytes help lines quiet silent verbose version zero-terminated"),
    (
        "hexdump hd",
        "canonical color format format-file help length no-squeezing one-byte-char one-byte-octal skip \
         two-bytes-decimal two-bytes-hex two-bytes-octal version",
    ),
    ("iconv", "from-code help list output silent to-code usage verbose version"),
    ("id", "context group groups help name real user version zero"),
    (
        "install",
        "backup compare context directory group help mode no-target-directory owner preserve-context \
         preserve-timestamps strip strip-program suffix target-directory verbose version",
    ),
    ("join", "check-order header help ignore-case nocheck-order version zero-terminated"),
    (
        "ln",
        "backup directory force help interactive logical no-dereference no-target-directory physical relative suffix \
         symbolic target-directory verbose version",
    ),
    (
        "ls dir vdir",
        "all almost-all author block-size classify color context dereference dereference-command-line \
         dereference-command-line-symlink-to-dir directory dired escape file-type format full-time \
         group-directories-first help hide hide-control-chars human-readable hyperlink ignore ignore-backups \
         indicator-style inode kibibytes literal no-group numeric-uid-gid quote-name quoting-style recursive reverse \
         show-control-chars si size sort tabsize time time-style version width zero",
    ),
    (
        "md5sum sha1sum sha224sum sha256sum sha384sum sha512sum",
        "binary check help ignore-missing quiet status strict tag text version warn zero",
    ),
    ("mkdir", "context help mode parents verbose version"),
    ("mkfifo", "context help mode version"),
    ("mktemp", "directory dry-run help quiet suffix tmpdir version"),
    (
        "mv",
        "backup context force help interactive no-clobber no-target-directory strip-trailing-slashes suffix \
         target-directory update verbose version",
    ),
    ("nice", "adjustment help version"),
    (
        "nl",
        "body-numbering footer-numbering header-numbering help join-blank-lines line-increment no-renumber \
         number-format number-separator number-width page-increment section-delimiter starting-line-number version",
    ),
    ("nproc", "all help ignore version"),
    (
        "numfmt",
        "debug delimiter field format from from-unit grouping header help invalid padding round suffix to to-unit \
         version zero-terminated",
    ),
    (
        "od",
        "address-radix endian format help output-duplicates read-bytes skip-bytes strings traditional version width",
    ),
    ("paste", "delimiters help serial version zero-terminated"),
    (
        "patch",
        "backup backup-if-mismatch basename-prefix batch binary context debug directory dry-run ed follow-symlinks \
         force forward fuzz get help ifdef ignore-whitespace input merge no-backup-if-mismatch no-get normal output \
         posix prefix quiet quoting-style read-only reject-file reject-format remove-empty-files reverse set-time \
         set-utc silent strip suffix unified verbose version version-control",
    ),
    ("pathchk", "help portability version"),
    ("printenv", "help null version"),
    (
        "readlink",
        "canonicalize canonicalize-existing canonicalize-missing help no-newline quiet silent verbose version zero",
    ),
    (
        "realpath",
        "canonicalize-existing canonicalize-missing help logical no-symlinks physical quiet relative-base relative-to \
         strip version zero",
    ),
    ("rm", "dir force help interactive no-preserve-root one-file-system preserve-root recursive verbose version"),
    ("rmdir", "help ignore-fail-on-non-empty parents verbose version"),
    (
        "sed",
        "binary debug expression file follow-symlinks help in-place line-length null-data posix quiet regexp-extended \
         sandbox separate silent unbuffered version zero-terminated",
    ),
    ("seq", "equal-width format help separator version"),
    ("shuf", "echo head-count help input-range output random-source repeat version zero-terminated"),
    (
        "sort",
        "batch-size buffer-size check compress-program debug dictionary-order field-separator files0-from \
         general-numeric-sort help human-numeric-sort ignore-case ignore-leading-blanks ignore-nonprinting key merge \
         month-sort numeric-sort output parallel random-sort random-source reverse sort stable temporary-directory \
         unique version version-sort zero-terminated",
    ),
    (
        "split",
        "additional-suffix bytes elide-empty-files filter help hex-suffixes line-bytes lines number numeric-suffixes \
         separator suffix-length unbuffered verbose version",
    ),
    ("stat", "cached dereference file-system format help printf terse version"),
    (
        "strings",
        "all bytes data encoding help include-all-whitespace output-separator print-file-name radix target unicode \
         version",
    ),
    ("sum", "help sysv version"),
    ("sync", "data file-system help version"),
    ("tac", "before help regex separator version"),
    (
        "tail",
        "bytes follow help lines max-unchanged-stats pid quiet retry silent sleep-interval verbose version \
         zero-terminated",
    ),
    ("tee", "append help ignore-interrupts output-error version"),
    ("timeout", "foreground help kill-after preserve-status signal verbose version"),
    ("touch", "date help no-create no-dereference reference time version"),
    ("tr", "complement delete help squeeze-repeats truncate-set1 version"),
    ("truncate", "help io-blocks no-create reference size version"),
    ("tty", "help quiet silent version"),
    (
        "uname",
        "all hardware-platform help kernel-name kernel-release kernel-version machine nodename operating-system \
         processor release sysname version",
    ),
    ("unexpand", "all first-only help tabs version"),
    (
        "uniq",
        "all-repeated check-chars count group help ignore-case repeated skip-chars skip-fields unique version \
         zero-terminated",
    ),
    ("uuidgen", "help hex md5 name namespace random sha1 time version"),
    ("wc", "bytes chars files0-from help lines max-line-length total version words"),
    (
        "xargs",
        "arg-file delimiter eof exit help interactive max-args max-chars max-lines max-procs no-run-if-empty null \
         open-tty process-slot-var replace show-limits verbose version",
    ),
];
