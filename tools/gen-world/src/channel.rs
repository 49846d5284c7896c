//! Beds cut into the land: the river, the brook, and every rill that gathers enough ground.
//!
//! Width and depth grow with the square root of the catchment. A bed falls all the way along its
//! channel, its banks rise beside it until they meet the ground.

use crate::course::Watercourse;
use crate::drainage::{Drainage, NOWHERE};
use crate::lattice::{AROUND, CellLattice};
use crate::noise::ramp;

/// One sample of a channel.
#[derive(Debug, Clone, Copy)]
pub struct ChannelReach {
    /// Local `x`, m east.
    pub x: f64,
    /// Local `y`, m south.
    pub y: f64,
    /// Level of the bed, m above datum.
    pub bed_m: f64,
    /// Half the width of the bed, m.
    pub half_width_m: f64,
}

/// Catchment at which a rill begins, m².
const HEAD_M2: f64 = 50.0e3;
/// Rise of a bank, m/m.
const BANK_SLOPE: f64 = 0.55;

/// Returns the depth of a bed below its banks for a catchment in m².
#[must_use]
pub fn depth_m(catchment_m2: f64) -> f64 {
    0.15 + 0.22e-3 * catchment_m2.sqrt()
}

/// Returns half the width of a bed for a catchment in m²; no narrower than a connected line of
/// cells.
#[must_use]
pub fn half_width_m(catchment_m2: f64, step_m: f64) -> f64 {
    (0.85e-3 * catchment_m2.sqrt()).max(0.72 * step_m)
}

/// Returns the channel of a course; its last hundred metres sink to `mouth_bed_m`, the bed of the
/// river it flows into.
#[must_use]
pub fn along(
    course: &Watercourse,
    lattice: &CellLattice,
    drainage: &Drainage,
    mouth_bed_m: Option<f64>,
) -> Vec<ChannelReach> {
    let end_m = course.points[course.points.len() - 1].station_m;
    let mut catchment = 0.0_f64;
    let mut channel = Vec::with_capacity(course.points.len());
    for point in &course.points {
        let near = lattice.cells_near(point.x, point.y, 4.0 * lattice.step_m);
        let widest = near.map(|cell| drainage.catchments[cell]).fold(0.0, f64::max);
        catchment = catchment.max(widest);
        let own_m = point.level_m - depth_m(catchment);
        let bed_m = mouth_bed_m.map_or(own_m, |mouth_m| {
            own_m + ramp(end_m - point.station_m, 110.0, 0.0) * (mouth_m - own_m)
        });
        channel.push(ChannelReach {
            x: point.x,
            y: point.y,
            bed_m,
            half_width_m: half_width_m(catchment, lattice.step_m),
        });
    }
    channel
}

/// Returns every rill, from the place where 50,000 m² have gathered down to a river, another rill
/// or the border.
#[must_use]
pub fn rills(
    lattice: &CellLattice,
    heights: &[f64],
    drainage: &Drainage,
    is_river: &[bool],
) -> Vec<Vec<ChannelReach>> {
    let is_wet = |cell: usize| drainage.catchments[cell] >= HEAD_M2 && !is_river[cell];
    let is_head = |cell: &usize| {
        let mut around = AROUND.iter().filter_map(|step| lattice.beside(*cell, *step));
        is_wet(*cell) && !around.any(|c| is_wet(c) && drainage.receivers[c] == *cell)
    };
    let mut is_taken = vec![false; lattice.count()];
    let mut channels = Vec::new();
    for head in (0..lattice.count()).filter(is_head) {
        let mut cells = vec![head];
        let mut cell = head;
        while drainage.receivers[cell] != NOWHERE && !is_taken[cell] && !is_river[cell] {
            is_taken[cell] = true;
            cell = drainage.receivers[cell];
            cells.push(cell);
        }
        channels.push(rill(lattice, heights, drainage, &cells));
    }
    channels
}

fn rill(
    lattice: &CellLattice,
    heights: &[f64],
    drainage: &Drainage,
    cells: &[usize],
) -> Vec<ChannelReach> {
    let mut lowest_m = f64::INFINITY;
    let mut channel: Vec<ChannelReach> = cells
        .iter()
        .map(|&cell| {
            let (x, y) = lattice.centre(cell);
            // A cell of the river carries the river's catchment; the rill stays a rill.
            let catchment = drainage.catchments[cell].min(4.0e6);
            lowest_m = lowest_m.min(heights[cell] - depth_m(catchment));
            ChannelReach {
                x,
                y,
                bed_m: lowest_m,
                half_width_m: half_width_m(catchment, lattice.step_m),
            }
        })
        .collect();
    for _ in 0..8 {
        let old = channel.clone();
        for index in 1..channel.len().saturating_sub(1) {
            let (a, b, c) = (old[index - 1], old[index], old[index + 1]);
            channel[index].x = 0.25 * a.x + 0.5 * b.x + 0.25 * c.x;
            channel[index].y = 0.25 * a.y + 0.5 * b.y + 0.25 * c.y;
        }
    }
    channel
}

/// Lowers the ground to the bed of a channel and cuts its banks back.
pub fn carve(lattice: &CellLattice, heights: &mut [f64], channel: &[ChannelReach]) {
    for pair in channel.windows(2) {
        let (a, b) = (&pair[0], &pair[1]);
        let (dx, dy) = (b.x - a.x, b.y - a.y);
        let length2 = (dx * dx + dy * dy).max(1.0e-9);
        for cell in lattice.cells_near(a.x, a.y, a.half_width_m + 4.0 * lattice.step_m) {
            let (x, y) = lattice.centre(cell);
            let t = (((x - a.x) * dx + (y - a.y) * dy) / length2).clamp(0.0, 1.0);
            let (ex, ey) = (x - a.x - t * dx, y - a.y - t * dy);
            let beyond = ((ex * ex + ey * ey).sqrt() - a.half_width_m).max(0.0);
            let ground = a.bed_m + t * (b.bed_m - a.bed_m) + BANK_SLOPE * beyond;
            heights[cell] = heights[cell].min(ground);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lattice::SIDES;

    #[test]
    fn carving_leaves_a_connected_bed_that_falls() {
        let lattice = CellLattice { width: 40, height: 40, step_m: 5.0, west_m: 0.0, north_m: 0.0 };
        let reach = |i: i32| ChannelReach {
            x: 10.0 + 4.0 * f64::from(i),
            y: 20.0 + 3.0 * f64::from(i),
            bed_m: 10.0 - 0.1 * f64::from(i),
            half_width_m: half_width_m(0.0, 5.0),
        };
        let channel: Vec<ChannelReach> = (0..40).map(reach).collect();
        let mut heights = vec![20.0; lattice.count()];
        carve(&lattice, &mut heights, &channel);
        let mut cell = lattice.cell_at(10.0, 20.0).expect("on the lattice");
        let mut steps = 0;
        let down = |cell: usize| {
            let is_bed = |c: &usize| heights[*c] < heights[cell].min(10.0);
            SIDES.iter().filter_map(|side| lattice.beside(cell, *side)).find(is_bed)
        };
        while let Some(next) = down(cell) {
            cell = next;
            steps += 1;
        }
        assert!(steps >= 50, "the bed ends after {steps} cells");
    }
}
