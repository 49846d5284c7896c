//! Series at named places.

use scenario::build::GaugePlace;
use scenario::quantity::metres;
use thalweg::world::{CellPlace, World};

use super::downscaled;
use crate::outcome::GaugeRecord;

/// Records one gauge.
#[derive(Debug)]
pub(super) struct GaugeRecorder {
    place: CellPlace,
    /// Depth from which the flood maps have a speed, m.
    wet_depth_m: f64,
    gauge: GaugeRecord,
}

impl GaugeRecorder {
    /// Creates a recorder for a gauge; flood maps have a speed from `wet_depth_m` on.
    pub fn new(GaugePlace { name, at, place }: GaugePlace, wet_depth_m: f64) -> Self {
        Self {
            place,
            wet_depth_m,
            gauge: GaugeRecord {
                name,
                x: at.x,
                y: at.y,
                bed_m: f32::NAN,
                ..GaugeRecord::default()
            },
        }
    }

    /// Takes a reading.
    pub fn record(&mut self, world: &World) {
        let base = world.extent().base();
        if base > 0 {
            self.record_downscaled(world, base);
            return;
        }
        let (Some(bed), Some(depth)) = (world.bed_m(self.place), world.water().depth_m(self.place))
        else {
            return;
        };
        let mapped = world.water().speed_m_s(self.place);
        let speed = self.speed(world, mapped.filter(|_| depth >= self.wet_depth_m), depth > 0.0);
        self.note(world, metres(bed), [metres(bed + depth), metres(depth), speed]);
    }

    /// Adds a reading to the record if coarser cells are simulated.
    fn record_downscaled(&mut self, world: &World, base: u8) {
        let CellPlace { x, y } = self.place;
        let Some((bed, depth)) = downscaled::at(world, self.place) else { return };
        let coarse = CellPlace { x: x >> base, y: y >> base };
        // The depth that decides is that of the coarse cell: its maps are 0 below the wet depth.
        let mapped = world.water().speed_m_s(coarse).filter(|speed| *speed > 0.0);
        let speed = self.speed(world, mapped, depth > 0.0);
        self.note(world, bed, [bed + depth, depth, speed]);
    }

    /// Returns the speed at the gauge, m/s: that of the flood maps if the cell counts as wet, that
    /// of the present discharges in shallower water, NaN in a dry cell.
    fn speed(&self, world: &World, mapped: Option<f64>, is_wet: bool) -> f32 {
        let present = || world.query().at(self.centre_m(world)).ok().flatten();
        let found = mapped.or_else(|| present().map(|sample| sample.speed_m_s()));
        found.filter(|_| is_wet).map_or(f32::NAN, metres)
    }

    /// Returns the centre of the gauge's cell, m from the world's south-west corner.
    fn centre_m(&self, world: &World) -> [f64; 2] {
        let base = world.extent().base();
        let cell_m = world.cell_width_m() / f64::from(1_u32 << base);
        [self.place.x, self.place.y].map(|at| (f64::from(at) + 0.5) * cell_m)
    }

    fn note(&mut self, world: &World, bed_m: f32, [stage_m, depth_m, speed_m_s]: [f32; 3]) {
        let gauge = &mut self.gauge;
        gauge.bed_m = bed_m;
        gauge.time_s.push(world.time().seconds());
        gauge.stage_m.push(stage_m);
        gauge.depth_m.push(depth_m);
        gauge.speed_m_s.push(speed_m_s);
    }

    /// Returns the record of the gauge.
    pub fn finish(self) -> GaugeRecord {
        self.gauge
    }
}
