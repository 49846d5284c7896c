//! A lake whose levels change again and again, its shores among them.

use crate::adaptive::observer;
use crate::suite::Absence;
use crate::suite::Bench;
use crate::suite::Context;
use crate::suite::Outcome;
use crate::table::Measurement;
use crate::world::Plan;
use thalweg::grid::TILE_CELLS;
use thalweg::sim::Settings;
use thalweg::units::SimTime;
use thalweg::world::AdaptiveOptions;
use thalweg::world::World;
use thalweg::world::WorldBuilder;

/// The shore of a lake under regrids.
pub const BENCH: Bench = Bench {
    ids: &["forest.lake_regrid.stage_mm", "forest.lake_regrid.speed"],
    what: "a lake of 1 km², 5 m deep, whose levels change by three, a hundred times",
    is_long: true,
    measure,
};

const WHOLE: Plan = Plan { width: 1536, height: 1536, cell_m: 1.0, exponent: 20, datum_m: 0.0 };
const STAGE_M: f64 = 5.0;
/// Half the width of the level floor, m: with its banks the lake covers 1 km².
const HALF_M: f64 = 470.0;
const CHANGES: usize = 100;
/// Simulated time between two changes, s.
const BETWEEN_S: f64 = 6.0;

/// A square basin, banks 1:3 in the west and south, 1:20 in the east and north.
fn bed_m(x: usize, y: usize) -> f64 {
    let middle = WHOLE.width as f64 / 2.0;
    let bank = |at: usize| {
        let from = at as f64 + 0.5 - middle;
        if from < 0.0 { (-from - HALF_M) / 3.0 } else { (from - HALF_M) / 20.0 }
    };
    bank(x).max(bank(y)).clamp(0.0, 12.0)
}

/// Distance of the lake's mean stage from its own, m, and the largest distance of a single cell,
/// where no bank reaches; that of all cells deeper than 0.5 m; largest speed, m/s, of wet cells.
fn look(world: &World) -> [f64; 4] {
    let simulation = world.simulation();
    let scale = world.scale();
    let (mut open, mut shore, mut fastest) = (0.0_f64, 0.0_f64, 0.0_f64);
    let (mut sum, mut area) = (0.0_f64, 0.0_f64);
    for (leaf, key) in simulation.forest().leaves().iter().enumerate() {
        let (ground, water) = (simulation.ground(leaf), simulation.water(leaf));
        for cell in (0..TILE_CELLS).filter(|&cell| water.depth[cell] > 0) {
            let depth_m = scale.depth_m(water.depth[cell]);
            let bed_m = scale.metres(ground.bed[cell]);
            let off = (bed_m + depth_m - STAGE_M).abs();
            if bed_m == 0.0 {
                let cells = f64::from(1_u32 << (2 * key.level));
                (sum, area) = (sum + cells * (depth_m - STAGE_M), area + cells);
                open = open.max(off);
            }
            if depth_m > 0.5 {
                shore = shore.max(off);
            }
        }
    }
    let places =
        (0..WHOLE.height).step_by(4).flat_map(|y| (0..WHOLE.width).step_by(4).map(move |x| (x, y)));
    for (x, y) in places {
        let place = crate::world::place(x, y);
        fastest = fastest.max(world.speed_m_s(place).unwrap_or(0.0));
    }
    [(sum / area).abs(), open, shore, fastest]
}

fn measure(context: &Context) -> Outcome {
    let mut builder = WorldBuilder::new(WHOLE.terrain(bed_m)?);
    let scale = builder.extent(3)?;
    let middle = WHOLE.width as f64 / 2.0;
    let all = observer([middle; 2], &[(0, 2000.0)], &scale)?;
    builder = builder
        .settings(Settings { solver: context.solver, ..Settings::default() })
        .adaptive(AdaptiveOptions {
            coarsest: 3,
            interval_cycles: 1,
            min_age_cycles: 0,
            criteria: vec![all],
            ..AdaptiveOptions::default()
        })
        .initial_stage(Box::new(|_| STAGE_M));
    let mut world = builder.build()?;
    let (mut worst, mut halves, mut until) = ([0.0_f64; 4], [0.0_f64; 2], 0.0);
    for change in 0..CHANGES {
        let criteria = world.criteria_mut().ok_or("an adaptive world")?;
        criteria.clear();
        if change % 2 == 1 {
            criteria.push(observer([middle; 2], &[(0, 2000.0)], &scale)?);
        }
        until += BETWEEN_S;
        let mut cycle = 0;
        while world.time().seconds() < until {
            world.run_cycle(SimTime::from_seconds(until));
            cycle += 1;
            if cycle % 4 != 1 {
                continue;
            }
            let now = look(&world);
            worst.iter_mut().zip(now).for_each(|(worst, now)| *worst = worst.max(now));
            let half = &mut halves[usize::from(change >= CHANGES / 2)];
            *half = half.max(now[0]);
        }
    }
    if world.stored() != world.ledger().expected() {
        return Err(Absence::Failed("volume is lost".into()));
    }
    let note = format!(
        "levels 0 and 3 in turn every {BETWEEN_S} s, {CHANGES} changes; where no bank reaches the \
         mean stage is {:.1} mm off at most in the first half, {:.1} mm in the second, single \
         cells {:.0} mm; at the shore, in cells deeper than 0.5 m, {:.0} mm",
        1.0e3 * halves[0],
        1.0e3 * halves[1],
        1.0e3 * worst[1],
        1.0e3 * worst[2]
    );
    Ok(vec![
        Measurement::new("forest.lake_regrid.stage_mm", 1.0e3 * worst[0], "mm")
            .target("<= 15")
            .cells(WHOLE.cells())
            .note(note),
        Measurement::new("forest.lake_regrid.speed", worst[3], "m/s")
            .target("<= 0.5")
            .cells(WHOLE.cells()),
    ])
}
