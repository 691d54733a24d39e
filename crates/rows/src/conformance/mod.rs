//! One suite for every store: each promise of `trait Store`, as a test that can fail.
//!
//! A store's crate writes, among its tests, `rows::store_conformance! { persists: true, open:
//! |directory| .. }`, and gets one test per promise, each with a directory of its own. The
//! caller's crate needs `tempfile` among its development dependencies.
//!
//! Not here: what only one store promises (crash, files, memory), which is tested next to it.

mod caching;
mod lasting;
mod locking;
mod model;
mod reading;
mod transactions;
mod writing;

use std::path::Path;
use std::sync::Arc;

pub use caching::*;
pub use lasting::*;
pub use locking::*;
pub use model::*;
pub use reading::*;
pub use transactions::*;
pub use writing::*;

use resources::spill::SpillDirectory;

use crate::error::Result;
use crate::ingestion::TableStore;
use crate::store::{
    Batch, Change, Cursor, Direction, Durability, KeyRange, Reach, Read, StoreTransaction,
};

/// Opens the store of a directory, making it if there is none.
pub type Open<'a> = &'a dyn Fn(&Path) -> Result<Arc<dyn TableStore>>;

/// The store under test.
pub struct Subject<'a> {
    /// An empty directory for this test alone.
    pub directory: &'a Path,
    /// How to open it.
    pub open: Open<'a>,
    /// Whether what was written is there after reopening.
    pub persists: bool,
}

impl Subject<'_> {
    /// Opens the store in the test's directory.
    pub fn open(&self) -> Arc<dyn TableStore> {
        (self.open)(&self.directory.join("data")).expect("the store opens")
    }
}

/// Makes one test per promise. `open` is a closure from a directory to
/// `Result<Arc<dyn TableStore>>`.
#[macro_export]
macro_rules! store_conformance {
    (persists: $persists:expr, open: $open:expr) => {
        $crate::store_conformance! { @tests $persists, $open;
            a_value_is_read_back_into_a_cleared_buffer
            keys_order_as_bytes_in_both_directions
            ranges_are_half_open_and_may_lack_an_end
            many_keys_are_answered_once_each_in_order
            a_cursor_shows_the_state_of_its_start
            a_snapshot_is_unmoved_by_later_writes
            a_snapshot_outlives_the_handle_of_its_store
            a_write_raises_the_sequence_above_that_of_earlier_snapshots
            own_writes_stand_apart_from_the_state_beneath
            a_snapshot_never_sees_a_later_write_through_the_row_cache
            rows_out_of_the_cache_are_those_of_the_snapshot_that_is_read
            changes_of_a_batch_apply_in_order
            several_batches_apply_in_order
            a_removed_range_is_gone_and_its_neighbours_stay
            a_batch_is_seen_wholly_or_not_at_all
            empty_keys_values_and_batches_are_fine
            own_writes_are_seen_by_their_transaction_alone
            own_writes_merge_into_scans_of_both_directions
            own_writes_answer_among_many_keys
            a_savepoint_takes_back_later_writes_only
            a_transaction_reads_what_others_committed_meanwhile
            own_writes_lie_over_a_snapshot
            own_writes_freeze_over_a_snapshot
            a_dropped_transaction_leaves_nothing
            a_taken_batch_holds_every_write
            spilled_writes_are_read_undone_and_committed_like_others
            a_snapshot_sees_nothing_of_a_spilled_commit
            a_spilled_transaction_that_is_dropped_leaves_no_files
            a_lock_is_refused_while_another_holds_it
            a_lock_is_had_again_by_its_owner
            a_lock_that_was_given_newly_may_be_freed_at_once
            a_waiter_gets_the_lock_when_it_is_freed
            a_wait_for_a_lock_ends_in_time
            a_deadlock_is_refused_to_one_and_the_other_goes_on
            a_table_locked_whole_needs_no_single_locks_and_keeps_others_waiting
            a_freed_lock_wakes_those_who_may_not_wait
            increments_under_a_lock_are_never_lost
            what_was_acknowledged_is_there_after_reopening
            a_directory_in_use_is_refused
            ingested_entries_appear_together
            a_failed_ingestion_adds_nothing
            parts_of_an_ingestion_appear_at_once_or_never
            a_checkpoint_opens_as_a_store
            the_space_of_a_removed_range_comes_back
            a_sound_store_verifies_and_reports_itself
            a_range_is_as_large_as_what_is_in_it
            random_operations_agree_with_a_model
        }
    };
    (@tests $persists:expr, $open:expr; $($check:ident)*) => {
        $(
            #[test]
            fn $check() {
                let directory = tempfile::tempdir().expect("a directory for the test");
                $crate::conformance::$check(&$crate::conformance::Subject {
                    directory: directory.path(),
                    open: &$open,
                    persists: $persists,
                });
            }
        )*
    };
}

fn put(key: &[u8], value: &[u8]) -> Change {
    Change::put(key.to_vec(), value.to_vec())
}

fn delete(key: &[u8]) -> Change {
    Change::delete(key.to_vec())
}

fn range(start: &[u8], end: &[u8]) -> KeyRange {
    KeyRange { start: start.to_vec(), end: end.to_vec() }
}

fn write(store: &dyn TableStore, changes: Vec<Change>) {
    store.write(&Batch { changes }, Durability::Os).expect("the write");
}

/// A store with one-letter keys, each with itself in capitals as value.
fn letters(subject: &Subject<'_>, letters: &str) -> Arc<dyn TableStore> {
    let store = subject.open();
    let changes = letters.bytes().map(|letter| put(&[letter], &[letter.to_ascii_uppercase()]));
    write(&*store, changes.collect());
    store
}

fn get(read: &dyn Read, key: &[u8]) -> Option<Vec<u8>> {
    let mut value = b"left over".to_vec();
    let found = read.get(key, Reach::Disk, &mut value).expect("the get");
    assert!(found || value.is_empty(), "the buffer is cleared also when nothing is found");
    found.then_some(value)
}

fn drain(mut cursor: Box<dyn Cursor + '_>) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut entries = Vec::new();
    while cursor.advance().expect("the cursor moves") {
        entries.push((cursor.key().to_vec(), cursor.value().to_vec()));
    }
    entries
}

fn scan(read: &dyn Read, range: &KeyRange, direction: Direction) -> Vec<(Vec<u8>, Vec<u8>)> {
    drain(read.scan(range, direction, Reach::Disk).expect("the scan"))
}

/// All keys of a range as one text, for keys of one letter.
fn text(read: &dyn Read, range: &KeyRange, direction: Direction) -> String {
    let entries = scan(read, range, direction);
    entries.iter().map(|(key, _)| String::from_utf8_lossy(key)).collect()
}

/// All values in key order as one text.
fn values(read: &dyn Read) -> String {
    let entries = scan(read, &KeyRange::default(), Direction::Forward);
    entries.iter().map(|(_, value)| String::from_utf8_lossy(value)).collect()
}

/// A directory for what does not fit into memory.
fn spill(subject: &Subject<'_>) -> Arc<SpillDirectory> {
    SpillDirectory::open(&subject.directory.join("spill")).expect("a directory")
}

fn begin(store: &Arc<dyn TableStore>) -> Box<dyn StoreTransaction> {
    store.begin().expect("a transaction")
}
