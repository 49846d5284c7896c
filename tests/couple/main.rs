//! What stands in the way of water, and what water does to it.

mod barriers;
mod found;
mod levels;
mod links;
mod refused;
mod saved;
mod support;
