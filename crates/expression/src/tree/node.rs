//! The bound expression.
//!
//! Invariants
//! 1. Names are resolved: a column is a position in its table.
//! 2. The collation of a comparison is decided when it is bound.
//!
//! Not here: how it is made (`functions::make`; crate `plan`, `bind`) and evaluated (`evaluation`).

use std::cmp::Ordering;

use values::datum::Value;
use values::language::Sensitivity;
use values::types::{Collation, ColumnType, LobSize};

use crate::tree::function::Function;
use crate::tree::list::List;
use crate::tree::once::OnceNode;
use crate::tree::subquery::Subquery;
use crate::value::arithmetic::Arithmetic;
use crate::value::moment::Unit;
use crate::value::number::{is_beyond_number, number_of_digits};
use crate::value::types::{BIGINT, BIGINT_UNSIGNED, RESULT_CHARS_MAX, TRUTH, text_type};

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `<>`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `<=>`
    NullSafeEqual,
}

impl Comparison {
    /// Whether it holds for values in this order.
    pub fn holds(self, order: Ordering) -> bool {
        match self {
            Comparison::Equal | Comparison::NullSafeEqual => order == Ordering::Equal,
            Comparison::NotEqual => order != Ordering::Equal,
            Comparison::Less => order == Ordering::Less,
            Comparison::LessEqual => order != Ordering::Greater,
            Comparison::Greater => order == Ordering::Greater,
            Comparison::GreaterEqual => order != Ordering::Less,
        }
    }

    /// Whether it holds for values above another, or (`Some(false)`) below it.
    pub fn wants_greater(self) -> Option<bool> {
        match self {
            Comparison::Less | Comparison::LessEqual => Some(false),
            Comparison::Greater | Comparison::GreaterEqual => Some(true),
            Comparison::Equal | Comparison::NotEqual | Comparison::NullSafeEqual => None,
        }
    }

    /// The comparison with its sides exchanged.
    pub fn mirrored(self) -> Comparison {
        match self {
            Comparison::Less => Comparison::Greater,
            Comparison::LessEqual => Comparison::GreaterEqual,
            Comparison::Greater => Comparison::Less,
            Comparison::GreaterEqual => Comparison::LessEqual,
            same => same,
        }
    }
}

/// What a node computes.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A constant.
    Constant(Value),
    /// A literal taken out of the text, or a `?`.
    Parameter(u16),
    /// A column of the row.
    Column(usize),
    /// A column of the row that INSERT would add.
    Incoming(usize),
    /// A slot of a row further out: of the SELECT so many levels around this one, or, at level 0,
    /// of what is joined before the relation whose row is at hand.
    Outer(u16, usize),
    /// An aggregate of this SELECT, by number. Only while the SELECT is bound.
    Aggregate(usize),
    /// A window function of this SELECT, by number. Only while the SELECT is bound.
    Window(usize),
    /// A sub-query.
    Subquery(Box<Subquery>),
    /// A comparison.
    Compare(Comparison, Box<Node>, Box<Node>, Collation),
    /// All hold.
    And(Vec<Node>),
    /// One holds.
    Or(Vec<Node>),
    /// Exactly one holds.
    Xor(Box<Node>, Box<Node>),
    /// It does not hold.
    Not(Box<Node>),
    /// IS [NOT] NULL.
    IsNull(Box<Node>, bool),
    /// IS [NOT] TRUE or FALSE: the truth asked for, and whether negated.
    IsTruth(Box<Node>, bool, bool),
    /// [NOT] IN a list.
    InList(Box<Node>, List, bool, Collation),
    /// [NOT] BETWEEN.
    Between(Box<[Node; 3]>, bool, Collation),
    /// [NOT] LIKE, with the escape character.
    Like(Box<Node>, Box<Node>, Option<char>, bool, Collation),
    /// Arithmetic.
    Arithmetic(Arithmetic, Box<Node>, Box<Node>),
    /// `-x`
    Negate(Box<Node>),
    /// `~x`
    BitNot(Box<Node>),
    /// CASE: operand, WHEN and THEN, ELSE.
    Case(Option<Box<Node>>, Vec<(Node, Node)>, Option<Box<Node>>, Collation),
    /// A function.
    Call(Function, Vec<Node>),
    /// CAST to the node's type.
    Cast(Box<Node>),
    /// COLLATE, BINARY: only changes how it compares.
    Collated(Box<Node>),
    /// A time plus (or minus, if the flag is set) an interval.
    Shift(Box<Node>, Box<Node>, Unit, bool),
    /// EXTRACT.
    Extract(Unit, Box<Node>),
    /// TIMESTAMPDIFF.
    Difference(Unit, Box<Node>, Box<Node>),
    /// An expression that is the same for all rows of an execution.
    Once(Box<OnceNode>),
    /// `@name`
    UserVariable(String),
    /// `@name := value`
    Assign(String, Box<Node>),
    /// `@@name`; the flag says global.
    SystemVariable(String, bool),
}

/// The nodes beneath one, for shared and for exclusive access alike.
macro_rules! children {
    ($kind:expr, $each:ident, $iter:ident, $deref:ident, $operands:ident, $node:ident) => {
        match $kind {
            Kind::Constant(_)
            | Kind::Parameter(_)
            | Kind::Column(_)
            | Kind::Incoming(_)
            | Kind::Outer(..)
            | Kind::Aggregate(_)
            | Kind::Window(_)
            | Kind::UserVariable(_)
            | Kind::SystemVariable(..) => {}
            Kind::Compare(_, a, b, _)
            | Kind::Xor(a, b)
            | Kind::Like(a, b, ..)
            | Kind::Arithmetic(_, a, b)
            | Kind::Shift(a, b, ..)
            | Kind::Difference(_, a, b) => {
                $each(a);
                $each(b);
            }
            Kind::And(nodes) | Kind::Or(nodes) | Kind::Call(_, nodes) => {
                nodes.$iter().for_each(|node| $each(node));
            }
            Kind::Not(a)
            | Kind::IsNull(a, _)
            | Kind::IsTruth(a, ..)
            | Kind::Negate(a)
            | Kind::BitNot(a)
            | Kind::Cast(a)
            | Kind::Collated(a)
            | Kind::Extract(_, a)
            | Kind::Assign(_, a) => $each(a),
            Kind::Once(once) => $each(once.$node()),
            Kind::InList(a, list, ..) => {
                $each(a);
                list.$iter().for_each(|node| $each(node));
            }
            Kind::Between(nodes, ..) => nodes.$iter().for_each(|node| $each(node)),
            Kind::Case(operand, branches, otherwise, _) => {
                if let Some(operand) = operand.$deref() {
                    $each(operand);
                }
                for (when, then) in branches.$iter() {
                    $each(when);
                    $each(then);
                }
                if let Some(otherwise) = otherwise.$deref() {
                    $each(otherwise);
                }
            }
            Kind::Subquery(subquery) => {
                subquery.$operands().$iter().for_each(|node| $each(node));
            }
        }
    };
}

/// A bound expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// What it computes.
    pub kind: Kind,
    /// How its value looks as text and as a result column.
    pub ty: ColumnType,
    /// Whether it can be NULL.
    pub nullable: bool,
    /// How many characters its text has at least, with zeros in front: a column of ZEROFILL; 0 of
    /// anything else.
    pub zerofill: u8,
}

impl Node {
    /// A node.
    pub fn new(kind: Kind, ty: ColumnType, nullable: bool) -> Node {
        Node { kind, ty, nullable, zerofill: 0 }
    }

    /// A constant.
    pub fn constant(value: Value) -> Node {
        let ty = match &value {
            Value::Int(_) => BIGINT,
            Value::UInt(_) => BIGINT_UNSIGNED,
            Value::Float(_) => ColumnType::Float(None),
            Value::Double(_) => ColumnType::Double(None),
            Value::Decimal(v) => ColumnType::Decimal {
                precision: (v.whole_digits() + v.scale()).clamp(1, 65),
                scale: v.scale().min(30),
            },
            Value::Bytes(v) => text_type(String::from_utf8_lossy(v).chars().count() as u32),
            Value::Date(_) => ColumnType::Date,
            Value::Time(_) => ColumnType::Time { fsp: 6 },
            Value::DateTime(_) => ColumnType::DateTime { fsp: 6 },
            Value::Timestamp(_) => ColumnType::Timestamp { fsp: 6 },
            Value::Year(_) => ColumnType::Year,
            Value::Enum(_) => BIGINT,
            Value::Set(_) => BIGINT_UNSIGNED,
            Value::Null => ColumnType::VarBinary { bytes: 0 },
        };
        let nullable = value.is_null();
        Node::new(Kind::Constant(value), ty, nullable)
    }

    /// The type of its value where it becomes a part of a JSON document. Conditions are booleans
    /// there; what IF, CASE or MAX choose of conditions is a number, as what a column has of them,
    /// as in MySQL.
    pub fn json_type(&self) -> &ColumnType {
        use Function as F;
        let is_number = match &self.kind {
            Kind::Once(once) => return once.node().json_type(),
            Kind::Column(_) | Kind::Outer(..) | Kind::Aggregate(_) | Kind::Case(..) => true,
            Kind::Call(function, _) => matches!(
                function,
                F::If | F::IfNull | F::Coalesce | F::NullIf | F::Least | F::Greatest
            ),
            _ => false,
        };
        if is_number && self.ty == TRUTH { &BIGINT } else { &self.ty }
    }

    /// The collation of its text and its coercibility: 0 explicit, 2 column, 3 what the system
    /// says, 4 literal, 6 number or NULL.
    pub fn collation(&self) -> (Collation, u8) {
        match &self.kind {
            Kind::Collated(_) => (self.ty.collation().unwrap_or(Collation::Binary), 0),
            Kind::Once(once) => once.node().collation(),
            Kind::Column(_)
            | Kind::Incoming(_)
            | Kind::Outer(..)
            | Kind::Aggregate(_)
            | Kind::Window(_)
            | Kind::Subquery(_) => match self.ty.collation() {
                Some(collation) => (collation, 2),
                None => (Collation::Utf8Mb4GeneralCi, 6),
            },
            Kind::Constant(Value::Null) => (Collation::Utf8Mb4GeneralCi, 6),
            Kind::Call(
                Function::User
                | Function::CurrentUser
                | Function::CurrentRole
                | Function::Database
                | Function::Version,
                _,
            ) => (self.ty.collation().unwrap_or(Collation::Utf8Mb4GeneralCi), 3),
            Kind::SystemVariable(..) if self.is_text() => (Collation::Utf8Mb4GeneralCi, 3),
            // CHAR(.. USING ..) is a literal as CHAR itself is.
            Kind::Cast(text)
                if matches!(&text.kind, Kind::Call(Function::ReadAs, bytes)
                    if matches!(bytes[0].kind, Kind::Call(Function::Char, _))) =>
            {
                (self.ty.collation().unwrap_or(Collation::Binary), 4)
            }
            Kind::Call(function, arguments) if !function.gives_text_as_literal() => {
                strongest(arguments.iter(), &self.ty)
            }
            Kind::Case(_, branches, otherwise, _) => strongest(
                branches.iter().map(|(_, then)| then).chain(otherwise.as_deref()),
                &self.ty,
            ),
            Kind::Cast(_) | Kind::UserVariable(_) | Kind::SystemVariable(..) => {
                match self.ty.collation() {
                    Some(collation) => (collation, 2),
                    None => (Collation::Utf8Mb4GeneralCi, 6),
                }
            }
            _ => match self.ty.collation() {
                Some(collation) => (collation, 4),
                None => (Collation::Utf8Mb4GeneralCi, 6),
            },
        }
    }

    /// The same where it is text among texts: a BIT is bytes.
    pub fn text_collation(&self) -> (Collation, u8) {
        match self.ty {
            ColumnType::Bit { .. } => (Collation::Binary, 2),
            _ => self.collation(),
        }
    }

    /// What COLLATION says: numbers, times and NULL are of none but binary.
    pub fn announced_collation(&self) -> Collation {
        match self.is_text() && !matches!(self.kind, Kind::Constant(Value::Null)) {
            true => self.text_collation().0,
            false => Collation::Binary,
        }
    }

    /// What COERCIBILITY says: as `collation`, but numbers are 5 (MariaDB 10.11 answers so:
    /// tests/oracle/sql/functions.sql).
    pub fn coercibility(&self) -> u8 {
        match (&self.kind, self.is_text()) {
            (Kind::Constant(Value::Null), _) => 6,
            (_, false) if matches!(self.ty, ColumnType::Bit { .. }) => self.text_collation().1,
            (_, false) => 5,
            _ => self.collation().1,
        }
    }

    /// A literal of hexadecimal digits or of bits.
    pub fn digits_literal(bytes: Vec<u8>) -> Node {
        let ty = ColumnType::Binary { bytes: bytes.len() as u32 };
        Node::new(Kind::Constant(Value::Bytes(bytes)), ty, false)
    }

    /// The place of one that was taken out of the text.
    pub fn digits_parameter(number: u16) -> Node {
        Node::new(Kind::Parameter(number), ColumnType::Binary { bytes: 8 }, false)
    }

    /// Whether it is a literal that was taken out of the text, or a `?`, of which nothing is known.
    pub fn is_untyped(&self) -> bool {
        // Whatever the connection's collation is.
        matches!(self.kind, Kind::Parameter(_))
            && matches!(self.ty, ColumnType::VarChar { chars: RESULT_CHARS_MAX, .. })
    }

    /// Whether it is a literal of digits: bytes, or a number where one is wanted. Only these have
    /// the type BINARY among constants and parameters.
    pub fn is_digits_literal(&self) -> bool {
        matches!(
            (&self.kind, &self.ty),
            (Kind::Constant(Value::Bytes(_)) | Kind::Parameter(_), ColumnType::Binary { .. })
        )
    }

    /// The same, where a number is wanted.
    pub fn with_number(self) -> Node {
        match &self.kind {
            Kind::Constant(Value::Bytes(bytes))
                if self.is_digits_literal() && !is_beyond_number(bytes) =>
            {
                let number = number_of_digits(bytes);
                Node::new(Kind::Constant(Value::UInt(number)), BIGINT_UNSIGNED, false)
            }
            _ if self.is_digits_literal() => {
                Node::new(Kind::Cast(Box::new(self)), BIGINT_UNSIGNED, false)
            }
            _ => self,
        }
    }

    /// An ENUM or SET as a DOUBLE, which it is where fractions can come out (MySQL 9.7:
    /// tests/oracle/sql/carried-moments.sql); anything else as it is.
    #[must_use]
    pub fn listed_as_double(self) -> Node {
        match self.ty.is_listed() {
            true => {
                let nullable = self.nullable;
                Node::new(Kind::Cast(Box::new(self)), ColumnType::Double(None), nullable)
            }
            false => self,
        }
    }

    /// A BIT as its number; anything else as it is.
    #[must_use]
    pub fn bits_as_number(self) -> Node {
        match self.ty {
            ColumnType::Bit { .. } => {
                let nullable = self.nullable;
                Node::new(Kind::Cast(Box::new(self)), BIGINT_UNSIGNED, nullable)
            }
            _ => self,
        }
    }

    /// JSON as the number that it is; anything else as it is.
    #[must_use]
    pub fn json_as_number(self) -> Node {
        match self.ty {
            ColumnType::Json => {
                let nullable = self.nullable;
                Node::new(Kind::Cast(Box::new(self)), ColumnType::Double(None), nullable)
            }
            _ => self,
        }
    }

    /// JSON as its text; anything else as it is.
    #[must_use]
    pub fn json_as_text(self) -> Node {
        match self.ty {
            ColumnType::Json => {
                let nullable = self.nullable;
                let ty = ColumnType::Text { size: LobSize::Long, collation: Collation::Utf8Mb4Bin };
                Node::new(Kind::Collated(Box::new(self)), ty, nullable)
            }
            _ => self,
        }
    }

    /// Whether it is JSON that stands for its text (`json_as_text`).
    pub fn is_json_as_text(&self) -> bool {
        matches!(&self.kind, Kind::Collated(inner) if inner.ty == ColumnType::Json)
    }

    /// Whether it is text or bytes rather than a number or a time.
    pub fn is_text(&self) -> bool {
        self.ty.collation().is_some()
    }

    /// Whether it is a column as it is stored.
    pub fn is_stored(&self) -> bool {
        matches!(self.kind, Kind::Column(_) | Kind::Incoming(_) | Kind::Outer(..))
    }

    /// Whether it is a TEXT or BLOB, of whatever length.
    #[inline]
    pub fn is_long(&self) -> bool {
        matches!(self.ty, ColumnType::Text { .. } | ColumnType::Blob { .. })
    }

    /// Whether its value does not depend on the row.
    pub fn is_row_free(&self) -> bool {
        let mut free = true;
        self.visit(&mut |node| {
            free &= match &node.kind {
                Kind::Column(_) | Kind::Incoming(_) => false,
                Kind::Aggregate(_) | Kind::Window(_) => false,
                Kind::Subquery(subquery) => !subquery.is_correlated(),
                _ => true,
            };
        });
        free
    }

    /// Whether it is the same at every evaluation within one statement.
    pub fn is_constant(&self) -> bool {
        let mut constant = true;
        self.visit(&mut |node| {
            constant &= match &node.kind {
                Kind::Column(_) | Kind::Incoming(_) | Kind::Assign(..) => false,
                Kind::Outer(..) | Kind::Subquery(_) => false,
                Kind::Aggregate(_) | Kind::Window(_) => false,
                Kind::UserVariable(_) => false,
                Kind::Call(function, _) => !function.is_volatile(),
                _ => true,
            };
        });
        constant
    }

    /// Whether it depends on nothing but the row: not on the session, the time or chance.
    pub fn is_of_row_alone(&self) -> bool {
        let mut alone = true;
        self.visit(&mut |node| {
            alone &= match &node.kind {
                Kind::UserVariable(_) | Kind::SystemVariable(..) | Kind::Assign(..) => false,
                Kind::Outer(..) | Kind::Subquery(_) | Kind::Parameter(_) => false,
                Kind::Aggregate(_) | Kind::Window(_) | Kind::Incoming(_) => false,
                Kind::Call(function, arguments) => !function.asks_more_than(arguments.len()),
                _ => true,
            };
        });
        alone
    }

    /// Whether evaluating it can take long (SLEEP).
    pub fn waits(&self) -> bool {
        let mut waits = false;
        self.visit(&mut |node| {
            waits |= matches!(&node.kind, Kind::Call(function, _) if function.waits());
        });
        waits
    }

    /// Visits this node and all beneath, sub-queries' insides left out.
    pub fn visit(&self, each: &mut dyn FnMut(&Node)) {
        each(self);
        self.each_child(&mut |child| child.visit(each));
    }

    /// Calls `each` with the nodes right beneath this one; of a sub-query those are what its rows
    /// are compared with.
    pub fn each_child(&self, each: &mut dyn FnMut(&Node)) {
        children!(&self.kind, each, iter, as_deref, operands, node);
    }

    /// As `each_child`.
    pub fn each_child_mut(&mut self, each: &mut dyn FnMut(&mut Node)) {
        children!(&mut self.kind, each, iter_mut, as_deref_mut, operands_mut, node_mut);
    }
}

/// The collation of a result's type; of the lowest coercibility of what it is made of.
fn strongest<'a>(nodes: impl Iterator<Item = &'a Node>, ty: &ColumnType) -> (Collation, u8) {
    let Some(collation) = ty.collation() else { return (Collation::Utf8Mb4GeneralCi, 6) };
    let (mut lowest, mut known) = (6, false);
    let mut whole: Option<(Collation, u8)> = None;
    for node in nodes {
        let (own, coercibility) = node.collation();
        lowest = lowest.min(coercibility);
        known |= own == Collation::Binary;
        whole = Some(
            whole.map_or((own, coercibility), |sum| result_collation(sum, (own, coercibility))),
        );
    }
    if whole.is_some_and(|(_, coercibility)| coercibility == UNDECIDED) {
        return (collation, UNDECIDED);
    }
    // Bytes that were made of text (UNHEX) insist on nothing.
    let made = collation == Collation::Binary && !known;
    (collation, if lowest < 6 && !made { lowest } else { 4 })
}

/// The coercibility of text that is made of columns of different collations: weaker than any other.
pub const UNDECIDED: u8 = 7;

/// Whether neither of two sides gives way, which text that is made of both may have, and a
/// comparison of them not.
fn is_undecided(a: (Collation, u8), b: (Collation, u8)) -> bool {
    let is_of_one = |side: Collation| side != Collation::Utf8Mb4GeneralCi && !side.is_bin();
    let differs = a.0 != b.0 && a.0.set() == b.0.set() && is_of_one(a.0) && is_of_one(b.0);
    a.1 == b.1 && (a.1 == UNDECIDED || a.1 == IMPLICIT && differs)
}

/// The collation of text that is made of two: of columns of different ones the bytes count
/// (MySQL 9.7: tests/oracle/sql/collations.sql).
pub fn result_collation(a: (Collation, u8), b: (Collation, u8)) -> (Collation, u8) {
    match is_undecided(a, b) {
        true => (a.0.bin_of_set(), UNDECIDED),
        false => common_collation(a, b),
    }
}

/// The same where they mix, as `mixed_collation` says.
pub fn mixed_result(a: (Collation, u8), b: (Collation, u8)) -> Option<(Collation, u8)> {
    match is_undecided(a, b) {
        true => Some(result_collation(a, b)),
        false => mixed_collation(a, b),
    }
}

/// The collation under which two sides compare, as MySQL 9.7 aggregates them
/// (sql/item.cc, DTCollation::aggregate); `None` where it finds none: 1267.
///
/// Columns of utf8mb4_general_ci mix with those of other collations of utf8mb4: it is what tables
/// have that name none, which MySQL gives utf8mb4_0900_ai_ci, and what was kept of other names
/// before they were known.
fn mixed_collation(a: (Collation, u8), b: (Collation, u8)) -> Option<(Collation, u8)> {
    let (one, other) = (a.0, b.0);
    let (set, other_set) = (one.set(), other.set());
    if one == other || set.is_binary() || other_set.is_binary() {
        return Some(common_collation(a, b));
    }
    if set != other_set {
        let gives_way = |side: (Collation, u8), to: (Collation, u8)| {
            is_superset(to, side) || to.1 < side.1 && side.1 >= SYSTEM_CONSTANT
        };
        return match (gives_way(b, a), gives_way(a, b)) {
            (true, _) => Some(a),
            (false, true) => Some(b),
            (false, false) => None,
        };
    }
    let is_unsaid = |collation| collation == Collation::Utf8Mb4GeneralCi;
    match a.1 == b.1 {
        // Those that are insisted on do not give way.
        true if a.1 == EXPLICIT => None,
        true if one.is_bin() && other.is_bin() => None,
        true if one.is_bin() => Some(a),
        true if other.is_bin() => Some(b),
        true if a.1 == IMPLICIT && !is_unsaid(one) && !is_unsaid(other) => None,
        _ => Some(common_collation(a, b)),
    }
}

/// COLLATE; a column; what the system says.
const EXPLICIT: u8 = 0;
const IMPLICIT: u8 = 2;
const SYSTEM_CONSTANT: u8 = 3;

/// Whether texts of the second side become those of the first one's character set, which has all of
/// their characters.
fn is_superset(a: (Collation, u8), b: (Collation, u8)) -> bool {
    let (set, other) = (a.0.set(), b.0.set());
    // Of these two the first one counts (MySQL 9.7:
    // tests/oracle/sql/columns-in-character-sets.sql).
    let is_wider = !other.is_unicode() || matches!(set.name(), "utf8mb4" | "utf32");
    let is_stronger = |wider: bool| a.1 < b.1 || a.1 == b.1 && wider;
    set.is_unicode() && is_stronger(is_wider)
        || other.name() == "ascii" && set.has_ascii() && is_stronger(set != other)
}

/// The same where they are known to mix: that of lower coercibility; equal and different, the one
/// that tells more apart.
pub fn common_collation(a: (Collation, u8), b: (Collation, u8)) -> (Collation, u8) {
    if a.0.set() != b.0.set() && !a.0.set().is_binary() && !b.0.set().is_binary() {
        if is_superset(a, b) {
            return a;
        }
        if is_superset(b, a) {
            return b;
        }
    }
    let exactness = |collation: Collation| match collation {
        Collation::Numbered(_) if collation.is_bin() => 7,
        Collation::Numbered(_) => 1,
        Collation::Utf8Mb4GeneralCi => 0,
        Collation::Utf8Mb4UnicodeCi | Collation::Utf8Mb4OfLanguage(_) => 1,
        Collation::Utf8Mb4Unicode520Ci => 2,
        Collation::Utf8Mb40900AiCi | Collation::Utf8Mb40900OfLanguage(_, Sensitivity::Letters) => 3,
        Collation::Utf8Mb40900AsCi => 4,
        Collation::Utf8Mb40900AsCs
        | Collation::Utf8Mb40900OfLanguage(_, Sensitivity::LettersAccentsCase) => 5,
        Collation::Utf8Mb40900Bin => 6,
        Collation::Utf8Mb4Bin => 7,
        Collation::Binary => 8,
    };
    match a.1.cmp(&b.1) {
        Ordering::Less => a,
        Ordering::Greater => b,
        Ordering::Equal if exactness(a.0) >= exactness(b.0) => a,
        Ordering::Equal => b,
    }
}
