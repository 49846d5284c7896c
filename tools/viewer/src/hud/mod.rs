//! Words and drawings over the picture, and the tools that a person has in hand.
//!
//! ```text
//! keys, presses ── keys (one table) ──┐
//!                                     ├── hud ── requests: commands for the world, and for the app
//! presses, drags ─ hand (tools, dam) ─┘    │
//!                                          └── a pen: shapes, words, buttons ── canvas
//! strip, tool bar, marks, legend, charts, inspector, time line, notices, help ─┘
//! ```
//!
//! Each frame is composed anew from the view and the newest state; what a press means is looked up
//! in the buttons of the frame that the person saw.
//!
//! Guarantees: requests come from the view alone, composing needs no window (the tests do both).
//!             Times are those of the view: a script sees the same as a person.

mod charts;
mod clock;
mod compose;
mod cut;
mod dam;
mod hand;
mod help;
mod icons;
mod inspector;
mod keys;
mod legend;
mod marks;
mod notices;
mod palette;
mod pen;
pub mod ramp;
mod strip;
mod time_line;
mod tool_bar;
mod words;

#[cfg(test)]
mod tests;

pub use hand::Tool;
pub use ramp::Overlay;

use crate::session::{Command, Line, Site, State};
use ggez::graphics::{Canvas, Rect};
use ggez::input::mouse::MouseButton;
use ggez::winit::keyboard::{Key, ModifiersState};
use ggez::{Context, GameResult};
use keys::KeyCommand;
use std::path::{Path, PathBuf};

/// Between two questions what is below the pointer, s.
const INSPECT_S: f64 = 0.1;

/// The smallest window that the display is made larger in.
const LEAST_PX: [f32; 2] = [960.0, 600.0];

/// Facts about the view that the display needs.
pub struct View<'a> {
    /// Size of the window.
    pub size_px: [f32; 2],
    /// Facts about the world that do not change.
    pub site: &'a Site,
    /// The newest state.
    pub state: &'a State,
    /// Ground in a pixel in the middle of the view, m.
    pub metres_per_px: f64,
    /// Where the pointer is.
    pub pointer_px: [f32; 2],
    /// The ground below it, if there is some.
    pub pointer_m: Option<[f64; 2]>,
    /// Where a place is on the screen: m, m and elevation m.
    pub project: &'a dyn Fn([f64; 3]) -> [f32; 2],
    /// Elevation of what one sees at a place, m, if it is in view.
    pub elevation_m: &'a dyn Fn([f64; 2]) -> Option<f64>,
    /// Frames in a second; 0 where no times on the wall are to be shown: films do not depend on
    /// them.
    pub fps: f64,
    /// Time of a frame, ms of CPU.
    pub frame_ms: f64,
    /// Time on the wall since the window opened, s; of a script its own.
    pub now_s: f64,
}

impl View<'_> {
    /// Where a place on the ground, or on the water over it, is on the screen.
    fn place_px(&self, at_m: [f64; 2]) -> [f32; 2] {
        let [low, high] = self.site.bed_m;
        let z = (self.elevation_m)(at_m).unwrap_or(f64::midpoint(low, high));
        (self.project)([at_m[0], at_m[1], z])
    }

    /// Where the corners of a line are on the screen: on its crest.
    fn course_px(&self, line: &Line) -> Vec<[f32; 2]> {
        let last = line.elevations_m.last().copied();
        let places = line.points_m.iter().enumerate();
        let corner = |(index, at_m): (usize, &[f64; 2])| {
            let crest = line.elevations_m.get(index).copied().or(last);
            let seen = (self.elevation_m)(*at_m);
            match crest.into_iter().chain(seen).reduce(f64::max) {
                Some(z) => (self.project)([at_m[0], at_m[1], z]),
                None => self.place_px(*at_m),
            }
        };
        places.map(corner).collect()
    }

    /// True where a place on the screen is in the window, or nearly.
    fn is_near(&self, at: [f32; 2]) -> bool {
        (0..2).all(|i| (-20.0..=self.size_px[i] + 20.0).contains(&at[i]))
    }
}

/// A request of a person.
#[derive(Debug, Clone)]
pub enum Request {
    /// Of the world.
    World(Command),
    /// From above, or tilted: the other one.
    Tilt,
    /// The view turned by so many radians.
    Turn(f64),
    /// Heights drawn so many times as high as now.
    Exaggerate(f64),
    /// The whole map in view.
    Frame,
    /// A picture of the window in a file.
    Screenshot,
    /// The end.
    Quit,
}

/// Parts that are shown besides the strip and the tool bar.
#[derive(Debug, Clone, Copy, Default)]
struct Shown {
    help: bool,
    inspector: bool,
    graphs: bool,
    nothing: bool,
}

/// The head-up display.
pub struct Hud {
    hand: hand::Hand,
    clock: clock::Clock,
    notices: notices::Notices,
    overlay: Overlay,
    cut: cut::Cut,
    shown: Shown,
    /// Where a world is saved that came from no file, once that was asked for.
    file: Option<PathBuf>,
    /// When and where it was last asked what is below the pointer.
    asked: Option<(f64, [f64; 2])>,
    /// Pixels of the screen in one of the display's: more where they are small.
    scale: f32,
    /// Of the last frame: what hides the world, and what presses mean.
    panels: Vec<Rect>,
    buttons: Vec<(Rect, KeyCommand)>,
}

impl Hud {
    /// A display with nothing in hand.
    #[must_use]
    pub fn new(site: &Site) -> Self {
        Self {
            hand: hand::Hand::new(site),
            clock: clock::Clock::default(),
            notices: notices::Notices::default(),
            overlay: Overlay::default(),
            cut: cut::Cut::new(site),
            shown: Shown::default(),
            file: None,
            asked: None,
            scale: 1.0,
            panels: Vec::new(),
            buttons: Vec::new(),
        }
    }

    /// Tool in hand.
    #[must_use]
    pub fn tool(&self) -> Tool {
        self.hand.tool
    }

    /// The overlay that is chosen.
    #[must_use]
    pub fn overlay(&self) -> Overlay {
        self.overlay
    }

    /// Chooses an overlay.
    pub fn set_overlay(&mut self, overlay: Overlay) {
        self.overlay = overlay;
    }

    /// Shows all of it, or nothing.
    pub fn show(&mut self, is_shown: bool) {
        self.shown.nothing = !is_shown;
    }

    /// Shows a sentence for five seconds.
    pub fn notify(&mut self, text: impl Into<String>) {
        self.notices.say(text);
    }

    /// Takes in a state: each, for what it has to say.
    pub fn take(&mut self, state: &State) {
        self.clock.take_in(&state.figures);
        for notice in &state.notices {
            self.notify(notice);
        }
    }

    /// Each frame before it is drawn: goes on with what is held, and asks what is below the
    /// pointer.
    pub fn tick(&mut self, view: &View) -> Vec<Request> {
        self.notices.tick(view.now_s);
        let mut requests = self.drag(view);
        if let Some(at_m) = view.pointer_m.filter(|_| self.shown.inspector) {
            let is_new = self.asked.is_none_or(|(then_s, then_m)| {
                let moved = (0..2).any(|i| (then_m[i] - at_m[i]).abs() > 1.0e-9);
                moved && view.now_s - then_s >= INSPECT_S
            });
            if is_new {
                self.asked = Some((view.now_s, at_m));
                requests.push(Request::World(Command::Inspect(Some(at_m))));
            }
        }
        requests
    }

    /// A key goes down. W, A, S, D, Q, E and the arrows are not for the display.
    pub fn key(&mut self, key: &Key, mods: ModifiersState, view: &View) -> Vec<Request> {
        match keys::command_of(key, mods) {
            Some(command) => self.perform(command, view),
            None => Vec::new(),
        }
    }

    /// True of keys that do something, without any that are held with them.
    #[must_use]
    pub fn knows(key: &Key) -> bool {
        keys::command_of(key, ModifiersState::empty()).is_some()
    }

    /// True of keys that act again and again while they are held down.
    #[must_use]
    pub fn repeats(key: &Key) -> bool {
        keys::command_of(key, ModifiersState::empty()).is_some_and(KeyCommand::repeats)
    }

    /// The wheel turns, away from the person if `clicks` is above 0. False where that is not for
    /// the display but the camera's: without Shift (size of the brush) or Ctrl (how much it does).
    pub fn wheel(&mut self, clicks: f32, mods: ModifiersState) -> bool {
        let up = clicks > 0.0;
        match (mods.shift_key(), mods.control_key()) {
            (true, false) => self.hand.resize(up),
            (false, true) => self.hand.change_amount(up),
            _ => return false,
        }
        true
    }

    /// A button of the mouse goes down. `None` where it is not for the display: the map is dragged.
    pub fn press(&mut self, button: MouseButton, view: &View) -> Option<Vec<Request>> {
        if button != MouseButton::Left {
            return None;
        }
        compose::in_points(view, self.scale, |view| self.press_left(view))
    }

    fn press_left(&mut self, view: &View) -> Option<Vec<Request>> {
        if !self.shown.nothing {
            let is_below = |area: &Rect| area.contains(view.pointer_px);
            let pressed = self.buttons.iter().rev().find(|(area, _)| is_below(area));
            if let Some(&(_, command)) = pressed {
                return Some(self.perform(command, view));
            }
            if self.panels.iter().any(is_below) {
                return Some(Vec::new());
            }
        }
        if self.hand.tool == Tool::Look {
            return None;
        }
        let asked = self.hand.press(view);
        Some(self.pass_on(asked))
    }

    /// The pointer moves, or not, while the button is down.
    pub fn drag(&mut self, view: &View) -> Vec<Request> {
        self.hand.drag(view).into_iter().map(Request::World).collect()
    }

    /// The button comes up.
    pub fn release(&mut self, view: &View) -> Vec<Request> {
        let asked = self.hand.release(view);
        self.pass_on(asked)
    }

    /// Draws it over what is on the canvas, whose coordinates are pixels of the window.
    ///
    /// # Errors
    ///
    /// Errors of ggez.
    pub fn draw(&mut self, ctx: &mut Context, canvas: &mut Canvas, view: &View) -> GameResult {
        // As large as suits the screen, if all of it has room then.
        let room = (view.size_px[0] / LEAST_PX[0]).min(view.size_px[1] / LEAST_PX[1]);
        self.scale = pen::px(ctx.gfx.window().scale_factor()).min(room).max(1.0);
        self.compose(view).finish(ctx, canvas, self.scale)
    }

    /// Where the world is saved: its own file, or else one and the same each time.
    fn save_path(&mut self, site: &Site) -> Option<PathBuf> {
        if site.file.is_some() {
            return None;
        }
        let path = self.file.get_or_insert_with(|| free_path(&site.title, Path::exists));
        Some(path.clone())
    }

    fn pass_on(&mut self, asked: hand::Asked) -> Vec<Request> {
        match asked {
            Ok(commands) => commands.into_iter().map(Request::World).collect(),
            Err(why) => {
                self.notify(why);
                Vec::new()
            }
        }
    }

    fn perform(&mut self, command: KeyCommand, view: &View) -> Vec<Request> {
        let world = |command| vec![Request::World(command)];
        match command {
            KeyCommand::Take(tool) => self.hand.take(tool),
            KeyCommand::Size { up } => self.hand.resize(up),
            KeyCommand::Amount { up } => self.hand.change_amount(up),
            KeyCommand::Undo => return world(Command::Undo),
            KeyCommand::Redo => return world(Command::Redo),
            KeyCommand::Pause => return world(self.clock.pause()),
            KeyCommand::Step => return self.clock.step().map(Request::World).collect(),
            KeyCommand::Speed { up } => return world(self.clock.change_speed(up)),
            KeyCommand::Moment { forward } => {
                let moment = clock::moment_beside(view.state, forward);
                return moment
                    .map(|index| Request::World(Command::GoTo(index)))
                    .into_iter()
                    .collect();
            }
            KeyCommand::GoTo(index) => return world(Command::GoTo(index)),
            KeyCommand::Overlay { forward } => self.overlay = self.overlay.next(forward),
            KeyCommand::Cut => return world(self.cut.toggle()),
            KeyCommand::CutHeight { up } => return world(self.cut.step(up)),
            KeyCommand::Inspect => {
                self.shown.inspector = !self.shown.inspector;
                self.asked = None;
                if !self.shown.inspector {
                    return world(Command::Inspect(None));
                }
            }
            KeyCommand::Graphs => self.shown.graphs = !self.shown.graphs,
            KeyCommand::Help => self.shown.help = !self.shown.help,
            KeyCommand::Hide => self.shown.nothing = !self.shown.nothing,
            KeyCommand::Frame => return vec![Request::Frame],
            KeyCommand::Tilt => return vec![Request::Tilt],
            KeyCommand::Turn(by) => return vec![Request::Turn(by)],
            KeyCommand::Exaggerate(factor) => return vec![Request::Exaggerate(factor)],
            KeyCommand::Save => return world(Command::Save(self.save_path(view.site))),
            KeyCommand::Screenshot => return vec![Request::Screenshot],
            KeyCommand::Leave if self.shown.help => self.shown.help = false,
            KeyCommand::Leave => self.hand.take(Tool::Look),
            KeyCommand::Quit => return vec![Request::Quit],
        }
        Vec::new()
    }
}

/// A file for a world that came from none: named by its title, where the viewer runs, and not
/// there yet.
fn free_path(title: &str, is_there: impl Fn(&Path) -> bool) -> PathBuf {
    let plain = |c: char| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let name: String = title.chars().map(plain).collect();
    let name = name.trim_matches('-');
    let name = if name.is_empty() { "world" } else { name };
    let mut path = PathBuf::from(format!("{name}.thalweg"));
    let mut number = 1;
    while is_there(&path) {
        number += 1;
        path = PathBuf::from(format!("{name}-{number}.thalweg"));
    }
    path
}
