//! Utilities that name, make, change and remove files.

pub(crate) mod attributes;
mod backup;
mod basename;
pub(crate) mod canonical;
mod chmod;
mod copy;
mod cp;
mod cp_parents;
mod device;
mod df;
mod dirname;
mod du;
pub(crate) mod find;
mod install;
mod link;
pub(crate) mod ln;
mod ls;
mod mkdir;
mod mktemp;
pub(crate) mod mode;
mod mode_change;
mod mv;
mod pathchk;
mod readlink;
mod realpath;
mod rm;
mod rmdir;
mod stat;
pub(crate) mod stat_of;
mod target;
pub(crate) mod touch;
mod tree;
mod tree_view;
mod truncate;

use hookshell_utility::Utility;

pub(crate) use mode::create_file;
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
        Box::new(cp::Cp),
        Box::new(df::Df),
        Box::new(dirname::Dirname),
        Box::new(find::Find),
        Box::new(ln::Ln),
        Box::new(ls::Ls),
        Box::new(mkdir::Mkdir),
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
