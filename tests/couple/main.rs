//! Obstacles in the way of water, and the water's load on them.

mod actions;
mod barriers;
mod bodies;
mod bodies_bad;
mod bodies_go_on;
mod bodies_many;
#[path = "../../examples/boxes/mod.rs"]
mod boxes;
mod commands;
mod conditions;
mod deep;
mod footprints;
mod forcing;
mod found;
mod hostile_names;
mod levels;
mod links;
mod paused;
mod pistons;
mod rebuilt;
mod refused;
mod refused_actions;
mod saved;
mod stacks;
mod stacks_dug;
mod stacks_heads;
mod stacks_maxima;
mod stacks_mouths;
mod stacks_seen;
mod stacks_sources;
mod support;
mod tunnels;
mod undone;
mod undone_everywhere;
mod watches;
mod watches_bad;
mod wire;

/// Cases are fewer and shorter, unless tests are built with `THALWEG_FULL` set.
const QUICK: bool = option_env!("THALWEG_FULL").is_none();
