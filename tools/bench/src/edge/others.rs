//! Two outlets, a plain under rain: each against a map that reaches farther. A coast with a tide:
//! nothing crosses it along an endless shore.

use crate::edge::{SOLVERS, run, settings};
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::{WorldPlan, out_m3, place};
use std::f64::consts::TAU;
use thalweg::world::{EdgeKind, EdgePlace, SectionLine, World, WorldBuilder};
use thalweg_engine::grid::Side;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::Solver;

/// Outflow by each outlet.
pub const BENCH: Bench = Bench {
    ids: &["edge.others"],
    what: "two rivers that leave over two edges, a coast with a tide beside two open edges, a \
           plain under rain, both solvers: what crosses each edge off what crosses its line on a \
           map that reaches 100 cells farther, along the coast off nothing",
    is_long: true,
    measure,
};

const CELLS: i64 = 160;
const CELL_M: f64 = 10.0;
const FARTHER: i64 = 100;
/// A tide of 12.4 h, 2 m high, and its moments, s.
const TIDE_S: f64 = 44_640.0;
const TIDE_M: f64 = 1.0;
const MOMENTS: u32 = 96;
/// Rain of 60 mm/h, m/s.
const RAIN_M_S: f64 = 60.0e-3 / 3600.0;

/// A case: its ground in m by the metres east and north of the shorter map's corner, the sides
/// beyond which the longer map reaches, and its duration.
struct EdgeMapCase {
    name: &'static str,
    bed_m: fn([f64; 2]) -> f64,
    open: &'static [Side],
    /// True if the ground is the same along the coast: nothing crosses lines that run out to sea.
    is_uniform: bool,
    end_s: f64,
    fill: fn(WorldBuilder, EdgeMap) -> Result<WorldBuilder, BenchError>,
}

const CASES: [EdgeMapCase; 3] = [
    EdgeMapCase {
        name: "two outlets",
        bed_m: rivers_m,
        open: &[Side::South, Side::East],
        is_uniform: false,
        end_s: 3.0 * 3600.0,
        fill: with_rivers,
    },
    EdgeMapCase {
        name: "a coast",
        bed_m: |[east, _]| -6.0 + 0.006 * east,
        open: &[Side::South, Side::North],
        is_uniform: true,
        end_s: TIDE_S,
        fill: with_tide,
    },
    EdgeMapCase {
        name: "a plain",
        bed_m: |[_, north]| 10.0 + 0.001 * north,
        open: &[Side::South],
        is_uniform: false,
        end_s: 3.0 * 3600.0,
        fill: |builder, _| Ok(builder.rain("rain", &[(0.0, RAIN_M_S)])?),
    },
];

/// A map, with its start in cells west and south of the shorter one, and its size.
#[derive(Debug, Clone, Copy)]
struct EdgeMap {
    from: [i64; 2],
    size: [i64; 2],
}

impl EdgeMap {
    /// Makes the map of a case, longer where water leaves.
    fn of(case: &EdgeMapCase, farther: i64) -> Self {
        let more = |side: Side| if case.open.contains(&side) { farther } else { 0 };
        let from = [more(Side::West), more(Side::South)];
        let size = [CELLS + from[0] + more(Side::East), CELLS + from[1] + more(Side::North)];
        Self { from, size }
    }

    /// Returns the middle of a cell, m from the corner of the shorter map.
    fn middle_m(self, x: usize, y: usize) -> [f64; 2] {
        let at = |i: usize, cell: usize| (cell as f64 + 0.5 - self.from[i] as f64) * CELL_M;
        [at(0, x), at(1, y)]
    }

    /// Returns cells of the shorter map that a test picks by their columns and rows there.
    fn cells(self, is_in: impl Fn(i64, i64) -> bool) -> Vec<CellPlace> {
        let all = (0..CELLS).flat_map(|y| (0..CELLS).map(move |x| (x, y)));
        let number = |i: i64| usize::try_from(i).expect("within the map");
        let place = |(x, y): (i64, i64)| place(number(x + self.from[0]), number(y + self.from[1]));
        all.filter(|&(x, y)| is_in(x, y)).map(place).collect()
    }

    /// Returns the line of a side of the shorter map, with the outflow to its right.
    fn line_m(self, side: Side) -> Vec<[f64; 2]> {
        let at = |x: i64, y: i64| [x + self.from[0], y + self.from[1]].map(|i| i as f64 * CELL_M);
        match side {
            Side::West => vec![at(0, CELLS), at(0, 0)],
            Side::East => vec![at(CELLS, 0), at(CELLS, CELLS)],
            Side::South => vec![at(0, 0), at(CELLS, 0)],
            Side::North => vec![at(CELLS, CELLS), at(0, CELLS)],
        }
    }
}

/// Returns the bed of two rivers 60 m wide: one from the north to the south, one from its midst to
/// the east.
fn rivers_m(at: [f64; 2]) -> f64 {
    let along = |from: [f64; 2], lean: [f64; 2]| {
        let [dx, dy] = [at[0] - from[0], at[1] - from[1]];
        let length = lean[0].hypot(lean[1]);
        let along = (dx * lean[0] + dy * lean[1]) / length;
        let away = ((dx * lean[1] - dy * lean[0]) / length).abs();
        14.0 - 0.0015 * along + if away <= 30.0 { 0.0 } else { 2.0 + 0.02 * (away - 30.0) }
    };
    along([500.0, 1600.0], [-0.2, -1.0]).min(along([800.0, 1600.0], [1.0, -1.1]))
}

fn with_rivers(builder: WorldBuilder, map: EdgeMap) -> Result<WorldBuilder, BenchError> {
    let columns = |from: i64| map.cells(|x, y| y == CELLS - 3 && (from..from + 5).contains(&x));
    let discharge = |m3_s: f64| [(0.0, 0.0), (900.0, m3_s)];
    let builder = builder.inflow("north river", &discharge(120.0), &columns(47))?;
    Ok(builder.inflow("east river", &discharge(80.0), &columns(80))?)
}

fn with_tide(builder: WorldBuilder, _: EdgeMap) -> Result<WorldBuilder, BenchError> {
    let moment = |n: u32| {
        let time_s = TIDE_S * f64::from(n) / f64::from(MOMENTS);
        (time_s, -TIDE_M * (TAU * time_s / TIDE_S).cos())
    };
    let tide = EdgeKind::Stage((0..=MOMENTS).map(moment).collect());
    Ok(builder.edge("sea", EdgePlace::Side(Side::West), tide).initial_stage(|_| -TIDE_M))
}

/// Returns the name of an open side, and of its account.
fn account(side: Side) -> String {
    format!("open {side:?}")
}

/// Makes the world of a case.
fn world(case: &EdgeMapCase, solver: Solver, map: EdgeMap) -> Result<World, BenchError> {
    let number = |cells: i64| usize::try_from(cells).expect("some hundred cells");
    let [width, height] = map.size.map(number);
    let plan = WorldPlan { width, height, cell_m: CELL_M, exponent: 18, datum_m: 0.0 };
    let mut builder = WorldBuilder::new(plan.terrain(|x, y| (case.bed_m)(map.middle_m(x, y)))?)
        .settings(settings(solver, 0.03));
    for &side in case.open {
        builder = builder.edge(&account(side), EdgePlace::Side(side), EdgeKind::Open);
    }
    Ok((case.fill)(builder, map)?.build()?)
}

/// Volumes of a case, m³.
struct Volumes {
    /// Volumes over each open side of the shorter map, and over its line on the longer one.
    sides: Vec<(String, [f64; 2])>,
    /// Volume that flowed into the shorter map.
    came: f64,
}

/// Returns volumes that cross the line of each open side on the longer map, m³.
fn beyond(case: &EdgeMapCase, solver: Solver) -> Result<Vec<f64>, BenchError> {
    let mut far = world(case, solver, EdgeMap::of(case, FARTHER))?;
    for &side in case.open {
        let points_m = EdgeMap::of(case, FARTHER).line_m(side);
        far.put_section(SectionLine { name: format!("{side:?}"), points_m })?;
    }
    run(&mut far, case.end_s)?;
    let net = |side: &Side| far.section(&format!("{side:?}")).expect("it was put").net();
    Ok(case.open.iter().map(|side| net(side) as f64 * far.water().unit_m3()).collect())
}

fn volumes(case: &EdgeMapCase, solver: Solver) -> Result<Volumes, BenchError> {
    let mut near = world(case, solver, EdgeMap::of(case, 0))?;
    run(&mut near, case.end_s)?;
    let beyond = if case.is_uniform { vec![0.0; case.open.len()] } else { beyond(case, solver)? };
    let own = |&side: &Side| (format!("{side:?}"), out_m3(&near, &account(side)));
    let sides = case.open.iter().map(own).zip(beyond);
    let sides = sides.map(|((name, own), beyond)| (name, [own, beyond])).collect();
    let came: i128 = near.water().ledger().accounts().iter().map(|account| account.into).sum();
    Ok(Volumes { sides, came: came as f64 * near.water().unit_m3() })
}

fn measure(_: &Context) -> BenchResult {
    let (mut worst, mut note) = (0.0_f64, Vec::new());
    for case in &CASES {
        for (name, solver) in SOLVERS {
            let Volumes { sides, came } = volumes(case, solver)?;
            for (side, [near, far]) in sides {
                if came <= 0.0 || !case.is_uniform && near <= 0.0 {
                    return Err(format!("{}, {name}, {side}: nothing left", case.name).into());
                }
                // An edge over which little passes counts by a tenth of the inflow.
                let off = (near - far) / far.abs().max(0.1 * came);
                worst = worst.max(off.abs());
                note.push(format!(
                    "{}, {name}, {side}: {near:.0} m³, {far:.0} m³ ({:+.1} %)",
                    case.name,
                    100.0 * off
                ));
            }
        }
    }
    Ok(vec![
        Measurement::new("edge.others", worst, "1")
            .target("<= 0.03")
            .cells(usize::try_from((CELLS + FARTHER) * (CELLS + FARTHER)).expect("few"))
            .note(note.join("; ")),
    ])
}
