//! Spray and mist: where water falls free, and where swift water breaks.
//!
//! A source is a cell; it throws puffs one after the other, each in an arc and fading. All follows
//! from the source's place and the time: nothing is kept from frame to frame.
//!
//! Limits: the puffs are not sorted, and do not drift with the wind.

use super::camera::TILE;
use super::pipelines::PuffNumbers;
use super::planes::Planes;
use std::collections::HashMap;
use thalweg::probe::Window;

/// Most puffs of a frame.
pub const PUFFS_MAX: usize = 6000;

/// Drop from one cell to the next from which water falls, m, and in depths.
const FALL_M: f32 = 1.5;
const FALL_DEPTHS: f32 = 2.0;

/// Foam and speed from which water breaks into spray.
const FOAM: f32 = 0.55;
const SPEED_M_S: f32 = 2.5;

const GRAVITY: f32 = 9.81;

/// A cell that throws spray.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Source {
    /// Cell of the window's level, and elevation of its surface, m.
    cell: [u32; 2],
    top_m: f32,
    velocity_m_s: [f32; 2],
    /// How high it throws, m.
    rise_m: f32,
    /// How much, 0 to 1.
    amount: f32,
    /// How far water falls onto it, m.
    fall_m: f32,
}

/// Sources of a layer, by tiles.
#[derive(Debug, Default)]
pub struct Spray {
    tiles: HashMap<[u32; 2], Vec<Source>>,
}

impl Spray {
    /// Looks for sources in cells of a tile that have changed.
    pub fn find(&mut self, planes: &Planes, cells: Window) {
        let tile = [cells.corner.x / TILE, cells.corner.y / TILE];
        let is_in = |at: &Source| {
            (0..2).all(|axis| {
                let (corner, side) =
                    [(cells.corner.x, cells.width), (cells.corner.y, cells.height)][axis];
                (at.cell[axis].wrapping_sub(corner) as usize) < side
            })
        };
        let sources = self.tiles.entry(tile).or_default();
        sources.retain(|source| !is_in(source));
        if !planes.is_wet(cells.corner.x, cells.corner.y) {
            return;
        }
        #[expect(clippy::cast_possible_truncation, reason = "64 cells")]
        let places = (0..cells.height as u32)
            .flat_map(|y| (0..cells.width as u32).map(move |x| [x, y]))
            .map(|[x, y]| [cells.corner.x + x, cells.corner.y + y]);
        sources.extend(places.filter_map(|cell| source(planes, cell)));
    }

    /// Cells onto which water falls, and how far it falls, m.
    pub fn feet(&self) -> impl Iterator<Item = ([u32; 2], f32)> {
        let all = self.tiles.values().flatten();
        all.filter(|source| source.fall_m > 0.0).map(|source| (source.cell, source.fall_m))
    }

    /// Puffs at a moment; `corner_m` is at 0.
    #[expect(clippy::cast_possible_truncation, reason = "what a graphics card reckons in")]
    pub fn puffs(
        &self,
        planes: &Planes,
        (cell_m, corner_m): (f64, [f64; 2]),
        at_s: f32,
    ) -> Vec<PuffNumbers> {
        let mut tiles: Vec<_> = self.tiles.iter().filter(|(_, all)| !all.is_empty()).collect();
        tiles.sort_unstable_by_key(|(tile, _)| **tile);
        let window = planes.window;
        let is_seen = |source: &&Source| {
            let [x, y] = source.cell;
            (x.wrapping_sub(window.corner.x) as usize) < window.width
                && (y.wrapping_sub(window.corner.y) as usize) < window.height
        };
        let all = tiles.iter().flat_map(|(_, sources)| sources.iter()).filter(is_seen);
        let count = all.clone().count();
        // Of too many every second or third one throws.
        let step = (5 * count).div_ceil(PUFFS_MAX).max(1);
        let mut puffs = Vec::new();
        for source in all.step_by(step) {
            let middle = [0, 1].map(|axis| {
                ((f64::from(source.cell[axis]) + 0.5) * cell_m - corner_m[axis]) as f32
            });
            for which in 0..if source.fall_m > 0.0 { 7 } else { 4 } {
                puffs.push(puff(source, middle, cell_m as f32, (which, at_s)));
            }
        }
        puffs.truncate(PUFFS_MAX);
        puffs
    }
}

/// Whether a cell throws spray, and how much.
fn source(planes: &Planes, [x, y]: [u32; 2]) -> Option<Source> {
    let here = planes.water_at(x, y)?;
    let speed = here.velocity_m_s[0].hypot(here.velocity_m_s[1]);
    let around = [(0, 1), (2, 1), (1, 0), (1, 2)];
    let near =
        around.map(|(dx, dy)| planes.water_at((x + dx).checked_sub(1)?, (y + dy).checked_sub(1)?));
    let highest = near.iter().flatten().max_by(|a, b| a.top_m.total_cmp(&b.top_m));
    let drop_m = highest.map_or(0.0, |above| above.top_m - here.top_m);
    let above_m = highest.map_or(0.0, |above| above.depth_m);
    let (top_m, velocity_m_s, cell) = (here.top_m, here.velocity_m_s, [x, y]);
    if drop_m > FALL_M.max(FALL_DEPTHS * above_m) {
        // The foot throws most: below it nothing falls on.
        let lowest = near.iter().flatten().map(|near| near.top_m).fold(f32::INFINITY, f32::min);
        let is_foot = here.top_m - lowest < 0.5 * drop_m;
        let amount = (0.35 + 0.8 * above_m).min(1.0) * if is_foot { 1.0 } else { 0.25 };
        let fall_m = drop_m;
        return Some(Source { cell, top_m, velocity_m_s, rise_m: 0.7 * drop_m, amount, fall_m });
    }
    let is_breaking = here.foam > FOAM && speed > SPEED_M_S && here.depth_m > 0.15;
    is_breaking.then(|| {
        let amount = (0.5 * (here.foam - FOAM) + 0.05 * (speed - SPEED_M_S)).min(0.5);
        let rise_m = (0.25 * speed * speed / (2.0 * GRAVITY)).min(2.5);
        Source { cell, top_m, velocity_m_s, rise_m, amount, fall_m: 0.0 }
    })
}

/// A number from 0 to 1 that stays with a source.
fn chance([x, y]: [u32; 2], which: u32) -> f32 {
    let mut bits = x.wrapping_mul(0x9e37_79b1) ^ y.wrapping_mul(0x85eb_ca77) ^ which << 13;
    for _ in 0..2 {
        bits = (bits ^ (bits >> 15)).wrapping_mul(0x2c1b_3c6d);
    }
    #[expect(clippy::cast_precision_loss, reason = "0 to 1")]
    let part = (bits >> 8) as f32 / 16_777_216.0;
    part
}

/// One puff of a source: thrown up, carried along by half of the water's velocity, growing.
fn puff(source: &Source, middle: [f32; 2], cell_m: f32, (which, at_s): (u32, f32)) -> PuffNumbers {
    let lasts_s = 2.0 * (2.0 * source.rise_m.max(0.2) / GRAVITY).sqrt() + 0.9;
    let run = at_s / lasts_s + chance(source.cell, 4 * which);
    let part = run.fract();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
    let turn = run as u32;
    let chance = |step: u32| chance(source.cell, 4 * which + step + 64 * (turn % 4096));
    let rise = source.rise_m * (0.5 + chance(1)) * 4.0 * part * (1.0 - 0.75 * part);
    let at = [0, 1].map(|axis| {
        let aside = (chance(2 + u32::from(axis == 1)) - 0.5) * cell_m;
        middle[axis] + aside + 0.5 * source.velocity_m_s[axis] * part * lasts_s
    });
    let size = (0.35 + 0.4 * source.rise_m) * (0.5 + 1.3 * part);
    let hidden = source.amount * 0.9 * (1.0 - part) * (6.0 * part).min(1.0);
    PuffNumbers {
        place: [at[0], at[1], source.top_m + rise],
        size,
        kind: [hidden, chance(1) * 7.0],
    }
}
