//! Strokes of a person, which can be taken back one by one.

use thalweg::world::{Action, Undo, World};

use crate::session::crates::{Crates, Loose};

/// Largest number of strokes that can be taken back: the oldest are dropped.
const STROKES_MOST: usize = 200;

/// Least missing part of a volume that is reported, m³.
const UNMET_M3: f64 = 0.5;

/// Way back of one action.
enum Back {
    /// Undoes an action of the world.
    World(Undo),
    /// Removes this crate.
    Take(u64),
    /// Puts this crate again.
    Put(Loose),
}

/// Actions that are taken back together.
struct Stroke {
    number: u64,
    backs: Vec<Back>,
}

/// Actions done, and actions taken back.
#[derive(Default)]
pub(super) struct Strokes {
    done: Vec<Stroke>,
    undone: Vec<Stroke>,
}

impl Strokes {
    /// Carries out an action as part of a stroke; returns the reason if it failed.
    pub fn act(&mut self, world: &mut World, action: Action, number: u64) -> Option<String> {
        let takes = matches!(action, Action::RemoveWater { .. });
        let stains = matches!(action, Action::ColourWater { .. } | Action::PushWater { .. });
        let is_dry = |cells: usize, moved_m3: f64| {
            (takes && moved_m3.abs() <= 0.0) || (stains && cells == 0)
        };
        let done = match world.edits().act(action) {
            Ok(done) => done,
            Err(error) => return Some(error.to_string()),
        };
        if is_dry(done.cells, done.moved_m3) {
            return Some("there is no water here".to_owned());
        }
        self.note(Back::World(done.undo), number);
        None
    }

    /// Puts a crate as a stroke; returns the reason if it cannot.
    pub fn put_crate(&mut self, crates: &mut Crates, loose: &Loose, number: u64) -> Option<String> {
        if let Err(why) = crates.put(loose) {
            return Some(why);
        }
        self.note(Back::Take(loose.number()), number);
        None
    }

    /// Removes a crate as a stroke; returns the reason if it cannot.
    pub fn take_crate(
        &mut self,
        (world, crates): (&mut World, &mut Crates),
        id: u64,
        number: u64,
    ) -> Option<String> {
        let own = crates.number_of(id);
        let Some(loose) = own.and_then(|own| crates.take(world, own)) else {
            return Some(GONE.to_owned());
        };
        self.note(Back::Put(loose), number);
        None
    }

    /// Keeps the way back of an action.
    fn note(&mut self, back: Back, number: u64) {
        self.undone.clear();
        match self.done.last_mut() {
            Some(stroke) if stroke.number == number => stroke.backs.push(back),
            _ => self.done.push(Stroke { number, backs: vec![back] }),
        }
        if self.done.len() > STROKES_MOST {
            self.done.remove(0);
        }
    }

    /// Takes the last stroke back.
    pub fn undo(&mut self, world: &mut World, crates: &mut Crates) -> Option<String> {
        let Some(stroke) = self.done.pop() else {
            return Some("there is nothing to take back".to_owned());
        };
        let (stroke, notice) = turn((world, crates), stroke);
        self.undone.push(stroke);
        notice
    }

    /// Repeats the stroke that was taken back last.
    pub fn redo(&mut self, world: &mut World, crates: &mut Crates) -> Option<String> {
        let Some(stroke) = self.undone.pop() else {
            return Some("there is nothing to do again".to_owned());
        };
        let (stroke, notice) = turn((world, crates), stroke);
        self.done.push(stroke);
        notice
    }

    /// Returns the number of strokes that can be taken back, and repeated.
    pub fn counts(&self) -> [usize; 2] {
        [self.done.len(), self.undone.len()]
    }
}

/// Notice about a crate that no longer exists.
const GONE: &str = "the crate is gone: it has left the world";

/// Takes the steps of a stroke back, the last first; returns the way forward.
fn turn((world, crates): (&mut World, &mut Crates), stroke: Stroke) -> (Stroke, Option<String>) {
    let (mut backs, mut unmet_m3, mut notice) = (Vec::new(), 0.0, None);
    for back in stroke.backs.into_iter().rev() {
        match back {
            Back::World(undo) => match world.edits().undo(undo) {
                Ok(done) => {
                    unmet_m3 += done.unmet_m3;
                    backs.push(Back::World(done.undo));
                }
                Err(error) => notice = Some(error.to_string()),
            },
            Back::Take(number) => match crates.take(world, number) {
                Some(loose) => backs.push(Back::Put(loose)),
                None => notice = Some(GONE.to_owned()),
            },
            Back::Put(loose) => match crates.put(&loose) {
                Ok(()) => backs.push(Back::Take(loose.number())),
                Err(why) => notice = Some(why),
            },
        }
    }
    if unmet_m3 >= UNMET_M3 {
        notice = Some(format!("{unmet_m3:.0} m³ of it have flowed away, and stay"));
    }
    (Stroke { number: stroke.number, backs }, notice)
}
