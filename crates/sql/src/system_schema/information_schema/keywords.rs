//! `information_schema.KEYWORDS`: words that are reserved. MySQL also lists those that it does not
//! reserve.
//!
//! Not here: which they are (`crate::keywords`).

use crate::keywords::RESERVED;
use crate::show::{Listing, number, text};

/// All words, each marked as reserved.
pub(super) fn keywords() -> Listing {
    let mut listing = Listing::new(&["WORD", "RESERVED#"]);
    for word in RESERVED.split(' ') {
        listing.push(vec![text(word), number(1)]);
    }
    listing
}
