//! Parts of a surface as copies: for the thread that draws.

use crate::probe::Window;
use crate::probe::surface::planes::{Normal, SurfacePlanes};

/// A copy of a part of a surface, which shares nothing with it: made on the world's thread, and
/// sent to the thread that draws.
///
/// Rows go from south to north, cells from west to east, as in [`Surface`](super::Surface), whose
/// planes these are.
#[derive(Debug, Clone, PartialEq)]
pub struct SurfacePatch {
    /// Rectangle that it shows: `corner` counts cells of its level from the world's corner.
    pub window: Window,
    /// Bed, m; NaN outside the world.
    pub bed_m: Vec<f32>,
    /// Depth, m; 0 if it is dry or outside the world.
    pub depth_m: Vec<f32>,
    /// Stage, m; within two cells of water that of the wet cells around, NaN farther away.
    pub stage_m: Vec<f32>,
    /// Velocity eastward and northward, m/s; 0 if it is dry.
    pub velocity_m_s: Vec<[f32; 2]>,
    /// Foam, from 0 to 1.
    pub foam: Vec<f32>,
    /// Unit vectors upright on the bed: east, north, up, times 127; the fourth number is 0.
    pub bed_normal: Vec<[i8; 4]>,
    /// Unit vectors upright on the surface seen from above.
    pub normal: Vec<[i8; 4]>,
}

/// Copies a rectangle of the planes of a window; `None` if it is not within that window.
pub(super) fn cut(planes: &SurfacePlanes, from: &Window, part: Window) -> Option<SurfacePatch> {
    let offset = |own: u32, corner: u32| own.checked_sub(corner).map(|cells| cells as usize);
    let west = offset(part.corner.x, from.corner.x)?;
    let south = offset(part.corner.y, from.corner.y)?;
    let holds = |all: usize, before: usize, count: usize| {
        before.checked_add(count).is_some_and(|end| end <= all)
    };
    let fits = holds(from.width, west, part.width) && holds(from.height, south, part.height);
    if part.level != from.level || !fits {
        return None;
    }
    let rows = || {
        (south..south + part.height).map(|row| {
            let first = row * from.width + west;
            first..first + part.width
        })
    };
    let numbers = |plane: &[f32]| rows().flat_map(|row| plane[row].iter().copied()).collect();
    let normals = |plane: &[Normal]| rows().flat_map(|row| plane[row].iter().copied()).collect();
    let [east, north] = &planes.velocity;
    Some(SurfacePatch {
        window: part,
        bed_m: numbers(&planes.bed_m),
        depth_m: numbers(&planes.depth_m),
        stage_m: numbers(&planes.stage_m),
        velocity_m_s: rows().flatten().map(|cell| [east[cell], north[cell]]).collect(),
        foam: numbers(&planes.foam),
        bed_normal: normals(&planes.bed_normal),
        normal: normals(&planes.normal),
    })
}
