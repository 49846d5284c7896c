//! Water before the event on the ground of a run: at the start, the sea, permanent water.
//!
//! ```text
//! sea auto    ground below the first stage of an edge whose stage changes, joined to that edge;
//!             flat ground at an edge that water crosses (outcome::before::Coast)
//! sea LEVEL   ground at or below the level, joined to an edge that water crosses
//! ```
//!
//! An edge whose stage never changes is the event itself: there the sea before is not known.
//!
//! Limits: cells that a barrier crosses end the sea, whatever its crest.

use rasters::Grid;
use scenario::before::SeaLevel;
use scenario::build::index_of;
use scenario::place::{Place, Side};
use scenario::plan::{EdgeKind, Plan};
use thalweg::grid::cells::CellPlace;

use crate::outcome::Before;
use crate::outcome::before::Coast;
use crate::output::wording::area;

/// Ground of a run, as its maps show it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Site<'a> {
    pub plan: &'a Plan,
    pub grid: &'a Grid,
    /// Bed elevation, m.
    pub bed_m: &'a [f32],
    /// Cells of the maps in which an inflow enters, rising.
    pub inflow_cells: &'a [usize],
}

/// A cell at an edge that water crosses, and the condition there.
struct Rim<'a> {
    cell: usize,
    side: Side,
    kind: &'a EdgeKind,
}

/// The cells of the maps in which inflows enter, rising: those under each simulated cell.
pub(super) fn inflow_cells(plan: &Plan, grid: &Grid, inflows: &[Vec<CellPlace>]) -> Vec<usize> {
    let (level, height) = (plan.map.level, grid.height);
    let along = |v: u32| (v << level)..((v + 1) << level);
    let below = |place: &CellPlace| {
        let (columns, rows) = (along(place.x), along(place.y));
        rows.flat_map(move |y| columns.clone().map(move |x| CellPlace { x, y }))
    };
    let places = inflows.iter().flatten().flat_map(below);
    let mut cells: Vec<usize> = places.map(|place| index_of(place, grid.width, height)).collect();
    cells.sort_unstable();
    cells.dedup();
    cells
}

impl Site<'_> {
    /// State of each cell before the event, of the cells that were wet at the start and the ground
    /// below, and a sentence for each choice.
    pub fn before(&self, was_wet: &[bool]) -> (Vec<Before>, Vec<String>) {
        let mut notes = Vec::new();
        let is_sea = self.sea(&mut notes);
        let is_permanent = self.permanent();
        let state = |cell: usize| match cell {
            _ if self.bed_m[cell].is_nan() => Before::Dry,
            _ if was_wet[cell] => Before::Start,
            _ if is_sea[cell] => Before::Sea,
            _ if is_permanent(cell) => Before::Permanent,
            _ => Before::Dry,
        };
        let before: Vec<Before> = (0..self.bed_m.len()).map(state).collect();
        notes.extend(self.dry_rivers(&before));
        (before, notes)
    }

    /// True for cells of the raster of permanent water.
    fn permanent(&self) -> impl Fn(usize) -> bool {
        let width = self.grid.width;
        move |cell| {
            let field = self.plan.before.permanent.as_ref();
            let (x, y) = (self.grid.easting(cell % width), self.grid.northing(cell / width));
            field.and_then(|field| field.at(x, y)).is_some_and(|part| part >= 0.5)
        }
    }

    /// A note for inflows into ground that was dry: the river's bed counts as flooded.
    fn dry_rivers(&self, before: &[Before]) -> Option<String> {
        let is_dry = |at: &scenario::place::Point| {
            let cell = self.grid.cell_at(at.x, at.y);
            cell.is_some_and(|(column, row)| before[row * self.grid.width + column] == Before::Dry)
        };
        let rivers = self.plan.inflows.iter();
        let names = rivers.filter_map(|inflow| match &inflow.place {
            Place::At(at) if is_dry(at) => Some(format!("`{}`", inflow.name)),
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

    /// True for the cells of the sea.
    fn sea(&self, notes: &mut Vec<String>) -> Vec<bool> {
        let size = (self.grid.width, self.grid.height);
        let is_walled = self.walled();
        let coast = Coast { size, bed_m: self.bed_m, is_walled: &is_walled };
        let rim = self.rim();
        match self.plan.before.sea {
            SeaLevel::None => vec![false; self.bed_m.len()],
            SeaLevel::At(level_m) => {
                let is_sea = coast.below(rim.iter().map(|rim| (rim.cell, level_m)).collect());
                notes.push(match is_sea.contains(&true) {
                    true => format!(
                        "{} at or below {level_m} m, joined to an edge, count as the sea and not \
                         as flooded (--sea)",
                        self.words(count(&is_sea))
                    ),
                    false => format!(
                        "no ground at or below {level_m} m reaches an edge that water crosses: \
                         there is no sea (--sea)"
                    ),
                });
                is_sea
            }
            SeaLevel::Auto => {
                let mut is_sea = self.tidal(&coast, &rim, notes);
                self.add_flats(&coast, &rim, &mut is_sea, notes);
                is_sea
            }
        }
    }

    /// Ground below the stages with which tides begin.
    fn tidal(&self, coast: &Coast<'_>, rim: &[Rim<'_>], notes: &mut Vec<String>) -> Vec<bool> {
        let (mut seeds, mut first, mut constant) = (Vec::new(), Vec::new(), Vec::new());
        for Rim { cell, side, kind } in rim {
            let EdgeKind::Stage(series) = kind else { continue };
            let Some(&(_, stage_m)) = series.points.first() else { continue };
            let is_moving = series.points.iter().any(|(_, other)| (other - stage_m).abs() > 0.0);
            let named = if is_moving { &mut first } else { &mut constant };
            if !named.contains(&(*side, stage_m)) {
                named.push((*side, stage_m));
            }
            if is_moving {
                seeds.push((*cell, stage_m - self.plan.output.wet_depth_m));
            }
        }
        let is_sea = coast.below(seeds);
        for (side, stage_m) in constant {
            notes.push(format!(
                "the stage at the {side} edge is {stage_m} m throughout: all the dry ground that \
                 it reaches counts as flooded; --sea LEVEL names the sea that was there before"
            ));
        }
        if is_sea.contains(&true) {
            let stages = first.iter().map(|(side, stage_m)| format!("{stage_m} m ({side})"));
            notes.push(format!(
                "{} below the stage with which the tide begins, {}, count as the sea and not as \
                 flooded; --sea none counts them, --sea LEVEL names another level",
                self.words(count(&is_sea)),
                stages.collect::<Vec<_>>().join(", ")
            ));
        }
        is_sea
    }

    /// Adds flat ground at edges that water crosses, unless an inflow enters there.
    fn add_flats(
        &self,
        coast: &Coast<'_>,
        rim: &[Rim<'_>],
        is_sea: &mut [bool],
        notes: &mut Vec<String>,
    ) {
        let rim: Vec<usize> = rim.iter().map(|rim| rim.cell).collect();
        for flat in coast.flats(&rim) {
            let is_inflow = |cell: &usize| self.inflow_cells.binary_search(cell).is_ok();
            if flat.cells.iter().any(is_inflow) || flat.cells.iter().all(|&cell| is_sea[cell]) {
                continue;
            }
            flat.cells.iter().for_each(|&cell| is_sea[cell] = true);
            notes.push(format!(
                "{} of flat ground at {} m reach an edge and have no lower ground beside them: \
                 they count as the sea and not as flooded; --sea none counts them, --sea LEVEL \
                 names another level",
                self.words(flat.cells.len()),
                flat.level_m
            ));
        }
    }

    /// The cells at edges that water crosses.
    fn rim(&self) -> Vec<Rim<'_>> {
        let Grid { width, height, .. } = *self.grid;
        let kind = |side: Side, along: Option<f64>| {
            let covers =
                |(from, to): (f64, f64)| along.is_some_and(|along| (from..to).contains(&along));
            let mut edges = self.plan.edges.iter().rev().filter(|edge| edge.side == side);
            edges.find(|edge| edge.range.is_none_or(covers)).map(|edge| &edge.kind)
        };
        let rows = (0..height).flat_map(|row| {
            let at = Some(self.grid.northing(row));
            [(Side::West, row * width, at), (Side::East, row * width + width - 1, at)]
        });
        let columns = (0..width).flat_map(|column| {
            let at = Some(self.grid.easting(column));
            [(Side::North, column, at), (Side::South, (height - 1) * width + column, at)]
        });
        let beside_nodata = (0..width * height).filter(|&cell| {
            let (column, row) = (cell % width, cell / width);
            (column > 0 && self.bed_m[cell - 1].is_nan())
                || (column + 1 < width && self.bed_m[cell + 1].is_nan())
                || (row > 0 && self.bed_m[cell - width].is_nan())
                || (row + 1 < height && self.bed_m[cell + width].is_nan())
        });
        let nodata = beside_nodata.map(|cell| (Side::NoData, cell, None));
        let all = rows.chain(columns).chain(nodata);
        let all = all.filter(|(_, cell, _)| !self.bed_m[*cell].is_nan());
        let all = all.filter_map(|(side, cell, along)| {
            let kind = kind(side, along).filter(|kind| **kind != EdgeKind::Wall)?;
            Some(Rim { cell, side, kind })
        });
        all.collect()
    }

    /// True for the cells that a barrier crosses.
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

    /// An area in words.
    fn words(&self, cells: usize) -> String {
        #[expect(clippy::cast_precision_loss, reason = "cells are far below 2^53")]
        let areas = self.grid.cell_m.map(|(x, y)| area(cells as f64 * x * y));
        areas.unwrap_or_else(|| format!("{cells} cells"))
    }
}

fn count(marks: &[bool]) -> usize {
    marks.iter().filter(|is_marked| **is_marked).count()
}
