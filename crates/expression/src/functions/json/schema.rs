//! JSON_SCHEMA_VALID and JSON_SCHEMA_VALIDATION_REPORT: documents checked against a JSON schema.
//!
//! Schemas are read as draft 4, as MySQL 9.7 reads them (manual, 14.17.7): words that are not known
//! mean nothing, nor does `format`, nor a word whose value has a form of another draft. References
//! lead to places of the schema itself; one that leads nowhere demands nothing.
//!
//! Invariants
//! 1. What is told of a document is the first requirement that it fails: where in the document,
//!    where in the schema, and the word there.
//! 2. A reference that comes back to itself over one value demands no more of it.
//!
//! Not here: documents (`values::json`), patterns (`functions::regular`).

use std::cell::RefCell;

use values::ErrorCode;
use values::json::{Json, ObjectMembers};

use crate::functions::call::Call;
use crate::functions::json::calls::with_documents;
use crate::functions::regular::{is_fault, is_found};
use crate::row::scope::Scope;
use crate::statement::error::{Error, Result};
use crate::tree::function::Function;
use crate::value::cell::{Cell, NULL};
use crate::value::json::conversion::print;
use crate::value::json::order::{equal, order};

/// The deepest that schemas are followed: a level takes a few hundred bytes of the stack.
const DEPTH_MAX: usize = 500;

/// Both functions: of a schema and a document.
pub(crate) fn call<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    with_documents(call, cells, |documents| {
        let [Some(schema), Some(document)] = documents.as_slice() else { return Ok(NULL) };
        let Json::Object(_) = schema else {
            let name = call.function.name().to_lowercase();
            let message = format!(
                "Invalid JSON type in argument 1 to function {name}; an object is required."
            );
            return Err(Error::new(ErrorCode::InvalidJsonType, message));
        };
        let validator = Validator { root: schema, scope: call.scope, followed: RefCell::default() };
        let at = SchemaPlaces { document: SchemaPlace::Root, schema: SchemaPlace::Root };
        let failure = validator.failure(schema, document, &at, 0)?;
        Ok(match (call.function, failure) {
            (Function::JsonSchemaValid, failure) => Cell::truth(failure.is_none()),
            (_, failure) => print(&report(failure)),
        })
    })
}

/// A requirement that a document fails.
struct SchemaFailure {
    document: String,
    schema: String,
    word: String,
}

fn report(failure: Option<SchemaFailure>) -> Json {
    let mut members = ObjectMembers::default();
    members.insert("valid".to_owned(), Json::Bool(failure.is_none()));
    if let Some(SchemaFailure { document, schema, word }) = failure {
        let reason = format!(
            "The JSON document location '{document}' failed requirement '{word}' at JSON Schema \
             location '{schema}'"
        );
        for (name, text) in [
            ("reason", reason),
            ("schema-location", schema),
            ("document-location", document),
            ("schema-failed-keyword", word),
        ] {
            members.insert(name.to_owned(), Json::String(text));
        }
    }
    Json::Object(members)
}

/// A place within a document: what leads there from its root.
enum SchemaPlace<'p> {
    Root,
    Member(&'p SchemaPlace<'p>, &'p str),
    Element(&'p SchemaPlace<'p>, usize),
    /// One that a reference names.
    Named(&'p str),
}

impl SchemaPlace<'_> {
    /// As a fragment of an address (RFC 6901, 6).
    fn fragment(&self) -> String {
        match self {
            SchemaPlace::Root => "#".to_owned(),
            SchemaPlace::Named(fragment) => (*fragment).to_owned(),
            SchemaPlace::Element(parent, at) => format!("{}/{at}", parent.fragment()),
            SchemaPlace::Member(parent, name) => {
                let mut fragment = parent.fragment();
                fragment.push('/');
                for byte in name.bytes() {
                    match byte {
                        b'~' => fragment.push_str("~0"),
                        b'/' => fragment.push_str("~1"),
                        b'-' | b'.' | b'_' => fragment.push(byte.into()),
                        byte if byte.is_ascii_alphanumeric() => fragment.push(byte.into()),
                        byte => fragment.push_str(&format!("%{byte:02X}")),
                    }
                }
                fragment
            }
        }
    }
}

/// Where the values at hand stand.
struct SchemaPlaces<'p> {
    document: SchemaPlace<'p>,
    schema: SchemaPlace<'p>,
}

impl SchemaPlaces<'_> {
    fn failed(&self, word: &str) -> Option<SchemaFailure> {
        let (document, schema) = (self.document.fragment(), self.schema.fragment());
        Some(SchemaFailure { document, schema, word: word.to_owned() })
    }
}

type FailureResult = Result<Option<SchemaFailure>>;

struct Validator<'v, 'a> {
    root: &'v Json,
    scope: &'v Scope<'a>,
    /// References that are being followed: the schema that each led to, and the value.
    followed: RefCell<Vec<(*const Json, *const Json)>>,
}

impl Validator<'_, '_> {
    /// The first requirement of a schema that a value fails.
    fn failure(
        &self,
        schema: &Json,
        value: &Json,
        at: &SchemaPlaces<'_>,
        depth: usize,
    ) -> FailureResult {
        let Json::Object(words) = schema else { return Ok(None) };
        if depth > DEPTH_MAX {
            return Err(Error::other("A JSON schema is nested too deeply"));
        }
        if let Some(Json::String(reference)) = words.get("$ref") {
            return self.referred(reference, value, at, depth);
        }
        if words.get("type").is_some_and(|ty| !is_of_type(ty, value)) {
            return Ok(at.failed("type"));
        }
        let own = match value {
            Json::String(text) => self.of_text(words, text)?,
            Json::Int(_) | Json::UInt(_) | Json::Double(_) | Json::Decimal(_) => {
                of_number(words, value)
            }
            _ => None,
        };
        if let Some(word) = own {
            return Ok(at.failed(word));
        }
        let within = match value {
            Json::Object(members) => self.of_object(words, members, value, at, depth)?,
            Json::Array(elements) => self.of_array(words, elements, at, depth)?,
            _ => None,
        };
        if within.is_some() {
            return Ok(within);
        }
        if let Some(Json::Array(allowed)) = words.get("enum")
            && !allowed.iter().any(|one| equal(one, value))
        {
            return Ok(at.failed("enum"));
        }
        self.combined(words, value, at, depth)
    }

    fn referred(
        &self,
        reference: &str,
        value: &Json,
        at: &SchemaPlaces<'_>,
        depth: usize,
    ) -> FailureResult {
        self.scope.limits.check()?;
        if !reference.starts_with('#') {
            let message =
                "This version of Rowhouse doesn't yet support 'references in JSON Schema'";
            return Err(Error::new(ErrorCode::NotSupportedYet, message));
        }
        let Some(schema) = referred_to(self.root, reference) else { return Ok(None) };
        let step = (std::ptr::from_ref(schema), std::ptr::from_ref(value));
        if self.followed.borrow().contains(&step) {
            return Ok(None);
        }
        self.followed.borrow_mut().push(step);
        let at =
            SchemaPlaces { document: at.document.again(), schema: SchemaPlace::Named(reference) };
        let failure = self.failure(schema, value, &at, depth + 1);
        self.followed.borrow_mut().pop();
        failure
    }

    fn of_text(&self, words: &ObjectMembers, text: &str) -> Result<Option<&'static str>> {
        let chars = text.chars().count();
        if count_of(words, "minLength").is_some_and(|min| chars < min) {
            return Ok(Some("minLength"));
        }
        if count_of(words, "maxLength").is_some_and(|max| chars > max) {
            return Ok(Some("maxLength"));
        }
        match words.get("pattern") {
            Some(Json::String(pattern)) if !self.is_match(pattern, text)? => Ok(Some("pattern")),
            _ => Ok(None),
        }
    }

    /// Whether a pattern is found in a text; one that is none demands nothing.
    fn is_match(&self, pattern: &str, text: &str) -> Result<bool> {
        match is_found(pattern, text, self.scope) {
            Ok(found) => Ok(found),
            Err(Error::Failed { code, .. }) if is_fault(code) => Ok(true),
            Err(error) => Err(error),
        }
    }

    fn of_object(
        &self,
        words: &ObjectMembers,
        members: &ObjectMembers,
        value: &Json,
        at: &SchemaPlaces<'_>,
        depth: usize,
    ) -> FailureResult {
        for (name, member) in members.iter() {
            let document = || SchemaPlace::Member(&at.document, name);
            let mut is_known = false;
            if let Some(Json::Object(properties)) = words.get("properties")
                && let Some(schema) = properties.get(name)
            {
                is_known = true;
                let of_words = SchemaPlace::Member(&at.schema, "properties");
                let at = SchemaPlaces {
                    document: document(),
                    schema: SchemaPlace::Member(&of_words, name),
                };
                if let failure @ Some(_) = self.failure(schema, member, &at, depth + 1)? {
                    return Ok(failure);
                }
            }
            if let Some(Json::Object(patterns)) = words.get("patternProperties") {
                for (pattern, schema) in patterns.iter() {
                    if !self.is_match(pattern, name)? {
                        continue;
                    }
                    is_known = true;
                    let at = SchemaPlaces { document: document(), schema: at.schema.again() };
                    if self.failure(schema, member, &at, depth + 1)?.is_some() {
                        return Ok(at.failed("patternProperties"));
                    }
                }
            }
            match words.get("additionalProperties").filter(|_| !is_known) {
                Some(Json::Bool(false)) => {
                    let at = SchemaPlaces { document: document(), schema: at.schema.again() };
                    return Ok(at.failed("additionalProperties"));
                }
                Some(schema) => {
                    let schema_place = SchemaPlace::Member(&at.schema, "additionalProperties");
                    let at = SchemaPlaces { document: document(), schema: schema_place };
                    if let failure @ Some(_) = self.failure(schema, member, &at, depth + 1)? {
                        return Ok(failure);
                    }
                }
                None => {}
            }
        }
        let is_missing = |name: &Json| match name {
            Json::String(name) => members.get(name).is_none(),
            _ => false,
        };
        if let Some(Json::Array(names)) = words.get("required")
            && names.iter().any(is_missing)
        {
            return Ok(at.failed("required"));
        }
        if count_of(words, "minProperties").is_some_and(|min| members.len() < min) {
            return Ok(at.failed("minProperties"));
        }
        if count_of(words, "maxProperties").is_some_and(|max| members.len() > max) {
            return Ok(at.failed("maxProperties"));
        }
        if let Some(Json::Object(dependencies)) = words.get("dependencies") {
            for (_, wanted) in dependencies.iter().filter(|(name, _)| members.get(name).is_some()) {
                let is_failed = match wanted {
                    Json::Array(names) => names.iter().any(is_missing),
                    schema => self.failure(schema, value, at, depth + 1)?.is_some(),
                };
                if is_failed {
                    return Ok(at.failed("dependencies"));
                }
            }
        }
        Ok(None)
    }

    fn of_array(
        &self,
        words: &ObjectMembers,
        elements: &[Json],
        at: &SchemaPlaces<'_>,
        depth: usize,
    ) -> FailureResult {
        let is_unique = matches!(words.get("uniqueItems"), Some(Json::Bool(true)));
        let of_items = SchemaPlace::Member(&at.schema, "items");
        for (n, element) in elements.iter().enumerate() {
            let document = || SchemaPlace::Element(&at.document, n);
            let own = SchemaPlaces { document: document(), schema: at.schema.again() };
            let (schema, place) = match words.get("items") {
                Some(Json::Array(schemas)) => {
                    match (schemas.get(n), words.get("additionalItems")) {
                        (Some(schema), _) => (Some(schema), SchemaPlace::Element(&of_items, n)),
                        (None, Some(Json::Bool(false))) => return Ok(own.failed("additionalItems")),
                        (None, more) => (more, SchemaPlace::Member(&at.schema, "additionalItems")),
                    }
                }
                every => (every, of_items.again()),
            };
            if let Some(schema) = schema {
                let at = SchemaPlaces { document: document(), schema: place };
                if let failure @ Some(_) = self.failure(schema, element, &at, depth + 1)? {
                    return Ok(failure);
                }
            }
            if is_unique {
                self.scope.limits.check()?;
                if elements[..n].iter().any(|before| equal(before, element)) {
                    return Ok(own.failed("uniqueItems"));
                }
            }
        }
        if count_of(words, "minItems").is_some_and(|min| elements.len() < min) {
            return Ok(at.failed("minItems"));
        }
        if count_of(words, "maxItems").is_some_and(|max| elements.len() > max) {
            return Ok(at.failed("maxItems"));
        }
        Ok(None)
    }

    /// allOf, anyOf, oneOf and not.
    fn combined(
        &self,
        words: &ObjectMembers,
        value: &Json,
        at: &SchemaPlaces<'_>,
        depth: usize,
    ) -> FailureResult {
        let holds = |schema: &Json| {
            let failure = self.failure(schema, value, at, depth + 1);
            failure.map(|failure| failure.is_none())
        };
        for (word, is_enough) in [
            ("allOf", (|held, of| held == of) as fn(usize, usize) -> bool),
            ("anyOf", |held, _| held > 0),
            ("oneOf", |held, _| held == 1),
        ] {
            let Some(Json::Array(schemas)) = words.get(word) else { continue };
            let mut held = 0;
            for schema in schemas {
                held += usize::from(holds(schema)?);
            }
            if !is_enough(held, schemas.len()) {
                return Ok(at.failed(word));
            }
        }
        match words.get("not") {
            Some(schema @ Json::Object(_)) if holds(schema)? => Ok(at.failed("not")),
            _ => Ok(None),
        }
    }
}

impl<'p> SchemaPlace<'p> {
    fn again(&self) -> SchemaPlace<'p> {
        match *self {
            SchemaPlace::Root => SchemaPlace::Root,
            SchemaPlace::Member(parent, name) => SchemaPlace::Member(parent, name),
            SchemaPlace::Element(parent, at) => SchemaPlace::Element(parent, at),
            SchemaPlace::Named(fragment) => SchemaPlace::Named(fragment),
        }
    }
}

/// What a fragment leads to within the schema.
fn referred_to<'j>(root: &'j Json, reference: &str) -> Option<&'j Json> {
    let mut at = root;
    for step in reference.trim_start_matches('#').split('/').skip(1) {
        let step = step.replace("~1", "/").replace("~0", "~").replace("%20", " ");
        at = match at {
            Json::Object(members) => members.get(&step)?,
            Json::Array(elements) => elements.get(step.parse::<usize>().ok()?)?,
            _ => return None,
        };
    }
    Some(at)
}

fn is_of_type(ty: &Json, value: &Json) -> bool {
    let is = |name: &str| match value {
        Json::Null => name == "null",
        Json::Bool(_) => name == "boolean",
        Json::Int(_) | Json::UInt(_) => matches!(name, "integer" | "number"),
        Json::Double(_) | Json::Decimal(_) => name == "number",
        Json::String(_) => name == "string",
        Json::Array(_) => name == "array",
        Json::Object(_) => name == "object",
    };
    match ty {
        Json::String(name) => is(name),
        Json::Array(names) => {
            names.iter().any(|name| matches!(name, Json::String(name) if is(name)))
        }
        _ => true,
    }
}

/// The word that a number fails.
fn of_number(words: &ObjectMembers, value: &Json) -> Option<&'static str> {
    let is_strict = |word| matches!(words.get(word), Some(Json::Bool(true)));
    let beside = |word| {
        let bound = words.get(word).filter(|bound| as_double(bound).is_some())?;
        Some(order(value, bound))
    };
    if let Some(order) = beside("minimum")
        && (order.is_lt() || order.is_eq() && is_strict("exclusiveMinimum"))
    {
        return Some("minimum");
    }
    if let Some(order) = beside("maximum")
        && (order.is_gt() || order.is_eq() && is_strict("exclusiveMaximum"))
    {
        return Some("maximum");
    }
    match words.get("multipleOf") {
        Some(of) if !is_multiple(value, of) => Some("multipleOf"),
        _ => None,
    }
}

/// Whether a number is a multiple of another; one that is none, or not above 0, demands nothing.
fn is_multiple(value: &Json, of: &Json) -> bool {
    if let (Json::Int(value), Json::Int(of @ 1..)) = (value, of) {
        return value % of == 0;
    }
    let (Some(value), Some(of)) = (as_double(value), as_double(of).filter(|of| *of > 0.0)) else {
        return true;
    };
    let quotient = value / of;
    let whole = quotient.round();
    (quotient - whole).abs() <= (quotient + whole).abs() * f64::EPSILON
}

fn as_double(value: &Json) -> Option<f64> {
    match value {
        Json::Int(value) => Some(*value as f64),
        Json::UInt(value) => Some(*value as f64),
        Json::Double(value) => Some(*value),
        Json::Decimal(value) => Some(value.to_f64()),
        _ => None,
    }
}

/// A number of characters, elements or members that a word says.
fn count_of(words: &ObjectMembers, word: &str) -> Option<usize> {
    match words.get(word) {
        Some(Json::Int(count)) => usize::try_from(*count).ok(),
        Some(Json::UInt(count)) => usize::try_from(*count).ok(),
        _ => None,
    }
}
