//! The course of a run: cycle after cycle to the end, with frames, gauges, structures and the bar.

use kit::device::Seat;
use kit::interrupt;
use kit::progress::CommandProgress;
use kit::words::{area, time};
use scenario::build::{CYCLES_BETWEEN_LOOKS, GaugePlace};
use scenario::plan::Plan;
use thalweg::units::SimTime;
use thalweg::world::{FineMaps, World};

use super::barrier::BarrierRecorder;
use super::gauge::GaugeRecorder;
use super::link::LinkRecorder;
use super::section::SectionRecorder;
use super::{adaptive, frames, planes};
use crate::outcome::{DepthFrame, FrameShape};

/// Approximate limit of the readings of a gauge or a structure over the whole run.
const READINGS: f64 = 1000.0;

/// State of a run in progress.
#[derive(Debug)]
pub(super) struct PreviewState {
    /// Moments kept so far.
    pub frames: Vec<DepthFrame>,
    /// Series so far.
    pub gauges: Vec<GaugeRecorder>,
    /// Recorders of the barriers.
    pub barriers: Vec<BarrierRecorder>,
    /// Recorders of culverts, pumps and drains.
    pub links: Vec<LinkRecorder>,
    /// Recorder of sections and edges.
    pub sections: SectionRecorder,
    /// Cycles done.
    pub cycles: u64,
    /// Steps done.
    pub steps: u64,
    /// Cells times steps done.
    pub cell_steps: u64,
    /// Maps on the simulated cells, if leaves are coarser.
    pub fine: Option<FineMaps>,
    /// True if the run was stopped before its end.
    pub is_interrupted: bool,
    duration_s: f64,
    frame_count: usize,
    wet_depth_m: f64,
    /// Pixels of the frames, if any are kept.
    shape: Option<FrameShape>,
    progress: CommandProgress,
}

impl PreviewState {
    /// Creates a run that has not started.
    pub fn new(
        plan: &Plan,
        gauges: Vec<GaugePlace>,
        (fine, shape): (Option<FineMaps>, Option<FrameShape>),
        progress: CommandProgress,
    ) -> Self {
        let wet_depth_m = plan.output.wet_depth_m;
        let recorder = |gauge| GaugeRecorder::new(gauge, wet_depth_m);
        Self {
            frames: Vec::new(),
            gauges: gauges.into_iter().map(recorder).collect(),
            barriers: plan.barriers.iter().map(BarrierRecorder::new).collect(),
            links: plan.links.iter().map(LinkRecorder::new).collect(),
            sections: SectionRecorder::new(plan),
            cycles: 0,
            steps: 0,
            cell_steps: 0,
            fine,
            is_interrupted: false,
            duration_s: plan.duration_s,
            frame_count: plan.output.frames,
            wet_depth_m,
            shape,
            progress,
        }
    }

    /// Brings the maps of a world up to date at the end of a run.
    pub fn bring_maps_up_to_date(&mut self, world: &mut World) {
        world.bring_maps_up_to_date();
        if let Some(fine) = &mut self.fine {
            fine.bring_up_to_date(world.time());
        }
        tracing::info!(self.cycles, self.steps, self.cell_steps, "done");
    }

    /// Runs to the end, or until Ctrl-C.
    pub fn run(&mut self, world: &mut World, mut seat: Seat) {
        self.progress.begin("simulating");
        self.keep_frame(world);
        self.record(world);
        for stop in stops(self.duration_s, self.frame_count) {
            self.run_to(world, &mut seat, SimTime::from_seconds(stop));
            self.keep_frame(world);
            if self.is_interrupted {
                break;
            }
        }
        self.progress.finish();
    }

    fn run_to(&mut self, world: &mut World, seat: &mut Seat, stop: SimTime) {
        let interval = self.duration_s / READINGS;
        while world.time() < stop && !self.is_interrupted {
            let before = world.time().seconds();
            let report = world.run_cycle(stop);
            seat.tell(world);
            self.cycles += 1;
            self.steps += u64::from(report.steps);
            self.cell_steps += report.cell_steps;
            if let Some(fine) = &mut self.fine {
                fine.look(world);
                if self.cycles.is_multiple_of(CYCLES_BETWEEN_LOOKS) {
                    adaptive::renew(world, fine);
                }
            }
            tracing::trace!(?report, "cycle");
            let after = world.time().seconds();
            let is_due = (before / interval).floor() < (after / interval).floor();
            let is_over = after >= self.duration_s || interrupt::is_asked();
            if is_due || is_over {
                self.record(world);
            }
            if self.progress.is_due() {
                self.show(world);
            }
            self.is_interrupted = interrupt::is_asked() && world.time().seconds() < self.duration_s;
        }
    }

    fn record(&mut self, world: &World) {
        self.gauges.iter_mut().for_each(|gauge| gauge.record(world));
        self.barriers.iter_mut().for_each(|barrier| barrier.record(world));
        self.links.iter_mut().for_each(|link| link.record(world));
        self.sections.record(world);
    }

    fn show(&mut self, world: &World) {
        let time_s = world.time().seconds();
        let wet_m2 = planes::wet_m2(world, self.fine.as_ref(), self.wet_depth_m);
        let words = words((time_s, self.progress.elapsed_s()), self.cell_steps, wet_m2);
        self.progress.show(time_s / self.duration_s, words);
    }

    fn keep_frame(&mut self, world: &World) {
        if let Some(shape) = &self.shape {
            self.frames.push(frames::frame(world, self.fine.as_ref(), shape));
        }
    }
}

/// Parts of a run without frames at whose ends a step ends, as many as the usual number of frames:
/// levels and drafts without frames then have the steps of a level with the usual ones.
const PARTS: usize = 48;

/// Returns the times at which steps end: evenly, the last at the end; frames are kept there if any
/// are.
#[expect(clippy::cast_precision_loss, reason = "a few thousand")]
fn stops(duration_s: f64, frames: usize) -> impl Iterator<Item = f64> {
    let count = if frames == 0 { PARTS } else { frames };
    (1..=count).map(move |index| duration_s * index as f64 / count as f64)
}

/// Returns the state of a run in words: simulated and real time since its start, s, cells times
/// steps done, and the area under water, m².
#[expect(clippy::cast_precision_loss, reason = "a speed to three digits")]
fn words((time_s, wall_s): (f64, f64), cell_steps: u64, wet_m2: f64) -> String {
    let wall_s = wall_s.max(1.0e-3);
    format!(
        "{}  {:.0} × real time  {:.0} Mcells/s  {} wet",
        time(time_s.floor()),
        time_s / wall_s,
        cell_steps as f64 / wall_s / 1.0e6,
        area(wet_m2),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_without_frames_has_the_steps_of_one_with_the_usual_number() {
        let all = |frames: usize| stops(3600.0, frames).collect::<Vec<_>>();
        assert_eq!(all(0), all(48));
        assert_eq!(all(3), [1200.0, 2400.0, 3600.0]);
    }

    #[test]
    fn a_moment_in_words() {
        let expected = "1 h  360 × real time  50 Mcells/s  2.50 ha wet";
        assert_eq!(words((3600.5, 10.0), 500_000_000, 25_000.0), expected);
        assert_eq!(area(0.5), "0.50 m²");
        assert_eq!(area(5.0e6), "5.00 km²");
    }
}
