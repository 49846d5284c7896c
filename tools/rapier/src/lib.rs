//! Bodies of [`rapier3d`] in thalweg's water.
//!
//! [`RapierLink`] keeps the solids that it made of the colliders; [`RapierLink::join`] borrows
//! rapier's sets for one exchange, as [`thalweg::body::Bodies`].
//!
//! ```
//! use rapier3d::prelude::*;
//! use thalweg::body::{Bodies, BodyId, Load};
//! use thalweg_rapier::{RapierLink, Up};
//!
//! let mut engine = PhysicsWorld::new();
//! engine.gravity = Vector::new(0.0, 0.0, -9.81);
//! let crate_of_one = RigidBodyBuilder::dynamic().translation(Vector::new(5.0, 5.0, 3.0));
//! let shape = ColliderBuilder::cuboid(0.5, 0.5, 0.5).density(500.0);
//! let (body, _) = engine.insert(crate_of_one, shape);
//! let mut link = RapierLink::new(Up::Z);
//!
//! // Once for each step of the engine; the water's side stands here for a world.
//! let mut bodies = link.join(&mut engine.bodies, &engine.colliders);
//! let mut ids = Vec::new();
//! bodies.solids(&mut |body| ids.push(body.id));
//! let loads: Vec<(BodyId, Load)> = ids.iter().map(|&id| (id, Load::default())).collect();
//! bodies.loads(&loads);
//! engine.step();
//! assert!(engine.bodies[body].translation().z < 3.0);
//! ```
//!
//! - A collider becomes a solid once, and stays the same one until its shape or its place in the
//!   body changes: boxes, balls, convex polyhedra, cylinders, cones, capsules, compounds of these,
//!   and closed meshes. [`RapierLink::refused`] lists the colliders that cannot become one. Sensors
//!   and disabled colliders do not become solids.
//! - Round shapes become polyhedra of the same volume.
//! - A load replaces all forces and torques of a body: add a game's own after the exchange. It
//!   wakes a sleeping body only when it has changed by more than a thousandth of the weight. A wet
//!   body sleeps below 3 mm/s and mrad/s, not in the middle of a slow heave.
//! - Ground that thalweg has as its bed is no body: [`RapierLink::leave_out`].
//!
//! Guarantees: bodies are in the order of their handles; the same build of rapier gives the same
//!             bits every time.
//! Limits:     rapier reckons in single precision: put [`RapierLink::with_origin`] near the scene.

mod link;
mod shapes;

pub use link::{RapierBodies, RapierLink, Up};
