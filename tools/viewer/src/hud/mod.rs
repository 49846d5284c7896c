//! Words and drawings over the picture, and the tools of the person.
//!
//! ```text
//! keys, presses ── keys (one table) ──┐
//!                                     ├── hud ── requests: commands for the world, and for the app
//! presses, drags ─ hand (tools, dam) ─┘    │
//!                                          └── a pen: shapes, words, buttons ── canvas
//! strip, tool bar, marks, legend, charts, inspector, time line, notices, help ─┘
//! ```
//!
//! Each frame is composed anew from the view and the newest state; a press is looked up in the
//! buttons of the frame that the person saw.
//!
//! Guarantees: requests depend on the view alone, composing needs no window (the tests do both).
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

pub use hand::HandTool;
pub use ramp::Overlay;

use crate::session::{StructureLine, ViewerCommand, ViewerSite, ViewerState};
use ggez::graphics::{Canvas, Rect};
use ggez::input::mouse::MouseButton;
use ggez::winit::keyboard::{Key, ModifiersState};
use ggez::{Context, GameResult};
use keys::KeyCommand;
use std::path::{Path, PathBuf};

/// Least time between two requests for the values below the pointer, s.
const INSPECT_S: f64 = 0.1;

/// Smallest window that the display is enlarged for.
const LEAST_PX: [f32; 2] = [960.0, 600.0];

/// Facts about the view that the display needs.
pub struct DisplayView<'a> {
    /// Size of the window.
    pub size_px: [f32; 2],
    /// Facts about the world that do not change.
    pub site: &'a ViewerSite,
    /// The newest state.
    pub state: &'a ViewerState,
    /// Ground in a pixel in the middle of the view, m.
    pub metres_per_px: f64,
    /// Place of the pointer.
    pub pointer_px: [f32; 2],
    /// Place of the ground below the pointer, if it is over ground.
    pub pointer_m: Option<[f64; 2]>,
    /// Function from a place (m, m and elevation m) to its place on the screen.
    pub project: &'a dyn Fn([f64; 3]) -> [f32; 2],
    /// Function from a place to the elevation of its visible surface, m, if it is in view.
    pub elevation_m: &'a dyn Fn([f64; 2]) -> Option<f64>,
    /// Frames in a second; 0 if no wall times are to be shown, because films do not depend on them.
    pub fps: f64,
    /// Time of a frame, ms of CPU.
    pub frame_ms: f64,
    /// Wall time since the window opened, s; a script has its own time.
    pub now_s: f64,
}

impl DisplayView<'_> {
    /// Returns the place on the screen of a place on the ground, or on the water above it.
    fn place_px(&self, at_m: [f64; 2]) -> [f32; 2] {
        let [low, high] = self.site.bed_m;
        let z = (self.elevation_m)(at_m).unwrap_or(f64::midpoint(low, high));
        (self.project)([at_m[0], at_m[1], z])
    }

    /// Returns the places on the screen of the corners of a line, on its crest.
    fn course_px(&self, line: &StructureLine) -> Vec<[f32; 2]> {
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

    /// True if a place on the screen is in the window, or nearly.
    fn is_near(&self, at: [f32; 2]) -> bool {
        (0..2).all(|i| (-20.0..=self.size_px[i] + 20.0).contains(&at[i]))
    }
}

/// Request of a person.
#[derive(Debug, Clone)]
pub enum UserRequest {
    /// Sends a command to the world.
    World(ViewerCommand),
    /// Switches between the view from above and the tilted one.
    Tilt,
    /// Turns the view by an angle, radians.
    Turn(f64),
    /// Draws heights higher by a factor than now.
    Exaggerate(f64),
    /// Shows the whole map.
    Frame,
    /// Writes a picture of the window into a file.
    Screenshot,
    /// Ends the viewer.
    Quit,
}

/// Parts that are shown besides the strip and the tool bar.
#[derive(Debug, Clone, Copy, Default)]
struct ShownParts {
    help: bool,
    inspector: bool,
    graphs: bool,
    nothing: bool,
}

/// The head-up display.
pub struct Hud {
    hand: hand::Hand,
    clock: clock::ClockRequest,
    notices: notices::Notices,
    overlay: Overlay,
    cut: cut::PictureCut,
    shown: ShownParts,
    /// File for a world that was not opened from one, once a save was requested.
    file: Option<PathBuf>,
    /// Time and place of the last request for the values below the pointer.
    asked: Option<(f64, [f64; 2])>,
    /// Pixels of the screen for each one of the display: more if the screen's pixels are small.
    scale: f32,
    /// Panels that hide the world, and effects of presses, in the last frame.
    panels: Vec<Rect>,
    buttons: Vec<(Rect, KeyCommand)>,
}

impl Hud {
    /// Returns a display without a tool in hand.
    #[must_use]
    pub fn new(site: &ViewerSite) -> Self {
        Self {
            hand: hand::Hand::new(site),
            clock: clock::ClockRequest::default(),
            notices: notices::Notices::default(),
            overlay: Overlay::default(),
            cut: cut::PictureCut::new(site),
            shown: ShownParts::default(),
            file: None,
            asked: None,
            scale: 1.0,
            panels: Vec::new(),
            buttons: Vec::new(),
        }
    }

    /// Returns the tool in hand.
    #[must_use]
    pub fn tool(&self) -> HandTool {
        self.hand.tool
    }

    /// Returns the chosen overlay.
    #[must_use]
    pub fn overlay(&self) -> Overlay {
        self.overlay
    }

    /// Chooses an overlay.
    pub fn set_overlay(&mut self, overlay: Overlay) {
        self.overlay = overlay;
    }

    /// Shows the whole display, or hides it.
    pub fn show(&mut self, is_shown: bool) {
        self.shown.nothing = !is_shown;
    }

    /// Shows a sentence for five seconds.
    pub fn notify(&mut self, text: impl Into<String>) {
        self.notices.say(text);
    }

    /// Takes in a state; each one has to pass here, because of its notices.
    pub fn take(&mut self, state: &ViewerState) {
        self.clock.take_in(&state.figures);
        for notice in &state.notices {
            self.notify(notice);
        }
    }

    /// Prepares each frame before it is drawn: continues a drag, and requests the values below the
    /// pointer.
    pub fn tick(&mut self, view: &DisplayView) -> Vec<UserRequest> {
        self.notices.tick(view.now_s);
        let mut requests = self.drag(view);
        if let Some(at_m) = view.pointer_m.filter(|_| self.shown.inspector) {
            let is_new = self.asked.is_none_or(|(then_s, then_m)| {
                let moved = (0..2).any(|i| (then_m[i] - at_m[i]).abs() > 1.0e-9);
                moved && view.now_s - then_s >= INSPECT_S
            });
            if is_new {
                self.asked = Some((view.now_s, at_m));
                requests.push(UserRequest::World(ViewerCommand::Inspect(Some(at_m))));
            }
        }
        requests
    }

    /// Handles a pressed key. W, A, S, D, Q, E and the arrows belong to the camera.
    pub fn key(&mut self, key: &Key, mods: ModifiersState, view: &DisplayView) -> Vec<UserRequest> {
        match keys::command_of(key, mods) {
            Some(command) => self.perform(command, view),
            None => Vec::new(),
        }
    }

    /// True if a key has an effect without modifiers.
    #[must_use]
    pub fn knows(key: &Key) -> bool {
        keys::command_of(key, ModifiersState::empty()).is_some()
    }

    /// True if a key acts repeatedly while it is down.
    #[must_use]
    pub fn repeats(key: &Key) -> bool {
        keys::command_of(key, ModifiersState::empty()).is_some_and(KeyCommand::repeats)
    }

    /// Handles the wheel, turned away from the person if `clicks` is above 0. Returns false for the
    /// camera's wheel: without Shift (size of the brush) or Ctrl (how much it does).
    pub fn wheel(&mut self, clicks: f32, mods: ModifiersState) -> bool {
        let up = clicks > 0.0;
        match (mods.shift_key(), mods.control_key()) {
            (true, false) => self.hand.resize(up),
            (false, true) => self.hand.change_amount(up),
            _ => return false,
        }
        true
    }

    /// Handles a pressed mouse button. Returns `None` if the press is to drag the map.
    pub fn press(&mut self, button: MouseButton, view: &DisplayView) -> Option<Vec<UserRequest>> {
        if button != MouseButton::Left {
            return None;
        }
        compose::in_points(view, self.scale, |view| self.press_left(view))
    }

    fn press_left(&mut self, view: &DisplayView) -> Option<Vec<UserRequest>> {
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
        if self.hand.tool == HandTool::Look {
            return None;
        }
        let asked = self.hand.press(view);
        Some(self.pass_on(asked))
    }

    /// Handles the pointer, moving or not, while the button is down.
    pub fn drag(&mut self, view: &DisplayView) -> Vec<UserRequest> {
        self.hand.drag(view).into_iter().map(UserRequest::World).collect()
    }

    /// Handles the release of the button.
    pub fn release(&mut self, view: &DisplayView) -> Vec<UserRequest> {
        let asked = self.hand.release(view);
        self.pass_on(asked)
    }

    /// Draws the display over the canvas, whose coordinates are pixels of the window.
    ///
    /// # Errors
    ///
    /// Errors of ggez.
    pub fn draw(
        &mut self,
        ctx: &mut Context,
        canvas: &mut Canvas,
        view: &DisplayView,
    ) -> GameResult {
        // The scale is as large as suits the screen, if the window has room for everything then.
        let room = (view.size_px[0] / LEAST_PX[0]).min(view.size_px[1] / LEAST_PX[1]);
        self.scale = pen::px(ctx.gfx.window().scale_factor()).min(room).max(1.0);
        self.compose(view).finish(ctx, canvas, self.scale)
    }

    /// Returns the path to save to: `None` for the world's own file, else the same one each time.
    fn save_path(&mut self, site: &ViewerSite) -> Option<PathBuf> {
        if site.file.is_some() {
            return None;
        }
        let path = self.file.get_or_insert_with(|| free_path(&site.title, Path::exists));
        Some(path.clone())
    }

    fn pass_on(&mut self, asked: hand::PressCommands) -> Vec<UserRequest> {
        match asked {
            Ok(commands) => commands.into_iter().map(UserRequest::World).collect(),
            Err(why) => {
                self.notify(why);
                Vec::new()
            }
        }
    }

    fn perform(&mut self, command: KeyCommand, view: &DisplayView) -> Vec<UserRequest> {
        let world = |command| vec![UserRequest::World(command)];
        match command {
            KeyCommand::Take(tool) => self.hand.take(tool),
            KeyCommand::Size { up } => self.hand.resize(up),
            KeyCommand::Amount { up } => self.hand.change_amount(up),
            KeyCommand::Undo => return world(ViewerCommand::Undo),
            KeyCommand::Redo => return world(ViewerCommand::Redo),
            KeyCommand::Pause => return world(self.clock.pause()),
            KeyCommand::Step => return self.clock.step().map(UserRequest::World).collect(),
            KeyCommand::Speed { up } => return world(self.clock.change_speed(up)),
            KeyCommand::Moment { forward } => {
                let moment = clock::moment_beside(view.state, forward);
                return moment
                    .map(|index| UserRequest::World(ViewerCommand::GoTo(index)))
                    .into_iter()
                    .collect();
            }
            KeyCommand::GoTo(index) => return world(ViewerCommand::GoTo(index)),
            KeyCommand::Overlay { forward } => self.overlay = self.overlay.next(forward),
            KeyCommand::Cut => return world(self.cut.toggle()),
            KeyCommand::CutHeight { up } => return world(self.cut.step(up)),
            KeyCommand::Inspect => {
                self.shown.inspector = !self.shown.inspector;
                self.asked = None;
                if !self.shown.inspector {
                    return world(ViewerCommand::Inspect(None));
                }
            }
            KeyCommand::Graphs => self.shown.graphs = !self.shown.graphs,
            KeyCommand::Help => self.shown.help = !self.shown.help,
            KeyCommand::Hide => self.shown.nothing = !self.shown.nothing,
            KeyCommand::Frame => return vec![UserRequest::Frame],
            KeyCommand::Tilt => return vec![UserRequest::Tilt],
            KeyCommand::Turn(by) => return vec![UserRequest::Turn(by)],
            KeyCommand::Exaggerate(factor) => return vec![UserRequest::Exaggerate(factor)],
            KeyCommand::Save => return world(ViewerCommand::Save(self.save_path(view.site))),
            KeyCommand::Screenshot => return vec![UserRequest::Screenshot],
            KeyCommand::Leave if self.shown.help => self.shown.help = false,
            KeyCommand::Leave => self.hand.take(HandTool::Look),
            KeyCommand::Quit => return vec![UserRequest::Quit],
        }
        Vec::new()
    }
}

/// Returns a path for a world without a file: named by its title, in the viewer's working folder,
/// and not yet in use.
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
