//! From alterations to the definition that they ask for, and the work that it needs.
//!
//! Most changes need only a new definition: columns added, dropped, renamed, widened; indexes
//! dropped. Rows written before stay as they are and are read by their slots. Rows are copied
//! only when their bytes or keys change.
//!
//! Invariants
//! 1. Alterations apply in order, each to the result of those before, as MySQL does.
//! 2. A plan that does not rebuild keeps every surviving column's slot and type bytes.
//!
//! Not here: what may be asked for (`alteration`), copying rows and filling indexes (`online`).

use values::types::ColumnType;

use super::alteration::{Alteration, ColumnPlace};
use crate::broken_rule::BrokenRule;
use crate::ddl::{
    NewIndex, NewMember, add_check, add_columnar_index, add_foreign_key, add_full_text, add_index,
    add_member, check_key_parts, check_sizes, hidden_key, take_index_id, type_key_parts, validate,
    widens,
};
use crate::error::{Error, Result, Thing};
use crate::partition::{PartitionChange, PartitionFault, PartitionId, apply_change};
use crate::rules::{MakeRules, names_in};
use crate::schema::{Column, DefaultValue, Index, IndexId, IndexPart, IndexState, TableDefinition};

/// What to do.
#[derive(Debug)]
pub(crate) struct Plan {
    /// The new definition. `id` is that of the old one; a rebuild gives it a new one.
    pub definition: TableDefinition,
    /// For each new column its position among the old ones.
    pub origins: Vec<Option<usize>>,
    /// Whether all rows must be copied.
    pub rebuild: bool,
    /// Positions of indexes that must be filled when rows are not copied; those of members follow
    /// upon the others.
    pub fill: Vec<usize>,
    /// Whether the columnar index is new and must be filled when rows are not copied.
    pub fill_columns: bool,
    /// Whether the next AUTO_INCREMENT value is said.
    pub sets_counter: bool,
    /// Names of columns as they were, and as they are.
    pub renames: Vec<(String, String)>,
    /// Names of columns that go.
    dropped: Vec<String>,
    /// Numbers of indexes, of members too, whose entries are to be removed when rows are not
    /// copied.
    pub removed: Vec<u16>,
    /// Partitions whose rows are to be removed when rows are not copied.
    pub emptied: Vec<PartitionId>,
}

/// Works out what the alterations come to.
///
/// # Errors
/// `Definition`, `NotFound`, `Exists`.
pub(crate) fn plan(
    old: &TableDefinition,
    alterations: Vec<Alteration>,
    make_rules: MakeRules,
) -> Result<Plan> {
    let mut work = Plan {
        definition: old.clone(),
        origins: (0..old.columns.len()).map(Some).collect(),
        rebuild: false,
        fill: Vec::new(),
        fill_columns: false,
        sets_counter: false,
        renames: Vec::new(),
        dropped: Vec::new(),
        removed: Vec::new(),
        emptied: Vec::new(),
    };
    // Index additions come last, so that they may name columns added by the same statement.
    let is_add = |alteration: &Alteration| {
        use Alteration::{
            AddCheck, AddColumnarIndex, AddFullText, AddIndex, SetMember, SetMembers,
        };
        matches!(
            alteration,
            AddIndex(_)
                | AddFullText(_)
                | SetMember(_)
                | SetMembers(_)
                | AddColumnarIndex(_)
                | AddCheck(_)
        )
    };
    let (adds, others): (Vec<_>, Vec<_>) = alterations.into_iter().partition(is_add);
    // Foreign keys come behind them, so that they need no index of their own where there is one.
    let is_foreign = |alteration: &Alteration| matches!(alteration, Alteration::AddForeignKey(_));
    let (foreign, others): (Vec<_>, Vec<_>) = others.into_iter().partition(is_foreign);
    for alteration in others.into_iter().chain(adds).chain(foreign) {
        work.apply(alteration)?;
    }
    if work.definition.named_columns().is_empty() {
        return Err(BrokenRule::AllColumnsDropped.into());
    }
    work.keep_indexes(old)?;
    work.drop_checks_of_dropped_columns()?;
    check_key_parts(old, &work.definition)?;
    validate(&work.definition)?;
    check_sizes(&work.definition, Some(old))?;
    // Every row stores what was made again, and what has another type now.
    let is_new = work.origins.len() < work.definition.columns.len();
    work.origins.resize(work.definition.columns.len(), None);
    work.rebuild |= type_key_parts(&mut work.definition, make_rules)? || is_new;
    work.settle(old);
    if work.fill_columns && old.columnar_index.is_some() {
        // Writers tell one columnar index at a time.
        return Err(BrokenRule::ColumnarIndexReplaced.into());
    }
    Ok(work)
}

impl Plan {
    fn apply(&mut self, alteration: Alteration) -> Result<()> {
        match alteration {
            Alteration::AddColumn { column, place, now } => self.add_column(column, place, now),
            Alteration::DropColumn(name) => self.drop_column(&name),
            Alteration::ModifyColumn { name, column, place } => {
                self.modify_column(&name, column, place)
            }
            Alteration::RenameColumn { from, to } => {
                let position = self.column(&from)?;
                self.check_not_in_key_part(&from, &to)?;
                self.check_free(&to, Some(position))?;
                self.definition.columns[position].name.clone_from(&to);
                self.follow_rename(&from, to);
                Ok(())
            }
            Alteration::SetDefault { name, default } => {
                let position = self.column(&name)?;
                self.definition.columns[position].default = default;
                Ok(())
            }
            Alteration::SetColumnVisibility { name, invisible } => {
                let position = self.column(&name)?;
                self.definition.columns[position].invisible = invisible;
                Ok(())
            }
            Alteration::AddIndex(index) => self.add_index(&index),
            Alteration::DropIndex(name) if name.eq_ignore_ascii_case("PRIMARY") => {
                self.drop_primary()
            }
            Alteration::DropIndex(name)
                if self.definition.columnar_index_named(&name).is_some() =>
            {
                self.remove_columnar_index();
                Ok(())
            }
            Alteration::AddFullText(index) => add_full_text(&mut self.definition, &index),
            Alteration::AddColumnarIndex(index) => add_columnar_index(&mut self.definition, &index),
            Alteration::DropIndex(name) if self.definition.full_text(&name).is_some() => {
                let position = self.definition.full_text(&name).unwrap_or_default();
                self.remove_full_text(position);
                Ok(())
            }
            Alteration::DropIndex(name) if self.definition.multi_valued_index(&name).is_some() => {
                let position = self.definition.multi_valued_index(&name).unwrap_or_default();
                self.remove_multi_valued(position);
                Ok(())
            }
            Alteration::DropIndex(name) => {
                let position = self.index(&name)?;
                self.remove_index(position);
                Ok(())
            }
            Alteration::DropPrimaryKey => self.drop_primary(),
            Alteration::RenameIndex { from, to } => self.rename_index(&from, to),
            Alteration::SetIndexVisibility { name, invisible } => {
                if let Some(position) = self.definition.full_text(&name) {
                    self.definition.full_texts[position].invisible = invisible;
                    return Ok(());
                }
                let table = self.definition.name.clone();
                let mut indexes = self.definition.indexes_with_parts_mut();
                let index = indexes.find(|index| index.name.eq_ignore_ascii_case(&name));
                let index = index.ok_or(BrokenRule::NoSuchIndex { name, table })?;
                index.invisible = invisible;
                Ok(())
            }
            Alteration::RenameTable { database, name } => {
                self.rename_table(database, name);
                Ok(())
            }
            Alteration::SetComment(comment) => {
                self.definition.comment = comment;
                Ok(())
            }
            Alteration::SetCollation(collation) => {
                self.definition.collation = Some(collation);
                Ok(())
            }
            Alteration::SetEngine(engine) => {
                let was_columnar = self.definition.columnar;
                self.definition.engine = engine;
                self.definition.follow_engine();
                self.rebuild |= self.definition.columnar != was_columnar;
                Ok(())
            }
            Alteration::SetStorageOptions(options) => {
                self.definition.storage_options = options;
                Ok(())
            }
            Alteration::SetAutoIncrement(base) => {
                self.definition.auto_increment_base = base.max(1);
                self.sets_counter = true;
                Ok(())
            }
            Alteration::SetBytesMax(bytes_max) => {
                self.definition.retention.bytes_max = bytes_max;
                Ok(())
            }
            Alteration::SetMember(member) => self.set_member(&member),
            Alteration::DropMember { column, member } => {
                match self.definition.member(&column, &member) {
                    Some(position) => {
                        self.remove_member(position);
                        Ok(())
                    }
                    None => Err(Error::NotFound { what: Thing::Index, name: member }),
                }
            }
            Alteration::SetMembers(members) => {
                for position in (0..self.definition.members.len()).rev() {
                    let index = &self.definition.members[position];
                    if !members.iter().any(|member| {
                        member.column.eq_ignore_ascii_case(&index.column)
                            && member.member == index.member
                    }) {
                        self.remove_member(position);
                    }
                }
                members.iter().try_for_each(|member| self.set_member(member))
            }
            Alteration::AddCheck(check) => {
                // All rows are looked at.
                self.rebuild |= !check.unenforced;
                add_check(&mut self.definition, &check)
            }
            Alteration::SetCheckEnforcement { name, enforced } => {
                let at = self.definition.check(&name);
                let at = at.ok_or(BrokenRule::NoSuchCheck(name))?;
                let check = &mut self.definition.checks[at];
                self.rebuild |= enforced && check.unenforced;
                check.unenforced = !enforced;
                Ok(())
            }
            Alteration::DropCheck(name) => {
                let at = self.definition.check(&name);
                let at = at.ok_or(BrokenRule::NoSuchCheck(name))?;
                self.definition.checks.remove(at);
                Ok(())
            }
            Alteration::AddForeignKey(key) => add_foreign_key(&mut self.definition, &key),
            Alteration::DropForeignKey(name) => {
                let at = self.definition.foreign_key(&name);
                let at = at.ok_or(Error::NotFound { what: Thing::Index, name })?;
                self.definition.foreign_keys.remove(at);
                Ok(())
            }
            Alteration::Partitions(change) => self.change_partitions(change),
            Alteration::SetExpiry(column) => {
                self.definition.retention.expires_by = column;
                Ok(())
            }
        }
    }

    fn change_partitions(&mut self, change: PartitionChange) -> Result<()> {
        let column = self.definition.partition_column();
        let effect = apply_change(&mut self.definition, change)?;
        self.rebuild |= effect.rebuild;
        self.emptied.extend(effect.gone);
        if let Some(column) = column.filter(|_| effect.is_whole) {
            self.remove_column(column);
        }
        Ok(())
    }

    /// What names the table keeps naming it.
    fn rename_table(&mut self, database: String, name: String) {
        let definition = &mut self.definition;
        let (of, from) = (definition.database.clone(), definition.name.clone());
        for key in definition.foreign_keys.iter_mut().filter(|key| key.refers_to(&of, &from)) {
            key.parent_database.clone_from(&database);
            key.parent_table.clone_from(&name);
        }
        definition.rename_foreign_keys(&from, &name);
        definition.rename_checks(&from, &name);
        definition.database = database;
        definition.name = name;
    }

    /// Refuses to go on without an index that a foreign key of the table needs.
    fn keep_indexes(&self, old: &TableDefinition) -> Result<()> {
        for key in &self.definition.foreign_keys {
            let Some(columns) = self.definition.positions(&key.columns) else { continue };
            if self.definition.index_beginning_with(&columns).is_some() {
                continue;
            }
            let old_key = old.foreign_key(&key.name).map(|at| &old.foreign_keys[at]);
            let columns = old_key.and_then(|key| old.positions(&key.columns));
            let index = columns.and_then(|columns| old.index_beginning_with(&columns));
            let name = index.map_or_else(String::new, |at| old.indexes[at].name.clone());
            return Err(BrokenRule::NeededIndex(name).into());
        }
        Ok(())
    }

    /// A condition goes with the only column that it names, and keeps one that it names beside
    /// others.
    fn drop_checks_of_dropped_columns(&mut self) -> Result<()> {
        let dropped = std::mem::take(&mut self.dropped);
        let is_dropped = |name: &String| dropped.iter().any(|own| own.eq_ignore_ascii_case(name));
        for check in std::mem::take(&mut self.definition.checks) {
            let names = names_in(&check.condition);
            let goes = |name: &&String| is_dropped(name) && self.definition.column(name).is_none();
            match names.iter().find(goes) {
                None => self.definition.checks.push(check),
                Some(column) => {
                    if names.iter().any(|name| !name.eq_ignore_ascii_case(column)) {
                        let (check, column) = (check.name, column.clone());
                        return Err(BrokenRule::CheckedColumn { check, column }.into());
                    }
                }
            }
        }
        Ok(())
    }

    /// What names a column keeps naming it.
    fn follow_rename(&mut self, from: &str, to: String) {
        let expires_by = &mut self.definition.retention.expires_by;
        if expires_by.as_ref().is_some_and(|name| name.eq_ignore_ascii_case(from)) {
            *expires_by = Some(to.clone());
        }
        for index in &mut self.definition.members {
            if index.column.eq_ignore_ascii_case(from) {
                index.column.clone_from(&to);
            }
        }
        for index in &mut self.definition.full_texts {
            for name in index.columns.iter_mut().filter(|name| name.eq_ignore_ascii_case(from)) {
                name.clone_from(&to);
            }
        }
        if let Some(index) = &mut self.definition.columnar_index {
            for name in index.columns.iter_mut().filter(|name| name.eq_ignore_ascii_case(from)) {
                name.clone_from(&to);
            }
        }
        let definition = &mut self.definition;
        let (of, table) = (definition.database.clone(), definition.name.clone());
        for key in &mut definition.foreign_keys {
            key.rename_column(from, &to);
            if key.refers_to(&of, &table) {
                key.rename_parent_column(from, &to);
            }
        }
        definition.rename_in_rules(from, &to);
        if !from.eq_ignore_ascii_case(&to) {
            self.renames.push((from.to_owned(), to));
        }
    }

    fn add_column(
        &mut self,
        mut column: Column,
        place: ColumnPlace,
        now: Option<Vec<u8>>,
    ) -> Result<()> {
        self.check_free(&column.name, None)?;
        column.slot =
            u16::try_from(self.definition.slots.len()).map_err(|_| BrokenRule::TooManyColumns)?;
        column.absent = match &column.default {
            DefaultValue::Literal(text) => text.clone(),
            DefaultValue::CurrentTimestamp => now.clone(),
            DefaultValue::Expression(_) if now.is_some() => now.clone(),
            DefaultValue::None | DefaultValue::Dropped | DefaultValue::Expression(_) => {
                (!column.nullable).then(|| implicit_default(&column.ty))
            }
        };
        // Existing rows get values of their own, which a common one cannot express, or are looked
        // at.
        self.rebuild |= column.auto_increment
            || column.default.is_expression() && now.is_none()
            || column.computed.is_some();
        self.definition.slots.push(column.ty.clone());
        // Behind all others are those of indexes.
        let last = self.definition.named_columns().len();
        self.definition.columns.insert(last, column);
        self.origins.insert(last.min(self.origins.len()), None);
        for part in self.definition.indexes_with_parts_mut().flat_map(|index| &mut index.parts) {
            part.column += usize::from(part.column >= last);
        }
        self.place(last, place)
    }

    fn drop_column(&mut self, name: &str) -> Result<()> {
        let position = self.column(name)?;
        self.check_not_partitioned_by(name)?;
        let indexes = self.definition.indexes.len();
        for index in (0..indexes).rev() {
            let parts = &mut self.definition.indexes[index].parts;
            let before = parts.len();
            parts.retain(|part| part.column != position);
            if parts.len() == before {
                continue;
            }
            if index == 0 {
                self.rebuild = true;
            } else if parts.is_empty() {
                self.remove_index(index);
            } else {
                self.renumber_index(index)?;
            }
        }
        for at in 0..self.definition.multi_valued.len() {
            let of = &mut self.definition.multi_valued[at];
            let before = of.index.parts.len();
            of.array -= of.index.parts[..of.array].iter().filter(|p| p.column == position).count();
            of.index.parts.retain(|part| part.column != position);
            if of.index.parts.len() < before {
                let id = take_index_id(&mut self.definition)?;
                let index = &mut self.definition.multi_valued[at].index;
                self.removed.push(std::mem::replace(&mut index.id, id));
            }
        }
        for index in (0..self.definition.members.len()).rev() {
            if self.definition.members[index].column.eq_ignore_ascii_case(name) {
                self.remove_member(index);
            }
        }
        for position in (0..self.definition.full_texts.len()).rev() {
            let columns = &mut self.definition.full_texts[position].columns;
            let before = columns.len();
            columns.retain(|column| !column.eq_ignore_ascii_case(name));
            match columns.len() {
                0 => self.remove_full_text(position),
                left if left < before => {
                    let id = take_index_id(&mut self.definition)?;
                    let index = &mut self.definition.full_texts[position];
                    self.removed.push(std::mem::replace(&mut index.id, id));
                }
                _ => {}
            }
        }
        if let Some(index) = &mut self.definition.columnar_index {
            // Segments keep what nobody reads any more, until they are made again.
            index.columns.retain(|column| !column.eq_ignore_ascii_case(name));
            if index.columns.is_empty() {
                self.remove_columnar_index();
            }
        }
        self.remove_column(position);
        self.dropped.push(name.to_owned());
        Ok(())
    }

    /// Removes a column that no index has.
    fn remove_column(&mut self, position: usize) {
        self.definition.columns.remove(position);
        if position < self.origins.len() {
            self.origins.remove(position);
        }
        for part in self.definition.indexes_with_parts_mut().flat_map(|index| &mut index.parts) {
            part.column -= usize::from(part.column > position);
        }
    }

    /// Removes the columns of indexes that no index has any more.
    fn remove_columns_of_indexes(&mut self) {
        for position in (self.definition.named_columns().len()..self.definition.columns.len()).rev()
        {
            let is_of_partition = self.definition.partition_column() == Some(position);
            if !is_of_partition && !self.definition.is_in_index(position) {
                self.remove_column(position);
            }
        }
    }

    /// Refuses another name for a column that a key part names, or partitions are told by.
    fn check_not_in_key_part(&self, from: &str, to: &str) -> Result<()> {
        if !from.eq_ignore_ascii_case(to) {
            self.check_not_partitioned_by(from)?;
        }
        match !from.eq_ignore_ascii_case(to) && self.definition.is_in_key_part(from) {
            true => Err(BrokenRule::FunctionalDependency(from.to_owned()).into()),
            false => Ok(()),
        }
    }

    fn check_not_partitioned_by(&self, name: &str) -> Result<()> {
        match self.definition.is_partitioned_by(name) {
            true => {
                Err(BrokenRule::Partitioning(PartitionFault::Dependency(name.to_owned())).into())
            }
            false => Ok(()),
        }
    }

    fn modify_column(&mut self, name: &str, mut column: Column, place: ColumnPlace) -> Result<()> {
        let position = self.column(name)?;
        self.check_free(&column.name, Some(position))?;
        self.check_not_in_key_part(name, &column.name)?;
        self.follow_rename(name, column.name.clone());
        let old = &self.definition.columns[position];
        let in_index = self.definition.is_in_index(position);
        let in_primary =
            self.definition.indexes[0].parts.iter().any(|part| part.column == position);
        if in_primary {
            column.nullable = false;
        }
        let same_nulls = old.nullable == column.nullable || (column.nullable && !in_index);
        self.rebuild |= !same_nulls
            || !widens(&old.ty, &column.ty)
            || (column.unsigned && !old.unsigned)
            || column.computed != old.computed
            // What is made of it may look otherwise.
            || (column.ty != old.ty && self.definition.has_rules())
            || (column.auto_increment && !old.auto_increment);
        column.slot = old.slot;
        column.absent = old.absent.clone();
        self.definition.slots[usize::from(column.slot)] = column.ty.clone();
        self.definition.columns[position] = column;
        self.widen_prefixes(position);
        self.place(position, place)
    }

    /// Key parts that have the beginnings of a column's values have all of them where no value is
    /// longer, and where the column has no texts any more, as in MySQL.
    fn widen_prefixes(&mut self, column: usize) {
        let longest = match &self.definition.columns[column].ty {
            ColumnType::Text { .. } | ColumnType::Blob { .. } => return,
            ColumnType::Char { chars, .. } | ColumnType::VarChar { chars, .. } => *chars,
            ColumnType::Binary { bytes } | ColumnType::VarBinary { bytes } => *bytes,
            _ => 0,
        };
        let parts = self.definition.indexes.iter_mut().flat_map(|index| &mut index.parts);
        for part in parts.filter(|part| part.column == column) {
            let is_whole = part.prefix.is_some_and(|prefix| prefix >= longest);
            self.rebuild |= is_whole;
            part.prefix = part.prefix.filter(|_| !is_whole);
        }
    }

    fn add_index(&mut self, index: &NewIndex) -> Result<()> {
        if index.primary {
            if !self.definition.has_hidden_key() {
                return Err(BrokenRule::MultiplePrimaryKeys.into());
            }
            self.rebuild = true;
        }
        add_index(&mut self.definition, index, IndexState::Ready)?;
        self.remove_implied_indexes();
        Ok(())
    }

    /// An index that nobody asked for but a foreign key goes when another begins with its columns,
    /// rising as they do.
    fn remove_implied_indexes(&mut self) {
        let rising = |part: &IndexPart| part.whole().filter(|_| !part.descending);
        let columns = |index: &Index| index.parts.iter().map(rising).collect::<Vec<_>>();
        for at in (1..self.definition.indexes.len()).rev() {
            let index = &self.definition.indexes[at];
            let mut others = self.definition.indexes.iter().filter(|other| other.id != index.id);
            if index.implied && others.any(|other| columns(other).starts_with(&columns(index))) {
                self.remove_index(at);
            }
        }
    }

    fn drop_primary(&mut self) -> Result<()> {
        if self.definition.has_hidden_key() {
            return Err(Error::NotFound { what: Thing::Index, name: "PRIMARY".into() });
        }
        self.definition.indexes[0] = hidden_key();
        self.rebuild = true;
        Ok(())
    }

    fn rename_index(&mut self, from: &str, to: String) -> Result<()> {
        let full_text = self.definition.full_text(from);
        let multi_valued = self.definition.multi_valued_index(from);
        let position = match self.definition.columnar_index_named(from) {
            Some(_) => None,
            None if full_text.is_some() || multi_valued.is_some() => None,
            None => {
                let (name, table) = (from.to_owned(), self.definition.name.clone());
                let missing = BrokenRule::NoSuchIndex { name, table };
                Some(self.index(from).map_err(|_| missing)?)
            }
        };
        // Its own name may change in case.
        if self.definition.has_index_named(&to) && !from.eq_ignore_ascii_case(&to) {
            return Err(Error::Exists { what: Thing::Index, name: to });
        }
        if let Some(position) = full_text {
            self.definition.full_texts[position].name = to;
            return Ok(());
        }
        if let Some(position) = multi_valued {
            self.definition.multi_valued[position].index.name = to;
            return Ok(());
        }
        match (position, &mut self.definition.columnar_index) {
            (Some(position), _) => {
                let index = &mut self.definition.indexes[position];
                // A name that somebody gave stays.
                (index.name, index.implied) = (to, false);
            }
            (None, Some(index)) => index.name = to,
            (None, None) => {}
        }
        Ok(())
    }

    fn remove_index(&mut self, position: usize) {
        let index = self.definition.indexes.remove(position);
        self.removed.push(index.id);
        self.remove_columns_of_indexes();
    }

    fn remove_multi_valued(&mut self, position: usize) {
        let of = self.definition.multi_valued.remove(position);
        self.removed.push(of.index.id);
        self.remove_columns_of_indexes();
    }

    fn remove_member(&mut self, position: usize) {
        let index = self.definition.members.remove(position);
        self.removed.push(index.id);
    }

    fn remove_full_text(&mut self, position: usize) {
        let index = self.definition.full_texts.remove(position);
        self.removed.push(index.id);
    }

    fn remove_columnar_index(&mut self) {
        self.removed.extend(self.definition.columnar_index.take().map(|index| index.id));
    }

    /// Gives a member an index of this kind, unless it has one.
    fn set_member(&mut self, member: &NewMember) -> Result<()> {
        if let Some(position) = self.definition.member(&member.column, &member.member) {
            if self.definition.members[position].kind == member.kind {
                return Ok(());
            }
            self.remove_member(position);
        }
        add_member(&mut self.definition, member)
    }

    /// Gives an index whose parts changed a new number, so that it is filled again.
    fn renumber_index(&mut self, position: usize) -> Result<()> {
        let id = take_index_id(&mut self.definition)?;
        let index = &mut self.definition.indexes[position];
        self.removed.push(std::mem::replace(&mut index.id, id));
        Ok(())
    }

    /// Moves a column, and what points to it.
    fn place(&mut self, from: usize, place: ColumnPlace) -> Result<()> {
        let to = match place {
            ColumnPlace::Keep => return Ok(()),
            ColumnPlace::First => 0,
            ColumnPlace::After(name) => {
                let after = self.column(&name)?;
                if after == from {
                    return Ok(());
                }
                after + usize::from(after < from)
            }
        };
        let column = self.definition.columns.remove(from);
        self.definition.columns.insert(to, column);
        let origin = self.origins.remove(from);
        self.origins.insert(to, origin);
        for part in self.definition.indexes_with_parts_mut().flat_map(|index| &mut index.parts) {
            part.column = match part.column {
                at if at == from => to,
                at if from < at && at <= to => at - 1,
                at if to <= at && at < from => at + 1,
                at => at,
            };
        }
        Ok(())
    }

    /// Decides what has to be filled, once all alterations are in.
    fn settle(&mut self, old: &TableDefinition) {
        let is_old = |id: IndexId| {
            old.indexes.iter().any(|index| index.id == id)
                || old.listed_indexes().any(|index| index == id)
                || old.columnar_index.as_ref().is_some_and(|index| index.id == id)
        };
        self.removed.retain(|id| is_old(*id));
        if self.rebuild {
            self.definition.slots =
                self.definition.columns.iter().map(|column| column.ty.clone()).collect();
            for (slot, column) in self.definition.columns.iter_mut().enumerate() {
                column.slot = slot as u16;
            }
            return;
        }
        self.fill_columns =
            self.definition.columnar_index.as_ref().is_some_and(|index| !is_old(index.id));
        let indexes = self.definition.indexes.iter().map(|index| index.id);
        let ids = indexes.chain(self.definition.listed_indexes()).enumerate();
        self.fill = ids.filter(|(_, id)| !is_old(*id)).map(|(at, _)| at).collect();
    }

    fn column(&self, name: &str) -> Result<usize> {
        self.definition
            .column(name)
            .ok_or_else(|| Error::NotFound { what: Thing::Column, name: name.to_string() })
    }

    fn index(&self, name: &str) -> Result<usize> {
        self.definition
            .index(name)
            .filter(|position| *position > 0)
            .ok_or_else(|| Error::NotFound { what: Thing::Index, name: name.to_string() })
    }

    fn check_free(&self, name: &str, itself: Option<usize>) -> Result<()> {
        match self.definition.column(name) {
            Some(position) if Some(position) != itself => {
                Err(BrokenRule::DuplicateColumn(name.to_string()).into())
            }
            _ => Ok(()),
        }
    }
}

/// What MySQL puts into a NOT NULL column without a default.
pub fn implicit_default(ty: &ColumnType) -> Vec<u8> {
    match ty {
        ColumnType::Int { .. }
        | ColumnType::Float(_)
        | ColumnType::Double(_)
        | ColumnType::Decimal { .. } => b"0".to_vec(),
        ColumnType::Date => b"0000-00-00".to_vec(),
        ColumnType::Time { .. } => b"00:00:00".to_vec(),
        ColumnType::DateTime { .. } | ColumnType::Timestamp { .. } => {
            b"0000-00-00 00:00:00".to_vec()
        }
        ColumnType::Year => b"0000".to_vec(),
        ColumnType::Enum { values, .. } => {
            values.first().map(|word| word.clone().into_bytes()).unwrap_or_default()
        }
        ColumnType::Json => b"null".to_vec(),
        // Of a BIT that is 0, of a SET no member.
        _ => Vec::new(),
    }
}
