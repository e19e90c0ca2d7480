//! Utilities that read and write text and bytes.

mod base64;
mod cat;
mod characters;
mod cksum;
mod cmp;
mod column;
mod comm;
mod count;
mod cut;
mod dd;
mod diff;
mod expand;
mod fold;
mod follow;
mod head;
mod hexdump;
mod input;
mod join;
mod nl;
mod od;
pub(crate) mod output;
mod paste;
mod rev;
mod seq;
mod shuf;
pub(crate) mod size;
pub(crate) mod sort;
mod split;
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
        Box::new(cksum::Cksum::CRC),
        Box::new(cksum::Cksum::SUM),
        Box::new(column::Column),
        Box::new(dd::Dd),
        Box::new(hexdump::Hexdump::HD),
        Box::new(hexdump::Hexdump::HEXDUMP),
        Box::new(shuf::Shuf),
        Box::new(split::Split),
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
