//! RocksStore keeps every promise of `trait Store`.

use std::path::Path;
use std::sync::Arc;

use proptest::prelude::{any, proptest};
use proptest::test_runner::Config;
use rows::conformance::{Subject, run_operations};
use rows::error::Result;
use rows::ingestion::TableStore;
use rows_rocks::{RocksOptions, RocksStore};

fn open(directory: &Path) -> Result<Arc<dyn TableStore>> {
    // So little memory that tests also reach files, not only write buffers.
    let options = RocksOptions { memory_bytes: 8 << 20, ..RocksOptions::default() };
    Ok(Arc::new(RocksStore::open(directory, &options)?))
}

rows::store_conformance! { persists: true, open: open }

proptest! {
    #![proptest_config(Config { cases: 24, failure_persistence: None, ..Config::default() })]
    #[test]
    fn any_operations_agree_with_a_model(bytes in proptest::collection::vec(any::<u8>(), 0..1500)) {
        let directory = tempfile::tempdir().unwrap();
        let subject = Subject { directory: directory.path(), open: &open, persists: true };
        run_operations(&subject, &bytes);
    }
}
