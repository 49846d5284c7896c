//! Tool in hand: the commands that its presses and drags make.
//!
//! ```text
//! brushes     raise, lower, water, drain, push, dye    on press, then ten times a second
//! points      crate, source, gauge, remove             on press
//! lines       dam                                      from press to release
//! ```
//!
//! Guarantees: all commands of one press share one stroke number, and no two presses share one.

use crate::hud::{DisplayView, dam, words};
use crate::session::{LineKind, PlaceKind, ViewerCommand};
use thalweg::glam::Vec2;
use thalweg::terrain::{Edit, Shape};
use thalweg::world::{Action, Amount, Discharge, Inflow, InflowPlace};

/// Largest number of dabs of a brush that are put at once along a fast stroke.
const DABS_MOST: f64 = 8.0;
/// Time between two dabs, s.
const DAB_S: f64 = 0.1;
/// Largest distance at which an object is removed, px.
const NEAR_PX: f32 = 12.0;
/// Width of the widest crate, m.
const CRATE_MOST_M: f64 = 50.0;

/// Effect of a press.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HandTool {
    /// Moves the map.
    Look,
    /// Raises the ground.
    Raise,
    /// Lowers the ground.
    Lower,
    /// Pours water.
    Water,
    /// Takes water away.
    Drain,
    /// Pushes water along.
    Push,
    /// Draws a dam.
    Dam,
    /// Drops a crate.
    Crate,
    /// Dyes the water.
    Dye,
    /// Places an inflow.
    Source,
    /// Places a gauge.
    Gauge,
    /// Removes a near object.
    Remove,
}

impl HandTool {
    /// All tools, in the order of their buttons.
    pub const ALL: [Self; 12] = [
        Self::Look,
        Self::Raise,
        Self::Lower,
        Self::Water,
        Self::Drain,
        Self::Push,
        Self::Dam,
        Self::Crate,
        Self::Dye,
        Self::Source,
        Self::Gauge,
        Self::Remove,
    ];

    /// Returns the name of the tool.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Look => "Look",
            Self::Raise => "Raise",
            Self::Lower => "Lower",
            Self::Water => "Water",
            Self::Drain => "Drain",
            Self::Push => "Push",
            Self::Dam => "Dam",
            Self::Crate => "Crate",
            Self::Dye => "Dye",
            Self::Source => "Source",
            Self::Gauge => "Gauge",
            Self::Remove => "Remove",
        }
    }

    /// Whether the tool works on a disc of the ground.
    #[must_use]
    pub const fn has_size(self) -> bool {
        self.is_brush() || matches!(self, Self::Source)
    }

    const fn is_brush(self) -> bool {
        use HandTool::{Drain, Dye, Lower, Push, Raise, Water};
        matches!(self, Raise | Lower | Water | Drain | Push | Dye)
    }

    /// Returns the unit of the tool's amount, and the words after it.
    #[must_use]
    pub const fn amount(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Raise | Self::Lower => Some(("m", "at a time")),
            Self::Water | Self::Drain => Some(("m", "deep at a time")),
            Self::Push => Some(("m/s", "at a time")),
            Self::Dam => Some(("m", "above ground and water")),
            Self::Crate => Some(("m", "wide")),
            Self::Source => Some(("m³/s", "")),
            Self::Dye => Some(("", "of full colour")),
            Self::Look | Self::Gauge | Self::Remove => None,
        }
    }

    fn index(self) -> usize {
        Self::ALL.iter().position(|tool| *tool == self).unwrap_or(0)
    }
}

/// Press that is not yet released.
#[derive(Debug, Clone, Copy)]
pub(super) struct HeldPress {
    /// Place at which the press began.
    pub from_m: [f64; 2],
    last_m: [f64; 2],
    last_s: f64,
}

/// Tool in hand and its state.
#[derive(Debug)]
pub(super) struct Hand {
    pub tool: HandTool,
    pub radius_m: f64,
    pub held: Option<HeldPress>,
    /// Width of the simulated cells.
    cell_m: f64,
    radius_most_m: f64,
    amounts: [f64; HandTool::ALL.len()],
    stroke: u64,
    /// Number of dams and of sources that were named.
    named: [u64; 2],
}

/// Commands that a press makes, or the reason why it makes none.
pub(super) type PressCommands = Result<Vec<ViewerCommand>, String>;

impl Hand {
    pub fn new(site: &crate::session::ViewerSite) -> Self {
        let cell_m = site.finest_m * f64::from(1_u32 << site.base.min(20));
        let long_m = site.size_m[0].max(site.size_m[1]);
        let round = words::round_down;
        let mut amounts = [1.0; HandTool::ALL.len()];
        let (ground_m, water_m) =
            ((cell_m / 20.0).clamp(0.1, 1.0), (cell_m / 50.0).clamp(0.05, 0.5));
        for (tool, amount) in [
            (HandTool::Raise, ground_m),
            (HandTool::Lower, ground_m),
            (HandTool::Water, water_m),
            (HandTool::Drain, water_m),
            (HandTool::Push, 0.5),
            (HandTool::Dam, (cell_m / 2.0).clamp(1.0, 5.0)),
            (HandTool::Crate, cell_m.clamp(1.0, CRATE_MOST_M)),
            (HandTool::Source, (cell_m * cell_m / 5.0).clamp(1.0, 1000.0)),
        ] {
            amounts[tool.index()] = round(amount);
        }
        Self {
            tool: HandTool::Look,
            radius_m: round(long_m / 50.0).max(1.5 * cell_m),
            held: None,
            cell_m,
            radius_most_m: (long_m / 4.0).max(2.0 * cell_m),
            amounts,
            stroke: 0,
            named: [0; 2],
        }
    }

    /// Returns the amount of the tool in hand.
    pub fn amount(&self) -> f64 {
        self.amounts[self.tool.index()]
    }

    pub fn take(&mut self, tool: HandTool) {
        self.held = None;
        self.tool = tool;
    }

    pub fn resize(&mut self, up: bool) {
        let radius_m = if up { self.radius_m * 1.25 } else { self.radius_m / 1.25 };
        self.radius_m = radius_m.clamp(self.cell_m, self.radius_most_m);
    }

    pub fn change_amount(&mut self, up: bool) {
        let most = match self.tool {
            HandTool::Push => 20.0,
            HandTool::Dye => 1.0,
            HandTool::Source => 1.0e5,
            HandTool::Crate => CRATE_MOST_M,
            _ => 100.0,
        };
        let least = if self.tool == HandTool::Crate { 0.1 } else { 0.01 };
        let amount = &mut self.amounts[self.tool.index()];
        *amount = words::next_round(*amount, up).clamp(least, most);
    }

    pub fn press(&mut self, view: &DisplayView) -> PressCommands {
        let at_m = view.pointer_m.ok_or("There is no ground below the pointer.")?;
        self.stroke += 1;
        self.held = Some(HeldPress { from_m: at_m, last_m: at_m, last_s: view.now_s });
        match self.tool {
            HandTool::Crate => {
                let (width_m, stroke) = (self.amount(), self.stroke);
                Ok(vec![ViewerCommand::DropCrate { at_m, width_m, stroke }])
            }
            HandTool::Gauge => Ok(vec![ViewerCommand::PutGauge { at_m }]),
            HandTool::Source => Ok(vec![self.source(at_m, view)]),
            HandTool::Remove => self.remove(view),
            HandTool::Dye if view.site.tracers.is_empty() => {
                Err("This world has no tracer to dye water with: open its map with --dye."
                    .to_owned())
            }
            HandTool::Look | HandTool::Dam => Ok(Vec::new()),
            _ => Ok(self.dab(at_m, [0.0; 2], view).into_iter().collect()),
        }
    }

    /// Continues a drag, at most ten times a second.
    pub fn drag(&mut self, view: &DisplayView) -> Vec<ViewerCommand> {
        let (Some(held), Some(at_m)) = (self.held, view.pointer_m) else { return Vec::new() };
        if !self.tool.is_brush() || view.now_s - held.last_s < DAB_S {
            return Vec::new();
        }
        let way = [at_m[0] - held.last_m[0], at_m[1] - held.last_m[1]];
        let long_m = way[0].hypot(way[1]);
        let dabs = (long_m / (self.radius_m / 2.0)).floor().clamp(1.0, DABS_MOST);
        let mut asked = Vec::new();
        for dab in 1..=crate::hud::pen::byte(dabs) {
            let part = f64::from(dab) / dabs;
            let at_m = [0, 1].map(|i| held.last_m[i] + part * way[i]);
            asked.extend(self.dab(at_m, way, view));
        }
        self.held = Some(HeldPress { last_m: at_m, last_s: view.now_s, ..held });
        asked
    }

    pub fn release(&mut self, view: &DisplayView) -> PressCommands {
        let Some(held) = self.held.take() else { return Ok(Vec::new()) };
        if self.tool != HandTool::Dam {
            return Ok(Vec::new());
        }
        let to_m = view.pointer_m.ok_or("A dam has to end on the ground.")?;
        let line = dam::DamDraft::between(held.from_m, to_m, self.amount(), view);
        let line = line.filter(|line| line.length_m() >= self.cell_m);
        let line = line.ok_or_else(|| {
            let wide = words::length(self.cell_m);
            format!("Draw a dam of at least {wide}: press, drag, release.")
        })?;
        let name = self.name("dam", view);
        Ok(vec![self.act(Action::PutBarrier(line.barrier(&name)))])
    }

    /// Returns one touch of a brush that moves along `way`.
    fn dab(&self, at_m: [f64; 2], way: [f64; 2], view: &DisplayView) -> Option<ViewerCommand> {
        let radius_m = self.radius_m;
        let area = Shape::Disc { centre_m: at_m, radius_m, rim_m: radius_m / 2.0 };
        let amount = self.amount();
        let action = match self.tool {
            HandTool::Raise => Action::EditTerrain(Edit::Raise { shape: area, by_m: amount }),
            HandTool::Lower => Action::EditTerrain(Edit::Lower { shape: area, by_m: amount }),
            HandTool::Water => Action::AddWater { area, amount: Amount::DepthM(amount) },
            HandTool::Drain => Action::RemoveWater { area, amount: Amount::DepthM(amount) },
            HandTool::Push => {
                let long_m = way[0].hypot(way[1]);
                let by_m_s = way.map(|part| part / long_m * amount);
                (long_m > 0.0).then_some(Action::PushWater { area, by_m_s })?
            }
            HandTool::Dye => {
                let tracer = view.site.tracers.first()?.clone();
                Action::ColourWater { area, tracer, concentration: amount }
            }
            _ => return None,
        };
        Some(self.act(action))
    }

    fn act(&self, action: Action) -> ViewerCommand {
        ViewerCommand::Act { action: Box::new(action), stroke: self.stroke }
    }

    fn source(&mut self, at_m: [f64; 2], view: &DisplayView) -> ViewerCommand {
        let area = Shape::Disc { centre_m: at_m, radius_m: self.radius_m, rim_m: 0.0 };
        let name = self.name("source", view);
        self.act(Action::PutInflow(Inflow {
            name,
            place: InflowPlace::Area(area),
            discharge: Discharge::Constant(self.amount()),
            tracers: Vec::new(),
        }))
    }

    /// Returns a name that is not in use.
    fn name(&mut self, kind: &str, view: &DisplayView) -> String {
        let named = &mut self.named[usize::from(kind == "dam")];
        loop {
            *named += 1;
            let name = format!("{kind} {named}");
            let lines = view.state.lines.iter().map(|line| &line.name);
            let mut names = lines.chain(view.state.places.iter().map(|place| &place.name));
            if names.all(|other| *other != name) {
                return name;
            }
        }
    }

    /// Removes the object nearest to the pointer.
    fn remove(&self, view: &DisplayView) -> PressCommands {
        let from = view.pointer_px;
        let far = |at: [f32; 2]| Vec2::from(at).distance(from.into());
        let lines = view.state.lines.iter().map(|line| {
            let name = line.name.clone();
            let action = match line.kind {
                LineKind::Barrier => Action::RemoveBarrier { name },
                LineKind::Link(_) => Action::RemoveLink { name },
            };
            (far(nearest(from, &view.course_px(line))), Some(self.act(action)))
        });
        let places = view.state.places.iter().map(|place| {
            let command = match place.kind {
                PlaceKind::Inflow => {
                    Some(self.act(Action::RemoveInflow { name: place.name.clone() }))
                }
                PlaceKind::Gauge => None,
            };
            (far(view.place_px(place.at_m)), command)
        });
        let crates = view.state.bodies.iter().map(|body| {
            let middle = (view.project)(body.centre_m);
            let [x, y, z] = body.centre_m;
            let side = (view.project)([x + f64::from(body.half_m[0]), y, z]);
            // A press within a crate selects it, at any zoom.
            let half = Vec2::from(side).distance(middle.into());
            let command = ViewerCommand::TakeCrate { id: body.id, stroke: self.stroke };
            ((far(middle) - half).max(0.0), Some(command))
        });
        let near = lines.chain(places).chain(crates).filter(|(distance, _)| *distance <= NEAR_PX);
        match near.min_by(|a, b| a.0.total_cmp(&b.0)) {
            Some((_, Some(command))) => Ok(vec![command]),
            Some((_, None)) => Err("A gauge stays: what it saw is kept.".to_owned()),
            None => {
                Err("There is nothing to remove here: press on a dam, a source or a crate."
                    .to_owned())
            }
        }
    }
}

/// Returns the place of a polyline that is nearest to a given one, px.
fn nearest(from: [f32; 2], course: &[[f32; 2]]) -> [f32; 2] {
    let from = Vec2::from(from);
    let mut best = Vec2::from(course.first().copied().unwrap_or([f32::MAX; 2]));
    for pair in course.windows(2) {
        let (start, way) = (Vec2::from(pair[0]), Vec2::from(pair[1]) - Vec2::from(pair[0]));
        let part = (from - start).dot(way) / way.length_squared().max(1.0e-9);
        let at = start + part.clamp(0.0, 1.0) * way;
        if at.distance_squared(from) < best.distance_squared(from) {
            best = at;
        }
    }
    best.to_array()
}
