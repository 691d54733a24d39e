//! Calls of functions that are written in a form of their own: `TRIM(LEADING 'x' FROM a)`,
//! `INTERVAL 1 DAY`, `GROUP_CONCAT(a LIMIT 2, 3)`, `MATCH a AGAINST ('x')`.
//!
//! Not here: what sqlparser reads by itself (`SUBSTRING(a FROM 2)`), what any of them mean (crate
//! `sql`, `bind`).

use sqlparser::ast::{
    CastKind, CharacterLength, DataType, DuplicateTreatment, Expr, Function, FunctionArg,
    FunctionArgExpr, FunctionArgOperator, FunctionArgumentClause, FunctionArgumentList,
    FunctionArguments, Ident, Interval, JsonReturningClause, ObjectName, ObjectNamePart,
    SearchModifier, TrimWhereField, UnaryOperator, Value,
};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::Token;

use crate::brackets::{BEHIND_QUERY, QUERY, is_word};

/// The call that MATCH is where AGAINST has more than a literal: that, the mode, and the columns.
pub const MATCH: &str = "MATCH";
/// The argument of JSON_VALUE that says what to do where the path leads nowhere.
pub const JSON_EMPTY: &str = "ON EMPTY";
/// The one that says what to do with a value that is none of the type.
pub const JSON_ERROR: &str = "ON ERROR";

/// How tightly IN binds: what AGAINST is asked for binds more tightly than IN BOOLEAN MODE.
const IN: u8 = 20;

/// Reads such a call if one is next.
pub(super) fn special(parser: &mut Parser<'_>) -> Option<Result<Expr, ParserError>> {
    if parser.parse_keyword(Keyword::INTERVAL) {
        return Some(interval(parser));
    }
    // Columns may stand without brackets, as MySQL shows them.
    if is_next(parser, "MATCH")
        && !matches!(parser.peek_nth_token_ref(1).token, Token::Period | Token::Comma | Token::EOF)
    {
        parser.advance_token();
        return Some(match_against(parser));
    }
    if parser.peek_nth_token_ref(1).token != Token::LParen {
        return None;
    }
    if parser.parse_keyword(Keyword::CHAR) {
        return Some(char_call(parser));
    }
    if parser.parse_keyword(Keyword::TRIM) {
        return Some(trim(parser));
    }
    if parser.parse_keyword(Keyword::CAST) {
        return Some(cast(parser));
    }
    if parser.parse_keyword(Keyword::CONVERT) {
        return Some(convert(parser));
    }
    if is_next(parser, "ROW") {
        parser.advance_token();
        return Some(row(parser));
    }
    if is_next(parser, "GET_FORMAT") {
        parser.advance_token();
        return Some(get_format(parser));
    }
    if let Some(name) =
        ["TIMESTAMPADD", "TIMESTAMPDIFF"].into_iter().find(|name| is_next(parser, name))
    {
        parser.advance_token();
        return Some(by_unit(parser, name));
    }
    if is_next(parser, "JSON_VALUE") {
        parser.advance_token();
        return Some(json_value(parser));
    }
    if is_next(parser, "WEIGHT_STRING") {
        parser.advance_token();
        return Some(weight_string(parser));
    }
    let limited =
        ["GROUP_CONCAT", "JSON_ARRAYAGG"].into_iter().find(|name| is_next(parser, name))?;
    match has_limit(parser) {
        Ok(true) => {
            parser.advance_token();
            Some(limited_call(parser, limited))
        }
        Ok(false) => None,
        Err(error) => Some(Err(error)),
    }
}

/// What follows INTERVAL: an expression and a unit, which may be a compound one (DAY_MINUTE).
fn interval(parser: &mut Parser<'_>) -> Result<Expr, ParserError> {
    // The function has two arguments at least.
    let arguments = parser.maybe_parse(|parser| {
        parser.expect_token(&Token::LParen)?;
        let first = parser.parse_expr()?;
        parser.expect_token(&Token::Comma)?;
        let mut arguments = vec![first];
        arguments.extend(parser.parse_comma_separated(Parser::parse_expr)?);
        parser.expect_token(&Token::RParen)?;
        Ok(arguments)
    })?;
    if let Some(arguments) = arguments {
        return Ok(Expr::Function(plain_call("INTERVAL", arguments)));
    }
    let value = Box::new(parser.parse_expr()?);
    Ok(Expr::Interval(Interval {
        value,
        leading_field: Some(parser.parse_date_time_field()?),
        leading_precision: None,
        last_field: None,
        fractional_seconds_precision: None,
    }))
}

/// What follows MATCH: columns and what they are searched for.
fn match_against(parser: &mut Parser<'_>) -> Result<Expr, ParserError> {
    let in_brackets = parser.consume_token(&Token::LParen);
    let columns = parser.parse_comma_separated(|parser| parser.parse_object_name(false))?;
    if in_brackets {
        parser.expect_token(&Token::RParen)?;
    }
    parser.expect_keyword(Keyword::AGAINST)?;
    parser.expect_token(&Token::LParen)?;
    let against = parser.parse_subexpr(IN)?;
    let expands = |parser: &mut Parser<'_>| {
        parser.parse_keywords(&[Keyword::WITH, Keyword::QUERY, Keyword::EXPANSION])
    };
    let natural = [Keyword::IN, Keyword::NATURAL, Keyword::LANGUAGE, Keyword::MODE];
    let opt_search_modifier = if parser.parse_keywords(&natural) {
        Some(match expands(parser) {
            true => SearchModifier::InNaturalLanguageModeWithQueryExpansion,
            false => SearchModifier::InNaturalLanguageMode,
        })
    } else if parser.parse_keywords(&[Keyword::IN, Keyword::BOOLEAN, Keyword::MODE]) {
        Some(SearchModifier::InBooleanMode)
    } else if expands(parser) {
        Some(SearchModifier::WithQueryExpansion)
    } else {
        None
    };
    parser.expect_token(&Token::RParen)?;
    Ok(match against {
        Expr::Value(match_value) => {
            Expr::MatchAgainst { columns, match_value, opt_search_modifier }
        }
        // What is no literal has no place there.
        against => {
            let named = |column: &ObjectName| {
                let parts = column.0.iter().filter_map(ObjectNamePart::as_ident);
                Expr::CompoundIdentifier(parts.cloned().collect())
            };
            let mode = opt_search_modifier.map_or_else(String::new, |mode| mode.to_string());
            let mode = Expr::Value(Value::SingleQuotedString(mode).into());
            let columns = columns.iter().map(named);
            let arguments = [against, mode].into_iter().chain(columns).collect();
            Expr::Function(plain_call(MATCH, arguments))
        }
    })
}

/// What follows ROW: at least two values in brackets.
fn row(parser: &mut Parser<'_>) -> Result<Expr, ParserError> {
    parser.expect_token(&Token::LParen)?;
    let mut values = vec![parser.parse_expr()?];
    parser.expect_token(&Token::Comma)?;
    values.extend(parser.parse_comma_separated(Parser::parse_expr)?);
    parser.expect_token(&Token::RParen)?;
    Ok(Expr::Tuple(values))
}

/// A query as an operand that sqlparser takes for brackets around something else: `(VALUES ROW(...)
/// ...)` for a call, `((SELECT ...) UNION ...)` for the query's first part.
pub(super) fn query_operand(parser: &mut Parser<'_>) -> Option<Result<Expr, ParserError>> {
    let opens = parser.peek_token_ref().token == Token::LParen;
    if !opens || !(is_values_rows(parser) || goes_on_behind_brackets(parser)) {
        return None;
    }
    parser.advance_token();
    let query = parser.parse_query();
    Some(query.and_then(|query| {
        parser.expect_token(&Token::RParen)?;
        Ok(Expr::Subquery(query))
    }))
}

fn is_values_rows(parser: &Parser<'_>) -> bool {
    let is = |n, keyword| matches!(&parser.peek_nth_token_ref(n).token, Token::Word(word) if word.keyword == keyword);
    is(1, Keyword::VALUES) && is(2, Keyword::ROW)
}

/// Whether what the next bracket opens is a query whose first part is in brackets of its own.
fn goes_on_behind_brackets(parser: &Parser<'_>) -> bool {
    if parser.peek_nth_token_ref(1).token != Token::LParen {
        return false;
    }
    // Each by its own place: the nth that is no space would be looked for from the start each time.
    let mut tokens = (0..)
        .map(|n| parser.peek_nth_token_no_skip(n).token)
        .filter(|token| !matches!(token, Token::Whitespace(_)))
        .skip(1);
    let (mut depth, mut is_query) = (0, false);
    for token in tokens.by_ref() {
        match token {
            Token::LParen => depth += 1,
            Token::RParen => depth -= 1,
            Token::EOF => return false,
            _ => is_query |= QUERY.iter().any(|word| is_word(&token, word)),
        }
        // Before the first word there are only brackets.
        if !is_query && token != Token::LParen {
            return false;
        }
        if depth == 0 {
            break;
        }
    }
    tokens.next().is_some_and(|next| BEHIND_QUERY.iter().any(|word| is_word(&next, word)))
}

/// What follows CHAR: `(77, 121 [USING utf8mb4])`.
fn char_call(parser: &mut Parser<'_>) -> Result<Expr, ParserError> {
    parser.expect_token(&Token::LParen)?;
    let arguments = parser.parse_comma_separated(Parser::parse_expr)?;
    let charset = match parser.parse_keyword(Keyword::USING) {
        true => Some(parser.parse_object_name(false)?),
        false => None,
    };
    parser.expect_token(&Token::RParen)?;
    let char = Expr::Function(plain_call("CHAR", arguments));
    Ok(match charset {
        None => char,
        Some(charset) => Expr::Convert {
            is_try: false,
            expr: Box::new(char),
            data_type: None,
            charset: Some(charset),
            target_before_value: false,
            styles: Vec::new(),
        },
    })
}

/// What follows CONVERT: `(value, CHAR [(n)] [CHARACTER SET utf8mb4])`, another type, or
/// `(value USING utf8mb4)`.
fn convert(parser: &mut Parser<'_>) -> Result<Expr, ParserError> {
    parser.expect_token(&Token::LParen)?;
    let expr = Box::new(parser.parse_expr()?);
    let (data_type, charset) = match parser.parse_keyword(Keyword::USING) {
        true => (None, Some(parser.parse_object_name(false)?)),
        false => {
            parser.expect_token(&Token::Comma)?;
            let (data_type, charset) = wanted_type(parser)?;
            (Some(data_type), charset)
        }
    };
    parser.expect_token(&Token::RParen)?;
    Ok(Expr::Convert {
        is_try: false,
        expr,
        data_type,
        charset,
        target_before_value: false,
        styles: Vec::new(),
    })
}

/// The type that CAST or CONVERT is to make, and the character set of a CHAR.
fn wanted_type(parser: &mut Parser<'_>) -> Result<(DataType, Option<ObjectName>), ParserError> {
    let is_national = is_next(parser, "NCHAR");
    if is_national || is_next(parser, "NATIONAL") {
        parser.advance_token();
        if !is_national {
            parser.expect_one_of_keywords(&[Keyword::CHAR, Keyword::CHARACTER])?;
        }
        let length = match parser.consume_token(&Token::LParen) {
            true => {
                let length = parser.parse_literal_uint()?;
                parser.expect_token(&Token::RParen)?;
                Some(CharacterLength::IntegerLength { length, unit: None })
            }
            false => None,
        };
        return Ok((DataType::Nvarchar(length), None));
    }
    let data_type = parser.parse_data_type()?;
    let names_charset = parser.parse_keywords(&[Keyword::CHARACTER, Keyword::SET])
        || parser.parse_keyword(Keyword::CHARSET);
    let charset = match names_charset {
        true => Some(parser.parse_object_name(false)?),
        // CHAR BYTE is CHAR CHARACTER SET binary.
        false if matches!(data_type, DataType::Char(_)) && is_next(parser, "BYTE") => {
            parser.advance_token();
            Some(ObjectName::from(vec![Ident::new("binary")]))
        }
        false => None,
    };
    Ok((data_type, charset))
}

/// What follows CAST: `(value AS CHAR [(n)] [CHARACTER SET utf8mb4])`, or another type.
fn cast(parser: &mut Parser<'_>) -> Result<Expr, ParserError> {
    parser.expect_token(&Token::LParen)?;
    let expr = Box::new(parser.parse_expr()?);
    parser.expect_keyword_is(Keyword::AS)?;
    let (data_type, charset) = wanted_type(parser)?;
    let array = parser.parse_keyword(Keyword::ARRAY);
    if array && charset.is_some() {
        return parser.expected("an array without a character set", parser.peek_token());
    }
    parser.expect_token(&Token::RParen)?;
    Ok(match charset {
        None => Expr::Cast { kind: CastKind::Cast, expr, data_type, array, format: None },
        Some(charset) => Expr::Convert {
            is_try: false,
            expr,
            data_type: Some(data_type),
            charset: Some(charset),
            target_before_value: false,
            styles: Vec::new(),
        },
    })
}

/// What follows TRIM: `([BOTH | LEADING | TRAILING] [what] [FROM] text)`.
fn trim(parser: &mut Parser<'_>) -> Result<Expr, ParserError> {
    parser.expect_token(&Token::LParen)?;
    let side =
        match parser.parse_one_of_keywords(&[Keyword::BOTH, Keyword::LEADING, Keyword::TRAILING]) {
            Some(Keyword::LEADING) => Some(TrimWhereField::Leading),
            Some(Keyword::TRAILING) => Some(TrimWhereField::Trailing),
            Some(_) => Some(TrimWhereField::Both),
            None => None,
        };
    let trimmed = |text, what| Expr::Trim {
        expr: Box::new(text),
        trim_where: side,
        trim_what: what,
        trim_characters: None,
    };
    if parser.parse_keyword(Keyword::FROM) {
        let text = parser.parse_expr()?;
        parser.expect_token(&Token::RParen)?;
        return Ok(trimmed(text, None));
    }
    let first = parser.parse_expr()?;
    if side.is_none() && parser.consume_token(&Token::RParen) {
        return Ok(trimmed(first, None));
    }
    parser.expect_keyword_is(Keyword::FROM)?;
    let text = parser.parse_expr()?;
    parser.expect_token(&Token::RParen)?;
    Ok(trimmed(text, Some(Box::new(first))))
}

/// A word of the grammar among the arguments of a call. It is no column, and is printed as it is.
fn word_argument(word: &str) -> Expr {
    Expr::Value(Value::Number(word.to_string(), false).into())
}

/// The word that stands for an argument, as `special` puts it there.
pub fn argument_word(argument: &Expr) -> Option<&str> {
    match argument {
        Expr::Value(literal) => match &literal.value {
            Value::Number(word, false) => {
                word.starts_with(|first: char| first.is_ascii_alphabetic()).then_some(word)
            }
            _ => None,
        },
        _ => None,
    }
}

/// What follows TIMESTAMPADD and TIMESTAMPDIFF: `(unit, a, b)`.
fn by_unit(parser: &mut Parser<'_>, name: &str) -> Result<Expr, ParserError> {
    parser.expect_token(&Token::LParen)?;
    let word = parser.parse_identifier()?.value.to_ascii_uppercase();
    let unit = word.strip_prefix("SQL_TSI_").unwrap_or(&word);
    parser.expect_token(&Token::Comma)?;
    let first = parser.parse_expr()?;
    parser.expect_token(&Token::Comma)?;
    let second = parser.parse_expr()?;
    parser.expect_token(&Token::RParen)?;
    let arguments = vec![word_argument(unit), first, second];
    Ok(Expr::Function(plain_call(name, arguments)))
}

/// What follows GET_FORMAT: `(DATE | TIME | DATETIME | TIMESTAMP, place)`.
fn get_format(parser: &mut Parser<'_>) -> Result<Expr, ParserError> {
    parser.expect_token(&Token::LParen)?;
    const KINDS: [Keyword; 4] =
        [Keyword::DATE, Keyword::TIME, Keyword::DATETIME, Keyword::TIMESTAMP];
    let kind = match parser.expect_one_of_keywords(&KINDS)? {
        Keyword::DATE => "DATE",
        Keyword::TIME => "TIME",
        _ => "DATETIME",
    };
    parser.expect_token(&Token::Comma)?;
    let place = parser.parse_expr()?;
    parser.expect_token(&Token::RParen)?;
    Ok(Expr::Function(plain_call("GET_FORMAT", vec![word_argument(kind), place])))
}

/// What follows WEIGHT_STRING: `(text [AS CHAR(n) | AS BINARY(n)])`, of which the length makes it
/// another text.
fn weight_string(parser: &mut Parser<'_>) -> Result<Expr, ParserError> {
    parser.expect_token(&Token::LParen)?;
    let mut text = parser.parse_expr()?;
    if parser.parse_keyword(Keyword::AS) {
        let of = parser.expect_one_of_keywords(&[Keyword::CHAR, Keyword::BINARY])?;
        parser.expect_token(&Token::LParen)?;
        let length = parser.parse_literal_uint()?;
        parser.expect_token(&Token::RParen)?;
        text = match of {
            Keyword::CHAR => {
                let length = Value::Number(length.to_string(), false);
                Expr::Function(plain_call("RPAD", vec![text, Expr::Value(length.into())]))
            }
            _ => Expr::Cast {
                kind: CastKind::Cast,
                expr: Box::new(text),
                data_type: DataType::Binary(Some(length)),
                array: false,
                format: None,
            },
        };
    }
    parser.expect_token(&Token::RParen)?;
    Ok(Expr::Function(plain_call("WEIGHT_STRING", vec![text])))
}

/// What follows JSON_VALUE:
/// `(document, path [RETURNING type] [clause ON EMPTY] [clause ON ERROR])`. A clause that says more
/// than NULL becomes an argument of that name: DEFAULT its literal, ERROR `*`.
fn json_value(parser: &mut Parser<'_>) -> Result<Expr, ParserError> {
    parser.expect_token(&Token::LParen)?;
    let document = parser.parse_expr()?;
    parser.expect_token(&Token::Comma)?;
    let path = parser.parse_expr()?;
    let mut clauses = Vec::new();
    if parser.parse_keyword(Keyword::RETURNING) {
        let data_type = parser.parse_data_type()?;
        // The text that is read has one character set, whatever its bytes would be in another.
        if parser.parse_keywords(&[Keyword::CHARACTER, Keyword::SET])
            || parser.parse_keyword(Keyword::CHARSET)
        {
            parser.parse_object_name(false)?;
        }
        let returning = JsonReturningClause { data_type };
        clauses.push(FunctionArgumentClause::JsonReturningClause(returning));
    }
    let mut named = Vec::new();
    for case in [JSON_EMPTY, JSON_ERROR] {
        let arg = if parser.parse_keyword(Keyword::DEFAULT) {
            Some(FunctionArgExpr::Expr(signed_literal(parser)?))
        } else if parser.parse_keyword(Keyword::ERROR) {
            Some(FunctionArgExpr::Wildcard)
        } else if parser.parse_keyword(Keyword::NULL) {
            None
        } else {
            continue;
        };
        parser.expect_keyword_is(Keyword::ON)?;
        // A clause that is not there leaves the next one to its own case.
        let case = match case {
            JSON_EMPTY if parser.parse_keyword(Keyword::EMPTY) => JSON_EMPTY,
            _ => {
                parser.expect_keyword_is(Keyword::ERROR)?;
                JSON_ERROR
            }
        };
        let operator = FunctionArgOperator::RightArrow;
        named.extend(arg.map(|arg| FunctionArg::Named { name: Ident::new(case), arg, operator }));
        if case == JSON_ERROR {
            break;
        }
    }
    parser.expect_token(&Token::RParen)?;
    let mut call = call_of("JSON_VALUE", None, vec![document, path], clauses);
    if let FunctionArguments::List(list) = &mut call.args {
        list.args.extend(named);
    }
    Ok(Expr::Function(call))
}

/// A literal, or a negative number.
fn signed_literal(parser: &mut Parser<'_>) -> Result<Expr, ParserError> {
    if parser.consume_token(&Token::Minus) {
        let expr = Box::new(Expr::Value(parser.parse_value()?));
        return Ok(Expr::UnaryOp { op: UnaryOperator::Minus, expr });
    }
    parser.parse_value().map(Expr::Value)
}

/// Whether the next token is a word that the parser has no keyword for.
pub(super) fn is_next(parser: &Parser<'_>, word: &str) -> bool {
    matches!(&parser.peek_token_ref().token, Token::Word(next)
        if next.quote_style.is_none() && next.value.eq_ignore_ascii_case(word))
}

/// Whether LIMIT stands within the parentheses of the call that is next, and not within further
/// ones.
fn has_limit(parser: &mut Parser<'_>) -> Result<bool, ParserError> {
    let mut found = false;
    // Looks only: what is no reading is undone.
    let looked: Option<()> = parser.maybe_parse(|parser| {
        let mut depth = 0;
        parser.advance_token();
        loop {
            match &parser.peek_token_ref().token {
                Token::LParen => depth += 1,
                Token::RParen => depth -= 1,
                Token::Word(word) if depth == 1 && word.keyword == Keyword::LIMIT => found = true,
                _ => {}
            }
            if found || depth == 0 || parser.peek_token_ref().token == Token::EOF {
                return Err(ParserError::ParserError(String::new()));
            }
            parser.advance_token();
        }
    })?;
    debug_assert!(looked.is_none());
    Ok(found)
}

/// What follows GROUP_CONCAT or JSON_ARRAYAGG:
/// `([DISTINCT] values [ORDER BY ...] [SEPARATOR text] LIMIT [offset,] count | LIMIT count OFFSET offset)`.
/// The limit becomes the pair of offset and count.
fn limited_call(parser: &mut Parser<'_>, name: &str) -> Result<Expr, ParserError> {
    parser.expect_token(&Token::LParen)?;
    let distinct = parser.parse_keyword(Keyword::DISTINCT);
    let arguments = parser.parse_comma_separated(Parser::parse_expr)?;
    let mut clauses = Vec::new();
    if parser.parse_keywords(&[Keyword::ORDER, Keyword::BY]) {
        let order = parser.parse_comma_separated(Parser::parse_order_by_expr)?;
        clauses.push(FunctionArgumentClause::OrderBy(order));
    }
    if name == "GROUP_CONCAT" && parser.parse_keyword(Keyword::SEPARATOR) {
        clauses.push(FunctionArgumentClause::Separator(parser.parse_value()?));
    }
    parser.expect_keyword_is(Keyword::LIMIT)?;
    let first = row_count(parser)?;
    let pair = if parser.consume_token(&Token::Comma) {
        vec![first, row_count(parser)?]
    } else if parser.parse_keyword(Keyword::OFFSET) {
        vec![row_count(parser)?, first]
    } else {
        vec![Expr::Value(Value::Number("0".to_string(), false).into()), first]
    };
    clauses.push(FunctionArgumentClause::Limit(Expr::Tuple(pair)));
    parser.expect_token(&Token::RParen)?;
    let distinct = distinct.then_some(DuplicateTreatment::Distinct);
    Ok(Expr::Function(call_of(name, distinct, arguments, clauses)))
}

/// A number of rows: a literal or `?`.
fn row_count(parser: &mut Parser<'_>) -> Result<Expr, ParserError> {
    match &parser.peek_token_ref().token {
        Token::Number(..) | Token::Placeholder(_) => parser.parse_value().map(Expr::Value),
        _ => parser.expected_ref("a number", parser.peek_token_ref()),
    }
}

/// A call by name of plain arguments.
pub fn plain_call(name: &str, arguments: Vec<Expr>) -> Function {
    call_of(name, None, arguments, Vec::new())
}

fn call_of(
    name: &str,
    duplicate_treatment: Option<DuplicateTreatment>,
    arguments: Vec<Expr>,
    clauses: Vec<FunctionArgumentClause>,
) -> Function {
    let unnamed = |expr| FunctionArg::Unnamed(FunctionArgExpr::Expr(expr));
    Function {
        name: ObjectName::from(vec![Ident::new(name)]),
        uses_odbc_syntax: false,
        parameters: FunctionArguments::None,
        args: FunctionArguments::List(FunctionArgumentList {
            duplicate_treatment,
            args: arguments.into_iter().map(unnamed).collect(),
            clauses,
        }),
        filter: None,
        null_treatment: None,
        over: None,
        within_group: Vec::new(),
    }
}
