//! Functions of days and times, and the intervals between them.

pub(crate) mod calls;
pub(crate) mod carried;
pub(crate) mod digits;
pub(crate) mod format;
pub(crate) mod parse;
pub(crate) mod rounded;
pub(crate) mod sum;
pub(crate) mod year;
