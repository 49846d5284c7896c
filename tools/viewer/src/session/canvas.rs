//! Part of the world that the window shows, ready for a graphics card.

use std::ops::Range;

use half::f16;
use kit::error::UserError;
use rayon::prelude::*;
use thalweg::probe::{Surface, Window};
use thalweg::world::{CellPlace, TILE_WIDTH, World};

use crate::session::cut::WorldCut;
use crate::session::looks::Sights;
use crate::session::{Looks, WindowPatch};

/// Depth of water that makes a shore, m: a thinner film, like rain on a slope, wets the ground.
const SHORE_M: f32 = 0.02;
/// Depth from which all water has the same weight in the place of a shore, m.
const FULL_M: f32 = 0.5;
/// Distance over which water makes a shore, cells.
const REACH: usize = 2;
/// Least signed depth, m.
const LEAST_M: f32 = -30.0;
/// Signed depth of dry ground that only a film is near, m.
const ASIDE_M: f32 = -1.0;

/// Surface in a window, and whether it was sent.
pub(super) struct WindowCanvas {
    surface: Surface,
    /// Looks of the surface; `None` after a change of world.
    sights: Option<Sights>,
    /// Height above which the world is cut away.
    cut: Option<WorldCut>,
    /// Whether all of it is to be sent.
    is_new: bool,
}

/// Parts of a canvas that were sent.
pub(super) struct SentParts {
    pub is_whole: bool,
    pub patches: Vec<WindowPatch>,
    pub looks: Looks,
}

/// Depth from which water is drawn, m: films of rain are no brooks.
const WET_M: f64 = 0.01;

impl WindowCanvas {
    pub fn try_new(window: Window) -> Result<Self, UserError> {
        let surface = Surface::try_new(window).and_then(|surface| surface.wet_from(WET_M));
        let surface = surface.map_err(|error| UserError::from_sentence(error.to_string()))?;
        Ok(Self { surface, sights: None, cut: None, is_new: true })
    }

    pub fn window(&self) -> Window {
        self.surface.window()
    }

    /// Shows a different window.
    pub fn move_to(&mut self, window: Window) -> Result<(), String> {
        if window == self.window() {
            return Ok(());
        }
        self.surface.move_to(window).map_err(|error| error.to_string())?;
        self.is_new = true;
        Ok(())
    }

    /// Cuts the world open at a height, m, or shows all of it.
    pub fn cut_at(&mut self, height_m: Option<f64>) {
        if self.cut.as_ref().map(WorldCut::height_m) != height_m {
            self.cut = height_m.map(WorldCut::at);
            self.is_new = true;
        }
    }

    /// Returns the bed of the interval that a cell of the base level shows, m; `None` without one.
    pub fn floor_m(&self, world: &World, place: CellPlace) -> Option<f64> {
        self.cut.as_ref()?.floor_m(world, place)
    }

    /// Marks all cells as new, for a different world.
    pub fn forget(&mut self) {
        self.surface.forget();
        self.sights = None;
        self.is_new = true;
    }

    /// Updates the surface, and returns the changes since the last call.
    pub fn changes(&mut self, world: &World) -> SentParts {
        let changed = self.surface.update(world);
        let is_other = self.cut.as_mut().is_some_and(|cut| cut.is_of_other(world));
        let is_whole = std::mem::take(&mut self.is_new) || is_other;
        let all = if is_whole { tiles(self.window()) } else { self.with_floors(&changed) };
        let finest_m = world.query().cell_width_m(0);
        let sights = self.sights.get_or_insert_with(|| Sights::new(finest_m));
        let mut looks = sights.changes(&self.surface, &changed, world.time());
        if is_whole {
            looks.wetness = sights.patches(&all);
        }
        let tracer = dye_of(world);
        let patch = |cells: Window| {
            let mut patch = self.patch(cells);
            if let Some(tracer) = tracer {
                patch.dye = dye(world, tracer, cells);
            }
            let cut = self.cut.as_ref();
            let place =
                |cell: usize| in_base(world, cells, [cell % cells.width, cell / cells.width]);
            let has_floors = cut.is_some_and(|cut| cut.open(world, &mut patch, place));
            (patch, has_floors)
        };
        let patches: Vec<(WindowPatch, bool)> = all.into_par_iter().map(patch).collect();
        if let Some(cut) = &mut self.cut {
            cut.thin(&mut looks);
            let floors = patches.iter().filter(|(_, has_floors)| *has_floors);
            cut.keep(floors.map(|(patch, _)| patch.cells), is_whole);
        }
        let patches = patches.into_iter().map(|(patch, _)| patch).collect();
        SentParts { is_whole, patches, looks }
    }

    /// Returns the changed cells, and all tiles that show floors of intervals and may have changed.
    fn with_floors(&self, changed: &[Window]) -> Vec<Window> {
        let mut all = changed.to_vec();
        if let Some(cut) = &self.cut {
            let floors = tiles(self.window()).into_iter().filter(|cells| cut.has_floors(cells));
            all.extend(floors.filter(|cells| !changed.contains(cells)));
        }
        all
    }

    fn patch(&self, cells: Window) -> WindowPatch {
        let (planes, window) = (&self.surface, self.window());
        let count = cells.width * cells.height;
        let mut patch = WindowPatch {
            cells,
            heights: Vec::with_capacity(count),
            water: Vec::with_capacity(count),
            normals: Vec::with_capacity(count),
            dye: Vec::new(),
        };
        let (bed_m, depth_m, stage_m) = (planes.bed_m(), planes.depth_m(), planes.stage_m());
        let shores = WindowShores { window, planes: [bed_m, depth_m, stage_m] };
        let ([u, v], foam) = (planes.velocity_m_s(), planes.foam());
        let (bed_normal, normal) = (planes.bed_normal(), planes.normal());
        let column = (cells.corner.x - window.corner.x) as usize;
        let row = (cells.corner.y - window.corner.y) as usize;
        let has_shores = shores.are_in([column, row], [cells.width, cells.height]);
        for y in row..row + cells.height {
            for x in column..column + cells.width {
                let cell = y * window.width + x;
                let (bed, depth, stage) = (bed_m[cell], depth_m[cell], stage_m[cell]);
                let top = if depth > 0.0 { stage.max(bed) } else { bed };
                // A cell far from all water is as dry as possible.
                let is_far = depth <= 0.0 && stage.is_nan();
                let dry = if is_far { LEAST_M } else { depth };
                let signed = if has_shores { shores.signed_m([x, y]) } else { dry };
                let whole = |value: f32| if value.is_nan() { 0.0 } else { value };
                patch.heights.push([bed, top]);
                let water = [signed, whole(u[cell]), whole(v[cell]), foam[cell]];
                patch.water.push(water.map(|number| f16::from_f32(number).to_bits()));
                let (ground, seen) = (bed_normal[cell], normal[cell]);
                patch.normals.push([ground[0], ground[1], seen[0], seen[1]]);
            }
        }
        patch
    }
}

/// Places of shores, from the planes of a window: beds, depths and stages, m.
struct WindowShores<'a> {
    window: Window,
    planes: [&'a [f32]; 3],
}

impl WindowShores<'_> {
    /// Returns the cells within reach of a rectangle, row by row.
    fn around(
        &self,
        [x, y]: [usize; 2],
        [width, height]: [usize; 2],
    ) -> impl Iterator<Item = Range<usize>> {
        let Window { width: all, height: rows, .. } = self.window;
        let columns = x.saturating_sub(REACH)..(x + width + REACH).min(all);
        (y.saturating_sub(REACH)..(y + height + REACH).min(rows))
            .map(move |y| y * all + columns.start..y * all + columns.end)
    }

    /// Whether water makes a shore in a rectangle of cells.
    fn are_in(&self, from: [usize; 2], size: [usize; 2]) -> bool {
        let [_, depth_m, _] = self.planes;
        self.around(from, size).any(|row| depth_m[row].iter().any(|depth| *depth >= SHORE_M))
    }

    /// Returns the depth of a cell, m. If the cell is dry or has only a film, and is beside water,
    /// the result is minus the height of its bed above the stage of that water. So the zero line is
    /// a smooth shore, which films in the shape of cells do not draw.
    fn signed_m(&self, at: [usize; 2]) -> f32 {
        let [bed_m, depth_m, stage_m] = self.planes;
        let cell = at[1] * self.window.width + at[0];
        // A dry cell that has no stage has no water in reach.
        let is_far = depth_m[cell] <= 0.0 && stage_m[cell].is_nan();
        if is_far {
            return LEAST_M;
        }
        if depth_m[cell] >= SHORE_M || bed_m[cell].is_nan() {
            return depth_m[cell];
        }
        let (mut sum, mut weights) = (0.0, 0.0);
        for near in self.around(at, [1, 1]).flatten().filter(|near| depth_m[*near] >= SHORE_M) {
            let weight = depth_m[near].min(FULL_M);
            (sum, weights) = (sum + weight * (stage_m[near] - bed_m[cell]), weights + weight);
        }
        if weights <= 0.0 {
            // Only a film is in reach.
            return if depth_m[cell] > 0.0 { depth_m[cell] } else { ASIDE_M };
        }
        let above_m = sum / weights;
        if above_m < 0.0 { above_m.max(LEAST_M) } else { depth_m[cell] }
    }
}

/// Returns the first tracer of a world, if the world has any of it.
fn dye_of(world: &World) -> Option<&str> {
    let name = world.water().tracers().next()?;
    let is_there = world.water().tracer_stored(name).is_some_and(|stored| stored != 0);
    is_there.then_some(name)
}

/// Returns the cell of the base level that represents one of a window, by its column and row there.
fn in_base(world: &World, cells: Window, at: [usize; 2]) -> CellPlace {
    let base = world.extent().base();
    let place = |from: u32, step: usize| {
        let at = from + u32::try_from(step).expect("64 cells");
        match cells.level.checked_sub(base) {
            // The cell at the middle represents a coarse cell.
            Some(0) => at,
            Some(finer) => (at << finer) + (1 << (finer - 1)),
            None => at >> (base - cells.level),
        }
    };
    CellPlace { x: place(cells.corner.x, at[0]), y: place(cells.corner.y, at[1]) }
}

/// Returns the concentrations of a tracer in cells, × 255.
fn dye(world: &World, tracer: &str, cells: Window) -> Vec<u8> {
    let mut all = Vec::with_capacity(cells.width * cells.height);
    for (row, column) in (0..cells.height).flat_map(|y| (0..cells.width).map(move |x| (y, x))) {
        let cell = in_base(world, cells, [column, row]);
        let part = world.water().concentration(tracer, cell).unwrap_or(0.0).clamp(0.0, 1.0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
        all.push((255.0 * part + 0.5) as u8);
    }
    all
}

/// Divides a window into pieces of at most one tile.
fn tiles(window: Window) -> Vec<Window> {
    let Window { level, corner, width, height } = window;
    let pieces = |count: usize| {
        (0..count).step_by(TILE_WIDTH).map(move |at| (at, TILE_WIDTH.min(count - at)))
    };
    let at = |from: u32, step: usize| from + u32::try_from(step).expect("2²⁸ cells at most");
    let row = |(y, height)| {
        pieces(width).map(move |(x, width)| {
            let corner = CellPlace { x: at(corner.x, x), y: at(corner.y, y) };
            Window { level, corner, width, height }
        })
    };
    pieces(height).flat_map(row).collect()
}
