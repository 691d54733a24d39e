//! Single wrong bits in the files that hold the segments of a columnar index: a query by column gives
//! the rows as they are, or an error that names the file. It never gives other rows.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use columnar::index_columns_of;
use common::{House, Row, by_index, columns, create, insert, key, open, row, rows_read, settle};
use rows::ddl::{NewColumnarIndex, NewIndex, NewTable};

/// Bits that are flipped, one at a time, in each file.
const FLIPS: u64 = 24;

/// Well mixed numbers, the same in every run.
fn random(number: u64) -> u64 {
    let mixed = (number ^ (number >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) ^ (mixed >> 32)
}

fn with_sources(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        text.push_str(&format!(": {inner}"));
        source = inner.source();
    }
    text
}

/// All rows by column, sorted; or the error, with all that it says.
fn read(house: &House) -> Result<Vec<Row>, String> {
    let said = |error: rows::Error| with_sources(&error);
    let table = house.engine.catalog().table("d", "t").map_err(said)?;
    let view = house.engine.store().snapshot().map_err(said)?;
    let columns = index_columns_of(&*view, &house.engine, &table, usize::MAX).map_err(said)?;
    rows_read(&columns.expect("the index is shown"), &table).map_err(said)
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &to.join(entry.file_name())),
            false => drop(fs::copy(entry.path(), to.join(entry.file_name())).unwrap()),
        }
    }
}

#[test]
fn a_wrong_bit_in_a_segment_is_an_error_with_the_name_of_the_file() {
    let home = tempfile::tempdir().unwrap();
    let sound = home.path().join("sound");
    let rows: Vec<Row> = (0..20_000).map(row).collect();
    {
        let house = open(&sound);
        let indexes = vec![NewIndex::primary(&["id"]), key("n", false)];
        let mut new = NewTable::new("d", "t", columns(), indexes);
        let kept = ["n", "word"].map(str::to_owned).to_vec();
        new.columnar_index =
            Some(NewColumnarIndex { name: Some("ci".into()), columns: kept, comment: "".into() });
        let table = create(&house, new);
        insert(&house, &table, &rows);
        settle(&house);
        assert_eq!(by_index(&house.engine, house.engine.latest(), &table, 0), rows);
        house.engine.close().unwrap();
    }
    // What the log had is in files of the store after one more start.
    drop(open(&sound));
    let mut files: Vec<PathBuf> =
        fs::read_dir(sound.join("rows")).unwrap().flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "sst"));
    files.sort();
    let (mut told, mut harmless) = (0, 0);
    for flip in 0..FLIPS * files.len() as u64 {
        let file = &files[flip as usize % files.len()];
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let damaged = home.path().join("damaged");
        copy(&sound, &damaged);
        let path = damaged.join("rows").join(&name);
        let mut bytes = fs::read(&path).unwrap();
        let bit = random(flip) % (bytes.len() as u64 * 8);
        bytes[bit as usize / 8] ^= 1 << (bit % 8);
        fs::write(&path, &bytes).unwrap();
        // Some damage is found when the store is opened.
        match std::panic::catch_unwind(|| read(&open(&damaged))) {
            Ok(Ok(read)) => {
                assert_eq!(read, rows, "flip {flip} of {name}");
                harmless += 1;
            }
            Ok(Err(why)) => {
                assert!(why.contains(&name), "flip {flip} of {name}: no file is named: {why}");
                told += 1;
            }
            Err(_) => told += 1,
        }
        fs::remove_dir_all(&damaged).unwrap();
    }
    // Rows and row indexes are in the files as well, which a query by column does not read.
    assert!(told > 0 && harmless > 0, "{told} of {} flips were told", told + harmless);
}
