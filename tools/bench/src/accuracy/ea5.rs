//! Benchmark 5 of the UK Environment Agency on 10 m cells: peak depths and first water.
//!
//! Limits:     3.5 h, in which the points above the valley's end reach their peaks and all points
//!             get wet; point 5 is in the pond at the end and still rises. The published run is
//!             from another program, not a measurement; its depths are given every 50 s.
//! Source:     `crate::ea5`; LISFLOOD-FP's discontinuous-Galerkin run at 10 m.

use crate::accuracy::case::{Case, Curve, Division, Ink, Plot};
use crate::accuracy::scheme::{Scheme, run_to};
use crate::ea5::{Benchmark5Valley, MANNING, PEAKS_10M_M, POINTS, RISING};
use crate::measured::columns;
use crate::suite::{Bench, BenchError, Context};
use crate::table::Measurement;

/// Largest differences of a peak and of an arrival.
pub const BENCH: Bench = Bench {
    ids: &["accuracy.ea5.peaks", "accuracy.ea5.arrivals"],
    what: "EA benchmark 5 at 10 m: largest difference of peak depths and of first water",
    is_long: true,
    measure: |context| Ok(context.show(case(context)?)),
};

const CELL_M: f64 = 10.0;
const END_S: f64 = 3.5 * 3600.0;
const LOOK_S: f64 = 100.0;
/// Time of the first published depth, every 50 s, that is above 0, s.
const FIRST_WET_S: [f64; POINTS] = [1550.0, 2550.0, 3250.0, 5350.0, 11550.0, 1850.0, 3550.0];
/// Points in the picture.
const SHOWN: [usize; 4] = [0, 2, 3, 6];

fn case(context: &Context) -> Result<Case, BenchError> {
    let series = context.data("ea_test5")?.join("lisflood_dg2_10m_decimated.csv");
    let published = columns(&series, [0, 1, 2, 3, 4, 5, 6, 7])?;
    let mut valley = Benchmark5Valley::read(context, CELL_M, Scheme::Second.settings(MANNING))?;
    let mut computed = vec![Vec::new(); POINTS];
    while valley.world.time().seconds() < END_S {
        let next = valley.world.time().seconds() + LOOK_S;
        run_to(&mut valley.world, next);
        for (index, series) in computed.iter_mut().enumerate() {
            series.push((next, valley.depth_m(index)));
        }
    }
    Ok(Case {
        title: "A valley below a failing dam (EA benchmark 5)",
        about: "3000 m³/s at most for ten minutes into a dry valley of 17 km, on cells of 10 m, \
                n = 0.04. Néelz & Pender (2013), SC120002; published run: LISFLOOD-FP's \
                discontinuous-Galerkin solver, Shaw et al. (2021).",
        rows: rows(&valley).map(Into::into).into(),
        plots: vec![plot(&computed, &published)],
    })
}

fn rows(valley: &Benchmark5Valley) -> [Measurement; 2] {
    let (mut worst_m, mut worst_s, mut lines) = (0.0_f64, 0.0_f64, Vec::new());
    for (index, published) in PEAKS_10M_M.into_iter().enumerate() {
        let (peak, arrival) = valley.peak_and_arrival(index);
        let (first, delay) = (FIRST_WET_S[index], arrival - FIRST_WET_S[index]);
        worst_s = worst_s.max(delay.abs());
        let compared = if index == RISING {
            "rising".to_owned()
        } else {
            worst_m = worst_m.max((peak - published).abs());
            format!("published {published:.3}, {:+.3}", peak - published)
        };
        lines.push(format!(
            "point {}: {peak:.3} m, {compared}, wet at {arrival:.0} s, published {first:.0}, \
             {delay:+.0}",
            index + 1
        ));
    }
    let first = "water of 1 cm against the published run's first depth, known every 50 s";
    [
        Measurement::new("accuracy.ea5.peaks", worst_m, "m")
            .target("<= 0.1")
            .cells(valley.cells())
            .note(lines.join("\n")),
        Measurement::new("accuracy.ea5.arrivals", worst_s, "s").cells(valley.cells()).note(first),
    ]
}

/// Plots depths over time, and the published ones.
fn plot(computed: &[Vec<(f64, f64)>], published: &[[f64; POINTS + 1]]) -> Plot {
    let hours = |&(time_s, depth): &(f64, f64)| (time_s / 3600.0, depth);
    let mut curves: Vec<Curve> = SHOWN
        .iter()
        .map(|&index| Curve {
            name: format!("point {}", index + 1),
            ink: Ink::Line,
            points: computed[index].iter().map(hours).collect(),
        })
        .collect();
    let known = published.iter().filter(|row| row[0] <= END_S);
    let dots = known.flat_map(|row| SHOWN.map(|index| hours(&(row[0], row[index + 1]))));
    let name = "published, each".to_owned();
    curves.push(Curve { name, ink: Ink::Dots, points: dots.collect() });
    Plot {
        file: "ea5.svg",
        caption: "EA benchmark 5 on 10 m cells: depths at four points",
        axes: ["time, h", "depth, m"],
        division: Division::Linear,
        curves,
    }
}
