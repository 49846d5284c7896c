//! Water at the start: from the plan's values by place to values of the simulated cells.
//!
//! ```text
//! depth   Σ h / count            over the finest cells of a simulated one
//! stage   Σ η·h / Σ h            h = η − z, where it is more than the step of beds
//! ```
//!
//! Rasters of stages often repeat the ground where it is dry: a depth that is only rounding is no
//! water.
//!
//! Guarantees: a lake of one stage keeps this stage, over cells of any size.

use kit::words::short;
use rasters::Grid;
use thalweg::terrain::Terrain;
use thalweg::units::OUTSIDE;
use thalweg::world::{CellPlace, WorldBuilder};

use super::ground::{CellCentres, index_of};
use super::setting::cell_values;
use crate::plan::{Field, InitialPlan, MapPlan, Plan};

/// Part of the water of a raster of depths that wide cells may move without a note.
const MOVED_PART: f64 = 0.05;

/// Depths or stages, m, of all simulated cells: one for all, or one for each, rows from the north,
/// NaN for dry cells.
pub(super) enum InitialWater {
    Dry,
    Depth(f64),
    Depths(Vec<f64>),
    Stage(f64),
    Stages(Vec<f64>),
}

impl InitialWater {
    /// Reads the plan's initial water of the finest cells.
    pub fn of(plan: &Plan, terrain: &Terrain) -> Self {
        let finest = |field| finest_values(field, plan);
        match &plan.initial {
            InitialPlan::Dry => Self::Dry,
            InitialPlan::Depth(depth) => Self::Depth(*depth),
            InitialPlan::Stage(stage) => Self::Stage(*stage),
            InitialPlan::DepthField(field) => {
                Self::Depths(depths(&finest(field), &plan.map, terrain))
            }
            InitialPlan::StageField(field) => {
                Self::Stages(stages(&finest(field), &plan.map, terrain))
            }
        }
    }

    /// Reads stages of tunnels, of rooms and of the ground below bridges. A raster that is equal to
    /// the ground means no water.
    pub fn below(plan: &Plan, terrain: &Terrain) -> Self {
        let field = match &plan.initial {
            _ if plan.rocks.is_empty() => return Self::Dry,
            InitialPlan::Dry | InitialPlan::Depth(_) | InitialPlan::DepthField(_) => {
                return Self::Dry;
            }
            InitialPlan::Stage(stage) => return Self::Stage(*stage),
            InitialPlan::StageField(field) => field,
        };
        let Some(beds) = terrain.level(0) else { return Self::Dry };
        let (Grid { width, height, .. }, scale) = (plan.map.drawn(), terrain.scale());
        let step_m = scale.depth_m(terrain.bed_step());
        let mut stages = finest_values(field, plan);
        for (at, stage) in stages.iter_mut().enumerate() {
            let bed = beds.bed(at % width, height - 1 - at / width);
            if bed != OUTSIDE && (*stage - scale.metres(bed)).abs() <= step_m {
                *stage = f64::NAN;
            }
        }
        Self::Stages(stages)
    }

    /// Fills the spaces below the ground of a world with the simulated cells `grid`.
    pub fn fill_below(self, builder: WorldBuilder, grid: &Grid) -> WorldBuilder {
        let (width, height) = (grid.width, grid.height);
        match self {
            Self::Stage(stage) => builder.initial_stage_below(move |_, _| stage),
            Self::Stages(stages) => {
                builder.initial_stage_below(move |place, _| stages[index_of(place, width, height)])
            }
            Self::Dry | Self::Depth(_) | Self::Depths(_) => builder,
        }
    }

    /// Fills a world with the simulated cells `grid`.
    pub fn fill(self, builder: WorldBuilder, grid: &Grid) -> WorldBuilder {
        let (width, height) = (grid.width, grid.height);
        let by_place =
            |values: Vec<f64>| move |place: CellPlace| values[index_of(place, width, height)];
        match self {
            Self::Dry => builder,
            Self::Depth(depth) => builder.initial_depth(move |_| depth),
            Self::Depths(depths) => builder.initial_depth(by_place(depths)),
            Self::Stage(stage) => builder.initial_stage(move |_| stage),
            Self::Stages(stages) => builder.initial_stage(by_place(stages)),
        }
    }
}

/// Returns a note if cells wider than the map's move more than a small part of the water of a
/// raster of depths: each begins with one stage, over walls within it too.
pub(super) fn moved(plan: &Plan, terrain: &Terrain) -> Option<String> {
    let InitialPlan::DepthField(field) = &plan.initial else { return None };
    let (map, beds) = (&plan.map, terrain.level(0)?);
    let (finest, Grid { width, height, .. }) = (finest_values(field, plan), map.drawn());
    let wet = |at: usize| {
        let (bed, depth) = (beds.bed(at % width, height - 1 - at / width), finest[at]);
        let depth = if depth.is_nan() { 0.0 } else { depth };
        (bed != OUTSIDE).then(|| (terrain.scale().metres(bed), depth))
    };
    let cell_m2 = map.world_cell_m().powi(2);
    let all_m3: f64 = (0..finest.len()).filter_map(wet).map(|(_, depth)| depth * cell_m2).sum();
    let gains = by_cell(map, |below| levelled(&mut below.filter_map(wet).collect::<Vec<_>>()));
    let moved_m3 = gains.iter().sum::<f64>() * cell_m2;
    (map.level > 0 && moved_m3 > MOVED_PART * all_m3).then(|| {
        format!(
            "the initial depths move {moved_m3:.0} m³ of {all_m3:.0} m³ at once: the water of a \
             simulated cell of {} m begins with one level, over walls within the cell too; \
             --cell-size {} leaves it where the raster has it",
            short(map.cell_m()),
            short(map.world_cell_m())
        )
    })
}

/// Returns the sum of the depths, m, that cells gain if their water becomes level; `cells` has the
/// bed and the depth of each, m.
fn levelled(cells: &mut [(f64, f64)]) -> f64 {
    cells.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut sum, mut level) = (cells.iter().map(|(_, depth)| depth).sum::<f64>(), f64::INFINITY);
    if sum <= 0.0 {
        return 0.0;
    }
    let mut count = 0.0;
    for (bed, _) in cells.iter() {
        if *bed >= level {
            break;
        }
        (sum, count) = (sum + bed, count + 1.0);
        level = sum / count;
    }
    cells.iter().map(|(bed, depth)| ((level - bed).max(0.0) - depth).max(0.0)).sum()
}

/// Returns a field's value for every finest cell, rows from the north; NaN for cells without a
/// value.
fn finest_values(field: &Field, plan: &Plan) -> Vec<f64> {
    let drawn = plan.map.drawn();
    cell_values(field, CellCentres::new(&drawn, &drawn), f64::NAN)
}

/// Returns the mean depths over the ground of the simulated cells; NaN if all of a cell is dry.
fn depths(finest: &[f64], map: &MapPlan, terrain: &Terrain) -> Vec<f64> {
    let Some(beds) = terrain.level(0) else { return Vec::new() };
    let Grid { width, height, .. } = map.drawn();
    let is_ground = |&at: &usize| beds.bed(at % width, height - 1 - at / width) != OUTSIDE;
    by_cell(map, |below| {
        let (mut sum, mut count, mut is_wet) = (0.0, 0.0, false);
        for at in below.filter(is_ground) {
            let depth = finest[at];
            is_wet |= !depth.is_nan();
            sum += if depth.is_nan() { 0.0 } else { depth };
            count += 1.0;
        }
        if is_wet { sum / count } else { f64::NAN }
    })
}

/// Returns the stages of the simulated cells, means of the finest cells weighted by depth; NaN if
/// all of a cell is dry.
fn stages(finest: &[f64], map: &MapPlan, terrain: &Terrain) -> Vec<f64> {
    let Some(beds) = terrain.level(0) else { return Vec::new() };
    let Grid { width, height, .. } = map.drawn();
    let scale = terrain.scale();
    let step_m = scale.depth_m(terrain.bed_step());
    by_cell(map, |below| {
        let (mut sum, mut weight) = (0.0, 0.0);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for at in below {
            let (stage, bed) = (finest[at], beds.bed(at % width, height - 1 - at / width));
            let depth = if bed == OUTSIDE { f64::NAN } else { stage - scale.metres(bed) };
            // At level 0 every film counts, as it was given.
            if depth > if map.level == 0 { 0.0 } else { step_m } {
                (sum, weight) = (sum + depth * stage, weight + depth);
                (low, high) = (low.min(stage), high.max(stage));
            }
        }
        // A lake keeps its stage to the last digit; without water both sums are 0.
        if weight > 0.0 && low >= high { low } else { sum / weight }
    })
}

/// Returns a value of each simulated cell from the indices of the finest ones below it; rows of
/// both from the north.
fn by_cell(map: &MapPlan, value: impl Fn(&mut dyn Iterator<Item = usize>) -> f64) -> Vec<f64> {
    let (Grid { width, height, .. }, (columns, rows)) = (map.simulated(), map.size());
    let size = 1_usize << map.level;
    // The northernmost cells may extend beyond the map.
    let beyond = height * size - rows;
    let cells = (0..height).flat_map(|row| (0..width).map(move |col| (col * size, row * size)));
    let below = |(col, row): (usize, usize)| {
        let rows = row.saturating_sub(beyond)..row + size - beyond;
        let cols = col..(col + size).min(columns);
        value(&mut rows.flat_map(|row| cols.clone().map(move |col| row * columns + col)))
    };
    cells.map(below).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn water_that_becomes_level_is_summed() {
        for (name, cells, gained_m) in [
            ("level water", vec![(0.0, 2.0), (1.0, 1.0), (5.0, 0.0)], 0.0),
            ("dry", vec![(0.0, 0.0), (1.0, 0.0)], 0.0),
            ("a tank", vec![(0.0, 4.0), (0.0, 0.0)], 2.0),
            ("a tank with a rim", vec![(0.0, 4.0), (5.0, 0.0), (0.0, 0.0)], 2.0),
            ("a film on a slope", vec![(0.0, 0.1), (1.0, 0.1)], 0.1),
            ("a low rim", vec![(0.0, 4.0), (1.0, 0.0), (0.0, 0.0)], 7.0 / 3.0),
        ] {
            let found = levelled(&mut cells.clone());
            assert!((found - gained_m).abs() < 1.0e-12, "{name}: {found}");
        }
    }
}
