//! The faces of the cells that an act touches, which are checked before and after it.
//!
//! ```text
//!        ╷ 1 ╷                 Faces belong to the cell east or north of them. Those between
//!      ──┼───┼──               leaves of different levels belong to the finer leaf: in its planes
//!      1 │ ▒ │ 1               where the coarser one lies west or south, in a row beside them
//!      ──┼───┼──               (`Far`) where it lies east or north.
//!        ╵ 1 ╵
//! ```
//!
//! A bit for each face: an act of a hundred cells looks at a few hundred faces.

use crate::forest::{Forest, Neighbour};
use crate::grid::{Axis, LeafId, Side, TILE_WIDTH};
use crate::tile::FaceAt;
use std::collections::BTreeMap;

/// Faces that touch some cells, by the leaves that own them, and the leaves of the cells.
#[derive(Debug, Clone, Default)]
pub struct TouchedFaces(BTreeMap<LeafId, Box<LeafFaces>>);

/// Some faces of a leaf: a bit for each column, or place along a side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeafFaces {
    /// West (0) and south (1) faces of its cells, by row.
    planes: [[u64; TILE_WIDTH]; 2],
    /// Faces along its east (0) and north (1) side.
    far: [u64; 2],
}

impl TouchedFaces {
    /// Returns the faces of these cells.
    #[must_use]
    pub fn of(forest: &Forest, cells: impl IntoIterator<Item = (LeafId, usize)>) -> Self {
        let mut touched: BTreeMap<LeafId, Box<[u64; TILE_WIDTH]>> = BTreeMap::new();
        let (mut last, mut rows) = (LeafId::NONE, &mut Box::new([0; TILE_WIDTH]));
        for (leaf, cell) in cells {
            if leaf != last {
                rows = touched.entry(leaf).or_insert_with(|| Box::new([0; TILE_WIDTH]));
                last = leaf;
            }
            rows[cell / TILE_WIDTH] |= 1 << (cell % TILE_WIDTH);
        }
        let mut faces = Self::default();
        for (&leaf, rows) in &touched {
            faces.add(forest, leaf, rows);
        }
        faces
    }

    /// Adds the faces of some cells of a leaf.
    fn add(&mut self, forest: &Forest, leaf: LeafId, rows: &[u64; TILE_WIDTH]) {
        let [mut west, mut east] = [0, 0];
        let own = self.leaf(leaf);
        let mut south = 0;
        for (row, &cells) in rows.iter().enumerate() {
            // The west face of a cell has the bit of its column, the east face the next bit. Faces
            // on the west and east sides are left out: they may be a neighbour's, and are added
            // below.
            own.planes[Axis::X][row] |= (cells | cells << 1) & !1;
            if row > 0 {
                own.planes[Axis::Y][row] |= cells | south;
            }
            south = cells;
            west |= (cells & 1) << row;
            east |= (cells >> (TILE_WIDTH - 1)) << row;
        }
        let sides = [west, east, rows[0], rows[TILE_WIDTH - 1]];
        for (side, along) in Side::ALL.into_iter().zip(sides).filter(|(_, along)| *along != 0) {
            self.add_along(forest, (leaf, side), along);
        }
    }

    /// Adds faces along a side of a leaf, to the leaves that own them.
    fn add_along(&mut self, forest: &Forest, (leaf, side): (LeafId, Side), along: u64) {
        match forest.across(leaf, side) {
            Neighbour::Nothing => {}
            Neighbour::Same(beyond) if side.is_far() => {
                self.leaf(beyond).add_along(side.opposite(), along);
            }
            Neighbour::Same(_) => self.leaf(leaf).add_along(side, along),
            Neighbour::Coarser(beyond) => {
                self.leaf(leaf).add_along(side, along);
                // It has their mean in its planes.
                self.leaf(beyond);
            }
            Neighbour::Finer(pair) => {
                let half = TILE_WIDTH / 2;
                for (first, finer) in [(0, pair[0]), (half, pair[1])] {
                    let Some(finer) = finer.known() else { continue };
                    let faces = (0..half).filter(|i| along >> (first + i) & 1 != 0);
                    // Two fine faces lie along one coarse face.
                    let faces = faces.fold(0, |bits, i| bits | 0b11 << (2 * i));
                    self.leaf(finer).add_along(side.opposite(), faces);
                }
            }
        }
    }

    fn leaf(&mut self, leaf: LeafId) -> &mut LeafFaces {
        self.0.entry(leaf).or_insert_with(|| Box::new(LeafFaces::none()))
    }

    /// Returns the leaves whose state an act on the cells may change, ascending.
    pub fn leaves(&self) -> impl Iterator<Item = LeafId> {
        self.0.keys().copied()
    }

    /// Returns the faces by leaf, ascending.
    pub fn by_leaf(&self) -> impl Iterator<Item = (LeafId, &LeafFaces)> {
        self.0.iter().map(|(leaf, faces)| (*leaf, &**faces))
    }

    /// Returns the coarse leaves that have means of some of the faces in their planes.
    #[must_use]
    pub fn with_means(&self, forest: &Forest) -> Vec<LeafId> {
        let beyond = |(leaf, faces): (LeafId, &LeafFaces)| {
            Axis::ALL.map(|axis| {
                let side = Side::of(axis)[1];
                let coarser = || forest.coarser(leaf, side).map(|faces| faces.beyond);
                (faces.far[axis] != 0).then(coarser).flatten()
            })
        };
        let mut leaves: Vec<LeafId> = self.by_leaf().flat_map(beyond).flatten().collect();
        leaves.sort_unstable();
        leaves.dedup();
        leaves
    }
}

impl LeafFaces {
    fn none() -> Self {
        Self { planes: [[0; TILE_WIDTH]; 2], far: [0; 2] }
    }

    fn add_along(&mut self, side: Side, along: u64) {
        match side {
            Side::West => {
                for (i, row) in self.planes[Axis::X].iter_mut().enumerate() {
                    *row |= along >> i & 1;
                }
            }
            Side::South => self.planes[Axis::Y][0] |= along,
            Side::East | Side::North => self.far[side.axis()] |= along,
        }
    }

    /// Returns whether some of them are along a side of the leaf.
    #[must_use]
    pub fn touch(&self, side: Side) -> bool {
        match side {
            Side::West => self.planes[Axis::X].iter().any(|row| row & 1 != 0),
            Side::South => self.planes[Axis::Y][0] != 0,
            Side::East | Side::North => self.far[side.axis()] != 0,
        }
    }

    /// Calls a function for each of them: west faces row by row, south faces, faces along the east
    /// side, faces along the north side.
    #[inline]
    pub fn each(&self, mut tell: impl FnMut(FaceAt)) {
        for axis in Axis::ALL {
            for (row, &bits) in self.planes[axis].iter().enumerate() {
                ones(bits, |column| tell(FaceAt::Of { axis, cell: row * TILE_WIDTH + column }));
            }
        }
        for axis in Axis::ALL {
            ones(self.far[axis], |i| tell(FaceAt::Far { axis, i }));
        }
    }

    /// Returns their number.
    #[must_use]
    pub fn count(&self) -> usize {
        let all = self.planes.as_flattened().iter().chain(&self.far);
        all.map(|bits| bits.count_ones() as usize).sum()
    }
}

/// Calls a function for the places of the bits that are set.
#[inline(always)]
fn ones(mut bits: u64, mut tell: impl FnMut(usize)) {
    while bits != 0 {
        tell(bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::TileKey;

    fn all(faces: &TouchedFaces, leaf: LeafId) -> Vec<FaceAt> {
        let mut all = Vec::new();
        let of_leaf = faces.by_leaf().filter(|(own, _)| *own == leaf);
        of_leaf.for_each(|(_, faces)| faces.each(|face| all.push(face)));
        all
    }

    #[test]
    fn a_cell_has_four_faces_wherever_it_lies() {
        let key = |level, x, y| TileKey { level, x, y };
        let leaves = (0..2).flat_map(|y| (0..2).map(move |x| key(0, 2 + x, y)));
        let forest = Forest::of_leaves(0, leaves.chain([key(1, 0, 0), key(1, 2, 0)]).collect());
        let leaf = |key| forest.find(key).expect("a leaf");
        let faces = |key, cell| TouchedFaces::of(&forest, [(leaf(key), cell)]);
        let of = |axis, cell| FaceAt::Of { axis, cell };
        let (x, y) = (Axis::X, Axis::Y);
        let north = TILE_WIDTH;

        let inner = faces(key(0, 2, 0), 3 * north + 5);
        let own = [
            of(x, 3 * north + 5),
            of(x, 3 * north + 6),
            of(y, 3 * north + 5),
            of(y, 4 * north + 5),
        ];
        assert_eq!(all(&inner, leaf(key(0, 2, 0))), own);
        assert_eq!(inner.leaves().count(), 1);

        // At the corner of four leaves, those to the east and to the north own two.
        let corner = faces(key(0, 2, 0), TILE_WIDTH * TILE_WIDTH - 1);
        assert_eq!(all(&corner, leaf(key(0, 2, 0))).len(), 2);
        assert_eq!(all(&corner, leaf(key(0, 3, 0))), [of(x, 63 * north)]);
        assert_eq!(all(&corner, leaf(key(0, 2, 1))), [of(y, 63)]);

        // A coarse cell has five: two finer ones are beyond one side, to the east or to the west.
        let west_of_finer = faces(key(1, 0, 0), 5 * north + 63);
        assert_eq!(all(&west_of_finer, leaf(key(1, 0, 0))).len(), 3);
        assert_eq!(all(&west_of_finer, leaf(key(0, 2, 0))), [of(x, 10 * north), of(x, 11 * north)]);
        let east_of_finer = faces(key(1, 2, 0), 40 * north);
        let far = |i| FaceAt::Far { axis: x, i };
        assert_eq!(all(&east_of_finer, leaf(key(0, 3, 1))), [far(16), far(17)]);
        assert_eq!(east_of_finer.with_means(&forest), [leaf(key(1, 2, 0))]);

        // A fine cell beside the coarse leaf changes the mean that the coarse one keeps.
        let fine = faces(key(0, 3, 0), 7 * north + 63);
        assert_eq!(all(&fine, leaf(key(0, 3, 0))).len(), 4);
        assert!(fine.leaves().any(|own| own == leaf(key(1, 2, 0))));
    }
}
