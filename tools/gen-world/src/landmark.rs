//! Places for a scenario to name: places to pour water in and places to watch it.

use crate::course::{CoursePoint, Watercourse};
use crate::sheet::{NORTH_M, WEST_M};
use crate::town::SQUARE_MIDDLE;
use crate::valley::MAP_EAST_M;
use crate::world::SampleWorld;

/// A named cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Landmark {
    /// Name of the landmark.
    pub name: &'static str,
    /// Cell of the landmark.
    pub cell: usize,
}

impl Landmark {
    /// Returns the easting and northing of the cell's centre in the file's reference system, m.
    #[must_use]
    pub fn coordinates(&self, world: &SampleWorld) -> (f64, f64) {
        let (x, y) = world.lattice.centre(self.cell);
        (WEST_M + x, NORTH_M - y)
    }
}

/// Returns the landmarks of a world, in the order in which the water passes them.
#[must_use]
pub fn landmarks(world: &SampleWorld) -> Vec<Landmark> {
    let (river, brook) = (&world.plan.river, &world.plan.brook);
    let (town, dam) = (&world.town, &world.dam);
    let places = [
        ("river inflow", in_bed(world, river, |point| point.x > 260.0)),
        ("reservoir", Some(world.reservoir)),
        ("dam overflow", world.lattice.cell_at(dam.x, dam.y)),
        ("brook inflow", in_bed(world, brook, |point| point.y > 60.0)),
        ("brook", in_bed(world, brook, |point| point.y > 1150.0)),
        ("river at the town", in_bed(world, river, |point| point.x > town.x)),
        ("market square", market_square(world)),
        ("outlet", in_bed(world, river, |point| point.x > MAP_EAST_M - 50.0)),
    ];
    let known = places.into_iter();
    known.filter_map(|(name, cell)| cell.map(|cell| Landmark { name, cell })).collect()
}

fn market_square(world: &SampleWorld) -> Option<usize> {
    let (east, south) = SQUARE_MIDDLE;
    world.lattice.cell_at(world.town.x + east, world.town.y + south)
}

/// Returns the lowest cell of a course's bed at the first point for which `there` is true.
fn in_bed(
    world: &SampleWorld,
    course: &Watercourse,
    there: impl Fn(&CoursePoint) -> bool,
) -> Option<usize> {
    let point = course.points.iter().find(|point| there(point))?;
    lowest(world, world.lattice.cells_near(point.x, point.y, 10.0))
}

fn lowest(world: &SampleWorld, cells: impl Iterator<Item = usize>) -> Option<usize> {
    cells.min_by_key(|cell| (world.heights[*cell], *cell))
}
