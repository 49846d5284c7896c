//! A texture of ripples that repeats: four numbers for each texel, made from one seed.
//!
//! Red and green are the slope of the ripples east and north about ½, blue their height, alpha the
//! grain of foam. All are sums of gradient noise on lattices that close on themselves.

/// Texels along each side.
pub const SIDE: usize = 256;

/// Returns the texture's numbers, four for each texel.
#[must_use]
pub fn ripples() -> Vec<[f32; 4]> {
    let octaves = |at: [f64; 2], first: u32, count: u32, seed: u32| -> f64 {
        (0..count)
            .map(|octave| {
                let cells = first << octave;
                gradient(at.map(|v| v * f64::from(cells)), cells, seed + octave)
                    / f64::from(1_u32 << octave)
            })
            .sum()
    };
    let height = |at: [f64; 2]| octaves(at, 8, 4, 11);
    #[expect(clippy::cast_precision_loss, reason = "a texel's number")]
    let place = |index: usize| index as f64 / SIDE as f64;
    let mut texels = Vec::with_capacity(SIDE * SIDE);
    for (row, column) in (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| (y, x))) {
        let at = [place(column), place(row)];
        let step = 1.0 / 256.0;
        let slope = |axis: usize| {
            let shifted = |by: f64| {
                let mut at = at;
                at[axis] += by;
                height(at)
            };
            6.0 * (shifted(step) - shifted(-step))
        };
        let foam = octaves(at, 16, 4, 71);
        let numbers = [0.5 - slope(0), 0.5 - slope(1), 0.5 + 0.6 * height(at), 0.5 + 0.75 * foam];
        #[expect(clippy::cast_possible_truncation, reason = "a texture's numbers")]
        texels.push(numbers.map(|number| number as f32));
    }
    texels
}

/// Converts a number from 0 to 1 to a byte.
#[must_use]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to a byte")]
pub fn byte(value: f32) -> u8 {
    (value.clamp(0.0, 1.0) * 255.0).round() as u8
}

/// Returns gradient noise on a lattice of `cells`² that closes on itself, about −½ to ½.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "wrapped first")]
fn gradient(at: [f64; 2], cells: u32, seed: u32) -> f64 {
    let whole = at.map(f64::floor);
    let part = [at[0] - whole[0], at[1] - whole[1]];
    let corner = |dx: f64, dy: f64| {
        let wrap = |v: f64| v.rem_euclid(f64::from(cells)) as u32;
        let turn = hash(wrap(whole[0] + dx), wrap(whole[1] + dy), seed);
        let angle = f64::from(turn) / f64::from(u32::MAX) * std::f64::consts::TAU;
        (part[0] - dx) * angle.cos() + (part[1] - dy) * angle.sin()
    };
    let ease = part.map(|t| t * t * t * (t * (6.0 * t - 15.0) + 10.0));
    let mix = |a: f64, b: f64, t: f64| a + t * (b - a);
    let south = mix(corner(0.0, 0.0), corner(1.0, 0.0), ease[0]);
    let north = mix(corner(0.0, 1.0), corner(1.0, 1.0), ease[0]);
    mix(south, north, ease[1])
}

/// Mixes three numbers into one.
fn hash(x: u32, y: u32, seed: u32) -> u32 {
    let mut bits =
        x.wrapping_mul(0x9e37_79b1) ^ y.wrapping_mul(0x85eb_ca77) ^ seed.wrapping_mul(0xc2b2_ae3d);
    for shift in [15, 13, 16] {
        bits = (bits ^ (bits >> shift)).wrapping_mul(0x2c1b_3c6d);
    }
    bits ^ (bits >> 15)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ripples_close_on_themselves_and_use_the_range() {
        let bytes: Vec<u8> = ripples().as_flattened().iter().map(|number| byte(*number)).collect();
        let at = |x: usize, y: usize| i32::from(bytes[4 * (y * SIDE + x) + 2]);
        // The step over the seam is no larger than the largest inside.
        let inside = (0..SIDE).map(|y| (at(128, y) - at(129, y)).abs()).max();
        let seam = (0..SIDE).map(|y| (at(SIDE - 1, y) - at(0, y)).abs()).max();
        assert!(seam <= inside.map(|v| v + 12), "{seam:?} {inside:?}");
        let (low, high) = (bytes.iter().min(), bytes.iter().max());
        assert!(low < Some(&60) && high > Some(&195), "{low:?} {high:?}");
    }
}
