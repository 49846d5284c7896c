//! The sum of the loads on a body's panels under water.
//!
//! Guarantees: panels are added in their order, so the result has the same bits every time.
//! Limits:     [`load`](crate::body::load()) decides which water acts on a panel.
//! Source:     own.

use crate::body::afloat::about_axes;
use crate::body::panels::{Corners, Panel};
use crate::body::wet::{WetCorner, wet};
use crate::body::{Afloat, Inertia, Load, LoadParams, Nearby, Panels};
use glam::{DMat3, DVec2, DVec3};

/// A panel turned to the axes of the world, its corners relative to the body's position.
pub(super) struct Turned {
    pub(super) corners: Corners<DVec3>,
    pub(super) normal: DVec3,
    /// Centre of the panel on the map.
    pub(super) at: DVec2,
    pub(super) is_inside: bool,
}

/// A body's pose, prepared for sums over panels.
pub(super) struct BodyFrame {
    afloat: Afloat,
    matrix: DMat3,
    /// The solid's centre, relative to the body's position.
    centre: DVec3,
    /// Inertia of 1 kg about the centre, in the axes of the world, and its inverse.
    inertia: DMat3,
    ease: DMat3,
    /// A length of the body, for its waves, m.
    length_m: f64,
}

/// Sums over panels.
#[derive(Default)]
pub(super) struct PanelSum {
    /// Force and torque of the pressure, over ρ·g.
    pressure: [DVec3; 2],
    /// Force and torque of drag, without its bound.
    drag: [DVec3; 2],
    /// Force per speed of that drag along each axis, and about all axes for 1 kg.
    stiffness: DVec3,
    turning: f64,
    /// Wet silhouettes along each axis, m², now and a step ago.
    silhouette: DVec3,
    silhouette_before: DVec3,
    /// Velocity of the water over the wet panels, m³/s.
    current: DVec2,
    wet_m2: f64,
}

impl BodyFrame {
    pub(super) fn of(panels: &Panels, afloat: &Afloat) -> Self {
        let matrix = afloat.pose.matrix();
        // The rows of a tensor equal its columns.
        let tensor = |own: DMat3| (matrix * (matrix * own).transpose()).transpose();
        Self {
            afloat: *afloat,
            matrix,
            centre: matrix * panels.centre(),
            inertia: tensor(panels.inertia()),
            ease: tensor(panels.ease()),
            length_m: panels.length_m(),
        }
    }

    pub(super) fn turn(&self, panel: &Panel) -> Turned {
        let corners = panel.corners.map(|corner| self.matrix * corner);
        let at = (self.afloat.pose.position + corners.middle()).truncate();
        Turned { corners, normal: self.matrix * panel.normal, at, is_inside: panel.is_inside }
    }

    /// Adds the load on a part of a panel from the water read for it.
    pub(super) fn press(
        &self,
        sum: &mut PanelSum,
        turned: &Turned,
        part: f64,
        seen: Option<(Nearby, DVec2)>,
        params: &LoadParams,
    ) {
        let Some((water, there)) = seen else { return };
        let position = self.afloat.pose.position;
        let corners = turned.corners.map(|place| {
            let rise = water.slope.dot((position + place).truncate() - there);
            let bed_below = (water.stage_m - water.bed_m) + rise;
            // The difference of the two elevations comes first: it is small, so the sum keeps more
            // digits.
            WetCorner { place, below: (water.stage_m - position.z) - place.z + rise, bed_below }
        });
        let wet = wet(corners.all(), turned.normal);
        sum.pressure[0] -= part * wet.head * turned.normal;
        // A force −p · n at r has the torque r × (−p · n) = n × (p · r), and n is constant.
        sum.pressure[1] += part * turned.normal.cross(wet.moment);
        if wet.area_m2 > 0.0 && !turned.is_inside {
            let before = self.area_before(&corners, turned.normal, wet.area_m2);
            sum.silhouette_before += 0.5 * part * before * turned.normal.abs();
            let depth = (water.stage_m - position.z - wet.centre.z).max(0.0);
            let wetted = WettedPanel { area_m2: part * wet.area_m2, centre: wet.centre, depth };
            self.drag(sum, turned.normal, &wetted, water.velocity_m_s, params);
        }
    }

    /// Returns the wet area of a panel a step ago, m², if the water was as it is now.
    fn area_before(&self, corners: &Corners<WetCorner>, normal: DVec3, area_m2: f64) -> f64 {
        let Some(Inertia { dt_s, .. }) = self.afloat.inertia else { return area_m2 };
        let before = corners.map(|corner| {
            let rise = dt_s * self.afloat.motion.at(DVec3::ZERO, corner.place).z;
            WetCorner { below: corner.below + rise, ..corner }
        });
        let is_under = |corner: &WetCorner| corner.below > 0.0;
        if corners.all().iter().all(is_under) && before.all().iter().all(is_under) {
            return area_m2;
        }
        wet(before.all(), normal).area_m2
    }

    fn drag(
        &self,
        sum: &mut PanelSum,
        n: DVec3,
        wet: &WettedPanel,
        current: DVec2,
        params: &LoadParams,
    ) {
        let area = wet.area_m2;
        sum.wet_m2 += area;
        sum.current += area * current;
        // Half, because a closed surface has each silhouette twice: on its front and on its back.
        sum.silhouette += 0.5 * area * n.abs();
        let own = self.afloat.motion.at(DVec3::ZERO, wet.centre);
        let past = current.extend(0.0) - own;
        let across = past.dot(n);
        let drag = if across < 0.0 { params.drag_front } else { params.drag_back };
        let form = 0.5 * params.density_kg_m3 * drag * area * across.abs();
        self.resist(sum, wet.centre, n, form, across);

        let along = past - across * n;
        let speed = along.length();
        if speed > 0.0 {
            let by = 0.5 * params.density_kg_m3 * params.friction * area * speed;
            let direction = along / speed;
            self.resist(sum, wet.centre, direction, by, speed);
            // Adds no force, but a share of the bound on drag: friction |w| · w would also resist a
            // change of w in this direction.
            self.resist(sum, wet.centre, n.cross(direction), by, 0.0);
        }

        // Waves of a heaving body; weaker with depth.
        let depths = 1.0 + wet.depth / self.length_m;
        let celerity = (params.gravity_m_s2 * self.length_m).sqrt();
        let waves = params.density_kg_m3 * params.wave_damping * celerity * area * n.z.abs();
        self.resist(sum, wet.centre, DVec3::Z, waves / (depths * depths), -own.z);
    }

    /// Adds a force of `by·speed` along `direction` at a place, and its share of the bound on drag.
    fn resist(&self, sum: &mut PanelSum, place: DVec3, direction: DVec3, by: f64, speed: f64) {
        sum.drag[0] += by * speed * direction;
        sum.drag[1] += by * speed * place.cross(direction);
        if self.afloat.inertia.is_none() {
            // The drag on a fixed body has no bound.
            return;
        }
        sum.stiffness += by * direction * direction;
        let about = (place - self.centre).cross(direction);
        sum.turning += by * about.dot(self.ease * about);
    }

    pub(super) fn load(&self, sum: &PanelSum, volume_m3: f64, params: &LoadParams) -> Load {
        let density = params.density_kg_m3;
        let weight = density * params.gravity_m_s2;
        let submerged_m3 = sum.pressure[0].z.clamp(0.0, volume_m3);
        let mut added = sum.silhouette.map(|area| params.added_mass * density * area * area.sqrt());
        added.x = added.x.min(density * submerged_m3);
        added.y = added.y.min(density * submerged_m3);
        let entry = self.afloat.inertia.map(|inertia| self.entry(sum, added, inertia));
        let entry = entry.unwrap_or_default();
        let held = self.afloat.inertia.map_or(1.0, |inertia| {
            let mass = inertia.mass_kg + added;
            let straight = (sum.stiffness / mass).element_sum();
            // The trace of the effect of drag on velocities in a step: at least its largest
            // eigenvalue, so that no motion is reversed. Entry drag takes `part` of a velocity, and
            // this drag may take no more than the rest.
            (1.0 - entry.part)
                / (1.0 + inertia.dt_s * (straight + sum.turning / mass.min_element()))
        });
        let drag = [0, 1].map(|which| held * sum.drag[which] + entry.drag[which]);
        Load {
            force: weight * sum.pressure[0] + drag[0],
            torque: weight * sum.pressure[1] + drag[1],
            about: self.afloat.pose.position,
            drag: drag[0],
            submerged_m3,
            wet_m2: sum.wet_m2,
            added_mass_kg: added,
        }
    }
}

/// Drag of water that the body wetted in the last step.
#[derive(Default)]
struct EntryDrag {
    /// Force and torque.
    drag: [DVec3; 2],
    /// The largest part of a velocity that is lost to this drag.
    part: f64,
}

impl BodyFrame {
    fn entry(&self, sum: &PanelSum, added: DVec3, inertia: Inertia) -> EntryDrag {
        let own = self.afloat.motion.at(DVec3::ZERO, self.centre);
        let before = sum.silhouette_before / sum.silhouette;
        // Added mass grows with A^{3/2}: a silhouette that was `part` as large had `part`^{3/2} of
        // it. An axis without a silhouette gives 0/0, which is not below 1, so nothing was wetted.
        let wetted = before.map(|part| if part < 1.0 { 1.0 - part * part.sqrt() } else { 0.0 });
        let joined = added * wetted;
        let area = sum.wet_m2;
        let current = (sum.current / area).extend(0.0);
        let part = (joined / (inertia.mass_kg + added)).max_element();
        // Without a wet panel `area` is 0 and `current` is 0/0. A NaN in `part` ends here as well.
        if !(part > 0.0 && area > 0.0) {
            return EntryDrag::default();
        }
        let rate = joined / inertia.dt_s;
        // The water that has joined takes on the body's velocity within the step.
        let force = rate * (current - own);
        let spin = self.inertia * self.afloat.motion.angular;
        let torque = self.centre.cross(force) - about_axes(rate) * spin;
        EntryDrag { drag: [force, torque], part }
    }
}

/// The wet part of a panel along which water flows.
struct WettedPanel {
    area_m2: f64,
    centre: DVec3,
    /// Depth of its centre below the stage, m.
    depth: f64,
}
