//! Files that are no files of their format, not allowed, or not what they were.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;
use std::time::Instant;

use ::parquet::arrow::ArrowWriter;
use ::parquet::basic::Compression;
use ::parquet::file::properties::{EnabledStatistics, WriterProperties};
use arrow::array::{ArrayRef, RecordBatch, StringArray};
use rows::EngineOptions;

use super::house::House;
use crate::harness::{answer, session};

#[test]
fn paths_outside_of_the_folders_are_refused() {
    let mut h = House::new();
    h.write("in/a.csv", "a\n1\n");
    symlink("/etc", h.path("etc")).unwrap();
    symlink("/etc/passwd", h.path("passwd.csv")).unwrap();
    for (path, number) in [
        ("/etc/passwd", 1290),
        ("../a.csv", 1290),
        ("in/../../a.csv", 1290),
        ("etc/passwd", 1290),
        ("etc/*", 1290),
        ("passwd.csv", 1290),
        ("passw?.csv", 1290),
        ("none.csv", 13),
        ("none*.csv", 13),
        ("in", 1085),
    ] {
        let text = format!("SELECT * FROM FILE('{path}', format => 'csv')");
        assert_eq!(h.refused(&text).code().number(), number, "{path}");
    }
    assert_eq!(h.run("SELECT a FROM FILE('i?/*.csv')"), "1");
    // Without folders there are no files.
    let mut bare = session(&crate::harness::server());
    assert_eq!(answer(&mut bare, "SELECT * FROM FILE('a.csv')").unwrap_err().code().number(), 1290);
}

#[test]
fn a_folder_that_becomes_a_link_leads_nowhere() {
    let mut h = House::new();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("a.csv"), "a\nsecret\n").unwrap();
    h.write("in/a.csv", "a\nours\n");
    let (inner, aside) = (h.path("in"), h.path("aside"));
    let target = outside.path().to_path_buf();
    let stop = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let stopped = Arc::clone(&stop);
    let swapping = std::thread::spawn(move || {
        while !stopped.load(std::sync::atomic::Ordering::Relaxed) {
            fs::rename(&inner, &aside).unwrap();
            symlink(&target, &inner).unwrap();
            fs::remove_file(&inner).unwrap();
            fs::rename(&aside, &inner).unwrap();
        }
    });
    let (mut read, since) = (0, Instant::now());
    // On a busy machine all of them may come while it is a link.
    for round in 0.. {
        if round >= 600 && (read > 0 || since.elapsed() > crate::harness::PATIENCE) {
            break;
        }
        let pattern = if round % 2 == 0 { "in/a.csv" } else { "i*/*.csv" };
        match answer(&mut h.session, &format!("SELECT * FROM FILE('{pattern}')")) {
            Ok(found) => {
                assert_eq!(found, "ours");
                read += 1;
            }
            Err(error) => {
                assert!([1290, 13, 1024].contains(&error.code().number()), "{}", error.message())
            }
        }
    }
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    swapping.join().unwrap();
    assert!(read > 0);
}

/// A file with several row groups' worth of each encoding.
fn sample(h: &mut House) -> Vec<u8> {
    h.run("CREATE TABLE d (i INT PRIMARY KEY)");
    let digits: Vec<String> = (0..60).map(|i| format!("({i})")).collect();
    h.run(&format!("INSERT INTO d VALUES {}", digits.join(",")));
    h.run(
        "SELECT a.i * 60 + b.i n, IF(b.i = 3, NULL, CONCAT('t', a.i)) t, a.i / 7e0 x, \
         DATE_ADD('2020-01-01', INTERVAL b.i DAY) d, CAST(a.i AS DECIMAL(20, 3)) m \
         FROM d a, d b ORDER BY n INTO OUTFILE 'good.parquet' FORMAT PARQUET",
    );
    fs::read(h.path("good.parquet")).unwrap()
}

const QUERY: &str = "SELECT COUNT(*), SUM(n), COUNT(t), MAX(t), ROUND(SUM(x), 3), MIN(d), SUM(m) FROM FILE('bad.parquet') WHERE n >= 0";

#[test]
fn a_parquet_file_that_was_cut_off_anywhere_is_an_error() {
    let mut h = House::new();
    let good = sample(&mut h);
    h.write("bad.parquet", &good);
    h.run(QUERY);
    let step = good.len() / 60;
    let ends = (0..60).map(|at| at * step).chain(good.len() - 12..good.len());
    for end in ends {
        h.write("bad.parquet", &good[..end]);
        h.refused_with(QUERY, 3000, &["bad.parquet"]);
    }
}

#[test]
fn bits_that_are_flipped_give_an_error_or_some_rows_and_nothing_worse() {
    let mut h = House::new();
    let good = sample(&mut h);
    let mut errors = 0;
    let places = good.len().min(400);
    for place in 0..places {
        // Everywhere, and the end, which describes the rest, most densely.
        let at = match place % 2 {
            0 => place * good.len() / places,
            _ => good.len() - 1 - place * 3 % good.len(),
        };
        let mut bad = good.clone();
        bad[at] ^= 1 << (place % 8);
        h.write("bad.parquet", &bad);
        match answer(&mut h.session, QUERY) {
            Ok(_) => {}
            Err(error) => {
                errors += 1;
                let told = error.message().contains("bad.parquet");
                assert!(
                    told && error.code().number() != 1105,
                    "{at}: {} {}",
                    error.code().number(),
                    error.message()
                );
            }
        }
    }
    assert!(errors > places / 4, "{errors} of {places}");
    h.write("bad.parquet", &good);
    h.run(QUERY);
    crate::harness::await_memory(&h.sql);
}

#[test]
fn other_things_called_parquet_are_errors() {
    let mut h = House::new();
    for content in [&b""[..], b"PAR1", b"PAR1PAR1", b"a,b\n1,2\n", &[0xFF; 4096]] {
        h.write("bad.parquet", content);
        h.refused_with(QUERY, 3000, &["bad.parquet"]);
    }
    // A footer that says it is longer than the file.
    h.write("bad.parquet", b"PAR1\xff\xff\xff\x7fPAR1");
    h.refused_with(QUERY, 3000, &["bad.parquet"]);
    let schema = |columns: &[u8]| [&[0x15, 2, 0x19][..], columns, &[0x16, 0, 0x19]].concat();
    let mut refused = |footer: &[u8]| {
        let length = (footer.len() as u32).to_le_bytes();
        h.write("bad.parquet", [&b"PAR1"[..], footer, &length, b"PAR1"].concat());
        h.refused_with(QUERY, 3000, &["bad.parquet", "footer"]);
    };
    // One that says there are 2^31 - 1 row groups.
    let one = b"\x2c\x48\x01r\x15\x02\x00\x15\x02\x25\x00\x18\x01c\x00";
    refused(&[&schema(one)[..], b"\xfc\xff\xff\xff\xff\x07\x00"].concat());
    // A column within a column, and so on, deeper than any stack.
    let mut deep = b"\xfc\xc1\x9a\x0c\x48\x01r\x15\x02\x00".to_vec();
    (1..200_000).for_each(|_| deep.extend_from_slice(b"\x35\x00\x18\x01c\x15\x02\x00"));
    deep.extend_from_slice(b"\x15\x02\x25\x00\x18\x01c\x00");
    refused(&[&schema(&deep)[..], b"\x0c\x00"].concat());
}

/// A file of one column with one page, that is not by words, and where its header begins.
fn one_page(texts: &[&str]) -> (Vec<u8>, usize) {
    let texts: ArrayRef = Arc::new(texts.iter().map(Some).collect::<StringArray>());
    let batch = RecordBatch::try_from_iter([("t", texts)]).unwrap();
    let properties = WriterProperties::builder()
        .set_dictionary_enabled(false)
        .set_compression(Compression::SNAPPY)
        .set_statistics_enabled(EnabledStatistics::None)
        .build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    (bytes, b"PAR1".len())
}

#[test]
fn a_page_that_says_it_has_two_gibibytes_is_refused_before_there_is_room_for_it() {
    let mut h = House::new();
    let (good, at) = one_page(&["one", "two"]);
    h.write("bad.parquet", &good);
    assert_eq!(h.run("SELECT t FROM FILE('bad.parquet')"), "one\ntwo");
    // 1: a data page; 2: its uncompressed size, which is one byte.
    assert_eq!(good[at..at + 3], [0x15, 0x00, 0x15]);
    let size = [0xfe, 0xff, 0xff, 0xff, 0x0f];
    let bad = [&good[..at + 3], &size, &good[at + 4..]].concat();
    h.write("bad.parquet", bad);
    let text = "SELECT t FROM FILE('bad.parquet')";
    h.refused_with(text, 3000, &["bad.parquet", "a page of 2147483647 bytes"]);
    // 5: of a data page, 1: the number of its values, far more than the column has.
    let values = good[at..].windows(2).position(|bytes| bytes == [0x2c, 0x15]).unwrap() + at + 2;
    assert_eq!(good[values], 4);
    let bad = [&good[..values], &size, &good[values + 1..]].concat();
    h.write("bad.parquet", bad);
    h.refused_with(text, 3000, &["bad.parquet", "a page of 2147483647 values"]);
    crate::harness::await_memory(&h.sql);
}

#[test]
fn pages_are_counted_in_the_memory_of_the_statement_while_they_are_read() {
    let mut h = House::of(EngineOptions { client_bytes: 64 << 20, ..EngineOptions::default() });
    // Compressed it is little; as it is, with a copy, more than three quarters of 64 MiB.
    let long = "long ".repeat(5 << 20);
    let (bytes, _) = one_page(&[&long]);
    assert!(bytes.len() < 4 << 20);
    h.write("long.parquet", bytes);
    h.refused_with("SELECT LENGTH(t) FROM FILE('long.parquet')", 1041, &["memory"]);
    let (bytes, _) = one_page(&[&long[..20 << 20], "x"]);
    h.write("long.parquet", bytes);
    assert_eq!(h.run("SELECT LENGTH(t) FROM FILE('long.parquet')"), "20971520\n1");
    crate::harness::await_memory(&h.sql);
}

#[test]
fn a_file_that_is_written_to_while_it_is_read_is_an_error_and_one_that_is_replaced_is_not_seen() {
    let mut h = House::new();
    let mut text = "n\n".to_owned();
    for n in 0..400_000 {
        text.push_str(&format!("{n:>20}\n"));
    }
    h.write("n.csv", &text);
    let open = |h: &mut House| {
        let query = "SELECT n FROM FILE('n.csv', columns => 'n VARCHAR(20)')";
        match h.session.query(query.as_bytes(), results::ExecutionMode::POOL).unwrap().0 {
            sql::Reply::Rows(stream) => stream,
            _ => panic!("rows"),
        }
    };
    // The reader stands still after a few batches; the rest is read later.
    let stream = open(&mut h);
    h.write("other.csv", "n\nother\n");
    fs::rename(h.path("other.csv"), h.path("n.csv")).unwrap();
    let read = crate::harness::lines(stream).unwrap();
    assert_eq!(read.lines().count(), 400_000);
    assert!(!read.contains("other"));
    h.write("n.csv", &text);
    let stream = open(&mut h);
    h.write("n.csv", text.replace('1', "2"));
    assert_eq!(crate::harness::lines(stream).unwrap_err().code().number(), 1024);
    h.write("n.csv", &text);
    let stream = open(&mut h);
    fs::write(h.path("n.csv"), "n\n").unwrap();
    assert_eq!(crate::harness::lines(stream).unwrap_err().code().number(), 1024);
}
