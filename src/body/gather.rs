//! A body's panels under water, added up to a load.
//!
//! Guarantees: panels are added in their order: the same bits every time.
//! Limits:     which water a panel sees is for [`load`](crate::body::load()) to say.
//! Source:     own.

use crate::body::panels::{Corners, Panel};
use crate::body::pose::{cross, dot, sub};
use crate::body::wet::{Corner, wet};
use crate::body::{Afloat, Inertia, Load, LoadParams, Nearby, Panels, Point};

/// A panel as it lies in the world, its corners from the body's position.
pub(super) struct Turned {
    pub(super) corners: Corners<Point>,
    pub(super) normal: Point,
    /// Its centre on the map.
    pub(super) at: [f64; 2],
    pub(super) is_inside: bool,
}

/// A body's pose made ready.
pub(super) struct Frame {
    afloat: Afloat,
    rows: [Point; 3],
    /// The solid's centre, from the body's position.
    centre: Point,
    /// Inertia of 1 kg about the centre, in the axes of the world, and its inverse.
    inertia: [Point; 3],
    ease: [Point; 3],
    /// A length of the body for its waves, m.
    length_m: f64,
}

/// What panels add up to.
#[derive(Default)]
pub(super) struct Sum {
    /// Force and torque of the pressure, over ρ·g.
    pressure: [Point; 2],
    /// Force and torque of drag before its bound.
    drag: [Point; 2],
    /// Force by speed of that drag along each axis, and about all axes for 1 kg.
    stiffness: Point,
    turning: f64,
    /// Wet silhouettes along each axis, m², and what they were a step ago.
    silhouette: Point,
    silhouette_before: Point,
    /// Velocity of the water over the wet panels, m³/s.
    current: [f64; 2],
    wet_m2: f64,
}

impl Frame {
    pub(super) fn of(panels: &Panels, afloat: &Afloat) -> Self {
        let rows = afloat.pose.matrix();
        let turn = |vector: Point| rows.map(|row| dot(row, vector));
        let tensor = |own: [Point; 3]| {
            let half = own.map(turn);
            let column = |j: usize| [half[0][j], half[1][j], half[2][j]];
            [turn(column(0)), turn(column(1)), turn(column(2))]
        };
        Self {
            afloat: *afloat,
            rows,
            centre: turn(panels.centre()),
            inertia: tensor(panels.inertia()),
            ease: tensor(panels.ease()),
            length_m: panels.length_m(),
        }
    }

    pub(super) fn turn(&self, panel: &Panel) -> Turned {
        let turn = |vector: Point| self.rows.map(|row| dot(row, vector));
        let corners = panel.corners.map(turn);
        let middle = corners.middle();
        let [east, north, _] = self.afloat.pose.position;
        let at = [east + middle[0], north + middle[1]];
        Turned { corners, normal: turn(panel.normal), at, is_inside: panel.is_inside }
    }

    /// Adds what water that was seen somewhere does to a part of a panel.
    pub(super) fn press(
        &self,
        sum: &mut Sum,
        turned: &Turned,
        part: f64,
        seen: Option<(Nearby, [f64; 2])>,
        params: &LoadParams,
    ) {
        let Some((water, there)) = seen else { return };
        let [east, north, up] = self.afloat.pose.position;
        let corners = turned.corners.map(|place| {
            let from = [east + place[0] - there[0], north + place[1] - there[1]];
            let rise = water.slope[0] * from[0] + water.slope[1] * from[1];
            let bed_below = (water.stage_m - water.bed_m) + rise;
            Corner { place, below: (water.stage_m - up) - place[2] + rise, bed_below }
        });
        let wet = wet(corners.all(), turned.normal);
        let torque = cross(turned.normal, wet.moment);
        for (i, moment) in torque.iter().enumerate() {
            sum.pressure[0][i] -= part * wet.head * turned.normal[i];
            sum.pressure[1][i] += part * moment;
        }
        if wet.area_m2 > 0.0 && !turned.is_inside {
            let before = self.area_before(&corners, turned.normal, wet.area_m2);
            for (i, silhouette) in sum.silhouette_before.iter_mut().enumerate() {
                *silhouette += 0.5 * part * before * turned.normal[i].abs();
            }
            let depth = (water.stage_m - up - wet.centre[2]).max(0.0);
            let wetted = Wetted { area_m2: part * wet.area_m2, centre: wet.centre, depth };
            self.drag(sum, turned.normal, &wetted, water.velocity_m_s, params);
        }
    }

    /// Wet area of a panel a step ago, m², were the water as it is.
    fn area_before(&self, corners: &Corners<Corner>, normal: Point, area_m2: f64) -> f64 {
        let Some(Inertia { dt_s, .. }) = self.afloat.inertia else { return area_m2 };
        let before = corners.map(|corner| {
            let rise = dt_s * self.afloat.motion.at([0.0; 3], corner.place)[2];
            Corner { below: corner.below + rise, ..corner }
        });
        let is_under = |corner: &Corner| corner.below > 0.0;
        if corners.all().iter().all(is_under) && before.all().iter().all(is_under) {
            return area_m2;
        }
        wet(before.all(), normal).area_m2
    }

    fn drag(&self, sum: &mut Sum, n: Point, wet: &Wetted, current: [f64; 2], params: &LoadParams) {
        let area = wet.area_m2;
        sum.wet_m2 += area;
        sum.current[0] += area * current[0];
        sum.current[1] += area * current[1];
        for (i, silhouette) in sum.silhouette.iter_mut().enumerate() {
            *silhouette += 0.5 * area * n[i].abs();
        }
        let own = self.afloat.motion.at([0.0; 3], wet.centre);
        let past = sub([current[0], current[1], 0.0], own);
        let across = dot(past, n);
        let drag = if across < 0.0 { params.drag_front } else { params.drag_back };
        let form = 0.5 * params.density_kg_m3 * drag * area * across.abs();
        self.resist(sum, wet.centre, n, form, across);

        let along: Point = std::array::from_fn(|i| past[i] - across * n[i]);
        let speed = dot(along, along).sqrt();
        if speed > 0.0 {
            let by = 0.5 * params.density_kg_m3 * params.friction * area * speed;
            let direction = along.map(|part| part / speed);
            self.resist(sum, wet.centre, direction, by, speed);
            self.resist(sum, wet.centre, cross(n, direction), by, 0.0);
        }

        // Waves of a body that heaves; the deeper, the weaker.
        let depths = 1.0 + wet.depth / self.length_m;
        let celerity = (params.gravity_m_s2 * self.length_m).sqrt();
        let waves = params.density_kg_m3 * params.wave_damping * celerity * area * n[2].abs();
        self.resist(sum, wet.centre, [0.0, 0.0, 1.0], waves / (depths * depths), -own[2]);
    }

    /// Adds a force of `by·speed` along `direction` at a place, and what it bounds drag by.
    fn resist(&self, sum: &mut Sum, place: Point, direction: Point, by: f64, speed: f64) {
        let lever = cross(place, direction);
        for i in 0..3 {
            sum.drag[0][i] += by * speed * direction[i];
            sum.drag[1][i] += by * speed * lever[i];
        }
        if self.afloat.inertia.is_none() {
            // Nothing bounds the drag of what is held.
            return;
        }
        for (stiffness, part) in sum.stiffness.iter_mut().zip(direction) {
            *stiffness += by * part * part;
        }
        let about = cross(sub(place, self.centre), direction);
        sum.turning += by * dot(about, self.ease.map(|row| dot(row, about)));
    }

    pub(super) fn load(&self, sum: &Sum, volume_m3: f64, params: &LoadParams) -> Load {
        let density = params.density_kg_m3;
        let weight = density * params.gravity_m_s2;
        let submerged_m3 = sum.pressure[0][2].clamp(0.0, volume_m3);
        let mut added = sum.silhouette.map(|area| params.added_mass * density * area * area.sqrt());
        for level in &mut added[..2] {
            *level = level.min(density * submerged_m3);
        }
        let entry = self.afloat.inertia.map(|inertia| self.entry(sum, added, inertia));
        let entry = entry.unwrap_or_default();
        let held = self.afloat.inertia.map_or(1.0, |inertia| {
            let mass = added.map(|added| inertia.mass_kg + added);
            let least = mass[0].min(mass[1]).min(mass[2]);
            let straight: f64 = (0..3).map(|i| sum.stiffness[i] / mass[i]).sum();
            // The trace of what drag does to the velocities in a step: no less than its largest
            // eigenvalue, so that no motion is turned round.
            (1.0 - entry.part) / (1.0 + inertia.dt_s * (straight + sum.turning / least))
        });
        let drag: [Point; 2] = std::array::from_fn(|which| {
            std::array::from_fn(|i| held * sum.drag[which][i] + entry.drag[which][i])
        });
        let whole = |which: usize| -> Point {
            std::array::from_fn(|i| weight * sum.pressure[which][i] + drag[which][i])
        };
        Load {
            force: whole(0),
            torque: whole(1),
            about: self.afloat.pose.position,
            drag: drag[0],
            submerged_m3,
            wet_m2: sum.wet_m2,
            added_mass_kg: added,
        }
    }
}

/// What water that was wetted in the last step takes.
#[derive(Default)]
struct Entry {
    /// Force and torque.
    drag: [Point; 2],
    /// The largest part of a velocity that is lost to it.
    part: f64,
}

impl Frame {
    fn entry(&self, sum: &Sum, added: Point, inertia: Inertia) -> Entry {
        let angular = self.afloat.motion.angular;
        let own = self.afloat.motion.at([0.0; 3], self.centre);
        let joined: Point = std::array::from_fn(|i| {
            let part = sum.silhouette_before[i] / sum.silhouette[i];
            if part < 1.0 { added[i] * (1.0 - part * part.sqrt()) } else { 0.0 }
        });
        let area = sum.wet_m2;
        let current = [sum.current[0] / area, sum.current[1] / area, 0.0];
        let lost = |i: usize| joined[i] / (inertia.mass_kg + added[i]);
        let part = lost(0).max(lost(1)).max(lost(2));
        if !(part > 0.0 && area > 0.0) {
            return Entry::default();
        }
        let rate = joined.map(|mass| mass / inertia.dt_s);
        let force = std::array::from_fn(|i| rate[i] * (current[i] - own[i]));
        let level = 0.5 * (rate[0] + rate[1]);
        let spin = self.inertia.map(|row| dot(row, angular));
        let arm = cross(self.centre, force);
        let by = [rate[2], rate[2], level];
        Entry { drag: [force, std::array::from_fn(|i| arm[i] - by[i] * spin[i])], part }
    }
}

/// The wet part of a panel that water flows along.
struct Wetted {
    area_m2: f64,
    centre: Point,
    /// How far below the stage its centre is, m.
    depth: f64,
}
