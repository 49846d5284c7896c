//! Discharges of the pipe that grow with their faces when water enters before a step, and shrink
//! after it.

use crate::grid::Axis;
use crate::grid::cells::column_row;
use crate::tile::padded::{Padded, STRIDE, index};
use crate::tile::{Ground, Water};
use crate::units::maths;

/// A face that became more open before the kernel stepped, and whose discharge grew with it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::sim) struct Grown {
    /// Axis across it.
    pub axis: Axis,
    /// The cell whose west or south face it is.
    pub cell: u16,
    /// Opening before and after, vertical units.
    pub opened: [i32; 2],
}

impl Grown {
    /// Subtracts the growth from a discharge at the end of the step, except for the part that the
    /// pipe has cut since then: it cuts by as much as openings shrink, and this one counts from
    /// before it grew.
    #[expect(clippy::cast_precision_loss, reason = "a part")]
    pub fn ease(&self, ground: &Ground, padded: &Padded, new: &mut Water) {
        let (column, row) = column_row(usize::from(self.cell));
        let behind = index(column.cast_signed(), row.cast_signed());
        let before = behind - [1, STRIDE][self.axis];
        let now = if ground.columns.is_some() {
            padded.columns.open_new[self.axis][behind]
        } else {
            let stage = |at: usize| padded.bed[at] + padded.depth_new[at];
            stage(before).max(stage(behind)) - padded.bed[before].max(padded.bed[behind])
        };
        let [old, grown] = self.opened.map(|units| units.max(1) as f32);
        let now = now.max(1) as f32;
        // q has grown by grown/old, and the pipe has cut it by min(1, now/grown); the factor that
        // it should have is min(1, now/old) alone.
        let kept = maths::min(1.0, now / old) / (grown / old * maths::min(1.0, now / grown));
        let flow = match self.axis {
            Axis::X => &mut new.flow_x,
            Axis::Y => &mut new.flow_y,
        };
        let q = &mut flow[usize::from(self.cell)];
        *q = *q * kept + 0.0;
    }
}
