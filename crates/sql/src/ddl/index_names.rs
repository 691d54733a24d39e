//! The names of indexes in an ALTER TABLE: each part means those that the table has before all of
//! them, in whatever order the parts are written.
//!
//! ```sql
//! ALTER TABLE t RENAME INDEX a TO b, RENAME INDEX b TO a
//! ALTER TABLE t ADD INDEX a (y), DROP INDEX a
//! ```
//!
//! Invariants
//! 1. An index whose name another one takes gets a name in between first, which no statement can
//!    say.
//!
//! Not here: names of columns (`alter`), names that are not there (`names_before`).

use rows::alter::Alteration;
use rows::table::Table;

/// Makes alterations, which are done one after another, mean the names from before all of them.
pub fn of_the_names_before(table: &Table, mut alterations: Vec<Alteration>) -> Vec<Alteration> {
    let mut between = Vec::new();
    for at in 0..alterations.len() {
        let is_rename = matches!(alterations[at], Alteration::RenameIndex { .. });
        let Some(name) = freed_name(&alterations[at]).map(str::to_owned) else { continue };
        let takes = |(other, alteration): (usize, &Alteration)| {
            // What is dropped is gone for the parts behind.
            let is_too_early = other < at || (is_rename && other > at);
            is_too_early
                && taken_name(alteration).is_some_and(|taken| taken.eq_ignore_ascii_case(&name))
        };
        if !table.has_index_named(&name) || !alterations.iter().enumerate().any(takes) {
            continue;
        }
        let to = format!("{name}\u{1}");
        if let Alteration::RenameIndex { from, .. } | Alteration::DropIndex(from) =
            &mut alterations[at]
        {
            from.clone_from(&to);
        }
        between.push(Alteration::RenameIndex { from: name, to });
    }
    between.append(&mut alterations);
    between
}

/// The name that an index has no longer.
fn freed_name(alteration: &Alteration) -> Option<&str> {
    match alteration {
        Alteration::DropIndex(name) | Alteration::RenameIndex { from: name, .. } => Some(name),
        _ => None,
    }
}

/// The name that an index has from now on.
fn taken_name(alteration: &Alteration) -> Option<&str> {
    match alteration {
        Alteration::AddIndex(index) => index.name.as_deref(),
        Alteration::AddFullText(index) => index.name.as_deref(),
        Alteration::RenameIndex { to, .. } => Some(to),
        _ => None,
    }
}
