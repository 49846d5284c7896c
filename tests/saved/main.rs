//! A saved world loads, and is the same world.

mod broken;
mod calls;
mod checked;
mod draws;
mod elsewhere;
mod maps;
mod resident;
mod rounds;
mod support;
mod things;
mod worlds;

/// Cases are fewer and shorter, unless tests are built with `THALWEG_FULL` set.
const QUICK: bool = option_env!("THALWEG_FULL").is_none();
