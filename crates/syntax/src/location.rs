//! Places in a text by line and column, as the tokenizer tells them.
//!
//! Not here: what stands there (`cursor`, `derived_names`).

/// Where a line and a column, both from 1, are in a text.
pub(super) fn offset_of(text: &str, line: u64, column: u64) -> usize {
    let mut start = 0;
    for _ in 1..line.max(1) {
        start = text[start..].find('\n').map_or(text.len(), |at| start + at + 1);
    }
    let skip = column.saturating_sub(1) as usize;
    let rest = &text[start..];
    start + rest.char_indices().nth(skip).map_or(rest.len(), |(at, _)| at)
}
