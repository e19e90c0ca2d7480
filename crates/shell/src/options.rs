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
    Compat31,
    Compat32,
    Compat40,
    Compat41,
    Compat42,
    Compat43,
    Compat44,
    Extquote,
    Histverify,
    Hostcomplete,
    Huponexit,
    Lithist,
    LoginShell,
    Mailwarn,
    NoEmptyCmdCompletion,
    NoexpandTranslation,
    Progcomp,
    ProgcompAlias,
    Promptvars,
    RestrictedShell,
    /// `set -r`, which has no name.
    Restricted,
    /// `-i` of the command line, which is in `$-` and can be set by nothing else. No terminal is read.
    Interactive,
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
    ("autocd", Opt::Autocd),
    ("assoc_expand_once", Opt::AssocExpandOnce),
    ("cdable_vars", Opt::Cdable),
    ("cdspell", Opt::Cdspell),
    ("checkhash", Opt::Checkhash),
    ("checkjobs", Opt::Checkjobs),
    ("checkwinsize", Opt::Checkwinsize),
    ("cmdhist", Opt::Cmdhist),
    ("compat31", Opt::Compat31),
    ("compat32", Opt::Compat32),
    ("compat40", Opt::Compat40),
    ("compat41", Opt::Compat41),
    ("compat42", Opt::Compat42),
    ("compat43", Opt::Compat43),
    ("compat44", Opt::Compat44),
    ("complete_fullquote", Opt::CompleteFullquote),
    ("direxpand", Opt::Direxpand),
    ("dirspell", Opt::Dirspell),
    ("dotglob", Opt::Dotglob),
    ("execfail", Opt::Execfail),
    ("expand_aliases", Opt::ExpandAliases),
    ("extdebug", Opt::Extdebug),
    ("extglob", Opt::Extglob),
    ("extquote", Opt::Extquote),
    ("failglob", Opt::Failglob),
    ("force_fignore", Opt::ForceFignore),
    ("globasciiranges", Opt::Globasciiranges),
    ("globskipdots", Opt::Globskipdots),
    ("globstar", Opt::Globstar),
    ("gnu_errfmt", Opt::Gnuerrfmt),
    ("histappend", Opt::Histappend),
    ("histreedit", Opt::Histreedit),
    ("histverify", Opt::Histverify),
    ("hostcomplete", Opt::Hostcomplete),
    ("huponexit", Opt::Huponexit),
    ("inherit_errexit", Opt::InheritErrexit),
    ("interactive_comments", Opt::InteractiveComments),
    ("lastpipe", Opt::Lastpipe),
    ("lithist", Opt::Lithist),
    ("localvar_inherit", Opt::LocalvarInherit),
    ("localvar_unset", Opt::LocalvarUnset),
    ("login_shell", Opt::LoginShell),
    ("mailwarn", Opt::Mailwarn),
    ("no_empty_cmd_completion", Opt::NoEmptyCmdCompletion),
    ("nocaseglob", Opt::Nocaseglob),
    ("nocasematch", Opt::Nocasematch),
    ("noexpand_translation", Opt::NoexpandTranslation),
    ("nullglob", Opt::Nullglob),
    ("patsub_replacement", Opt::PatsubReplacement),
    ("progcomp", Opt::Progcomp),
    ("progcomp_alias", Opt::ProgcompAlias),
    ("promptvars", Opt::Promptvars),
    ("restricted_shell", Opt::RestrictedShell),
    ("shift_verbose", Opt::ShiftVerbose),
    ("sourcepath", Opt::Sourcepath),
    ("varredir_close", Opt::VarredirClose),
    ("xpg_echo", Opt::XpgEcho),
];

/// Which options are on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Options(u128);

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
            Opt::Extquote,
            Opt::Hostcomplete,
            Opt::Progcomp,
            Opt::Promptvars,
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

    /// These, with the options of `set` as they are in `other`.
    pub(crate) fn with_set_of(self, other: Self) -> Self {
        let of_set = (1 << Opt::Extglob as u8) - 1;
        Self(self.0 & !of_set | other.0 & of_set)
    }

    /// SHELLOPTS or BASHOPTS: the names of the options that are on, with colons between them.
    fn names(self, table: impl Iterator<Item = (&'static str, Opt)>) -> Vec<u8> {
        let mut text = Vec::new();
        for (name, _) in table.filter(|&(_, opt)| self.has(opt)) {
            if !text.is_empty() {
                text.push(b':');
            }
            text.extend_from_slice(name.as_bytes());
        }
        text
    }

    /// SHELLOPTS
    pub(crate) fn shell_options(self) -> Vec<u8> {
        self.names(SET_OPTIONS.iter().map(|&(name, opt, _)| (name, opt)))
    }

    /// BASHOPTS
    pub(crate) fn bash_options(self) -> Vec<u8> {
        self.names(SHOPT_OPTIONS.iter().copied())
    }

    /// `$-` without the letters of the invocation.
    pub(crate) fn letters(self, out: &mut Vec<u8>) {
        const ORDER: &[u8] = b"abefhikmnprtuvxBCEHPT";
        for &letter in ORDER {
            if letter == b'i' && self.has(Opt::Interactive) || by_letter(letter).is_some_and(|opt| self.has(opt)) {
                out.push(letter);
            }
        }
    }
}

/// The option of `set` with this letter.
pub(crate) fn by_letter(letter: u8) -> Option<Opt> {
    if letter == b'r' {
        return Some(Opt::Restricted);
    }
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

/// Is it job control, which changes what a script means? To turn it on is an error and not silence. The other options of
/// interactive shells (`set -o vi`) change nothing for one that is none, as in bash.
pub(crate) fn is_job_control(opt: Opt) -> bool {
    opt == Opt::Monitor
}

/// Is it one of `set -o`, and so in SHELLOPTS?
pub(crate) fn is_of_set(opt: Opt) -> bool {
    (opt as u8) < (Opt::Extglob as u8)
}
