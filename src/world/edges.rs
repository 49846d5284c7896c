//! Laws of the edges, where the world ends.

use crate::world::WorldError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ops::Range;
use thalweg_engine::grid::Side;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::boundary::{
    self, BoundaryFace, BoundaryInflow, BoundaryLaw, GroundFall, OutsideSea,
};
use thalweg_engine::sim::ledger::Ledger;
use thalweg_engine::structure::inflow::SLOPE;
use thalweg_engine::structure::{Fault, StructureKind};
use thalweg_engine::units::rate::{RateCourse, SERIES_SECONDS_MOST, SeriesError};
use thalweg_engine::units::{RateSeries, SimTime, StageSeries, VerticalScale};

/// Condition at an edge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EdgeKind {
    /// Nothing passes.
    Wall,
    /// Water leaves, at normal depth on the slope of the valley that ends there, for any size of
    /// the leaves' cells; waves leave too.
    Open,
    /// The world ends in still water: seconds and stages in metres, straight lines between them.
    Stage(Vec<(f64, f64)>),
    /// A river enters, shared over the edge by the conveyance of each place, with the velocity
    /// there.
    Inflow {
        /// Seconds and m³/s over the whole edge, straight lines between the points, zero before and
        /// after them; a single point is a constant discharge.
        discharge: Vec<(f64, f64)>,
        /// Depth at which the river enters.
        entry: Entry,
    },
}

/// The depth of a river where it enters over an edge.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum Entry {
    /// Normal depth on the slope of the valley behind the edge, of 10⁻⁴ at least.
    #[default]
    Normal,
    /// Normal depth on this slope, from 10⁻⁴ to 1.
    Slope(f64),
    /// This depth over the lowest bed along the edge, m.
    Depth(f64),
}

/// The faces of the boundary that an edge covers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EdgePlace {
    /// All of it.
    All,
    /// One side of the map's rectangle.
    Side(Side),
    /// Cells of one side: columns of the south and north side, rows of the west and east side,
    /// counted from the south-west, of the simulated level. If leaves are adaptive, the leaves
    /// along the part stay on that level if the budget of cells allows; a coarser cell is open if
    /// the part covers its middle.
    Part(Side, Range<u32>),
    /// Faces at NoData inside the rectangle, holes included.
    NoData,
    /// Faces at holes, NoData that the ground encloses: cells, joined at sides or corners, none at
    /// the frame of the map. A hole within one coarser sub-grid cell has no such faces and is a
    /// wall.
    Holes,
}

/// Kind of outside beyond a face.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum OutsideKind {
    /// The frame of the map.
    Frame,
    /// Cells without data that reach the frame.
    NoData,
    /// Cells without data that do not.
    Hole,
}

/// One requested edge; later ones override earlier ones where they overlap.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RequestedEdge {
    pub name: String,
    pub place: EdgePlace,
    pub kind: EdgeKind,
}

/// Finest faces to the outside for whose laws the fall of the ground counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct SoughtFaces {
    /// On each side of the map's rectangle.
    pub border: [bool; 4],
    /// At NoData inside the rectangle that reaches the frame.
    pub nodata: bool,
    /// At holes.
    pub holes: bool,
}

impl SoughtFaces {
    /// True if no faces are sought.
    pub fn is_none(self) -> bool {
        self == Self::default()
    }

    /// True of a face of such a kind.
    pub fn has(self, side: Side, end: OutsideKind) -> bool {
        match end {
            OutsideKind::Frame => self.border[side as usize],
            OutsideKind::NoData => self.nodata,
            OutsideKind::Hole => self.holes,
        }
    }
}

/// Ground and sea at a face to the outside.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Outside {
    /// Fall of the ground towards it.
    pub fall: GroundFall,
    /// The sea beyond the face, if it is open.
    pub sea: Option<OutsideSea>,
}

/// All edges, and their laws face by face.
#[derive(Debug, Clone)]
pub(super) struct Boundary {
    edges: Vec<RequestedEdge>,
    /// Index of the law of each edge that is no wall.
    known: Vec<Option<u32>>,
    /// The laws.
    pub laws: Vec<BoundaryLaw>,
}

impl RequestedEdge {
    fn error(&self, fault: Fault) -> WorldError {
        StructureKind::Boundary.error(&self.name, fault).into()
    }

    fn covers(&self, place: CellPlace, side: Side, end: OutsideKind) -> bool {
        let along = if matches!(side, Side::West | Side::East) { place.y } else { place.x };
        match &self.place {
            EdgePlace::All => true,
            EdgePlace::Side(own) => end == OutsideKind::Frame && *own == side,
            EdgePlace::Part(own, range) => {
                end == OutsideKind::Frame && *own == side && range.contains(&along)
            }
            EdgePlace::NoData => end != OutsideKind::Frame,
            EdgePlace::Holes => end == OutsideKind::Hole,
        }
    }

    fn law(
        &self,
        scale: VerticalScale,
        cell_width_m: f64,
    ) -> Result<Option<BoundaryLaw>, WorldError> {
        let points = match &self.kind {
            EdgeKind::Wall => return Ok(None),
            EdgeKind::Open => return Ok(Some(BoundaryLaw::Open)),
            EdgeKind::Inflow { discharge, entry } => {
                return self.river(discharge, *entry, (scale, cell_width_m)).map(Some);
            }
            EdgeKind::Stage(points) => points,
        };
        let mut series = Vec::with_capacity(points.len());
        for (index, &(seconds, stage_m)) in points.iter().enumerate() {
            if !(0.0..=SERIES_SECONDS_MOST).contains(&seconds) {
                return Err(self.error(Fault::Series(SeriesError::Time { index })));
            }
            let finest = scale.exponent();
            let stage = scale
                .elevation(stage_m, finest)
                .map_err(|reason| WorldError::Stage { name: self.name.clone(), reason })?;
            series.push((SimTime::from_seconds(seconds), stage));
        }
        if series.is_empty() {
            return Err(self.error(Fault::Series(SeriesError::Empty)));
        }
        StageSeries::new(series)
            .map(|series| Some(BoundaryLaw::Stage(series)))
            .ok_or_else(|| WorldError::StageTimes { name: self.name.clone() })
    }

    /// Makes the law of a river that enters.
    fn river(
        &self,
        discharge: &[(f64, f64)],
        entry: Entry,
        (scale, cell_width_m): (VerticalScale, f64),
    ) -> Result<BoundaryLaw, WorldError> {
        let units = scale.units_per_m() / (cell_width_m * cell_width_m);
        let discharge = RateSeries::scaled(discharge, units, RateCourse::Lines)
            .map_err(|reason| self.error(Fault::Series(reason)))?;
        let number = |what, value, range| WorldError::Number { what, value, range };
        let entry = match entry {
            Entry::Normal => boundary::BoundaryEntry::Normal,
            Entry::Slope(slope) => boundary::BoundaryEntry::Slope(
                SLOPE.check(slope).map_err(|fault| self.error(fault))?,
            ),
            Entry::Depth(depth_m) => {
                let depth = scale.depth_units(depth_m).filter(|&depth| depth > 0);
                boundary::BoundaryEntry::Depth(depth.ok_or_else(|| {
                    let range = "a depth in metres above 0 that the vertical scale holds";
                    number("the depth of an inflow over an edge", depth_m, range)
                })?)
            }
        };
        Ok(BoundaryLaw::Inflow(BoundaryInflow { discharge, entry }))
    }
}

impl Boundary {
    /// Checks the edges. If leaves are adaptive, opens the accounts of all edges except walls in
    /// `ledger`: leaves of different levels may have faces that the initial leaves do not have.
    pub fn new(
        edges: Vec<RequestedEdge>,
        (scale, cell_width_m): (VerticalScale, f64),
        mut ledger: Option<&mut Ledger>,
    ) -> Result<Self, WorldError> {
        let mut laws = Vec::new();
        let mut known = Vec::new();
        for edge in &edges {
            let law = edge.law(scale, cell_width_m)?;
            if let (Some(_), Some(ledger)) = (&law, &mut ledger) {
                // The account of an edge beside cells without data has one name for all sides and
                // for holes: opening one is enough.
                let frame = Side::ALL.map(|side| (side, OutsideKind::Frame));
                for (side, end) in frame.into_iter().chain([(Side::West, OutsideKind::NoData)]) {
                    ledger.open(&account_name(edge, side, end));
                }
            }
            known.push(law.map(|law| {
                laws.push(law);
                u32::try_from(laws.len() - 1).expect("2³² edges at most")
            }));
        }
        Ok(Self { edges, known, laws })
    }

    /// Returns the law of an edge of another kind, with its index; `None` for a wall.
    ///
    /// # Errors
    ///
    /// [`WorldError`] if the kind is invalid.
    pub fn law_of(
        &self,
        number: usize,
        kind: EdgeKind,
        (scale, cell_width_m): (VerticalScale, f64),
    ) -> Result<Option<(u32, BoundaryLaw)>, WorldError> {
        let edge = RequestedEdge { kind, ..self.edges[number].clone() };
        Ok(self.known[number].zip(edge.law(scale, cell_width_m)?))
    }

    /// Gives an edge another stage, whose law is this.
    pub fn set_stage(&mut self, number: usize, kind: EdgeKind, (index, law): (u32, BoundaryLaw)) {
        self.edges[number].kind = kind;
        self.laws[index as usize] = law;
    }

    /// Checks that each river enters over some face.
    pub fn check_rivers<'a>(
        &self,
        faces: impl Iterator<Item = &'a BoundaryFace>,
    ) -> Result<(), WorldError> {
        let laws: BTreeSet<u32> = faces.map(|face| face.law).collect();
        for (edge, law) in self.edges.iter().zip(&self.known) {
            let is_river = matches!(edge.kind, EdgeKind::Inflow { .. });
            if is_river && law.is_none_or(|law| !laws.contains(&law)) {
                let none = Fault::NoCell { place: None };
                return Err(edge.error(none));
            }
        }
        Ok(())
    }

    /// Returns the faces for whose laws the fall of the ground counts.
    pub fn falls_sought(&self) -> SoughtFaces {
        let needs_fall =
            |law: &Option<u32>| law.is_some_and(|law| self.laws[law as usize].needs_fall());
        let inside = |end| self.inside(end).is_some_and(|edge| needs_fall(&self.known[edge]));
        let [nodata, holes] = [OutsideKind::NoData, OutsideKind::Hole].map(inside);
        let mut sought = SoughtFaces { border: [false; 4], nodata, holes };
        let edges = self.edges.iter().zip(&self.known).filter(|(_, law)| needs_fall(law));
        for (edge, _) in edges {
            match edge.place {
                EdgePlace::All => sought.border = [true; 4],
                EdgePlace::Side(side) | EdgePlace::Part(side, _) => {
                    sought.border[side as usize] = true;
                }
                EdgePlace::NoData | EdgePlace::Holes => {}
            }
        }
        sought
    }

    /// True if holes have a different edge than the rest of the cells without data.
    pub fn has_holes(&self) -> bool {
        self.inside(OutsideKind::NoData) != self.inside(OutsideKind::Hole)
    }

    /// True if an edge is open, at least in part, and another has a stage.
    pub fn has_shores(&self) -> bool {
        let is_open = |edge: &RequestedEdge| edge.kind == EdgeKind::Open;
        let has_stage = |edge: &RequestedEdge| matches!(edge.kind, EdgeKind::Stage(_));
        self.edges.iter().any(is_open) && self.edges.iter().any(has_stage)
    }

    /// Returns the law of the stage beside cells without data.
    pub fn nodata_stage(&self) -> Option<u32> {
        let edge = self.inside(OutsideKind::NoData)?;
        let has_stage = matches!(self.edges[edge].kind, EdgeKind::Stage(_));
        self.known[edge].filter(|_| has_stage)
    }

    /// Returns the highest stage of a law; `None` if it has no stage.
    pub fn highest_stage(&self, law: u32) -> Option<i32> {
        match &self.laws[law as usize] {
            BoundaryLaw::Stage(series) => Some(series.highest()),
            BoundaryLaw::Open | BoundaryLaw::Inflow(_) => None,
        }
    }

    /// Whether faces beside cells without data are open.
    pub fn is_open_beside_nodata(&self) -> bool {
        self.inside(OutsideKind::NoData).is_some_and(|edge| self.edges[edge].kind == EdgeKind::Open)
    }

    /// Returns the index of the edge along cells without data.
    fn inside(&self, end: OutsideKind) -> Option<usize> {
        // Beside cells without data an edge covers all places and sides or none, so any will do.
        let anywhere = CellPlace { x: 0, y: 0 };
        self.covering(anywhere, Side::West, end)
    }

    /// Returns the law of the stage beside a cell of the base level at the rim of the map, and
    /// whether the edge there is open.
    pub fn rim_at(&self, place: CellPlace, side: Side) -> (Option<u32>, bool) {
        let Some(edge) = self.covering(place, side, OutsideKind::Frame) else {
            return (None, false);
        };
        match self.edges[edge].kind {
            EdgeKind::Stage(_) => (self.known[edge], false),
            EdgeKind::Open => (None, true),
            EdgeKind::Wall | EdgeKind::Inflow { .. } => (None, false),
        }
    }

    /// Returns the index of the last edge that covers a face.
    fn covering(&self, place: CellPlace, side: Side, end: OutsideKind) -> Option<usize> {
        self.edges.iter().rposition(|edge| edge.covers(place, side, end))
    }

    /// Sets the fall and the sea of a face whose law needs the fall of the ground.
    pub fn set_outside(&self, face: &mut BoundaryFace, outside: Outside) {
        face.slope = outside.fall.slope;
        if matches!(self.laws[face.law as usize], BoundaryLaw::Open) {
            face.rise = outside.fall.rise;
            face.sea = outside.sea.unwrap_or(OutsideSea::none(face.law));
        }
    }

    /// Returns the parts of sides that edges except walls name, as cells of the base level.
    pub fn parts(&self) -> impl Iterator<Item = (Side, &Range<u32>)> {
        let open = self.edges.iter().zip(&self.known).filter(|(_, law)| law.is_some());
        open.filter_map(|(edge, _)| match &edge.place {
            EdgePlace::Part(side, range) => Some((*side, range)),
            _ => None,
        })
    }

    /// Adds the boundary faces of a cell: its index in its leaf, its place on the base level, and
    /// for each side the kind of outside beyond it if the world ends there. Each gets the last edge
    /// that covers it; `outside` is the ground and the sea at the side.
    pub fn add_faces(
        &self,
        boundary: &mut Vec<BoundaryFace>,
        (cell, base_place): (usize, CellPlace),
        beyond: &dyn Fn(Side) -> Option<OutsideKind>,
        outside: &dyn Fn(Side) -> Outside,
        ledger: &mut Ledger,
    ) {
        for side in Side::ALL {
            let Some(end) = beyond(side) else { continue };
            let Some(edge) = self.covering(base_place, side, end) else { continue };
            let Some(law) = self.known[edge] else { continue };
            let account = ledger.open(&account_name(&self.edges[edge], side, end));
            let cell = u16::try_from(cell).expect("4096 cells");
            let mut face = BoundaryFace::new(cell, side, law, account);
            if self.laws[law as usize].needs_fall() {
                self.set_outside(&mut face, outside(side));
            }
            boundary.push(face);
        }
    }
}

/// Returns the name in the ledger: the name of the edge, or the side if one edge covers all sides.
fn account_name(edge: &RequestedEdge, side: Side, end: OutsideKind) -> String {
    match (&edge.place, end) {
        (EdgePlace::All, OutsideKind::Frame) => format!("{} {}", edge.name, side.name()),
        (EdgePlace::All, OutsideKind::NoData | OutsideKind::Hole) => {
            format!("{} nodata", edge.name)
        }
        _ => edge.name.clone(),
    }
}
