//! A bound on the lines that clients can make the server log: so many a second of each kind.
//!
//! Not here: what is logged.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

/// Lets so many lines a second through, and counts the others.
#[derive(Debug)]
pub struct LogRate {
    lines_max: u64,
    second: AtomicI64,
    told: AtomicU64,
    kept_back: AtomicU64,
}

impl Default for LogRate {
    /// One line a second.
    fn default() -> LogRate {
        LogRate::of(1)
    }
}

impl LogRate {
    /// So many lines a second.
    pub const fn of(lines_max: u64) -> LogRate {
        LogRate {
            lines_max,
            second: AtomicI64::new(0),
            told: AtomicU64::new(0),
            kept_back: AtomicU64::new(0),
        }
    }

    /// How many were kept back before this line; `None`: so is this one.
    pub fn tell(&self) -> Option<u64> {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        self.tell_in(since.map_or(0, |since| since.as_secs() as i64))
    }

    fn tell_in(&self, second: i64) -> Option<u64> {
        if self.second.swap(second, Ordering::Relaxed) != second {
            self.told.store(0, Ordering::Relaxed);
        }
        if self.told.fetch_add(1, Ordering::Relaxed) >= self.lines_max {
            self.kept_back.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        Some(self.kept_back.swap(0, Ordering::Relaxed))
    }
}

/// A client's bytes as a line shows them: they can neither end it nor change how it looks, and are cut.
pub fn shown(bytes: &[u8], bytes_max: usize) -> String {
    let cut = &bytes[..bytes.len().min(bytes_max)];
    let mut text = String::with_capacity(cut.len());
    for letter in String::from_utf8_lossy(cut).chars() {
        match letter {
            '\t' => text.push('\t'),
            // Line and paragraph separators are none of `is_control`.
            '\u{2028}' | '\u{2029}' => text.extend(letter.escape_unicode()),
            _ if letter.is_control() => text.extend(letter.escape_default()),
            _ => text.push(letter),
        }
    }
    if cut.len() < bytes.len() {
        text.push_str("...");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_a_second_is_told_with_how_many_were_not() {
        let rate = LogRate::default();
        let told: Vec<_> = [7, 7, 7, 8, 8, 10].into_iter().map(|at| rate.tell_in(at)).collect();
        assert_eq!(told, [Some(0), None, None, Some(2), None, Some(1)]);
        let rate = LogRate::of(2);
        let told: Vec<_> = [7, 7, 7, 8].into_iter().map(|at| rate.tell_in(at)).collect();
        assert_eq!(told, [Some(0), Some(0), None, Some(1)]);
    }

    #[test]
    fn a_clients_bytes_made_lines_of_their_own() {
        let forged = b"x\n2026-01-01 ERROR all is lost\r\x1b[2J\xff\t\xe2\x80\xa8";
        assert_eq!(
            shown(forged, 100),
            "x\\n2026-01-01 ERROR all is lost\\r\\u{1b}[2J\u{fffd}\t\\u{2028}"
        );
        assert_eq!(shown(b"abcdef", 3), "abc...");
    }
}
