//! Colours of depth, which mean the same in every picture.

/// Red, green, blue.
pub type PictureColour = [u8; 3];

/// Default limits of the classes of depth, m.
pub const DEPTHS_M: [f32; 7] = [0.05, 0.1, 0.3, 0.5, 1.0, 2.0, 5.0];
/// Colours of depth: of these classes; of more or fewer, between them.
pub const DEPTH_COLOURS: [PictureColour; 7] = [
    [166, 220, 247],
    [120, 194, 242],
    [74, 162, 230],
    [53, 122, 203],
    [59, 82, 171],
    [68, 38, 122],
    [40, 6, 62],
];
/// Colour of wet ground below the first limit.
pub const FILM: PictureColour = [211, 238, 250];

/// Returns the colour of wet ground for the default classes.
#[must_use]
pub fn depth_colour(depth_m: f32) -> PictureColour {
    let class = DEPTHS_M.iter().rposition(|&limit| depth_m >= limit);
    class.map_or(FILM, |class| DEPTH_COLOURS[class])
}
