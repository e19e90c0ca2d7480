//! What agents allow hooks of the type `http`: addresses, headers, answers. Nothing is sent here.

pub mod address;
pub mod header;
mod limits;
mod url;

pub use self::address::{is_loopback, is_private};
pub(crate) use self::header::{IsLetter, is_any};
pub use self::header::{is_capital, is_framing};
pub use self::limits::HttpLimits;
pub use self::url::{Url, without_secrets};
