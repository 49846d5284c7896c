//! A small city-builder. Look at the spring flood that arrives down the valley on day 90: build
//! levees, a dam, pumps and drains before the third one, the largest, and room for the people.
//!
//! `cargo run --release -p viewer --example city [-- --script MOVES [--shot DAY=PICTURE.png]]`
//!
//! The rules and the window are here; `examples/city/` has the map, the works, and the drawing.
//! A day of the calendar is ten seconds of water, and two days pass in a second on the wall.

#[path = "city/building.rs"]
mod building;
#[path = "city/map.rs"]
mod map;
#[path = "city/picture.rs"]
mod picture;
#[path = "city/script.rs"]
pub mod script;
#[path = "city/works.rs"]
mod works;

use building::{Building, BuildingKind};
use ggez::Context;
use ggez::event::{self, EventHandler};
use ggez::input::keyboard::KeyInput;
use ggez::winit::event::MouseButton as Button;
use ggez::winit::keyboard::{Key, NamedKey};
use map::CityPoint;
use picture::CityPicture;
use script::CityOptions;
use std::error::Error;
use thalweg::world::{Action, EventKind, FixedStep, Watch, World};
use works::{CityTool, Move, PlayedMove};

type CityResult<T = ()> = Result<T, Box<dyn Error>>;

/// The calendar. A cycle is a third of a second of water.
const CYCLES_A_DAY: u32 = 30;
const MONTH: u32 = 10;
const SEASON: u32 = 30;
const YEAR: u32 = 120;
const SEASONS: [&str; 4] = ["summer", "autumn", "winter", "spring"];
/// The river at the height of each spring, m³/s.
const SPRINGS: [f64; 3] = [180.0, 380.0, 600.0];
/// Number of people for a win after the last spring, and of wrecked buildings for a loss.
const GOAL: f64 = 100.0;
const WRECKED_MOST: usize = 6;
/// Largest power of a dam's turbine, kW.
const TURBINE_KW: f64 = 400.0;

/// Outcome of the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GameEnding {
    /// The town has grown, and survives.
    Won,
    /// The town is wrecked, poor or empty.
    Lost,
}

/// The game, without a window.
pub struct City {
    world: World,
    buildings: Vec<Building>,
    money: f64,
    cycle: u32,
    /// Power of the dams today and, in sum, this month, kW.
    power_kw: f64,
    energy: f64,
    works_built: u32,
    done: Vec<PlayedMove>,
    undone: Vec<PlayedMove>,
    ending: Option<GameEnding>,
    news: Vec<String>,
}

impl City {
    fn new() -> CityResult<Self> {
        let task = format!(
            "keep plant and town dry with levees, give light from a dam, and room to {GOAL} people"
        );
        Ok(Self {
            world: map::world()?,
            buildings: Building::all_at_first(),
            money: 160.0,
            cycle: 0,
            power_kw: 0.0,
            energy: 0.0,
            works_built: 0,
            done: Vec::new(),
            undone: Vec::new(),
            ending: None,
            news: vec![task],
        })
    }

    fn day(&self) -> u32 {
        self.cycle / CYCLES_A_DAY
    }

    fn people(&self) -> f64 {
        self.buildings.iter().map(|building| building.people).sum()
    }

    fn wrecked(&self) -> usize {
        self.buildings.iter().filter(|building| building.is_wrecked()).count()
    }

    /// Runs a cycle of water, and the people's part: by the day, the month and the season.
    fn run(&mut self) -> CityResult {
        self.world.run_cycle(FixedStep::try_new(1, 3)?);
        self.warn();
        self.cycle += 1;
        if self.cycle.is_multiple_of(CYCLES_A_DAY) {
            self.live_a_day()?;
        }
        if self.cycle.is_multiple_of(CYCLES_A_DAY * MONTH) {
            self.settle_accounts();
        }
        if self.cycle.is_multiple_of(CYCLES_A_DAY * SEASON) {
            self.turn_season()?;
        }
        Ok(())
    }

    /// Warns of levees and dams over which water has begun to run.
    fn warn(&mut self) {
        for event in self.world.events().iter().filter(|event| event.what == EventKind::Overtopped)
        {
            let watch = self.world.watches().find(|(id, _)| *id == event.watch);
            if let Some((_, Watch::Barrier { name, .. })) = watch {
                self.news.push(format!("water runs over {name}"));
            }
        }
    }

    /// Plays a day: water harms buildings, a flooded plant fouls the river, people arrive or leave.
    fn live_a_day(&mut self) -> CityResult {
        let dams =
            self.world.structures().barriers().iter().filter(|barrier| barrier.gap.is_some());
        let flows = dams.filter_map(|dam| self.world.structures().barrier_flow(&dam.name));
        let each_kw = flows.map(|flow| (flow.power_w() / 1000.0).min(TURBINE_KW));
        self.power_kw = each_kw.fold(0.0, |sum, kw| sum + kw);
        self.energy += self.power_kw;
        let light = (self.power_kw / (5.0 * self.people() + 1.0)).min(1.0);
        let intake_is_foul = map::is_foul(&self.world, map::INTAKE);
        for index in 0..self.buildings.len() {
            let mut building = self.buildings[index];
            let water = self.world.maps().footprint(&building.corners_m())?;
            let was_wrecked = building.is_wrecked();
            let is_flooded = building::depth_m(&water) > 0.1;
            building.suffer(&water);
            if building.is_wrecked() && !was_wrecked {
                let (kind, [x, y]) = (building.kind.name(), building.at);
                self.news.push(format!("the water wrecked a {kind} at {x:.0}, {y:.0}"));
            }
            if building.kind == BuildingKind::Plant && is_flooded {
                let (area, tracer) = (building.area(), "effluent".to_owned());
                let fouls = Action::ColourWater { area, tracer, concentration: 1.0 };
                self.world.edits().act_for_good(fouls)?;
            }
            let change = building.room(light) - building.people;
            let is_foul = intake_is_foul || is_flooded && map::is_foul(&self.world, building.at);
            building.people += if is_foul { -0.1 * building.people } else { 0.05 * change };
            self.buildings[index] = building;
        }
        if self.wrecked() >= WRECKED_MOST {
            self.end(GameEnding::Lost, "too much of the town is wrecked");
        }
        Ok(())
    }

    /// Settles the month: taxes and power bring money; wages and repairs cost it; works are final.
    fn settle_accounts(&mut self) {
        let power_kw = self.energy / f64::from(MONTH);
        self.money += 0.25 * self.people() + 0.015 * power_kw - 6.0;
        self.energy = 0.0;
        let is_harvest = self.day() % YEAR == 2 * MONTH + SEASON;
        for building in self.buildings.iter_mut().filter(|building| !building.is_wrecked()) {
            if building.kind == BuildingKind::Farm && is_harvest {
                self.money += 10.0 * building.worth;
            }
            if building.worth < 1.0 && self.money > 1.0 {
                self.money -= 1.0;
                building.worth = (building.worth + 0.15).min(1.0);
            }
        }
        self.done.clear();
        self.undone.clear();
        if self.money < 0.0 {
            self.end(GameEnding::Lost, "the money is gone");
        }
    }

    /// Turns the season: in spring the river rises; after the last one the people are counted.
    fn turn_season(&mut self) -> CityResult {
        let spring = (self.day() / YEAR) as usize;
        if self.day() % YEAR == 3 * SEASON {
            map::bring(&mut self.world, SPRINGS[spring], 0.03 * SPRINGS[spring])?;
            self.news.push(format!("the river rises to {} m³/s", SPRINGS[spring]));
        } else if spring == SPRINGS.len() {
            match self.people() >= GOAL {
                true => self.end(GameEnding::Won, "the town has grown, and stands"),
                false => self.end(GameEnding::Lost, "too few people want to live here"),
            }
        }
        Ok(())
    }

    fn end(&mut self, ending: GameEnding, why: &str) {
        if self.ending.is_none() {
            self.ending = Some(ending);
            let word = if ending == GameEnding::Won { "won" } else { "lost" };
            self.news.push(format!("{word}: {why}"));
        }
    }
}

/// The game in its window.
struct CityGame {
    city: City,
    picture: CityPicture,
    tool: CityTool,
    height_m: f64,
    /// Place at which the button went down.
    from: Option<CityPoint>,
    is_fast: bool,
    is_paused: bool,
    options: CityOptions,
}

impl CityGame {
    fn play(&mut self, wanted: Move) {
        let played = self.city.play(wanted);
        self.city.news.extend(played.err().map(|reason| reason.to_string()));
    }
}

impl EventHandler<Context, Box<dyn Error>> for CityGame {
    fn update(&mut self, ctx: &mut Context) -> CityResult {
        if let Some(path) = self.options.shot_of(&self.city) {
            picture::save(ctx, &path).unwrap_or_else(script::give_up);
            ctx.request_quit();
        }
        for _ in (0..8).take_while(|_| ctx.time.check_update_time(60)) {
            for _ in 0..if self.is_fast { 4 } else { 1 } {
                if !self.is_paused && self.city.ending.is_none() {
                    let moves = self.options.play_today(&mut self.city);
                    moves.and_then(|()| self.city.run()).unwrap_or_else(script::give_up);
                }
            }
        }
        Ok(())
    }

    fn draw(&mut self, ctx: &mut Context) -> CityResult {
        let plan = self.from.map(|from| [from, picture::place(ctx)]);
        self.picture.draw(ctx, &self.city, (self.tool, self.height_m, plan))
    }

    fn mouse_button_down_event(
        &mut self,
        ctx: &mut Context,
        b: Button,
        _: f32,
        _: f32,
    ) -> CityResult {
        match (b, picture::place(ctx)) {
            (Button::Right, at) => self.play(Move::Remove(at)),
            (_, at) => self.from = Some(at),
        }
        Ok(())
    }

    fn mouse_button_up_event(
        &mut self,
        ctx: &mut Context,
        _: Button,
        _: f32,
        _: f32,
    ) -> CityResult {
        if let Some(from) = self.from.take() {
            let (line, height_m) = ([from, picture::place(ctx)], self.height_m);
            self.play(Move::Build { tool: self.tool, line, height_m });
        }
        Ok(())
    }

    fn mouse_wheel_event(&mut self, _: &mut Context, _: f32, turns: f32) -> CityResult {
        let usual_m = self.tool.usual_height_m();
        let height_m = self.height_m + 0.1 * f64::from(turns);
        self.height_m = height_m.clamp(0.4 * usual_m, 2.0 * usual_m);
        Ok(())
    }

    fn key_down_event(
        &mut self,
        ctx: &mut Context,
        key: KeyInput,
        is_repeated: bool,
    ) -> CityResult {
        match &key.event.logical_key {
            Key::Named(NamedKey::Escape) => ctx.request_quit(),
            Key::Named(NamedKey::Space) => self.is_paused ^= !is_repeated,
            Key::Character(letter) => match (&*letter.to_lowercase(), letter.parse()) {
                ("z", _) => self.play(Move::Undo),
                ("y", _) => self.play(Move::Redo),
                ("f", _) => self.is_fast ^= !is_repeated,
                (_, Ok(number @ 1..=5)) => {
                    self.tool = CityTool::ALL[number - 1_usize];
                    self.height_m = self.tool.usual_height_m();
                }
                _ => {}
            },
            _ => {}
        }
        Ok(())
    }
}

/// Opens the window and plays.
fn open(options: CityOptions) -> CityResult {
    let (ctx, events) = picture::window()?;
    let (city, picture) = (City::new()?, CityPicture::new(&ctx));
    let (tool, height_m) = (CityTool::Levee, CityTool::Levee.usual_height_m());
    let (is_fast, is_paused, from) = (options.has_script(), false, None);
    let game = CityGame { city, picture, tool, height_m, from, is_fast, is_paused, options };
    Ok(event::run(ctx, events, game)?)
}

fn main() {
    script::run(std::env::args().skip(1));
}
