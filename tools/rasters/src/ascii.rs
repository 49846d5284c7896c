//! ESRI ASCII grids (`.asc`), plain or gzipped.
//!
//! A header of keys and values in any order and case, then `ncols × nrows` numbers, north row
//! first, separated by any white space; rows of the grid need not be lines of the file.
//!
//! Limits:     names no reference system: the `.prj` file beside it does, else see
//!             [`crate::ground`] for the unit that is assumed.
//! Source:     Esri ASCII raster format, as written by ArcGIS and GDAL (`dx`, `dy`).

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;

use crate::askew::Affine;
use crate::beside::CrsFiles;
use crate::error::RasterError;
use crate::facts::FactSource;
use crate::hints::Hints;
use crate::locating::{self, OwnPlacement};
use crate::numbers::spelled;
use crate::screen::StoredRows;
use crate::single;
use crate::size::checked_size;
use crate::source::RowSource;

/// Longest word that can be a number or a key.
const WORD_MAX: usize = 64;
/// NoData value if the header names none.
const NODATA_DEFAULT: f64 = -9999.0;
/// Mark that some editors put before the text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Opens a plain or gzipped ASCII grid.
pub(crate) fn open(
    path: &Path,
    file: File,
    hints: &Hints,
) -> Result<Box<dyn RowSource>, RasterError> {
    let failed = |e| RasterError::reading(path, "the first bytes", e);
    let mut file = BufReader::with_capacity(1 << 16, file);
    let gzipped = file.fill_buf().map_err(failed)?.starts_with(&[0x1f, 0x8b]);
    let mut text: Box<dyn BufRead + Send> = if gzipped {
        Box::new(BufReader::with_capacity(1 << 16, MultiGzDecoder::new(file)))
    } else {
        Box::new(file)
    };
    let start = text.fill_buf().map_err(failed)?;
    if !recognises(start) {
        return Err(RasterError::damaged(
            path,
            "does not begin like an ESRI ASCII grid (ncols, nrows, ...)",
        ));
    }
    if start.starts_with(BYTE_ORDER_MARK) {
        text.consume(BYTE_ORDER_MARK.len());
    }
    let mut words = AsciiWords::new(path, text);
    let header = AsciiHeader::read(&mut words)?;
    let (size, affine) = header.place(path)?;
    let own = OwnPlacement { place: Some((locating::HEADER, affine)), crs: None };
    let beside = CrsFiles::read(path)?;
    let Some(located) = locating::locate(path, size, own, (hints, &beside))? else {
        return Err(RasterError::damaged(path, "has no place in its header"));
    };
    let nodata = match header.nodata {
        Some(value) => (FactSource::File("NODATA_value"), value),
        None => (FactSource::Guess, NODATA_DEFAULT),
    };
    let settled = single::settle(path, (hints, Some(&located)), Some(nodata), None)?;
    let rows = AsciiRows { words, height: size.1 };
    single::screened(path, (size, located), rows, settled, hints)
}

/// Returns whether `start`, the first bytes of a file, can be the beginning of an ASCII grid.
pub(crate) fn recognises(start: &[u8]) -> bool {
    let start = start.strip_prefix(BYTE_ORDER_MARK).unwrap_or(start).trim_ascii_start();
    let word = start.split(|byte| byte.is_ascii_whitespace()).next().unwrap_or_default();
    key_of(&String::from_utf8_lossy(word)).is_some()
}

/// Fields of the header.
#[derive(Default)]
struct AsciiHeader {
    ncols: Option<f64>,
    nrows: Option<f64>,
    /// x of the south-west corner or cell centre; whether it is the centre.
    x: Option<(f64, bool)>,
    /// y of the same.
    y: Option<(f64, bool)>,
    dx: Option<f64>,
    dy: Option<f64>,
    nodata: Option<f64>,
}

#[derive(Clone, Copy)]
enum HeaderKey {
    Columns,
    Rows,
    X { is_centre: bool },
    Y { is_centre: bool },
    CellSize,
    CellWidth,
    CellHeight,
    NoData,
}

fn key_of(word: &str) -> Option<HeaderKey> {
    Some(match word.to_ascii_lowercase().as_str() {
        "ncols" => HeaderKey::Columns,
        "nrows" => HeaderKey::Rows,
        "xllcorner" => HeaderKey::X { is_centre: false },
        "xllcenter" => HeaderKey::X { is_centre: true },
        "yllcorner" => HeaderKey::Y { is_centre: false },
        "yllcenter" => HeaderKey::Y { is_centre: true },
        "cellsize" => HeaderKey::CellSize,
        "dx" => HeaderKey::CellWidth,
        "dy" => HeaderKey::CellHeight,
        "nodata_value" | "nodata" => HeaderKey::NoData,
        _ => return None,
    })
}

impl AsciiHeader {
    /// Reads keys up to the first word that is a number, which stays unread.
    fn read(words: &mut AsciiWords) -> Result<Self, RasterError> {
        let mut header = Self::default();
        while words.advance()? {
            if words.number().is_some() {
                words.put_back();
                return Ok(header);
            }
            let Some(key) = key_of(words.word()) else {
                let what = format!(
                    "'{}' is no key of an ASCII grid: delete it, or if it is a value, write \
                     decimals with a point",
                    words.word()
                );
                return Err(words.complain(&what));
            };
            let name = words.word().to_owned();
            if !words.advance()? {
                return Err(words.complain(&format!("the header ends after {name}")));
            }
            let Some(value) = words.number() else {
                let what = format!(
                    "{name} is '{}', which is not a number (decimals take a point)",
                    words.word()
                );
                return Err(words.complain(&what));
            };
            match key {
                HeaderKey::Columns => header.ncols = Some(value),
                HeaderKey::Rows => header.nrows = Some(value),
                HeaderKey::X { is_centre } => header.x = Some((value, is_centre)),
                HeaderKey::Y { is_centre } => header.y = Some((value, is_centre)),
                HeaderKey::CellSize => (header.dx, header.dy) = (Some(value), Some(value)),
                HeaderKey::CellWidth => header.dx = Some(value),
                HeaderKey::CellHeight => header.dy = Some(value),
                HeaderKey::NoData => header.nodata = Some(value),
            }
        }
        Err(words.complain("ends after its header: the values are missing, export it again"))
    }

    /// Returns columns and rows, and the place of the cells.
    fn place(&self, path: &Path) -> Result<((usize, usize), Affine), RasterError> {
        let need = |value: Option<f64>, key: &str| {
            value.ok_or_else(|| RasterError::damaged(path, format!("has no {key} in its header")))
        };
        let width = count(path, "ncols", need(self.ncols, "ncols")?)?;
        let height = count(path, "nrows", need(self.nrows, "nrows")?)?;
        checked_size(path, width as u64, height as u64)?;
        let step_x = need(self.dx, "cellsize")?;
        let step_y = need(self.dy, "cellsize")?;
        let (x, x_is_centre) = self.x.unwrap_or_default();
        let (y, y_is_centre) = self.y.unwrap_or_default();
        let south = if y_is_centre { y - 0.5 * step_y } else { y };
        let west = if x_is_centre { x - 0.5 * step_x } else { x };
        let origin = [west, south + height as f64 * step_y];
        Ok(((width, height), Affine { origin, column: [step_x, 0.0], row: [0.0, -step_y] }))
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a whole number from 0 to 2^32"
)]
fn count(path: &Path, key: &str, value: f64) -> Result<usize, RasterError> {
    if !(0.0..=4_294_967_296.0).contains(&value) || value.fract() > 0.0 {
        return Err(RasterError::damaged(
            path,
            format!("says {key} {value}, which is no number of cells"),
        ));
    }
    Ok(value as usize)
}

struct AsciiRows {
    words: AsciiWords,
    height: usize,
}

impl StoredRows for AsciiRows {
    fn read_row(&mut self, index: usize, row: &mut [f64]) -> Result<(), RasterError> {
        let width = row.len();
        for (column, value) in row.iter_mut().enumerate() {
            if !self.words.advance()? {
                return Err(self.words.complain(&format!(
                    "ends at row {index}, column {column} of {} x {width}: the file is \
                     truncated, fetch it again",
                    self.height
                )));
            }
            *value = self.words.number().ok_or_else(|| {
                self.words.complain(&format!(
                    "row {index}, column {column}: '{}' is not a number (decimals take a point)",
                    self.words.word()
                ))
            })?;
        }
        if index + 1 == self.height && self.words.advance()? {
            return Err(self.words.complain(
                "there are more values than ncols x nrows: the header does not fit the values",
            ));
        }
        Ok(())
    }
}

/// The words of a text, one at a time, in bounded memory.
struct AsciiWords {
    path: PathBuf,
    text: Box<dyn BufRead + Send>,
    word: String,
    line: usize,
    is_put_back: bool,
}

impl AsciiWords {
    fn new(path: &Path, text: Box<dyn BufRead + Send>) -> Self {
        Self { path: path.into(), text, word: String::new(), line: 1, is_put_back: false }
    }

    /// Returns the present word.
    fn word(&self) -> &str {
        &self.word
    }

    /// Returns the present word as a number.
    fn number(&self) -> Option<f64> {
        spelled(&self.word)
    }

    /// Makes the next [`Self::advance`] stay at the present word.
    fn put_back(&mut self) {
        self.is_put_back = true;
    }

    /// Advances to the next word; false at the end of the text.
    fn advance(&mut self) -> Result<bool, RasterError> {
        if std::mem::take(&mut self.is_put_back) {
            return Ok(true);
        }
        self.word.clear();
        loop {
            let bytes = match self.text.fill_buf() {
                Ok(bytes) => bytes,
                Err(e) => {
                    let place = format!("line {}", self.line);
                    return Err(RasterError::reading(&self.path, &place, e));
                }
            };
            if bytes.is_empty() {
                return Ok(!self.word.is_empty());
            }
            let mut used = 0;
            let mut is_done = false;
            for &byte in bytes {
                used += 1;
                if !byte.is_ascii_whitespace() {
                    self.word.push(char::from(byte));
                    if self.word.len() > WORD_MAX {
                        break;
                    }
                } else if self.word.is_empty() {
                    self.line += usize::from(byte == b'\n');
                } else {
                    // The line is counted when the separator is skipped next time.
                    used -= 1;
                    is_done = true;
                    break;
                }
            }
            self.text.consume(used);
            if is_done {
                return Ok(true);
            }
            if self.word.len() > WORD_MAX {
                return Err(self.complain(&format!("'{}...' is not a number", self.word)));
            }
        }
    }

    fn complain(&self, what: &str) -> RasterError {
        RasterError::damaged(&self.path, format!("line {}: {what}", self.line))
    }
}
