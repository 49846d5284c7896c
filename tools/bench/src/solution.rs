//! Part of its work that a flood needs.
//!
//! ```text
//! cells  = cell-steps of blocks that water may reach / Σ steps · cells wet or beside wet
//! steps  = those cell-steps / what would be left of them if each leaf took its own longest steps
//! ```
//!
//! The case is the river of [`subgrid::river`](crate::subgrid::river) on cells of 1 m: 12 m wide,
//! in a valley of 192 m that is dry at first. `peers` reports the second figure of its floods, too.

use crate::subgrid::columns::CoarseColumns;
use crate::subgrid::river::{END_S, world};
use crate::suite::{Bench, BenchResult, Context};
use crate::table::Measurement;
use crate::world::check_books;
use thalweg::units::SimTime;
use thalweg::world::World;
use thalweg_engine::sim::Solver;

/// Both figures, worst of both solvers.
pub const BENCHES: &[Bench] = &[Bench {
    ids: &["solution.cells", "solution.steps"],
    what: "a river 12 m wide in a valley: cells stepped over those wet or beside wet; steps over \
           those that each leaf's own water asks for, weighted by cells",
    is_long: true,
    measure,
}];

fn measure(_: &Context) -> BenchResult {
    let mut figures = Vec::new();
    for solver in [Solver::Pipe, Solver::ShallowWater] {
        let mut world = world(0, CoarseColumns::Flat, solver)?;
        let (mut stepped, mut near, mut least) = (0.0, 0.0, 0.0);
        while world.time() < SimTime::from_seconds(END_S) {
            let report = world.run_cycle(SimTime::from_seconds(END_S));
            stepped += report.wet_cell_steps as f64;
            least += report.least_cell_steps;
            near += near_water(&world) as f64 * f64::from(report.steps);
        }
        check_books(&world)?;
        figures.push((format!("{solver:?}"), stepped / near, stepped / least));
    }
    let of = |id, at: fn(&(String, f64, f64)) -> f64, most| {
        let worst = figures.iter().map(at).fold(0.0, f64::max);
        let each: Vec<_> = figures.iter().map(|f| format!("{} {:.2}", f.0, at(f))).collect();
        Measurement::new(id, worst, "1").target(most).note(each.join(", "))
    };
    Ok(vec![
        of("solution.cells", |figure| figure.1, "<= 2"),
        of("solution.steps", |figure| figure.2, "<= 1.5"),
    ])
}

/// Returns the number of cells of a world of one level that are wet and in an awake leaf, or that
/// share a face with such a cell.
fn near_water(world: &World) -> usize {
    let (width, height) = world.size();
    let mut is_wet = vec![false; width * height];
    let (simulation, forest) = (world.simulation(), world.simulation().forest());
    let awake = forest.ids().filter(|leaf| !simulation.asleep()[leaf.index()]);
    for leaf in awake {
        for (cell, &depth) in simulation.water(leaf).depth.iter().enumerate() {
            let place = forest.place_of(leaf, cell);
            let (x, y) = (place.x as usize, place.y as usize);
            if depth > 0 && x < width && y < height {
                is_wet[y * width + x] = true;
            }
        }
    }
    let at = |x: usize, y: usize| x < width && y < height && is_wet[y * width + x];
    let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    let near = places.filter(|&(x, y)| {
        let (west, south) = (x.wrapping_sub(1), y.wrapping_sub(1));
        at(x, y) || at(west, y) || at(x + 1, y) || at(x, south) || at(x, y + 1)
    });
    near.count()
}
