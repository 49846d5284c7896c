//! A made-up run whose every value is known: fractal hills, a winding river that rises, a pond.

#![expect(clippy::cast_possible_truncation, reason = "made-up values of a few hundred")]

use std::f64::consts::TAU;

use flood_preview::outcome::{
    BarrierPassage, CellBefore, DepthFrame, FloodLedger, FloodOutcome, GaugeRecord, LinkPassage,
    Outlet, PassageReadings, SectionRecord,
};
use kit::picture::colours::DEPTHS_M;
use rasters::{Crs, Grid};
use scenario::place::MapSide;

/// Size and length of a made-up run.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    /// Cells to the east.
    pub width: usize,
    /// Cells to the south.
    pub height: usize,
    /// Stored moments.
    pub frames: usize,
}

/// A grid in the north of the 11th UTM zone with square cells.
pub fn grid(width: usize, height: usize, cell_m: f64) -> Grid {
    Grid {
        crs: Some(Crs::projected(32611)),
        ..Grid::metric((width, height), (380_000.0, 3_790_000.0), cell_m)
    }
}

/// The run: water rises from the first frame to the last.
pub fn run(size: Size) -> FloodOutcome {
    let grid = grid(size.width, size.height, 10.0);
    let bed_m = bed(size);
    let last = size.frames.saturating_sub(1).max(1);
    let moments: Vec<Vec<f32>> =
        (0..size.frames).map(|index| depth(&bed_m, size, index as f32 / last as f32)).collect();
    let max_depth_m = depth(&bed_m, size, 1.0);
    let max_speed_m_s: Vec<f32> = max_depth_m.iter().map(|h| 1.4 * h.powf(0.67)).collect();
    let arrival_s = max_depth_m.iter().map(|h| {
        let early = (1.0 - h / 4.0).clamp(0.0, 1.0) * 3600.0;
        if *h >= 0.05 { early } else { f32::NAN }
    });
    let frames = moments.iter().enumerate().map(|(index, depth)| {
        let time_s = 3600.0 * index as f64 / last as f64;
        DepthFrame::reduced(time_s, (size.width, size.height), depth, &DEPTHS_M)
    });
    FloodOutcome {
        title: "Cloudburst of 40 mm/h for 1 h over synthetic hills".into(),
        command: "flood-preview hills.tif --rain 40mm/h --for 1h".into(),
        settings: vec![
            ("Heightmap".into(), "hills.tif".into()),
            ("Cells".into(), format!("{} × {} of 10 m", size.width, size.height)),
            ("Rain".into(), "40 mm/h for 1 h".into()),
            ("Manning's n".into(), "0.035 s/m^(1/3)".into()),
        ],
        notes: vec!["Buildings are not in the heightmap.".into()],
        hazard_m2_s: max_depth_m.iter().zip(&max_speed_m_s).map(|(h, v)| h * (v + 0.5)).collect(),
        arrival_s: arrival_s.collect(),
        before: vec![CellBefore::Dry; size.width * size.height],
        inflow_cells: Vec::new(),
        holes: Vec::new(),
        duration_s: max_depth_m.iter().map(|h| 600.0 * h).collect(),
        final_depth_m: max_depth_m.iter().map(|h| 0.5 * h).collect(),
        frames: frames.collect(),
        gauges: gauges(&grid, &bed_m),
        sections: vec![section(&grid)],
        edges: vec![edge("west edge", 0.0), edge("east edge", 1234.5)],
        outlets: vec![outlet()],
        barriers: vec![barrier(&grid)],
        links: links(&grid),
        rocks: Vec::new(),
        backdrop: None,
        below: None,
        ledger: FloodLedger {
            unit_m3: 100.0 / f64::from(1 << 20),
            initial: 1_000,
            stored: 123_456_789_012_345_678,
            into: vec![("rain".into(), 123_456_789_012_400_000)],
            out: vec![("edge".into(), 55_322)],
        },
        output_grid: self::grid(2 * size.width, 2 * size.height, 5.0),
        grid,
        open_sides: MapSide::ALL.into(),
        wet_depth_m: 0.05,
        depth_classes_m: DEPTHS_M.to_vec(),
        inputs: serde_json::json!({"solver": "swe", "duration_s": 3600.0}),
        bed_m,
        max_depth_m,
        max_speed_m_s,
        simulated_s: 3600.0,
        coarse: None,
        wall_s: 12.3,
        interrupted: false,
        levels: Vec::new(),
        counted: None,
        sure: None,
        faults: Vec::new(),
        is_searched: true,
    }
}

/// A section across the valley, over which a wave passes.
fn section(grid: &Grid) -> SectionRecord {
    let at = |part: f64| [grid.west + part * grid.width as f64 * grid.step_x, grid.north];
    let [x, north] = at(0.4);
    let south = north - grid.height as f64 * grid.step_y;
    let path = vec![[x, south], [x, north]];
    let mut section = SectionRecord { name: "valley".into(), path, ..SectionRecord::default() };
    for minute in 0..=60 {
        let part = f64::from(minute) / 60.0;
        section.note(60.0 * f64::from(minute), 4000.0 * part * part, Some(290.0 + part));
    }
    section.ways_m3 = [4000.0, 0.0];
    section
}

/// An edge over which so much leaves.
fn edge(name: &str, volume_m3: f64) -> SectionRecord {
    let mut edge = SectionRecord { name: name.into(), ..SectionRecord::default() };
    [(0.0, 0.0), (3600.0, volume_m3)].into_iter().for_each(|(time_s, volume_m3)| {
        edge.note(time_s, volume_m3, None);
    });
    edge.ways_m3 = [volume_m3, 0.0];
    edge
}

/// An outlet beside an inflow.
fn outlet() -> Outlet {
    Outlet {
        edge: "east edge".into(),
        ends: [[384_000.0, 3_788_000.0], [384_000.0, 3_788_120.0]],
        volume_m3: 1234.5,
        share: 1.0,
        inflow: Some(("river".into(), 40.0)),
    }
}

/// Hills of six octaves around a valley that falls to the east; a corner lies outside.
fn bed(size: Size) -> Vec<f32> {
    let side = size.width.max(size.height) as f64;
    let bed = |index: usize| {
        let (column, row) = (index % size.width, index / size.width);
        if size.width > 8 && column + row < size.width / 9 {
            return f32::NAN;
        }
        let (x, y) = (column as f64 / side, row as f64 / side);
        let away = y - river(x, size);
        let hills: f64 = (0..6)
            .map(|octave| {
                let scale = f64::from(1 << octave) * 3.0;
                noise(x * scale, y * scale, octave) / scale
            })
            .sum();
        let valley = 260.0 * away * away / (0.1 + away.abs()) * 2.0;
        (300.0 - 22.0 * x + valley + 150.0 * hills * (0.01 + away.abs() * 3.0).min(1.0)) as f32
    };
    (0..size.width * size.height).map(bed).collect()
}

/// The river's y at x.
fn river(x: f64, size: Size) -> f64 {
    let middle = 0.5 * size.height as f64 / size.width.max(size.height) as f64;
    middle + 0.07 * (TAU * 1.3 * x).sin() + 0.02 * (TAU * 4.1 * x).cos()
}

/// Depth when the share `full` (0…1) of the flood has come; NaN outside.
fn depth(bed_m: &[f32], size: Size, full: f32) -> Vec<f32> {
    let side = size.width.max(size.height) as f64;
    let depth = |(index, bed): (usize, &f32)| {
        let x = (index % size.width) as f64 / side;
        let stage = (299.2 - 22.0 * x) as f32 + 4.0 * full;
        let film = 0.004 * full;
        if bed.is_nan() { f32::NAN } else { (stage - bed).max(film) }
    };
    bed_m.iter().enumerate().map(depth).collect()
}

/// Smooth noise from a lattice of hashed values, −1…1.
fn noise(x: f64, y: f64, seed: u32) -> f64 {
    let (i, j) = (x.floor(), y.floor());
    let ease = |t: f64| t * t * (3.0 - 2.0 * t);
    let (u, v) = (ease(x - i), ease(y - j));
    let corner = |di: f64, dj: f64| {
        let place = ((i + di) as u32).wrapping_mul(0x9e37_79b9)
            ^ ((j + dj) as u32).wrapping_mul(0x85eb_ca6b)
            ^ seed.wrapping_mul(0xc2b2_ae35);
        let mixed = (place ^ (place >> 15)).wrapping_mul(0x2c1b_3c6d);
        let mixed = (mixed ^ (mixed >> 12)).wrapping_mul(0x297a_2d39);
        f64::from(mixed ^ (mixed >> 15)) / f64::from(u32::MAX) * 2.0 - 1.0
    };
    let north = corner(0.0, 0.0) * (1.0 - u) + corner(1.0, 0.0) * u;
    let south = corner(0.0, 1.0) * (1.0 - u) + corner(1.0, 1.0) * u;
    north * (1.0 - v) + south * v
}

/// A levee with a bend, whose name is meant to break things; it is overtopped, then breaches.
fn barrier(grid: &Grid) -> BarrierPassage {
    let at = |x: f64, y: f64| {
        let (x, y) = (x * grid.width as f64, y * grid.height as f64);
        [grid.west + x * grid.step_x, grid.north - y * grid.step_y]
    };
    let time_s: Vec<f64> = (0..=240).map(|k| 15.0 * f64::from(k)).collect();
    let since = |t: &f64| (t - 1800.0) / 600.0;
    BarrierPassage {
        name: "Levee <b>west</b>".into(),
        path: vec![at(0.2, 0.1), at(0.4, 0.3), at(0.4, 0.9)],
        length_m: 700.0,
        crest_m: [302.0, 302.5],
        passage: PassageReadings {
            discharge_m3_s: time_s.iter().map(|t| 80.0 * (-since(t) * since(t)).exp()).collect(),
            stages_m: [
                time_s.iter().map(|t| 300.0 + 2.5 * (-since(t) * since(t)).exp()).collect(),
                vec![f64::NAN; time_s.len()],
            ],
            time_s,
        },
        overtopped_s: Some(1500.0),
        breached_s: Some(1740.0),
    }
}

/// A culvert through the levee that runs full, and a drain behind it that takes nothing.
fn links(grid: &Grid) -> Vec<LinkPassage> {
    let at = |x: f64, y: f64| {
        let (x, y) = (x * grid.width as f64, y * grid.height as f64);
        [grid.west + x * grid.step_x, grid.north - y * grid.step_y]
    };
    let time_s: Vec<f64> = (0..=240).map(|k| 15.0 * f64::from(k)).collect();
    let series = |value: f64| time_s.iter().map(|_| value).collect::<Vec<f64>>();
    let passage = |discharge, to| PassageReadings {
        time_s: time_s.clone(),
        discharge_m3_s: series(discharge),
        stages_m: [series(301.0), series(to)],
    };
    vec![
        LinkPassage {
            kind: "culvert",
            name: "Mill <i>race</i>".into(),
            path: vec![at(0.35, 0.6), at(0.45, 0.6)],
            passage: passage(-1.25, 302.0),
            began_s: Some(0.0),
            full_s: Some(600.0),
        },
        LinkPassage {
            kind: "drain",
            name: "Yard".into(),
            path: vec![at(0.5, 0.7)],
            passage: passage(0.0, f64::NAN),
            began_s: None,
            full_s: None,
        },
    ]
}

/// Two gauges in the river, one with a name meant to break things.
fn gauges(grid: &Grid, bed_m: &[f32]) -> Vec<GaugeRecord> {
    let places = [("Bridge", 0.3), ("Mill \"<script>alert(1)</script>\" & weir", 0.75)];
    let gauge = |(name, along): (&str, f64)| {
        let column = (along * grid.width as f64) as usize;
        let size = Size { width: grid.width, height: grid.height, frames: 0 };
        let side = grid.width.max(grid.height) as f64;
        let row = (river(column as f64 / side, size) * side) as usize;
        let row = row.min(grid.height - 1);
        let bed = bed_m[row * grid.width + column];
        let time_s: Vec<f64> = (0..=240).map(|k| 15.0 * f64::from(k)).collect();
        let depth_m: Vec<f32> = time_s
            .iter()
            .map(|t| {
                let since = (t - 2000.0 * along) / 900.0;
                (0.3 + 3.1 * (-since * since).exp()) as f32
            })
            .collect();
        GaugeRecord {
            name: name.into(),
            x: grid.easting(column),
            y: grid.northing(row),
            bed_m: bed,
            stage_m: depth_m.iter().map(|h| h + bed).collect(),
            speed_m_s: depth_m.iter().map(|h| 0.9 * h.powf(0.6)).collect(),
            time_s,
            depth_m,
            observed: None,
        }
    };
    places.map(gauge).into()
}
