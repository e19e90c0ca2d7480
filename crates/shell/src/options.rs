//! The options of `set` and `shopt`.

/// One option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Opt {
    Allexport,
    Braceexpand,
    Errexit,
    Errtrace,
    Functrace,
    Hashall,
    Ignoreeof,
    Monitor,
    Noclobber,
    Noexec,
    Noglob,
    Nolog,
    Notify,
    Nounset,
    Onecmd,
    Physical,
    Pipefail,
    Posix,
    Privileged,
    Verbose,
    Xtrace,
    Emacs,
    Vi,
    History,
    Histexpand,
    InteractiveComments,
    Keyword,
    // shopt
    Extglob,
    Globstar,
    Nullglob,
    Dotglob,
    Nocaseglob,
    Nocasematch,
    Failglob,
    Lastpipe,
    InheritErrexit,
    ExpandAliases,
    XpgEcho,
    Sourcepath,
    Globasciiranges,
    Globskipdots,
    PatsubReplacement,
    LocalvarInherit,
    LocalvarUnset,
    ShiftVerbose,
    VarredirClose,
    Execfail,
    Extdebug,
    AssocExpandOnce,
    // Known to bash and without effect in a shell that is not interactive.
    Autocd,
    Cdspell,
    Cdable,
    Checkhash,
    Checkjobs,
    Checkwinsize,
    Cmdhist,
    CompleteFullquote,
    Direxpand,
    Dirspell,
    ForceFignore,
    Gnuerrfmt,
    Histappend,
    Histreedit,
}

/// Name, option, and the letter of `set` if it has one.
pub(crate) const SET_OPTIONS: &[(&str, Opt, Option<u8>)] = &[
    ("allexport", Opt::Allexport, Some(b'a')),
    ("braceexpand", Opt::Braceexpand, Some(b'B')),
    ("emacs", Opt::Emacs, None),
    ("errexit", Opt::Errexit, Some(b'e')),
    ("errtrace", Opt::Errtrace, Some(b'E')),
    ("functrace", Opt::Functrace, Some(b'T')),
    ("hashall", Opt::Hashall, Some(b'h')),
    ("histexpand", Opt::Histexpand, Some(b'H')),
    ("history", Opt::History, None),
    ("ignoreeof", Opt::Ignoreeof, None),
    ("interactive-comments", Opt::InteractiveComments, None),
    ("keyword", Opt::Keyword, Some(b'k')),
    ("monitor", Opt::Monitor, Some(b'm')),
    ("noclobber", Opt::Noclobber, Some(b'C')),
    ("noexec", Opt::Noexec, Some(b'n')),
    ("noglob", Opt::Noglob, Some(b'f')),
    ("nolog", Opt::Nolog, None),
    ("notify", Opt::Notify, Some(b'b')),
    ("nounset", Opt::Nounset, Some(b'u')),
    ("onecmd", Opt::Onecmd, Some(b't')),
    ("physical", Opt::Physical, Some(b'P')),
    ("pipefail", Opt::Pipefail, None),
    ("posix", Opt::Posix, None),
    ("privileged", Opt::Privileged, Some(b'p')),
    ("verbose", Opt::Verbose, Some(b'v')),
    ("vi", Opt::Vi, None),
    ("xtrace", Opt::Xtrace, Some(b'x')),
];

/// The options of `shopt` in its own order.
pub(crate) const SHOPT_OPTIONS: &[(&str, Opt)] = &[
    ("assoc_expand_once", Opt::AssocExpandOnce),
    ("autocd", Opt::Autocd),
    ("cdable_vars", Opt::Cdable),
    ("cdspell", Opt::Cdspell),
    ("checkhash", Opt::Checkhash),
    ("checkjobs", Opt::Checkjobs),
    ("checkwinsize", Opt::Checkwinsize),
    ("cmdhist", Opt::Cmdhist),
    ("complete_fullquote", Opt::CompleteFullquote),
    ("direxpand", Opt::Direxpand),
    ("dirspell", Opt::Dirspell),
    ("dotglob", Opt::Dotglob),
    ("execfail", Opt::Execfail),
    ("expand_aliases", Opt::ExpandAliases),
    ("extdebug", Opt::Extdebug),
    ("extglob", Opt::Extglob),
    ("failglob", Opt::Failglob),
    ("force_fignore", Opt::ForceFignore),
    ("globasciiranges", Opt::Globasciiranges),
    ("globskipdots", Opt::Globskipdots),
    ("globstar", Opt::Globstar),
    ("gnu_errfmt", Opt::Gnuerrfmt),
    ("histappend", Opt::Histappend),
    ("histreedit", Opt::Histreedit),
    ("inherit_errexit", Opt::InheritErrexit),
    ("lastpipe", Opt::Lastpipe),
    ("localvar_inherit", Opt::LocalvarInherit),
    ("localvar_unset", Opt::LocalvarUnset),
    ("nocaseglob", Opt::Nocaseglob),
    ("nocasematch", Opt::Nocasematch),
    ("nullglob", Opt::Nullglob),
    ("patsub_replacement", Opt::PatsubReplacement),
    ("shift_verbose", Opt::ShiftVerbose),
    ("sourcepath", Opt::Sourcepath),
    ("varredir_close", Opt::VarredirClose),
    ("xpg_echo", Opt::XpgEcho),
];

/// Which options are on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Options(u64);

impl Default for Options {
    /// bash's defaults for a shell that is not interactive.
    fn default() -> Self {
        let mut options = Self(0);
        for opt in [
            Opt::Braceexpand,
            Opt::Hashall,
            Opt::InteractiveComments,
            Opt::Sourcepath,
            Opt::Globasciiranges,
            Opt::Globskipdots,
            Opt::PatsubReplacement,
            Opt::Checkwinsize,
            Opt::Cmdhist,
            Opt::CompleteFullquote,
            Opt::ForceFignore,
        ] {
            options.set(opt, true);
        }
        options
    }
}

impl Options {
    #[inline]
    pub(crate) fn has(self, opt: Opt) -> bool {
        self.0 & (1 << opt as u8) != 0
    }

    pub(crate) fn set(&mut self, opt: Opt, on: bool) {
        if on {
            self.0 |= 1 << opt as u8;
        } else {
            self.0 &= !(1 << opt as u8);
        }
    }

    /// `$-` without the letters of the invocation.
    pub(crate) fn letters(self, out: &mut Vec<u8>) {
        const ORDER: &[u8] = b"abefhkmnptuvxBCEHPT";
        for &letter in ORDER {
            if SET_OPTIONS.iter().any(|&(_, opt, l)| l == Some(letter) && self.has(opt)) {
                out.push(letter);
            }
        }
    }
}

/// The option of `set` with this letter.
pub(crate) fn by_letter(letter: u8) -> Option<Opt> {
    SET_OPTIONS.iter().find(|(_, _, l)| *l == Some(letter)).map(|(_, opt, _)| *opt)
}

/// The option of `set -o` with this name.
pub(crate) fn by_name(name: &[u8]) -> Option<Opt> {
    SET_OPTIONS.iter().find(|(n, _, _)| n.as_bytes() == name).map(|(_, opt, _)| *opt)
}

/// The option of `shopt` with this name.
pub(crate) fn shopt_by_name(name: &[u8]) -> Option<Opt> {
    SHOPT_OPTIONS.iter().find(|(n, _)| n.as_bytes() == name).map(|(_, opt)| *opt)
}
