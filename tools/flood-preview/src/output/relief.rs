//! Relief of a run that is done, read back from its `report.html`: the ground under pictures that
//! are drawn from results alone.
//!
//! Guarantees: a page without a record, or with one of another kind, has no relief; it is no error.
//! Limits:     the relief has the resolution of the page's map, 800 pixels a side at most.

use std::fs;
use std::path::Path;

use kit::picture::relief::ReliefShading;
use serde::Deserialize;
use serde_json::Value;

use super::packing;

/// Markup before and after the record in a page.
const RECORD: [&str; 2] = ["<script id=\"record\" type=\"application/json\">", "</script>"];

/// A relief and its place.
#[derive(Debug, Clone, PartialEq)]
pub struct PlacedRelief {
    relief: ReliefShading,
    /// Outer north-west corner, in the map's coordinates.
    corner: [f64; 2],
    /// Width and height of a pixel in these coordinates.
    step: [f64; 2],
}

/// The part of a record that places the page's map.
#[derive(Deserialize)]
struct ReliefGrid {
    factor: u32,
    columns: usize,
    rows: usize,
    west: f64,
    north: f64,
    step_x: f64,
    step_y: f64,
}

/// A packed plane: a value is `offset + step × count`.
#[derive(Deserialize)]
struct ReliefPlane {
    offset: f64,
    step: f64,
    packed: String,
}

impl PlacedRelief {
    /// Reads the relief of a page; `None` if it has none.
    #[must_use]
    pub fn read(report: &Path) -> Option<Self> {
        let page = fs::read_to_string(report).ok()?;
        let (_, rest) = page.split_once(RECORD[0])?;
        let (record, _) = rest.split_once(RECORD[1])?;
        let mut record: Value = serde_json::from_str(record).ok()?;
        let place: ReliefGrid = serde_json::from_value(record["grid"].take()).ok()?;
        let plane: ReliefPlane = serde_json::from_value(record["relief"].take()).ok()?;
        let ReliefGrid { columns, rows, .. } = place;
        let count = columns.checked_mul(rows)?;
        let counts = packing::unpack(&plane.packed, &[], columns, count)?;
        #[expect(clippy::cast_possible_truncation, reason = "a brightness of 0 to 1")]
        let brightness = |count: &u16| match *count {
            packing::NOTHING => f32::NAN,
            count => (plane.offset + plane.step * f64::from(count)) as f32,
        };
        let brightness = counts.iter().map(brightness).collect();
        let factor = f64::from(place.factor);
        Some(Self {
            relief: ReliefShading { width: columns, height: rows, brightness },
            corner: [place.west, place.north],
            step: [place.step_x * factor, place.step_y * factor],
        })
    }

    /// Brightness at a place of the map; NaN outside.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "pixels are few")]
    pub fn at(&self, x: f64, y: f64) -> f32 {
        let column = (x - self.corner[0]) / self.step[0];
        let row = (self.corner[1] - y) / self.step[1];
        let is_inside = (0.0..self.relief.width as f64).contains(&column)
            && (0.0..self.relief.height as f64).contains(&row);
        if is_inside { self.relief.at(column, row) } else { f32::NAN }
    }
}
