//! What ALTER TABLE makes of a table's partitions.
//!
//! Invariants
//! 1. A partition that is emptied gets another number, so that its old range is nobody's.
//! 2. Where rows may have to move, all numbers are new and the table is copied.
//!
//! Not here: removing ranges and copying rows (`alter`).

use super::scheme::add_partition_column;
use crate::broken_rule::BrokenRule;
use crate::error::Result;
use crate::partition_fault::PartitionFault;
use crate::partitioning::{
    Partition, PartitionId, PartitionMethod, PartitionNaming, PartitionValue, Partitioning,
};
use crate::schema::{IndexState, TableDefinition};

/// A change of a table's partitions. New ones come without numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartitionChange {
    /// PARTITION BY.
    Divide(Partitioning),
    /// REMOVE PARTITIONING.
    Remove,
    /// ADD PARTITION (..).
    Add(Vec<Partition>),
    /// ADD PARTITION PARTITIONS n.
    AddCounted(usize),
    /// DROP PARTITION.
    Drop(Vec<String>),
    /// TRUNCATE PARTITION; `None`: all.
    Truncate(Option<Vec<String>>),
    /// COALESCE PARTITION.
    Coalesce(usize),
    /// REORGANIZE PARTITION .. INTO.
    Reorganize(Vec<String>, Vec<Partition>),
    /// REBUILD PARTITION; `None`: all. What is stored is never worth it.
    Rebuild(Option<Vec<String>>),
}

/// What a change needs besides the new definition.
#[derive(Debug, Default)]
pub(crate) struct PartitionEffect {
    /// Partitions whose ranges are to go.
    pub gone: Vec<PartitionId>,
    /// Whether all rows are to be copied.
    pub rebuild: bool,
    /// Whether the table has no partitions any more.
    pub is_whole: bool,
}

fn fault<T>(fault: PartitionFault) -> Result<T> {
    Err(BrokenRule::Partitioning(fault).into())
}

/// Applies a change to a definition.
///
/// # Errors
/// `Definition`.
pub(crate) fn apply_change(
    definition: &mut TableDefinition,
    change: PartitionChange,
) -> Result<PartitionEffect> {
    let copied = || PartitionEffect { rebuild: true, ..PartitionEffect::default() };
    if let PartitionChange::Divide(mut new) = change {
        let before = definition.partitioning.take();
        new.next = before.as_ref().map_or(1, |before| before.next);
        new.renumber();
        definition.partitioning = Some(new);
        if before.is_none() {
            add_partition_column(definition)?;
        }
        return Ok(copied());
    }
    let table = definition.name.clone();
    debug_assert!(definition.indexes.iter().all(|index| index.state == IndexState::Ready));
    let Some(partitioning) = &mut definition.partitioning else {
        return fault(PartitionFault::None);
    };
    let is_listed = matches!(partitioning.method, PartitionMethod::Range | PartitionMethod::List);
    match change {
        PartitionChange::Divide(_) => unreachable!("answered above"),
        PartitionChange::Remove => {
            definition.partitioning = None;
            Ok(PartitionEffect { rebuild: true, is_whole: true, ..PartitionEffect::default() })
        }
        PartitionChange::Add(new) if is_listed => {
            for partition in new {
                let id = partitioning.take_id();
                partitioning.partitions.push(Partition { id, ..partition });
            }
            Ok(PartitionEffect::default())
        }
        PartitionChange::Add(new) => {
            for partition in new {
                partitioning.partitions.push(partition);
            }
            partitioning.naming = PartitionNaming::Listed;
            partitioning.renumber();
            Ok(copied())
        }
        PartitionChange::AddCounted(_) if is_listed => {
            let method = match partitioning.method {
                PartitionMethod::Range => "RANGE",
                _ => "LIST",
            };
            fault(PartitionFault::NotDefined(method))
        }
        PartitionChange::AddCounted(0) => fault(PartitionFault::AddNone),
        PartitionChange::AddCounted(count) => {
            partitioning.push_counted(count);
            if partitioning.naming == PartitionNaming::Implied {
                partitioning.naming = PartitionNaming::Counted;
            }
            partitioning.renumber();
            Ok(copied())
        }
        PartitionChange::Drop(_) if !is_listed => fault(PartitionFault::OnlyRangeList("DROP")),
        PartitionChange::Drop(names) => {
            let mut gone = Vec::with_capacity(names.len());
            for name in &names {
                let Some(at) = partitioning.partition(name) else {
                    return fault(PartitionFault::NotThere("DROP"));
                };
                gone.push(partitioning.partitions.remove(at).id);
            }
            if partitioning.partitions.is_empty() {
                return fault(PartitionFault::AllGone);
            }
            Ok(PartitionEffect { gone, ..PartitionEffect::default() })
        }
        PartitionChange::Truncate(names) => {
            let places = places(partitioning, names.as_deref(), &table)?;
            let mut gone = Vec::with_capacity(places.len());
            for at in places {
                let id = partitioning.take_id();
                gone.push(std::mem::replace(&mut partitioning.partitions[at].id, id));
            }
            Ok(PartitionEffect { gone, ..PartitionEffect::default() })
        }
        PartitionChange::Rebuild(names) => {
            places(partitioning, names.as_deref(), &table)?;
            Ok(PartitionEffect::default())
        }
        PartitionChange::Coalesce(_) if is_listed => fault(PartitionFault::OnlyHash),
        PartitionChange::Coalesce(0) => fault(PartitionFault::CoalesceNone),
        PartitionChange::Coalesce(count) => {
            let Some(left) = partitioning.partitions.len().checked_sub(count).filter(|n| *n > 0)
            else {
                return fault(PartitionFault::AllGone);
            };
            partitioning.partitions.truncate(left);
            partitioning.renumber();
            Ok(copied())
        }
        PartitionChange::Reorganize(..) if !is_listed => {
            fault(PartitionFault::OnlyRangeList("REORGANIZE"))
        }
        PartitionChange::Reorganize(names, new) => {
            let mut places = Vec::with_capacity(names.len());
            for name in &names {
                match partitioning.partition(name) {
                    Some(at) => places.push(at),
                    None => return fault(PartitionFault::NotThere("REORGANIZE")),
                }
            }
            places.sort_unstable();
            let (Some(first), Some(last)) = (places.first(), places.last()) else {
                return fault(PartitionFault::NotThere("REORGANIZE"));
            };
            let (first, last) = (*first, *last);
            if last - first + 1 != places.len() {
                return fault(PartitionFault::NotConsecutive);
            }
            if partitioning.method == PartitionMethod::Range {
                let before = &partitioning.partitions[last].values;
                let is_last = last + 1 == partitioning.partitions.len();
                let now = new.last().map(|partition| &partition.values);
                let keeps = now.is_some_and(|now| now == before || is_last && reaches(now, before));
                if !keeps {
                    return fault(PartitionFault::RangeChanged);
                }
            }
            partitioning.partitions.splice(first..=last, new);
            partitioning.renumber();
            Ok(copied())
        }
    }
}

/// Positions of partitions by name; all where none are named.
fn places(
    partitioning: &Partitioning,
    names: Option<&[String]>,
    table: &str,
) -> Result<Vec<usize>> {
    let Some(names) = names else { return Ok((0..partitioning.partitions.len()).collect()) };
    let place = |name: &String| match partitioning.partition(name) {
        Some(at) => Ok(at),
        None => fault(PartitionFault::Unknown { name: name.clone(), table: table.to_owned() }),
    };
    let mut places = names.iter().map(place).collect::<Result<Vec<usize>>>()?;
    places.sort_unstable();
    places.dedup();
    Ok(places)
}

/// Whether a bound is not less than another one, as far as their texts tell: whole numbers are
/// compared, of columns' values the rule of the new table tells.
fn reaches(now: &[Vec<PartitionValue>], before: &[Vec<PartitionValue>]) -> bool {
    let value = |of: &[Vec<PartitionValue>]| of.first().and_then(|row| row.first()).cloned();
    match (value(now), value(before)) {
        (Some(PartitionValue::Maximum), _) => true,
        (Some(PartitionValue::Text(now)), Some(PartitionValue::Text(before))) => {
            match (now.parse::<i128>(), before.parse::<i128>()) {
                (Ok(now), Ok(before)) => now >= before,
                _ => now >= before,
            }
        }
        _ => false,
    }
}
