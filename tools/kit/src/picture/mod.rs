//! Parts of pictures that the tools share.

pub mod animated;
pub mod colours;
pub mod png;
pub mod relief;
