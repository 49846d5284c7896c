//! Window: passes a person's input to the camera, the head-up display and the world, and makes a
//! picture of the states of the world.

mod clock;
mod events;
mod film;
mod meter;
mod sharpness;
mod steer;
mod window;

use clock::PictureClock;
use film::Film;
use ggez::graphics::Canvas;
use ggez::winit::keyboard::ModifiersState;
use ggez::{Context, GameResult};
use kit::terminal::complain;

use crate::hud::{DisplayView, Hud, UserRequest};
use crate::picture::air::Air;
use crate::picture::camera::Camera;
use crate::picture::{Colouring, PictureFrame, WorldPicture};
use crate::script::tour::Tour;
use crate::session::{ViewerCommand, ViewerSession, ViewerState, WindowLook};
pub use meter::Costs;
use meter::Meter;
use sharpness::Sharpness;
use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;
use steer::Steering;
pub use window::{Left, WindowOptions, show};

/// Distance above and below the ground over which the line of sight is followed, m.
const HEADROOM_M: f64 = 60.0;

/// Time in which the middle covers two thirds of its way to the ground, s.
const RISE_S: f64 = 0.4;

/// Contents of a window.
struct App {
    session: ViewerSession,
    picture: WorldPicture,
    camera: Camera,
    air: Air,
    steering: Steering,
    hud: Hud,
    state: Option<ViewerState>,
    look: Option<WindowLook>,
    clock: PictureClock,
    sharpness: Sharpness,
    /// Camera and overlay of the frame before.
    drawn: Option<(Camera, u8)>,
    /// True if a state has arrived since that frame.
    is_new: bool,
    meter: Meter,
    /// Time since the window opened; a film has its own time.
    now: Duration,
    film: Option<Film>,
    /// True for a film: its place to inspect replaces the pointer.
    is_film: bool,
    inspects: Option<[f64; 2]>,
    tour: Option<Tour>,
    screenshot: Option<PathBuf>,
    left: Rc<RefCell<Left>>,
}

impl App {
    fn new(
        ctx: &Context,
        session: ViewerSession,
        options: WindowOptions,
        left: Rc<RefCell<Left>>,
    ) -> Self {
        let size_px = ctx.gfx.drawable_size();
        let site = session.site();
        let mut camera = Camera::over(site.size_m, [size_px.0, size_px.1]);
        camera.elevation_m = 0.5 * (site.bed_m[0] + site.bed_m[1]);
        let hud = Hud::new(site);
        let picture = WorldPicture::new(ctx, &crate::hud::ramp::rows());
        let film = options.film.map(|(script, folder)| Film::new(script, folder, &camera));
        Self {
            picture,
            camera,
            air: Air::default(),
            steering: Steering::new(site),
            hud,
            state: None,
            look: None,
            clock: PictureClock::default(),
            sharpness: Sharpness::default(),
            drawn: None,
            is_new: true,
            meter: Meter::default(),
            now: Duration::ZERO,
            is_film: film.is_some(),
            inspects: None,
            film,
            tour: options.tour,
            screenshot: None,
            left,
            session,
        }
    }

    /// Requests the cells in view, if these have changed.
    fn look(&mut self) {
        let site = self.session.site();
        let window = self.camera.window(site.size_m, site.finest_m, site.bed_m);
        let radius_m = 0.5 * self.camera.metres_per_px * f64::from(self.camera.size_px[0]);
        let look = WindowLook { window, centre_m: self.camera.centre_m, radius_m };
        let is_near = |known: &WindowLook| {
            let moved =
                (known.centre_m[0] - look.centre_m[0]).hypot(known.centre_m[1] - look.centre_m[1]);
            known.window == look.window
                && moved < 0.1 * radius_m
                && (known.radius_m / radius_m - 1.0).abs() < 0.1
        };
        if !self.look.as_ref().is_some_and(is_near) {
            self.session.send(ViewerCommand::Look(look));
            self.look = Some(look);
        }
    }

    /// Takes in a state.
    fn take(&mut self, ctx: &mut Context, state: ViewerState) {
        self.picture.take(ctx, &state, self.session.site());
        self.clock.restart();
        if let Some(why) = &state.broken {
            self.left.borrow_mut().broken = Some(why.clone());
            ctx.request_quit();
        }
        if self.is_film {
            // Sentences that are only drawn could be missed.
            state.notices.iter().chain(&state.of_device).for_each(complain);
        } else {
            state.of_device.iter().for_each(|line| self.hud.notify(line));
        }
        self.is_new = true;
        self.hud.take(&state);
        self.meter.note(&state.figures);
        self.state = Some(state);
    }

    /// Carries out requests of the head-up display or of a key.
    fn grant(&mut self, ctx: &mut Context, requests: Vec<UserRequest>) {
        self.is_new |= !requests.is_empty();
        for request in requests {
            match request {
                // A film has its own time.
                UserRequest::World(ViewerCommand::Run(_) | ViewerCommand::Speed(_))
                    if self.is_film => {}
                UserRequest::World(command) => self.session.send(command),
                UserRequest::Tilt => self.steering.tilt(),
                UserRequest::Turn(by) => self.steering.turn(by, &self.camera),
                UserRequest::Exaggerate(factor) => self.steering.exaggerate(factor),
                UserRequest::Frame => self.steering.whole(self.session.site(), &self.camera),
                UserRequest::Screenshot => self.screenshot = Some(film::free_name()),
                UserRequest::Quit => ctx.request_quit(),
            }
        }
    }

    /// Calls the head-up display with the facts that it needs; does nothing before the first state.
    fn with_view<T>(
        &mut self,
        ctx: &mut Context,
        call: impl FnOnce(&mut Hud, &mut Context, &DisplayView<'_>) -> T,
    ) -> Option<T> {
        let state = self.state.as_ref()?;
        let (camera, picture, site) = (&self.camera, &self.picture, self.session.site());
        let surface = |place: [f64; 2]| picture.surface_m(place, site);
        let range = [site.bed_m[0] - HEADROOM_M, site.bed_m[1] + HEADROOM_M];
        let (pointer_px, pointer_m) = if self.is_film {
            let project = |[x, y]: [f64; 2]| {
                camera.project([x, y, surface([x, y]).unwrap_or(camera.elevation_m)])
            };
            (self.inspects.map_or([-1.0; 2], project), self.inspects)
        } else {
            let pointer = ctx.mouse.position();
            let pixel = [pointer.x, pointer.y];
            (pixel, camera.pick(pixel, range, surface))
        };
        let view = DisplayView {
            size_px: camera.size_px,
            site,
            state,
            metres_per_px: camera.metres_per_px,
            pointer_px,
            pointer_m,
            project: &|place| camera.project(place),
            elevation_m: &surface,
            // A film does not show how fast the machine was.
            fps: if self.is_film { 0.0 } else { self.meter.fps() },
            frame_ms: self.meter.own_ms(),
            now_s: self.now.as_secs_f64(),
        };
        Some(call(&mut self.hud, ctx, &view))
    }

    /// Lets the head-up display answer, and carries out its requests.
    fn ask(
        &mut self,
        ctx: &mut Context,
        call: impl FnOnce(&mut Hud, &DisplayView<'_>) -> Vec<UserRequest>,
    ) {
        let requests = self.with_view(ctx, |hud, _, view| call(hud, view));
        self.grant(ctx, requests.unwrap_or_default());
    }

    /// Moves the camera to the present place of a flight.
    fn fly(&mut self, ctx: &mut Context) {
        let Some(tour) = &self.tour else { return };
        match tour.at(self.now.as_secs_f64()) {
            Some(stand) => stand.place(&mut self.camera, &mut self.air),
            None => ctx.request_quit(),
        }
    }

    /// Makes one frame of a film: advances the world by its time, and waits for it.
    fn roll(&mut self, ctx: &mut Context) {
        let Some(mut film) = self.film.take() else { return };
        let requests = film.begin((&mut self.camera, &mut self.air), &mut self.hud);
        for request in &requests {
            if let UserRequest::World(ViewerCommand::Inspect(place)) = request {
                self.inspects = *place;
            }
        }
        self.grant(ctx, requests);
        self.look();
        film.advance(&self.session);
        self.wait(ctx, &film);
        if self.rise(if film.is_cut() { None } else { Some(film.frame_time()) }) && film.is_cut() {
            self.look();
            film.ask_again(&self.session);
            self.wait(ctx, &film);
        }
        for key in film.keys() {
            self.ask(ctx, |hud, view| hud.key(&key, ModifiersState::default(), view));
        }
        self.now += film.frame_time();
        self.ask(ctx, Hud::tick);
        self.clock.ripple_s = film.ripple_s();
        self.film = Some(film);
    }

    /// Takes in states up to that of a film's frame.
    fn wait(&mut self, ctx: &mut Context, film: &Film) {
        while !film.is_there(self.state.as_ref()) {
            let Some(state) = self.session.wait_state() else { break };
            self.take(ctx, state);
        }
    }

    /// Moves the middle of a tilted view towards the ground, gently within a time, or at once;
    /// returns whether it has moved.
    fn rise(&mut self, within: Option<Duration>) -> bool {
        let surface = self.picture.surface_m(self.camera.centre_m, self.session.site());
        let Some(surface_m) = surface else { return false };
        let part = within.map_or(1.0, |time| 1.0 - (-time.as_secs_f64() / RISE_S).exp());
        let by = part * (surface_m - self.camera.elevation_m);
        self.camera.elevation_m += by;
        by.abs() > 0.1
    }

    fn paint(&mut self, ctx: &mut Context) -> GameResult {
        let since = self.meter.frame();
        self.meter.begin();
        let overlay = self.hud.overlay();
        let is_running = self.state.as_ref().is_some_and(|state| state.figures.is_running);
        let part = if self.film.is_some() { 1.0 } else { self.clock.part() };
        let is_changing = is_running || part < 1.0 || std::mem::take(&mut self.is_new);
        let drawn = (self.camera, overlay.row());
        let is_moving = is_changing || self.drawn.replace(drawn) != Some(drawn);
        let (scale, is_same) = match &self.film {
            Some(film) => (film.samples(), false),
            None => (self.sharpness.next(since, is_moving), self.sharpness.is_still()),
        };
        let frame = PictureFrame {
            scale,
            is_same,
            camera: self.camera,
            air: self.air,
            part,
            ripple_s: self.clock.ripple_s,
            since: self.film.as_ref().map_or(since, Film::frame_time),
            colouring: Colouring { overlay: overlay.row(), most: overlay.most() },
        };
        self.picture.draw(ctx, self.session.site(), &frame);
        let mut canvas = Canvas::from_frame(ctx, None);
        let drawn = self.with_view(ctx, |hud, ctx, view| hud.draw(ctx, &mut canvas, view));
        drawn.unwrap_or(Ok(()))?;
        canvas.finish(ctx)?;
        self.meter.end(since);
        Ok(())
    }

    /// Writes the frame before this one, if it was requested.
    fn keep(&mut self, ctx: &mut Context) {
        let mut notice = None;
        if let Some(path) = self.screenshot.take() {
            notice = Some(match film::frame(ctx).and_then(|frame| frame.write(&path)) {
                Ok(()) => format!("the picture is in {}", path.display()),
                Err(error) => format!("no picture: {} cannot be written: {error}", path.display()),
            });
        }
        if let Some(film) = &mut self.film
            && let Err(error) = film.keep(ctx)
        {
            let why = format!("a frame cannot be written: {error}: choose another --frames");
            self.left.borrow_mut().broken = Some(why);
            ctx.request_quit();
        }
        if let Some(notice) = notice {
            self.hud.notify(notice);
        }
    }
}
