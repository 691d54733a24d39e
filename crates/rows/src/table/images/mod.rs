//! Images of indexes in memory, as tables have them: what one is (`image`), where an index has its
//! own (`place`), which ones there are (`held`).
//!
//! Not here: what they are for, who reads and who makes them (crate root's `images`).

mod held;
mod image;
mod place;

pub(crate) use held::{HeldPlace, Images, WantedImage};
pub(crate) use image::{Image, ImageCursor};
pub(crate) use place::ImagePlace;
