//! The functions there are: names, numbers of arguments, result types.
//!
//! Not here: what they compute (the folders and files of families next to this one).

use values::datum::Datum;
use values::types::{Collation, ColumnType};

use crate::evaluation::condition::order_of;
use crate::functions::address;
use crate::functions::number;
use crate::functions::regular;
use crate::functions::session;
use crate::functions::{cipher, json, text, time};
use crate::row::scope::Scope;
use crate::statement::error::{Error, Result};
use crate::tree::common::{chosen_of, common_type, display_chars, settle};
use crate::tree::make::common_rule;
use crate::tree::node::{BIGINT, BIGINT_UNSIGNED, Node, TRUTH, common_collation, text_type};
use crate::value::cell::{Cell, NULL, text_of};
use crate::value::compare::compare;
use crate::value::number::Number;

/// What a function's result looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// A whole number.
    Int,
    /// An unsigned whole number.
    UInt,
    /// A double.
    Double,
    /// Text, as long as all arguments together.
    Text,
    /// Text, whatever its arguments are.
    Ascii,
    /// Bytes.
    Bytes,
    /// Text of a fixed length.
    Short(u32),
    /// What the first argument is.
    First,
    /// What its arguments have in common.
    Common,
    /// Text, as long as the longest argument behind the first.
    Word,
    /// A day.
    Date,
    /// A time of day; fraction by the constant argument.
    Time,
    /// A day with a time; fraction by the constant argument.
    DateTime,
    /// JSON.
    Json,
    /// A number of the first argument's kind.
    Number,
    /// A whole number, as large as the first argument's.
    Whole,
}

/// However many arguments: the size of statements is their limit.
const ANY: usize = usize::MAX;

macro_rules! functions {
    ($($(#[doc = $doc:literal])* $variant:ident $shape:expr, $min:literal ..= $max:tt, [$($name:literal),+];)+) => {
        /// A function.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Function {
            $(
                #[doc = concat!("`", $($name, " "),+, "`")]
                $variant,
            )+
        }

        /// Name, function, fewest and most arguments.
        const FUNCTIONS: &[(&str, Function, usize, usize)] = &[
            $($(($name, Function::$variant, $min, $max),)+)+
        ];

        impl Function {
            fn shape(self) -> Shape {
                match self {
                    $(Function::$variant => $shape,)+
                }
            }

            /// Its first name.
            pub fn name(self) -> &'static str {
                match self {
                    $(Function::$variant => [$($name),+][0],)+
                }
            }
        }
    };
}

functions! {
    Concat Shape::Text, 1..=ANY, ["CONCAT"];
    ConcatWs Shape::Text, 2..=ANY, ["CONCAT_WS"];
    Length Shape::Int, 1..=1, ["LENGTH", "OCTET_LENGTH", "LENGTHB"];
    CharLength Shape::Int, 1..=1, ["CHAR_LENGTH", "CHARACTER_LENGTH"];
    BitLength Shape::Int, 1..=1, ["BIT_LENGTH"];
    Lower Shape::Text, 1..=1, ["LOWER", "LCASE"];
    Upper Shape::Text, 1..=1, ["UPPER", "UCASE"];
    Left Shape::Text, 2..=2, ["LEFT"];
    Right Shape::Text, 2..=2, ["RIGHT"];
    Substring Shape::Text, 2..=3, ["SUBSTRING", "SUBSTR", "MID"];
    SubstringIndex Shape::Text, 3..=3, ["SUBSTRING_INDEX"];
    Trim Shape::Text, 1..=2, ["TRIM"];
    TrimLeading Shape::Text, 1..=2, ["LTRIM"];
    TrimTrailing Shape::Text, 1..=2, ["RTRIM"];
    Replace Shape::Text, 3..=3, ["REPLACE"];
    Reverse Shape::Text, 1..=1, ["REVERSE"];
    Repeat Shape::Text, 2..=2, ["REPEAT"];
    Space Shape::Text, 1..=1, ["SPACE"];
    PadLeft Shape::Text, 2..=3, ["LPAD"];
    PadRight Shape::Text, 2..=3, ["RPAD"];
    Locate Shape::Int, 2..=3, ["LOCATE", "POSITION"];
    Instr Shape::Int, 2..=2, ["INSTR"];
    InsertText Shape::Text, 4..=4, ["INSERT"];
    Hex Shape::Ascii, 1..=1, ["HEX"];
    Unhex Shape::Bytes, 1..=1, ["UNHEX"];
    Ascii Shape::Int, 1..=1, ["ASCII"];
    Ord Shape::Int, 1..=1, ["ORD"];
    Char Shape::Bytes, 1..=ANY, ["CHAR"];
    Chr Shape::Short(1), 1..=1, ["CHR"];
    Field Shape::Int, 2..=ANY, ["FIELD"];
    FindInSet Shape::Int, 2..=2, ["FIND_IN_SET"];
    Elt Shape::Word, 2..=ANY, ["ELT"];
    Strcmp Shape::Int, 2..=2, ["STRCMP"];
    Quote Shape::Text, 1..=1, ["QUOTE"];
    Format Shape::Ascii, 2..=3, ["FORMAT"];
    Md5 Shape::Short(32), 1..=1, ["MD5"];
    Sha1 Shape::Short(40), 1..=1, ["SHA1", "SHA"];
    Sha2 Shape::Short(128), 2..=2, ["SHA2"];
    Crc32 Shape::UInt, 1..=2, ["CRC32"];
    Crc32c Shape::UInt, 1..=2, ["CRC32C"];
    AesEncrypt Shape::Bytes, 2..=2, ["AES_ENCRYPT"];
    AesDecrypt Shape::Bytes, 2..=2, ["AES_DECRYPT"];
    Compress Shape::Bytes, 1..=1, ["COMPRESS"];
    Uncompress Shape::Bytes, 1..=1, ["UNCOMPRESS"];
    UncompressedLength Shape::UInt, 1..=1, ["UNCOMPRESSED_LENGTH"];
    WeightString Shape::Bytes, 1..=1, ["WEIGHT_STRING"];
    ToBase64 Shape::Ascii, 1..=1, ["TO_BASE64"];
    FromBase64 Shape::Bytes, 1..=1, ["FROM_BASE64"];
    Bin Shape::Ascii, 1..=1, ["BIN"];
    Oct Shape::Ascii, 1..=1, ["OCT"];
    Conv Shape::Ascii, 3..=3, ["CONV"];
    Soundex Shape::Text, 1..=1, ["SOUNDEX"];
    MakeSet Shape::Text, 2..=ANY, ["MAKE_SET"];
    ExportSet Shape::Text, 3..=5, ["EXPORT_SET"];
    InetAton Shape::UInt, 1..=1, ["INET_ATON"];
    InetNtoa Shape::Short(15), 1..=1, ["INET_NTOA"];
    Inet6Aton Shape::Bytes, 1..=1, ["INET6_ATON"];
    Inet6Ntoa Shape::Short(45), 1..=1, ["INET6_NTOA"];
    IsIpv4 Shape::Int, 1..=1, ["IS_IPV4"];
    IsIpv6 Shape::Int, 1..=1, ["IS_IPV6"];
    IsIpv4Compat Shape::Int, 1..=1, ["IS_IPV4_COMPAT"];
    IsIpv4Mapped Shape::Int, 1..=1, ["IS_IPV4_MAPPED"];
    UuidToBin Shape::Bytes, 1..=2, ["UUID_TO_BIN"];
    BinToUuid Shape::Short(36), 1..=2, ["BIN_TO_UUID"];
    IsUuid Shape::Int, 1..=1, ["IS_UUID"];
    RegexpLike Shape::Int, 2..=3, ["REGEXP_LIKE"];
    RegexpInstr Shape::Int, 2..=6, ["REGEXP_INSTR"];
    RegexpSubstr Shape::Text, 2..=5, ["REGEXP_SUBSTR"];
    RegexpReplace Shape::Text, 3..=6, ["REGEXP_REPLACE"];

    Abs Shape::Number, 1..=1, ["ABS"];
    Ceiling Shape::Whole, 1..=1, ["CEILING", "CEIL"];
    Floor Shape::Whole, 1..=1, ["FLOOR"];
    Round Shape::Number, 1..=2, ["ROUND"];
    Truncate Shape::Number, 2..=2, ["TRUNCATE"];
    Mod Shape::Number, 2..=2, ["MOD"];
    Power Shape::Double, 2..=2, ["POWER", "POW"];
    Sqrt Shape::Double, 1..=1, ["SQRT"];
    Sign Shape::Int, 1..=1, ["SIGN"];
    Exp Shape::Double, 1..=1, ["EXP"];
    Ln Shape::Double, 1..=1, ["LN"];
    Log Shape::Double, 1..=2, ["LOG"];
    Log2 Shape::Double, 1..=1, ["LOG2"];
    Log10 Shape::Double, 1..=1, ["LOG10"];
    Pi Shape::Double, 0..=0, ["PI"];
    Sin Shape::Double, 1..=1, ["SIN"];
    Cos Shape::Double, 1..=1, ["COS"];
    Tan Shape::Double, 1..=1, ["TAN"];
    Atan Shape::Double, 1..=2, ["ATAN", "ATAN2"];
    Asin Shape::Double, 1..=1, ["ASIN"];
    Acos Shape::Double, 1..=1, ["ACOS"];
    Cot Shape::Double, 1..=1, ["COT"];
    Radians Shape::Double, 1..=1, ["RADIANS"];
    Degrees Shape::Double, 1..=1, ["DEGREES"];
    Rand Shape::Double, 0..=1, ["RAND"];
    BitCount Shape::Int, 1..=1, ["BIT_COUNT"];
    Greatest Shape::Common, 2..=ANY, ["GREATEST"];
    Least Shape::Common, 2..=ANY, ["LEAST"];

    Interval Shape::Int, 2..=ANY, ["INTERVAL"];
    If Shape::Common, 3..=3, ["IF"];
    IfNotNull Shape::Common, 3..=3, ["NVL2"];
    IfNull Shape::Common, 2..=2, ["IFNULL", "NVL"];
    NullIf Shape::First, 2..=2, ["NULLIF"];
    Coalesce Shape::Common, 1..=ANY, ["COALESCE"];
    IsNull Shape::Int, 1..=1, ["ISNULL"];

    Now Shape::DateTime, 0..=1, ["NOW", "CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP"];
    SysDate Shape::DateTime, 0..=1, ["SYSDATE"];
    UtcTimestamp Shape::DateTime, 0..=1, ["UTC_TIMESTAMP"];
    CurrentDate Shape::Date, 0..=0, ["CURDATE", "CURRENT_DATE"];
    UtcDate Shape::Date, 0..=0, ["UTC_DATE"];
    CurrentTime Shape::Time, 0..=1, ["CURTIME", "CURRENT_TIME"];
    UtcTime Shape::Time, 0..=1, ["UTC_TIME"];
    UnixTimestamp Shape::Number, 0..=1, ["UNIX_TIMESTAMP"];
    FromUnixTime Shape::DateTime, 1..=2, ["FROM_UNIXTIME"];
    DateOf Shape::Date, 1..=1, ["DATE"];
    TimeOf Shape::Time, 1..=1, ["TIME"];
    TimestampOf Shape::DateTime, 1..=2, ["TIMESTAMP"];
    Year Shape::Int, 1..=1, ["YEAR"];
    Month Shape::Int, 1..=1, ["MONTH"];
    Day Shape::Int, 1..=1, ["DAY", "DAYOFMONTH"];
    Hour Shape::Int, 1..=1, ["HOUR"];
    Minute Shape::Int, 1..=1, ["MINUTE"];
    Second Shape::Int, 1..=1, ["SECOND"];
    Microsecond Shape::Int, 1..=1, ["MICROSECOND"];
    Quarter Shape::Int, 1..=1, ["QUARTER"];
    DayOfWeek Shape::Int, 1..=1, ["DAYOFWEEK"];
    Weekday Shape::Int, 1..=1, ["WEEKDAY"];
    DayOfYear Shape::Int, 1..=1, ["DAYOFYEAR"];
    Week Shape::Int, 1..=2, ["WEEK"];
    WeekOfYear Shape::Int, 1..=1, ["WEEKOFYEAR"];
    YearWeek Shape::Int, 1..=2, ["YEARWEEK"];
    DayName Shape::Short(9), 1..=1, ["DAYNAME"];
    MonthName Shape::Short(9), 1..=1, ["MONTHNAME"];
    LastDay Shape::Date, 1..=1, ["LAST_DAY"];
    DateDiff Shape::Int, 2..=2, ["DATEDIFF"];
    TimeDiff Shape::Time, 2..=2, ["TIMEDIFF"];
    AddTime Shape::Time, 2..=2, ["ADDTIME"];
    SubTime Shape::Time, 2..=2, ["SUBTIME"];
    PeriodAdd Shape::Int, 2..=2, ["PERIOD_ADD"];
    PeriodDiff Shape::Int, 2..=2, ["PERIOD_DIFF"];
    ToDays Shape::Int, 1..=1, ["TO_DAYS"];
    FromDays Shape::Date, 1..=1, ["FROM_DAYS"];
    ToSeconds Shape::Int, 1..=1, ["TO_SECONDS"];
    MakeDate Shape::Date, 2..=2, ["MAKEDATE"];
    MakeTime Shape::Time, 3..=3, ["MAKETIME"];
    SecToTime Shape::Time, 1..=1, ["SEC_TO_TIME"];
    TimeToSec Shape::Int, 1..=1, ["TIME_TO_SEC"];
    DateFormat Shape::Text, 2..=2, ["DATE_FORMAT"];
    TimeFormat Shape::Text, 2..=2, ["TIME_FORMAT"];
    GetFormat Shape::Short(17), 2..=2, ["GET_FORMAT"];
    StrToDate Shape::DateTime, 2..=2, ["STR_TO_DATE"];
    ConvertTz Shape::DateTime, 3..=3, ["CONVERT_TZ"];

    Database Shape::Short(64), 0..=0, ["DATABASE", "SCHEMA"];
    User Shape::Short(288), 0..=0, ["USER", "CURRENT_USER", "SESSION_USER", "SYSTEM_USER"];
    Version Shape::Short(60), 0..=0, ["VERSION"];
    ConnectionId Shape::UInt, 0..=0, ["CONNECTION_ID"];
    LastInsertId Shape::UInt, 0..=1, ["LAST_INSERT_ID"];
    RowCount Shape::Int, 0..=0, ["ROW_COUNT"];
    FoundRows Shape::Int, 0..=0, ["FOUND_ROWS"];
    Uuid Shape::Short(36), 0..=0, ["UUID"];
    SysGuid Shape::Short(32), 0..=0, ["SYS_GUID"];
    UuidShort Shape::UInt, 0..=0, ["UUID_SHORT"];
    RandomBytes Shape::Bytes, 1..=1, ["RANDOM_BYTES"];
    Sleep Shape::Int, 1..=1, ["SLEEP"];
    GetLock Shape::Int, 2..=2, ["GET_LOCK"];
    ReleaseLock Shape::Int, 1..=1, ["RELEASE_LOCK"];
    ReleaseAllLocks Shape::Int, 0..=0, ["RELEASE_ALL_LOCKS"];
    IsFreeLock Shape::Int, 1..=1, ["IS_FREE_LOCK"];
    IsUsedLock Shape::UInt, 1..=1, ["IS_USED_LOCK"];
    Charset Shape::Short(64), 1..=1, ["CHARSET"];
    ReadAs Shape::Text, 2..=2, ["<read as>"];
    WrittenIn Shape::Bytes, 2..=2, ["<written in>"];
    CollationOf Shape::Short(64), 1..=1, ["COLLATION"];
    Coercibility Shape::Int, 1..=1, ["COERCIBILITY"];
    Benchmark Shape::Int, 2..=2, ["BENCHMARK"];
    NameConst Shape::First, 2..=2, ["NAME_CONST"];

    JsonValid Shape::Int, 1..=1, ["JSON_VALID"];
    JsonExtract Shape::Json, 2..=ANY, ["JSON_EXTRACT"];
    JsonUnquote Shape::Text, 1..=1, ["JSON_UNQUOTE"];
    JsonQuote Shape::Text, 1..=1, ["JSON_QUOTE"];
    JsonObject Shape::Json, 0..=ANY, ["JSON_OBJECT"];
    JsonArray Shape::Json, 0..=ANY, ["JSON_ARRAY"];
    JsonLength Shape::Int, 1..=2, ["JSON_LENGTH"];
    JsonType Shape::Short(20), 1..=1, ["JSON_TYPE"];
    JsonKeys Shape::Json, 1..=2, ["JSON_KEYS"];
    JsonContains Shape::Int, 2..=3, ["JSON_CONTAINS"];
    JsonContainsPath Shape::Int, 3..=ANY, ["JSON_CONTAINS_PATH"];
    JsonSet Shape::Json, 3..=ANY, ["JSON_SET"];
    JsonInsert Shape::Json, 3..=ANY, ["JSON_INSERT"];
    JsonReplace Shape::Json, 3..=ANY, ["JSON_REPLACE"];
    JsonRemove Shape::Json, 2..=ANY, ["JSON_REMOVE"];
    JsonArrayAppend Shape::Json, 3..=ANY, ["JSON_ARRAY_APPEND"];
    JsonArrayInsert Shape::Json, 3..=ANY, ["JSON_ARRAY_INSERT"];
    JsonMergePatch Shape::Json, 2..=ANY, ["JSON_MERGE_PATCH"];
    JsonMergePreserve Shape::Json, 2..=ANY, ["JSON_MERGE_PRESERVE", "JSON_MERGE"];
    JsonDepth Shape::Int, 1..=1, ["JSON_DEPTH"];
    JsonOverlaps Shape::Int, 2..=2, ["JSON_OVERLAPS"];
    JsonExists Shape::Int, 2..=2, ["JSON_EXISTS"];
    JsonQuery Shape::Json, 2..=2, ["JSON_QUERY"];
    JsonValue Shape::Text, 2..=2, ["JSON_VALUE"];
    JsonSearch Shape::Json, 3..=ANY, ["JSON_SEARCH"];
    JsonCompact Shape::Json, 1..=1, ["JSON_COMPACT"];
    JsonLoose Shape::Json, 1..=1, ["JSON_LOOSE"];
    JsonDetailed Shape::Json, 1..=2, ["JSON_DETAILED"];
    JsonPretty Shape::Text, 1..=1, ["JSON_PRETTY"];
    JsonStorageSize Shape::Int, 1..=1, ["JSON_STORAGE_SIZE"];
    JsonStorageFree Shape::Int, 1..=1, ["JSON_STORAGE_FREE"];
    JsonMemberOf Shape::Int, 2..=2, ["MEMBER OF"];
    JsonNormalize Shape::Json, 1..=1, ["JSON_NORMALIZE"];
    JsonEquals Shape::Int, 2..=2, ["JSON_EQUALS"];
}

impl Function {
    /// The function by name, with its numbers of arguments checked.
    pub fn find(name: &str, arguments: usize) -> Option<Result<Function>> {
        let (_, function, min, max) =
            FUNCTIONS.iter().find(|(known, ..)| known.eq_ignore_ascii_case(name))?;
        if !(*min..=*max).contains(&arguments) || !function.takes(arguments) {
            return Some(Err(Error::parameter_count(name)));
        }
        Some(Ok(*function))
    }

    /// Whether so many arguments, of which some belong together, make pairs.
    fn takes(self, arguments: usize) -> bool {
        match self {
            Function::JsonObject => arguments.is_multiple_of(2),
            Function::JsonSet
            | Function::JsonInsert
            | Function::JsonReplace
            | Function::JsonArrayAppend
            | Function::JsonArrayInsert => !arguments.is_multiple_of(2),
            _ => true,
        }
    }

    /// Whether two evaluations within one statement can differ.
    pub fn is_volatile(self) -> bool {
        matches!(
            self,
            Function::Rand
                | Function::Uuid
                | Function::UuidShort
                | Function::SysGuid
                | Function::RandomBytes
                | Function::SysDate
                | Function::Sleep
                | Function::LastInsertId
                | Function::GetLock
                | Function::ReleaseLock
                | Function::ReleaseAllLocks
                | Function::IsFreeLock
                | Function::IsUsedLock
        )
    }

    /// Whether it asks for more than its arguments: the session, the time or chance.
    pub fn asks_more_than(self, arguments: &[Node]) -> bool {
        use Function as F;
        self.is_volatile()
            || self.waits()
            || matches!(
                self,
                F::Now
                    | F::UtcTimestamp
                    | F::CurrentDate
                    | F::UtcDate
                    | F::CurrentTime
                    | F::UtcTime
                    | F::Database
                    | F::User
                    | F::Version
                    | F::ConnectionId
                    | F::RowCount
                    | F::FoundRows
                    | F::ReleaseAllLocks
                    | F::IsFreeLock
                    | F::IsUsedLock
            )
            || self == F::UnixTimestamp && arguments.is_empty()
    }

    /// Whether it wants a number as the argument at a place, of `arguments`: there a literal of digits (0x41,
    /// b'1') is one. Where text is wanted, or whatever there is, it is bytes (MySQL 9.7 answers so:
    /// tests/oracle/sql/wanted.py).
    pub fn wants_number(self, at: usize, arguments: &[Node]) -> bool {
        use Function as F;
        match self {
            F::Sign | F::BitCount | F::Char | F::Chr | F::Interval | F::Bin | F::Oct | F::Conv => {
                true
            }
            F::MakeDate | F::MakeTime | F::PeriodAdd | F::PeriodDiff | F::InetNtoa => true,
            F::SecToTime | F::FromDays | F::RandomBytes | F::Sleep | F::Benchmark => at == 0,
            F::Elt | F::MakeSet | F::Space | F::LastInsertId | F::FromUnixTime => at == 0,
            F::Left | F::Right | F::Repeat | F::PadLeft | F::PadRight | F::Sha2 => at == 1,
            F::Week | F::YearWeek | F::GetLock | F::UuidToBin | F::BinToUuid => at == 1,
            F::JsonDetailed => at == 1,
            F::Substring | F::InsertText => matches!(at, 1 | 2),
            F::SubstringIndex | F::Locate => at == 2,
            F::Format => at < 2,
            F::ExportSet => matches!(at, 0 | 4),
            F::RegexpInstr => (2..5).contains(&at),
            F::RegexpSubstr => matches!(at, 2 | 3),
            F::RegexpReplace => matches!(at, 3 | 4),
            // Texts are sought among texts, anything else among numbers.
            F::Field => !arguments.iter().all(Node::is_text),
            _ => matches!(self.shape(), Shape::Double | Shape::Number | Shape::Whole),
        }
    }

    /// Whether it is LAST_INSERT_ID(expr), which sets what LAST_INSERT_ID() gives.
    pub fn sets_insert_id(self, arguments: &[Node]) -> bool {
        self == Function::LastInsertId && !arguments.is_empty()
    }

    /// Whether it may take long, so that it must not run where nobody may wait.
    pub fn waits(self) -> bool {
        matches!(self, Function::Sleep | Function::GetLock | Function::Benchmark)
    }

    /// Whether it is NULL for nothing but NULL among its arguments: others are so for what makes
    /// no sense to them.
    fn is_strict(self) -> bool {
        use Function as F;
        matches!(
            self,
            F::Length
                | F::CharLength
                | F::BitLength
                | F::Lower
                | F::Upper
                | F::Left
                | F::Right
                | F::Substring
                | F::SubstringIndex
                | F::Trim
                | F::TrimLeading
                | F::TrimTrailing
                | F::Reverse
                | F::Locate
                | F::Instr
                | F::Hex
                | F::Ascii
                | F::Ord
                | F::Field
                | F::FindInSet
                | F::Strcmp
                | F::Md5
                | F::Sha1
                | F::Crc32
                | F::Crc32c
                | F::Bin
                | F::Oct
                | F::IsUuid
                | F::Abs
                | F::Ceiling
                | F::Floor
                | F::Round
                | F::Truncate
                | F::Sign
                | F::Rand
                | F::BitCount
                | F::Greatest
                | F::Least
                | F::If
                | F::IfNotNull
                | F::IfNull
                | F::Coalesce
                | F::Interval
                | F::Coercibility
                | F::RegexpLike
                | F::RegexpInstr
                | F::UnixTimestamp
                | F::LastInsertId
                | F::UuidShort
        )
    }

    /// Type and nullability of the result.
    pub fn result(self, arguments: &[Node]) -> (ColumnType, bool) {
        let nullable = arguments.iter().any(|node| node.nullable);
        let fraction = || match arguments.first().map(|node| &node.kind) {
            Some(crate::tree::node::Kind::Constant(values::datum::Value::Int(digits))) => {
                (*digits).clamp(0, 6) as u8
            }
            Some(crate::tree::node::Kind::Constant(values::datum::Value::UInt(digits))) => {
                (*digits).min(6) as u8
            }
            _ => 0,
        };
        let ty = match self.shape() {
            Shape::Int => BIGINT,
            Shape::UInt => BIGINT_UNSIGNED,
            Shape::Double => ColumnType::Double,
            Shape::Text => text_result(arguments),
            Shape::Ascii => {
                let chars = arguments.first().map_or(0, |node| display_chars(&node.ty));
                text_type((chars.saturating_mul(2) + 64).min(16_383))
            }
            Shape::Bytes => ColumnType::VarBinary { bytes: 65_532 },
            Shape::Short(chars) => text_type(chars),
            // An ENUM that was not the other value is its word.
            Shape::First
                if matches!(
                    (self, arguments),
                    (Function::NullIf, [Node { ty: ColumnType::Enum { .. }, .. }, _])
                ) =>
            {
                common_type(&arguments[..1])
            }
            Shape::First => arguments.first().map_or(BIGINT, |node| node.ty.clone()),
            Shape::Common => {
                let chosen_by = matches!(self, Function::If | Function::IfNotNull);
                common_type(&arguments[usize::from(chosen_by)..])
            }
            Shape::Word => word_result(&arguments[1..]),
            Shape::Date => ColumnType::Date,
            Shape::Time => match self {
                Function::CurrentTime | Function::UtcTime => ColumnType::Time { fsp: fraction() },
                _ => time::digits::time_result(self, arguments),
            },
            Shape::DateTime => time::digits::datetime_result(self, arguments, fraction),
            Shape::Json => ColumnType::Json,
            Shape::Number => number::result(self, arguments),
            Shape::Whole => number::whole_result(arguments),
        };
        let ty = match (self, ty) {
            // A format makes text of it.
            (Function::FromUnixTime, _) if arguments.len() == 2 => text_type(255),
            (
                Function::IsNull
                | Function::RegexpLike
                | Function::IsUuid
                | Function::JsonValid
                | Function::JsonContains
                | Function::JsonContainsPath
                | Function::JsonOverlaps
                | Function::JsonMemberOf,
                _,
            ) => TRUTH,
            (Function::Greatest | Function::Least, ColumnType::Float) => ColumnType::Double,
            (Function::Soundex, ty) => text_type(display_chars(&ty).max(4)),
            // Up to 64 words.
            (Function::ExportSet, _) => text_type(16_383),
            (_, ty) => ty,
        };
        let never_null = matches!(
            self,
            Function::IsNull
                | Function::Now
                | Function::CurrentDate
                | Function::CurrentTime
                | Function::ConnectionId
                | Function::Version
                | Function::Uuid
                | Function::SysGuid
                | Function::Interval
                | Function::Coercibility
                | Function::Pi
                | Function::User
                | Function::RowCount
                | Function::FoundRows
                | Function::SysDate
                | Function::UtcTimestamp
                | Function::UtcDate
                | Function::UtcTime
        );
        (ty, !never_null && (nullable || !self.is_strict()))
    }

    /// The value of a call.
    pub fn call<'a>(
        self,
        node: &'a Node,
        arguments: &'a [Node],
        scope: &Scope<'a>,
    ) -> Result<Cell<'a>> {
        match self {
            Function::If => {
                let chosen = if arguments[0].holds(scope)? { 1 } else { 2 };
                chosen_of(node, &arguments[1..], chosen - 1, scope)
            }
            Function::IfNotNull => {
                let chosen = usize::from(arguments[0].evaluate(scope)?.is_null());
                chosen_of(node, &arguments[1..], chosen, scope)
            }
            Function::IfNull | Function::Coalesce => {
                for argument in arguments {
                    let cell = argument.evaluate(scope)?;
                    if !cell.is_null() {
                        return Ok(settle(node, argument, arguments, cell, scope));
                    }
                }
                Ok(NULL)
            }
            Function::NullIf => {
                let (a, b) = (arguments[0].evaluate(scope)?, arguments[1].evaluate(scope)?);
                let rule = common_rule(arguments.iter());
                let (left, right) = ((&arguments[0], a.datum()), (&arguments[1], b.datum()));
                let order = order_of(left, right, rule, scope)?;
                if order == Some(std::cmp::Ordering::Equal) {
                    return Ok(NULL);
                }
                match a.datum() {
                    Datum::Enum(_) => Ok(settle(node, &arguments[0], &arguments[..1], a, scope)),
                    _ => Ok(a),
                }
            }
            Function::IsNull => Ok(Cell::truth(arguments[0].evaluate(scope)?.is_null())),
            Function::NameConst => arguments[1].evaluate(scope),
            Function::Elt => {
                let Some(position) = scope.integer(arguments[0].evaluate(scope)?.datum()) else {
                    return Ok(NULL);
                };
                match usize::try_from(position.to_i128()) {
                    Ok(n) if (1..arguments.len()).contains(&n) => word_of(&arguments[n], scope),
                    _ => Ok(NULL),
                }
            }
            Function::Interval => interval(arguments, scope),
            Function::Greatest | Function::Least => extreme(self, node, arguments, scope),
            _ => self.family(node, arguments, scope),
        }
    }

    fn family<'a>(
        self,
        node: &'a Node,
        arguments: &'a [Node],
        scope: &Scope<'a>,
    ) -> Result<Cell<'a>> {
        if let Some(cell) = session::call(self, arguments, scope)? {
            return Ok(cell);
        }
        let mut held = scope.limits.hold();
        let (one, mut several);
        let cells = match arguments {
            [argument] => {
                one = argument.evaluate(scope)?;
                // Of whole tables more often than any other.
                if let Some(part) = time::calls::part_of_date(self, one.datum()) {
                    return Ok(part);
                }
                held.add(one.uncounted_bytes())?;
                std::slice::from_ref(&one)
            }
            _ => {
                several = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    let cell = argument.evaluate(scope)?;
                    held.add(cell.uncounted_bytes())?;
                    several.push(cell);
                }
                &several[..]
            }
        };
        if let Some(cell) = text::calls::call(self, arguments, cells, scope)? {
            return Ok(cell);
        }
        if let Some(cell) = regular::call(self, arguments, cells, scope)? {
            return Ok(cell);
        }
        if let Some(cell) = number::call(self, node, cells, scope)? {
            return Ok(cell);
        }
        if let Some(cell) = text::charset::call(self, arguments, cells, scope) {
            return Ok(cell);
        }
        if let Some(cell) = text::words::call(self, arguments, cells, scope)? {
            return Ok(cell);
        }
        if let Some(cell) = address::call(self, arguments, cells, scope) {
            return Ok(cell);
        }
        if let Some(cell) = cipher::compress::call(self, arguments, cells, scope)? {
            return Ok(cell);
        }
        if let Some(cell) = cipher::aes::call(self, arguments, cells, scope)? {
            return Ok(cell);
        }
        if let Some(cell) = time::calls::call(self, node, cells, scope)? {
            return Ok(cell);
        }
        if let Some(cell) = json::text::call(self, arguments, cells, scope)? {
            return Ok(cell);
        }
        if let Some(cell) = json::calls::call(self, arguments, cells, scope)? {
            return Ok(cell);
        }
        Err(Error::unknown_function(self.name()))
    }
}

/// A node's value as text, whatever its type.
fn word_of<'a>(node: &'a Node, scope: &Scope<'a>) -> Result<Cell<'a>> {
    let cell = node.evaluate(scope)?;
    if matches!(cell.datum(), Datum::Null | Datum::Bytes(_)) {
        return Ok(cell);
    }
    let mut text = Vec::new();
    text_of(&node.ty, cell.datum(), scope.zone, &mut text);
    Ok(Cell::Owned(text))
}

fn extreme<'a>(
    function: Function,
    node: &'a Node,
    arguments: &'a [Node],
    scope: &Scope<'a>,
) -> Result<Cell<'a>> {
    let rule = common_rule(arguments.iter());
    let wanted = match function {
        Function::Greatest => std::cmp::Ordering::Greater,
        _ => std::cmp::Ordering::Less,
    };
    let mut best = (arguments[0].evaluate(scope)?, &arguments[0]);
    for argument in &arguments[1..] {
        let cell = argument.evaluate(scope)?;
        let order =
            compare((cell.datum(), &argument.ty), (best.0.datum(), &best.1.ty), rule, scope.zone);
        match order {
            None => return Ok(NULL),
            Some(order) if order == wanted => best = (cell, argument),
            Some(_) => {}
        }
    }
    Ok(settle(node, best.1, arguments, best.0, scope))
}

/// INTERVAL: how many of the numbers behind the first one are not above it, up to one that is; NULL is
/// not, and -1 is for NULL in the first place.
fn interval<'a>(arguments: &'a [Node], scope: &Scope<'a>) -> Result<Cell<'a>> {
    let number = |argument: &'a Node| -> Result<Option<Number>> {
        Ok(scope.number(argument.evaluate(scope)?.datum()))
    };
    let Some(wanted) = number(&arguments[0])? else { return Ok(int(-1)) };
    for (at, argument) in arguments[1..].iter().enumerate() {
        let Some(bound) = number(argument)? else { continue };
        let order = match (wanted.to_decimal(), bound.to_decimal()) {
            (Some(wanted), Some(bound)) => Some(wanted.cmp(&bound)),
            _ => wanted.to_f64().partial_cmp(&bound.to_f64()),
        };
        if order == Some(std::cmp::Ordering::Less) {
            return Ok(int(at as i64));
        }
    }
    Ok(int(arguments.len() as i64 - 1))
}

/// Text as long as the longest argument.
fn word_result(arguments: &[Node]) -> ColumnType {
    let longest = arguments.iter().map(|node| display_chars(&node.ty)).max();
    let longest = longest.unwrap_or(0).max(1);
    match text_result(arguments) {
        ColumnType::VarBinary { .. } => ColumnType::VarBinary { bytes: longest.min(65_532) },
        ColumnType::VarChar { collation, .. } => {
            ColumnType::VarChar { chars: longest.min(16_383), collation }
        }
        other => other,
    }
}

/// Text as long as all arguments together; bytes where those have a lower coercibility than its text.
fn text_result(arguments: &[Node]) -> ColumnType {
    let known = arguments.iter().filter(|node| {
        !matches!(node.kind, crate::tree::node::Kind::Constant(values::datum::Value::Null))
    });
    let rule = known.map(Node::collation).reduce(common_collation);
    let length = arguments.iter().map(|node| display_chars(&node.ty)).sum::<u32>();
    match rule {
        Some((Collation::Binary, _)) => ColumnType::VarBinary { bytes: length.clamp(1, 65_532) },
        Some((collation, 0..4)) => {
            ColumnType::VarChar { chars: length.clamp(1, 16_383), collation }
        }
        _ => text_type(length.clamp(1, 16_383)),
    }
}

/// A whole number argument.
pub(crate) fn whole(cell: &Cell<'_>, scope: &Scope<'_>) -> Option<i64> {
    let number = scope.integer(cell.datum())?.to_i128();
    Some(number.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64)
}

/// A datum made of a number.
pub(crate) fn int<'a>(value: i64) -> Cell<'a> {
    Cell::Plain(Datum::Int(value))
}
