//! What a fresh installation of each system has.
//!
//! Sources: POSIX's list of utilities; Debian 12's packages of priority `required` and `important`; the manual pages of
//! macOS 14; Microsoft's list of Windows commands (Windows 11). A command in no list must be installed.

use super::CheckTarget;

/// On Linux and on macOS.
const UNIX: &str = "[ awk basename cat chgrp chmod chown cksum cmp comm cp crontab cut date dd df diff dirname du echo \
    egrep env expand expr false fgrep find fold getconf getopt grep groups head hostname iconv id install join kill link ln \
    locale login logname ls man mkdir mkfifo mknod mktemp more mv nice nl nohup od passwd paste patch pathchk perl pgrep \
    ping pkill pr printenv printf ps pwd readlink realpath renice reset rev rm rmdir script sed seq sh sleep sort split \
    strings stty su sum sync tail tar tee test time top touch tput tr true tsort tty umount uname unexpand uniq unlink \
    uptime users wc which who whoami xargs yes gzip gunzip zcat clear col column csplit cal bash dash ssh scp sftp ssh-keygen \
    ssh-add ssh-agent ssh-keyscan less vi nc openssl arch base64 shasum uuidgen hexdump xxd curl zgrep zegrep zfgrep zless zmore zdiff zcmp zforce znew gzexe \
    uncompress diff3 sdiff reboot shutdown halt chroot last chsh chfn ipcs ipcrm whatis apropos infocmp tic tabs tset wall \
    mesg newgrp renice nologin whereis nano";

/// On Linux alone.
const LINUX: &str = "apt apt-get b2sum base32 basenc chrt dmesg dpkg factor fallocate flock free fuser getent hd hostid \
    ionice ip journalctl ldconfig ldd logger loginctl lsblk lsb_release lscpu lsof lspci mawk md5sum mount mountpoint namei \
    nproc nsenter sha1sum sha256sum update-alternatives dpkg-query apt-cache apt-config service systemd-run systemd-cat \
    systemd-notify hostnamectl timedatectl localectl busctl poweroff findmnt losetup swapon swapoff chattr lsattr lastlog \
    useradd usermod userdel groupadd gpgv setcap getcap run-parts dir vdir dnsdomainname domainname sg rgrep networkctl numfmt pidof pidwait pinky pmap prlimit ptx pwdx runuser rbash runcon setpriv setsid sha224sum sha384sum \
    sha512sum shred shuf slabtop ss stat stdbuf sudo sysctl systemctl tac taskset timeout truncate unshare vmstat w watch \
    xz bzip2 fmt dircolors chcon tload skill snice";

/// On macOS alone.
const MACOS: &str = "afplay at base64 bc brctl caffeinate codesign ditto dscl defaults diskutil dtrace expect file fmt \
    hdiutil ifconfig ioreg ipconfig jot killall ksh launchctl lipo lockf log lsof mdfind mdls md5 mount networksetup nvram \
    open osascript otool pbcopy pbpaste plutil pmset rsync ruby say scutil screencapture security shlock softwareupdate csh \
    sqlite3 stat sudo sw_vers sysctl system_profiler tcsh textutil traceroute truncate w xattr xcode-select xcrun zip unzip \
    zsh bzip2 dig host nslookup whois ed m4 uudecode uuencode vim zprint ex lp lpr at batch bg ul pax zgrep \
    logger tccutil tmutil netstat arp route iostat vm_stat sample installer pkgutil spctl systemsetup fs_usage leaks qlmanage \
    bunzip2 bzcat bzgrep dc chflags locate look mail pico screen tclsh view vimdiff xmllint xsltproc tidy ldapsearch kinit \
    sandbox-exec finger cancel zipinfo vis unvis mkfile dns-sd hidutil automator shortcuts lsappinfo dsmemberutil compress zdump";

/// On Windows: programs of `System32`, and what cmd has.
const WINDOWS: &str = "attrib certutil chcp choice clip cmd cmdkey comp compact convert cscript curl diskpart explorer fc \
    find findstr forfiles ftp gpresult hostname icacls ipconfig label msiexec net netsh netstat notepad nslookup openfiles \
    ping powershell reg regsvr32 robocopy route rundll32 sc schtasks setx shutdown sort ssh scp sftp ssh-keygen \
    bcdedit chkdsk cipher cmstp control dism driverquery eventcreate expand fsutil getmac klist logman makecab mode mountvol \
    mshta nbtstat nltest pathping pnputil powercfg print regedit replace sfc subst systeminfo takeown tar typeperf tzutil \
    vssadmin w32tm wevtutil taskkill tasklist timeout tracert tree where whoami winget wscript wsl xcopy";

/// Of every shell for scripts.
const BUILTINS: &str = ": . [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs \
    disown echo enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd \
    printf pushd pwd read readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit \
    umask unalias unset wait time";

const INTERPRETERS: &str = "bun cmd cscript deno java julia lua node perl php powershell pwsh python python2 python3 Rscript \
    ruby tclsh ts-node tsx";

fn has(list: &str, name: &str) -> bool {
    list.split_ascii_whitespace().any(|known| known == name)
}

/// Does a fresh installation have the command?
pub(super) fn has_command(target: CheckTarget, name: &str) -> bool {
    match target {
        CheckTarget::Linux => has(UNIX, name) || has(LINUX, name),
        CheckTarget::Macos => has(UNIX, name) || has(MACOS, name),
        CheckTarget::Windows => has(WINDOWS, &name.to_ascii_lowercase()),
    }
}

/// Shells that are none of POSIX's kind.
const OTHER_SHELLS: &str = "fish csh tcsh nu elvish xonsh";

pub(super) fn is_other_shell(name: &str) -> bool {
    has(OTHER_SHELLS, name)
}

pub(super) fn is_builtin(name: &str) -> bool {
    has(BUILTINS, name)
}

pub(super) fn is_interpreter(name: &str) -> bool {
    has(INTERPRETERS, name)
}

/// Commands that cannot be installed on another system.
const ONLY_MACOS: &str = "afplay caffeinate defaults dscl launchctl mdfind networksetup osascript pbcopy pbpaste plutil pmset say \
    scutil security sw_vers system_profiler";
const ONLY_LINUX: &str = "aplay apk apt apt-get dnf dpkg ip journalctl loginctl notify-send pacman paplay rpm ss systemctl \
    systemd-run wl-copy wl-paste xclip xsel yum zypper";
const ONLY_WINDOWS: &str = "clip cmd findstr reg robocopy schtasks taskkill tasklist winget wsl";

/// What is to be said of a command that the system does not have, beside that it must be installed.
pub(super) fn note(target: CheckTarget, name: &str) -> Option<&'static str> {
    use CheckTarget::{Linux, Macos, Windows};

    Some(match (target, name) {
        (Windows, "python3" | "python") => {
            ": its `python3` is the Microsoft Store's, which runs nothing; `py -3` is the launcher of an installed one"
        }
        (Macos, "python3") => ": its `python3` only asks to install the developer tools",
        (Linux, "python3") => ": not every distribution and no minimal image has it",
        (Linux | Macos, "python") => ": name `python3`",
        (Macos, "timeout") => ": use `perl -e 'alarm shift; exec @ARGV'`, or run the script in process",
        (Macos, "md5sum") => ": its own is `md5 -r`",
        (Macos, "tac") => ": its own is `tail -r`",
        (Macos, "sha1sum" | "sha224sum" | "sha256sum" | "sha384sum" | "sha512sum") => {
            " before macOS 15: its own is `shasum -a 256` (1, 512, …)"
        }
        (Macos, "git" | "make" | "cc" | "gcc" | "clang" | "swift") => {
            ": its own only asks to install the developer tools"
        }
        (Macos, "shuf") => ": its own is `sort -R`",
        (Macos, "free") => ": its own is `vm_stat`",
        (Macos, "pidof") => ": its own is `pgrep`",
        (Macos, "getent") => ": its own is `dscl`",
        (Macos, "flock") => ": its own is `shlock`; `mkdir` makes a lock everywhere",
        (Macos, "nproc") => ": its own is `sysctl -n hw.ncpu`",
        (Macos | Windows, "xdg-open") => ": its own is `open` (macOS) or `cmd /c start` (Windows)",
        (Windows, "open") => ": its own is `cmd /c start`",
        (Windows, "start" | "assoc" | "copy" | "del" | "md" | "ren" | "ver" | "vol") => {
            ": it is a command of cmd's own, `cmd /c …`"
        }
        (Windows, "ps") => ": its own is `tasklist`",
        (Windows, "lsof" | "ss") => ": its own is `netstat -ano`",
        (Linux | Macos, "powershell") => ": PowerShell is `pwsh` there, and must be installed",
        (Linux | Windows, name) if has(ONLY_MACOS, name) => ": only macOS has it: ask first, with `command -v`",
        (Macos | Windows, name) if has(ONLY_LINUX, name) => ": only Linux has it: ask first, with `command -v`",
        (Linux | Macos, name) if has(ONLY_WINDOWS, name) => ": only Windows has it: ask first, with `command -v`",
        (Linux, "open") => ": its own is `xdg-open`, of a desktop",
        (Linux, "md5") => ": its own is `md5sum`",
        (Linux, "gsed" | "gawk" | "gdate" | "gstat" | "greadlink" | "ggrep") => ": it is Homebrew's name on macOS",
        (_, "jq") => ": hookshell has its own, for scripts that run in process (`shell_scripts`)",
        _ => return None,
    })
}

/// Why the system does not have the path, as the end of the message.
pub(super) fn missing_path(target: CheckTarget, path: &str) -> Option<&'static str> {
    let is_in =
        |directory: &str| path.strip_prefix(directory).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    // The shell's own, on every system.
    if path.starts_with("/dev/fd") || path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/") {
        return None;
    }
    let (missing, note): (&[&str], _) = match target {
        CheckTarget::Macos => (
            &[
                "/proc",
                "/sys",
                "/dev/shm",
                "/run",
                "/etc/os-release",
                "/etc/debian_version",
                "/etc/machine-id",
                "/home",
            ],
            ": it is Linux's",
        ),
        CheckTarget::Linux => (
            &["/Users", "/Applications", "/Library", "/System", "/Volumes", "/private", "/opt/homebrew"],
            ": it is macOS's",
        ),
        CheckTarget::Windows => (
            &[
                "/proc",
                "/sys",
                "/dev/shm",
                "/run",
                "/etc",
                "/home",
                "/opt",
                "/var",
                "/Users",
                "/Applications",
                "/Library",
                "/System",
                "/Volumes",
                "/private",
                "/usr/share",
                "/usr/lib",
                "/usr/local/share",
            ],
            ": it is of Unix",
        ),
    };
    missing.iter().any(|directory| is_in(directory)).then_some(note)
}

#[cfg(test)]
mod tests {
    use super::{CheckTarget, ONLY_MACOS, ONLY_WINDOWS, has_command, missing_path, note};

    #[test]
    fn what_each_system_has() {
        let cases = [
            ("timeout", true, false),
            ("osascript", false, true),
            ("sed", true, true),
            ("rg", false, false),
            ("flock", true, false),
            ("md5", false, true),
            ("bash", true, true),
            ("zsh", false, true),
            ("zgrep", true, true),
            ("xmllint", false, true),
            ("sha256sum", true, false),
            ("vm_stat", false, true),
        ];
        for (name, linux, macos) in cases {
            assert_eq!(has_command(CheckTarget::Linux, name), linux, "{name}");
            assert_eq!(has_command(CheckTarget::Macos, name), macos, "{name}");
        }
        assert!(has_command(CheckTarget::Windows, "findstr") && !has_command(CheckTarget::Windows, "grep"));
    }

    #[test]
    fn what_cannot_be_installed_is_not_to_be_installed() {
        use CheckTarget::{Linux, Macos, Windows};

        for (target, name, system) in [
            (Windows, "osascript", "macOS"),
            (Linux, "pbcopy", "macOS"),
            (Macos, "apt-get", "Linux"),
            (Windows, "notify-send", "Linux"),
            (Linux, "taskkill", "Windows"),
        ] {
            assert!(!has_command(target, name), "{name}");
            let expected = format!(": only {system} has it: ask first, with `command -v`");
            assert_eq!(note(target, name), Some(&*expected), "{name}");
        }
        for (target, names) in [(Macos, ONLY_MACOS), (Windows, ONLY_WINDOWS)] {
            let missing: Vec<_> = names.split_whitespace().filter(|name| !has_command(target, name)).collect();
            assert_eq!(missing, [""; 0], "{target}");
        }
        assert_eq!(note(Windows, "open"), Some(": its own is `cmd /c start`"));
        assert_eq!(note(Windows, "rg"), None);
    }

    #[test]
    fn paths_of_one_system() {
        assert!(missing_path(CheckTarget::Macos, "/proc/self/status").is_some());
        assert!(missing_path(CheckTarget::Macos, "/process").is_none());
        assert!(missing_path(CheckTarget::Linux, "/proc/cpuinfo").is_none());
        assert!(missing_path(CheckTarget::Windows, "/etc/passwd").is_some());
        assert!(missing_path(CheckTarget::Windows, "/dev/fd/3").is_none());
    }
}
