//! World cut open at a height: everything above it is removed.
//!
//! ```text
//!  ▓▓▓▓▓▓▓▓▓▓▓▓▓▓            bed below the cut       as it is, water up to the cut
//!  ▓▓┌──────┐▓▓▓▓            above it, on a cave     the floor of the topmost interval whose bed
//! ─▓▓│─ ─ ─ │▓▓▓─\\──── cut                           is below the cut, and its water
//!  ▓▓│≈≈≈≈≈≈│▓▓▓▓ \\______    above it, else          rock, level with the cut
//!  ▓▓└──────┘▓▓▓▓▓▓▓▓▓▓▓▓
//! ```
//!
//! Limits: structures and bodies are drawn whole; a window coarser than the intervals shows one
//!         cell of several. All tiles that show floors are sent with each state.

use std::collections::BTreeSet;

use half::f16;
use thalweg::probe::Window;
use thalweg::world::{CellPlace, IntervalView, TILE_WIDTH, World};

use crate::session::{Looks, WindowPatch};

/// Marks in place of foam: the floor of an interval, and rock at the cut.
const FLOOR: f32 = -1.0;
const ROCK: f32 = -2.0;

/// Depth from which water on a floor is visible, m.
const WET_M: f64 = 0.01;

/// Signed depth of a dry floor and of rock, m.
const DRY_M: f32 = -1.0;

/// Height at which a window is cut, and the tiles that show floors of intervals.
#[derive(Debug, Clone)]
pub(super) struct WorldCut {
    height_m: f64,
    /// Tiles that show floors: column and row.
    floors: BTreeSet<[u32; 2]>,
    /// Number of intervals that the world had.
    count: usize,
}

impl WorldCut {
    pub fn at(height_m: f64) -> Self {
        Self { height_m, floors: BTreeSet::new(), count: 0 }
    }

    pub fn height_m(&self) -> f64 {
        self.height_m
    }

    /// True if the world's number of intervals has changed since the last call.
    pub fn is_of_other(&mut self, world: &World) -> bool {
        let count = world.stacks().count();
        std::mem::replace(&mut self.count, count) != count
    }

    /// True for cells of a tile that shows floors.
    pub fn has_floors(&self, cells: &Window) -> bool {
        self.floors.contains(&tile_of(cells))
    }

    /// Keeps the patches of a state that show floors; a whole state replaces the earlier ones.
    pub fn keep(&mut self, floors: impl Iterator<Item = Window>, is_whole: bool) {
        if is_whole {
            self.floors.clear();
        }
        self.floors.extend(floors.map(|cells| tile_of(&cells)));
    }

    /// Cuts a patch, whose cells represent places of the world; returns whether it shows floors.
    pub fn open(
        &self,
        world: &World,
        patch: &mut WindowPatch,
        place: impl Fn(usize) -> CellPlace,
    ) -> bool {
        let mut has_floors = false;
        let WindowPatch { heights, water, normals, .. } = patch;
        let cells = heights.iter_mut().zip(water).zip(normals).enumerate();
        for (index, ((heights, water), normal)) in cells {
            let seen = match heights.map(f64::from) {
                [bed, top] if bed <= self.height_m && top > self.height_m => {
                    // Open water, up to the cut.
                    *heights = metres([bed, self.height_m]);
                    water[0] = f16::from_f32(heights[1] - heights[0]).to_bits();
                    continue;
                }
                [bed, _] if bed > self.height_m => self.below(world, place(index)),
                _ => continue,
            };
            let BelowCut { bed_m, depth_m, velocity_m_s: [u, v], mark } = seen;
            let is_wet = depth_m >= WET_M;
            *heights = metres([bed_m, if is_wet { bed_m + depth_m } else { bed_m }]);
            let signed = if is_wet { metres([depth_m, 0.0])[0] } else { DRY_M };
            let [u, v] = if is_wet { metres([u, v]) } else { [0.0; 2] };
            *water = [signed, u, v, mark].map(|number| f16::from_f32(number).to_bits());
            *normal = [0; 4];
            has_floors |= mark == FLOOR;
        }
        has_floors
    }

    /// Returns the floor or the rock of a cell whose ground is above the cut.
    fn below(&self, world: &World, place: CellPlace) -> BelowCut {
        let Some(own) = self.floor(world, place) else {
            let (bed_m, depth_m) = (self.height_m, 0.0);
            return BelowCut { bed_m, depth_m, velocity_m_s: [0.0; 2], mark: ROCK };
        };
        let [x_m, y_m] = [place.x, place.y].map(|at| (f64::from(at) + 0.5) * world.cell_width_m());
        let sample = world.stacks().at([x_m, y_m, own.bed_m]).ok().flatten();
        BelowCut {
            bed_m: own.bed_m,
            depth_m: own.depth_m.min(self.height_m - own.bed_m),
            velocity_m_s: sample.map_or([0.0; 2], |sample| sample.velocity_m_s),
            mark: FLOOR,
        }
    }

    /// Returns the topmost interval of a cell whose bed is below the cut.
    fn floor(&self, world: &World, place: CellPlace) -> Option<IntervalView> {
        world.stacks().intervals_at(place).into_iter().rfind(|own| own.bed_m < self.height_m)
    }

    /// Returns the bed of the interval that a cell shows, m; `None` if it shows ground or rock.
    pub fn floor_m(&self, world: &World, place: CellPlace) -> Option<f64> {
        let is_cut = world.bed_m(place).is_some_and(|bed_m| bed_m > self.height_m);
        self.floor(world, place).filter(|_| is_cut).map(|own| own.bed_m)
    }

    /// Removes falls and spray above the cut.
    pub fn thin(&self, looks: &mut Looks) {
        let is_below = |z: f32| f64::from(z) <= self.height_m;
        looks.emitters.retain(|emitter| is_below(emitter.elevation_m));
        let vertices = &looks.vertices;
        let is_low = |range: &std::ops::Range<usize>| {
            vertices[range.clone()].iter().all(|vertex| is_below(vertex.lip_m[2]))
        };
        looks.sheets.retain(|sheet| is_low(&sheet.vertices));
    }
}

/// Floor of an interval with its water, or rock.
struct BelowCut {
    bed_m: f64,
    depth_m: f64,
    velocity_m_s: [f64; 2],
    mark: f32,
}

#[expect(clippy::cast_possible_truncation, reason = "what a graphics card reckons in")]
fn metres(values: [f64; 2]) -> [f32; 2] {
    values.map(|value| value as f32)
}

/// Returns the column and row of the tile that contains cells.
#[expect(clippy::cast_possible_truncation, reason = "64")]
fn tile_of(cells: &Window) -> [u32; 2] {
    [cells.corner.x, cells.corner.y].map(|at| at / TILE_WIDTH as u32)
}
