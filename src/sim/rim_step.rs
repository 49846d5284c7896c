//! The boundary's part of a step: new discharges, then their water, before the inner faces move
//! theirs.

use crate::flow::params::StepParams;
use crate::flow::solver::{Order, Solver};
use crate::flow::transfer::Dither;
use crate::forest::LeafIndex;
use crate::forest::edges::Leaves;
use crate::forest::edges::strip::far_flow;
use crate::grid::cells::column_row;
use crate::grid::{Side, TILE_WIDTH};
use crate::sim::forcing::LeafWater;
use crate::sim::params::Params;
use crate::sim::rim::RimStep;
use crate::sim::settings::Settings;
use crate::sim::table::{LeafTable, pick};
use crate::sim::tracers::Tracers;
use crate::units::SimTime;
use rayon::prelude::*;

/// Steps all rim faces of these leaves, which are awake, between two moments.
pub(super) fn step_rim(
    leaves: &mut LeafTable,
    tracers: &Tracers,
    params: &Params,
    awake: &[LeafIndex],
    (step, from, to): (&StepParams, SimTime, SimTime),
) {
    let Params { laws, n2, settings, .. } = params;
    let Settings { solver, order, seed, .. } = *settings;
    let stages: Vec<i32> = laws.iter().map(|law| law.stage_at(to)).collect();
    let discharges: Vec<f32> = laws.iter().map(|law| params.let_in(law, from, to)).collect();
    #[expect(clippy::cast_possible_truncation, reason = "rounded to f32 on purpose")]
    let gravity = settings.gravity as f32;
    let (stages, discharges) = (&stages[..], &discharges[..]);
    let is_second = (solver, order) == (Solver::ShallowWater, Order::Second);
    let units_per_flow = step.units_per_flow;
    let step = RimStep { params: step, stages, discharges, laws, gravity, is_second };
    let (forest, grounds, water) = (&leaves.forest, &leaves.grounds, &leaves.water);
    let all = Leaves { forest, grounds, water, edges: &leaves.edges };
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
            face.units_per_flow = units_per_flow;
        }
    });
    if solver == Solver::ShallowWater {
        leaves.keep_velocities(awake);
    }
}

/// Discharge into a cell through its inner faces, m²/s; boundary faces are closed in the planes.
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
