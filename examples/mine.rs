//! Look at: the lake that breaks into the gallery after the wall is dug through, how it falls down
//! the shaft and rises in the deep rooms, and the part behind the dam that stays dry until it is
//! opened. Left: slices of the mine through its floors; right: the mine, turning.
//!
//! `cargo run --release --example mine [PICTURE.png]`
//!
//! The picture, `target/mine.png` by default, is an animated PNG, which browsers play.
//!
//! The game here has its ground in voxels, and the water in each as a number from 0 to 15, chunk by
//! chunk: only the chunks around the player are updated.

mod film;

use std::error::Error;
use std::path::PathBuf;
use thalweg::prelude::*;
use thalweg::world::RockError;

/// Columns, rows and layers of the mine, and of a chunk.
const SIZE: [u32; 3] = [64, 48, 16];
const CHUNK: u32 = 16;
/// Chunks around the player's that a game shows.
const REACH: u32 = 2;
/// Columns of the lake, its bed as a layer, and its stage, m.
const LAKE: u32 = 14;
const LAKE_BED: u32 = 6;
const STAGE_M: f64 = 15.0;
/// Air in the rock: the first voxel, and the first behind the last.
const ROOMS: [[[u32; 3]; 2]; 9] = [
    // The gallery from the lake's wall to the far end, and the rooms beside it.
    [[16, 22, 7], [60, 26, 10]],
    [[20, 10, 7], [32, 22, 11]],
    [[22, 26, 7], [34, 40, 10]],
    [[46, 8, 7], [58, 22, 12]],
    // The shaft, and the deep level.
    [[38, 23, 1], [40, 25, 10]],
    [[26, 12, 1], [54, 16, 4]],
    [[37, 16, 1], [41, 36, 3]],
    [[30, 36, 1], [52, 44, 5]],
    // A way up from the far end to the surface.
    [[59, 24, 7], [60, 25, 16]],
];
/// Frames, seconds from one to the next, and pixels along a voxel of a slice.
const FRAMES: u32 = 140;
const FRAME_S: f64 = 1.0;
const PIXELS: u32 = 5;
/// Layers that are shown as slices.
const SLICES: [u32; 2] = [8, 2];

/// True if a voxel is rock before any digging.
fn is_rock(x: u32, y: u32, z: u32) -> bool {
    let at = [x, y, z];
    let is_in = |[low, high]: &[[u32; 3]; 2]| (0..3).all(|i| (low[i]..high[i]).contains(&at[i]));
    let is_lake = x < LAKE && z >= LAKE_BED;
    !is_lake && !ROOMS.iter().any(is_in)
}

/// The game's copy of the mine: rock, and fill by voxel, chunk by chunk.
struct MineGame {
    rock: Vec<bool>,
    fills: Vec<u8>,
}

fn index([x, y, z]: [u32; 3]) -> usize {
    ((z * SIZE[1] + y) * SIZE[0] + x) as usize
}

impl MineGame {
    fn new() -> Self {
        let [width, height, layers] = SIZE;
        let rows = (0..layers).flat_map(|z| (0..height).map(move |y| (y, z)));
        let rock = rows.flat_map(|(y, z)| (0..width).map(move |x| is_rock(x, y, z))).collect();
        Self { rock, fills: vec![0; (width * height * layers) as usize] }
    }

    /// Updates the chunks around a place; returns their number.
    fn update(
        &mut self,
        world: &World,
        frame: VoxelFrame,
        [x, y, _]: [u32; 3],
    ) -> Result<u32, RockError> {
        let mut count = 0;
        for (cy, cx) in (0..SIZE[1] / CHUNK).flat_map(|y| (0..SIZE[0] / CHUNK).map(move |x| (y, x)))
        {
            if cx.abs_diff(x / CHUNK) > REACH || cy.abs_diff(y / CHUNK) > REACH {
                continue;
            }
            count += 1;
            let (low, size) = ([cx * CHUNK, cy * CHUNK, 0], [CHUNK, CHUNK, SIZE[2]]);
            let fills = world.voxels(frame).fills(low, size)?;
            for (at, fill) in (0..).zip(fills) {
                let voxel = [at % CHUNK, at / CHUNK % CHUNK, at / (CHUNK * CHUNK)];
                self.fills[index([0, 1, 2].map(|i| low[i] + voxel[i]))] = fill;
            }
        }
        Ok(count)
    }

    /// Digs or places a block of voxels, in the game and in the world.
    fn work(
        &mut self,
        (world, frame): (&mut World, VoxelFrame),
        is_rock: bool,
        [low, size]: [[u32; 3]; 2],
    ) -> Result<(), Box<dyn Error>> {
        let voxels = world.voxels(frame);
        let act = if is_rock { voxels.place(low, size) } else { voxels.dig(low, size) }?;
        world.edits().act(act)?;
        let all = (0..size[2]).flat_map(|z| (0..size[1]).map(move |y| (y, z)));
        for (x, y, z) in all.flat_map(|(y, z)| (0..size[0]).map(move |x| (x, y, z))) {
            self.rock[index([low[0] + x, low[1] + y, low[2] + z])] = is_rock;
        }
        Ok(())
    }

    /// Returns the colour of a voxel in a slice.
    fn colour(&self, voxel: [u32; 3]) -> [u8; 3] {
        match (self.rock[index(voxel)], self.fills[index(voxel)]) {
            (true, _) => [58, 50, 46],
            (false, 0) => [206, 190, 160],
            (false, fill) => {
                let part = f64::from(fill) / 15.0;
                film::mix([150.0, 200.0, 235.0], [14.0, 60.0, 150.0], part)
            }
        }
    }
}

/// Returns the player's place at a time: towards the lake, away from it, and up the far end.
fn player(seconds: u32) -> [u32; 3] {
    let x = match seconds {
        0..20 => 56 - 2 * seconds,
        20..24 => 18,
        _ => (18 + 2 * (seconds - 24)).min(58),
    };
    [x, 24, 7]
}

/// Returns the work after some seconds: rock or air, the first voxel, and the number of voxels.
fn job(seconds: u32) -> Option<(bool, [[u32; 3]; 2], &'static str)> {
    match seconds {
        22 => Some((false, [[LAKE, 23, 7], [2, 2, 2]], "the wall to the lake is dug through")),
        38 => Some((true, [[44, 22, 7], [1, 4, 3]], "a dam is put into the gallery")),
        90 => Some((false, [[44, 23, 7], [1, 2, 1]], "the dam gets a hole")),
        _ => None,
    }
}

/// Draws one moment: slices one below another, and the mine as it turns.
fn draw(game: &MineGame, player: [u32; 3], turn: f64) -> Vec<u8> {
    let [width, height] = picture_size();
    let mut picture = vec![24; (width * height * 3) as usize];
    let mut paint = |x: u32, y: u32, colour: [u8; 3]| {
        if x < width && y < height {
            let at = ((y * width + x) * 3) as usize;
            picture[at..at + 3].copy_from_slice(&colour);
        }
    };
    for (slice, &z) in (0..).zip(&SLICES) {
        let top = slice * (SIZE[1] * PIXELS + PIXELS);
        for (y, x) in (0..SIZE[1] * PIXELS).flat_map(|y| (0..SIZE[0] * PIXELS).map(move |x| (y, x)))
        {
            let voxel = [x / PIXELS, SIZE[1] - 1 - y / PIXELS, z];
            let is_player = voxel[0] == player[0] && voxel[1] == player[1] && slice == 0;
            let colour = if is_player { [230, 60, 40] } else { game.colour(voxel) };
            paint(x, top + y, colour);
        }
    }
    for (x, y, colour) in turned(game, player, turn) {
        paint(SIZE[0] * PIXELS + PIXELS + x, y, colour);
    }
    picture
}

fn picture_size() -> [u32; 2] {
    [2 * SIZE[0] * PIXELS + PIXELS + 120, (2 * SIZE[1] + 1) * PIXELS]
}

/// Returns the pixels of the mine from above at an angle, the far ones first: floors, and water.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "pixels")]
fn turned(game: &MineGame, player: [u32; 3], turn: f64) -> Vec<(u32, u32, [u8; 3])> {
    let (sine, cosine) = turn.sin_cos();
    let middle = [f64::from(SIZE[0]) * 0.5, f64::from(SIZE[1]) * 0.5];
    let mut sprites = Vec::new();
    let [width, height, layers] = SIZE;
    let all = (0..layers).flat_map(|z| (0..height).map(move |y| (y, z)));
    for (x, y, z) in all.flat_map(|(y, z)| (0..width).map(move |x| (x, y, z))) {
        let voxel = [x, y, z];
        let is_air = !game.rock[index(voxel)];
        let is_floor = is_air && (z == 0 || game.rock[index([x, y, z - 1])]);
        let is_player = voxel == player;
        if !is_air || (!is_floor && game.fills[index(voxel)] == 0 && !is_player) {
            continue;
        }
        let colour = if is_player { [230, 60, 40] } else { game.colour(voxel) };
        let [east, north] = [f64::from(x) - middle[0], f64::from(y) - middle[1]];
        let [right, far] = [east * cosine - north * sine, east * sine + north * cosine];
        let lit = colour.map(|part| (f64::from(part) * (0.62 + 0.025 * f64::from(z))) as u8);
        sprites.push((far - 0.5 * f64::from(z), right, 0.5 * far + 1.1 * f64::from(z), lit));
    }
    sprites.sort_by(|a, b| b.0.total_cmp(&a.0));
    let scale = f64::from(PIXELS);
    let (across, down) = (f64::from(SIZE[0]) * scale * 0.5 + 60.0, 280.0);
    let of_sprite = |(_, right, up, colour): (f64, f64, f64, [u8; 3])| {
        let [x, y] = [across + scale * right, down - scale * up].map(|v| v.max(0.0) as u32);
        (0..PIXELS + 1).flat_map(move |dy| (0..PIXELS + 1).map(move |dx| (x + dx, y + dy, colour)))
    };
    sprites.into_iter().flat_map(of_sprite).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).map_or("target/mine.png".into(), PathBuf::from);
    let low = CellPlace { x: 0, y: 0 };
    let frame = VoxelFrame { low, size: SIZE, floor_m: 0.0, voxel_m: 1.0 };
    let grid = VoxelGrid::from_fn(frame, is_rock)?;
    let mut world = WorldBuilder::new(grid.terrain(1.0)?)
        .voids(grid.voids())
        .initial_stage(|place| if place.x < LAKE { STAGE_M } else { f64::NAN })
        .build()?;
    let mut game = MineGame::new();
    for x in (0..SIZE[0]).step_by(CHUNK as usize) {
        game.update(&world, frame, [x, 24, 0])?;
    }
    println!("{} intervals below the ground", world.stacks().count());
    println!("  s  below m³  lake m  chunks");
    let mut frames = Vec::new();
    for seconds in 0..FRAMES {
        if let Some((is_rock, block, what)) = job(seconds) {
            game.work((&mut world, frame), is_rock, block)?;
            println!("{seconds:>3}  {what}");
        }
        world.run_until(SimTime::from_seconds(f64::from(seconds + 1) * FRAME_S));
        let at = player(seconds);
        let chunks = game.update(&world, frame, at)?;
        frames.push(draw(&game, at, 0.7 + 0.012 * f64::from(seconds)));
        if seconds % 20 == 19 {
            let lake = world.water().stage_m(CellPlace { x: 2, y: 24 }).unwrap_or(0.0);
            let below = world.stacks().volume_m3();
            println!("{:>3} {below:>9.0} {lake:>7.2} {chunks:>7}", seconds + 1);
        }
    }
    let (stored, expected) = (world.water().stored(), world.water().ledger().expected());
    println!("stored {stored} units, expected {expected}: {} lost", expected - stored);
    film::write(&path, picture_size(), 10, &frames)?;
    println!("{} frames in {}", frames.len(), path.display());
    Ok(())
}
