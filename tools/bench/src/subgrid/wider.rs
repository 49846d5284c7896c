//! Floods on cells two, four and eight times as wide as a map's, with tables of the ground in them,
//! against floods on the map's own cells: one map a bench.
//!
//! ```text
//! index = cells deep in both / cells deep in one of them       deep: 0.3 m or more at the deepest
//! left  = volume that left over edges / that on the map's cells − 1
//! ```
//!
//! Worlds are built from scenarios, with `cell_size` and `columns` as a user writes them, and
//! largest depths are read on the map's cells. Notes have both for flat cells too.

use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::check_books;
use kit::reading::silent;
use rasters::{Grid, RasterBand};
use scenario::build::build;
use scenario::plan::Plan;
use scenario::survey::survey;
use scenario::text;
use std::path::PathBuf;
use std::time::Instant;
use thalweg::probe::Window;
use thalweg::units::SimTime;
use thalweg_engine::grid::cells::CellPlace;

/// A cloudburst on a steep coast.
pub const BOSCASTLE: Bench = Bench {
    ids: &[
        "subgrid.draft.boscastle.2x2",
        "subgrid.draft.boscastle.4x4",
        "subgrid.draft.boscastle.8x8",
        "subgrid.draft.boscastle.left",
    ],
    what: "60 mm in an hour on Boscastle, three hours, cells of 20, 40, 80 m with tables against \
           10 m: index of the area deeper than 0.3 m; worst difference of the volume that left",
    is_long: true,
    measure: |context| {
        let map = context.data("heightmaps/boscastle_10m.asc")?;
        measure(BOSCASTLE.ids, &WiderCase { map, cell_m: 10.0, keys: CLOUDBURST })
    },
};

/// A cloudburst on mountains.
pub const TUJUNGA: Bench = Bench {
    ids: &[
        "subgrid.draft.tujunga.2x2",
        "subgrid.draft.tujunga.4x4",
        "subgrid.draft.tujunga.8x8",
        "subgrid.draft.tujunga.left",
    ],
    what: "60 mm in an hour on Big Tujunga, three hours, cells of 60, 120, 240 m with tables \
           against 30 m: index of the area deeper than 0.3 m; worst difference of the volume that \
           left",
    is_long: true,
    measure: |context| {
        let map = context.data("heightmaps/bigtujunga.tif")?;
        measure(TUJUNGA.ids, &WiderCase { map, cell_m: 30.0, keys: CLOUDBURST })
    },
};

/// A flood in a made valley whose river is as narrow as a wide cell.
pub const VALLEY: Bench = Bench {
    ids: &[
        "subgrid.draft.valley.2x2",
        "subgrid.draft.valley.4x4",
        "subgrid.draft.valley.8x8",
        "subgrid.draft.valley.left",
    ],
    what: "a flood in a made valley with a winding river 30 m wide, three hours, cells of 10, 20, \
           40 m with tables against 5 m: index of the area deeper than 0.3 m; worst difference of \
           the volume that left",
    is_long: true,
    measure: measure_valley,
};

/// A tide in a marsh.
pub const MARSH: Bench = Bench {
    ids: &[
        "subgrid.draft.marsh.2x2",
        "subgrid.draft.marsh.4x4",
        "subgrid.draft.marsh.8x8",
        "subgrid.draft.marsh.left",
    ],
    what: "a spring tide of six hours in a marsh, cells of 4, 8, 16 m with tables against 2 m: \
           index of the area deeper than 0.3 m; worst difference of the volume that left",
    is_long: true,
    measure: measure_marsh,
};

/// Depth from which a cell counts, m.
const DEEP_M: f32 = 0.3;

/// Cells of the map along one simulated, and the target of the index.
const WIDER: [(u32, &str); 3] = [(2, ">= 0.9"), (4, ">= 0.85"), (8, ">= 0.75")];

const CLOUDBURST: &str = "[run]\nfor = \"3h\"\n[[rain]]\nrate = \"60mm/h\"\nfor = \"1h\"\n";

/// A map, the width of its cells, m, and the keys of a scenario on it.
struct WiderCase<'a> {
    map: PathBuf,
    cell_m: f64,
    keys: &'a str,
}

/// Results of a run, on the map's cells.
struct WiderFlood {
    /// Rows from the north; NaN outside the world.
    depth_max_m: Vec<f32>,
    size: (usize, usize),
    left_m3: f64,
    cells: usize,
    wall_s: f64,
}

/// Comparison of a flood on wider cells.
struct WiderVerdict {
    index: f64,
    /// Cells deep on wider cells alone, and on the map's alone, over cells that are deep there.
    added: f64,
    missed: f64,
    left: f64,
}

impl WiderCase<'_> {
    /// Runs the scenario on cells `across` of the map's cells wide; `size` is the size of the map,
    /// if known.
    fn run(
        &self,
        across: u32,
        columns: &str,
        size: Option<(usize, usize)>,
    ) -> Result<WiderFlood, BenchError> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("flood.toml");
        let (map, cell_m) = (self.map.canonicalize()?, self.cell_m * f64::from(across));
        let run = format!("[run]\ncell_size = {cell_m}\ncolumns = \"{columns}\"\n");
        let keys = self.keys.replacen("[run]\n", &run, 1);
        std::fs::write(&path, format!("[map]\nfile = {map:?}\n{keys}"))?;
        let plan = Plan::resolve(&text::read(&path)?)?;
        let made = build(&plan, &survey(&plan)?, &|builder| builder, &mut silent())?;
        let (mut world, clock) = (made.world, Instant::now());
        world.run_until(SimTime::from_seconds(plan.duration_s));
        let wall_s = clock.elapsed().as_secs_f64();
        check_books(&world)?;
        let drawn = plan.map.size();
        let (width, height) = drawn;
        let window = Window { level: 0, corner: CellPlace { x: 0, y: 0 }, width, height };
        let depth_max_m = world.maps().maxima()?.surface(window)?.depth_m;
        let across = if plan.map.level == 0 { across as usize } else { 1 };
        let size = size.unwrap_or(drawn);
        let out: i128 = world.water().ledger().accounts().iter().map(|account| account.out).sum();
        Ok(WiderFlood {
            depth_max_m: repeated(&depth_max_m, drawn, across, size),
            size,
            left_m3: out as f64 * world.water().unit_m3(),
            cells: plan.map.simulated_cells(),
            wall_s,
        })
    }
}

/// Returns the cells of a raster, rows from the south, on one whose cells are narrower by a whole
/// factor and begin in the same north-western corner, rows from the north.
fn repeated(
    raster: &[f32],
    (width, height): (usize, usize),
    across: usize,
    (columns, rows): (usize, usize),
) -> Vec<f32> {
    let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row)));
    let value = |(column, row): (usize, usize)| {
        raster[(height - 1 - row / across) * width + column / across]
    };
    cells.map(value).collect()
}

impl WiderVerdict {
    fn between(fine: &WiderFlood, wide: &WiderFlood) -> Self {
        let (mut both, mut added, mut missed) = (0_u32, 0_u32, 0_u32);
        for (&fine, &wide) in fine.depth_max_m.iter().zip(&wide.depth_max_m) {
            match [fine, wide].map(|depth_m| depth_m >= DEEP_M) {
                [true, true] => both += 1,
                [true, false] => missed += 1,
                [false, true] => added += 1,
                [false, false] => {}
            }
        }
        let deep = f64::from(both + missed);
        Self {
            index: f64::from(both) / (deep + f64::from(added)),
            added: f64::from(added) / deep,
            missed: f64::from(missed) / deep,
            left: wide.left_m3 / fine.left_m3 - 1.0,
        }
    }

    fn line(&self, name: &str, wide: &WiderFlood, fine: &WiderFlood) -> String {
        format!(
            "{name}: index {:.3}, {:.1} % added, {:.1} % missed; {:+.2} % left; {} cells, {:.0} s \
             ({:.1} x faster)",
            self.index,
            100.0 * self.added,
            100.0 * self.missed,
            100.0 * self.left,
            wide.cells,
            wide.wall_s,
            fine.wall_s / wide.wall_s
        )
    }
}

/// Compares the story on wider cells with the story on the map's.
fn measure(ids: &'static [&'static str], story: &WiderCase<'_>) -> BenchResult {
    let fine = story.run(1, "sub-grid", None)?;
    let size = Some(fine.size);
    let [.., left_id] = ids else { return Err("no id".into()) };
    let (mut rows, mut lines, mut worst) = (Vec::new(), Vec::new(), 0.0_f64);
    for ((across, target), id) in WIDER.into_iter().zip(ids) {
        let tables = story.run(across, "sub-grid", size)?;
        let verdict = WiderVerdict::between(&fine, &tables);
        let flat = story.run(across, "flat", size)?;
        let note = [("tables", &tables), ("flat", &flat)]
            .map(|(name, wide)| WiderVerdict::between(&fine, wide).line(name, wide, &fine));
        worst = if verdict.left.abs() > worst.abs() { verdict.left } else { worst };
        let row = Measurement::new(id, verdict.index, "1").target(target).cells(tables.cells);
        rows.push(row.note(note.join("\n")));
        lines.push(format!("{across} x {across}: {:+.2} %", 100.0 * verdict.left));
    }
    lines.push(format!("{} cells of the map, {:.0} s", fine.cells, fine.wall_s));
    let left = Measurement::new(left_id, worst.abs(), "1").target("<= 0.02").cells(fine.cells);
    rows.push(left.note(lines.join("\n")));
    Ok(rows)
}

/// Width of the valley's cells, m, and its columns and rows.
const VALLEY_CELL_M: f64 = 5.0;
const VALLEY_CELLS: (usize, usize) = (1200, 256);

/// Returns the course of the river of the valley, m north of the southern rim.
fn river_m(x_m: f64) -> f64 {
    640.0 + 150.0 * (x_m / 240.0).sin()
}

/// Returns the ground of the valley, m: 1.5 m lower on a kilometre, a floor that rises to both
/// sides, and in it a river 2.5 m deep.
fn valley_bed_m(x_m: f64, y_m: f64) -> f64 {
    let (aside_m, off_m) = ((y_m - 640.0).abs(), (y_m - river_m(x_m)).abs());
    let floor_m = 0.004 * aside_m.min(300.0) + 0.08 * (aside_m - 300.0).max(0.0);
    // Banks 5 m wide on either side of 20 m.
    let river_m = 2.5 * ((15.0 - off_m) / 5.0).clamp(0.0, 1.0);
    100.0 - 0.0015 * x_m + floor_m - river_m
}

#[expect(clippy::cast_possible_truncation, reason = "beds of about 100 m, to a hundredth of a mm")]
fn measure_valley(_: &Context) -> BenchResult {
    let folder = tempfile::tempdir()?;
    let map = folder.path().join("valley.tif");
    let (width, height) = VALLEY_CELLS;
    let north_m = height as f64 * VALLEY_CELL_M;
    let grid = Grid::metric(VALLEY_CELLS, (0.0, north_m), VALLEY_CELL_M);
    rasters::write_geotiff(&map, &grid, RasterBand::ELEVATION, |row, beds| {
        let y_m = north_m - (row as f64 + 0.5) * VALLEY_CELL_M;
        for (column, bed) in (0..width).zip(beds) {
            *bed = valley_bed_m((column as f64 + 0.5) * VALLEY_CELL_M, y_m) as f32;
        }
    })?;
    let hydrograph = folder.path().join("flood.csv");
    std::fs::write(&hydrograph, "time [s],discharge [m3/s]\n0,40\n1800,40\n5400,350\n10800,150\n")?;
    let keys = format!(
        "[run]\nfor = \"3h\"\n[[inflow]]\nname = \"river\"\nat = [20, {}]\ndischarge = \
         {hydrograph:?}\n[edges]\nall = \"wall\"\neast = \"open\"\n",
        river_m(20.0)
    );
    measure(VALLEY.ids, &WiderCase { map, cell_m: VALLEY_CELL_M, keys: &keys })
}

fn measure_marsh(context: &Context) -> BenchResult {
    let map = context.data("heightmaps/tidal_marsh_2m.asc")?;
    let folder = tempfile::tempdir()?;
    let tide = folder.path().join("tide.csv");
    let stage_m = |step: u32| 0.9 - 0.9 * (f64::from(step) * std::f64::consts::PI / 18.0).cos();
    let rows = (0..=36).map(|step| format!("{},{:.4}\n", 600 * step, stage_m(step)));
    std::fs::write(&tide, format!("time [s],stage [m]\n{}", rows.collect::<String>()))?;
    let keys = format!(
        "[run]\nfor = \"6h\"\n[initial]\nstage = 0\n[edges]\nall = \"wall\"\nsouth = \
         \"stage:{}\"\n",
        tide.display()
    );
    measure(MARSH.ids, &WiderCase { map, cell_m: 2.0, keys: &keys })
}
