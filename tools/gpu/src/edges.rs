//! Faces of the boundary of the world on a card, for one cycle.
//!
//! Faces are few, and their state is in no plane: they are written to the card with every cycle and
//! read back with its reports.

use crate::levels::{AwakeRanks, word};
use std::collections::HashMap;
use std::ops::Range;
use thalweg_engine::flow::solver::{Order, Solver};
use thalweg_engine::grid::{LeafId, Side, TILE_CELLS, TILE_WIDTH};
use thalweg_engine::sim::Settings;
use thalweg_engine::sim::boundary::{BoundaryFace, BoundaryLaw};
use thalweg_engine::sim::params::Params;
use thalweg_engine::sim::table::LeafTable;
use thalweg_engine::tile::columns::LeafColumns;
use thalweg_engine::tile::columns::openings::OPENING_WORDS;

/// Sentinel for no place: all bits.
const NONE: u32 = u32::MAX;

/// Words of a face, as in the text of the kernels.
const FACE_WORDS: usize = 23;

/// Words of a cell with faces.
pub const CELL_WORDS: usize = 7;

/// Words of the far sides of a leaf: one for each of its rows, and of its columns.
const FAR_WORDS: usize = 2 * TILE_WIDTH;

/// Boundary faces of the leaves that are awake.
#[derive(Debug, Default)]
pub struct BoundaryFaces {
    /// Words of all faces; after them, words of the transfers over the far sides of leaves.
    pub words: Vec<u32>,
    /// Cells with faces, in ascending order: record and cell, first face, count of faces; then the
    /// numbers of the cells to the west, east, south and north among the cells of the level, all
    /// bits for no cell.
    pub cells: Vec<[u32; CELL_WORDS]>,
    /// The cells of each level.
    pub of_levels: Vec<Range<usize>>,
    /// Place of the far sides of each record in the words; all bits if it has none.
    pub far: Vec<u32>,
    /// True if a river flows in over one of them.
    pub has_rivers: bool,
    /// Words of the openings of faces by face, if some columns are sub-grid.
    pub openings: Vec<[u32; OPENING_WORDS]>,
    /// Leaf and index of each face.
    owners: Vec<(LeafId, usize)>,
}

impl BoundaryFaces {
    /// Returns the faces of leaves that are awake, in the order of their records.
    pub fn of(leaves: &LeafTable, levels: &AwakeRanks, params: &Params) -> Self {
        let (mut edges, awake) = (Self::default(), &levels.awake);
        for (record, &leaf) in awake.iter().enumerate() {
            let boundary = &leaves.own[leaf].boundary;
            let columns = leaves.grounds[leaf].columns.as_ref();
            let mut order: Vec<usize> = (0..boundary.len()).collect();
            order.sort_by_key(|&index| boundary[index].cell);
            let carried = carried_faces(boundary);
            edges.has_rivers |= boundary.iter().any(BoundaryFace::is_river);
            for faces in order.chunk_by(|&a, &b| boundary[a].cell == boundary[b].cell) {
                let cell = usize::from(boundary[faces[0]].cell);
                let [own, first, count] =
                    [record << 12 | cell, edges.owners.len(), faces.len()].map(word);
                edges.cells.push([own, first, count, NONE, NONE, NONE, NONE]);
                for &index in faces {
                    let face = &boundary[index];
                    let is_carried =
                        place_behind(face).is_none_or(|at| carried.get(&at) == Some(&index));
                    let is_overruled = face.is_river() && !is_carried;
                    edges.words.extend(words_of(face, params, is_overruled));
                    edges.owners.push((leaf, index));
                    let table = |columns: &LeafColumns| columns.boundary.faces[face.table as usize];
                    if levels.has_columns {
                        let words = columns.map_or([0; OPENING_WORDS], |own| table(own).words());
                        edges.openings.push(words);
                    }
                }
            }
        }
        for &leaf in awake {
            let has_far = leaves.own[leaf].boundary.iter().any(is_far);
            let place = word(edges.words.len());
            edges.far.push(if has_far { place } else { NONE });
            edges.words.resize(edges.words.len() + if has_far { FAR_WORDS } else { 0 }, 0);
        }
        for level in &levels.all {
            let before = |end: usize| edges.cells.partition_point(|cell| cell[0] >> 12 < word(end));
            let own = before(level.leaves.start)..before(level.leaves.end);
            edges.of_levels.push(own.clone());
            find_beside(&mut edges.cells[own], leaves, (awake, &level.leaves));
        }
        edges
    }

    /// Returns the leaf and account of each face.
    pub fn accounts(&self, leaves: &LeafTable) -> Vec<(LeafId, u32)> {
        let account = |&(leaf, index): &(LeafId, usize)| {
            let face: &BoundaryFace = &leaves.own[leaf].boundary[index];
            (leaf, face.account)
        };
        self.owners.iter().map(account).collect()
    }

    /// Writes the results of the steps back to the faces of leaves, and books the water that
    /// crossed.
    pub fn take(&self, leaves: &mut LeafTable, words: &[u32]) {
        let mut bookings: HashMap<LeafId, Vec<(u32, [i64; 2])>> = HashMap::new();
        let (faces, _) = words.as_chunks::<FACE_WORDS>();
        for (&(leaf, index), words) in self.owners.iter().zip(faces) {
            let face = &mut leaves.own[leaf].boundary[index];
            face.early = words[0].cast_signed();
            face.q = f32::from_bits(words[6]);
            face.expected = f32::from_bits(words[7]);
            face.left = words[8].cast_signed();
            face.units_per_flow = f32::from_bits(words[9]);
            face.moved = words[10].cast_signed();
            face.credit = pair(words, 12);
            let moved = [pair(words, 14), pair(words, 16)];
            bookings.entry(leaf).or_default().push((face.account, moved));
        }
        for (leaf, moved) in bookings {
            let own = &mut leaves.scratch[leaf].bookings;
            for (account, [came, went]) in moved {
                own.add_in(account, came);
                own.add_out(account, went);
            }
        }
    }
}

/// Finds the neighbours of the cells of a level among themselves.
fn find_beside(
    cells: &mut [[u32; CELL_WORDS]],
    leaves: &LeafTable,
    (awake, records): (&[LeafId], &Range<usize>),
) {
    let owns: Vec<u32> = cells.iter().map(|cell| cell[0]).collect();
    let of_level = &awake[records.clone()];
    for words in cells {
        let (record, cell) = (words[0] as usize >> 12, words[0] as usize % TILE_CELLS);
        let around = leaves.forest.around(awake[record]);
        for (beside, (place, cell)) in words[3..].iter_mut().zip(cells_beside(cell)) {
            let Ok(record) = of_level.binary_search(&around[place]) else { continue };
            let found = owns.binary_search(&word((records.start + record) << 12 | cell));
            *beside = found.map_or(NONE, word);
        }
    }
}

/// Returns the words of a face before any movement.
fn words_of(face: &BoundaryFace, params: &Params, is_overruled: bool) -> [u32; FACE_WORDS] {
    let mut words = [0; FACE_WORDS];
    let side = match face.side {
        Side::West => 0,
        Side::East => 1,
        Side::South => 2,
        Side::North => 3,
    };
    let kind = match params.laws[face.law as usize] {
        BoundaryLaw::Open => 0,
        BoundaryLaw::Stage(_) => 1,
        BoundaryLaw::Inflow(_) => 2 + u32::from(face.is_river()),
    };
    words[1..12].copy_from_slice(&[
        face.law,
        side,
        kind,
        face.slope.to_bits(),
        face.share.to_bits(),
        face.q.to_bits(),
        face.expected.to_bits(),
        face.left.cast_unsigned(),
        face.units_per_flow.to_bits(),
        0,
        face.intake.part_per_m.to_bits(),
    ]);
    #[expect(clippy::cast_possible_truncation, reason = "halves")]
    let credit = [face.credit, face.credit >> 32].map(|half| half as u32);
    words[12..14].copy_from_slice(&credit);
    words[18] = face.intake.depth_m.to_bits();
    words[19] = u32::from(comes_early(face, params)) | u32::from(is_overruled) << 1;
    let (dam, rise) = (face.sea.dam.cast_unsigned(), face.rise.cast_unsigned());
    words[20..23].copy_from_slice(&[face.sea.law, dam, rise]);
    words
}

/// Returns whether half of a river's water enters before the inner faces move, as in
/// `BoundaryFace::transfer`.
#[expect(clippy::cast_possible_truncation, reason = "rounded to f32 on purpose")]
fn comes_early(face: &BoundaryFace, params: &Params) -> bool {
    let Settings { solver, order, gravity, .. } = params.settings;
    let is_second = (solver, order) == (Solver::ShallowWater, Order::Second);
    is_second && face.intake.is_swift(gravity as f32)
}

/// Returns the face behind one of the boundary, if its leaf has it: along x, column and row.
fn place_behind(face: &BoundaryFace) -> Option<(bool, usize, usize)> {
    let (column, row) = (usize::from(face.cell) % TILE_WIDTH, usize::from(face.cell) / TILE_WIDTH);
    let place = match face.side {
        Side::West => (true, column + 1, row),
        Side::East => (true, column, row),
        Side::South => (false, column, row + 1),
        Side::North => (false, column, row),
    };
    (place.1 < TILE_WIDTH && place.2 < TILE_WIDTH).then_some(place)
}

/// Returns, for each face behind, the index of its river face in the leaf: of two the last.
fn carried_faces(boundary: &[BoundaryFace]) -> HashMap<(bool, usize, usize), usize> {
    let rivers = boundary.iter().enumerate().filter(|(_, face)| face.is_river());
    rivers.filter_map(|(index, face)| Some((place_behind(face)?, index))).collect()
}

/// Returns the cells to the west, east, south and north of one: the index of their leaf among the
/// nine around its own, and the cell in it.
fn cells_beside(cell: usize) -> [(usize, usize); 4] {
    let (column, row, last) = (cell % TILE_WIDTH, cell / TILE_WIDTH, TILE_WIDTH - 1);
    [
        if column > 0 { (4, cell - 1) } else { (3, cell + last) },
        if column < last { (4, cell + 1) } else { (5, cell - last) },
        if row > 0 { (4, cell - TILE_WIDTH) } else { (1, last * TILE_WIDTH + column) },
        if row < last { (4, cell + TILE_WIDTH) } else { (7, column) },
    ]
}

/// Returns whether the face is on the east or north side of its leaf.
fn is_far(face: &BoundaryFace) -> bool {
    let (column, row) = (usize::from(face.cell) % TILE_WIDTH, usize::from(face.cell) / TILE_WIDTH);
    match face.side {
        Side::East => column + 1 == TILE_WIDTH,
        Side::North => row + 1 == TILE_WIDTH,
        Side::West | Side::South => false,
    }
}

fn pair(words: &[u32], at: usize) -> i64 {
    i64::from(words[at + 1].cast_signed()) << 32 | i64::from(words[at])
}
