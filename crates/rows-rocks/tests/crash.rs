//! A process that writes is killed; everything it acknowledged is there afterwards, and nothing
//! by halves.
//!
//! A kill leaves what the operating system holds, so this proves nothing about syncs: see
//! `power_cut`.

mod writer;

use rows::store::Durability;
use writer::{Writer, check_prefix, open, write_if_told};

/// Kills per durability; each on the directory that the one before left.
const KILLS: usize = 4;

#[test]
fn a_child_writes_until_it_is_killed() {
    write_if_told();
}

/// Kills after `count` acknowledgements.
fn nothing_acknowledged_is_lost(durability: Durability, count: usize) {
    let directory = tempfile::tempdir().expect("a directory");
    let mut last = 0;
    for _ in 0..KILLS {
        let mut writer =
            Writer::start("a_child_writes_until_it_is_killed", directory.path(), durability);
        let mut acknowledged = 0;
        for _ in 0..count {
            acknowledged = writer.next().expect("the child writes");
        }
        writer.kill();
        acknowledged = std::iter::from_fn(|| writer.next()).last().unwrap_or(acknowledged);
        last = check_prefix(&open(directory.path())).max(last);
        assert!(last >= acknowledged, "{acknowledged} was acknowledged, {last} is there");
    }
    assert!(last >= (KILLS * count) as u64);
}

/// Enough to fill several write buffers, so that files are written meanwhile.
#[test]
fn a_kill_loses_nothing_acknowledged_under_os() {
    nothing_acknowledged_is_lost(Durability::Os, 30_000);
}

#[test]
fn a_kill_loses_nothing_acknowledged_under_every_second() {
    nothing_acknowledged_is_lost(Durability::EverySecond, 30_000);
}

#[test]
fn a_kill_loses_nothing_acknowledged_under_every_commit() {
    nothing_acknowledged_is_lost(Durability::EveryCommit, 300);
}
