//! The rim's part of a step: new discharges, then their water, before the inner faces move theirs.

use crate::flow::params::StepParams;
use crate::flow::solver::Order;
use crate::flow::transfer::Dither;
use crate::forest::LeafIndex;
use crate::forest::edges::Leaves;
use crate::forest::edges::strip::far_flow;
use crate::grid::cells::column_row;
use crate::grid::{Side, TILE_WIDTH};
use crate::sim::cycle::pick;
use crate::sim::forcing::LeafWater;
use crate::sim::rim::RimStep;
use crate::sim::{Simulation, Solver};
use crate::units::SimTime;
use rayon::prelude::*;

impl Simulation {
    /// Steps all rim faces of the leaves of `level` that are awake.
    pub(super) fn step_rim(&mut self, params: &StepParams, level: u8, from: SimTime, to: SimTime) {
        let stages: Vec<i32> = self.params.laws.iter().map(|law| law.stage_at(to)).collect();
        let discharges: Vec<f32> =
            self.params.laws.iter().map(|law| self.let_in(law, from, to)).collect();
        #[expect(clippy::cast_possible_truncation, reason = "rounded to f32 on purpose")]
        let gravity = self.params.settings.gravity as f32;
        let (stages, discharges) = (&stages[..], &discharges[..]);
        let is_second = (self.params.settings.solver, self.params.settings.order)
            == (Solver::ShallowWater, Order::Second);
        let laws = &self.params.laws[..];
        let step = RimStep { params, stages, discharges, laws, gravity, is_second };
        let (leaves, n2, solver) =
            (&mut self.state.leaves, &self.params.n2, self.params.settings.solver);
        let (forest, grounds, water) = (&leaves.forest, &leaves.grounds, &leaves.water);
        let all = Leaves { forest, grounds, water, edges: &leaves.edges };
        let awake = &self.state.activity.awake[usize::from(level)];
        let indices: Vec<LeafIndex> =
            awake.iter().copied().filter(|&i| !leaves.own[i as usize].rim.is_empty()).collect();
        let own = pick(&mut leaves.own, &indices);
        let scratch = pick(&mut leaves.scratch, &indices);
        let mut rims: Vec<_> = indices.iter().zip(own.into_iter().zip(scratch)).collect();
        rims.par_iter_mut().for_each(|(index, (leaf, scratch))| {
            let index = **index as usize;
            scratch.is_rim_busy = false;
            let (ground, own) = (&grounds[index], &water[index]);
            for face in &mut leaf.rim {
                let cell = usize::from(face.cell);
                let class = ground.roughness.as_ref().map_or(0, |plane| usize::from(plane[cell]));
                let arriving = arriving(&all, index, cell);
                let state = (own.depth[cell], n2[class]);
                scratch.is_rim_busy |= face.discharge(&step, ground, state, arriving);
            }
        });
        let (seed, tracers) = (self.params.settings.seed, &self.state.tracers);
        let picked = pick(&mut leaves.water, &indices);
        let mut rims: Vec<_> = rims.into_iter().zip(picked).collect();
        rims.par_iter_mut().for_each(|((index, (leaf, scratch)), water)| {
            let index = **index as usize;
            let key = forest.leaves()[index];
            let corner = key.corner();
            let dither = Dither::new(seed, key.level, corner.x, corner.y, from.ticks());
            let mut own = LeafWater {
                ground: &grounds[index],
                classes: &[],
                depth: &mut water.depth,
                infiltrated: None,
                bookings: &mut scratch.bookings,
                contents: &mut water.contents,
                tracers: tracers.books(&mut scratch.content_bookings),
            };
            for face in &mut leaf.rim {
                face.transfer(&step, &mut own, &dither);
            }
            for face in &mut leaf.rim {
                face.left = own.depth[usize::from(face.cell)];
                face.units_per_flow = params.units_per_flow;
            }
        });
        if solver == Solver::ShallowWater {
            self.keep_velocities(level);
        }
    }
}

/// Discharge into a cell through its inner faces, m²/s; rim faces are closed in the planes.
fn arriving(leaves: &Leaves<'_>, leaf: usize, cell: usize) -> f32 {
    let (column, row) = column_row(cell);
    let (column, row) = (column as usize, row as usize);
    let own = &leaves.water[leaf];
    let edges = leaves.edges[leaf].as_deref();
    let far = |side, i| far_flow(edges, leaves, leaf, side, i);
    let east = if column + 1 < TILE_WIDTH { own.flow_x[cell + 1] } else { far(Side::East, row) };
    let north =
        if row + 1 < TILE_WIDTH { own.flow_y[cell + TILE_WIDTH] } else { far(Side::North, column) };
    (own.flow_x[cell] - east) + (own.flow_y[cell] - north)
}
