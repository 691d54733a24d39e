//! Window functions: `f(...) OVER (...)`, each computed over the rows of a partition in an order.
//!
//! A SELECT computes them over its rows, or its groups' rows, before DISTINCT and ORDER BY. Above
//! them a row has the functions' values, then the inputs: what is kept of the row beneath.
//!
//! Invariants
//! 1. What functions are over are columns of that row; expressions are among the inputs.
//!
//! Not here: computing them (`executor::window`), how they are written (`bind::window`).

use expression::Node;
use values::types::ColumnType;

use super::Aggregate;

/// The window functions of a SELECT.
#[derive(Clone, Debug, Default)]
pub struct Windowing {
    /// The functions.
    pub functions: Vec<WindowFunction>,
    /// What is kept of each row beneath: expressions over it.
    pub inputs: Vec<Node>,
}

/// A use of a window function.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowFunction {
    /// What is computed.
    pub call: WindowCall,
    /// Over which rows.
    pub window: Window,
    /// Its result.
    pub ty: ColumnType,
    /// Whether that can be NULL.
    pub nullable: bool,
}

impl WindowFunction {
    /// Whether rows that come in another order give another result, where they are all peers.
    pub fn depends_on_order(&self) -> bool {
        match &self.call {
            WindowCall::RowNumber
            | WindowCall::Tile(_)
            | WindowCall::Neighbour { .. }
            | WindowCall::First(_)
            | WindowCall::Last(_)
            | WindowCall::Nth(..) => true,
            WindowCall::Rank
            | WindowCall::DenseRank
            | WindowCall::PercentRank
            | WindowCall::CumulativeDistribution => false,
            WindowCall::Aggregate(_) => self.window.frame.counts_rows,
        }
    }
}

/// The functions that are only ones over windows.
pub const WINDOW_FUNCTIONS: [&str; 11] = [
    "ROW_NUMBER",
    "RANK",
    "DENSE_RANK",
    "PERCENT_RANK",
    "CUME_DIST",
    "NTILE",
    "LAG",
    "LEAD",
    "FIRST_VALUE",
    "LAST_VALUE",
    "NTH_VALUE",
];

/// What a window function computes.
#[derive(Clone, Debug, PartialEq)]
pub enum WindowCall {
    /// ROW_NUMBER.
    RowNumber,
    /// RANK.
    Rank,
    /// DENSE_RANK.
    DenseRank,
    /// PERCENT_RANK.
    PercentRank,
    /// CUME_DIST.
    CumulativeDistribution,
    /// NTILE: into how many parts.
    Tile(Node),
    /// LAG and LEAD.
    Neighbour {
        /// What is given of the neighbour.
        value: Node,
        /// How many rows away; 1 if it is not said.
        distance: Option<Node>,
        /// What is given where there is no such row.
        otherwise: Option<Node>,
        /// LEAD.
        ahead: bool,
    },
    /// FIRST_VALUE.
    First(Node),
    /// LAST_VALUE.
    Last(Node),
    /// NTH_VALUE: of what, and which.
    Nth(Node, Node),
    /// An aggregate over the frame.
    Aggregate(Aggregate),
}

/// The rows that a function is over.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// PARTITION BY.
    pub partition: Vec<Node>,
    /// ORDER BY; the flag says DESC.
    pub order: Vec<(Node, bool)>,
    /// Which of the partition's rows.
    pub frame: Frame,
}

/// A part of a partition around a row.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// ROWS: bounds count rows. Otherwise RANGE: rows with equal keys are in it together.
    pub counts_rows: bool,
    /// Where it begins.
    pub start: FrameBound,
    /// Where it ends.
    pub end: FrameBound,
}

/// An end of a frame.
#[derive(Clone, Debug, PartialEq)]
pub enum FrameBound {
    /// The partition's first or last row, according to which end it is.
    Unbounded,
    /// The row, or those with its key.
    Current,
    /// ROWS: so many rows before it. RANGE: the key that is so far before the row's.
    Before(Node),
    /// The same behind it.
    Behind(Node),
}

impl Frame {
    /// The whole partition.
    pub const WHOLE: Frame =
        Frame { counts_rows: false, start: FrameBound::Unbounded, end: FrameBound::Unbounded };
    /// From the partition's first row to those with the row's key.
    pub const SO_FAR: Frame =
        Frame { counts_rows: false, start: FrameBound::Unbounded, end: FrameBound::Current };
}

impl Window {
    /// Whether its rows are sorted like another's.
    pub fn is_sorted_like(&self, other: &Window) -> bool {
        self.partition == other.partition && self.order == other.order
    }
}

impl WindowCall {
    /// What a row of the frame, or the row itself, is asked for.
    pub fn nodes_mut(&mut self) -> Vec<&mut Node> {
        match self {
            WindowCall::RowNumber
            | WindowCall::Rank
            | WindowCall::DenseRank
            | WindowCall::PercentRank
            | WindowCall::CumulativeDistribution => Vec::new(),
            WindowCall::Tile(node) | WindowCall::First(node) | WindowCall::Last(node) => vec![node],
            WindowCall::Neighbour { value, distance, otherwise, .. } => {
                std::iter::once(value).chain(distance).chain(otherwise).collect()
            }
            WindowCall::Nth(value, number) => vec![value, number],
            WindowCall::Aggregate(aggregate) => aggregate.arguments.iter_mut().collect(),
        }
    }
}

impl WindowFunction {
    /// The expressions that it is over.
    pub fn nodes_mut(&mut self) -> Vec<&mut Node> {
        let mut nodes = self.call.nodes_mut();
        nodes.extend(&mut self.window.partition);
        nodes.extend(self.window.order.iter_mut().map(|(node, _)| node));
        for bound in [&mut self.window.frame.start, &mut self.window.frame.end] {
            if let FrameBound::Before(node) | FrameBound::Behind(node) = bound {
                nodes.push(node);
            }
        }
        nodes
    }
}
