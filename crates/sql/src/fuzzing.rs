//! The decoders of this crate for its fuzz targets, which are another package.
//!
//! Not here: what must hold (package `fuzz`). Nothing else may use this.

pub use crate::load::lines::Splitter;
pub use crate::mode::SqlMode;
pub use crate::parse::cursor::Cursor;
pub use crate::parse::load::Format;
pub use crate::parse::statement::statement;
pub use crate::scan::{Literal, Scanned};
