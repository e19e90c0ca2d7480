//! Utilities that read and write text and bytes.

mod base_n;
mod cat;
mod characters;
mod cksum;
mod cmp;
mod column;
mod comm;
mod count;
mod csplit;
mod cut;
mod dd;
mod diff;
mod each_input;
mod envsubst;
mod expand;
mod factor;
mod fmt;
mod fold;
mod follow;
mod head;
mod hexdump;
mod iconv;
mod join;
mod nl;
mod numfmt;
mod od;
mod pager;
mod paste;
mod patch;
mod rev;
mod seq;
mod shasum;
mod shuf;
mod sort;
mod split;
mod strings;
mod sums;
mod tac;
mod tail;
mod tee;
mod tr;
mod tr_sets;
mod tsort;
mod uniq;
mod wc;
mod xxd;
mod yes;

use hookshell_utility::Utility;

/// Those of this directory.
pub(crate) fn all() -> Vec<Box<dyn Utility>> {
    vec![
        Box::new(cksum::Cksum::CRC),
        Box::new(cksum::Cksum::SUM),
        Box::new(column::Column),
        Box::new(csplit::Csplit),
        Box::new(dd::Dd),
        Box::new(iconv::Iconv),
        Box::new(hexdump::Hexdump::HD),
        Box::new(hexdump::Hexdump::HEXDUMP),
        Box::new(shasum::Shasum),
        Box::new(shuf::Shuf),
        Box::new(strings::Strings),
        Box::new(split::Split),
        Box::new(cat::Cat),
        Box::new(head::Head),
        Box::new(tail::Tail),
        Box::new(cut::Cut),
        Box::new(diff::Diff),
        Box::new(xxd::Xxd),
        Box::new(sums::Sum::B2),
        Box::new(sums::Sum::SHA512),
        Box::new(sums::Sum::SHA384),
        Box::new(sums::Sum::SHA256),
        Box::new(sums::Sum::SHA224),
        Box::new(sums::Sum::SHA1),
        Box::new(sums::Sum::MD5),
        Box::new(od::Od),
        Box::new(pager::Less),
        Box::new(pager::More),
        Box::new(join::Join),
        Box::new(cmp::Cmp),
        Box::new(expand::Unexpand),
        Box::new(expand::Expand),
        Box::new(comm::Comm),
        Box::new(rev::Rev),
        Box::new(base_n::BaseN::BASE32),
        Box::new(base_n::BaseN::BASE64),
        Box::new(base_n::BaseN::BASENC),
        Box::new(yes::Yes),
        Box::new(tee::Tee),
        Box::new(tac::Tac),
        Box::new(seq::Seq),
        Box::new(patch::Patch),
        Box::new(paste::Paste),
        Box::new(nl::Nl),
        Box::new(numfmt::Numfmt),
        Box::new(factor::Factor),
        Box::new(tsort::Tsort),
        Box::new(envsubst::Envsubst),
        Box::new(fmt::Fmt),
        Box::new(fold::Fold),
        Box::new(sort::Sort),
        Box::new(tr::Tr),
        Box::new(uniq::Uniq),
        Box::new(wc::Wc),
    ]
}
