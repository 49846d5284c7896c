//! The present intervals of a world.

use crate::probe::{QueryError, Sample};
use crate::world::World;
use crate::world::cells::WorldCells;
use thalweg_engine::grid::LeafId;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::state::IntervalState;
use thalweg_engine::state::stack::{NO_HEAD, StackFlowState};

/// The present intervals of a world: [`World::stacks`].
#[derive(Debug, Clone, Copy)]
pub struct StacksView<'a> {
    world: &'a World,
}

/// An interval of a cell, and its water.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IntervalView {
    /// Lowest place, m above the datum.
    pub bed_m: f64,
    /// Highest place, m above the datum.
    pub ceiling_m: f64,
    /// Depth of its water, m.
    pub depth_m: f64,
    /// Stage, or the head if the interval is full, m above the datum.
    pub head_m: f64,
    /// True if water reaches the ceiling.
    pub is_full: bool,
    /// Unit discharges over the west face, eastward, and over the south face, northward, m²/s.
    pub flow_m2_s: [f64; 2],
}

impl World {
    /// Returns the present intervals below the ground.
    #[must_use]
    pub fn stacks(&self) -> StacksView<'_> {
        StacksView { world: self }
    }
}

impl<'a> WorldCells<'a> {
    /// Returns the interval of a cell that contains a height, from its bed to below its ceiling.
    pub(in crate::world) fn interval_at(
        self,
        (leaf, cell): (LeafId, usize),
        height_m: f64,
    ) -> Option<&'a IntervalState> {
        let stack = self.simulation.leaves().own[leaf].stack.as_ref()?;
        let (scale, cell) = (self.scale(), u16::try_from(cell).expect("4096 cells"));
        stack
            .of_cell(cell)
            .iter()
            .find(|own| (scale.metres(own.bed)..scale.metres(own.ceiling)).contains(&height_m))
    }
}

impl StacksView<'_> {
    /// Returns the number of intervals of the world.
    #[must_use]
    pub fn count(self) -> usize {
        let leaves = self.world.simulation.leaves().own.iter();
        leaves.flat_map(|own| &own.stack).map(|stack| stack.intervals.len()).sum()
    }

    /// Returns the intervals of a cell of the simulated level, from the lowest to the highest;
    /// empty outside the world.
    #[must_use]
    pub fn intervals_at(self, place: CellPlace) -> Vec<IntervalView> {
        let World { simulation, site, .. } = self.world;
        let Some((leaf, cell)) = self.world.cells().locate(place) else { return Vec::new() };
        let (scale, cell) = (site.scale(), u16::try_from(cell).expect("4096 cells"));
        let Some(stack) = &simulation.leaves().own[leaf].stack else { return Vec::new() };
        let flow = |own: &IntervalState, axis: u16| {
            self.over_face(place, axis, |flow| flow.behind == own.bed)
        };
        let view = |own: &IntervalState| IntervalView {
            bed_m: scale.metres(own.bed),
            ceiling_m: scale.metres(own.ceiling),
            depth_m: scale.depth_m(own.depth),
            head_m: scale.metres(own.surface()),
            is_full: own.head != NO_HEAD,
            flow_m2_s: [flow(own, 0), flow(own, 1)],
        };
        stack.of_cell(cell).iter().map(view).collect()
    }

    /// Returns the state at a point, m east, north and above the datum. If the point is in an
    /// interval, from its bed to below its ceiling, it is the state of that interval, and
    /// everywhere else that of the open water, as in [`Query::at`]. `None` outside the world.
    ///
    /// The stage of a full interval is its head, at the ceiling or above. The water of a cell's
    /// interval is level, not interpolated; its velocity is the mean discharge of its faces over
    /// its depth.
    ///
    /// # Errors
    ///
    /// [`QueryError::Place`] and [`QueryError::Height`] for a coordinate that is not finite.
    ///
    /// # Examples
    ///
    /// ```
    /// use thalweg::prelude::*;
    /// let mut voids = Voids::new();
    /// voids.interval(CellPlace { x: 3, y: 2 }, [1.0, 4.0]);
    /// let terrain = Terrain::from_heights([8, 8], 1.0, |_, _| 9.0)?;
    /// let builder = WorldBuilder::new(terrain).voids(voids);
    /// let world = builder.initial_stage_below(|_, _| 2.5).build()?;
    /// let bed_and_depth_m = |z: f64| {
    ///     let sample = world.stacks().at([3.5, 2.5, z])?.expect("in the world");
    ///     Ok::<_, thalweg::Error>((sample.bed_m, sample.depth_m))
    /// };
    /// // In the cave, whether in its water or above; in the rock; in the open.
    /// assert_eq!(bed_and_depth_m(2.0)?, (1.0, 1.5));
    /// assert_eq!(bed_and_depth_m(3.5)?, (1.0, 1.5));
    /// assert_eq!(bed_and_depth_m(5.0)?, (9.0, 0.0));
    /// assert_eq!(bed_and_depth_m(9.5)?, (9.0, 0.0));
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    ///
    /// [`Query::at`]: crate::probe::Query::at
    pub fn at(self, point_m: impl Into<[f64; 3]>) -> Result<Option<Sample>, QueryError> {
        let [x, y, z] = point_m.into();
        if !z.is_finite() {
            return Err(QueryError::Height(z));
        }
        match self.interval_around([x, y, z]) {
            Some(sample) => Ok(Some(sample)),
            None => self.world.query().at([x, y]),
        }
    }

    /// Returns the state of the interval around a point, if it is in one.
    fn interval_around(self, [x, y, z]: [f64; 3]) -> Option<Sample> {
        let World { simulation, site, .. } = self.world;
        let place = self.world.place_at([x, y])?;
        let (leaf, cell) = self.world.cells().locate(place)?;
        let own = self.world.cells().interval_at((leaf, cell), z)?;
        let scale = site.scale();
        let (depth_m, is_wet) = (scale.depth_m(own.depth), own.depth > 0);
        let velocity_m_s = match is_wet {
            true => self.flow_m2_s(place, own.bed).map(|flow| flow / depth_m),
            false => [0.0; 2],
        };
        Some(Sample {
            level: simulation.forest().leaves()[leaf].level,
            bed_m: scale.metres(own.bed),
            depth_m,
            stage_m: is_wet.then(|| scale.metres(own.surface())),
            wetness: f64::from(u8::from(is_wet)),
            velocity_m_s,
            normal: [0.0, 0.0, 1.0],
        })
    }

    /// Returns the mean unit discharge over the two faces that the interval with a bed has across
    /// each axis, m²/s.
    fn flow_m2_s(self, place: CellPlace, bed: i32) -> [f64; 2] {
        let CellPlace { x, y } = place;
        let after = [CellPlace { x: x + 1, y }, CellPlace { x, y: y + 1 }];
        [0, 1].map(|axis| {
            let is_own = |flow: &StackFlowState| flow.behind == bed;
            let is_next = |flow: &StackFlowState| flow.before == bed;
            let next = after[usize::from(axis)];
            0.5 * (self.over_face(place, axis, is_own) + self.over_face(next, axis, is_next))
        })
    }

    /// Returns the sum of the unit discharges over the west or the south face of a cell, of all
    /// flows of a kind, m²/s.
    fn over_face(
        self,
        place: CellPlace,
        axis: u16,
        is_of: impl Fn(&StackFlowState) -> bool,
    ) -> f64 {
        let Some((leaf, cell)) = self.world.cells().locate(place) else { return 0.0 };
        let Some(stack) = &self.world.simulation.leaves().own[leaf].stack else { return 0.0 };
        let flows = stack.flows_of_cell(u16::try_from(cell).expect("4096 cells")).iter();
        let own = flows.filter(|flow| flow.axis == axis && is_of(flow));
        own.fold(0.0, |sum, flow| sum + f64::from(flow.q))
    }

    /// Returns the volume in all intervals, m³.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a volume to read")]
    pub fn volume_m3(self) -> f64 {
        let leaves = self.world.simulation.leaves();
        let units: i128 = leaves.own.iter().map(|own| own.stacked()).sum();
        let width = self.world.simulation.cell_width_m();
        units as f64 * self.world.site.scale().unit_m() * width * width
    }
}
