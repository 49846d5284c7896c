//! Frames: the depth at one moment, on as many pixels as are seen.
//!
//! A pixel covers `n × n` cells: it shows the deepest of them, and is [painted](super::painted) by
//! all of them. Cells under water are added in patches, which may be filled on several threads; dry
//! ground costs nothing.
//!
//! Guarantees: patches give the same frame in any order, as depths are whole multiples of a unit
//!             and their sums exact.

use std::ops::Range;

use super::reduction::{ReducedPixel, factor, paint};

/// Depth at one moment, on a grid reduced by a whole factor.
#[derive(Debug, Clone, PartialEq)]
pub struct DepthFrame {
    /// Simulated time, s.
    pub time_s: f64,
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Depth, m, row-major, northernmost row first; NaN outside the world.
    pub depth_m: Vec<f32>,
    /// Paint of each pixel if a pixel is more than a cell; else empty.
    pub paint: Vec<u16>,
}

/// The pixels that all frames of a run have, and the ground below them.
#[derive(Debug, Clone)]
pub struct FrameShape {
    factor: usize,
    columns: usize,
    /// Cells in the world of each pixel.
    ground: Vec<u32>,
    /// Depths at which the classes of painted frames begin, m.
    limits_m: Vec<f32>,
}

/// A rectangle of pixels that is being drawn.
#[derive(Debug)]
pub struct FramePatch {
    factor: usize,
    west: usize,
    north: usize,
    width: usize,
    first_m: f32,
    deepest_m: Vec<f32>,
    pixels: Vec<ReducedPixel>,
}

impl FrameShape {
    /// Returns the shape of frames of `width * height` cells on no more than 800 pixels a side,
    /// painted in the classes that begin at `limits_m`; `plane` is NaN outside the world
    /// (row-major, northernmost row first).
    ///
    /// # Panics
    ///
    /// If `plane` does not have `width * height` values.
    #[must_use]
    pub fn new((width, height): (usize, usize), plane: &[f32], limits_m: Vec<f32>) -> Self {
        assert_eq!(plane.len(), width * height, "{width} × {height} cells");
        let factor = factor(width, height);
        let columns = width.div_ceil(factor);
        let mut ground = vec![0; columns * height.div_ceil(factor)];
        for (row, cells) in plane.chunks(width.max(1)).enumerate() {
            let pixels = &mut ground[row / factor * columns..][..columns];
            for (pixel, cells) in pixels.iter_mut().zip(cells.chunks(factor)) {
                *pixel += cells.iter().map(|cell| u32::from(!cell.is_nan())).sum::<u32>();
            }
        }
        Self { factor, columns, ground, limits_m }
    }

    /// Returns the depth from which cells are painted, m.
    #[must_use]
    pub fn first_m(&self) -> f32 {
        self.limits_m.first().copied().unwrap_or(f32::INFINITY)
    }

    /// Returns the number of cells along a side of a pixel.
    #[must_use]
    pub fn factor(&self) -> usize {
        self.factor
    }

    /// Pixels over some columns and rows of cells (row 0 is the northernmost); all dry as yet.
    #[must_use]
    pub fn patch(&self, columns: Range<usize>, rows: Range<usize>) -> FramePatch {
        let [west, north] = [columns.start, rows.start].map(|at| at / self.factor);
        let [east, south] = [columns.end, rows.end].map(|at| at.div_ceil(self.factor));
        let (width, height) = (east - west, south - north);
        FramePatch {
            factor: self.factor,
            west,
            north,
            width,
            first_m: self.first_m(),
            deepest_m: vec![0.0; width * height],
            pixels: vec![
                ReducedPixel::default();
                if self.factor == 1 { 0 } else { width * height }
            ],
        }
    }

    /// Returns a frame with the content of the patches; the rest of the world is dry.
    ///
    /// # Panics
    ///
    /// If a patch is of frames of another shape.
    #[must_use]
    pub fn frame(&self, time_s: f64, patches: impl IntoIterator<Item = FramePatch>) -> DepthFrame {
        let height = self.ground.len() / self.columns.max(1);
        let mut depth_m: Vec<f32> =
            self.ground.iter().map(|cells| if *cells == 0 { f32::NAN } else { 0.0 }).collect();
        let mut pixels =
            vec![ReducedPixel::default(); if self.factor == 1 { 0 } else { depth_m.len() }];
        for patch in patches {
            for (row, drawn) in patch.deepest_m.chunks(patch.width.max(1)).enumerate() {
                let from = (patch.north + row) * self.columns + patch.west;
                for (depth, drawn) in depth_m[from..].iter_mut().zip(drawn) {
                    *depth = if depth.is_nan() { f32::NAN } else { depth.max(*drawn) };
                }
            }
            for (row, drawn) in patch.pixels.chunks(patch.width.max(1)).enumerate() {
                let from = (patch.north + row) * self.columns + patch.west;
                pixels[from..].iter_mut().zip(drawn).for_each(|(pixel, drawn)| pixel.add(drawn));
            }
        }
        let painted = pixels.into_iter().zip(&self.ground).map(|(mut pixel, ground)| {
            pixel.ground = *ground;
            paint(pixel, &self.limits_m)
        });
        DepthFrame { time_s, width: self.columns, height, paint: painted.collect(), depth_m }
    }
}

impl FramePatch {
    /// Adds a cell under water that is within the patch.
    pub fn add(&mut self, column: usize, row: usize, depth_m: f32) {
        let at = (row / self.factor - self.north) * self.width + column / self.factor - self.west;
        self.deepest_m[at] = self.deepest_m[at].max(depth_m);
        if self.factor > 1 && depth_m >= self.first_m {
            self.pixels[at].draw(depth_m);
        }
    }
}

impl DepthFrame {
    /// Returns the frame of a plane of depths, m (row-major, northernmost row first; NaN outside
    /// the world).
    ///
    /// # Panics
    ///
    /// If `depth_m` does not have `width * height` values.
    #[must_use]
    pub fn reduced(
        time_s: f64,
        (width, height): (usize, usize),
        depth_m: &[f32],
        limits_m: &[f32],
    ) -> Self {
        let shape = FrameShape::new((width, height), depth_m, limits_m.to_vec());
        let mut patch = shape.patch(0..width, 0..height);
        for (at, depth_m) in depth_m.iter().enumerate().filter(|(_, depth_m)| **depth_m > 0.0) {
            patch.add(at % width, at / width, *depth_m);
        }
        shape.frame(time_s, [patch])
    }
}

#[cfg(test)]
mod tests {
    use super::super::PARTS;
    use super::*;

    #[test]
    fn frame_keeps_the_deepest_cell_and_the_outside() {
        let (width, height) = (1601, 3);
        let mut depth = vec![f32::NAN; width * height];
        depth[0] = 1.0;
        depth[width + 2] = 3.0; // second row, third column: still in the first 3 × 3 block
        depth[2 * width + 1600] = 0.5;
        let frame = DepthFrame::reduced(60.0, (width, height), &depth, &[0.05, 1.0, 2.5]);
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
        let frame = DepthFrame::reduced(0.0, (3, 2), &depth, &[0.05]);
        assert_eq!((frame.width, frame.height), (3, 2));
        assert_eq!(frame.depth_m, depth);
        assert!(frame.paint.is_empty());
    }

    /// Goal: tiles that share pixels make the frame that the whole plane makes.
    #[test]
    fn patches_make_the_frame_of_the_whole() {
        let (width, height) = (1700, 90);
        let depth = |at: usize| [0.0, 0.25, 0.0625, 3.5, f32::NAN][at * at % 11 % 5];
        let plane: Vec<f32> = (0..width * height).map(depth).collect();
        let limits = vec![0.05, 0.5, 2.0];
        let whole = DepthFrame::reduced(1.0, (width, height), &plane, &limits);
        let shape = FrameShape::new((width, height), &plane, limits);
        let mut patches = Vec::new();
        for north in (0..height).step_by(64) {
            for west in (0..width).step_by(64) {
                let (east, south) = ((west + 64).min(width), (north + 64).min(height));
                let mut patch = shape.patch(west..east, north..south);
                for (column, row) in (north..south).flat_map(|y| (west..east).map(move |x| (x, y)))
                {
                    let depth_m = plane[row * width + column];
                    if depth_m > 0.0 {
                        patch.add(column, row, depth_m);
                    }
                }
                patches.push(patch);
            }
        }
        let made = shape.frame(1.0, patches.into_iter().rev());
        let bits =
            |frame: &DepthFrame| frame.depth_m.iter().map(|h| h.to_bits()).collect::<Vec<_>>();
        assert_eq!((bits(&made), made.paint), (bits(&whole), whole.paint));
    }
}
