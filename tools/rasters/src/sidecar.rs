//! The `.toml` file beside a raster that cannot state its place: `terrain.toml` for `terrain.png`.
//!
//! ```toml
//! cell_m = 5.0            # metres; or [61.0, 93.0]: west to east, north to south
//! height_min_m = 85.0     # height of sample value 0
//! height_max_m = 4181.0   # height of the largest sample value
//! width = 1025            # columns; headerless files only
//! height = 1025           # rows; headerless files only
//! nodata = 0              # the sample value that means NoData
//! height_unit = "ft"      # unit of heights that no range spreads
//! byte_order = "big"      # of headerless files; little if missing
//! encoding = "terrarium"  # or "mapbox": how the colours of a picture stand for heights
//! ```
//!
//! Every key is optional; an option on the command line wins over a key.

use std::path::Path;

use serde::Deserialize;

use crate::beside::CrsFiles;
use crate::encoding::Encoding;
use crate::error::RasterError;
use crate::facts::FactSource;
use crate::heights::HeightUnit;
use crate::hints::{ByteOrder, Hints};
use crate::locating::Located;
use crate::small_file;
use crate::stated::Stated;
use crate::void::NoData;

/// Longest sidecar, bytes: it has a few lines, and a longer file is no sidecar.
const BYTES_MAX: u64 = 65_536;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sidecar {
    cell_m: Option<SidecarCell>,
    height_min_m: Option<f64>,
    height_max_m: Option<f64>,
    width: Option<usize>,
    height: Option<usize>,
    nodata: Option<NoData>,
    height_unit: Option<HeightUnit>,
    byte_order: Option<ByteOrder>,
    encoding: Option<Encoding>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum SidecarCell {
    Square(f64),
    Oblong(f64, f64),
}

/// Adds the keys of the file beside `path` to `hints`, which win. A missing file is no error.
pub(crate) fn merge(path: &Path, hints: &Hints) -> Result<Hints, RasterError> {
    let beside = path.with_extension("toml");
    let Some(text) = small_file::read(&beside, BYTES_MAX)? else { return Ok(hints.clone()) };
    let said = toml::from_str::<Sidecar>(&text).map_err(|e| complaint(&beside, &text, &e))?;

    let mut stated = Stated::default();
    let nodata = match said.nodata {
        Some(NoData { values, is_undone: false }) if values.len() == 1 => {
            stated.nodata = values.first().copied();
            None
        }
        several => several,
    };
    stated.unit = said.height_unit.map(|HeightUnit(unit)| unit);
    let keys = Hints {
        cell_m: said.cell_m.map(|cell| match cell {
            SidecarCell::Square(side) => (side, side),
            SidecarCell::Oblong(x, y) => (x, y),
        }),
        height_range: pair(
            &beside,
            ("height_min_m", said.height_min_m),
            ("height_max_m", said.height_max_m),
        )?,
        size: pair(&beside, ("width", said.width), ("height", said.height))?,
        nodata,
        byte_order: said.byte_order,
        encoding: said.encoding,
        ..Hints::default()
    };
    keys.check(&beside)?;
    let left = [
        (FactSource::CELL, hints.cell_m.is_none()),
        (FactSource::HEIGHT_RANGE, hints.height_range.is_none()),
        (FactSource::SIZE, hints.size.is_none()),
        (FactSource::NODATA, hints.nodata.is_none()),
        (FactSource::BYTE_ORDER, hints.byte_order.is_none()),
        (FactSource::ENCODING, hints.encoding.is_none()),
    ];
    let left = left.into_iter().filter(|(_, is_left)| *is_left).map(|(source, _)| source);
    let mut merged = Hints {
        cell_m: hints.cell_m.or(keys.cell_m),
        height_range: hints.height_range.or(keys.height_range),
        size: hints.size.or(keys.size),
        nodata: hints.nodata.clone().or_else(|| keys.nodata.clone()),
        byte_order: hints.byte_order.or(keys.byte_order),
        encoding: hints.encoding.or(keys.encoding),
        left: left.collect(),
        beside: Some(Box::new(keys)),
        ..hints.clone()
    };
    merged.stated.push((FactSource::Sidecar, stated));
    merged.check(&beside)?;
    Ok(merged)
}

/// Makes one line out of the several that `toml` prints.
fn complaint(beside: &Path, text: &str, error: &toml::de::Error) -> RasterError {
    let start = error.span().map_or(0, |span| span.start);
    let before = text.get(..start).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let message = error.message().replace('\n', " ");
    RasterError::damaged(beside, format!("line {line}: {message}"))
}

/// Measures that turn bare samples into terrain.
pub(crate) struct Measures {
    /// Cell size in metres (x, y).
    pub(crate) cell_m: (f64, f64),
    /// Heights in metres of the lowest and the highest sample value.
    pub(crate) height_range: Option<(f64, f64)>,
}

/// Returns the measures, or one error about all missing ones; the height range is required only if
/// samples mean nothing without it.
pub(crate) fn require(
    path: &Path,
    hints: &Hints,
    needs_range: bool,
) -> Result<Measures, RasterError> {
    let lacks_range = needs_range && hints.height_range.is_none();
    if let (Some(cell_m), false) = (hints.cell_m, lacks_range) {
        return Ok(Measures { cell_m, height_range: hints.height_range });
    }
    let (mut lacks, mut options, mut keys) = (Vec::new(), Vec::new(), Vec::new());
    if hints.cell_m.is_none() {
        lacks.push("how large its cells are");
        options.push("--map-cell 5 (metres)");
        keys.push("cell_m");
    }
    if lacks_range {
        lacks.push("which heights its samples mean");
        options.push("--height-range 0..512 (metres of the lowest and the highest value)");
        keys.push("height_min_m and height_max_m");
    }
    Err(RasterError::hint(
        path,
        format!(
            "does not say {}: add {}, or put {} into {}",
            lacks.join(" and "),
            options.join(" and "),
            keys.join(", "),
            path.with_extension("toml").display()
        ),
    ))
}

/// Returns place and measures of a raster whose own file states neither; `located` is the place
/// that the files beside it state.
pub(crate) fn place(
    path: &Path,
    (size, located): ((usize, usize), Option<Located>),
    (hints, beside): (&Hints, &CrsFiles),
    needs_range: bool,
) -> Result<(Located, Measures), RasterError> {
    let Some(located) = located else {
        let measures = require(path, hints, needs_range)?;
        let located = Located::nowhere(path, (size, None), measures.cell_m, (hints, beside));
        return Ok((located, measures));
    };
    let hints = Hints { cell_m: located.grid.cell_m, ..hints.clone() };
    Ok((located, require(path, &hints, needs_range)?))
}

fn pair<T>(
    beside: &Path,
    (first_key, first): (&str, Option<T>),
    (second_key, second): (&str, Option<T>),
) -> Result<Option<(T, T)>, RasterError> {
    match (first, second) {
        (Some(first), Some(second)) => Ok(Some((first, second))),
        (None, None) => Ok(None),
        (Some(_), None) | (None, Some(_)) => Err(RasterError::damaged(
            beside,
            format!("has one of {first_key} and {second_key}: give both or neither"),
        )),
    }
}
