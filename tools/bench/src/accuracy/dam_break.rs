//! Dam breaks in a channel of 10 m, half a metre of water.
//!
//! ```text
//! stoker        onto 0.1 m of water
//! stoker_thin   onto 5 mm
//! ritter        onto dry ground
//! ```

use crate::accuracy::case::Case;
use crate::accuracy::case::Curve;
use crate::accuracy::case::Division;
use crate::accuracy::case::Ink;
use crate::accuracy::case::Plot;
use crate::accuracy::case::Refinement;
use crate::accuracy::case::Row;
use crate::accuracy::scheme::Pair;
use crate::accuracy::scheme::Scheme;
use crate::accuracy::scheme::channel;
use crate::accuracy::scheme::compared;
use crate::accuracy::scheme::profile;
use crate::accuracy::scheme::relative_l1;
use crate::accuracy::scheme::run_to;
use crate::suite::Absence;
use crate::suite::Bench;
use exact::Flow;
use exact::Ritter;
use exact::Stoker;
use thalweg::grid::cells::CellPlace;
use thalweg::world::World;
use thalweg::world::WorldBuilder;

/// Onto water.
pub const STOKER: Bench = Bench {
    ids: &["accuracy.stoker"],
    what: "dam break 0.5 m onto 0.1 m: relative L1 of depth, 400 cells",
    is_long: false,
    measure: |context| Ok(context.show(stoker()?)),
};

/// Onto a film of water.
pub const THIN: Bench = Bench {
    ids: &["accuracy.stoker_thin"],
    what: "dam break 0.5 m onto 5 mm: relative L1 of depth, 400 cells",
    is_long: false,
    measure: |context| Ok(context.show(thin()?)),
};

/// Onto dry ground.
pub const RITTER: Bench = Bench {
    ids: &["accuracy.ritter"],
    what: "dam break 0.5 m onto dry ground: relative L1 of depth, 400 cells",
    is_long: false,
    measure: |context| Ok(context.show(ritter()?)),
};

/// Resolutions, and the one that is promised.
const SIDES: [usize; 4] = [100, 200, 400, 800];
const PROMISED: usize = 400;
const LENGTH_M: f64 = 10.0;
const BEHIND_M: f64 = 0.5;

/// One dam: the depth ahead of it, and how long it runs; the tip stays in the channel.
#[derive(Debug, Clone, Copy)]
struct Dam {
    ahead_m: f64,
    end_s: f64,
}

fn stoker() -> Result<Case, Absence> {
    let exact = Stoker::new(BEHIND_M, 0.1);
    let runs = Dam { ahead_m: 0.1, end_s: 1.5 }.runs(|x, t| exact.at(x, t))?;
    Ok(Case {
        title: "Dam break onto water",
        about: "0.5 m of water fall onto 0.1 m, the dam in the middle of 10 m: after 1.5 s a fan \
                has run back and a bore ahead. Stoker (1957), *Water Waves*.",
        rows: vec![runs.row("accuracy.stoker", "<= 0.0025")],
        plots: vec![runs.plot("stoker.svg", "Dam break onto water after 1.5 s")],
    })
}

fn thin() -> Result<Case, Absence> {
    let exact = Stoker::new(BEHIND_M, 0.005);
    let runs = Dam { ahead_m: 0.005, end_s: 1.0 }.runs(|x, t| exact.at(x, t))?;
    Ok(Case {
        title: "Dam break onto a film",
        about: "The same onto 5 mm of water, after 1 s. Stoker (1957), *Water Waves*.",
        rows: vec![runs.row("accuracy.stoker_thin", "<= 0.0025")],
        plots: Vec::new(),
    })
}

fn ritter() -> Result<Case, Absence> {
    let exact = Ritter::new(BEHIND_M);
    let runs = Dam { ahead_m: 0.0, end_s: 1.0 }.runs(|x, t| exact.at(x, t))?;
    Ok(Case {
        title: "Dam break onto dry ground",
        about: "The same onto dry ground, after 1 s: one fan, whose tip runs at twice the speed of \
                long waves. Ritter (1892).",
        rows: vec![runs.row("accuracy.ritter", "<= 0.005")],
        plots: vec![runs.plot("ritter.svg", "Dam break onto dry ground after 1 s")],
    })
}

/// What the resolutions came to.
struct Runs {
    refinement: Refinement,
    /// Profiles at the promised resolution: second order, first order, pipe method.
    promised: [Vec<Pair>; 3],
}

impl Dam {
    fn runs(self, exact: impl Fn(f64, f64) -> Flow) -> Result<Runs, Absence> {
        let compared = |cells, scheme| -> Result<Vec<Pair>, Absence> {
            let mut world = self.world(cells, scheme)?;
            run_to(&mut world, self.end_s);
            Ok(profile(&world, 0.5 * LENGTH_M, |x_m| exact(x_m, self.end_s).depth_m))
        };
        let (mut points, mut promised) = (Vec::new(), Vec::new());
        for cells in SIDES {
            let pairs = compared(cells, Scheme::Second)?;
            points.push((cells, relative_l1(&pairs)));
            if cells == PROMISED {
                promised = pairs;
            }
        }
        let others = [compared(PROMISED, Scheme::First)?, compared(PROMISED, Scheme::Pipe)?];
        let [first, pipe] = others;
        let refinement = Refinement { dimensions: 1, points };
        Ok(Runs { refinement, promised: [promised, first, pipe] })
    }

    fn world(self, cells: usize, scheme: Scheme) -> Result<World, Absence> {
        let plan = channel(cells, LENGTH_M);
        let middle = u32::try_from(cells / 2)?;
        let depth = move |place: CellPlace| if place.x < middle { BEHIND_M } else { self.ahead_m };
        Ok(WorldBuilder::new(plan.terrain(|_, _| 0.0)?)
            .settings(scheme.settings(0.0))
            .initial_depth(Box::new(depth))
            .build()?)
    }
}

impl Runs {
    fn row(&self, id: &'static str, target: &'static str) -> Row {
        let [_, first, pipe] = &self.promised;
        let others = compared("400", relative_l1(first), relative_l1(pipe));
        Row::refined(id, target, PROMISED, self.refinement.clone()).remark(&others)
    }

    fn plot(&self, file: &'static str, caption: &'static str) -> Plot {
        let [second, _, pipe] = &self.promised;
        let curve = |name: &str, ink, points| Curve { name: name.to_owned(), ink, points };
        let exact = second.iter().map(|pair| (pair.x_m, pair.exact_m)).collect();
        let depths = |pairs: &[Pair], step| {
            pairs.iter().step_by(step).map(|pair| (pair.x_m, pair.depth_m)).collect()
        };
        Plot {
            file,
            caption,
            axes: ["distance from the dam, m", "depth, m"],
            division: Division::Linear,
            curves: vec![
                curve("pipe method", Ink::Line, depths(pipe, 1)),
                curve("exact", Ink::Reference, exact),
                curve("shallow water, every fourth cell", Ink::Dots, depths(second, 4)),
            ],
        }
    }
}
