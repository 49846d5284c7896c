//! Shadow of an outline on a face.

/// Condition under which a shadow counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ShadeKind {
    /// The outline meets the line from centre to centre.
    Cut,
    /// The outline does not meet that line, but the body ends within the rectangle.
    End,
    /// The shadow counts only if it leads from a cut part to the face's end, or to another shadow
    /// that counts.
    Loose,
}

/// The part of a face that an outline shadows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Shadow {
    /// Condition under which the shadow counts.
    pub kind: ShadeKind,
    /// Number of the face across the axis: face `i` is between the cells `i − 1` and `i`.
    pub face: i64,
    /// Number of the cell along the face.
    pub strip: i64,
    /// Beginning of the shadow, cells from the middle of the face.
    pub from: f64,
    /// End of the shadow, likewise.
    pub to: f64,
    /// Distance of the outline from the face on the line between the centres, cells: below 0 before
    /// the face, 0 if it is on both sides or does not meet the line.
    pub lead: f64,
}
