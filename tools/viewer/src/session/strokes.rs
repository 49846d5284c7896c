//! The way back of what a person did, stroke by stroke.

use thalweg::world::{Action, Undo, World};

/// Strokes that can be taken back at most: the oldest go.
const STROKES_MOST: usize = 200;

/// What is missing of a volume counts from here, m³.
const SHORT_M3: f64 = 0.5;

/// Actions that are taken back together.
struct Stroke {
    number: u64,
    undos: Vec<Undo>,
}

/// What was done, and what was taken back.
#[derive(Default)]
pub(super) struct Strokes {
    done: Vec<Stroke>,
    undone: Vec<Stroke>,
}

impl Strokes {
    /// Does something as part of a stroke; says what could not be done of it.
    pub fn act(&mut self, world: &mut World, action: Action, number: u64) -> Option<String> {
        let takes = matches!(action, Action::RemoveWater { .. });
        let stains = matches!(action, Action::ColourWater { .. } | Action::PushWater { .. });
        let is_dry = |cells: usize, moved_m3: f64| {
            (takes && moved_m3.abs() <= 0.0) || (stains && cells == 0)
        };
        let done = match world.act(action) {
            Ok(done) => done,
            Err(error) => return Some(error.to_string()),
        };
        if is_dry(done.cells, done.moved_m3) {
            return Some("there is no water here".to_owned());
        }
        self.undone.clear();
        match self.done.last_mut() {
            Some(stroke) if stroke.number == number => stroke.undos.push(done.undo),
            _ => self.done.push(Stroke { number, undos: vec![done.undo] }),
        }
        if self.done.len() > STROKES_MOST {
            self.done.remove(0);
        }
        None
    }

    /// Takes the last stroke back.
    pub fn undo(&mut self, world: &mut World) -> Option<String> {
        let Some(stroke) = self.done.pop() else {
            return Some("there is nothing to take back".to_owned());
        };
        let (stroke, notice) = turn(world, stroke);
        self.undone.push(stroke);
        notice
    }

    /// Does the stroke again that was taken back last.
    pub fn redo(&mut self, world: &mut World) -> Option<String> {
        let Some(stroke) = self.undone.pop() else {
            return Some("there is nothing to do again".to_owned());
        };
        let (stroke, notice) = turn(world, stroke);
        self.done.push(stroke);
        notice
    }

    /// How many can be taken back and done again.
    pub fn counts(&self) -> [usize; 2] {
        [self.done.len(), self.undone.len()]
    }
}

/// Takes the steps of a stroke back, the last first; tells the way forward.
fn turn(world: &mut World, stroke: Stroke) -> (Stroke, Option<String>) {
    let (mut undos, mut short_m3, mut notice) = (Vec::new(), 0.0, None);
    for undo in stroke.undos.into_iter().rev() {
        match world.undo(undo) {
            Ok(done) => {
                short_m3 += done.short_m3;
                undos.push(done.undo);
            }
            Err(error) => notice = Some(error.to_string()),
        }
    }
    if short_m3 >= SHORT_M3 {
        notice = Some(format!("{short_m3:.0} m³ of it have flowed away, and stay"));
    }
    (Stroke { number: stroke.number, undos }, notice)
}
