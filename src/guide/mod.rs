//! The guide: read it here, or as files under `src/guide/`.
//!
//! - For a planner with a map: [`flood_preview`], [`scenario`], [`validation`], [`world_files`],
//!   [`viewer`], [`columns`], [`card`].
//! - For a programmer of a game: [`library`], [`games`], [`events`], [`structures`], [`bodies`],
//!   [`stacks`], [`drawing`], [`following`].
//! - For a contributor: [`architecture`], [`numerics`], [`levels`], [`mod@format`], [`worlds`],
//!   [`tests`], [`peers`], [`glossary`], and the decisions.

#[doc = include_str!("flood_preview.md")]
pub mod flood_preview {}

#[doc = include_str!("world_files.md")]
pub mod world_files {}

#[doc = include_str!("library.md")]
pub mod library {}

#[doc = include_str!("architecture.md")]
pub mod architecture {}

#[doc = include_str!("numerics.md")]
pub mod numerics {}

#[doc = include_str!("card.md")]
pub mod card {}

#[doc = include_str!("levels.md")]
pub mod levels {}

#[doc = include_str!("columns.md")]
pub mod columns {}

#[doc = include_str!("worlds.md")]
pub mod worlds {}

#[doc = include_str!("structures.md")]
pub mod structures {}

#[doc = include_str!("games.md")]
pub mod games {}

#[doc = include_str!("events.md")]
pub mod events {}

#[doc = include_str!("bodies.md")]
pub mod bodies {}

#[doc = include_str!("stacks.md")]
pub mod stacks {}

#[doc = include_str!("drawing.md")]
pub mod drawing {}

#[doc = include_str!("validation.md")]
#[doc = include_str!("plots/stoker.svg")]
#[doc = include_str!("plots/ritter.svg")]
#[doc = include_str!("plots/bore.svg")]
#[doc = include_str!("plots/bump_jump.svg")]
#[doc = include_str!("plots/thacker.svg")]
#[doc = include_str!("plots/monai_ch5.svg")]
#[doc = include_str!("plots/monai_ch7.svg")]
#[doc = include_str!("plots/monai_ch9.svg")]
#[doc = include_str!("plots/malpasset.svg")]
#[doc = include_str!("plots/malpasset_10m.svg")]
#[doc = include_str!("plots/ea5.svg")]
#[doc = include_str!("plots/tracer_rotation.svg")]
#[doc = include_str!("plots/convergence.svg")]
pub mod validation {}

#[doc = include_str!("peers.md")]
pub mod peers {}

#[doc = include_str!("tests.md")]
pub mod tests {}

#[doc = include_str!("format.md")]
pub mod format {}

#[doc = include_str!("following.md")]
pub mod following {}

#[doc = include_str!("scenario.md")]
pub mod scenario {}

#[doc = include_str!("viewer.md")]
pub mod viewer {}

#[doc = include_str!("glossary.md")]
pub mod glossary {}

#[doc = include_str!("decisions/energy.md")]
pub mod decision_energy {}

#[doc = include_str!("decisions/open_edge.md")]
pub mod decision_open_edge {}

#[doc = include_str!("decisions/free_fall.md")]
pub mod decision_free_fall {}

#[doc = include_str!("decisions/bores.md")]
pub mod decision_bores {}

#[doc = include_str!("decisions/steps.md")]
pub mod decision_steps {}

#[doc = include_str!("decisions/half_step.md")]
pub mod decision_half_step {}

#[doc = include_str!("decisions/walls.md")]
pub mod decision_walls {}
