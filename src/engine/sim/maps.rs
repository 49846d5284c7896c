//! Flood maps: the largest depth, speed and hazard of each cell, when it became wet and for how
//! long it stayed wet.
//!
//! ```text
//! v      = |q̄| / h̄      q̄ the mean discharge through the cell's faces, from the transfers
//! hazard = h·(v + 0.5)
//! ```
//!
//! A leaf keeps only the kinds of maps that its world needs ([`MapKinds`]): no further kind costs
//! memory or time, and each map is independent of the rest.
//!
//! In a sub-grid column v is the discharge through its faces over their openings, and the depth for
//! hazard, arrival and duration is the depth over its lowest bed.
//!
//! Under the ground the intervals of stacked columns have their largest depth and their highest
//! surface, with [`MapKinds::DEPTH`] ([`BelowMaps`]).
//!
//! Guarantees: maps read transfers, never the discharges that wait for their next step, so they
//!             show only water that has moved.
//! Limits:     one look a cycle (eight steps): a peak between two looks is missed. Speed and hazard
//!             count if the depth reaches the threshold, as arrival and duration do. A leaf that
//!             changes its level keeps its maps as they are: a cell that was once coarse shows the
//!             values seen anywhere in it. From and to sub-grid columns the largest stage is kept
//!             in place of the largest depth.
//! Source:     hazard: Defra/Environment Agency, FD2320 (2005), without debris factor.

mod below;
mod planes;
mod slices;

pub use below::{BelowMaps, HighestWater};
pub use planes::{MapPlanes, MapScale, WORD_PLANES};

use crate::flow::versions::{InstructionSet, Loops};
use crate::grid::TILE_WIDTH;
use crate::sim::maps::slices::MapSlices;
use crate::sim::speeds::{MappedLeaf, RowOf, row_of, velocities_m_s};
use crate::state::stack::IntervalState;
use crate::tile::{CowPlane, Ground, MapKinds, NotKept, Resident};
use crate::units::SimTime;
use crate::units::hash::StateHasher;
use std::ops::Deref;
use std::sync::LazyLock;

/// The maps of one leaf, of the kinds that its world keeps, in memory or away, with the facts that
/// need no planes. Cells are 64 × 64, rows from south to north.
#[derive(Debug, Clone)]
pub struct LeafMaps {
    kinds: MapKinds,
    planes: Resident<MapPlanes>,
    /// Maps of the intervals below, if depths are kept.
    below: BelowMaps,
    scale: MapScale,
    /// Whether durations may grow after the last look; used if the planes are away, or a copy.
    goes_on_away: bool,
    /// Time of the last look.
    pub seen: SimTime,
    /// Number of the world's change at which these maps were last brought up to date without a
    /// look.
    pub changed: u64,
}

/// Maps of a world that keeps none.
static NONE: LazyLock<LeafMaps> = LazyLock::new(|| {
    LeafMaps::unseen(MapKinds::NONE, MapScale { threshold: 1, unit_m: 1.0 }, SimTime::ZERO)
});

/// Returns the plane of a kind, if it is kept.
fn kept<T>(plane: Option<&CowPlane<T>>, kind: MapKinds) -> Result<&[T], NotKept> {
    plane.map(|plane| &**plane).ok_or(NotKept::of(kind))
}

/// The maps by their kinds, each an error if the world keeps none of its kind.
impl LeafMaps {
    /// Returns the largest depth, vertical units; over sub-grid columns volume over area.
    ///
    /// # Errors
    ///
    /// [`NotKept`] without [`MapKinds::DEPTH`].
    pub fn depth_max(&self) -> Result<&[i32], NotKept> {
        kept(self.planes.depth_max.as_ref(), MapKinds::DEPTH)
    }

    /// Returns the largest speed, m/s.
    ///
    /// # Errors
    ///
    /// [`NotKept`] without [`MapKinds::SPEED`].
    pub fn speed_max(&self) -> Result<&[f32], NotKept> {
        kept(self.planes.speed_max.as_ref(), MapKinds::SPEED)
    }

    /// Returns the velocity at the last look, eastward and northward, m/s; 0 below the threshold.
    ///
    /// # Errors
    ///
    /// [`NotKept`] without [`MapKinds::VELOCITY`].
    pub fn velocity(&self) -> Result<&[CowPlane<f32>; 2], NotKept> {
        self.planes.velocity.as_ref().ok_or(NotKept::of(MapKinds::VELOCITY))
    }

    /// Returns the largest hazard rating, m²/s.
    ///
    /// # Errors
    ///
    /// [`NotKept`] without [`MapKinds::HAZARD`].
    pub fn hazard_max(&self) -> Result<&[f32], NotKept> {
        kept(self.planes.hazard_max.as_ref(), MapKinds::HAZARD)
    }

    /// Returns when the depth first reached the threshold, s; infinite if it never did.
    ///
    /// # Errors
    ///
    /// [`NotKept`] without [`MapKinds::ARRIVAL`].
    pub fn arrival_s(&self) -> Result<&[f32], NotKept> {
        kept(self.planes.arrival_s.as_ref(), MapKinds::ARRIVAL)
    }

    /// Returns when the depth was at the threshold for the last time, s; infinite if it never was.
    ///
    /// # Errors
    ///
    /// [`NotKept`] without [`MapKinds::LAST_WET`].
    pub fn wet_last_s(&self) -> Result<&[f32], NotKept> {
        kept(self.planes.wet_last_s.as_ref(), MapKinds::LAST_WET)
    }

    /// Returns when the largest depth was seen first, s; infinite if no look found any water.
    ///
    /// # Errors
    ///
    /// [`NotKept`] without [`MapKinds::DEEPEST`].
    pub fn deepest_s(&self) -> Result<&[f32], NotKept> {
        kept(self.planes.deepest_s.as_ref(), MapKinds::DEEPEST)
    }

    /// Returns for how long the depth was at the threshold or above, s.
    ///
    /// # Errors
    ///
    /// [`NotKept`] without [`MapKinds::DURATION`].
    pub fn duration_s(&self) -> Result<&[f64], NotKept> {
        kept(self.planes.duration_s.as_ref(), MapKinds::DURATION)
    }
}

impl LeafMaps {
    /// Adds the maps of these kinds to a hash.
    ///
    /// # Errors
    ///
    /// [`NotKept`] if one is not kept.
    pub fn hash(&self, kinds: MapKinds, hash: &mut StateHasher) -> Result<(), NotKept> {
        let floats = [
            (MapKinds::SPEED, LeafMaps::speed_max as fn(&Self) -> Result<&[f32], NotKept>),
            (MapKinds::VELOCITY, |maps| Ok(&maps.velocity()?[0])),
            (MapKinds::VELOCITY, |maps| Ok(&maps.velocity()?[1])),
            (MapKinds::HAZARD, LeafMaps::hazard_max),
            (MapKinds::ARRIVAL, LeafMaps::arrival_s),
            (MapKinds::LAST_WET, LeafMaps::wet_last_s),
            (MapKinds::DEEPEST, LeafMaps::deepest_s),
        ];
        if kinds.has(MapKinds::DEPTH) {
            self.depth_max()?.iter().for_each(|depth| hash.add(depth.cast_unsigned().into()));
            for highest in self.below.all() {
                let HighestWater { cell, bed, ceiling, depth_max, surface_max } = *highest;
                hash.add(cell.into());
                let heights = [bed, ceiling, depth_max, surface_max];
                heights.into_iter().for_each(|units| hash.add(units.cast_unsigned().into()));
            }
        }
        for (_, plane) in floats.into_iter().filter(|(kind, _)| kinds.has(*kind)) {
            plane(self)?.iter().for_each(|value| hash.add(value.to_bits().into()));
        }
        if kinds.has(MapKinds::DURATION) {
            self.duration_s()?.iter().for_each(|seconds| hash.add(seconds.to_bits()));
        }
        Ok(())
    }
}

impl Deref for LeafMaps {
    type Target = MapPlanes;

    #[inline]
    fn deref(&self) -> &MapPlanes {
        &self.planes
    }
}

impl LeafMaps {
    /// Returns maps of these kinds of a leaf on this ground whose water at `time` has these depths;
    /// cells count as wet from `threshold` vertical units on.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "rounded to f32 on purpose")]
    pub fn new(
        kinds: MapKinds,
        (ground, depth): (&Ground, &[i32]),
        (threshold, unit_m): (i32, f64),
        time: SimTime,
    ) -> Self {
        // With a threshold of 0 dry cells would count as wet.
        let scale = MapScale { threshold: threshold.max(1), unit_m: unit_m as f32 };
        let mut maps = Self::unseen(kinds, scale, time);
        let mut planes = maps.planes.slices();
        for (row, depth) in depth.as_chunks::<TILE_WIDTH>().0.iter().enumerate() {
            let deepest = deepest_row(ground, row, depth);
            let depths = [depth, &deepest];
            planes.look(scale, row, depths, &[[0.0; TILE_WIDTH]; 2], time.seconds() as f32);
        }
        maps
    }

    /// Returns the maps of a world that keeps no maps.
    #[must_use]
    pub fn none() -> &'static Self {
        &NONE
    }

    /// Returns maps that have seen nothing.
    fn unseen(kinds: MapKinds, scale: MapScale, time: SimTime) -> Self {
        let planes = MapPlanes::unseen(kinds).into();
        let below = BelowMaps::default();
        Self { kinds, planes, below, scale, goes_on_away: false, seen: time, changed: 0 }
    }

    /// Returns the kinds that are kept.
    #[must_use]
    pub fn kinds(&self) -> MapKinds {
        self.kinds
    }

    /// Returns the maps of the quarter `quadrant` of the leaf, now a leaf of its own: each cell has
    /// the values of the coarse one.
    #[must_use]
    pub fn child(&self, quadrant: usize, coarse: &Ground, fine: &Ground) -> Self {
        let Self { kinds, scale, seen, changed, .. } = *self;
        let planes = self.planes.child(quadrant, coarse, fine).into();
        let below = BelowMaps::default();
        Self { kinds, planes, below, scale, goes_on_away: false, seen, changed }
    }

    /// Returns the maps of a leaf that was four quarters, south-west first, `None` for one without
    /// ground: the largest of the largest, the earliest arrival, the longest duration, the mean
    /// velocity of the wet cells; wet if any of the four is.
    ///
    /// # Panics
    ///
    /// If no quarter is given.
    #[must_use]
    pub fn merged(quarters: [Option<(&Self, &Ground)>; 4], coarse: &Ground) -> Self {
        let present = || quarters.iter().flatten().map(|(maps, _)| *maps);
        let any = present().next().expect("a leaf has ground");
        let seen = present().map(|maps| maps.seen).max().unwrap_or(any.seen);
        let mut merged = Self::unseen(any.kinds, any.scale, seen);
        for (quadrant, quarter) in quarters.into_iter().enumerate() {
            let Some((maps, ground)) = quarter else { continue };
            let mut fine = maps.clone();
            // All quarters are brought to one moment, because the merged maps have one time of the
            // last look.
            fine.pass(seen);
            merged.planes.take_quarter(quadrant, (&fine, ground), coarse);
        }
        merged
    }

    /// Releases its planes for reuse.
    pub fn give_back(self) {
        if self.planes.is_here() {
            self.planes.into_inner().give_back();
        }
    }

    /// Returns the planes, in memory or away.
    #[must_use]
    pub fn planes(&self) -> &Resident<MapPlanes> {
        &self.planes
    }

    /// Returns the planes for writing.
    pub fn planes_mut(&mut self) -> &mut MapPlanes {
        &mut self.planes
    }

    /// Moves the planes out of memory; their values stay as they are.
    pub(super) fn put_away(&mut self, put: impl FnOnce(&mut Resident<MapPlanes>)) {
        if self.planes.place().is_none() {
            self.goes_on_away = self.planes.goes_on();
        }
        put(&mut self.planes);
    }

    /// Returns threshold and unit by which these maps look at depths.
    #[must_use]
    pub fn scale(&self) -> MapScale {
        self.scale
    }

    /// Adds the time since the last look to the cells that were wet then.
    pub fn pass(&mut self, time: SimTime) {
        if time == self.seen {
            return;
        }
        if self.kinds.has(MapKinds::DURATION) {
            let span = SimTime::from_ticks(time.since(self.seen)).seconds();
            self.planes.pass(span);
        }
        self.seen = time;
    }

    /// Adds the time since the last look, if any durations grow; returns whether they did.
    pub(crate) fn bring_up_to(&mut self, time: SimTime) -> bool {
        let goes_on = |maps: &Self| match maps.planes.place() {
            // Planes that a card is stepping do not report it.
            Some(_) => maps.goes_on_away && maps.planes.goes_on(),
            None => maps.planes.goes_on(),
        };
        let counts = self.seen < time && goes_on(self);
        if counts {
            self.pass(time);
        }
        counts
    }

    /// Looks at depths, vertical units, and velocities, m/s eastward and northward, of 64 × 64
    /// cells at `time`: of a leaf, or of finer cells made from a coarser leaf. If depths are
    /// volumes over areas, `deepest` are the depths over the lowest beds; else it is the same.
    ///
    /// # Panics
    ///
    /// If a plane has fewer cells.
    #[expect(clippy::cast_possible_truncation, reason = "a map in f32")]
    pub fn look_at(
        &mut self,
        time: SimTime,
        depth: &[i32],
        deepest: &[i32],
        velocity: [&[f32]; 2],
    ) {
        self.pass(time);
        let (scale, mut planes) = (self.scale, self.planes.slices());
        for row in 0..TILE_WIDTH {
            let from = row * TILE_WIDTH;
            let velocity = velocity.map(|plane| *row_of(&plane[from..]));
            let depths = [depth, deepest].map(|plane| row_of(&plane[from..]));
            planes.look(scale, row, depths, &velocity, time.seconds() as f32);
        }
    }

    /// Returns the highest water below the ground.
    ///
    /// # Errors
    ///
    /// [`NotKept`] without [`MapKinds::DEPTH`].
    pub fn below(&self) -> Result<&BelowMaps, NotKept> {
        self.kinds.check(MapKinds::DEPTH).map(|()| &self.below)
    }

    /// Looks at the intervals of a leaf, if depths are kept.
    pub fn look_below(&mut self, intervals: &[IntervalState]) {
        if self.kinds.has(MapKinds::DEPTH) {
            self.below.look(intervals);
        }
    }

    /// Sets the maxima from a file.
    pub fn set_below(&mut self, below: BelowMaps) {
        self.below = below;
    }

    /// Notes that the owner of the planes, at their place, has looked at `time`.
    pub fn looked(&mut self, time: SimTime, put: impl FnOnce(&mut Resident<MapPlanes>)) {
        (self.seen, self.goes_on_away) = (time, self.kinds.has(MapKinds::DURATION));
        put(&mut self.planes);
    }

    /// Returns the time since the last look.
    #[must_use]
    pub fn ticks_unseen(&self, time: SimTime) -> u64 {
        time.since(self.seen)
    }

    /// Looks at a leaf at the end of its last step in a cycle.
    pub(super) fn sample(&mut self, view: &MappedLeaf<'_>) {
        self.sample_by(InstructionSet::fastest(), view);
    }

    /// Looks with this instruction set.
    #[expect(clippy::cast_possible_truncation, reason = "a map in f32")]
    fn sample_by(&mut self, set: InstructionSet, view: &MappedLeaf<'_>) {
        self.pass(view.time);
        let (kinds, scale, planes) = (self.kinds, self.scale, &mut *self.planes);
        // The look writes every row, so a shared plane need not be copied first.
        planes.velocity.iter_mut().flatten().for_each(CowPlane::renew);
        let (planes, time_s) = (planes.slices(), view.time.seconds() as f32);
        set.run(MapLook { kinds, scale, planes, view, time_s });
    }
}

/// A look at all rows of a leaf.
struct MapLook<'a> {
    kinds: MapKinds,
    scale: MapScale,
    planes: MapSlices<'a>,
    view: &'a MappedLeaf<'a>,
    time_s: f32,
}

impl Loops for MapLook<'_> {
    type Out = ();

    #[inline(always)]
    fn run(self) {
        let Self { kinds, scale, mut planes, view, time_s } = self;
        for (row, depth) in view.depth.as_chunks::<TILE_WIDTH>().0.iter().enumerate() {
            let deepest =
                if kinds.needs_wet() { deepest_row(view.ground, row, depth) } else { *depth };
            let velocity = match kinds.needs_velocities() {
                true => velocities_m_s(view, row, depth),
                false => [[0.0; TILE_WIDTH]; 2],
            };
            planes.look(scale, row, [depth, &deepest], &velocity, time_s);
        }
    }
}

/// Returns the depths over the lowest beds of a row of cells, vertical units.
#[inline(always)]
fn deepest_row(ground: &Ground, row: usize, depth: &RowOf<i32>) -> RowOf<i32> {
    let mut deepest = *depth;
    if ground.columns.is_some() {
        let cells = (row * TILE_WIDTH..).zip(&mut deepest).filter(|(_, depth)| **depth > 0);
        for (cell, depth) in cells {
            *depth = ground.deepest(cell, *depth);
        }
    }
    deepest
}

#[cfg(test)]
mod tests;
