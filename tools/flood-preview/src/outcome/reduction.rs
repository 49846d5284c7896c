//! Planes on fewer pixels than cells: the extreme of each block, and how it is painted.
//!
//! ```text
//! paint of a pixel = class of the mean of its drawn cells, or the class of water before the event
//!                    where that has more cells; and the part of its ground that both are
//! ```
//!
//! Drawn cells are those at or above the first limit without water before the event, whose class
//! follows all others. So a pixel with a ditch through it is faintly
//! blue, and not as blue as the ditch.
//!
//! Guarantees: a block of dry cells has no paint; blocks of one cell have its class and all of it.

/// Longest side of a stored frame, cells.
const FRAME_SIDE_MAX: usize = 800;

/// Parts of a pixel that are distinguished. A paint is 0, or `class * PARTS + parts` with 1 to
/// [`PARTS`] parts.
pub const PARTS: u16 = 64;

/// Depth at one moment, on a grid reduced by a whole factor.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// Simulated time, s.
    pub time_s: f64,
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Depth, m, row-major, northernmost row first; NaN outside the world.
    pub depth_m: Vec<f32>,
    /// How each pixel is painted where it is more than a cell; else empty.
    pub paint: Vec<u16>,
}

impl Frame {
    /// Reduces `depth_m` (`width * height`, row-major) until no side is longer than 800 cells: each
    /// cell of the frame is the deepest of the `n × n` cells it covers, painted in the classes that
    /// begin at `limits_m`.
    ///
    /// # Panics
    ///
    /// If `depth_m` does not hold `width * height` values.
    #[must_use]
    pub fn reduced(
        time_s: f64,
        (width, height): (usize, usize),
        depth_m: &[f32],
        limits_m: &[f32],
    ) -> Self {
        let factor = factor(width, height);
        let paint = match factor {
            1 => Vec::new(),
            _ => painted(depth_m, depth_m, (width, height), factor, limits_m, |_| false),
        };
        let depth_m = reduce(depth_m, width, height, factor, f32::max);
        let (width, height) = (width.div_ceil(factor), height.div_ceil(factor));
        Self { time_s, width, height, depth_m, paint }
    }
}

/// The factor by which frames of so many cells are reduced.
#[must_use]
pub fn factor(width: usize, height: usize) -> usize {
    width.max(height).div_ceil(FRAME_SIDE_MAX).max(1)
}

/// Reduces a plane by a whole `factor`: each block of `factor × factor` cells (less at the east and
/// south side) becomes one, combined by `choose`; NaN counts only where the whole block is NaN.
///
/// # Panics
///
/// If `plane` does not hold `width * height` values, or `factor` is 0.
#[must_use]
pub fn reduce(
    plane: &[f32],
    width: usize,
    height: usize,
    factor: usize,
    choose: impl Fn(f32, f32) -> f32,
) -> Vec<f32> {
    assert_eq!(plane.len(), width * height, "{width} × {height} cells");
    let reduced_width = width.div_ceil(factor);
    let mut reduced = vec![f32::NAN; reduced_width * height.div_ceil(factor)];
    for (y, row) in plane.chunks(width.max(1)).enumerate() {
        let start = y / factor * reduced_width;
        for (target, block) in reduced[start..].iter_mut().zip(row.chunks(factor)) {
            for &value in block {
                if target.is_nan() {
                    *target = value;
                } else if !value.is_nan() {
                    *target = choose(*target, value);
                }
            }
        }
    }
    reduced
}

/// Facts of a pixel.
#[derive(Debug, Clone, Copy, Default)]
struct Pixel {
    /// Sum and number of its drawn cells.
    sum: f64,
    drawn: u32,
    /// Number of its cells with water before the event.
    before: u32,
    /// Number of its cells in the world.
    ground: u32,
}

/// Paints blocks of `factor × factor` cells of a plane in the classes that begin at `limits`,
/// rising, and cells that `is_before` in the class after them; `bed` is NaN outside the world.
///
/// # Panics
///
/// If the planes do not hold `width * height` values, or `factor` is 0.
#[must_use]
pub fn painted(
    plane: &[f32],
    bed: &[f32],
    (width, height): (usize, usize),
    factor: usize,
    limits: &[f32],
    is_before: impl Fn(usize) -> bool,
) -> Vec<u16> {
    assert_eq!(plane.len(), width * height, "{width} × {height} cells");
    assert_eq!(plane.len(), bed.len(), "{width} × {height} cells");
    let first = limits.first().copied().unwrap_or(f32::INFINITY);
    let columns = width.div_ceil(factor);
    let mut pixels = vec![Pixel::default(); columns * height.div_ceil(factor)];
    for (index, (&value, bed)) in plane.iter().zip(bed).enumerate() {
        let pixel = &mut pixels[index / width / factor * columns + index % width / factor];
        pixel.ground += u32::from(!bed.is_nan());
        if is_before(index) {
            pixel.before += 1;
        } else if value >= first {
            pixel.sum += f64::from(value);
            pixel.drawn += 1;
        }
    }
    pixels.iter().map(|pixel| paint(*pixel, limits)).collect()
}

fn paint(Pixel { sum, drawn, before, ground }: Pixel, limits: &[f32]) -> u16 {
    let wet = drawn + before;
    if wet == 0 {
        return 0;
    }
    let class = if before > drawn {
        limits.len()
    } else {
        let mean = sum / f64::from(drawn);
        let above = limits.iter().filter(|&&limit| mean >= f64::from(limit)).count();
        above.saturating_sub(1)
    };
    let class = u16::try_from(class).unwrap_or(0);
    let parts = (u32::from(PARTS) * wet).div_ceil(ground.max(wet));
    class * PARTS + u16::try_from(parts).unwrap_or(PARTS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frame_keeps_the_deepest_cell_and_the_outside() {
        let (width, height) = (1601, 3);
        let mut depth = vec![f32::NAN; width * height];
        depth[0] = 1.0;
        depth[width + 2] = 3.0; // second row, third column: still in the first 3 × 3 block
        depth[2 * width + 1600] = 0.5;
        let frame = Frame::reduced(60.0, (width, height), &depth, &[0.05, 1.0, 2.5]);
        assert_eq!((frame.width, frame.height), (534, 1));
        assert_eq!(frame.depth_m[0].to_bits(), 3.0_f32.to_bits());
        assert_eq!(frame.depth_m[533].to_bits(), 0.5_f32.to_bits());
        assert!(frame.depth_m[1..533].iter().all(|depth| depth.is_nan()));
        // The mean of its two is 2 m; all the ground it has is wet.
        assert_eq!((frame.paint[0], frame.paint[1]), (PARTS + PARTS, 0));
    }

    #[test]
    fn a_small_frame_is_kept_as_it_is() {
        let depth = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0];
        let frame = Frame::reduced(0.0, (3, 2), &depth, &[0.05]);
        assert_eq!((frame.width, frame.height), (3, 2));
        assert_eq!(frame.depth_m, depth);
        assert!(frame.paint.is_empty());
    }

    /// Goal: paint says what part of the ground is drawn.
    #[test]
    fn a_pixel_is_painted_as_far_as_it_is_wet() {
        let limits = [0.05, 0.5];
        let (bed, film) = ([0.0; 100], 0.01);
        for wet in [0, 1, 5, 50, 100] {
            let plane: Vec<f32> = (0..100).map(|i| if i < wet { 0.6 } else { film }).collect();
            let paint = painted(&plane, &bed, (10, 10), 10, &limits, |_| false);
            let parts = (f64::from(PARTS) * f64::from(wet) / 100.0).ceil();
            let expected = if wet == 0 { 0.0 } else { f64::from(PARTS) + parts };
            assert!((f64::from(paint[0]) - expected).abs() < 0.5, "{wet}: {paint:?}");
        }
        // One cell a pixel: the class, and all of it.
        let plane = [0.01, 0.05, f32::NAN, 9.0];
        let paint = painted(&plane, &[0.0; 4], (4, 1), 1, &limits, |_| false);
        assert_eq!(paint, [0, PARTS, 0, PARTS + PARTS]);
    }

    /// Goal: a pixel has the colour of the flood or of the water before it, whichever has more
    /// cells, and covers the ground as far as both do.
    #[test]
    fn a_pixel_is_painted_as_the_most_of_its_water() {
        let (limits, bed) = ([0.05, 0.5], [0.0; 4]);
        for (name, plane, before, class, parts) in [
            ("mostly before", [0.6, 0.6, 0.6, 0.01], 2, 2, 48),
            ("mostly flooded", [0.6, 0.6, 0.6, 0.01], 1, 1, 48),
            ("as much of both", [0.6, 0.6, 0.01, 0.01], 1, 1, 32),
            ("before alone", [9.0, 9.0, 9.0, 9.0], 4, 2, 64),
        ] {
            let paint = painted(&plane, &bed, (2, 2), 2, &limits, |cell| cell < before);
            assert_eq!(paint, [class * PARTS + parts], "{name}");
        }
        // One cell a pixel.
        let paint = painted(&[0.6, 0.6], &[0.0; 2], (2, 1), 1, &limits, |cell| cell == 0);
        assert_eq!(paint, [2 * PARTS + PARTS, PARTS + PARTS]);
    }
}
