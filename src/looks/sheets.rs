//! Faces joined to sheets: each lip is one line, and water falls from it to one foot.
//!
//! ```text
//!   upper │ lower      ┌───  the line goes through the middles of faces, so a lip that lies aslant
//!  ───────┘         ──/──    is straight; the upper cells are on its left
//! ```
//!
//! A cell on which water lands and from which it falls on at once, the same way, has no fall of its
//! own: the fall continues over it. A foot is where the jet meets the next surface:
//!
//! ```text
//! ──┐                      x(t) = lip + v t,   z(t) = z_lip − ½ g t²   through the cells below,
//!    ╲    ┌──   ledges of the same fall passed over, until z is below the top of the cell: where
//! ──┐ ╲───┘     it comes down from above it lands; at the side of higher ground it falls to the
//!   └─                     ground before; at the side of lower ground it has run down its own step
//! ```

use super::cells::{WindowCell, WindowCells};
use super::faces::{OverfallFace, WAYS};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Acceleration of gravity, m/s².
const GRAVITY: f32 = 9.81;

/// Least and most of a face's discharge that falls onto it, the same way, if it is part of a longer
/// fall.
const FED_PARTS: [f32; 2] = [0.5, 2.0];

/// Distance of a foot from the side of a cell, as a part of the cell's width.
const OFF_PART: f32 = 0.01; // exactly on the side, rounding could put it in either cell

/// A point of a sheet's lip, and the place where its water lands. Numbers of four bytes in the
/// order of the fields, without gaps, 40 bytes in all.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct FallVertex {
    /// Metres east and north of the corner of the surface's window, and stage above the lip, m.
    pub lip_m: [f32; 3],
    /// Place where a free jet lands, from the window's corner, and elevation of the water or ground
    /// there, m.
    pub foot_m: [f32; 3],
    /// Velocity over the lip, eastward and northward, m/s.
    pub velocity_m_s: [f32; 2],
    /// Thickness of the sheet at the lip: the depth of the cell above, m.
    pub thickness_m: f32,
    /// Unit discharge across the face, m²/s.
    pub discharge_m2_s: f32,
}

impl FallVertex {
    /// Returns the height from the lip to the foot, m.
    #[must_use]
    pub fn height_m(&self) -> f32 {
        self.lip_m[2] - self.foot_m[2]
    }
}

/// A sheet of falling water.
#[derive(Debug, Clone, PartialEq)]
pub struct Sheet {
    /// Vertices of the sheet: two ends and between them one for each face of its lip.
    pub vertices: Range<usize>,
    /// Discharge over the whole lip, m³/s.
    pub discharge_m3_s: f32,
    /// Greatest height, m.
    pub height_m: f32,
    /// Length of the lip, m.
    pub width_m: f32,
}

/// Place of the cells: their width, and the corner of the window among those of its level.
#[derive(Debug, Clone, Copy)]
pub(super) struct SheetSite {
    pub width_m: f32,
    pub corner: [u32; 2],
}

impl SheetSite {
    /// Returns the metres from the window's corner to a corner of cells.
    #[expect(clippy::cast_precision_loss, reason = "a window has fewer than 2²⁴ columns")]
    fn place_m(&self, corner: [u32; 2]) -> [f32; 2] {
        [0, 1].map(|axis| corner[axis].wrapping_sub(self.corner[axis]) as f32 * self.width_m)
    }

    /// Returns the middle of a face, m from the window's corner.
    fn middle_m(&self, face: &OverfallFace) -> [f32; 2] {
        let [a, b] = face.ends().map(|end| self.place_m(end));
        [0, 1].map(|axis| 0.5 * (a[axis] + b[axis]))
    }
}

/// Faces of all falls of a window, and the cells below them.
struct Joints<'a> {
    cells: &'a WindowCells<'a>,
    faces: &'a [OverfallFace],
    site: SheetSite,
    /// Cells over which falls of a way pass.
    passed: BTreeSet<([u32; 2], usize)>,
}

/// Joins faces to sheets, if lips differ by less than `joint_m`.
pub(super) fn join(
    cells: &WindowCells<'_>,
    faces: &[OverfallFace],
    (site, joint_m): (SheetSite, f32),
) -> (Vec<FallVertex>, Vec<Sheet>) {
    let fed = |face: &OverfallFace| ((face.lower(), face.way), face.discharge_m2_s);
    let fed: BTreeMap<_, f32> = faces.iter().map(fed).collect();
    let is_passed = |face: &OverfallFace| {
        let part = fed.get(&(face.upper, face.way)).map_or(0.0, |fed| fed / face.discharge_m2_s);
        (FED_PARTS[0]..=FED_PARTS[1]).contains(&part)
    };
    let (passed, lips): (Vec<usize>, Vec<usize>) =
        (0..faces.len()).partition(|index| is_passed(&faces[*index]));
    let passed = passed.into_iter().map(|index| (faces[index].upper, faces[index].way)).collect();
    let joints = Joints { cells, faces, site, passed };
    let (mut vertices, mut sheets) = (Vec::new(), Vec::new());
    for strip in strips(faces, &lips, joint_m) {
        sheets.push(joints.sheet(&strip, &mut vertices));
    }
    (vertices, sheets)
}

/// Joins lips that follow each other, each with its upper cells on the left.
fn strips(faces: &[OverfallFace], lips: &[usize], joint_m: f32) -> Vec<Vec<usize>> {
    let mut starting: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for &lip in lips {
        starting.entry(faces[lip].ends()[0]).or_default().push(lip);
    }
    let (mut next, mut has_before) = (BTreeMap::new(), vec![false; faces.len()]);
    // Around the upper cell first: so lines do not cross where four cells meet crosswise.
    for turn in [1, 0, 3] {
        for &lip in lips {
            if next.contains_key(&lip) {
                continue;
            }
            let face = &faces[lip];
            let follows = |other: &&usize| {
                let is_turned = faces[**other].way == (face.way + turn) % 4;
                let is_level = (faces[**other].lip_m - face.lip_m).abs() < joint_m;
                is_turned && is_level && !has_before[**other] && **other != lip
            };
            let candidates = starting.get(&face.ends()[1]);
            if let Some(&other) = candidates.and_then(|all| all.iter().find(follows)) {
                next.insert(lip, other);
                has_before[other] = true;
            }
        }
    }
    let mut is_taken = vec![false; faces.len()];
    let mut strips = Vec::new();
    // First lines with a beginning, then closed ones.
    let open = lips.iter().filter(|lip| !has_before[**lip]);
    for &first in open.chain(lips) {
        let mut strip = Vec::new();
        let mut at = Some(first);
        while let Some(lip) = at.filter(|lip| !is_taken[*lip]) {
            is_taken[lip] = true;
            strip.push(lip);
            at = next.get(&lip).copied();
        }
        if !strip.is_empty() {
            strips.push(strip);
        }
    }
    strips
}

impl Joints<'_> {
    /// Adds the vertices of a strip; returns the sheet.
    fn sheet(&self, strip: &[usize], vertices: &mut Vec<FallVertex>) -> Sheet {
        let from = vertices.len();
        let [first, last] = [strip[0], strip[strip.len() - 1]];
        vertices.push(self.vertex(first, self.site.place_m(self.faces[first].ends()[0])));
        for &lip in strip {
            vertices.push(self.vertex(lip, self.site.middle_m(&self.faces[lip])));
        }
        vertices.push(self.vertex(last, self.site.place_m(self.faces[last].ends()[1])));
        let all = &vertices[from..];
        let length = |pair: &[FallVertex]| {
            let [a, b] = [pair[0].lip_m, pair[1].lip_m];
            (b[0] - a[0]).hypot(b[1] - a[1])
        };
        let discharge: f32 = strip.iter().map(|lip| self.faces[*lip].discharge_m2_s).sum();
        Sheet {
            vertices: from..vertices.len(),
            discharge_m3_s: discharge * self.site.width_m,
            height_m: all.iter().map(FallVertex::height_m).fold(0.0, f32::max),
            width_m: all.windows(2).map(length).sum(),
        }
    }

    /// Returns a vertex at a place of a lip.
    fn vertex(&self, lip: usize, [x, y]: [f32; 2]) -> FallVertex {
        let face = &self.faces[lip];
        let ([east, north], foot_m) = self.landing(face);
        FallVertex {
            lip_m: [x, y, face.lip_m],
            foot_m: [x + east, y + north, foot_m],
            velocity_m_s: face.velocity_m_s,
            thickness_m: face.depth_m,
            discharge_m2_s: face.discharge_m2_s,
        }
    }

    /// Returns the place where the water of a lip lands: metres from the middle of its face, and
    /// elevation, m. Beyond the window, and without ground, all is as high as the last cell before.
    fn landing(&self, face: &OverfallFace) -> ([f32; 2], f32) {
        let at = |seconds: f32| face.velocity_m_s.map(|velocity| velocity * seconds);
        let falls_s = |to_m: f32| (2.0 * (face.lip_m - to_m).max(0.0) / GRAVITY).sqrt();
        let [u, v] = face.velocity_m_s;
        // The speed is not 0: a face of a fall has a discharge.
        let off_s = OFF_PART * self.site.width_m / u.hypot(v);
        let (mut before_m, mut enters_s) = (face.lip_m, 0.0);
        let mut next = self.cells.find(face.lower());
        while let Some(cell) = next {
            let top_m = self.cells.top_m(cell.at);
            if top_m.is_nan() {
                break;
            }
            let (leaves_s, step) = self.leaving(face, cell);
            let is_step = top_m < before_m;
            if !(is_step && self.passed.contains(&(self.cells.number(cell), face.way))) {
                let lands_s = falls_s(top_m);
                if lands_s < enters_s {
                    let stands_s = if is_step { enters_s + off_s } else { enters_s - off_s };
                    return (at(stands_s), top_m.min(before_m));
                }
                if lands_s <= leaves_s {
                    return (at(lands_s), top_m);
                }
            }
            (before_m, enters_s) = (top_m, leaves_s);
            next = self.cells.beside(cell, step);
        }
        (at(falls_s(before_m).max(enters_s)), before_m)
    }

    /// Returns the time when the jet of a lip leaves a cell, s, and the side over which it does.
    #[expect(clippy::cast_precision_loss, reason = "a window has fewer than 2²⁴ columns")]
    fn leaving(&self, face: &OverfallFace, cell: WindowCell) -> (f32, [isize; 2]) {
        let middle_m = self.site.middle_m(face);
        let corner = [cell.x, cell.y];
        let passes_s = [0, 1].map(|axis| {
            let velocity = face.velocity_m_s[axis];
            let side = corner[axis] as f32 + if velocity > 0.0 { 1.0 } else { 0.0 };
            let away_m = side * self.site.width_m - middle_m[axis];
            if velocity == 0.0 { f32::INFINITY } else { away_m / velocity }
        });
        let axis = usize::from(passes_s[1] < passes_s[0]);
        let way = if face.velocity_m_s[axis] > 0.0 { axis } else { axis + 2 };
        (passes_s[axis], WAYS[way])
    }
}
