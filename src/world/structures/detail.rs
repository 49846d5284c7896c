//! Places where structures, inflows and bodies need leaves of the base level.

use crate::world::setup::Setup;
use crate::world::site::WorldSite;
use thalweg_engine::forest::criteria::{
    Criterion, CriterionError, Place, Places, Rectangle, Scale,
};
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::structure::frame::cell_at;
use thalweg_engine::structure::{Barrier, Link};

/// Priority of the cells of inflows and links, and along parts of an edge and barriers.
const OWN_PRIORITY: f32 = 100.0;

/// Returns the world's own criteria: the cells of inflows and links, and cells along parts of an
/// edge, along barriers and around bodies stay on the base level.
pub(in crate::world) fn own_criteria(
    (site, blocks): (&WorldSite, &[CellPlace]),
    scale: &Scale,
    setup: &Setup,
) -> Result<Vec<Box<dyn Criterion>>, CriterionError> {
    let level = site.base();
    let inflows = setup.inflows.iter().flat_map(|source| source.cells.iter().copied());
    let (width, height) = site.size(level);
    let links = cells_of(&setup.links, site.relief().cell_width_m(level)).into_iter();
    // Links outside are reported when they are made.
    let links = links.filter(|cell| (cell.x as usize) < width && (cell.y as usize) < height);
    let cells = inflows.chain(site.cells_of_parts()).chain(links);
    let cells = cells.map(|cell| Place { area: scale.cell_area(cell), level });
    let barriers = setup.barriers.iter().flat_map(|barrier| places_of(barrier, scale, level));
    let bodies = blocks.iter().map(|&block| Place { area: block_area(block, scale), level });
    let places: Vec<Place> = cells.chain(barriers).chain(bodies).collect();
    let mut own: Vec<Box<dyn Criterion>> = Vec::new();
    if !places.is_empty() {
        own.push(Box::new(Places::try_new(&places, OWN_PRIORITY, scale)?));
    }
    Ok(own)
}

/// Returns the area of a block of 16 × 16 cells of the base level, with a margin.
fn block_area(block: CellPlace, scale: &Scale) -> Rectangle {
    let at = |by: u32| CellPlace { x: 16 * block.x + by, y: 16 * block.y + by };
    let [first, last] = [0, 15].map(|by| scale.cell_area(at(by)));
    let margin = 4.0 * (first.east - first.west);
    Rectangle {
        west: first.west - margin,
        south: first.south - margin,
        east: last.east + margin,
        north: last.north + margin,
    }
}

/// Returns the places along a barrier where leaves stay on the base level, with a step's margin.
fn places_of(barrier: &Barrier, scale: &Scale, level: u8) -> Vec<Place> {
    let width_m = scale.cell_width_m(level);
    let margin = 4.0 * width_m;
    let mut places = Vec::new();
    for pair in barrier.path_m.windows(2) {
        let [dx, dy] = [0, 1].map(|i| pair[1][i] - pair[0][i]);
        let length = (dx * dx + dy * dy).sqrt();
        // The line is cut into pieces of eight cells: one rectangle around a long slanting line
        // would keep distant leaves fine, too.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked")]
        let count = (length / (8.0 * width_m)).ceil().max(1.0) as usize;
        for part in 0..count {
            #[expect(clippy::cast_precision_loss, reason = "2²⁰ at most")]
            let [a, b] = [part, part + 1].map(|at| {
                let part = at as f64 / count as f64;
                [pair[0][0] + part * dx, pair[0][1] + part * dy]
            });
            let area = Rectangle {
                west: a[0].min(b[0]) - margin,
                south: a[1].min(b[1]) - margin,
                east: a[0].max(b[0]) + margin,
                north: a[1].max(b[1]) + margin,
            };
            places.push(Place { area, level });
        }
    }
    places
}

/// Returns the cells of some links in the base level.
fn cells_of(links: &[Option<Link>], cell_width_m: f64) -> Vec<CellPlace> {
    let points = links.iter().flatten().map(Link::points_m);
    let points = points.flat_map(|(from, to)| [Some(from), to]).flatten();
    points.filter_map(|point| cell_at(point, cell_width_m)).collect()
}
