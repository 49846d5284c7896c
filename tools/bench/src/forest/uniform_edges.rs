//! Uniform flow through edges between levels, and along them.

use super::mesh::LevelMesh;
use super::uniform::{Deviation, Uniform};
use crate::accuracy::case::percent;
use crate::accuracy::scheme::Scheme;
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use rayon::prelude::*;

/// Flow along an edge and at 30° to it.
pub const PARALLEL: Bench = Bench {
    ids: &["forest.parallel_edge", "forest.parallel_edge.depth"],
    what: "uniform flow along and at 30° to a coarse–fine edge: cross discharge, depth",
    is_long: false,
    measure: parallel,
};

/// Flow down slopes through an edge.
pub const SLOPE: Bench = Bench {
    ids: &["forest.slope_edge"],
    what: "uniform flow down three slopes through a coarse–fine edge: worst error of depth",
    is_long: false,
    measure: slope,
};

const SCHEMES: [Scheme; 2] = [Scheme::Second, Scheme::Pipe];

/// One run.
struct UniformEdgeRun {
    name: &'static str,
    flow: Uniform,
    mesh: LevelMesh,
    scheme: Scheme,
    end_s: f64,
}

/// Results of a run.
struct UniformEdgeResult {
    line: String,
    deviation: Deviation,
    cells: usize,
}

impl UniformEdgeRun {
    fn find(&self) -> Result<UniformEdgeResult, BenchError> {
        let world = self.flow.run(&self.mesh, self.scheme, self.end_s)?;
        let deviation = self.flow.deviation(&self.mesh, &world, self.scheme)?;
        let Uniform { depth_m, slope, degrees, .. } = self.flow;
        let [x, y] = deviation.at;
        let mut line = format!(
            "{}, {depth_m} m, slope {slope}, to {degrees}°, {:?}: depth {} at ({x}, {y})",
            self.name,
            self.scheme,
            percent(deviation.depth),
        );
        if degrees % 90.0 == 0.0 {
            line += &format!(", cross {}", percent(deviation.cross));
        }
        line += &format!("; {} cells count, {} s", deviation.cells, self.end_s.round());
        Ok(UniformEdgeResult { line, deviation, cells: self.mesh.cells() })
    }
}

/// Returns the results of all runs, the worst depth first.
fn all(runs: &[UniformEdgeRun]) -> Result<Vec<UniformEdgeResult>, BenchError> {
    let mut found: Vec<UniformEdgeResult> =
        runs.par_iter().map(UniformEdgeRun::find).collect::<Result<_, _>>()?;
    found.sort_by(|a, b| b.deviation.depth.total_cmp(&a.deviation.depth));
    Ok(found)
}

fn note(context: &Context, found: &[UniformEdgeResult]) -> String {
    let shown = if context.is_verbose { found.len() } else { 3 };
    let lines: Vec<&str> = found.iter().take(shown).map(|found| found.line.as_str()).collect();
    format!("{} flows; the worst:\n{}", found.len(), lines.join("\n"))
}

fn parallel(context: &Context) -> BenchResult {
    let (mut along, mut oblique) = (Vec::new(), Vec::new());
    let beside = LevelMesh::strip(&[(0, 128), (1, 128), (0, 64)], 1024);
    let halves = [
        ("fine in the west", LevelMesh::strip(&[(0, 256), (1, 256)], 512)),
        ("coarse in the west", LevelMesh::strip(&[(1, 256), (0, 256)], 512)),
    ];
    let patch = LevelMesh::patch(5, 2, 3);
    for (depth_m, slope) in [(1.0, 0.002), (0.1, 0.02)] {
        for scheme in SCHEMES {
            let flow = Uniform { depth_m, slope, manning_n: 0.03, degrees: 90.0 };
            let run = |name, mesh: &LevelMesh, degrees, away_m| {
                let flow = Uniform { degrees, ..flow };
                let end_s = flow.time_to_cross(away_m);
                UniformEdgeRun { name, flow, mesh: mesh.clone(), scheme, end_s }
            };
            along.push(run("along", &beside, 90.0, 350.0));
            along.push(run("along", &beside.turned(), 180.0, 350.0));
            for (name, mesh) in &halves {
                oblique.push(run(name, mesh, 60.0, 150.0));
                oblique.push(run(name, &mesh.turned(), 210.0, 150.0));
            }
            oblique.push(run("patch", &patch, 30.0, 200.0));
        }
    }
    let mut depths = all(&along)?;
    depths.sort_by(|a, b| b.deviation.cross.total_cmp(&a.deviation.cross));
    let (cross, cells, cross_note) =
        (depths[0].deviation.cross, depths[0].cells, note(context, &depths));
    depths.extend(all(&oblique)?);
    depths.sort_by(|a, b| b.deviation.depth.total_cmp(&a.deviation.depth));
    Ok(vec![
        Measurement::new("forest.parallel_edge", cross, "1")
            .target("<= 0.001")
            .cells(cells)
            .note(cross_note),
        Measurement::new("forest.parallel_edge.depth", depths[0].deviation.depth, "1")
            .target("<= 0.002")
            .cells(depths[0].cells)
            .note(note(context, &depths)),
    ])
}

/// Depth, slope, n, and metres that waves run: at a slope of a tenth noise grows to roll waves.
const SLOPES: [(f64, f64, f64, f64); 3] =
    [(1.0, 0.005, 0.03, 350.0), (0.02, 0.05, 0.03, 350.0), (0.1, 0.1, 0.03, 150.0)];

fn slope(context: &Context) -> BenchResult {
    let (mut runs, mut plain) = (Vec::new(), Vec::new());
    let mesh = LevelMesh::strip(&[(0, 512), (1, 512)], 128);
    for (depth_m, slope, manning_n, away_m) in SLOPES {
        for scheme in SCHEMES {
            for (degrees, name) in [
                (0.0, "fine to coarse"),
                (90.0, "fine to coarse"),
                (180.0, "coarse to fine"),
                (270.0, "coarse to fine"),
            ] {
                let flow = Uniform { depth_m, slope, manning_n, degrees };
                let mesh = if degrees % 180.0 == 0.0 { mesh.clone() } else { mesh.turned() };
                let end_s = flow.time_to_cross(away_m);
                if degrees == 0.0 {
                    let mesh = mesh.uniform(0);
                    plain.push(UniformEdgeRun { name: "all fine", flow, mesh, scheme, end_s });
                }
                runs.push(UniformEdgeRun { name, flow, mesh, scheme, end_s });
            }
        }
    }
    let (found, plain) = (all(&runs)?, all(&plain)?);
    let note = format!(
        "{}
without an edge: {}",
        note(context, &found),
        plain[0].line
    );
    Ok(vec![
        Measurement::new("forest.slope_edge", found[0].deviation.depth, "1")
            .target("<= 0.003")
            .cells(found[0].cells)
            .note(note),
    ])
}
