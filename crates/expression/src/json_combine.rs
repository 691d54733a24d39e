//! Several JSON documents: one in another, what they share, and merged.
//!
//! Not here: reading and printing them (`json`).

use serde_json::Value as Json;

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

/// JSON_OVERLAPS: whether two documents share an element of arrays or a member of objects, or are equal.
pub(crate) fn overlap(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Array(a), Json::Array(b)) => a.iter().any(|one| b.iter().any(|two| equal(one, two))),
        (Json::Array(items), one) | (one, Json::Array(items)) => {
            items.iter().any(|item| equal(item, one))
        }
        (Json::Object(a), Json::Object(b)) => {
            a.iter().any(|(name, value)| b.get(name).is_some_and(|other| equal(value, other)))
        }
        (a, b) => equal(a, b),
    }
}

/// Numbers are equal whatever their form.
fn equal(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Number(a), Json::Number(b)) => a.as_f64() == b.as_f64(),
        (a, b) => a == b,
    }
}

/// JSON_MERGE_PATCH (RFC 7396).
pub(crate) fn merge_patch(target: Json, patch: Json) -> Json {
    let Json::Object(patch) = patch else { return patch };
    let mut members = match target {
        Json::Object(members) => members,
        _ => serde_json::Map::new(),
    };
    for (name, value) in patch {
        if value.is_null() {
            members.remove(&name);
        } else {
            let before = members.remove(&name).unwrap_or(Json::Null);
            members.insert(name, merge_patch(before, value));
        }
    }
    Json::Object(members)
}

/// JSON_MERGE_PRESERVE: arrays are joined, objects merged, and of anything else arrays are made (MySQL 8.0
/// manual, 14.17.4).
pub(crate) fn merge_preserve(a: Json, b: Json) -> Json {
    let items = |value| match value {
        Json::Array(items) => items,
        single => vec![single],
    };
    match (a, b) {
        (Json::Object(mut members), Json::Object(more)) => {
            for (name, value) in more {
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
