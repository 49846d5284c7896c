//! Shadow of an outline on a face.

/// Condition under which a shadow counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ShadeKind {
    /// The outline meets the line from centre to centre.
    Cut,
    /// The outline does not meet that line, but the body ends within the rectangle.
    End,
    /// Counts only where it leads from what is cut to the face's end, or to what else counts.
    Loose,
}

/// Part of a face that an outline shadows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Shadow {
    /// Condition under which the shadow counts.
    pub kind: ShadeKind,
    /// Which of the faces across: face `i` lies between the cells `i − 1` and `i`.
    pub face: i64,
    /// Which of the cells along.
    pub strip: i64,
    /// Where it begins, cells from the middle of the face.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// How far from the face the outline is on the line between the centres, cells: below 0 where
    /// it is before the face, 0 where it is on both sides, or does not meet the line.
    pub lead: f64,
}
