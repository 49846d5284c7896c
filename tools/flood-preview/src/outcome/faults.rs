//! Faults of the terrain by how much of the event they decide.
//!
//! ```text
//! water held   = least of largest depth and depth of the full hollow × area, of the cells that
//!                were dry before
//! part decided = water held / all that the event brought        of a pit and a dam
//!              = flooded cells / all that the event flooded     of a flat and of clipped ground
//! ```
//!
//! A fault is left out if most of its cells were under water before the event, if a link of the
//! scenario begins or ends in its hollow, and if a link, a bridge or a tunnel crosses its dam.
//!
//! Limits: a barrier of the scenario is no terrain, and dams nothing here.

use super::Outcome;
use super::before::Before;
use crate::faults::{Fault, Ground, find};

/// Part that a fault decides, from which on it is told first.
const DECISIVE_PART: f64 = 1.0e-3;

/// Distance of a structure to the pipe through a dam up to which it passes the dam, cells.
const BESIDE_CELLS: f64 = 3.0;

/// A fault of the terrain, and the event's water there.
#[derive(Debug, Clone, PartialEq)]
pub struct TerrainFault {
    /// The fault.
    pub fault: Fault,
    /// Water of the event that stays in its hollow, at most, m³; none on a flat.
    pub held_m3: f64,
    /// Cells of it that the event flooded.
    pub flooded: usize,
    /// Part of the event's water that it holds, or of the flooded cells that lie on it: 0 to 1.
    pub part: f64,
}

impl TerrainFault {
    /// True if it decides enough of the event to be told first.
    #[must_use]
    pub fn is_decisive(&self) -> bool {
        self.part >= DECISIVE_PART
    }
}

impl Outcome {
    /// Finds the faults of the terrain, those that decide most of the event first.
    #[must_use]
    pub fn terrain_faults(&self) -> Vec<TerrainFault> {
        let size = (self.grid.width, self.grid.height);
        let ground = Ground { heights_m: &self.bed_m, size, cell_m: self.cell_m() };
        let structures = Structures::of(self);
        let flooded = (0..self.bed_m.len()).filter(|cell| self.is_flooded(*cell)).count();
        let faults = find(&ground).into_iter();
        let faults = faults.filter(|fault| !self.was_lake(fault) && !structures.pass(fault));
        let mut faults: Vec<TerrainFault> =
            faults.map(|fault| self.with_water(fault, flooded)).collect();
        faults.sort_by(|a, b| b.part.total_cmp(&a.part).then(b.size().total_cmp(&a.size())));
        faults
    }

    /// Width of a cell of the maps, m.
    fn cell_m(&self) -> f64 {
        self.grid.cell_m.map_or(1.0, |(x, _)| x)
    }

    /// True if most cells of a fault were under water before the event.
    fn was_lake(&self, fault: &Fault) -> bool {
        let cells = fault.cells.iter();
        let wet = cells.filter(|cell| self.before[**cell as usize] != Before::Dry).count();
        2 * wet > fault.cells.len()
    }

    fn with_water(&self, fault: Fault, flooded_in_all: usize) -> TerrainFault {
        let cells = fault.cells.iter().map(|cell| *cell as usize);
        let dry = cells.filter(|cell| self.before[*cell] == Before::Dry);
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
            true => held_m3 / self.event_m3(),
            false => flooded as f64 / flooded_in_all as f64,
        };
        // Without any water nothing is decided.
        let part = if part.is_finite() { part.min(1.0) } else { 0.0 };
        TerrainFault { fault, held_m3, flooded, part }
    }

    /// Water that the event brought, m³: what came in, or what was there if nothing did.
    #[expect(clippy::cast_precision_loss, reason = "for a part of it")]
    fn event_m3(&self) -> f64 {
        let came = self.ledger.total_in().filter(|units| *units > 0);
        came.unwrap_or(self.ledger.initial) as f64 * self.ledger.unit_m3
    }
}

impl TerrainFault {
    /// Order of faults that decide the same.
    #[expect(clippy::cast_precision_loss, reason = "for an order")]
    fn size(&self) -> f64 {
        self.fault.volume_m3.max(self.fault.cells.len() as f64)
    }
}

/// Links, bridges and tunnels of a scenario, in columns and rows.
struct Structures {
    /// Cells of the ends of links.
    ends: Vec<u32>,
    /// Lines of all.
    lines: Vec<Vec<[f64; 2]>>,
}

impl Structures {
    fn of(outcome: &Outcome) -> Self {
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
    fn pass(&self, fault: &Fault) -> bool {
        let drains = fault.kind.is_hollow()
            && !self.ends.is_empty()
            && fault.cells.iter().any(|cell| self.ends.contains(cell));
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

/// Least distance of a line to points of another, a quarter of the limit apart or less.
fn apart(line: [[f64; 2]; 2], other: [[f64; 2]; 2]) -> f64 {
    let [from, to] = other;
    let steps = ((to[0] - from[0]).hypot(to[1] - from[1]) * 4.0 / BESIDE_CELLS).ceil().max(1.0);
    let parts = std::iter::successors(Some(0.0), |step| Some(step + 1.0));
    let parts = parts.take_while(|step| *step <= steps).map(|step| step / steps);
    let points = parts.map(|part| [0, 1].map(|i| from[i] + part * (to[i] - from[i])));
    points.map(|point| off(line, point)).fold(f64::INFINITY, f64::min)
}

/// Distance of a point to a line between two.
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
    use super::*;

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
