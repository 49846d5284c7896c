//! Levees, weirs, gates and bridge decks: from the map's coordinates to the engine's metres.
//!
//! Guarantees: names are unique, places are on the map and lines at least in part, each gap has one
//!             opening and each breach one trigger and one way to grow.
//! Limits:     whether a line crosses NoData is checked later, with the ground.

use std::cell::RefCell;
use std::collections::HashSet;

use kit::error::UserError;
use kit::words::short;
use rasters::Grid;
use thalweg::structure::{BREACH_TIME, Fault, Number, Opening, Trigger, crossings_on};
use thalweg::world;

use super::super::barrier as file;
use super::super::place::MapPoint;
use super::super::series::{Series, SeriesShape};
use super::forcing::name_of;
use super::map::{MapPlan, bounds, reaches};
use crate::quantity::{Metres, Quantity, ValueOrFile};

/// Default time that a breach takes to grow, s.
const BREACH_TIME_S: f64 = 1800.0;
/// Time that a breach takes to grow, s.
const OVER: Number = Number { key: "breach.over", least: 1.0, ..BREACH_TIME };
/// Water behind a breach, m³.
const VOLUME: Number = Number::new(("breach.volume", "the volume behind it"), [1.0, 1.0e12], " m³");

/// A barrier.
#[derive(Debug, Clone, PartialEq)]
pub struct BarrierPlan {
    /// Corners of its line in the map's coordinates.
    pub path: Vec<MapPoint>,
    /// Places where it reads the stage, in the map's coordinates, by key.
    pub looks: Vec<(&'static str, MapPoint)>,
    /// Barrier for the engine.
    pub asked: world::Barrier,
    /// The table of the gap's openings, if it has one.
    pub(super) openings: Option<Series>,
}

impl BarrierPlan {
    /// Returns the name of the barrier.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.asked.name
    }

    /// Sets the gap's openings from the current times of their table.
    pub(super) fn take_openings(&mut self) {
        if let (Some(gap), Some(table)) = (&mut self.asked.gap, &self.openings) {
            gap.opening = Opening::Series(table.points.clone());
        }
    }

    /// Returns the kind of the barrier, in words.
    pub(super) fn words(&self) -> String {
        self.asked.words(kit::words::time)
    }
}

pub(super) fn resolve(
    barriers: &[file::BarrierTable],
    map: &MapPlan,
    notes: &mut Vec<String>,
) -> Result<Vec<BarrierPlan>, UserError> {
    let (mut found, mut taken) = (Vec::new(), HashSet::new());
    for (index, barrier) in barriers.iter().enumerate() {
        let name = name_of(barrier.name.as_deref(), "barrier", index, barriers.len());
        if name.is_empty() || !taken.insert(name.clone()) {
            return Err(UserError::new(
                format!("two barriers are called `{name}`, or one has an empty name"),
                "give each a `name` of its own",
            ));
        }
        let asked = BarrierRequest { name: &name, map, notes: RefCell::default() };
        found.push(asked.barrier(barrier)?);
        notes.append(&mut asked.notes.into_inner());
    }
    Ok(found)
}

/// A barrier that is being checked.
struct BarrierRequest<'a> {
    name: &'a str,
    map: &'a MapPlan,
    /// Assumptions about the tables of the breach.
    notes: RefCell<Vec<String>>,
}

impl BarrierRequest<'_> {
    fn wrong(&self, what: impl std::fmt::Display, mend: impl std::fmt::Display) -> UserError {
        UserError::new(format!("barrier `{}`: {what}", self.name), mend)
    }

    fn barrier(&self, barrier: &file::BarrierTable) -> Result<BarrierPlan, UserError> {
        let corners = barrier.path.len();
        if corners < 2 {
            return Err(self.wrong(
                format!("its `path` has {corners} corners"),
                "give two or more, [[x, y], [x, y]]",
            ));
        }
        let path_m = self.path_m(&barrier.path)?;
        let crest_m: Vec<f64> = barrier.crest.0.iter().map(|crest| crest.si()).collect();
        if crest_m.len() != 1 && crest_m.len() != corners {
            let crests = crest_m.len();
            return Err(self.wrong(
                format!("its `crest` has {crests} elevations for {corners} corners"),
                "give one for all, or one for each corner of `path`",
            ));
        }
        let mut asked = world::Barrier::wall(self.name, path_m, 0.0);
        asked.crest_m = crest_m;
        asked.weir_coefficient = barrier.weir_coefficient.unwrap_or(asked.weir_coefficient);
        asked.contraction = barrier.contraction.unwrap_or(asked.contraction);
        let gap = barrier.gap.as_ref().map(|gap| self.gap(gap)).transpose()?;
        let (gap, openings) = gap.unzip();
        asked.gap = gap;
        let breach = barrier.breach.as_ref().map(|breach| self.breach(breach, &asked));
        asked.breach = breach.transpose()?;
        asked.check().map_err(|fault| self.refused(&fault))?;
        let point = |[x, y]: [f64; 2]| MapPoint { x, y };
        let path = barrier.path.iter().copied().map(point).collect();
        let gate = barrier.gap.as_ref().and_then(|gap| gap.at).map(|at| ("gap.at", point(at)));
        let trigger = barrier.breach.as_ref().and_then(|breach| breach.at);
        let trigger = trigger.map(|at| ("breach.at", point(at)));
        Ok(BarrierPlan {
            path,
            looks: gate.into_iter().chain(trigger).collect(),
            asked,
            openings: openings.flatten(),
        })
    }

    /// Returns the corners of its line, metres from the map's south-west corner. Refuses a line
    /// that closes no face on the map, or reaches further beyond it than the map is wide or high.
    fn path_m(&self, path: &[[f64; 2]]) -> Result<Vec<[f64; 2]>, UserError> {
        let (west, east, south, north) = bounds(&self.map.world);
        let (wide, high) = (east - west, north - south);
        let (near_x, near_y) = (west - wide..=east + wide, south - high..=north + high);
        if let Some(far) = path.iter().find(|[x, y]| !(near_x.contains(x) && near_y.contains(y))) {
            return Err(self.outside("path", *far));
        }
        let path_m: Vec<[f64; 2]> =
            path.iter().map(|at| metres_from(&self.map.drawn(), *at)).collect();
        self.check_length(path, &path_m)?;
        let size_m = metres_from(&self.map.drawn(), [east, north]);
        let reach_m = path_m.iter().flat_map(|&[x, y]| [-x, x - size_m[0], -y, y - size_m[1]]);
        let reach_m = reach_m.fold(0.0, f64::max);
        if reach_m > self.map.world_cell_m() {
            let (name, reach) = (self.name, short(reach_m.round()));
            self.notes.borrow_mut().push(format!(
                "barrier `{name}` reaches {reach} m beyond the simulated ground, where it \
                 closes nothing"
            ));
        }
        Ok(path_m)
    }

    /// Refuses a line that crosses no line between two centres of cells.
    fn check_length(&self, path: &[[f64; 2]], path_m: &[[f64; 2]]) -> Result<(), UserError> {
        let [x, y] = path_m[0];
        if path_m.iter().all(|corner| (corner[0] - x).hypot(corner[1] - y) <= 0.0) {
            return Err(self.wrong(
                "all corners of its `path` are one place",
                "give two or more places, from one end of the barrier to the other",
            ));
        }
        let (cell_m, Grid { width, height, .. }) = (self.map.world_cell_m(), &self.map.world);
        let size = [*width, *height].map(|cells| u32::try_from(cells).unwrap_or(u32::MAX));
        let in_cells: Vec<[f64; 2]> =
            path_m.iter().map(|corner| corner.map(|metres| metres / cell_m)).collect();
        if [0, self.map.level].into_iter().any(|up| !crossings_on(&in_cells, up, size).is_empty()) {
            return Ok(());
        }
        if path.iter().all(|&[x, y]| !reaches(&self.map.world, MapPoint { x, y })) {
            return Err(self.outside("path", path[0]));
        }
        let width_m = short(self.map.cell_m());
        Err(self.wrong(
            format!("its `path` closes no face between cells of {width_m} m"),
            "draw it longer, or away from the map's border, or simulate smaller cells with \
             --quality or --cell-size",
        ))
    }

    fn within(&self, number: Number, value: f64) -> Result<f64, UserError> {
        number.check(value).map_err(|fault| self.refused(&fault))
    }

    /// Returns the engine's reason to refuse the barrier, in the words of a scenario.
    fn refused(&self, fault: &Fault) -> UserError {
        super::links::refused(("barrier", self.name), fault)
    }

    /// Returns metres from the map's south-west corner.
    fn place(&self, key: &str, [x, y]: [f64; 2]) -> Result<[f64; 2], UserError> {
        match reaches(&self.map.world, MapPoint { x, y }) {
            true => Ok(metres_from_corner(&self.map.drawn(), [x, y])),
            false => Err(self.outside(key, [x, y])),
        }
    }

    /// Returns the error of a place outside the map.
    fn outside(&self, key: &str, [x, y]: [f64; 2]) -> UserError {
        let at = MapPoint { x, y };
        let (place, mend) = self.map.outside(|grid| reaches(grid, at));
        self.wrong(format!("its `{key}` at {at} is outside {place}"), mend)
    }

    /// Returns the gap, and the table of its openings.
    fn gap(&self, gap: &file::GapTable) -> Result<(world::Gap, Option<Series>), UserError> {
        let mut openings = None;
        let opening = match (&gap.opening, &gap.rule, gap.at) {
            (Some(opening), None, None) => match opening {
                ValueOrFile::Value(open) => Opening::Fixed(open.si()),
                ValueOrFile::File(path) => {
                    let table =
                        Series::read::<Metres>(path, "table of openings", SeriesShape::Lines)?;
                    Opening::Series(openings.insert(table).points.clone())
                }
            },
            (None, Some(rule), Some(at)) => self.rule(rule, at)?,
            (None, Some(_), None) => {
                return Err(self.wrong(
                    "its `gap.rule` looks nowhere",
                    "say with `gap.at` = [x, y] where the stage is looked at",
                ));
            }
            _ => {
                return Err(self.wrong(
                    "its `gap` needs one way to open",
                    "give `opening`, or `rule` and `at`, and not both",
                ));
            }
        };
        Ok((world::Gap { sill_m: gap.sill.map(Quantity::si), opening }, openings))
    }

    fn rule(&self, rule: &[[Metres; 2]], at: [f64; 2]) -> Result<Opening, UserError> {
        let points: Vec<(f64, f64)> =
            rule.iter().map(|[stage, open]| (stage.si(), open.si())).collect();
        if points.is_empty() || points.windows(2).any(|pair| pair[1].0 <= pair[0].0) {
            return Err(self.wrong(
                "the stages of its `gap.rule` do not rise",
                "write [[stage, opening], …], lowest stage first",
            ));
        }
        Ok(Opening::Rule { at_m: self.place("gap.at", at)?, points })
    }

    fn breach(
        &self,
        breach: &file::BreachTable,
        of: &world::Barrier,
    ) -> Result<world::Breach, UserError> {
        let along_m = breach.along.map_or(0.5 * of.length_m(), Quantity::si);
        let trigger = match (breach.time, breach.stage, breach.at) {
            (Some(time), None, None) => Trigger::Time(time.si()),
            (None, Some(stage), Some(at)) => {
                Trigger::Stage { at_m: self.place("breach.at", at)?, stage_m: stage.si() }
            }
            _ => {
                return Err(self.wrong(
                    "its `breach` needs one trigger",
                    "give `time`, or `stage` and the place `at` which it is looked at",
                ));
            }
        };
        let crest_m = of.crest_m.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if let ValueOrFile::Value(bottom) = &breach.bottom
            && bottom.si() >= crest_m
        {
            return Err(self.wrong(
                format!("its `breach.bottom` is {} m, not below the crest", short(bottom.si())),
                "give the elevation down to which the barrier goes",
            ));
        }
        if let Some(volume) = breach.volume {
            return self.by_volume(breach, volume, (along_m, trigger), crest_m);
        }
        let Some(width) = &breach.width else {
            return Err(self.wrong(
                "its `breach` has no `width`",
                "give `width`, or the `volume` in m3 of the water behind it",
            ));
        };
        let over_s = breach.over.map_or(BREACH_TIME_S, Quantity::si);
        let over_s = self.within(OVER, over_s)?;
        let width_m = self.grown("breach.width", width, (0.0, over_s))?;
        let bottom_m = self.grown("breach.bottom", &breach.bottom, (crest_m, over_s))?;
        Ok(world::Breach { along_m, trigger, width_m, bottom_m })
    }

    /// Returns the course of a width or bottom in m, from a value on and for a number of seconds,
    /// or by a table.
    fn grown(
        &self,
        key: &str,
        given: &ValueOrFile<Metres>,
        (from_m, over_s): (f64, f64),
    ) -> Result<Vec<(f64, f64)>, UserError> {
        match given {
            ValueOrFile::Value(last) => Ok(vec![(0.0, from_m), (over_s, last.si())]),
            ValueOrFile::File(path) => {
                let kind = format!("`{key}` table");
                let mut series = Series::read::<Metres>(path, &kind, SeriesShape::Lines)?;
                self.notes.borrow_mut().append(&mut series.notes);
                Ok(series.points)
            }
        }
    }

    /// Returns a breach for its height and the water behind it, as observed at embankments.
    fn by_volume(
        &self,
        breach: &file::BreachTable,
        volume_m3: f64,
        (along_m, trigger): (f64, Trigger),
        crest_m: f64,
    ) -> Result<world::Breach, UserError> {
        let (ValueOrFile::Value(bottom), None, None) = (&breach.bottom, &breach.width, breach.over)
        else {
            return Err(self.wrong(
                "its `breach` grows by its `volume` and by something else",
                "leave `width`, `over` and tables out, or the volume",
            ));
        };
        let volume_m3 = self.within(VOLUME, volume_m3)?;
        let height_m = crest_m - bottom.si();
        Ok(world::Breach::of_embankment(along_m, trigger, (crest_m, height_m), volume_m3))
    }
}

/// Returns metres from the south-west corner of `grid`; a place beyond the simulated area is at its
/// border.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
pub(super) fn metres_from_corner(grid: &Grid, at: [f64; 2]) -> [f64; 2] {
    let (cell_x, cell_y) = grid.cell_m.unwrap_or((grid.step_x, grid.step_y));
    let most = [grid.width as f64 * cell_x, grid.height as f64 * cell_y];
    let metres = metres_from(grid, at);
    [metres[0].clamp(0.0, most[0]), metres[1].clamp(0.0, most[1])]
}

/// Returns metres from the south-west corner of `grid` to a place on it or beyond.
fn metres_from(grid: &Grid, [x, y]: [f64; 2]) -> [f64; 2] {
    let (west, _, south, _) = bounds(grid);
    let (cell_x, cell_y) = grid.cell_m.unwrap_or((grid.step_x, grid.step_y));
    [(x - west) / grid.step_x * cell_x, (y - south) / grid.step_y * cell_y]
}

#[cfg(test)]
mod tests {
    use super::*;
    use rasters::HorizontalUnit;

    #[test]
    fn places_are_metres_from_the_south_west_corner() {
        let degrees = Grid {
            width: 100,
            height: 50,
            west: 8.0,
            north: 47.0,
            step_x: 0.002,
            step_y: 0.001,
            cell_m: Some((20.0, 20.0)),
            unit: HorizontalUnit::Degree,
            crs: None,
        };
        let cases = [
            ([8.0, 46.95], [0.0, 0.0]),
            ([8.1, 46.96], [1000.0, 200.0]),
            ([8.2, 47.0], [2000.0, 1000.0]),
            ([9.0, 46.0], [2000.0, 0.0]), // beyond: at the rim
        ];
        for (at, expected) in cases {
            let got = metres_from_corner(&degrees, at);
            let is_near = got.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1.0e-6);
            assert!(is_near, "{at:?}: {got:?}, expected {expected:?}");
        }
    }
}
