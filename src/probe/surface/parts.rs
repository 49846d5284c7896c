//! The leaves that a window shows, and the changed ones among them.

use crate::probe::Window;
use crate::probe::surface::area::WindowArea;
use crate::probe::surface::state::SurfaceState;
use std::ops::Range;
use std::sync::{Arc, Weak};
use thalweg_engine::grid::{LeafId, TILE_WIDTH, TileKey};
use thalweg_engine::tile::columns::Columns;
use thalweg_engine::tile::{CowPlane, Ground};

/// Levels by which a leaf may be finer than the window and still fill a cell of it.
const FINER_MOST: u8 = 6; // 2⁶ of its cells, a whole leaf, are then as wide as one cell

/// Columns of a row of a piece, from one to before a second, that are wet or were; from 64 to 0 if
/// no column is.
pub(super) type WetSpan = [u8; 2];

/// The span of a row without such columns.
pub(super) const NO_SPAN: WetSpan = [64, 0];

/// Ground that is in the planes: as it is kept here, no code writes into it.
#[derive(Debug, Clone)]
pub(super) struct LaidGround {
    bed: CowPlane<i32>,
    /// Tables of sub-grid columns, which may leave memory meanwhile.
    tables: Option<Weak<Columns>>,
}

impl LaidGround {
    /// Returns the bed and tables of a ground.
    pub fn of(ground: &Ground) -> Self {
        let tables = ground.columns.as_ref().map(|columns| Arc::downgrade(columns.tables()));
        Self { tables, ..Self::bed_of(ground) }
    }

    /// Returns the bed of a ground alone.
    pub fn bed_of(ground: &Ground) -> Self {
        Self { bed: ground.bed.clone(), tables: None }
    }

    /// True if both are the same planes.
    pub fn is_same(&self, other: &Self) -> bool {
        // Addresses are enough: a kept plane, and even a `Weak` to dropped tables, keep theirs from
        // being given to others.
        let tables = |laid: &Self| laid.tables.as_ref().map(Weak::as_ptr);
        self.bed.as_ptr() == other.bed.as_ptr() && tables(self) == tables(other)
    }
}

/// A leaf, or all leaves in one cell of the window.
#[derive(Debug, Clone)]
pub(super) struct SurfacePart {
    /// The leaf, or the tile as wide as a cell.
    pub key: TileKey,
    leaves: Range<usize>,
    pub area: WindowArea,
    /// Whether nothing of it is in the planes yet.
    pub is_new: bool,
    /// Whether it may have foam.
    pub is_foamy: bool,
    /// The ground that is in the planes.
    pub ground: Option<LaidGround>,
    /// Columns of water in the planes, for each row of a leaf of the window's level.
    pub spans: [WetSpan; TILE_WIDTH],
}

impl SurfacePart {
    /// Returns the leaf, or the first of them.
    pub fn first(&self) -> LeafId {
        LeafId::new(self.leaves.start)
    }

    /// Returns the leaves.
    pub fn leaves(&self) -> impl Iterator<Item = LeafId> + use<> {
        self.leaves.clone().map(LeafId::new)
    }

    /// True if it, or a leaf from which it is interpolated, has changed after `revision`.
    pub fn has_changed(&self, state: &SurfaceState<'_>, level: u8, revision: u64) -> bool {
        let is_later = |leaf: LeafId| (state.changed_at)(leaf) > revision;
        if self.is_new || self.leaves().any(is_later) {
            return true;
        }
        // Discharges over some sides of a leaf are stored in its neighbours.
        let reads_around = self.key.level > level || state.query.flows.is_none();
        reads_around && self.leaves().any(|leaf| state.has_changed_around(leaf, revision))
    }
}

/// Returns the parts of a window among some leaves, all new.
pub(super) fn list(window: &Window, leaves: &[TileKey]) -> Vec<SurfacePart> {
    let finest = window.level.saturating_sub(FINER_MOST);
    let mut parts: Vec<SurfacePart> = Vec::new();
    for (leaf, &own) in leaves.iter().enumerate() {
        let key = if own.level < finest { own.ancestor(finest) } else { own };
        if let Some(last) = parts.last_mut().filter(|last| last.key == key) {
            last.leaves.end = leaf + 1;
        } else if let Some(area) = WindowArea::of(window, key) {
            let leaves = leaf..leaf + 1;
            let spans = [NO_SPAN; TILE_WIDTH];
            let (is_new, is_foamy, ground) = (true, true, None);
            parts.push(SurfacePart { key, leaves, area, is_new, is_foamy, ground, spans });
        }
    }
    parts
}

/// Copies the state of `parts` from `before`, and returns the keys of parts that are gone. `stays`
/// returns whether the values of a part are still in the planes.
pub(super) fn keep(
    parts: &mut [SurfacePart],
    before: Vec<SurfacePart>,
    stays: impl Fn(&SurfacePart) -> bool,
) -> Vec<TileKey> {
    let mut gone = Vec::new();
    let mut next = 0;
    for old in before {
        while parts.get(next).is_some_and(|part| part.key < old.key) {
            next += 1;
        }
        match parts.get_mut(next).filter(|part| part.key == old.key) {
            Some(part) if stays(part) => {
                part.is_foamy = old.is_foamy;
                part.is_new = old.is_new;
                part.ground = old.ground;
                part.spans = old.spans;
            }
            Some(_) => {}
            None => gone.push(old.key),
        }
    }
    gone
}
