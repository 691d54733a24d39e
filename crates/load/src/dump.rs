//! Tables out of a server, as SQL text that MariaDB, MySQL and Rowhouse load.
//!
//! ```text
//! START TRANSACTION WITH CONSISTENT SNAPSHOT       one moment for all tables
//! for each table   SHOW CREATE TABLE, SELECT, SHOW CREATE TABLE again
//! for each event   SHOW CREATE EVENT
//! for each view    SHOW COLUMNS, and at the end SHOW CREATE VIEW
//! if it is wanted  accounts and what they were granted (`accounts`)
//! ```
//!
//! Invariants
//! 1. All rows are of one moment. Definitions are not kept in versions: a table that is altered
//!    while it is dumped ends the dump with an error rather than with rows of another shape.
//! 2. The last line says that the dump is whole; a file without it is not.
//! 3. No statement is longer than `INSERT_BYTES`, a row of `ROW_BYTES` and a piece of a value: the
//!    literal of a value may be twice as long as the value, and a server that accepts the one
//!    refuses the other. So large values are put together in variables, piece by piece.
//! 4. Loading does not drop the tables of the memcached door; rows with the same key are replaced.
//!
//! Not here: literals (`literal`), where the text goes (the caller).

use std::io::Write;

use crate::accounts;
use crate::client::Client;
use crate::error::{Error, Result};
use crate::literal::{self, Form, name};
use crate::progress::Progress;

/// An INSERT ends behind the row with which it gets this long.
const INSERT_BYTES: usize = 1 << 20;
/// Values with which a row would get longer than this stand in front of it, as variables.
const ROW_BYTES: usize = 8 << 20;
/// Bytes of such a value that one statement holds.
const PIECE_BYTES: usize = 4 << 20;
/// Databases that are never dumped: they show what is elsewhere. Of `sys` what clients have stored
/// there is dumped, where they have.
const SHOWN_ONLY: [&str; 3] = ["information_schema", "mysql", "performance_schema"];
/// Tables that a server of Rowhouse makes at its start, which its doors use.
const BUILT_IN: [(&str, &str); 3] =
    [("kv", "cache"), ("rowhouse", "containers"), ("tyrant", "records")];

/// Which tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableChoice {
    /// Those of all databases.
    All,
    /// Those of these databases.
    Databases(Vec<String>),
    /// These, as database and table.
    Tables(Vec<(String, String)>),
}

/// What is to be dumped.
#[derive(Clone, Debug)]
pub struct DumpOptions {
    /// Which tables.
    pub wanted: TableChoice,
    /// Whether accounts and what they were granted are written, too.
    pub accounts: bool,
    /// The version of the program, for the first line.
    pub version: String,
}

/// What was dumped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DumpTotals {
    /// Tables.
    pub tables: u64,
    /// Rows.
    pub rows: u64,
    /// Bytes of text.
    pub bytes: u64,
}

const HEAD: &str = "
/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!40101 SET @OLD_CHARACTER_SET_RESULTS=@@CHARACTER_SET_RESULTS */;
/*!40101 SET @OLD_COLLATION_CONNECTION=@@COLLATION_CONNECTION */;
/*!40101 SET NAMES utf8mb4 */;
/*!40103 SET @OLD_TIME_ZONE=@@TIME_ZONE */;
/*!40103 SET TIME_ZONE='+00:00' */;
/*!40014 SET @OLD_UNIQUE_CHECKS=@@UNIQUE_CHECKS, UNIQUE_CHECKS=0 */;
/*!40014 SET @OLD_FOREIGN_KEY_CHECKS=@@FOREIGN_KEY_CHECKS, FOREIGN_KEY_CHECKS=0 */;
/*!40101 SET @OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='NO_AUTO_VALUE_ON_ZERO,STRICT_ALL_TABLES' */;
";

const FOOT: &str = "
/*!40101 SET SQL_MODE=@OLD_SQL_MODE */;
/*!40014 SET FOREIGN_KEY_CHECKS=@OLD_FOREIGN_KEY_CHECKS */;
/*!40014 SET UNIQUE_CHECKS=@OLD_UNIQUE_CHECKS */;
/*!40103 SET TIME_ZONE=@OLD_TIME_ZONE */;
/*!40101 SET CHARACTER_SET_CLIENT=@OLD_CHARACTER_SET_CLIENT */;
/*!40101 SET CHARACTER_SET_RESULTS=@OLD_CHARACTER_SET_RESULTS */;
/*!40101 SET COLLATION_CONNECTION=@OLD_COLLATION_CONNECTION */;
";

/// What a server says of a table that is no longer as it was: no such database, column, table, and
/// "Table definition has changed".
const GONE: [u16; 4] = [1049, 1054, 1146, 1412];

/// The same of a view, and what it says where a view names what is not there any more.
const GONE_VIEW: [u16; 4] = [1049, 1146, 1347, 1356];

/// What a server says to who may not see events, or has none.
const UNSHOWN: [u16; 4] = [1044, 1142, 1227, 1235];

struct DumpRun<'a, W> {
    client: &'a mut Client,
    out: W,
    progress: &'a mut dyn Progress,
    dumped: DumpTotals,
}

/// Writes a dump.
///
/// # Errors
/// `Source` for a table that is not there or was altered meanwhile; `Io` when `out` refuses.
pub fn dump(
    client: &mut Client,
    options: &DumpOptions,
    out: impl Write,
    progress: &mut dyn Progress,
) -> Result<DumpTotals> {
    client.execute(b"SET NAMES utf8mb4")?;
    client.execute(b"SET time_zone='+00:00'")?;
    client.execute(b"SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ")?;
    client.execute(b"START TRANSACTION WITH CONSISTENT SNAPSHOT")?;
    let tables = tables(client, &options.wanted)?;
    let server = client.list("SELECT VERSION()")?;
    let server = server.first().and_then(|row| row.first()).cloned().unwrap_or_default();
    let mut dumping = DumpRun { client, out, progress, dumped: DumpTotals::default() };
    dumping.write(format!("-- Rowhouse dump {}, of a server {server}\n", options.version))?;
    dumping.write(HEAD)?;
    for Database { name, tables, views } in &tables {
        let database = name;
        dumping.database(database)?;
        for table in tables {
            dumping.table(database, table)?;
        }
        for view in views {
            dumping.placeholder(database, view)?;
        }
        // Behind the tables, which they may need at once.
        if !matches!(options.wanted, TableChoice::Tables(_)) {
            dumping.events(database)?;
        }
    }
    // A view may be of another that comes behind it, so all have their columns before.
    for Database { name, views, .. } in &tables {
        views.iter().try_for_each(|view| dumping.view(name, view))?;
    }
    if options.accounts {
        dumping.accounts()?;
    }
    dumping.write(FOOT)?;
    let DumpTotals { tables, rows, .. } = dumping.dumped;
    dumping.write(format!("\n-- Dump completed: {tables} tables, {rows} rows\n"))?;
    dumping.out.flush().map_err(unwritten)?;
    let dumped = dumping.dumped;
    client.execute(b"ROLLBACK")?;
    Ok(dumped)
}

/// What is dumped of a database.
struct Database {
    name: String,
    tables: Vec<String>,
    views: Vec<String>,
}

/// The tables of each database, in the order of the dump.
fn tables(client: &mut Client, wanted: &TableChoice) -> Result<Vec<Database>> {
    let first = |rows: Vec<Vec<String>>| rows.into_iter().filter_map(|row| row.into_iter().next());
    let there: Vec<String> = first(client.list("SHOW DATABASES")?).collect();
    let databases: Vec<String> = match wanted {
        TableChoice::All => {
            let shown =
                |name: &str| SHOWN_ONLY.iter().any(|known| known.eq_ignore_ascii_case(name));
            there.into_iter().filter(|name| !shown(name)).collect()
        }
        TableChoice::Databases(names) => {
            if let Some(name) = names.iter().find(|name| !there.contains(name)) {
                return Err(Error::Source(format!("there is no database {name}")));
            }
            names.clone()
        }
        TableChoice::Tables(pairs) => return chosen(client, pairs),
    };
    let mut tables = Vec::with_capacity(databases.len());
    for database in databases {
        let list = client.list(&format!("SHOW FULL TABLES FROM {}", name(&database)))?;
        let is_view = |row: &Vec<String>| row.get(1).is_some_and(|kind| kind == "VIEW");
        let (views, others): (Vec<_>, Vec<_>) = list.into_iter().partition(is_view);
        let is_table = |row: &Vec<String>| row.get(1).is_none_or(|kind| kind.contains("TABLE"));
        let own = first(others.into_iter().filter(is_table).collect()).collect();
        tables.push(Database { name: database, tables: own, views: first(views).collect() });
    }
    Ok(tables)
}

/// Tables that were named, each database once.
fn chosen(client: &mut Client, pairs: &[(String, String)]) -> Result<Vec<Database>> {
    let mut tables: Vec<Database> = Vec::new();
    for (database, table) in pairs {
        if !definition(client, database, table)?.starts_with("CREATE TABLE") {
            let place = format!("{}.{}", name(database), name(table));
            let why = "is a view, which is dumped with its database";
            return Err(Error::Source(format!("{place} {why}")));
        }
        match tables.iter_mut().find(|known| known.name == *database) {
            Some(known) if known.tables.contains(table) => {}
            Some(known) => known.tables.push(table.clone()),
            None => tables.push(Database {
                name: database.clone(),
                tables: vec![table.clone()],
                views: Vec::new(),
            }),
        }
    }
    Ok(tables)
}

/// What SHOW CREATE TABLE says.
fn definition(client: &mut Client, database: &str, table: &str) -> Result<String> {
    let place = format!("{}.{}", name(database), name(table));
    let rows = match client.list(&format!("SHOW CREATE TABLE {place}")) {
        Err(Error::Server { number: 1146 | 1049, .. }) => {
            return Err(Error::Source(format!("there is no table {place}")));
        }
        rows => rows?,
    };
    let text = rows.into_iter().next().and_then(|row| row.into_iter().nth(1));
    text.ok_or_else(|| Error::Source(format!("{place} has no definition")))
}

/// What SHOW CREATE DATABASE says.
fn database_definition(client: &mut Client, database: &str) -> Result<String> {
    let rows = client.list(&format!("SHOW CREATE DATABASE IF NOT EXISTS {}", name(database)))?;
    let text = rows.into_iter().next().and_then(|row| row.into_iter().nth(1));
    text.ok_or_else(|| Error::Source(format!("{database} has no definition")))
}

/// A definition without its counter, which moves with every insert.
fn without_counter(definition: &str) -> String {
    let Some((before, behind)) = definition.rsplit_once(" AUTO_INCREMENT=") else {
        return definition.to_owned();
    };
    format!("{before}{}", behind.trim_start_matches(|digit: char| digit.is_ascii_digit()))
}

impl<W: Write> DumpRun<'_, W> {
    fn write(&mut self, text: impl AsRef<[u8]>) -> Result<()> {
        let text = text.as_ref();
        self.dumped.bytes += text.len() as u64;
        self.out.write_all(text).map_err(unwritten)
    }

    fn database(&mut self, database: &str) -> Result<()> {
        let name = name(database);
        let created = database_definition(self.client, database)?;
        self.write(format!("\n{created};\nUSE {name};\n"))
    }

    fn table(&mut self, database: &str, table: &str) -> Result<()> {
        let created = definition(self.client, database, table)?;
        let built_in = BUILT_IN.contains(&(database, table));
        let quoted = name(table);
        if built_in {
            let rest = created.strip_prefix("CREATE TABLE ").unwrap_or(&created);
            self.write(format!("\nCREATE TABLE IF NOT EXISTS {rest};\n"))?;
        } else {
            self.write(format!("\nDROP TABLE IF EXISTS {quoted};\n{created};\n"))?;
        }
        let verb = if built_in { "REPLACE" } else { "INSERT" };
        let rows = self.rows(database, table, &format!("{verb} INTO {quoted} VALUES"));
        let same = match rows.and_then(|()| definition(self.client, database, table)) {
            Ok(now) => without_counter(&now) == without_counter(&created),
            Err(Error::Server { number, .. }) if GONE.contains(&number) => false,
            Err(Error::Source(_)) => false,
            Err(error) => return Err(error),
        };
        if !same {
            let place = format!("{}.{quoted}", name(database));
            let why = "was altered or dropped while it was dumped; the dump is not whole";
            return Err(Error::Source(format!("{place} {why}")));
        }
        self.dumped.tables += 1;
        Ok(())
    }

    /// A view that has the columns of one, for others that are made of it before it is there.
    fn placeholder(&mut self, database: &str, view: &str) -> Result<()> {
        let place = format!("{}.{}", name(database), name(view));
        let columns = match self.client.list(&format!("SHOW COLUMNS FROM {place}")) {
            // It names what is not there any more.
            Err(Error::Server { message, .. }) => {
                return self.write(format!("\n-- View {place} has no columns: {message}\n"));
            }
            columns => columns?,
        };
        let column = |row: Vec<String>| row.first().map(|column| format!("1 AS {}", name(column)));
        let columns: Vec<String> = columns.into_iter().filter_map(column).collect();
        let (quoted, columns) = (name(view), columns.join(","));
        self.write(format!("\nCREATE OR REPLACE VIEW {quoted} AS SELECT {columns};\n"))
    }

    /// A view as it was defined.
    fn view(&mut self, database: &str, view: &str) -> Result<()> {
        let place = format!("{}.{}", name(database), name(view));
        let rows = match self.client.list(&format!("SHOW CREATE VIEW {place}")) {
            Err(Error::Server { number, message, .. }) if GONE_VIEW.contains(&number) => {
                return self.write(format!("\n-- View {place} is left out: {message}\n"));
            }
            rows => rows?,
        };
        let text = rows.first().and_then(|row| row.get(1));
        let Some(made) = text.and_then(|text| text.strip_prefix("CREATE ")) else {
            return Err(Error::Source(format!("view {place} has no definition")));
        };
        self.write(format!("\nUSE {};\nCREATE OR REPLACE {made};\n", name(database)))
    }

    /// The events of a database, as they were defined.
    /// Behind everything that privileges may be granted on.
    fn accounts(&mut self) -> Result<()> {
        let statements = accounts::statements(self.client)?;
        self.write("\n")?;
        statements.iter().try_for_each(|statement| self.write(format!("{statement};\n")))
    }

    fn events(&mut self, database: &str) -> Result<()> {
        let list = self.client.list(&format!("SHOW EVENTS FROM {}", name(database)));
        let events = match list {
            Err(Error::Server { number, message, .. }) if UNSHOWN.contains(&number) => {
                return self.write(format!("\n-- Events are left out: {message}\n"));
            }
            list => list?,
        };
        for event in events.iter().filter_map(|row| row.get(1)) {
            let quoted = name(event);
            let show = format!("SHOW CREATE EVENT {}.{quoted}", name(database));
            let rows = match self.client.list(&show) {
                // A one-time event may just have gone.
                Err(Error::Server { number: 1539, .. }) => continue,
                rows => rows?,
            };
            let Some([_, mode, zone, created, ..]) = rows.first().map(Vec::as_slice) else {
                return Err(Error::Source(format!("event {quoted} has no definition")));
            };
            self.write(format!(
                "\n/*!50106 DROP EVENT IF EXISTS {quoted} */;\nDELIMITER ;;\n\
                 /*!50003 SET sql_mode='{mode}' */ ;;\n/*!50003 SET time_zone='{zone}' */ ;;\n\
                 {created} ;;\nDELIMITER ;\n\
                 /*!50003 SET time_zone='+00:00' */;\n\
                 /*!50003 SET sql_mode='NO_AUTO_VALUE_ON_ZERO,STRICT_ALL_TABLES' */;\n"
            ))?;
        }
        Ok(())
    }

    fn rows(&mut self, database: &str, table: &str, insert: &str) -> Result<()> {
        let place = format!("{}.{}", name(database), name(table));
        let (mut columns, mut named) = (Vec::new(), Vec::new());
        let mut needs_names = false;
        for column in self.client.list(&format!("SHOW COLUMNS FROM {place}"))? {
            let extra = column.last().map_or("", String::as_str);
            needs_names |= extra.contains("INVISIBLE");
            // The server that loads the dump computes it.
            if is_computed(extra) {
                needs_names = true;
                continue;
            }
            let quoted = column.first().map(|column| name(column)).unwrap_or_default();
            named.push(quoted.clone());
            let float = column.get(1).is_some_and(|ty| ty.starts_with("float"));
            // The text of a FLOAT has six digits; as a DOUBLE it has all.
            columns.push(if float { format!("{quoted}+0e0") } else { quoted });
        }
        let mut rows = self.client.query(&format!("SELECT {} FROM {place}", columns.join(",")))?;
        let forms: Vec<Form> =
            rows.columns.iter().map(|c| Form::of(c.type_code, c.binary)).collect();
        let insert = match needs_names {
            true => &format!("INSERT INTO {} ({}) VALUES", name(table), named.join(",")),
            false => insert,
        };
        let mut statement = Vec::with_capacity(INSERT_BYTES + INSERT_BYTES / 8);
        let mut variables = Vec::new();
        let mut count = 0;
        loop {
            let row = rows.row()?;
            let end = row.is_none();
            if let Some(mut row) = row {
                let separator: &[u8] = if statement.is_empty() { b"\n(" } else { b",\n(" };
                if statement.is_empty() {
                    statement.extend_from_slice(insert.as_bytes());
                }
                statement.extend_from_slice(separator);
                let begin = statement.len();
                for (at, form) in forms.iter().enumerate() {
                    if at > 0 {
                        statement.push(b',');
                    }
                    let value = row.value()?;
                    let bytes = value.map_or(0, |value| literal::bytes_max(value, *form));
                    match value {
                        Some(value) if statement.len() - begin + bytes > ROW_BYTES => {
                            let variable = format!("@rowhouse_dump_{at}");
                            self.dumped.bytes += apart(&mut self.out, &variable, value, *form)?;
                            statement.extend_from_slice(variable.as_bytes());
                            variables.push(variable);
                        }
                        value => literal::write(&mut statement, value, *form),
                    }
                }
                statement.push(b')');
                count += 1;
            }
            let full = statement.len() >= INSERT_BYTES || !variables.is_empty();
            if full || (end && !statement.is_empty()) {
                statement.extend_from_slice(b";\n");
                for variable in variables.drain(..) {
                    statement.extend_from_slice(format!("SET {variable}=NULL;\n").as_bytes());
                }
                self.dumped.bytes += statement.len() as u64;
                self.dumped.rows += std::mem::take(&mut count);
                self.out.write_all(&statement).map_err(unwritten)?;
                statement.clear();
                self.progress.at(self.dumped.bytes, self.dumped.rows, &place);
            }
            if end {
                return Ok(());
            }
        }
    }
}

/// Whether a column is computed from others, by the last word of its line in SHOW COLUMNS.
fn is_computed(extra: &str) -> bool {
    ["VIRTUAL GENERATED", "STORED GENERATED", "PERSISTENT"].iter().any(|word| extra.contains(word))
}

/// Writes statements that put a value into a variable; says how many bytes.
fn apart(out: &mut impl Write, variable: &str, value: &[u8], form: Form) -> Result<u64> {
    let (mut written, mut rest) = (0, value);
    while !rest.is_empty() {
        let mut length = rest.len().min(PIECE_BYTES);
        // Characters of a text stay whole.
        let amid = |at: usize| rest.get(at).is_some_and(|byte| byte & 0xc0 == 0x80);
        while form == Form::Text && length > 1 && amid(length) {
            length -= 1;
        }
        let (piece, behind) = rest.split_at(length);
        let mut statement = format!("\nSET {variable}=").into_bytes();
        let first = rest.len() == value.len();
        if !first {
            statement.extend_from_slice(format!("CONCAT({variable},").as_bytes());
        }
        literal::write(&mut statement, Some(piece), form);
        statement.extend_from_slice(if first { b";" } else { b");" });
        out.write_all(&statement).map_err(unwritten)?;
        written += statement.len() as u64;
        rest = behind;
    }
    Ok(written)
}

fn unwritten(source: std::io::Error) -> Error {
    Error::Io { doing: "cannot write the dump", source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_value_is_put_together_of_pieces_that_split_no_character() {
        let text = "a€".repeat(PIECE_BYTES / 3);
        let mut out = Vec::new();
        let written = apart(&mut out, "@v", text.as_bytes(), Form::Text).unwrap();
        assert_eq!(written, out.len() as u64);
        let out = String::from_utf8(out).expect("whole characters");
        let statements: Vec<&str> = out.trim().lines().collect();
        let piece = |statement: &str, before: &str, behind: &str| {
            let rest = statement.strip_prefix(before).expect("the head");
            rest.strip_suffix(behind).expect("the tail").to_owned()
        };
        let first = piece(statements[0], "SET @v='", "';");
        let second = piece(statements[1], "SET @v=CONCAT(@v,'", "');");
        assert_eq!(statements.len(), 2);
        assert_eq!(first + &second, text);
    }

    #[test]
    fn a_definition_is_the_same_when_only_its_counter_moved() {
        let of =
            |next| format!("CREATE TABLE `t` (\n  `id` int\n) ENGINE=InnoDB{next} COMMENT='x'");
        let (early, late) = (of(" AUTO_INCREMENT=7"), of(" AUTO_INCREMENT=19"));
        assert_eq!(without_counter(&early), without_counter(&late));
        assert_eq!(without_counter(&of("")), without_counter(&late));
        assert_ne!(without_counter(&late), without_counter("CREATE TABLE `t` (\n  `id` text\n)"));
    }
}
