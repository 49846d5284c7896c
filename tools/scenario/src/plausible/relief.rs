//! The shape of the heights as a whole: their range, their neighbours, their top.

use std::path::Path;

use kit::words::{area, short};
use rasters::Grid;

use super::extremes::{Extreme, HeightsEnd};

/// Number of values of the sample, which may contain up to twice as many.
const SAMPLED: usize = 4096;
/// Relief of a map up to which its heights may be normalised, m.
const NORMALISED_M: f64 = 1.0;
/// Least side of a landscape, m: tanks in laboratories are smaller, and have flat floors.
const LANDSCAPE_M: f64 = 200.0;
/// Slope between neighbours, on average, from which heights are noise; and the part of the whole
/// range that neighbours differ by, on average.
const NOISE_SLOPE: f64 = 1.5;
const NOISE_PART: f64 = 0.05;
/// Fewest cells of a map whose noise can be judged.
const NOISE_CELLS: usize = 1000;
/// Relief in sides of the map from which its cells are too small: no mountain is so steep.
const STEEP: f64 = 4.0;
/// Cells of the highest height from which the ground looks cut off there: at least, part of all,
/// and ratio to the mean of the next lower heights.
const CUT_CELLS: usize = 100;
const CUT_PART: f64 = 0.002;
const CUT_TIMES: usize = 5;
/// Fewest cells of a rim.
const RIM_CELLS: usize = 100;
/// Least distance of the heights within a rim to the rim, in ranges of those heights: a coast or a
/// plain leads up to its rim.
const RIM_GAP: f64 = 0.02;

/// Distance of the next lower height to a cut, in ranges of all heights: slopes reach up to a cut,
/// and not to a roof.
const CUT_GAP: f64 = 0.02;

/// Kind of the samples of a file, as its ending shows; each kind has options of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SampleKind {
    /// Numbers without a header: their order of bytes and the range of heights are options.
    Raw,
    /// An SRTM tile: heights, whose order of bytes is an option.
    Tile,
    /// A picture: the range of heights is an option.
    Picture,
    /// Heights of a file that states how they are stored, as GeoTIFFs do.
    Heights,
}

impl SampleKind {
    fn of(path: &Path) -> Self {
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        match ending.as_str() {
            "r16" | "r32" | "raw" => Self::Raw,
            "hgt" => Self::Tile,
            "png" => Self::Picture,
            _ => Self::Heights,
        }
    }
}

/// Heights of a map as a whole.
#[derive(Debug, Default)]
pub(crate) struct MapRelief {
    /// Every `stride`-th height is in the sample.
    stride: usize,
    seen: usize,
    sample: Vec<f64>,
    rim: FlatRim,
    /// Sum of the differences between neighbours in a row, m, and their number.
    steps_m: f64,
    pairs: usize,
}

impl MapRelief {
    /// Counts the heights of a row; NaN is NoData.
    pub fn count(&mut self, heights: &[f64]) {
        self.rim.count(heights);
        self.stride = self.stride.max(1);
        for height in heights.iter().filter(|height| !height.is_nan()) {
            if self.seen.is_multiple_of(self.stride) {
                self.sample.push(*height);
            }
            self.seen += 1;
            if self.sample.len() == 2 * SAMPLED {
                let mut index = 0;
                self.sample.retain(|_| {
                    index += 1;
                    index % 2 == 1
                });
                self.stride *= 2;
            }
        }
        let steps = heights.windows(2).map(|pair| (pair[1] - pair[0]).abs());
        for step_m in steps.filter(|step| !step.is_nan()) {
            self.steps_m += step_m;
            self.pairs += 1;
        }
    }

    /// Returns the rim of the map.
    pub fn rim(&self) -> &FlatRim {
        &self.rim
    }

    /// Returns the range between the quartiles, m.
    pub fn quartiles_m(&self) -> f64 {
        let mut sample = self.sample.clone();
        sample.sort_by(f64::total_cmp);
        let at = |quarter: usize| sample.get(quarter * sample.len() / 4).copied().unwrap_or(0.0);
        at(3) - at(1)
    }

    /// Returns notes on heights of a file, on cells of a grid. `likely_m` are the lowest and the
    /// highest height that are not far from all the rest.
    pub fn notes(
        &self,
        likely_m: [f64; 2],
        ends: [&HeightsEnd; 2],
        (path, grid): (&Path, &Grid),
    ) -> Vec<String> {
        let [Some(low), Some(high)] = ends.map(HeightsEnd::first) else { return Vec::new() };
        let relief_m = likely_m[1] - likely_m[0];
        let (x_m, y_m) = grid.cell_m.unwrap_or((grid.step_x, grid.step_y));
        let side_m = side_m(grid, (x_m, y_m));
        let notes = [
            normalised(likely_m, side_m, SampleKind::of(path)),
            steep(relief_m, side_m),
            self.noise(high.height_m - low.height_m, x_m, SampleKind::of(path)),
            cut(ends[1].values(), &self.rim, (relief_m, self.seen), x_m * y_m)
                .filter(|_| side_m >= LANDSCAPE_M),
        ];
        notes.into_iter().flatten().collect()
    }

    #[expect(clippy::cast_precision_loss, reason = "a mean to three digits")]
    fn noise(&self, relief_m: f64, cell_m: f64, samples: SampleKind) -> Option<String> {
        let step_m = self.steps_m / self.pairs.max(1) as f64;
        let is_noise = self.pairs >= NOISE_CELLS
            && step_m > NOISE_SLOPE * cell_m
            && step_m > NOISE_PART * relief_m;
        let mend = match samples {
            SampleKind::Raw | SampleKind::Tile => "add --byte-order",
            SampleKind::Picture | SampleKind::Heights => "export the file again",
        };
        is_noise.then(|| {
            format!(
                "neighbouring cells differ by {} m on average, of {} m in all, which is noise and \
                 no ground: if the bytes of its samples are in the other order, {mend}",
                short(digits(step_m)),
                short(digits(relief_m))
            )
        })
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
fn side_m(grid: &Grid, (x_m, y_m): (f64, f64)) -> f64 {
    (grid.width as f64 * x_m).max(grid.height as f64 * y_m)
}

fn normalised([low_m, high_m]: [f64; 2], side_m: f64, samples: SampleKind) -> Option<String> {
    let relief_m = high_m - low_m;
    let is_small = relief_m > 0.0 && relief_m <= NORMALISED_M && side_m >= LANDSCAPE_M;
    is_small.then(|| {
        let side = short(side_m.round());
        let [low, high] = [low_m, high_m].map(|height| short((height * 1000.0).round() / 1000.0));
        let mend = match samples {
            SampleKind::Raw | SampleKind::Picture => "say --height-range LOW..HIGH".to_owned(),
            SampleKind::Tile | SampleKind::Heights => {
                let scale = format!("-scale {low} {high} LOW HIGH");
                format!("spread them with gdal_translate -ot Float32 {scale} in.tif out.tif")
            }
        };
        format!(
            "all heights lie from {low} to {high} m on a map of {side} m: if they are normalised, \
             {mend} with the heights in m that they are to span"
        )
    })
}

fn steep(relief_m: f64, side_m: f64) -> Option<String> {
    (relief_m > STEEP * side_m).then(|| {
        format!(
            "the heights span {} m on a map of {} m: its cells are larger if its coordinates are \
             degrees (--metres-per-degree auto), or of another unit (--map-cell)",
            short(digits(relief_m)),
            short(digits(side_m))
        )
    })
}

/// Returns a note that the tops of hills are missing.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
fn cut(
    highest: &[Extreme],
    rim: &FlatRim,
    (relief_m, cells): (f64, usize),
    cell_m2: f64,
) -> Option<String> {
    let [top, below, ..] = highest else { return None };
    // A rim around the map is no top of a hill.
    let top = Extreme { count: top.count - rim.cells_of(top.height_m).min(top.count), ..*top };
    let next = &highest[1..];
    let usual = next.iter().map(|extreme| extreme.count).sum::<usize>() / next.len();
    let is_cut = top.count >= CUT_CELLS
        && top.count as f64 >= CUT_PART * cells as f64
        && top.count >= CUT_TIMES * usual.max(1)
        && next.len() >= 3
        && top.height_m - below.height_m <= CUT_GAP * relief_m;
    is_cut.then(|| {
        let (height, area) = (short(top.height_m), area(top.count as f64 * cell_m2));
        format!(
            "{area} ({} cells) are exactly {height} m, the highest height, and slopes reach up to \
             it: the ground looks cut off there",
            top.count
        )
    })
}

/// Rounds to three digits.
fn digits(value: f64) -> f64 {
    let unit = 10.0_f64.powi(2 - decade(value));
    (value * unit).round() / unit
}

#[expect(clippy::cast_possible_truncation, reason = "exponents are small")]
fn decade(value: f64) -> i32 {
    value.abs().max(1.0e-9).log10().floor() as i32
}

/// Cells of one height around a map: all of the outermost rows and columns, and the cells that join
/// them.
#[derive(Debug, Default)]
pub(crate) struct FlatRim {
    height_m: Option<f64>,
    /// True as soon as an outermost cell has a different height, or no height.
    is_broken: bool,
    /// Cells of the rim so far, as seen from the west and the east.
    cells: usize,
    /// True if the row before is of the rim's height alone.
    is_closed: bool,
}

impl FlatRim {
    fn count(&mut self, heights: &[f64]) {
        let Some(first) = heights.first().filter(|_| !self.is_broken) else { return };
        let height_m = *self.height_m.get_or_insert(*first);
        let is_rim = |height: &&f64| height.total_cmp(&height_m).is_eq();
        let from_west = heights.iter().take_while(is_rim).count();
        let from_east = heights.iter().rev().take_while(is_rim).count();
        let is_first = self.cells == 0;
        self.is_closed = from_west == heights.len();
        self.is_broken =
            height_m.is_nan() || from_west == 0 || from_east == 0 || (is_first && !self.is_closed);
        self.cells += (from_west + from_east).min(heights.len());
    }

    /// Returns the number of cells of a rim of this height; 0 without such a rim.
    fn cells_of(&self, height_m: f64) -> usize {
        let is_whole = !self.is_broken && self.is_closed;
        let has_it = self.height_m.is_some_and(|own_m| own_m.total_cmp(&height_m).is_eq());
        if is_whole && has_it { self.cells } else { 0 }
    }

    /// Returns the extreme height of an end if all its cells are a rim far from the heights within,
    /// and the lowest and the highest height within, m.
    pub fn apart(&self, ends: [&HeightsEnd; 2]) -> Option<(Extreme, [f64; 2])> {
        let [low, high] = ends;
        let [lowest, highest] = [low.first()?, high.first()?];
        [(low, [None, Some(highest)]), (high, [Some(lowest), None])].into_iter().find_map(
            |(end, others)| {
                let rim = end.first()?;
                let next = end.values().get(1)?;
                let rest_m = others.map(|other| other.unwrap_or(*next).height_m);
                let cells = self.cells_of(rim.height_m);
                let gap_m = (rim.height_m - next.height_m).abs();
                let is_apart = cells >= RIM_CELLS
                    && cells == rim.count
                    && gap_m > RIM_GAP * (rest_m[1] - rest_m[0]);
                is_apart.then_some((rim, rest_m))
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns notes on a file of 80 × 80 cells of a width, whose heights a function gives.
    fn notes(file: &str, cell_m: f64, height: impl Fn(f64, f64) -> f64) -> String {
        let grid = Grid::metric((80, 80), (0.0, 0.0), cell_m);
        let (mut relief, mut low, mut high) =
            (MapRelief::default(), HeightsEnd::lowest(), HeightsEnd::highest());
        for y in 0..80_u8 {
            let row: Vec<f64> = (0..80_u8).map(|x| height(x.into(), y.into())).collect();
            relief.count(&row);
            for height in row {
                low.count(height, (0, 0));
                high.count(height, (0, 0));
            }
        }
        let ends_m = [&low, &high].map(|end| end.first().expect("heights").height_m);
        relief.notes(ends_m, [&low, &high], (Path::new(file), &grid)).join("; ")
    }

    /// Returns the height of hills with their bytes in the opposite order.
    fn swapped(x: f64, y: f64) -> f64 {
        let height = hills(x, y) * 300.0;
        (height % 256.0).floor() * 256.0 + (height / 256.0).floor()
    }

    fn hills(x: f64, y: f64) -> f64 {
        40.0 + 20.0 * (x / 9.0).sin() + 15.0 * (y / 11.0).cos()
    }

    /// Goal: a note advises an option only if the format takes it.
    #[test]
    fn advice_is_that_of_the_format() {
        let (order, range, scale) = ("--byte-order", "--height-range", "gdal_translate");
        for (file, of_noise, of_normalised) in [
            ("a.r16", order, range),
            ("a.RAW", order, range),
            ("a.hgt", order, scale),
            ("a.png", "export the file again", range),
            ("a.tif", "export the file again", scale),
            ("a.asc", "export the file again", scale),
        ] {
            let noise = notes(file, 10.0, swapped);
            let normalised = notes(file, 10.0, |x, y| hills(x, y) / 80.0);
            assert!(noise.contains(of_noise), "{file}: {noise}");
            assert!(normalised.contains(of_normalised), "{file}: {normalised}");
            let all = noise + &normalised;
            for option in [order, range] {
                let is_right = [of_noise, of_normalised].contains(&option);
                assert_eq!(all.contains(option), is_right, "{file}: {all}");
            }
        }
    }

    /// Goal: heights that no ground has are noted, and real ground is not.
    #[test]
    fn heights_that_no_ground_has_are_noted() {
        let roofs = |x: f64, y: f64| if x > 60.0 { 90.0 } else { hills(x, y) };
        type Heights<'a> = &'a dyn Fn(f64, f64) -> f64;
        let cases: [(&str, f64, Heights<'_>, &str); 9] = [
            ("hills", 10.0, &hills, ""),
            ("roofs", 10.0, &roofs, ""),
            ("a plane", 10.0, &|_, _| 7.0, ""),
            ("a tank", 0.01, &|x, _| x * 0.001, ""),
            ("normalised", 10.0, &|x, y| hills(x, y) / 80.0, "--height-range"),
            ("swapped bytes", 10.0, &swapped, "--byte-order"),
            ("degrees", 1.0e-3, &hills, "--metres-per-degree auto"),
            ("cut at 60 m", 10.0, &|x, y| hills(x, y).min(60.0), "are exactly 60 m"),
            ("a tank's floor", 0.1, &|x, y| 0.1 * hills(x, y).min(60.0), ""),
        ];
        for (name, cell_m, height, expected) in cases {
            let notes = notes("a.r16", cell_m, height);
            assert_eq!(notes.is_empty(), expected.is_empty(), "{name}: {notes}");
            assert!(notes.contains(expected), "{name}: {notes}");
        }
    }

    /// Goal: the rim around a map is no cut ground, and a cut on a map with a rim is.
    #[test]
    fn a_rim_is_no_cut() {
        let is_rim = |at: f64| !(4.0..76.0).contains(&at);
        let rimmed = |rim_m: f64, top_m: f64| {
            move |x: f64, y: f64| {
                if is_rim(x) || is_rim(y) { rim_m } else { hills(x, y).min(top_m) }
            }
        };
        for (rim_m, top_m, is_cut) in
            [(75.5, 90.0, false), (0.0, 90.0, false), (60.0, 60.0, true), (0.0, 60.0, true)]
        {
            let notes = notes("a.asc", 10.0, rimmed(rim_m, top_m));
            assert_eq!(notes.contains("looks cut off"), is_cut, "{rim_m} {top_m}: {notes}");
        }
        let broken = |x: f64, y: f64| if x > 70.0 { 75.5 } else { hills(x, y) };
        assert!(notes("a.asc", 10.0, broken).contains("looks cut off"), "one side is no rim");
    }

    #[test]
    fn quartiles_are_those_of_a_sample() {
        let mut relief = MapRelief::default();
        let row: Vec<f64> = (0..100_000).map(f64::from).collect();
        relief.count(&row);
        assert!((relief.quartiles_m() - 50_000.0).abs() < 100.0, "{}", relief.quartiles_m());
        assert!(relief.sample.len() <= 2 * SAMPLED);
    }
}
