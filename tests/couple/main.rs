//! What stands in the way of water, and what water does to it.

mod barriers;
mod support;
