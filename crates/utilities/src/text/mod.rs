//! Utilities that read and write text and bytes.

/// Declares a utility that keeps nothing from call to call: `read` makes a command of the call, or refuses it, and `run`
/// does it.
macro_rules! utility {
    ($(#[$doc:meta])* $type:ident, $name:literal) => {
        $(#[$doc])*
        pub(crate) struct $type;

        impl hookshell_shell::Utility for $type {
            fn name(&self) -> &'static str {
                $name
            }

            fn accepts(
                &self,
                call: &hookshell_shell::UtilityCall<'_>,
            ) -> Result<(), hookshell_shell::Unsupported> {
                read(call).map(drop)
            }

            fn run(
                &self,
                context: &mut hookshell_shell::UtilityContext<'_>,
            ) -> Result<u8, hookshell_shell::Stopped> {
                $crate::io::Running::run($name, context, |call| read(call), |running, command| run(running, command))
            }
        }
    };
}

mod base64;
mod cat;
mod characters;
mod cmp;
mod comm;
mod count;
mod cut;
mod diff;
mod expand;
mod fold;
mod head;
mod input;
mod join;
mod nl;
mod od;
mod output;
mod paste;
mod rev;
mod seq;
mod sort;
mod sums;
mod tac;
mod tail;
mod tee;
mod tr;
mod tr_sets;
mod uniq;
mod wc;
mod xxd;
mod yes;

use hookshell_shell::Utility;

/// Those of this folder.
pub(crate) fn all() -> Vec<Box<dyn Utility>> {
    vec![
        Box::new(cat::Cat),
        Box::new(head::Head),
        Box::new(tail::Tail),
        Box::new(cut::Cut),
        Box::new(diff::Diff),
        Box::new(xxd::Xxd),
        Box::new(sums::Sum::SHA512),
        Box::new(sums::Sum::SHA384),
        Box::new(sums::Sum::SHA256),
        Box::new(sums::Sum::SHA224),
        Box::new(sums::Sum::SHA1),
        Box::new(sums::Sum::MD5),
        Box::new(od::Od),
        Box::new(join::Join),
        Box::new(cmp::Cmp),
        Box::new(expand::Unexpand),
        Box::new(expand::Expand),
        Box::new(comm::Comm),
        Box::new(rev::Rev),
        Box::new(base64::Base64),
        Box::new(yes::Yes),
        Box::new(tee::Tee),
        Box::new(tac::Tac),
        Box::new(seq::Seq),
        Box::new(paste::Paste),
        Box::new(nl::Nl),
        Box::new(fold::Fold),
        Box::new(sort::Sort),
        Box::new(tr::Tr),
        Box::new(uniq::Uniq),
        Box::new(wc::Wc),
    ]
}
