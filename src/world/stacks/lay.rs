//! Laying voids out over the leaves of a world.

use crate::forest::Forest;
use crate::grid::cells::CellPlace;
use crate::grid::{LeafId, TileKey};
use crate::state::stack::NO_HEAD;
use crate::state::{IntervalState, StackState};
use crate::tile::{Ground, Resident};
use crate::units::{CEILING, VerticalScale};
use crate::world::stacks::voids::Span;
use crate::world::stacks::{StackError, Voids};
use std::collections::{BTreeMap, BTreeSet};

/// Intervals that a cell may have.
pub(in crate::world) const INTERVALS_MOST: usize = 64;

/// Stage of the first water of an interval, by its cell, bed and ceiling, m; NaN leaves it dry.
pub(in crate::world) type StageBelow = Box<dyn Fn(CellPlace, [f64; 2]) -> f64 + Send + Sync>;

/// The intervals of the leaves that have some.
pub(in crate::world) type Laid = Vec<(LeafId, StackState)>;

/// A part of a cell in vertical units.
#[derive(Debug, Clone, Copy)]
struct Part {
    place: CellPlace,
    bed: i32,
    ceiling: i32,
    is_carved: bool,
}

/// Tiles of the base level that voids lie in, and those around them: they stay leaves.
pub(in crate::world) fn pinned_tiles(tiles: impl Iterator<Item = TileKey>) -> BTreeSet<TileKey> {
    let mut pinned = BTreeSet::new();
    for key in tiles.collect::<BTreeSet<TileKey>>() {
        for (dx, dy) in (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy))) {
            let beside = key.x.checked_add_signed(dx).zip(key.y.checked_add_signed(dy));
            pinned.extend(beside.map(|(x, y)| TileKey { x, y, ..key }));
        }
    }
    pinned
}

/// Checks that all cells of voids lie within the rectangle of the map.
///
/// # Errors
///
/// [`StackError::Outside`] names the first that has cells beyond it.
pub(in crate::world) fn check_voids(
    voids: &Voids,
    (width, height): (usize, usize),
) -> Result<(), StackError> {
    let is_beyond = |place: &CellPlace| {
        let [x, y] = place.indices();
        x >= width || y >= height
    };
    match voids.spans.iter().map(Span::last).find(is_beyond) {
        Some(place) => Err(StackError::Outside { place }),
        None => Ok(()),
    }
}

/// Lays voids out over leaves, with their first water.
///
/// # Errors
///
/// [`StackError`] names the first cell that cannot have what it was given.
pub(in crate::world) fn lay_voids(
    voids: &Voids,
    stage_m: Option<&StageBelow>,
    (forest, grounds): (&Forest, &[Resident<Ground>]),
    (scale, tracers): (VerticalScale, usize),
) -> Result<Laid, StackError> {
    let mut parts = Vec::with_capacity(voids.spans.len());
    for span in &voids.spans {
        let first = part(span, scale)?;
        parts.extend(span.places().map(|place| Part { place, ..first }));
    }
    parts.sort_by_key(|part| (part.place.y, part.place.x, part.bed));
    let parts = joined(parts, scale)?;
    check_counts(&parts)?;
    let mut leaves: BTreeMap<LeafId, StackState> = BTreeMap::new();
    for part in &parts {
        let (leaf, cell) =
            forest.locate(part.place).ok_or(StackError::Outside { place: part.place })?;
        let level = forest.leaves()[leaf].level;
        if level != forest.base() {
            return Err(StackError::Coarse { place: part.place, level });
        }
        let ground = &grounds[leaf];
        if !ground.is_inside(cell) {
            return Err(StackError::Outside { place: part.place });
        }
        check_ground(part, ground.dry_stage(cell), scale)?;
        let cell = u16::try_from(cell).expect("4096 cells");
        let depth = first_depth(part, stage_m, scale)?;
        let (bed, ceiling) = (part.bed, part.ceiling);
        let head = if depth == ceiling - bed { first_head(part, stage_m, scale)? } else { NO_HEAD };
        let interval = IntervalState { cell, bed, ceiling, depth, head };
        leaves.entry(leaf).or_default().intervals.push(interval);
    }
    Ok(leaves
        .into_iter()
        .map(|(leaf, mut stack)| {
            stack.intervals.sort_by_key(|own| (own.cell, own.bed));
            stack.contents = vec![0; tracers * stack.intervals.len()];
            (leaf, stack)
        })
        .collect())
}

/// A span in vertical units.
fn part(span: &Span, scale: VerticalScale) -> Result<Part, StackError> {
    let Span { low: place, span_m, is_carved, .. } = *span;
    if !(span_m[0] < span_m[1]) {
        return Err(StackError::Thin { place, span_m });
    }
    let units = |metres: f64| {
        let units = scale.elevation(metres, scale.exponent());
        units.map_err(|reason| StackError::Height { place, reason })
    };
    let (bed, ceiling) = (units(span_m[0])?, units(span_m[1])?);
    if bed >= ceiling {
        return Err(StackError::Thin { place, span_m });
    }
    Ok(Part { place, bed, ceiling, is_carved })
}

/// Joins carved parts that touch; all others must stand apart.
fn joined(parts: Vec<Part>, scale: VerticalScale) -> Result<Vec<Part>, StackError> {
    let metres = |part: &Part| [part.bed, part.ceiling].map(|units| scale.metres(units));
    let mut all: Vec<Part> = Vec::with_capacity(parts.len());
    for part in parts {
        match all.last_mut().filter(|last| last.place == part.place && last.ceiling >= part.bed) {
            Some(last) if last.is_carved && part.is_carved => {
                last.ceiling = last.ceiling.max(part.ceiling);
            }
            Some(last) => {
                return Err(StackError::Overlap {
                    place: part.place,
                    lower_m: metres(last),
                    upper_m: metres(&part),
                });
            }
            None => all.push(part),
        }
    }
    Ok(all)
}

/// Checks how many intervals cells have.
fn check_counts(parts: &[Part]) -> Result<(), StackError> {
    let over = || {
        let cells = parts.chunk_by(|a, b| a.place == b.place);
        cells.filter(|own| own.len() > INTERVALS_MOST)
    };
    match over().next() {
        None => Ok(()),
        Some(own) => Err(StackError::Count {
            place: own[0].place,
            count: own.len(),
            most: INTERVALS_MOST,
            cells: over().count(),
        }),
    }
}

/// Checks that a part lies below the ground.
fn check_ground(part: &Part, ground: i32, scale: VerticalScale) -> Result<(), StackError> {
    if part.ceiling <= ground {
        return Ok(());
    }
    Err(StackError::Ground {
        place: part.place,
        ceiling_m: scale.metres(part.ceiling),
        ground_m: scale.metres(ground),
    })
}

/// Stage of the first water in a part, vertical units; none where it is dry.
fn first_stage(
    part: &Part,
    stage_m: Option<&StageBelow>,
    scale: VerticalScale,
) -> Result<Option<i32>, StackError> {
    let Some(stage_m) = stage_m else { return Ok(None) };
    let stage_m = stage_m(part.place, [part.bed, part.ceiling].map(|units| scale.metres(units)));
    if stage_m.is_nan() {
        return Ok(None);
    }
    let units = scale.elevation(stage_m, scale.exponent());
    let place = part.place;
    units.map(Some).map_err(|reason| StackError::Height { place, reason })
}

fn first_depth(
    part: &Part,
    stage_m: Option<&StageBelow>,
    scale: VerticalScale,
) -> Result<i32, StackError> {
    let stage = first_stage(part, stage_m, scale)?;
    Ok(stage.map_or(0, |stage| stage.min(part.ceiling).saturating_sub(part.bed).max(0)))
}

/// Head of a part that is full.
fn first_head(
    part: &Part,
    stage_m: Option<&StageBelow>,
    scale: VerticalScale,
) -> Result<i32, StackError> {
    let stage = first_stage(part, stage_m, scale)?;
    Ok(stage.unwrap_or(part.ceiling).clamp(part.ceiling, CEILING))
}
