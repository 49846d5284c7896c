//! Every version of a step against the others, and tiles against their neighbours.

use super::*;
use crate::flow::fluid::{Fluid, FluidParams};
use crate::flow::params::{Order, StepInput, StepParams};
use crate::flow::solver::ShownPlanes;
use crate::flow::terms::{Terms, Viscosity};
use crate::flow::transfer::Dither;
use crate::grid::{TILE_CELLS, TILE_WIDTH, TileKey};
use crate::tile::Ground;
use crate::tile::columns::Columns;
use crate::tile::columns::build::{BedPlanes, LevelBeds};
use crate::tile::columns::found::FoundPieces;
use crate::tile::halo::{HaloNeighbour, HaloPatch, gather_roughness};
use crate::tile::interface_faces::InterfaceFaces;
use crate::tile::padded::index;
use crate::tile::water_reach::WaterReach;
use crate::units::OUTSIDE;
use crate::units::hash::scramble;

mod small_flows;

const TERMS: Terms =
    Terms { viscosity: Viscosity::Smagorinsky(0.2), wind_m_s: [5.0, -8.0], coriolis_per_s: 0.01 };

/// A mud, for the steps that resist as fluids do.
const MUD: Fluid =
    Fluid { density_kg_m3: 1500.0, viscosity_pa_s: 2.0, yield_stress_pa: 20.0, resistance: 24.0 };

/// Indices of all steps of a version.
const EACH_STEP: [usize; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

/// Constants of a step of the input below, and of the mud.
fn step_params(dt_s: f64) -> StepParams {
    let fluid = FluidParams::new(&MUD, dt_s);
    StepParams { fluid, ..StepParams::new(&step_input(dt_s)) }
}

/// Every step of a version between columns of a kind, and its order.
fn steps(version: &Version, has_tables: bool) -> [(&'static str, Order, StepFunction); 8] {
    let steps = if has_tables { &version.sub_grid } else { &version.flat };
    [
        ("pipe", Order::Second, steps.pipe),
        ("first order", Order::First, steps.shallow),
        ("second order", Order::Second, steps.shallow),
        ("first order, terms", Order::First, steps.with_terms),
        ("second order, terms", Order::Second, steps.with_terms),
        ("pipe, fluid", Order::Second, steps.pipe_of_fluid),
        ("first order, fluid", Order::First, steps.with_fluid),
        ("second order, fluid", Order::Second, steps.with_fluid),
    ]
}

/// A tile with every kind of cell: deep, thin, dry, outside, fast.
fn wild(seed: u64) -> (Ground, Water) {
    drawn(seed, true)
}

/// Such a tile without cells outside.
fn inside(seed: u64) -> (Ground, Water) {
    drawn(seed, false)
}

/// Such a tile with cells outside or without.
fn drawn(seed: u64, has_holes: bool) -> (Ground, Water) {
    let mut state = seed << 32;
    let mut draw = |most: u64| {
        state = scramble(state + 1);
        i32::try_from(state % most).expect("below 2³¹")
    };
    let mut water = Water::dry();
    let mut bed = vec![OUTSIDE; TILE_CELLS];
    let mut classes = vec![0; TILE_CELLS];
    for cell in 0..TILE_CELLS {
        if has_holes && draw(20) == 0 {
            continue;
        }
        bed[cell] = draw(1 << 22) - (1 << 21);
        let bits = draw(24);
        water.depth[cell] = draw(3) * draw(1 << bits);
        water.flow_x[cell] = draw(2001) as f32 * 1.0e-2 - 10.0;
        water.flow_y[cell] = draw(2001) as f32 * 1.0e-4 - 0.1;
        classes[cell] = u8::try_from(draw(3)).expect("three classes");
    }
    (Ground { roughness: Some(classes.into()), ..Ground::flat(bed.into()) }, water)
}

/// Random water in `across` × `across` tiles of sub-grid columns two finest cells wide, with pits,
/// crests and holes.
fn wild_columns(across: usize, seed: u64) -> Vec<(Ground, Water)> {
    let (row, width) = (across * TILE_WIDTH, 2 * across * TILE_WIDTH);
    let finest = |i: usize| {
        let drawn = scramble(seed << 32 ^ i as u64);
        match drawn >> 58 {
            0 => OUTSIDE,
            1..4 => 12 << 20,
            _ => i32::try_from(drawn % (1 << 22)).expect("22 bits") - (1 << 21),
        }
    };
    let finest: Vec<i32> = (0..width * width).map(finest).collect();
    let mean = |cell: usize| {
        let first = cell / row * 2 * width + cell % row * 2;
        let four = [0, 1, width, width + 1].map(|step| finest[first + step]);
        let inside = four.into_iter().filter(|&z| z != OUTSIDE);
        let (sum, count) = inside.fold((0, 0), |(sum, count), z| (sum + z, count + 1));
        if count == 0 { OUTSIDE } else { (2 * sum + count).div_euclid(2 * count) }
    };
    let coarse: Vec<i32> = (0..row * row).map(mean).collect();
    let beds =
        BedPlanes { coarse: LevelBeds::new(&coarse, row), finest: LevelBeds::new(&finest, width) };
    let tile = |i: usize| {
        let (x, y) = (i % across, i / across);
        let (mut ground, mut water) = wild(10 * seed + i as u64);
        for cell in 0..TILE_CELLS {
            let at = (y * TILE_WIDTH + cell / TILE_WIDTH) * row;
            ground.bed[cell] = coarse[at + x * TILE_WIDTH + cell % TILE_WIDTH];
            water.depth[cell] *= i32::from(ground.is_inside(cell));
        }
        let [x, y] = [x, y].map(|at| u32::try_from(at).expect("few"));
        ground.columns = Some(Columns::of(TileKey { level: 1, x, y }, &beds).into());
        (ground, water)
    };
    (0..across * across).map(tile).collect()
}

/// Keeps the pieces that the cells of a tile stand in.
fn warm((ground, water): &mut (Ground, Water)) {
    let Some(columns) = &mut ground.columns else { return };
    let mut found = FoundPieces::default();
    let rows = ground.bed.as_chunks().0.iter().zip(water.depth.as_chunks().0);
    for (row, water) in rows.enumerate() {
        let (mut stage, mut slope, mut quantum) = ([0; 64], [0.0; 64], [0; 64]);
        let out = (&mut stage, &mut slope, &mut quantum);
        columns.cells().row(TILE_WIDTH * row, water, out, Some(&mut found));
    }
    columns.keep(&mut found);
}

#[test]
fn versions_agree() {
    for seed in 0..20 {
        check_versions((0..9).map(|i| wild(10 * seed + i)).collect(), seed);
        // Far from the edge of the world as well.
        check_versions((0..9).map(|i| inside(10 * seed + i)).collect(), seed);
    }
}

#[test]
fn versions_agree_on_columns() {
    for seed in 0..3 {
        check_versions(wild_columns(3, seed), seed);
    }
}

/// Every step on nine tiles gives one result, whatever the instruction set and whatever pieces
/// of tables are kept.
fn check_versions(mut tiles: Vec<(Ground, Water)>, seed: u64) {
    let (n2, has_tables) = ([0.0, 0.0009, 0.01], tiles[4].0.columns.is_some());
    for dt_s in [0.01, 0.3, 5.0] {
        let params = &step_params(dt_s);
        let dither = &Dither::new(seed, 0, 640, 128, 77);
        let run = |order: Order, step: StepFunction, tiles: &mut Vec<(Ground, Water)>| {
            let params = &StepParams { order, ..*params };
            let patch = |i: usize| HaloPatch { ground: &tiles[i].0, water: &tiles[i].1 };
            let beyond =
                |i| if i == 2 { HaloNeighbour::Outside } else { HaloNeighbour::Tile(patch(i)) };
            let around = &std::array::from_fn(beyond);
            let (mut tile, mut out) = (Padded::new(), Water::dry());
            gather_roughness(&mut tile, around, &n2);
            let input = TileStep {
                around,
                params,
                dither,
                interfaces: None,
                shown: ShownPlanes::Planes,
                reach: None,
            };
            let summary = step(&mut tile, &input, &mut out);
            if let Some(columns) = &mut tiles[4].0.columns {
                columns.keep(&mut tile.columns.found);
            }
            let bits = |plane: &[f32]| plane.iter().map(|q| q.to_bits()).collect::<Vec<_>>();
            (bits(&out.flow_x), bits(&out.flow_y), out.depth, summary)
        };
        let names = steps(&versions()[0], has_tables).into_iter().enumerate();
        for (index, (name, order, step)) in names {
            let mut tiles = tiles.clone();
            let expected = run(order, step, &mut tiles);
            assert!(expected.3.limited > 0 && expected.3.faces.is_active, "a wild state");
            for version in &versions()[1..] {
                let case = format!("{}, {name}, seed {seed}, Δt {dt_s}", version.name);
                let step = steps(version, has_tables)[index].2;
                assert!(run(order, step, &mut tiles) == expected, "{case}");
            }
        }
        // The next Δt finds some of its pieces kept, and others not.
        tiles.iter_mut().for_each(warm);
    }
}

/// Goal: a step that does not sum its faces up moves the same. Method: a wild tile, by every step.
#[test]
fn who_looks_changes_nothing() {
    for (seed, which) in (0..12).flat_map(|seed| EACH_STEP.map(|step| (seed, step))) {
        let has_tables = seed % 2 == 0;
        let tiles = match has_tables {
            true => wild_columns(3, seed),
            false => (0..9).map(|i| wild(10 * seed + i)).collect(),
        };
        let (name, order, step) = steps(versions().last().expect("one"), has_tables)[which];
        let run = |looks: bool| {
            let params = &StepParams { order, looks, ..step_params(0.2) };
            let of = |i: usize| {
                HaloNeighbour::Tile(HaloPatch { ground: &tiles[i].0, water: &tiles[i].1 })
            };
            let around = &std::array::from_fn(of);
            let dither = &Dither::new(seed, 0, 640, 128, 77);
            let (mut tile, mut out) = (Padded::new(), Water::dry());
            gather_roughness(&mut tile, around, &[0.0, 0.0009, 0.01]);
            let (interfaces, shown, reach) = (None, ShownPlanes::Planes, None);
            let input = TileStep { around, params, dither, interfaces, shown, reach };
            let summary = step(&mut tile, &input, &mut out);
            let flows = [&out.flow_x[..], &out.flow_y[..]].map(|flow| flow.to_vec());
            (summary.faces.pace_max, summary.limited, out.depth.to_vec(), flows)
        };
        let (seen, unseen) = (run(true), run(false));
        assert!(seen.0 > 0.0, "{name}, seed {seed}: something flows");
        let moved = |(_, limited, depth, flows)| (limited, depth, flows);
        assert!(moved(seen) == moved(unseen), "{name}, seed {seed}");
    }
}

/// A tile computes the same new depths of its neighbour as the neighbour: the new depth west of the
/// tile, which its own discharges use, stands in its padded plane.
#[test]
fn neighbours_agree_on_new_depths() {
    for (seed, which) in (0..20).flat_map(|seed| EACH_STEP.map(|step| (seed, step))) {
        let params = &step_params(0.3);
        let tiles: Vec<_> = (0..25).map(|i| wild(100 * seed + i)).collect();
        let run = |x: usize, y: usize, corner: (u32, u32)| {
            let patch = |i: usize| {
                let at = (y + i / 3 - 1) * 5 + x + i % 3 - 1;
                HaloNeighbour::Tile(HaloPatch { ground: &tiles[at].0, water: &tiles[at].1 })
            };
            let around = &std::array::from_fn(patch);
            let dither = &Dither::new(seed, 0, corner.0, corner.1, 5);
            let (mut tile, mut out) = (Padded::new(), Water::dry());
            gather_roughness(&mut tile, around, &[0.0, 0.0009, 0.01]);
            let (_, order, step) = steps(&versions()[0], false)[which];
            let params = &StepParams { order, ..*params };
            step(
                &mut tile,
                &TileStep {
                    around,
                    params,
                    dither,
                    interfaces: None,
                    shown: ShownPlanes::Planes,
                    reach: None,
                },
                &mut out,
            );
            (tile, out)
        };
        let ((own, _), (_, west), (_, south)) =
            (run(2, 2, (128, 128)), run(1, 2, (64, 128)), run(2, 1, (128, 64)));
        for i in 0..64 {
            let believed = own.depth_new[index(-1, i)];
            assert_eq!(believed, west.depth[i as usize * 64 + 63], "seed {seed}, row {i}");
            let believed = own.depth_new[index(i, -1)];
            assert_eq!(believed, south.depth[63 * 64 + i as usize], "seed {seed}, column {i}");
        }
    }
}

/// Constants of a step over cells of 2 m with all terms.
fn step_input(dt_s: f64) -> StepInput {
    let (cell_width_m, unit_m, gravity) = (2.0, 1.0 / 1_048_576.0, 9.81);
    StepInput { dt_s, cell_width_m, unit_m, gravity, damping: true, terms: TERMS }
}

/// The discharges over the east and north faces of a tile that owns them are those the
/// neighbour would compute as its west and south faces.
#[test]
fn owned_faces_are_like_any_other() {
    let params = &step_params(0.05);
    // Deep enough that nothing is limited: of those in need the halo sees too little.
    let flat: Vec<_> = (0..25).map(|i| calm(wild(i))).collect();
    let tabled: Vec<_> = wild_columns(5, 1).into_iter().map(calm).collect();
    let mut interfaces = InterfaceFaces::default();
    (interfaces.owns_east, interfaces.owns_north) = (true, true);
    let cases = EACH_STEP.into_iter().flat_map(|which| [(which, &flat), (which, &tabled)]);
    for (which, tiles) in cases {
        let has_tables = tiles[0].0.columns.is_some();
        let run = |x: usize, y: usize, interfaces| {
            let around = &std::array::from_fn(|i| {
                let (ground, water) = &tiles[(y + i / 3 - 1) * 5 + x + i % 3 - 1];
                HaloNeighbour::Tile(HaloPatch { ground, water })
            });
            let corner = [x, y].map(|i| 64 * u32::try_from(i).expect("5 tiles"));
            let dither = &Dither::new(7, 0, corner[0], corner[1], 5);
            let (mut tile, mut out) = (Padded::new(), Water::dry());
            gather_roughness(&mut tile, around, &[0.0, 0.0009, 0.01]);
            let (_, order, step) = steps(&versions()[0], has_tables)[which];
            let params = &StepParams { order, ..*params };
            step(
                &mut tile,
                &TileStep {
                    around,
                    params,
                    dither,
                    interfaces,
                    shown: ShownPlanes::Planes,
                    reach: None,
                },
                &mut out,
            );
            (tile, out)
        };
        let ((own, _), (_, east), (_, north)) =
            (run(2, 2, Some(&interfaces)), run(3, 2, None), run(2, 3, None));
        for i in 0..64 {
            let (here, there) = (own.east[i].to_bits(), east.flow_x[64 * i].to_bits());
            assert_eq!(here, there, "step {which}, row {i}");
            assert_eq!(own.north[i].to_bits(), north.flow_y[i].to_bits(), "{which}, {i}");
        }
    }
}

/// Copy of the beds and flows under 10 m of water more.
fn calm((ground, mut water): (Ground, Water)) -> (Ground, Water) {
    for cell in (0..TILE_CELLS).filter(|&cell| ground.is_inside(cell)) {
        let depth = (10 << 20) + water.depth[cell] % (1 << 20) - ground.bed[cell];
        water.depth[cell] = depth.max(3 << 20);
    }
    (ground, water)
}

/// Goal: a step that leaves out what no water reaches has the bits of one that does not. Method:
/// nine tiles with a few wet spots each, discharges left behind on dry faces among them; new water
/// of the tile and all that is asked of the padded tile afterwards, by every step of every version,
/// flat and sub-grid.
#[test]
fn dry_parts_are_left_out_to_the_bit() {
    let n2 = [0.0, 0.0009, 0.01];
    let params = &step_params(0.3);
    let (mut left_out, mut cells) = (0, 0);
    for seed in 0..48 {
        let (tiles, has_tables) = match seed % 3 {
            0 => (wild_columns(3, seed), true),
            1 => ((0..9).map(|i| wild(10 * seed + i)).collect(), false),
            _ => ((0..9).map(|i| inside(10 * seed + i)).collect::<Vec<_>>(), false),
        };
        let tiles: Vec<_> =
            (0..).zip(tiles).map(|(i, tile)| puddles(tile, 100 * seed + i)).collect();
        let patch = |i: usize| HaloPatch { ground: &tiles[i].0, water: &tiles[i].1 };
        let beyond = |i| match (seed, i) {
            (0..6, 2) => HaloNeighbour::Outside,
            _ => HaloNeighbour::Tile(patch(i)),
        };
        let around = &std::array::from_fn(beyond);
        let dither = &Dither::new(seed, 0, 640, 128, 77);
        let mut owner = InterfaceFaces::default();
        (owner.owns_east, owner.owns_north) = (true, true);
        let interfaces = (seed % 2 == 0).then_some(&owner);
        let reached = WaterReach::of(&Padded::new(), around, interfaces);
        cells += TILE_CELLS as u64;
        left_out += TILE_CELLS as u64 - u64::from(reached.own_cells());
        for (version, which) in versions().iter().flat_map(|v| EACH_STEP.map(|i| (v, i))) {
            let (name, order, step) = steps(version, has_tables)[which];
            let params = &StepParams { order, ..*params };
            let run = |reach: &WaterReach, mut tile: Padded, shown: ShownPlanes| {
                let mut out = Water::dry();
                out.depth.fill(7);
                out.flow_x.fill(7.0);
                gather_roughness(&mut tile, around, &n2);
                let input =
                    TileStep { around, params, dither, interfaces, shown, reach: Some(reach) };
                let summary = StepSummary { cells: 0, ..step(&mut tile, &input, &mut out) };
                // With the faces on the far sides.
                let own = |plane: &[i32]| -> Vec<i32> {
                    let rows = (0..=64).map(|row| plane[index(0, row)..=index(64, row)].to_vec());
                    rows.flatten().collect()
                };
                let own_cells = |plane: &[i32]| -> Vec<i32> {
                    let rows = (0..64).map(|row| plane[index(0, row)..index(64, row)].to_vec());
                    rows.flatten().collect()
                };
                let [open_x, open_y] = &tile.columns.open;
                let cells = [&tile.depth_new, &tile.depth, open_x, open_y];
                let asked = (
                    [&tile.transfer_x, &tile.transfer_y].map(|plane| own(&plane[..])),
                    cells.map(|plane| own_cells(&plane[..])),
                );
                let bits = |plane: &[f32]| plane.iter().map(|q| q.to_bits()).collect::<Vec<_>>();
                let flows = [&out.flow_x[..], &out.flow_y[..], &tile.east, &tile.north].map(bits);
                ((out.depth.to_vec(), flows, asked, summary), tile)
            };
            let case = format!("{}, {name}, seed {seed}", version.name);
            let shown = ShownPlanes::Planes;
            let (expected, used) = run(&WaterReach::EVERYWHERE, Padded::new(), shown);
            assert!(run(&reached, Padded::new(), shown).0 == expected, "{case}");
            let found = run(&reached, leftover(&used, seed), shown).0;
            assert!(found == expected, "{case}, a used tile");
            // What the step writes, without what the padded tile shows.
            let (depth, flows, _, summary) =
                run(&reached, leftover(&used, seed), ShownPlanes::Nothing).0;
            let is_same = (&depth, &flows, &summary) == (&expected.0, &expected.1, &expected.3);
            assert!(is_same, "{case}, nothing shown");
        }
    }
    assert!(4 * left_out > cells, "{left_out} of {cells} cells left out");
}

/// Water in a few places of a tile, of one cell to twelve by twelve, and nowhere else.
fn puddles((ground, mut water): (Ground, Water), seed: u64) -> (Ground, Water) {
    let mut state = seed << 24;
    let mut draw = |most: u64| {
        state = scramble(state + 1);
        usize::try_from(state % most).expect("few")
    };
    let mut is_wet = [false; TILE_CELLS];
    for _ in 0..draw(4) {
        let (column, row, width, height) = (draw(64), draw(64), 1 + draw(12), 1 + draw(12));
        for (cell, is_wet) in is_wet.iter_mut().enumerate() {
            let (x, y) = (cell % TILE_WIDTH, cell / TILE_WIDTH);
            *is_wet |= (column..column + width).contains(&x) && (row..row + height).contains(&y);
        }
    }
    for cell in (0..TILE_CELLS).filter(|&cell| !is_wet[cell]) {
        water.depth[cell] = 0;
    }
    (ground, water)
}

/// A padded tile whose planes hold what another one has left, mixed up.
fn leftover(tile: &Padded, seed: u64) -> Padded {
    let mut tile = tile.clone();
    let by = usize::try_from(scramble(seed) % 3000).expect("few");
    let floats = [&mut tile.flow_x, &mut tile.flow_y, &mut tile.slope_x, &mut tile.slope_y];
    floats.into_iter().for_each(|plane| plane.rotate_left(by));
    tile.depth_half.rotate_left(by);
    tile.bed.rotate_left(by);
    let whole = [&mut tile.transfer_x, &mut tile.transfer_y, &mut tile.depth, &mut tile.depth_new];
    whole.into_iter().for_each(|plane| plane.rotate_left(by));
    tile.east = [7.0; TILE_WIDTH];
    let columns = &mut tile.columns;
    let planes = columns.open.iter_mut().chain(&mut columns.open_new).chain(&mut columns.fall);
    planes.for_each(|plane| plane.rotate_left(by));
    [&mut columns.stage, &mut columns.stage_new].into_iter().for_each(|p| p.rotate_left(by));
    tile
}
