#!/bin/sh
# Installs hookshell for the user who runs it: downloads the archive of a release, checks its SHA-256 sum, and puts the
# program, its manual pages and completions below a prefix. It needs no root.
#
#   install.sh [--version VERSION] [--prefix DIR] [--uninstall] [--help]
#
# HOOKSHELL_BASE_URL names another place for releases: VERSION's files are at $HOOKSHELL_BASE_URL/download/vVERSION.
set -eu
# zsh splits no words otherwise, and asks before it removes.
[ -z "${ZSH_VERSION:-}" ] || emulate sh
# Options from the environment for the programs that are used below.
unset TAR_OPTIONS GREP_OPTIONS

repository="@REPOSITORY@"
base="${HOOKSHELL_BASE_URL:-$repository/releases}"
base=${base%/}
prefix="${HOOKSHELL_PREFIX:-${HOME:+$HOME/.local}}"
version=
uninstall=

say() { printf 'install.sh: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }

# Not read from "$0", which is the shell's own name where the script comes through a pipe.
usage() {
    cat <<'END'
Installs hookshell for the user who runs it: downloads the archive of a release, checks its SHA-256 sum, and puts the
program, its manual pages and completions below a prefix. It needs no root.

  install.sh [--version VERSION] [--prefix DIR] [--uninstall] [--help]

  --version VERSION  that release [default: latest]
  --prefix DIR       where to (~/.local, or HOOKSHELL_PREFIX); the program is DIR/bin/hookshell
  --uninstall        takes away what was installed below the prefix

HOOKSHELL_BASE_URL names another place for releases: VERSION's files are at $HOOKSHELL_BASE_URL/download/vVERSION.
END
}

# PATH without its relative entries: what has the name of a program in the working directory is not run.
absolute_path() {
    rest=${PATH:-}:
    found=
    while [ -n "$rest" ]; do
        case "$rest" in
        /*) found=${found:+$found:}${rest%%:*} ;;
        esac
        rest=${rest#*:}
    done
    # An empty PATH is the working directory.
    printf '%s' "${found:-/usr/bin:/bin}"
}

# A word as a shell's start-up file can have it, whatever stands in it.
quoted() {
    case "$1" in
    *[!A-Za-z0-9_./@%+:,-]*) printf "'%s'" "$(printf '%s\n' "$1" | sed "s/'/'\\\\''/g")" ;;
    *) printf '%s' "$1" ;;
    esac
}

# Is it a file below the prefix? What a list says with `..` in it is one elsewhere.
is_below_prefix() {
    case "$1" in
    */) return 1 ;;
    "$prefix"/*) ;;
    *) return 1 ;;
    esac
    case "${1#"$prefix"}" in
    */../*) return 1 ;;
    esac
}

# All of it is read before any of it runs: a download that ends early installs nothing.
main() {
    PATH=$(absolute_path)
    while [ $# -gt 0 ]; do
        case "$1" in
        --version) [ -n "${2:-}" ] || fail "--version needs a version"; version=${2#v}; shift ;;
        --version=?*) version=${1#--version=}; version=${version#v} ;;
        --version=) fail "--version needs a version" ;;
        --prefix) [ -n "${2:-}" ] || fail "--prefix needs a directory"; prefix=$2; shift ;;
        --prefix=?*) prefix=${1#--prefix=} ;;
        --prefix=) fail "--prefix needs a directory" ;;
        --uninstall) uninstall=1 ;;
        -h | --help) usage; exit 0 ;;
        *) fail "unknown option: $1 (--version, --prefix, --uninstall, --help)" ;;
        esac
        shift
    done
    [ "$version" != latest ] || version=
    # It is a part of an address: with a slash in it that could be another project's.
    case "$version" in
    *[!A-Za-z0-9.+_-]*) fail "that is no version: $version" ;;
    esac
    newline="
"
    case "$prefix" in
    # The list of what is installed has one path a line.
    *"$newline"*) fail "a prefix cannot have a line end in it" ;;
    /*) ;;
    "") fail "there is no home directory to install into: set HOME, or give --prefix" ;;
    *) fail "the prefix must be an absolute path: $prefix" ;;
    esac
    # The paths in the list begin with the prefix, however it is written the next time.
    while :; do
        case "$prefix" in
        */) prefix=${prefix%/} ;;
        *) break ;;
        esac
    done

    bin=$prefix/bin
    man=$prefix/share/man/man1
    # What was installed, to be taken away again. `hookshell install` keeps what it needs in a directory `installed` beside it.
    list=$prefix/share/hookshell/files

    if [ -n "$uninstall" ]; then
        [ -f "$list" ] || fail "nothing is installed below ${prefix:-/} (there is no $list)"
        # The same directory may have another name, whose paths would all be passed over.
        grep -Fqx -e "$bin/hookshell" "$list" ||
            fail "nothing is removed: that was installed with another --prefix: $(sed -n 's|/bin/hookshell$||p' "$list")"
        # Hooks that are started through a program that is gone would guard nothing, and nobody could take it out of the configs.
        # PATH may write the directory in another way, such as with a slash at its end.
        first=$(command -v hookshell || true)
        if [ -z "$first" ] || [ "$first" -ef "$bin/hookshell" ]; then
            for option in --user --shell; do
                wired=$("$bin/hookshell" uninstall "$option" --dry-run 2>/dev/null </dev/null | sed -n 's/^--- a//p') || wired=
                [ -z "$wired" ] || fail "nothing is removed: run  hookshell uninstall $option  first, since agents start it:" "$wired"
            done
        fi
        while IFS= read -r file; do
            if is_below_prefix "$file"; then rm -f "$file" || fail "$file could not be removed"; fi
        done <"$list"
        # The directories that were made for it, where nothing else came to be in them: the innermost first.
        made=$(grep '/$' "$list" | LC_ALL=C sort -r || true)
        rm -f "$list" || fail "$list could not be removed"
        printf '%s\n' "$made" | while IFS= read -r directory; do
            case "$prefix/" in
            "$directory"*) rmdir "$directory" 2>/dev/null || true ;;
            *)
                case "$directory" in
                "$prefix"/*/) rmdir "$directory" 2>/dev/null || true ;;
                esac
                ;;
            esac
        done
        say "hookshell is no longer installed below ${prefix:-/}"
        exit 0
    fi

    # Only a packed script knows where its releases are.
    case "$base" in
    @*) fail "this is the script of the sources: take that of a release, or set HOOKSHELL_BASE_URL" ;;
    esac

    case "$(uname -s)/$(uname -m)" in
    Linux/x86_64 | Linux/amd64) targets="x86_64-unknown-linux-gnu x86_64-unknown-linux-musl" ;;
    Linux/aarch64 | Linux/arm64) targets="aarch64-unknown-linux-musl" ;;
    Darwin/x86_64) targets="x86_64-apple-darwin" ;;
    Darwin/arm64) targets="aarch64-apple-darwin" ;;
    MINGW*/* | MSYS*/* | CYGWIN*/*) fail "this is Windows: take install.ps1 of the release (powershell -ExecutionPolicy Bypass -File install.ps1)" ;;
    *) fail "there is no binary for $(uname -s) on $(uname -m): build it with cargo (${base%/releases})" ;;
    esac

    if command -v curl >/dev/null 2>&1; then
        # Nothing leads from https to a place that is not; a server that sends nothing is given up.
        only=
        case "$base" in
        https://*) only="--proto =https" ;;
        esac
        # shellcheck disable=SC2086 # Words, or none.
        fetch() { curl -fsSL $only --retry 3 --connect-timeout 30 --speed-limit 1 --speed-time 60 -o "$2" "$1"; }
    elif command -v wget >/dev/null 2>&1; then
        # Debian's busybox has a wget that crashes on options it was built without.
        limits=
        case "$(wget --version 2>/dev/null)" in
        *GNU*) limits="-T 60 -t 3" ;;
        esac
        # shellcheck disable=SC2086 # Words, or none.
        fetch() { wget -q $limits -O "$2" "$1"; }
    else
        fail "neither curl nor wget is installed"
    fi
    if command -v sha256sum >/dev/null 2>&1; then
        digest() { sha256sum "$1" | cut -d ' ' -f 1; }
    elif command -v shasum >/dev/null 2>&1; then
        digest() { shasum -a 256 "$1" | cut -d ' ' -f 1; }
    else
        fail "neither sha256sum nor shasum is installed: the download could not be verified"
    fi

    work=$(mktemp -d "${TMPDIR:-/tmp}/hookshell.XXXXXX") || fail "no temporary directory could be made"
    trap 'rm -rf "${work:?}"' EXIT
    trap 'exit 1' HUP INT TERM

    if [ -n "$version" ]; then at=$base/download/v$version; else at=$base/latest/download; fi
    fetch "$at/SHA256SUMS" "$work/SHA256SUMS" ||
        fail "${version:+is there a version $version? }$at/SHA256SUMS could not be downloaded"
    archive=
    for target in $targets; do
        # A line is the sum, two blanks and the name.
        while read -r sum name; do
            case "$name" in
            hookshell-*-"$target".tar.gz) archive=$name expected=$sum ;;
            esac
        done <"$work/SHA256SUMS"
        [ -z "$archive" ] || break
    done
    [ -n "$archive" ] || fail "the release at $at has no archive for $targets"
    case "$archive" in
    */* | *..*) fail "the sums name a strange file: $archive" ;;
    esac
    fetch "$at/$archive" "$work/$archive" || fail "$at/$archive could not be downloaded"
    found=$(digest "$work/$archive")
    [ "$found" = "$expected" ] || fail "$archive is not what the release says: its SHA-256 is $found, not $expected"

    tar -xzf "$work/$archive" -C "$work" || fail "$archive could not be unpacked"
    from=$work/${archive%.tar.gz}

    # What is to be put where: a file of the archive, a tab, and its place.
    tab=$(printf '\t')
    for page in "$from"/man/*.1; do printf '%s\n' "man/${page##*/}$tab$man/${page##*/}"; done >"$work/places"
    cat >>"$work/places" <<END
completions/hookshell.bash$tab$prefix/share/bash-completion/completions/hookshell
completions/_hookshell$tab$prefix/share/zsh/site-functions/_hookshell
completions/hookshell.fish$tab$prefix/share/fish/vendor_completions.d/hookshell.fish
END
    while IFS=$tab read -r source place; do
        [ -f "$from/$source" ] || fail "the archive has no $source"
        [ ! -d "$place" ] || fail "$place is a directory: nothing is installed"
        printf '%s\n' "$place"
    done <"$work/places" >"$work/files"
    for place in "$bin/hookshell" "$list"; do
        [ ! -d "$place" ] || fail "$place is a directory: nothing is installed"
    done
    printf '%s\n' "$bin/hookshell" >>"$work/files"

    # The directories that are not there yet, with those above them; a slash at the end marks them in the list.
    : >"$work/made"
    directory() {
        [ ! -d "$1" ] && [ -n "$1" ] || return 0
        directory "${1%/*}"
        mkdir "$1" 2>/dev/null || return 1
        printf '%s/\n' "$1" >>"$work/made"
    }
    undo() {
        rm -f "$bin/hookshell.new" "$list.new" 2>/dev/null || true
        LC_ALL=C sort -r "$work/made" | while IFS= read -r each; do rmdir "$each" 2>/dev/null || true; done
        fail "$1: nothing is installed"
    }
    for each in "$bin" "$man" "${list%/*}" "$prefix/share/bash-completion/completions" \
        "$prefix/share/zsh/site-functions" "$prefix/share/fish/vendor_completions.d"; do
        directory "$each" || undo "the directory $each could not be made"
    done

    # It is tried where it is to be: a directory for temporary files may let no program run. What stands there is taken away, here and
    # below: through a link another file would be written.
    { rm -f "$bin/hookshell.new" && cp "$from/hookshell" "$bin/hookshell.new" && chmod 755 "$bin/hookshell.new"; } 2>/dev/null ||
        undo "$bin/hookshell could not be written"
    "$bin/hookshell.new" --version >/dev/null || undo "the program does not run on this machine"

    # Before anything is put in its place the list has it, beside what an older version had: whatever fails from here on, --uninstall
    # finds all of it.
    if [ -f "$list" ]; then cat "$list"; fi >"$work/old"
    note() { rm -f "$list.new" && LC_ALL=C sort -u "$@" >"$list.new" && mv -f "$list.new" "$list"; }
    note "$work/made" "$work/files" "$work/old" 2>/dev/null || undo "$list could not be written"
    put() {
        # What is in use is replaced, not written to.
        if ! { rm -f "$2.new" && cp "$1" "$2.new" && chmod "$3" "$2.new" && mv -f "$2.new" "$2"; }; then
            rm -f "$2.new" "$bin/hookshell.new" 2>/dev/null || true
            fail "$2 could not be written: hookshell is installed in part, and --uninstall takes it away"
        fi
    }
    while IFS=$tab read -r source place; do put "$from/$source" "$place" 644; done <"$work/places"
    # The program comes last: until then the older one runs.
    mv -f "$bin/hookshell.new" "$bin/hookshell" || fail "$bin/hookshell could not be written"
    # What an older version had, and this one has not.
    while IFS= read -r file; do
        if is_below_prefix "$file"; then grep -Fqx -e "$file" "$work/files" || rm -f "$file"; fi
    done <"$work/old"
    grep '/$' "$work/old" >"$work/directories" || true
    note "$work/made" "$work/files" "$work/directories" || fail "$list could not be written"

    installed=$("$bin/hookshell" --version) || fail "the program in $bin does not run"
    say "$installed is installed in $bin"
    first=$(command -v hookshell || true)
    [ ! "$first" -ef "$bin/hookshell" ] || return 0
    case "$first" in
    /*) say "another one comes first in PATH: $first" ;;
    esac
    case ":${PATH:-}:" in
    *":$bin:"* | *":$bin/:"*) ;;
    *)
        line="export PATH=$(quoted "$bin"):\"\$PATH\""
        case "${SHELL:-}" in
        */fish) say "$bin is not in PATH: run  fish_add_path $(quoted "$bin")" ;;
        */zsh) say "$bin is not in PATH: add the line  $line  to ~/.zshrc" ;;
        */bash) say "$bin is not in PATH: add the line  $line  to ~/.bashrc (macOS: ~/.bash_profile)" ;;
        *) say "$bin is not in PATH: add the line  $line  to your shell's start-up file" ;;
        esac
        ;;
    esac
}

main "$@"
