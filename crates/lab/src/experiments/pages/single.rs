//! Single statements over two tables that are in memory: what web applications send all day besides
//! looking up a row of one table. Each is a page of its own, so that its ratio stands alone.

use anyhow::Result;

use super::site::{Site, TableLines};
use super::view::{Page, RowOrder, View};
use crate::experiments::dice::Dice;

/// The statements.
pub const SINGLE: Site = Site {
    name: "single",
    hello: "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ",
    tables: &[
        "CREATE TABLE item (id INT NOT NULL PRIMARY KEY, owner INT NOT NULL, k INT NOT NULL, \
         price INT NOT NULL, name VARCHAR(40) NOT NULL, note CHAR(60) NOT NULL, \
         KEY by_owner (owner), KEY by_k (k)) ENGINE=InnoDB",
        "CREATE TABLE owner (id INT NOT NULL PRIMARY KEY, city INT NOT NULL, \
         name VARCHAR(40) NOT NULL, KEY by_city (city)) ENGINE=InnoDB",
    ],
    rows,
    pages: &[
        Page { name: "single: row by key", visit: row_by_key },
        Page { name: "single: 100 rows by key range", visit: range },
        Page { name: "single: sum over 100 rows", visit: sum },
        Page { name: "single: count by a secondary index", visit: count },
        Page { name: "single: group by over 100 rows", visit: group },
        Page { name: "single: distinct, order by over 100 rows", visit: distinct },
        Page { name: "single: union of two rows", visit: union },
        Page { name: "single: join of one row by key", visit: join_one },
        Page { name: "single: join of 20 rows by key", visit: join_twenty },
        Page { name: "single: IN (subquery of 10 rows)", visit: within },
        Page { name: "single: EXISTS, correlated", visit: exists },
        Page { name: "single: left join, group by, 10 rows", visit: left_join },
        Page { name: "single: max of the primary key", visit: max },
    ],
};

const ITEMS: i64 = 100_000;
const OWNERS: i64 = 20_000;
/// Rows of `item` with the same `k`, about.
const ALIKE: i64 = 50;

fn rows(seed: u64, size: i64) -> Vec<TableLines> {
    let mut dice = Dice::new(seed, &[4]);
    let (items, owners) = (ITEMS * size / 100, OWNERS * size / 100);
    let item = (1..=items).map(|id| {
        let (owner, k) = (dice.between(1, OWNERS), dice.between(1, ITEMS / ALIKE));
        let (price, note) = (dice.between(1, 10_000), dice.letters(60, 60));
        format!("{id}\t{owner}\t{k}\t{price}\titem number {id}\t{note}")
    });
    let item = item.collect();
    let owner = (1..=owners).map(|id| format!("{id}\t{}\towner {id}", dice.between(1, 1_000)));
    let owner = owner.collect();
    vec![TableLines { table: "item", lines: item }, TableLines { table: "owner", lines: owner }]
}

/// Asks for some consecutive items; what is asked of them stands before and behind the condition.
fn over(
    view: &mut View<'_>,
    dice: &mut Dice,
    (name, order, count): (&'static str, RowOrder, i64),
    (before, behind): (&str, &str),
) -> Result<()> {
    let first = dice.between(1, ITEMS - count);
    let last = first + count - 1;
    let sql = format!("SELECT {before} WHERE i.id BETWEEN {first} AND {last} {behind}");
    view.ask(name, order, sql).map(drop)
}

fn row_by_key(view: &mut View<'_>, dice: &mut Dice) -> Result<()> {
    let id = dice.between(1, ITEMS);
    let sql = format!("SELECT owner, price, name FROM item WHERE id = {id}");
    view.ask("row by key", RowOrder::Ordered, sql).map(drop)
}

fn range(view: &mut View<'_>, dice: &mut Dice) -> Result<()> {
    let wanted = ("range", RowOrder::AnyOrder, 100);
    over(view, dice, wanted, ("i.id, i.name, i.price FROM item i", ""))
}

fn sum(view: &mut View<'_>, dice: &mut Dice) -> Result<()> {
    over(view, dice, ("sum", RowOrder::Ordered, 100), ("SUM(i.price) FROM item i", ""))
}

fn count(view: &mut View<'_>, dice: &mut Dice) -> Result<()> {
    let k = dice.between(1, ITEMS / ALIKE);
    let sql = format!("SELECT COUNT(*) FROM item WHERE k = {k}");
    view.ask("count", RowOrder::Ordered, sql).map(drop)
}

fn group(view: &mut View<'_>, dice: &mut Dice) -> Result<()> {
    let asked = ("i.owner, COUNT(*), MAX(i.price) FROM item i", "GROUP BY i.owner");
    over(view, dice, ("group", RowOrder::AnyOrder, 100), asked)
}

fn distinct(view: &mut View<'_>, dice: &mut Dice) -> Result<()> {
    let asked = ("DISTINCT i.note FROM item i", "ORDER BY i.note");
    over(view, dice, ("distinct", RowOrder::Ordered, 100), asked)
}

fn union(view: &mut View<'_>, dice: &mut Dice) -> Result<()> {
    let (one, other) = (dice.between(1, ITEMS), dice.between(1, OWNERS));
    let sql = format!(
        "SELECT id, name FROM item WHERE id = {one} UNION SELECT id, name FROM owner WHERE id = {other}"
    );
    view.ask("union", RowOrder::AnyOrder, sql).map(drop)
}

fn join_one(view: &mut View<'_>, dice: &mut Dice) -> Result<()> {
    let id = dice.between(1, ITEMS);
    let sql = format!(
        "SELECT i.name, o.name FROM item i JOIN owner o ON o.id = i.owner WHERE i.id = {id}"
    );
    view.ask("join of one", RowOrder::Ordered, sql).map(drop)
}

fn join_twenty(view: &mut View<'_>, dice: &mut Dice) -> Result<()> {
    let asked = ("i.name, o.name FROM item i JOIN owner o ON o.id = i.owner", "");
    over(view, dice, ("join of 20", RowOrder::AnyOrder, 20), asked)
}

fn within(view: &mut View<'_>, dice: &mut Dice) -> Result<()> {
    let first = dice.between(1, OWNERS - 10);
    let last = first + 9;
    let sql = format!(
        "SELECT i.id, i.name FROM item i WHERE i.owner IN \
         (SELECT o.id FROM owner o WHERE o.id BETWEEN {first} AND {last})"
    );
    view.ask("in", RowOrder::AnyOrder, sql).map(drop)
}

fn exists(view: &mut View<'_>, dice: &mut Dice) -> Result<()> {
    let first = dice.between(1, OWNERS - 10);
    let last = first + 9;
    let sql = format!(
        "SELECT o.id, o.name FROM owner o WHERE o.id BETWEEN {first} AND {last} \
         AND EXISTS (SELECT 1 FROM item i WHERE i.owner = o.id AND i.price > 5000)"
    );
    view.ask("exists", RowOrder::AnyOrder, sql).map(drop)
}

fn left_join(view: &mut View<'_>, dice: &mut Dice) -> Result<()> {
    let first = dice.between(1, OWNERS - 10);
    let last = first + 9;
    let sql = format!(
        "SELECT o.id, o.name, COUNT(i.id) FROM owner o LEFT JOIN item i ON i.owner = o.id \
         WHERE o.id BETWEEN {first} AND {last} GROUP BY o.id, o.name"
    );
    view.ask("left join", RowOrder::AnyOrder, sql).map(drop)
}

fn max(view: &mut View<'_>, _: &mut Dice) -> Result<()> {
    view.ask("max", RowOrder::Ordered, "SELECT MAX(id) FROM item".to_owned()).map(drop)
}
