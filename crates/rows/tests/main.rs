//! Tests of rows over the store in memory, in one program: each file is a theme, and is linked once
//! with all others.

mod common;

mod bulk;
mod bulk_in_order;
mod caching;
mod committing;
mod counting;
mod defining;
mod evicting;
mod expiring;
mod full_text;
mod images;
mod large;
mod members;
mod multi_valued;
mod numbers;
mod online;
mod online_copies;
mod prepared;
mod seen_rows;
mod temporary;
mod tour;
mod unique;
mod writing;
