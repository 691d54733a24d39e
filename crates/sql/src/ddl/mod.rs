//! CREATE, ALTER and DROP: from what was written to what `rows` is to make.
//!
//! Not here: the grammar (`syntax::table`), the making itself (`rows::ddl`, `rows::alter`).

mod alter;
mod column;
mod comments;
mod condition;
mod create;
mod default_expression;
mod engine;
mod index_names;
mod names_before;
mod of_query;
mod partition;
mod partition_function;
mod print;
mod rules;
mod storage_options;
mod view;
mod whole_numbers;

pub use alter::{alterations, table_collation};
pub use column::{default_text, doubled_word, quoted_text, refuse_defaults};
pub use comments::CommentLimits;
pub use create::{new_table, new_table_like};
pub use engine::unknown_engine;
pub use of_query::column_of_result;
pub use partition::{description, expression_text, method_name, subpartition_method};
pub use print::{create_table_text, quoted, says_collation};
pub use rules::make_rules;
pub use storage_options::{listed_options, row_format};
pub use view::{create_view_text, security_word};
pub use whole_numbers::smaller_type;
