//! The dam break of Malpasset on cells of 80 and 160 m, against cells of 20 m.
//!
//! The valley of `forest.malpasset`, all leaves of one level. Coarse cells begin with all water of
//! their finest ones. Levels count as parts of their elevation, in the mean over the points.

use crate::accuracy::malpasset::{
    END_S, MalpassetMap, MalpassetValley, RIM_M, SurroundingGround, points,
};
use crate::subgrid::columns::with_columns;
use crate::subgrid::downscaled::{DownscaledComparison, DownscaledFlood};
use crate::suite::{Bench, BenchResult, Context};
use thalweg_engine::grid::cells::CellPlace;

/// Levels, arrivals and speed-up.
pub const BENCH: Bench = Bench {
    ids: COMPARISON.ids,
    what: "dam break of Malpasset on cells of 80 and 160 m, downscaled: mean differences from \
           cells of 20 m, speed-up",
    is_long: true,
    measure,
};

const COMPARISON: DownscaledComparison = DownscaledComparison {
    ids: &["subgrid.malpasset", "subgrid.malpasset.arrival", "subgrid.malpasset.faster"],
    cell_m: 20,
    levels: [2, 3],
    end_s: END_S,
    look_s: 4.0,
    level: |off| off.level[1],
    unit: "1",
    target: "<= 0.03",
    counts: |_| true,
};

fn measure(context: &Context) -> BenchResult {
    let folder = context.data("malpasset")?;
    let points = points(&folder)?;
    COMPARISON.measure(|level, columns| {
        let map = MalpassetMap {
            cell_m: COMPARISON.cell_m,
            level,
            around: SurroundingGround::High(RIM_M),
        };
        let valley =
            MalpassetValley::read(&folder, &map, |builder| Ok(with_columns(builder, columns)))?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cell")]
        let cell = |m: f64| (m / valley.world.cell_width_m()) as u32;
        let place = |point| {
            let [x, y] = valley.place(point).map(cell);
            CellPlace { x, y }
        };
        let points = points.iter().map(place).collect();
        Ok(DownscaledFlood { world: valley.world, points })
    })
}
