//! What stands in the way of water, and what water does to it.

mod actions;
mod barriers;
mod footprints;
mod found;
mod levels;
mod links;
mod refused;
mod refused_actions;
mod saved;
mod support;
mod undone;
