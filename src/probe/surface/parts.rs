//! Which leaves a window shows, and which of them have changed.

use crate::probe::Window;
use crate::probe::surface::area::Area;
use crate::probe::surface::state::State;
use std::ops::Range;
use std::sync::{Arc, Weak};
use thalweg_engine::grid::{LeafId, TILE_WIDTH, TileKey};
use thalweg_engine::tile::columns::Columns;
use thalweg_engine::tile::{CowPlane, Ground};

/// Levels by which a leaf may be finer than the window and still fill a cell of it.
const FINER_MOST: u8 = 6;

/// From a column to before another, those of a row of a piece that are wet or were; from 64 to 0
/// where none is.
pub(super) type Span = [u8; 2];

/// A row without any.
pub(super) const NO_SPAN: Span = [64, 0];

/// Ground that is in the planes: as it is held here, nobody writes into it.
#[derive(Debug, Clone)]
pub(super) struct Laid {
    bed: CowPlane<i32>,
    /// Tables of sub-grid columns, which may leave memory meanwhile.
    tables: Option<Weak<Columns>>,
}

impl Laid {
    /// Bed and tables of a ground.
    pub fn of(ground: &Ground) -> Self {
        let tables = ground.columns.as_ref().map(|columns| Arc::downgrade(columns.tables()));
        Self { tables, ..Self::bed_of(ground) }
    }

    /// The bed of a ground alone.
    pub fn bed_of(ground: &Ground) -> Self {
        Self { bed: ground.bed.clone(), tables: None }
    }

    /// True where both are the same planes.
    pub fn is_same(&self, other: &Self) -> bool {
        let tables = |laid: &Self| laid.tables.as_ref().map(Weak::as_ptr);
        self.bed.as_ptr() == other.bed.as_ptr() && tables(self) == tables(other)
    }
}

/// A leaf, or all those that lie in one cell of the window.
#[derive(Debug, Clone)]
pub(super) struct Part {
    /// The leaf, or the tile as wide as a cell.
    pub key: TileKey,
    leaves: Range<usize>,
    pub area: Area,
    /// Nothing of it is in the planes yet.
    pub is_new: bool,
    /// There may be foam on it.
    pub is_foamy: bool,
    /// The ground that is in the planes.
    pub ground: Option<Laid>,
    /// Where the rows of a leaf of the window's level hold water in the planes.
    pub spans: [Span; TILE_WIDTH],
}

impl Part {
    /// The leaf, or the first of them.
    pub fn first(&self) -> LeafId {
        LeafId::new(self.leaves.start)
    }

    /// The leaves.
    pub fn leaves(&self) -> impl Iterator<Item = LeafId> + use<> {
        self.leaves.clone().map(LeafId::new)
    }

    /// True where it has changed after `revision`, or what it is interpolated from.
    pub fn has_changed(&self, state: &State<'_>, level: u8, revision: u64) -> bool {
        let is_later = |leaf: LeafId| (state.changed_at)(leaf) > revision;
        if self.is_new || self.leaves().any(is_later) {
            return true;
        }
        // Discharges over some sides of a leaf are those of its neighbours.
        let reads_around = self.key.level > level || state.query.flows.is_none();
        reads_around && self.leaves().any(|leaf| state.has_changed_around(leaf, revision))
    }
}

/// The parts of a window among some leaves, all new.
pub(super) fn list(window: &Window, leaves: &[TileKey]) -> Vec<Part> {
    let finest = window.level.saturating_sub(FINER_MOST);
    let mut parts: Vec<Part> = Vec::new();
    for (leaf, &own) in leaves.iter().enumerate() {
        let key = if own.level < finest { own.ancestor(finest) } else { own };
        if let Some(last) = parts.last_mut().filter(|last| last.key == key) {
            last.leaves.end = leaf + 1;
        } else if let Some(area) = Area::of(window, key) {
            let leaves = leaf..leaf + 1;
            let spans = [NO_SPAN; TILE_WIDTH];
            let (is_new, is_foamy, ground) = (true, true, None);
            parts.push(Part { key, leaves, area, is_new, is_foamy, ground, spans });
        }
    }
    parts
}

/// Keeps the state of `parts` from `before`, and returns those that are gone. `stays` says whether
/// what a part had in the planes is there still.
pub(super) fn keep(
    parts: &mut [Part],
    before: Vec<Part>,
    stays: impl Fn(&Part) -> bool,
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
