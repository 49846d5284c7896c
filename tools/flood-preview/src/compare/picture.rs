//! The difference in depth as a picture to hand round: classes over the shaded ground, with
//! heading, legend, north arrow, scale bar and gauges.
//!
//! ```text
//! limits of classes = wet depth × 0.2, 2, 10, 20       by default 1, 10, 50 cm and 1 m
//! ```
//!
//! Ground that either run flooded has a colour. Newly flooded ground is red-violet all over, ground
//! that is no longer flooded is striped in green, at every depth: they differ by texture as well as
//! by colour. A pixel of many cells has the class of most of them, with the mean of their
//! differences, and covers the ground in proportion to the cells that have a class.
//!
//! Source:     colours searched for, so that in sun and in shade each is nearest to its own in the
//!             legend, to colour-blind eyes too, by the measure of the tests of `output::scale`.

use kit::picture::colours::PictureColour;
use rasters::Grid;

use super::difference::{RunComparison, RunDifference};
use super::extent::FloodChange;
use super::figures::FigureKind;
use super::reading::{ResultState, RunResults};
use super::words;
use crate::output::canvas::{MapCanvas, pixels};
use crate::output::map::{Zoom, is_striped, shaded};
use crate::output::relief::PlacedRelief;
use crate::output::sheet::{self, Legend, SheetFrame};
use crate::output::wording;

/// File of the picture, without number and ending.
pub const STEM: &str = "difference_max_depth";
/// Heading of the picture.
pub const TITLE: &str = "Difference of maximum depth";

/// Height of the panel, so that a flat map has room for its legend.
const PANEL_HEIGHT: i32 = 560;
/// Brightness of ground without a relief.
const FLAT: f32 = 1.0;

/// Limits of the classes, in wet depths.
const LIMITS: [f64; 4] = [0.2, 2.0, 10.0, 20.0];
/// Colours of deeper and of shallower water, from the least difference to the largest.
const DEEPER: [PictureColour; 4] = [[251, 228, 131], [237, 157, 56], [236, 108, 55], [149, 16, 1]];
const SHALLOWER: [PictureColour; 4] =
    [[176, 240, 255], [137, 196, 255], [34, 122, 198], [39, 35, 109]];
/// Colour of flooded ground with less than the least difference.
const SAME: PictureColour = [187, 209, 179];
const NEW: PictureColour = [165, 0, 122];
const GONE: PictureColour = [0, 127, 85];

/// Class of a pixel, as a place in the legend.
const KEY_NEW: usize = 0;
const KEY_GONE: usize = 1;
/// Classes of ground that both flooded, from the deepest difference to the shallowest.
const KEY_BOTH: usize = 2;

/// A picture of a comparison.
#[derive(Debug)]
pub struct DifferencePicture<'a> {
    /// The reference and the run.
    pub runs: [&'a RunResults; 2],
    /// Differences that are drawn.
    pub difference: &'a RunDifference,
    /// Counts of them.
    pub comparison: RunComparison,
    /// The ground below, if available.
    pub relief: &'a Option<PlacedRelief>,
}

/// Cells of a pixel.
#[derive(Debug, Clone, Copy, Default)]
struct DifferencePixel {
    new: u32,
    gone: u32,
    both: u32,
    all: u32,
    /// Sum of the differences of cells that both flooded, m.
    sum: f64,
}

impl DifferencePicture<'_> {
    /// Draws the picture.
    #[must_use]
    pub fn draw(&self) -> MapCanvas {
        let [reference, run] = self.runs;
        let grid = &reference.grid;
        let zoom = Zoom::of(grid.width, grid.height);
        let is_whole = self.runs.iter().all(|run| run.state() == ResultState::Whole);
        let cells = grid.cell_m.map(|(cell, _)| format!("cells of {}", wording::length(cell)));
        let frame = SheetFrame {
            heading: TITLE,
            title: &format!("{} compared with {}", run.name, reference.name),
            warning: (!is_whole).then_some("Of a run that is not whole"),
            footer: cells.into_iter().collect(),
            panel_height: PANEL_HEIGHT,
            grid,
            zoom,
        };
        let mut sheet = frame.draw();
        self.draw_map(&mut sheet.canvas, sheet.map, zoom);
        let gauges = self.gauges(&sheet, zoom);
        let mut names = sheet.names(&gauges);
        sheet.mark_gauges(&mut names, &gauges);
        self.draw_legend(&mut sheet, zoom);
        sheet.canvas
    }

    fn draw_map(&self, canvas: &mut MapCanvas, (left, top): (i32, i32), zoom: Zoom) {
        let grid = &self.runs[0].grid;
        let limits = limits_m(self.runs[0]);
        let columns = grid.width.div_ceil(zoom.reduce);
        let blocks = self.blocks(zoom.reduce);
        for row in 0..zoom.pixels(grid.height) {
            for column in 0..zoom.pixels(grid.width) {
                let (x, y) = (left + pixels(column), top + pixels(row));
                let brightness = self.brightness(zoom, (column, row));
                canvas.blend(x, y, shaded(brightness, None), 255);
                let block = &blocks[row / zoom.enlarge * columns + column / zoom.enlarge];
                let Some((key, cover)) = block.paint(&limits) else { continue };
                if key == KEY_GONE && !is_striped(x - left, y - top) {
                    continue;
                }
                canvas.blend(x, y, shaded(brightness, Some(colour(key))), cover);
            }
        }
    }

    /// Brightness of the ground at a pixel.
    #[expect(clippy::cast_precision_loss, reason = "pixels are few")]
    fn brightness(&self, zoom: Zoom, (column, row): (usize, usize)) -> f32 {
        let Some(relief) = self.relief else { return FLAT };
        let grid = &self.runs[0].grid;
        let cells = |pixel: usize| (pixel as f64 + 0.5) * zoom.reduce as f64 / zoom.enlarge as f64;
        let [x, y] = [cells(column), cells(row)];
        relief.at(grid.west + x * grid.step_x, grid.north - y * grid.step_y)
    }

    /// Counts of blocks of `factor × factor` cells.
    fn blocks(&self, factor: usize) -> Vec<DifferencePixel> {
        let Grid { width, height, .. } = self.runs[0].grid;
        let columns = width.div_ceil(factor);
        let mut blocks = vec![DifferencePixel::default(); columns * height.div_ceil(factor)];
        let RunDifference { depth_m, flooded } = self.difference;
        for (cell, (state, depth_m)) in flooded.iter().zip(depth_m).enumerate() {
            let block = &mut blocks[cell / width / factor * columns + cell % width / factor];
            block.all += 1;
            match state {
                FloodChange::Neither => {}
                FloodChange::New => block.new += 1,
                FloodChange::Gone => block.gone += 1,
                FloodChange::Both | FloodChange::Before => {
                    block.both += 1;
                    block.sum += if depth_m.is_nan() { 0.0 } else { f64::from(*depth_m) };
                }
            }
        }
        blocks
    }

    fn draw_legend(&self, sheet: &mut sheet::MapSheet, zoom: Zoom) {
        let [reference, _] = self.runs;
        let mut drawn = Legend::begin(sheet, "Maximum depth");
        for LegendKey { colour, is_striped, label } in legend(reference) {
            drawn.key(colour, is_striped, &label);
        }
        let area = |cells: usize| words::value(FigureKind::Area, reference.area_m2(cells));
        let extent = self.comparison.extent;
        let mut remark =
            format!("Newly flooded: {}. No longer: {}.", area(extent.new), area(extent.gone));
        if zoom.reduce > 1 {
            remark += " A pixel is many cells: it has the class of most of them, and is the paler, \
                       the fewer they are.";
        }
        drawn.remark(&remark);
    }

    /// Returns the names and places of the gauges of both runs, pixels.
    fn gauges(&self, sheet: &sheet::MapSheet, zoom: Zoom) -> Vec<(String, [i32; 2])> {
        let grid = &self.runs[0].grid;
        let mut gauges: Vec<(String, [i32; 2])> = Vec::new();
        for (name, gauge) in self.runs.iter().flat_map(|run| run.listed("gauges")) {
            let at = |index: usize| gauge["at"][index].as_f64();
            let cell = at(0).zip(at(1)).and_then(|(x, y)| grid.cell_at(x, y));
            let Some(cell) = cell else { continue };
            let place = sheet.place(zoom, cell);
            if !gauges.iter().any(|known| known.0 == name && known.1 == place) {
                gauges.push((name, place));
            }
        }
        gauges
    }
}

impl DifferencePixel {
    /// Returns the class's place in the legend, and its cover, of 255; `None` for dry ground.
    fn paint(&self, limits_m: &[f64; 4]) -> Option<(usize, u8)> {
        let Self { new, gone, both, all, sum } = *self;
        let wet = new + gone + both;
        if wet == 0 {
            return None;
        }
        let key = if both >= new.max(gone) {
            KEY_BOTH + class(sum / f64::from(both), limits_m)
        } else if new >= gone {
            KEY_NEW
        } else {
            KEY_GONE
        };
        let cover = u8::try_from((255 * u64::from(wet)).div_ceil(u64::from(all)));
        Some((key, cover.unwrap_or(u8::MAX)))
    }
}

/// Class of a difference: 0 is the largest rise, 4 no difference, 8 the largest fall.
fn class(difference_m: f64, limits_m: &[f64; 4]) -> usize {
    let above = limits_m.iter().filter(|limit| difference_m.abs() >= **limit).count();
    if difference_m > 0.0 { 4 - above } else { 4 + above }
}

/// Returns the colour of a place in the legend.
fn colour(key: usize) -> PictureColour {
    match key {
        KEY_NEW => NEW,
        KEY_GONE => GONE,
        _ => match key - KEY_BOTH {
            class @ 0..4 => DEEPER[3 - class],
            4 => SAME,
            class => SHALLOWER[class - 5],
        },
    }
}

/// Returns the limits of the classes for runs with the wet depth of this one, m.
fn limits_m(reference: &RunResults) -> [f64; 4] {
    LIMITS.map(|limit| limit * reference.wet_depth_m())
}

/// A key of the legend.
#[derive(Debug, Clone, PartialEq)]
pub struct LegendKey {
    /// Colour on the map.
    pub colour: PictureColour,
    /// True if the ground is seen between stripes of it.
    pub is_striped: bool,
    /// Text beside it.
    pub label: String,
}

/// Returns the legend of pictures with this reference.
#[must_use]
pub fn legend(reference: &RunResults) -> Vec<LegendKey> {
    let labels = labels(&limits_m(reference)).into_iter().enumerate();
    labels
        .map(|(key, label)| LegendKey { colour: colour(key), is_striped: key == KEY_GONE, label })
        .collect()
}

/// Returns the texts of the legend, in its order.
fn labels(limits_m: &[f64; 4]) -> Vec<String> {
    #[expect(clippy::cast_possible_truncation, reason = "for reading")]
    let limits = limits_m.map(|limit| limit as f32);
    let span = |class: usize| wording::depth_span(limits[class], limits.get(class + 1).copied());
    let mut labels = vec!["Newly flooded".to_owned(), "No longer flooded".to_owned()];
    labels.extend((0..4).rev().map(|class| format!("{} deeper", span(class))));
    labels.push(format!("Less than {} apart", wording::depth(limits_m[0])));
    labels.extend((0..4).map(|class| format!("{} shallower", span(class))));
    labels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_finds_its_class() {
        let limits = LIMITS.map(|limit| limit * 0.05);
        let labels = labels(&limits);
        for (difference_m, label) in [
            (1.5, "> 1 m deeper"),
            (0.6, "0.5 – 1 m deeper"),
            (0.02, "1 – 10 cm deeper"),
            (0.009, "Less than 1 cm apart"),
            (0.0, "Less than 1 cm apart"),
            (-0.009, "Less than 1 cm apart"),
            (-0.2, "10 – 50 cm shallower"),
            (-3.0, "> 1 m shallower"),
        ] {
            let key = KEY_BOTH + class(difference_m, &limits);
            assert_eq!(labels[key], label, "{difference_m}");
        }
        assert_eq!(labels.len(), KEY_BOTH + 9);
    }

    #[test]
    fn a_pixel_has_the_class_of_most_of_its_cells() {
        let limits = LIMITS.map(|limit| limit * 0.05);
        let pixel = |new, gone, both, sum| DifferencePixel { new, gone, both, all: 4, sum };
        for (pixel, expected) in [
            (pixel(0, 0, 0, 0.0), None),
            (pixel(2, 1, 0, 0.0), Some((KEY_NEW, 192))),
            (pixel(0, 1, 0, 0.0), Some((KEY_GONE, 64))),
            (pixel(0, 0, 4, 8.0), Some((KEY_BOTH, 255))),
            (pixel(1, 0, 1, -0.02), Some((KEY_BOTH + 5, 128))),
        ] {
            assert_eq!(pixel.paint(&limits), expected, "{pixel:?}");
        }
    }
}
