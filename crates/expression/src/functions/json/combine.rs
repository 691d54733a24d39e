//! Several JSON documents: one in another, what they share, and merged.
//!
//! Not here: reading and printing them (`values::json`), their order
//! (`value::json::order`).

use values::json::{Json, ObjectMembers};

use crate::value::json::order::equal;

/// JSON_CONTAINS: whether one document has the other in it.
pub(crate) fn contains(target: &Json, candidate: &Json) -> bool {
    match (target, candidate) {
        (Json::Array(items), Json::Array(wanted)) => {
            wanted.iter().all(|one| items.iter().any(|item| contains(item, one)))
        }
        (Json::Array(items), one) => items.iter().any(|item| contains(item, one)),
        (Json::Object(members), Json::Object(wanted)) => wanted
            .iter()
            .all(|(name, value)| members.get(name).is_some_and(|member| contains(member, value))),
        (target, candidate) => equal(target, candidate),
    }
}

/// MEMBER OF: whether a value is an element of an array, or equal to what is none.
pub(crate) fn is_member(value: &Json, of: &Json) -> bool {
    match of {
        Json::Array(items) => items.iter().any(|item| equal(item, value)),
        single => equal(single, value),
    }
}

/// JSON_OVERLAPS: whether two documents share an element of arrays or a member of objects, or are
/// equal.
pub(crate) fn overlap(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Array(a), b @ Json::Array(_)) => a.iter().any(|one| is_member(one, b)),
        (array @ Json::Array(_), one) | (one, array @ Json::Array(_)) => is_member(one, array),
        (Json::Object(a), Json::Object(b)) => {
            a.iter().any(|(name, value)| b.get(name).is_some_and(|other| equal(value, other)))
        }
        (a, b) => equal(a, b),
    }
}

/// JSON_MERGE_PATCH (RFC 7396).
pub(crate) fn merge_patch(target: Json, patch: Json) -> Json {
    let Json::Object(patch) = patch else { return patch };
    let mut members = match target {
        Json::Object(members) => members,
        _ => ObjectMembers::default(),
    };
    for (name, value) in patch.into_pairs() {
        if matches!(value, Json::Null) {
            members.remove(&name);
        } else {
            let before = members.remove(&name).unwrap_or(Json::Null);
            members.insert(name, merge_patch(before, value));
        }
    }
    Json::Object(members)
}

/// JSON_MERGE_PRESERVE: arrays are joined, objects merged, and of anything else arrays are made
/// (MySQL 8.0 manual, 14.17.4).
pub(crate) fn merge_preserve(a: Json, b: Json) -> Json {
    let items = |value| match value {
        Json::Array(items) => items,
        single => vec![single],
    };
    match (a, b) {
        (Json::Object(mut members), Json::Object(more)) => {
            for (name, value) in more.into_pairs() {
                let value = match members.remove(&name) {
                    Some(before) => merge_preserve(before, value),
                    None => value,
                };
                members.insert(name, value);
            }
            Json::Object(members)
        }
        (a, b) => {
            let mut all = items(a);
            all.extend(items(b));
            Json::Array(all)
        }
    }
}
