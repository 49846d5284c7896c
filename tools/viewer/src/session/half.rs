//! Half-precision numbers, as graphics cards read them.

/// Returns the bits of the nearest half-precision number, even on a tie; infinite beyond ±65504.
#[must_use]
pub fn half(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    let size = bits & 0x7fff_ffff;
    if size > 0x7f80_0000 {
        return sign | 0x7e00;
    }
    // 2⁻¹⁴ is the smallest normal number: below it the step is 2⁻²⁴.
    if size < 0x3880_0000 {
        let steps = f32::from_bits(size) * 16_777_216.0;
        return sign | nearest(steps);
    }
    // From 13 bits of 23 to the nearest of 10, the exponent's offset from 127 to 15.
    let odd = size >> 13 & 1;
    let rounded = (size - (112 << 23) + 0x0fff + odd) >> 13;
    sign | rounded.min(0x7c00) as u16
}

/// Returns the number of these bits.
#[must_use]
pub fn whole(bits: u16) -> f32 {
    let sign = u32::from(bits & 0x8000) << 16;
    let size = u32::from(bits & 0x7fff);
    let value = match size {
        0..0x0400 => f32::from(bits & 0x03ff) / 16_777_216.0,
        0x7c00.. => f32::from_bits(0x7f80_0000 | (size & 0x03ff) << 13),
        _ => f32::from_bits((size << 13) + (112 << 23)),
    };
    f32::from_bits(value.to_bits() | sign)
}

/// Rounds a number from 0 to 1024 to the nearest whole one, the even one of two.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 1024")]
fn nearest(steps: f32) -> u16 {
    steps.round_ties_even() as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the number that such bits represent.
    fn number(bits: u16) -> f32 {
        let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
        let (exponent, part) = (i32::from(bits >> 10 & 31), f32::from(bits & 1023) / 1024.0);
        sign * match exponent {
            0 => part * 2.0_f32.powi(-14),
            31 => f32::INFINITY,
            _ => (1.0 + part) * 2.0_f32.powi(exponent - 15),
        }
    }

    #[test]
    fn all_halves_come_back() {
        for bits in (0..=u16::MAX).filter(|bits| bits >> 10 & 31 < 31) {
            assert_eq!(half(number(bits)), bits, "{bits:#x}");
        }
    }

    #[test]
    fn others_go_to_the_nearest() {
        for value in [0.1_f32, 3.17159, -1.0e-3, 1.0e-6, 4.0e-8, 4097.3, 65_503.0, -0.33] {
            let bits = half(value);
            let error = (number(bits) - value).abs();
            for other in [bits - 1, bits + 1] {
                let other_error = (number(other) - value).abs();
                assert!(error <= other_error, "{value}: {bits:#x} {other:#x}");
            }
        }
        assert_eq!((half(1.0e9), half(-1.0e9)), (0x7c00, 0xfc00));
        assert_eq!((half(2049.0), half(2051.0)), (half(2048.0), half(2052.0)));
        assert_eq!(half(f32::NAN) & 0x7e00, 0x7e00);
    }
}
