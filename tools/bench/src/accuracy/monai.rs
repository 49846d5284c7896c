//! The tsunami of Okushiri (1993) at Monai, in a tank at 1 : 400: stages at three gauges, run-up.
//!
//! ```text
//!  wave at x = 0 ─▶ ~~~~~~~~~~~~~~~~~~~~~~╲ island ch5, 7, 9 ╱▔▔▔ valley, run-up
//!                   13.5 cm deep            ▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔
//! ```
//!
//! The bed is given at points 14 mm apart from x = y = 0: they are the centres of the cells. Run-up
//! at a place of the measurements is the largest stage at their maximum, bed and largest depth, of
//! cells that were wet: within two cells north and south of the place, 25 cm east and west.
//!
//! Limits:     the tank's waves are short enough to disperse a little; no shallow water shows that.
//!             The wave is used as the stage at x = 0, with the waves that the shore reflects.
//! Source:     Matsuyama & Tanaka (2001), Int. Tsunami Symposium 7-7; gauges and bed: Third Int.
//!             Workshop on Long-Wave Runup Models (2004), benchmark 2; run-up: Yamazaki (2009);
//!             n as in most published runs. Not fitted.

use crate::accuracy::case::{Case, CaseRow, Curve, Division, Ink, Plot};
use crate::accuracy::scheme::{Scheme, run_to};
use crate::measured::{cell_of, columns, mean_absolute, root_mean_square};
use crate::suite::{Bench, BenchError, Context};
use crate::table::Measurement;
use crate::world::terrain_of;
use rasters::{Grid, Hints, MemorySource};
use std::path::Path;
use thalweg::units::VerticalScale;
use thalweg::world::{EdgeKind, EdgePlace, MapKinds, World, WorldBuilder};
use thalweg_engine::grid::Side;
use thalweg_engine::grid::cells::CellPlace;

/// Stages at the gauges and run-up in the valley.
pub const BENCH: Bench = Bench {
    ids: &[
        "accuracy.monai.ch5",
        "accuracy.monai.ch7",
        "accuracy.monai.ch9",
        "accuracy.monai.runup",
    ],
    what: "tsunami in a tank: mean absolute error of the stage at three gauges, run-up",
    is_long: false,
    measure: |context| Ok(context.show(case(context)?)),
};

const MANNING: f64 = 0.01;
/// Time up to which the wave is given; walls that the tank did not have reflect nothing until then.
const END_S: f64 = 22.5;
/// Cells count as wet from this depth on: the tank's waves are centimetres high.
const WET_M: f64 = 0.001;

/// Readings of a gauge in its first second.
const REST_READINGS: usize = 20;

/// A gauge, and the result of another program there.
struct MonaiGauge {
    id: &'static str,
    plot: &'static str,
    caption: &'static str,
    target: &'static str,
    /// Column of the measurements, cm.
    column: usize,
    place: [f64; 2],
    /// Largest stage of ANUGA, m.
    published_max_m: f64,
}

const GAUGES: [MonaiGauge; 3] = [
    MonaiGauge {
        id: "accuracy.monai.ch5",
        plot: "monai_ch5.svg",
        caption: "Monai: stage at gauge ch5",
        target: "<= 0.0034",
        column: 1,
        place: [4.521, 1.196],
        published_max_m: 0.0355,
    },
    MonaiGauge {
        id: "accuracy.monai.ch7",
        plot: "monai_ch7.svg",
        caption: "Monai: stage at gauge ch7",
        target: "<= 0.0029",
        column: 2,
        place: [4.521, 1.696],
        published_max_m: 0.0386,
    },
    MonaiGauge {
        id: "accuracy.monai.ch9",
        plot: "monai_ch9.svg",
        caption: "Monai: stage at gauge ch9",
        target: "<= 0.0033",
        column: 3,
        place: [4.521, 2.196],
        published_max_m: 0.0432,
    },
];

/// Places of the measurements of run-up, the valley first, and the result of another program there,
/// m.
const RUNUPS: [([f64; 2], f64); 3] =
    [([5.1575, 1.88], 0.0944), ([5.03, 2.2062], 0.0624), ([4.9975, 2.32], 0.0559)];

/// The tank, and its contents.
struct Tank {
    grid: Grid,
    world: World,
}

/// Stages at the gauges, m, at the moments of the measurements.
struct MonaiRun {
    tank: Tank,
    stages_m: [Vec<f64>; 3],
}

fn case(context: &Context) -> Result<Case, BenchError> {
    let folder = context.data("monai")?;
    let mut measured = columns(&folder.join("output_ch5-7-9.csv"), [0, 1, 2, 3])?;
    measured.retain(|row| row[0] <= END_S);
    let times_s: Vec<f64> = measured.iter().map(|row| row[0]).collect();
    let run = |scheme| Tank::read(&folder, scheme)?.run(&times_s);
    let (shallow, pipe) = (run(Scheme::Second)?, run(Scheme::Pipe)?);
    let (mut rows, mut plots) = (Vec::new(), Vec::new());
    for (index, gauge) in GAUGES.iter().enumerate() {
        let measured: Vec<f64> = measured.iter().map(|row| 0.01 * row[gauge.column]).collect();
        let stages = [&shallow, &pipe].map(|run| run.stages_m[index].as_slice());
        rows.push(CaseRow::from(gauge.compare(stages, &measured).cells(shallow.tank.cells())));
        plots.push(gauge.plot(&times_s, stages, &measured));
    }
    let heights = [shallow.tank.runups()?, pipe.tank.runups()?];
    rows.push(runup_row(&folder, heights)?.cells(shallow.tank.cells()).into());
    Ok(Case {
        title: "Tsunami at Monai, in a tank",
        about: "A wave of 1.6 cm from the west runs over a shelf, around an island and up a narrow \
                valley: the tsunami of Okushiri (1993) at 1 : 400, on cells of 14 mm, n = 0.01, \
                22.5 s. Matsuyama & Tanaka (2001). Beside it the maxima of ANUGA, whose mean \
                absolute errors are the targets, and the run-up of another solver.",
        rows,
        plots,
    })
}

impl MonaiGauge {
    /// Returns the row of `stages`, of shallow water and the pipe method.
    fn compare(&self, [shallow, pipe]: [&[f64]; 2], measured: &[f64]) -> Measurement {
        let less = |stages: &[f64]| -> Vec<f64> {
            stages.iter().zip(measured).map(|(a, b)| a - b).collect()
        };
        let differences = less(shallow);
        // Before the wave arrives a gauge should read 0; ch5 reads 2.4 mm.
        let rest = &measured[..REST_READINGS.min(measured.len())];
        let zero = rest.iter().sum::<f64>() / rest.len() as f64;
        let zeroed: Vec<f64> = differences.iter().map(|difference| difference + zero).collect();
        let largest = |series: &[f64]| series.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let note = format!(
            "RMSE {:.2} mm, mean {:+.2} mm, pipe method {:.2} mm\n\
             largest stage {:.2} cm, measured {:.2}, ANUGA {:.2}, pipe method {:.2}\n\
             with the gauge's first second as its zero ({:+.2} mm): mean absolute error {:.2} mm",
            1.0e3 * root_mean_square(&differences),
            1.0e3 * differences.iter().sum::<f64>() / differences.len() as f64,
            1.0e3 * mean_absolute(&less(pipe)),
            100.0 * largest(shallow),
            100.0 * largest(measured),
            100.0 * self.published_max_m,
            100.0 * largest(pipe),
            1.0e3 * zero,
            1.0e3 * mean_absolute(&zeroed)
        );
        Measurement::new(self.id, mean_absolute(&differences), "m").target(self.target).note(note)
    }

    fn plot(&self, times_s: &[f64], [shallow, pipe]: [&[f64]; 2], measured: &[f64]) -> Plot {
        let curve = |name: &str, ink, stages: &[f64]| {
            let points = times_s.iter().zip(stages).map(|(&time, stage)| (time, 100.0 * stage));
            Curve { name: name.to_owned(), ink, points: points.step_by(2).collect() }
        };
        Plot {
            file: self.plot,
            caption: self.caption,
            axes: ["time, s", "stage, cm"],
            division: Division::Linear,
            curves: vec![
                curve("shallow water", Ink::Line, shallow),
                curve("pipe method", Ink::Line, pipe),
                curve("measured", Ink::Reference, measured),
            ],
        }
    }
}

/// Returns the run-up at the places of the measurements, by shallow water and the pipe method; the
/// value is the run-up of shallow water in the valley.
fn runup_row(folder: &Path, [shallow, pipe]: [[f64; 3]; 2]) -> Result<Measurement, BenchError> {
    let measured = columns(&folder.join("OBS_RUNUP.txt"), [0, 1, 2, 3, 4, 5, 6, 7])?;
    let mut lines = Vec::new();
    for (index, (place, published)) in RUNUPS.into_iter().enumerate() {
        let heights = &measured.get(index).ok_or("run-up of three places")?[2..];
        let low = heights.iter().copied().fold(f64::INFINITY, f64::min);
        let high = heights.iter().copied().fold(0.0, f64::max);
        lines.push(format!(
            "at y = {:.2} m: {:.2} cm, measured {:.2} to {:.2}, another solver {:.2}, \
             pipe method {:.2}",
            place[1],
            100.0 * shallow[index],
            100.0 * low,
            100.0 * high,
            100.0 * published,
            100.0 * pipe[index]
        ));
    }
    Ok(Measurement::new("accuracy.monai.runup", shallow[0], "m").note(lines.join("\n")))
}

impl Tank {
    fn read(folder: &Path, scheme: Scheme) -> Result<Self, BenchError> {
        let bed = folder.join("Benchmark_2_Bathymetry.asc");
        let (mut grid, beds) = rasters::read_all(rasters::open(&bed, &Hints::default())?.as_mut())?;
        grid.west -= 0.5 * grid.step_x;
        grid.north -= 0.5 * grid.step_y;
        let scale = VerticalScale::try_new(24, 0.0)?;
        let mut source = MemorySource::try_new(grid, beds)?;
        let (grid, terrain) = terrain_of(&mut source, |_, _| Ok(scale))?;
        let wave = columns(&folder.join("Benchmark_2_input.txt"), [0, 1])?;
        let wave = wave.into_iter().map(|[time_s, stage_m]| (time_s, stage_m)).collect();
        let world = WorldBuilder::new(terrain)
            .maps(MapKinds::DEPTH)
            .settings(scheme.settings(MANNING))
            .edge("wave", EdgePlace::Side(Side::West), EdgeKind::Stage(wave))
            .initial_stage(|_| 0.0)
            .wet_depth_m(WET_M)
            .build()?;
        Ok(Self { grid, world })
    }

    fn run(mut self, times_s: &[f64]) -> Result<MonaiRun, BenchError> {
        let [ch5, ch7, ch9] = GAUGES.map(|gauge| cell_of(&self.grid, gauge.place));
        let cells = [ch5?, ch7?, ch9?];
        let mut stages_m = [const { Vec::new() }; 3];
        for &time_s in times_s {
            run_to(&mut self.world, time_s);
            for (series, cell) in stages_m.iter_mut().zip(cells) {
                series.push(self.stage_m(cell)?);
            }
        }
        Ok(MonaiRun { tank: self, stages_m })
    }

    fn cells(&self) -> usize {
        self.grid.width * self.grid.height
    }

    fn stage_m(&self, cell: CellPlace) -> Result<f64, BenchError> {
        let (bed, depth) = (self.world.bed_m(cell), self.world.water().depth_m(cell));
        Ok(bed.zip(depth).map(|(bed, depth)| bed + depth).ok_or("a gauge lies off the tank")?)
    }

    /// Returns the run-up at the places of the measurements, m.
    fn runups(&self) -> Result<[f64; 3], BenchError> {
        let [valley, middle, north] = RUNUPS.map(|(place, _)| self.runup_at(place));
        Ok([valley?, middle?, north?])
    }

    /// Returns the largest stage, at its maximum, of the cells around a place that were wet.
    fn runup_at(&self, [x, y]: [f64; 2]) -> Result<f64, BenchError> {
        const REACH_M: f64 = 0.25;
        let (west, east) = ([x - REACH_M, y], [x + REACH_M, y]);
        let (west, east) = (cell_of(&self.grid, west)?, cell_of(&self.grid, east)?);
        let mut highest = f64::NEG_INFINITY;
        for y in west.y - 2..=west.y + 2 {
            for x in west.x..=east.x {
                let place = CellPlace { x, y };
                let (maps, cell) = self.world.maps().at(place).ok_or("run-up lies off the tank")?;
                let depth = self.world.scale().depth_m(maps.depth_max()?[cell]);
                let bed = self.world.bed_m(place).ok_or("run-up lies off the tank")?;
                if depth >= WET_M {
                    highest = highest.max(bed + depth);
                }
            }
        }
        Ok(highest)
    }
}
