//! Roots of functions that cross zero once.

/// Returns the zero of `f`, which has one between `low` and `high`, to the last bit of `f64`.
pub fn root(low: f64, high: f64, f: impl Fn(f64) -> f64) -> f64 {
    let is_rising = f(high) > 0.0;
    let (mut low, mut high) = (low, high);
    loop {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            return middle;
        }
        if (f(middle) > 0.0) == is_rising {
            high = middle;
        } else {
            low = middle;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_rising_and_falling_zeros() {
        for (sign, square) in [(1.0, 2.0), (-1.0, 3.0_f64)] {
            let found = root(0.0, 10.0, |x| sign * (x * x - square));
            assert!((found - square.sqrt()).abs() < 1.0e-15, "{found}");
        }
    }
}
