//! SRTM tiles (`N48E007.hgt`): one square degree of big-endian 16-bit metres.
//!
//! 1201 or 3601 samples a side are on the corners and edges of the square degree, so the outer
//! corner of the raster is half a cell outside it. The name gives the south-west corner.
//!
//! Source:     SRTM Topography, USGS (documentation of version 2.1), section 2.

use std::fs::File;
use std::path::Path;

use crate::cell_size::CellSize;
use crate::crs::Crs;
use crate::error::RasterError;
use crate::facts::{Claims, Fact, FactSource};
use crate::grid::{Grid, HorizontalUnit};
use crate::ground;
use crate::hints::{ByteOrder, Hints};
use crate::locating::{Facing, HeightsBeside, Located};
use crate::plain::{PlainRows, PlainSample};
use crate::single;
use crate::source::RowSource;

const VOID: f64 = -32_768.0;

/// Opens an SRTM tile.
pub(crate) fn open(
    path: &Path,
    file: File,
    hints: &Hints,
) -> Result<Box<dyn RowSource>, RasterError> {
    let length = file.metadata().map_err(|e| RasterError::io("read", path, e))?.len();
    let side: usize = match length {
        2_884_802 => 1201,
        25_934_402 => 3601,
        _ => {
            return Err(RasterError::damaged(
                path,
                format!(
                    "has {length} bytes; an SRTM tile has 2884802 (3 arc seconds) or 25934402 \
                     (1 arc second): fetch it again"
                ),
            ));
        }
    };
    let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let Some((longitude, latitude)) = corner(name) else {
        return Err(RasterError::damaged(
            path,
            "an SRTM tile is placed by its name: call it like N48E007.hgt, its south-west corner",
        ));
    };
    let step = 1.0 / (side - 1) as f64;
    let grid = Grid {
        width: side,
        height: side,
        west: longitude - 0.5 * step,
        north: latitude + 1.0 + 0.5 * step,
        step_x: step,
        step_y: step,
        cell_m: None,
        unit: HorizontalUnit::Degree,
        crs: Some(Crs::geographic(4326)),
    };
    let grid = ground::settle(path, grid, hints)?;
    let by_name = FactSource::File("name of the tile");
    let cell = Claims::of("cell size")
        .add(FactSource::CELL, hints.cell_m.map(CellSize))
        .add(by_name, ground::own_cell(&grid, hints).map(CellSize));
    let mut facts = vec![
        Fact::of("unit of coordinates", by_name, grid.unit),
        Fact::of("reference system", by_name, "EPSG:4326"),
        Fact::of("place", by_name, format!("south-west corner at {longitude}, {latitude}")),
    ];
    facts.splice(0..0, cell.settle().map(|(_, fact)| fact));
    let order = hints.byte_order.unwrap_or(ByteOrder::Big);
    let by = match hints.byte_order {
        Some(_) => FactSource::BYTE_ORDER,
        None => FactSource::File("SRTM's order"),
    };
    facts.push(Fact::of("byte order", by, order));
    let rows = PlainRows::new(path, file, (PlainSample::Signed16, order), side);
    let void = (FactSource::File("SRTM's void"), VOID);
    let HeightsBeside { heights, remarks } = HeightsBeside::read(path, hints)?;
    let (facing, askew, own) = (Facing::default(), None, None);
    let located = Located { grid, facing, askew, own, heights, facts, remarks };
    let settled = single::settle(path, (hints, Some(&located)), Some(void), None)?;
    single::screened(path, ((side, side), located), rows, settled, hints)
}

/// Returns longitude and latitude in a name that begins like `N48E007`.
fn corner(name: &str) -> Option<(f64, f64)> {
    let name = name.to_ascii_uppercase();
    let degrees = |from: usize, to: usize| -> Option<f64> {
        let digits = name.get(from..to)?;
        let is_number = digits.bytes().all(|digit| digit.is_ascii_digit());
        is_number.then(|| digits.parse().ok()).flatten()
    };
    let sign = |at: usize, positive: &str, negative: &str| match name.get(at..=at)? {
        letter if letter == positive => Some(1.0),
        letter if letter == negative => Some(-1.0),
        _ => None,
    };
    let latitude = sign(0, "N", "S")? * degrees(1, 3)?;
    let longitude = sign(3, "E", "W")? * degrees(4, 7)?;
    Some((longitude, latitude))
}

#[cfg(test)]
mod tests {
    use super::corner;

    #[test]
    fn names_say_where_tiles_lie() {
        for (name, expected) in [
            ("N48E007", Some((7.0, 48.0))),
            ("s01w072", Some((-72.0, -1.0))),
            ("N00E000", Some((0.0, 0.0))),
            ("N48E007.SRTMGL1", Some((7.0, 48.0))),
            ("48E007", None),
            ("N4E07", None),
            ("N+8E007", None),
            ("Ñ48E007", None),
            ("", None),
        ] {
            assert_eq!(corner(name), expected, "{name}");
        }
    }
}
