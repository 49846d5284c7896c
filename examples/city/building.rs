//! Buildings, and the effect of water on them.

use super::map::{CityPoint, FARMS, PLANT, TOWN};
use thalweg::terrain::Shape;
use thalweg::world::FootprintWater;

/// A building is wrecked below this part of its worth.
const WRECKED: f64 = 0.4;

/// Kind of a building.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuildingKind {
    House,
    Farm,
    Plant,
}

impl BuildingKind {
    pub fn name(self) -> &'static str {
        ["house", "farm", "plant"][self as usize]
    }
}

/// A building: a square on the ground.
#[derive(Debug, Clone, Copy)]
pub struct Building {
    pub kind: BuildingKind,
    pub at: CityPoint,
    /// Part of the building that is left, 0 to 1.
    pub worth: f64,
    pub people: f64,
}

impl Building {
    pub fn new(kind: BuildingKind, at: CityPoint) -> Self {
        let people = if kind == BuildingKind::House { 3.0 } else { 0.0 };
        Self { kind, at, worth: 1.0, people }
    }

    /// Returns all buildings of the first day.
    pub fn all_at_first() -> Vec<Self> {
        let farms = FARMS.map(|at| Self::new(BuildingKind::Farm, at));
        let houses = TOWN.map(|at| Self::new(BuildingKind::House, at));
        houses.into_iter().chain(farms).chain([Self::new(BuildingKind::Plant, PLANT)]).collect()
    }

    pub fn half_m(&self) -> f64 {
        [8.0, 26.0, 18.0][self.kind as usize]
    }

    pub fn corners_m(&self) -> [CityPoint; 4] {
        let ([x, y], half) = (self.at, self.half_m());
        [[-half, -half], [half, -half], [half, half], [-half, half]].map(|[a, b]| [x + a, y + b])
    }

    pub fn area(&self) -> Shape {
        let [low_m, _, high_m, _] = self.corners_m();
        Shape::rectangle(low_m, high_m)
    }

    pub fn is_wrecked(&self) -> bool {
        self.worth < WRECKED
    }

    /// Lowers the worth by the water: depth soaks, and deep and fast flow takes walls.
    pub fn suffer(&mut self, water: &FootprintWater) {
        let soaked = ((depth_m(water) - 0.1) / 1.2).clamp(0.0, 0.8);
        let left = if water.hazard_now > 1.25 { 0.3 } else { 1.0 - soaked };
        self.worth = self.worth.min(left);
    }

    /// Returns the number of people with room in it: up to three, or six with full light.
    pub fn room(&self, light: f64) -> f64 {
        let is_home = self.kind == BuildingKind::House && !self.is_wrecked();
        if is_home { self.worth * (3.0 + 3.0 * light) } else { 0.0 }
    }
}

/// Returns the mean depth over the whole of a footprint, m.
pub fn depth_m(water: &FootprintWater) -> f64 {
    water.now.volume_m3 / water.now.area_m2
}
