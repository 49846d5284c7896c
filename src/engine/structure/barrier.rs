//! A line that closes faces: levee, weir, sluice gate or bridge deck, and a breach in it.
//!
//! A barrier has no thickness: each face that it closes passes water over its crest, which may rise
//! and fall along the line, and through a gap, which may open and shut. A breach lowers the crest
//! over a part of the line that grows with time. Each face represents its share of the line, so
//! water over an oblique levee crosses the levee's true length, not that of the staircase of faces.
//!
//! Limits:     a gap is as wide as its barrier: draw a gate as a second barrier over the levee.
//! Source:     growth of a breach in a straight line: Froehlich (2008), J. Hydraul. Eng. 134.

use crate::grid::Axis;
use crate::grid::cells::CellPlace;
use crate::structure::aperture::{self, Coefficients};
use crate::structure::error::{Fault, Number, StructureError, StructureId, StructureKind};
use crate::structure::frame::StructureFrame;
use crate::structure::path::crossings_on;
use crate::units::plain::short;
use crate::units::rate::SERIES_SECONDS_MOST;
use crate::units::{SimTime, StageRule, StageSeries};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Coefficient of discharge over a crest.
pub const WEIR: Number = Number::new(("weir_coefficient", "its weir coefficient"), [0.1, 2.0], "");

/// Coefficient of contraction behind a gap.
pub const CONTRACTION: Number = Number::new(("contraction", "its contraction"), [0.1, 1.0], "");

/// Height by which a gap is open, m.
pub const OPENING: Number =
    Number::new(("gap.opening", "the opening of its gap, m,"), [0.0, 1000.0], "");

/// A time of a gap or a breach, s.
pub const TIME: Number = Number::new(("breach.time", "a time, s,"), [0.0, SERIES_SECONDS_MOST], "");

/// Width of a breach, m.
pub const WIDTH: Number =
    Number::new(("breach.width", "the width of its breach, m,"), [0.0, 1.0e5], "");

/// Position of the middle of a breach, m; the most is the length of its barrier.
const ALONG: Number =
    Number::new(("breach.along", "the middle of its breach, m along it,"), [0.0, 0.0], "");

/// A line that water passes only over its crest, through its gap or through its breach.
///
/// A levee and a weir have a crest; a sluice gate has a gap that opens and shuts, and a crest at
/// the top of its leaf; a bridge deck has a gap up to its underside, and its top as crest. If two
/// barriers share a face the later one replaces the earlier, so a gate is drawn over its levee.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Barrier {
    /// Name of the barrier; no two barriers share one.
    pub name: String,
    /// Corners of the line: metres from the map's south-west corner. A line may begin and end
    /// beyond the map, where it closes nothing.
    #[serde(alias = "path-m")]
    pub path_m: Vec<[f64; 2]>,
    /// Elevation of the crest at each corner, m, or one for all.
    #[serde(alias = "crest-m")]
    pub crest_m: Vec<f64>,
    /// Gap of the barrier.
    #[serde(default)]
    pub gap: Option<Gap>,
    /// Breach of the barrier.
    #[serde(default)]
    pub breach: Option<Breach>,
    /// Coefficient of discharge `C_d` over the crest: 0.62 for a sharp crest, 0.58 for a broad one.
    #[serde(alias = "weir-coefficient", default = "sharp")]
    pub weir_coefficient: f64,
    /// Coefficient of contraction `C_c` behind the gap.
    #[serde(default = "contracted")]
    pub contraction: f64,
}

fn sharp() -> f64 {
    aperture::SHARP
}

fn contracted() -> f64 {
    aperture::CONTRACTION
}

/// A gap in a barrier, as long as the barrier.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Gap {
    /// Elevation of the bottom, m; the ground if that is higher, or if this is `None`.
    #[serde(alias = "sill-m", default)]
    pub sill_m: Option<f64>,
    /// Height of the top above the bottom.
    pub opening: Opening,
}

/// Height by which a gap is open, m.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Opening {
    /// A constant opening.
    #[serde(rename = "fixed_m", alias = "fixed")]
    Fixed(f64),
    /// An opening over time: seconds and metres, linear between the points.
    Series(Vec<(f64, f64)>),
    /// An opening by the stage at a place: elevations and metres, linear between the points. The
    /// gap moves if the rule differs by more than a millimetre, or if it is to shut; it is shut
    /// while the place is dry.
    Rule {
        /// Place at which the stage is read, metres from the map's south-west corner.
        #[serde(alias = "at-m")]
        at_m: [f64; 2],
        /// Elevations of the stage and openings.
        points: Vec<(f64, f64)>,
    },
}

/// A part of a barrier that fails: its middle, and its growth from the beginning of the breach.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Breach {
    /// Distance of the middle from the beginning of the line, m.
    #[serde(alias = "along-m")]
    pub along_m: f64,
    /// Trigger of the breach.
    pub trigger: Trigger,
    /// Seconds since the breach began and its width, m; linear between the points.
    #[serde(alias = "width-m")]
    pub width_m: Vec<(f64, f64)>,
    /// Seconds since the breach began and the elevation of its bottom, m.
    #[serde(alias = "bottom-m")]
    pub bottom_m: Vec<(f64, f64)>,
}

/// Trigger of a breach.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Trigger {
    /// A time, s.
    #[serde(rename = "time_s", alias = "time")]
    Time(f64),
    /// A stage at a place.
    Stage {
        /// The place, metres from the map's south-west corner.
        #[serde(alias = "at-m")]
        at_m: [f64; 2],
        /// Elevation of the stage, m.
        #[serde(alias = "stage-m")]
        stage_m: f64,
    },
}

impl Breach {
    /// Returns a breach of an embankment of `height_m` from `crest_m` down, with `volume_m3` of
    /// water behind it, that grows as observed breaches did: to its final mean width in its time of
    /// formation, both rounded.
    ///
    /// Source: Froehlich (2008), J. Hydraul. Eng. 134, for overtopping:
    /// `B = 0.27·1.3·V^0.32·h^0.04`, `t = 63.2 √(V/(g h²))`.
    #[must_use]
    pub fn of_embankment(
        along_m: f64,
        trigger: Trigger,
        (crest_m, height_m): (f64, f64),
        volume_m3: f64,
    ) -> Self {
        let centimetres = |metres: f64| (metres * 100.0).round() / 100.0;
        // 0.351 = 0.27 · 1.3, the factor of overtopping.
        let width_m = centimetres(0.351 * volume_m3.powf(0.32) * height_m.powf(0.04));
        let time_s = (63.2 * (volume_m3 / (9.81 * height_m * height_m)).sqrt()).round().max(1.0);
        Self {
            along_m,
            trigger,
            width_m: vec![(0.0, 0.0), (time_s, width_m)],
            bottom_m: vec![(0.0, crest_m), (time_s, centimetres(crest_m - height_m))],
        }
    }
}

impl Barrier {
    /// Creates a wall with a level crest.
    #[must_use]
    pub fn wall(
        name: &str,
        path_m: impl IntoIterator<Item = impl Into<[f64; 2]>>,
        crest_m: f64,
    ) -> Self {
        Self {
            name: name.to_owned(),
            path_m: path_m.into_iter().map(Into::into).collect(),
            crest_m: vec![crest_m],
            gap: None,
            breach: None,
            weir_coefficient: sharp(),
            contraction: contracted(),
        }
    }

    /// Returns the identity of the barrier.
    #[must_use]
    pub fn id(&self) -> StructureId {
        StructureId { kind: StructureKind::Barrier, name: self.name.clone() }
    }

    /// Returns the error for a fault of the barrier.
    #[must_use]
    pub fn error(&self, fault: Fault) -> StructureError {
        StructureKind::Barrier.error(&self.name, fault)
    }

    /// Returns the length of the line, m.
    #[must_use]
    pub fn length_m(&self) -> f64 {
        let length = |pair: &[[f64; 2]]| {
            let [dx, dy] = [0, 1].map(|i| pair[1][i] - pair[0][i]);
            (dx * dx + dy * dy).sqrt()
        };
        self.path_m.windows(2).map(length).sum()
    }

    /// Returns the lowest and highest elevation of the crest, m.
    #[must_use]
    pub fn crest_range_m(&self) -> [f64; 2] {
        let crests = || self.crest_m.iter().copied();
        [crests().fold(f64::INFINITY, f64::min), crests().fold(f64::NEG_INFINITY, f64::max)]
    }

    /// Describes the barrier in words; `time` puts a number of seconds into words.
    pub fn words(&self, time: impl Fn(f64) -> String) -> String {
        let [low, high] = self.crest_range_m();
        let crest = if low < high { format!("{low} to {high}") } else { short(low) };
        let mut words = format!("{:.0} m long, crest at {crest} m", self.length_m());
        if let Some(gap) = &self.gap {
            words += &match &gap.opening {
                Opening::Fixed(open) => format!(", a gap of {} m", short(*open)),
                Opening::Series(points) => format!(", a gap over time ({} rows)", points.len()),
                Opening::Rule { points, .. } => {
                    format!(", a gap by rule ({} points)", points.len())
                }
            };
        }
        if let Some(breach) = &self.breach {
            words += &match breach.trigger {
                Trigger::Time(seconds) => format!(", breaches at {}", time(seconds)),
                Trigger::Stage { stage_m, .. } => {
                    format!(", breaches at a stage of {} m", short(stage_m))
                }
            };
        }
        words
    }

    /// Checks those numbers of the barrier that do not depend on the ground.
    ///
    /// # Errors
    ///
    /// [`Fault::Number`] names the number that is out of its range.
    pub fn check(&self) -> Result<(), Fault> {
        WEIR.check(self.weir_coefficient)?;
        CONTRACTION.check(self.contraction)?;
        match self.gap.as_ref().map(|gap| &gap.opening) {
            None => {}
            Some(Opening::Fixed(open)) => {
                OPENING.check(*open)?;
            }
            Some(Opening::Series(points)) => {
                check_series((Number { key: "gap.opening", ..TIME }, Some(OPENING)), points)?;
            }
            Some(Opening::Rule { points, .. }) => {
                let opening = Number { key: "gap.rule", ..OPENING };
                points.iter().try_for_each(|(_, open)| opening.check(*open).map(|_| ()))?;
            }
        }
        let Some(breach) = &self.breach else { return Ok(()) };
        Number { most: self.length_m(), ..ALONG }.check(breach.along_m)?;
        if let Trigger::Time(seconds) = breach.trigger {
            TIME.check(seconds)?;
        }
        check_series((Number { key: "breach.width", ..TIME }, Some(WIDTH)), &breach.width_m)?;
        check_series((Number { key: "breach.bottom", ..TIME }, None), &breach.bottom_m)
    }

    /// Checks that the line is on the map, or near it.
    ///
    /// # Errors
    ///
    /// [`StructureError`] if a corner is further from the map than the map is wide or high, or the
    /// line or the name is missing.
    pub fn check_line(&self, frame: &StructureFrame<'_>) -> Result<(), StructureError> {
        let corners = self.path_m.len();
        let check = || match corners {
            _ if self.name.is_empty() => Err(Fault::Name),
            0 | 1 => Err(other(format!("its line has {corners} corners: give it two or more"))),
            _ => self.path_m.iter().try_for_each(|&at| check_corner(frame, at)),
        };
        check().map_err(|fault| self.error(fault))
    }

    /// Returns the law of the barrier: checked, in cells and vertical units.
    ///
    /// # Errors
    ///
    /// [`StructureError`] states the fault, its place and the remedy.
    pub fn law(&self, frame: &StructureFrame<'_>) -> Result<BarrierLaw, StructureError> {
        self.check_line(frame)?;
        self.law_on(frame).map_err(|fault| self.error(fault))
    }

    fn law_on(&self, frame: &StructureFrame<'_>) -> Result<BarrierLaw, Fault> {
        let crests = self.crest_m.iter().map(|&metres| frame.elevation("its crest", metres));
        let mut crests = crests.collect::<Result<Vec<_>, _>>()?;
        if crests.len() == 1 {
            crests = vec![crests[0]; self.path_m.len()];
        }
        if crests.len() != self.path_m.len() {
            let (crests, corners) = (crests.len(), self.path_m.len());
            return Err(other(format!(
                "it has {crests} crests for {corners} corners: give one for each, or one for all"
            )));
        }
        self.check()?;
        let gravity = frame.gravity;
        #[expect(clippy::cast_possible_truncation, reason = "rounded to f32 on purpose")]
        let law = Coefficients {
            weir: Coefficients::weir_of(self.weir_coefficient, gravity) as f32,
            contraction: self.contraction as f32,
            gravity: gravity as f32,
        };
        let law = BarrierLaw {
            corners: self.path_m.iter().map(|at| at.map(|x| x / frame.cell_width_m)).collect(),
            crests,
            gap: self.gap.as_ref().map(|gap| gap.law(frame)).transpose()?,
            breach: self.breach.as_ref().map(|breach| breach.law(frame)).transpose()?,
            // A move wakes the leaves beside the gate, so a stage that shivers must cause none.
            dead_band: frame.scale.depth_units(1.0e-3).unwrap_or(1),
            law,
            size: [frame.size.0, frame.size.1]
                .map(|cells| u32::try_from(cells).unwrap_or(u32::MAX)),
        };
        law.check_faces(frame)?;
        law.check_breach(frame)?;
        Ok(law)
    }
}

fn other(sentence: String) -> Fault {
    Fault::Other(sentence)
}

fn check_series(
    (time, value): (Number, Option<Number>),
    points: &[(f64, f64)],
) -> Result<(), Fault> {
    for &(seconds, metres) in points {
        time.check(seconds)?;
        value.map_or(Ok(metres), |value| value.check(metres))?;
    }
    Ok(())
}

/// Converts checked points to a series of whole units over time.
fn series(
    noun: &str,
    points: &[(f64, f64)],
    units: impl Fn(f64) -> Result<i32, Fault>,
) -> Result<StageSeries, Fault> {
    let point = |&(seconds, value): &(f64, f64)| {
        Ok::<_, Fault>((SimTime::from_seconds(seconds), units(value)?))
    };
    let points = points.iter().map(point).collect::<Result<_, _>>()?;
    StageSeries::new(points).ok_or_else(|| {
        other(format!("{noun} are missing or not in order of time: give at least one, sorted"))
    })
}

/// Checks a corner of a line, which may be beyond the map.
fn check_corner(frame: &StructureFrame<'_>, [x, y]: [f64; 2]) -> Result<(), Fault> {
    let [width, height] = frame.size_m();
    // Far corners are faults of units or of the origin, and lines to them cross too many cells.
    if (-width..=2.0 * width).contains(&x) && (-height..=2.0 * height).contains(&y) {
        return Ok(());
    }
    let [x, y] = [x, y].map(short);
    let [west, east, south, north] = [-width, 2.0 * width, -height, 2.0 * height].map(short);
    Err(other(format!(
        "its corner ({x}, {y}) m is far off the map: choose {west} to {east} m east and {south} to \
         {north} m north of its south-west corner"
    )))
}

fn check_place(frame: &StructureFrame<'_>, noun: &str, at_m: [f64; 2]) -> Result<(), Fault> {
    let ([x, y], [width, height]) = (at_m, frame.size_m());
    if (0.0..=width).contains(&x) && (0.0..=height).contains(&y) {
        return Ok(());
    }
    Err(other(format!(
        "{noun} ({x}, {y}) m is not on the map: choose 0 to {width} m east and 0 to {height} m \
         north of its south-west corner"
    )))
}

/// Returns the cell of the base level at a place, which must be ground.
fn ground_at(frame: &StructureFrame<'_>, noun: &str, at_m: [f64; 2]) -> Result<CellPlace, Fault> {
    check_place(frame, noun, at_m)?;
    let (columns, rows) = frame.size;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked")]
    let cell = |x: f64, count: usize| {
        let cell = (x / frame.cell_width_m).floor() as u32;
        // A place on the east or north border of the map belongs to the last cell.
        cell.min(u32::try_from(count).unwrap_or(u32::MAX).saturating_sub(1))
    };
    let place = CellPlace { x: cell(at_m[0], columns), y: cell(at_m[1], rows) };
    if (frame.is_ground)(place) {
        return Ok(place);
    }
    let [x, y] = at_m;
    Err(other(format!("{noun} ({x}, {y}) m has no ground: move it onto the map's ground")))
}

impl Gap {
    fn law(&self, frame: &StructureFrame<'_>) -> Result<GapLaw, Fault> {
        let sill = self.sill_m.map(|metres| frame.elevation("the sill of its gap", metres));
        let open = |metres: f64| Ok(frame.scale.depth_units(metres).unwrap_or(0));
        let openings = |points: &[(f64, f64)]| series("the openings of its gap", points, open);
        let opening = match &self.opening {
            Opening::Fixed(metres) => OpeningLaw::Series(openings(&[(0.0, *metres)])?),
            Opening::Series(points) => OpeningLaw::Series(openings(points)?),
            Opening::Rule { at_m, points } => {
                let place = ground_at(frame, "the place its rule looks at", *at_m)?;
                let point = |&(stage_m, open_m): &(f64, f64)| {
                    Ok((frame.elevation("a stage of its rule", stage_m)?, open(open_m)?))
                };
                let points = points.iter().map(point).collect::<Result<_, Fault>>()?;
                let unsorted =
                    || other("the stages of its rule are not in order: sort them".to_owned());
                OpeningLaw::Rule(place, StageRule::new(points).ok_or_else(unsorted)?)
            }
        };
        Ok(GapLaw { sill: sill.transpose()?, opening })
    }
}

impl Breach {
    fn law(&self, frame: &StructureFrame<'_>) -> Result<BreachLaw, Fault> {
        let per_cell = 1.0 / frame.cell_width_m;
        let trigger = match self.trigger {
            Trigger::Time(seconds) => TriggerLaw::At(SimTime::from_seconds(seconds)),
            Trigger::Stage { at_m, stage_m } => TriggerLaw::Stage(
                ground_at(frame, "the place that sets off its breach", at_m)?,
                frame.elevation("the stage that sets off its breach", stage_m)?,
            ),
        };
        // Widths are counted in 2⁻¹⁰ cells, because a series has whole numbers only.
        #[expect(clippy::cast_possible_truncation, reason = "10⁵ m of cells of 1 cm or more")]
        let width =
            |metres: f64| Ok((metres * per_cell * 1024.0).round().min(f64::from(i32::MAX)) as i32);
        let bottom = |metres| frame.elevation("the bottom of its breach", metres);
        Ok(BreachLaw {
            middle: self.along_m * per_cell,
            trigger,
            width: series("the widths of its breach", &self.width_m, width)?,
            bottom: series("the bottoms of its breach", &self.bottom_m, bottom)?,
        })
    }
}

/// A barrier as its law, in cells and vertical units.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BarrierLaw {
    /// Corners of the line, cells of the base level from the map's south-west corner.
    pub corners: Vec<[f64; 2]>,
    /// Crest at each corner, vertical units.
    pub crests: Vec<i32>,
    /// Gap of the barrier.
    pub gap: Option<GapLaw>,
    /// Breach of the barrier.
    pub breach: Option<BreachLaw>,
    /// A rule moves the gap only by more than this difference, vertical units.
    pub dead_band: i32,
    /// Coefficients of the laws.
    pub law: Coefficients,
    /// Columns and rows of the map, cells of the base level.
    #[serde(skip)]
    pub size: [u32; 2],
}

/// A gap below a barrier's crest.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GapLaw {
    /// Bottom of the gap, vertical units; the ground if that is higher, or if this is `None`.
    pub sill: Option<i32>,
    /// Height of the top above the bottom.
    pub opening: OpeningLaw,
}

/// Height by which a gate is open, vertical units.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub enum OpeningLaw {
    /// An opening over time; a single point is constant.
    Series(StageSeries),
    /// An opening by the stage of a cell of the base level; shut while the cell is dry.
    Rule(CellPlace, StageRule),
}

/// A part of a barrier that fails.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BreachLaw {
    /// Middle of the breach, cells from the beginning of the line.
    pub middle: f64,
    /// Trigger of the breach.
    pub trigger: TriggerLaw,
    /// Width of the breach over the time since it began, 2⁻¹⁰ cells.
    pub width: StageSeries,
    /// Bottom of the breach over the time since it began, vertical units.
    pub bottom: StageSeries,
}

/// Trigger of a breach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum TriggerLaw {
    /// A time.
    At(SimTime),
    /// A stage in a cell of the base level.
    Stage(CellPlace, i32),
}

/// Inputs of a barrier in one cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GateInputs {
    /// Start of the cycle.
    pub time: SimTime,
    /// Time when the breach began.
    pub begun: Option<SimTime>,
    /// Height by which a rule has opened the gap, vertical units.
    pub opened: i32,
}

/// A face of a barrier, on cells of some level.
#[derive(Debug, Clone, PartialEq)]
pub struct BarrierFace {
    /// Axis across the face, which is the west or the south face of its cell.
    pub axis: Axis,
    /// Cell of the face.
    pub place: CellPlace,
    /// True if the east, or north, is to the right of the line there.
    pub is_right: bool,
    /// Shares of the line, cells of the base level from the beginning: more than one if the line
    /// crosses the face more than once.
    pub shares: Vec<[f64; 2]>,
    /// Lowest crest at the crossings of the line, vertical units.
    pub crest: i32,
}

/// Least width of a strip, as a part of a face; narrower ones are left out.
const PART_LEAST: f64 = 1.0e-6;

/// An open part of a face, vertical units: a part of the face's width.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Strip {
    /// Width, as a part of the face.
    pub part: f32,
    /// Bottom of the gap; `None` on the ground.
    pub sill: Option<i32>,
    /// Height by which the gap is open.
    pub open: i32,
    /// Crest of the part.
    pub crest: i32,
}

impl Strip {
    /// Returns the stage above which water passes over this ground.
    #[must_use]
    pub fn lowest(&self, ground: i32) -> i32 {
        let sill = self.sill.unwrap_or(ground);
        let crest = self.crest.max(ground);
        let is_open = sill.saturating_add(self.open) > ground && self.open > 0;
        if is_open { sill.max(ground).min(crest) } else { crest }
    }

    /// Returns the depth of the water that passes over this ground at a stage, in the gap or over
    /// the crest, vertical units; 0 if no water passes.
    #[must_use]
    pub fn depth_at(&self, stage: i32, ground: i32) -> i32 {
        let sill = self.sill.unwrap_or(ground).max(ground);
        let lip = self.sill.unwrap_or(ground).saturating_add(self.open);
        let gap = lip.min(stage).saturating_sub(sill);
        gap.max(stage.saturating_sub(self.crest.max(ground))).max(0)
    }
}

impl BarrierLaw {
    /// Checks that the barrier closes at least one face, and is on ground everywhere.
    fn check_faces(&self, frame: &StructureFrame<'_>) -> Result<(), Fault> {
        let faces = self.faces(0);
        for face in &faces {
            let mut beside = face.place.before(face.axis).into_iter().chain([face.place]);
            if let Some(place) = beside.find(|place| !(frame.is_ground)(*place)) {
                return Err(other(format!(
                    "it runs past cell {}, {}, which has no ground: end it where the ground ends",
                    place.x, place.y
                )));
            }
        }
        if !faces.is_empty() {
            return Ok(());
        }
        let width_m = frame.cell_width_m;
        Err(other(format!(
            "it closes no face between cells of {width_m} m: draw it longer, or away from the \
             map's border"
        )))
    }

    /// Checks that the middle of its breach is on the map.
    fn check_breach(&self, frame: &StructureFrame<'_>) -> Result<(), Fault> {
        let Some(breach) = &self.breach else { return Ok(()) };
        let Some((piece, part)) = self.piece_at(breach.middle) else { return Ok(()) };
        let [from, to] = [self.corners[piece], self.corners[piece + 1]];
        let is_on = |i: usize| {
            (0.0..=f64::from(self.size[i])).contains(&(from[i] + part * (to[i] - from[i])))
        };
        if is_on(0) && is_on(1) {
            return Ok(());
        }
        let along_m = short(breach.middle * frame.cell_width_m);
        Err(other(format!(
            "the middle of its breach, {along_m} m from the beginning of its line, is beyond the \
             map: choose a place along the line on the map"
        )))
    }

    /// Returns the faces that the barrier closes on cells of a level, `shift` above the base level,
    /// each once; if the line crosses a face more than once the lowest crest counts. Beyond the map
    /// it closes nothing.
    #[must_use]
    pub fn faces(&self, shift: u8) -> Vec<BarrierFace> {
        let mut faces: Vec<BarrierFace> = Vec::new();
        let mut known: BTreeMap<(Axis, u32, u32), usize> = BTreeMap::new();
        for crossing in crossings_on(&self.corners, shift, self.size) {
            let [x, y] = [crossing.x, crossing.y].map(|at| u32::try_from(at).expect("on the map"));
            let crest = self.crest_at(crossing.at);
            match known.entry((crossing.axis, x, y)) {
                Entry::Occupied(at) => {
                    let face = &mut faces[*at.get()];
                    face.crest = face.crest.min(crest);
                    face.shares.push(crossing.share);
                }
                Entry::Vacant(at) => {
                    at.insert(faces.len());
                    let (axis, place) = (crossing.axis, CellPlace { x, y });
                    let (is_right, shares) = (crossing.is_right, vec![crossing.share]);
                    faces.push(BarrierFace { axis, place, is_right, shares, crest });
                }
            }
        }
        faces
    }

    /// Returns the crest at a place along the line, cells of the base level from its beginning.
    #[expect(clippy::cast_possible_truncation, reason = "between two crests")]
    fn crest_at(&self, at: f64) -> i32 {
        let Some((piece, part)) = self.piece_at(at) else {
            return *self.crests.last().expect("a crest at each corner");
        };
        let [from, to] = [self.crests[piece], self.crests[piece + 1]].map(f64::from);
        (from + part * (to - from)).round() as i32
    }

    /// Returns the index of the straight piece of the line at a place along it, cells of the base
    /// level from its beginning, and the place as a part of the piece; `None` beyond the end.
    fn piece_at(&self, at: f64) -> Option<(usize, f64)> {
        let mut before = 0.0;
        for (piece, pair) in self.corners.windows(2).enumerate() {
            let [dx, dy] = [0, 1].map(|i| pair[1][i] - pair[0][i]);
            let length = (dx * dx + dy * dy).sqrt();
            if at <= before + length && length > 0.0 {
                return Some((piece, ((at - before) / length).clamp(0.0, 1.0)));
            }
            before += length;
        }
        None
    }

    /// True if the barrier may cross a rectangle, given by its south-west and north-east corners,
    /// cells of the base level.
    #[must_use]
    pub fn is_near(&self, low: [f64; 2], high: [f64; 2]) -> bool {
        self.corners.windows(2).any(|pair| {
            [0, 1].into_iter().all(|i| {
                pair[0][i].min(pair[1][i]) <= high[i] && pair[0][i].max(pair[1][i]) >= low[i]
            })
        })
    }

    /// Returns the open parts of a face in a cycle, on cells `width` cells of the base level wide:
    /// beside the breach, and in it.
    pub fn strips(
        &self,
        face: &BarrierFace,
        inputs: &GateInputs,
        width: f64,
        out: &mut Vec<Strip>,
    ) {
        out.clear();
        let (sill, open) = match &self.gap {
            None => (None, 0),
            Some(gap) => {
                let open = match &gap.opening {
                    OpeningLaw::Series(series) => series.at(inputs.time),
                    OpeningLaw::Rule(..) => inputs.opened,
                };
                (gap.sill, open.max(0))
            }
        };
        #[expect(clippy::cast_possible_truncation, reason = "a width")]
        let mut add = |length: f64, crest: i32| {
            let part = length / width;
            if part >= PART_LEAST {
                out.push(Strip { part: part as f32, sill, open, crest });
            }
        };
        let breach = self.breach.as_ref().zip(inputs.begun);
        for [from, to] in &face.shares {
            let Some((breach, begun)) = breach else {
                add(to - from, face.crest);
                continue;
            };
            let since = SimTime::from_ticks(inputs.time.since(begun));
            let half = 0.5 * f64::from(breach.width.at(since)) / 1024.0;
            let (low, high) = (breach.middle - half, breach.middle + half);
            let inside = (to.min(high) - from.max(low)).max(0.0);
            add(to - from - inside, face.crest);
            // The crest may be lower here than the bottom with which the breach begins.
            add(inside, breach.bottom.at(since).min(face.crest));
        }
    }

    /// True if the barrier changes by itself between two times.
    #[must_use]
    pub fn moves(&self, from: SimTime, to: SimTime, begun: Option<SimTime>) -> bool {
        let gate = self.gap.as_ref().is_some_and(|gap| match &gap.opening {
            OpeningLaw::Series(series) => series.at(from) != series.at(to),
            OpeningLaw::Rule(..) => false,
        });
        let breach = self.breach.as_ref().zip(begun).is_some_and(|(breach, begun)| {
            let [before, after] = [from, to].map(|time| SimTime::from_ticks(time.since(begun)));
            breach.width.at(before) != breach.width.at(after)
                || breach.bottom.at(before) != breach.bottom.at(after)
        });
        gate || breach
    }
}
