//! The structures of a world that is built, and where they need fine leaves.

use crate::forest::Forest;
use crate::forest::criteria::Criterion;
use crate::forest::criteria::CriterionError;
use crate::forest::criteria::Place;
use crate::forest::criteria::Places;
use crate::forest::criteria::Scale;
use crate::sim::Simulation;
use crate::structure::barrier::Barrier;
use crate::tile::Ground;
use crate::units::VerticalScale;
use crate::world::LinkError;
use crate::world::WorldError;
use crate::world::link_plan::LinkPlan;
use crate::world::links::cells_of;
use crate::world::setup::Setup;
use crate::world::site::Site;
use crate::world::structures::Frame;

/// Priority of the cells of inflows and links, and along parts of an edge and barriers.
const OWN_PRIORITY: f32 = 100.0;

/// What a world asks for itself: that the cells of inflows and links, and those along parts of an
/// edge and along barriers stay on the base level.
pub(in crate::world) fn own_criteria(
    site: &Site,
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
    let places: Vec<Place> = cells.chain(barriers).collect();
    let mut own: Vec<Box<dyn Criterion>> = Vec::new();
    if !places.is_empty() {
        own.push(Box::new(Places::try_new(&places, OWN_PRIORITY, scale)?));
    }
    Ok(own)
}

/// Puts the links of a setup into a simulation; those from `before` on are new.
pub(in crate::world) fn put_links(
    simulation: &mut Simulation,
    setup: &Setup,
    before: usize,
    (scale, size): (VerticalScale, (usize, usize)),
) -> Result<(), LinkError> {
    for (number, link) in (0_u32..).zip(&setup.links) {
        let Some(link) = link else { continue };
        let plan = LinkPlan::of(simulation, scale, size);
        let made = plan.make(number, link)?;
        if number as usize >= before {
            plan.check_ground(link, &made)?;
        }
        simulation.put_link(made, link.name());
    }
    Ok(())
}

/// The barriers of a world, checked.
pub(in crate::world) fn barriers(
    site: &Site,
    setup: &Setup,
    size: (usize, usize),
    (forest, grounds): (&Forest, &[Ground]),
) -> Result<Vec<Barrier>, WorldError> {
    let is_inside = |place| {
        let found = forest.locate(place);
        found.is_some_and(|(leaf, cell)| grounds[leaf].is_inside(cell))
    };
    let (scale, cell_width_m) = (site.scale(), site.relief().cell_width_m(setup.level));
    let frame = Frame { scale, cell_width_m, size, is_inside: &is_inside };
    let lowered = setup.barriers.iter().map(|barrier| barrier.lowered(&frame, setup));
    lowered.collect::<Result<_, _>>().map_err(WorldError::Structure)
}
