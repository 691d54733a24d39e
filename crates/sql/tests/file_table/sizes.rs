//! Parquet files that say they have more than they have, or become much more than they are: what a
//! statement reads of them stays within its memory.

use std::sync::Arc;

use ::parquet::arrow::ArrowWriter;
use ::parquet::basic::{Compression, Encoding};
use ::parquet::data_type::FixedLenByteArrayType;
use ::parquet::file::properties::{WriterProperties, WriterPropertiesBuilder, WriterVersion};
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::parser::parse_message_type;
use arrow::array::{ArrayRef, Int32Array, ListArray, RecordBatch, StringArray};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{DataType, Field};
use rows::EngineOptions;

use super::house::House;

/// A server whose statements may use 48 MiB each.
fn small_house() -> House {
    House::of(EngineOptions { client_bytes: 64 << 20, ..EngineOptions::default() })
}

fn file_of(column: ArrayRef, properties: WriterPropertiesBuilder) -> Vec<u8> {
    let batch = RecordBatch::try_from_iter_with_nullable([("c", column, true)]).unwrap();
    let properties = properties.set_dictionary_enabled(false).build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

/// Where numbers begin that are told by differences, in blocks of 128 with four miniblocks each:
/// after this stands how many they are.
const DIFFERENCES: [u8; 3] = [0x80, 0x01, 0x04];

#[test]
fn a_page_of_differences_that_says_it_has_far_more_values_than_its_header_is_refused() {
    let mut h = small_house();
    let texts = ["aqYz72", "bx0Rw9kkL2", "bx0Rv4Qp51mZ", "cT8"];
    let texts: ArrayRef = Arc::new(StringArray::from_iter_values(texts));
    let numbers: ArrayRef = Arc::new(Int32Array::from(vec![7_813, 99_441_207, 5, -1_630_441_922]));
    let expected_texts = "aqYz72\nbx0Rw9kkL2\nbx0Rv4Qp51mZ\ncT8";
    let expected_numbers = "7813\n99441207\n5\n-1630441922";
    for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
        for (encoding, column, expected, counts) in [
            (Encoding::DELTA_BYTE_ARRAY, &texts, expected_texts, 2),
            (Encoding::DELTA_LENGTH_BYTE_ARRAY, &texts, expected_texts, 1),
            (Encoding::DELTA_BINARY_PACKED, &numbers, expected_numbers, 1),
        ] {
            // Of so few bytes nothing is saved: most stand as they are in what is compressed.
            for compression in [Compression::UNCOMPRESSED, Compression::SNAPPY] {
                let properties = WriterProperties::builder().set_writer_version(version);
                let properties = properties.set_encoding(encoding).set_compression(compression);
                let good = file_of(Arc::clone(column), properties);
                h.write("d.parquet", &good);
                assert_eq!(h.run("SELECT c FROM FILE('d.parquet')"), expected);
                let places = (0..good.len() - 3).filter(|at| good[*at..].starts_with(&DIFFERENCES));
                let places: Vec<usize> = places.map(|at| at + DIFFERENCES.len()).collect();
                // What comes a second time may be said by where the first is.
                let all =
                    if compression == Compression::SNAPPY { 1..=counts } else { counts..=counts };
                assert!(all.contains(&places.len()), "{encoding} {compression}");
                for at in places {
                    let mut bad = good.clone();
                    // 2^28, of which the last byte makes the first value something else.
                    assert_eq!(bad[at], 4);
                    bad[at..at + 5].copy_from_slice(&[0x80, 0x80, 0x80, 0x80, 0x01]);
                    h.write("d.parquet", &bad);
                    let text = "SELECT c FROM FILE('d.parquet')";
                    h.refused_with(text, 3000, &["d.parquet", "a page of differences"]);
                }
            }
        }
    }
    crate::harness::await_memory(&h.sql);
}

#[test]
fn texts_that_begin_as_the_one_before_are_counted_written_out() {
    let mut h = small_house();
    let write = |h: &House, rows: usize| {
        let text = |row| format!("{}{row}", "the same ".repeat(2000));
        let texts: ArrayRef = Arc::new(StringArray::from_iter_values((0..rows).map(text)));
        let properties = WriterProperties::builder().set_encoding(Encoding::DELTA_BYTE_ARRAY);
        let bytes = file_of(texts, properties);
        assert!(bytes.len() < 200_000);
        h.write("texts.parquet", bytes);
    };
    let text = "SELECT COUNT(*), SUM(LENGTH(c)), MAX(RIGHT(c, 6)) FROM FILE('texts.parquet')";
    write(&h, 1000);
    assert_eq!(h.run(text), "1000\t18002890\tsame 9");
    write(&h, 4000);
    h.refused_with(text, 1041, &["memory"]);
    crate::harness::await_memory(&h.sql);
}

#[test]
fn long_texts_are_read_a_few_rows_at_a_time() {
    let mut h = small_house();
    let text = |row| format!("{row} {}", "long ".repeat(200_000));
    let texts: ArrayRef = Arc::new(StringArray::from_iter_values((0..100).map(text)));
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_data_page_row_count_limit(1)
        .set_write_batch_size(1);
    h.write("long.parquet", file_of(texts, properties));
    // 100 pages of a MB each.
    let found = h.run("SELECT COUNT(*), SUM(LENGTH(c)) FROM FILE('long.parquet')");
    assert_eq!(found, "100\t100000290");
    crate::harness::await_memory(&h.sql);
}

#[test]
fn a_row_of_millions_of_values_is_counted() {
    let mut h = small_house();
    let list = |values: i32| -> ArrayRef {
        let field = Arc::new(Field::new_list_field(DataType::Int32, true));
        let nulls = Arc::new(Int32Array::new_null(values as usize));
        let offsets = OffsetBuffer::new(vec![0, values].into());
        Arc::new(ListArray::new(field, offsets, nulls, None))
    };
    let text = "SELECT COUNT(*), MAX(JSON_LENGTH(c)) FROM FILE('list.parquet')";
    h.write("list.parquet", file_of(list(100_000), WriterProperties::builder()));
    assert_eq!(h.run(text), "1\t100000");
    let bytes = file_of(list(4_000_000), WriterProperties::builder());
    assert!(bytes.len() < 2000);
    h.write("list.parquet", bytes);
    h.refused_with(text, 1041, &["memory"]);
    crate::harness::await_memory(&h.sql);
}

/// A file of NULLs that would be of a fixed size.
fn fixed_nulls(value_bytes: u32, rows: usize) -> Vec<u8> {
    let message = format!("message m {{ optional fixed_len_byte_array({value_bytes}) c; }}");
    let schema = Arc::new(parse_message_type(&message).unwrap());
    let mut bytes = Vec::new();
    let properties = Arc::new(WriterProperties::default());
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, properties).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    let levels = vec![0; rows];
    let typed = column.typed::<FixedLenByteArrayType>();
    assert_eq!(typed.write_batch(&[], Some(&levels), None).unwrap(), 0);
    column.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
    bytes
}

#[test]
fn values_of_a_fixed_size_are_counted_before_there_is_room_for_them() {
    let mut h = small_house();
    let text = "SELECT COUNT(*), COUNT(c), MAX(LENGTH(c)) FROM FILE('fixed.parquet')";
    h.write("fixed.parquet", fixed_nulls(1 << 20, 300));
    assert_eq!(h.run(text), "300\t0\tNULL");
    // What 8,192 of these would take is more than any machine has.
    h.write("fixed.parquet", fixed_nulls(i32::MAX as u32, 20_000));
    h.refused_with(text, 1041, &["memory"]);
    crate::harness::await_memory(&h.sql);
}
