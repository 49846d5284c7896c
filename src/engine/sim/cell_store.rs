//! The water of one cell with its tracers: the only way in which sources, sinks, actions, links and
//! bodies give water to a cell and take it out again.
//!
//! ```text
//! where the water is                                   what a store is made from
//! planes of a leaf                                     `CellStore::open`
//! beside the planes, while solids touch the cell       `CellStore::new`, and if the solids part it
//!   ≈≈≈│ over  │≈≈≈                                    `over` or `under`: the parts have depths of
//!      └───────┘                                       their own and one content
//!   ≈≈≈≈ under ≈≈≈≈
//! ```
//!
//! Guarantees: the water taken carries [`share`] of the content of the whole cell: rounded down,
//!             all with all of the water.
//! Limits:     a store books nothing: its caller does.

use crate::flow::tracer::share;
use crate::tile::planes::ONE;
use crate::tile::{CowPlane, Water};
use crate::units::{CEILING, Depth};

/// The water of a cell, or the part of it over or under solids.
#[derive(Debug)]
pub struct CellStore<'a> {
    /// Depth of the whole cell, vertical units.
    whole: &'a mut i32,
    /// Units of it over the solids, if the store is that part.
    over: Option<&'a mut i32>,
    /// Units of the cell that are not in the store.
    apart: i32,
    /// Depth at which the store is full.
    full: i32,
    /// Planes of content by tracer, and the index of the cell in each.
    contents: &'a mut [CowPlane<i64>],
    at: usize,
}

impl<'a> CellStore<'a> {
    /// Returns a cell of that depth with element `at` of each plane of content, full at
    /// [`CEILING`].
    #[inline(always)]
    pub fn new(depth: &'a mut i32, contents: &'a mut [CowPlane<i64>], at: usize) -> Self {
        Self { whole: depth, over: None, apart: 0, full: CEILING, contents, at }
    }

    /// Returns a cell in the planes of a leaf, full at [`CEILING`].
    pub fn open(water: &'a mut Water, at: usize) -> Self {
        Self::new(&mut water.depth[at], &mut water.contents, at)
    }

    /// Limits the store to the cell's water over solids, of this many units.
    #[must_use]
    pub fn over(self, units: &'a mut i32) -> Self {
        Self { apart: *self.whole - *units, over: Some(units), ..self }
    }

    /// Limits the store to the cell's water under solids: all but the units over them.
    #[must_use]
    pub fn under(self, units: i32) -> Self {
        Self { apart: units, ..self }
    }

    /// Sets the depth at which the store is full.
    #[must_use]
    #[inline(always)]
    pub fn full_at(self, depth: i32) -> Self {
        Self { full: depth, ..self }
    }

    /// Sets the store to be full with this many units more.
    #[must_use]
    pub fn with_room(self, units: i32) -> Self {
        Self { full: Depth(self.depth()).changed(units), ..self }
    }

    /// Returns the depth of its water, vertical units.
    #[must_use]
    #[inline(always)]
    pub fn depth(&self) -> i32 {
        *self.whole - self.apart
    }

    /// Returns the units that still fit.
    #[must_use]
    #[inline(always)]
    pub fn room(&self) -> i32 {
        (self.full - self.depth()).max(0)
    }

    /// Adds units, with their content of each tracer by `content`.
    #[inline(always)]
    pub fn give(&mut self, units: i32, mut content: impl FnMut(usize) -> i64) {
        *self.whole += units;
        if let Some(over) = &mut self.over {
            **over += units;
        }
        for (tracer, plane) in self.contents.iter_mut().enumerate() {
            plane[self.at] += content(tracer);
        }
    }

    /// Removes units, no more than the store has, and passes on their content of each tracer.
    #[inline(always)]
    pub fn take(&mut self, units: i32, mut taken: impl FnMut(usize, i64)) {
        let whole = *self.whole;
        *self.whole -= units;
        if let Some(over) = &mut self.over {
            **over -= units;
        }
        for (tracer, plane) in self.contents.iter_mut().enumerate() {
            let content = share(plane[self.at], units, whole);
            plane[self.at] -= content;
            taken(tracer, content);
        }
    }

    /// Removes units, no more than the store has; returns their content of each tracer.
    pub fn take_all(&mut self, units: i32) -> Vec<i64> {
        let mut contents = vec![0; self.contents.len()];
        self.take(units, |tracer, content| contents[tracer] = content);
        contents
    }

    /// Changes the content of a tracer within the limits of the water; returns the actual change.
    pub fn change_content(&mut self, tracer: usize, change: i64) -> i64 {
        let content = &mut self.contents[tracer][self.at];
        let change = change.clamp(-*content, ONE * i64::from(*self.whole) - *content);
        *content += change;
        change
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_cell_have_depths_of_their_own_and_one_content() {
        let (mut whole, mut over) = (10, 4);
        let mut contents: [CowPlane<i64>; 1] = [vec![0, 101].into()];
        let mut store = CellStore::new(&mut whole, &mut contents, 1).over(&mut over).full_at(6);
        assert_eq!((store.depth(), store.room()), (4, 2));
        assert_eq!(store.take_all(3), [30]);
        assert_eq!((store.depth(), store.room()), (1, 5));
        let mut store = CellStore::new(&mut whole, &mut contents, 1).under(over);
        assert_eq!(store.depth(), 6);
        store.give(2, |_| 7);
        assert_eq!(store.change_content(0, -100), -78);
        assert_eq!((store.depth(), over, whole, &contents[0][..]), (8, 1, 9, &[0, 0][..]));
    }
}
