//! The part of a file that is the map: all of it, a rectangle, or the inside of polygons.
//!
//! Guarantees: a cell belongs to an area that contains its centre.

use kit::error::UserError;
use rasters::{Cutout, Fact, Grid, Hints, RasterError, RowSource};

use super::super::area::{AreaOutline, MapRectangle, SimulatedArea};
use super::map::extent;

/// The part of a file that is the map.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct MapPart {
    /// The rectangle of the file.
    pub cutout: Cutout,
    /// The polygons outside which nothing counts.
    pub outline: Option<AreaOutline>,
}

impl MapPart {
    /// Returns the part that `area` gives of a file with the grid `whole`.
    ///
    /// # Errors
    ///
    /// If the area cannot be read or contains no cell of the map.
    pub fn of(
        area: Option<&SimulatedArea>,
        whole: &Grid,
        notes: &mut Vec<String>,
    ) -> Result<Self, UserError> {
        let (rectangle, outline, name) = match area {
            None => return Ok(Self { cutout: Cutout::whole(whole), outline: None }),
            Some(SimulatedArea::Rectangle(rectangle)) => (*rectangle, None, String::new()),
            Some(SimulatedArea::File(path)) => {
                let outline = AreaOutline::read(path, notes)?;
                (outline.around(), Some(outline), format!(" of {}", path.display()))
            }
        };
        let refuse = || {
            let system = match (&outline, &whole.crs) {
                (Some(_), Some(crs)) => format!(
                    "; if its coordinates are others, bring them into {crs} (ogr2ogr -t_srs)"
                ),
                _ => String::new(),
            };
            UserError::new(
                format!("the area{name} {rectangle} holds no cell of the map"),
                format!("{} are covered{system}", extent(whole)),
            )
        };
        let cutout = cells(&rectangle, whole).ok_or_else(refuse)?;
        let grid = cutout.of(whole, &Hints::default());
        let holds_one = outline.as_ref().is_none_or(|outline| {
            (0..grid.height).any(|row| {
                columns_inside(&outline.crossings(grid.northing(row)), &grid).next().is_some()
            })
        });
        if !holds_one {
            return Err(refuse());
        }
        let (west, east, south, north) = super::map::bounds(whole);
        let (x, y) = (0.5 * whole.step_x, 0.5 * whole.step_y);
        if rectangle.west < west - x
            || rectangle.east > east + x
            || rectangle.south < south - y
            || rectangle.north > north + y
        {
            notes.push(format!(
                "the area{name} reaches beyond the map, where there is nothing: {} are covered",
                extent(whole)
            ));
        }
        Ok(Self { cutout, outline })
    }
}

/// Returns the cells with centres in a rectangle, if any.
fn cells(rectangle: &MapRectangle, grid: &Grid) -> Option<Cutout> {
    let columns = between(rectangle.west, rectangle.east, grid.width, |col| grid.easting(col))?;
    let flipped = |row: usize| -grid.northing(row);
    let rows = between(-rectangle.north, -rectangle.south, grid.height, flipped)?;
    let (west, north) = (columns.0, rows.0);
    Some(Cutout { west, north, width: columns.1 - west, height: rows.1 - north })
}

/// Returns the index of the first and the one behind the last of `count` rising places between two
/// ends.
fn between(
    from: f64,
    to: f64,
    count: usize,
    place: impl Fn(usize) -> f64,
) -> Option<(usize, usize)> {
    let first_at = |limit: f64| {
        let (mut low, mut high) = (0, count);
        while low < high {
            let middle = usize::midpoint(low, high);
            if place(middle) < limit { low = middle + 1 } else { high = middle }
        }
        low
    };
    let (first, end) = (first_at(from), first_at(to));
    (first < end).then_some((first, end))
}

/// Returns the columns of `grid` with centres between each two of rising `crossings`.
fn columns_inside<'a>(crossings: &'a [f64], grid: &'a Grid) -> impl Iterator<Item = usize> + 'a {
    crossings.chunks_exact(2).flat_map(|pair| {
        let found = between(pair[0], pair[1], grid.width, |col| grid.easting(col));
        found.map_or(0..0, |(first, end)| first..end)
    })
}

/// Rows in which only the cells inside polygons count.
pub(super) struct OutlinedRows {
    source: Box<dyn RowSource>,
    outline: AreaOutline,
    scratch: Vec<f64>,
    row: usize,
}

impl OutlinedRows {
    /// Creates the rows of `source` within an outline.
    pub fn new(source: Box<dyn RowSource>, outline: AreaOutline) -> Self {
        let scratch = vec![f64::NAN; source.grid().width];
        Self { source, outline, scratch, row: 0 }
    }
}

impl RowSource for OutlinedRows {
    fn grid(&self) -> &Grid {
        self.source.grid()
    }

    fn remarks(&self) -> Vec<String> {
        self.source.remarks()
    }

    fn facts(&self) -> Vec<Fact> {
        self.source.facts()
    }

    fn scale(&self) -> Option<(f64, f64)> {
        self.source.scale()
    }

    fn next_row(&mut self, row: &mut [f64]) -> Result<(), RasterError> {
        self.source.next_row(&mut self.scratch)?;
        let grid = self.source.grid();
        row.fill(f64::NAN);
        for col in columns_inside(&self.outline.crossings(grid.northing(self.row)), grid) {
            row[col] = self.scratch[col];
        }
        self.row += 1;
        Ok(())
    }

    fn skip_rows(&mut self, count: usize) -> Result<(), RasterError> {
        self.source.skip_rows(count)?;
        self.row += count;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns 6 × 4 cells of 10 m from x = 100 and y = 200.
    fn grid() -> Grid {
        Grid::metric((6, 4), (100.0, 240.0), 10.0)
    }

    #[test]
    fn an_area_takes_the_cells_whose_centres_it_holds() {
        for ((west, south, east, north), expected) in [
            ((110.0, 210.0, 130.0, 230.0), Some((1, 1, 2, 2))),
            ((114.0, 214.0, 126.0, 216.0), Some((1, 2, 2, 1))),
            ((0.0, 0.0, 106.0, 206.0), Some((0, 3, 1, 1))),
            ((0.0, 0.0, 1e9, 1e9), Some((0, 0, 6, 4))),
            ((116.0, 210.0, 124.0, 230.0), None),
            ((160.0, 210.0, 170.0, 230.0), None),
        ] {
            let rectangle = MapRectangle { west, south, east, north };
            let found = cells(&rectangle, &grid());
            let expected =
                expected.map(|(west, north, width, height)| Cutout { west, north, width, height });
            assert_eq!(found, expected, "{rectangle}");
        }
    }
}
