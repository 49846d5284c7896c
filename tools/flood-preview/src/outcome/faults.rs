//! Faults of the terrain, weighed by the part of the event that each decides.
//!
//! ```text
//! water held   = least of largest depth and depth of the full hollow × area, of the cells that
//!                were dry before
//! part decided = water held / water of the event                of a pit and a dam
//!              = flooded cells / all that the event flooded     of a flat and of clipped ground
//! ```
//!
//! A fault is left out if most of its cells were under water before the event, if a link of the
//! scenario begins or ends in its hollow, and if a link, a bridge or a tunnel crosses its dam.
//!
//! Limits: a barrier of the scenario is no terrain, and dams nothing here.

use std::collections::HashSet;

use super::FloodOutcome;
use super::before::CellBefore;
use crate::faults::{GroundFault, SearchedGround, find};

/// Least part that a fault decides to be reported first.
const DECISIVE_PART: f64 = 1.0e-3;

/// Distance of a structure to the pipe through a dam up to which it passes the dam, cells.
const BESIDE_CELLS: f64 = 3.0;

/// A fault of the terrain, and the event's water there.
#[derive(Debug, Clone, PartialEq)]
pub struct TerrainFault {
    /// The fault.
    pub fault: GroundFault,
    /// Water of the event that stays in its hollow, at most, m³; none on a flat.
    pub held_m3: f64,
    /// Cells of it that the event flooded.
    pub flooded: usize,
    /// Part of the event's water that it retains, or of the flooded cells on it: 0 to 1.
    pub part: f64,
}

impl TerrainFault {
    /// True if it decides enough of the event to be reported first.
    #[must_use]
    pub fn is_decisive(&self) -> bool {
        self.part >= DECISIVE_PART
    }
}

impl FloodOutcome {
    /// Returns the faults of the ground, independent of the event.
    pub(super) fn ground_faults(&self) -> Vec<GroundFault> {
        let size = (self.grid.width, self.grid.height);
        find(&SearchedGround { heights_m: &self.bed_m, size, cell_m: self.cell_m() })
    }

    /// Returns the faults of the ground that remain faults beside the event's water and structures;
    /// the faults that decide most are first.
    pub(super) fn weighed(&self, faults: &[GroundFault]) -> Vec<TerrainFault> {
        let structures = MappedStructures::of(self);
        let flooded = (0..self.bed_m.len()).filter(|cell| self.is_flooded(*cell)).count();
        let faults = faults.iter();
        let faults = faults.filter(|fault| !self.was_lake(fault) && !structures.pass(fault));
        let brought_m3 = self.event_m3();
        let mut faults: Vec<TerrainFault> =
            faults.map(|fault| self.with_water(fault.clone(), flooded, brought_m3)).collect();
        faults.sort_by(|a, b| b.part.total_cmp(&a.part).then(b.size().total_cmp(&a.size())));
        faults
    }

    /// Returns the width of a cell of the maps, m.
    fn cell_m(&self) -> f64 {
        self.grid.cell_m.map_or(1.0, |(x, _)| x)
    }

    /// True if most cells of a fault were under water before the event.
    fn was_lake(&self, fault: &GroundFault) -> bool {
        let cells = fault.cells.iter();
        let wet = cells.filter(|cell| self.before[**cell as usize] != CellBefore::Dry).count();
        2 * wet > fault.cells.len()
    }

    fn with_water(
        &self,
        fault: GroundFault,
        flooded_in_all: usize,
        brought_m3: f64,
    ) -> TerrainFault {
        let cells = fault.cells.iter().map(|cell| *cell as usize);
        let dry = cells.filter(|cell| self.before[*cell] == CellBefore::Dry);
        let held_m = |cell: usize| {
            let full_m = (fault.level_m - self.bed_m[cell]).max(0.0);
            // An empty cell may have no depth.
            let depth_m = self.max_depth_m[cell].max(0.0);
            f64::from(depth_m.min(full_m))
        };
        let held_m3 = dry.clone().map(held_m).sum::<f64>() * self.cell_m().powi(2);
        let flooded = dry.filter(|cell| self.is_flooded(*cell)).count();
        #[expect(clippy::cast_precision_loss, reason = "cells are far below 2^53")]
        let part = match fault.kind.is_hollow() {
            true => held_m3 / brought_m3,
            false => flooded as f64 / flooded_in_all as f64,
        };
        // A fault decides nothing if the event has no water.
        let part = if part.is_finite() { part.min(1.0) } else { 0.0 };
        TerrainFault { fault, held_m3, flooded, part }
    }

    /// Returns the volume of the event's water, m³: all that entered, and the part of the first
    /// water that has left its first cells, as after a dam break.
    #[expect(clippy::cast_precision_loss, reason = "for a part of it")]
    fn event_m3(&self) -> f64 {
        let volume_m3 = |units: i128| units as f64 * self.ledger.unit_m3;
        let came_m3 = volume_m3(self.ledger.total_in().unwrap_or(0));
        let cells = self.final_depth_m.iter().zip(&self.before);
        let stayed = cells.filter(|(depth, before)| **before != CellBefore::Dry && !depth.is_nan());
        let stayed_m: f64 = stayed.map(|(depth, _)| f64::from(*depth)).sum();
        let left_m3 = volume_m3(self.ledger.initial) - stayed_m * self.cell_m().powi(2);
        came_m3 + left_m3.max(0.0)
    }
}

impl TerrainFault {
    /// Returns the size by which faults that decide the same are ordered.
    #[expect(clippy::cast_precision_loss, reason = "for an order")]
    fn size(&self) -> f64 {
        self.fault.volume_m3.max(self.fault.cells.len() as f64)
    }
}

/// Links, bridges and tunnels of a scenario, in columns and rows.
struct MappedStructures {
    /// Cells of the ends of links.
    ends: HashSet<u32>,
    /// Lines of all.
    lines: Vec<Vec<[f64; 2]>>,
}

impl MappedStructures {
    fn of(outcome: &FloodOutcome) -> Self {
        let grid = &outcome.grid;
        let cell = |[x, y]: &[f64; 2]| {
            let (column, row) = grid.cell_at(*x, *y)?;
            u32::try_from(row * grid.width + column).ok()
        };
        // Centres of cells have whole columns and rows.
        let place = |[x, y]: &[f64; 2]| {
            [(x - grid.west) / grid.step_x - 0.5, (grid.north - y) / grid.step_y - 0.5]
        };
        let links = outcome.links.iter().map(|link| &link.path);
        let paths = links.clone().chain(outcome.rocks.iter().map(|rock| &rock.path));
        Self {
            ends: links.flatten().filter_map(cell).collect(),
            lines: paths.map(|path| path.iter().map(place).collect()).collect(),
        }
    }

    /// True if water passes a fault through a structure.
    fn pass(&self, fault: &GroundFault) -> bool {
        let has_end = || fault.cells.iter().any(|cell| self.ends.contains(cell));
        let drains = fault.kind.is_hollow() && !self.ends.is_empty() && has_end();
        let Some(to) = fault.to else { return drains };
        let pipe = [fault.cell, to].map(centre);
        let is_beside = |line: &Vec<[f64; 2]>| {
            line.windows(2).any(|part| apart([part[0], part[1]], pipe) <= BESIDE_CELLS)
        };
        drains || self.lines.iter().any(is_beside)
    }
}

#[expect(clippy::cast_precision_loss, reason = "columns are far below 2^53")]
fn centre((column, row): (usize, usize)) -> [f64; 2] {
    [column as f64, row as f64]
}

/// Returns the least distance between a line and points of another, a quarter of the limit apart or
/// less.
fn apart(line: [[f64; 2]; 2], other: [[f64; 2]; 2]) -> f64 {
    let [from, to] = other;
    let steps = ((to[0] - from[0]).hypot(to[1] - from[1]) * 4.0 / BESIDE_CELLS).ceil().max(1.0);
    let parts = std::iter::successors(Some(0.0), |step| Some(step + 1.0));
    let parts = parts.take_while(|step| *step <= steps).map(|step| step / steps);
    let points = parts.map(|part| [0, 1].map(|i| from[i] + part * (to[i] - from[i])));
    points.map(|point| off(line, point)).fold(f64::INFINITY, f64::min)
}

/// Returns the distance of a point from a line between two points.
fn off([from, to]: [[f64; 2]; 2], point: [f64; 2]) -> f64 {
    let along = [0, 1].map(|i| to[i] - from[i]);
    let away = [0, 1].map(|i| point[i] - from[i]);
    let square = along[0].powi(2) + along[1].powi(2);
    let part = (away[0] * along[0] + away[1] * along[1]) / square;
    let part = if part.is_finite() { part.clamp(0.0, 1.0) } else { 0.0 };
    (away[0] - part * along[0]).hypot(away[1] - part * along[1])
}

#[cfg(test)]
mod tests {
    use super::super::FloodLedger;
    use super::super::sample::outcome;
    use super::*;

    /// Goal: a dam break beside a little rain is not measured by the rain alone; a lake that only
    /// rises is no event.
    #[test]
    fn water_of_the_event_came_in_or_left_its_cells() {
        for (initial, rain, stayed_m, expected) in [
            (1000, 0, 0.25, 750.0),
            (1000, 10, 0.25, 760.0),
            (1000, 40, 1.04, 40.0),
            (0, 40, 0.0, 40.0),
        ] {
            let mut outcome = outcome();
            outcome.before[..1000].fill(CellBefore::Start);
            outcome.final_depth_m.fill(f32::NAN);
            outcome.final_depth_m[..1000].fill(stayed_m);
            let into = vec![("rain".to_owned(), rain)];
            outcome.ledger = FloodLedger { unit_m3: 1.0, initial, into, ..FloodLedger::default() };
            let found = outcome.event_m3();
            assert!((found - expected).abs() < 1.0e-3, "{initial}, {rain}, {stayed_m}: {found}");
        }
    }

    #[test]
    fn lines_are_apart_as_far_as_their_nearest_points() {
        let pipe = [[10.0, 10.0], [16.0, 10.0]];
        for (line, expected) in [
            ([[13.0, 0.0], [13.0, 20.0]], 0.0),
            ([[0.0, 14.0], [30.0, 14.0]], 4.0),
            ([[19.0, 14.0], [30.0, 14.0]], 5.0),
            ([[6.0, 7.0], [6.0, 7.0]], 5.0),
        ] {
            let found = apart(line, pipe);
            assert!((found - expected).abs() < 1.0e-9, "{line:?}: {found}, expected {expected}");
        }
    }
}
