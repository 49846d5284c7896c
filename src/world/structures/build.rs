//! The structures of a world that is built.

use crate::world::relief::WorldRelief;
use crate::world::setup::Setup;
use crate::world::site::WorldSite;
use crate::world::structures::frame::{frame, ground_of};
use crate::world::structures::links::{check_fluid, check_ground, check_name, make_link};
use thalweg_engine::forest::Forest;
use thalweg_engine::sim::Simulation;
use thalweg_engine::structure::barrier::BarrierLaw;
use thalweg_engine::structure::{Fault, StructureError};
use thalweg_engine::tile::{Ground, Resident};

/// Puts the links of a setup into a simulation; links from `before` on are new.
pub(in crate::world) fn put_links(
    (simulation, site): (&mut Simulation, &WorldSite),
    setup: &Setup,
    before: usize,
    size: (usize, usize),
) -> Result<(), StructureError> {
    for (number, link) in (0_u32..).zip(&setup.links) {
        let Some(link) = link else { continue };
        check_fluid(link, &setup.settings)?;
        let is_ground = ground_of(site, simulation.forest(), &simulation.leaves().grounds);
        let made = make_link(number, link, &frame(site.relief(), setup, size, &is_ground))?;
        check_name(setup.links[..number as usize].iter().flatten(), link)?;
        if number as usize >= before {
            check_ground(link, &made, simulation, site.scale())?;
        }
        drop(is_ground);
        simulation.edit().put_link(made, link.name());
    }
    Ok(())
}

/// Checks that the lines of all barriers are on the map or near it, before the cells along them are
/// read.
pub(in crate::world) fn check_lines(
    setup: &Setup,
    relief: &WorldRelief,
) -> Result<(), StructureError> {
    let Some(size) = relief.size(setup.level) else { return Ok(()) };
    let frame = frame(relief, setup, size, &|_| true);
    setup.barriers.iter().try_for_each(|barrier| barrier.check_line(&frame))
}

/// Laws of the barriers of a world.
pub(in crate::world) fn barriers(
    site: &WorldSite,
    setup: &Setup,
    size: (usize, usize),
    (forest, grounds): (&Forest, &[Resident<Ground>]),
) -> Result<Vec<BarrierLaw>, StructureError> {
    let is_ground = ground_of(site, forest, grounds);
    let frame = frame(site.relief(), setup, size, &is_ground);
    for (at, barrier) in setup.barriers.iter().enumerate() {
        let is_taken = setup.barriers[..at].iter().any(|other| other.name == barrier.name);
        (!is_taken).then_some(()).ok_or_else(|| barrier.error(Fault::Name))?;
    }
    setup.barriers.iter().map(|barrier| barrier.law(&frame)).collect()
}
