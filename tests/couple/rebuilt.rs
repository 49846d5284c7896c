//! Random acts, refusals and undos in all kinds of worlds with NoData: what a world keeps beside
//! its state follows from the state, and what was undone goes on as if it had never been done.
//!
//! `THALWEG_ACTS` sets the count of steps in each kind of world, or which ones: `5000..10000`.

use crate::support::{cycle, held, in_memory, terrain, terrain_in_memory};
use crate::undone_everywhere::{Draws, Kind, STREAM, adaptive, observer};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use thalweg::check::violations;
use thalweg::terrain::{Edit, Shape, Terrain};
use thalweg::world::{
    Action, Amount, Barrier, CellPlace, ColumnKind, Discharge, Drain, EdgeKind, EdgePlace, Inflow,
    InflowPlace, Link, Rate, SaveFile, Stage, Undo, Voids, Weather, World, WorldBuilder,
};
use thalweg_engine::grid::{Side, TileKey};
use thalweg_engine::sim::{Settings, Solver};

/// Cells of a side of the map, 2 m wide.
const CELLS: usize = 128;
const SIDE_M: f64 = 256.0;

/// A valley with waves, islands of NoData, thin lines of NoData, and single cells of it.
fn ground(draws: &mut Draws) -> Terrain {
    let islands: Vec<[f64; 3]> =
        (0..9).map(|_| [0.0, 0.0, 1.0].map(|r| draws.between(2.0, 128.0 - 116.0 * r))).collect();
    let singles: Vec<[usize; 2]> = (0..90).map(|_| [0; 2].map(|_| draws.pick(CELLS))).collect();
    let tilt = 3 + draws.pick(27);
    terrain(CELLS, CELLS, 2.0, |x, y| {
        let (east, north) = (x as f64, y as f64);
        let is_hole = islands.iter().any(|&[a, b, r]| (east - a).hypot(north - b) < r)
            || singles.contains(&[x, y])
            || (tilt * x / 10 + y).is_multiple_of(61);
        // Where worlds have voids there is ground.
        let is_hole = is_hole && !((18..44).contains(&x) && (18..26).contains(&y));
        let height = 0.02 * (east - 70.0).abs() + 0.4 * (0.9 * east).sin() * (0.7 * north).cos();
        if is_hole { f64::NAN } else { height }
    })
}

/// A world of a kind, and the file that its beds stay in.
fn world(kind: Kind, draws: &mut Draws) -> (World, Option<SaveFile>) {
    let ground = ground(draws);
    let file = kind.is_streamed().then(|| terrain_in_memory(&ground));
    let builder = match &file {
        Some(file) => file.builder(STREAM).expect("a terrain"),
        None => WorldBuilder::new(ground),
    };
    let coarse = TileKey { level: 1, x: 0, y: 0 };
    let has_voids = kind == Kind::OneLevel;
    let mut builder = match kind {
        Kind::OneLevel | Kind::Mixed | Kind::Streamed => builder,
        Kind::SubGrid => builder.columns(ColumnKind::SubGrid).leaves(vec![coarse]),
        Kind::Adaptive | Kind::StreamedAdaptive => {
            adaptive(builder.columns(ColumnKind::Flat), [64.0, 64.0])
        }
        Kind::AdaptiveSubGrid | Kind::StreamedAdaptiveSubGrid => {
            adaptive(builder.columns(ColumnKind::SubGrid), [64.0, 64.0])
        }
    };
    if has_voids {
        let mut voids = Voids::new();
        voids.carve(CellPlace { x: 20, y: 20 }, CellPlace { x: 40, y: 22 }, [-3.0, -1.0]);
        builder = builder.voids(voids);
    }
    let solver = if draws.next() < 0.5 { Solver::Pipe } else { Solver::ShallowWater };
    let manning_n = vec![0.03, 0.06];
    let settings = Settings { solver, ..Settings::default() };
    let class = |place: CellPlace| u8::from(place.x.is_multiple_of(7));
    let builder = builder
        .settings(settings)
        .manning_classes(manning_n, class)
        .edges(EdgeKind::Open)
        .edge("sea", EdgePlace::Side(Side::West), EdgeKind::Stage(vec![(0.0, 1.2)]))
        .initial_stage(|_| 1.2)
        .tracer("dye", |place| if place.y < 64 { 1.0 } else { 0.25 })
        .rain("rain", &[(0.0, 1.0e-6)])
        .expect("good");
    (builder.build().expect("a good world"), file)
}

fn point(draws: &mut Draws) -> [f64; 2] {
    [0; 2].map(|_| draws.between(0.0, SIDE_M))
}

fn area(draws: &mut Draws) -> Shape {
    let (centre_m, radius_m) = (point(draws), draws.between(2.0, 40.0));
    Shape::Disc { centre_m, radius_m, rim_m: draws.between(0.0, 1.0) * radius_m }
}

/// A change of beds: often large beside the heights of the map, so that crests move.
fn edit(draws: &mut Draws) -> Edit {
    let (shape, by_m) = (area(draws), draws.between(0.01, 3.0));
    match draws.pick(4) {
        0 => Edit::Raise { shape, by_m },
        1 => Edit::Lower { shape, by_m },
        2 => Edit::Flatten { shape, to_m: draws.between(-1.0, 2.0) },
        _ => Edit::Paste {
            corner: [0; 2].map(|_| u32::try_from(draws.pick(CELLS - 9)).expect("small")).into(),
            width: 8,
            heights_m: (0..64).map(|_| draws.between(-2.0, 3.0)).collect(),
        },
    }
}

/// An act of any kind, on any place, with one of few names.
fn action(draws: &mut Draws) -> Action {
    let name = format!("thing {}", draws.pick(3));
    let area = area(draws);
    match draws.pick(19) {
        0 => Action::AddWater { area, amount: Amount::VolumeM3(draws.between(0.0, 900.0)) },
        1 => Action::AddWater { area, amount: Amount::StageM(draws.between(0.0, 3.0)) },
        2 => Action::RemoveWater { area, amount: Amount::DepthM(draws.between(0.0, 1.0)) },
        3 => Action::PushWater { area, by_m_s: [0; 2].map(|_| draws.between(-3.0, 3.0)) },
        4 => Action::ColourWater { area, tracer: "dye".to_owned(), concentration: draws.next() },
        5..=8 => Action::EditTerrain(edit(draws)),
        9 => {
            let (path, crest_m) = (vec![point(draws), point(draws)], draws.between(0.5, 3.0));
            Action::PutBarrier(Barrier::wall(&name, path, crest_m))
        }
        10 => Action::RemoveBarrier { name },
        11 => {
            let drain = Drain { area_m2: 0.5, perimeter_m: 2.0, ..Drain::default() };
            Action::PutLink(Link::Drain(Drain { name, place: point(draws), ..drain }))
        }
        12 => Action::RemoveLink { name },
        13 => {
            let place = match draws.pick(2) {
                0 => InflowPlace::Point(point(draws)),
                _ => InflowPlace::Area(area),
            };
            let tracers = vec![("dye".to_owned(), draws.next())];
            let discharge = Discharge::Constant(draws.between(0.1, 9.0));
            Action::PutInflow(Inflow { name: format!("in {name}"), place, discharge, tracers })
        }
        14 => Action::RemoveInflow { name: format!("in {name}") },
        15 => {
            let area = (draws.next() < 0.5).then_some(area);
            let rates = vec![Rate::Constant(draws.between(0.0, 1.0e-5))];
            Action::ChangeWeather(Weather { layer: "rain".to_owned(), area, rates })
        }
        16 => match draws.pick(3) {
            0 => Action::ChangeWind { wind_m_s: [draws.between(-20.0, 20.0), 5.0] },
            1 => {
                let stage = Stage::Constant(draws.between(0.5, 2.0));
                Action::ChangeStage { edge: "sea".to_owned(), stage }
            }
            _ => Action::ChangeRoughness { class: 1, manning_n: draws.between(0.01, 0.1) },
        },
        17 => {
            let low = draws.between(-4.0, 0.0);
            Action::CarveBelow { area, span_m: [low, low + draws.between(0.1, 3.0)] }
        }
        _ => {
            let low = draws.between(-4.0, 0.0);
            Action::FillBelow { area, span_m: [low, low + draws.between(0.1, 3.0)] }
        }
    }
}

/// An act that is refused, whatever the world.
fn refused() -> Action {
    Action::RemoveBarrier { name: "nothing has this name".to_owned() }
}

/// A world under random acts.
struct Trial {
    kind: Kind,
    world: World,
    file: Option<SaveFile>,
    draws: Draws,
    undos: Vec<Undo>,
    case: String,
    done: u64,
}

impl Trial {
    fn new(kind: Kind, seed: u64) -> Self {
        let mut draws = Draws(seed << 32);
        let (world, file) = world(kind, &mut draws);
        Self { kind, world, file, draws, undos: Vec::new(), case: String::new(), done: 0 }
    }

    #[track_caller]
    fn check(&self) {
        let found = violations(&self.world);
        assert!(found.is_empty(), "{}: {found:#?}", self.case);
    }

    /// Does something; the hash stays if that is refused.
    fn act(&mut self) {
        let before = self.world.state_hash();
        let action = action(&mut self.draws);
        self.case = format!("{:?}: {action:?}", self.case);
        match self.world.edits().act(action) {
            Ok(done) => {
                self.undos.push(done.undo);
                self.done += 1;
            }
            Err(_) => assert_eq!(self.world.state_hash(), before, "refused: {}", self.case),
        }
    }

    /// Does a list whose last act is refused.
    fn refuse_all(&mut self) {
        let before = self.world.state_hash();
        let count = 1 + self.draws.pick(4);
        let mut list: Vec<Action> = (0..count).map(|_| action(&mut self.draws)).collect();
        list.push(refused());
        self.case = format!("{}: refused: {list:?}", self.case);
        self.world.edits().act_all(list).expect_err("the last has no name that is there");
        assert_eq!(self.world.state_hash(), before, "{}", self.case);
    }

    /// Takes something back, in any order.
    fn undo(&mut self) {
        if self.undos.is_empty() {
            return;
        }
        let before = self.world.state_hash();
        let last = self.undos.len() - 1;
        let at = if self.draws.next() < 0.5 { last } else { self.draws.pick(last + 1) };
        let undo = self.undos.remove(at);
        self.case = format!("{}: undo {undo:?}", self.case);
        if let Ok(done) = self.world.edits().undo(undo) {
            self.undos.push(done.undo);
            self.done += 1;
        } else {
            assert_eq!(self.world.state_hash(), before, "refused: {}", self.case);
        }
        // The oldest go.
        self.undos.drain(..self.undos.len().saturating_sub(40));
    }

    /// Does several things and takes them back: the world has the hash of before, and goes on as a
    /// copy of before does. A streamed world has no copy: there the hash of before is checked, and
    /// the cycle after it only for what [`Trial::check`] sees.
    fn there_and_back(&mut self) {
        let hash = self.world.state_hash();
        let mut twin = self.world.try_clone().ok();
        let count = 1 + self.draws.pick(5);
        let mut undos = Vec::new();
        let mut list = Vec::new();
        for _ in 0..count {
            let action = action(&mut self.draws);
            list.push(format!("{action:?}"));
            undos.extend(self.world.edits().act(action).ok().map(|done| done.undo));
        }
        self.done += undos.len() as u64;
        self.case = format!("{}: there and back: {list:?}", self.case);
        for undo in undos.into_iter().rev() {
            self.world.edits().undo(undo).expect("the last first");
        }
        assert_eq!(self.world.state_hash(), hash, "{}", self.case);
        self.check();
        let next = action(&mut self.draws);
        for world in [&mut self.world].into_iter().chain(&mut twin) {
            let _ = world.edits().act_for_good(next.clone());
            cycle(world);
        }
        let expected = twin.map_or_else(|| self.world.state_hash(), |twin| twin.state_hash());
        assert_eq!(self.world.state_hash(), expected, "{}, then {next:?}", self.case);
    }

    /// Puts bodies, or takes them away.
    fn put_bodies(&mut self) {
        let count = self.draws.pick(4) as u64;
        let bodies = (0..count).map(|id| {
            let [x, y] = point(&mut self.draws);
            held(id, [5.0, 3.0, 2.0], [x, y, self.draws.between(0.0, 2.0)])
        });
        let bodies = bodies.collect();
        self.world.structures_mut().put_bodies(bodies).expect("good bodies");
    }

    /// The world as its file has it goes on from the same hash.
    fn reload(&mut self) {
        if self.kind.is_streamed() {
            return;
        }
        let mut file = in_memory(&self.world);
        file.save(&self.world).expect("saved");
        let criteria = match self.kind.is_adaptive() {
            true => observer([64.0, 64.0], &self.world.extent()),
            false => Vec::new(),
        };
        let opened = file.load(criteria).expect("a good file");
        assert_eq!(opened.state_hash(), self.world.state_hash(), "{}, loaded", self.case);
        let found = violations(&opened);
        assert!(found.is_empty(), "{}, loaded: {found:#?}", self.case);
    }

    /// One step of a trial.
    fn step(&mut self, number: u64) {
        self.case = format!("{:?}, step {number}", self.kind);
        match self.draws.pick(24) {
            0..=8 => self.act(),
            9..=13 => self.undo(),
            14..=15 => self.refuse_all(),
            16..=17 => self.there_and_back(),
            18 => self.put_bodies(),
            19 => self.reload(),
            _ => cycle(&mut self.world),
        }
        self.check();
    }
}

/// The steps of each kind of world: those that `THALWEG_ACTS` asks for, or a few.
fn steps() -> Range<u64> {
    let number = |text: &str| text.parse().expect("THALWEG_ACTS is a count, or a range like 5..10");
    match std::env::var("THALWEG_ACTS") {
        Ok(asked) => {
            let (from, to) = asked.split_once("..").unwrap_or(("0", &asked));
            number(from)..number(to)
        }
        Err(_) => 0..if crate::QUICK { 40 } else { 70 },
    }
}

/// Goal: the rule of `src/world/rebuilt.rs`. Method: random steps in worlds of each kind with
/// NoData, classes, a tracer, voids, edges and bodies; each is followed by a comparison.
#[test]
fn what_is_kept_beside_the_state_follows_from_it() {
    let steps = steps();
    let kinds = [
        Kind::OneLevel,
        Kind::SubGrid,
        Kind::Adaptive,
        Kind::AdaptiveSubGrid,
        Kind::Streamed,
        Kind::StreamedAdaptiveSubGrid,
    ];
    let done = AtomicU64::new(0);
    kinds.into_par_iter().for_each(|kind| {
        let mut trial = Trial::new(kind, steps.start + 1);
        trial.check();
        steps.clone().for_each(|number| {
            // A world that is full of things is left for a new one.
            if number % 500 == 499 {
                let next = Trial::new(kind, number);
                done.fetch_add(trial.done, Ordering::Relaxed);
                trial = next;
            }
            trial.step(number);
        });
        done.fetch_add(trial.done, Ordering::Relaxed);
        drop(trial.file.take());
    });
    let (done, count) = (done.into_inner(), steps.end - steps.start);
    println!("{done} acts done in {count} steps of each of {} kinds", kinds.len());
    assert!(done >= count, "{done} acts done in {count} steps of each kind");
}
