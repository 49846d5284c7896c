//! Structures that are checked, and said in cells and vertical units.

use crate::grid::cells::CellPlace;
use crate::structure::aperture::Coefficients;
use crate::structure::barrier;
use crate::structure::{Fault, StructureError, StructureId, StructureKind};
use crate::units::{SimTime, StageRule, StageSeries, VerticalScale};
use crate::world::setup::Setup;
use crate::world::structures::{Barrier, Breach, Gap, Opening, Trigger};
use std::ops::RangeInclusive;

/// The world that a structure is put in.
pub(in crate::world) struct Frame<'a> {
    pub scale: VerticalScale,
    pub cell_width_m: f64,
    pub size: (usize, usize),
    /// Cells of the base level that are ground.
    pub is_inside: &'a dyn Fn(CellPlace) -> bool,
}

impl Barrier {
    /// What it is known by.
    #[must_use]
    pub fn id(&self) -> StructureId {
        StructureId { kind: StructureKind::Barrier, name: self.name.clone() }
    }

    /// Says what does not fit about it.
    pub(in crate::world) fn error(&self, fault: Fault) -> StructureError {
        StructureError { id: self.id(), fault }
    }

    /// Checks that its line lies on the map.
    pub(in crate::world) fn check_line(&self, frame: &Frame<'_>) -> Result<(), StructureError> {
        Asked { name: &self.name, frame }.check_path(&self.path_m)
    }

    /// Checks that no other has its name.
    pub(in crate::world) fn check_name(&self, others: &[Self]) -> Result<(), StructureError> {
        if others.iter().all(|other| other.name != self.name) {
            return Ok(());
        }
        Err(self.error(Fault::Name))
    }

    /// Checks it, and says it in cells and vertical units.
    pub(in crate::world) fn lowered(
        &self,
        frame: &Frame<'_>,
        setup: &Setup,
    ) -> Result<barrier::Barrier, StructureError> {
        let asked = Asked { name: &self.name, frame };
        asked.check_path(&self.path_m)?;
        let mut crests = self
            .crest_m
            .iter()
            .map(|&metres| asked.elevation("its crest", metres))
            .collect::<Result<Vec<_>, _>>()?;
        if crests.len() == 1 {
            crests = vec![crests[0]; self.path_m.len()];
        }
        if crests.len() != self.path_m.len() {
            let (crests, corners) = (crests.len(), self.path_m.len());
            return Err(asked.error(format!(
                "it has {crests} crests for {corners} corners: give one for each, or one for all"
            )));
        }
        asked.within("its weir coefficient", self.weir_coefficient, 0.1..=2.0)?;
        asked.within("its contraction", self.contraction, 0.1..=1.0)?;
        let gravity = setup.settings.gravity;
        #[expect(clippy::cast_possible_truncation, reason = "rounded to f32 on purpose")]
        let law = Coefficients {
            weir: (self.weir_coefficient * 2.0 / 3.0 * (2.0 * gravity).sqrt()) as f32,
            contraction: self.contraction as f32,
            gravity: gravity as f32,
        };
        let lowered = barrier::Barrier {
            corners: self.path_m.iter().map(|at| at.map(|x| x / frame.cell_width_m)).collect(),
            crests,
            gap: self.gap.as_ref().map(|gap| asked.gap(gap)).transpose()?,
            breach: self.breach.as_ref().map(|breach| asked.breach(breach, self)).transpose()?,
            dead_band: frame.scale.depth_units(1.0e-3).unwrap_or(1),
            law,
        };
        asked.check_faces(&lowered)?;
        Ok(lowered)
    }
}

/// A structure that is being checked.
struct Asked<'a> {
    name: &'a str,
    frame: &'a Frame<'a>,
}

impl Asked<'_> {
    fn error(&self, reason: String) -> StructureError {
        StructureError {
            id: StructureId { kind: StructureKind::Barrier, name: self.name.to_owned() },
            fault: Fault::Other(reason),
        }
    }

    fn elevation(&self, what: &str, metres: f64) -> Result<i32, StructureError> {
        let units = self.frame.scale.elevation(metres, self.frame.scale.exponent());
        units.map_err(|reason| self.error(format!("{what}: {reason}")))
    }

    fn within(
        &self,
        what: &str,
        value: f64,
        range: RangeInclusive<f64>,
    ) -> Result<(), StructureError> {
        if range.contains(&value) {
            return Ok(());
        }
        let (low, high) = (range.start(), range.end());
        Err(self.error(format!("{what} is {value}: choose {low} to {high}")))
    }

    /// The cell of the base level at a place, which must be ground.
    fn cell(&self, what: &str, at_m: [f64; 2]) -> Result<CellPlace, StructureError> {
        self.check_place(what, at_m)?;
        let (columns, rows) = self.frame.size;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked")]
        let cell = |x: f64, count: usize| {
            let cell = (x / self.frame.cell_width_m).floor() as u32;
            cell.min(u32::try_from(count).unwrap_or(u32::MAX).saturating_sub(1))
        };
        let place = CellPlace { x: cell(at_m[0], columns), y: cell(at_m[1], rows) };
        if (self.frame.is_inside)(place) {
            return Ok(place);
        }
        let [x, y] = at_m;
        Err(self.error(format!("{what} ({x}, {y}) m has no ground: move it onto the map's ground")))
    }

    fn check_place(&self, what: &str, at_m: [f64; 2]) -> Result<(), StructureError> {
        let (columns, rows) = self.frame.size;
        #[expect(clippy::cast_precision_loss, reason = "2²⁰ cells at most")]
        let [width, height] = [columns, rows].map(|cells| cells as f64 * self.frame.cell_width_m);
        let [x, y] = at_m;
        if (0.0..=width).contains(&x) && (0.0..=height).contains(&y) {
            return Ok(());
        }
        Err(self.error(format!(
            "{what} ({x}, {y}) m is not on the map: choose 0 to {width} m east and 0 to {height} m \
             north of its south-west corner"
        )))
    }

    fn check_path(&self, path_m: &[[f64; 2]]) -> Result<(), StructureError> {
        if self.name.is_empty() {
            return Err(self.error("it has no name: give it one".to_owned()));
        }
        if path_m.len() < 2 {
            let corners = path_m.len();
            return Err(self.error(format!("its line has {corners} corners: give it two or more")));
        }
        path_m.iter().try_for_each(|&corner| self.check_place("its corner", corner))
    }

    /// Checks that a barrier closes something, and runs over ground alone.
    fn check_faces(&self, barrier: &barrier::Barrier) -> Result<(), StructureError> {
        let (columns, rows) = self.frame.size;
        let is_on_map =
            |place: &CellPlace| (place.x as usize) < columns && (place.y as usize) < rows;
        let mut count = 0;
        for face in barrier.faces(0) {
            let CellPlace { x, y } = face.place;
            let before = match face.axis {
                0 => x.checked_sub(1).map(|x| CellPlace { x, y }),
                _ => y.checked_sub(1).map(|y| CellPlace { x, y }),
            };
            let Some(before) = before.filter(|before| is_on_map(before)) else { continue };
            if !is_on_map(&face.place) {
                continue;
            }
            count += 1;
            let beside = [before, face.place];
            if let Some(place) = beside.iter().find(|place| !(self.frame.is_inside)(**place)) {
                return Err(self.error(format!(
                    "it runs past cell {}, {}, which has no ground: end it where the ground ends",
                    place.x, place.y
                )));
            }
        }
        if count > 0 {
            return Ok(());
        }
        let width_m = self.frame.cell_width_m;
        Err(self.error(format!(
            "it closes no face between cells of {width_m} m: draw it longer, or away from the \
             map's border"
        )))
    }

    fn gap(&self, gap: &Gap) -> Result<barrier::Gap, StructureError> {
        let sill = match gap.sill_m {
            Some(metres) => Some(self.elevation("the sill of its gap", metres)?),
            None => None,
        };
        let opening = match &gap.opening {
            Opening::Fixed(metres) => self.opening(&[(0.0, *metres)])?,
            Opening::Series(points) => self.opening(points)?,
            Opening::Rule { at_m, points } => {
                let place = self.cell("the place its rule looks at", *at_m)?;
                let point = |&(stage_m, open_m): &(f64, f64)| {
                    Ok((self.elevation("a stage of its rule", stage_m)?, self.open(open_m)?))
                };
                let points = points.iter().map(point).collect::<Result<_, _>>()?;
                let unsorted =
                    || self.error("the stages of its rule are not in order: sort them".to_owned());
                barrier::Opening::Rule(place, StageRule::new(points).ok_or_else(unsorted)?)
            }
        };
        Ok(barrier::Gap { sill, opening })
    }

    fn open(&self, metres: f64) -> Result<i32, StructureError> {
        self.within("the opening of its gap, m,", metres, 0.0..=1000.0)?;
        Ok(self.frame.scale.depth_units(metres).unwrap_or(0))
    }

    fn opening(&self, points: &[(f64, f64)]) -> Result<barrier::Opening, StructureError> {
        self.series("the openings of its gap", points, |metres| self.open(metres))
            .map(barrier::Opening::Series)
    }

    fn time(&self, seconds: f64) -> Result<SimTime, StructureError> {
        self.within("a time, s,", seconds, 0.0..=1.6e7)?;
        Ok(SimTime::from_seconds(seconds))
    }

    fn series(
        &self,
        what: &str,
        points: &[(f64, f64)],
        units: impl Fn(f64) -> Result<i32, StructureError>,
    ) -> Result<StageSeries, StructureError> {
        let point = |&(seconds, value): &(f64, f64)| Ok((self.time(seconds)?, units(value)?));
        let points = points.iter().map(point).collect::<Result<_, _>>()?;
        StageSeries::new(points).ok_or_else(|| {
            self.error(format!("{what} are none, or not in order of time: sort them"))
        })
    }

    fn breach(&self, breach: &Breach, of: &Barrier) -> Result<barrier::Breach, StructureError> {
        let length = |pair: &[[f64; 2]]| {
            let [dx, dy] = [0, 1].map(|i| pair[1][i] - pair[0][i]);
            (dx * dx + dy * dy).sqrt()
        };
        let length_m: f64 = of.path_m.windows(2).map(length).sum();
        self.within("the middle of its breach, m along it,", breach.along_m, 0.0..=length_m)?;
        let per_cell = 1.0 / self.frame.cell_width_m;
        let trigger = match breach.trigger {
            Trigger::Time(seconds) => barrier::Trigger::At(self.time(seconds)?),
            Trigger::Stage { at_m, stage_m } => barrier::Trigger::Stage(
                self.cell("the place that sets off its breach", at_m)?,
                self.elevation("the stage that sets off its breach", stage_m)?,
            ),
        };
        let width = |metres: f64| {
            self.within("the width of its breach, m,", metres, 0.0..=1.0e5)?;
            #[expect(clippy::cast_possible_truncation, reason = "10⁵ m of cells of 1 cm or more")]
            Ok((metres * per_cell * 1024.0).round().min(f64::from(i32::MAX)) as i32)
        };
        Ok(barrier::Breach {
            middle: breach.along_m * per_cell,
            trigger,
            width: self.series("the widths of its breach", &breach.width_m, width)?,
            bottom: self.series("the bottoms of its breach", &breach.bottom_m, |metres| {
                self.elevation("the bottom of its breach", metres)
            })?,
        })
    }
}
