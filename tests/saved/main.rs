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
