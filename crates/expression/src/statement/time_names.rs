//! The names of months and days in the languages of `lc_time_names`.
//!
//! MySQL's own: `time_names.tsv` is what MySQL 9.7 answered (`scripts/time-names`), a language a
//! line in the order of its numbers.
//!
//! Not here: where they are shown (`functions::time`); STR_TO_DATE reads English ones alone, as
//! MySQL's does (`functions::time::parse`).

use std::sync::LazyLock;

/// Names of one language.
#[derive(Debug)]
pub struct TimeNames {
    /// The language, as `lc_time_names` says it.
    pub language: &'static str,
    /// Months.
    pub(crate) months: [&'static str; 12],
    /// Months, cut short.
    pub(crate) short_months: [&'static str; 12],
    /// Days of the week, from Monday.
    pub(crate) days: [&'static str; 7],
    /// Days of the week, cut short.
    pub(crate) short_days: [&'static str; 7],
}

static ALL: LazyLock<Vec<TimeNames>> =
    LazyLock::new(|| include_str!("time_names.tsv").lines().map(of_line).collect());

/// # Panics
/// For a line that is none.
fn of_line(line: &'static str) -> TimeNames {
    let mut fields = line.split('\t');
    let language = fields.next().unwrap_or_default();
    let mut next = || fields.next().unwrap_or_default();
    TimeNames {
        language,
        months: list(next()),
        short_months: list(next()),
        days: list(next()),
        short_days: list(next()),
    }
}

fn list<const N: usize>(names: &'static str) -> [&'static str; N] {
    let names: Vec<&str> = names.split(',').collect();
    names.try_into().expect("the table has all names")
}

impl TimeNames {
    /// Those of en_US.
    pub fn english() -> &'static TimeNames {
        &ALL[0]
    }

    /// Those of a language by its name, without regard to case, or by its number.
    pub fn find(language: &str) -> Option<&'static TimeNames> {
        match language.parse::<usize>() {
            Ok(number) => ALL.get(number),
            Err(_) => ALL.iter().find(|names| names.language.eq_ignore_ascii_case(language)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_all_names() {
        assert_eq!(ALL.len(), 111);
        assert_eq!(TimeNames::english().language, "en_US");
        let german = TimeNames::find("DE_de").expect("German");
        assert_eq!((german.months[2], german.short_days[6]), ("März", "So"));
        assert_eq!(TimeNames::find("4").map(|names| names.language), Some("de_DE"));
        assert!(TimeNames::find("111").is_none() && TimeNames::find("xx_XX").is_none());
    }
}
