//! Pieces that are kept, against pieces that are looked up.

use super::*;
use crate::grid::Axis;
use crate::grid::TileKey;
use crate::tile::columns::build::{BedPlanes, LevelBeds};
use crate::tile::padded::index;
use crate::units::OUTSIDE;
use crate::units::hash::scramble;

/// Columns over rough ground in cells four places wide, some of it outside, and their beds.
fn rough(seed: u64) -> (LeafColumns, Vec<i32>) {
    let width = 4 * TILE_WIDTH;
    let finest: Vec<i32> = (0..width * width)
        .map(|i| {
            let drawn = scramble(seed ^ (i as u64) << 20);
            let ground = i32::try_from(drawn % (1 << 18)).expect("18 bits");
            if drawn >> 60 == 0 && i % width < 16 { OUTSIDE } else { ground }
        })
        .collect();
    let mean = |cell: usize| {
        let (x, y) = (4 * (cell % TILE_WIDTH), 4 * (cell / TILE_WIDTH));
        let below = (0..16).map(|i| finest[(y + i / 4) * width + x + i % 4]);
        let sum: i64 = below.clone().map(i64::from).sum();
        let mean = i32::try_from((2 * sum + 16).div_euclid(32)).expect("a mean");
        if below.clone().any(|z| z == OUTSIDE) { OUTSIDE } else { mean }
    };
    let coarse: Vec<i32> = (0..TILE_CELLS).map(mean).collect();
    let beds = BedPlanes {
        coarse: LevelBeds::new(&coarse, TILE_WIDTH),
        finest: LevelBeds::new(&finest, width),
    };
    (Columns::of(TileKey { level: 2, x: 0, y: 0 }, &beds).into(), coarse)
}

/// A row of whole numbers below a power of two, another for each call.
fn draw(seed: u64, bits: u32) -> [i32; TILE_WIDTH] {
    std::array::from_fn(|i| {
        let drawn = scramble(seed ^ (i as u64) << 40);
        i32::try_from(drawn % (1 << (1 + drawn % u64::from(bits)))).expect("below 2³¹")
    })
}

/// Goal: a kernel reads the bits of the tables, whatever pieces are kept. Method: rows of random
/// depths and stages, looked up in pieces that hold nothing, others, and themselves.
#[test]
fn what_is_kept_changes_nothing() {
    let mut most = 0;
    for (seed, row) in (0..200_u64).zip((0..TILE_WIDTH).cycle()) {
        let (mut columns, bed) = rough(seed / 50);
        let first = TILE_WIDTH * row;
        let bed: &[i32; TILE_WIDTH] = bed[first..].first_chunk().expect("a row");
        let mut found = FoundPieces::default();
        for ask in [seed, seed + 1000, seed + 1000, seed] {
            let depth = draw(ask, 20);
            let (mut stage, mut slope, mut quantum) =
                ([0; TILE_WIDTH], [0.0; TILE_WIDTH], [0; TILE_WIDTH]);
            let out = (&mut stage, &mut slope, &mut quantum);
            columns.cells().row(first, (bed, &depth), out, Some(&mut found));
            let stages = (draw(ask, 19), draw(ask + 1, 19));
            let depths = (draw(ask + 2, 12), draw(ask + 3, 12));
            let across = (draw(ask + 4, 19), draw(ask + 5, 19));
            let sides = RowSides {
                stages: (&stages.0, &stages.1),
                depths: (&depths.0, &depths.1),
                across: (&across.0, &across.1),
            };
            let (mut area, mut conveying) = ([0; TILE_WIDTH], [0.0; TILE_WIDTH]);
            let faces = columns.faces_of(Axis::X);
            let out = (&mut area, &mut conveying);
            faces.row::<true>(first, sides, out, Some(&mut found));
            let row = i32::try_from(row).expect("below 64");
            found.find(&columns, |axis, at, opening| {
                let i = at - index(0, row);
                assert!(axis == Axis::X && i < TILE_WIDTH, "seed {seed}, row {row}: {at}");
                (area[i], conveying[i]) = (opening.area, opening.conveying);
            });
            for i in 0..TILE_WIDTH {
                let cell = first + i;
                let surface = columns.tables.stages.surface(cell, bed[i], depth[i]);
                let got = CellSurface { stage: stage[i], slope: slope[i], quantum: quantum[i] };
                assert_eq!(got, surface, "seed {seed}, cell {cell}, depth {}", depth[i]);
                assert_eq!(columns.cells().one(cell, bed[i], depth[i]), surface);
                let between = sides.at(i);
                let opening = columns.tables.faces[0].between(cell, between);
                let got = FaceOpening { area: area[i], conveying: conveying[i] };
                assert_eq!(got, opening, "seed {seed}, face {cell}, {between:?}");
                assert_eq!(columns.faces_of(Axis::X).one(cell, between, None), opening);
            }
            most = most.max(found.stages.len());
            columns.keep(&mut found);
            assert!(found.is_empty());
        }
        // The last look-up stands in the kept pieces, but for cells outside in part, above.
        let depth = draw(seed, 20);
        let lost = (0..TILE_WIDTH).filter(|&i| {
            let piece = columns.stages[(first + i) / BLOCK].at((first + i) % BLOCK);
            columns.tables.stages.cells[first + i].excess == 0.0 && !piece.holds(depth[i])
        });
        assert_eq!(lost.count(), 0, "seed {seed}");
    }
    assert!(most > 40, "a row has 64 cells to look up: {most}");
}
