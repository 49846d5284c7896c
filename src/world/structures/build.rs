//! The structures of a world that is built, and where they need fine leaves.

use crate::forest::Forest;
use crate::forest::criteria::{Criterion, CriterionError, Place, Places, Rectangle, Scale};
use crate::grid::cells::CellPlace;
use crate::sim::Simulation;
use crate::structure::StructureError;
use crate::structure::barrier::Barrier;
use crate::tile::Ground;
use crate::units::VerticalScale;
use crate::world::WorldError;
use crate::world::links::{LinkPlan, cells_of, check_name};
use crate::world::relief::Relief;
use crate::world::setup::Setup;
use crate::world::site::Site;
use crate::world::structures::Frame;

/// Priority of the cells of inflows and links, and along parts of an edge and barriers.
const OWN_PRIORITY: f32 = 100.0;

/// What a world asks for itself: that the cells of inflows and links, and those along parts of an
/// edge, along barriers and around bodies stay on the base level.
pub(in crate::world) fn own_criteria(
    (site, blocks): (&Site, &[CellPlace]),
    scale: &Scale,
    setup: &Setup,
) -> Result<Vec<Box<dyn Criterion>>, CriterionError> {
    let level = site.base();
    let inflows = setup.inflows.iter().flat_map(|source| source.cells.iter().copied());
    let (width, height) = site.size(level);
    let links = cells_of(&setup.links, site.relief().cell_width_m(level)).into_iter();
    // Those that lie outside are told of when links are made.
    let links = links.filter(|cell| (cell.x as usize) < width && (cell.y as usize) < height);
    let cells = inflows.chain(site.cells_of_parts()).chain(links);
    let cells = cells.map(|cell| Place { area: scale.cell_area(cell), level });
    let barriers = setup.barriers.iter().flat_map(|barrier| barrier.places(scale, level));
    let bodies = blocks.iter().map(|&block| Place { area: block_area(block, scale), level });
    let places: Vec<Place> = cells.chain(barriers).chain(bodies).collect();
    let mut own: Vec<Box<dyn Criterion>> = Vec::new();
    if !places.is_empty() {
        own.push(Box::new(Places::try_new(&places, OWN_PRIORITY, scale)?));
    }
    Ok(own)
}

/// A block of 16 × 16 cells of the base level, and what is near it.
fn block_area(block: CellPlace, scale: &Scale) -> Rectangle {
    let at = |by: u32| CellPlace { x: 16 * block.x + by, y: 16 * block.y + by };
    let [first, last] = [0, 15].map(|by| scale.cell_area(at(by)));
    let margin = 4.0 * (first.east - first.west);
    Rectangle {
        west: first.west - margin,
        south: first.south - margin,
        east: last.east + margin,
        north: last.north + margin,
    }
}

/// Puts the links of a setup into a simulation; those from `before` on are new.
pub(in crate::world) fn put_links(
    (simulation, site): (&mut Simulation, &Site),
    setup: &Setup,
    before: usize,
    (scale, size): (VerticalScale, (usize, usize)),
) -> Result<(), StructureError> {
    for (number, link) in (0_u32..).zip(&setup.links) {
        let Some(link) = link else { continue };
        let plan = LinkPlan::of((simulation, site), scale, size);
        let made = plan.make(number, link)?;
        check_name(setup.links[..number as usize].iter().flatten(), link)?;
        if number as usize >= before {
            plan.check_ground(link, &made)?;
        }
        simulation.put_link(made, link.name());
    }
    Ok(())
}

/// Checks that the lines of all barriers lie on the map, before anybody looks along them.
pub(in crate::world) fn check_lines(setup: &Setup, relief: &Relief) -> Result<(), StructureError> {
    let Some(size) = relief.size(setup.level) else { return Ok(()) };
    let (scale, cell_width_m) = (relief.scale(), relief.cell_width_m(setup.level));
    let frame = Frame { scale, cell_width_m, size, is_inside: &|_| true };
    setup.barriers.iter().try_for_each(|barrier| barrier.check_line(&frame))
}

/// The barriers of a world, checked.
pub(in crate::world) fn barriers(
    site: &Site,
    setup: &Setup,
    size: (usize, usize),
    (forest, grounds): (&Forest, &[Ground]),
) -> Result<Vec<Barrier>, WorldError> {
    let is_inside = |place| {
        let found = || forest.locate(place);
        let is_in_leaf = || found().is_some_and(|(leaf, cell)| grounds[leaf].is_inside(cell));
        site.is_ground(place).unwrap_or_else(is_in_leaf)
    };
    let (scale, cell_width_m) = (site.scale(), site.relief().cell_width_m(setup.level));
    let frame = Frame { scale, cell_width_m, size, is_inside: &is_inside };
    for (at, barrier) in setup.barriers.iter().enumerate() {
        barrier.check_name(&setup.barriers[..at]).map_err(WorldError::Structure)?;
    }
    let lowered = setup.barriers.iter().map(|barrier| barrier.lowered(&frame, setup));
    lowered.collect::<Result<_, _>>().map_err(WorldError::Structure)
}
