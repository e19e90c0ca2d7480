#!/bin/sh
# Installs hookshell for the user who runs it: downloads the archive of a release, checks its SHA-256 sum, and puts the
# program, its manual pages and completions below a prefix. It needs no root.
#
#   install.sh [--version VERSION] [--prefix DIR] [--uninstall] [--help]
#
# HOOKSHELL_BASE_URL names another place for releases: VERSION's files are at $HOOKSHELL_BASE_URL/download/vVERSION.
set -eu

repository="@REPOSITORY@"
base="${HOOKSHELL_BASE_URL:-$repository/releases}"
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

  --version VERSION  that release, and not the latest
  --prefix DIR       where to (~/.local, or HOOKSHELL_PREFIX); the program is DIR/bin/hookshell
  --uninstall        takes away what was installed below the prefix

HOOKSHELL_BASE_URL names another place for releases: VERSION's files are at $HOOKSHELL_BASE_URL/download/vVERSION.
END
}

# A word as a shell's start-up file can have it, whatever stands in it.
quoted() {
    case "$1" in
    *[!A-Za-z0-9_./@%+:,-]*) printf "'%s'" "$(printf '%s\n' "$1" | sed "s/'/'\\\\''/g")" ;;
    *) printf '%s' "$1" ;;
    esac
}

# All of it is read before any of it runs: a download that ends early installs nothing.
main() {
    while [ $# -gt 0 ]; do
        case "$1" in
        --version) [ $# -gt 1 ] || fail "--version needs a version"; version=${2#v}; shift ;;
        --version=*) version=${1#--version=}; version=${version#v} ;;
        --prefix) [ -n "${2:-}" ] || fail "--prefix needs a directory"; prefix=$2; shift ;;
        --prefix=?*) prefix=${1#--prefix=} ;;
        --prefix=) fail "--prefix needs a directory" ;;
        --uninstall) uninstall=1 ;;
        -h | --help) usage; exit 0 ;;
        *) fail "unknown option: $1 (--version, --prefix, --uninstall, --help)" ;;
        esac
        shift
    done
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
    # What was installed, to be taken away again.
    list=$prefix/share/hookshell/installed

    if [ -n "$uninstall" ]; then
        [ -f "$list" ] || fail "nothing is installed below ${prefix:-/} (there is no $list)"
        while IFS= read -r file; do
            case "$file" in
            "$prefix"/*/) ;;
            "$prefix"/*) rm -f "$file" || fail "$file could not be removed" ;;
            esac
        done <"$list"
        # The directories that were made for it, where nothing else came to be in them: the innermost first.
        made=$(grep '/$' "$list" | LC_ALL=C sort -r || true)
        rm -f "$list" || fail "$list could not be removed"
        printf '%s\n' "$made" | while IFS= read -r directory; do
            case "$directory" in
            "$prefix"/*/) rmdir "$directory" 2>/dev/null || true ;;
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
    *) fail "there is no binary for $(uname -s) on $(uname -m): build it with cargo (${base%/releases})" ;;
    esac

    if command -v curl >/dev/null 2>&1; then
        fetch() { curl -fsSL --retry 3 -o "$2" "$1"; }
    elif command -v wget >/dev/null 2>&1; then
        fetch() { wget -q -O "$2" "$1"; }
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

    tar -xzf "$work/$archive" -C "$work"
    from=$work/${archive%.tar.gz}
    "$from/hookshell" --version >/dev/null || fail "the program does not run on this machine"
    : >"$work/list"
    # A directory with those above it, up to the prefix. What is made here is in the list, with a slash at its end.
    directory() {
        case "$1" in "$prefix"/*/*) directory "${1%/*}" ;; esac
        [ -d "$1" ] || printf '%s/\n' "$1" >>"$work/list"
        mkdir -p "$1" || fail "the directory $1 could not be made: nothing is installed"
    }
    for each in "$bin" "$man" "$prefix/share/hookshell" "$prefix/share/bash-completion/completions" \
        "$prefix/share/zsh/site-functions" "$prefix/share/fish/vendor_completions.d"; do
        directory "$each"
    done
    put() {
        # A program that runs is replaced, not written to.
        [ ! -d "$2" ] || fail "$2 is a directory: nothing can be installed in its place"
        if ! { cp "$1" "$2.new" && chmod "$3" "$2.new" && mv -f "$2.new" "$2"; }; then
            rm -f "$2.new"
            fail "$2 could not be written"
        fi
        printf '%s\n' "$2" >>"$work/list"
    }
    put "$from/hookshell" "$bin/hookshell" 755
    for page in "$from"/man/*.1; do put "$page" "$man/${page##*/}" 644; done
    put "$from/completions/hookshell.bash" "$prefix/share/bash-completion/completions/hookshell" 644
    put "$from/completions/_hookshell" "$prefix/share/zsh/site-functions/_hookshell" 644
    put "$from/completions/hookshell.fish" "$prefix/share/fish/vendor_completions.d/hookshell.fish" 644
    # What an older version had, and this one has not.
    if [ -f "$list" ]; then
        while IFS= read -r file; do
            case "$file" in
            "$prefix"/*/) printf '%s\n' "$file" >>"$work/list" ;;
            "$prefix"/*) grep -Fqx -e "$file" "$work/list" || rm -f "$file" ;;
            esac
        done <"$list"
    fi
    cp "$work/list" "$list" || fail "$list could not be written"

    installed=$("$bin/hookshell" --version) || fail "the program in $bin does not run"
    say "$installed is installed in $bin"
    case ":${PATH:-}:" in
    *":$bin:"*) ;;
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
