//! Utilities about the system, time, the environment and other commands.

mod arch;
#[cfg(windows)]
mod cygpath;
mod env;
mod expr;
mod flock;
mod getopt;
mod groups;
mod id;
mod logname;
mod nice;
mod nohup;
mod nproc;
#[cfg(any(windows, test))]
mod path_form;
mod pgrep;
mod printenv;
mod setsid;
mod sleep;
mod split_string;
mod started;
mod stdbuf;
mod sync;
mod timeout;
mod tput;
mod tty;
mod uname;
mod uuidgen;
mod which;
mod whoami;
mod xargs;

use hookshell_utility::Utility;

pub(crate) use sleep::seconds;

/// Is there a bundled utility of this name?
pub type IsBundled = fn(&[u8]) -> bool;

/// Those of this directory.
pub(crate) fn all(is_bundled: IsBundled) -> Vec<Box<dyn Utility>> {
    vec![
        Box::new(arch::Arch),
        #[cfg(windows)]
        Box::new(cygpath::Cygpath),
        Box::new(flock::Flock),
        Box::new(getopt::Getopt),
        Box::new(uuidgen::Uuidgen),
        Box::new(logname::Logname),
        Box::new(groups::Groups),
        Box::new(nice::Nice),
        Box::new(nohup::Nohup),
        Box::new(pgrep::Pgrep),
        Box::new(pgrep::Pkill),
        Box::new(setsid::Setsid),
        Box::new(stdbuf::Stdbuf),
        Box::new(sync::Sync),
        Box::new(tput::Tput),
        Box::new(tty::Tty),
        Box::new(env::Env),
        Box::new(id::Id),
        Box::new(nproc::Nproc),
        Box::new(expr::Expr),
        Box::new(printenv::Printenv),
        Box::new(sleep::Sleep),
        Box::new(timeout::Timeout),
        Box::new(uname::Uname),
        Box::new(which::Which { is_bundled }),
        Box::new(whoami::Hostname),
        Box::new(whoami::Whoami),
        Box::new(xargs::Xargs),
    ]
}
