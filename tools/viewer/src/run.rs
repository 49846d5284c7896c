//! Run of the viewer, from the command line to the window and back.

use std::ffi::OsString;

use kit::command::{Ending, parse};
use kit::error::UserError;
use kit::interrupt;
use kit::terminal::say;

use crate::app::{self, WindowOptions};
use crate::args::Args;
use crate::memory::SessionMemory;
use crate::opening::{self, OpenedWorld};
use crate::picture::camera::Camera;
use crate::script::Script;
use crate::script::tour::Tour;
use crate::session::{ViewerCommand, ViewerSession, WindowLook};

/// Size of the window by default, pixels.
const USUAL_SIZE: [u32; 2] = [1280, 720];

/// Simulated seconds for each second by default.
const USUAL_SPEED: f64 = 10.0;

/// Runs the command `words`, the first of which is the program's name.
///
/// # Errors
///
/// If the input is wrong, the world is in use or breaks, or no window can be opened.
pub fn run(words: Vec<OsString>) -> Result<Ending, UserError> {
    if let Some(args) = parse::<Args>(words)? {
        show(&args)?;
    }
    Ok(if interrupt::is_asked() { Ending::Interrupted } else { Ending::Done })
}

fn show(args: &Args) -> Result<(), UserError> {
    let mut memory = SessionMemory::recall();
    let script = args.show.script.as_deref().map(Script::read).transpose()?;
    let tour = args.show.tour.as_deref().map(Tour::read).transpose()?;
    let (is_film, is_tour) = (script.is_some(), tour.is_some());
    // A film is the same for every user: the memory does not affect it.
    let nothing = SessionMemory::default();
    let opened = opening::open(args, if is_film { &nothing } else { &memory })?;
    let path = std::path::absolute(&opened.path).ok();
    let usual = memory.window.unwrap_or(USUAL_SIZE);
    let size_px = match (&script, args.show.size) {
        (Some(script), None) => script.size,
        (_, Some(size)) => size,
        (None, None) => usual,
    };
    interrupt::listen(None);
    let film = script.zip(args.show.frames.clone());
    let session = start(opened, size_px)?;
    session.send(ViewerCommand::Device(args.device));
    session.send(ViewerCommand::Speed(args.show.speed.unwrap_or(USUAL_SPEED)));
    session.send(ViewerCommand::Run(!is_film));
    let left = app::show(session, WindowOptions { size_px, film, tour })?;
    if is_tour {
        say(&left.costs.to_string());
    } else if !is_film {
        memory.window = left.size_px.or(memory.window);
        memory.file = path.or(memory.file);
        memory.keep();
    }
    Ok(())
}

/// Starts a world's thread with all of the world in view.
///
/// # Errors
///
/// If no thread can be started.
fn start(opened: OpenedWorld, size_px: [u32; 2]) -> Result<ViewerSession, UserError> {
    let site = opened.site();
    #[expect(clippy::cast_precision_loss, reason = "pixels")]
    let camera = Camera::over(site.size_m, size_px.map(|side| side as f32));
    let window = camera.window(site.size_m, site.finest_m, site.bed_m);
    let radius_m = 0.5 * site.size_m[0];
    ViewerSession::start(opened, WindowLook { window, centre_m: camera.centre_m, radius_m })
}
