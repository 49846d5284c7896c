//! Planes on fewer pixels than cells: the extreme of each block, and its paint.
//!
//! ```text
//! paint of a pixel = class of the mean of its drawn cells, or the class of water before the event
//!                    where that has more cells; and the part of its ground that both are
//! ```
//!
//! Drawn cells are at or above the first limit and had no water before the event; the class of
//! water before follows all classes of depth. So a pixel with a ditch through it is faintly blue,
//! and not as blue as the ditch.
//!
//! Guarantees: a block of dry cells has no paint; blocks of one cell have its class and all of it.

/// Longest side of a stored frame, cells.
const FRAME_SIDE_MAX: usize = 800;

/// Parts of a pixel that are distinguished. A paint is 0, or `class * PARTS + parts` with 1 to
/// [`PARTS`] parts.
pub const PARTS: u16 = 64;

/// Returns the factor by which frames of `width` × `height` cells are reduced.
#[must_use]
pub fn factor(width: usize, height: usize) -> usize {
    width.max(height).div_ceil(FRAME_SIDE_MAX).max(1)
}

/// Reduces a plane by a whole `factor`: each block of `factor × factor` cells (less at the east and
/// south side) becomes one, combined by `choose`; NaN counts only if the whole block is NaN.
///
/// # Panics
///
/// If `plane` does not have `width * height` values, or `factor` is 0.
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
pub(super) struct ReducedPixel {
    /// Sum of the values of its drawn cells, and their number.
    sum: f64,
    drawn: u32,
    /// Number of its cells with water before the event.
    before: u32,
    /// Number of its cells in the world.
    pub ground: u32,
}

impl ReducedPixel {
    /// Adds a cell that is drawn.
    pub fn draw(&mut self, value: f32) {
        self.sum += f64::from(value);
        self.drawn += 1;
    }

    /// Adds the cells of another part of the pixel, but for their ground.
    pub fn add(&mut self, other: &Self) {
        self.sum += other.sum;
        self.drawn += other.drawn;
        self.before += other.before;
    }
}

/// Paints blocks of `factor × factor` cells of a plane in the classes that begin at `limits`,
/// rising, and cells that `is_before` in the class after them; `bed` is NaN outside the world.
///
/// # Panics
///
/// If the planes do not have `width * height` values, or `factor` is 0.
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
    let mut pixels = vec![ReducedPixel::default(); columns * height.div_ceil(factor)];
    for (index, (&value, bed)) in plane.iter().zip(bed).enumerate() {
        let pixel = &mut pixels[index / width / factor * columns + index % width / factor];
        pixel.ground += u32::from(!bed.is_nan());
        if is_before(index) {
            pixel.before += 1;
        } else if value >= first {
            pixel.draw(value);
        }
    }
    pixels.iter().map(|pixel| paint(*pixel, limits)).collect()
}

/// Returns the paint of a pixel in the classes that begin at `limits`, rising.
pub(super) fn paint(
    ReducedPixel { sum, drawn, before, ground }: ReducedPixel,
    limits: &[f32],
) -> u16 {
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

    /// Goal: paint contains the part of the ground that is drawn.
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

    /// Goal: a pixel has the colour of the flood or of the water before it, by the greater number
    /// of cells, and covers the ground by the cells of both.
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
