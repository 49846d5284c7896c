//! Elementary functions that give the same bits on every machine.
//!
//! The platform's `powf`, `cbrt`, `exp` differ in their last bit between systems, and the standard
//! `f32::max` may return either of two zeros. The functions here use only `+ − × ÷ √`, compare and
//! select, and integer bit moves, which IEEE 754 defines to the bit.
//!
//! Guarantees: the same bits on every target, and no branch, so loops over them vectorise.
//! Limits:     no argument may be NaN: `max` and `min` would return the second argument.
//! Source:     own; the exponent trick for roots is folklore.

/// Returns the larger of two numbers, the second if they are equal.
#[inline(always)]
#[must_use]
pub fn max(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// Returns the smaller of two numbers, the second if they are equal.
#[inline(always)]
#[must_use]
pub fn min(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// Returns `x`, or 0 if its size is below [`FLOW_LEAST`]: a 0 is never −0, and the square of no
/// result is subnormal.
#[inline(always)]
#[must_use]
pub fn flush(x: f32) -> f32 {
    if x.abs() >= FLOW_LEAST { x } else { 0.0 }
}

/// The least discharge, m²/s, or velocity, m/s, that counts. In a step of a millisecond over cells
/// of ten metres, gravity makes a thousand times as much from a fall of one unit.
pub const FLOW_LEAST: f32 = 1.0 / 1_099_511_627_776.0;

/// Returns `x^(−1/3)` of a positive, normal `x`, within a relative error of 1.2·10⁻⁵.
///
/// A third of the exponent in the bit pattern, then two Newton steps without a division:
/// `y ← y·(4 − x·y³)/3`.
#[inline(always)]
#[must_use]
pub fn inverse_cube_root(x: f32) -> f32 {
    // bits / 3 as (bits / 4)·(1 + 1/4)·(1 + 1/16)·(1 + 1/256): every machine shifts and adds fast.
    let quarter = x.to_bits() >> 2;
    let third = quarter.wrapping_add(quarter >> 2);
    let third = third.wrapping_add(third >> 4);
    let third = third.wrapping_add(third >> 8);
    let mut y = f32::from_bits(INVERSE_CUBE_ROOT_SEED.wrapping_sub(third));
    let x_third = x * (1.0 / 3.0);
    // A step turns a relative error e into −2 e²: a few hundredths, then 0.25 %, then 1.2·10⁻⁵.
    for _ in 0..2 {
        y *= 4.0 / 3.0 - x_third * (y * y * y);
    }
    y
}

/// Seed of the Newton iteration: makes the first guess right within 3.6 %.
// 4/3 of the bits of 1.0 are 0x54aa_aaaa, with which first guesses are 0 to 8 % too large. The
// lower seed centres these errors around 0.
const INVERSE_CUBE_ROOT_SEED: u32 = 0x54a2_0000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverse_cube_root_matches_f64_from_film_to_ocean() {
        let mut worst = 0.0_f64;
        let mut x = 1.0e-8_f32;
        while x < 1.0e5 {
            let exact = 1.0 / f64::from(x).cbrt();
            worst = worst.max((f64::from(inverse_cube_root(x)) / exact - 1.0).abs());
            x *= 1.001;
        }
        assert!(worst < 1.2e-5, "relative error {worst:e}");
    }

    /// Goal: a flushed number is 0 with the bits of 0, and every number from the least on is
    /// unchanged. Method: both signs of zeros, subnormals, and numbers around the least.
    #[test]
    fn flush_leaves_no_subnormal_square_and_no_negative_zero() {
        let below = f32::from_bits(FLOW_LEAST.to_bits() - 1);
        for gone in [0.0, 1.0e-45, 1.0e-40, f32::MIN_POSITIVE, 1.0e-20, below] {
            assert_eq!([flush(gone), flush(-gone)].map(f32::to_bits), [0; 2], "{gone:e}");
        }
        for kept in [FLOW_LEAST, 1.0e-12, 1.0, f32::MAX, f32::INFINITY] {
            let bits = [flush(kept), flush(-kept)].map(f32::to_bits);
            assert_eq!(bits, [kept, -kept].map(f32::to_bits), "{kept:e}");
        }
        assert!((FLOW_LEAST * FLOW_LEAST).is_normal());
    }

    #[test]
    fn max_and_min_return_a_positive_zero_from_the_second_place() {
        assert_eq!(max(-0.0, 0.0).to_bits(), 0);
        assert_eq!(min(-0.0, 0.0).to_bits(), 0);
    }
}
