//! Tables as whole numbers, to be stored, and back.
//!
//! Knots are taken by their differences: a curve that rises evenly has small ones.
//!
//! Guarantees: a table is restored to the bit; numbers that no table has give `None`.

use crate::tile::columns::openings::OpeningTable;
use crate::tile::columns::parts::{ALL_QUARTERS, InsideParts};
use crate::tile::columns::stages::{KNOTS, StageTable};
use crate::units::CEILING;

/// Numbers of a table of stages.
pub const STAGE_NUMBERS: usize = 3 + KNOTS;

/// Numbers of a table of openings.
pub const OPENING_NUMBERS: usize = 6 + 2 * KNOTS;

/// Bound of the depths and heights in a table, units: 2³³. Beds are less than 2³¹ units apart, and
/// `span`, the fall of the deficit, is twice that at most.
const MOST: f32 = 8_589_934_592.0;

fn bits(x: f32) -> i32 {
    x.to_bits().cast_signed()
}

/// Returns the number from 0 to `most` of these bits.
fn part(bits: i32, most: f32) -> Option<f32> {
    let x = f32::from_bits(bits.cast_unsigned());
    (0.0..=most).contains(&x).then_some(x)
}

fn differences(knots: impl Iterator<Item = u16>, out: &mut [i32]) {
    let mut last = 0;
    for (out, knot) in out.iter_mut().zip(knots) {
        *out = i32::from(knot) - last;
        last = i32::from(knot);
    }
}

fn sums(differences: &[i32]) -> Option<[u16; KNOTS]> {
    let (mut knots, mut last) = ([0; KNOTS], 0_i32);
    for (knot, &difference) in knots.iter_mut().zip(differences) {
        last = last.checked_add(difference)?;
        *knot = u16::try_from(last).ok()?;
    }
    Some(knots)
}

impl StageTable {
    /// Returns the table as numbers.
    #[must_use]
    pub fn numbers(&self) -> [i32; STAGE_NUMBERS] {
        let mut numbers = [0; STAGE_NUMBERS];
        numbers[..3].copy_from_slice(&[self.full, self.span, self.excess].map(bits));
        differences(self.knots.iter().copied(), &mut numbers[3..]);
        numbers
    }

    /// Returns the table of these numbers, if they are valid.
    #[must_use]
    pub fn of_numbers(numbers: &[i32; STAGE_NUMBERS]) -> Option<Self> {
        let [full, span] = [part(numbers[0], MOST)?, part(numbers[1], MOST)?];
        // A cell has 2¹⁶ finest cells at most, and at least one of them is inside the world.
        let excess = part(numbers[2], 65_536.0)?;
        let knots = sums(&numbers[3..])?;
        // A stage rises with the depth.
        (full >= 1.0 && knots.is_sorted_by(|a, b| a >= b)).then_some(Self {
            full,
            span,
            excess,
            knots,
        })
    }
}

impl OpeningTable {
    /// Returns the table as numbers.
    #[must_use]
    pub fn numbers(&self) -> [i32; OPENING_NUMBERS] {
        let Self { sill, top, area, conveying, fall, share, ref knots } = *self;
        let mut numbers = [0; OPENING_NUMBERS];
        let first = [sill, top, bits(area), bits(conveying), fall, bits(share)];
        numbers[..6].copy_from_slice(&first);
        for (which, out) in numbers[6..].chunks_exact_mut(KNOTS).enumerate() {
            differences(knots.iter().map(|knot| knot[which]), out);
        }
        numbers
    }

    /// Returns the table of these numbers, if they are valid.
    #[must_use]
    pub fn of_numbers(numbers: &[i32; OPENING_NUMBERS]) -> Option<Self> {
        let [sill, top, area, conveying, fall, share] = *numbers.first_chunk()?;
        let areas = sums(&numbers[6..6 + KNOTS])?;
        let conveyings = sums(&numbers[6 + KNOTS..])?;
        (-CEILING <= sill && sill <= top && top <= CEILING).then_some(())?;
        (fall.unsigned_abs() <= 2 * CEILING.unsigned_abs()).then_some(())?;
        Some(Self {
            sill,
            top,
            area: part(area, MOST)?,
            conveying: part(conveying, MOST)?,
            fall,
            share: part(share, 1.0)?,
            knots: std::array::from_fn(|k| [areas[k], conveyings[k]]),
        })
    }
}

impl InsideParts {
    /// Returns the parts of cells of `level` by their finest cells inside and their quarters with
    /// ground, if the numbers are valid.
    #[must_use]
    pub fn of_numbers(level: u8, inside: &[i32], quarters: &[i32]) -> Option<Self> {
        let mut parts = Self::whole(level, |_| false);
        for (cell, (&inside, &quarters)) in inside.iter().zip(quarters).enumerate() {
            let inside = u32::try_from(inside).ok().filter(|&n| n <= 1 << (2 * level))?;
            let quarters = u8::try_from(quarters).ok().filter(|&bits| bits <= ALL_QUARTERS)?;
            ((inside == 0) == (quarters == 0)).then_some(())?;
            parts.put(cell, inside, quarters);
        }
        Some(parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tile::columns::Openings;

    #[test]
    fn a_table_comes_back_and_what_is_none_does_not() {
        let knots = std::array::from_fn(|k| u16::try_from(60_000 - 3_999 * k).expect("few"));
        let stage = StageTable { full: 1.5, span: 7.25, excess: 0.0, knots };
        let numbers = stage.numbers();
        assert_eq!(StageTable::of_numbers(&numbers), Some(stage));
        for (number, value) in [(0, 0), (0, -1), (1, f32::NAN.to_bits().cast_signed()), (5, 9)] {
            let mut numbers = numbers;
            numbers[number] = value;
            assert_eq!(StageTable::of_numbers(&numbers), None, "{number}: {value}");
        }
        let mut opening = Openings::closed(1).faces[0];
        assert_eq!(OpeningTable::of_numbers(&opening.numbers()), Some(opening));
        (opening.sill, opening.top, opening.share, opening.fall) = (-7, 9, 0.5, -3);
        opening.knots = std::array::from_fn(|k| [knots[15 - k], 65_535]);
        let numbers = opening.numbers();
        assert_eq!(OpeningTable::of_numbers(&numbers), Some(opening));
        for (number, value) in [(0, 10), (1, CEILING + 1), (5, 2_f32.to_bits().cast_signed())] {
            let mut numbers = numbers;
            numbers[number] = value;
            assert_eq!(OpeningTable::of_numbers(&numbers), None, "{number}: {value}");
        }
        assert!(InsideParts::of_numbers(1, &[4, 0], &[15, 0]).is_some());
        for (inside, quarters) in [(5, 15), (0, 1), (1, 0), (1, 16), (-1, 1)] {
            assert!(InsideParts::of_numbers(1, &[inside], &[quarters]).is_none(), "{inside}");
        }
    }
}
