//! The water of a world without loading it: volume, place and origin.
//!
//! Guarantees: only the requested leaves are read; the rest is two records.

use std::collections::BTreeMap;
use std::fmt;

use kit::words::area;
use kit::words::time;
use rayon::prelude::*;
use serde::Serialize;
use thalweg::file::Head;
use thalweg::units::{OUTSIDE, Volume, plain::plain, plain::plain_list};
use thalweg::world::{
    ColumnKind, FileError, LeafDepths, Ledger, MapKinds, Order, SaveFile, Solver, StoredWater,
    TileKey, World, WorldSummary,
};

use crate::barriers::ListedBarrier;
use crate::import::short;
use crate::links::ListedLink;

/// Most leaves that are all read to count wet cells.
const LEAVES_COUNTED: usize = 16_384;

/// The water of a world.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WorldWater {
    /// Simulated time, s.
    pub time_s: f64,
    /// Equations that move it.
    pub solver: &'static str,
    /// Width of the simulated cells, m.
    pub cell_m: f64,
    /// Whether coarse cells have tables of the ground below them.
    pub sub_grid: bool,
    /// Whether leaves change while it runs.
    pub adaptive: bool,
    /// Leaves by level, finest first.
    pub leaves: Vec<LevelLeaves>,
    /// Cells at least `wet_depth_m` deep; `None` if the leaves are too many to look at each.
    pub wet_cells: Option<u64>,
    /// Area of these cells, m².
    pub wet_m2: Option<f64>,
    /// Depth from which a cell counts as wet, m.
    pub wet_depth_m: f64,
    /// Volume on the ground, m³.
    pub volume_m3: f64,
    /// Volume at the beginning, m³.
    pub initial_m3: f64,
    /// Accounts of its sources and sinks.
    pub accounts: Vec<WaterAccount>,
    /// Levees, weirs, gates and bridge decks of the world.
    pub barriers: Vec<ListedBarrier>,
    /// Culverts, pumps and drains of the world.
    pub links: Vec<ListedLink>,
    /// Tracers of the water.
    pub tracers: Vec<String>,
    /// Kinds of flood maps that the world keeps.
    pub maps: Vec<&'static str>,
    /// Hash of all state, 16 hexadecimal digits; only if it was requested.
    pub state_hash: Option<String>,
}

/// Leaves of a level.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LevelLeaves {
    /// The level.
    pub level: u8,
    /// Width of its cells, m.
    pub cell_m: f64,
    /// Their number.
    pub count: u64,
}

/// An account of the ledger, m³.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WaterAccount {
    /// Name of the source, sink or edge.
    pub name: String,
    /// Volume that entered.
    pub in_m3: f64,
    /// Volume that left.
    pub out_m3: f64,
}

/// The water of a file, to be read.
#[derive(Debug)]
pub struct WaterSource<'a> {
    summary: WorldSummary,
    stored: StoredWater<'a>,
}

impl<'a> WaterSource<'a> {
    /// Opens the water of a file; `None` if it has none.
    ///
    /// # Errors
    ///
    /// If the data read differ from the data saved.
    pub fn open(file: &'a SaveFile) -> Result<Option<Self>, FileError> {
        let (Some(summary), Some(stored)) = (file.summary()?, file.water()?) else {
            return Ok(None);
        };
        Ok(Some(Self { summary, stored }))
    }
}

/// Returns a state's hash as it is shown.
#[must_use]
pub fn shown_hash(world: &World) -> String {
    format!("{:016x}", world.state_hash())
}

/// Returns the cubic metres in a unit of volume.
#[must_use]
pub fn unit_m3(head: &Head) -> f64 {
    head.cell_width_m * head.cell_width_m * head.scale.unit_m()
}

/// Volumes in m³, for reading.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "for reading: the file has the units")]
pub fn cubic_metres(units: Volume, unit_m3: f64) -> f64 {
    units as f64 * unit_m3
}

/// Returns the accounts that moved anything.
#[must_use]
pub fn accounts(ledger: &Ledger, unit_m3: f64) -> Vec<WaterAccount> {
    let moved = ledger.accounts().iter().filter(|account| account.into != 0 || account.out != 0);
    let account = |account: &thalweg::world::Account| WaterAccount {
        name: account.name.clone(),
        in_m3: cubic_metres(account.into, unit_m3),
        out_m3: cubic_metres(account.out, unit_m3),
    };
    moved.map(account).collect()
}

impl WorldWater {
    /// Returns the description of a file's water. The leaves are read if that takes negligible
    /// time.
    ///
    /// # Errors
    ///
    /// If the data read differ from the data saved.
    pub fn of(source: &WaterSource<'_>, head: &Head) -> Result<Self, FileError> {
        let WaterSource { summary, stored } = source;
        let mut by_level = BTreeMap::new();
        for leaf in &summary.leaves {
            *by_level.entry(leaf.level).or_insert(0) += 1;
        }
        let cell_m = |level: u8| head.cell_width_m * f64::from(1_u32 << level);
        let leaves = by_level.into_iter();
        let leaves =
            leaves.map(|(level, count)| LevelLeaves { level, cell_m: cell_m(level), count });
        let wet = match summary.leaves.len() <= LEAVES_COUNTED {
            true => Some(wet(stored, summary, head)?),
            false => None,
        };
        let unit_m3 = unit_m3(head);
        let ledger = &summary.ledger;
        Ok(Self {
            time_s: summary.time.seconds(),
            solver: match (summary.settings.solver, summary.settings.order) {
                (Solver::Pipe, _) => "pipe",
                (Solver::ShallowWater, Order::First) => "swe, first order",
                (Solver::ShallowWater, Order::Second) => "swe",
            },
            cell_m: cell_m(summary.level),
            sub_grid: summary.level > 0 && summary.columns == ColumnKind::SubGrid,
            adaptive: summary.is_adaptive,
            leaves: leaves.collect(),
            wet_cells: wet.map(|(cells, _)| cells),
            wet_m2: wet.map(|(_, area)| area),
            wet_depth_m: summary.wet_depth_m,
            volume_m3: cubic_metres(ledger.expected(), unit_m3),
            initial_m3: cubic_metres(ledger.initial(), unit_m3),
            accounts: accounts(ledger, unit_m3),
            barriers: barriers(summary),
            links: summary.links.iter().map(ListedLink::of).collect(),
            tracers: summary.tracers.iter().map(|(name, _)| name.clone()).collect(),
            maps: summary.maps.names().collect(),
            state_hash: None,
        })
    }
}

/// Returns the barriers, in their order.
fn barriers(summary: &WorldSummary) -> Vec<ListedBarrier> {
    summary.barriers.iter().map(|(barrier, begun_s)| ListedBarrier::of(barrier, *begun_s)).collect()
}

/// Returns the number and area of the wet cells.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
fn wet(
    stored: &StoredWater<'_>,
    summary: &WorldSummary,
    head: &Head,
) -> Result<(u64, f64), FileError> {
    let least = head.scale.depth_units(summary.wet_depth_m).unwrap_or(1).max(1);
    let count = |&leaf: &TileKey| -> Result<(u64, f64), FileError> {
        let depth = stored.read(leaf)?.depth;
        let cells = depth.iter().filter(|&&depth| depth >= least).count() as u64;
        let cell_m = head.cell_width_m * f64::from(1_u32 << leaf.level);
        Ok((cells, cells as f64 * cell_m * cell_m))
    };
    let counts: Vec<_> = summary.leaves.par_iter().map(count).collect();
    // Summed in the order of leaves: the same sum each time.
    counts.into_iter().try_fold((0, 0.0), |(cells, area), found| {
        let (more, more_m2) = found?;
        Ok((cells + more, area + more_m2))
    })
}

/// Water on the cells of a level, rows from the north.
#[derive(Debug, Clone, PartialEq)]
pub struct Flooding {
    /// Mean depth of the wet part of a cell, m.
    pub depth_m: Vec<f32>,
    /// Wet part of each cell, 0 to 1, of the leaves that were read.
    pub share: Vec<f32>,
}

/// Returns the water on the cells of a level.
///
/// If the world has more than `most` leaves, only leaves that contain the middle of a cell are
/// read.
///
/// # Errors
///
/// If a leaf differs from the one saved.
pub fn flooding(
    source: &WaterSource<'_>,
    head: &Head,
    level: u8,
    most: usize,
) -> Result<Flooding, FileError> {
    let WaterSource { summary, stored } = source;
    let least = head.scale.depth_units(summary.wet_depth_m).unwrap_or(1).max(1);
    let (width, height) = head.size(level);
    let mut leaves = summary.leaves.clone();
    if leaves.len() > most {
        leaves.retain(|&leaf| holds_a_middle(leaf, level));
    }
    let read: Vec<_> = leaves.par_iter().map(|&leaf| stored.read(leaf)).collect();
    // Depth times wet area.
    let mut depth_m = vec![0.0_f32; width * height];
    // Area that was read, and its wet part, in cells.
    let mut areas = vec![[0.0_f32; 2]; width * height];
    for (leaf, found) in leaves.iter().zip(read) {
        let LeafDepths { bed, depth } = found?;
        let area = 0.25_f32.powi(i32::from(level.saturating_sub(leaf.level)));
        let inside = (0..depth.len()).filter(|&cell| bed[cell] != OUTSIDE);
        for cell in inside {
            let place = leaf.place(cell);
            let columns = covered(place.x, leaf.level, level, width);
            for y in covered(place.y, leaf.level, level, height) {
                for x in columns.clone() {
                    let at = (height - 1 - y) * width + x;
                    let is_wet = depth[cell] >= least;
                    areas[at][0] += area;
                    if is_wet {
                        areas[at][1] += area;
                        depth_m[at] += area * narrow(head.scale.depth_m(depth[cell]));
                    }
                }
            }
        }
    }
    for (depth, [_, wet]) in depth_m.iter_mut().zip(&areas) {
        *depth /= wet.max(f32::MIN_POSITIVE);
    }
    let share = areas.iter().map(|[seen, wet]| if *wet > 0.0 { wet / seen } else { 0.0 });
    Ok(Flooding { depth_m, share: share.collect() })
}

/// Returns the cells of `level` that a cell of a leaf of level `own` shares, along one axis.
#[must_use]
pub fn covered(at: u32, own: u8, level: u8, end: usize) -> std::ops::Range<usize> {
    let at = at as usize;
    let (first, last) = if own <= level {
        (at >> (level - own), (at >> (level - own)) + 1)
    } else {
        (at << (own - level), (at + 1) << (own - level))
    };
    first.min(end)..last.min(end)
}

/// True if the middle of some cell of `level` is in a tile.
fn holds_a_middle(tile: TileKey, level: u8) -> bool {
    if tile.level + 6 > level {
        return true; // as wide as a cell, or wider
    }
    // Tiles in a cell along one axis: the middle is the west side of one of them.
    let count = 1_u32 << (level - tile.level - 6);
    let is_middle = |at: u32| at % count == count / 2;
    is_middle(tile.x) && is_middle(tile.y)
}

/// Returns the nearest `f32`.
#[expect(clippy::cast_possible_truncation, reason = "what a map holds")]
fn narrow(metres: f64) -> f32 {
    metres as f32
}

impl fmt::Display for WorldWater {
    /// Writes the lines of a table, each ended.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { solver, volume_m3, initial_m3, .. } = self;
        let sub_grid = if self.sub_grid { " over sub-grid columns" } else { "" };
        let adaptive = if self.adaptive { ", leaves change" } else { "" };
        let (clock, cell) = (time(self.time_s), short(self.cell_m));
        writeln!(f, "  water    {clock} by {solver}, cells of {cell} m{sub_grid}{adaptive}")?;
        let leaves: Vec<String> = (self.leaves.iter())
            .map(|leaf| {
                format!("{} of level {} ({} m)", leaf.count, leaf.level, short(leaf.cell_m))
            })
            .collect();
        writeln!(f, "  leaves   {}", leaves.join(", "))?;
        if let (Some(cells), Some(wet_m2)) = (self.wet_cells, self.wet_m2) {
            let least = short(self.wet_depth_m);
            writeln!(f, "  wet      {cells} cells, {}, {least} m deep or more", area(wet_m2))?;
        }
        writeln!(f, "  volume   {volume_m3:.1} m³; {initial_m3:.1} m³ at the start")?;
        for WaterAccount { name, in_m3, out_m3 } in &self.accounts {
            let moved = [(*in_m3, "in"), (*out_m3, "out")].into_iter().filter(|(m3, _)| *m3 > 0.0);
            let words: Vec<String> = moved.map(|(m3, way)| format!("{m3:.1} m³ {way}")).collect();
            writeln!(f, "           {}: {}", plain(name), words.join(", "))?;
        }
        for (index, barrier) in self.barriers.iter().enumerate() {
            let heading = if index == 0 { "barriers" } else { "" };
            writeln!(f, "  {heading:8} {barrier}")?;
        }
        for (index, link) in self.links.iter().enumerate() {
            let heading = if index == 0 { "links" } else { "" };
            writeln!(f, "  {heading:8} {link}")?;
        }
        if !self.tracers.is_empty() {
            writeln!(f, "  tracers  {}", plain_list(&self.tracers))?;
        }
        match self.maps.len() {
            0 => writeln!(f, "  maps     none are kept")?,
            count if count == MapKinds::EACH.len() => writeln!(f, "  maps     all kinds")?,
            _ => writeln!(f, "  maps     {}; others are not kept", self.maps.join(", "))?,
        }
        if let Some(hash) = &self.state_hash {
            writeln!(f, "  state    {hash}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cell_of_a_coarse_level_has_one_tile_with_its_middle() {
        for (level, count) in [(6, 64), (8, 4), (9, 1)] {
            let tiles = (0..8).flat_map(|y| (0..8).map(move |x| TileKey { level: 0, x, y }));
            let found = tiles.filter(|&tile| holds_a_middle(tile, level)).count();
            assert_eq!(found, count, "level {level}");
        }
    }

    #[test]
    fn cells_cover_cells_of_other_levels() {
        for (at, own, level, end, expected) in
            [(5, 0, 2, 9, 1..2), (5, 2, 0, 99, 20..24), (5, 2, 0, 22, 20..22), (5, 1, 1, 9, 5..6)]
        {
            assert_eq!(covered(at, own, level, end), expected, "{at} of level {own} in {level}");
        }
    }
}
