//! Backdrop of the maps: a picture of the user's below the water, or shapes with their names.
//!
//! A picture is stored as means over the pixels of the largest map that is drawn, on white paper
//! and paler by a third, so that the water is easy to see, in 32 steps a channel: a page of
//! photographs is half as large.
//!
//! Guarantees: a picture has 1600 pixels a side at most, shapes 60,000 points at most; a backdrop
//!             meets the map, and names no reference system but the map's.

use std::path::{Path, PathBuf};

use kit::error::UserError;
use kit::interrupt;
use rasters::{Colours, Grid, Hints, HorizontalUnit, quoted};

use super::field::{check_place, refusal};
use super::map::{MapPlan, bounds, extent};
use crate::shapes::{MapShape, ShapeKind, Shapes};
use crate::text_table::text_of;

/// Name of the file in errors.
const WHAT: &str = "backdrop";
/// Longest side of a stored picture, pixels.
const SIDE_MAX: f64 = 1600.0;
/// Part of a picture's colours that is kept; the rest is white.
const STRENGTH: f64 = 0.65;
/// Steps of a channel from one colour to the next; white stays white.
const STEP: f64 = 8.0;
/// Points of shapes from which on they are thinned.
const POINTS_MAX: usize = 60_000;

/// Backdrop of the maps.
#[derive(Debug, Clone, PartialEq)]
pub struct Backdrop {
    /// The file.
    pub path: PathBuf,
    /// Content of the file.
    pub content: BackdropContent,
}

/// Content of a backdrop.
#[derive(Debug, Clone, PartialEq)]
pub enum BackdropContent {
    /// Colours below the water.
    Picture(BackdropPicture),
    /// Shapes over the water.
    Shapes(Vec<MapShape>),
}

/// Colours over the map; white where the file has none.
#[derive(Debug, Clone, PartialEq)]
pub struct BackdropPicture {
    columns: usize,
    rows: usize,
    /// Outer north-west corner, in the map's coordinates.
    corner: [f64; 2],
    /// Width and height of a pixel in these.
    step: [f64; 2],
    /// Red, green and blue, northernmost row first.
    pixels: Vec<[u8; 3]>,
}

pub(super) fn resolve(
    path: Option<&Path>,
    map: &MapPlan,
    notes: &mut Vec<String>,
) -> Result<Option<Backdrop>, UserError> {
    let Some(path) = path else { return Ok(None) };
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let content = match ending.as_str() {
        "geojson" | "json" => BackdropContent::Shapes(shapes(path, map, notes)?),
        "shp" | "gpkg" | "kml" | "gml" | "dxf" | "fgb" => {
            return Err(UserError::new(
                format!("the {WHAT} {} is no file of shapes that can be read", path.display()),
                format!(
                    "convert it with ogr2ogr -f GeoJSON {} {}",
                    quoted(path.with_extension("geojson").as_os_str()),
                    quoted(path.as_os_str())
                ),
            ));
        }
        _ => BackdropContent::Picture(BackdropPicture::read(path, map)?),
    };
    Ok(Some(Backdrop { path: path.to_owned(), content }))
}

/// Returns the shapes of a file that meet the map, without points that no map can show.
fn shapes(path: &Path, map: &MapPlan, notes: &mut Vec<String>) -> Result<Vec<MapShape>, UserError> {
    let mut assumed = Vec::new();
    let text = text_of(path, WHAT, &mut assumed)?;
    notes.extend(assumed.into_iter().map(|note| format!("{}: {note}", path.display())));
    let shapes = Shapes::parse(&text)
        .map_err(|what| UserError::from_sentence(format!("{}: {what}", path.display())))?;
    let world = &map.world;
    if let (Some(named), Some(of_map)) = (shapes.system, &world.crs)
        && let Some(own) = named.other_than(of_map)
    {
        return Err(UserError::new(
            format!("the {WHAT} {} is in {own}, the map in {of_map}", path.display()),
            "reproject it to that of the map (ogr2ogr -t_srs)",
        ));
    }
    let sides = bounds(world);
    let (west, east, south, north) = sides;
    let meets = |shape: &MapShape| {
        let [x, y] = [0, 1].map(|axis| {
            let along = || shape.path.iter().map(move |at| at[axis]);
            (along().fold(f64::INFINITY, f64::min), along().fold(f64::NEG_INFINITY, f64::max))
        });
        x.0 <= east && x.1 >= west && y.0 <= north && y.1 >= south
    };
    let mut kept: Vec<MapShape> = shapes.all.into_iter().filter(meets).collect();
    if kept.is_empty() {
        return Err(UserError::new(
            format!("no shape of the {WHAT} {} meets the map, {}", path.display(), extent(world)),
            "give it in the map's coordinates (ogr2ogr -t_srs); GeoJSON often has degrees",
        ));
    }
    let too_many = |kept: &[MapShape]| {
        let what = format!("the {WHAT} {} has {} shapes here", path.display(), kept.len());
        UserError::new(what, format!("choose fewer: they may have {POINTS_MAX} points in all"))
    };
    let widest = (east - west).max(north - south);
    let mut apart = widest / (4.0 * SIDE_MAX);
    while kept.iter().map(|shape| shape.path.len()).sum::<usize>() > POINTS_MAX {
        // Points and ends of lines stay: many shapes cannot be thinned enough.
        if kept.len() > POINTS_MAX || apart > widest {
            return Err(too_many(&kept));
        }
        interrupt::check()?;
        kept.iter_mut().for_each(|shape| thin(shape, apart));
        kept.retain(|shape| shape.kind == ShapeKind::Point || shape.path.len() > 1);
        apart *= 2.0;
    }
    Ok(kept)
}

/// Removes points of a line that are nearer than `apart` to the one before; ends stay.
fn thin(shape: &mut MapShape, apart: f64) {
    let end = shape.path.len().saturating_sub(1);
    let mut from = shape.path.first().copied().unwrap_or_default();
    let mut index = 0;
    shape.path.retain(|at| {
        let is_end = index == 0 || index == end;
        let is_kept = is_end || (at[0] - from[0]).hypot(at[1] - from[1]) >= apart;
        index += 1;
        from = if is_kept { *at } else { from };
        is_kept
    });
}

impl BackdropPicture {
    fn read(path: &Path, map: &MapPlan) -> Result<Self, UserError> {
        let own_m = Some((map.input.step_x, map.input.step_y));
        let is_known = !matches!(map.input.unit, HorizontalUnit::Unknown | HorizontalUnit::Degree);
        let is_placed = is_known || map.hints.cell_m == own_m;
        let hints = Hints {
            cell_m: map.hints.cell_m.filter(|_| !is_placed),
            metres_per_degree: map.hints.metres_per_degree,
            ..Hints::default()
        };
        let refused = |error| refusal(WHAT, error);
        let mut colours = Colours::open(path, &hints).map_err(refused)?;
        check_place(path, WHAT, colours.grid(), &map.world)?;
        let grid = colours.grid().clone();
        let mut sums = ColourSums::over(&map.world, &grid);
        let mut row = vec![[0; 4]; grid.width];
        for index in 0..grid.height {
            interrupt::check()?;
            colours.next_row(&mut row).map_err(refused)?;
            sums.add(index, &row);
        }
        Ok(sums.picture())
    }

    /// Returns the mean colour of the pixels in a rectangle from its north-west corner on, in the
    /// map's coordinates: of the pixels whose middle it contains, else of the one below its own
    /// middle.
    #[must_use]
    pub fn mean(&self, [x, y]: [f64; 2], [width, height]: [f64; 2]) -> [u8; 3] {
        let place = |from: f64, to: f64, axis: usize, count: usize| {
            let sign = [1.0, -1.0][axis];
            let at = |end: f64| sign * (end - self.corner[axis]) / self.step[axis];
            span([at(from), at(to)], count)
        };
        let columns = place(x, x + width, 0, self.columns);
        let rows = place(y, y - height, 1, self.rows);
        let mut sum = [0_u32; 3];
        let count = u32::try_from(columns.len() * rows.len()).unwrap_or(u32::MAX).max(1);
        for row in rows {
            for pixel in &self.pixels[row * self.columns..][columns.clone()] {
                sum.iter_mut().zip(pixel).for_each(|(sum, part)| *sum += u32::from(*part));
            }
        }
        sum.map(|sum| u8::try_from((sum + count / 2) / count).unwrap_or(u8::MAX))
    }
}

/// Returns the places with middles between two positions, or the one that contains the middle of
/// these.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "bounded by 0 and count"
)]
fn span([from, to]: [f64; 2], count: usize) -> std::ops::Range<usize> {
    let whole = |at: f64| at.clamp(0.0, count as f64) as usize;
    let (first, end) = (whole((from - 0.5).ceil()), whole((to - 0.5).ceil()));
    if first < end {
        return first..end;
    }
    let middle = whole((0.5 * (from + to)).floor()).min(count.saturating_sub(1));
    middle..middle + 1
}

/// Sums of colours over the pixels of a picture.
struct ColourSums {
    picture: BackdropPicture,
    /// Columns of the picture that each column of the file meets, and likewise for rows.
    columns: Vec<std::ops::Range<usize>>,
    rows: Vec<std::ops::Range<usize>>,
    /// Red, green, blue times their opacity, the opacity, and the number of pixels of the file.
    sums: Vec<[u32; 5]>,
}

impl ColourSums {
    /// Creates empty sums over the whole of `world`, as fine as maps are drawn or as `file` needs.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "sides of at most 1600 pixels"
    )]
    fn over(world: &Grid, file: &Grid) -> Self {
        let (west, east, south, north) = bounds(world);
        let sides = [east - west, north - south];
        let widest = sides[0].max(sides[1]) / SIDE_MAX;
        // Pixels of a coarse file keep their places to a sixteenth of them.
        let count =
            |side: f64, step: f64| (side / (step / 8.0).max(widest)).ceil().max(1.0) as usize;
        let (columns, rows) = (count(sides[0], file.step_x), count(sides[1], file.step_y));
        let step = [sides[0] / columns as f64, sides[1] / rows as f64];
        let corner = [west, north];
        let meets = |start: f64, own: f64, step: f64, (files, count): (usize, usize)| {
            (0..files)
                .map(|index| {
                    let ends =
                        [index as f64, index as f64 + 1.0].map(|at| (start + own * at) / step);
                    match own < step {
                        // Each pixel of a finer file counts at its middle.
                        true => {
                            let middle = (0.5 * (ends[0] + ends[1])).floor();
                            let is_in = middle >= 0.0 && middle < count as f64;
                            let at = middle.max(0.0) as usize;
                            if is_in { at..at + 1 } else { 0..0 }
                        }
                        false if ends[1] <= 0.0 || ends[0] >= count as f64 => 0..0,
                        false => {
                            let whole = |at: f64| (at - 0.5).ceil().clamp(0.0, count as f64);
                            whole(ends[0]) as usize..whole(ends[1]) as usize
                        }
                    }
                })
                .collect()
        };
        let picture = BackdropPicture { columns, rows, corner, step, pixels: Vec::new() };
        Self {
            picture,
            columns: meets(file.west - west, file.step_x, step[0], (file.width, columns)),
            rows: meets(north - file.north, file.step_y, step[1], (file.height, rows)),
            sums: vec![[0; 5]; columns * rows],
        }
    }

    fn add(&mut self, index: usize, colours: &[[u8; 4]]) {
        for row in self.rows[index].clone() {
            let line = &mut self.sums[row * self.picture.columns..][..self.picture.columns];
            for (columns, &[red, green, blue, opacity]) in self.columns.iter().zip(colours) {
                for sum in &mut line[columns.clone()] {
                    // Sums of 2²⁴ opaque pixels fit.
                    if sum[4] < 1 << 16 {
                        let cover = u32::from(opacity);
                        let parts = [red, green, blue].map(|part| u32::from(part) * cover / 255);
                        let added = [parts[0], parts[1], parts[2], cover, 1];
                        sum.iter_mut().zip(added).for_each(|(sum, part)| *sum += part);
                    }
                }
            }
        }
    }

    /// Returns the means, on white paper and paler.
    fn picture(self) -> BackdropPicture {
        let paled = |[red, green, blue, cover, count]: [u32; 5]| {
            let count = f64::from(count.max(1));
            let white = 255.0 - f64::from(cover) / count;
            [red, green, blue].map(|part| {
                let mean = f64::from(part) / count + white;
                pale(mean)
            })
        };
        let pixels = self.sums.into_iter().map(paled).collect();
        BackdropPicture { pixels, ..self.picture }
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "conversion saturates")]
fn pale(part: f64) -> u8 {
    let paled = 255.0 - STRENGTH * (255.0 - part);
    ((paled / STEP).round() * STEP).round() as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid((width, height): (usize, usize), (west, north): (f64, f64), cell_m: f64) -> Grid {
        Grid::metric((width, height), (west, north), cell_m)
    }

    /// Four colours, or four blocks of a finer file, are in their quarters of the map.
    #[test]
    fn colours_lie_where_they_are() {
        let world = grid((40, 40), (1000.0, 2000.0), 10.0);
        let quarters = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [0, 0, 0]];
        for side in [2, 400, 3200] {
            let file = grid((side, side), (1000.0, 2000.0), 400.0 / side as f64);
            let mut sums = ColourSums::over(&world, &file);
            for row in 0..side {
                let line: Vec<[u8; 4]> = (0..side)
                    .map(|column| {
                        let [r, g, b] = quarters[2 * row / side * 2 + 2 * column / side];
                        [r, g, b, 255]
                    })
                    .collect();
                sums.add(row, &line);
            }
            let picture = sums.picture();
            for (index, quarter) in quarters.iter().enumerate() {
                let x = 1000.0 + 200.0 * (index % 2) as f64;
                let y = 2000.0 - 200.0 * (index / 2) as f64;
                let expected = quarter.map(|part: u8| pale(part.into()));
                for (inset, size) in [(0.0, 200.0), (90.0, 10.0), (100.0, 0.001)] {
                    let mean = picture.mean([x + inset, y - inset], [size, size]);
                    assert_eq!(mean, expected, "{side}: quarter {index}");
                }
            }
        }
    }

    #[test]
    fn paper_is_white_beside_the_picture_and_where_it_is_transparent() {
        let world = grid((10, 10), (0.0, 100.0), 10.0);
        let file = grid((2, 1), (-50.0, 60.0), 50.0);
        let mut sums = ColourSums::over(&world, &file);
        sums.add(0, &[[0, 0, 0, 255], [0, 0, 0, 0]]);
        let picture = sums.picture();
        assert_eq!(picture.mean([20.0, 40.0], [1.0, 1.0]), [255; 3]);
        assert_eq!(picture.mean([80.0, 40.0], [1.0, 1.0]), [255; 3]);
        let mut sums = ColourSums::over(&world, &grid((1, 1), (-50.0, 60.0), 100.0));
        sums.add(0, &[[0, 0, 0, 255]]);
        let picture = sums.picture();
        let dark = pale(0.0);
        assert_eq!(picture.mean([20.0, 40.0], [1.0, 1.0]), [dark; 3]);
        assert_eq!(picture.mean([80.0, 40.0], [1.0, 1.0]), [255; 3]);
    }

    #[test]
    fn a_thinned_line_keeps_its_ends() {
        let path = (0..100).map(|at| [f64::from(at), 0.0]).collect();
        let mut shape = MapShape { name: None, kind: ShapeKind::Line, path };
        thin(&mut shape, 9.5);
        assert_eq!((shape.path.len(), shape.path[0], shape.path[10]), (11, [0.0; 2], [99.0, 0.0]));
    }
}
