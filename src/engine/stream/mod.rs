//! Worlds larger than memory: pages of terrain that come from the file when they are needed.
//!
//! ```text
//! cycle n        a plan wants other leaves → their pages are asked for
//!                I/O threads read, check and decode them
//! cycle n + P    the leaves change; what has not come by then is waited for, and counted
//! ```
//!
//! The budget of *cells* shapes the forest and bounds what its leaves hold; the budget of *bytes*
//! only decides how many pages stay beside them. [`StreamPlan`] says beforehand how many bytes that
//! is. A page takes its room when it is requested, so pages never take more than they are given.
//! A page holds beds, or tables of sub-grid columns ([`PageKind`]); tables that the file does not
//! hold are made from beds by the same threads. Beds that were edited are newer than the file: they
//! stay in memory, beside the pages, until a commit has them.
//!
//! Guarantees: results do not depend on when a page comes (`tests/engine/streamed.rs`: the hash of
//!             the same run with all of it in memory). What cannot be read, a panic of what reads
//!             among it, is an error of the page and ends every wait for it. Pages, with those on
//!             their way, take no more bytes at any moment than they are given, which is room for
//!             all pages of beds that one change of leaves looks at, and for the tables of a
//!             quarter of them.
//! Limits:     the water of all leaves is in memory, that of leaves asleep packed, and their ground
//!             is not ([`HeldBeds`]). Edited beds and
//!             tables of tiles with a long border take more than pages are given.

mod counters;
mod edited;
mod held;
mod page;
mod pager;
mod pages;
mod plan;
mod requests;

pub use counters::StreamCounters;
pub use held::HeldBeds;
pub use page::{Page, PageKey, PageKind};
pub use pager::Pager;
pub use plan::{StreamNeeds, StreamPlan};
