//! Bulk loads of tables without any index: rows as they come, by several threads, or nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use resources::interrupt::{Interrupt, working};
use resources::spill::SpillDirectory;

use crate::common::*;
use rows::bulk::{BulkLoad, OnDuplicate, RowTaker};
use rows::memory::MemoryStore;
use rows::{Engine, EngineOptions, Error, Result, Table};
use values::Datum;

/// Each thread has 512 KiB then, its least, and a stretch some 250 KiB.
const CLIENT_BYTES: usize = 6 << 20;
const BLOCK_ROWS: u64 = 100;

fn engine_in(directory: &tempfile::TempDir) -> Arc<Engine> {
    let options = EngineOptions {
        client_bytes: CLIENT_BYTES,
        spill: Some(SpillDirectory::open(directory.path()).unwrap()),
        ..EngineOptions::default()
    };
    let engine = Engine::open(Arc::new(MemoryStore::new()), options).unwrap();
    engine.create_database("d").unwrap();
    engine
}

fn unkeyed(engine: &Engine) -> Arc<Table> {
    table(engine, "t", vec![column("n", int(), false), column("s", text(50), true)], vec![])
}

fn begin_load(engine: &Arc<Engine>, table: &Arc<Table>) -> BulkLoad {
    let load = BulkLoad::begin(begin(engine), table, OnDuplicate::Error).unwrap();
    load.expect("nobody else writes to it")
}

fn add_block(taker: &mut RowTaker, block: u64) -> Result<bool> {
    for number in block * BLOCK_ROWS + 1..=(block + 1) * BLOCK_ROWS {
        taker.add(number, &[Datum::Int(number as i64), word("some text of a row")])?;
    }
    taker.end_block(block)
}

#[test]
fn rows_have_the_order_of_their_numbers_whoever_makes_them_and_when() {
    const BLOCKS: u64 = 600;
    let directory = tempfile::tempdir().unwrap();
    let engine = engine_in(&directory);
    let t = unkeyed(&engine);
    let mut transaction = begin(&engine);
    transaction.insert(&t, &[Datum::Int(0), Datum::Null]).unwrap();
    commit(transaction);
    let mut load = begin_load(&engine, &t);
    let (next, used) = (AtomicU64::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for (thread, mut taker) in load.takers(3).unwrap().into_iter().enumerate() {
            let (next, used, engine) = (&next, &used, &engine);
            scope.spawn(move || {
                loop {
                    let block = next.fetch_add(1, Ordering::Relaxed);
                    if block >= BLOCKS {
                        return assert!(taker.finish().unwrap().is_none(), "nothing to merge");
                    }
                    // One of them holds all others up again and again.
                    if thread == 0 {
                        std::thread::yield_now();
                    }
                    assert!(add_block(&mut taker, block).unwrap());
                    used.fetch_max(engine.budget().used(), Ordering::Relaxed);
                }
            });
        }
    });
    let rows = BLOCKS * BLOCK_ROWS;
    assert_eq!(load.finish(Vec::new(), rows, None).unwrap().rows, rows);
    let used = used.into_inner();
    assert!(0 < used && used < CLIENT_BYTES, "{used} bytes");
    assert_eq!(engine.budget().used(), 0);
    let mut transaction = begin(&engine);
    transaction.insert(&t, &[Datum::Int(rows as i64 + 1), Datum::Null]).unwrap();
    commit(transaction);
    let numbers = rows_by(&engine, &t, 0);
    let number = |row: &String| row.split(' ').next().and_then(|n| n.parse::<u64>().ok());
    assert!(numbers.iter().map(number).eq((0..=rows + 1).map(Some)));
    assert_eq!(engine.row_count(&t).unwrap(), Some(rows + 2));
    assert_sound(&engine);
}

#[test]
fn an_error_of_one_thread_stops_the_others_and_leaves_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let engine = engine_in(&directory);
    let t = unkeyed(&engine);
    let mut load = begin_load(&engine, &t);
    let mut takers = load.takers(2).unwrap();
    let (mut ahead, mut wrong) = (takers.remove(1), takers.remove(0));
    let waiter = std::thread::spawn(move || {
        // Until it has to wait for block 0.
        (1..).find(|block| !add_block(&mut ahead, *block).unwrap()).unwrap()
    });
    let null = wrong.add(1, &[Datum::Null, Datum::Null]);
    assert!(matches!(null, Err(Error::NullValue { .. })), "{null:?}");
    drop(wrong);
    assert!(waiter.join().unwrap() > 0);
    drop(load);
    assert_eq!(rows_by(&engine, &t, 0), Vec::<String>::new());
    assert_eq!(engine.budget().used(), 0);
    begin_load(&engine, &t);
}

struct Now;

impl Interrupt for Now {
    fn is_wanted(&self) -> bool {
        true
    }
}

#[test]
fn who_waits_for_a_block_that_does_not_come_can_be_interrupted() {
    let directory = tempfile::tempdir().unwrap();
    let engine = engine_in(&directory);
    let t = unkeyed(&engine);
    let mut load = begin_load(&engine, &t);
    let mut takers = load.takers(2).unwrap();
    let _working = working(Arc::new(Now));
    let ended = (1..100_000).find_map(|block| add_block(&mut takers[1], block).err());
    assert!(matches!(ended, Some(Error::LockTimeout)), "{ended:?}");
}
