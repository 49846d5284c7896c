//! Downscaling: depths of the finest cells below coarse cells, from the stages of these.
//!
//! ```text
//!  ▓~~~___      │           ~ water, ▓ finest beds of two coarse cells
//!  ▓▓~▓▓~~~~~___│~▓         joined: both stand above the lowest sill of their face, so the stage
//!  ▓▓▓▓▓▓▓~~~▓~~│~▓         runs straight from centre to centre
//!
//!  ▓~~~__       │           a fall: one stands below the sill. Towards it the upper one sinks to
//!  ▓▓▓▓▓~▓_     │▓          the stage over the face; what flows over each place of the sill runs
//!  ▓▓▓▓▓▓▓▓▓▓▓▓_│_▓~~       down the steepest way to the lower one's own water, as deep
//! ```
//!
//! In a quarter of a cell the stage is bilinear between the centre, the two faces and the corner;
//! at a corner around which no chain of joined cells leads, both faces count.
//!
//! Guarantees: a dry coarse cell is dry below; no stage counts across a closed face or a dry cell;
//!             a lake is level: cells whose stages their depths cannot distinguish have one stage
//!             (`a_lake_stands_over_its_finest_beds`). If water falls into a cell, streams and the
//!             water that they reach contain no more than the cell does.
//! Limits:     volume is exactly that of the cells only if the stage is level. The flow below a
//!             face between levels uses the mean of the finer cells, or the coarser cell as if it
//!             were as near.
//! Source:     own; for subtracting fine beds from coarse stages e.g. Bates & De Roo (2000),
//!             J. Hydrology 236.

use thalweg_engine::grid::LeafId;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::grid::{Side, TILE_WIDTH};
use thalweg_engine::tile::columns::build::FinestBeds;
use thalweg_engine::tile::columns::{Columns, Openings};
use thalweg_engine::units::OUTSIDE;

/// The stage of a wet cell, and the stage that one more unit of depth would give it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StageAndRise {
    pub stage: i32,
    pub next: i32,
}

/// The stages of a neighbouring cell, and its leaf and cell if it is of the requested level.
pub(super) type StandBeside = (StageAndRise, Option<(LeafId, usize)>);

impl StageAndRise {
    /// Returns the mean stages of cells, if any are given.
    pub fn mean(cells: impl Iterator<Item = Self>) -> Option<Self> {
        let add = |(stage, next, count): (i64, i64, i64), cell: Self| {
            (stage + i64::from(cell.stage), next + i64::from(cell.next), count + 1)
        };
        let (stage, next, count) = cells.fold((0, 0, 0), add);
        let whole = |units: i64| i32::try_from(units).expect("a mean of stages");
        (count > 0).then(|| Self {
            // `stage` is rounded down and `next` up, so they enclose the exact means.
            stage: whole(stage.div_euclid(count)),
            next: whole((next + count - 1).div_euclid(count)),
        })
    }

    /// Returns the rise of the stage from this cell to `other`; 0 if it may be the effect of less
    /// than one unit of depth.
    pub fn rise_to(self, other: Self) -> i32 {
        let is_one = self.stage < other.next && other.stage < self.next;
        if is_one { 0 } else { other.stage.saturating_sub(self.stage) }
    }
}

/// The connection of a cell's water over a face.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WaterLink {
    /// No connection: dry beyond, or below the sill on both sides.
    Closed,
    /// One surface: the stages of the cell beyond, and which it is if it is of the same level.
    Joined(StageAndRise, Option<(LeafId, usize)>),
    /// A fall away from the cell, with this stage over the face.
    Falls(i32),
    /// A fall into the cell.
    Fed(i32),
}

impl WaterLink {
    /// Returns the rise of the surface from the centre to a point as far beyond the face.
    pub fn rise(self, own: StageAndRise) -> i32 {
        match self {
            Self::Closed | Self::Fed(_) => 0,
            Self::Joined(beyond, _) => own.rise_to(beyond),
            // Twice, because the face is half way to that point.
            Self::Falls(over) => 2 * (over - own.stage).min(0),
        }
    }
}

/// The surface over a coarse cell.
#[derive(Debug, Clone, Copy)]
pub(super) struct CoarsePatch {
    pub stage: i32,
    /// Rise of the surface as far beyond the west, east, south and north face as the centre is
    /// before them.
    pub faces: [i32; 4],
    /// Rise of the surface as far beyond the south-west, south-east, north-west and north-east
    /// corner.
    pub corners: [i32; 4],
}

impl CoarsePatch {
    /// Returns a surface of one stage.
    pub fn level(stage: i32) -> Self {
        Self { stage, faces: [0; 4], corners: [0; 4] }
    }

    /// True if the surface has one stage everywhere.
    fn is_level(&self) -> bool {
        self.faces.iter().chain(&self.corners).all(|&rise| rise == 0)
    }

    /// Returns the stage over the finest cell in a column and row of the 2^`level` of the cell.
    fn stage_at(&self, level: u8, column: usize, row: usize) -> i32 {
        let width = 1_i64 << level;
        // From the centre, in halves of a finest cell; a cell is 2 · width of them.
        let from_centre = |at: usize| 2 * i64::try_from(at).expect("below 2⁸") + 1 - width;
        let (x, y) = (from_centre(column), from_centre(row));
        let (east, north) = (usize::from(x > 0), usize::from(y > 0));
        let (x, y) = (x.abs(), y.abs());
        let [rise_x, rise_y] = [self.faces[east], self.faces[2 + north]].map(i64::from);
        let rise = x * (2 * width - y) * rise_x
            + (2 * width - x) * y * rise_y
            + x * y * i64::from(self.corners[2 * north + east]);
        // `rise` is 4 width² times the rise: divide it.
        let rise = rise >> (2 * level + 2);
        self.stage.saturating_add(i32::try_from(rise).expect("between stages"))
    }
}

/// The finest cells below a coarse cell of a leaf.
#[derive(Debug, Clone, Default)]
pub(super) struct CellsBelow {
    /// Leaf and cell above them.
    pub whose: Option<(LeafId, usize)>,
    level: u8,
    /// Rows from south to north, vertical units; [`OUTSIDE`] beyond the world.
    pub bed: Vec<i32>,
    pub depth: Vec<i32>,
    pub velocity: [f64; 2],
}

impl CellsBelow {
    /// Reads the beds below a cell of `level`; all dry.
    pub fn dry(&mut self, beds: &dyn FinestBeds, place: CellPlace, level: u8) {
        self.level = level;
        self.bed.clear();
        let width = 1_usize << level;
        let [west, south] = [place.x, place.y].map(|v| i64::from(v) << level);
        beds.add_finest((west, south), 1 << level, &mut self.bed);
        self.depth.clear();
        self.depth.resize(width * width, 0);
        self.velocity = [0.0; 2];
    }

    /// Returns the number of finest cells along a side.
    pub fn width(&self) -> usize {
        1 << self.level
    }

    /// Gives the finest cells the depths that a surface makes.
    pub fn fill(&mut self, patch: &CoarsePatch) {
        let width = 1 << self.level;
        if patch.is_level() {
            for (depth, &bed) in self.depth.iter_mut().zip(&self.bed) {
                let own = patch.stage.saturating_sub(bed).max(0);
                *depth = if bed == OUTSIDE { 0 } else { own };
            }
            return;
        }
        for (at, (depth, &bed)) in self.depth.iter_mut().zip(&self.bed).enumerate() {
            if bed != OUTSIDE {
                let stage = patch.stage_at(self.level, at % width, at / width);
                *depth = stage.saturating_sub(bed).max(0);
            }
        }
    }

    /// Reduces all depths in proportion, to at most a mean depth.
    pub fn keep_to(&mut self, mean: i32) {
        let held = i128::from(mean) << (2 * self.level);
        let seen: i128 = self.depth.iter().copied().map(i128::from).sum();
        if seen > held {
            for depth in &mut self.depth {
                let kept = i128::from(*depth) * held / seen;
                *depth = i32::try_from(kept).expect("less than before");
            }
        }
    }

    /// Lets water of a depth run down from a finest cell, the steepest way, until it meets water of
    /// stage `stage` or finds no way on.
    fn run_down(&mut self, from: usize, depth: i32, stage: i32) {
        let width = 1_usize << self.level;
        let mut at = Some(from);
        // Ends, because each step goes strictly down.
        while let Some(here) = at.filter(|&here| self.bed[here] != OUTSIDE) {
            self.depth[here] = self.depth[here].max(depth);
            if self.bed[here] < stage {
                break;
            }
            let (column, row) = (here % width, here / width);
            let around = |at: usize| at.saturating_sub(1)..(at + 2).min(width);
            let mut steepest = 0;
            at = None;
            for beside in around(row).flat_map(|y| around(column).map(move |x| y * width + x)) {
                let is_aslant = beside % width != column && beside / width != row;
                let drop = i64::from(self.bed[here]) - i64::from(self.bed[beside]);
                // 1/√2 as 181/256.
                let fall = drop * if is_aslant { 181 } else { 256 };
                if fall > steepest && self.bed[beside] != OUTSIDE {
                    (steepest, at) = (fall, Some(beside));
                }
            }
        }
    }
}

/// Returns the table of a cell's face.
pub(super) fn face_of(columns: &Columns, cell: usize, side: Side) -> (&Openings, usize) {
    let (column, row) = (cell % TILE_WIDTH, cell / TILE_WIDTH);
    match side {
        Side::West => (&columns.faces[0], cell),
        Side::South => (&columns.faces[1], cell),
        Side::East if column + 1 < TILE_WIDTH => (&columns.faces[0], cell + 1),
        Side::East => (&columns.far[0], row),
        Side::North if row + 1 < TILE_WIDTH => (&columns.faces[1], cell + TILE_WIDTH),
        Side::North => (&columns.far[1], column),
    }
}

/// Lets the flow over a side of a cell, of stage `over`, run down to the cell's own water.
pub(super) fn pour(
    below: &mut CellsBelow,
    beds: &dyn FinestBeds,
    place: CellPlace,
    side: Side,
    (over, stage): (i32, i32),
) {
    let (level, last) = (below.level, (1_usize << below.level) - 1);
    let (dx, dy) = side.offset();
    let mut bed_beyond = Vec::with_capacity(1);
    for i in 0..=last {
        let (column, row) = match side {
            Side::West => (0, i),
            Side::East => (last, i),
            Side::South => (i, 0),
            Side::North => (i, last),
        };
        let from = (row << level) + column;
        let beyond = |at: u32, within: usize, step: i32| {
            (i64::from(at) << level) + within as i64 + i64::from(step)
        };
        let beside = (beyond(place.x, column, dx), beyond(place.y, row, dy));
        bed_beyond.clear();
        beds.add_finest(beside, 1, &mut bed_beyond);
        let bed_beyond = bed_beyond[0];
        let sill = below.bed[from].max(bed_beyond);
        if below.bed[from] != OUTSIDE && bed_beyond != OUTSIDE && over > sill {
            below.run_down(from, over - sill, stage);
        }
    }
}
