//! Where structures need fine leaves.

use crate::forest::criteria::{Place, Rectangle, Scale};
use crate::world::structures::Barrier;

impl Barrier {
    /// Where leaves must stay on the base level: along it, with what a step sees around a cell.
    pub(in crate::world) fn places(&self, scale: &Scale, level: u8) -> Vec<Place> {
        let width_m = scale.cell_width_m(level);
        let margin = 4.0 * width_m;
        let mut places = Vec::new();
        for pair in self.path_m.windows(2) {
            let [dx, dy] = [0, 1].map(|i| pair[1][i] - pair[0][i]);
            let length = (dx * dx + dy * dy).sqrt();
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
}
