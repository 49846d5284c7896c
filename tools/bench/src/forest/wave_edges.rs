//! Waves through edges between levels.
//!
//! ```text
//! two       2 : 1, 384 m of each; fine to coarse and back
//! eight     8 : 1 over three edges, 128 and 256 m apart
//! oblique   2 : 1 at 30°
//! patch     along the sides of a fine square and through it, and over its corner at 45°
//! ```
//!
//! Errors are against a uniformly fine run, in parts of the wave's height. The error of a wholly
//! coarse grid with the same wave is subtracted where it ran over coarse cells: a value below 0 is
//! better than that. The wave that begins on cells of 8 m is 80 m long, so that they resolve it at
//! all; the rest are 20 m.

use super::mesh::LevelMesh;
use super::wave::{Wave, WaveErrors, celerity_m_s};
use crate::accuracy::case::percent;
use crate::accuracy::scheme::Scheme;
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use rayon::prelude::*;
use std::ops::Range;

/// Waves through edges.
pub const BENCH: Bench = Bench {
    ids: &["forest.reflection", "forest.transmission", "forest.transmission.patch"],
    what: "a wave 20 fine cells long through coarse–fine edges: worst error in the fine part, and \
           in the coarse part beyond a coarse grid's own",
    is_long: true,
    measure,
};

const SCHEMES: [Scheme; 2] = [Scheme::Second, Scheme::Pipe];
const EVERYWHERE: Range<f64> = 0.0..1.0e9;

/// One run.
struct WaveEdgeRun {
    name: &'static str,
    wave: Wave,
    mesh: LevelMesh,
    /// Ground for the uniform runs, if rows are alike.
    plain: LevelMesh,
    /// Coarsest level.
    coarsest: u8,
    scheme: Scheme,
    rows: Range<f64>,
    begins_coarse: bool,
    /// The length that the target is for, m.
    promised_m: f64,
}

/// Results of a run.
struct WaveEdgeResult {
    line: String,
    /// True if the target is for this run.
    is_promised: bool,
    is_patch: bool,
    /// Error in the fine part, less the error of a coarse grid if the wave began there.
    fine: f64,
    /// Error in the coarse part beyond the error of a coarse grid.
    coarse: f64,
    cells: usize,
}

impl WaveEdgeRun {
    fn is_promised(&self) -> bool {
        (self.wave.length_m - self.promised_m).abs() < 1.0
    }

    fn find(&self) -> Result<WaveEdgeResult, BenchError> {
        let Self { wave, scheme, rows, .. } = self;
        let reference = wave.reference(&self.plain, *scheme)?;
        let mixed = wave.errors(&self.mesh, *scheme, &reference, rows)?;
        // Whole tiles may reach beyond: no wave gets there.
        let whole = |cells: u32| cells.next_multiple_of(64 << self.coarsest);
        let size = self.plain.size;
        let uniform = LevelMesh::strip(&[(self.coarsest, whole(size.0))], whole(size.1));
        let own: WaveErrors = wave.errors(&uniform, *scheme, &reference, rows)?;
        let own = own.coarse();
        let (fine, coarse) = (mixed.0[0], mixed.coarse());
        let beyond = |error: f64| error - own;
        let parts: Vec<String> = mixed.0.iter().map(|&error| percent(error)).collect();
        let levels = usize::from(self.coarsest) + 1;
        Ok(WaveEdgeResult {
            line: format!(
                "{}, {} m, {scheme:?}: levels 0 … {}: {}; a coarse grid {}",
                self.name,
                wave.length_m,
                self.coarsest,
                parts[..levels].join(", "),
                percent(own),
            ),
            is_promised: self.is_promised(),
            is_patch: self.name.starts_with("patch"),
            fine: if self.begins_coarse { beyond(fine) } else { fine },
            coarse: beyond(coarse),
            cells: self.mesh.cells(),
        })
    }
}

fn runs(length_m: f64, scheme: Scheme) -> Vec<WaveEdgeRun> {
    let wave = |from: f64, degrees, metres: f64| {
        let end_s = metres / celerity_m_s();
        Wave { length_m, from_m: [from, 256.0], degrees, end_s }
    };
    let run = |name, wave: Wave, mesh: LevelMesh, coarsest, begins_coarse| {
        let plain = LevelMesh::strip(&[(0, mesh.size.0)], 64);
        let promised_m = if begins_coarse && coarsest == 3 { 80.0 } else { 20.0 };
        let rows = EVERYWHERE;
        WaveEdgeRun { name, wave, mesh, plain, coarsest, scheme, rows, begins_coarse, promised_m }
    };
    let two = LevelMesh::strip(&[(0, 384), (1, 384)], 128);
    let eight = LevelMesh::strip(&[(3, 512), (2, 256), (1, 128), (0, 384)], 512);
    vec![
        run("two, fine to coarse", wave(192.0, 0.0, 250.0), two.clone(), 1, false),
        run("two, coarse to fine", wave(512.0, 180.0, 250.0), two, 1, true),
        run("eight, fine to coarse", wave(1024.0, 180.0, 900.0), eight.clone(), 3, false),
        run("eight, coarse to fine", wave(384.0, 0.0, 700.0), eight, 3, true),
    ]
}

/// Makes the runs of the plane: in two dimensions the uniform runs have the rows of the mesh.
fn runs_of_the_plane(length_m: f64, scheme: Scheme) -> Vec<WaveEdgeRun> {
    let run = |name, from_m, degrees: f64, metres: f64, mesh: LevelMesh, rows, begins_coarse| {
        let end_s = metres / celerity_m_s();
        let wave = Wave { length_m, from_m, degrees, end_s };
        let plain = mesh.uniform(0);
        let promised_m = length_m;
        WaveEdgeRun {
            name,
            wave,
            mesh,
            plain,
            coarsest: 1,
            scheme,
            rows,
            begins_coarse,
            promised_m,
        }
    };
    let halves = LevelMesh::strip(&[(0, 384), (1, 384)], 512);
    let patch = LevelMesh::patch(6, 2, 4);
    let free = 192.0..320.0;
    vec![
        run(
            "oblique, fine to coarse",
            [288.0, 256.0],
            30.0,
            170.0,
            halves.clone(),
            free.clone(),
            false,
        ),
        run("oblique, coarse to fine", [480.0, 256.0], 210.0, 170.0, halves, free, true),
        run("patch", [192.0, 256.0], 0.0, 400.0, patch.clone(), EVERYWHERE, true),
        run("patch, corner", [192.0, 192.0], 45.0, 250.0, patch, 200.0..568.0, true),
    ]
}

fn measure(context: &Context) -> BenchResult {
    let mut all = Vec::new();
    for scheme in SCHEMES {
        for length_m in [10.0, 20.0, 40.0, 80.0] {
            let runs = runs(length_m, scheme);
            let wanted = |run: &WaveEdgeRun| context.is_verbose || run.is_promised();
            all.extend(runs.into_iter().filter(wanted));
        }
        all.extend(runs_of_the_plane(20.0, scheme));
    }
    let found: Vec<WaveEdgeResult> =
        all.par_iter().map(WaveEdgeRun::find).collect::<Result<_, _>>()?;
    let lines: Vec<&str> = found.iter().map(|found| found.line.as_str()).collect();
    let of = |is_patch: bool, error: fn(&WaveEdgeResult) -> f64| {
        let counts = |found: &&WaveEdgeResult| found.is_promised && found.is_patch == is_patch;
        found.iter().filter(counts).map(error).fold(f64::NEG_INFINITY, f64::max)
    };
    let cells = found.iter().map(|found| found.cells).max().unwrap_or(0);
    let value = |id, value| Measurement::new(id, value, "1").cells(cells);
    Ok(vec![
        value("forest.reflection", of(false, |found| found.fine))
            .target("<= 0.015")
            .note(lines.join("\n")),
        value("forest.transmission", of(false, |found| found.coarse)).target("<= 0.015"),
        value("forest.transmission.patch", of(true, |found| found.fine.max(found.coarse))),
    ])
}
