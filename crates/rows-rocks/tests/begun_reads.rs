//! Reads that are begun and not waited for, of real files: what was refused comes, from the file
//! that it was refused of, and whoever has no io_uring does without.
//!
//! Not here: what a loop does with them (`server/tests/loops`).

mod cold_files;

use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::thread;

use cold_files::{key, value};
use rows::begun_reads::{Arrival, BegunReads, ReadPiece};
use rows::error::{Error, Wait};
use rows::store::{LoopStore, Reach, Read};
use rows_rocks::{RocksOptions, RocksStore};
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};

const ENTRIES: u64 = 40_000;
/// Reads of a look-up: of an index, of a filter, of the row, and one to spare.
const READS_MAX: usize = 4;

fn open(directory: &Path) -> RocksStore {
    // A compaction would read files, too, and leave them in the kernel's memory.
    let compacts = false;
    let options = RocksOptions { memory_bytes: 8 << 20, compacts, ..RocksOptions::default() };
    RocksStore::open(directory, &options).expect("the store opens")
}

/// Forty megabytes of entries of which nothing is in memory.
fn cold() -> (tempfile::TempDir, RocksStore) {
    cold_files::cold(ENTRIES, open)
}

/// A loop's reads, and what wakes it.
struct Loop<'s> {
    store: &'s RocksStore,
    reads: Box<dyn BegunReads>,
    wake: OwnedFd,
}

impl Loop<'_> {
    fn of(store: &RocksStore) -> Loop<'_> {
        let wake = eventfd(0, EventfdFlags::NONBLOCK).unwrap();
        let reads = store.begun_reads(wake.as_fd()).expect("io_uring is allowed here");
        Loop { store, reads, wake }
    }

    /// One try; `false`: refused.
    fn look_up(&self, number: u64, piece: Option<&dyn ReadPiece>) -> bool {
        let mut found = Vec::new();
        self.store.begin_turn(true);
        let mut answer = Ok(false);
        let mut turn = || answer = self.store.get(&key(number), Reach::Memory, &mut found);
        match piece {
            Some(piece) => piece.lend_to(&mut turn),
            None => turn(),
        }
        match answer {
            Ok(there) => assert!(there && found == value(number)),
            Err(Error::WouldWait(Wait::Disk)) => return false,
            Err(other) => panic!("{other}"),
        }
        true
    }

    /// Whatever has come, which is not waited for unless the loop is woken.
    fn arrivals(&mut self) -> Vec<Arrival> {
        let mut arrivals = Vec::new();
        self.reads.proceed(&mut arrivals);
        while arrivals.is_empty() {
            let long = Timespec { tv_sec: 20, tv_nsec: 0 };
            let mut wake = [PollFd::new(&self.wake, PollFlags::IN)];
            assert_eq!(poll(&mut wake, Some(&long)).unwrap(), 1, "nobody wakes the loop");
            rustix::io::read(&self.wake, &mut [0; 8]).unwrap();
            self.reads.proceed(&mut arrivals);
        }
        arrivals
    }

    /// Reads until the look-up is answered; how many reads it took.
    fn answer(&mut self, number: u64) -> usize {
        let mut piece = None;
        for reads in 0..=READS_MAX {
            if self.look_up(number, piece.as_deref()) {
                return reads;
            }
            assert!(self.reads.begin(number), "what was refused can be read");
            let [arrival] = &mut self.arrivals()[..] else { panic!("one was begun") };
            assert_eq!(arrival.name, number);
            piece = arrival.piece.take();
        }
        panic!("{number} is not found after {READS_MAX} reads");
    }
}

#[test]
fn what_was_refused_is_read_and_found_by_the_next_try() {
    let (_directory, store) = cold();
    let mut here = Loop::of(&store);
    let waits = store.disk_waits();
    let reads: usize = (0..ENTRIES).step_by(97).map(|number| here.answer(number)).sum();
    assert!(reads > 300, "{reads}: forty megabytes do not fit in eight");
    assert_eq!(store.disk_waits(), waits, "a thread that may not wait did");
    assert_eq!(here.reads.under_way(), 0);
    store.begin_turn(true);
    assert!(!here.reads.begin(1), "nothing was refused in this turn");
}

#[test]
fn many_are_under_way_at_once_and_each_is_found_by_its_own() {
    let (_directory, store) = cold();
    let mut here = Loop::of(&store);
    // Indexes and filters first, or all would wait for the same.
    (0..ENTRIES).step_by(997).for_each(|number| _ = here.answer(number));
    let mut begun = 0;
    for number in (5..ENTRIES).step_by(251) {
        if !here.look_up(number, None) {
            begun += usize::from(here.reads.begin(number));
        }
    }
    assert_eq!(begun, 128, "so many and no more");
    assert_eq!(here.reads.under_way(), 128);
    let mut found = 0;
    while here.reads.under_way() > 0 {
        for Arrival { name, piece } in here.arrivals() {
            found += usize::from(here.look_up(name, piece.as_deref()));
        }
    }
    assert!(found > 120, "{found}: some needed an index as well");
}

#[test]
fn the_kernel_is_asked_again_once_it_has_what_it_had_not() {
    let (directory, store) = cold();
    let mut here = Loop::of(&store);
    (0..ENTRIES).step_by(499).for_each(|number| _ = here.answer(number));
    let files = std::fs::read_dir(directory.path()).unwrap().flatten();
    for file in files.filter(|file| file.path().is_file()) {
        std::fs::read(file.path()).unwrap();
    }
    let reads: usize = (7..ENTRIES).step_by(199).map(|number| here.answer(number)).sum();
    assert!(reads < 60, "{reads} of 200 look-ups in the page cache were read beside");
}

#[test]
fn a_read_outlives_the_store_and_a_loop_that_ends_does_not_wait_for_its_reads() {
    let (_directory, store) = cold();
    let mut here = Loop::of(&store);
    assert!(!here.look_up(1, None) && here.reads.begin(1));
    let Loop { mut reads, wake, .. } = here;
    drop(store);
    let mut arrivals = Vec::new();
    while arrivals.is_empty() {
        reads.proceed(&mut arrivals);
    }
    assert!(arrivals[0].piece.is_some());
    drop((arrivals, reads, wake));

    let (_directory, store) = cold();
    for (number, is_handed_over) in [(10_000, false), (30_000, true)] {
        let mut here = Loop::of(&store);
        assert!(!here.look_up(number, None) && here.reads.begin(1));
        if is_handed_over {
            here.reads.proceed(&mut Vec::new());
        }
    }
    assert!(Loop::of(&store).answer(20_000) <= READS_MAX);
}

/// Has the kernel refuse io_uring to the calling thread, as containers do.
#[expect(unsafe_code, reason = "filters of system calls are asked for with a pointer")]
fn forbid_rings() {
    const SETUP: u32 = libc::SYS_io_uring_setup as u32;
    let statement =
        |code: u32, k: u32, jt: u8, jf: u8| libc::sock_filter { code: code as u16, jt, jf, k };
    let mut filter = [
        // The number of the call.
        statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0),
        statement(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, SETUP, 0, 1),
        statement(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ERRNO | libc::EPERM as u32, 0, 0),
        statement(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ALLOW, 0, 0),
    ];
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
    // SAFETY: the program outlives the calls, which copy it; it forbids this thread one call.
    let forbidden = unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program)
    };
    assert_eq!(forbidden, 0);
}

#[test]
fn where_rings_are_not_allowed_nothing_is_begun_and_what_is_in_memory_is_found() {
    let (_directory, store) = cold();
    thread::scope(|scope| {
        scope.spawn(|| {
            forbid_rings();
            let wake = eventfd(0, EventfdFlags::NONBLOCK).unwrap();
            assert!(store.begun_reads(wake.as_fd()).is_none());
            let mut found = Vec::new();
            let mut refused = 0;
            for number in (0..ENTRIES).step_by(97) {
                store.begin_turn(false);
                refused += u32::from(store.get(&key(number), Reach::Memory, &mut found).is_err());
                assert!(store.get(&key(number), Reach::Disk, &mut found).unwrap());
                assert!(store.get(&key(number), Reach::Memory, &mut found).unwrap());
            }
            assert!(refused > 300, "{refused}");
        });
    });
}
