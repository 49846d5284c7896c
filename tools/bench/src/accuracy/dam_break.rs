//! Dam breaks in a channel of 10 m, half a metre of water.
//!
//! ```text
//! stoker        onto 0.1 m of water
//! stoker_thin   onto 5 mm
//! ritter        onto dry ground
//! ```

use crate::accuracy::case::{Case, CaseRow, Curve, Division, Ink, Plot};
use crate::accuracy::ladder::Ladder;
use crate::accuracy::scheme::{DepthPair, Scheme, channel, profile, relative_l1};
use crate::suite::{Bench, BenchError};
use crate::table::Measurement;
use exact::{ExactFlow, Ritter, Stoker};
use thalweg::units::SimTime;
use thalweg::world::{World, WorldBuilder};
use thalweg_engine::grid::cells::CellPlace;

/// Dam break onto water.
pub const STOKER: Bench = Bench {
    ids: &["accuracy.stoker"],
    what: "dam break 0.5 m onto 0.1 m: relative L1 of depth, 400 cells",
    is_long: false,
    measure: |context| Ok(context.show(stoker()?)),
};

/// Dam break onto a film of water.
pub const THIN: Bench = Bench {
    ids: &["accuracy.stoker_thin"],
    what: "dam break 0.5 m onto 5 mm: relative L1 of depth, 400 cells",
    is_long: false,
    measure: |context| Ok(context.show(thin()?)),
};

/// Dam break onto dry ground.
pub const RITTER: Bench = Bench {
    ids: &["accuracy.ritter", "accuracy.ritter.front_speed", "accuracy.ritter.map_speed"],
    what: "dam break 0.5 m onto dry ground: relative L1 of depth, 400 cells",
    is_long: false,
    measure: |context| Ok(context.show(ritter()?)),
};

/// Resolutions, and the promised one.
const SIDES: [usize; 4] = [100, 200, 400, 800];
const PROMISED: usize = 400;
const LENGTH_M: f64 = 10.0;
const BEHIND_M: f64 = 0.5;
/// Depth from which a cell has a velocity, m: the depth from which a face keeps its momentum.
const FILM_M: f64 = 1.0 / 65_536.0;

/// One dam: the depth ahead of it, and the time that it runs; the tip stays in the channel.
#[derive(Debug, Clone, Copy)]
struct DamBreak {
    ahead_m: f64,
    end_s: f64,
}

fn stoker() -> Result<Case, BenchError> {
    let exact = Stoker::new(BEHIND_M, 0.1);
    let ladder = DamBreak { ahead_m: 0.1, end_s: 1.5 }.climb(|x, t| exact.at(x, t))?;
    Ok(Case {
        title: "Dam break onto water",
        about: "0.5 m of water fall onto 0.1 m, the dam in the middle of 10 m: after 1.5 s a fan \
                has run back and a bore ahead. Stoker (1957), *Water Waves*.",
        rows: vec![ladder.row("accuracy.stoker", DamBreakRun::error).target("<= 0.0025")],
        plots: vec![plot(&ladder, "stoker.svg", "Dam break onto water after 1.5 s")],
    })
}

fn thin() -> Result<Case, BenchError> {
    let exact = Stoker::new(BEHIND_M, 0.005);
    let ladder = DamBreak { ahead_m: 0.005, end_s: 1.0 }.climb(|x, t| exact.at(x, t))?;
    Ok(Case {
        title: "Dam break onto a film",
        about: "0.5 m of water fall onto 5 mm, after 1 s. Stoker (1957), *Water Waves*.",
        rows: vec![ladder.row("accuracy.stoker_thin", DamBreakRun::error).target("<= 0.0025")],
        plots: Vec::new(),
    })
}

fn ritter() -> Result<Case, BenchError> {
    let exact = Ritter::new(BEHIND_M);
    let ladder = DamBreak { ahead_m: 0.0, end_s: 1.0 }.climb(|x, t| exact.at(x, t))?;
    let speed = |id, fastest_m_s: f64, note: &str| -> CaseRow {
        let ratio = fastest_m_s / exact.tip_m_s();
        Measurement::new(id, ratio, "of the tip's").target("<= 1").cells(PROMISED).note(note).into()
    };
    let DamBreakRun { face_m_s, map_m_s, .. } = *ladder.promised();
    let [face, map] = ["fastest face of any moment", "fastest cell of any moment, as maps show it"];
    Ok(Case {
        title: "Dam break onto dry ground",
        about: "0.5 m of water fall onto dry ground, after 1 s: one fan, whose tip runs at twice \
                the speed of long waves. Ritter (1892).",
        rows: vec![
            ladder.row("accuracy.ritter", DamBreakRun::error).target("<= 0.005"),
            speed("accuracy.ritter.front_speed", face_m_s, face),
            speed("accuracy.ritter.map_speed", map_m_s, map),
        ],
        plots: vec![plot(&ladder, "ritter.svg", "Dam break onto dry ground after 1 s")],
    })
}

/// Results of a run.
struct DamBreakRun {
    profile: Vec<DepthPair>,
    /// Largest velocity of any face and moment, m/s.
    face_m_s: f64,
    /// Largest speed of any cell and moment, m/s.
    map_m_s: f64,
}

impl DamBreakRun {
    fn error(&self) -> f64 {
        relative_l1(&self.profile)
    }
}

impl DamBreak {
    fn climb(
        self,
        exact: impl Fn(f64, f64) -> ExactFlow,
    ) -> Result<Ladder<DamBreakRun>, BenchError> {
        Ladder::climb(1, SIDES, PROMISED, |cells, scheme| {
            let mut world = self.world(cells, scheme)?;
            let (mut face_m_s, mut map_m_s) = (0.0_f64, 0.0_f64);
            while world.time() < SimTime::from_seconds(self.end_s) {
                world.run_cycle(SimTime::from_seconds(self.end_s));
                let (face, map) = fastest(&world);
                (face_m_s, map_m_s) = (face_m_s.max(face), map_m_s.max(map));
            }
            let exact_m = |x_m| exact(x_m, self.end_s).depth_m;
            Ok(DamBreakRun { profile: profile(&world, 0.5 * LENGTH_M, exact_m), face_m_s, map_m_s })
        })
    }

    fn world(self, cells: usize, scheme: Scheme) -> Result<World, BenchError> {
        let plan = channel(cells, LENGTH_M);
        let middle = u32::try_from(cells / 2)?;
        let depth = move |place: CellPlace| if place.x < middle { BEHIND_M } else { self.ahead_m };
        Ok(WorldBuilder::new(plan.terrain(|_, _| 0.0)?)
            .settings(scheme.settings(0.0))
            .wet_depth_m(FILM_M)
            .initial_depth(depth)
            .build()?)
    }
}

/// Returns the largest velocity of faces and largest speed of cells in a channel now, m/s.
fn fastest(world: &World) -> (f64, f64) {
    let columns = 1..u32::try_from(world.size().0).expect("2²⁰ columns at most");
    let (mut face, mut map) = (0.0_f64, 0.0_f64);
    for x in columns {
        let place = CellPlace { x, y: 0 };
        map = map.max(world.water().speed_m_s(place).unwrap_or(0.0));
        let Some((leaf, cell)) = world.simulation().forest().locate(place) else { continue };
        // The bed is level: the flow depth is the depth of the deeper cell.
        let depth = |x| world.water().depth_m(CellPlace { x, y: 0 }).unwrap_or(0.0);
        let flow_depth_m = depth(x).max(depth(x - 1));
        if flow_depth_m >= FILM_M {
            let q = f64::from(world.simulation().water(leaf).flow_x[cell]);
            face = face.max(q.abs() / flow_depth_m);
        }
    }
    (face, map)
}

fn plot(ladder: &Ladder<DamBreakRun>, file: &'static str, caption: &'static str) -> Plot {
    let profile = &ladder.promised().profile;
    let depths = |pairs: &[DepthPair], step| -> Vec<(f64, f64)> {
        pairs.iter().step_by(step).map(|pair| (pair.x_m, pair.depth_m)).collect()
    };
    let exact = profile.iter().map(|pair| (pair.x_m, pair.exact_m));
    Plot {
        file,
        caption,
        axes: ["distance from the dam, m", "depth, m"],
        division: Division::Linear,
        curves: vec![
            Curve::new("pipe method", Ink::Line, depths(&ladder.pipe.profile, 1)),
            Curve::new("exact", Ink::Reference, exact),
            Curve::new("shallow water, every fourth cell", Ink::Dots, depths(profile, 4)),
        ],
    }
}
