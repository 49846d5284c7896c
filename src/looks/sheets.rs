//! Faces joined to sheets: each lip is one line, and water falls from it to one foot.
//!
//! ```text
//!   upper │ lower      ┌───  the line goes through the middles of faces, so a lip that lies aslant
//!  ───────┘         ──/──    is straight; the upper cells are on its left
//! ```
//!
//! A cell on which water lands and from which it falls on at once is none of its own: the fall goes
//! on, over the greatest drop, and its foot is where it ends.

use super::faces::{Face, WAYS};
use std::collections::BTreeMap;
use std::ops::Range;

/// m/s².
const GRAVITY: f32 = 9.81;

/// Part of a cell's discharge that may fall onto it without making it part of a longer fall.
const FED_PART: f32 = 0.5;

/// A point of a sheet's lip, and where its water lands. Numbers of four bytes in the order of the
/// fields, without gaps, 40 bytes in all.
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
    /// Height from the lip to the foot, m.
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

/// Where cells lie: their width, and the corner of the window among those of its level.
#[derive(Debug, Clone, Copy)]
pub(super) struct Site {
    pub width_m: f32,
    pub corner: [u32; 2],
}

impl Site {
    /// Metres from the window's corner to a corner of cells.
    #[expect(clippy::cast_precision_loss, reason = "a window has fewer than 2²⁴ columns")]
    fn place_m(&self, corner: [u32; 2]) -> [f32; 2] {
        [0, 1].map(|axis| corner[axis].wrapping_sub(self.corner[axis]) as f32 * self.width_m)
    }

    /// Middle of a face, m from the window's corner.
    fn middle_m(&self, face: &Face) -> [f32; 2] {
        let [a, b] = face.ends().map(|end| self.place_m(end));
        [0, 1].map(|axis| 0.5 * (a[axis] + b[axis]))
    }
}

/// Faces of all falls of a window, and which follow each other.
struct Joints<'a> {
    faces: &'a [Face],
    site: Site,
    by_upper: BTreeMap<[u32; 2], Vec<usize>>,
}

/// Joins faces to sheets.
pub(super) fn join(faces: &[Face], site: Site) -> (Vec<FallVertex>, Vec<Sheet>) {
    let mut by_upper: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    let mut fed: BTreeMap<_, f32> = BTreeMap::new();
    for (index, face) in faces.iter().enumerate() {
        by_upper.entry(face.upper).or_default().push(index);
        *fed.entry(face.lower()).or_default() += face.discharge_m2_s;
    }
    let is_lip = |index: &usize| {
        let face = &faces[*index];
        fed.get(&face.upper).is_none_or(|fed| *fed < FED_PART * face.discharge_m2_s)
    };
    let lips: Vec<usize> = (0..faces.len()).filter(is_lip).collect();
    let joints = Joints { faces, site, by_upper };
    let (mut vertices, mut sheets) = (Vec::new(), Vec::new());
    for strip in strips(faces, &lips) {
        sheets.push(joints.sheet(&strip, &mut vertices));
    }
    (vertices, sheets)
}

/// Lips that follow each other, each with its upper cells on the left.
fn strips(faces: &[Face], lips: &[usize]) -> Vec<Vec<usize>> {
    let mut starting: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for &lip in lips {
        starting.entry(faces[lip].ends()[0]).or_default().push(lip);
    }
    let (mut next, mut has_before) = (BTreeMap::new(), vec![false; faces.len()]);
    // Around the upper cell first: where four cells meet crosswise, no line crosses another.
    for turn in [1, 0, 3] {
        for &lip in lips {
            if next.contains_key(&lip) {
                continue;
            }
            let face = &faces[lip];
            let follows = |other: &&usize| {
                let is_turned = faces[**other].way == (face.way + turn) % 4;
                is_turned && !has_before[**other] && **other != lip
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
    // Lines with a beginning, then those that are closed.
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
    /// Puts the vertices of a strip; returns the sheet.
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

    /// A vertex at a place of a lip.
    fn vertex(&self, lip: usize, [x, y]: [f32; 2]) -> FallVertex {
        let face = &self.faces[lip];
        let last = &self.faces[self.last(lip)];
        let height_m = face.lip_m - last.foot_m;
        let falls_s = (2.0 * height_m / GRAVITY).sqrt();
        let [from, to] = [face, last].map(|face| self.site.middle_m(face));
        let way = WAYS[face.way];
        #[expect(clippy::cast_precision_loss, reason = "-1, 0 or 1")]
        let way = way.map(|step| step as f32);
        let jet = face.velocity_m_s.map(|velocity| velocity * falls_s);
        let along = |a: [f32; 2]| a[0] * way[0] + a[1] * way[1];
        // Where ground is in the way of the jet, water runs down it to the last drop.
        let short_by = (along([to[0] - from[0], to[1] - from[1]]) - along(jet)).max(0.0);
        let [east, north] = [0, 1].map(|axis| jet[axis] + short_by * way[axis]);
        FallVertex {
            lip_m: [x, y, face.lip_m],
            foot_m: [x + east, y + north, last.foot_m],
            velocity_m_s: face.velocity_m_s,
            thickness_m: face.depth_m,
            discharge_m2_s: face.discharge_m2_s,
        }
    }

    /// The face over which the water of a lip falls last: each lies below the one before.
    fn last(&self, lip: usize) -> usize {
        let mut at = lip;
        while let Some(on) = self.by_upper.get(&self.faces[at].lower()) {
            let drop_m = |face: &&usize| self.faces[**face].lip_m - self.faces[**face].foot_m;
            let greatest = on.iter().max_by(|a, b| drop_m(a).total_cmp(&drop_m(b)));
            at = *greatest.expect("lists are not empty");
        }
        at
    }
}
