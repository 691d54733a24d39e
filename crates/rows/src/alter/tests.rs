//! Plans: which changes are had by a definition alone, and where columns and parts end up.

use values::types::{Collation, ColumnType, IntWidth};

use super::alteration::{Alteration, ColumnPlace};
use super::plan::plan;
use crate::ddl::{NewIndex, NewKeyPart};
use crate::rules::no_rules;
use crate::schema::{Column, Index, IndexPart, IndexState, TableDefinition};

fn column(name: &str, ty: ColumnType, slot: u16) -> Column {
    Column { slot, ..Column::new(name, ty) }
}

fn int(width: IntWidth) -> ColumnType {
    ColumnType::Int { width, unsigned: false, boolean: false }
}

fn text(chars: u32) -> ColumnType {
    ColumnType::VarChar { chars, collation: Collation::Utf8Mb4GeneralCi }
}

fn index(id: u16, name: &str, columns: &[usize]) -> Index {
    Index {
        id,
        name: name.into(),
        unique: id == 1,
        parts: columns
            .iter()
            .map(|column| IndexPart { column: *column, prefix: None, descending: false })
            .collect(),
        state: IndexState::Ready,
        comment: String::new(),
        invisible: false,
        explicit_btree: false,
        implied: false,
    }
}

/// `t(id INT PRIMARY KEY, name VARCHAR(20), age INT, KEY(name, age))`
fn definition() -> TableDefinition {
    let columns = vec![
        column("id", int(IntWidth::Int), 0),
        column("name", text(20), 1),
        column("age", int(IntWidth::Int), 2),
    ];
    TableDefinition {
        id: 7,
        version: 1,
        database: "d".into(),
        name: "t".into(),
        slots: columns.iter().map(|column| column.ty.clone()).collect(),
        columns,
        indexes: vec![index(1, "PRIMARY", &[0]), index(2, "name", &[1, 2])],
        next_index: 3,
        auto_increment_base: 1,
        comment: String::new(),
        engine: String::new(),
        storage_options: Default::default(),
        created: 0,
        retention: Default::default(),
        columnar: false,
        members: Vec::new(),
        full_texts: Vec::new(),
        multi_valued: Vec::new(),
        columnar_index: None,
        checks: Vec::new(),
        foreign_keys: Vec::new(),
        collation: None,
        partitioning: None,
    }
}

fn names(definition: &TableDefinition) -> Vec<&str> {
    definition.columns.iter().map(|column| column.name.as_str()).collect()
}

#[test]
fn adding_a_column_in_front_needs_no_copy_and_keeps_index_parts() {
    let added = Alteration::AddColumn {
        column: column("new", int(IntWidth::Int), 0),
        place: ColumnPlace::First,
        now: None,
    };
    let plan = plan(&definition(), vec![added], no_rules).unwrap();
    assert!(!plan.rebuild && plan.fill.is_empty());
    assert_eq!(names(&plan.definition), ["new", "id", "name", "age"]);
    assert_eq!(plan.definition.columns[0].slot, 3);
    assert_eq!(plan.definition.columns[0].absent.as_deref(), Some(&b"0"[..]));
    assert_eq!(plan.definition.indexes[0].parts[0].column, 1);
    assert_eq!(plan.definition.indexes[1].parts[1].column, 3);
}

#[test]
fn dropping_an_indexed_column_fills_what_is_left_of_the_index() {
    let plan = plan(&definition(), vec![Alteration::DropColumn("NAME".into())], no_rules).unwrap();
    assert!(!plan.rebuild);
    assert_eq!(names(&plan.definition), ["id", "age"]);
    assert_eq!((plan.fill, plan.removed), (vec![1], vec![2]));
    assert_eq!(
        plan.definition.indexes[1].parts,
        [IndexPart { column: 1, prefix: None, descending: false }]
    );
}

#[test]
fn widening_a_varchar_is_free_and_narrowing_copies() {
    for (chars, copies) in [(30, false), (10, true)] {
        let modify = Alteration::ModifyColumn {
            name: "name".into(),
            column: column("name", text(chars), 0),
            place: ColumnPlace::Keep,
        };
        assert_eq!(plan(&definition(), vec![modify], no_rules).unwrap().rebuild, copies, "{chars}");
    }
}

#[test]
fn a_column_moves_behind_another_with_its_index_parts() {
    let moved = Alteration::ModifyColumn {
        name: "id".into(),
        column: column("id", int(IntWidth::Int), 0),
        place: ColumnPlace::After("age".into()),
    };
    let plan = plan(&definition(), vec![moved], no_rules).unwrap();
    assert_eq!(names(&plan.definition), ["name", "age", "id"]);
    assert_eq!(plan.definition.indexes[0].parts[0].column, 2);
    assert_eq!(plan.definition.indexes[1].parts[0].column, 0);
    assert_eq!(plan.origins, [Some(1), Some(2), Some(0)]);
}

#[test]
fn an_index_may_name_a_column_of_the_same_statement() {
    let add_index = Alteration::AddIndex(NewIndex {
        name: None,
        unique: false,
        primary: false,
        parts: vec![NewKeyPart::column("extra")],
        comment: String::new(),
        invisible: false,
        explicit_btree: false,
        implied: false,
    });
    let add_column = Alteration::AddColumn {
        column: column("extra", int(IntWidth::Tiny), 0),
        place: ColumnPlace::Keep,
        now: None,
    };
    let plan = plan(&definition(), vec![add_index, add_column], no_rules).unwrap();
    assert_eq!(plan.fill, [2]);
    assert_eq!(plan.definition.indexes[2].name, "extra");
}

#[test]
fn changing_the_primary_key_copies() {
    let plan = plan(&definition(), vec![Alteration::DropPrimaryKey], no_rules).unwrap();
    assert!(plan.rebuild && plan.definition.has_hidden_key());
}
