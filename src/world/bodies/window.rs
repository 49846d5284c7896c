//! The water around one body, cell by cell, from which its load is computed.
//!
//! In a cell whose stack has an interval at the height of the body's position, the body sees the
//! water of that interval, else the open water. A body that is in an interval sees no water in
//! cells with rock at its height.

use crate::world::cells::WorldCells;
use glam::DVec2;
use thalweg_engine::body::{Body, Nearby, Surroundings};
use thalweg_engine::grid::LeafId;
use thalweg_engine::grid::TileKey;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::solids::region::key_of;
use thalweg_engine::structure::frame::cell_at;

/// Cells around the reach of a body.
const MARGIN: f64 = 2.0;

/// Most cells along a side; a larger body sees the water around its middle.
const SIDE_MOST: usize = 1024;

/// A cell as a body sees it; heights m above datum, NaN without water.
#[derive(Debug, Clone, Copy)]
struct SeenCell {
    /// Height of the surface around, continued below solids.
    surface: f64,
    /// Height of the water surface over a solid.
    above: f64,
    /// Top of the solid that carries the water.
    deck: f64,
    bed: f64,
    velocity: DVec2,
}

const DRY: SeenCell =
    SeenCell { surface: f64::NAN, above: f64::NAN, deck: 0.0, bed: 0.0, velocity: DVec2::ZERO };

/// The cells around a body.
#[derive(Debug)]
pub(super) struct BodyWindow {
    /// First column and row.
    first: [u32; 2],
    /// Columns and rows.
    size: [usize; 2],
    cells: Vec<SeenCell>,
    width_m: f64,
    /// Height of the body's position, m above the datum.
    height_m: f64,
    /// There the body is in an interval.
    is_below: bool,
}

impl WorldCells<'_> {
    /// Returns the water around a body.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded")]
    pub(super) fn window(self, body: &Body) -> BodyWindow {
        let width_m = self.cell_width_m();
        let (columns, rows) = self.size();
        // The window has twice the reach, the cell of the middle and one for rounding: SIDE_MOST at
        // most.
        let reach = (body.solid.reach_m() / width_m + MARGIN).min(0.5 * SIDE_MOST as f64 - 1.0);
        let along = |axis: usize, count: usize| {
            let middle = body.pose.position[axis] / width_m;
            let most = count as f64;
            let from = (middle - reach).clamp(0.0, most) as u32;
            let to = (middle + reach + 1.0).clamp(0.0, most) as u32;
            (from, (to - from) as usize)
        };
        let ((x, wide), (y, high)) = (along(0, columns), along(1, rows));
        let size = [wide.min(SIDE_MOST), high.min(SIDE_MOST)];
        let height_m = body.pose.position.z;
        let own = cell_at([0, 1].map(|axis| body.pose.position[axis]), width_m);
        let own = own.and_then(|place| self.locate(place));
        let is_below = own.is_some_and(|at| self.interval_at(at, height_m).is_some());
        let (first, cells) = ([x, y], Vec::new());
        let mut window = BodyWindow { first, size, cells, width_m, height_m, is_below };
        window.cells.reserve_exact(size[0] * size[1]);
        let mut near = None;
        (0..size[1]).for_each(|row| self.see_row(&mut window, row, &mut near));
        window
    }

    /// Finds a cell; `near` is the tile of a cell found before, and its leaf if that is as fine as
    /// the tile: most cells are found there without a search.
    fn locate_near(
        self,
        place: CellPlace,
        near: &mut Option<(TileKey, LeafId)>,
    ) -> Option<(LeafId, usize)> {
        let forest = self.simulation.forest();
        let tile = TileKey::of_cell(forest.base(), place);
        if let Some((_, leaf)) = near.filter(|near| near.0 == tile) {
            let cell = place.index_in_tile();
            return self.simulation.ground(leaf).is_inside(cell).then_some((leaf, cell));
        }
        let (leaf, cell) = self.locate(place)?;
        *near = (forest.leaves()[leaf] == tile).then_some((tile, leaf));
        Some((leaf, cell))
    }

    /// Sees a row of cells; `near` is as in [`WorldCells::locate_near`].
    fn see_row(self, window: &mut BodyWindow, row: usize, near: &mut Option<(TileKey, LeafId)>) {
        let number = |count: usize| u32::try_from(count).expect("1024 at most");
        let (scale, region) = (self.scale(), &self.simulation.solids().region);
        let y = window.first[1] + number(row);
        let from = key_of(CellPlace { x: window.first[0], y });
        // Cells of solids are in order of rows and columns, so one search finds the first of this
        // row and the rest follow as the columns ascend.
        let mut next = region.cells.partition_point(|cell| cell.key < from);
        for column in 0..window.size[0] {
            let place = CellPlace { x: window.first[0] + number(column), y };
            let Some((leaf, cell)) = self.locate_near(place, near) else {
                window.cells.push(DRY);
                continue;
            };
            if let Some(seen) = self.see_below((leaf, cell), window.height_m, window.is_below) {
                window.cells.push(seen);
                continue;
            }
            let (ground, water) = (self.simulation.ground(leaf), self.simulation.water(leaf));
            let (depth, bed) = (water.depth[cell], scale.metres(ground.bed[cell]));
            let stage = scale.metres(ground.stage(cell, depth));
            let own = if depth > 0 { stage } else { f64::NAN };
            let mut seen =
                SeenCell { surface: own, above: own, deck: bed, bed, velocity: DVec2::ZERO };
            let key = key_of(place);
            while region.cells.get(next).is_some_and(|cell| cell.key < key) {
                next += 1;
            }
            let mut deep = depth;
            if let Some(cell) = region.cells.get(next).filter(|c| c.key == key && c.is_touched) {
                seen.surface = scale.metres(0) + cell.surface;
                seen.above = seen.surface;
                if cell.is_apart {
                    seen.deck = scale.metres(cell.high);
                    deep = depth - cell.upper;
                    let over = cell.upper > 0;
                    seen.above =
                        if over { seen.deck + scale.depth_m(cell.upper) } else { f64::NAN };
                }
            }
            let deep_m = scale.depth_m(deep);
            if deep_m > 0.01 {
                let flow = [&water.flow_x, &water.flow_y].map(|plane| f64::from(plane[cell]));
                seen.velocity = (DVec2::from(flow) / deep_m).map(|u| u.clamp(-30.0, 30.0));
            }
            window.cells.push(seen);
        }
    }

    /// Returns a cell as a body at a height sees it: its interval there, or rock if the body is in
    /// an interval itself; `None` if the open water counts.
    fn see_below(self, at: (LeafId, usize), height_m: f64, is_below: bool) -> Option<SeenCell> {
        let (scale, (leaf, cell)) = (self.scale(), at);
        let Some(own) = self.interval_at(at, height_m) else {
            let ground_m = scale.metres(self.simulation.ground(leaf).dry_stage(cell));
            return (is_below && height_m < ground_m).then_some(DRY);
        };
        let (bed, depth_m) = (scale.metres(own.bed), scale.depth_m(own.depth));
        let surface = if own.depth > 0 { scale.metres(own.surface()) } else { f64::NAN };
        let mut velocity = DVec2::ZERO;
        if depth_m > 0.01 {
            let stack = self.simulation.leaves().own[leaf].stack.as_ref().expect("it has one");
            for flow in stack.flows_of_cell(own.cell).iter().filter(|flow| flow.behind == own.bed) {
                velocity[usize::from(flow.axis)] += f64::from(flow.q) / depth_m;
            }
            velocity = velocity.map(|u| u.clamp(-30.0, 30.0));
        }
        Some(SeenCell { surface, above: surface, deck: bed, bed, velocity })
    }
}

impl BodyWindow {
    /// Returns the cell of a column and a row of the window.
    fn cell(&self, column: i64, row: i64) -> &SeenCell {
        let along =
            |at: i64, axis: usize| usize::try_from(at).ok().filter(|&at| at < self.size[axis]);
        match (along(column, 0), along(row, 1)) {
            (Some(column), Some(row)) => &self.cells[row * self.size[0] + column],
            _ => &DRY,
        }
    }

    /// Returns a place in widths of a cell from the window's corner.
    fn within(&self, at: DVec2) -> DVec2 {
        let first = DVec2::from(self.first.map(f64::from));
        // A window has 1024 cells a side at most, so a place this far off is outside anyway; the
        // bound makes the casts to integers exact.
        (at / self.width_m - first).map(|along| along.clamp(-1.0e6, 1.0e6))
    }

    #[expect(clippy::cast_possible_truncation, reason = "bounded by `within`")]
    fn own(&self, at: DVec2) -> &SeenCell {
        let place = self.within(at).floor();
        self.cell(place.x as i64, place.y as i64)
    }
}

/// Returns the water of a stage over a bed; `None` if it is dry.
fn nearby(stage_m: f64, bed_m: f64, velocity_m_s: DVec2) -> Option<Nearby> {
    (stage_m > bed_m).then_some(Nearby { stage_m, bed_m, slope: DVec2::ZERO, velocity_m_s })
}

impl Surroundings for BodyWindow {
    fn cell_m(&self, _: DVec2) -> f64 {
        self.width_m
    }

    fn near(&self, at: DVec2) -> Option<Nearby> {
        let seen = self.own(at);
        nearby(seen.surface, seen.bed, seen.velocity)
    }

    /// Interpolates bilinearly between the wet ones of the four centres around.
    #[expect(clippy::cast_possible_truncation, reason = "bounded by `within`")]
    fn between(&self, at: DVec2) -> Option<Nearby> {
        let place = self.within(at) - 0.5;
        let corner = place.floor();
        let (column, row) = (corner.x as i64, corner.y as i64);
        let DVec2 { x: u, y: v } = place - corner;
        let corners = [(0, 0), (1, 0), (0, 1), (1, 1)];
        let seen = corners.map(|(i, j)| self.cell(column + i, row + j));
        let weights = [(1.0 - u) * (1.0 - v), u * (1.0 - v), (1.0 - u) * v, u * v];
        let (mut sum, mut stage, mut velocity) = (0.0, 0.0, DVec2::ZERO);
        for (seen, weight) in seen.iter().zip(weights) {
            if seen.surface.is_finite() && weight > 0.0 {
                (sum, stage) = (sum + weight, stage + weight * seen.surface);
                velocity += weight * seen.velocity;
            }
        }
        if sum <= 0.0 {
            return None;
        }
        let [a, b, c, d] = seen.map(|seen| seen.surface);
        let slope = if [a, b, c, d].iter().all(|stage| stage.is_finite()) {
            DVec2::new((b - a) * (1.0 - v) + (d - c) * v, (c - a) * (1.0 - u) + (d - b) * u)
        } else {
            DVec2::ZERO
        };
        Some(Nearby {
            stage_m: stage / sum,
            bed_m: self.own(at).bed,
            slope: slope / self.width_m,
            velocity_m_s: velocity / sum,
        })
    }

    fn above(&self, at: DVec2) -> Option<Nearby> {
        let seen = self.own(at);
        nearby(seen.above, seen.deck, seen.velocity)
    }
}
