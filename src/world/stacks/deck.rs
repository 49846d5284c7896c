//! Decks of bridges and aqueducts: slabs along a line.

use crate::world::stacks::line::MapLine;
use crate::world::stacks::rock::RockError;
use crate::world::stacks::steps::{cell, check_length};
use std::collections::BTreeSet;
use thalweg_engine::grid::cells::CellPlace;

/// Deck of a bridge or an aqueduct.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Deck {
    /// Clear width between the parapets, m; a deck narrower than a cell is as wide as a cell.
    pub width_m: f64,
    /// Thickness of the slab, m; if the deck rises by more than half of that within a cell, the
    /// slab is thicker, so that nothing falls through.
    pub thickness_m: f64,
    /// Height of the parapets over the deck, m; 0 for none. They are on both sides, a cell wide.
    pub parapet_m: f64,
}

/// Returns the rock of the cells of a deck, m.
pub(in crate::world::stacks) fn slabs(
    points_m: &[[f64; 3]],
    deck: Deck,
    cell_width_m: f64,
) -> Result<Vec<(CellPlace, [f64; 2])>, RockError> {
    check_length("width of the deck", deck.width_m)?;
    check_length("thickness of the deck", deck.thickness_m)?;
    if deck.parapet_m != 0.0 {
        check_length("height of the parapets", deck.parapet_m)?;
    }
    let line = MapLine::try_new(points_m, cell_width_m)?;
    let covered = line.covered(0.5 * deck.width_m)?;
    let column_row = |place: CellPlace| [i64::from(place.x), i64::from(place.y)];
    let deck_cells: BTreeSet<_> = covered.iter().map(|own| column_row(own.place)).collect();
    let mut parts = Vec::with_capacity(covered.len());
    for own in covered {
        // On a slope slabs are thicker, so that those of neighbouring cells overlap by half of the
        // thickness at least.
        let further_m = (own.rise_m - 0.5 * deck.thickness_m).max(0.0);
        let (bottom_m, top_m) = (own.height_m - deck.thickness_m - further_m, own.height_m);
        parts.push((own.place, [bottom_m, top_m]));
        let [x, y] = column_row(own.place);
        for at in [[x - 1, y], [x + 1, y], [x, y - 1], [x, y + 1]] {
            let is_side = !deck_cells.contains(&at) && !line.is_beyond(own.segment, at);
            if is_side && deck.parapet_m > 0.0 {
                parts.push((cell(at)?, [bottom_m, top_m + deck.parapet_m]));
            }
        }
    }
    Ok(parts)
}
