//! Between which numbers the values of system variables lie: one beyond is taken as the bound, with
//! a warning, as MySQL does. Bounds are those of MySQL 9.7 (`performance_schema.variables_info`),
//! but for what only we have.
//!
//! Not here: other values that a variable cannot have (`variables`).

use super::names::{Definition, Kind};

/// Bytes that `max_allowed_packet` is counted in.
const PACKET_BLOCK: u64 = 1024;

/// The bounds, sorted by name. Others hold any number.
static BOUNDS: [(&str, u64, u64); 54] = [
    ("auto_increment_increment", 1, u16::MAX as u64),
    ("auto_increment_offset", 1, u16::MAX as u64),
    ("connect_timeout", 2, 31_536_000),
    ("cte_max_recursion_depth", 0, u32::MAX as u64),
    ("default_password_lifetime", 0, u16::MAX as u64),
    ("default_week_format", 0, 7),
    ("div_precision_increment", 0, 30),
    ("eq_range_index_dive_limit", 0, u32::MAX as u64),
    ("generated_random_password_length", 5, 255),
    ("group_concat_max_len", 4, u64::MAX),
    ("information_schema_stats_expiry", 0, 31_536_000),
    ("innodb_buffer_pool_size", 5 << 20, i64::MAX as u64),
    ("innodb_flush_log_at_trx_commit", 0, 2),
    ("innodb_lock_wait_timeout", 1, 1 << 30),
    ("interactive_timeout", 1, 31_536_000),
    ("join_buffer_size", 128, u64::MAX),
    ("lock_wait_timeout", 1, 31_536_000),
    ("long_query_time", 0, 31_536_000),
    ("max_allowed_packet", PACKET_BLOCK, 1 << 30),
    ("max_connect_errors", 1, u64::MAX),
    ("max_error_count", 0, u16::MAX as u64),
    ("max_heap_table_size", 16_384, u64::MAX),
    ("max_join_size", 1, u64::MAX),
    ("max_length_for_sort_data", 4, 8 << 20),
    ("max_prepared_stmt_count", 0, 4 << 20),
    ("max_sort_length", 4, 8 << 20),
    ("max_user_connections", 0, u32::MAX as u64),
    ("myisam_sort_buffer_size", 4096, u64::MAX),
    ("net_buffer_length", 1024, 1 << 20),
    ("net_read_timeout", 1, 31_536_000),
    ("net_retry_count", 1, u64::MAX),
    ("net_write_timeout", 1, 31_536_000),
    ("optimizer_prune_level", 0, 1),
    ("optimizer_search_depth", 0, 62),
    ("password_history", 0, u32::MAX as u64),
    ("password_reuse_interval", 0, u32::MAX as u64),
    ("preload_buffer_size", 1024, 1 << 30),
    ("profiling_history_size", 0, 100),
    ("progress_report_time", 0, u32::MAX as u64),
    ("pseudo_thread_id", 0, u32::MAX as u64),
    ("query_alloc_block_size", 1024, 4_294_966_272),
    ("query_prealloc_size", 8192, u64::MAX),
    ("read_buffer_size", 8192, 2_147_479_552),
    ("read_rnd_buffer_size", 1, i32::MAX as u64),
    ("server_id", 0, u32::MAX as u64),
    ("sort_buffer_size", 32_768, u64::MAX),
    ("sql_slave_skip_counter", 0, u32::MAX as u64),
    ("table_definition_cache", 400, 524_288),
    ("table_open_cache", 1, 524_288),
    ("thread_cache_size", 0, 16_384),
    ("tmp_table_size", 1024, u64::MAX),
    ("transaction_alloc_block_size", 1024, 131_072),
    ("transaction_prealloc_size", 1024, 131_072),
    ("wait_timeout", 1, 31_536_000),
];

/// The bounds of a variable; `None` for what is no number.
pub fn bounds(definition: &Definition) -> Option<(u64, u64)> {
    matches!(definition.kind, Kind::Number | Kind::Fraction).then(|| bounds_of(definition.name))
}

fn bounds_of(name: &str) -> (u64, u64) {
    let at = BOUNDS.binary_search_by(|(known, ..)| (*known).cmp(name));
    at.map_or((0, u64::MAX), |at| (BOUNDS[at].1, BOUNDS[at].2))
}

/// The number that is taken in the place of one that is beyond the bounds of its variable; `None`
/// where it is within, or no number.
pub fn bounded(name: &str, text: &str) -> Option<String> {
    let (least, most) = bounds_of(name);
    let within = match text.parse::<i128>() {
        Ok(number) => {
            let within = number.clamp(i128::from(least), i128::from(most)) as u64;
            let within = match name {
                "max_allowed_packet" => within / PACKET_BLOCK * PACKET_BLOCK,
                _ => within,
            };
            (i128::from(within) != number).then_some(within)
        }
        Err(_) => {
            let number = text.parse::<f64>().ok()?;
            let within = number.clamp(least as f64, most as f64);
            (within != number).then_some(within as u64)
        }
    };
    within.map(|number| number.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variables::definition;

    #[test]
    fn bounds_are_sorted_and_of_variables_whose_defaults_they_hold() {
        assert!(BOUNDS.is_sorted_by_key(|(name, ..)| *name));
        for (name, ..) in &BOUNDS {
            let known = definition(name).unwrap_or_else(|| panic!("{name}"));
            assert_eq!(bounded(name, known.default), None, "{name}");
        }
    }

    #[test]
    fn what_is_beyond_is_the_bound() {
        for (name, text, expected) in [
            ("max_error_count", "65536", Some("65535")),
            ("max_error_count", "-1", Some("0")),
            ("max_error_count", "65535", None),
            ("long_query_time", "-0.5", Some("0")),
            ("long_query_time", "0.25", None),
            ("max_allowed_packet", "2049", Some("2048")),
            ("sql_select_limit", "-1", Some("0")),
            ("max_error_count", "x", None),
        ] {
            assert_eq!(bounded(name, text).as_deref(), expected, "{name} {text}");
        }
    }
}
