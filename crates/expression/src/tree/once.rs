//! Expressions whose value is the same for all rows of an execution: over literals, parameters and
//! the session (`NOW() - INTERVAL 7 DAY`, `-5`).
//!
//! Invariants
//! 1. A value is known by its node's number: clones share it, as they are the same expression.
//!
//! Not here: what is known of them (`row::memo`), evaluating them (`evaluation::once`), which nodes
//! are marked (crate `plan`, `optimize::once`).

use std::fmt::{self, Debug, Formatter};
use std::sync::atomic::{AtomicU64, Ordering};

use values::datum::Value;
use values::types::ColumnType;

use crate::tree::node::{Kind, Node};

/// An expression that needs to be evaluated but once in an execution.
#[derive(Clone)]
pub struct OnceNode {
    node: Node,
    number: u64,
}

impl Debug for OnceNode {
    /// As its node: the number is no part of what it says.
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        self.node.fmt(formatter)
    }
}

impl PartialEq for OnceNode {
    /// The number is no part of what it says.
    fn eq(&self, other: &OnceNode) -> bool {
        self.node == other.node
    }
}

impl OnceNode {
    /// A node that is the same for all rows though it does not look so: a column of what a
    /// sub-query gave.
    pub fn of(node: Node) -> OnceNode {
        OnceNode { node, number: next_number() }
    }

    /// The expression.
    pub fn node(&self) -> &Node {
        &self.node
    }

    /// The same, to be changed; afterwards it is another.
    pub fn node_mut(&mut self) -> &mut Node {
        self.number = next_number();
        &mut self.node
    }

    /// What its value is known by.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }
}

fn next_number() -> u64 {
    static NUMBERS: AtomicU64 = AtomicU64::new(0);
    NUMBERS.fetch_add(1, Ordering::Relaxed)
}

impl Node {
    /// Marks what within this expression is the same for all rows and takes an evaluation.
    pub fn evaluate_once(&mut self) {
        match &self.kind {
            Kind::Constant(_) | Kind::Parameter(_) | Kind::Once(_) => {}
            // What is compared with JSON is seen as JSON, however it compares otherwise.
            _ if self.is_constant() && self.ty != ColumnType::Json => {
                let (ty, nullable) = (self.ty.clone(), self.nullable);
                let node = std::mem::replace(self, Node::constant(Value::Null));
                let once = OnceNode::of(node);
                *self = Node::new(Kind::Once(Box::new(once)), ty, nullable);
            }
            _ => self.each_child_mut(&mut |child| child.evaluate_once()),
        }
    }
}
