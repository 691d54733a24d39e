//! ALTER TABLE: from its parts as written to alterations.

use rows::alter::{Alteration, ColumnPlace, ConversionRules};
use rows::schema::{CheckDefinition, Column, DefaultValue};
use rows::table::Table;
use syntax::alter::{AlterSpec, PlaceSpec};
use syntax::table::{ColumnSpec, Element};
use syntax::table_options::TableOptions;
use syntax::types::{check_varchar, with_collation};
use values::ErrorCode;
use values::full_text::TextRules;
use values::types::{Collation, ColumnType, LobSize};

use super::column::{column_of, default_value, now_for_all, null_in_primary_key, refuse_defaults};
use super::create::{
    columnar_index_of, expires_by, foreign_key_of, full_text_of, index_of, index_of_column,
    new_member,
};
use super::default_expression::check_order_after;
use super::engine::engine_of;
use super::index_names;
use super::names_before::check_names;
use super::partition::partition_change_of;
use super::rules::{check_of, checks_of, text_for_all};
use super::storage_options::changed_options;
use results::{Result, SqlError};

/// What the parts of an ALTER TABLE come to.
///
/// # Errors
/// Those of the first part that the table cannot take, or that this server does not know.
pub fn alterations(
    table: &Table,
    specs: &[AlterSpec],
    now: i64,
    session: ConversionRules,
    text_rules: TextRules,
) -> Result<Vec<Alteration>> {
    check_names(table, specs)?;
    check_primary_key(table, specs)?;
    let mut maker = Maker {
        table,
        now,
        session,
        text_rules,
        collation: table_collation(table),
        out: Vec::new(),
    };
    for spec in specs {
        maker.spec(spec)?;
    }
    check_order_after(table, &maker.out)?;
    refuse_defaults(&unchanged_columns(table, specs), session.mode)?;
    Ok(index_names::of_the_names_before(table, of_the_names_before(table, maker.out)))
}

/// A column of the primary key, if that stays, is not said to be NULL.
fn check_primary_key(table: &Table, specs: &[AlterSpec]) -> Result<()> {
    let is_dropped = specs.iter().any(|spec| matches!(spec, AlterSpec::DropPrimaryKey));
    let of_key = |name: &str| {
        let mut parts = table.indexes[0].parts.iter();
        parts.any(|part| table.columns[part.column].name.eq_ignore_ascii_case(name))
    };
    let is_null = |spec: &AlterSpec| match spec {
        AlterSpec::Change { old, column, .. } => column.nullable == Some(true) && of_key(old),
        _ => false,
    };
    match !is_dropped && specs.iter().any(is_null) {
        true => Err(null_in_primary_key()),
        false => Ok(()),
    }
}

/// The columns whose defaults stay as they are; none where the table only gets another name.
fn unchanged_columns(table: &Table, specs: &[AlterSpec]) -> Vec<Column> {
    if specs.iter().all(|spec| matches!(spec, AlterSpec::Rename(_))) {
        return Vec::new();
    }
    let is_changed = |column: &Column| {
        specs.iter().any(|spec| match spec {
            AlterSpec::Change { old: name, .. }
            | AlterSpec::DropColumn { name, .. }
            | AlterSpec::SetDefault { name, .. } => name.eq_ignore_ascii_case(&column.name),
            _ => false,
        })
    };
    table.columns.iter().filter(|column| !is_changed(column)).cloned().collect()
}

/// Each CHANGE and RENAME COLUMN means the names that the table has before all of them, so that two
/// columns may change names: then they get others in between.
fn of_the_names_before(table: &Table, mut alterations: Vec<Alteration>) -> Vec<Alteration> {
    fn renamed(alteration: &mut Alteration) -> Option<(&mut String, &str)> {
        let (from, to) = match alteration {
            Alteration::ModifyColumn { name, column, .. } => (name, column.name.as_str()),
            Alteration::RenameColumn { from, to } => (from, to.as_str()),
            _ => return None,
        };
        (!from.eq_ignore_ascii_case(to)).then_some((from, to))
    }
    let names: Vec<(String, String)> = alterations
        .iter_mut()
        .filter_map(|alteration| renamed(alteration))
        .map(|(from, to)| (from.clone(), to.to_owned()))
        .collect();
    let is_taken = |to: &String| {
        table.column(to).is_some() && names.iter().any(|(from, _)| from.eq_ignore_ascii_case(to))
    };
    if !names.iter().any(|(_, to)| is_taken(to)) {
        return alterations;
    }
    let mut out = Vec::with_capacity(alterations.len() + names.len());
    for (from, _) in alterations.iter_mut().filter_map(|alteration| renamed(alteration)) {
        // No statement can say such a name.
        let between = format!("{from}\u{1}");
        out.push(Alteration::RenameColumn { from: from.clone(), to: between.clone() });
        *from = between;
    }
    out.append(&mut alterations);
    out
}

/// A table's own collation; where its definition is of an earlier version, which did not keep it,
/// that of most of its text columns.
pub fn table_collation(table: &Table) -> Collation {
    table.collation.unwrap_or_else(|| common_collation(table))
}

fn common_collation(table: &Table) -> Collation {
    let text = table.columns.iter().filter_map(|column| column.ty.collation());
    let (mut ci, mut bin) = (0, 0);
    for collation in text {
        match collation {
            Collation::Binary => {}
            Collation::Utf8Mb4Bin => bin += 1,
            // Versions that kept none knew one more.
            _ => ci += 1,
        }
    }
    if bin > ci { Collation::Utf8Mb4Bin } else { Collation::Utf8Mb4GeneralCi }
}

struct Maker<'a> {
    table: &'a Table,
    now: i64,
    session: ConversionRules,
    text_rules: TextRules,
    collation: Collation,
    out: Vec<Alteration>,
}

fn no_constraint(name: &str) -> SqlError {
    let message = format!("Constraint '{name}' does not exist.");
    SqlError::new(ErrorCode::ConstraintNotFound, message)
}

/// The smallest size of a TEXT that holds as many characters of a set of so many bytes each as one
/// of another set.
fn size_for(size: LobSize, bytes_each: u32, each: u32) -> LobSize {
    LobSize::of_bytes(size.bytes_max() / u64::from(bytes_each) * u64::from(each))
}

fn place_of(place: &PlaceSpec) -> ColumnPlace {
    match place {
        PlaceSpec::Unsaid => ColumnPlace::Keep,
        PlaceSpec::First => ColumnPlace::First,
        PlaceSpec::After(name) => ColumnPlace::After(name.clone()),
    }
}

impl Maker<'_> {
    fn column(&mut self, spec: &ColumnSpec) -> Result<Column> {
        spec.ty.check_length(&spec.name, self.collation.set().bytes_max())?;
        column_of(spec, self.collation, self.session)
    }

    fn keys_of(&mut self, spec: &ColumnSpec) {
        if spec.primary {
            self.out.push(Alteration::AddIndex(index_of_column(&spec.name, true)));
        }
        if spec.unique {
            self.out.push(Alteration::AddIndex(index_of_column(&spec.name, false)));
        }
    }

    /// What a condition that is added is called, if it is given no name.
    fn name_of_check(&self) -> String {
        let is_added = |alteration: &&Alteration| matches!(alteration, Alteration::AddCheck(_));
        let name = &self.table.name;
        let last = self.table.checks.iter().filter_map(|check| check.number(name)).max();
        let added = self.out.iter().filter(is_added).count() as u64;
        CheckDefinition::generated_name(name, last.unwrap_or(0) + added + 1)
    }

    fn checks_of(&mut self, spec: &ColumnSpec) -> Result<()> {
        let unnamed = self.name_of_check();
        self.out.extend(checks_of(spec, &unnamed)?.into_iter().map(Alteration::AddCheck));
        Ok(())
    }

    fn spec(&mut self, spec: &AlterSpec) -> Result<()> {
        match spec {
            AlterSpec::AddColumn { column, place, if_not_exists } => {
                if *if_not_exists && self.table.column(&column.name).is_some() {
                    return Ok(());
                }
                let made = self.column(column)?;
                let now = match made.default {
                    DefaultValue::CurrentTimestamp => {
                        Some(now_for_all(&made.ty, self.now, self.session.zone))
                    }
                    _ => text_for_all(column.default.as_ref(), &made, self.now, self.session)?,
                };
                let place = place_of(place);
                self.out.push(Alteration::AddColumn { column: made, place, now });
                self.keys_of(column);
                self.checks_of(column)?;
                if let Some(key) = &column.references {
                    let key = foreign_key_of(key, &self.table.database);
                    self.out.push(Alteration::AddForeignKey(key));
                }
            }
            AlterSpec::Add(element) => match element {
                Element::Index(index) if index.columnar => {
                    self.out.push(Alteration::AddColumnarIndex(columnar_index_of(index)?));
                }
                Element::Index(index) if index.full_text => {
                    let index = full_text_of(index, self.text_rules)?;
                    self.out.push(Alteration::AddFullText(index));
                }
                Element::Index(index) => self.out.push(Alteration::AddIndex(index_of(index)?)),
                Element::ForeignKey(key) => {
                    let key = foreign_key_of(key, &self.table.database);
                    self.out.push(Alteration::AddForeignKey(key));
                }
                Element::Check(spec) => {
                    let unnamed = self.name_of_check();
                    self.out.push(Alteration::AddCheck(check_of(spec, None, &unnamed)?));
                }
                Element::Column(_) => {}
            },
            AlterSpec::DropColumn { name, if_exists } => {
                let added = self.out.iter().any(|alteration| {
                    matches!(alteration, Alteration::AddColumn { column, .. }
                        if column.name.eq_ignore_ascii_case(name))
                });
                if added || self.table.column(name).is_some() {
                    self.out.push(Alteration::DropColumn(name.clone()));
                } else if !*if_exists {
                    return Err(SqlError::new(
                        ErrorCode::CantDropFieldOrKey,
                        format!("Can't DROP '{name}'; check that column/key exists"),
                    ));
                }
            }
            AlterSpec::DropIndex { name, if_exists } => {
                if name.eq_ignore_ascii_case("primary") {
                    self.out.push(Alteration::DropPrimaryKey);
                } else if !*if_exists || self.table.has_index_named(name) {
                    self.out.push(Alteration::DropIndex(name.clone()));
                }
            }
            AlterSpec::DropCheck { name, if_exists } => {
                if !*if_exists || self.table.check(name).is_some() {
                    self.out.push(Alteration::DropCheck(name.clone()));
                }
            }
            AlterSpec::SetCheckEnforcement { name, enforced, is_any_constraint } => {
                if *is_any_constraint && self.table.check(name).is_none() {
                    return Err(no_constraint(name));
                }
                let (name, enforced) = (name.clone(), *enforced);
                self.out.push(Alteration::SetCheckEnforcement { name, enforced });
            }
            AlterSpec::DropPrimaryKey => self.out.push(Alteration::DropPrimaryKey),
            AlterSpec::DropForeignKey { name, if_exists } => {
                if !*if_exists || self.table.foreign_key(name).is_some() {
                    self.out.push(Alteration::DropForeignKey(name.clone()));
                }
            }
            AlterSpec::DropConstraint { name, if_exists } => {
                self.drop_constraint(name, *if_exists)?;
            }
            AlterSpec::Algorithm(_) | AlterSpec::Lock(_) | AlterSpec::Keys | AlterSpec::Nothing => {
            }
            AlterSpec::Change { old, column, place } => {
                let made = self.column(column)?;
                let place = place_of(place);
                self.out.push(Alteration::ModifyColumn { name: old.clone(), column: made, place });
                self.keys_of(column);
                self.checks_of(column)?;
            }
            AlterSpec::RenameColumn { from, to } => {
                self.out.push(Alteration::RenameColumn { from: from.clone(), to: to.clone() });
            }
            AlterSpec::RenameIndex { from, to } => {
                self.out.push(Alteration::RenameIndex { from: from.clone(), to: to.clone() });
            }
            AlterSpec::SetColumnVisibility { name, invisible } => {
                let (name, invisible) = (name.clone(), *invisible);
                self.out.push(Alteration::SetColumnVisibility { name, invisible });
            }
            AlterSpec::SetIndexVisibility { name, invisible } => {
                let (name, invisible) = (name.clone(), *invisible);
                self.out.push(Alteration::SetIndexVisibility { name, invisible });
            }
            AlterSpec::Rename(name) => self.out.push(Alteration::RenameTable {
                database: name.database.clone().unwrap_or_else(|| self.table.database.clone()),
                name: name.table.clone(),
            }),
            AlterSpec::SetDefault { name, default } => {
                let position = self
                    .table
                    .column(name)
                    .ok_or_else(|| SqlError::unknown_column(name, &self.table.name))?;
                let column = &self.table.columns[position];
                let default = match default {
                    // What allows NULL would have it for a default.
                    None if column.nullable => DefaultValue::Dropped,
                    None => DefaultValue::None,
                    Some(default) => {
                        default_value(default, name, &column.ty, column.nullable, self.session)?
                    }
                };
                self.out.push(Alteration::SetDefault { name: name.clone(), default });
            }
            AlterSpec::Partitions(spec) => {
                let session = (self.session.mode, self.session.zone);
                let change = partition_change_of(spec, self.table, session)?;
                self.out.extend(change.map(Alteration::Partitions));
            }
            AlterSpec::ConvertTo(collation) => self.convert_to(*collation)?,
            AlterSpec::Options(options) => self.options(options),
        }
        Ok(())
    }

    /// DROP CONSTRAINT: a key that rows must have, a foreign key, or a condition.
    fn drop_constraint(&mut self, name: &str, if_exists: bool) -> Result<()> {
        let mut indexes = self.table.indexes_with_parts();
        let is_key = indexes.any(|of| of.unique && of.name.eq_ignore_ascii_case(name));
        let (is_foreign, is_check) =
            (self.table.foreign_key(name).is_some(), self.table.check(name).is_some());
        if [is_key, is_foreign, is_check].iter().filter(|is_it| **is_it).count() > 1 {
            return Err(SqlError::new(
                ErrorCode::MultipleConstraintsWithSameName,
                format!(
                    "Table has multiple constraints with the name '{name}'. Please use constraint \
                     specific 'DROP' clause."
                ),
            ));
        }
        self.out.push(if is_foreign {
            Alteration::DropForeignKey(name.to_owned())
        } else if is_check {
            Alteration::DropCheck(name.to_owned())
        } else if name.eq_ignore_ascii_case("primary") {
            Alteration::DropPrimaryKey
        } else if is_key {
            Alteration::DropIndex(name.to_owned())
        } else if if_exists {
            return Ok(());
        } else {
            return Err(no_constraint(name));
        });
        Ok(())
    }

    /// The collation of columns that are added from here on.
    fn set_collation(&mut self, collation: Collation) {
        self.collation = collation;
        self.out.push(Alteration::SetCollation(collation));
    }

    /// Texts become longer where the new character set takes more bytes for as many characters.
    fn convert_to(&mut self, collation: Collation) -> Result<()> {
        self.set_collation(collation);
        let each = collation.set().bytes_max();
        for column in self.table.named_columns() {
            let ty = with_collation(&column.ty, collation);
            if let ColumnType::VarChar { chars, .. } = ty {
                check_varchar(chars, &column.name, each)?;
            }
            let ty = match (ty, column.ty.collation()) {
                (ColumnType::Text { size, .. }, Some(known)) if known.set().bytes_max() < each => {
                    let size = size_for(size, known.set().bytes_max(), each);
                    ColumnType::Text { size, collation }
                }
                (ty, _) => ty,
            };
            if ty != column.ty && column.ty.collation() != Some(Collation::Binary) {
                self.out.push(Alteration::ModifyColumn {
                    name: column.name.clone(),
                    column: Column { ty, ..column.clone() },
                    place: ColumnPlace::Keep,
                });
            }
        }
        Ok(())
    }

    fn options(&mut self, options: &TableOptions) {
        if let Some(comment) = &options.comment {
            self.out.push(Alteration::SetComment(comment.clone()));
        }
        if let Some(engine) = engine_of(options) {
            self.out.push(Alteration::SetEngine(engine.to_string()));
        }
        if !options.storage.is_empty() {
            let earlier = self.out.iter().rev().find_map(|alteration| match alteration {
                Alteration::SetStorageOptions(options) => Some(options),
                _ => None,
            });
            let known = earlier.unwrap_or(&self.table.storage_options);
            let options = changed_options(known, &options.storage);
            self.out.push(Alteration::SetStorageOptions(options));
        }
        if let Some(value) = options.auto_increment {
            self.out.push(Alteration::SetAutoIncrement(value));
        }
        if let Some(column) = expires_by(options) {
            self.out.push(Alteration::SetExpiry(column));
        }
        if let Some(bytes_max) = options.bytes_max {
            self.out.push(Alteration::SetBytesMax(bytes_max));
        }
        if let Some(members) = &options.members {
            self.out.push(Alteration::SetMembers(members.iter().map(new_member).collect()));
        }
        if let Some(collation) = options.text.collation {
            self.set_collation(collation);
        }
    }
}
