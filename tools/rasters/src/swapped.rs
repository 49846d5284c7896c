//! Detection of rows of samples that are ground only if their bytes are in the opposite order.
//!
//! Bytes in the wrong order turn neighbours that differ by decimetres or metres into neighbours
//! that differ by hundreds of metres, or into floats most of which are no heights at all. One value
//! that means NoData changes little: half of the neighbours are as before.

use crate::heights::HEIGHT_MAX_M;

/// Rows that are examined.
pub(crate) const ROWS: usize = 64;

/// Least factor by which heights are rougher if their bytes are in the wrong order.
const ROUGHER: f64 = 4.0;

/// Smaller numbers are no heights but floats with their bytes in the wrong order.
const TINY_M: f64 = 1.0e-30;

/// Rows in the order in which they were read, and in the opposite one.
#[derive(Debug, Default)]
pub(crate) struct Orders([OrderedHeights; 2]);

/// Heights in one order.
#[derive(Debug, Default)]
struct OrderedHeights {
    /// Differences between neighbours, m; infinite beside a number that is no height.
    steps_m: Vec<f64>,
    /// A number that is no height, and whether a second one follows: one alone may mean NoData.
    absurd: Option<f64>,
    has_absurd: bool,
}

impl Orders {
    /// Examines a row in both orders; NaN is NoData.
    pub(crate) fn look(&mut self, rows: &[Vec<f64>; 2]) {
        self.0.iter_mut().zip(rows).for_each(|(order, row)| order.look(row));
    }

    /// Returns true if the rows are ground in the opposite order, and noise in the order they were
    /// read.
    pub(crate) fn is_other(&self) -> bool {
        let [read, other] = &self.0;
        let steps = read.median_m().zip(other.median_m());
        steps.is_some_and(|(read_m, other_m)| read_m > ROUGHER * other_m) && !other.has_absurd
    }
}

impl OrderedHeights {
    fn look(&mut self, row: &[f64]) {
        let is_tiny = |height: f64| height != 0.0 && height.abs() < TINY_M;
        let is_absurd = |height: f64| height.abs() > HEIGHT_MAX_M || is_tiny(height);
        for height in row.iter().copied().filter(|height| is_absurd(*height)) {
            let first = *self.absurd.get_or_insert(height);
            self.has_absurd |= first.to_bits() != height.to_bits();
        }
        for pair in row.windows(2).filter(|pair| !pair.iter().any(|height| height.is_nan())) {
            let is_float = pair.iter().any(|height| is_tiny(*height) || height.abs() > 1.0e6);
            let step_m = (pair[1] - pair[0]).abs();
            self.steps_m.push(if is_float { f64::INFINITY } else { step_m });
        }
    }

    /// Returns the difference that half of the neighbours do not reach, m.
    fn median_m(&self) -> Option<f64> {
        let mut steps_m = self.steps_m.clone();
        let middle = steps_m.len() / 2;
        (!steps_m.is_empty()).then(|| *steps_m.select_nth_unstable_by(middle, f64::total_cmp).1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Goal: only rows that are ground in the opposite order, and noise in their own, are found to
    /// be swapped; rows with a number that means NoData, or of nothing else, are not.
    #[test]
    fn rows_are_in_the_other_order_only_if_they_are_ground_there() {
        let hills = |x: usize| 60.0 + 25.0 * (x as f64 / 9.0).sin();
        let voids = |x: usize, void: f64| if x.is_multiple_of(9) { void } else { hills(x) };
        #[expect(clippy::cast_possible_truncation, reason = "samples of 16 bits")]
        let short = |height: f64| {
            let stored = height as i16;
            [f64::from(stored), f64::from(stored.swap_bytes())]
        };
        #[expect(clippy::cast_possible_truncation, reason = "samples of 32 bits")]
        let float = |height: f64| {
            let bytes = (height as f32).to_le_bytes();
            [f32::from_le_bytes(bytes), f32::from_be_bytes(bytes)].map(f64::from)
        };
        let whole = |x: usize| hills(x).round();
        type Row<'a> = &'a dyn Fn(usize) -> [f64; 2];
        let cases: [(&str, Row<'_>, bool); 9] = [
            ("heights of 16 bits", &|x| short(hills(x)), true),
            ("with -32768", &|x| short(voids(x, -32_768.0)), true),
            ("floats", &|x| float(hills(x)), true),
            ("whole floats", &|x| float(whole(x)), true),
            ("floats with -9999", &|x| float(voids(x, -9999.0)), true),
            ("floats with -3.4e38", &|x| float(voids(x, f64::from(f32::MIN))), true),
            ("-32768 alone", &|_| short(-32_768.0), false),
            ("one height", &|_| short(80.0), false),
            ("-3.4e38 alone", &|_| float(f64::from(f32::MIN)), false),
        ];
        for (name, sample, is_ground) in cases {
            let pairs: Vec<[f64; 2]> = (0..200).map(sample).collect();
            let [right, wrong] =
                [0, 1].map(|at| -> Vec<f64> { pairs.iter().map(|pair| pair[at]).collect() });
            for (rows, expected) in
                [([wrong.clone(), right.clone()], is_ground), ([right, wrong], false)]
            {
                let mut orders = Orders::default();
                orders.look(&rows);
                assert_eq!(orders.is_other(), expected, "{name}");
            }
        }
    }
}
