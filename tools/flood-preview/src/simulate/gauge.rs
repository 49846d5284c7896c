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
    /// Depth from which a speed makes sense, m.
    wet_depth_m: f64,
    gauge: Gauge,
}

impl Recorder {
    /// A recorder for the gauge `name` at `at`, which lies in cell `place`.
    pub fn new(name: &str, at: Point, place: CellPlace, wet_depth_m: f64) -> Self {
        Self {
            place,
            wet_depth_m,
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
        let speed =
            if depth >= self.wet_depth_m { speed_m_s(world, self.place, depth) } else { 0.0 };
        gauge.speed_m_s.push(metres(speed));
    }

    /// What was recorded.
    pub fn finish(self) -> Gauge {
        self.gauge
    }
}

/// Speed in a cell: the mean discharge of opposite faces over the depth.
fn speed_m_s(world: &World, place: CellPlace, depth_m: f64) -> f64 {
    let simulation = world.simulation();
    let flow = |x: u32, y: u32| {
        let found = simulation.forest().locate(CellPlace { x, y });
        found.map_or((0.0, 0.0), |(leaf, cell)| {
            let water = simulation.water(leaf);
            (f64::from(water.flow_x[cell]), f64::from(water.flow_y[cell]))
        })
    };
    let (west, south) = flow(place.x, place.y);
    let (east, _) = flow(place.x + 1, place.y);
    let (_, north) = flow(place.x, place.y + 1);
    (0.5 * (west + east)).hypot(0.5 * (south + north)) / depth_m
}
