//! Water before the event on the ground of a run: at the start, the sea, permanent water.
//!
//! ```text
//! sea auto    ground below the first stage of an edge whose stage changes, joined to that edge;
//!             flat ground at an edge that water crosses (outcome::before::Coast)
//! sea LEVEL   ground at or below the level, joined to an edge that water crosses
//! ```
//!
//! Notes count the cells that the figures count as the sea, which excludes water at the start. A
//! sea that is dry at the start beside an edge with a stage is filled by a wave, which no coast
//! has: the note reports this.
//!
//! An edge whose stage never changes is the event itself: the sea before it cannot be determined.
//!
//! Limits: cells that a barrier crosses end the sea, whatever crest it has; flat ground is no sea
//!         on maps whose heights are spread over a range of the user's.

use kit::words::short;
use rasters::Grid;
use scenario::before::SeaLevel;
use scenario::build::{index_of, terrain_options};
use scenario::place::{EntryPlace, MapSide};
use scenario::plan::{EdgeCondition, Plan};
use thalweg::units::VerticalScale;
use thalweg::world::CellPlace;

use super::downscaled::finest;
use crate::outcome::CellBefore;
use crate::outcome::before::{Coast, EdgeFlat};
use crate::output::wording::area;

/// Ground of a run, as its maps show it.
#[derive(Debug, Clone, Copy)]
pub(super) struct GroundBefore<'a> {
    plan: &'a Plan,
    grid: &'a Grid,
    /// Bed elevation, m.
    bed_m: &'a [f32],
    /// Half the step to which beds are rounded, m.
    rounding_m: f64,
    /// True for cells that were wet at the start.
    was_wet: &'a [bool],
    /// Cells of the maps in which an inflow enters, rising.
    inflow_cells: &'a [usize],
    /// Cells of the maps without data that the ground encloses, rising.
    holes: &'a [usize],
}

/// A cell at an edge that water crosses, and the condition there.
struct RimCell<'a> {
    cell: usize,
    side: MapSide,
    kind: &'a EdgeCondition,
}

impl RimCell<'_> {
    /// Returns the first stage of the edge, m.
    fn first_stage_m(&self) -> Option<f64> {
        let EdgeCondition::Stage(series) = self.kind else { return None };
        series.points.first().map(|(_, stage_m)| *stage_m)
    }
}

/// Returns the cells of the maps in which inflows enter, rising: the cells under each simulated
/// cell.
pub(super) fn inflow_cells(plan: &Plan, grid: &Grid, inflows: &[Vec<CellPlace>]) -> Vec<usize> {
    let size = (grid.width, grid.height);
    let places = inflows.iter().flatten().flat_map(|&place| finest(place, plan.map.level, size));
    let mut cells: Vec<usize> = places.map(|place| index_of(place, size.0, size.1)).collect();
    cells.sort_unstable();
    cells.dedup();
    cells
}

impl<'a> GroundBefore<'a> {
    /// Takes the plan and the grid of its maps, the beds in m with the world's scale, the cells
    /// that were wet at the start, and the cells of inflows and of holes, rising.
    pub fn new(
        (plan, grid): (&'a Plan, &'a Grid),
        (bed_m, scale): (&'a [f32], VerticalScale),
        (was_wet, inflow_cells, holes): (&'a [bool], &'a [usize], &'a [usize]),
    ) -> Self {
        let steps_per_m = f64::from(1_u32 << terrain_options(plan, scale).bed_exponent);
        let rounding_m = 0.5 / steps_per_m;
        Self { plan, grid, bed_m, rounding_m, was_wet, inflow_cells, holes }
    }

    /// Returns the state of each cell before the event, and a sentence for each choice.
    pub fn before(&self) -> (Vec<CellBefore>, Vec<String>) {
        let mut notes = Vec::new();
        let is_sea = self.sea(&mut notes);
        let is_permanent = self.permanent();
        let state = |cell: usize| match cell {
            _ if self.bed_m[cell].is_nan() => CellBefore::Dry,
            _ if self.was_wet[cell] => CellBefore::Start,
            _ if is_sea[cell] => CellBefore::Sea,
            _ if is_permanent(cell) => CellBefore::Permanent,
            _ => CellBefore::Dry,
        };
        let before: Vec<CellBefore> = (0..self.bed_m.len()).map(state).collect();
        notes.extend(self.dry_rivers(&before));
        (before, notes)
    }

    /// Returns a function that is true for cells of the raster of permanent water.
    fn permanent(&self) -> impl Fn(usize) -> bool {
        let width = self.grid.width;
        move |cell| {
            let field = self.plan.before.permanent.as_ref();
            let (x, y) = (self.grid.easting(cell % width), self.grid.northing(cell / width));
            field.and_then(|field| field.at(x, y)).is_some_and(|part| part >= 0.5)
        }
    }

    /// Returns a note for inflows into ground that was dry: the river's bed counts as flooded.
    fn dry_rivers(&self, before: &[CellBefore]) -> Option<String> {
        let is_dry = |at: &scenario::place::MapPoint| {
            let cell = self.grid.cell_at(at.x, at.y);
            cell.is_some_and(|(column, row)| {
                before[row * self.grid.width + column] == CellBefore::Dry
            })
        };
        let rivers = self.plan.inflows.iter();
        let names = rivers.filter_map(|inflow| match &inflow.place {
            EntryPlace::At(at) if is_dry(at) => Some(format!("`{}`", inflow.name)),
            _ => None,
        });
        let names: Vec<String> = names.collect();
        (!names.is_empty()).then(|| {
            format!(
                "the bed below {} counts as flooded ground: it was dry at the start, and no \
                 raster marks it as a river (--permanent-water, `permanent_water` below [output])",
                names.join(", ")
            )
        })
    }

    /// Returns true for the cells of the sea.
    fn sea(&self, notes: &mut Vec<String>) -> Vec<bool> {
        let size = (self.grid.width, self.grid.height);
        let is_walled = self.walled();
        let (bed_m, rounding_m) = (self.bed_m, self.rounding_m);
        let coast = Coast { size, bed_m, rounding_m, is_walled: &is_walled };
        let rim = self.rim();
        match self.plan.before.sea {
            SeaLevel::None => vec![false; self.bed_m.len()],
            SeaLevel::At(level_m) => {
                let is_sea = coast.below(rim.iter().map(|rim| (rim.cell, level_m)).collect());
                if !is_sea.contains(&true) {
                    notes.push(format!(
                        "no ground at or below {level_m} m reaches an edge that water crosses: \
                         there is no sea (--sea)"
                    ));
                } else if let Some(area) = self.counted(marked(&is_sea)) {
                    let stages = rim
                        .iter()
                        .filter_map(|rim| Some((rim.cell, rim.first_stage_m()?.min(level_m))));
                    notes.push(format!(
                        "{area} at or below {level_m} m, joined to an edge, count as the sea and \
                         not as flooded (--sea){}",
                        self.dry_sea(&coast, stages.collect())
                    ));
                }
                is_sea
            }
            SeaLevel::Auto => {
                let mut is_sea = self.tidal(&coast, &rim, notes);
                self.add_flats(&coast, &rim, &mut is_sea, notes);
                is_sea
            }
        }
    }

    /// Returns true for ground below the first stages of tides.
    fn tidal(&self, coast: &Coast<'_>, rim: &[RimCell<'_>], notes: &mut Vec<String>) -> Vec<bool> {
        let (mut seeds, mut first, mut constant) = (Vec::new(), Vec::new(), Vec::new());
        let mut dry = Vec::new();
        for RimCell { cell, side, kind } in rim {
            let EdgeCondition::Stage(series) = kind else { continue };
            let Some(&(_, stage_m)) = series.points.first() else { continue };
            let is_moving = series.points.iter().any(|(_, other)| (other - stage_m).abs() > 0.0);
            let named = if is_moving { &mut first } else { &mut constant };
            if !named.contains(&(*side, stage_m)) {
                named.push((*side, stage_m));
            }
            if is_moving {
                seeds.push((*cell, stage_m));
            } else if !self.was_wet[*cell] && f64::from(self.bed_m[*cell]) < stage_m {
                dry.push((*side, stage_m));
            }
        }
        let is_sea = coast.below(self.wetted(&seeds));
        for (side, stage_m) in constant {
            let fills = match dry.contains(&(side, stage_m)) {
                true => {
                    format!(
                        "; `--stage {}m` fills that ground, and all other below, at the start",
                        short(stage_m)
                    )
                }
                false => String::new(),
            };
            notes.push(format!(
                "the stage at the {side} edge is {stage_m} m throughout: all the dry ground that \
                 it reaches counts as flooded; --sea LEVEL names the sea that was there before\
                 {fills}"
            ));
        }
        if let Some(area) = self.counted(marked(&is_sea)) {
            let stages = first.iter().map(|(side, stage_m)| format!("{stage_m} m ({side})"));
            notes.push(format!(
                "{area} below the stage with which the tide begins, {}, count as the sea and not \
                 as flooded{}; --sea none counts them, --sea LEVEL names another level",
                stages.collect::<Vec<_>>().join(", "),
                self.dry_sea(coast, seeds)
            ));
        }
        is_sea
    }

    /// Returns the cells at edges with the highest bed that their stages, m, put under the wet
    /// depth.
    fn wetted(&self, seeds: &[(usize, f64)]) -> Vec<(usize, f64)> {
        let wet_depth_m = self.plan.output.wet_depth_m;
        seeds.iter().map(|(cell, stage_m)| (*cell, stage_m - wet_depth_m)).collect()
    }

    /// Returns the words that the note on a sea adds if ground is dry at the start that each cell
    /// of an edge, with its own first stage, m, would put under water; empty if all is wet.
    fn dry_sea(&self, coast: &Coast<'_>, mut seeds: Vec<(usize, f64)>) -> String {
        seeds.sort_by(|a, b| a.1.total_cmp(&b.1));
        let groups: Vec<&[(usize, f64)]> =
            seeds.chunk_by(|a, b| a.1.total_cmp(&b.1).is_eq()).collect();
        let has_dry = |group: &&[(usize, f64)]| {
            let highest_m = group[0].1 - self.plan.output.wet_depth_m - self.rounding_m;
            let is_dry =
                |cell: usize| !self.was_wet[cell] && f64::from(self.bed_m[cell]) <= highest_m;
            marked(&coast.below(self.wetted(group))).any(is_dry)
        };
        if !groups.iter().any(has_dry) {
            return String::new();
        }
        let fills = match groups.as_slice() {
            [only] => format!(
                "`--stage {}m` fills them first, and all other ground below",
                short(only[0].1)
            ),
            _ => "a raster of the stages beside each edge (--initial-stage) fills them first"
                .to_owned(),
        };
        format!(
            ", and are dry at the start: the wave that fills them counts as part of the event; \
             {fills}"
        )
    }

    /// Adds flat ground at edges that water crosses, unless an inflow enters there.
    fn add_flats(
        &self,
        coast: &Coast<'_>,
        rim: &[RimCell<'_>],
        is_sea: &mut [bool],
        notes: &mut Vec<String>,
    ) {
        let rim: Vec<usize> = rim.iter().map(|rim| rim.cell).collect();
        let is_inflow = |cell: &usize| self.inflow_cells.binary_search(cell).is_ok();
        let mut flats = coast.flats(&rim);
        flats.retain(|flat| !flat.cells.iter().any(is_inflow));
        let (seas, others): (Vec<EdgeFlat>, Vec<EdgeFlat>) =
            flats.into_iter().partition(|flat| flat.is_sea && !self.plan.before.is_spread);
        // Bays of one sea are one note.
        let is_new = |flat: &&EdgeFlat| flat.cells.iter().any(|&cell| !is_sea[cell]);
        let seas: Vec<&EdgeFlat> = seas.iter().filter(is_new).collect();
        let new = seas.iter().flat_map(|flat| &flat.cells).copied().filter(|&cell| !is_sea[cell]);
        if let Some(area) = self.counted(new) {
            let mut levels: Vec<f32> = seas.iter().map(|flat| flat.level_m).collect();
            levels.sort_by(f32::total_cmp);
            let mut levels: Vec<String> =
                levels.into_iter().map(|level_m| short(f64::from(level_m))).collect();
            levels.dedup();
            notes.push(format!(
                "{area} of flat ground at {} m reach an edge and have no lower ground beside them: \
                 they count as the sea and not as flooded; --sea none counts them, --sea LEVEL \
                 names another level",
                levels.join(", ")
            ));
            seas.iter().flat_map(|flat| &flat.cells).for_each(|&cell| is_sea[cell] = true);
        }
        for EdgeFlat { level_m, cells, .. } in others {
            let new = cells.into_iter().filter(|&cell| !is_sea[cell]);
            let Some(area) = self.counted(new) else { continue };
            let level = short(f64::from(level_m));
            notes.push(format!(
                "{area} of flat ground at {level} m reach an edge and count as flooded if water \
                 covers them: if that is the sea, add --sea {level}m; --sea none leaves this note \
                 out"
            ));
        }
    }

    /// Returns the cells at edges that water crosses.
    fn rim(&self) -> Vec<RimCell<'_>> {
        let Grid { width, height, .. } = *self.grid;
        let kind = |side: MapSide, along: Option<f64>| {
            let covers =
                |(from, to): (f64, f64)| along.is_some_and(|along| (from..to).contains(&along));
            let mut edges = self.plan.edges.iter().rev().filter(|edge| edge.side == side);
            edges.find(|edge| edge.range.is_none_or(covers)).map(|edge| &edge.kind)
        };
        let rows = (0..height).flat_map(|row| {
            let at = Some(self.grid.northing(row));
            [(MapSide::West, row * width, at), (MapSide::East, row * width + width - 1, at)]
        });
        let columns = (0..width).flat_map(|column| {
            let at = Some(self.grid.easting(column));
            [(MapSide::North, column, at), (MapSide::South, (height - 1) * width + column, at)]
        });
        let nodata = (0..width * height).flat_map(|cell| {
            let (column, row) = (cell % width, cell / width);
            let beside = [
                (column > 0).then(|| cell - 1),
                (column + 1 < width).then(|| cell + 1),
                (row > 0).then(|| cell - width),
                (row + 1 < height).then(|| cell + width),
            ];
            let bare = beside.into_iter().flatten().filter(|&other| self.bed_m[other].is_nan());
            bare.map(move |other| match self.holes.binary_search(&other) {
                Ok(_) => (MapSide::Holes, cell, None),
                Err(_) => (MapSide::NoData, cell, None),
            })
        });
        let all = rows.chain(columns).chain(nodata);
        let all = all.filter(|(_, cell, _)| !self.bed_m[*cell].is_nan());
        let all = all.filter_map(|(side, cell, along)| {
            let kind = kind(side, along).filter(|kind| **kind != EdgeCondition::Wall)?;
            Some(RimCell { cell, side, kind })
        });
        all.collect()
    }

    /// Returns true for the cells that a barrier crosses.
    fn walled(&self) -> Vec<bool> {
        let mut is_walled = vec![false; self.bed_m.len()];
        let cell = (0.25 * self.grid.step_x.min(self.grid.step_y)).abs();
        for ends in self.plan.barriers.iter().flat_map(|barrier| barrier.path.windows(2)) {
            let along = [ends[1].x - ends[0].x, ends[1].y - ends[0].y];
            let pieces = (along[0].hypot(along[1]) / cell).ceil().max(1.0);
            let mut piece = 0.0;
            while piece <= pieces {
                let part = piece / pieces;
                let at = (ends[0].x + part * along[0], ends[0].y + part * along[1]);
                if let Some((column, row)) = self.grid.cell_at(at.0, at.1) {
                    is_walled[row * self.grid.width + column] = true;
                }
                piece += 1.0;
            }
        }
        is_walled
    }

    /// Returns the area of some cells in words, excluding cells that were wet at the start; `None`
    /// if no cell is left.
    fn counted(&self, cells: impl Iterator<Item = usize>) -> Option<String> {
        let cells = cells.filter(|&cell| !self.was_wet[cell]).count();
        #[expect(clippy::cast_precision_loss, reason = "cells are far below 2^53")]
        let areas = self.grid.cell_m.map(|(x, y)| area(cells as f64 * x * y));
        (cells > 0).then(|| areas.unwrap_or_else(|| format!("{cells} cells")))
    }
}

/// Returns the cells that are marked.
fn marked(marks: &[bool]) -> impl Iterator<Item = usize> {
    marks.iter().enumerate().filter(|(_, is_marked)| **is_marked).map(|(cell, _)| cell)
}
