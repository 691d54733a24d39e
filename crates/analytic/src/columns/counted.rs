//! Columns of long texts that count in their statement's memory as long as they live, wherever
//! DataFusion keeps them.
//!
//! Not here: how the memory is taken (`expression::limits`).

use std::sync::Arc;

use bytes::Bytes;
use datafusion::arrow::array::{Array, ArrayRef, BinaryViewArray};
use datafusion::arrow::buffer::Buffer;
use datafusion::common::Result;
use expression::limits::Room;

/// A buffer, and the memory that was taken for it and its neighbours.
struct CountedBuffer {
    buffer: Buffer,
    _room: Arc<Room>,
}

impl AsRef<[u8]> for CountedBuffer {
    fn as_ref(&self) -> &[u8] {
        self.buffer.as_slice()
    }
}

/// The column, which gives the memory back when the last of its buffers is dropped.
pub(crate) fn counted(array: ArrayRef, room: Room) -> Result<ArrayRef> {
    let Some(texts) = array.as_any().downcast_ref::<BinaryViewArray>() else { return Ok(array) };
    if room.is_none() {
        return Ok(array);
    }
    let room = Arc::new(room);
    let own = texts.data_buffers().iter().map(|buffer| {
        let counted = CountedBuffer { buffer: buffer.clone(), _room: Arc::clone(&room) };
        Buffer::from(Bytes::from_owner(counted))
    });
    let buffers: Vec<Buffer> = own.collect();
    let nulls = texts.nulls().cloned();
    let texts = BinaryViewArray::try_new(texts.views().clone(), buffers, nulls)?;
    Ok(Arc::new(texts))
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::BinaryViewBuilder;
    use resources::budget::Budget;

    use super::*;
    use expression::Limits;
    use expression::limits::VALUE_BYTES_MAX;

    #[test]
    fn a_column_counts_until_the_last_slice_of_it_is_dropped() {
        let budget = Budget::new(1 << 20);
        let limits = Limits::new(VALUE_BYTES_MAX, &budget, &Arc::default());
        let mut texts = BinaryViewBuilder::new();
        texts.append_value(vec![b'a'; 10_000]);
        texts.append_null();
        let room = limits.take(10_000).unwrap();
        let column = counted(Arc::new(texts.finish()), room).unwrap();
        let slice = column.slice(0, 1);
        drop(column);
        assert_eq!(budget.used(), 10_000);
        assert_eq!(slice.len(), 1);
        drop(slice);
        assert_eq!(budget.used(), 0);
    }
}
