//! Cache mode: a table stays within its limit, and the rows that are used stay in it.

use std::sync::Arc;

use crate::common::*;
use rows::memory::MemoryStore;
use rows::removal::RemovedRows;
use rows::schema::Retention;
use rows::store::{Durability, LockWait, Reach};
use rows::sweep::Sweeper;
use rows::{Alteration, Engine, EngineOptions, Error, NewTable, RowChange, Table};
use values::{Datum, Value};

const LIMIT: u64 = 1 << 20;

struct House {
    engine: Arc<Engine>,
    sweeper: Sweeper,
}

impl House {
    fn open(store: &Arc<MemoryStore>) -> House {
        let engine = Engine::open(store.clone(), EngineOptions::default()).unwrap();
        House { engine, sweeper: Sweeper::default() }
    }

    fn new() -> House {
        let house = House::open(&Arc::new(MemoryStore::new()));
        house.make_table();
        house
    }

    /// `t(id PRIMARY KEY, name KEY)`, in cache mode.
    fn make_table(&self) {
        self.engine.create_database("d").unwrap();
        let columns = vec![column("id", int(), false), column("name", text(700), true)];
        let indexes = vec![index("PRIMARY", true, &["id"]), index("name", false, &["name"])];
        let retention = Retention { expires_by: None, bytes_max: LIMIT };
        let new = NewTable { retention, ..NewTable::new("d", "t", columns, indexes) };
        self.engine.create_table(new).unwrap();
    }

    fn table(&self) -> Arc<Table> {
        self.engine.catalog().table("d", "t").unwrap()
    }

    fn put(&self, id: i64, name: &str) {
        let mut tx = self.engine.begin(LockWait::Never).unwrap();
        tx.replace(&self.table(), &[Datum::Int(id), word(name)]).unwrap();
        tx.commit(Durability::Os).unwrap();
    }

    fn has(&self, id: i64) -> bool {
        let t = self.table();
        let key = t.row_key(&[Datum::Int(id)]).unwrap();
        self.engine.get(self.engine.latest(), &t, &key, Reach::Memory, &mut |_| Ok(())).unwrap()
    }

    /// What the thread that sweeps does when it is woken.
    fn make_room(&self) -> RemovedRows {
        let mut all = RemovedRows::default();
        let mut tell = |_: &Table, removed: RemovedRows| {
            all.expired += removed.expired;
            all.evicted += removed.evicted;
        };
        self.sweeper.make_room(&self.engine, &mut tell).unwrap();
        all
    }

    fn bytes(&self) -> u64 {
        self.table().recency().unwrap().bytes()
    }

    /// What the rows have, by reading them.
    fn bytes_read(&self) -> u64 {
        let t = self.table();
        let mut bytes = 0;
        let view = self.engine.latest();
        let range = t.index_range(0);
        let mut cursor = view.scan(&range, rows::store::Direction::Forward, Reach::Disk).unwrap();
        while cursor.advance().unwrap() {
            bytes += (cursor.key().len() + cursor.value().len()) as u64;
        }
        bytes
    }

    /// Adds rows `ids` of 500 bytes; rows 0 to `hot` are read all the while.
    fn storm(&self, ids: std::ops::Range<i64>, hot: i64) {
        let name = "n".repeat(500);
        for id in ids {
            self.put(id, &name);
            if id % 4 == 0 {
                self.has(id / 4 % hot);
            }
            if self.bytes() > LIMIT {
                self.make_room();
                assert!(self.bytes() <= LIMIT);
            }
        }
    }
}

#[test]
fn rows_in_use_outlive_a_storm_of_others_and_the_limit_holds() {
    let house = House::new();
    let hot = 200;
    for id in 0..hot {
        house.put(id, &"h".repeat(500));
    }
    // Ten times what fits, in ascending keys and in scattered ones.
    house.storm(1_000..21_000, hot);
    let kept = (0..hot).filter(|id| house.has(*id)).count();
    assert_eq!(kept, hot as usize);
    let fits = (LIMIT / 540) as i64;
    let newest = (21_000 - fits / 4..21_000).filter(|id| house.has(*id)).count() as i64;
    assert!(newest > fits / 4 * 9 / 10, "{newest} of the newest {} are there", fits / 4);
    assert!(!(1_000..10_000).any(|id| house.has(id)), "the oldest are gone");
    assert_eq!(house.bytes(), house.bytes_read());
    assert!(house.bytes() > LIMIT * 8 / 10, "room is used");
    assert_eq!(
        house.table().recency().unwrap().evictions(),
        20_200 - rows_by(&house.engine, &house.table(), 0).len() as u64
    );
    assert_sound(&house.engine);
}

#[test]
fn a_scan_of_everything_does_not_make_everything_recent() {
    let house = House::new();
    let hot = 200;
    for id in 0..hot {
        house.put(id, &"h".repeat(500));
    }
    house.storm(1_000..4_000, hot);
    let mut scans = 0;
    for start in (4_000..8_000).step_by(500) {
        house.storm(start..start + 500, hot);
        scans += usize::from(!rows_by(&house.engine, &house.table(), 0).is_empty());
    }
    assert_eq!(scans, 8);
    assert_eq!((0..hot).filter(|id| house.has(*id)).count(), hot as usize);
}

#[test]
fn another_start_counts_what_is_there_and_goes_on() {
    let store = Arc::new(MemoryStore::new());
    let hot = 200;
    {
        let house = House::open(&store);
        house.make_table();
        house.storm(1_000..3_000, hot);
        house.engine.close().unwrap();
    }
    let house = House::open(&store);
    assert_eq!(house.bytes(), 0, "nobody has looked yet");
    house.put(0, "first");
    house.make_room();
    assert_eq!(house.bytes(), house.bytes_read());
    for id in 0..hot {
        house.put(id, &"h".repeat(500));
    }
    house.storm(5_000..15_000, hot);
    assert_eq!((0..hot).filter(|id| house.has(*id)).count(), hot as usize);
    assert_eq!(house.bytes(), house.bytes_read());
    assert_sound(&house.engine);
}

#[test]
fn bytes_are_those_of_committed_rows_alone() {
    let house = House::new();
    house.make_room();
    let t = house.table();
    house.put(1, "one");
    let one = house.bytes();
    assert_eq!(one, house.bytes_read());
    let mut tx = begin(&house.engine);
    tx.insert(&t, &[Datum::Int(2), word("two")]).unwrap();
    let refused = tx.insert(&t, &[Datum::Int(1), word("again")]);
    assert!(matches!(refused, Err(Error::Duplicate { .. })));
    assert_eq!(house.bytes(), one);
    let mark = tx.savepoint();
    tx.insert(&t, &[Datum::Int(3), word("three")]).unwrap();
    tx.rollback_to(mark);
    commit(tx);
    assert_eq!(house.bytes(), house.bytes_read());
    let mut tx = begin(&house.engine);
    let key = |id| t.row_key(&[Datum::Int(id)]).unwrap();
    let longer = vec![(0, Value::Int(7)), (1, Value::Bytes(b"a longer name".to_vec()))];
    tx.change_row::<Error>(&t, &key(1), &mut |_| Ok(RowChange::Set(longer.clone()))).unwrap();
    tx.change_row::<Error>(&t, &key(2), &mut |_| Ok(RowChange::Delete)).unwrap();
    tx.replace(&t, &[Datum::Int(7), word("x")]).unwrap();
    commit(tx);
    assert_eq!(house.bytes(), house.bytes_read());
    drop(begin(&house.engine));
    house
        .engine
        .truncate_table("d", "t", rows::foreign_key::ForeignKeyChecks::On, &house.engine.patience())
        .unwrap();
    assert_eq!(house.bytes(), 0);
}

#[test]
fn a_row_that_someone_holds_stays_and_the_limit_may_be_set_later() {
    let house = House::new();
    let alter = |bytes_max| {
        house.engine.alter_table(
            "d",
            "t",
            vec![Alteration::SetBytesMax(bytes_max)],
            &house.engine.patience(),
        )
    };
    assert!(matches!(alter(1_000), Err(Error::Definition { .. })));
    alter(0).unwrap();
    let name = "n".repeat(500);
    for id in 0..4_000 {
        house.put(id, &name);
    }
    assert!(house.table().recency().is_none());
    assert_eq!(house.make_room(), RemovedRows::default());
    alter(LIMIT).unwrap();
    let t = house.table();
    let mut holder = begin(&house.engine);
    holder.lock_row(&t, &t.row_key(&[Datum::Int(5)]).unwrap()).unwrap();
    assert!(house.make_room().evicted > 1_900);
    assert!(house.bytes() <= LIMIT && house.bytes() == house.bytes_read());
    assert!(house.has(5) && !house.has(4) && !house.has(6));
}
