//! The bound expression.
//!
//! Invariants
//! 1. Names are resolved: a column is a position in its table.
//! 2. The collation of a comparison is decided when it is bound.
//!
//! Not here: how it is made (`bind`) and evaluated (`evaluate`).

use rows::datum::Value;
use rows::types::{Collation, ColumnType, IntWidth};

use super::function::Function;
use super::moment::Unit;

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

/// An arithmetic operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// DIV
    IntegerDivide,
    /// `%`, MOD
    Modulo,
    /// `&`
    BitAnd,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
}

/// What a node computes.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A constant.
    Constant(Value),
    /// A literal taken out of the text, or a `?`.
    Parameter(u16),
    /// A column of the row.
    Column(usize),
    /// A column of the row that INSERT would add.
    Incoming(usize),
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
    InList(Box<Node>, Vec<Node>, bool, Collation),
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
    /// `@name`
    UserVariable(String),
    /// `@name := value`
    Assign(String, Box<Node>),
    /// `@@name`; the flag says global.
    SystemVariable(String, bool),
}

/// A bound expression.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it computes.
    pub kind: Kind,
    /// How its value looks as text and as a result column.
    pub ty: ColumnType,
    /// Whether it can be NULL.
    pub nullable: bool,
}

/// BIGINT.
pub const BIGINT: ColumnType =
    ColumnType::Int { width: IntWidth::Big, unsigned: false, boolean: false };
/// BIGINT UNSIGNED.
pub const BIGINT_UNSIGNED: ColumnType =
    ColumnType::Int { width: IntWidth::Big, unsigned: true, boolean: false };

/// Text of so many characters in the default collation.
pub fn text_type(chars: u32) -> ColumnType {
    ColumnType::VarChar { chars, collation: Collation::Utf8Mb4GeneralCi }
}

impl Node {
    /// A node.
    pub fn new(kind: Kind, ty: ColumnType, nullable: bool) -> Node {
        Node { kind, ty, nullable }
    }

    /// A constant.
    pub fn constant(value: Value) -> Node {
        let ty = match &value {
            Value::Int(_) => BIGINT,
            Value::UInt(_) => BIGINT_UNSIGNED,
            Value::Float(_) => ColumnType::Float,
            Value::Double(_) => ColumnType::Double,
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
            Value::Null => ColumnType::VarBinary { bytes: 0 },
        };
        let nullable = value.is_null();
        Node { kind: Kind::Constant(value), ty, nullable }
    }

    /// The collation of its text and how firmly it holds: 0 explicit, 2 column, 4 literal, 6
    /// number or NULL.
    pub fn collation(&self) -> (Collation, u8) {
        match &self.kind {
            Kind::Collated(_) => (type_collation(&self.ty).unwrap_or(Collation::Binary), 0),
            Kind::Column(_) | Kind::Incoming(_) => match type_collation(&self.ty) {
                Some(collation) => (collation, 2),
                None => (Collation::Utf8Mb4GeneralCi, 6),
            },
            Kind::Constant(Value::Null) => (Collation::Utf8Mb4GeneralCi, 6),
            Kind::Call(_, arguments) => strongest(arguments.iter(), &self.ty),
            Kind::Case(_, branches, otherwise, _) => strongest(
                branches.iter().map(|(_, then)| then).chain(otherwise.as_deref()),
                &self.ty,
            ),
            Kind::Cast(_) | Kind::UserVariable(_) | Kind::SystemVariable(..) => {
                match type_collation(&self.ty) {
                    Some(collation) => (collation, 2),
                    None => (Collation::Utf8Mb4GeneralCi, 6),
                }
            }
            _ => match type_collation(&self.ty) {
                Some(collation) => (collation, 4),
                None => (Collation::Utf8Mb4GeneralCi, 6),
            },
        }
    }

    /// Whether its value does not depend on the row.
    pub fn is_row_free(&self) -> bool {
        let mut free = true;
        self.visit(&mut |node| {
            free &= !matches!(node.kind, Kind::Column(_) | Kind::Incoming(_));
        });
        free
    }

    /// Whether it is the same at every evaluation within one statement.
    pub fn is_constant(&self) -> bool {
        let mut constant = true;
        self.visit(&mut |node| {
            constant &= match &node.kind {
                Kind::Column(_) | Kind::Incoming(_) | Kind::Assign(..) => false,
                Kind::UserVariable(_) => false,
                Kind::Call(function, _) => !function.is_volatile(),
                _ => true,
            };
        });
        constant
    }

    /// Whether evaluating it can take long (SLEEP).
    pub fn waits(&self) -> bool {
        let mut waits = false;
        self.visit(&mut |node| {
            waits |= matches!(&node.kind, Kind::Call(function, _) if function.waits());
        });
        waits
    }

    /// Visits this node and all beneath.
    pub fn visit(&self, each: &mut dyn FnMut(&Node)) {
        each(self);
        match &self.kind {
            Kind::Constant(_)
            | Kind::Parameter(_)
            | Kind::Column(_)
            | Kind::Incoming(_)
            | Kind::UserVariable(_)
            | Kind::SystemVariable(..) => {}
            Kind::Compare(_, a, b, _)
            | Kind::Xor(a, b)
            | Kind::Like(a, b, ..)
            | Kind::Arithmetic(_, a, b)
            | Kind::Shift(a, b, ..)
            | Kind::Difference(_, a, b) => {
                a.visit(each);
                b.visit(each);
            }
            Kind::And(nodes) | Kind::Or(nodes) | Kind::Call(_, nodes) => {
                nodes.iter().for_each(|node| node.visit(each));
            }
            Kind::Not(a)
            | Kind::IsNull(a, _)
            | Kind::IsTruth(a, ..)
            | Kind::Negate(a)
            | Kind::BitNot(a)
            | Kind::Cast(a)
            | Kind::Collated(a)
            | Kind::Extract(_, a)
            | Kind::Assign(_, a) => a.visit(each),
            Kind::InList(a, list, ..) => {
                a.visit(each);
                list.iter().for_each(|node| node.visit(each));
            }
            Kind::Between(nodes, ..) => nodes.iter().for_each(|node| node.visit(each)),
            Kind::Case(operand, branches, otherwise, _) => {
                if let Some(operand) = operand {
                    operand.visit(each);
                }
                for (when, then) in branches {
                    when.visit(each);
                    then.visit(each);
                }
                if let Some(otherwise) = otherwise {
                    otherwise.visit(each);
                }
            }
        }
    }
}

/// The collation of a type's text; `None` for types without text.
pub fn type_collation(ty: &ColumnType) -> Option<Collation> {
    match ty {
        ColumnType::Char { collation, .. }
        | ColumnType::VarChar { collation, .. }
        | ColumnType::Text { collation, .. }
        | ColumnType::Enum { collation, .. } => Some(*collation),
        ColumnType::Binary { .. } | ColumnType::VarBinary { .. } | ColumnType::Blob { .. } => {
            Some(Collation::Binary)
        }
        ColumnType::Json => Some(Collation::Utf8Mb4Bin),
        _ => None,
    }
}

fn strongest<'a>(nodes: impl Iterator<Item = &'a Node>, ty: &ColumnType) -> (Collation, u8) {
    let best = nodes.map(Node::collation).min_by_key(|(_, strength)| *strength);
    match best {
        Some((collation, strength)) if strength < 6 => (collation, strength),
        _ => (type_collation(ty).unwrap_or(Collation::Utf8Mb4GeneralCi), 4),
    }
}

/// The collation under which two sides compare: the firmer one's; equal and different, the one
/// that tells more apart.
pub fn common_collation(a: (Collation, u8), b: (Collation, u8)) -> (Collation, u8) {
    let exactness = |collation| match collation {
        Collation::Utf8Mb4GeneralCi => 0,
        Collation::Utf8Mb4Bin => 1,
        Collation::Binary => 2,
    };
    match a.1.cmp(&b.1) {
        std::cmp::Ordering::Less => a,
        std::cmp::Ordering::Greater => b,
        std::cmp::Ordering::Equal if exactness(a.0) >= exactness(b.0) => a,
        std::cmp::Ordering::Equal => b,
    }
}
