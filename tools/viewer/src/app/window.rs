//! Opening of the window.

use super::App;
use super::meter::Costs;
use crate::script::Script;
use crate::script::tour::Tour;
use crate::session::ViewerSession;
use ggez::conf::{Backend, NumSamples, WindowMode, WindowSetup};
use ggez::{ContextBuilder, GameError, event};
use kit::error::UserError;
use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;

/// Options of a window.
pub struct WindowOptions {
    /// Size of the window, pixels.
    pub size_px: [u32; 2],
    /// Film instead of a person, and the folder for its frames.
    pub film: Option<(Script, PathBuf)>,
    /// Flight instead of a person.
    pub tour: Option<Tour>,
}

/// State of a window at its end.
#[derive(Debug, Default, Clone)]
pub struct Left {
    /// Size of the window at its end, pixels.
    pub size_px: Option<[u32; 2]>,
    /// Reason for the end, if the window could not continue.
    pub broken: Option<String>,
    /// Costs of the window's frames.
    pub costs: Costs,
}

/// Opens a window on a world and shows it until the window is closed.
///
/// # Errors
///
/// If the machine has no display or no Vulkan driver, or the world breaks.
pub fn show(session: ViewerSession, options: WindowOptions) -> Result<Left, UserError> {
    let title = session.site().title.clone();
    #[expect(clippy::cast_precision_loss, reason = "pixels")]
    let [width, height] = options.size_px.map(|side| side as f32);
    let setup = WindowSetup::default()
        .title(&title)
        .vsync(options.film.is_none() && options.tour.is_none())
        .samples(NumSamples::One);
    let mode = WindowMode::default().dimensions(width, height).resizable(options.film.is_none());
    let builder = ContextBuilder::new("thalweg-viewer", "thalweg")
        .window_setup(setup)
        .window_mode(mode)
        .backend(Backend::OnlyPrimary);
    // Without a display ggez's own window library panics in places: that becomes one line, too.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| ()));
    let built = std::panic::catch_unwind(|| builder.build());
    std::panic::set_hook(hook);
    let (ctx, events) = match built {
        Ok(Ok(built)) => built,
        Ok(Err(error)) => return Err(no_window(&error)),
        Err(_) => return Err(no_window(&GameError::GraphicsInitializationError)),
    };
    let left = Rc::new(RefCell::new(Left::default()));
    let app = App::new(&ctx, session, options, Rc::clone(&left));
    event::run(ctx, events, app).map_err(|error| no_window(&error))?;
    let left = left.borrow().clone();
    match left.broken {
        Some(why) => Err(UserError::from_sentence(why)),
        None => Ok(left),
    }
}

/// Returns the reason why no window opens, and a remedy.
fn no_window(error: &GameError) -> UserError {
    match error {
        GameError::EventLoopError(_) => UserError::new(
            "there is no display to open a window on",
            "set DISPLAY or WAYLAND_DISPLAY, or run it under xvfb-run",
        ),
        GameError::GraphicsInitializationError => UserError::new(
            "there is no graphics driver to draw with",
            "install one for Vulkan (Debian: mesa-vulkan-drivers), Metal or Direct3D 12",
        ),
        other => UserError::new(format!("the window failed: {other}"), "try again, or tell us"),
    }
}
