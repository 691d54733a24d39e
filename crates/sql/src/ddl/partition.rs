//! PARTITION BY: from what was written to what a definition keeps, and back to MySQL's text.
//!
//! Values of partitions are evaluated once, when they are said, and kept as texts: numbers where
//! partitions are told by an expression, else values of the columns. Which functions may stand in
//! an expression: MySQL 9.7 manual, 26.6.3.
//!
//! Not here: grammar (`syntax::partition`), which row is where (`rows::partition`).

use expression::{Arithmetic, Environment, Function, Kind, Node};
use rows::partition::{
    Partition, PartitionChange, PartitionFault, PartitionMethod, PartitionNaming, PartitionRule,
    PartitionValue, PartitionedBy, Partitioning, Subpartition, Subpartitioning,
};
use rows::schema::{Column, TableDefinition};
use sqlparser::ast::Expr;
use syntax::definition_text;
use syntax::partition::{
    AlterPartitionSpec, DividedBySpec, MethodSpec, PartitionBySpec, PartitionSpec,
    PartitionValueSpec, PartitionValuesSpec, SubpartitionBySpec,
};
use syntax::rule::{rule, rule_text};
use values::datum::Datum;
use values::temporal::Zone;
use values::text::write_text;
use values::types::{ColumnType, string_literal};
use values::{ErrorCode, SqlMode};

use super::partition_function::check_function;
use plan::bind::scalar::{Names, bind};
use results::{Result, SqlError};

/// Most partitions of a table.
const PARTITIONS_MAX: u64 = 8192;

/// What partitions are told by, and the columns that it is of.
struct Scheme<'a> {
    method: PartitionMethod,
    by: &'a PartitionedBy,
    columns: &'a [Column],
    mode: SqlMode,
    zone: Zone,
}

fn fault(fault: PartitionFault) -> SqlError {
    rows::Error::from(rows::BrokenRule::Partitioning(fault)).into()
}

/// PARTITION BY of a table with these columns; numbers are given later.
///
/// # Errors
/// Those of its values, and of what is written where it does not belong.
pub fn partitioning_of(
    spec: &PartitionBySpec,
    columns: &[Column],
    (mode, zone): (SqlMode, Zone),
) -> Result<Partitioning> {
    let method = method_of(spec.method);
    let by = divided_by(&spec.by, columns)?;
    let is_listed = matches!(method, PartitionMethod::Range | PartitionMethod::List);
    if is_listed && spec.partitions.is_empty() {
        let of = if method == PartitionMethod::Range { "RANGE" } else { "LIST" };
        return Err(fault(PartitionFault::NotDefined(of)));
    }
    let count = spec.count.unwrap_or(1);
    if count > PARTITIONS_MAX {
        return Err(fault(PartitionFault::TooMany));
    }
    let scheme = Scheme { method, by: &by, columns, mode, zone };
    let (partitions, naming) = match spec.partitions.is_empty() {
        true => {
            let counted = |at: u64| Partition {
                id: 0,
                name: format!("p{at}"),
                values: Vec::new(),
                comment: String::new(),
                subpartitions: Vec::new(),
            };
            let naming = match spec.count {
                Some(_) => PartitionNaming::Counted,
                None => PartitionNaming::Implied,
            };
            ((0..count).map(counted).collect(), naming)
        }
        false => (scheme.partitions(&spec.partitions)?, PartitionNaming::Listed),
    };
    let subpartitioning = match &spec.subpartition {
        None => None,
        Some(within) => Some(subpartitioning_of(within, &partitions, columns)?),
    };
    let linear = spec.linear;
    let partitioning =
        Partitioning { method, linear, by, subpartitioning, partitions, naming, next: 1 };
    check_subpartitions(&partitioning, &partitioning.partitions)?;
    Ok(partitioning)
}

fn method_of(method: MethodSpec) -> PartitionMethod {
    match method {
        MethodSpec::Range => PartitionMethod::Range,
        MethodSpec::List => PartitionMethod::List,
        MethodSpec::Hash => PartitionMethod::Hash,
        MethodSpec::Key => PartitionMethod::Key,
    }
}

fn divided_by(spec: &DividedBySpec, columns: &[Column]) -> Result<PartitionedBy> {
    Ok(match spec {
        DividedBySpec::Expression(expression) => {
            check_function(expression, columns)?;
            PartitionedBy::Expression(rule_text(expression)?)
        }
        DividedBySpec::Columns(names) => PartitionedBy::Columns(names.clone()),
    })
}

/// SUBPARTITION BY, whose count is that of the first partition where none is said.
fn subpartitioning_of(
    spec: &SubpartitionBySpec,
    partitions: &[Partition],
    columns: &[Column],
) -> Result<Subpartitioning> {
    let written = partitions.iter().map(|partition| partition.subpartitions.len()).max();
    let written = written.filter(|count| *count > 0);
    let count = spec.count.or(written.map(|count| count as u64)).unwrap_or(1);
    if count > PARTITIONS_MAX {
        return Err(fault(PartitionFault::TooMany));
    }
    let naming = match (spec.count, written) {
        (_, Some(_)) => PartitionNaming::Listed,
        (Some(_), None) => PartitionNaming::Counted,
        (None, None) => PartitionNaming::Implied,
    };
    let (method, by) = (method_of(spec.method), divided_by(&spec.by, columns)?);
    Ok(Subpartitioning { method, linear: spec.linear, by, count: count as u32, naming })
}

/// Refuses partitions with other numbers of subpartitions than the table's; where those of one are
/// written in PARTITION BY, those of all are.
fn check_subpartitions(partitioning: &Partitioning, partitions: &[Partition]) -> Result<()> {
    let within = partitioning.subpartitioning.as_ref();
    let count = within.map_or(0, |within| within.count as usize);
    let is_written = partitions.iter().any(|partition| !partition.subpartitions.is_empty());
    if is_written && partitions.iter().any(|partition| partition.subpartitions.len() != count) {
        let message = "Wrong number of subpartitions defined, mismatch with previous setting";
        return Err(SqlError::new(ErrorCode::ParseError, message));
    }
    Ok(())
}

/// What ALTER TABLE says of a table's partitions; `None` of what changes none.
///
/// # Errors
/// As `partitioning_of`; 1505 of a table without partitions.
pub fn partition_change_of(
    spec: &AlterPartitionSpec,
    definition: &TableDefinition,
    session: (SqlMode, Zone),
) -> Result<Option<PartitionChange>> {
    let columns = definition.named_columns();
    let new = |specs: &[PartitionSpec]| -> Result<Vec<Partition>> {
        let Some(partitioning) = &definition.partitioning else {
            return Err(fault(PartitionFault::None));
        };
        let (mode, zone) = session;
        let (method, by) = (partitioning.method, &partitioning.by);
        let partitions = Scheme { method, by, columns, mode, zone }.partitions(specs)?;
        check_subpartitions(partitioning, &partitions)?;
        Ok(partitions)
    };
    Ok(Some(match spec {
        AlterPartitionSpec::Divide(spec) => {
            PartitionChange::Divide(partitioning_of(spec, columns, session)?)
        }
        AlterPartitionSpec::Remove => PartitionChange::Remove,
        AlterPartitionSpec::Add(specs) => PartitionChange::Add(new(specs)?),
        AlterPartitionSpec::AddCounted(count) => {
            PartitionChange::AddCounted((*count).min(PARTITIONS_MAX + 1) as usize)
        }
        AlterPartitionSpec::Drop(names) => PartitionChange::Drop(names.clone()),
        AlterPartitionSpec::Truncate(names) => PartitionChange::Truncate(names.clone()),
        AlterPartitionSpec::Coalesce(count) => {
            PartitionChange::Coalesce((*count).min(PARTITIONS_MAX) as usize)
        }
        AlterPartitionSpec::Reorganize(names, specs) if names.is_empty() && specs.is_empty() => {
            return Err(fault(match definition.partitioning {
                None => PartitionFault::None,
                Some(_) => PartitionFault::ReorganizeNothing,
            }));
        }
        AlterPartitionSpec::Reorganize(names, specs) => {
            PartitionChange::Reorganize(names.clone(), new(specs)?)
        }
        AlterPartitionSpec::Rebuild(names) => PartitionChange::Rebuild(names.clone()),
        AlterPartitionSpec::Exchange { .. } => {
            // It stands alone, and is answered before.
            return Err(SqlError::unsupported("EXCHANGE PARTITION beside other changes"));
        }
        AlterPartitionSpec::Upkeep(..) => return Ok(None),
    }))
}

impl Scheme<'_> {
    fn partitions(&self, specs: &[PartitionSpec]) -> Result<Vec<Partition>> {
        specs.iter().map(|spec| self.partition(spec)).collect()
    }

    fn partition(&self, spec: &PartitionSpec) -> Result<Partition> {
        if spec.name.ends_with(' ') {
            let message = "Incorrect partition name";
            return Err(SqlError::new(ErrorCode::WrongPartitionName, message));
        }
        let wrong = |method, values| Err(fault(PartitionFault::WrongValues { method, values }));
        let values = match (&spec.values, self.method) {
            (PartitionValuesSpec::LessThan(row), PartitionMethod::Range) => {
                vec![self.row(&spec.name, row)?]
            }
            (PartitionValuesSpec::In(rows), PartitionMethod::List) => {
                rows.iter().map(|row| self.row(&spec.name, row)).collect::<Result<_>>()?
            }
            (PartitionValuesSpec::Nothing, PartitionMethod::Hash | PartitionMethod::Key) => {
                Vec::new()
            }
            (PartitionValuesSpec::Nothing, _) => {
                return Err(SqlError::new(
                    ErrorCode::ParseError,
                    match self.method {
                        PartitionMethod::Range => {
                            "Syntax error: RANGE PARTITIONING requires definition of VALUES LESS \
                             THAN for each partition"
                        }
                        _ => {
                            "Syntax error: LIST PARTITIONING requires definition of VALUES IN for \
                             each partition"
                        }
                    },
                ));
            }
            (PartitionValuesSpec::LessThan(_), _) => return wrong("RANGE", "LESS THAN"),
            (PartitionValuesSpec::In(_), _) => return wrong("LIST", "IN"),
        };
        let subpartitions = spec.subpartitions.iter().map(|within| {
            // Those without a comment have that of their partition (MySQL 9.7 answers so).
            let own = [&within.comment, &spec.comment].into_iter().find(|text| !text.is_empty());
            let comment = own.cloned().unwrap_or_default();
            Subpartition { name: within.name.clone(), comment }
        });
        Ok(Partition {
            id: 0,
            name: spec.name.clone(),
            values,
            comment: spec.comment.clone(),
            subpartitions: subpartitions.collect(),
        })
    }

    fn row(&self, name: &str, row: &[PartitionValueSpec]) -> Result<Vec<PartitionValue>> {
        let width = match self.by {
            PartitionedBy::Expression(_) => 1,
            PartitionedBy::Columns(names) => names.len(),
        };
        if row.len() != width {
            return Err(SqlError::new(
                ErrorCode::PartitionColumnList,
                "Inconsistency in usage of column lists for partitioning",
            ));
        }
        let value = |(at, spec): (usize, &PartitionValueSpec)| match spec {
            PartitionValueSpec::Maximum if self.method == PartitionMethod::Range => {
                Ok(PartitionValue::Maximum)
            }
            PartitionValueSpec::Maximum => Err(SqlError::new(
                ErrorCode::PartitionMaxvalue,
                "MAXVALUE can only be used in last partition definition",
            )),
            PartitionValueSpec::Value(expr) => self.value(name, at, expr),
        };
        row.iter().enumerate().map(value).collect()
    }

    /// The value of an expression, as of the column at a place among those that are named.
    fn value(&self, name: &str, at: usize, expr: &Expr) -> Result<PartitionValue> {
        let node = bind(expr, &Names::none("partition function", self.mode))?;
        if !node.is_of_row_alone() {
            return Err(not_constant());
        }
        let environment = Environment { mode: self.mode, ..Environment::bare(&[], self.zone) };
        let cell = node.evaluate(&environment.scope())?;
        let datum = cell.datum();
        if datum.is_null() {
            return match self.method {
                PartitionMethod::Range => Err(SqlError::new(
                    ErrorCode::NullInValuesLessThan,
                    "Not allowed to use NULL value in VALUES LESS THAN",
                )),
                _ => Ok(PartitionValue::Null),
            };
        }
        let names = match self.by {
            PartitionedBy::Expression(text) => return self.number(name, text, datum),
            PartitionedBy::Columns(names) => names,
        };
        let column = names.get(at).and_then(|name| {
            self.columns.iter().find(|column| column.name.eq_ignore_ascii_case(name))
        });
        let Some(column) = column else { return Err(fault(PartitionFault::FieldNotFound)) };
        let has_no_order = matches!(
            column.ty,
            ColumnType::Timestamp { .. }
                | ColumnType::Float(_)
                | ColumnType::Double(_)
                | ColumnType::Decimal { .. }
        );
        if has_no_order {
            return Err(fault(PartitionFault::FieldType(column.name.clone())));
        }
        let is_alike = match column.ty {
            ColumnType::Int { .. } => matches!(datum, Datum::Int(_) | Datum::UInt(_)),
            _ => !matches!(datum, Datum::Int(_) | Datum::UInt(_) | Datum::Decimal(_)),
        };
        let converted = column.convert(datum, self.zone);
        if !is_alike || converted.issue.is_some() {
            return Err(SqlError::new(
                ErrorCode::WrongTypeColumnValue,
                "Partition column values of incorrect type",
            ));
        }
        let mut text = Vec::new();
        write_text(&column.ty, converted.value.as_datum(), Zone::UTC, &mut text);
        Ok(PartitionValue::Text(String::from_utf8_lossy(&text).into_owned()))
    }

    fn number(&self, name: &str, text: &str, datum: Datum<'_>) -> Result<PartitionValue> {
        let number = match datum {
            Datum::Int(number) => i128::from(number),
            Datum::UInt(number) => i128::from(number),
            Datum::Decimal(number) if number.truncate(0) == Some(number) => {
                number.to_i128().unwrap_or_default()
            }
            _ => {
                let message = format!("VALUES value for partition '{name}' must have type INT");
                return Err(SqlError::new(ErrorCode::ValuesIsNotIntType, message));
            }
        };
        let is_unsigned = self.columns.iter().any(|column| {
            text == format!("`{}`", column.name)
                && matches!(column.ty, ColumnType::Int { unsigned: true, .. })
        });
        if is_unsigned && number < 0 {
            return Err(SqlError::new(
                ErrorCode::PartitionConstDomain,
                "Partition constant is out of partition function domain",
            ));
        }
        Ok(PartitionValue::Text(number.to_string()))
    }
}

pub(super) fn not_constant() -> SqlError {
    SqlError::new(
        ErrorCode::WrongExprInPartitionFunc,
        "Constant, random or timezone-dependent expressions in (sub)partitioning function are not \
         allowed",
    )
}

/// The rule by which rows of a definition are divided, if they are.
///
/// # Errors
/// Of its expression and its values.
pub(super) fn partition_rule(definition: &TableDefinition) -> Result<Option<PartitionRule>> {
    let Some(partitioning) = &definition.partitioning else { return Ok(None) };
    let inputs = match &partitioning.by {
        PartitionedBy::Expression(text) => vec![expression_of(definition, text)?],
        PartitionedBy::Columns(_) => {
            let mut inputs = Vec::new();
            for name in definition.partition_columns() {
                let at = definition.column(&name);
                let at = at.ok_or_else(|| fault(PartitionFault::FieldNotFound))?;
                let column = &definition.columns[at];
                inputs.push(Node::new(Kind::Column(at), column.ty.clone(), column.nullable));
            }
            inputs
        }
    };
    let within = partitioning.subpartitioning.as_ref().map(|within| &within.by);
    if let Some(PartitionedBy::Expression(text)) = within {
        expression_of(definition, text)?;
    }
    Ok(Some(PartitionRule::new(definition, inputs)?))
}

/// The expression by which rows are divided: a whole number that follows from the row's columns.
fn expression_of(definition: &TableDefinition, text: &str) -> Result<Node> {
    let names = Names::of(definition, None, "partition function", SqlMode::default());
    let node = bind(&rule(text)?, &names)?;
    if let Kind::Column(at) = node.kind {
        let column = &definition.columns[at];
        return match column.ty {
            ColumnType::Int { .. } | ColumnType::Year | ColumnType::Bit { .. } => Ok(node),
            _ => Err(fault(PartitionFault::FieldType(column.name.clone()))),
        };
    }
    let (mut is_allowed, mut depends, mut has_column) = (true, !node.is_of_row_alone(), false);
    node.visit(&mut |part| match &part.kind {
        Kind::Column(_) => has_column = true,
        Kind::Constant(_) | Kind::Negate(_) | Kind::Extract(..) => {}
        Kind::Arithmetic(operator, ..) => is_allowed &= *operator != Arithmetic::Divide,
        Kind::Call(function, arguments) => {
            is_allowed &= is_allowed_in_partitions(*function);
            let is_moment = |node: &Node| matches!(node.ty, ColumnType::Timestamp { .. });
            depends |= *function != Function::UnixTimestamp && arguments.iter().any(is_moment);
            // Of a DATETIME it is another moment in every zone.
            depends |= *function == Function::UnixTimestamp && !arguments.iter().all(is_moment);
        }
        _ => is_allowed = false,
    });
    if depends || !has_column {
        return Err(not_constant());
    }
    let is_number = matches!(node.ty, ColumnType::Int { .. } | ColumnType::Decimal { .. });
    if !is_allowed || !is_number {
        let message = "This partition function is not allowed";
        return Err(SqlError::new(ErrorCode::PartitionFunctionIsNotAllowed, message));
    }
    Ok(node)
}

fn is_allowed_in_partitions(function: Function) -> bool {
    const ALLOWED: [&str; 22] = [
        "ABS",
        "CEILING",
        "CEIL",
        "DATEDIFF",
        "DAY",
        "DAYOFMONTH",
        "DAYOFWEEK",
        "DAYOFYEAR",
        "FLOOR",
        "HOUR",
        "MICROSECOND",
        "MINUTE",
        "MOD",
        "MONTH",
        "QUARTER",
        "SECOND",
        "TIME_TO_SEC",
        "TO_DAYS",
        "TO_SECONDS",
        "UNIX_TIMESTAMP",
        "WEEKDAY",
        "YEAR",
    ];
    ALLOWED.contains(&function.name()) || function.name() == "YEARWEEK"
}

fn name_of(method: PartitionMethod, linear: bool) -> String {
    let name = match method {
        PartitionMethod::Range => "RANGE",
        PartitionMethod::List => "LIST",
        PartitionMethod::Hash => "HASH",
        PartitionMethod::Key => "KEY",
    };
    format!("{}{name}", if linear { "LINEAR " } else { "" })
}

/// MySQL's name of the method of subpartitions.
pub fn subpartition_method(within: &Subpartitioning) -> String {
    name_of(within.method, within.linear)
}

/// MySQL's name of a method.
pub fn method_name(partitioning: &Partitioning) -> String {
    let name = name_of(partitioning.method, partitioning.linear);
    let is_listed = matches!(partitioning.method, PartitionMethod::Range | PartitionMethod::List);
    let columns = if is_listed && partitioning.is_by_columns() { " COLUMNS" } else { "" };
    format!("{name}{columns}")
}

/// What partitions are told by, as information_schema shows it; `None` of KEY ().
pub fn expression_text(by: &PartitionedBy) -> Option<String> {
    match by {
        PartitionedBy::Expression(text) => Some(definition_text(text)),
        PartitionedBy::Columns(names) if names.is_empty() => None,
        PartitionedBy::Columns(names) => {
            Some(names.iter().map(|name| super::quoted(name)).collect::<Vec<_>>().join(","))
        }
    }
}

/// The values of a partition, as information_schema shows them; `None` where it has none.
pub fn description(definition: &TableDefinition, partition: &Partition) -> Option<String> {
    let partitioning = definition.partitioning.as_ref()?;
    let types: Vec<Option<&ColumnType>> = match &partitioning.by {
        PartitionedBy::Expression(_) => vec![None],
        PartitionedBy::Columns(_) => {
            let names = definition.partition_columns();
            let of = |name: &String| Some(&definition.columns[definition.column(name)?].ty);
            names.iter().map(of).collect()
        }
    };
    let shown = |row: &Vec<PartitionValue>| {
        let values = row.iter().zip(&types).map(|(value, ty)| match value {
            PartitionValue::Maximum => "MAXVALUE".to_owned(),
            PartitionValue::Null => "NULL".to_owned(),
            PartitionValue::Text(text) => match ty {
                None | Some(ColumnType::Int { .. }) => text.clone(),
                Some(_) => string_literal(text),
            },
        });
        values.collect::<Vec<_>>().join(",")
    };
    let mut rows: Vec<&Vec<PartitionValue>> = partition.values.iter().collect();
    if types.len() == 1 && types[0].is_none() {
        // MySQL shows NULL before the numbers.
        rows.sort_by_key(|row| row.first() != Some(&PartitionValue::Null));
    }
    let texts: Vec<String> = match types.len() > 1 && partitioning.method == PartitionMethod::List {
        true => rows.into_iter().map(|row| format!("({})", shown(row))).collect(),
        false => rows.into_iter().map(shown).collect(),
    };
    (!texts.is_empty()).then(|| texts.join(","))
}

fn names_text(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| plain_or_quoted(name)).collect();
    names.join(",")
}

/// PARTITION BY as SHOW CREATE TABLE prints it, behind a line's end.
pub(super) fn partition_by_text(definition: &TableDefinition) -> String {
    let Some(partitioning) = &definition.partitioning else { return String::new() };
    let is_listed = matches!(partitioning.method, PartitionMethod::Range | PartitionMethod::List);
    let (version, by) = match &partitioning.by {
        PartitionedBy::Expression(text) => {
            (50100, format!("{} ({})", method_name(partitioning), definition_text(text)))
        }
        PartitionedBy::Columns(names) => {
            let names = names_text(names);
            let method = method_name(partitioning);
            match method.strip_suffix(" COLUMNS") {
                Some(method) => (50500, format!("{method}  COLUMNS({names})")),
                None => (50100, format!("{method} ({names})")),
            }
        }
    };
    let mut text = format!("\n/*!{version} PARTITION BY {by}");
    if let Some(within) = &partitioning.subpartitioning {
        text.push_str(&format!("\nSUBPARTITION BY {} ", subpartition_method(within)));
        text.push_str(&match &within.by {
            PartitionedBy::Expression(text) => format!("({})", definition_text(text)),
            PartitionedBy::Columns(names) => format!("({})", names_text(names)),
        });
        if within.naming == PartitionNaming::Counted {
            text.push_str(&format!("\nSUBPARTITIONS {}", within.count));
        }
    }
    match partitioning.naming {
        PartitionNaming::Implied => {}
        PartitionNaming::Counted => {
            text.push_str(&format!("\nPARTITIONS {}", partitioning.partitions.len()));
        }
        PartitionNaming::Listed => {
            let line = |partition: &Partition| {
                let mut line = format!("PARTITION {}", plain_or_quoted(&partition.name));
                if let Some(values) = description(definition, partition).filter(|_| is_listed) {
                    line.push_str(&match partitioning.method {
                        PartitionMethod::Range
                            if values == "MAXVALUE" && !partitioning.is_by_columns() =>
                        {
                            " VALUES LESS THAN MAXVALUE".to_owned()
                        }
                        PartitionMethod::Range => format!(" VALUES LESS THAN ({values})"),
                        _ => format!(" VALUES IN ({values})"),
                    });
                }
                let within = partitioning.subpartitioning.as_ref();
                if within.is_some_and(|within| within.naming == PartitionNaming::Listed) {
                    let named = |within: Subpartition| {
                        let name = plain_or_quoted(&within.name);
                        place_text(definition, format!("SUBPARTITION {name}"), &within.comment)
                    };
                    let within = partitioning.subpartitions(partition).into_iter().map(named);
                    return format!("{line}\n ({})", within.collect::<Vec<_>>().join(",\n  "));
                }
                place_text(definition, line, &partition.comment)
            };
            let lines: Vec<String> = partitioning.partitions.iter().map(line).collect();
            text.push_str(&format!("\n({})", lines.join(",\n ")));
        }
    }
    text.push_str(" */");
    text
}

/// What stands behind a partition, or a subpartition.
fn place_text(definition: &TableDefinition, mut line: String, comment: &str) -> String {
    if !comment.is_empty() {
        line.push_str(&format!(" COMMENT = {}", string_literal(comment)));
    }
    format!("{line} ENGINE = {}", definition.engine)
}

/// A name as MySQL shows it among partitions: in backticks only where it must be.
fn plain_or_quoted(name: &str) -> String {
    let is_plain =
        name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$')
            && !name.bytes().all(|byte| byte.is_ascii_digit())
            && !syntax::keywords::is_reserved(name);
    if is_plain { name.to_owned() } else { super::quoted(name) }
}
