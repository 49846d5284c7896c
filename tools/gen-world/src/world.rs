//! The finished world: everything in its order, cut to the map and rounded.

use crate::channel::{along, carve, rills};
use crate::course::Watercourse;
use crate::dam::EarthDam;
use crate::drainage::fill;
use crate::lattice::{CellLattice, SIDES, smooth};
use crate::noise::Noise;
use crate::town::{Town, Use};
use crate::valley::{CELL_M, MARGIN, ValleyPlan, catchments, hills};

/// Vertical units in a metre: heights in the file are multiples of 1/64 m.
pub const UNITS_PER_M: f64 = 64.0;

/// Land cover, as numbered in the land-cover raster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum LandCover {
    /// River and brook bed.
    Bed = 1,
    /// Meadow on the valley floors.
    Meadow = 2,
    /// Pasture on the hills.
    Pasture = 3,
    /// Forest.
    Forest = 4,
    /// Streets and yards.
    Street = 5,
    /// Houses.
    House = 6,
    /// The dam.
    Embankment = 7,
}

/// A made world, north row first.
#[derive(Debug)]
pub struct SampleWorld {
    /// Place of its cells, in local metres.
    pub lattice: CellLattice,
    /// Ground in 1/64 m above datum.
    pub heights: Vec<i32>,
    /// Land cover of each cell.
    pub cover: Vec<LandCover>,
    /// Lowest cell of the reservoir, the only closed pit.
    pub reservoir: usize,
    /// The dam.
    pub dam: EarthDam,
    /// The town.
    pub town: Town,
    /// The courses.
    pub plan: ValleyPlan,
}

impl SampleWorld {
    /// Makes the world that belongs to a seed.
    #[must_use]
    pub fn from_seed(seed: u64) -> Self {
        let plan = ValleyPlan::new(seed);
        let (lattice, mut heights) = hills(&plan, seed);
        soften(&lattice, &mut heights);
        let is_bed = water(&plan, &lattice, &mut heights);
        let town = Town::beside(&plan.river, 2850.0, 1500.0);
        let uses = town.build(&lattice, &mut heights, &plan.river, seed);
        let dam = EarthDam::across(&plan.valley, 1640.0, 1350.0);
        let is_dam = dam.build(&lattice, &mut heights);

        let cover = cover(&plan, &lattice, &heights, seed, |cell| match uses[cell] {
            _ if is_dam[cell] => Some(LandCover::Embankment),
            _ if is_bed[cell] => Some(LandCover::Bed),
            Use::House => Some(LandCover::House),
            Use::Open => Some(LandCover::Street),
            Use::Land => None,
        });
        let map = CellLattice {
            width: lattice.width - 2 * MARGIN,
            height: lattice.height - 2 * MARGIN,
            step_m: CELL_M,
            west_m: 0.0,
            north_m: 0.0,
        };
        let mut heights: Vec<i32> = cut(&lattice, &heights).into_iter().map(units).collect();
        let reservoir = deepest_behind(&dam, &plan.river, &map, &heights);
        let is_base = |cell| map.is_rim(cell) || Some(cell) == reservoir;
        fill(&map, &mut heights, is_base, 1, &SIDES);
        Self {
            lattice: map,
            heights,
            cover: cut(&lattice, &cover),
            reservoir: reservoir.unwrap_or(0),
            dam,
            town,
            plan,
        }
    }
}

impl SampleWorld {
    /// Returns whether the reservoir covers each cell when it is full to its overflow.
    #[must_use]
    pub fn lake(&self) -> Vec<bool> {
        let mut is_lake = vec![false; self.lattice.count()];
        let mut shore = vec![self.reservoir];
        while let Some(cell) = shore.pop() {
            if is_lake[cell] || f64::from(self.heights[cell]) >= self.dam.sill_m * UNITS_PER_M {
                continue;
            }
            is_lake[cell] = true;
            shore.extend(SIDES.iter().filter_map(|step| self.lattice.beside(cell, *step)));
        }
        is_lake
    }
}

/// Rounds to whole units. Heights are far within the range.
#[expect(clippy::cast_possible_truncation, reason = "a few hundred metres times 64")]
fn units(height_m: f64) -> i32 {
    (height_m * UNITS_PER_M).round() as i32
}

/// Returns the map without its margin.
fn cut<T: Copy>(lattice: &CellLattice, plane: &[T]) -> Vec<T> {
    let rows = plane.chunks(lattice.width);
    let rows = rows.skip(MARGIN).take(lattice.height - 2 * MARGIN);
    rows.flat_map(|row| &row[MARGIN..lattice.width - MARGIN]).copied().collect()
}

/// Rounds off the foot of the slopes, at the boundary between hills and flat floors.
fn soften(lattice: &CellLattice, heights: &mut Vec<f64>) {
    *heights = smooth(lattice, std::mem::take(heights), 0.15, 2);
}

/// Cuts the beds of all running water and returns which cells are bed of river or brook.
fn water(plan: &ValleyPlan, lattice: &CellLattice, heights: &mut [f64]) -> Vec<bool> {
    let drainage = catchments(plan, lattice, heights);
    let river = along(&plan.river, lattice, &drainage, None);
    let end = plan.brook.points[plan.brook.points.len() - 1];
    let mouth_bed_m = river[plan.river.nearest(end.x, end.y)].bed_m;
    let brook = along(&plan.brook, lattice, &drainage, Some(mouth_bed_m));

    let mut is_bed = vec![false; lattice.count()];
    for (course, channel) in [(&plan.river, &river), (&plan.brook, &brook)] {
        let strip = course.strip(lattice, 40.0);
        for (cell, is_bed) in is_bed.iter_mut().enumerate() {
            let reach = &channel[course.index(strip.place[cell])];
            *is_bed |= strip.offset_m[cell].abs() < reach.half_width_m;
        }
    }
    for rill in rills(lattice, heights, &drainage, &is_bed) {
        carve(lattice, heights, &rill);
    }
    carve(lattice, heights, &brook);
    carve(lattice, heights, &river);
    is_bed
}

/// Returns the lowest place of the reservoir: the river's bed just above the dam.
fn deepest_behind(
    dam: &EarthDam,
    river: &Watercourse,
    map: &CellLattice,
    heights: &[i32],
) -> Option<usize> {
    let behind = river.points.iter().filter(|point| {
        let (along, down) = dam.beside(point.x, point.y);
        along.abs() < 100.0 && (-120.0..0.0).contains(&down)
    });
    let near = behind.flat_map(|point| map.cells_near(point.x, point.y, 15.0));
    near.min_by_key(|cell| (heights[*cell], *cell))
}

fn cover(
    plan: &ValleyPlan,
    lattice: &CellLattice,
    heights: &[f64],
    seed: u64,
    built: impl Fn(usize) -> Option<LandCover>,
) -> Vec<LandCover> {
    let woods = Noise::new(seed, 9);
    let valley = plan.valley.strip(lattice, 260.0);
    let brook = plan.brook.strip(lattice, 80.0);
    let is_floor = |cell: usize| {
        [(&plan.valley, &valley), (&plan.brook, &brook)].iter().any(|(course, strip)| {
            strip.offset_m[cell].is_finite()
                && heights[cell] < course.along(strip.place[cell], |p| p.level_m) + 3.0
        })
    };
    let natural = |cell: usize| {
        let (x, y) = lattice.centre(cell);
        let around = SIDES.map(|step| heights[lattice.beside(cell, step).unwrap_or(cell)]);
        let (east, south) = (around[1] - around[0], around[2] - around[3]);
        let slope = (east * east + south * south).sqrt() / (2.0 * lattice.step_m);
        if is_floor(cell) {
            LandCover::Meadow
        } else if slope + 0.25 * woods.fractal(x, y, 300.0, 4) > 0.27 {
            LandCover::Forest
        } else {
            LandCover::Pasture
        }
    };
    let cells = 0..lattice.count();
    cells.map(|cell| built(cell).unwrap_or_else(|| natural(cell))).collect()
}
