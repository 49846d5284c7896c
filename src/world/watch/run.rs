//! Watches of a world: adding and removing them, and their events.

use crate::probe::QueryError;
use crate::probe::area::outline;
use crate::world::World;
use crate::world::watch::error::{CELLS_MOST, CORNERS_MOST, WATCHES_MOST, WatchError};
use crate::world::watch::event::{Event, Watched};
use crate::world::watch::request::{Watch, WatchId};
use crate::world::watch::sight::WatchSight;
use thalweg_engine::grid::polygon::PointM;
use thalweg_engine::units::CEILING;

/// Shallowest depth of a watch, m.
const DEPTH_LEAST_M: f64 = 0.001;

/// Least depth, m, of the lower threshold of a watch: less counts as dry.
const FALLEN_LEAST_M: f64 = 0.0005;

impl World {
    /// Adds a watch. From now on [`World::events`] reports, after each cycle, if the watched thing
    /// has changed sides of its threshold. Its present side is not an event: [`World::watched`]
    /// returns it.
    ///
    /// A watch costs nothing while the leaves that it depends on sleep. It changes nothing: neither
    /// state nor hash depend on it, and no file contains it.
    ///
    /// # Errors
    ///
    /// [`WatchError`] names the fault and the remedy. Nothing has changed then.
    ///
    /// # Examples
    ///
    /// ```
    /// use thalweg::prelude::*;
    /// use thalweg::world::{EventKind, Watch, Watched};
    /// // Water runs from the west towards a house in the east.
    /// let west = |place: CellPlace| if place.x < 10 { 1.0 } else { 0.0 };
    /// let terrain = Terrain::from_heights([20, 10], 2.0, |_, _| 1.0)?;
    /// let mut world = WorldBuilder::new(terrain).initial_depth(west).build()?;
    /// let corners_m = vec![[30.0, 6.0], [36.0, 6.0], [36.0, 12.0], [30.0, 12.0]];
    /// let house = world.watch(Watch::Footprint { corners_m, depth_m: 0.1, hysteresis_m: 0.02 })?;
    /// assert_eq!(world.watched(house), Some(Watched::default()));
    /// world.run_until(SimTime::from_seconds(60.0));
    /// let event = world.events()[0];
    /// assert!(event.watch == house && event.at < world.time());
    /// assert!(matches!(event.what, EventKind::Flooded { depth_m } if depth_m >= 0.1));
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    pub fn watch(&mut self, watch: Watch) -> Result<WatchId, WatchError> {
        if self.watches.count() >= WATCHES_MOST {
            return Err(WatchError::Count { most: WATCHES_MOST });
        }
        let cells = self.check_watch(&watch)?;
        let sight = self.sight();
        let found = sight.find(&watch).ok_or_else(|| {
            let (at_m, [width, height]) = (place_of(&watch), <[usize; 2]>::from(self.size()));
            #[expect(clippy::cast_precision_loss, reason = "2²⁰ cells a side")]
            let size_m = [width, height].map(|cells| cells as f64 * self.cell_width_m());
            WatchError::Outside { at_m, size_m }
        })?;
        let seen = sight.read(&watch, &found.0, Watched::default()).watched();
        Ok(self.watches.add(watch, found, seen, cells))
    }

    /// Removes a watch, and returns it; `None` if no watch has that number.
    pub fn unwatch(&mut self, id: WatchId) -> Option<Watch> {
        self.watches.remove(id)
    }

    /// Returns the watches, by their numbers.
    pub fn watches(&self) -> impl ExactSizeIterator<Item = (WatchId, &Watch)> {
        self.watches.all()
    }

    /// Returns the side of its threshold on which a watch observed the watched thing after the last
    /// cycle, or when the watch was added; `None` if no watch has that number.
    #[must_use]
    pub fn watched(&self, id: WatchId) -> Option<Watched> {
        self.watches.seen(id)
    }

    /// Returns the events of the last call of [`World::run_cycle`], [`World::run_cycle_with`] or
    /// [`World::run_until`]: cycle by cycle, each by the number of the watch. A barrier that breaks
    /// and is overtopped reports the breach first. The effects of actions between cycles are
    /// observed after the next cycle.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        self.watches.events()
    }

    /// Returns the world as watches see it.
    fn sight(&self) -> WatchSight<'_> {
        WatchSight { cells: self.cells(), query: self.query(), barriers: &self.setup.barriers }
    }

    /// Reads the watches after a cycle.
    pub(in crate::world) fn look_at_watched(&mut self) {
        let mut watches = std::mem::take(&mut self.watches);
        watches.look(&self.sight());
        self.watches = watches;
    }

    /// Checks a watch except for its place; returns the number of finest cells that it counts for.
    fn check_watch(&self, watch: &Watch) -> Result<u64, WatchError> {
        match watch {
            Watch::Place { at_m, depth_m, hysteresis_m } => {
                check_point(*at_m)?;
                check_depth(*depth_m, *hysteresis_m, self.reach_m())?;
            }
            Watch::Gauge { at_m, stage_m, hysteresis_m } => {
                check_point(*at_m)?;
                let (datum_m, reach_m) = (self.scale().datum_m(), self.reach_m());
                check("the stage", *stage_m, [datum_m - reach_m, datum_m + reach_m])?;
                check("the hysteresis", *hysteresis_m, [0.0, reach_m])?;
            }
            Watch::Footprint { corners_m, depth_m, hysteresis_m } => {
                check_depth(*depth_m, *hysteresis_m, self.reach_m())?;
                return self.check_footprint(corners_m);
            }
            Watch::Barrier { name, hysteresis_m } => {
                check("the hysteresis", *hysteresis_m, [0.0, self.reach_m()])?;
                self.structures().find_barrier(name).map_err(WatchError::Barrier)?;
            }
        }
        Ok(0)
    }

    /// Returns the distance that elevations reach above and below the datum, m.
    fn reach_m(&self) -> f64 {
        self.scale().depth_m(CEILING)
    }

    /// Checks the corners of a footprint; returns the finest cells of the rectangle around them.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded here")]
    fn check_footprint(&self, corners_m: &[PointM]) -> Result<u64, WatchError> {
        let found = corners_m.len();
        if found > CORNERS_MOST {
            return Err(WatchError::Corners { found, most: CORNERS_MOST });
        }
        let corners_m = outline(corners_m)?;
        let finest_m = self.query().cell_width_m(0);
        let along = |axis: usize| {
            let ends = corners_m.iter().map(|corner| corner[axis]);
            let [low, high] = ends.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], at| {
                [low.min(at), high.max(at)]
            });
            ((high - low) / finest_m).ceil() + 1.0
        };
        let cells = along(0) * along(1);
        let most = (CELLS_MOST - self.watches.cells()) as f64;
        if cells <= most { Ok(cells as u64) } else { Err(WatchError::Cells { most: CELLS_MOST }) }
    }
}

/// Returns the point of a watch, or its first corner, m.
fn place_of(watch: &Watch) -> PointM {
    match watch {
        Watch::Place { at_m, .. } | Watch::Gauge { at_m, .. } => *at_m,
        Watch::Footprint { corners_m, .. } => corners_m.first().copied().unwrap_or_default(),
        Watch::Barrier { .. } => PointM::default(),
    }
}

fn check_point(place_m: PointM) -> Result<(), QueryError> {
    let is_point = place_m.iter().all(|metres| metres.is_finite());
    is_point.then_some(()).ok_or(QueryError::Place { index: 0, place_m })
}

fn check_depth(depth_m: f64, hysteresis_m: f64, most_m: f64) -> Result<(), WatchError> {
    check("the depth", depth_m, [DEPTH_LEAST_M, most_m])?;
    check("the hysteresis", hysteresis_m, [0.0, depth_m - FALLEN_LEAST_M])
}

fn check(noun: &'static str, value: f64, [least, most]: [f64; 2]) -> Result<(), WatchError> {
    let is_in_range = (least..=most).contains(&value);
    is_in_range.then_some(()).ok_or(WatchError::Number { noun, value, least, most })
}
