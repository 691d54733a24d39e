//! Images: indexes of small tables that nobody writes to, held in memory in one piece, so that
//! whoever goes through them does not ask the store from entry to entry.
//!
//! ```text
//! scans of an index   |--|  |------|  |---|        |------|         |------|
//! entries that they   ----- counted: twice as many as there are     read from the image
//! went through                        -> wanted -> made             until somebody writes
//! ```
//!
//! An image is made once scans have gone through twice as many entries as the index has, since
//! somebody wrote to the table last: so where tables change all the time, images cost next to
//! nothing, and where they do not, at most half as much as is saved from then on.
//! (docs/decisions/0086-images-of-indexes.md)
//!
//! Invariants
//! 1. An image has the entries of one state of the store, and is shown to views of that state and
//!    later ones while nobody has written to the table since (`QuiescentState`).
//! 2. All images together have at most a quarter of the row cache's bytes, one a quarter of that.
//!    The cache has so much less meanwhile. On top comes the one that is being made, and what scans
//!    under way still read.
//! 3. Images are made, and freed, by a thread that may wait, not by those who read.
//!
//! Beside this file: scans (`scan`), how images come and go (`upkeep`). Below them, in
//! `table::images`: what an image is, where an index has its own, which ones there are.
//!
//! Not here: columnar tables, whose entries have no rows behind them; tables whose rows expire or
//! leave when the table is full, which are written to all the time.

mod scan;
mod upkeep;
