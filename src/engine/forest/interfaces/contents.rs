//! Tracer content at interfaces between levels, carried by the water under way.
//!
//! ```text
//! P = 4 h + Σ gained                        the water of a coarse cell and of its registers
//! Q = 4 C + Σ content under way             and its content, of fine cells
//! lo = ⌊Q/P⌋,  ε = Q − lo P                 as much as whole numbers say of its concentration
//!
//! amount of the face that may draw a, after others that may draw b:
//!     a of P,  lo a + ⌊ε (a + b)/P⌋ − ⌊ε b/P⌋ of Q
//! at the end of the step:
//!     h' = h + Σ ⌊gained/4⌋     C' = lo h' + min(h', ⌊ε/4⌋)     r = gained mod 4
//!     a register keeps lo r and up to r more; what then is left of Q, 0 to 3, goes to the carry
//! ```
//!
//! A cell and its registers are one pool while finer leaves step. Inflow mixes with it; each fine
//! face draws from a separate amount of the pool, so no leaf depends on how much the rest draw
//! meanwhile. An amount contains between lo and lo + 1 per unit of water, and so does the rest.
//! Content moves over an interface before the rest of the coarse cell's faces move theirs: they use
//! h' and C'.
//!
//! Guarantees: content is exact; the concentrations of pool, amounts, cell and registers stay
//!             within the range of the concentrations that mixed, rounded outwards to 2⁻²⁴; a
//!             uniform concentration stays uniform, and leaves the carry unchanged. Threads and
//!             order do not matter.
//! Limits:     the content of the water that a coarse cell allows is of first order.
//! Source:     own.

use crate::flow::tracer::share;
use crate::forest::interfaces::{ForestLeaves, LeafInterfaces};
use crate::grid::{LeafId, Side, TILE_WIDTH};
use crate::tile::carry::finest_cells;
use crate::tile::{Carry, Water};
use crate::units::Volume;

/// The water and the content of a coarse cell and its registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pool {
    /// P, vertical units × fine cells.
    pub water: i64,
    /// Q, 2⁻²⁴ vertical units × fine cells.
    content: i64,
}

impl Pool {
    /// Creates the pool of a cell of a leaf.
    #[must_use]
    pub fn of(leaves: &ForestLeaves<'_>, leaf: LeafId, cell: usize, tracer: usize) -> Self {
        let water = &leaves.water[leaf];
        let own = Self::of_cell(water, cell, tracer);
        leaves.interfaces[leaf]
            .as_ref()
            .map_or(own, |interfaces| interfaces.pool(own, cell, tracer))
    }

    /// Creates the pool of a cell without registers.
    fn of_cell(water: &Water, cell: usize, tracer: usize) -> Self {
        Self { water: 4 * i64::from(water.depth[cell]), content: 4 * water.contents[tracer][cell] }
    }

    /// Returns lo, and the remainder ε.
    fn concentration(&self) -> (i64, i64) {
        match self.water {
            0 => (0, self.content),
            water => (self.content.div_euclid(water), self.content.rem_euclid(water)),
        }
    }

    /// Returns the content of `units` of the pool's water at its concentration, rounded down.
    #[must_use]
    pub fn content_of(&self, units: i32) -> i64 {
        let ((lo, above), units) = (self.concentration(), i64::from(units));
        if self.water == 0 { 0 } else { lo * units + part(above, units, self.water) }
    }

    /// Returns the content of the amount of `units` that follows `before` units.
    fn amount(&self, before: i64, units: i64) -> i64 {
        let (lo, above) = self.concentration();
        let until = |units| if above == 0 { 0 } else { part(above, units, self.water) };
        lo * units + until(before + units) - until(before)
    }
}

/// Returns `⌊content · units / whole⌋` of numbers that are not negative.
fn part(content: i64, units: i64, whole: i64) -> i64 {
    // `content` is a remainder below `whole`: unless water is very deep the product fits, and the
    // slow division of 128 bits is not needed.
    match content.checked_mul(units) {
        Some(product) => product / whole,
        None => {
            let part = Volume::from(content) * Volume::from(units) / Volume::from(whole);
            i64::try_from(part).expect("a part of a content")
        }
    }
}

/// Returns the content of the four fine cells from the south-west one `cell` on, as that of one
/// coarse cell of `depth`: at their mean concentration, rounded down.
#[must_use]
pub fn restricted_content(water: &Water, cell: usize, tracer: usize, depth: i32) -> i64 {
    let cells = [cell, cell + 1, cell + TILE_WIDTH, cell + TILE_WIDTH + 1];
    let four = Pool {
        water: cells.iter().map(|&cell| i64::from(water.depth[cell])).sum(),
        content: cells.iter().map(|&cell| water.contents[tracer][cell]).sum(),
    };
    four.content_of(depth)
}

/// A fine face in the coordinates of its coarse cell.
#[derive(Debug, Clone, Copy)]
pub struct FineFace {
    /// The coarse leaf.
    pub leaf: LeafId,
    /// Side of the leaf.
    pub side: Side,
    /// The cell along that side.
    pub i: usize,
    /// Number of the face among the two of the cell there.
    pub half: usize,
}

impl FineFace {
    /// Returns the content of the `units` of water that the face draws in a fine step.
    ///
    /// # Panics
    ///
    /// If the side has no register, or if `units` is more than the register allows.
    #[must_use]
    pub fn draws(&self, leaves: &ForestLeaves<'_>, tracer: usize, units: i32) -> i64 {
        let interfaces = leaves.interfaces_of(self.leaf);
        let cell = self.side.cell_along(self.i);
        let allowed = |side: Side, i: usize| {
            interfaces.registers[side].as_ref().expect("a side to finer leaves").allowed[i]
        };
        let others = interfaces.registers_of(cell).take_while(|&(side, _)| side < self.side);
        // A cell has two fine faces on a side, each of which may draw that much.
        let before: i64 = others.map(|(side, i)| 2 * i64::from(allowed(side, i))).sum();
        let own = allowed(self.side, self.i);
        crate::checked!((0..=own).contains(&units), "{units} of {own}");
        let before = before + i64::from(own) * i64::from(self.half == 1);
        let amount = Pool::of(leaves, self.leaf, cell, tracer).amount(before, i64::from(own));
        share(amount, units, own)
    }
}

impl LeafInterfaces {
    /// Returns the registers of a cell: their side, and the cell's place there.
    fn registers_of(&self, cell: usize) -> impl Iterator<Item = (Side, usize)> + use<> {
        let (column, row, last) = (cell % TILE_WIDTH, cell / TILE_WIDTH, TILE_WIDTH - 1);
        let along = [(column == 0, row), (column == last, row), (row == 0, column)];
        let along = [along[0], along[1], along[2], (row == last, column)];
        let found = Side::ALL.map(|side| {
            let (is_there, i) = along[side];
            (is_there && self.registers[side].is_some()).then_some((side, i))
        });
        found.into_iter().flatten()
    }

    /// Returns the pool of a cell; `own` is the cell without its registers.
    fn pool(&self, own: Pool, cell: usize, tracer: usize) -> Pool {
        self.registers_of(cell).fold(own, |pool, (side, i)| {
            let Some(register) = &self.registers[side] else { return pool };
            Pool {
                water: pool.water + register.gained[i],
                content: pool.content + register.contents[tracer][i],
            }
        })
    }

    /// Returns the content of a tracer under way, 2⁻²⁴ vertical units × fine cells.
    #[must_use]
    pub fn content(&self, tracer: usize) -> Volume {
        let rows = self.registers.iter().flatten().map(|register| &register.contents[tracer]);
        rows.flatten().map(|&content| Volume::from(content)).sum()
    }

    /// Removes and returns the content of a tracer under way.
    pub fn take_content(&mut self, tracer: usize) -> Volume {
        let content = self.content(tracer);
        let registers = self.registers.iter_mut().flatten();
        registers.for_each(|register| register.contents[tracer].fill(0));
        content
    }

    /// Moves content between the cells of a leaf of `level` and their registers, in proportion to
    /// the water that its step will move; a remainder that fits nowhere goes to the carry.
    pub fn settle_contents(&mut self, level: u8, water: &mut Water, carry: &mut Carry) {
        for (side, i) in
            Side::ALL.into_iter().flat_map(|side| (0..TILE_WIDTH).map(move |i| (side, i)))
        {
            let cell = side.cell_along(i);
            // A cell at a corner may have two registers: once is enough.
            if self.registers_of(cell).next() != Some((side, i)) {
                continue;
            }
            for (tracer, carried) in carry.contents.iter_mut().enumerate() {
                let left = self.settle_cell(cell, tracer, water);
                // `left` is in fine cells, like all content under way.
                *carried += Volume::from(left * finest_cells(level - 1));
            }
        }
    }

    /// Divides the pool of a cell; returns the remainder that fits nowhere.
    fn settle_cell(&mut self, cell: usize, tracer: usize, water: &mut Water) -> i64 {
        let pool = self.pool(Pool::of_cell(water, cell, tracer), cell, tracer);
        let (lo, above) = pool.concentration();
        let (mut depth, mut left) = (i64::from(water.depth[cell]), above);
        let mut held = [0; 4];
        for (side, i) in self.registers_of(cell) {
            let Some(register) = &self.registers[side] else { continue };
            depth += i64::from(register.taken(i));
            held[side] = register.gained[i].rem_euclid(4);
        }
        let taken = depth.min(above / 4);
        water.contents[tracer][cell] = lo * depth + taken;
        left -= 4 * taken;
        for (side, i) in self.registers_of(cell) {
            let Some(register) = &mut self.registers[side] else { continue };
            let more = left.min(held[side]);
            register.contents[tracer][i] = lo * held[side] + more;
            left -= more;
        }
        crate::checked!(depth >= 0 && (0..4).contains(&left), "{left} of {pool:?} in {depth}");
        left
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::tracer::ONE;
    use crate::forest::Forest;
    use crate::forest::interfaces::Register;
    use crate::grid::{TILE_CELLS, TileKey};
    use crate::tile::{Ground, Resident};
    use crate::units::hash::scramble;

    struct Draw(u64);

    impl Draw {
        /// 0 to `most`, of all magnitudes.
        fn up_to(&mut self, most: i64) -> i64 {
            self.0 = scramble(self.0 + 1);
            let shift = self.0 % 40;
            let most = most.cast_unsigned() + 1;
            i64::try_from((self.0 >> 16 >> shift) % most).expect("at most `most`")
        }

        /// All of `most`, or some of it.
        fn units_of(&mut self, most: i32) -> i32 {
            match self.up_to(2) {
                0 => most,
                _ => i32::try_from(self.up_to(most.into())).expect("at most an i32"),
            }
        }

        /// Content of some water within whole bounds.
        fn content(&mut self, [lo, hi]: [i64; 2], units: i64) -> i64 {
            lo * units + self.up_to((hi - lo) * units)
        }
    }

    /// A coarse leaf whose cell 0 has fine faces to the west, or to the west and the south.
    struct Corner {
        forest: Forest,
        grounds: Vec<Resident<Ground>>,
        water: Vec<Resident<Water>>,
        interfaces: Vec<Option<Box<LeafInterfaces>>>,
        sides: Vec<Side>,
        carry: Carry,
        bounds: [i64; 2],
    }

    impl Corner {
        fn new(draw: &mut Draw) -> Self {
            let mut sides = vec![Side::West, Side::South];
            sides.truncate(1 + usize::from(draw.up_to(1) == 1));
            let mut interfaces = LeafInterfaces::default();
            for &side in &sides {
                interfaces.registers[side] = Some(Box::new(Register::new(1)));
            }
            let lo = draw.up_to(ONE);
            let bounds = match draw.up_to(3) {
                0 => [lo; 2],
                _ => [lo, (lo + 1 + draw.up_to(ONE)).min(ONE)],
            };
            let depth = draw.up_to(1 << 30);
            let mut water = Water::dry_with(1);
            water.depth[0] = i32::try_from(depth).expect("small");
            water.contents[0][0] = draw.content(bounds, depth);
            Self {
                forest: Forest::of_leaves(0, vec![TileKey { level: 1, x: 0, y: 0 }]),
                grounds: vec![Ground::flat(vec![0; TILE_CELLS].into()).into()],
                water: vec![water.into()],
                interfaces: vec![Some(Box::new(interfaces))],
                sides,
                carry: Carry::none(1),
                bounds,
            }
        }

        /// Draws or gains at each fine face; returns the units drawn, and the content gained.
        fn fine_step(&mut self, draw: &mut Draw, drawn: i64) -> (i64, i64) {
            let count = 2 * self.sides.len();
            let spare = if count == 4 { 6 } else { 0 };
            let left = (4 * i64::from(self.water[0].depth[0]) - drawn - spare).max(0);
            let allowed = i32::try_from(left / count as i64).expect("small");
            let registers =
                self.interfaces[0].iter_mut().flat_map(|interfaces| &mut interfaces.registers);
            registers.flatten().for_each(|register| register.allowed[0] = allowed);
            let (mut more, mut gained, mut moved) = (0, 0, Vec::new());
            for face in 0..count {
                let side = self.sides[face / 2];
                if draw.up_to(1) == 1 {
                    let units = draw.units_of(allowed);
                    let leaves = ForestLeaves {
                        forest: &self.forest,
                        grounds: &self.grounds,
                        water: &self.water,
                        interfaces: &self.interfaces,
                        steps_log2: &[],
                    };
                    let face = FineFace { leaf: LeafId::new(0), side, i: 0, half: face % 2 };
                    moved.push((side, -i64::from(units), -face.draws(&leaves, 0, units)));
                    more += i64::from(units);
                } else {
                    let units = draw.up_to(1 << 24);
                    moved.push((side, units, draw.content(self.bounds, units)));
                }
            }
            for (side, units, content) in moved {
                let interfaces = self.interfaces[0].as_mut().expect("interfaces");
                let register = interfaces.registers[side].as_mut().expect("a register");
                register.gained[0] += units;
                register.contents[0][0] += content;
                gained += content;
            }
            (more, gained)
        }

        /// Ends the step; returns water and content of the cell and of the registers.
        fn settle(&mut self) -> Vec<(i64, i64)> {
            let (interfaces, water) =
                (self.interfaces[0].as_mut().expect("interfaces"), &mut *self.water[0]);
            interfaces.settle_contents(1, water, &mut self.carry);
            let taken = interfaces.registers.iter().flatten().map(|register| register.taken(0));
            water.depth[0] += taken.sum::<i32>();
            interfaces.settle();
            let registers = interfaces.registers.iter().flatten();
            let held = registers.map(|register| (register.gained[0], register.contents[0][0]));
            held.chain([(water.depth[0].into(), water.contents[0][0])]).collect()
        }
    }

    /// Goal: the guarantees of the module page for one cell, for any draws and gains. Method:
    /// seeded cells of all magnitudes over twenty steps of one to three fine steps; each fine face
    /// draws up to all it may, or gains; integers, no tolerance.
    #[test]
    fn pools_are_exact_and_keep_their_bounds_whatever_is_drawn() {
        for seed in 0..2_000_u64 {
            let mut draw = Draw(seed << 20);
            let mut corner = Corner::new(&mut draw);
            let [lo, hi] = corner.bounds;
            let mut total = 4 * corner.water[0].contents[0][0];
            for step in 0..20 {
                let case = format!("seed {seed}, step {step}");
                let mut drawn = 0;
                for _ in 0..=draw.up_to(2) {
                    let (more, gained) = corner.fine_step(&mut draw, drawn);
                    (drawn, total) = (drawn + more, total + gained);
                }
                let held = corner.settle();
                for &(water, content) in &held {
                    let range = lo * water..=hi * water;
                    assert!(range.contains(&content), "{case}: {content} in {water}");
                }
                let (cell, registers) = held.split_last().expect("a cell");
                let under_way: i64 = registers.iter().map(|(_, content)| content).sum();
                let carried = corner.carry.contents[0];
                let stored = Volume::from(4 * cell.1 + under_way) + carried;
                assert_eq!(stored, Volume::from(total), "{case}");
                assert!(lo < hi || carried == 0, "{case}: {carried} carried");
            }
        }
    }

    #[test]
    fn four_cells_show_their_mean_concentration() {
        let mut water = Water::dry_with(1);
        for (cell, depth, content) in [(0, 3, 30), (1, 1, 14), (64, 0, 0), (65, 4, 40)] {
            (water.depth[cell], water.contents[0][cell]) = (depth, content);
        }
        assert_eq!([0, 2, 8].map(|depth| restricted_content(&water, 0, 0, depth)), [0, 21, 84]);
        assert_eq!(restricted_content(&Water::dry_with(1), 0, 0, 0), 0);
    }
}
