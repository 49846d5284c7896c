//! Layout of voids over the leaves of a world.

use crate::world::WorldError;
use crate::world::classes::CellClass;
use crate::world::site::WorldSite;
use crate::world::stacks::voids::{StageBelow, VoidSpan};
use crate::world::stacks::{StackError, Voids};
use crate::world::tracers::colour_below;
use std::collections::BTreeMap;
use thalweg_engine::forest::Forest;
use thalweg_engine::grid::LeafId;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::state::stack::NO_HEAD;
use thalweg_engine::state::{IntervalState, StackState};
use thalweg_engine::tile::{Ground, Resident};
use thalweg_engine::units::{CEILING, VerticalScale};

/// Maximum number of intervals of a cell.
pub(in crate::world) const INTERVALS_MOST: usize = 64;

/// The leaves that have intervals, with these.
pub(in crate::world) type LaidStacks = Vec<(LeafId, StackState)>;

/// A part of a cell in vertical units.
#[derive(Debug, Clone, Copy)]
struct LaidInterval {
    place: CellPlace,
    bed: i32,
    ceiling: i32,
    is_carved: bool,
}

/// Lays voids out over leaves, with their first water.
///
/// # Errors
///
/// [`WorldError::Stack`] names the first cell whose voids are invalid.
pub(in crate::world) fn lay_voids(
    voids: &Voids,
    stage_m: Option<&StageBelow>,
    (site, forest, grounds): (&WorldSite, &Forest, &[Resident<Ground>]),
    concentrations: &[CellClass<f64>],
) -> Result<LaidStacks, WorldError> {
    let placed = (forest, grounds);
    let laid = laid(voids, stage_m, placed, (site.scale(), concentrations.len()));
    let mut stacks = laid.map_err(WorldError::Stack)?;
    colour_below(&mut stacks, concentrations, (site, forest, grounds));
    Ok(stacks)
}

/// Returns the intervals of leaves, without contents.
fn laid(
    voids: &Voids,
    stage_m: Option<&StageBelow>,
    (forest, grounds): (&Forest, &[Resident<Ground>]),
    (scale, tracers): (VerticalScale, usize),
) -> Result<LaidStacks, StackError> {
    let mut parts = Vec::with_capacity(voids.spans.len());
    for span in &voids.spans {
        let first = part(span, scale)?;
        parts.extend(span.places().map(|place| LaidInterval { place, ..first }));
    }
    // `joined` expects the parts of a cell one after the other, from the lowest bed up.
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

/// Returns a span in vertical units.
fn part(span: &VoidSpan, scale: VerticalScale) -> Result<LaidInterval, StackError> {
    let VoidSpan { low: place, span_m, is_carved, .. } = *span;
    if span_m.iter().any(|height| height.is_nan()) || span_m[0] >= span_m[1] {
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
    Ok(LaidInterval { place, bed, ceiling, is_carved })
}

/// Joins carved parts that touch; refuses parts that touch if one of them is not carved.
fn joined(parts: Vec<LaidInterval>, scale: VerticalScale) -> Result<Vec<LaidInterval>, StackError> {
    let metres = |part: &LaidInterval| [part.bed, part.ceiling].map(|units| scale.metres(units));
    let mut all: Vec<LaidInterval> = Vec::with_capacity(parts.len());
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

/// Checks the number of intervals of cells.
fn check_counts(parts: &[LaidInterval]) -> Result<(), StackError> {
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

/// Checks that a part is below the ground.
fn check_ground(part: &LaidInterval, ground: i32, scale: VerticalScale) -> Result<(), StackError> {
    if part.ceiling <= ground {
        return Ok(());
    }
    Err(StackError::Ground {
        place: part.place,
        ceiling_m: scale.metres(part.ceiling),
        ground_m: scale.metres(ground),
    })
}

/// Returns the stage of the first water in a part, vertical units; `None` if it is dry.
fn first_stage(
    part: &LaidInterval,
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
    part: &LaidInterval,
    stage_m: Option<&StageBelow>,
    scale: VerticalScale,
) -> Result<i32, StackError> {
    let stage = first_stage(part, stage_m, scale)?;
    Ok(stage.map_or(0, |stage| stage.min(part.ceiling).saturating_sub(part.bed).max(0)))
}

/// Returns the head of a part that is full.
fn first_head(
    part: &LaidInterval,
    stage_m: Option<&StageBelow>,
    scale: VerticalScale,
) -> Result<i32, StackError> {
    let stage = first_stage(part, stage_m, scale)?;
    Ok(stage.unwrap_or(part.ceiling).clamp(part.ceiling, CEILING))
}
