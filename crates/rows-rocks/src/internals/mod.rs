//! What relies on more of RocksDB than its interface promises: the bytes of its logs and of its
//! list of files, the order in which it writes and syncs them, the words of its errors, and classes
//! that it has in C++ only.
//!
//! A new version of RocksDB is taken in when the tests of this crate pass with it. What each part
//! relies on, and the test that fails when that changes:
//!
//! | part | relies on | noticed by |
//! |---|---|---|
//! | `fragments`, `records` | blocks of 32 KiB, heads of 7 bytes, four types, masked CRC-32C | `every_record_of_a_real_log_is_read` |
//! | `log` | a batch's sequence number and count stand first in its record; log data of a batch is kept | `a_mark_is_read_back_from_a_real_batch_and_given_once`, `a_log_that_is_damaged_where_it_was_synced_is_refused_and_left_as_it_is` |
//! | `holes` | a replay takes zeros for space that was never written | `a_hole_in_an_unsynced_log_no_longer_leaves_later_writes_without_earlier_ones` |
//! | `laid_out` | a log is written by appending at its own offset, and zeros behind its end are passed over | `small_synced_commits_lay_the_log_out_and_closing_cuts_it_off`, `a_crash_loses_nothing_whether_there_are_zeros_or_a_torn_record_at_the_end` |
//! | `log_files` | a write has reached the kernel when it is acknowledged; logs are `NUMBER.log` | `a_power_cut_loses_nothing_acknowledged_under_every_commit` |
//! | `manifest` | tags of a record, and that files are deleted only once the list without them was synced | `a_sound_manifest_names_the_log_that_is_needed_and_is_not_torn`, `a_torn_manifest_no_longer_keeps_the_rows_from_being_opened` |
//! | `list_record` | the tag of a file that is taken out | `a_file_that_is_missing_or_cut_short_kept_all_others_from_being_read` |
//! | `failure` | words in errors of locks and full disks | `a_full_disk_refuses_writes_until_there_is_space_and_loses_nothing`, `a_second_start_on_the_same_directory_is_refused` |
//! | `page_cache` | `io_timeout` reaches every read of a file, and what is `TimedOut` leaves no trace | `what_the_kernel_has_in_memory_is_read_without_waiting_but_not_without_end`, `what_was_refused_is_read_and_found_by_the_next_try` |
//! | `prefix_sizes` | a collector sees keys in order, and how long the file is by then | `what_is_divided_is_the_whole_file` |
//! | `spare` | `Refresh` moves an iterator to another state; bounds are read again at each seek | `cursors_show_their_state_whatever_their_iterator_showed_before` |
//! | `busy_threads` | listeners are called by the thread that flushes or compacts | `threads_of_compactions_give_way_and_those_of_flushes_do_not` |
//!
//! Invariants
//! 1. Nothing in here uses what is around it but `rows`' and `resources`' types.
//!
//! Not here: what RocksDB's interface says it does, however surprising (`options`, `space`,
//! `pace`).

pub(crate) mod busy_threads;
pub(crate) mod failure;
pub(crate) mod fragments;
pub(crate) mod holes;
pub(crate) mod laid_out;
pub(crate) mod list_record;
pub(crate) mod log;
pub(crate) mod log_files;
pub(crate) mod manifest;
pub(crate) mod page_cache;
pub(crate) mod prefix_sizes;
pub(crate) mod records;
pub(crate) mod spare;
