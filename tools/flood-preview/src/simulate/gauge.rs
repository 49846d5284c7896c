//! Series at named places.

use thalweg::grid::cells::CellPlace;
use thalweg::world::World;

use super::metres;
use crate::outcome::Gauge;
use crate::scenario::place::Point;

/// Records one gauge.
#[derive(Debug)]
pub(super) struct Recorder {
    place: CellPlace,
    gauge: Gauge,
}

impl Recorder {
    /// A recorder for the gauge `name` at `at`, which lies in cell `place`.
    pub fn new(name: &str, at: Point, place: CellPlace) -> Self {
        Self {
            place,
            gauge: Gauge {
                name: name.to_owned(),
                x: at.x,
                y: at.y,
                bed_m: f32::NAN,
                time_s: Vec::new(),
                stage_m: Vec::new(),
                depth_m: Vec::new(),
                speed_m_s: Vec::new(),
            },
        }
    }

    /// Takes a reading.
    pub fn record(&mut self, world: &World) {
        let (Some(bed), Some(depth)) = (world.bed_m(self.place), world.depth_m(self.place)) else {
            return;
        };
        let gauge = &mut self.gauge;
        gauge.bed_m = metres(bed);
        gauge.time_s.push(world.time().seconds());
        gauge.stage_m.push(metres(bed + depth));
        gauge.depth_m.push(metres(depth));
        gauge.speed_m_s.push(metres(world.speed_m_s(self.place).unwrap_or(0.0)));
    }

    /// What was recorded.
    pub fn finish(self) -> Gauge {
        self.gauge
    }
}
