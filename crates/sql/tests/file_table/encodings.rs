//! Parquet in every encoding, beside a table with the same rows: by words or not, a file answers as
//! the table does.

use std::sync::Arc;

use ::parquet::arrow::ArrowWriter;
use ::parquet::basic::{Compression, Encoding};
use ::parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use arrow::array::{ArrayRef, Date32Array, Float64Array, Int32Array, RecordBatch, StringArray};

use super::house::House;

const ROWS: i32 = 30_000;

/// Texts that are equal to others but for their case, that are NULL, and that are empty.
fn word(row: i32) -> Option<String> {
    match row % 13 {
        0 => None,
        1 => Some(String::new()),
        2 | 3 => Some("Straße".to_owned()),
        4 => Some("STRASSE".to_owned()),
        5 => Some("strasse".to_owned()),
        other if row % 2 == 0 => Some(format!("Word {other}")),
        other => Some(format!("wORD {other}")),
    }
}

/// Many, long and short.
fn town(row: i32) -> Option<String> {
    let number = row.wrapping_mul(7919).rem_euclid(ROWS / 25);
    (number != 17).then(|| format!("Town number {number} of the county"))
}

fn batch() -> RecordBatch {
    let rows = 0..ROWS;
    let columns: [(&str, ArrayRef); 5] = [
        ("id", Arc::new(rows.clone().collect::<Int32Array>())),
        ("word", Arc::new(rows.clone().map(word).collect::<StringArray>())),
        ("town", Arc::new(rows.clone().map(town).collect::<StringArray>())),
        (
            "x",
            Arc::new(
                rows.clone()
                    .map(|row| (row % 11 != 5).then(|| f64::from(row % 97) / 8.0))
                    .collect::<Float64Array>(),
            ),
        ),
        (
            "d",
            Arc::new(
                rows.map(|row| (row % 17 != 4).then(|| 18_000 + row % 400))
                    .collect::<Date32Array>(),
            ),
        ),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| (name, array, true)))
        .unwrap()
}

fn write(h: &House, name: &str, properties: WriterProperties) {
    let file = std::fs::File::create(h.path(name)).unwrap();
    let batch = batch();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

fn properties() -> ::parquet::file::properties::WriterPropertiesBuilder {
    WriterProperties::builder().set_max_row_group_row_count(Some(7_001))
}

/// The same rows in files of each encoding.
fn files(h: &House) -> Vec<&'static str> {
    let all: [(&str, WriterProperties); 8] = [
        ("words.parquet", properties().set_compression(Compression::SNAPPY).build()),
        (
            "words2.parquet",
            properties()
                .set_writer_version(WriterVersion::PARQUET_2_0)
                .set_data_page_row_count_limit(1_000)
                .build(),
        ),
        ("one_group.parquet", WriterProperties::builder().build()),
        (
            "plain.parquet",
            properties().set_dictionary_enabled(false).set_encoding(Encoding::PLAIN).build(),
        ),
        (
            "differences.parquet",
            properties()
                .set_dictionary_enabled(false)
                .set_column_encoding("id".into(), Encoding::DELTA_BINARY_PACKED)
                .set_column_encoding("word".into(), Encoding::DELTA_BYTE_ARRAY)
                .set_column_encoding("town".into(), Encoding::DELTA_LENGTH_BYTE_ARRAY)
                .set_column_encoding("x".into(), Encoding::BYTE_STREAM_SPLIT)
                .build(),
        ),
        // The dictionary of the towns becomes too large within each row group.
        (
            "overflow.parquet",
            properties()
                .set_dictionary_page_size_limit(8 << 10)
                .set_data_page_row_count_limit(500)
                .set_write_batch_size(100)
                .build(),
        ),
        (
            "no_statistics.parquet",
            properties().set_statistics_enabled(EnabledStatistics::None).build(),
        ),
        (
            "half.parquet",
            properties()
                .set_column_dictionary_enabled("town".into(), false)
                .set_data_page_row_count_limit(333)
                .build(),
        ),
    ];
    all.map(|(name, properties)| {
        write(h, name, properties);
        name
    })
    .to_vec()
}

const QUESTIONS: [&str; 24] = [
    "SELECT COUNT(*) FROM {t} WHERE word = 'strasse'",
    "SELECT COUNT(*) FROM {t} WHERE word <> 'STRASSE'",
    "SELECT COUNT(*) FROM {t} WHERE word IN ('word 6', 'Word 7', '')",
    "SELECT COUNT(*) FROM {t} WHERE word NOT IN ('word 6', 'Word 7')",
    "SELECT COUNT(*), SUM(x) FROM {t} WHERE town LIKE '%99%' AND word LIKE 'word%'",
    "SELECT COUNT(*) FROM {t} WHERE word BETWEEN 'a' AND 'word 8' AND x > 3",
    "SELECT COUNT(*) FROM {t} WHERE word < 'T' OR town > 'town number 9'",
    "SELECT COUNT(*) FROM {t} WHERE word IS NULL",
    "SELECT COUNT(*) FROM {t} WHERE word IS NULL OR word = ''",
    "SELECT COUNT(*) FROM {t} WHERE NOT (word = 'strasse') AND town IS NOT NULL",
    "SELECT COUNT(*) FROM {t} WHERE UPPER(word) = 'WORD 9' AND LENGTH(town) > 26",
    "SELECT LOWER(word) w, COUNT(*), ROUND(AVG(x), 6), MIN(d) FROM {t} GROUP BY word ORDER BY w",
    "SELECT town, COUNT(*), SUM(id) FROM {t} GROUP BY town ORDER BY town",
    "SELECT LOWER(word) w, town, COUNT(*), ROUND(SUM(x), 3) FROM {t} WHERE id < 20000 \
     GROUP BY word, town ORDER BY w, town",
    "SELECT COUNT(DISTINCT word), COUNT(DISTINCT town), COUNT(DISTINCT d) FROM {t}",
    "SELECT COUNT(DISTINCT town) FROM {t}",
    "SELECT LOWER(word) w, COUNT(DISTINCT town) FROM {t} GROUP BY word ORDER BY w",
    "SELECT d, COUNT(*) FROM {t} WHERE word = 'word 10' GROUP BY d ORDER BY d",
    "SELECT d, LOWER(word) w, MAX(x) FROM {t} GROUP BY d, word ORDER BY d, w",
    "SELECT LOWER(word) w, MAX(town), COUNT(x) FROM {t} WHERE d > '2019-06-01' GROUP BY word ORDER BY w",
    "SELECT SUM(id), COUNT(town) FROM {t} WHERE id BETWEEN 6000 AND 14500",
    "SELECT id, LOWER(word), town, x, d FROM {t} WHERE id % 997 = 3 ORDER BY id",
    "SELECT LOWER(a.word) w, COUNT(*) FROM {t} a JOIN {t} b ON a.id = b.id + 1 AND a.word = b.word \
     GROUP BY a.word ORDER BY w",
    "SELECT COUNT(*) FROM {t} WHERE word COLLATE utf8mb4_bin = 'strasse'",
];

#[test]
fn files_of_every_encoding_answer_as_a_table_does() {
    let mut h = House::new();
    let files = files(&h);
    h.run(
        "CREATE TABLE t (id INT PRIMARY KEY, word TEXT COLLATE utf8mb4_general_ci, \
         town TEXT COLLATE utf8mb4_general_ci, x DOUBLE, d DATE)",
    );
    h.run("INSERT INTO t SELECT * FROM FILE('plain.parquet')");
    // What the table has is what was written.
    assert_eq!(h.run("SELECT word, town, x, d FROM t WHERE id = 8"), {
        format!("{}\t{}\t1\t2019-04-22", word(8).unwrap(), town(8).unwrap())
    });
    for question in QUESTIONS {
        let expected = h.run(&question.replace("{t}", "t"));
        assert!(!expected.is_empty(), "{question}");
        for file in &files {
            let text = question.replace("{t}", &format!("FILE('{file}')"));
            assert!(h.run(&text) == expected, "{text}\n{}\n{expected}", h.run(&text));
        }
    }
    crate::harness::await_memory(&h.sql);
}

#[test]
fn texts_are_grouped_where_they_are_decoded() {
    let mut h = House::new();
    files(&h);
    let mut plan = |file: &str, text: &str| {
        h.run(&format!("EXPLAIN {}", text.replace("{t}", &format!("FILE('{file}')"))))
    };
    let grouped = "SELECT word, AVG(x) FROM {t} WHERE town = 'x' GROUP BY word";
    assert!(plan("words.parquet", grouped).contains("GroupScan"));
    let plain = plan("plain.parquet", grouped);
    assert!(!plain.contains("GroupScan"), "{plain}");
    let distinct = "SELECT COUNT(DISTINCT town) FROM {t}";
    assert!(plan("words.parquet", distinct).contains("Scan: gby"));
    // Of dates it takes statistics to know that they are few.
    let dates = "SELECT d, COUNT(*) FROM {t} GROUP BY d";
    assert!(plan("plain.parquet", dates).contains("GroupScan"));
    assert!(!plan("no_statistics.parquet", dates).contains("GroupScan"));
}

#[test]
fn pages_whose_index_says_that_no_row_is_wanted_are_not_read() {
    let mut h = House::new();
    files(&h);
    let mut shown = |file: &str, condition: &str| {
        let from = format!("FROM FILE('{file}') WHERE {condition}");
        let plan = h.run(&format!("EXPLAIN SELECT SUM(x) {from}"));
        (plan, h.run(&format!("SELECT COUNT(*), MIN(id), MAX(id) {from}")))
    };
    // Pages of 1,000 rows in groups of 7,001.
    for (condition, in_part, expected) in [
        ("id = 8500", "1 of 5 row groups, 1 of them in part", "1\t8500\t8500"),
        ("id BETWEEN 6998 AND 9000", "2 of 5 row groups, 2 of them in part", "2003\t6998\t9000"),
        ("id IN (3, 29999)", "2 of 5 row groups, 2 of them in part", "2\t3\t29999"),
        ("id < 20 AND word = 'strasse'", "1 of 5 row groups, 1 of them in part", "4\t4\t18"),
        ("id < 2 AND d > '2019-04-14'", "1 of 5 row groups, 1 of them in part", "1\t1\t1"),
    ] {
        let (plan, found) = shown("words2.parquet", condition);
        assert!(plan.contains(in_part), "{condition}\n{plan}");
        assert_eq!(found, expected, "{condition}");
    }
    // All pages may have some.
    let (plan, found) = shown("words2.parquet", "d > '2019-05-01'");
    assert!(!plan.contains("in part") && !found.is_empty(), "{plan}");
    let (plan, found) = shown("no_statistics.parquet", "id = 8500");
    assert!(plan.contains("5 of 5 row groups") && !plan.contains("in part"), "{plan}");
    assert_eq!(found, "1\t8500\t8500");
}
