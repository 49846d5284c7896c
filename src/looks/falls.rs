//! Falls: sheets of water in free fall, between neighbouring cells of a surface.

use super::cells::{TiledList, WindowCells};
use super::error::LooksError;
use super::faces::{self, FallOptions, OverfallFace};
use super::sheets::{self, FallVertex, Sheet, SheetSite};
use crate::probe::{Surface, Window};

/// Sheets of water that falls free in the window of a surface, as buffers for a renderer.
///
/// Water falls over the face between two cells if the stage of the upper one is more than
/// [`FallOptions`] above the stage, or the dry bed, of the lower one, and the upper one flows
/// towards it. Faces of one lip are one sheet: a line of vertices from end to end, the upper water
/// on its left. A renderer draws a ribbon from the lip to the foot: with `s` from 0 to 1
///
/// ```text
/// place(s) = lip + s (foot − lip)      z(s) = z_lip − s² h      after s √(2h/g) seconds
/// ```
///
/// where `h` is the height. That is a free jet without drag, which leaves the lip level and as fast
/// as the upper cell flows, and falls until it meets the water or the ground of the cells below, or
/// the side of higher ones; a slow one runs down the steps of its own fall.
///
/// Limits: a drop is as wide as cells are: on coarse cells slopes of one half fall, on fine ones
///         cliffs. A sheet has the thickness of the water above, not the 0.7 of it at a brink. A
///         ledge of one cell, from which about as much water falls on the same way, is passed over:
///         its gain or loss there, up to one half, counts as flow over the lip. Nothing falls out
///         of the window, nor out of the world: a jet that leaves the window lands as low as the
///         last cell before. Nappes that cling, and air below them, are not distinguished.
/// Source: ballistics of a jet; faces and joining own. Brink depths: Rouse (1936), Discharge
///         characteristics of the free overfall, Civil Engineering 6.
#[derive(Debug, Clone)]
pub struct Falls {
    finest_m: f64,
    options: FallOptions,
    faces: TiledList<OverfallFace>,
    vertices: Vec<FallVertex>,
    sheets: Vec<Sheet>,
}

impl Falls {
    /// Returns an empty list of falls, before the first update. Cells of level 0 are `finest_m`
    /// wide, m: [`Query::cell_width_m`] of 0 in the world that the surface follows. A surface
    /// contains no width: with that of another world all places and widths are wrong.
    ///
    /// # Errors
    ///
    /// [`LooksError::Number`] if a width, a drop or a discharge is not above 0, or if another
    /// number is below 0.
    ///
    /// [`Query::cell_width_m`]: crate::probe::Query::cell_width_m
    pub fn try_new(finest_m: f64, options: FallOptions) -> Result<Self, LooksError> {
        LooksError::unless_positive("finest_m", finest_m)?;
        options.check()?;
        let (faces, vertices, sheets) = (TiledList::new(), Vec::new(), Vec::new());
        Ok(Self { finest_m, options, faces, vertices, sheets })
    }

    /// Brings the falls up to date with a surface, from the parts that its updates since the last
    /// call have returned; returns whether sheets or vertices have changed. Only changed cells are
    /// read, and if any has changed, all faces of falls are joined and followed to their feet
    /// again: in the window of a map they are few. In a window that has moved all cells are read.
    pub fn update(&mut self, surface: &Surface, changed: &[Window]) -> bool {
        self.follow(&WindowCells::of(surface), changed)
    }

    pub(super) fn follow(&mut self, cells: &WindowCells<'_>, changed: &[Window]) -> bool {
        let Window { level, corner, .. } = cells.window;
        #[expect(clippy::cast_possible_truncation, reason = "metres in f32")]
        let width_m = (self.finest_m * 2.0_f64.powi(i32::from(level))) as f32;
        let options = self.options;
        let find = |cells: &WindowCells<'_>, cell, found: &mut Vec<OverfallFace>| {
            faces::find(cells, cell, (&options, width_m), found);
        };
        // One cell more: a face of a cell depends on the cell beyond it.
        let has_other_faces = self.faces.update(cells, (changed, 1), find);
        // Any change may move a foot: jets are followed through cells far from their faces.
        if !has_other_faces && changed.is_empty() {
            return false;
        }
        let all: Vec<OverfallFace> = self.faces.iter().copied().collect();
        let site = SheetSite { width_m, corner: [corner.x, corner.y] };
        let (vertices, sheets) = sheets::join(cells, &all, (site, options.drop_m));
        let has_changed = vertices != self.vertices || sheets != self.sheets;
        (self.vertices, self.sheets) = (vertices, sheets);
        has_changed
    }

    /// Returns the points of all lips: points of one sheet follow each other.
    #[must_use]
    pub fn vertices(&self) -> &[FallVertex] {
        &self.vertices
    }

    /// Returns all sheets.
    #[must_use]
    pub fn sheets(&self) -> &[Sheet] {
        &self.sheets
    }
}
