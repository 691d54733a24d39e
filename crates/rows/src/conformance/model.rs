//! Random operations on a store and on a `BTreeMap`, compared after each step.
//!
//! The operations are read from bytes, so that a property test of the store's crate needs no
//! more than a vector of bytes, which also shrinks well.

use std::collections::BTreeMap;

use resources::spill::SpillDirectory;

use super::*;
use crate::store::{LockWait, Savepoint};

type Model = BTreeMap<Vec<u8>, Vec<u8>>;

/// Runs fixed pseudo-random operations; property tests call `run_operations` with their own.
pub fn random_operations_agree_with_a_model(subject: &Subject<'_>) {
    let mut random = 0x5eed_u64;
    let bytes: Vec<u8> = std::iter::repeat_with(|| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
        (random >> 56) as u8
    })
    .take(30_000)
    .collect();
    run_operations(subject, &bytes);
}

/// Interprets `bytes` as operations on a fresh store and panics where it departs from the model.
pub fn run_operations(subject: &Subject<'_>, bytes: &[u8]) {
    let mut run = ModelRun {
        store: subject.open(),
        model: Model::new(),
        transaction: None,
        snapshot: None,
        spill: spill(subject),
        steps: 0,
    };
    let mut bytes = Bytes(bytes);
    while let Some(operation) = bytes.next() {
        run.step(subject, operation, &mut bytes);
    }
    run.compare_all();
}

struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn next(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    /// One of few keys, of different lengths, so that operations meet.
    fn key(&mut self) -> Vec<u8> {
        let number = self.next().unwrap_or(0) % 40;
        match number % 5 {
            0 => vec![number],
            1 => vec![number, 0],
            2 => vec![number - 1, 255],
            3 => vec![255, number],
            _ => vec![number - 4, 1, 2, 3],
        }
    }

    fn value(&mut self) -> Vec<u8> {
        vec![self.next().unwrap_or(0); usize::from(self.next().unwrap_or(0) % 20)]
    }

    fn range(&mut self) -> KeyRange {
        let start = self.key();
        let end = if self.next().unwrap_or(0).is_multiple_of(4) { Vec::new() } else { self.key() };
        KeyRange { start, end }
    }

    fn durability(&mut self) -> Durability {
        match self.next().unwrap_or(0) {
            0..=3 => Durability::EveryCommit,
            4..=127 => Durability::EverySecond,
            _ => Durability::Os,
        }
    }
}

struct OpenTransaction {
    transaction: Box<dyn StoreTransaction>,
    own: BTreeMap<Vec<u8>, Option<Vec<u8>>>,
    marks: Vec<(Savepoint, BTreeMap<Vec<u8>, Option<Vec<u8>>>)>,
}

struct ModelRun {
    store: Arc<dyn TableStore>,
    model: Model,
    transaction: Option<OpenTransaction>,
    snapshot: Option<(Arc<dyn Read>, Model)>,
    spill: Arc<SpillDirectory>,
    steps: usize,
}

impl ModelRun {
    fn step(&mut self, subject: &Subject<'_>, operation: u8, bytes: &mut Bytes<'_>) {
        self.steps += 1;
        match operation % 16 {
            0..=2 => self.write_batches(bytes),
            3..=5 => self.transaction_write(bytes),
            6 => self.mark(),
            7 => self.roll_back(bytes),
            8 => self.commit(bytes),
            9 => self.transaction = None,
            10 => {
                let snapshot = self.store.snapshot().expect("a snapshot");
                self.snapshot = Some((snapshot, self.model.clone()));
            }
            12 => {
                if let Some(open) = &mut self.transaction {
                    open.transaction.spill(&self.spill).expect("the files");
                }
            }
            11 if operation > 240 && subject.persists => self.reopen(subject),
            _ => self.compare(bytes),
        }
    }

    fn write_batches(&mut self, bytes: &mut Bytes<'_>) {
        let mut batches = Vec::new();
        for _ in 0..=bytes.next().unwrap_or(0) % 3 {
            let mut changes = Vec::new();
            for _ in 0..bytes.next().unwrap_or(0) % 5 {
                changes.push(match bytes.next().unwrap_or(0) % 8 {
                    0 => Change::DeleteRange(bytes.range()),
                    1 | 2 => Change::delete(bytes.key()),
                    _ => Change::put(bytes.key(), bytes.value()),
                });
            }
            batches.push(Batch { changes });
        }
        let references: Vec<&Batch> = batches.iter().collect();
        self.store.write_all(&references, bytes.durability()).expect("the write");
        for change in batches.into_iter().flat_map(|batch| batch.changes) {
            apply(&mut self.model, change);
        }
    }

    fn transaction_write(&mut self, bytes: &mut Bytes<'_>) {
        let store = &self.store;
        let open = self.transaction.get_or_insert_with(|| OpenTransaction {
            transaction: begin(store),
            own: BTreeMap::new(),
            marks: Vec::new(),
        });
        let key = bytes.key();
        open.transaction.lock(&key, LockWait::Never).expect("nobody else locks");
        if bytes.next().unwrap_or(0).is_multiple_of(3) {
            open.transaction.delete(key.clone());
            open.own.insert(key, None);
        } else {
            let value = bytes.value();
            open.transaction.put(key.clone(), value.clone());
            open.own.insert(key, Some(value));
        }
    }

    fn mark(&mut self) {
        if let Some(open) = &mut self.transaction {
            open.marks.push((open.transaction.savepoint(), open.own.clone()));
        }
    }

    fn roll_back(&mut self, bytes: &mut Bytes<'_>) {
        if let Some(open) = &mut self.transaction
            && !open.marks.is_empty()
        {
            let at = usize::from(bytes.next().unwrap_or(0)) % open.marks.len();
            open.marks.truncate(at + 1);
            let (savepoint, own) = open.marks[at].clone();
            open.transaction.rollback_to(savepoint);
            open.own = own;
        }
    }

    fn commit(&mut self, bytes: &mut Bytes<'_>) {
        if let Some(open) = self.transaction.take() {
            open.transaction.commit(bytes.durability()).expect("the commit");
            self.model = overlaid(&self.model, &open.own);
        }
    }

    fn reopen(&mut self, subject: &Subject<'_>) {
        self.transaction = None;
        self.snapshot = None;
        // The directory is free only once the last handle is gone.
        self.store = Arc::new(crate::memory::MemoryStore::new());
        self.store = subject.open();
        self.compare_all();
    }

    fn compare(&mut self, bytes: &mut Bytes<'_>) {
        let range = bytes.range();
        compare(&*self.store, &self.model, &range);
        if let Some((snapshot, model)) = &self.snapshot {
            compare(&**snapshot, model, &range);
        }
        if let Some(open) = &self.transaction {
            compare(&*open.transaction, &overlaid(&self.model, &open.own), &range);
            if let Some((snapshot, model)) = &self.snapshot {
                let view = open.transaction.view_at(&**snapshot);
                compare(&*view, &overlaid(model, &open.own), &range);
            }
        }
    }

    fn compare_all(&mut self) {
        compare(&*self.store, &self.model, &KeyRange::default());
    }
}

fn apply(model: &mut Model, change: Change) {
    match change {
        Change::Put(key, value) => {
            model.insert(key.into(), value.into());
        }
        Change::Delete(key) => {
            model.remove(&key[..]);
        }
        Change::DeleteRange(range) => model.retain(|key, _| !range.contains(key)),
    }
}

fn overlaid(model: &Model, own: &BTreeMap<Vec<u8>, Option<Vec<u8>>>) -> Model {
    let mut model = model.clone();
    for (key, value) in own {
        match value {
            Some(value) => model.insert(key.clone(), value.clone()),
            None => model.remove(key),
        };
    }
    model
}

fn compare(read: &dyn Read, model: &Model, range: &KeyRange) {
    let expected: Vec<(Vec<u8>, Vec<u8>)> = model
        .iter()
        .filter(|(key, _)| range.contains(key))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    assert_eq!(scan(read, range, Direction::Forward), expected);
    let mut backward = scan(read, range, Direction::Backward);
    backward.reverse();
    assert_eq!(backward, expected);
    for key in [&range.start, &range.end] {
        assert_eq!(get(read, key).as_ref(), model.get(key));
    }
    let keys: Vec<Vec<u8>> = (0..40).map(|number| Bytes(&[number]).key()).collect();
    let mut position = 0;
    let mut each = |at, value: Option<&[u8]>| {
        assert_eq!(at, position);
        assert_eq!(value, model.get(&keys[at]).map(|value| &value[..]));
        position += 1;
        Ok(())
    };
    read.get_many(&keys, Reach::Disk, &mut each).expect("the look-up");
    assert_eq!(position, keys.len());
}
