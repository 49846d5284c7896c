//! Worlds larger than memory: pages of terrain that are read from the file when they are needed.
//!
//! ```text
//! cycle n        a plan wants other leaves → their pages are asked for
//!                I/O threads read, check and decode them
//! cycle n + P    the leaves change; what has not come by then is waited for, and counted
//! ```
//!
//! The budget of *cells* shapes the forest and bounds the data of its leaves; the budget of *bytes*
//! only limits how many pages stay in memory beside them. [`StreamPlan`] computes that number of
//! bytes in advance. A page takes its room when it is requested, so pages never take more bytes
//! than they are given. A page contains beds, or tables of sub-grid columns ([`PageKind`]); tables
//! that are missing in the file are made from beds by the same threads. Edited beds are newer than
//! the file: they stay in memory, beside the pages, until a commit contains them.
//!
//! Guarantees: results do not depend on when a page arrives (`tests/engine/streamed.rs`: the hash
//!             of the same run with all of it in memory). A page that cannot be read, or whose
//!             reading panics, has an error and ends every wait for it. Pages in memory and
//!             requested pages together never take more bytes than they are given, which is room
//!             for all pages of beds that one change of leaves reads, and for the tables of a
//!             quarter of them.
//! Limits:     the water of all leaves is in memory, packed for leaves asleep, and their ground is
//!             not ([`HeldBeds`]). Edited beds and tables of tiles with a long border take more
//!             bytes than pages are given.

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
