//! Crates, which fall, float, pile up and are swept along.
//!
//! [`rapier3d`] moves them in the world's water and on its ground. The ground consists of blocks of
//! 16 × 16 cells around each crate, made from the present beds.

use std::collections::{BTreeMap, BTreeSet};

use rapier3d::geometry::Array2;
use rapier3d::prelude::{
    ColliderBuilder, ColliderHandle, PhysicsWorld, RigidBodyBuilder, RigidBodyHandle, Rotation,
    Vector,
};
use thalweg::body::{Bodies, Body, Pose};
use thalweg::units::{SimTime, TICKS_PER_S};
use thalweg::world::{CellPlace, World};
use thalweg_rapier::{RapierLink, Up};

use crate::session::BodyShape;

/// Largest number of crates of a world.
const CRATES_MOST: usize = 400;

/// Density of a crate, kg/m³: a little more than half of water's.
const DENSITY: f32 = 550.0;

/// Narrowest and widest crate, m.
const WIDTHS_M: [f64; 2] = [0.1, 50.0];

/// Longest step of the crates, s, and longest cycle of the water, in ticks: while they move, and
/// while all of them are still.
const STEP_S: f64 = 1.0 / 60.0;
const MOVING: u64 = TICKS_PER_S / 30;
const STILL: u64 = TICKS_PER_S / 2;

/// Cells along a side of a block of ground.
const BLOCK: u32 = 16;

/// Crate of the engine.
struct OwnCrate {
    /// Number of the crate, as long as it can be taken back.
    number: u64,
    handle: RigidBodyHandle,
    /// Half the width of the crate, m.
    half_m: f64,
}

/// Crate apart from the engine: a new one, or one that was taken out, with its motion.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Loose {
    number: u64,
    half_m: f64,
    /// Middle of the crate in the world, m.
    centre_m: [f64; 3],
    turn: Rotation,
    /// Velocity and angular velocity, in the axes of the engine.
    velocities: [Vector; 2],
}

impl Loose {
    /// Returns the number of the crate.
    pub fn number(&self) -> u64 {
        self.number
    }
}

/// All crates of a world, and the ground below them.
pub(super) struct Crates {
    engine: PhysicsWorld,
    link: RapierLink,
    origin: [f64; 2],
    own: Vec<OwnCrate>,
    /// Number of crates so far.
    named: u64,
    ground: BTreeMap<[u32; 2], ColliderHandle>,
}

impl Crates {
    /// Returns an empty set.
    pub fn new() -> Self {
        Self {
            engine: PhysicsWorld::new(),
            link: RapierLink::new(Up::Y),
            origin: [0.0; 2],
            own: Vec::new(),
            named: 0,
            ground: BTreeMap::new(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.own.is_empty()
    }

    /// Returns a new crate above everything at a place, or the reason for its refusal.
    pub fn above(&mut self, world: &World, at_m: [f64; 2], width_m: f64) -> Result<Loose, String> {
        let [least, most] = WIDTHS_M;
        if !(least..=most).contains(&width_m) {
            return Err(format!("a crate is {least} to {most} m wide, not {width_m} m"));
        }
        let Ok(Some(sample)) = world.query().at(at_m) else {
            return Err("there is no ground here for a crate".to_owned());
        };
        let half_m = 0.5 * width_m;
        let tops = self.shapes().into_iter().filter_map(|shape| {
            let reach = half_m + 1.8 * f64::from(shape.half_m[0]);
            let is_here = (0..2).all(|axis| (shape.centre_m[axis] - at_m[axis]).abs() < reach);
            is_here.then(|| shape.centre_m[2] + 1.8 * f64::from(shape.half_m[2]))
        });
        let top_m = tops.fold(sample.surface_m(), f64::max);
        self.named += 1;
        Ok(Loose {
            number: self.named,
            half_m,
            centre_m: [at_m[0], at_m[1], top_m + width_m],
            turn: Rotation::IDENTITY,
            velocities: [Vector::ZERO; 2],
        })
    }

    /// Puts a crate into the world; returns the reason if it cannot.
    pub fn put(&mut self, loose: &Loose) -> Result<(), String> {
        if self.own.len() >= CRATES_MOST {
            return Err(format!("there are {CRATES_MOST} crates: that is all there can be"));
        }
        let [x, y, _] = loose.centre_m;
        if self.own.is_empty() {
            // Single precision is best near the first crate.
            *self = Self { named: self.named, ..Self::new() };
            self.origin = [x, y];
            self.link = RapierLink::new(Up::Y).with_origin([x, y, 0.0]);
        }
        let [moves, turns] = loose.velocities;
        let body = RigidBodyBuilder::dynamic()
            .translation(self.engine_place(loose.centre_m))
            .linvel(moves)
            .angvel(turns)
            .ccd_enabled(true);
        let half = single(loose.half_m);
        let shape = ColliderBuilder::cuboid(half, half, half).density(DENSITY).friction(0.6);
        let (handle, _) = self.engine.insert(body, shape);
        let body = &mut self.engine.bodies[handle];
        let mut pose = *body.position();
        pose.rotation = loose.turn;
        body.set_position(pose, true);
        self.own.push(OwnCrate { number: loose.number, handle, half_m: loose.half_m });
        Ok(())
    }

    /// Takes a crate out of the world, if it is there.
    pub fn take(&mut self, world: &mut World, number: u64) -> Option<Loose> {
        let index = self.own.iter().position(|own| own.number == number)?;
        let OwnCrate { handle, half_m, .. } = self.own.remove(index);
        let body = &self.engine.bodies[handle];
        let at = body.translation();
        let loose = Loose {
            number,
            half_m,
            centre_m: [
                self.origin[0] + f64::from(at.x),
                self.origin[1] - f64::from(at.z),
                f64::from(at.y),
            ],
            turn: body.position().rotation,
            velocities: [body.linvel(), body.angvel()],
        };
        self.engine.remove_body(handle);
        for own in &self.own {
            // Crates on top of it fall.
            self.engine.bodies[own.handle].wake_up(true);
        }
        if self.own.is_empty() {
            self.clear(world);
        }
        Some(loose)
    }

    /// Returns the number of the crate whose shape has this id.
    pub fn number_of(&self, id: u64) -> Option<u64> {
        self.own.iter().find(|own| id_of(own.handle) == id).map(|own| own.number)
    }

    /// Converts a place of the world to one of the engine.
    fn engine_place(&self, [x, y, z]: [f64; 3]) -> Vector {
        Vector::new(single(x - self.origin[0]), single(z), single(self.origin[1] - y))
    }

    /// Removes the ground, because the beds have changed; it is made anew.
    pub fn replace_beds(&mut self) {
        for (_, collider) in std::mem::take(&mut self.ground) {
            self.engine.remove_collider(collider);
        }
        for own in &self.own {
            self.engine.bodies[own.handle].wake_up(true);
        }
    }

    /// Runs a cycle of the world with all crates; returns a notice if crates were lost.
    pub fn run_cycle(&mut self, world: &mut World, until: SimTime) -> Option<String> {
        self.lay_ground(world);
        let is_still = self.own.iter().all(|own| self.engine.bodies[own.handle].is_sleeping());
        let longest = world.time().after(if is_still { STILL } else { MOVING });
        let mut bodies = self.link.join(&mut self.engine.bodies, &self.engine.colliders);
        let report = match world.run_cycle_with(until.min(longest), &mut bodies) {
            Ok(report) => report,
            Err(error) => {
                self.clear(world);
                return Some(format!("the crates are gone: {error}"));
            }
        };
        let span_s = SimTime::from_ticks(report.ticks).seconds();
        let steps = (span_s / STEP_S).ceil().max(1.0);
        self.engine.integration_parameters.dt = single(span_s / steps);
        for _ in 0..whole(steps) {
            self.engine.step();
        }
        self.let_go(world)
    }

    /// Removes crates that have left the world, so that none falls for ever.
    fn let_go(&mut self, world: &mut World) -> Option<String> {
        let shapes = self.shapes();
        let is_gone = |shape: &BodyShape| {
            let [x, y, z] = shape.centre_m;
            let bed_m = cell(world, x, y).and_then(|place| world.bed_m(place));
            bed_m.is_none_or(|bed_m| z < bed_m - 20.0 - f64::from(shape.half_m[0]))
        };
        let gone: Vec<usize> = (0..shapes.len()).filter(|&index| is_gone(&shapes[index])).collect();
        for &index in gone.iter().rev() {
            let own = self.own.remove(index);
            self.engine.remove_body(own.handle);
        }
        if self.own.is_empty() {
            self.clear(world);
        }
        match gone.len() {
            0 => None,
            1 => Some("a crate has left the world".to_owned()),
            count => Some(format!("{count} crates have left the world")),
        }
    }

    /// Removes all crates.
    pub fn clear(&mut self, world: &mut World) {
        *self = Self { named: self.named, ..Self::new() };
        // An empty list of bodies is always valid.
        let _ = world.structures_mut().put_bodies(Vec::new());
    }

    /// Returns the shapes of all crates in their present places.
    pub fn shapes(&mut self) -> Vec<BodyShape> {
        let mut shapes = Vec::with_capacity(self.own.len());
        if self.own.is_empty() {
            return shapes;
        }
        let mut bodies: Vec<Body> = Vec::new();
        let mut joined = self.link.join(&mut self.engine.bodies, &self.engine.colliders);
        joined.solids(&mut |body| bodies.push(body));
        for own in &self.own {
            let id = id_of(own.handle);
            let Some(body) = bodies.iter().find(|body| body.id.0 == id) else { continue };
            shapes.push(BodyShape {
                id: body.id.0,
                centre_m: body.pose.position.to_array(),
                turn: turn(&body.pose),
                half_m: [single(own.half_m); 3],
            });
        }
        shapes
    }

    /// Makes ground around crates, and removes it elsewhere.
    fn lay_ground(&mut self, world: &World) {
        let block_m = f64::from(BLOCK) * world.cell_width_m();
        let mut wanted = BTreeSet::new();
        for shape in self.shapes() {
            let reach_m = 2.0 * f64::from(shape.half_m[0]) + 2.0 * world.cell_width_m();
            let [west, south] =
                [0, 1].map(|axis| block_of(shape.centre_m[axis] - reach_m, block_m));
            let [east, north] =
                [0, 1].map(|axis| block_of(shape.centre_m[axis] + reach_m, block_m));
            wanted.extend((south..=north).flat_map(|y| (west..=east).map(move |x| [x, y])));
        }
        let old: Vec<[u32; 2]> =
            self.ground.keys().filter(|key| !wanted.contains(*key)).copied().collect();
        for key in old {
            if let Some(collider) = self.ground.remove(&key) {
                self.engine.remove_collider(collider);
            }
        }
        for key in wanted {
            if !self.ground.contains_key(&key) {
                let collider = self.block(world, key);
                let handle = self.engine.insert_collider(collider, None);
                self.ground.insert(key, handle);
            }
        }
    }

    /// Makes the ground of a block, from the beds at the middles of its cells and the next ones.
    fn block(&self, world: &World, [x, y]: [u32; 2]) -> ColliderBuilder {
        let width_m = world.cell_width_m();
        let count = BLOCK as usize + 1;
        let bed_m = |column: u32, row: u32| {
            world.bed_m(CellPlace { x: x * BLOCK + column, y: y * BLOCK + row })
        };
        let places = || (0..=BLOCK).flat_map(|row| (0..=BLOCK).map(move |column| (column, row)));
        let beds: Vec<f64> = places().filter_map(|(column, row)| bed_m(column, row)).collect();
        let low_m = beds.iter().copied().fold(f64::INFINITY, f64::min);
        // Beyond the world the ground is at the block's lowest bed, or very deep if the block has
        // no bed, so that the world has no edge that holds a crate.
        let low_m = if beds.is_empty() { -1.0e4 } else { low_m };
        let mut heights = Array2::repeat(count, count, single(low_m));
        for (column, row) in places() {
            // Rows of the engine run to the south.
            let at = heights.flat_index((BLOCK - row) as usize, column as usize);
            heights.data_mut()[at] = single(bed_m(column, row).unwrap_or(low_m));
        }
        let side_m = f64::from(BLOCK) * width_m;
        let middle = |at: u32| (f64::from(at * BLOCK) + 0.5) * width_m + 0.5 * side_m;
        let at = self.engine_place([middle(x), middle(y), 0.0]);
        let side = single(side_m);
        ColliderBuilder::heightfield(heights, Vector::new(side, 1.0, side))
            .translation(at)
            .friction(0.7)
    }
}

/// Returns the id of a body in the link to the water.
fn id_of(handle: RigidBodyHandle) -> u64 {
    let (index, generation) = handle.into_raw_parts();
    u64::from(generation) << 32 | u64::from(index)
}

#[expect(clippy::cast_possible_truncation, reason = "the engine reckons in single precision")]
fn single(value: f64) -> f32 {
    value as f32
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few steps")]
fn whole(steps: f64) -> u64 {
    steps as u64
}

/// Returns the block that contains a coordinate; the first one for a coordinate before it.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
fn block_of(at_m: f64, block_m: f64) -> u32 {
    (at_m / block_m).max(0.0) as u32
}

/// Returns the cell of the simulated level at a place; `None` west or south of the world.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
fn cell(world: &World, x_m: f64, y_m: f64) -> Option<CellPlace> {
    let width_m = world.cell_width_m();
    let is_there = x_m >= 0.0 && y_m >= 0.0;
    is_there.then(|| CellPlace { x: (x_m / width_m) as u32, y: (y_m / width_m) as u32 })
}

/// Returns the rows of the rotation from a body to the world.
fn turn(pose: &Pose) -> [[f32; 3]; 3] {
    pose.matrix().transpose().as_mat3().to_cols_array_2d()
}
