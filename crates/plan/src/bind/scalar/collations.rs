//! The collation under which operands compare, or why there is none.
//!
//! Not here: which collation is the stronger one, and which mix (`expression::mixed_result`).

use expression::{Comparison, Kind, Node, UNDECIDED, common_rule, mixed_result};
use syntax::types::with_collation;
use values::codes::shown_bytes;
use values::types::{Collation, ColumnType};
use values::{ErrorCode, SqlMode, Value};

use super::Bound;
use results::SqlError;

/// Text that is made of no other text has the connection's collation, as literals have, and what
/// CAST makes.
pub fn of_connection(node: Node, mode: SqlMode) -> Node {
    let (rule, known) = (mode.connection_collation(), node.ty.collation());
    // `binary` would make bytes of them.
    if known != Some(UNSAID) || rule == UNSAID || rule == Collation::Binary {
        return node;
    }
    let is_its = match &node.kind {
        Kind::Constant(_) | Kind::Parameter(_) | Kind::Cast(_) | Kind::Shift(..) => true,
        // One that was given nothing.
        Kind::UserVariable(_) => matches!(node.ty, ColumnType::VarChar { .. }),
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
/// The coercibility of a literal, and of a number.
const COERCIBLE: u8 = 4;
const NUMERIC: u8 = 5;

/// The coercibility of what has a COLLATE of its own.
const EXPLICIT: u8 = 0;

/// The collation under which operands of an operation compare.
///
/// # Errors
/// 1267 and its kin where two of them insist on different ones by COLLATE.
pub fn rule_of(operands: &[&Node], operation: &str) -> Bound<Collation> {
    refuse_mix(operands, operation, MixOf::Compared)?;
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

/// Refuses a literal that has a character which a collation's character set has not.
fn refuse_literal(node: &Node, collation: Collation) -> Bound<()> {
    let Kind::Constant(Value::Bytes(text)) = &node.kind else { return Ok(()) };
    let (own, set) = (node.collation().0.set(), collation.set());
    if own.is_binary() || set.is_binary() || set.has_all(text) {
        return Ok(());
    }
    let shown = shown_bytes(&own.encode(text));
    let (own, set) = (own.name(), set.name());
    let message = format!("Cannot convert string '{shown}' from {own} to {set}");
    Err(SqlError::new(ErrorCode::CannotConvertString, message).into())
}

/// What an operation makes of its operands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum MixOf {
    /// They are compared, which takes one collation.
    Compared,
    /// Text: columns of different collations may be part of it.
    Text,
}

/// Refuses operands whose collations do not mix, and literals that have characters which the
/// character set of the others has not.
///
/// # Errors
/// 1267 of two operands, 1270 of three, 1271 of more; 3854 of a literal.
pub fn refuse_mix(operands: &[&Node], operation: &str, of: MixOf) -> Bound<()> {
    // Where there are numbers, numbers are compared.
    let texts = operands.iter().filter(|node| node.is_text()).map(|node| node.collation());
    let mut texts = texts.filter(|(_, strength)| *strength < NUMERIC || *strength == UNDECIDED);
    let Some(first) = texts.next() else { return Ok(()) };
    // Of what is compared, columns of different collations leave it to COLLATE alone.
    let mut is_left = false;
    let mixed = texts.try_fold(first, |sum, text| {
        let mixed = mixed_result(sum, text)?;
        let differ = mixed.1 == UNDECIDED && sum.1 != UNDECIDED;
        is_left = (is_left || differ) && text.1 != EXPLICIT;
        Some(mixed)
    });
    let is_alone = operands.len() == 1;
    let is_mix = |strength| of == MixOf::Text || is_alone || strength != UNDECIDED && !is_left;
    if let Some((collation, _)) = mixed.filter(|(_, strength)| is_mix(*strength)) {
        return operands.iter().try_for_each(|node| refuse_literal(node, collation));
    }
    let (code, named) = match operands.len() {
        2 => (ErrorCode::CantAggregate2collations, true),
        3 => (ErrorCode::CantAggregate3collations, true),
        _ => (ErrorCode::CantAggregateNcollations, false),
    };
    let shown = |node: &&Node| {
        let (collation, coercibility) = node.collation();
        let strength = match coercibility {
            EXPLICIT => "EXPLICIT",
            UNDECIDED => "NONE",
            2 => "IMPLICIT",
            3 => "SYSCONST",
            4 => "COERCIBLE",
            NUMERIC => "NUMERIC",
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
