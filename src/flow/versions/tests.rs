//! Every version of a step against the others, and tiles against their neighbours.

use super::*;
use crate::flow::params::StepInput;
use crate::flow::params::StepParams;
use crate::flow::terms::Terms;
use crate::flow::terms::Viscosity;
use crate::flow::transfer::Dither;
use crate::grid::TILE_CELLS;
use crate::tile::Ground;
use crate::tile::edge_faces::EdgeFaces;
use crate::tile::halo::Beyond;
use crate::tile::halo::Patch;
use crate::tile::halo::gather_roughness;
use crate::tile::padded::index;
use crate::units::OUTSIDE;
use crate::units::hash::scramble;

const TERMS: Terms =
    Terms { viscosity: Viscosity::Smagorinsky(0.2), wind_m_s: [5.0, -8.0], coriolis_per_s: 0.01 };

/// Every step of a version.
fn steps(version: &Version) -> [(&'static str, Step); 5] {
    [
        ("pipe", version.step(Solver::Pipe, Order::Second)),
        ("first order", version.step(Solver::ShallowWater, Order::First)),
        ("second order", version.step(Solver::ShallowWater, Order::Second)),
        ("first order, terms", version.step_with_terms(Order::First)),
        ("second order, terms", version.step_with_terms(Order::Second)),
    ]
}

/// A tile with every kind of cell: deep, thin, dry, outside, fast.
fn wild(seed: u64) -> (Ground, Water) {
    let mut state = seed << 32;
    let mut draw = |most: u64| {
        state = scramble(state + 1);
        i32::try_from(state % most).expect("below 2³¹")
    };
    let mut water = Water::dry();
    let mut bed = vec![OUTSIDE; TILE_CELLS];
    let mut classes = vec![0; TILE_CELLS];
    for cell in 0..TILE_CELLS {
        if draw(20) == 0 {
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

#[test]
fn versions_agree() {
    let n2 = [0.0, 0.0009, 0.01];
    for (seed, dt_s) in (0..20).flat_map(|seed| [0.01, 0.3, 5.0].map(|dt| (seed, dt))) {
        let (cell_width_m, unit_m, gravity) = (2.0, 1.0 / 1_048_576.0, 9.81);
        let (settling, terms) = (true, TERMS);
        let input = StepInput { dt_s, cell_width_m, unit_m, gravity, settling, terms };
        let params = &StepParams::new(&input);
        let dither = &Dither::new(seed, 0, 640, 128, 77);
        let tiles: Vec<_> = (0..9).map(|i| wild(10 * seed + i)).collect();
        let patch = |i: usize| Patch { ground: &tiles[i].0, water: &tiles[i].1 };
        let around =
            &std::array::from_fn(|i| if i == 2 { Beyond::Outside } else { Beyond::Tile(patch(i)) });
        let run = |step: Step| {
            let (mut tile, mut out) = (Padded::new(), Water::dry());
            gather_roughness(&mut tile, around, &n2);
            let input = TileStep { around, params, dither, edges: None };
            let summary = step(&mut tile, &input, &mut out);
            let bits = |plane: &[f32]| plane.iter().map(|q| q.to_bits()).collect::<Vec<_>>();
            (bits(&out.flow_x), bits(&out.flow_y), out.depth, summary)
        };
        for (index, (name, step)) in steps(&versions()[0]).into_iter().enumerate() {
            let expected = run(step);
            assert!(expected.3.limited > 0 && expected.3.faces.is_restless, "a wild state");
            for version in &versions()[1..] {
                let case = format!("{}, {name}, seed {seed}, Δt {dt_s}", version.name);
                assert!(run(steps(version)[index].1) == expected, "{case}");
            }
        }
    }
}

/// What a tile believes of its neighbour's new depths is what the neighbour computes: the new
/// depth west of the tile, which its own discharges use, stands in its padded plane.
#[test]
fn neighbours_agree_on_new_depths() {
    for (seed, which) in (0..20).flat_map(|seed| [0, 1, 2, 3, 4].map(|step| (seed, step))) {
        let (cell_width_m, unit_m, gravity) = (2.0, 1.0 / 1_048_576.0, 9.81);
        let (dt_s, settling, terms) = (0.3, true, TERMS);
        let input = StepInput { dt_s, cell_width_m, unit_m, gravity, settling, terms };
        let params = &StepParams::new(&input);
        let tiles: Vec<_> = (0..25).map(|i| wild(100 * seed + i)).collect();
        let run = |x: usize, y: usize, corner: (u32, u32)| {
            let patch = |i: usize| {
                let at = (y + i / 3 - 1) * 5 + x + i % 3 - 1;
                Beyond::Tile(Patch { ground: &tiles[at].0, water: &tiles[at].1 })
            };
            let around = &std::array::from_fn(patch);
            let dither = &Dither::new(seed, 0, corner.0, corner.1, 5);
            let (mut tile, mut out) = (Padded::new(), Water::dry());
            gather_roughness(&mut tile, around, &[0.0, 0.0009, 0.01]);
            let step = steps(&versions()[0])[which].1;
            step(&mut tile, &TileStep { around, params, dither, edges: None }, &mut out);
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

/// The discharges over the east and north faces of a tile that owns them are those the
/// neighbour would compute as its west and south faces.
#[test]
fn owned_faces_are_like_any_other() {
    let input = StepInput {
        dt_s: 0.05,
        cell_width_m: 2.0,
        unit_m: 1.0 / 1_048_576.0,
        gravity: 9.81,
        settling: true,
        terms: TERMS,
    };
    let params = &StepParams::new(&input);
    // Deep enough that nothing is limited: of those in need the frame sees too little.
    let tiles: Vec<_> = (0..25).map(|i| calm(wild(i))).collect();
    let mut edges = EdgeFaces::default();
    (edges.owns_east, edges.owns_north) = (true, true);
    for which in 0..5 {
        let run = |x: usize, y: usize, edges| {
            let around = &std::array::from_fn(|i| {
                let (ground, water) = &tiles[(y + i / 3 - 1) * 5 + x + i % 3 - 1];
                Beyond::Tile(Patch { ground, water })
            });
            let corner = [x, y].map(|i| 64 * u32::try_from(i).expect("5 tiles"));
            let dither = &Dither::new(7, 0, corner[0], corner[1], 5);
            let (mut tile, mut out) = (Padded::new(), Water::dry());
            gather_roughness(&mut tile, around, &[0.0, 0.0009, 0.01]);
            let step = steps(&versions()[0])[which].1;
            step(&mut tile, &TileStep { around, params, dither, edges }, &mut out);
            (tile, out)
        };
        let ((own, _), (_, east), (_, north)) =
            (run(2, 2, Some(&edges)), run(3, 2, None), run(2, 3, None));
        for i in 0..64 {
            let (here, there) = (own.east[i].to_bits(), east.flow_x[64 * i].to_bits());
            assert_eq!(here, there, "step {which}, row {i}");
            assert_eq!(own.north[i].to_bits(), north.flow_y[i].to_bits(), "{which}, {i}");
        }
    }
}

/// The same beds and flows under 10 m of water more.
fn calm((ground, mut water): (Ground, Water)) -> (Ground, Water) {
    for cell in (0..TILE_CELLS).filter(|&cell| ground.is_inside(cell)) {
        water.depth[cell] = (10 << 20) + water.depth[cell] % (1 << 20) - ground.bed[cell];
    }
    (ground, water)
}
