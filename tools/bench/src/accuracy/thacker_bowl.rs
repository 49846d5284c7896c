//! Water that turns or breathes in a paraboloid, a square of 4 m, three periods.

use crate::accuracy::bowl;
use crate::accuracy::bowl::{BowlSwing, Ids, LOOKS, PERIODS, SHORE, shore_error_m};
use crate::accuracy::case::Case;
use crate::accuracy::ladder::Ladder;
use crate::accuracy::scheme::{DepthPair, Scheme, run_to, square};
use crate::suite::{Bench, BenchError};
use crate::world::places;
use exact::{PlaneFlow, ThackerPlanar, ThackerRadial};
use thalweg::world::WorldBuilder;
use thalweg_engine::grid::cells::CellPlace;

/// A plane surface that turns.
pub const PLANAR: Bench = Bench {
    ids: &[
        "accuracy.thacker_planar",
        "accuracy.thacker_planar.order",
        "accuracy.thacker_planar.shore",
    ],
    what: "water that turns in a paraboloid, 3 periods: relative L1 of depth, 200² cells",
    is_long: false,
    measure: |context| Ok(context.show(planar()?)),
};

/// A round surface that breathes.
pub const RADIAL: Bench = Bench {
    ids: &[
        "accuracy.thacker_radial",
        "accuracy.thacker_radial.order",
        "accuracy.thacker_radial.shore",
    ],
    what: "water that breathes in a paraboloid, 3 periods: relative L1 of depth, 200² cells",
    is_long: false,
    measure: |context| Ok(context.show(radial()?)),
};

const SIDES: [usize; 4] = [50, 100, 200, 400];
const PROMISED: usize = 200;
const SIDE_M: f64 = 4.0;

/// Either water.
#[derive(Debug, Clone, Copy)]
enum Bowl {
    Planar(ThackerPlanar),
    Radial(ThackerRadial),
}

impl Bowl {
    /// Returns the depth in the middle at rest, m.
    fn depth_m(self) -> f64 {
        match self {
            Self::Planar(bowl) => bowl.depth_m,
            Self::Radial(bowl) => bowl.depth_m,
        }
    }

    fn period_s(self) -> f64 {
        match self {
            Self::Planar(bowl) => bowl.period_s(),
            Self::Radial(bowl) => bowl.period_s(),
        }
    }

    fn bed_m(self, place: [f64; 2]) -> f64 {
        match self {
            Self::Planar(bowl) => bowl.bed_m(place),
            Self::Radial(bowl) => bowl.bed_m(place),
        }
    }

    fn inside_m(self, place: [f64; 2], time_s: f64, depth_m: f64) -> f64 {
        match self {
            Self::Planar(bowl) => bowl.inside_m(place, time_s, depth_m),
            Self::Radial(bowl) => bowl.inside_m(place, time_s, depth_m),
        }
    }

    fn at(self, place: [f64; 2], time_s: f64) -> PlaneFlow {
        match self {
            Self::Planar(bowl) => bowl.at(place, time_s),
            Self::Radial(bowl) => bowl.at(place, time_s),
        }
    }

    /// Returns the velocity of all water at the beginning, m/s.
    fn start_m_s(self) -> [f64; 2] {
        // The turning water moves as one, the breathing water is at rest.
        self.at([0.0, 0.0], 0.0).velocity_m_s
    }
}

fn planar() -> Result<Case, BenchError> {
    let bowl = Bowl::Planar(ThackerPlanar::swashes());
    let ladder = Ladder::climb(2, SIDES, PROMISED, |side, scheme| swing(bowl, side, scheme))?;
    Ok(Case {
        title: "A plane surface that turns in a paraboloid",
        about: "A disc of water 0.1 m deep and 2 m wide turns about the middle of a bowl, 0.5 m \
                away from it, without friction; compared after three turns. Thacker (1981), *J. \
                Fluid Mech.* 107, with the numbers of SWASHES.",
        rows: bowl::rows(&ladder, Ids(ids(PLANAR.ids)), "<= 0.035", (100, 400)),
        plots: Vec::new(),
    })
}

fn radial() -> Result<Case, BenchError> {
    let bowl = Bowl::Radial(ThackerRadial::swashes());
    let ladder = Ladder::climb(2, SIDES, PROMISED, |side, scheme| swing(bowl, side, scheme))?;
    Ok(Case {
        title: "A round surface that breathes in a paraboloid",
        about: "A round heap of water in the same bowl spreads and gathers again; compared after \
                three periods. Thacker (1981), *J. Fluid Mech.* 107, with the numbers of \
                SWASHES.",
        rows: bowl::rows(&ladder, Ids(ids(RADIAL.ids)), "<= 0.02", (100, 400)),
        plots: Vec::new(),
    })
}

fn ids(all: &'static [&'static str]) -> [&'static str; 3] {
    [all[0], all[1], all[2]]
}

fn swing(bowl: Bowl, side: usize, scheme: Scheme) -> Result<BowlSwing, BenchError> {
    let plan = square(side, SIDE_M);
    let coordinate = move |cell: f64| (cell + 0.5) * plan.cell_m - 0.5 * SIDE_M;
    let place = move |cell: CellPlace| [cell.x, cell.y].map(|c| coordinate(f64::from(c)));
    let bed = |x, y| bowl.bed_m([x, y].map(|cell: usize| coordinate(cell as f64)));
    let [u, v] = bowl.start_m_s();
    let mut world = WorldBuilder::new(plan.terrain(bed)?)
        .settings(scheme.settings(0.0))
        .initial_depth(move |cell| bowl.at(place(cell), 0.0).depth_m)
        .initial_velocity(move |_| (u, v))
        .build()?;
    let (mut pairs, mut off_m) = (Vec::new(), 0.0_f64);
    for part in LOOKS {
        let time_s = (PERIODS - 1.0 + part) * bowl.period_s();
        run_to(&mut world, time_s);
        let shore_m = SHORE * bowl.depth_m();
        pairs.clear();
        for cell in places(&world) {
            let place = place(cell);
            let depth_m = world.water().depth_m(cell).unwrap_or(f64::NAN);
            let exact_m = bowl.at(place, time_s).depth_m;
            pairs.push(DepthPair { x_m: place[0], depth_m, exact_m });
            let inside_m = bowl.inside_m(place, time_s, shore_m);
            off_m = off_m.max(shore_error_m(depth_m > shore_m, inside_m));
        }
    }
    Ok(BowlSwing { pairs, shore_cells: off_m / plan.cell_m })
}
