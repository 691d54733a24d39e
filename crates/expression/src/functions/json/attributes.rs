//! Objects of JSON that are kept as texts and changed by others: what ATTRIBUTE and COMMENT say of
//! an account.
//!
//! Not here: where they are kept (`access::account`).

use values::json::{Json, ObjectMembers};

use super::combine::merge_patch;

/// An object with another one merged into it, as JSON_MERGE_PATCH does; `None` where the patch is
/// no object of JSON. `object`: the text of the one before, if there is one.
pub fn patched_object(object: Option<&str>, patch: &str) -> Option<String> {
    let patch = Json::read(patch.as_bytes()).ok()?;
    if !matches!(patch, Json::Object(_)) {
        return None;
    }
    let before = object.and_then(|text| Json::read(text.as_bytes()).ok());
    Some(printed(&merge_patch(before.unwrap_or(Json::Object(ObjectMembers::default())), patch)))
}

/// The object whose only member is a text.
pub fn object_of_text(name: &str, text: &str) -> String {
    let mut members = ObjectMembers::default();
    members.insert(name.to_owned(), Json::String(text.to_owned()));
    printed(&Json::Object(members))
}

/// A document as text.
pub(crate) fn printed(document: &Json) -> String {
    let mut text = Vec::new();
    document.write(&mut text);
    String::from_utf8_lossy(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_merged_as_mysql_merges_attributes() {
        let comment = object_of_text("comment", "it's \"x\"");
        assert_eq!(comment, r#"{"comment": "it's \"x\""}"#);
        let patched = |object: &str, patch| patched_object(Some(object), patch);
        let both = patched(&comment, r#"{"k": [1, 2], "a": {"b": 1.50}}"#).unwrap();
        assert_eq!(both, r#"{"a": {"b": 1.5}, "k": [1, 2], "comment": "it's \"x\""}"#);
        let nested = patched(&both, r#"{"a": {"c": 1}, "comment": null, "k": null}"#).unwrap();
        assert_eq!(nested, r#"{"a": {"b": 1.5, "c": 1}}"#);
        assert_eq!(patched_object(None, "{}").as_deref(), Some("{}"));
        for wrong in ["oops", "[1]", "", "1", "null"] {
            assert_eq!(patched(&both, wrong), None, "{wrong}");
        }
    }
}
