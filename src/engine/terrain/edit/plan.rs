//! Planning and applying an edit.

use crate::grid::TileKey;
use crate::grid::cells::{CellPlace, TILE_WIDTH_U32};
use crate::terrain::Terrain;
use crate::terrain::edit::channel::ChannelLine;
use crate::terrain::edit::shape::{TerrainLattice, check};
use crate::terrain::edit::{Bottom, Edit, EditError, Shape, Span, coarser};
use crate::tile::columns::build::CellBlock;
use crate::units::{CEILING, OUTSIDE, VerticalScale};
use std::fmt;
use std::ops::Range;

/// The beds that an edit will leave: nothing has changed yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditPlan {
    spans: Vec<Span>,
    /// New beds of all spans, one after the other.
    beds: Vec<i32>,
}

impl EditPlan {
    /// Returns a plan of new beds of single finest cells, vertical units on the steps of beds.
    pub fn of_cells(cells: impl Iterator<Item = (CellPlace, i32)>) -> Self {
        let mut cells: Vec<(CellPlace, i32)> = cells.collect();
        cells.sort_unstable_by_key(|(place, _)| (place.y, place.x));
        let mut spans: Vec<Span> = Vec::new();
        for (place, _) in &cells {
            let [column, row] = place.indices();
            match spans.last_mut() {
                Some(last) if last.row == row && last.columns.end == column => {
                    last.columns.end += 1;
                }
                _ => spans.push(Span { row, columns: column..column + 1 }),
            }
        }
        Self { spans, beds: cells.into_iter().map(|(_, bed)| bed).collect() }
    }

    /// Returns the bytes that the plan occupies; the same number on every machine.
    pub fn bytes(&self) -> usize {
        24 * self.spans.len() + 4 * self.beds.len()
    }

    /// True if no bed is to change.
    pub fn is_empty(&self) -> bool {
        self.beds.is_empty()
    }

    /// Returns the finest cells with ground and their new beds, vertical units, row by row from the
    /// south.
    pub fn cells(&self) -> impl Iterator<Item = (CellPlace, i32)> {
        let places = self.spans.iter().flat_map(|span| {
            let y = narrow(span.row);
            span.columns.clone().map(move |x| CellPlace { x: narrow(x), y })
        });
        places.zip(self.beds.iter().copied()).filter(|(_, bed)| *bed != OUTSIDE)
    }

    /// Returns the spans of cells and their new beds, [`OUTSIDE`] where a cell has no ground, row
    /// by row from the south.
    pub fn rows(&self) -> impl Iterator<Item = (&Span, &[i32])> {
        let mut rest = self.beds.as_slice();
        self.spans.iter().map(move |span| {
            let (own, others) = rest.split_at(span.columns.len());
            rest = others;
            (span, own)
        })
    }

    /// Returns the changes of the edit if it changes every bed.
    #[must_use]
    pub fn changes(&self) -> Changed {
        Changed { spans: self.spans.clone() }
    }
}

/// Changes that an edit made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    spans: Vec<Span>,
}

impl Changed {
    /// Returns changes of the finest cells of these spans, row by row from the south.
    #[must_use]
    pub fn of(spans: Vec<Span>) -> Self {
        Self { spans }
    }

    /// True if every bed was already as planned.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Returns the columns of the smallest rectangle of finest cells around all changed beds.
    #[must_use]
    pub fn columns(&self) -> Range<usize> {
        let west = self.spans.iter().map(|span| span.columns.start).min().unwrap_or(0);
        west..self.spans.iter().map(|span| span.columns.end).max().unwrap_or(0)
    }

    /// Returns the rows of that rectangle.
    #[must_use]
    pub fn rows(&self) -> Range<usize> {
        let row = |span: Option<&Span>| span.map(|span| span.row);
        let last = row(self.spans.last()).map_or(0, |row| row + 1);
        row(self.spans.first()).unwrap_or(0)..last
    }

    /// Returns the finest cells by row: the first and the last of each span are changed.
    #[must_use]
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// Returns the tiles of `level` over changed finest cells, in the order of the forest.
    #[must_use]
    pub fn tiles(&self, level: u8) -> Vec<TileKey> {
        tiles_over(level, &coarser(&self.spans, u32::from(level)))
    }

    /// Returns the tiles of `level` over or beside changed cells of that level, diagonally too.
    #[must_use]
    pub fn tiles_beside(&self, level: u8) -> Vec<TileKey> {
        let wide = |span: Span| {
            let columns = span.columns.start.saturating_sub(1)..span.columns.end + 1;
            let rows = span.row.saturating_sub(1)..span.row + 2;
            rows.map(move |row| Span { row, columns: columns.clone() })
        };
        let cells = coarser(&self.spans, u32::from(level)).into_iter().flat_map(wide);
        tiles_over(level, &cells.collect::<Vec<_>>())
    }

    /// Returns the smallest block around the cells of a tile's level over changed finest cells, in
    /// the tile and beside it.
    #[must_use]
    pub fn block(&self, key: TileKey) -> Option<CellBlock> {
        let wide = |v: usize| i64::try_from(v >> key.level).expect("2²⁰ cells a side");
        let corner = [key.corner().x, key.corner().y].map(i64::from);
        let [columns, rows] = corner.map(|at| at - 1..at + i64::from(TILE_WIDTH_U32) + 1);
        let mut all: Option<CellBlock> = None;
        for Span { row, columns: found } in &self.spans {
            let (from, y) = (wide(found.start).max(columns.start), wide(*row));
            let to = (wide(found.end - 1) + 1).min(columns.end);
            if from < to && rows.contains(&y) {
                let block = CellBlock { from: (from, y), to: (to, y + 1) };
                all = Some(all.map_or(block, |all| all.with(block)));
            }
        }
        all
    }
}

/// Returns the tiles of `level` over some of its cells, in the order of the forest.
fn tiles_over(level: u8, cells: &[Span]) -> Vec<TileKey> {
    let mut keys = Vec::new();
    for Span { row, columns } in coarser(cells, TILE_WIDTH_U32.trailing_zeros()) {
        let y = narrow(row);
        keys.extend(columns.map(|x| TileKey { level, x: narrow(x), y }));
    }
    keys.sort_unstable();
    keys
}

fn narrow(place: usize) -> u32 {
    u32::try_from(place).expect("2²⁰ cells a side")
}

/// Appends the finest beds of some cells of a row.
pub type BedRow<'a> = dyn Fn(usize, Range<usize>, &mut Vec<i32>) -> Result<(), EditError> + 'a;

/// The finest beds of an edit: numbers of a terrain, and its rows from any source.
pub struct EditBase<'a> {
    /// Columns and rows of the finest cells.
    pub size: (usize, usize),
    /// Width of the finest cells, m.
    pub cell_width_m: f64,
    /// Vertical unit and datum.
    pub scale: VerticalScale,
    /// Beds are multiples of 2^−`bed_exponent` m.
    pub bed_exponent: u8,
    /// Appends the finest beds of some cells of a row.
    pub row: &'a BedRow<'a>,
}

impl fmt::Debug for EditBase<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EditBase").field("size", &self.size).finish_non_exhaustive()
    }
}

impl Terrain {
    /// Changes beds.
    ///
    /// # Errors
    ///
    /// The errors of [`Terrain::plan`].
    ///
    /// # Examples
    ///
    /// ```
    /// use thalweg::terrain::{Edit, Shape, TerrainBuilder, TerrainOptions};
    /// use thalweg::units::VerticalScale;
    /// let scale = VerticalScale::choose(0.0, 1.0, 20.0)?;
    /// let options =
    ///     TerrainOptions { width: 8, height: 4, cell_width_m: 1.0, scale, bed_exponent: 10 };
    /// let mut builder = TerrainBuilder::try_new(options)?;
    /// (0..4).try_for_each(|_| builder.push_row(&[0.0; 8]))?;
    /// let mut terrain = builder.finish()?;
    ///
    /// let dam = Shape::Rectangle { low_m: [3.0, 0.0], high_m: [5.0, 3.0] };
    /// let changed = terrain.edit(&Edit::Raise { shape: dam, by_m: 2.5 })?;
    /// assert_eq!((changed.columns(), changed.rows()), (3..5, 0..3));
    /// let finest = terrain.level(0).unwrap();
    /// let row: Vec<f64> = (0..8).map(|x| scale.metres(finest.bed(x, 0))).collect();
    /// assert_eq!(row, [0.0, 0.0, 0.0, 2.5, 2.5, 0.0, 0.0, 0.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn edit(&mut self, edit: &Edit) -> Result<Changed, EditError> {
        Ok(self.apply(&self.plan(edit)?))
    }

    /// Plans an edit.
    ///
    /// # Errors
    ///
    /// [`EditError`] names the fault of the edit and its place. The terrain does not change.
    pub fn plan(&self, edit: &Edit) -> Result<EditPlan, EditError> {
        self.with_base(|base| base.plan(edit))
    }

    /// Returns the plan that reverses another one: the present beds of the cells that it would
    /// change.
    #[must_use]
    pub fn plan_back(&self, plan: &EditPlan) -> EditPlan {
        self.with_base(|base| base.plan_back(plan)).expect("its rows are in memory")
    }

    /// Calls `look` with the finest beds, to plan an edit.
    pub fn with_base<T>(&self, look: impl FnOnce(&EditBase<'_>) -> T) -> T {
        let finest = self.finest();
        look(&EditBase {
            size: (finest.width(), finest.height()),
            cell_width_m: self.cell_width_m(0),
            scale: self.scale(),
            bed_exponent: self.bed_exponent(),
            row: &|row, columns, out| {
                out.extend_from_slice(finest.row(row, columns));
                Ok(())
            },
        })
    }

    /// Applies a plan.
    ///
    /// # Panics
    ///
    /// If the plan was made for a different terrain: of another size or with other cells inside.
    pub fn apply(&mut self, plan: &EditPlan) -> Changed {
        let mut spans = Vec::new();
        let mut new = plan.beds.iter();
        for Span { row, columns } in &plan.spans {
            let old = self.finest_mut().row_mut(*row, columns.clone());
            let mut changed: Option<Range<usize>> = None;
            for (column, (bed, &new)) in columns.clone().zip(old.iter_mut().zip(&mut new)) {
                assert_eq!(*bed == OUTSIDE, new == OUTSIDE, "a plan for another terrain");
                if *bed != new {
                    let first = changed.map_or(column, |range| range.start);
                    changed = Some(first..column + 1);
                    *bed = new;
                }
            }
            spans.extend(changed.map(|columns| Span { row: *row, columns }));
        }
        self.follow(&spans);
        Changed { spans }
    }
}

impl EditBase<'_> {
    /// Plans an edit.
    ///
    /// # Errors
    ///
    /// [`EditError`] names the fault of the edit and its place.
    pub fn plan(&self, edit: &Edit) -> Result<EditPlan, EditError> {
        let lattice = self.lattice();
        match edit {
            Edit::Raise { shape, by_m } => self.plan_move(shape, *by_m, 1.0),
            Edit::Lower { shape, by_m } => self.plan_move(shape, *by_m, -1.0),
            Edit::Flatten { shape, to_m } => {
                let target = self.bed_at("the elevation to flatten to", *to_m)?;
                let law = |x: usize, y: usize, bed: i32| {
                    let weight = shape.weight(lattice.centre(x), lattice.centre(y));
                    // Two beds are less than 2³¹ apart, so the difference fits.
                    self.moved(x, y, bed, weight * f64::from(target - bed))
                };
                self.fill(shape.spans(&lattice)?, law)
            }
            Edit::Carve { line_m, width_m, bottom } => {
                let channel = ChannelLine::try_new(line_m, *width_m, &lattice)?;
                self.plan_carve(&channel, *bottom)
            }
            Edit::Paste { corner, width, heights_m } => self.plan_paste(*corner, *width, heights_m),
        }
    }

    fn plan_move(&self, shape: &Shape, by_m: f64, sign: f64) -> Result<EditPlan, EditError> {
        let lattice = self.lattice();
        let by = sign * self.height_units("the height to raise or lower by", by_m)?;
        let law = |x: usize, y: usize, bed: i32| {
            let weight = shape.weight(lattice.centre(x), lattice.centre(y));
            self.moved(x, y, bed, weight * by)
        };
        self.fill(shape.spans(&lattice)?, law)
    }

    fn plan_carve(&self, channel: &ChannelLine, bottom: Bottom) -> Result<EditPlan, EditError> {
        let lattice = self.lattice();
        let mut is_any_dug = false;
        let mut along = |x, y| {
            let along = channel.nearest(x, y, &lattice);
            is_any_dug |= along.is_some();
            along
        };
        let plan = match bottom {
            Bottom::Below { depth_m } => {
                let by = self.height_units("the depth of the channel", depth_m)?;
                self.fill(channel.spans(), |x, y, bed| match along(x, y) {
                    Some(_) => self.moved(x, y, bed, -by),
                    None => Ok(bed),
                })?
            }
            Bottom::At { first_m, last_m } => {
                let first = f64::from(self.bed_at("the channel's bed at its start", first_m)?);
                let last = f64::from(self.bed_at("the channel's bed at its end", last_m)?);
                self.fill(channel.spans(), |x, y, bed| {
                    let Some(part) = along(x, y) else { return Ok(bed) };
                    Ok(self.moved(x, y, 0, first + part * (last - first))?.min(bed))
                })?
            }
        };
        if is_any_dug { Ok(plan) } else { Err(EditError::NoGround) }
    }

    fn plan_paste(
        &self,
        corner: CellPlace,
        width: usize,
        heights_m: &[f64],
    ) -> Result<EditPlan, EditError> {
        let lattice = self.lattice();
        let found = heights_m.len();
        if width == 0 || found == 0 || !found.is_multiple_of(width) {
            return Err(EditError::Raster { found, width });
        }
        let (rows, [west, south]) = (found / width, corner.indices());
        if west >= lattice.width || south >= lattice.height {
            let low_m = [west, south].map(|v| lattice.centre(v) - 0.5 * lattice.cell_width_m);
            let size = [width, rows];
            #[expect(clippy::cast_precision_loss, reason = "for the message")]
            let high_m = [0, 1].map(|i| low_m[i] + size[i] as f64 * lattice.cell_width_m);
            return Err(EditError::Outside { low_m, high_m, size_m: lattice.size_m() });
        }
        if let Some(&value) = heights_m.iter().find(|height| height.is_infinite()) {
            let (low, high) = self.bed_range_m();
            return Err(EditError::Number { what: "a height of the raster", value, low, high });
        }
        let columns = west..lattice.width.min(west.saturating_add(width));
        let span = |row| Span { row, columns: columns.clone() };
        let spans = (south..lattice.height.min(south.saturating_add(rows))).map(span).collect();
        let mut is_all_kept = true;
        let plan = self.fill(spans, |x, y, bed| {
            let elevation_m = heights_m[(rows - 1 - (y - south)) * width + x - west];
            if elevation_m.is_nan() {
                return Ok(bed);
            }
            is_all_kept = false;
            let bed = self.scale.elevation(elevation_m, self.bed_exponent);
            bed.map_err(|_| self.too_far(x, y, elevation_m))
        })?;
        if is_all_kept { Err(EditError::NoGround) } else { Ok(plan) }
    }

    /// Returns the plan in which each cell of `spans` with ground gets the bed that `law` gives.
    fn fill(
        &self,
        spans: Vec<Span>,
        mut law: impl FnMut(usize, usize, i32) -> Result<i32, EditError>,
    ) -> Result<EditPlan, EditError> {
        let count = spans.iter().map(|span| span.columns.len()).sum();
        let mut beds = Vec::with_capacity(count);
        for Span { row, columns } in &spans {
            let first = beds.len();
            (self.row)(*row, columns.clone(), &mut beds)?;
            for (column, bed) in columns.clone().zip(&mut beds[first..]) {
                if *bed != OUTSIDE {
                    *bed = law(column, *row, *bed)?;
                }
            }
        }
        if beds.iter().all(|&bed| bed == OUTSIDE) {
            return Err(EditError::NoGround);
        }
        Ok(EditPlan { spans, beds })
    }

    /// Returns the plan that reverses another one: the present beds of the cells that it would
    /// change.
    ///
    /// # Errors
    ///
    /// Errors of its rows.
    pub fn plan_back(&self, plan: &EditPlan) -> Result<EditPlan, EditError> {
        let mut back = EditPlan { spans: Vec::new(), beds: Vec::new() };
        let (mut new, mut old) = (plan.beds.iter(), Vec::new());
        for Span { row, columns } in &plan.spans {
            old.clear();
            (self.row)(*row, columns.clone(), &mut old)?;
            for (column, (&bed, &new)) in columns.clone().zip(old.iter().zip(&mut new)) {
                if bed == new {
                    continue;
                }
                back.beds.push(bed);
                match back.spans.last_mut() {
                    Some(last) if last.row == *row && last.columns.end == column => {
                        last.columns.end += 1;
                    }
                    _ => back.spans.push(Span { row: *row, columns: column..column + 1 }),
                }
            }
        }
        Ok(back)
    }

    /// Returns the step of beds, vertical units.
    pub fn bed_step(&self) -> i32 {
        1 << self.scale.exponent().saturating_sub(self.bed_exponent)
    }

    fn lattice(&self) -> TerrainLattice {
        let (width, height) = self.size;
        TerrainLattice { width, height, cell_width_m: self.cell_width_m }
    }

    /// Returns a height difference in vertical units, at least the step of beds.
    fn height_units(&self, what: &'static str, metres: f64) -> Result<f64, EditError> {
        let unit_m = self.scale.unit_m();
        check(
            what,
            metres,
            f64::from(self.bed_step()) * unit_m,
            2.0 * f64::from(CEILING) * unit_m,
        )?;
        Ok(metres * self.scale.units_per_m())
    }

    /// Returns an elevation as a bed.
    fn bed_at(&self, what: &'static str, value: f64) -> Result<i32, EditError> {
        let (low, high) = self.bed_range_m();
        let bed = self.scale.elevation(value, self.bed_exponent);
        bed.map_err(|_| EditError::Number { what, value, low, high })
    }

    /// Returns the lowest and the highest possible elevation of a bed, m.
    fn bed_range_m(&self) -> (f64, f64) {
        let step = self.bed_step();
        // A bed at `CEILING` would be `OUTSIDE`.
        let most = (CEILING - 1) / step * step;
        (self.scale.metres(-most), self.scale.metres(most))
    }

    /// Returns the bed `by` units higher, to the step of beds.
    fn moved(&self, x: usize, y: usize, bed: i32, by: f64) -> Result<i32, EditError> {
        let units = f64::from(bed) + self.stepped(by);
        if units.abs() < f64::from(CEILING) {
            #[expect(clippy::cast_possible_truncation, reason = "bounded one line above")]
            return Ok(units as i32);
        }
        Err(self.too_far(x, y, self.scale.datum_m() + units * self.scale.unit_m()))
    }

    /// Returns the multiple of the step of beds nearest to `units`, halves away from zero, so that
    /// lowering can reverse raising.
    fn stepped(&self, units: f64) -> f64 {
        let step = f64::from(self.bed_step());
        let whole = (units.abs() / step + 0.5).floor() * step;
        if units < 0.0 { -whole } else { whole }
    }

    fn too_far(&self, x: usize, y: usize, elevation_m: f64) -> EditError {
        let (low_m, high_m) = self.bed_range_m();
        let place = CellPlace { x: narrow(x), y: narrow(y) };
        EditError::Height { place, elevation_m, low_m, high_m }
    }
}
