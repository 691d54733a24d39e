//! Backups and restores that are cut short: by kill -9 of the command or the server, by each other,
//! by a full disk. Nothing half is ever taken for whole, and earlier backups stay.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::time::Instant;

use crate::backups::{count, data_dir, fill, place, text};
use crate::support::{PATIENCE, Running, run, wait_until};
use faults::on_small_disk;

/// Commands that are to be killed while they copy; some end before they can be.
const IN_THE_MIDDLE: u32 = 3;
/// A file that marks what a killed command has left behind.
const LEFT: &str = "left";

#[test]
fn a_killed_backup_is_no_backup_and_the_next_one_is_whole() {
    let place = place();
    let server = place.server();
    fill(&server, 0..10_000);
    place.backed_up(&[]);
    let (data, unfinished) = (data_dir(&place.data), place.backups.join("unfinished"));
    let (mut rounds, mut in_the_middle, mut finished) = (0, 0, 0);
    let since = Instant::now();
    while in_the_middle < IN_THE_MIDDLE {
        assert!(since.elapsed() < PATIENCE, "{in_the_middle} of {rounds} in the middle");
        rounds += 1;
        let directory = place.backups.to_str().unwrap();
        let mut command = place.begin(&["backup", directory, &data, "--full"]);
        // What the one before has left behind goes first.
        let copies = || unfinished.exists() && !unfinished.join(LEFT).exists();
        wait_until("it copies", || copies() || command.try_wait().unwrap().is_some());
        command.kill().unwrap();
        finished += u32::from(command.wait().unwrap().success());
        if unfinished.exists() {
            in_the_middle += 1;
            fs::write(unfinished.join(LEFT), "").unwrap();
        }
        wait_until("the server removes the checkpoint", || !place.data.join("backup").exists());
    }
    // One that was killed when it was complete did not say so; one that was killed between what was
    // left and its own beginning left nothing.
    let complete = place.list().len() as u32;
    assert!((1 + finished..=1 + rounds - in_the_middle).contains(&complete), "{complete}");
    fill(&server, 10_000..10_100);
    place.backed_up(&["--keep=1"]);
    assert!(!unfinished.exists());
    place.is_sound(&[]);
    let restored = place.restored(&[]);
    assert_eq!(count(&restored), 10_100);
    assert_eq!(restored.stop().code(), Some(0));
}

#[test]
fn a_killed_restore_is_no_data_directory_and_can_be_repeated() {
    let place = place();
    let server = place.server();
    fill(&server, 0..10_000);
    place.backed_up(&[]);
    assert_eq!(server.stop().code(), Some(0));
    let (data, restoring) = (data_dir(&place.restored), place.restored.join("restoring"));
    let mut in_the_middle = 0;
    let since = Instant::now();
    while in_the_middle < IN_THE_MIDDLE {
        assert!(since.elapsed() < PATIENCE, "{in_the_middle} in the middle");
        let mut command = place.begin(&["restore", place.backups.to_str().unwrap(), &data]);
        let copies = || restoring.exists() && !restoring.join(LEFT).exists();
        wait_until("it copies", || copies() || command.try_wait().unwrap().is_some());
        command.kill().unwrap();
        command.wait().unwrap();
        if restoring.exists() {
            in_the_middle += 1;
            fs::write(restoring.join(LEFT), "").unwrap();
            for command in ["serve", "check"] {
                let refused = run(&[command, &data]);
                assert_eq!(refused.status.code(), Some(1), "{}", text(&refused.stderr));
            }
        } else {
            fs::remove_dir_all(&place.restored).unwrap();
        }
    }
    let restored = place.restored(&[]);
    assert_eq!(count(&restored), 10_000);
    assert_eq!(restored.stop().code(), Some(0));
}

#[test]
fn two_backups_at_once_are_two_backups_or_one_and_a_refusal() {
    let place = place();
    let server = place.server();
    fill(&server, 0..5000);
    let data = data_dir(&place.data);
    let other = place.data.with_file_name("others");
    let same = place.backups.to_str().unwrap();
    for directory in [same, other.to_str().unwrap()] {
        let before = place.list_or_none();
        let mut first = place.begin(&["backup", same, &data, "--full"]);
        let mut second = place.begin(&["backup", directory, &data, "--full"]);
        let codes = [first.wait().unwrap().code(), second.wait().unwrap().code()];
        let done = codes.iter().filter(|code| **code == Some(0)).count();
        assert!(done >= 1 && codes.iter().all(|code| matches!(code, Some(0 | 3))), "{codes:?}");
        let added = place.list_or_none() - before;
        assert!(added >= 1 && (directory != same || added == done), "{codes:?}");
    }
    place.is_sound(&[]);
    wait_until("the checkpoint goes", || !place.data.join("backup").exists());
    assert_eq!(server.stop().code(), Some(0));
}

#[test]
fn of_two_restores_to_one_place_one_is_refused() {
    let place = place();
    let server = place.server();
    fill(&server, 0..10_000);
    place.backed_up(&[]);
    assert_eq!(server.stop().code(), Some(0));
    let data = data_dir(&place.restored);
    let restore = ["restore", place.backups.to_str().unwrap(), &data];
    let mut both = [place.begin(&restore), place.begin(&restore)];
    let done = both.iter_mut().filter_map(|each| each.wait().ok()).filter(|code| code.success());
    assert_eq!(done.count(), 1);
    let restored = Running::start(&place.restored, &[]);
    assert_eq!(count(&restored), 10_000);
    assert_eq!(restored.stop().code(), Some(0));
}

#[test]
fn an_interrupted_removal_is_finished_by_the_next_backup() {
    let place = place();
    let server = place.server();
    fill(&server, 0..2000);
    place.backed_up(&[]);
    place.backed_up(&[]);
    // As a kill behind the renaming leaves it, with some of the files gone.
    let removing = place.backups.join("removing-1");
    fs::rename(place.backups.join("1"), &removing).unwrap();
    fs::remove_file(removing.join("BACKUP")).unwrap();
    assert_eq!(place.list().len(), 1);
    place.is_sound(&["--number=2"]);
    place.backed_up(&[]);
    assert!(!removing.exists());
    assert_eq!(place.list().iter().map(|backup| backup[0]).collect::<Vec<_>>(), [2, 3]);
    assert_eq!(server.stop().code(), Some(0));
}

#[test]
fn a_server_killed_during_a_backup_leaves_whole_backups_and_starts_again() {
    let place = place();
    let mut rows = 3000;
    for round in 0..6 {
        let server = place.server();
        if round == 0 {
            fill(&server, 0..rows);
        }
        fill(&server, rows..rows + 500);
        rows += 500;
        let data = data_dir(&place.data);
        let mut command = place.begin(&["backup", place.backups.to_str().unwrap(), &data]);
        let moment = match round % 2 {
            0 => place.data.join("backup"),
            _ => place.backups.join("unfinished"),
        };
        wait_until("it begins", || moment.exists() || command.try_wait().unwrap().is_some());
        server.kill();
        let taken = command.wait().unwrap().success();
        assert!(taken || round % 2 == 0, "the checkpoint was there already");
    }
    let server = place.server();
    assert_eq!(count(&server), rows);
    wait_until("leftovers go", || !place.data.join("backup").exists());
    place.backed_up(&[]);
    assert_eq!(server.stop().code(), Some(0));
    for backup in place.list() {
        place.is_sound(&[&format!("--number={}", backup[0])]);
    }
    let restored = place.restored(&[]);
    assert_eq!(count(&restored), rows);
}

const SMALL_DISK: &str = "ROWS_BACKUP_SMALL_DISK";

/// Fills a disk but for so many bytes.
fn leave(free_bytes: u64, disk: &Path) {
    let mut ballast = File::create(disk.join("ballast")).unwrap();
    let full = std::iter::repeat(()).find_map(|()| ballast.write_all(&[1; 4096]).err());
    assert_eq!(full.map(|error| error.kind()), Some(ErrorKind::StorageFull));
    let length = ballast.metadata().unwrap().len();
    ballast.set_len(length - free_bytes).unwrap();
}

/// The child's part; without the environment, nothing.
#[test]
fn a_child_backs_up_to_its_small_disk() {
    let Ok(disk) = std::env::var(SMALL_DISK) else {
        return;
    };
    let mut place = place();
    place.backups = Path::new(&disk).join("backups");
    place.restored = Path::new(&disk).join("new");
    let server = place.server();
    fill(&server, 0..10_000);
    // A server that runs compacts, and then the next backup could share nothing.
    assert_eq!(server.stop().code(), Some(0));
    place.backed_up(&[]);
    leave(8 << 20, Path::new(&disk));
    let full = place.backup(&["--full"]);
    assert_eq!(full.status.code(), Some(1));
    assert!(text(&full.stderr).contains("the disk is full"), "{}", text(&full.stderr));
    assert_eq!(place.list().len(), 1);
    assert!(!place.backups.join("unfinished").exists());
    let full = place.restore(&[]);
    assert_eq!(full.status.code(), Some(1));
    assert!(text(&full.stderr).contains("the disk is full"), "{}", text(&full.stderr));
    let refused = run(&["check", &data_dir(&place.restored)]);
    assert_eq!(refused.status.code(), Some(1), "no half restore");
    // Nothing was spoiled: the next one fits, since it shares.
    place.backed_up(&[]);
    assert_eq!(place.list().len(), 2);
    place.is_sound(&["--number=1"]);
}

#[test]
fn a_full_disk_is_told_and_leaves_earlier_backups_whole() {
    on_small_disk("size=64m", SMALL_DISK, "a_child_backs_up_to_its_small_disk");
}
