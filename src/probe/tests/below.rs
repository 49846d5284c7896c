//! Through sub-grid columns.

use super::places::cell_at;
use super::*;
use crate::probe::Query;
use crate::probe::cursor::{Cursor, DischargeNeed};
use thalweg_engine::grid::LeafId;

/// Vertical units of a metre.
const UNIT: i32 = 1 << 20;

/// Hills of 20 m over 250 m, with finer ones on them.
fn hills([x, y]: [f64; 2]) -> f64 {
    let wave = |length: f64, salt: u64| {
        let turn = f64::from(u32::try_from(scramble(salt) >> 40).expect("24 bits"));
        (x / length + turn).sin() * (y / length - 2.0 * turn).cos()
    };
    10.0 * wave(40.0, 1) + 4.0 * wave(11.0, 2) + wave(4.0, 3) + 0.3 * wave(1.3, 4)
}

/// Bed and depth of all finest cells, vertical units, with whose coarse cell they lie in.
fn finest(query: &Query<'_>) -> Vec<(i32, i32, (LeafId, usize))> {
    let mut cursor = Cursor::new(*query, LeafId::NONE, DischargeNeed::Unwanted);
    let cells = (0..512_u32).flat_map(|y| (0..512_u32).map(move |x| CellPlace { x, y }));
    let cell = |place: CellPlace| {
        let sum = cursor.cell(0, place.x.into(), place.y.into());
        #[expect(clippy::cast_possible_truncation, reason = "whole units")]
        let [bed, depth] = [sum.bed, sum.depth].map(|v| v as i32);
        let whose = query.forest.locate(place).expect("all is ground");
        (bed, depth, whose)
    };
    cells.map(cell).collect()
}

/// Volume of leaves and of the finest cells below them, units × finest cells.
fn volumes(made: &Made, finest: &[(i32, i32, (LeafId, usize))]) -> [f64; 2] {
    let held = made.forest.leaves().iter().zip(&made.water);
    let held = held.map(|(key, water)| {
        let sum: f64 = water.depth.iter().map(|&h| f64::from(h)).sum();
        sum * f64::from(1_u32 << (2 * key.level))
    });
    [held.sum(), finest.iter().map(|(_, depth, _)| f64::from(*depth)).sum()]
}

#[test]
fn a_lake_stands_over_its_finest_beds() {
    let lake = 2 << 20;
    for leaves in all_levels().into_iter().chain([one_level(3)]) {
        let terrain = Made::terrain(hills);
        let made = Made::tabled(leaves, &terrain, |_| 2.0 * UNITS);
        let query = made.query().on(&terrain).wet_from(0.0).expect("good");
        let (mut exact, mut all) = (0, 0);
        let cells = finest(&query);
        for &(bed, depth, (leaf, cell)) in &cells {
            let ground = &made.grounds[leaf];
            let own = made.water[leaf].depth[cell];
            // Less than a unit more would stand higher.
            let least = if own > 0 { ground.stage(cell, own) } else { bed };
            let expected = (lake - bed).max(0);
            let slack = lake - least.min(lake);
            assert!((0..=slack).contains(&(expected - depth)), "{expected}, not {depth}");
            all += usize::from(expected > 0);
            exact += usize::from(expected > 0 && depth == expected);
        }
        assert!(all > 100_000 && exact * 100 >= all * 99, "{exact} of {all}");
        let [held, seen] = volumes(&made, &cells);
        // What tables of few knots leave out.
        check_near(seen / held, 1.0, 1.0e-3, "volume");
    }
}

#[test]
fn a_river_runs_through_coarse_cells_as_through_fine_ones() {
    // A channel 3 m deep and 12 m wide meanders down a rough plain of 1 ‰ and 4 ‰ to its sides.
    let away = |[x, y]: [f64; 2]| {
        let lean = (1.0 + (1.1 * (x / 41.0).cos()).powi(2)).sqrt();
        (y - 512.0 - 45.0 * (x / 41.0).sin()).abs() / lean
    };
    let bed = |at: [f64; 2]| {
        let rough = f64::from(
            u32::try_from(scramble(at[0].to_bits() ^ at[1].to_bits()) >> 40).expect("24 bits"),
        );
        let bank = 5.0 - 0.001 * at[0] + 0.004 * away(at) + 0.1 * rough / 16_777_216.0;
        if away(at) < 6.0 { bank - 3.0 * (1.0 - (away(at) / 6.0).powi(4)) } else { bank }
    };
    let stage = |[x, _]: [f64; 2]| (4.0 - 0.001 * x) * UNITS;
    for level in 1..=3 {
        let terrain = Made::terrain(bed);
        let made = Made::tabled(one_level(level), &terrain, stage);
        let query = made.query().on(&terrain);
        let cells = finest(&query);
        let (mut off, mut wet, mut differ) = (0.0_f64, 0, 0);
        for (i, &(bed, depth, _)) in cells.iter().enumerate() {
            let at = [i % 512, i / 512]
                .map(|v| (f64::from(u32::try_from(v).expect("few")) + 0.5) * WIDTH_M);
            if !(64.0..960.0).contains(&at[0]) {
                continue;
            }
            let expected = (stage(at) - f64::from(bed)).max(0.0);
            off = off.max((f64::from(depth) - expected).abs() / UNITS);
            wet += usize::from(expected > 0.0);
            differ += usize::from((expected > 0.0) != (depth > 0));
        }
        let [held, seen] = volumes(&made, &cells);
        assert!(off < 0.005 && differ == 0, "level {level}: {off} m, {differ} of {wet}");
        check_near(seen / held, 1.0, 0.001, "volume");
    }
}

/// Goal: cells drawn leaf by leaf have the depths of a raster; those that are not joined have one
/// stage.
#[test]
fn leaves_are_drawn_as_rasters_show_them() {
    let stage = |[x, _]: [f64; 2]| (2.0 - 0.002 * x) * UNITS;
    let (mut wet, mut apart) = (0, 0);
    for leaves in all_levels().into_iter().chain([one_level(2)]) {
        let terrain = Made::terrain(hills);
        let made = Made::tabled(leaves, &terrain, stage);
        let query = made.query().on(&terrain).wet_from(0.0).expect("good");
        let cells = finest(&query);
        let (mut joined, mut level) = (vec![0; cells.len()], vec![0; cells.len()]);
        for (_, key) in made.forest.iter().filter(|(_, key)| key.level > 0) {
            let corner = key.corner().indices();
            let width = 1_usize << key.level;
            for (plane, joined_from) in [(&mut joined, 0), (&mut level, i32::MAX)] {
                query.depths_below(key, joined_from, |cell, depths| {
                    let [x, y] = [corner[0] + cell % TILE_WIDTH, corner[1] + cell / TILE_WIDTH]
                        .map(|at| at << key.level);
                    for (at, depth) in depths.iter().enumerate() {
                        plane[(y + at / width) * 512 + x + at % width] = *depth;
                    }
                });
            }
        }
        let coarse =
            |&(.., (leaf, _)): &(i32, i32, (LeafId, usize))| made.forest.leaves()[leaf].level > 0;
        for (at, cell) in cells.iter().enumerate().filter(|(_, cell)| coarse(cell)) {
            let &(bed, depth, (leaf, whose)) = cell;
            assert_eq!(joined[at], depth, "cell {at}");
            let own = made.water[leaf].depth[whose];
            let expected = (made.grounds[leaf].stage(whose, own) - bed).max(0);
            assert_eq!(level[at], if own > 0 { expected } else { 0 }, "cell {at}");
            wet += usize::from(depth > 0);
            apart += usize::from(depth != level[at]);
        }
    }
    assert!(wet > 100_000 && apart > 10_000, "{wet} wet, {apart} not level");
}

/// Depths along a row of finest cells, units.
fn row_of(query: &Query<'_>, y: usize) -> Vec<i32> {
    finest(query)[512 * y..512 * (y + 1)].iter().map(|(_, depth, _)| *depth).collect()
}

#[test]
fn no_water_is_seen_beyond_a_wall_or_a_dry_cell() {
    // Two lakes that differ by 3 m, a wall one finest cell wide between them, on either side of
    // where cells meet; ground that rises above both.
    for wall in [255, 256] {
        let [low, high] = [1.0, 4.0].map(|stage| stage * UNITS);
        let at = |x: f64| cell_at(x) as usize;
        let bed = |[x, _]: [f64; 2]| match at(x) {
            400.. => 9.0,
            x if x == wall => 6.0,
            _ => 0.0,
        };
        for level in 1..=3 {
            let terrain = Made::terrain(bed);
            let stage = |[x, _]: [f64; 2]| if at(x) < 256 { high } else { low };
            let made = Made::tabled(one_level(level), &terrain, stage);
            let query = made.query().on(&terrain);
            for (x, &depth) in row_of(&query, 77).iter().enumerate() {
                let expected = match x {
                    400.. => 0,
                    x if x == wall => 0,
                    x if x < 256 => 4 << 20,
                    _ => 1 << 20,
                };
                let name = format!("level {level}, wall {wall}, column {x}");
                // Beside the wall a unit of depth is more than a unit of stage.
                check_near(depth.into(), expected.into(), 2.0, &name);
                assert_eq!(depth == 0, expected == 0, "{name}");
            }
        }
    }
}

#[test]
fn what_falls_over_an_edge_runs_down_and_adds_nothing() {
    // A plateau with 1 m of water in a ditch; below its edge, where cells meet, a slope and a pool.
    let ditch = |y: f64| (cell_at(y) / 8).is_multiple_of(2) && cell_at(y) % 8 == 3;
    let stage = |[x, _]: [f64; 2]| if cell_at(x) < 256 { 59.0 * UNITS } else { 0.0 };
    for level in 2..=3 {
        let width = 1 << level;
        let bed = |[x, y]: [f64; 2]| {
            let deep = if ditch(y) { 2.0 } else { 0.0 };
            let down = (f64::from(cell_at(x)) - 256.0) / f64::from(width - 1);
            if down < 0.0 { 60.0 - deep } else { (58.0 - 58.0 * down).max(0.0) - deep }
        };
        let terrain = Made::terrain(bed);
        let made = Made::tabled(one_level(level), &terrain, stage);
        let query = made.query().on(&terrain);
        let [along, beside] = [3, 4].map(|y| row_of(&query, y));
        let (width, edge) = (width as usize, 256);
        for &h in &along[..edge - width] {
            check_near(h.into(), UNITS, 8.0, "the ditch is full");
        }
        // It sinks towards the edge; below it is as deep down to the pool, and takes from that what
        // it holds itself.
        assert!(along[edge - 1] > UNIT / 2 && along[edge - 1] < UNIT, "level {level}");
        let below = &along[edge..edge + width];
        let slope = &below[..width - 1];
        assert!(slope[0] > UNIT / 8 && slope[0] <= along[edge - 1], "level {level}: {slope:?}");
        assert!(slope.iter().all(|&h| h == slope[0]), "level {level}: {slope:?}");
        let (leaf, cell) = made.forest.locate(CellPlace { x: 256, y: 3 }).expect("ground");
        let held = made.water[leaf].depth[cell] << (2 * level);
        check_near(below.iter().sum::<i32>().into(), held.into(), 16.0, "no water is added");
        for &h in &along[edge + width..] {
            check_near(h.into(), 2.0 * UNITS, 16.0, "the pool");
        }
        assert!(beside.iter().all(|&h| h == 0), "level {level}: over the banks");
    }
}

#[test]
fn places_polygons_and_rasters_see_the_same() {
    let terrain = Made::terrain(hills);
    for leaves in all_levels() {
        let made = Made::tabled(leaves, &terrain, |_| 2.0 * UNITS);
        let query = made.query().on(&terrain);
        let window =
            Window { level: 0, corner: CellPlace { x: 70, y: 100 }, width: 90, height: 130 };
        let raster = query.surface(window).expect("good");
        let flow = query.flow(window).expect("good");
        let mut held = 0.0;
        for y in 0..130 {
            for x in 0..90 {
                let place = [70 + x, 100 + y].map(|v| (f64::from(v) + 0.5) * WIDTH_M);
                let sample = query.at(place).expect("finite").expect("inside");
                let at = 90 * y as usize + x as usize;
                check_near(sample.bed_m, f64::from(raster.bed_m[at]), 1.0e-5, "bed");
                check_near(sample.depth_m, f64::from(raster.depth_m[at]), 1.0e-5, "depth");
                assert_eq!(raster.stage_m[at].is_nan(), sample.stage_m.is_none());
                assert!(flow.east_m_s[at].abs() < 1.0e-9);
                held += f64::from(raster.depth_m[at]) * WIDTH_M * WIDTH_M;
            }
        }
        let [west, south, east, north] = [70.0, 100.0, 160.0, 230.0].map(|v| v * WIDTH_M);
        let corners = [[west, south], [east, south], [east, north], [west, north]];
        let over = query.over(&corners).expect("good");
        check_near(over.volume_m3 / held, 1.0, 2.0e-3, "volume");
        let deepest = raster.depth_m.iter().fold(0.0_f32, |most, &h| most.max(h));
        check_near(over.depth_max_m, f64::from(deepest), 0.02, "deepest");
    }
}
