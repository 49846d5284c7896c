//! The extent of an outline along one face.
//!
//! Guarantees: the reported parts cover all of the scale of `silhouette` that the outline covers,
//!             as [`ShadeKind::Loose`] if nothing else applies, so that outlines which touch join
//!             up.
//! Limits:     a slit outline is not reported to its end: it counts as ending at its corners.
//! Source:     own.

use crate::body::shadow::ShadeKind;

/// Just short of the end of a face: a shadow that ends here does not close the face to its end.
const SHORT: f64 = 0.5 - 1.0e-6; // short by 17 parts of `merge::WHOLE`, beyond `merge::TOUCH`

/// The part of a face's rectangle that an outline covers.
#[derive(Debug, Clone, Copy)]
pub(super) struct FaceReach {
    is_cut: bool,
    /// Whether the outline leaves the rectangle below the line between the centres.
    pub is_below: bool,
    /// Whether the outline leaves the rectangle above that line.
    pub is_above: bool,
    /// Whether the outline is slit open: below and above.
    is_slit: [bool; 2],
    /// Part of the lines through the centres that is inside the outline.
    pub sides: [f64; 2],
    corners: [f64; 2],
    scale: [f64; 2],
    way: [f64; 2],
    has_tip: bool,
}

// Empty: the first place, from −½ to ½, becomes both ends. Ends of opposite signs belong to no half
// of the face.
const NONE: [f64; 2] = [1.0, -1.0];

fn widened(extent: [f64; 2], place: f64) -> [f64; 2] {
    [extent[0].min(place), extent[1].max(place)]
}

impl FaceReach {
    /// Creates an empty reach.
    pub fn new(is_cut: bool) -> Self {
        Self {
            is_cut,
            is_below: false,
            is_above: false,
            is_slit: [false; 2],
            sides: NONE,
            corners: NONE,
            scale: NONE,
            way: NONE,
            has_tip: false,
        }
    }

    /// Adds a corner within the rectangle: its place along the face as measured, by the scale, and
    /// by the direction in which it points.
    pub fn take(&mut self, s: f64, scale: f64, way: f64, is_sharp: bool) {
        self.corners = widened(self.corners, s);
        self.scale = widened(self.scale, scale);
        self.way = widened(self.way, way);
        self.has_tip |= is_sharp;
    }

    /// Slits the outline open from a centre down to a place of the line there.
    pub fn slit_below(&mut self, place: f64) {
        self.is_slit[0] = true;
        self.way[0] = self.way[0].min(place);
    }

    /// Slits the outline open from a centre up to a place of the line there.
    pub fn slit_above(&mut self, place: f64) {
        self.is_slit[1] = true;
        self.way[1] = self.way[1].max(place);
    }

    /// Calls `tell` with each shadow.
    pub fn tell(&self, mut tell: impl FnMut(ShadeKind, f64, f64)) {
        if self.is_cut {
            self.tell_cut(&mut tell);
        } else if self.is_above || self.corners[0] > 0.0 && self.corners[1] > 0.0 {
            self.tell_above(&mut tell);
        } else if self.is_below || self.corners[1] < 0.0 && self.corners[0] < 0.0 {
            self.mirrored().tell_above(&mut |kind, from: f64, to: f64| tell(kind, -to, -from));
        }
    }

    /// Returns a copy as seen from the other end of the face.
    fn mirrored(&self) -> Self {
        let turned = |[from, to]: [f64; 2]| [-to, -from];
        Self {
            is_below: self.is_above,
            is_above: self.is_below,
            is_slit: [self.is_slit[1], self.is_slit[0]],
            sides: turned(self.sides),
            corners: turned(self.corners),
            scale: turned(self.scale),
            way: turned(self.way),
            ..*self
        }
    }

    /// Returns the upper end of the cut part, and that end by the scale.
    fn top(&self) -> (f64, f64) {
        let has_corner = self.is_slit[1] || self.corners[0] <= self.corners[1];
        let by_scale = if self.is_slit[1] { SHORT } else { self.scale[1].clamp(0.0, SHORT) };
        match (self.is_above, has_corner) {
            (true, _) => (0.5, 0.5),
            (false, true) => (self.way[1], by_scale),
            (false, false) => (0.0, by_scale),
        }
    }

    fn tell_cut(&self, tell: &mut impl FnMut(ShadeKind, f64, f64)) {
        let (to, to_by_scale) = self.top();
        let (from, from_by_scale) = self.mirrored().top();
        let from = (-from).min(to);
        tell(ShadeKind::Cut, from, to);
        loose(tell, -from_by_scale, from);
        loose(tell, to, to_by_scale);
    }

    /// Reports the shadows above the line between the centres.
    fn tell_above(&self, tell: &mut impl FnMut(ShadeKind, f64, f64)) {
        let nearest = self.sides[0].min(self.corners[0]).max(0.0);
        let end = if self.is_above { 0.5 } else { self.scale[1].min(SHORT) };
        // A part that is nearest to the middle at a side passes by, unless it has a tip.
        if self.has_tip || self.corners[0] <= self.sides[0] {
            let to = if self.is_above { 0.5 } else { self.way[1] };
            let from = self.way[0].min(to);
            tell(ShadeKind::End, from, to);
            loose(tell, nearest, from);
            loose(tell, to, end);
        } else {
            loose(tell, nearest, end);
        }
    }
}

fn loose(tell: &mut impl FnMut(ShadeKind, f64, f64), from: f64, to: f64) {
    if from < to {
        tell(ShadeKind::Loose, from, to);
    }
}
