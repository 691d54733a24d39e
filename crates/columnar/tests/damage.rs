//! Single wrong bits in the files that hold columnar tables, and segments of columnar indexes: a
//! query gives the rows as they are, or an error that names the file. It never gives other rows.

use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use crate::common::{
    House, Row, by_index, change, columns, create, index_read, insert, key, open, row, rows_read,
    settle, table,
};
use columnar::{columns_of, index_columns_of};
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

/// A way to read all rows; the error has all that it says.
type Way<'a> = &'a dyn Fn(&House) -> Result<Vec<Row>, String>;

fn said(error: rows::Error) -> String {
    with_sources(&error)
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

/// Flips bits of the files of a house that is closed: what each way reads is `rows`, in their order
/// or another, or it fails and names the file.
fn flip_bits(sound: &Path, ways: &[Way<'_>], rows: &[Row]) {
    // What the log had is in files of the store after one more start.
    drop(open(sound));
    let mut files: Vec<PathBuf> =
        fs::read_dir(sound.join("rows")).unwrap().flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "sst"));
    files.sort();
    let damaged = sound.with_file_name("damaged");
    let (mut told, mut harmless) = (0, 0);
    for flip in 0..FLIPS * files.len() as u64 {
        let file = &files[flip as usize % files.len()];
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        copy(sound, &damaged);
        let path = damaged.join("rows").join(&name);
        let mut bytes = fs::read(&path).unwrap();
        let bit = random(flip) % (bytes.len() as u64 * 8);
        bytes[bit as usize / 8] ^= 1 << (bit % 8);
        fs::write(&path, &bytes).unwrap();
        // Some damage is found when the store is opened.
        let Ok(house) = catch_unwind(|| open(&damaged)) else {
            told += ways.len();
            fs::remove_dir_all(&damaged).unwrap();
            continue;
        };
        for (way, read) in ways.iter().enumerate() {
            match read(&house) {
                Ok(mut read) => {
                    read.sort();
                    assert!(read == rows, "flip {flip} of {name}, way {way}: other rows");
                    harmless += 1;
                }
                Err(why) => {
                    let names = why.contains(&name);
                    assert!(names, "flip {flip} of {name}, way {way}: no file is named: {why}");
                    told += 1;
                }
            }
        }
        drop(house);
        fs::remove_dir_all(&damaged).unwrap();
    }
    // Each way leaves some of the files unread.
    assert!(told > 0 && harmless > 0, "{told} of {} reads were told", told + harmless);
}

#[test]
fn a_wrong_bit_in_a_segment_of_an_index_is_an_error_with_the_name_of_the_file() {
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
    let by_column: Way<'_> = &|house| {
        let table = house.engine.catalog().table("d", "t").map_err(said)?;
        let view = house.engine.store().snapshot().map_err(said)?;
        let columns = index_columns_of(&*view, &house.engine, &table, usize::MAX).map_err(said)?;
        rows_read(&columns.expect("the index is shown"), &table).map_err(said)
    };
    flip_bits(&sound, &[by_column], &rows);
}

#[test]
fn a_wrong_bit_of_a_columnar_table_is_an_error_with_the_name_of_the_file() {
    let home = tempfile::tempdir().unwrap();
    let sound = home.path().join("sound");
    let mut rows: Vec<Row> = (0..20_000).map(row).collect();
    {
        let house = open(&sound);
        let table = table(&house, true);
        insert(&house, &table, &rows);
        assert_eq!(settle(&house), rows.len() as u64);
        // Dead rows of the segment, and recent ones beside it.
        for id in (0..20_000).step_by(100) {
            let new = (id % 300 != 0).then(|| (id, Some(-7), Some(format!("changed {id}"))));
            change(&house, &table, id, new.as_ref(), true);
            rows.retain(|row| row.0 != id);
            rows.extend(new);
        }
        let more: Vec<Row> = (30_000..30_500).map(row).collect();
        insert(&house, &table, &more);
        rows.extend(more);
        rows.sort();
        crate::common::assert_rows(&house, &table, &rows);
        house.engine.close().unwrap();
    }
    let by_column: Way<'_> = &|house| {
        let table = house.engine.catalog().table("d", "t").map_err(said)?;
        let view = house.engine.store().snapshot().map_err(said)?;
        let columns = columns_of(&*view, &table).map_err(said)?;
        rows_read(&columns.expect("a view of the store itself"), &table).map_err(said)
    };
    let by_index = |house: &House, index: usize| {
        let table = house.engine.catalog().table("d", "t").map_err(said)?;
        index_read(&house.engine, house.engine.latest(), &table, index).map_err(said)
    };
    let by_key: Way<'_> = &|house| by_index(house, 0);
    let by_number: Way<'_> = &|house| by_index(house, 1);
    let by_word: Way<'_> = &|house| by_index(house, 2);
    flip_bits(&sound, &[by_column, by_key, by_number, by_word], &rows);
}
