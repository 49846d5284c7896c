//! The log by which actions can be undone before the next cycle.

use std::collections::BTreeMap;
use thalweg_engine::sim::snapshot::LeafSnapshot;

/// Maximum bytes that are kept for exact ways back together; the last one is kept at any size.
const BYTES_MOST: usize = if cfg!(test) { 1 << 20 } else { 256 << 20 };

/// Log by which actions can be undone before the next cycle: no state, only a way to it.
#[derive(Debug, Default)]
pub(in crate::world) struct UndoLog {
    /// The last number that was given to a scene or a step.
    last: u64,
    /// Number of the simulation's last change when it was last read, and of the scene at that time.
    now: (u64, u64),
    /// Steps by the number of an action.
    steps: BTreeMap<u64, UndoStep>,
    /// Bytes of all steps.
    bytes: usize,
}

/// Step of an action: from one scene to another.
#[derive(Debug)]
pub(super) struct UndoStep {
    pub from: u64,
    pub to: u64,
    /// First scene of the step.
    pub before: ValuesBefore,
}

/// Values that are restored with a scene, in addition to those that the action itself reverts.
#[derive(Debug)]
pub(super) struct ValuesBefore {
    pub snapshot: LeafSnapshot,
    /// Whether structures, inflows or bodies had requested a plan.
    pub has_asked: bool,
    /// Number of link numbers that had been given by then, those of removed links included.
    pub numbers: usize,
}

impl UndoLog {
    /// Clears the log: a cycle runs.
    pub fn forget(&mut self) {
        (self.steps, self.bytes) = (BTreeMap::new(), 0);
    }

    /// Returns the number of the present scene: a new one for each change.
    pub(super) fn now(&mut self, revision: u64) -> u64 {
        if self.now.1 == 0 || self.now.0 != revision {
            self.last += 1;
            self.now = (revision, self.last);
        }
        self.now.1
    }

    /// Notes that a change left the state as it was: the scene is the same.
    pub fn stay(&mut self, before: u64, change: u64) {
        if self.now.0 == before {
            self.now.0 = change;
        }
    }

    /// Removes and returns the step of a number, if it led to this scene.
    pub(super) fn take(&mut self, step: Option<u64>, scene: u64) -> Option<UndoStep> {
        let number = step?;
        let step = self.steps.get(&number).filter(|step| step.to == scene)?;
        self.bytes -= step.before.snapshot.bytes();
        self.steps.remove(&number)
    }

    /// Puts a step back that could not be undone.
    pub(super) fn put_back(&mut self, number: Option<u64>, step: Option<UndoStep>) {
        self.bytes += step.as_ref().map_or(0, |step| step.before.snapshot.bytes());
        self.steps.extend(number.zip(step));
    }

    /// Notes that a change of this number led back to a scene.
    pub(super) fn return_to(&mut self, revision: u64, scene: u64) {
        self.now = (revision, scene);
    }

    /// Keeps a step; returns its number.
    pub(super) fn keep(&mut self, step: UndoStep) -> u64 {
        self.last += 1;
        self.steps.insert(self.last, step);
        self.bytes += self.steps[&self.last].before.snapshot.bytes();
        self.last
    }

    /// Returns the bytes of all steps.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the last number that was given.
    pub(super) fn last(&self) -> u64 {
        self.last
    }

    /// Removes the steps of all numbers after this one: their changes were undone.
    pub(super) fn let_go_after(&mut self, number: u64) {
        let none = self.steps.split_off(&(number + 1));
        self.bytes -= none.values().map(|step| step.before.snapshot.bytes()).sum::<usize>();
    }

    /// Removes the oldest steps, except the last one, while all together take too many bytes.
    pub(super) fn trim(&mut self) {
        while self.bytes > BYTES_MOST && self.steps.len() > 1 {
            let oldest = self.steps.pop_first();
            self.bytes -= oldest.map_or(0, |(_, step)| step.before.snapshot.bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::{Action, ActionError, Amount, WorldBuilder};
    use thalweg_engine::terrain::{Shape, Terrain};
    use thalweg_engine::units::SimTime;

    /// Goal: a list that takes more than the log keeps is still undone to the state if its last
    /// action is refused; the surplus is removed after that.
    #[test]
    fn a_long_list_is_undone_before_its_steps_go() {
        let ground = Terrain::from_heights([512, 512], 2.0, |x, y| (x + y) as f64 * 0.01);
        let builder = WorldBuilder::new(ground.expect("a terrain")).initial_stage(|_| 5.0);
        let mut world = builder.build().expect("a good world");
        let everywhere = Shape::Rectangle { low_m: [0.0; 2], high_m: [1024.0; 2] };
        let pour = Action::AddWater { area: everywhere, amount: Amount::DepthM(0.5) };
        let none = Action::RemoveBarrier { name: "none".to_owned() };
        let before = world.state_hash();
        let refused = world.edits().act_all([pour.clone(), pour.clone(), none]);
        assert!(matches!(refused, Err(ActionError::OneOf { number: 3, .. })), "{refused:?}");
        assert_eq!(world.state_hash(), before);

        let done = world.edits().act_all([pour.clone(), pour]).expect("good actions");
        assert_eq!(world.undo_log.steps.len(), 1, "the last one stays");
        assert!(world.undo_log.bytes > BYTES_MOST);
        // Its volume is restored, without its scene.
        world.edits().undo(done.undo).expect("what is there");
        let water = world.water();
        assert_eq!(water.stored(), water.ledger().expected());
        assert_ne!(world.state_hash(), before);
    }
    /// Goal: a list of the most bytes that is accepted can be undone after a cycle too, if its
    /// large actions are undone first.
    #[test]
    fn the_longest_list_is_undone() {
        let ground = Terrain::from_heights([512, 512], 2.0, |x, y| (x + y) as f64 * 0.01);
        let builder = WorldBuilder::new(ground.expect("a terrain")).initial_stage(|_| 5.0);
        let mut world = builder.build().expect("a good world");
        let everywhere = Shape::Rectangle { low_m: [0.0; 2], high_m: [1024.0; 2] };
        let pour = Action::AddWater { area: everywhere, amount: Amount::DepthM(0.1) };
        let list = |pours: usize| {
            let wind = Action::ChangeWind { wind_m_s: [3.0, 0.0] };
            std::iter::once(wind).chain(std::iter::repeat_n(pour.clone(), pours))
        };
        let pours = (1..).find(|&pours| {
            let done = world.edits().act_all(list(pours + 1));
            done.map(|done| world.edits().undo(done.undo).expect("just done")).is_err()
        });
        let pours = pours.expect("lists have an end");
        let refused = world.edits().act_all(list(pours + 1));
        assert!(matches!(refused, Err(ActionError::Long { .. })), "{refused:?}");
        let done = world.edits().act_all(list(pours)).expect("a list that was accepted");
        world.run_cycle(SimTime::from_seconds(1.0));
        world.edits().undo(done.undo).expect("it was done");
        assert_eq!(world.settings().terms.wind_m_s.map(f64::to_bits), [0; 2]);
    }
}
