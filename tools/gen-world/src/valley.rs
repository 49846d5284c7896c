//! The plan of the sample world: the courses of valleys, river and brook, and the hills between
//! them.
//!
//! ```text
//!      west                                                   east
//!   north  ·  hills      brook │ side valley    hills  ·
//!     river ──╮ reservoir │dam│╯──╮  confluence      ╭──── river leaves
//!             ╰──────────gorge────╰── town terrace ──╯
//! ```
//!
//! The valley floors are laid out by hand, moved about a little by the seed, and stay as they are
//! while the hills around them rise and erode.

use crate::course::{Bend, Watercourse};
use crate::drainage::{Drainage, NOWHERE, trace};
use crate::erosion::{Climate, erode};
use crate::lattice::{CellLattice, refine};
use crate::noise::{Noise, ramp};

/// Width of the finished map, m.
pub const MAP_EAST_M: f64 = 3840.0;
/// Height of the finished map from north to south, m.
pub const MAP_SOUTH_M: f64 = 2560.0;
/// Width of a finished cell, m.
pub const CELL_M: f64 = 5.0;
/// Cells around the map that are made and cut off again.
pub const MARGIN: usize = 64;

/// Soil creep of a full round, m².
const CREEP_M2: f64 = 9.0;

/// Level of the valley floor where the river leaves the lattice, m above datum.
const MOUTH_LEVEL_M: f64 = 120.0;

/// Courses of the main valley, the river and the brook.
#[derive(Debug)]
pub struct ValleyPlan {
    /// The middle of the main valley.
    pub valley: Watercourse,
    /// The river, winding about in it.
    pub river: Watercourse,
    /// The brook in the side valley, down to the river.
    pub brook: Watercourse,
}

impl ValleyPlan {
    /// Makes the plan for a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let jitter = Noise::new(seed, 1);
        let valley = Watercourse::through(&main_bends(&jitter), MOUTH_LEVEL_M);
        let wind = Noise::new(seed, 2);
        let river = valley.shifted(|point| {
            let room = 0.55 * (point.half_width_m - 22.0).max(0.0);
            let free = (1.7 * wind.fractal(point.station_m, 0.5, 310.0, 2)).clamp(-1.0, 1.0);
            // Beyond the town the river keeps to the north side of its valley.
            let beside_town = ramp(point.x, 2420.0, 2620.0) * ramp(point.x, 3260.0, 3060.0);
            room * (free + beside_town * (0.25 * free - 0.85 - free))
        });
        let mouth = river.points[river.nearest(2330.0, 1470.0)];
        let bends = side_bends(&jitter, (mouth.x, mouth.y));
        let side = Watercourse::through(&bends, mouth.level_m);
        let brook = side.shifted(|point| {
            let end = side.points[side.points.len() - 1].station_m;
            let fade = ramp(end - point.station_m, 0.0, 120.0);
            fade * 9.0 * wind.fractal(point.station_m, 77.5, 120.0, 2)
        });
        Self { valley, river, brook }
    }
}

fn main_bends(jitter: &Noise) -> Vec<Bend> {
    let plan = [
        (-420.0, 1000.0, 40.0, 0.014),
        (-60.0, 1120.0, 40.0, 0.014),
        (330.0, 1240.0, 50.0, 0.013),
        (760.0, 1080.0, 95.0, 0.013),
        (1170.0, 1130.0, 100.0, 0.014),
        (1500.0, 1330.0, 40.0, 0.016),
        (1780.0, 1360.0, 42.0, 0.012),
        (2080.0, 1330.0, 75.0, 0.008),
        (2420.0, 1480.0, 120.0, 0.006),
        (2840.0, 1560.0, 150.0, 0.005),
        (3240.0, 1370.0, 140.0, 0.005),
        (3640.0, 1330.0, 120.0, 0.005),
        (4300.0, 1480.0, 120.0, 0.005),
    ];
    bends(&plan, jitter, 0)
}

fn side_bends(jitter: &Noise, mouth: (f64, f64)) -> Vec<Bend> {
    let plan = [
        (2170.0, -420.0, 16.0, 0.060),
        (2060.0, -60.0, 16.0, 0.060),
        (2190.0, 260.0, 18.0, 0.050),
        (2030.0, 560.0, 22.0, 0.042),
        (2230.0, 900.0, 26.0, 0.034),
        (2250.0, 1180.0, 30.0, 0.024),
        (mouth.0, mouth.1, 30.0, 0.014),
    ];
    let mut bends = bends(&plan, jitter, 100);
    if let Some(last) = bends.last_mut() {
        (last.x, last.y) = mouth;
    }
    bends
}

fn bends(plan: &[(f64, f64, f64, f64)], jitter: &Noise, first: u64) -> Vec<Bend> {
    (first..)
        .zip(plan)
        .map(|(index, &(x, y, half_width_m, slope))| Bend {
            x: x + 50.0 * (jitter.draw(2 * index) - 0.5),
            y: y + 50.0 * (jitter.draw(2 * index + 1) - 0.5),
            half_width_m,
            slope,
        })
        .collect()
}

/// Returns the level of the flat ground of the valleys by cell, m; NaN on the hills.
fn floors(plan: &ValleyPlan, lattice: &CellLattice, seed: u64) -> Vec<f64> {
    let mut floors = vec![f64::NAN; lattice.count()];
    let relief = Noise::new(seed, 3);
    for course in [&plan.valley, &plan.brook] {
        let strip = course.strip(lattice, 190.0);
        for (cell, floor) in floors.iter_mut().enumerate() {
            let offset = strip.offset_m[cell].abs();
            let place = strip.place[cell];
            if offset > 190.0 {
                continue;
            }
            let (x, y) = lattice.centre(cell);
            let ragged = 1.0 + 0.3 * relief.fractal(x, y, 160.0, 3);
            if offset > course.along(place, |p| p.half_width_m) * ragged {
                continue;
            }
            let uneven = 0.25 * relief.fractal(y, x, 110.0, 3);
            let level = course.along(place, |p| p.level_m) + 0.006 * offset + uneven;
            *floor = if floor.is_nan() { level } else { floor.min(level) };
        }
    }
    floors
}

/// Returns the ground before anything is carved by hand, m above datum, at [`CELL_M`] with the
/// margin.
///
/// Coarse rounds decide the courses of the valleys, finer ones form the gullies.
#[must_use]
pub fn hills(plan: &ValleyPlan, seed: u64) -> (CellLattice, Vec<f64>) {
    let mut lattice = CellLattice {
        width: 224,
        height: 160,
        step_m: 4.0 * CELL_M,
        west_m: -(MARGIN as f64) * CELL_M,
        north_m: -(MARGIN as f64) * CELL_M,
    };
    let mut heights = first_guess(plan, &lattice, seed);
    for (rounds, share) in [(120, 1.0), (40, 0.6), (10, 0.6)] {
        weather(plan, &lattice, seed, &mut heights, rounds, share);
        if lattice.step_m > CELL_M {
            heights = refine(&lattice, &heights);
            lattice = lattice.halved();
        }
    }
    (lattice, heights)
}

/// Returns the drainage of the finished hills; its catchments, m², include the areas outside the
/// map that river and brook drain.
///
/// The floors are too flat to lead water to a river that has no bed yet, so it is led there.
#[must_use]
pub fn catchments(plan: &ValleyPlan, lattice: &CellLattice, heights: &[f64]) -> Drainage {
    let mut heights = heights.to_vec();
    for (course, reach_m) in [(&plan.river, 90.0), (&plan.brook, 35.0)] {
        let strip = course.strip(lattice, reach_m);
        for (height, offset) in heights.iter_mut().zip(&strip.offset_m) {
            *height -= 3.0 * (1.0 - offset.abs() / reach_m).max(0.0);
        }
    }
    let is_base: Vec<bool> = (0..lattice.count()).map(|cell| lattice.is_rim(cell)).collect();
    let mut drainage = trace(lattice, &mut heights, &is_base, &Noise::new(0, 0));
    for (course, outside_m2) in [(&plan.river, 70.0e6), (&plan.brook, 4.0e6)] {
        let first = course.points.iter().find_map(|p| lattice.cell_at(p.x, p.y));
        let mut next = first;
        while let Some(cell) = next {
            drainage.catchments[cell] += outside_m2;
            next = Some(drainage.receivers[cell]).filter(|receiver| *receiver != NOWHERE);
        }
    }
    drainage
}

fn first_guess(plan: &ValleyPlan, lattice: &CellLattice, seed: u64) -> Vec<f64> {
    let relief = Noise::new(seed, 4);
    (0..lattice.count())
        .map(|cell| {
            let (x, y) = lattice.centre(cell);
            let climb = [&plan.valley, &plan.brook].map(|course| {
                let point = course.points[course.nearest(x, y)];
                let (dx, dy) = (point.x - x, point.y - y);
                point.level_m + 0.05 * (dx * dx + dy * dy).sqrt()
            });
            climb[0].min(climb[1]) + 25.0 + 28.0 * relief.fractal(x, y, 700.0, 7)
        })
        .collect()
}

fn weather(
    plan: &ValleyPlan,
    lattice: &CellLattice,
    seed: u64,
    heights: &mut [f64],
    rounds: usize,
    share: f64,
) {
    let floors = floors(plan, lattice, seed);
    let is_base: Vec<bool> = floors.iter().map(|floor| !floor.is_nan()).collect();
    for (height, floor) in heights.iter_mut().zip(&floors) {
        if !floor.is_nan() {
            *height = *floor;
        }
    }
    let (rock, rise) = (Noise::new(seed, 5), Noise::new(seed, 6));
    let by_place = |value: &dyn Fn(f64, f64) -> f64| -> Vec<f64> {
        let centres = (0..lattice.count()).map(|cell| lattice.centre(cell));
        centres.map(|(x, y)| value(x, y)).collect()
    };
    let climate = Climate {
        uplift: &by_place(&|x, y| {
            let downstream = 1.25 - 0.5 * ramp(x, 600.0, 3600.0);
            share * 0.42 * downstream * (1.0 + 0.8 * rise.fractal(x, y, 1400.0, 3)).max(0.1)
        }),
        erodibility: &by_place(&|x, y| {
            share * 0.03 * (1.0 + 0.7 * rock.fractal(x, y, 260.0, 5)).max(0.25)
        }),
        creep: (share * CREEP_M2 / (lattice.step_m * lattice.step_m)).min(0.2),
        slope_max: 0.6,
        grain: Noise::new(seed, 7),
        is_base: &is_base,
    };
    erode(lattice, heights, &climate, rounds);
}
