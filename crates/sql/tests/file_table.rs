//! Files as tables: `FILE('...')`, and INTO OUTFILE ... FORMAT PARQUET.

#[path = "file_table/encodings.rs"]
mod encodings;
#[path = "file_table/hostile.rs"]
mod hostile;
#[path = "file_table/house.rs"]
mod house;
#[path = "file_table/parquet.rs"]
mod parquet;
#[path = "file_table/sizes.rs"]
mod sizes;
#[path = "file_table/text.rs"]
mod text;
