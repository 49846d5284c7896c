//! The world as its structures see it.

use crate::world::relief::WorldRelief;
use crate::world::setup::Setup;
use crate::world::site::WorldSite;
use thalweg_engine::forest::Forest;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::structure::frame::StructureFrame;
use thalweg_engine::tile::{Ground, Resident};

/// Returns a function that is true for a cell of the base level with ground.
pub(in crate::world) fn ground_of<'a>(
    site: &'a WorldSite,
    forest: &'a Forest,
    grounds: &'a [Resident<Ground>],
) -> impl Fn(CellPlace) -> bool + 'a {
    move |place| {
        let found = || forest.locate(place);
        let is_in_leaf = || found().is_some_and(|(leaf, cell)| grounds[leaf].is_inside(cell));
        site.is_ground(place).unwrap_or_else(is_in_leaf)
    }
}

/// Returns the frame for the structures of a setup, in a world of `size` columns and rows.
pub(in crate::world) fn frame<'a>(
    relief: &WorldRelief,
    setup: &Setup,
    size: (usize, usize),
    is_ground: &'a dyn Fn(CellPlace) -> bool,
) -> StructureFrame<'a> {
    let (scale, gravity) = (relief.scale(), setup.settings.gravity);
    StructureFrame {
        scale,
        gravity,
        cell_width_m: relief.cell_width_m(setup.level),
        size,
        is_ground,
    }
}
