//! Utilities that name, make, change and remove files.

mod backup;
mod basename;
mod chmod;
mod chown;
mod copy;
mod cp;
mod cp_parents;
mod device;
mod df;
mod dirname;
mod du;
pub(crate) mod find;
mod install;
mod levels;
mod link;
mod ln;
mod ls;
mod mkdir;
mod mkfifo;
mod mktemp;
mod mode_change;
mod mv;
mod pathchk;
mod readlink;
mod realpath;
mod rm;
mod rmdir;
mod stat;
mod target;
mod touch;
mod tree;
mod tree_view;
mod truncate;

use hookshell_utility::Utility;

pub(crate) use target::base_name;

/// Those of this directory.
pub(crate) fn all() -> Vec<Box<dyn Utility>> {
    vec![
        Box::new(du::Du),
        Box::new(install::Install),
        Box::new(link::Link),
        Box::new(link::Unlink),
        Box::new(truncate::Truncate),
        Box::new(basename::Basename),
        Box::new(chmod::Chmod),
        Box::new(chown::Program::Chown),
        Box::new(chown::Program::Chgrp),
        Box::new(cp::Cp),
        Box::new(df::Df),
        Box::new(dirname::Dirname),
        Box::new(find::Find),
        Box::new(ln::Ln),
        Box::new(ls::Program::Ls),
        Box::new(ls::Program::Dir),
        Box::new(ls::Program::Vdir),
        Box::new(mkdir::Mkdir),
        Box::new(mkfifo::Mkfifo),
        Box::new(mktemp::Mktemp),
        Box::new(mv::Mv),
        Box::new(pathchk::Pathchk),
        Box::new(readlink::Readlink),
        Box::new(realpath::Realpath),
        Box::new(rm::Rm),
        Box::new(rmdir::Rmdir),
        Box::new(stat::Stat),
        Box::new(touch::Touch),
        Box::new(tree_view::Tree),
    ]
}
