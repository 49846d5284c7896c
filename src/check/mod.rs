//! Invariants as functions that return their violations: for tests and tools.
//!
//! One of them is the rule of all that is kept beside the state: everything that the state hash
//! does not cover is a pure function of the part that it covers. So each derived structure is made
//! again, and compared.
//!
//! Guarantees: nothing is mended here, and nothing else in the library uses it.

use crate::world::World;
use thalweg_engine::flow::tracer::ONE;
use thalweg_engine::forest::check::violations as forest_violations;
use thalweg_engine::forest::interfaces::LeafInterfaces;
use thalweg_engine::tile::Carry;

/// Returns the faults of a world between two cycles: of its forest, its ledger, depths, discharges,
/// carries, the water between levels, and everything kept beside the state that contradicts the
/// state. The list is empty if all is well.
#[must_use]
pub fn violations(world: &World) -> Vec<String> {
    let simulation = world.simulation();
    let forest = simulation.forest();
    let mut found = forest_violations(forest, &world.extent(), &|key| world.cover(key));
    let (stored, expected) = (world.water().stored(), world.water().ledger().expected());
    if stored != expected {
        found.push(format!("{stored} units are stored, {expected} by the ledger"));
    }
    for (index, tracer) in simulation.tracers().all().iter().enumerate() {
        let (stored, expected) =
            (simulation.leaves().content_stored(index), tracer.ledger().expected());
        if stored != expected {
            let name = tracer.name();
            found.push(format!("{name}: {stored} units are stored, {expected} by its ledger"));
        }
    }
    for (leaf, key) in forest.iter() {
        let (ground, water) = (simulation.ground(leaf), simulation.water(leaf));
        for (cell, &depth) in water.depth.iter().enumerate() {
            if depth < 0 || (depth > 0 && !ground.is_inside(cell)) {
                found.push(format!("{key:?}, cell {cell}: a depth of {depth}"));
            }
        }
        for (tracer, plane) in water.contents.iter().enumerate() {
            for (cell, (&content, &depth)) in plane.iter().zip(&water.depth).enumerate() {
                if !(0..=ONE * i64::from(depth)).contains(&content) {
                    let place = format!("{key:?}, cell {cell}");
                    found.push(format!("{place}: {content} of tracer {tracer} in {depth}"));
                }
            }
        }
        let interfaces = simulation.leaves().interfaces[leaf].as_deref();
        let beyond = interfaces.iter().flat_map(|interfaces| interfaces.beyond.iter().flatten());
        let flows = water.flow_x.iter().chain(&water.flow_y);
        for q in flows.chain(beyond.flat_map(|row| row.iter())) {
            if !q.is_finite() || q.to_bits() == (-0.0_f32).to_bits() {
                found.push(format!("{key:?}: a discharge of {q:?}"));
            }
        }
        let carried = simulation.leaves().own[leaf].carry.water;
        let is_dry = water.depth.iter().all(|&h| h == 0);
        if carried.abs() > Carry::most(key.level) && !(is_dry && carried < 0) {
            found.push(format!("{key:?}: a carry of {carried}"));
        }
        let beside = forest.beside(leaf);
        let fits = match interfaces {
            Some(interfaces) => interfaces.fits(beside),
            None => LeafInterfaces::of(beside, 0).is_none(),
        };
        if !fits {
            found.push(format!("{key:?}: its edges are not those of its neighbours"));
        }
        for register in
            interfaces.iter().flat_map(|interfaces| interfaces.registers.iter().flatten())
        {
            if register.gained.iter().any(|gained| !(0..4).contains(gained)) {
                found.push(format!("{key:?}: more than a remainder is under way"));
            }
            for (tracer, contents) in register.contents.iter().enumerate() {
                let mut pairs = contents.iter().zip(&register.gained);
                if !pairs.all(|(content, gained)| (0..=ONE * gained).contains(content)) {
                    found.push(format!("{key:?}: a remainder holds too much of tracer {tracer}"));
                }
            }
        }
    }
    found.extend(world.stale());
    found
}
