//! Series at named places.

use scenario::build::GaugePlace;
use scenario::quantity::metres;
use thalweg::grid::cells::CellPlace;
use thalweg::world::World;

use super::downscaled;
use crate::outcome::Gauge;

/// Records one gauge.
#[derive(Debug)]
pub(super) struct Recorder {
    place: CellPlace,
    gauge: Gauge,
}

impl Recorder {
    /// A recorder for a gauge.
    pub fn new(GaugePlace { name, at, place }: GaugePlace) -> Self {
        Self {
            place,
            gauge: Gauge {
                name,
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
        let base = world.simulation().forest().base();
        if base > 0 {
            self.record_downscaled(world, base);
            return;
        }
        let (Some(bed), Some(depth)) = (world.bed_m(self.place), world.water().depth_m(self.place))
        else {
            return;
        };
        let speed = metres(world.water().speed_m_s(self.place).unwrap_or(0.0));
        self.note(world, metres(bed), [metres(bed + depth), metres(depth), speed]);
    }

    /// Records where coarser cells are simulated.
    fn record_downscaled(&mut self, world: &World, base: u8) {
        let CellPlace { x, y } = self.place;
        let Some((bed, depth)) = downscaled::at(world, self.place) else { return };
        let coarse = CellPlace { x: x >> base, y: y >> base };
        let speed = world.water().speed_m_s(coarse).filter(|_| depth > 0.0).unwrap_or(0.0);
        self.note(world, bed, [bed + depth, depth, metres(speed)]);
    }

    fn note(&mut self, world: &World, bed_m: f32, [stage_m, depth_m, speed_m_s]: [f32; 3]) {
        let gauge = &mut self.gauge;
        gauge.bed_m = bed_m;
        gauge.time_s.push(world.time().seconds());
        gauge.stage_m.push(stage_m);
        gauge.depth_m.push(depth_m);
        gauge.speed_m_s.push(speed_m_s);
    }

    /// Record of the gauge.
    pub fn finish(self) -> Gauge {
        self.gauge
    }
}
