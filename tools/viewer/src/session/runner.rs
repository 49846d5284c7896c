//! Thread of the world, and the order of its work.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError};
use std::time::{Duration, Instant};

use kit::device::{DeviceName, Seat};
use kit::error::UserError;
use thalweg::units::SimTime;
use thalweg::world::{SaveFile, World};

use crate::opening::OpenedWorld;
use crate::session::canvas::WindowCanvas;
use crate::session::crates::Crates;
use crate::session::gauges::Gauges;
use crate::session::history::History;
use crate::session::pace::{INTERVAL, TimePace};
use crate::session::sketch::Sketch;
use crate::session::strokes::Strokes;
use crate::session::view::FollowedView;
use crate::session::{Figures, Looks, ViewerCommand, ViewerState, WindowLook};

/// Least wall time between two states while time passes.
const BETWEEN: Duration = Duration::from_millis(33);

/// World, and the parts of the session that work on it.
pub(super) struct Runner {
    pub world: World,
    pub file: Option<SaveFile>,
    pub path: PathBuf,
    pub placement: Option<String>,
    pub canvas: WindowCanvas,
    pub gauges: Gauges,
    pub sketch: Sketch,
    pub strokes: Strokes,
    pub crates: Crates,
    pub history: History,
    pub pace: TimePace,
    pub notices: Vec<String>,
    /// Device that steps the water, and sentences to report about it.
    pub seat: Seat,
    pub of_device: Vec<String>,
    /// Whether the world has changes that no file contains.
    pub is_unsaved: bool,
    /// Wall time of the cycles since the last state.
    pub worked: Duration,
    pub inspects: Option<[f64; 2]>,
    pub number: u64,
    pub answered: u64,
    look: WindowLook,
    view: FollowedView,
    reported: Instant,
    is_over: Arc<AtomicBool>,
}

/// Consequence of some commands.
enum Next {
    /// Report a state that includes them.
    Tell,
    /// Continue: no command arrived.
    Go,
    /// End: the window is gone.
    End,
}

impl Runner {
    pub fn try_new(
        opened: OpenedWorld,
        look: WindowLook,
        is_over: Arc<AtomicBool>,
    ) -> Result<Self, UserError> {
        let history = History::of(&opened.world, opened.file.as_ref());
        Ok(Self {
            crates: Crates::new(),
            history,
            world: opened.world,
            file: opened.file,
            path: opened.path,
            placement: opened.placement,
            canvas: WindowCanvas::try_new(look.window)?,
            gauges: Gauges::new(&opened.gauges),
            sketch: Sketch::default(),
            strokes: Strokes::default(),
            pace: TimePace::new(),
            notices: opened.notes,
            seat: Seat::new(DeviceName::Cpu),
            of_device: Vec::new(),
            is_unsaved: false,
            worked: Duration::ZERO,
            inspects: None,
            number: 0,
            answered: 0,
            look,
            view: FollowedView::default(),
            reported: Instant::now(),
            is_over,
        })
    }

    /// Carries out commands and lets time pass, until the window is gone.
    pub fn run(&mut self, orders: &Receiver<ViewerCommand>, states: &SyncSender<ViewerState>) {
        self.follow();
        loop {
            let state = self.report();
            let is_last = state.broken.is_some();
            if states.send(state).is_err() || is_last {
                return;
            }
            self.reported = Instant::now();
            loop {
                match self.obey(orders) {
                    Next::End => return,
                    Next::Tell => break,
                    Next::Go if self.pace.is_running => {
                        self.run_on();
                        break;
                    }
                    Next::Go => {}
                }
            }
        }
    }

    /// Waits for commands or until time is to pass, and carries the commands out.
    fn obey(&mut self, orders: &Receiver<ViewerCommand>) -> Next {
        let first = if self.pace.is_running {
            match orders.recv_timeout(self.pace.left()) {
                Ok(command) => command,
                Err(RecvTimeoutError::Timeout) => return Next::Go,
                Err(RecvTimeoutError::Disconnected) => return Next::End,
            }
        } else {
            match orders.recv() {
                Ok(command) => command,
                Err(_) => return Next::End,
            }
        };
        // Commands that arrive faster than they are done must not keep the picture waiting.
        let begun = Instant::now();
        let mut is_told_alone = self.do_one(first);
        loop {
            while !is_told_alone && begun.elapsed() < INTERVAL {
                match orders.try_recv() {
                    Ok(command) => is_told_alone = self.do_one(command),
                    Err(TryRecvError::Empty) => break,
                    Err(TryRecvError::Disconnected) => return Next::End,
                }
            }
            if is_told_alone || !self.pace.is_running {
                return Next::Tell;
            }
            // Many commands in a short time are reported together, and time passes all the same.
            let (early, left) = (BETWEEN.saturating_sub(self.reported.elapsed()), self.pace.left());
            if left.is_zero() {
                return Next::Go;
            }
            if early.is_zero() {
                return Next::Tell;
            }
            match orders.recv_timeout(early.min(left)) {
                Ok(command) => is_told_alone = self.do_one(command),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Next::End,
            }
        }
    }

    /// Carries out a command; returns true if a state is to report it alone.
    fn do_one(&mut self, command: ViewerCommand) -> bool {
        self.answered += 1;
        let notice = match command {
            ViewerCommand::Look(look) => {
                self.look = look;
                self.follow();
                self.canvas.move_to(look.window).err()
            }
            ViewerCommand::Device(name) => {
                self.world.set_card(None);
                self.seat = Seat::new(name);
                None
            }
            ViewerCommand::Run(is_running) => {
                self.pace.run(is_running);
                None
            }
            ViewerCommand::Speed(speed) => {
                self.pace.set_speed(speed);
                None
            }
            ViewerCommand::Advance(span) => {
                self.advance(span);
                return true;
            }
            ViewerCommand::Act { action, stroke } => {
                let notice = self.strokes.act(&mut self.world, *action, stroke);
                self.is_unsaved |= notice.is_none();
                self.crates.replace_beds();
                notice
            }
            ViewerCommand::Undo => {
                self.is_unsaved |= self.strokes.counts()[0] > 0;
                self.crates.replace_beds();
                self.strokes.undo(&mut self.world, &mut self.crates)
            }
            ViewerCommand::Redo => {
                self.is_unsaved |= self.strokes.counts()[1] > 0;
                self.crates.replace_beds();
                self.strokes.redo(&mut self.world, &mut self.crates)
            }
            ViewerCommand::DropCrate { at_m, width_m, stroke } => {
                match self.crates.above(&self.world, at_m, width_m) {
                    Ok(loose) => self.strokes.put_crate(&mut self.crates, &loose, stroke),
                    Err(why) => Some(why),
                }
            }
            ViewerCommand::TakeCrate { id, stroke } => {
                self.strokes.take_crate((&mut self.world, &mut self.crates), id, stroke)
            }
            ViewerCommand::PutGauge { at_m } => self.gauges.put_at(&self.world, at_m),
            ViewerCommand::Inspect(at_m) => {
                self.inspects = at_m;
                None
            }
            ViewerCommand::Cut(height_m) => {
                self.canvas.cut_at(height_m);
                None
            }
            ViewerCommand::Save(path) => Some(self.save(path)),
            ViewerCommand::GoTo(index) => self.go_to(index).err(),
        };
        self.notices.extend(notice);
        false
    }

    fn follow(&mut self) {
        let followed = self.view.follow(&mut self.world, &self.look);
        self.notices.extend(followed.err());
    }

    /// Advances by a span, however long that takes.
    fn advance(&mut self, span: SimTime) {
        let line = self.seat.wait(&mut self.world);
        self.of_device.extend(line);
        let until = self.world.time().after(span.ticks()).min(SimTime::MAX);
        let begun = Instant::now();
        while self.world.time() < until && !self.is_over.load(Ordering::Relaxed) {
            let notice = self.history.keep(&self.world, true);
            self.notices.extend(notice);
            self.cycle(until);
        }
        self.worked += begun.elapsed();
    }

    /// Replaces the world by that of a moment.
    fn go_to(&mut self, index: usize) -> Result<(), String> {
        let now = (&self.world, self.file.as_mut());
        let world = self.history.world_at(index, now)?;
        self.canvas.forget();
        (self.world, self.is_unsaved) = (world, true);
        let line = self.seat.follow(&mut self.world);
        self.of_device.extend(line);
        if !self.crates.is_empty() {
            self.notices.push("crates stay in their own time: they are gone".to_owned());
        }
        self.crates.clear(&mut self.world);
        (self.strokes, self.view) = (Strokes::default(), FollowedView::default());
        self.gauges.go_back_to(self.world.time());
        self.pace.jump();
        self.follow();
        Ok(())
    }

    /// Runs to the moment of the next state, or until the interval is over.
    fn run_on(&mut self) {
        let target = self.pace.target(self.world.time());
        let begun = Instant::now();
        let notice = self.history.keep(&self.world, false);
        self.notices.extend(notice);
        while self.world.time() < target && !self.is_over.load(Ordering::Relaxed) {
            self.cycle(target);
            if begun.elapsed() > INTERVAL {
                break;
            }
        }
        self.worked += begun.elapsed();
        self.pace.reached(self.world.time(), self.world.time() >= target);
    }

    fn cycle(&mut self, until: SimTime) {
        self.is_unsaved = true;
        if self.crates.is_empty() {
            self.world.run_cycle(until);
        } else {
            let notice = self.crates.run_cycle(&mut self.world, until);
            self.notices.extend(notice);
        }
        let line = self.seat.look(&mut self.world);
        self.of_device.extend(line);
    }
}

/// Returns the last state of a world that ended by a panic.
pub(super) fn broken(look: WindowLook, why: String) -> ViewerState {
    ViewerState {
        number: u64::MAX,
        answered: u64::MAX,
        time: SimTime::ZERO,
        window: look.window,
        is_whole: false,
        patches: Vec::new(),
        looks: Looks::default(),
        leaves: Arc::default(),
        figures: Figures::default(),
        lines: Arc::default(),
        places: Arc::default(),
        bodies: Vec::new(),
        gauges: Vec::new(),
        inspected: None,
        moments_s: Arc::default(),
        notices: Vec::new(),
        of_device: Vec::new(),
        broken: Some(why),
    }
}
