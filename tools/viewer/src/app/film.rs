//! Film: the scenes of a script, frame by frame, into a folder.

use crate::hud::{Hud, Overlay, UserRequest};
use crate::picture::air::Air;
use crate::picture::camera::Camera;
use crate::script::{CameraStand, FilmFrame, Script, key};
use crate::session::{ViewerCommand, ViewerSession, ViewerState};
use ggez::Context;
use ggez::winit::keyboard::Key;
use kit::picture::animated::Animated;
use kit::picture::png;
use std::collections::VecDeque;
use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::time::Duration;
use thalweg::units::SimTime;

/// First number of a film's commands.
const COMMANDS_FROM: u64 = 1 << 32;

/// Film that is being made.
pub struct Film {
    script: Script,
    folder: PathBuf,
    left: VecDeque<FilmFrame>,
    now: Option<FilmFrame>,
    from: CameraStand,
    to: CameraStand,
    /// Simulated time that is due since the film began, and the time that was requested.
    due_s: f64,
    passed: SimTime,
    /// Number of the last command.
    asked: u64,
    frames: u32,
    animated: Option<Animated>,
    commands: u64,
    /// Keys that wait for the first state.
    keys: Vec<Key>,
}

impl Film {
    /// Returns a film before its first frame.
    #[must_use]
    pub fn new(script: Script, folder: PathBuf, camera: &Camera) -> Self {
        let stand = CameraStand::of(camera, Air::default());
        Self {
            left: script.moments().into(),
            script,
            folder,
            now: None,
            from: stand,
            to: stand,
            due_s: 0.0,
            passed: SimTime::ZERO,
            asked: 0,
            frames: 0,
            animated: None,
            commands: COMMANDS_FROM,
            keys: Vec::new(),
        }
    }

    /// True after the film's last frame.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.left.is_empty()
    }

    /// Ends the film: no more frames are kept.
    pub fn end(&mut self) {
        self.now = None;
    }

    /// Returns the time for which a frame is shown.
    #[must_use]
    pub fn frame_time(&self) -> Duration {
        Duration::from_secs_f64(1.0 / f64::from(self.script.frames_per_s))
    }

    /// Returns the ratio of the picture's side to a frame's: it is drawn larger and made smaller.
    #[must_use]
    pub fn samples(&self) -> f32 {
        f32::from(self.script.samples)
    }

    /// Returns the seconds that ripples have run.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "seconds")]
    pub fn ripple_s(&self) -> f32 {
        (f64::from(self.frames) * self.frame_time().as_secs_f64() % 200.0) as f32
    }

    /// Begins the next frame: moves the camera, and starts a scene's actions at its first frame.
    pub fn begin(
        &mut self,
        (camera, air): (&mut Camera, &mut Air),
        hud: &mut Hud,
    ) -> Vec<UserRequest> {
        let Some(moment) = self.left.pop_front() else { return Vec::new() };
        self.now = Some(moment);
        let scene = &self.script.scene[moment.scene];
        let mut requests = Vec::new();
        if moment.frame == 0 {
            self.from = CameraStand::of(camera, *air).with(&scene.from);
            self.to = self.from.with(&scene.to);
            if let Some(is_shown) = scene.hud {
                hud.show(is_shown);
            }
            if let Some(overlay) = scene.overlay.as_deref().and_then(Overlay::named) {
                hud.set_overlay(overlay);
            }
            self.keys.extend(scene.keys.iter().map(|name| key(name)));
            for command in &scene.commands {
                self.commands += 1;
                requests.push(UserRequest::World(command.to_session(self.commands)));
            }
        }
        self.from.towards(&self.to, moment.part()).place(camera, air);
        requests
    }

    /// True at the first frame of a scene that gives its own start.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.now.is_some_and(|now| {
            now.frame == 0 && (now.scene == 0 || self.script.scene[now.scene].from.centre.is_some())
        })
    }

    /// Requests the state once more, because the view has changed.
    pub fn ask_again(&mut self, session: &ViewerSession) {
        session.send(ViewerCommand::Advance(SimTime::ZERO));
        self.asked = session.sent();
    }

    /// Returns the keys to be pressed now.
    pub fn keys(&mut self) -> Vec<Key> {
        std::mem::take(&mut self.keys)
    }

    /// Sends the command to advance by one frame.
    pub fn advance(&mut self, session: &ViewerSession) {
        let Some(moment) = self.now else { return };
        let speed = self.script.scene[moment.scene].speed;
        self.due_s += speed * self.frame_time().as_secs_f64();
        let due = SimTime::from_seconds(self.due_s);
        let span = SimTime::from_ticks(due.since(self.passed));
        self.passed = due;
        session.send(ViewerCommand::Advance(span));
        self.asked = session.sent();
    }

    /// True if a state is the one for this frame.
    #[must_use]
    pub fn is_there(&self, state: Option<&ViewerState>) -> bool {
        state.is_some_and(|state| state.answered >= self.asked)
    }

    /// Writes the frame that was drawn last, if one was, and adds it to the film.
    ///
    /// # Errors
    ///
    /// If a file cannot be written.
    pub fn keep(&mut self, ctx: &Context) -> Result<(), Box<dyn Error>> {
        if self.now.is_none() {
            return Ok(());
        }
        let picture = frame(ctx)?;
        self.frames += 1;
        let name = format!("frame-{:04}.png", self.frames);
        picture.write(&self.folder.join(name))?;
        if self.animated.is_none() {
            let count = u32::try_from(self.left.len())? + 1;
            let rate = u16::try_from(self.script.frames_per_s)?;
            let path = self.folder.join("film.png");
            self.animated = Some(Animated::create(&path, picture.size, (count, rate))?);
        }
        if let Some(animated) = &mut self.animated {
            animated.push(picture.rgb)?;
        }
        match self.animated.take_if(|_| self.left.is_empty()) {
            Some(animated) => animated.finish(),
            None => Ok(()),
        }
    }
}

/// Outcome of drawing a film.
#[derive(Debug)]
pub struct DrawnFilm {
    size: [u32; 2],
    rgb: Vec<u8>,
}

impl DrawnFilm {
    /// Writes the frame as PNG.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), Box<dyn Error>> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let file = BufWriter::new(File::create(path)?);
        png::write_rgb(file, self.size.map(|side| side as usize), &self.rgb, png::Effort::Usual)?;
        Ok(())
    }
}

/// Returns the frame that was drawn last.
///
/// # Errors
///
/// If the graphics card does not return it.
pub fn frame(ctx: &Context) -> Result<DrawnFilm, Box<dyn Error>> {
    let frame = ctx.gfx.frame();
    let is_blue_first = matches!(
        frame.format(),
        wgpu::TextureFormat::Bgra8Unorm | wgpu::TextureFormat::Bgra8UnormSrgb
    );
    let order = if is_blue_first { [2, 1, 0] } else { [0, 1, 2] };
    let pixels = frame.to_pixels(ctx)?;
    let rgb = pixels.chunks_exact(4).flat_map(|pixel| order.map(|channel| pixel[channel]));
    Ok(DrawnFilm { size: [frame.width(), frame.height()], rgb: rgb.collect() })
}

/// Returns a name for a screenshot that is not in use.
#[must_use]
pub fn free_name() -> PathBuf {
    let names = (1_u32..).map(|number| PathBuf::from(format!("thalweg-{number:03}.png")));
    names.into_iter().find(|name| !name.exists()).unwrap_or_default()
}
