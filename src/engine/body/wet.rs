//! The wet part of a panel, and the pressure on it: exact for linear pressure.
//!
//! ```text
//! p = ρ·g·(stage − z)     from the stage down to the bed
//! p = ρ·g·(stage − bed)   below it: what is dug in feels no more than the water above it
//! ```
//!
//! The panel is clipped at the stage and split at the bed. Over a triangle, linear functions
//! integrate by `∫ f·g dA = A/12·(Σ fᵢ·gᵢ + Σ fᵢ·Σ gᵢ)`.
//!
//! Guarantees: neighbours with the same stage leave no gap, whatever the cuts.
//! Limits:     one stage, with its slope, over a panel.
//! Source:     own; clipping: Sutherland and Hodgman (1974).

use glam::DVec3;

/// A corner: its place, its depth below the stage, and the depth of the bed below the stage, m.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct WetCorner {
    pub(super) place: DVec3,
    pub(super) below: f64,
    pub(super) bed_below: f64,
}

/// Sums over the wet part of a panel.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Wet {
    /// Pressure over ρ·g, over the area, m³.
    pub(super) head: f64,
    /// Pressure over ρ·g times the place, over the area, m⁴.
    pub(super) moment: DVec3,
    /// Area along which water flows, above the bed, m².
    pub(super) area_m2: f64,
    /// Centre of that area.
    pub(super) centre: DVec3,
}

/// Most corners of a panel.
pub(super) const CORNERS_MOST: usize = 4;

/// A convex polygon of at most a panel's corners and one for each cut.
#[derive(Clone, Copy, Default)]
struct WetPolygon {
    corners: [WetCorner; CORNERS_MOST + 3],
    count: usize,
}

impl WetPolygon {
    fn push(&mut self, corner: WetCorner) {
        self.corners[self.count] = corner;
        self.count += 1;
    }

    /// Returns the part in which a linear function is above 0.
    fn where_above_0(&self, of: impl Fn(&WetCorner) -> f64) -> Self {
        let mut kept = Self::default();
        for i in 0..self.count {
            let (here, next) = (self.corners[i], self.corners[(i + 1) % self.count]);
            let (a, b) = (of(&here), of(&next));
            if a > 0.0 {
                kept.push(here);
            }
            if (a > 0.0) != (b > 0.0) {
                // From the side above 0, so that both panels of an edge cut it at the same place.
                kept.push(if a > 0.0 { cut(here, next, a, b) } else { cut(next, here, b, a) });
            }
        }
        kept
    }

    fn fan(&self) -> impl Iterator<Item = [WetCorner; 3]> + '_ {
        fan(&self.corners[..self.count])
    }
}

/// Returns the triangles that fan out from the first corner of a convex polygon.
fn fan(corners: &[WetCorner]) -> impl Iterator<Item = [WetCorner; 3]> + '_ {
    (2..corners.len()).map(|i| [corners[0], corners[i - 1], corners[i]])
}

fn cut(from: WetCorner, to: WetCorner, a: f64, b: f64) -> WetCorner {
    let part = a / (a - b);
    let mix = |x: f64, y: f64| x + part * (y - x);
    WetCorner {
        place: from.place + part * (to.place - from.place),
        below: mix(from.below, to.below),
        bed_below: mix(from.bed_below, to.bed_below),
    }
}

/// Returns the wet part of a convex panel with this unit normal.
pub(super) fn wet(corners: &[WetCorner], normal: DVec3) -> Wet {
    let mut sum = Wet::default();
    let is_under = |corner: &WetCorner| corner.below > 0.0;
    if !corners.iter().any(is_under) {
        return sum;
    }
    let is_whole = corners.iter().all(is_under);
    let is_open = corners.iter().all(|corner| corner.below <= corner.bed_below);
    // Nothing to clip: the triangles are the same as below, but no corner is copied.
    if is_whole && is_open {
        fan(corners).for_each(|triangle| sum.add(&triangle, normal, |c| c.below, true));
        if sum.area_m2 > 0.0 {
            sum.centre /= sum.area_m2;
        }
        return sum;
    }
    let mut whole = WetPolygon { count: corners.len(), ..WetPolygon::default() };
    whole.corners[..corners.len()].copy_from_slice(corners);
    let under = if is_whole { whole } else { whole.where_above_0(|c| c.below) };
    if is_open {
        under.fan().for_each(|triangle| sum.add(&triangle, normal, |c| c.below, true));
    } else {
        let open = under.where_above_0(|c| c.bed_below - c.below);
        open.fan().for_each(|triangle| sum.add(&triangle, normal, |c| c.below, true));
        let dug_in = under.where_above_0(|c| c.below - c.bed_below);
        // If the bed is above the stage, there is no water to press.
        let pressed = dug_in.where_above_0(|c| c.bed_below);
        pressed.fan().for_each(|triangle| sum.add(&triangle, normal, |c| c.bed_below, false));
    }
    if sum.area_m2 > 0.0 {
        sum.centre /= sum.area_m2;
    }
    sum
}

impl Wet {
    fn add(
        &mut self,
        triangle: &[WetCorner; 3],
        normal: DVec3,
        head: impl Fn(&WetCorner) -> f64,
        is_open: bool,
    ) {
        let [a, b, c] = triangle.map(|corner| corner.place);
        let area = 0.5 * (b - a).cross(c - a).dot(normal);
        let heads = [head(&triangle[0]), head(&triangle[1]), head(&triangle[2])];
        let head_sum = heads[0] + heads[1] + heads[2];
        self.head += area * head_sum / 3.0;
        let place_sum = a + b + c;
        let products = heads[0] * a + heads[1] * b + heads[2] * c;
        self.moment += area / 12.0 * (products + head_sum * place_sum);
        if is_open {
            self.centre += area * place_sum / 3.0;
            self.area_m2 += area;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Goal: the pressure on a square metre from 2 m to 1 m under the stage, and on one whose lower
    /// half is buried.
    #[test]
    fn pressure_on_a_gate_is_that_of_the_textbook() {
        let corner = |place: DVec3, bed: f64| WetCorner { place, below: -place.z, bed_below: -bed };
        let gate = |bed: f64| {
            let square = [(0.0, -2.0), (1.0, -2.0), (1.0, -1.0), (0.0, -1.0)];
            let [a, b, c, d] = square.map(|(x, z)| corner(DVec3::new(x, 0.0, z), bed));
            [wet(&[a, b, c], DVec3::NEG_Y), wet(&[a, c, d], DVec3::NEG_Y)]
        };
        let head = |parts: [Wet; 2]| parts[0].head + parts[1].head;
        let deep = |parts: [Wet; 2]| parts[0].moment.z + parts[1].moment.z;
        let open = gate(-10.0);
        assert!((head(open) - 1.5).abs() < 1.0e-12);
        // ∫ z·(−z) dz from −2 to −1.
        assert!((deep(open) + 7.0 / 3.0).abs() < 1.0e-12);
        let dug_in = gate(-1.5);
        assert!((head(dug_in) - (0.625 + 0.75)).abs() < 1.0e-12);
        let area: f64 = dug_in.iter().map(|part| part.area_m2).sum();
        assert!((area - 0.5).abs() < 1.0e-12, "{area}");
    }

    #[test]
    fn a_panel_over_the_stage_is_dry() {
        let place = |x: f64| DVec3::new(x, x * x, 1.0);
        let corner = |x: f64| WetCorner { place: place(x), below: -1.0, bed_below: 5.0 };
        let dry = wet(&[corner(0.0), corner(1.0), corner(2.0)], DVec3::Z);
        assert!(dry.head.abs() + dry.area_m2 < f64::MIN_POSITIVE);
    }
}
