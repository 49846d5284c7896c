//! The bodies of a world, as they were put last.

use crate::world::cells::WorldCells;
use rayon::prelude::*;
use std::collections::BTreeMap;
use thalweg_engine::body::load::load;
use thalweg_engine::body::{
    Afloat, Body, BodyId, Footprint, Inertia, Load, LoadParams, Motion, Panels, SolidCell, Solids,
};
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::solids::SolidField;

/// Longest edge of a panel, in widths of a cell.
const PANEL_CELLS: f64 = 1.0;

/// A body that blocks nothing in some or all of its cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnblockedBody {
    /// Number of the body.
    pub id: BodyId,
    /// Cells that it touches: none of a body beyond the map.
    pub cells: usize,
    /// Cells that it does not block: see [`BodyReport::unblocked`](crate::world::BodyReport).
    pub unblocked: usize,
}

/// A body in the world.
#[derive(Debug, Clone)]
struct KnownBody {
    body: Body,
    footprint: Footprint,
    panels: Panels,
    /// Whether the body was put in this round.
    is_there: bool,
}

/// All bodies of a world.
#[derive(Debug, Clone, Default)]
pub(in crate::world) struct BodySet {
    known: BTreeMap<BodyId, KnownBody>,
    /// Numbers of the loads on them.
    pub params: LoadParams,
    /// Blocks of 16 × 16 cells that bodies touch, if leaves are adaptive.
    pub blocks: Vec<CellPlace>,
}

impl BodySet {
    /// Returns the number of bodies.
    pub fn count(&self) -> usize {
        self.known.len()
    }

    /// Returns the bodies that block nothing in some or all of their cells, with the counts of
    /// these and of all cells: a body beyond the map has no cells.
    pub fn unblocked<'a>(
        &'a self,
        field: &'a SolidField,
    ) -> impl Iterator<Item = UnblockedBody> + 'a {
        let region = &field.region;
        self.known.iter().filter_map(move |(&id, known)| {
            let Footprint { cells, faces } = &known.footprint;
            let is_unblocked = |cell: &&SolidCell| !region.is_touched(cell.place);
            // In most worlds no cell is unblocked.
            let unblocked = match region.unblocked {
                0 => 0,
                _ => cells.iter().filter(is_unblocked).count(),
            };
            let is_beyond = cells.is_empty() && faces.is_empty();
            let body = UnblockedBody { id, cells: cells.len(), unblocked };
            (is_beyond || unblocked > 0).then_some(body)
        })
    }

    /// Returns the load of the water of a world on each body for a step of `dt_s`, s.
    pub fn loads(&self, world: WorldCells<'_>, dt_s: f64) -> Vec<(BodyId, Load)> {
        let all: Vec<(&BodyId, &KnownBody)> = self.known.iter().collect();
        let settings = world.simulation.settings();
        let gravity_m_s2 = settings.gravity;
        let density_kg_m3 = match settings.fluid.is_dense_as_water() {
            true => self.params.density_kg_m3,
            false => settings.fluid.density_kg_m3,
        };
        let params = LoadParams { density_kg_m3, gravity_m_s2, ..self.params };
        all.into_par_iter()
            .with_max_len(16)
            .map(|(&id, known)| {
                let Body { pose, motion, mass_kg, .. } = known.body;
                let inertia = mass_kg.map(|mass_kg| Inertia { mass_kg, dt_s });
                let around = world.window(&known.body);
                let afloat = Afloat { pose, motion, inertia };
                (id, load(&known.panels, &afloat, &around, &params))
            })
            .collect()
    }

    /// Replaces all bodies by valid ones; returns all solids if they differ from the earlier ones.
    pub fn put(&mut self, bodies: Vec<Body>, world: WorldCells<'_>) -> Option<Solids> {
        let (scale, cell_width_m) = (world.scale(), world.cell_width_m());
        let count = |count: usize| u32::try_from(count).expect("2³² cells at most");
        let size = (count(world.size().0), count(world.size().1));
        // The solids of a loaded world belong to no body here.
        let has_solids = !world.simulation.solids().solids.is_empty();
        let known = &mut self.known;
        known.values_mut().for_each(|known| known.is_there = false);
        let mut moved: Vec<(BodyId, Option<KnownBody>, Body)> = Vec::new();
        let (mut is_driven, still) = (false, Motion::default());
        for body in bodies {
            match known.get_mut(&body.id) {
                Some(own) if own.body.pose == body.pose && own.body.solid.is(&body.solid) => {
                    // A velocity counts for one cycle only. So a body with a velocity needs new
                    // solids each cycle, even in the same pose, and once more when it stops.
                    is_driven |= own.body.motion != still || body.motion != still;
                    if own.body.motion != body.motion {
                        own.footprint.move_with(&body.pose, &body.motion, cell_width_m);
                    }
                    (own.body, own.is_there) = (body, true);
                }
                _ => moved.push((body.id, known.remove(&body.id), body)),
            }
        }
        let is_new = known.is_empty() && has_solids;
        let is_gone = known.values().any(|known| !known.is_there);
        let is_moved = is_new || is_gone || is_driven || !moved.is_empty();
        known.retain(|_, known| known.is_there);
        let longest_m = PANEL_CELLS * cell_width_m;
        let fresh: Vec<(BodyId, KnownBody)> = moved
            .into_par_iter()
            .with_max_len(16)
            .map(|(id, before, body)| {
                let mut footprint = Footprint::of(&body.solid, &body.pose, cell_width_m, size);
                footprint.move_with(&body.pose, &body.motion, cell_width_m);
                let panels = before
                    .filter(|before| before.body.solid.is(&body.solid))
                    .map_or_else(|| Panels::of(&body.solid, longest_m), |before| before.panels);
                (id, KnownBody { body, footprint, panels, is_there: true })
            })
            .collect();
        known.extend(fresh);
        let footprints = known.values().map(|known| &known.footprint);
        is_moved.then(|| Solids::merge(footprints, &scale, cell_width_m))
    }

    /// Notes which blocks of cells solids touch; returns true if the blocks have changed.
    pub fn note_blocks(&mut self, solids: &Solids) -> bool {
        // Blocks are compared and not cells: a body that moves within its blocks requests no plan.
        let block = |place: CellPlace| CellPlace { x: place.x / 16, y: place.y / 16 };
        let mut blocks: Vec<CellPlace> =
            solids.cells.iter().map(|cell| block(cell.place)).collect();
        blocks.sort_unstable();
        blocks.dedup();
        let before = std::mem::replace(&mut self.blocks, blocks);
        before != self.blocks
    }
}
