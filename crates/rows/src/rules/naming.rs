//! Names of columns in the texts of rules.
//!
//! A text has every name in backticks, a backtick in one doubled, and strings in single quotes,
//! whose backslashes and quotes are doubled (crate `syntax`, `rule`); so names are found without a
//! grammar.
//!
//! Not here: what names mean.

use crate::partitioning::{PartitionedBy, Partitioning};
use crate::schema::{ComputedColumn, DefaultValue, TableDefinition};

impl TableDefinition {
    /// Lets rules call a column by its new name.
    pub(crate) fn rename_in_rules(&mut self, from: &str, to: &str) {
        let rename = |text: &mut String| *text = renamed(text, from, to);
        for column in &mut self.columns {
            if let Some(computed) = &mut column.computed {
                rename(&mut computed.expression);
            }
            if let DefaultValue::Expression(text) = &mut column.default {
                rename(text);
            }
        }
        self.checks.iter_mut().for_each(|check| rename(&mut check.condition));
        for by in self.partitioning.iter_mut().flat_map(Partitioning::all_by_mut) {
            match by {
                PartitionedBy::Expression(text) => rename(text),
                PartitionedBy::Columns(names) => {
                    for name in names.iter_mut().filter(|name| name.eq_ignore_ascii_case(from)) {
                        *name = to.to_owned();
                    }
                }
            }
        }
    }
}

impl ComputedColumn {
    /// Whether its expression names this column.
    pub(crate) fn names(&self, column: &str) -> bool {
        // Under another name it would read otherwise.
        renamed(&self.expression, column, &format!("{column} ")) != self.expression
    }
}

/// The columns that a text names, in its order; one that it names twice is there twice.
pub fn names_in(text: &str) -> Vec<String> {
    let (mut names, mut rest) = (Vec::new(), text);
    while let Some(start) = rest.find(['`', '\'']) {
        let (token, behind) = rest[start..].split_at(end_of_quoted(&rest[start..]));
        let name = token.strip_prefix('`').and_then(|name| name.strip_suffix('`'));
        names.extend(name.map(|name| name.replace("``", "`")));
        rest = behind;
    }
    names
}

/// A text with another name for a column; compared without regard to case.
fn renamed(text: &str, from: &str, to: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(['`', '\'']) {
        let (before, quoted) = rest.split_at(start);
        out.push_str(before);
        let end = end_of_quoted(quoted);
        let (token, behind) = quoted.split_at(end);
        let name = token.strip_prefix('`').and_then(|name| name.strip_suffix('`'));
        match name.map(|name| name.replace("``", "`")) {
            Some(name) if name.eq_ignore_ascii_case(from) => {
                out.push_str(&format!("`{}`", to.replace('`', "``")));
            }
            _ => out.push_str(token),
        }
        rest = behind;
    }
    out.push_str(rest);
    out
}

/// Where what a text begins with in quotes ends.
fn end_of_quoted(text: &str) -> usize {
    let bytes = text.as_bytes();
    let quote = bytes[0];
    let mut at = 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if quote == b'\'' => at += 2,
            byte if byte == quote && bytes.get(at + 1) == Some(&quote) => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::{names_in, renamed};

    #[test]
    fn strings_are_no_names() {
        let names = names_in(r"`a` > 1 AND `x``y` <> '`c` it''s \\' OR `A`");
        assert_eq!(names, ["a", "x`y", "A"]);
        assert!(names_in("'`a`'").is_empty());
    }

    #[test]
    fn names_are_renamed_and_strings_stay() {
        let text = r"`a` > 1 AND `b` <> '`a` it''s \\' OR `A`";
        assert_eq!(renamed(text, "a", "x`y"), r"`x``y` > 1 AND `b` <> '`a` it''s \\' OR `x``y`");
        assert_eq!(renamed(text, "c", "d"), text);
        assert_eq!(renamed("`od``d` + 1", "od`d", "e"), "`e` + 1");
        assert_eq!(renamed("'\\'` a` ' + `a`", "a", "b"), "'\\'` a` ' + `b`");
        assert_eq!(renamed("`a", "a", "b"), "`a");
    }
}
