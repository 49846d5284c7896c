//! Dam breaks whose bores run through an edge between levels.
//!
//! ```text
//!  0.5 m ──────╮ dam          edge
//!              ╰───────────────┼─────── 0.1 m or 5 mm
//!  fine or coarse              │ coarse or fine
//! ```

use super::mesh::{LevelMesh, cells};
use crate::accuracy::case::percent;
use crate::accuracy::scheme::{Scheme, run_to};
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use exact::Stoker;
use rayon::prelude::*;
use thalweg::world::WorldBuilder;

/// Bores through an edge.
pub const BENCH: Bench = Bench {
    ids: &["forest.bore_edge", "forest.bore_edge.behind"],
    what: "dam breaks through a coarse–fine edge: L1 of depth over that of a coarse grid, depth \
           behind the bore",
    is_long: false,
    measure,
};

const BEHIND_M: f64 = 0.5;
/// Distance from the dam to the edge, m.
const TO_EDGE_M: f64 = 128.0;
const EDGE_M: f64 = 384.0;
const END_S: f64 = 90.0;
/// Distances from the bore and from the fan beyond which the depth behind the bore counts, m: the
/// fall of a dam leaves a dent of 16 coarse cells at the fan's foot.
const AWAY_M: [f64; 2] = [16.0, 32.0];

/// One dam.
#[derive(Debug, Clone, Copy)]
struct BoreDam {
    ahead_m: f64,
    /// 1 if the bore runs east, −1 if it runs west.
    ahead: f64,
}

/// Results of a run.
#[derive(Debug, Clone, Copy)]
struct BoreEdgeResult {
    l1: f64,
    /// Largest |h/h_m − 1| behind the bore.
    behind: f64,
}

impl BoreDam {
    /// Returns metres ahead of the dam.
    fn ahead_of(self, x_m: f64) -> f64 {
        self.ahead * (x_m - EDGE_M) + TO_EDGE_M
    }

    fn run(self, mesh: &LevelMesh) -> Result<BoreEdgeResult, BenchError> {
        let own = mesh.clone();
        let depth = move |place| {
            let is_behind = self.ahead_of(own.centre(place).0[0]) < 0.0;
            if is_behind { BEHIND_M } else { self.ahead_m }
        };
        let mut world = WorldBuilder::new(mesh.terrain(24, |_| 0.0)?)
            .settings(Scheme::Second.settings(0.0))
            .leaves(mesh.leaves.clone())
            .initial_depth(depth)
            .build()?;
        run_to(&mut world, END_S);
        let exact = Stoker::new(BEHIND_M, self.ahead_m);
        let bore = exact.bore();
        let wave = (exact::GRAVITY * bore.behind_m()).sqrt();
        let still =
            (bore.velocity_m_s() - wave) * END_S + AWAY_M[1]..bore.speed_m_s() * END_S - AWAY_M[0];
        let (mut error, mut sum, mut behind) = (0.0, 0.0, 0.0_f64);
        for cell in cells(&world) {
            let ahead = self.ahead_of(cell.at[0]);
            let depth_m = exact.at(ahead, END_S).depth_m;
            let area = (cell.width() * cell.width()) as f64;
            error += area * (cell.depth_m - depth_m).abs();
            sum += area * depth_m;
            if still.contains(&ahead) {
                behind = behind.max((cell.depth_m / bore.behind_m() - 1.0).abs());
            }
        }
        Ok(BoreEdgeResult { l1: error / sum, behind })
    }
}

fn measure(_: &Context) -> BenchResult {
    let mesh = LevelMesh::strip(&[(0, 384), (1, 384)], 128);
    let meshes = [mesh.uniform(0), mesh.uniform(1), mesh.clone()];
    let mut dams = Vec::new();
    for ahead_m in [0.1, 0.005] {
        dams.extend([1.0, -1.0].map(|ahead| BoreDam { ahead_m, ahead }));
    }
    let runs: Vec<(BoreDam, &LevelMesh)> =
        dams.iter().flat_map(|&dam| meshes.iter().map(move |mesh| (dam, mesh))).collect();
    let found: Vec<BoreEdgeResult> =
        runs.par_iter().map(|(dam, mesh)| dam.run(mesh)).collect::<Result<_, _>>()?;
    let (mut ratio, mut behind, mut lines) = (0.0_f64, 0.0_f64, Vec::new());
    for (dam, found) in dams.iter().zip(found.chunks(3)) {
        let [fine, coarse, mixed] = [found[0], found[1], found[2]];
        ratio = ratio.max(mixed.l1 / coarse.l1);
        behind = behind.max(mixed.behind);
        let way = if dam.ahead > 0.0 { "fine to coarse" } else { "coarse to fine" };
        let all =
            |error: fn(BoreEdgeResult) -> f64| [fine, coarse, mixed].map(|f| percent(error(f)));
        lines.push(format!(
            "onto {} m, {way}: L1 {}, behind the bore {} (fine, coarse, through the edge)",
            dam.ahead_m,
            all(|found| found.l1).join(", "),
            all(|found| found.behind).join(", "),
        ));
    }
    Ok(vec![
        Measurement::new("forest.bore_edge", ratio, "1")
            .target("<= 1.2")
            .cells(mesh.cells())
            .note(lines.join("\n")),
        Measurement::new("forest.bore_edge.behind", behind, "1")
            .target("<= 0.01")
            .cells(mesh.cells()),
    ])
}
