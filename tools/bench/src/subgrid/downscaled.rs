//! Floods on coarse cells, read at points through the finest ground, against all cells finest.
//!
//! ```text
//! depth at a point = max(0, stage of the coarse cell there − bed of the finest cell there)
//! ```
//!
//! Wall times cover the steps alone; reads are not counted.

use crate::points::{Off, PointFlood};
use crate::subgrid::columns::{CoarseColumns, KINDS, stage_m};
use crate::suite::{BenchError, BenchResult};
use crate::table::Measurement;
use crate::world::check_books;
use std::time::Instant;
use thalweg::units::SimTime;
use thalweg::world::World;
use thalweg_engine::grid::cells::CellPlace;

/// A flood about to begin.
pub struct DownscaledFlood {
    /// World of the flood.
    pub world: World,
    /// The cells of its points, of the simulated level.
    pub points: Vec<CellPlace>,
}

/// Options of a comparison.
pub struct DownscaledComparison {
    /// Ids for the levels, the arrivals and the speed-up.
    pub ids: &'static [&'static str],
    /// Width of the finest cells, m.
    pub cell_m: u32,
    /// Levels to simulate.
    pub levels: [u8; 2],
    /// End of the flood, s.
    pub end_s: f64,
    /// Longest time between two reads, s.
    pub look_s: f64,
    /// The difference of levels that counts.
    pub level: fn(&Off) -> f64,
    /// Unit of that.
    pub unit: &'static str,
    /// Target of the comparison.
    pub target: &'static str,
    /// Points that count; the rest are still rising at the end.
    pub counts: fn(usize) -> bool,
}

/// Results of a run.
struct DownscaledRun {
    seen: Vec<PointFlood>,
    cell_steps: u64,
    wall_s: f64,
    cells: usize,
}

impl DownscaledComparison {
    /// Runs the flood on its finest cells and on coarse ones.
    ///
    /// # Errors
    ///
    /// If a world cannot be made, or a point is outside.
    pub fn measure(
        &self,
        make: impl Fn(u8, CoarseColumns) -> Result<DownscaledFlood, BenchError>,
    ) -> BenchResult {
        let [levels, arrivals, speed] = self.ids else { return Err("three ids".into()) };
        let mut flood = make(0, CoarseColumns::Flat)?;
        let beds_m = beds_m(&flood)?;
        let fine = self.run(&mut flood, &beds_m)?;
        let wet = fine.seen.iter().filter(|seen| seen.is_wet()).count();
        let mut lines = vec![format!(
            "cells of {} m: {:.0} million cell-updates, {:.1} s, {wet} of {} points get wet",
            self.cell_m,
            fine.cell_steps as f64 / 1.0e6,
            fine.wall_s,
            fine.seen.len()
        )];
        let (mut worst, mut slowest) = ([0.0_f64; 2], f64::INFINITY);
        for &columns in KINDS {
            for level in self.levels {
                let run = self.run(&mut make(level, columns)?, &beds_m)?;
                let off = Off::between(&fine.seen, &run.seen);
                let fewer = fine.cell_steps as f64 / run.cell_steps as f64;
                let faster = fine.wall_s / run.wall_s;
                lines.push(format!(
                    "{columns}, cells of {} m: {fewer:.1} x fewer cell-updates, {faster:.1} x \
                     faster ({:.2} s); {off}",
                    self.cell_m << level,
                    run.wall_s
                ));
                lines.push(each(&fine.seen, &run.seen));
                if KINDS.last() == Some(&columns) {
                    let found = [(self.level)(&off), off.arrival[1]];
                    worst.iter_mut().zip(found).for_each(|(most, now)| *most = most.max(now));
                    slowest = slowest.min(faster);
                }
            }
        }
        let row = |id, value, unit, target| {
            Measurement::new(id, value, unit).target(target).cells(fine.cells)
        };
        Ok(vec![
            row(levels, worst[0], self.unit, self.target).note(lines.join("\n")),
            row(arrivals, worst[1], "1", "<= 0.05"),
            row(speed, slowest, "x", ">= 8"),
        ])
    }

    /// Runs a flood; its points read it through the finest beds.
    fn run(
        &self,
        flood: &mut DownscaledFlood,
        beds_m: &[f64],
    ) -> Result<DownscaledRun, BenchError> {
        let DownscaledFlood { world, points } = flood;
        let counted = points.iter().zip(beds_m).enumerate();
        let counted: Vec<_> =
            counted.filter(|(index, _)| (self.counts)(*index)).map(|(_, pair)| pair).collect();
        let mut seen = vec![PointFlood::DRY; counted.len()];
        let (mut cell_steps, mut wall_s) = (0, 0.0);
        loop {
            let now = world.time().seconds();
            for (seen, &(&place, &bed_m)) in seen.iter_mut().zip(&counted) {
                seen.look(now, bed_m, stage_m(world, place));
            }
            if now >= self.end_s {
                break;
            }
            let next = SimTime::from_seconds((now + self.look_s).min(self.end_s));
            let clock = Instant::now();
            while world.time() < next {
                cell_steps += world.run_cycle(next).cell_steps;
            }
            wall_s += clock.elapsed().as_secs_f64();
        }
        check_books(world)?;
        let (width, height) = world.size();
        Ok(DownscaledRun { seen, cell_steps, wall_s, cells: width * height })
    }
}

/// Returns the beds of the points in a flood on finest cells, m.
fn beds_m(flood: &DownscaledFlood) -> Result<Vec<f64>, BenchError> {
    let bed_m = |&place: &CellPlace| {
        flood.world.bed_m(place).ok_or(BenchError::from("a point lies outside the world"))
    };
    flood.points.iter().map(bed_m).collect()
}

/// Describes differences of levels and arrivals, point by point.
fn each(fine: &[PointFlood], other: &[PointFlood]) -> String {
    let point = |(a, b): (&PointFlood, &PointFlood)| match (a.is_wet(), b.is_wet()) {
        (true, true) => {
            format!("{:+.2} m {:+.0} s", b.level_m - a.level_m, b.arrival_s - a.arrival_s)
        }
        (true, false) => "stays dry".to_owned(),
        (false, true) => "gets wet".to_owned(),
        (false, false) => "dry".to_owned(),
    };
    fine.iter().zip(other).map(point).collect::<Vec<_>>().join("; ")
}
