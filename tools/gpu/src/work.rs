//! Work of a card for one cycle, and how leaves and books take its results.

use crate::acts::RankAct;
use crate::edges::BoundaryFaces;
use crate::kernels::{KernelMethod, LeafRecord, LeafReport, state};
use crate::levels::{AwakeRank, AwakeRanks, InterfaceWords};
use crate::plan::{BOOKED, Commands};
use crate::planes::LAYERS;
use crate::roll::{Roll, each};
use crate::tracers::ContentBooks;
use std::ops::Range;
use thalweg_engine::flow::face::FaceSummary;
use thalweg_engine::flow::solver::StepSummary;
use thalweg_engine::grid::{LeafId, TILE_CELLS};
use thalweg_engine::sim::phases::Rank;
use thalweg_engine::sim::state::SimulationState;
use thalweg_engine::sim::table::{LeafOwn, LeafScratch, LeafTable, pick};
use thalweg_engine::structure::weather::Direction;
use thalweg_engine::tile::wet_parts::WetParts;
use thalweg_engine::units::maths;

/// Everything that the kernels do in a cycle.
#[derive(Debug)]
pub struct CardWork {
    /// Method.
    pub method: KernelMethod,
    /// Leaves that are awake, and places where levels meet.
    pub levels: AwakeRanks,
    /// Records of leaves that are awake, halo tiles, and leaves asleep or apart beside them.
    pub records: Vec<LeafRecord>,
    /// Constants and tables.
    pub commands: Commands,
    /// All acts of the cycle, in order.
    pub acts: Vec<RankAct>,
    /// Steps of each rank.
    pub steps: Vec<u32>,
    /// Faces of the boundary.
    pub edges: BoundaryFaces,
    /// State of the interfaces.
    pub words: InterfaceWords,
    /// Sources and sinks of contents.
    pub books: ContentBooks,
    /// Bytes of the buffers.
    pub sizes: Sizes,
}

impl CardWork {
    /// Returns the index of a rank if leaves apart are beside leaves of it that are stepped here.
    pub fn seam_of(&self, rank: Rank) -> Option<usize> {
        let index = self.levels.index_of(rank)?;
        (!self.levels.beside_guests[index].is_empty()).then_some(index)
    }

    /// Returns the leaves of a level beside leaves apart, and their slots.
    pub fn beside_guests(&self, level: usize) -> impl Iterator<Item = (LeafId, u32)> {
        let AwakeRank { leaves, .. } = &self.levels.all[level];
        let own = &self.levels.awake[leaves.clone()];
        self.levels.beside_guests[level].iter().map(|&leaf| {
            let at = own.binary_search(&leaf).expect("leaves of a level ascend");
            (leaf, self.records[leaves.start + at].near[4])
        })
    }

    /// Passes the results to the leaves and the books; returns the number of cell-steps.
    pub fn take(
        &self,
        results: &CardResults,
        state: &mut SimulationState,
        roll: &Roll,
        is_tolerant: bool,
    ) -> u64 {
        let Self { levels, records, edges, words, books, steps, .. } = self;
        take_bookings(state, &levels.awake, records, &results.bookings);
        books.take(state, &results.contents);
        edges.take(&mut state.leaves, &results.edges);
        words.take(&mut state.leaves, &results.words, &roll.ascending);
        let mut cell_steps = 0;
        for (level, &count) in levels.all.iter().zip(steps) {
            let steps = (level.leaves.clone(), count);
            take_reports(&mut state.leaves, roll, &results.reports, steps, is_tolerant);
            cell_steps += level.leaves.len() as u64 * u64::from(count) * TILE_CELLS as u64;
        }
        cell_steps
    }
}

/// Results of the kernels of a cycle.
pub struct CardResults {
    /// Reports of all records.
    pub reports: Vec<LeafReport>,
    /// Bookings of water.
    pub bookings: Vec<u32>,
    /// Bookings of contents.
    pub contents: Vec<u32>,
    /// Faces of the boundary.
    pub edges: Vec<u32>,
    /// State of the interfaces.
    pub words: Vec<u32>,
}

/// Bytes of the buffers of a cycle.
#[derive(Debug, Default)]
pub struct Sizes {
    /// Constants of steps.
    pub steps: usize,
    /// Records.
    pub records: usize,
    /// Reports.
    pub reports: usize,
    /// Tables.
    pub tables: usize,
    /// Bookings.
    pub bookings: usize,
    /// Words of bookings of water.
    pub booked: usize,
    /// Faces of the boundary and state of the interfaces.
    pub edges: usize,
}

/// Books the water that layers and inflows moved.
fn take_bookings(
    state: &mut SimulationState,
    awake: &[LeafId],
    records: &[LeafRecord],
    bookings: &[u32],
) {
    let SimulationState { leaves, forcing, .. } = state;
    if bookings.is_empty() {
        return;
    }
    let booked = |at: usize| {
        let [low, high] = [bookings[2 * at], bookings[2 * at + 1]].map(i64::from);
        high << 32 | low
    };
    let shares_at = awake.len() * BOOKED;
    for (i, (&leaf, record)) in awake.iter().zip(records).enumerate() {
        let scratch = &mut leaves.scratch[leaf];
        for (number, layer) in forcing.layers.iter().enumerate() {
            let moved = booked(i * BOOKED + number);
            match layer.direction {
                Direction::Into => scratch.bookings.add_in(layer.account, moved),
                Direction::Out | Direction::Ground => {
                    scratch.bookings.add_out(layer.account, moved);
                }
            }
        }
        if let Some(ground) = forcing.green_ampt {
            scratch.bookings.add_out(ground.account, booked(i * BOOKED + LAYERS));
        }
        for (share, own) in scratch.shares.iter().enumerate() {
            let moved = booked(shares_at + record.shares_from as usize + share);
            let account = forcing.inflows[own.inflow as usize].account;
            scratch.bookings.add_in(account, moved);
        }
    }
}

/// Gives the leaves of some records the results that as many steps of a cycle on the processor
/// leave, perhaps under a tolerance of sleep.
fn take_reports(
    leaves: &mut LeafTable,
    roll: &Roll,
    reports: &[LeafReport],
    (records, steps): (Range<usize>, u32),
    is_tolerant: bool,
) {
    let LeafTable { own, scratch, .. } = leaves;
    let parts = pick(own, &roll.ascending).into_iter().zip(pick(scratch, &roll.ascending));
    each(parts.zip(&roll.records).collect(), |(leaf, record)| {
        if records.contains(record) {
            take_report(leaf, &reports[*record], steps, is_tolerant);
        }
    });
}

fn take_report(
    (own, scratch): (&mut LeafOwn, &mut LeafScratch),
    report: &LeafReport,
    steps: u32,
    is_tolerant: bool,
) {
    let has = |bit: u32| report.state & bit != 0;
    let wet = WetParts::of_bits(report.state >> state::WET_PARTS);
    (own.is_wet, own.wet) = (wet.is_any(), Some(wet));
    scratch.is_idle = !has(state::ACTIVE) && !has(state::UNEVEN_LAST);
    let is_loud = has(state::ACTIVE) && (!is_tolerant || has(state::LOUD));
    let faces = FaceSummary {
        pace_max: f32::from_bits(report.pace_max),
        flow_depth_max: f32::from_bits(report.flow_depth_max),
        clamped: report.clamped,
        is_active: is_loud || has(state::UNEVEN_EVER) || has(state::BUSY),
    };
    let cells = u64::from(steps) * TILE_CELLS as u64;
    scratch.pace_at_ends = maths::max(scratch.pace_at_ends, f32::from_bits(report.pace_at_ends));
    scratch.seen = StepSummary { faces, limited: report.limited, cells };
    scratch.steps = steps;
}
