//! `information_schema.KEYWORDS`: the words that MySQL 9.7 knows, those that it reserves marked.
//!
//! Not here: which they are (`syntax::keywords`).

use syntax::keywords::{NOT_RESERVED, RESERVED};

use crate::show::{Listing, number, text};

/// All words in their order.
pub(super) fn keywords() -> Listing {
    let mut listing = Listing::new(&["WORD", "RESERVED#"]);
    let of = |words: &'static str, is_reserved| words.split(' ').map(move |w| (w, is_reserved));
    let mut words: Vec<_> = of(RESERVED, 1).chain(of(NOT_RESERVED, 0)).collect();
    words.sort_unstable();
    for (word, is_reserved) in words {
        listing.push(vec![text(word), number(is_reserved)]);
    }
    listing
}
