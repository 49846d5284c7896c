//! The lowest and the highest heights of a map, each with its number of cells.
//!
//! A file may mark gaps by a number that it does not declare: -9999 is then a pit of ten
//! kilometres. Such a number has many cells, all equal, far from the heights of the ground.

use thalweg::units::plain::short;

/// Numbers that files contain in place of missing values.
const VOIDS: [f64; 3] = [-9999.0, 9999.0, -999.0];

/// Units from which heights are converted if their scale is not stated, m.
const UNITS_M: [f64; 3] = [1.0, 0.3048, 1200.0 / 3937.0];

/// Distance to all heights from which a number of [`VOIDS`] means NoData, in stored values and at
/// most in metres: no cell of real ground is so far from the rest.
const VOID_APART: f64 = 500.0;

/// Lower bound of that distance, m.
const VOID_APART_LEAST_M: f64 = 10.0;

/// Distance to all heights from which a number not in [`VOIDS`] is unlikely, m.
const APART_M: f64 = 100.0;

/// Distance from which a number is unlikely, as a multiple of the range between the quartiles of
/// the heights.
const APART_QUARTILES: f64 = 10.0;

/// Fewest cells of a number that is unlikely: a single one may be a shaft, or a mast.
const CELLS_LEAST: usize = 3;

/// Fewest cells of a number that no ground has, and the ratio of that count to the mean count of
/// the values beside it: slopes lead up to a lake or a terrace, so [`APART_M`] is enough.
const CELLS_MANY: usize = 100;
const CELLS_TIMES: usize = 10;

/// Distance of stored zeros to the rest of the heights from which they may mean NoData: in ranges
/// of the rest, and at least, m. The sea is as low as the lowest beach.
const ZERO_PART: f64 = 0.25;
const ZERO_APART_M: f64 = 2.0;

/// Number of values that are kept at an end.
const KEPT: usize = 8;

/// Factor and offset of heights, m: a height is its stored value × factor + offset. `None` if
/// nothing states them.
pub(crate) type HeightScale = Option<(f64, f64)>;

/// A height of some cells.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Extreme {
    /// Height, m.
    pub height_m: f64,
    /// Number of cells.
    pub count: usize,
    /// Row and column of the first.
    pub first: (usize, usize),
}

impl Extreme {
    /// Returns the number that is stored in the file, and whether files use it for missing values.
    pub fn stored(&self, scale: HeightScale) -> (f64, bool) {
        let Some((factor, offset)) = scale.filter(|(factor, _)| factor.is_normal()) else {
            return stored(self.height_m);
        };
        let stored = (self.height_m - offset) / factor;
        // Heights are rounded when they are scaled.
        let is_whole = (stored - stored.round()).abs() <= 1.0e-6 * stored.abs().max(1.0);
        let stored = if is_whole { stored.round() } else { stored };
        (stored, VOIDS.contains(&stored))
    }
}

/// Returns the number of a file whose scale is not stated, a whole one in a usual unit or the value
/// itself, m, and whether files use it for missing values.
pub(crate) fn stored(value_m: f64) -> (f64, bool) {
    let near = |unit_m: &f64| {
        let stored = (value_m / unit_m).round();
        (stored * unit_m - value_m).abs() < 1.0e-3
    };
    let in_unit = |unit_m: f64| (value_m / unit_m).round();
    let void = UNITS_M.into_iter().filter(near).map(in_unit);
    let void = void.into_iter().find(|stored| VOIDS.contains(stored));
    let whole = || UNITS_M.into_iter().find(near).map(in_unit);
    (void.or_else(whole).unwrap_or(value_m), void.is_some())
}

/// One of the two ends of the heights: the outermost values, each once, from the outside.
#[derive(Debug)]
pub(crate) struct HeightsEnd {
    /// 1 of the highest, -1 of the lowest.
    sign: f64,
    values: Vec<Extreme>,
}

impl HeightsEnd {
    /// Creates an empty end for the lowest heights.
    pub fn lowest() -> Self {
        Self { sign: -1.0, values: Vec::new() }
    }

    /// Creates an empty end for the highest heights.
    pub fn highest() -> Self {
        Self { sign: 1.0, values: Vec::new() }
    }

    /// Counts a height.
    pub fn count(&mut self, height_m: f64, place: (usize, usize)) {
        let out = |extreme: &Extreme| self.sign * (extreme.height_m - height_m);
        if self.values.len() == KEPT && self.values.last().is_some_and(|last| out(last) > 0.0) {
            return;
        }
        let at = self.values.iter().position(|extreme| out(extreme) <= 0.0);
        match at {
            Some(at) if self.values[at].height_m.total_cmp(&height_m).is_eq() => {
                self.values[at].count += 1;
            }
            at => {
                let new = Extreme { height_m, count: 1, first: place };
                self.values.insert(at.unwrap_or(self.values.len()), new);
                self.values.truncate(KEPT);
            }
        }
    }

    /// Returns the outermost height, if any.
    pub fn first(&self) -> Option<Extreme> {
        self.values.first().copied()
    }

    /// Returns the values from the outside.
    pub fn values(&self) -> &[Extreme] {
        &self.values
    }

    /// Returns the outermost height that is not a number of [`VOIDS`].
    pub fn first_likely(&self, scale: HeightScale) -> Option<Extreme> {
        self.values.iter().find(|extreme| !extreme.stored(scale).1).copied()
    }

    /// True if the outermost value has many cells, and each value beside it few: ground with many
    /// heights, and one number among them.
    fn is_crowded(&self) -> bool {
        let [first, others @ ..] = self.values.as_slice() else { return false };
        let beside = others.iter().map(|extreme| extreme.count).sum::<usize>();
        self.values.len() == KEPT
            && first.count >= CELLS_MANY
            && first.count * others.len() >= CELLS_TIMES * beside
    }

    /// Returns the number of this end that is far from all heights, and the lowest and the highest
    /// of these heights, m. `likely_m` are the lowest and the highest height that are not a number
    /// of [`VOIDS`]; `quartiles_m` is the range between the quartiles.
    pub fn apart(
        &self,
        likely_m: [f64; 2],
        quartiles_m: f64,
        scale: HeightScale,
    ) -> Option<(Extreme, [f64; 2])> {
        let [low_m, high_m] = likely_m;
        let distance_m = |height_m: f64| (low_m - height_m).max(height_m - high_m);
        let first = self.first()?;
        if first.stored(scale).1 {
            let factor = scale.map_or(1.0, |(factor, _)| factor.abs());
            let apart_m = (VOID_APART * factor).clamp(VOID_APART_LEAST_M, VOID_APART);
            return (distance_m(first.height_m) > apart_m).then_some((first, likely_m));
        }
        let next = self.values.get(1)?;
        let gap_m = (first.height_m - next.height_m).abs();
        let rest_m = match self.sign > 0.0 {
            true => [low_m, next.height_m],
            false => [next.height_m, high_m],
        };
        let usual_m = match self.is_crowded() {
            true => APART_M,
            false => APART_M.max(rest_m[1] - rest_m[0]).max(APART_QUARTILES * quartiles_m),
        };
        (gap_m > usual_m && first.count >= CELLS_LEAST).then_some((first, rest_m))
    }

    /// Returns the outermost number if it is a stored 0 that many cells have, far from the rest of
    /// the heights, and the lowest and the highest of the rest, m; `opposite_m` is the opposite
    /// end.
    pub fn zeros(&self, opposite_m: f64, scale: HeightScale) -> Option<(Extreme, [f64; 2])> {
        let (first, next) = (self.first()?, self.values.get(1)?);
        let is_zero = first.stored(scale).0.abs() < f64::MIN_POSITIVE && self.is_crowded();
        let rest_m = [next.height_m.min(opposite_m), next.height_m.max(opposite_m)];
        let gap_m = (first.height_m - next.height_m).abs();
        let is_apart = gap_m > ZERO_APART_M.max(ZERO_PART * (rest_m[1] - rest_m[0]));
        (is_zero && is_apart).then_some((first, rest_m))
    }
}

/// Returns a note that some cells are far from all heights, and the way to make them NoData;
/// `place` is that of all or the first.
pub(crate) fn words(
    (extreme, scale): (&Extreme, HeightScale),
    place: &str,
    [low_m, high_m]: [f64; 2],
) -> [String; 2] {
    let (stored, is_void) = extreme.stored(scale);
    let [low, high] = [low_m, high_m].map(short);
    let cells = extreme.count;
    let what = format!(
        "{cells} cells are {stored}, {place}, and all other heights lie from {low} to {high} m"
    );
    let mend = match is_void {
        true => format!("they mean NoData: add --nodata {stored}, or correct them"),
        false => format!("if they mean NoData, add --nodata {stored}"),
    };
    [what, mend]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outermost_values_are_kept_with_their_cells() {
        let (mut low, mut high) = (HeightsEnd::lowest(), HeightsEnd::highest());
        let heights: Vec<f64> = (0..100).map(|index| f64::from(index % 20)).collect();
        for (column, height) in heights.iter().enumerate() {
            low.count(*height, (0, column));
            high.count(*height, (0, column));
        }
        let shown = |end: &HeightsEnd| -> Vec<(f64, usize)> {
            end.values().iter().map(|extreme| (extreme.height_m, extreme.count)).collect()
        };
        let expected = |from: f64, sign: f64| -> Vec<(f64, usize)> {
            (0..8).map(|index| (from + sign * f64::from(index), 5)).collect()
        };
        assert_eq!(shown(&low), expected(0.0, 1.0));
        assert_eq!(shown(&high), expected(19.0, -1.0));
        assert_eq!(high.first().expect("some").first, (0, 19));
    }

    /// Goal: many equal cells far below or above the ground are found whatever its relief; a lake,
    /// a few cells and a map of two levels are not.
    #[test]
    fn many_equal_cells_apart_are_found_on_any_relief() {
        let alps = || (0..20_000).map(|index| 1500.0 + f64::from(index * 7919 % 13_000) * 0.1);
        let levels = || (0..20_000).map(|index| 1500.0 + f64::from(index % 2) * 500.0);
        for (number, count, is_low, is_found) in [
            (0.0, 5000, true, true),
            (-500.0, 5000, true, true),
            (1399.0, 5000, true, true),
            (1401.0, 5000, true, false),
            (0.0, 99, true, false),
            (3000.0, 5000, false, true),
            (2800.0, 5000, false, false),
        ] {
            for (ground, is_ground) in
                [(alps().collect::<Vec<f64>>(), true), (levels().collect(), false)]
            {
                let mut end = if is_low { HeightsEnd::lowest() } else { HeightsEnd::highest() };
                let equal = std::iter::repeat_n(number, count);
                ground.iter().copied().chain(equal).for_each(|height| end.count(height, (0, 0)));
                let likely_m = [number.min(1500.0), number.max(2800.0)];
                let found = end.apart(likely_m, 650.0, None).map(|(extreme, _)| extreme.count);
                let expected = (is_found && is_ground).then_some(count);
                assert_eq!(found, expected, "{number} {count} {is_ground}");
            }
        }
    }

    #[test]
    fn numbers_are_known_in_their_units() {
        for (height_m, expected) in [
            (-9999.0, (-9999.0, true)),
            (-9999.0 * 0.3048, (-9999.0, true)),
            (-500.0, (-500.0, false)),
            (-500.0 * 0.3048, (-500.0, false)),
            (12.345_678, (12.345_678, false)),
        ] {
            let extreme = Extreme { height_m, count: 1, first: (0, 0) };
            assert_eq!(extreme.stored(None), expected, "{height_m}");
        }
        for (height_m, scale, expected) in [
            (9999.0, (-1.0, 0.0), (-9999.0, true)),
            (-999.9, (0.1, 0.0), (-9999.0, true)),
            (-9999.0 * 0.3048, (0.3048, 0.0), (-9999.0, true)),
            (-9899.0, (1.0, 100.0), (-9999.0, true)),
            (-9999.0 * 0.3048, (1.0, 0.0), (-9999.0 * 0.3048, false)),
        ] {
            let extreme = Extreme { height_m, count: 1, first: (0, 0) };
            assert_eq!(extreme.stored(Some(scale)), expected, "{height_m} {scale:?}");
        }
    }
}
