//! Writers that make, change, empty, rename and drop tables of their own, with rows in them, some
//! of them stored by column.

use std::collections::BTreeMap;

use faults::Dice;

use crate::account::{Account, Change, Writer, padding, words};
use crate::load::Ends;
use crate::mysql::Mysql;
use crate::sql_rows::answered;

const TABLES: u64 = 4;
const ROWS_AT_ONCE: u64 = 40;

/// A table as its writer knows it.
#[derive(Clone, Default)]
struct Table {
    /// Further columns, each with its default value.
    columns: Vec<(String, u64)>,
    indexes: Vec<String>,
    by_column: bool,
    /// By id: everything after it, as the judge prints it.
    rows: BTreeMap<u64, String>,
}

impl Table {
    fn definition(&self) -> String {
        let columns: String = self.columns.iter().map(|(name, _)| format!(",{name}")).collect();
        let mut indexes = vec!["PRIMARY".to_owned()];
        indexes.extend(self.indexes.iter().cloned());
        indexes.sort();
        let by_column = if self.by_column { ";by column" } else { "" };
        format!("id,serial,words,padding{columns};{}{by_column}", indexes.join(","))
    }

    fn engine(&self) -> &'static str {
        if self.by_column { "COLUMNAR" } else { "InnoDB" }
    }

    /// The table and all its rows under a name, there or gone.
    fn changes(&self, name: &str, there: bool) -> Vec<Change> {
        let definition = (format!("cuts.{name}"), there.then(|| self.definition()));
        let rows = self.rows.iter();
        let rows = rows.map(|(id, row)| (format!("cuts.{name}/{id}"), there.then(|| row.clone())));
        std::iter::once(definition).chain(rows).collect()
    }
}

pub fn write_tables(mut client: Mysql, mut writer: Writer, ends: &Ends) -> Account {
    let account = writer.account.number;
    let mut dice = Dice::new(ends.seed ^ account);
    let mut tables: BTreeMap<String, Table> = BTreeMap::new();
    while ends.go_on(&writer) {
        let serial = writer.serial();
        let name = format!("t{account}_{}", dice.below(TABLES));
        let other = format!("t{account}_{}", dice.below(TABLES));
        let free = !tables.contains_key(&other);
        let (statement, changes) = match tables.get_mut(&name) {
            None => create(&mut tables, &name, dice.one_of(2)),
            Some(_) if dice.one_of(10) => {
                let table = tables.remove(&name).expect("it is there");
                (format!("DROP TABLE cuts.{name}"), table.changes(&name, false))
            }
            Some(_) if free && dice.one_of(3) => rename(&mut tables, &name, &other),
            Some(table) => alter(table, &name, account, serial, &mut dice),
        };
        if !writer.step(changes, || answered(&statement, client.execute(&statement))) {
            break;
        }
    }
    writer.account
}

fn create(
    tables: &mut BTreeMap<String, Table>,
    name: &str,
    by_column: bool,
) -> (String, Vec<Change>) {
    let table = Table { indexes: vec!["by_words".into()], by_column, ..Table::default() };
    let (changes, engine) = (table.changes(name, true), table.engine());
    tables.insert(name.to_owned(), table);
    let create = format!(
        "CREATE TABLE cuts.{name} (id INT PRIMARY KEY, serial BIGINT, words VARCHAR(20), \
         padding VARCHAR(1500), KEY by_words (words)) ENGINE={engine}"
    );
    (create, changes)
}

fn rename(tables: &mut BTreeMap<String, Table>, name: &str, other: &str) -> (String, Vec<Change>) {
    let table = tables.remove(name).expect("it is there");
    let mut changes = table.changes(name, false);
    changes.extend(table.changes(other, true));
    tables.insert(other.to_owned(), table);
    (format!("RENAME TABLE cuts.{name} TO cuts.{other}"), changes)
}

fn alter(
    table: &mut Table,
    name: &str,
    account: u64,
    serial: u64,
    dice: &mut Dice,
) -> (String, Vec<Change>) {
    match dice.below(13) {
        0 => {
            let gone = table.rows.keys().map(|id| (format!("cuts.{name}/{id}"), None)).collect();
            table.rows.clear();
            (format!("TRUNCATE TABLE cuts.{name}"), gone)
        }
        1 | 2 => {
            let index = format!("by_serial_{serial}");
            let add = format!("ALTER TABLE cuts.{name} ADD INDEX {index} (serial, words)");
            table.indexes.push(index);
            (add, vec![(format!("cuts.{name}"), Some(table.definition()))])
        }
        3 if table.indexes.len() > 1 => {
            let index = table.indexes.remove(dice.below(table.indexes.len() as u64) as usize);
            let drop = format!("ALTER TABLE cuts.{name} DROP INDEX {index}");
            (drop, vec![(format!("cuts.{name}"), Some(table.definition()))])
        }
        4 | 5 if table.columns.len() < 4 => {
            let column = format!("more_{serial}");
            // Behind the others the definition alone changes; a new key copies every row.
            let copying = if dice.one_of(2) { ", MODIFY serial VARCHAR(30)" } else { "" };
            let add = format!(
                "ALTER TABLE cuts.{name} ADD COLUMN {column} INT NOT NULL DEFAULT {serial}{copying}"
            );
            table.columns.push((column, serial));
            table.rows.values_mut().for_each(|row| row.push_str(&format!("|{serial}")));
            (add, table.changes(name, true))
        }
        6 => {
            table.by_column = !table.by_column;
            let copy = format!("ALTER TABLE cuts.{name} ENGINE={}", table.engine());
            (copy, vec![(format!("cuts.{name}"), Some(table.definition()))])
        }
        _ => insert(table, name, account, serial, dice),
    }
}

fn insert(
    table: &mut Table,
    name: &str,
    account: u64,
    serial: u64,
    dice: &mut Dice,
) -> (String, Vec<Change>) {
    let (words, padding) = (words(account, serial), padding(account, serial));
    let defaults: String = table.columns.iter().map(|(_, value)| format!("|{value}")).collect();
    let first = serial * ROWS_AT_ONCE;
    let ids = first..first + 1 + dice.below(ROWS_AT_ONCE);
    let values: Vec<String> =
        ids.clone().map(|id| format!("({id}, {serial}, '{words}', '{padding}')")).collect();
    let mut changes = Vec::new();
    for id in ids {
        let row = format!("{serial}|{words}|{padding}{defaults}");
        changes.push((format!("cuts.{name}/{id}"), Some(row.clone())));
        table.rows.insert(id, row);
    }
    let values = values.join(", ");
    (format!("INSERT INTO cuts.{name} (id, serial, words, padding) VALUES {values}"), changes)
}
