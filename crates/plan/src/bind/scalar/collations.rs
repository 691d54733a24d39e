//! The collation under which operands compare, or why there is none.
//!
//! Columns of different collations still compare, under the one that tells more apart: what
//! character set they were declared with, which decides in MySQL, is not known here.
//!
//! Not here: which collation is the stronger one (`expression`).

use expression::{Comparison, Kind, Node, common_rule};
use syntax::types::with_collation;
use values::types::Collation;
use values::{ErrorCode, SqlMode};

use super::Bound;
use results::SqlError;

/// Text that is made of no other text has the connection's collation, as literals and variables
/// have, and what CAST makes.
pub fn of_connection(node: Node, mode: SqlMode) -> Node {
    let (rule, known) = (mode.connection_collation(), node.ty.collation());
    // `binary` would make bytes of them.
    if known != Some(UNSAID) || rule == UNSAID || rule == Collation::Binary {
        return node;
    }
    let is_its = match &node.kind {
        Kind::Constant(_)
        | Kind::Parameter(_)
        | Kind::UserVariable(_)
        | Kind::Cast(_)
        | Kind::Shift(..) => true,
        Kind::Call(function, _) if function.gives_text_as_literal() => true,
        _ => {
            let mut is_of_text = false;
            node.each_child(&mut |child| is_of_text |= child.is_text());
            node.collation().1 >= COERCIBLE && !is_of_text
        }
    };
    match is_its {
        true => Node { ty: with_collation(&node.ty, rule), ..node },
        false => node,
    }
}

/// The collation of text of which nothing else is said.
const UNSAID: Collation = Collation::Utf8Mb4GeneralCi;
/// The coercibility of a literal.
const COERCIBLE: u8 = 4;

/// The collation under which operands of an operation compare.
///
/// # Errors
/// 1267 and its kin where two of them insist on different ones by COLLATE.
pub fn rule_of(operands: &[&Node], operation: &str) -> Bound<Collation> {
    refuse_mix(operands, operation)?;
    Ok(common_rule(operands.iter().copied()))
}

/// As `rule_of`, of a comparison.
///
/// # Errors
/// As `rule_of`.
pub fn rule_of_comparison(a: &Node, comparison: Comparison, b: &Node) -> Bound<Collation> {
    let operation = match comparison {
        Comparison::Equal => "=",
        Comparison::NotEqual => "<>",
        Comparison::Less => "<",
        Comparison::LessEqual => "<=",
        Comparison::Greater => ">",
        Comparison::GreaterEqual => ">=",
        Comparison::NullSafeEqual => "<=>",
    };
    rule_of(&[a, b], operation)
}

/// Refuses operands that insist on different collations.
///
/// # Errors
/// 1267 of two operands, 1270 of three, 1271 of more.
pub fn refuse_mix(operands: &[&Node], operation: &str) -> Bound<()> {
    let insisted = |node: &&Node| match node.collation() {
        // Bytes have none of their own.
        (collation, 0) if collation != Collation::Binary => Some(collation),
        _ => None,
    };
    let mut all = operands.iter().filter_map(insisted);
    let Some(first) = all.next() else { return Ok(()) };
    if all.all(|other| other == first) {
        return Ok(());
    }
    let (code, named) = match operands.len() {
        2 => (ErrorCode::CantAggregate2collations, true),
        3 => (ErrorCode::CantAggregate3collations, true),
        _ => (ErrorCode::CantAggregateNcollations, false),
    };
    let shown = |node: &&Node| {
        let (collation, coercibility) = node.collation();
        let strength = match coercibility {
            0 => "EXPLICIT",
            1 => "NONE",
            2 => "IMPLICIT",
            3 => "SYSCONST",
            4 => "COERCIBLE",
            5 => "NUMERIC",
            _ => "IGNORABLE",
        };
        format!("({},{strength})", collation.name())
    };
    let message = match named {
        true => {
            let mut shown: Vec<String> = operands.iter().map(shown).collect();
            let last = shown.pop().unwrap_or_default();
            let rest = shown.join(", ");
            let and = if operands.len() == 2 { " and " } else { ", " };
            format!("Illegal mix of collations {rest}{and}{last} for operation '{operation}'")
        }
        false => format!("Illegal mix of collations for operation '{operation}'"),
    };
    Err(SqlError::new(code, message).into())
}
