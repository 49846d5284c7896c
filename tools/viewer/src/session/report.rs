//! Report of the world as a state.

use std::time::{Duration, Instant};

use thalweg::world::{CellPlace, TILE_CELLS};

use crate::session::runner::Runner;
use crate::session::{Figures, Inspected, ViewerState};

impl Runner {
    /// Returns the state to be reported now.
    pub fn report(&mut self) -> ViewerState {
        let begun = Instant::now();
        let sent = self.canvas.changes(&self.world);
        let surface_ms = 1000.0 * begun.elapsed().as_secs_f64();
        self.gauges.record(&self.world);
        self.number += 1;
        let figures = Figures { surface_ms, ..self.figures() };
        self.worked = Duration::ZERO;
        let error = self.world.stream().error();
        ViewerState {
            number: self.number,
            answered: self.answered,
            time: self.world.time(),
            window: self.canvas.window(),
            is_whole: sent.is_whole,
            patches: sent.patches,
            looks: sent.looks,
            leaves: self.sketch.leaves(&self.world),
            figures,
            lines: self.sketch.lines(&self.world),
            places: self.sketch.places(&self.world, self.gauges.series()),
            bodies: self.crates.shapes(),
            gauges: self.gauges.series().to_vec(),
            inspected: self.inspects.and_then(|at_m| self.inspect(at_m)),
            moments_s: self.history.times_s(),
            notices: std::mem::take(&mut self.notices),
            of_device: std::mem::take(&mut self.of_device),
            broken: error.map(|error| format!("{}: {error}", self.path.display())),
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "volumes to read")]
    fn figures(&self) -> Figures {
        let world = &self.world;
        let leaves = world.leaves().len();
        let [undos, redos] = self.strokes.counts();
        Figures {
            stored_m3: world.water().stored() as f64 * world.water().unit_m3(),
            is_balanced: world.water().stored() == world.water().ledger().expected(),
            leaves,
            awake: world.leaves().awake(),
            cycles_on_card: self.seat.cycles(),
            cells: leaves * TILE_CELLS,
            simulation_ms: 1000.0 * self.worked.as_secs_f64(),
            surface_ms: 0.0,
            reached_speed: self.pace.reached_speed(),
            speed: self.pace.speed(),
            is_running: self.pace.is_running,
            undos,
            redos,
            is_unsaved: self.is_unsaved,
            resident_bytes: world.stream().counters().map_or(0, |counters| counters.resident_bytes),
        }
    }

    /// Returns the values at a place, of the interval that a cut shows there or else of the open
    /// water; `None` outside the world.
    fn inspect(&self, at_m: [f64; 2]) -> Option<Inspected> {
        let world = &self.world;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in the world")]
        let place = at_m.map(|at| (at / world.cell_width_m()).max(0.0) as u32);
        let place = CellPlace { x: place[0], y: place[1] };
        let sample = match self.canvas.floor_m(world, place) {
            Some(floor_m) => world.stacks().at([at_m[0], at_m[1], floor_m]),
            None => world.query().at(at_m),
        };
        let sample = sample.ok()??;
        let leaf = world.leaves().at(place)?;
        let key = leaf.key();
        Some(Inspected {
            at_m,
            bed_m: sample.bed_m,
            depth_m: sample.depth_m,
            stage_m: sample.stage_m,
            velocity_m_s: sample.velocity_m_s,
            level: sample.level,
            tile: [key.x, key.y],
            is_asleep: leaf.is_asleep(),
        })
    }
}
