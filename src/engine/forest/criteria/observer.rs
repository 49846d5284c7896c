//! Observers: detail around a viewer, and along its way ahead.

use crate::forest::criteria::{
    Criterion, CriterionError, Rectangle, Request, Scale, check_coordinates, check_level,
    check_number, check_priority,
};
use crate::forest::facts::LeafFacts;
use crate::grid::TILE_WIDTH;
use serde::{Deserialize, Serialize};

/// Options of an observer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ObserverOptions {
    /// Position, m east and north of the world's south-west corner.
    pub position_m: [f64; 2],
    /// Velocity, m/s.
    pub velocity_m_s: [f64; 2],
    /// The observer sees as far ahead as it gets in this time, s.
    pub look_ahead_s: f64,
    /// Levels, each with the radius within which everything is at least as fine, m; in any order.
    pub radii_m: Vec<(u8, f64)>,
    /// Priority at the limit of sight; nearer places have up to 1 more.
    pub priority: f32,
}

impl ObserverOptions {
    /// Creates an observer at rest at a position, m, with the radii of its levels.
    ///
    /// # Examples
    ///
    /// ```
    /// use thalweg::criteria::ObserverOptions;
    /// use thalweg::glam::DVec2;
    /// let camera = ObserverOptions::at(DVec2::new(30.0, 40.0), vec![(0, 100.0)]);
    /// let camera = camera.moving(DVec2::new(5.0, 0.0), 3.0);
    /// assert_eq!((camera.position_m, camera.velocity_m_s), ([30.0, 40.0], [5.0, 0.0]));
    /// ```
    #[must_use]
    pub fn at(position_m: impl Into<[f64; 2]>, radii_m: Vec<(u8, f64)>) -> Self {
        Self {
            position_m: position_m.into(),
            velocity_m_s: [0.0; 2],
            look_ahead_s: 0.0,
            radii_m,
            priority: 0.0,
        }
    }

    /// Sets the observer's velocity, m/s, and the time for which it looks ahead, s.
    #[must_use]
    pub fn moving(self, velocity_m_s: impl Into<[f64; 2]>, look_ahead_s: f64) -> Self {
        Self { velocity_m_s: velocity_m_s.into(), look_ahead_s, ..self }
    }
}

/// A request for detail around a viewer.
///
/// An observer requests detail along its way ahead: a place nearer than the radius of a level is at
/// least as fine as that level. The place stays so fine until it is farther by an eighth, or by a
/// quarter of a finest tile if that is more. An observer outside the world sees the part that its
/// radii reach; far outside it sees nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Observer {
    way: [[f64; 2]; 2],
    /// Rings, the finest first.
    rings: Vec<ObserverRing>,
    /// Largest radius.
    reach_m: f64,
    /// Rectangle outside which nothing is requested.
    sight: Rectangle,
    priority: f32,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct ObserverRing {
    level: u8,
    /// Square of the ring's radius, m².
    needs: f64,
    /// Square of the radius at which the ring ends, m².
    keeps: f64,
}

impl Observer {
    /// Creates an observer in a world.
    ///
    /// # Errors
    ///
    /// [`CriterionError`] if a coordinate is not a number or beyond 10⁹ m, if a radius is not
    /// positive and finite, or if a level is not one of the world's.
    pub fn try_new(options: &ObserverOptions, world: &Scale) -> Result<Self, CriterionError> {
        let ObserverOptions { position_m, velocity_m_s, look_ahead_s, ref radii_m, priority } =
            *options;
        let [x, y] = position_m;
        check_coordinates("an observer's position", position_m)?;
        let who = format!("the observer at {x}, {y} m");
        for velocity in velocity_m_s {
            let number = (&*format!("a velocity of {who}"), velocity, "−10⁵ to 10⁵ m/s");
            check_number(number, (-1.0e5..=1.0e5).contains(&velocity))?;
        }
        let number = (&*format!("the look ahead of {who}"), look_ahead_s, "0 to 3600 s");
        check_number(number, (0.0..=3600.0).contains(&look_ahead_s))?;
        check_priority(&who, priority)?;
        if radii_m.is_empty() {
            return Err(CriterionError::NoRadius { position_m });
        }
        let least_m = world.cell_width_m(world.base()) * (TILE_WIDTH / 4) as f64;
        let mut rings = Vec::with_capacity(radii_m.len());
        for &(level, radius_m) in radii_m {
            check_level(&format!("a level of {who}"), level, world.base(), world.coarsest())?;
            let what = format!("the radius for level {level} of {who}");
            let number = (&*what, radius_m, "more than 0, at most 10⁹ m");
            check_number(number, radius_m > 0.0 && radius_m <= 1.0e9)?;
            // With one radius for both, leaves at a ring flicker while the observer moves.
            let keeps_m = radius_m + (radius_m / 8.0).max(least_m);
            rings.push(ObserverRing {
                level,
                needs: radius_m * radius_m,
                keeps: keeps_m * keeps_m,
            });
        }
        rings.sort_by_key(|ring| ring.level);
        // A place near enough for a finer level is near enough for a coarser one.
        for index in 1..rings.len() {
            let ObserverRing { needs, keeps, .. } = rings[index - 1];
            let ring = &mut rings[index];
            (ring.needs, ring.keeps) = (ring.needs.max(needs), ring.keeps.max(keeps));
        }
        let reach_m = radii_m.iter().map(|&(_, radius_m)| radius_m).fold(0.0, f64::max);
        let ahead = [x + velocity_m_s[0] * look_ahead_s, y + velocity_m_s[1] * look_ahead_s];
        // A little more than the last ring, so that rounding cuts nothing off.
        let far_m = 1.001 * (reach_m + (reach_m / 8.0).max(least_m));
        let sight = Rectangle {
            west: x.min(ahead[0]) - far_m,
            south: y.min(ahead[1]) - far_m,
            east: x.max(ahead[0]) + far_m,
            north: y.max(ahead[1]) + far_m,
        };
        Ok(Self { way: [position_m, ahead], rings, reach_m, sight, priority })
    }
}

impl Criterion for Observer {
    fn request(&self, leaf: &LeafFacts, world: &Scale) -> Request {
        let area = world.area(leaf.key);
        if !area.overlaps(&self.sight) {
            return Request::NOTHING;
        }
        let square = area.square_to_segment(self.way);
        // Each ring is within the next, so counting the rings left behind finds the first.
        let level = |left_behind: usize| self.rings.get(left_behind).map(|ring| ring.level);
        let keeps = self.rings.iter().filter(|ring| square > ring.keeps).count();
        let needs = self.rings.iter().filter(|ring| square > ring.needs).count();
        let Some(keeps) = level(keeps) else { return Request::NOTHING };
        let needs = level(needs).unwrap_or(u8::MAX);
        #[expect(clippy::cast_possible_truncation, reason = "a number near 1")]
        let nearness = (1.0 - square.sqrt() / self.reach_m) as f32;
        Request { needs, keeps, priority: self.priority + nearness }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::TileKey;
    use crate::grid::cells::CellPlace;

    fn world() -> Scale {
        Scale::try_new(0, 4, 1.0, CellPlace { x: 1024, y: 1024 }).expect("good")
    }

    fn here() -> ObserverOptions {
        ObserverOptions {
            position_m: [32.0, 32.0],
            velocity_m_s: [0.0, 10.0],
            look_ahead_s: 10.0,
            radii_m: vec![(1, 250.0), (0, 100.0)],
            priority: 5.0,
        }
    }

    #[test]
    fn rings_lie_around_the_way_ahead() {
        let observer = Observer::try_new(&here(), &world()).expect("good");
        for (x, y, needs, keeps) in [
            (0, 0, 0, 0),
            (1, 0, 0, 0),
            // 96 m and 160 m to the east.
            (2, 0, 0, 0),
            (3, 0, 1, 1),
            // The way ends at 132 m north: 60, 124 and 252 m short of these.
            (0, 3, 0, 0),
            (0, 4, 1, 1),
            (0, 6, u8::MAX, 1),
            (0, 7, u8::MAX, u8::MAX),
            (15, 15, u8::MAX, u8::MAX),
        ] {
            let request = observer.request(&LeafFacts::dry(TileKey { level: 0, x, y }), &world());
            assert_eq!(
                (request.needs, request.keeps),
                (needs, keeps),
                "tile {x}, {y}: {request:?}"
            );
        }
        let priority =
            |x| observer.request(&LeafFacts::dry(TileKey { level: 0, x, y: 0 }), &world());
        assert!((priority(0).priority - 6.0).abs() < 1e-6);
        assert!((priority(2).priority - (6.0 - 96.0 / 250.0)).abs() < 1e-6);
    }

    #[test]
    fn far_outside_the_world_an_observer_requests_nothing() {
        let options = ObserverOptions { position_m: [-1.0e9, 1.0e9], ..here() };
        let observer = Observer::try_new(&options, &world()).expect("good");
        let all = TileKey { level: 4, x: 0, y: 0 };
        assert_eq!(observer.request(&LeafFacts::dry(all), &world()), Request::NOTHING);
    }

    #[test]
    fn what_is_no_observer_is_refused() {
        let radius = |radius_m| ObserverOptions { radii_m: vec![(2, radius_m)], ..here() };
        let nan = f64::NAN;
        for (options, message) in [
            (
                ObserverOptions { position_m: [1.0, nan], ..here() },
                "y of an observer's position is NaN: choose −10⁹ to 10⁹ m",
            ),
            (
                ObserverOptions { position_m: [f64::INFINITY, 1.0], ..here() },
                "x of an observer's position is inf: choose −10⁹ to 10⁹ m",
            ),
            (
                ObserverOptions { velocity_m_s: [nan, 0.0], ..here() },
                "a velocity of the observer at 32, 32 m is NaN: choose −10⁵ to 10⁵ m/s",
            ),
            (
                ObserverOptions { look_ahead_s: -1.0, ..here() },
                "the look ahead of the observer at 32, 32 m is -1: choose 0 to 3600 s",
            ),
            (
                ObserverOptions { priority: f32::NAN, ..here() },
                "the priority of the observer at 32, 32 m is NaN: choose −1000 to 1000",
            ),
            (
                ObserverOptions { radii_m: Vec::new(), ..here() },
                "the observer at 32, 32 m has no radius: give at least one",
            ),
            (
                ObserverOptions { radii_m: vec![(5, 100.0)], ..here() },
                "a level of the observer at 32, 32 m is 5: choose 0 (finest) to 4 (coarsest)",
            ),
            (
                radius(0.0),
                "the radius for level 2 of the observer at 32, 32 m is 0: choose more than 0, at \
                 most 10⁹ m",
            ),
        ] {
            let error = Observer::try_new(&options, &world()).expect_err(message);
            assert_eq!(error.to_string(), message);
        }
        for radius_m in [-1.0, nan, f64::INFINITY] {
            Observer::try_new(&radius(radius_m), &world()).expect_err("no radius");
        }
    }
}
