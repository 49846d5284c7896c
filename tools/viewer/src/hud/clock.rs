//! Requested pause, steps and speed; the world follows one state later.

use crate::session::{Figures, ViewerCommand, ViewerState};
use thalweg::units::SimTime;

/// Speeds that a person can request.
const SPEEDS: [f64; 7] = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0];

/// Wall time that a single step covers, s.
const STEP_S: f64 = 0.1;

/// Requested pause and speed.
#[derive(Debug, Default)]
pub(super) struct ClockRequest {
    pub is_running: bool,
    pub speed: f64,
    /// Pause and speed of the world's last report: only a change of it is taken over, so that an
    /// answer on its way does not undo a second press.
    reported: Option<(bool, f64)>,
}

impl ClockRequest {
    pub fn take_in(&mut self, figures: &Figures) {
        let (is_running, speed) = (figures.is_running, figures.speed);
        let (ran, went) = self.reported.unwrap_or((!is_running, f64::NAN));
        if ran != is_running {
            self.is_running = is_running;
        }
        if speed.to_bits() != went.to_bits() {
            self.speed = speed;
        }
        self.reported = Some((is_running, speed));
    }

    pub fn pause(&mut self) -> ViewerCommand {
        self.is_running = !self.is_running;
        ViewerCommand::Run(self.is_running)
    }

    /// Stops the world, if it runs, and advances it by one step.
    pub fn step(&mut self) -> impl Iterator<Item = ViewerCommand> {
        let stop = self.is_running.then_some(ViewerCommand::Run(false));
        self.is_running = false;
        let span = SimTime::from_seconds(STEP_S * self.speed.max(SPEEDS[0]));
        stop.into_iter().chain([ViewerCommand::Advance(span)])
    }

    pub fn change_speed(&mut self, up: bool) -> ViewerCommand {
        let near = 1.0e-6;
        let mut rising = SPEEDS.into_iter();
        let next = if up {
            rising.find(|speed| *speed > self.speed + near)
        } else {
            rising.rfind(|speed| *speed < self.speed - near)
        };
        self.speed = next.unwrap_or(if up { SPEEDS[SPEEDS.len() - 1] } else { SPEEDS[0] });
        ViewerCommand::Speed(self.speed)
    }
}

/// Returns the kept moment before, or after, the time of a state.
pub(super) fn moment_beside(state: &ViewerState, forward: bool) -> Option<usize> {
    let (now_s, near) = (state.time.seconds(), 1.0e-6);
    let mut moments = state.moments_s.iter();
    if forward {
        moments.position(|moment| *moment > now_s + near)
    } else {
        moments.rposition(|moment| *moment < now_s - near)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_presses_before_the_answer_are_two() {
        let mut clock = ClockRequest::default();
        let mut figures = Figures { is_running: true, speed: 1.0, ..Figures::default() };
        clock.take_in(&figures);
        assert!(matches!(clock.change_speed(true), ViewerCommand::Speed(2.0)));
        clock.take_in(&figures);
        assert!(matches!(clock.change_speed(true), ViewerCommand::Speed(5.0)));
        assert!(matches!(clock.pause(), ViewerCommand::Run(false)));
        clock.take_in(&figures);
        assert!(matches!(clock.pause(), ViewerCommand::Run(true)));
        // A change from elsewhere is taken over.
        (figures.is_running, figures.speed) = (false, 50.0);
        clock.take_in(&figures);
        assert!(!clock.is_running);
        assert!(matches!(clock.change_speed(true), ViewerCommand::Speed(100.0)));
        assert!(matches!(clock.change_speed(true), ViewerCommand::Speed(100.0)));
        assert!(matches!(clock.change_speed(false), ViewerCommand::Speed(50.0)));
    }

    #[test]
    fn a_step_stops_and_goes_on_by_a_tenth_of_a_second() {
        let mut clock = ClockRequest { is_running: true, speed: 20.0, reported: None };
        let commands: Vec<_> = clock.step().collect();
        assert!(matches!(commands[0], ViewerCommand::Run(false)));
        let ViewerCommand::Advance(span) = &commands[1] else { panic!("{commands:?}") };
        assert!((span.seconds() - 2.0).abs() < 1.0e-6);
        assert_eq!(clock.step().count(), 1, "it stands already");
    }
}
