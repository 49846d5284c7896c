//! Tracers of one leaf in a step, after its water.
//!
//! Content over a face to a finer leaf has moved before ([`contents`](crate::forest::interfaces)):
//! the kernel sees the depths after it, and those faces closed. Over a face to a coarser leaf the
//! cells of this one give as usual; the content that they draw is taken from the amounts of the
//! coarse cell.
//!
//! Guarantees: the padded tile is left as it was.

use crate::flow::tracer::PaddedTracer;
use crate::forest::Neighbour;
use crate::forest::interfaces::LeafInterfaces;
use crate::forest::interfaces::bounds::InterfaceTransfers;
use crate::forest::interfaces::contents::{FineFace, Pool};
use crate::forest::interfaces::halo_cell::HaloCell;
use crate::grid::cells::column_row;
use crate::grid::{Axis, LeafId, Side, TILE_WIDTH};
use crate::sim::leaf::{INTERFACE_FACES, StepContext};
use crate::sim::table::{LeafTable, LeafWork, pick};
use crate::tile::interface_faces::GivenFace;
use crate::tile::padded::{Padded, PaddedPlane, index};
use rayon::prelude::*;
use std::cell::RefCell;

thread_local! {
    static PADDED_TRACER: RefCell<Box<PaddedTracer>> = RefCell::new(Box::default());
    static HALO: RefCell<HaloContents> = RefCell::new(HaloContents::default());
}

/// Cells of different levels around a leaf.
#[derive(Debug, Default)]
struct HaloContents {
    /// Cells of coarser leaves that the kernel looks at: index in the padded planes, leaf, cell.
    coarse: Vec<(usize, LeafId, usize)>,
    /// Contents of one tracer by index in the padded planes.
    filled: Vec<(usize, i64)>,
    aside: Aside,
}

/// Values of a padded tile that are replaced for a while: index and old value.
#[derive(Debug, Default)]
struct Aside {
    depth: Vec<(usize, i32)>,
    transfers: [Vec<(usize, i32)>; 2],
}

impl Aside {
    /// Sets a value of a plane, and keeps the old one.
    fn put(kept: &mut Vec<(usize, i32)>, plane: &mut PaddedPlane<i32>, at: usize, value: i32) {
        kept.push((at, std::mem::replace(&mut plane[at], value)));
    }

    /// Moves the water of given transfers.
    fn settle(&mut self, given: &[GivenFace], padded: &mut Padded) {
        for &GivenFace { axis, face, cell, taken } in given {
            let depth = padded.depth[cell] + taken;
            Self::put(&mut self.depth, &mut padded.depth, cell, depth);
            let transfer = match axis {
                Axis::X => &mut padded.transfer_x,
                Axis::Y => &mut padded.transfer_y,
            };
            Self::put(&mut self.transfers[axis], transfer, face, 0);
        }
    }

    /// Restores all values.
    fn restore(&mut self, padded: &mut Padded) {
        let [x, y] = &mut self.transfers;
        let planes = [&mut padded.depth, &mut padded.transfer_x, &mut padded.transfer_y];
        for (kept, plane) in [&mut self.depth, x, y].into_iter().zip(planes) {
            // Backwards: a cell at a corner has given faces on two sides and is kept twice; the
            // value that was kept first is the old one.
            kept.drain(..).rev().for_each(|(at, value)| plane[at] = value);
        }
    }
}

impl LeafTable {
    /// Adds to these leaves of `level`, which are beside finer ones, the content that has crossed.
    pub(super) fn settle_contents(&mut self, level: u8, coarse_sides: &[LeafId], tracers: usize) {
        if tracers == 0 || coarse_sides.is_empty() {
            return;
        }
        let (interfaces, water) =
            (pick(&mut self.interfaces, coarse_sides), pick(&mut self.water, coarse_sides));
        let leaves = pick(&mut self.own, coarse_sides);
        interfaces.into_par_iter().zip(water).zip(leaves).for_each(
            |((interfaces, water), leaf)| {
                if let Some(interfaces) = interfaces {
                    interfaces.settle_contents(level, water, &mut leaf.carry);
                }
            },
        );
    }
}

impl StepContext<'_> {
    /// Moves the content of all tracers with the water.
    pub(super) fn carry_tracers(&self, leaf: &mut LeafWork<'_>, padded: &mut Padded) {
        let LeafWork { id, scratch, new, .. } = leaf;
        let id = *id;
        if new.contents.is_empty() {
            return;
        }
        PADDED_TRACER.with_borrow_mut(|own| match &self.leaves.interfaces[id] {
            Some(interfaces) => HALO.with_borrow_mut(|halo| {
                INTERFACE_FACES.with_borrow(|faces| halo.aside.settle(&faces.given, padded));
                self.note_coarser(id, halo, padded);
                for (tracer, out) in new.contents.iter_mut().enumerate() {
                    self.fill(interfaces, tracer, halo, padded);
                    self.carry_one(id, tracer, &halo.filled, (own, padded), out);
                    self.cross((id, tracer), &mut scratch.transfers, (own, padded), out);
                }
                halo.aside.restore(padded);
            }),
            None => {
                for (tracer, out) in new.contents.iter_mut().enumerate() {
                    self.carry_one(id, tracer, &[], (own, padded), out);
                }
            }
        });
    }

    /// Moves the content of one tracer.
    fn carry_one(
        &self,
        id: LeafId,
        tracer: usize,
        filled: &[(usize, i64)],
        (own, padded): (&mut PaddedTracer, &Padded),
        out: &mut [i64],
    ) {
        let around = self
            .leaves
            .forest
            .around(id)
            .map(|leaf| Some(&*self.leaves.water[leaf.known()?].contents[tracer]));
        own.advance(padded, &around, filled, self.params.settings.order, out);
    }

    /// Notes the coarse cell of each cell of the halo; the cells of a dry pool have no water that
    /// could carry a tracer.
    fn note_coarser(&self, leaf: LeafId, halo: &mut HaloContents, padded: &mut Padded) {
        halo.coarse.clear();
        let corner = self.leaves.forest.leaves()[leaf].corner();
        let range = |third: usize| match third {
            0 => -2..0,
            1 => 0..64,
            _ => 64..66,
        };
        for (place, beside) in self.leaves.forest.beside(leaf).iter().enumerate() {
            let Neighbour::Coarser(coarse) = *beside else { continue };
            for row in range(place / 3) {
                for column in range(place % 3) {
                    let within = |origin: u32, at: i32| {
                        // The coarse leaf is there, so the place is not negative. Two fine cells
                        // lie along one coarse cell, and leaves begin at multiples of 64 cells.
                        (origin.wrapping_add_signed(at) / 2) as usize % TILE_WIDTH
                    };
                    let cell = within(corner.y, row) * TILE_WIDTH + within(corner.x, column);
                    let at = index(column, row);
                    halo.coarse.push((at, coarse, cell));
                    if Pool::of(&self.leaves, coarse, cell, 0).water == 0 {
                        Aside::put(&mut halo.aside.depth, &mut padded.depth, at, 0);
                    }
                }
            }
        }
    }

    /// Computes the contents of the cells of different levels in the halo.
    fn fill(
        &self,
        interfaces: &LeafInterfaces,
        tracer: usize,
        halo: &mut HaloContents,
        padded: &Padded,
    ) {
        halo.filled.clear();
        for &(at, leaf, cell) in &halo.coarse {
            let pool = Pool::of(&self.leaves, leaf, cell, tracer);
            halo.filled.push((at, pool.content_of(padded.depth[at])));
        }
        let Some(coarse_view) = &interfaces.coarse_view else { return };
        let contents = coarse_view.start_contents.chunks_exact(self.tracers.len());
        let of_tracer = |(cell, contents): (&HaloCell, &[i64])| (cell.at, contents[tracer]);
        halo.filled.extend(coarse_view.start.iter().zip(contents).map(of_tracer));
    }

    /// Takes the content that the faces to coarser leaves draw, and notes all that crosses them.
    fn cross(
        &self,
        (id, tracer): (LeafId, usize),
        transfers: &mut InterfaceTransfers,
        (own, padded): (&PaddedTracer, &Padded),
        out: &mut [i64],
    ) {
        for side in Side::ALL {
            let coarser = self.leaves.forest.coarser(id, side);
            let (Some(faces), Some((moved, contents))) = (coarser, transfers.side(side, tracer))
            else {
                continue;
            };
            for (i, (&units, content)) in moved.iter().zip(contents.iter_mut()).enumerate() {
                let cell = side.cell_along(i);
                *content = match units {
                    0 => 0,
                    1.. => own.given(padded, padded_index(cell), self.params.settings.order)[side],
                    _ => {
                        let (i, half) = (faces.first + i / 2, i % 2);
                        let face = FineFace { leaf: faces.beyond, side: side.opposite(), i, half };
                        let drawn = face.draws(&self.leaves, tracer, -units);
                        out[cell] += drawn;
                        -drawn
                    }
                };
            }
        }
    }
}

/// Returns the index of one of the tile's own cells in the padded planes.
fn padded_index(cell: usize) -> usize {
    let (column, row) = column_row(cell);
    index(column.cast_signed(), row.cast_signed())
}
