//! The list of an IN.
//!
//! Invariants
//! 1. A list is known by its number: clones share it, as they have the same nodes; code that may
//!    change a node gives the list another one.
//!
//! Not here: what is found out about its values (`row::lists`), looking for one (`evaluation`).

use std::fmt::{self, Debug, Formatter};
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::tree::node::Node;

/// The list of an IN.
#[derive(Clone)]
pub struct List {
    nodes: Vec<Node>,
    number: u64,
}

impl List {
    /// A list of these.
    pub fn new(nodes: Vec<Node>) -> List {
        static NUMBERS: AtomicU64 = AtomicU64::new(0);
        List { nodes, number: NUMBERS.fetch_add(1, Ordering::Relaxed) }
    }

    /// What it is known by.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }
}

impl Deref for List {
    type Target = [Node];

    fn deref(&self) -> &[Node] {
        &self.nodes
    }
}

impl DerefMut for List {
    fn deref_mut(&mut self) -> &mut [Node] {
        *self = List::new(std::mem::take(&mut self.nodes));
        &mut self.nodes
    }
}

impl Debug for List {
    /// As its nodes: the number is no part of what it says.
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        self.nodes.fmt(formatter)
    }
}

impl PartialEq for List {
    fn eq(&self, other: &List) -> bool {
        self.nodes == other.nodes
    }
}
