//! The intervals of a world, as they are now.

use crate::grid::cells::CellPlace;
use crate::state::IntervalState;
use crate::state::stack::NO_HEAD;
use crate::world::World;

/// The intervals of a world, as they are now: [`World::stacks`].
#[derive(Debug, Clone, Copy)]
pub struct StacksView<'a> {
    world: &'a World,
}

/// An interval of a cell, and its water.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IntervalView {
    /// Lowest place, m above the datum.
    pub bed_m: f64,
    /// Highest place.
    pub ceiling_m: f64,
    /// Depth of its water, m.
    pub depth_m: f64,
    /// Stage, or where it is full head, m above the datum.
    pub head_m: f64,
    /// Water reaches up to the ceiling.
    pub is_full: bool,
    /// Unit discharges over the west face, eastward, and over the south face, northward, m²/s.
    pub flow_m2_s: [f64; 2],
}

impl World {
    /// The intervals below the ground, as they are now.
    #[must_use]
    pub fn stacks(&self) -> StacksView<'_> {
        StacksView { world: self }
    }
}

impl StacksView<'_> {
    /// Intervals that the world has.
    #[must_use]
    pub fn count(self) -> usize {
        let leaves = self.world.simulation.leaves().own.iter();
        leaves.flat_map(|own| &own.stack).map(|stack| stack.intervals.len()).sum()
    }

    /// Intervals of a cell of the simulated level, from the lowest to the highest; none outside the
    /// world.
    #[must_use]
    pub fn intervals_at(self, place: CellPlace) -> Vec<IntervalView> {
        let World { simulation, site, .. } = self.world;
        let Some((leaf, cell)) = self.world.cells().locate(place) else { return Vec::new() };
        let (scale, cell) = (site.scale(), u16::try_from(cell).expect("4096 cells"));
        let Some(stack) = &simulation.leaves().own[leaf].stack else { return Vec::new() };
        let flow = |own: &IntervalState, axis: u16| -> f64 {
            let from = stack.flows.partition_point(|flow| flow.cell < cell);
            let flows = stack.flows[from..].iter().take_while(|flow| flow.cell == cell);
            let own = flows.filter(|flow| flow.axis == axis && flow.behind == own.bed);
            own.fold(0.0, |sum, flow| sum + f64::from(flow.q))
        };
        let view = |own: &IntervalState| IntervalView {
            bed_m: scale.metres(own.bed),
            ceiling_m: scale.metres(own.ceiling),
            depth_m: scale.depth_m(own.depth),
            head_m: scale.metres(if own.head == NO_HEAD { own.bed + own.depth } else { own.head }),
            is_full: own.head != NO_HEAD,
            flow_m2_s: [flow(own, 0), flow(own, 1)],
        };
        stack.of_cell(cell).iter().map(view).collect()
    }

    /// Volume in all intervals, m³.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a volume to read")]
    pub fn volume_m3(self) -> f64 {
        let leaves = self.world.simulation.leaves();
        let units: i128 = leaves.own.iter().map(|own| own.stacked()).sum();
        let width = self.world.simulation.cell_width_m();
        units as f64 * self.world.site.scale().unit_m() * width * width
    }
}
