//! Every kind of action, in every kind of world, undone before the next cycle: the state hash is
//! what it was.

use crate::support::{cycle, held, in_memory, terrain, terrain_in_memory};
use thalweg::criteria::{Criterion, Observer, ObserverOptions, Scale};
use thalweg::structure::Section;
use thalweg::terrain::{Edit, Shape, Terrain};
use thalweg::world::{
    Action, ActionError, AdaptiveOptions, Amount, Barrier, ColumnKind, Culvert, Discharge, Drain,
    EdgeKind, EdgePlace, Gap, Inflow, InflowPlace, Link, Opening, Rate, SaveFile, Stage,
    StreamOptions, Undo, Weather, World, WorldBuilder,
};
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::grid::{Side, TileKey};
use thalweg_engine::sim::{Settings, Solver};
use thalweg_engine::units::hash::StateHasher;

/// 256 × 128 cells of 2 m.
pub const SIZE_M: [f64; 2] = [512.0, 256.0];

/// How leaves lie, and where beds come from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    OneLevel,
    Mixed,
    SubGrid,
    Adaptive,
    AdaptiveSubGrid,
    Streamed,
    StreamedAdaptive,
    StreamedAdaptiveSubGrid,
}

/// All but the last, which asks for nothing of actions that the others do not.
pub const KINDS: [Kind; 7] = [
    Kind::OneLevel,
    Kind::Mixed,
    Kind::SubGrid,
    Kind::Adaptive,
    Kind::AdaptiveSubGrid,
    Kind::Streamed,
    Kind::StreamedAdaptive,
];

impl Kind {
    pub fn is_streamed(self) -> bool {
        matches!(self, Self::Streamed | Self::StreamedAdaptive | Self::StreamedAdaptiveSubGrid)
    }

    pub fn is_adaptive(self) -> bool {
        !matches!(self, Self::OneLevel | Self::Mixed | Self::SubGrid | Self::Streamed)
    }
}

fn ground() -> Terrain {
    terrain(256, 128, 2.0, |x, y| {
        let (x, y) = (x as f64, y as f64);
        0.02 * (x - 140.0).abs() + 0.3 * (0.2 * x).sin() * (0.3 * y).cos()
    })
}

/// Draws from 0 to 1.
pub struct Draws(pub u64);

impl Draws {
    pub fn next(&mut self) -> f64 {
        let mut hash = StateHasher::new();
        self.0 += 1;
        hash.add(self.0);
        (hash.finish() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A number below `count`.
    pub fn pick(&mut self, count: usize) -> usize {
        let drawn = self.next();
        (0..count).rev().find(|&one| drawn * count as f64 >= one as f64).unwrap_or(0)
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }

    pub fn point(&mut self) -> [f64; 2] {
        SIZE_M.map(|size| self.between(0.1 * size, 0.9 * size))
    }

    fn area(&mut self) -> Shape {
        let (centre_m, radius_m) = (self.point(), self.between(6.0, 60.0));
        Shape::Disc { centre_m, radius_m, rim_m: self.between(0.0, 1.0) * radius_m }
    }

    fn barrier(&mut self, name: &str) -> Barrier {
        let (from, to) = (self.point(), self.point());
        let gap = Gap { sill_m: None, opening: Opening::Fixed(0.4) };
        let gap = (self.next() < 0.5).then_some(gap);
        Barrier { gap, ..Barrier::wall(name, vec![from, to], self.between(0.5, 4.0)) }
    }

    fn link(&mut self, name: &str) -> Link {
        let name = name.to_owned();
        if self.next() < 0.5 {
            let place = self.point();
            return Link::Drain(Drain {
                name,
                place,
                area_m2: 0.5,
                perimeter_m: 2.0,
                ..Drain::default()
            });
        }
        Link::Culvert(Culvert {
            name,
            from: [self.between(60.0, 200.0), 100.0],
            to: [self.between(300.0, 450.0), 120.0],
            from_invert_m: 0.0,
            to_invert_m: 0.0,
            section: Section::Circle { diameter_m: 1.0 },
            length_m: None,
            manning_n: 0.013,
            inlet_loss: 0.5,
            outlet_loss: 1.0,
            has_flap: false,
        })
    }

    fn inflow(&mut self, name: &str) -> Inflow {
        let place = match self.next() < 0.5 {
            true => InflowPlace::Point(self.point()),
            false => InflowPlace::Area(self.area()),
        };
        let discharge = match self.next() < 0.5 {
            true => Discharge::Constant(self.between(0.1, 9.0)),
            false => Discharge::Series(vec![(0.0, 2.0), (60.0, self.between(1.0, 9.0))]),
        };
        let dye = ("dye".to_owned(), self.next());
        let tracers = if self.next() < 0.5 { vec![dye] } else { Vec::new() };
        Inflow { name: name.to_owned(), place, discharge, tracers }
    }

    fn weather(&mut self, has_area: bool) -> Weather {
        let area = has_area.then(|| self.area());
        let rates = vec![Rate::Series(vec![(0.0, self.between(0.0, 1.0e-4)), (60.0, 0.0)])];
        Weather { layer: "rain".to_owned(), area, rates }
    }

    fn stage(&mut self) -> Stage {
        match self.next() < 0.5 {
            true => Stage::Constant(self.between(1.0, 2.0)),
            false => Stage::Series(vec![(0.0, 1.5), (60.0, self.between(1.0, 2.0))]),
        }
    }

    fn edit(&mut self) -> Edit {
        let (shape, by_m) = (self.area(), self.between(0.1, 2.0));
        match self.next() < 0.5 {
            true => Edit::Raise { shape, by_m },
            false => Edit::Lower { shape, by_m },
        }
    }

    /// One action of each kind, some twice: where something has that name, and where nothing has.
    pub fn actions(&mut self) -> Vec<Action> {
        vec![
            Action::AddWater { area: self.area(), amount: Amount::VolumeM3(900.0) },
            Action::RemoveWater { area: self.area(), amount: Amount::DepthM(0.4) },
            Action::PutBarrier(self.barrier("new wall")),
            Action::PutBarrier(self.barrier("old wall")),
            Action::PutLink(self.link("new link")),
            Action::PutLink(self.link("old link")),
            Action::PutInflow(self.inflow("new spring")),
            Action::PutInflow(self.inflow("old spring")),
            Action::PushWater { area: self.area(), by_m_s: [self.between(-3.0, 3.0), 1.0] },
            Action::ColourWater {
                area: self.area(),
                tracer: "dye".to_owned(),
                concentration: self.next(),
            },
            Action::EditTerrain(self.edit()),
            Action::ChangeWeather(self.weather(true)),
            Action::ChangeWeather(self.weather(false)),
            Action::ChangeWind { wind_m_s: [self.between(-20.0, 20.0), 5.0] },
            Action::ChangeStage { edge: "sea".to_owned(), stage: self.stage() },
            Action::ChangeRoughness { class: 0, manning_n: self.between(0.01, 0.1) },
            Action::RemoveBarrier { name: "old wall".to_owned() },
            Action::RemoveLink { name: "old link".to_owned() },
            Action::RemoveInflow { name: "old spring".to_owned() },
            Action::AddWater { area: self.area(), amount: Amount::StageM(2.0) },
            Action::RemoveWater { area: self.area(), amount: Amount::VolumeM3(100.0) },
        ]
    }
}

/// Options of an observer at a place.
pub fn options(position_m: [f64; 2]) -> ObserverOptions {
    ObserverOptions {
        position_m,
        radii_m: vec![(0, 60.0), (1, 150.0)],
        velocity_m_s: [0.0; 2],
        look_ahead_s: 0.0,
        priority: 1.0,
    }
}

/// An observer at a place.
pub fn observer(position_m: [f64; 2], scale: &Scale) -> Vec<Box<dyn Criterion>> {
    vec![Box::new(Observer::try_new(&options(position_m), scale).expect("good"))]
}

pub const STREAM: StreamOptions = StreamOptions { budget_bytes: 256 << 20 };

/// A world of a kind, and the file that its beds stay in.
pub fn world(kind: Kind, solver: Solver, draws: &mut Draws) -> (World, Option<SaveFile>) {
    let file = kind.is_streamed().then(|| terrain_in_memory(&ground()));
    let mut builder = match &file {
        Some(file) => file.builder(STREAM).expect("a terrain"),
        None => WorldBuilder::new(ground()),
    };
    let level = |level, x, y| TileKey { level, x, y };
    builder = match kind {
        Kind::OneLevel | Kind::Streamed => builder,
        Kind::Mixed => {
            let fine = (0..4).map(|tile| level(0, tile % 2, tile / 2));
            builder.leaves(fine.chain([level(1, 1, 0)]).collect())
        }
        Kind::SubGrid => {
            builder.columns(ColumnKind::SubGrid).leaves(vec![level(1, 0, 0), level(1, 1, 0)])
        }
        Kind::Adaptive | Kind::StreamedAdaptive => {
            adaptive(builder.columns(ColumnKind::Flat), [128.0, 128.0])
        }
        Kind::AdaptiveSubGrid | Kind::StreamedAdaptiveSubGrid => {
            adaptive(builder.columns(ColumnKind::SubGrid), [128.0, 128.0])
        }
    };
    let spring = [CellPlace { x: 200, y: 60 }];
    let builder = builder
        .settings(Settings { solver, ..Settings::default() })
        .edges(EdgeKind::Open)
        .edge("sea", EdgePlace::Side(Side::West), EdgeKind::Stage(vec![(0.0, 1.5)]))
        .initial_stage(|_| 1.5)
        .tracer("dye", |place| if place.y < 64 { 1.0 } else { 0.25 })
        .barrier(draws.barrier("old wall"))
        .link(draws.link("old link"))
        .tracer_source("dye", "old spring", 0.5)
        .inflow("old spring", &[(0.0, 1.0)], &spring)
        .and_then(|builder| builder.rain("rain", &[(0.0, 0.0)]))
        .expect("good");
    (builder.build().expect("a good world"), file)
}

/// A builder of adaptive worlds with an observer at a place, m.
pub fn adaptive(builder: WorldBuilder, at_m: [f64; 2]) -> WorldBuilder {
    let criteria = observer(at_m, &builder.extent(2).expect("a level it has"));
    builder.adaptive(AdaptiveOptions {
        coarsest: 2,
        budget_cells: 1 << 16,
        min_age_cycles: 2,
        interval_cycles: 2,
        criteria,
        ..AdaptiveOptions::default()
    })
}

/// The world as its file has it.
pub fn reopened(kind: Kind, world: &World, file: &mut SaveFile) -> World {
    file.save(world).expect("saved");
    let criteria = match kind.is_adaptive() {
        true => observer([128.0, 128.0], &world.extent()),
        false => Vec::new(),
    };
    let opened = match kind.is_streamed() {
        true => file.stream(criteria, STREAM).expect("a good file"),
        false => file.load(criteria).expect("a good file"),
    };
    assert_eq!(opened.state_hash(), world.state_hash(), "{kind:?}, from its file");
    opened
}

/// True where an action may be refused in a world of a kind: beds that stay in a file are not
/// edited.
#[track_caller]
fn is_refused_rightly(kind: Kind, action: &Action, reason: &ActionError) {
    let is_edit = matches!(action, Action::EditTerrain(_));
    assert!(kind.is_streamed() && is_edit, "{kind:?}: {action:?}: {reason}");
    assert!(reason.to_string().contains("stay in its file"), "{reason}");
}

/// Each action by itself, there and back, forward and back again; then all of them, and back in
/// reverse order.
fn check_all(kind: Kind, world: &mut World, draws: &mut Draws) {
    let hash = world.state_hash();
    let accounts = world.water().ledger().accounts().len();
    for action in draws.actions() {
        let said = format!("{kind:?} at {:?}: {action:?}", world.time());
        let done = match world.edits().act(action.clone()) {
            Ok(done) => done,
            Err(reason) => {
                is_refused_rightly(kind, &action, &reason);
                assert_eq!(world.state_hash(), hash, "refused: {said}");
                continue;
            }
        };
        let after = world.state_hash();
        // Looking is no change.
        world.bring_maps_up_to_date();
        let redo = world.edits().undo(done.undo).expect("just done").undo;
        assert_eq!(world.state_hash(), hash, "undone: {said}");
        assert_eq!(world.water().ledger().accounts().len(), accounts, "{said}");
        let undo = world.edits().undo(redo).expect("just undone").undo;
        assert_eq!(world.state_hash(), after, "done again: {said}");
        world.edits().undo(undo).expect("just done");
        assert_eq!(world.state_hash(), hash, "undone again: {said}");
    }
    let mut undos: Vec<(u64, Action, Undo)> = Vec::new();
    for action in draws.actions() {
        let before = world.state_hash();
        match world.edits().act(action.clone()) {
            Ok(done) => undos.push((before, action, done.undo)),
            Err(_) => assert_eq!(world.state_hash(), before, "refused: {kind:?}: {action:?}"),
        }
    }
    assert!(undos.len() > 10);
    for (before, action, undo) in undos.into_iter().rev() {
        world.edits().undo(undo).expect("in reverse order");
        assert_eq!(world.state_hash(), before, "{kind:?}, in reverse order: {action:?}");
    }
    assert_eq!(world.state_hash(), hash);
}

/// Goal: at the start, on the way, and when plans have come to rest; as built and from its file;
/// what is undone goes on, and is saved, as if it had never been done.
#[test]
fn every_action_in_every_world_undone_at_once_leaves_the_hash() {
    let rounds = if crate::QUICK { 1 } else { 2 };
    for seed in 0..rounds {
        for (kind, solver) in KINDS.into_iter().zip([Solver::ShallowWater, Solver::Pipe].repeat(4))
        {
            let mut draws = Draws(1000 * seed);
            let (mut world, file) = world(kind, solver, &mut draws);
            let mut file = file.unwrap_or_else(|| in_memory(&world));
            let moments = if crate::QUICK { &[1, 20][..] } else { &[0, 1, 2, 20] };
            for &cycles in moments {
                (0..cycles).for_each(|_| cycle(&mut world));
                let mut twin = reopened(kind, &world, &mut file);
                if cycles > 1 || !crate::QUICK {
                    check_all(kind, &mut twin, &mut draws);
                }
                let mut opened = reopened(kind, &twin, &mut file);
                if cycles == 1 || !crate::QUICK {
                    check_all(kind, &mut world, &mut draws);
                }
                for _ in 0..3 {
                    [&mut world, &mut twin, &mut opened].into_iter().for_each(cycle);
                    assert_eq!(world.state_hash(), twin.state_hash(), "{kind:?}, seed {seed}");
                    assert_eq!(world.state_hash(), opened.state_hash(), "{kind:?}, seed {seed}");
                }
            }
        }
    }
}

/// Goal: an undo takes back the requests of the action to the plans, and no later ones.
#[test]
fn an_undo_keeps_what_others_asked_for() {
    for kind in KINDS.into_iter().filter(|kind| kind.is_adaptive()) {
        let mut draws = Draws(7);
        let (mut world, file) = world(kind, Solver::ShallowWater, &mut draws);
        let mut file = file.unwrap_or_else(|| in_memory(&world));
        (0..20).for_each(|_| cycle(&mut world));
        let mut plain = reopened(kind, &world, &mut file);
        let still = plain.state_hash();
        *plain.criteria_mut().expect("adaptive") = observer([400.0, 60.0], &world.extent());
        let moved = plain.state_hash();
        assert_ne!(moved, still, "its plans follow at once");
        let undo =
            world.edits().act(Action::PutBarrier(draws.barrier("new wall"))).expect("good").undo;
        *world.criteria_mut().expect("adaptive") = observer([400.0, 60.0], &plain.extent());
        world.edits().undo(undo).expect("good");
        assert_eq!(world.state_hash(), moved, "{kind:?}");
        for _ in 0..6 {
            cycle(&mut world);
            cycle(&mut plain);
            assert_eq!(world.state_hash(), plain.state_hash(), "{kind:?}");
        }
    }
}

/// Goal: the same among crates that stand in the water.
#[test]
fn actions_among_crates_undone_at_once_leave_the_hash() {
    for kind in [Kind::OneLevel, Kind::Adaptive] {
        let mut draws = Draws(99);
        let (mut world, _) = world(kind, Solver::ShallowWater, &mut draws);
        let crates = || {
            let at = |id| [120.0 + 7.0 * id as f64, 128.0 + 5.0 * id as f64, 0.6];
            (0..9).map(|id| held(id, [5.0, 3.0, 2.0], at(id))).collect()
        };
        world.structures_mut().put_bodies(crates()).expect("good");
        for cycles in [0, 1, 20] {
            (0..cycles).for_each(|_| cycle(&mut world));
            check_all(kind, &mut world, &mut draws);
            world.structures_mut().put_bodies(crates()).expect("good");
            check_all(kind, &mut world, &mut draws);
        }
    }
}
