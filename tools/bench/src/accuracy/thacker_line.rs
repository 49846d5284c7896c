//! Water that swings in a parabola, 4 m of channel, three periods.

use crate::accuracy::bowl;
use crate::accuracy::bowl::{BowlSwing, Ids, LOOKS, PERIODS, SHORE, shore_error_m};
use crate::accuracy::case::{Case, Curve, Division, Ink, Plot};
use crate::accuracy::ladder::Ladder;
use crate::accuracy::scheme::{Scheme, channel, profile, run_to};
use crate::suite::{Bench, BenchError};
use exact::ThackerLine;
use thalweg::world::WorldBuilder;
use thalweg_engine::grid::cells::CellPlace;

/// Depth, order and shore.
pub const BENCH: Bench = Bench {
    ids: &["accuracy.thacker_1d", "accuracy.thacker_1d.order", "accuracy.thacker_1d.shore"],
    what: "water that swings in a parabola, 3 periods: relative L1 of depth, 400 cells",
    is_long: false,
    measure: |context| Ok(context.show(case()?)),
};

const SIDES: [usize; 4] = [100, 200, 400, 800];
const PROMISED: usize = 400;
const LENGTH_M: f64 = 4.0;
const IDS: Ids =
    Ids(["accuracy.thacker_1d", "accuracy.thacker_1d.order", "accuracy.thacker_1d.shore"]);

fn case() -> Result<Case, BenchError> {
    let bowl = ThackerLine::swashes();
    let ladder = Ladder::climb(1, SIDES, PROMISED, |cells, scheme| swing(bowl, cells, scheme))?;
    let pairs = &ladder.promised().pairs;
    let wet = || pairs.iter().filter(|pair| pair.exact_m > 0.0 || pair.depth_m > 1.0e-4);
    let stage = |x_m, depth_m| (x_m, bowl.bed_m(x_m) + depth_m);
    let curves = vec![
        Curve::new("bed", Ink::Ground, pairs.iter().map(|pair| stage(pair.x_m, 0.0))),
        Curve::new("exact", Ink::Reference, wet().map(|pair| stage(pair.x_m, pair.exact_m))),
        Curve::new(
            "shallow water, every fourth cell",
            Ink::Dots,
            wet().step_by(4).map(|pair| stage(pair.x_m, pair.depth_m)),
        ),
    ];
    Ok(Case {
        title: "A plane surface that swings in a parabola",
        about: "0.5 m of water swing by 0.5 m to each side, with moving shores and no friction, \
                in a channel of 4 m; compared after three periods. Thacker (1981), *J. Fluid \
                Mech.* 107, with the numbers of SWASHES.",
        rows: bowl::rows(&ladder, IDS, "<= 0.01", (100, 400)),
        plots: vec![Plot {
            file: "thacker.svg",
            caption: "Stage in a parabola after three swings",
            axes: ["x, m", "elevation, m"],
            division: Division::Linear,
            curves,
        }],
    })
}

fn swing(bowl: ThackerLine, cells: usize, scheme: Scheme) -> Result<BowlSwing, BenchError> {
    let plan = channel(cells, LENGTH_M);
    let place = move |x: f64| (x + 0.5) * plan.cell_m - 0.5 * LENGTH_M;
    let depth = move |cell: CellPlace| bowl.at(place(f64::from(cell.x)), 0.0).depth_m;
    let mut world = WorldBuilder::new(plan.terrain(|x, _| bowl.bed_m(place(x as f64)))?)
        .settings(scheme.settings(0.0))
        .initial_depth(depth)
        .build()?;
    let (mut pairs, mut off_m) = (Vec::new(), 0.0_f64);
    for part in LOOKS {
        let time_s = (PERIODS - 1.0 + part) * bowl.period_s();
        run_to(&mut world, time_s);
        pairs = profile(&world, 0.5 * LENGTH_M, |x_m| bowl.at(x_m, time_s).depth_m);
        let shore_m = SHORE * bowl.depth_m;
        let error =
            |x_m, depth_m| shore_error_m(depth_m > shore_m, bowl.inside_m(x_m, time_s, shore_m));
        off_m = pairs.iter().map(|pair| error(pair.x_m, pair.depth_m)).fold(off_m, f64::max);
    }
    Ok(BowlSwing { pairs, shore_cells: off_m / plan.cell_m })
}
