//! Many rasters as one: the rasters of a folder, of a list, of a simple VRT.
//!
//! | what | which rasters | their order |
//! | --- | --- | --- |
//! | a folder | `.tif`, `.tiff`, `.asc`, `.asc.gz`, `.hgt` in it, not below | by name |
//! | a list, `.txt` | a path a line, from the list's folder; `#` begins a comment | the list's |
//! | a VRT | its sources, as whole rasters | the VRT's |
//!
//! All rasters are on one grid: cells of one size, corners a whole number of cells apart, one
//! reference system. Gaps are NoData; if rasters overlap, the last in order that has a value wins.
//!
//! Guarantees: a row opens only the rasters that it crosses, so only they need memory.
//! Limits:     no reprojection, no resampling, no mosaics of mosaics; rasters that do not state
//!             their place (PNG, RAW) cannot be part of one.
//! Source:     GDAL, VRT driver, "Virtual Format" (the schema of SimpleSource and ComplexSource).

mod list;
mod rows;
mod vrt;

use std::fmt;
use std::path::{Path, PathBuf};

use crate::error::RasterError;
use crate::facts::FactSource;
use crate::grid::Grid;
use crate::hints::Hints;
use crate::samples::SampleFacts;
use crate::shell::quoted;
use crate::size::checked_size;
use crate::source::RowSource;
use crate::stated::Stated;
use crate::{ground, opening};

use self::rows::Mosaic;

/// Largest distance of a corner from the common grid, and of the last cell by differences in cell
/// size, in cells.
const OFF_MAX: f64 = 0.01;

/// Source of the names of the rasters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MosaicKind {
    /// A folder.
    Folder,
    /// A text.
    List,
    /// An XML file.
    Vrt,
}

/// A raster of a mosaic, as its list names it.
#[derive(Debug, Clone, PartialEq)]
struct Member {
    path: PathBuf,
    /// A stored value that means NoData, if the list states one.
    nodata: Option<f64>,
    /// Column, row, width and height that the list gives it.
    place: Option<[usize; 4]>,
    /// Band that the list selects, counted from 1.
    band: Option<usize>,
}

/// Contents of a list.
#[derive(Debug, Clone, PartialEq)]
struct Listing {
    members: Vec<Member>,
    /// Size and north-west corner of the whole, if the list states them.
    frame: Option<VrtFrame>,
    /// Text of the reference system, and unit of the values: a VRT may state both for all.
    system: Option<String>,
    unit: Option<String>,
}

/// Size, north-west corner and cells of a VRT.
#[derive(Debug, Clone, Copy, PartialEq)]
struct VrtFrame {
    size: (usize, usize),
    corner: (f64, f64),
    step: (f64, f64),
}

/// A raster of a mosaic that has been examined.
#[derive(Debug, Clone)]
struct MosaicPiece {
    path: PathBuf,
    hints: Hints,
    grid: Grid,
    /// Columns and rows of the mosaic before it.
    west: usize,
    north: usize,
}

fn listing(path: &Path, kind: MosaicKind, hints: &Hints) -> Result<Listing, RasterError> {
    match kind {
        MosaicKind::Folder => list::of_folder(path),
        MosaicKind::List => list::of_text(path),
        MosaicKind::Vrt => vrt::read(path, hints.band),
    }
}

/// A remark on the first of the rasters that it is true of.
struct Remark {
    text: String,
    /// The text without the path of the raster and without digits.
    sentence: String,
    /// Number of further rasters.
    more: usize,
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        match self.more {
            0 => Ok(()),
            more => write!(f, " (and the like of {more} more rasters of the mosaic)"),
        }
    }
}

/// Adds the remarks on a raster, or counts the raster if the like is remarked on another one.
fn add_remarks(remarks: &mut Vec<Remark>, path: &Path, texts: Vec<String>) {
    for text in texts {
        // Counts of cells differ from raster to raster.
        let sentence = text.replace(&path.display().to_string(), "");
        let sentence: String = sentence.chars().filter(|c| !c.is_ascii_digit()).collect();
        match remarks.iter_mut().find(|remark| remark.sentence == sentence) {
            Some(remark) => remark.more += 1,
            None => remarks.push(Remark { text, sentence, more: 0 }),
        }
    }
}

/// Returns the files that a mosaic is made of.
pub(crate) fn files(
    path: &Path,
    kind: MosaicKind,
    hints: &Hints,
) -> Result<Vec<PathBuf>, RasterError> {
    let own = (kind != MosaicKind::Folder).then(|| path.to_owned());
    let members = listing(path, kind, hints)?.members.into_iter().map(|member| member.path);
    Ok(own.into_iter().chain(members).collect())
}

/// Returns the unit that a VRT states for the values of its band.
pub(crate) fn unit(
    path: &Path,
    kind: MosaicKind,
    hints: &Hints,
) -> Result<Option<String>, RasterError> {
    Ok(listing(path, kind, hints)?.unit)
}

/// Opens a mosaic: examines each of its rasters once.
pub(crate) fn open(
    path: &Path,
    kind: MosaicKind,
    hints: &Hints,
) -> Result<Box<dyn RowSource>, RasterError> {
    let Listing { members, frame, system, unit } = listing(path, kind, hints)?;
    let unit =
        unit.map(|text| SampleFacts::of(path, hints).unit("its UnitType", &text)).transpose()?;
    let unit = unit.flatten();
    let mut remarks: Vec<Remark> = Vec::new();
    let (mut facts, mut scales) = (None, Vec::new());
    let mut look = |member: &Member| -> Result<(Hints, Grid), RasterError> {
        let listed = Stated::nodata(member.nodata);
        let whole = Stated { unit, ..Stated::default() };
        let stated = vec![
            (FactSource::File("NODATA of the VRT"), listed),
            (FactSource::File("UnitType of the VRT"), whole),
        ];
        let band = member.band.or(hints.band);
        let hints = Hints { stated, band, system: system.clone(), ..hints.clone() };
        let source = opening::open_one(&member.path, &hints)?;
        let grid = source.grid().clone();
        add_remarks(&mut remarks, &member.path, source.remarks());
        facts.get_or_insert_with(|| source.facts());
        scales.push(source.scale());
        Ok((hints, grid))
    };
    let looked = members.iter().map(&mut look).collect::<Result<Vec<_>, _>>()?;
    let (first, (_, like)) = (&members[0], &looked[0]);
    let corner = frame.map_or((like.west, like.north), |frame| frame.corner);
    if let Some(frame) = frame {
        let (width, height) = frame.size;
        let (step_x, step_y) = frame.step;
        let whole = Grid { width, height, step_x, step_y, ..like.clone() };
        same_cells((path, &whole), (&first.path, like))?;
    }
    let mut at = Vec::new();
    for (member, (_, grid)) in members.iter().zip(&looked) {
        same_cells((&first.path, like), (&member.path, grid))?;
        let off = [(grid.west - corner.0) / like.step_x, (corner.1 - grid.north) / like.step_y];
        at.push(off.map(f64::round));
        let off = off.map(|off| off - off.round());
        if off.iter().any(|off| off.abs() > OFF_MAX) {
            return Err(unlike(
                &member.path,
                format!("lies {:.3} columns and {:.3} rows off the cells", off[0], off[1]),
                if frame.is_some() { path } else { &first.path },
            ));
        }
    }
    let (least, size) = match frame {
        Some(frame) => ([0.0; 2], frame.size),
        None => extent(path, &at, &looked)?,
    };
    let mut pieces = Vec::new();
    for ((member, (hints, grid)), at) in members.into_iter().zip(looked).zip(at) {
        let place = [at[0] - least[0], at[1] - least[1]];
        pieces.push(piece(path, member, (hints, grid), (place, size))?);
    }
    refuse_twins(&pieces)?;
    let like = &pieces[0].grid;
    let (west, north) = (corner.0 + least[0] * like.step_x, corner.1 - least[1] * like.step_y);
    let (width, height) = checked_size(path, size.0 as u64, size.1 as u64)?;
    let grid = Grid { width, height, west, north, cell_m: None, ..like.clone() };
    let grid = ground::settle(path, grid, hints)?;
    let is_one = scales.iter().all(|scale| *scale == scales[0]);
    let scale = scales.first().copied().flatten().filter(|_| is_one);
    Ok(Box::new(Mosaic::new(grid, pieces, remarks).with_facts(facts.unwrap_or_default(), scale)))
}

/// Least column and row of all, from the first one's corner, and columns and rows together.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "positive; `as` saturates, and the size is checked after"
)]
fn extent(
    path: &Path,
    at: &[[f64; 2]],
    looked: &[(Hints, Grid)],
) -> Result<([f64; 2], (usize, usize)), RasterError> {
    let least = |axis: usize| at.iter().map(|at| at[axis]).fold(f64::INFINITY, f64::min);
    let ends = at.iter().zip(looked);
    let ends = ends.map(|(at, (_, g))| [at[0] + g.width as f64, at[1] + g.height as f64]);
    let most =
        ends.fold([f64::NEG_INFINITY; 2], |most, end| [most[0].max(end[0]), most[1].max(end[1])]);
    let least = [least(0), least(1)];
    let size = [most[0] - least[0], most[1] - least[1]];
    let size = checked_size(path, size[0] as u64, size[1] as u64)?;
    Ok((least, size))
}

/// A raster at its place, which must be the one that the list gives it, within `size`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` saturates, and what does not come back is refused"
)]
fn piece(
    path: &Path,
    member: Member,
    (hints, grid): (Hints, Grid),
    (place, (width, height)): ([f64; 2], (usize, usize)),
) -> Result<MosaicPiece, RasterError> {
    let (west, north) = (place[0] as usize, place[1] as usize);
    let found = [west, north, grid.width, grid.height];
    let is_within = place.iter().all(|at| *at >= 0.0)
        && west.checked_add(grid.width).is_some_and(|end| end <= width)
        && north.checked_add(grid.height).is_some_and(|end| end <= height);
    if !is_within || member.place.is_some_and(|said| said != found) {
        return Err(RasterError::damaged(
            path,
            format!(
                "does not place {} where that lies, at column {} and row {} with {} x {} cells: \
                 build it again (gdalbuildvrt {} ...)",
                member.path.display(),
                place[0],
                place[1],
                grid.width,
                grid.height,
                quoted(path.as_os_str())
            ),
        ));
    }
    Ok(MosaicPiece { path: member.path, hints, grid, west, north })
}

/// Refuses cells of another size or reference system.
fn same_cells(
    (first, like): (&Path, &Grid),
    (path, grid): (&Path, &Grid),
) -> Result<(), RasterError> {
    let is_same = |a: f64, b: f64, count: usize| (a - b).abs() * count as f64 <= OFF_MAX * b;
    let (width, height) = (like.width.max(grid.width), like.height.max(grid.height));
    if !is_same(grid.step_x, like.step_x, width) || !is_same(grid.step_y, like.step_y, height) {
        let (a, b) = ((grid.step_x, grid.step_y), (like.step_x, like.step_y));
        let what = format!("has cells of {} x {}, not the {} x {}", a.0, a.1, b.0, b.1);
        return Err(unlike(path, what, first));
    }
    let is_one = match (&grid.crs, &like.crs) {
        (Some(own), Some(like)) => own.is_same_as(like),
        (None, None) => true,
        _ => false,
    };
    if !is_one || grid.unit != like.unit {
        let name = |grid: &Grid| match &grid.crs {
            Some(crs) => format!("{crs} in {}", grid.unit),
            None => "none".to_owned(),
        };
        let what = match name(grid) == name(like) {
            // The keys beside the code differ, for example the keys of heights.
            true => format!(
                "has the reference system {}, but with keys of heights or parameters unlike those",
                name(grid)
            ),
            false => format!("has the reference system {}, not {}", name(grid), name(like)),
        };
        return Err(unlike(path, what, first));
    }
    Ok(())
}

fn unlike(path: &Path, what: String, first: &Path) -> RasterError {
    RasterError::unsupported(
        path,
        format!(
            "{what} of {}: a mosaic has one grid, so bring it onto that (gdalwarp -tap -tr ...), \
             or leave it out",
            first.display()
        ),
    )
}

/// Refuses two rasters in one place: their files do not state it, or one of them is a copy.
fn refuse_twins(pieces: &[MosaicPiece]) -> Result<(), RasterError> {
    let mut places: Vec<_> = pieces
        .iter()
        .map(|piece| ([piece.north, piece.west, piece.grid.height, piece.grid.width], &piece.path))
        .collect();
    places.sort();
    match places.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        None => Ok(()),
        Some(twins) => Err(RasterError::unsupported(
            twins[1].1,
            format!(
                "lies exactly where {} lies: leave one of them out, or say in both where they lie",
                twins[0].1.display()
            ),
        )),
    }
}
