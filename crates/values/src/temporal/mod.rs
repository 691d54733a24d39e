//! DATE, TIME, DATETIME and TIMESTAMP: their values, their calendar, their text.

mod calendar;
mod date;
mod datetime;
mod fraction;
mod parse;
mod parse_time;
mod system_zone;
#[cfg(test)]
mod tests;
mod time;
mod timestamp;
mod zone;

pub use calendar::{days_from_civil, days_in_month};
pub use date::Date;
pub use datetime::DateTime;
pub use fraction::Fraction;
pub(crate) use parse::{NotRead, read_datetime_or_why};
pub use parse::{ReadDateTime, number_to_bound, number_to_datetime, read_bound, read_datetime};
pub(crate) use parse_time::read_time_or_why;
pub use parse_time::{ReadTime, number_to_time, read_time};
pub use time::Time;
pub use timestamp::Timestamp;
pub use zone::Zone;
