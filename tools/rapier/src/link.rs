//! The exchange between rapier's sets and the water.

use crate::shapes;
use rapier3d::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use thalweg::body::{Bodies, Body, BodyId, Load, Motion, Solid};
use thalweg::glam::{DQuat, DVec3};

/// A change of force that wakes a sleeping body, as a part of its weight.
const WAKING: f64 = 1.0e-3;

/// Speeds below which a wet body may fall asleep, m/s and rad/s: with rapier's own it would in the
/// middle of a slow heave.
const STILL: f32 = 0.003;

/// Axis of rapier that points up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Up {
    /// The axes of rapier's own gravity: east is x, south is z.
    Y,
    /// The axes of thalweg: east is x, north is y.
    Z,
}

impl Up {
    /// Converts a vector of rapier to the axes of the world.
    fn to_world(self, vector: DVec3) -> DVec3 {
        match self {
            Self::Y => DVec3::new(vector.x, -vector.z, vector.y),
            Self::Z => vector,
        }
    }

    /// Converts a vector of the world to the axes of rapier.
    fn to_engine(self, vector: DVec3) -> Vector {
        match self {
            Self::Y => DVec3::new(vector.x, vector.z, -vector.y).as_vec3(),
            Self::Z => vector.as_vec3(),
        }
    }
}

/// State of a body between exchanges.
struct LinkedBody {
    colliders: Vec<(ColliderHandle, Pose, SharedShape)>,
    solid: Result<Solid, String>,
    /// The force and torque that last woke it.
    waking: [DVec3; 2],
}

/// Link from an engine to the water; it lives as long as the engine.
pub struct RapierLink {
    up: Up,
    origin: DVec3,
    gravity_m_s2: f64,
    left_out: BTreeSet<BodyId>,
    known: BTreeMap<BodyId, LinkedBody>,
}

/// Returns the name of a body by its handle.
fn id(handle: RigidBodyHandle) -> BodyId {
    let (index, generation) = handle.into_raw_parts();
    BodyId(u64::from(generation) << 32 | u64::from(index))
}

/// Returns the handle of a body by its name.
fn handle(BodyId(id): BodyId) -> RigidBodyHandle {
    let half = |bits: u64| u32::try_from(bits & u64::from(u32::MAX)).expect("32 bits");
    RigidBodyHandle::from_raw_parts(half(id), half(id >> 32))
}

impl RapierLink {
    /// Creates an empty link, for gravity of 9.81 m/s².
    #[must_use]
    pub fn new(up: Up) -> Self {
        let (left_out, known) = (BTreeSet::new(), BTreeMap::new());
        Self { up, origin: DVec3::ZERO, gravity_m_s2: 9.81, left_out, known }
    }

    /// Sets the place of rapier's origin in the world, m: single precision is best near it.
    #[must_use]
    pub fn with_origin(mut self, origin: impl Into<DVec3>) -> Self {
        self.origin = origin.into();
        self
    }

    /// Sets the engine's gravity, m/s², if it is different.
    #[must_use]
    pub fn with_gravity(mut self, gravity_m_s2: f64) -> Self {
        self.gravity_m_s2 = gravity_m_s2;
        self
    }

    /// Excludes a body from the exchange: ground, scenery.
    pub fn leave_out(&mut self, body: RigidBodyHandle) {
        self.left_out.insert(id(body));
    }

    /// Returns bodies that the last exchange excluded as they are no solids, with the reasons.
    pub fn refused(&self) -> impl Iterator<Item = (RigidBodyHandle, &str)> {
        self.known.iter().filter_map(|(&id, known)| {
            known.solid.as_ref().err().map(|reason| (handle(id), reason.as_str()))
        })
    }

    /// Borrows the engine's sets for an exchange.
    pub fn join<'a>(
        &'a mut self,
        bodies: &'a mut RigidBodySet,
        colliders: &'a ColliderSet,
    ) -> RapierBodies<'a> {
        RapierBodies { link: self, bodies, colliders }
    }
}

/// An engine's bodies, borrowed for an exchange by [`RapierLink::join`].
pub struct RapierBodies<'a> {
    link: &'a mut RapierLink,
    bodies: &'a mut RigidBodySet,
    colliders: &'a ColliderSet,
}

impl RapierBodies<'_> {
    /// Bodies with something that water could meet, by their names.
    fn present(&self) -> BTreeSet<BodyId> {
        let with = self.bodies.iter().filter(|(_, body)| body.is_enabled());
        let ids = with.filter(|(_, body)| !body.colliders().is_empty()).map(|(named, _)| id(named));
        ids.filter(|id| !self.link.left_out.contains(id)).collect()
    }

    /// Returns the solid of a body, made anew only if its colliders have changed.
    fn solid(&mut self, id: BodyId) -> Option<Solid> {
        let body = &self.bodies[handle(id)];
        let of = |&named: &ColliderHandle| {
            let collider = self.colliders.get(named)?;
            let is_one = collider.is_enabled() && !collider.is_sensor();
            let pose = *collider.position_wrt_parent()?;
            is_one.then(|| (named, pose, collider.shared_shape().clone()))
        };
        let colliders: Vec<_> = body.colliders().iter().filter_map(of).collect();
        if colliders.is_empty() {
            self.link.known.remove(&id);
            return None;
        }
        if let Some(known) = self.link.known.get(&id).filter(|it| are_same(it, &colliders)) {
            return known.solid.clone().ok();
        }
        let shapes: Vec<_> =
            colliders.iter().map(|(_, pose, shape)| (*pose, shape.clone())).collect();
        let up = self.link.up;
        let solid = shapes::solid(&shapes, &|point| up.to_world(point));
        let known = LinkedBody { colliders, solid: solid.clone(), waking: [DVec3::INFINITY; 2] };
        self.link.known.insert(id, known);
        solid.ok()
    }
}

fn are_same(known: &LinkedBody, colliders: &[(ColliderHandle, Pose, SharedShape)]) -> bool {
    let is = |a: &(ColliderHandle, Pose, SharedShape), b: &(ColliderHandle, Pose, SharedShape)| {
        a.0 == b.0 && a.1 == b.1 && std::sync::Arc::ptr_eq(&a.2.0, &b.2.0)
    };
    known.colliders.len() == colliders.len()
        && known.colliders.iter().zip(colliders).all(|(a, b)| is(a, b))
}

impl Bodies for RapierBodies<'_> {
    fn solids(&mut self, put: &mut dyn FnMut(Body)) {
        let present = self.present();
        self.link.known.retain(|id, _| present.contains(id));
        for id in present {
            let Some(solid) = self.solid(id) else { continue };
            let (up, origin) = (self.link.up, self.link.origin);
            let body = &mut self.bodies[handle(id)];
            if body.is_dynamic() && body.mass() <= 0.0 {
                // Before its first step rapier has not computed the body's mass.
                body.recompute_mass_properties_from_colliders(self.colliders);
            }
            let own = shapes::in_place(body.position());
            let axis = up.to_world(own.rotation.xyz());
            let pose = thalweg::body::Pose {
                position: origin + up.to_world(own.position),
                rotation: DQuat::from_vec4(axis.extend(own.rotation.w)),
            };
            let motion = Motion {
                linear: up.to_world(body.velocity_at_point(body.translation()).as_dvec3()),
                angular: up.to_world(body.angvel().as_dvec3()),
            };
            let mass = f64::from(body.mass());
            let mass_kg = (body.is_dynamic() && mass > 0.0).then_some(mass);
            put(Body { id, solid, pose, motion, mass_kg });
        }
    }

    fn loads(&mut self, loads: &[(BodyId, Load)]) {
        for (id, load) in loads {
            let link = &mut *self.link;
            let Some(body) = self.bodies.get_mut(handle(*id)) else { continue };
            let Some(known) = link.known.get_mut(id) else { continue };
            let mass = f64::from(body.mass());
            if !(body.is_dynamic() && mass > 0.0) {
                continue;
            }
            let gravity = link.gravity_m_s2 * f64::from(body.gravity_scale());
            let centre = link.origin + link.up.to_world(body.center_of_mass().as_dvec3());
            let (force, torque) = load.for_engine(mass, gravity, centre);
            let least = WAKING * mass * link.gravity_m_s2;
            let changes = |a: DVec3, b: DVec3| (a - b).abs().cmpgt(DVec3::splat(least)).any();
            let wakes = changes(known.waking[0], force) || changes(known.waking[1], torque);
            if wakes {
                known.waking = [force, torque];
            }
            if load.wet_m2 > 0.0 {
                let activation = body.activation_mut();
                let linear = activation.normalized_linear_threshold.min(STILL);
                activation.normalized_linear_threshold = linear;
                activation.angular_threshold = activation.angular_threshold.min(STILL);
            }
            body.reset_forces(false);
            body.reset_torques(false);
            body.add_force(link.up.to_engine(force), false);
            body.add_torque(link.up.to_engine(torque), false);
            if wakes && body.is_sleeping() {
                body.wake_up(true);
            }
        }
    }
}
