//! Compiles the parts that RocksDB wants in C++: its files, read from the page cache first, what
//! each table has in them, and iterators that are used again.

use std::path::Path;
use std::{env, process};

fn main() {
    const PARTS: [&str; 3] =
        ["src/internals/page_cache.cc", "src/internals/prefix_sizes.cc", "src/internals/spare.cc"];
    PARTS.iter().for_each(|part| println!("cargo:rerun-if-changed={part}"));
    let Some(crate_dir) = env::var_os("DEP_ROCKSDB_CARGO_MANIFEST_DIR") else {
        eprintln!("librocksdb-sys no longer tells where its headers are");
        process::exit(1);
    };
    cc::Build::new()
        .cpp(true)
        .std("c++20")
        .include(Path::new(&crate_dir).join("rocksdb/include"))
        // As RocksDB itself is compiled: what its classes look like depends on it.
        .define("NDEBUG", "1")
        .files(PARTS)
        .compile("rowhouse_rocks");
}
