//! Water at a building: depths, hazard and times over its footprint.

use crate::probe::{AreaSummary, QueryError};
use crate::world::MapsView;
use crate::world::cells::WorldCells;
use std::collections::BTreeSet;
use thalweg_engine::grid::LeafId;
use thalweg_engine::structure::frame::cell_at;
use thalweg_engine::terrain::Shape;
use thalweg_engine::tile::MapKinds;
use thalweg_engine::units::SimTime;

/// Water on a footprint, now and before.
///
/// Volume and depths are of the part of each cell that is in the polygon, as in
/// [`Query::over`](crate::probe::Query::over). Hazard and times are of the cells whose centre the
/// polygon contains, or, if it contains no centre, of the cell in its middle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FootprintWater {
    /// Volume, area and depths now.
    pub now: AreaSummary,
    /// Highest water of each cell at the end of any cycle; cells may have theirs at different
    /// times.
    pub peak: AreaSummary,
    /// Time at which the deepest cell was deepest, s; `None` if no cell ever had water. Water too
    /// shallow to count as wet is included.
    pub deepest_s: Option<f64>,
    /// Hazard rating now: depth times speed and a half, m²/s, of its worst cell that is wet.
    pub hazard_now: f64,
    /// Largest hazard rating so far, m²/s.
    pub hazard_max: f64,
    /// Time at which the first cell became wet, s; `None` if none was ever wet.
    pub arrival_s: Option<f64>,
    /// Time at which a cell was wet last, s: now, if one is wet; `None` if none was ever wet.
    pub wet_last_s: Option<f64>,
    /// Duration of the water in the cell that was wet for longest, s.
    pub duration_s: f64,
    /// The moment of the answer, s.
    pub time_s: f64,
}

impl FootprintWater {
    /// Returns the share of its area in the world that is wet, from 0 to 1.
    #[must_use]
    pub fn wet_share(&self) -> f64 {
        if self.now.area_m2 > 0.0 { self.now.wet_area_m2 / self.now.area_m2 } else { 0.0 }
    }

    /// Returns the time since the first cell became wet, s; `None` if none was ever wet.
    #[must_use]
    pub fn since_first_wet_s(&self) -> Option<f64> {
        Some(self.time_s - self.arrival_s?)
    }

    /// Returns the time since a cell was wet last, s: 0 if one is wet; `None` if none was ever wet.
    #[must_use]
    pub fn since_last_wet_s(&self) -> Option<f64> {
        Some(self.time_s - self.wet_last_s?)
    }
}

impl MapsView<'_> {
    /// Returns the water on the footprint of a building, now and before: corners in metres from the
    /// map's south-west corner, either way round. Cells are wet from the depth of
    /// [`WorldBuilder::wet_depth_m`](crate::world::WorldBuilder::wet_depth_m) on, 1 cm by default.
    ///
    /// # Errors
    ///
    /// [`QueryError::Maps`] if the world does not keep all of [`MapKinds::FOOTPRINT`], else as for
    /// [`Query::over`](crate::probe::Query::over).
    ///
    /// # Examples
    ///
    /// ```
    /// use thalweg::terrain::{TerrainBuilder, TerrainOptions};
    /// use thalweg::units::{SimTime, VerticalScale};
    /// use thalweg::world::{MapKinds, WorldBuilder};
    /// let scale = VerticalScale::choose(0.0, 9.0, 20.0)?;
    /// let options =
    ///     TerrainOptions { width: 20, height: 10, cell_width_m: 2.0, scale, bed_exponent: 10 };
    /// let mut terrain = TerrainBuilder::try_new(options)?;
    /// (0..10).try_for_each(|_| terrain.push_row(&[0.0; 20]))?;
    /// // Water runs from the west towards a house in the east.
    /// let west = |place: thalweg::world::CellPlace| {
    ///     if place.x < 10 { 1.0 } else { 0.0 }
    /// };
    /// let builder = WorldBuilder::new(terrain.finish()?).maps(MapKinds::FOOTPRINT);
    /// let mut world = builder.initial_depth(west).build()?;
    /// let house = [[30.0, 6.0], [36.0, 6.0], [36.0, 12.0], [30.0, 12.0]];
    /// assert_eq!(world.maps().footprint(&house)?.since_first_wet_s(), None);
    /// world.run_until(SimTime::from_seconds(60.0));
    /// let water = world.maps().footprint(&house)?;
    /// assert!((water.now.depth_mean_m() - 0.5).abs() < 0.1 && water.wet_share() == 1.0);
    /// assert!(water.peak.depth_max_m > 0.5 && water.hazard_max > 0.5);
    /// assert!(water.arrival_s < water.deepest_s && water.since_last_wet_s() == Some(0.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn footprint(
        self,
        corners_m: &[impl Into<[f64; 2]> + Copy],
    ) -> Result<FootprintWater, QueryError> {
        self.kinds().check(MapKinds::FOOTPRINT)?;
        let corners_m: Vec<[f64; 2]> = corners_m.iter().map(|&corner| corner.into()).collect();
        let corners_m = &corners_m[..];
        let (world, cells) = (self.world, self.world.cells());
        let flowing = world.flowing();
        let wet_m = world.setup.wet_depth_m;
        let now = world.query().wet_from(wet_m)?.over(corners_m)?;
        let peak = self.maxima()?.wet_from(wet_m)?.over(corners_m)?;
        let time_s = world.time().seconds();
        let mut water = FootprintWater {
            now,
            peak,
            deepest_s: None,
            hazard_now: 0.0,
            hazard_max: 0.0,
            arrival_s: None,
            wet_last_s: None,
            duration_s: 0.0,
            time_s,
        };
        let mut deepest = 0;
        for (leaf, cell) in cells.under(corners_m) {
            let (maps, ground) = (world.simulation.maps_of(leaf), world.simulation.ground(leaf));
            let depth = ground.deepest(cell, world.simulation.water(leaf).depth[cell]);
            let depth_m = world.scale().depth_m(depth);
            if depth_m >= wet_m {
                let [u, v] = flowing.velocity_in(leaf, cell);
                let hazard = depth_m * ((u * u + v * v).sqrt() + 0.5);
                water.hazard_now = water.hazard_now.max(hazard);
                water.wet_last_s = Some(time_s);
            }
            water.hazard_max = water.hazard_max.max(f64::from(maps.hazard_max()?[cell]));
            let known = |seconds: f32| seconds.is_finite().then_some(f64::from(seconds));
            let first = known(maps.arrival_s()?[cell]);
            water.arrival_s = [water.arrival_s, first].into_iter().flatten().reduce(f64::min);
            water.wet_last_s = later(water.wet_last_s, known(maps.wet_last_s()?[cell]));
            // Maps of a sleeping leaf were last updated at `seen`; its cells have stayed as wet
            // since.
            let waits_s = SimTime::from_ticks(world.time().since(maps.seen)).seconds();
            let was_wet = maps.was_wet.as_ref().map_or(0.0, |was_wet| f64::from(was_wet[cell]));
            water.duration_s = water.duration_s.max(maps.duration_s()?[cell] + was_wet * waits_s);
            let most = ground.deepest(cell, maps.depth_max()?[cell]);
            // Cells have a fixed order: among equally deep ones the first counts, on every machine.
            if most > deepest {
                (deepest, water.deepest_s) = (most, known(maps.deepest_s()?[cell]));
            }
        }
        Ok(water)
    }
}

impl WorldCells<'_> {
    /// Returns the cells whose centre a polygon contains, each once, in their order; if it contains
    /// no centre, the cell in the middle of its corners.
    fn under(self, corners_m: &[[f64; 2]]) -> BTreeSet<(LeafId, usize)> {
        let mut cells = BTreeSet::new();
        let area = Shape::Polygon { corners_m: corners_m.to_vec() };
        // A polygon that contains no centre is an area without cells.
        let _ = self.each_place(&area, &mut |_, at, _| {
            cells.insert(at);
        });
        if cells.is_empty() {
            #[expect(clippy::cast_precision_loss, reason = "a count of corners")]
            let middle = [0, 1].map(|axis| {
                corners_m.iter().map(|corner| corner[axis]).sum::<f64>() / corners_m.len() as f64
            });
            let place = cell_at(middle, self.cell_width_m());
            cells.extend(place.and_then(|place| self.locate(place)));
        }
        cells
    }
}

/// Returns the later of two times, or the only one.
fn later(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    [a, b].into_iter().flatten().reduce(f64::max)
}
