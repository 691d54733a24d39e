//! How long the comments of a definition may be, as in MySQL 9.7.
//!
//! Not here: keeping comments (`rows::schema`).

use syntax::alter::AlterSpec;
use syntax::partition::{AlterPartitionSpec, PartitionSpec};
use syntax::table::{ColumnSpec, CreateTable, Element, IndexSpec, KeySourceSpec};
use values::{ErrorCode, SqlMode};

use results::{Result, SqlError};

/// Characters of a table's comment.
const OF_TABLE_MAX: usize = 2048;
/// Characters of the comment of a column, an index or a partition.
const OF_PART_MAX: usize = 1024;

/// What cuts comments, or refuses them.
pub struct CommentLimits {
    mode: SqlMode,
    /// A warning for each comment that was cut.
    pub warnings: Vec<SqlError>,
}

impl CommentLimits {
    /// Those of a statement: in strict mode what is too long is refused.
    pub fn new(mode: SqlMode) -> CommentLimits {
        CommentLimits { mode, warnings: Vec::new() }
    }

    /// Cuts the comments of a new table.
    ///
    /// # Errors
    /// 1628, 1629, 1688 and 1793 for one that is too long, in strict mode.
    pub fn of_create(&mut self, create: &mut CreateTable) -> Result<()> {
        create.elements.iter_mut().try_for_each(|element| self.of_element(element))?;
        self.of_table(&create.name.table, create.options.comment.as_mut())?;
        let partitions = create.partitions.as_mut();
        self.of_partitions(partitions.map_or(&mut [], |by| by.partitions.as_mut_slice()))
    }

    /// Cuts the comments that changes of a table of this name bring.
    ///
    /// # Errors
    /// As `of_create`.
    pub fn of_changes(&mut self, table: &str, specs: &mut [AlterSpec]) -> Result<()> {
        for spec in specs {
            match spec {
                AlterSpec::AddColumn { column, .. } | AlterSpec::Change { column, .. } => {
                    self.of_column(column)?;
                }
                AlterSpec::Add(element) => self.of_element(element)?,
                AlterSpec::Options(options) => self.of_table(table, options.comment.as_mut())?,
                AlterSpec::Partitions(AlterPartitionSpec::Divide(by)) => {
                    self.of_partitions(&mut by.partitions)?;
                }
                AlterSpec::Partitions(
                    AlterPartitionSpec::Add(partitions)
                    | AlterPartitionSpec::Reorganize(_, partitions),
                ) => self.of_partitions(partitions)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn of_element(&mut self, element: &mut Element) -> Result<()> {
        match element {
            Element::Column(column) => self.of_column(column),
            Element::Index(index) => self.of_index(index),
            Element::ForeignKey(_) | Element::Check(_) => Ok(()),
        }
    }

    fn of_table(&mut self, name: &str, comment: Option<&mut String>) -> Result<()> {
        let Some(comment) = comment else { return Ok(()) };
        self.limit(comment, OF_TABLE_MAX, ErrorCode::TooLongTableComment, |most| {
            format!("Comment for table '{name}' is too long (max = {most})")
        })
    }

    fn of_column(&mut self, column: &mut ColumnSpec) -> Result<()> {
        let ColumnSpec { name, comment, .. } = column;
        self.limit(comment, OF_PART_MAX, ErrorCode::TooLongFieldComment, |most| {
            format!(
                "The maximum supported character limit for the field, '{name}', has been exceeded \
                 (max = {most})"
            )
        })
    }

    fn of_index(&mut self, index: &mut IndexSpec) -> Result<()> {
        let IndexSpec { name, parts, options, .. } = index;
        // One without a name is called after its first column.
        let first = parts.first().and_then(|part| match &part.of {
            KeySourceSpec::Column(column, _) => Some(column),
            KeySourceSpec::Expression(_) => None,
        });
        let name = name.as_ref().or(first).map_or("", |name| name.as_str());
        self.limit(&mut options.comment, OF_PART_MAX, ErrorCode::TooLongIndexComment, |most| {
            format!("Comment for index '{name}' is too long (max = {most})")
        })
    }

    fn of_partitions(&mut self, partitions: &mut [PartitionSpec]) -> Result<()> {
        for PartitionSpec { name, comment, .. } in partitions {
            let code = ErrorCode::TooLongTablePartitionComment;
            self.limit(comment, OF_PART_MAX, code, |most| {
                format!("Comment for table partition '{name}' is too long (max = {most})")
            })?;
        }
        Ok(())
    }

    fn limit(
        &mut self,
        comment: &mut String,
        most: usize,
        code: ErrorCode,
        message: impl Fn(usize) -> String,
    ) -> Result<()> {
        let Some((end, _)) = comment.char_indices().nth(most) else { return Ok(()) };
        let error = SqlError::new(code, message(most));
        if self.mode.strict() {
            return Err(error);
        }
        comment.truncate(end);
        self.warnings.push(error);
        Ok(())
    }
}
