//! `log_output`: where the slow log and the general log go.
//!
//! Invariants
//! 1. NONE silences the other two, whatever stands beside it, as in MySQL.

/// Words of `log_output`, each with its number among several.
const WORDS: [(&str, u8); 3] = [("NONE", 1), ("FILE", 2), ("TABLE", 4)];

/// Where statements are logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogOutput(u8);

impl Default for LogOutput {
    fn default() -> LogOutput {
        LogOutput::FILE
    }
}

impl LogOutput {
    /// Files alone.
    pub const FILE: LogOutput = LogOutput(2);

    /// The output of a list of words, or of the sum of their numbers.
    pub fn of(text: &str) -> Option<LogOutput> {
        if let Ok(number) = text.parse::<u8>() {
            return (1..8).contains(&number).then_some(LogOutput(number));
        }
        let number = |word: &str| {
            let known = WORDS.iter().find(|(name, _)| name.eq_ignore_ascii_case(word.trim()));
            known.map(|(_, number)| *number)
        };
        text.split(',').try_fold(0, |sum, word| Some(sum | number(word)?)).map(LogOutput)
    }

    /// The output that `number` gave.
    pub fn of_number(number: u8) -> LogOutput {
        LogOutput(number)
    }

    /// As a number, for an atomic.
    pub fn number(self) -> u8 {
        self.0
    }

    /// Whether files are written.
    pub fn has_files(self) -> bool {
        self.0 & 3 == 2
    }

    /// Whether the tables `mysql.slow_log` and `mysql.general_log` are.
    pub fn has_tables(self) -> bool {
        self.0 & 5 == 4
    }
}

impl std::fmt::Display for LogOutput {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let said = WORDS.iter().filter(|(_, number)| self.0 & number != 0);
        formatter.write_str(&said.map(|(word, _)| *word).collect::<Vec<_>>().join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_numbers_are_mysqls() {
        let shown = |text: &str| LogOutput::of(text).map(|output| output.to_string());
        for (text, expected) in [
            ("TABLE,NONE", Some("NONE,TABLE")),
            ("file, table", Some("FILE,TABLE")),
            ("6", Some("FILE,TABLE")),
            ("0", None),
            ("8", None),
            ("", None),
            ("foo", None),
        ] {
            assert_eq!(shown(text).as_deref(), expected, "{text}");
        }
        let goes = |text: &str| LogOutput::of(text).map(|o| (o.has_files(), o.has_tables()));
        assert_eq!(goes("FILE"), Some((true, false)));
        assert_eq!(goes("TABLE"), Some((false, true)));
        assert_eq!(goes("FILE,TABLE"), Some((true, true)));
        assert_eq!(goes("NONE,TABLE,FILE"), Some((false, false)));
    }
}
