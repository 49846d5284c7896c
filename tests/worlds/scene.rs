//! A world of some kind with its file, and what has been seen of it so far.

use crate::feature::Feature;
use crate::kind::{Kind, Source};
use crate::valley::{flooded, terrain};
use thalweg::Error;
use thalweg::check::violations;
use thalweg::criteria::{Criterion, Observer, ObserverOptions, Scale};
use thalweg::units::SimTime;
use thalweg::world::{Account, SaveFile, StreamOptions, World, WorldBuilder, WorldError};
use thalweg_engine::grid::TILE_CELLS;
use thalweg_engine::store::Store;
use thalweg_engine::store::backend::memory::Memory;
use thalweg_engine::store::terrain::write_terrain;
use thalweg_engine::units::hash::StateHasher;

/// Cycles before a world is saved and opened, or goes on in memory.
const BEFORE: u32 = 2;

/// Observers jump each so many cycles, to the east by so much and back, m: to other leaves of the
/// coarsest level but one.
const JUMP_CYCLES: u32 = 4;
const JUMP_M: f64 = 240.0;

/// A world of some kind.
pub struct Scene {
    pub kind: Kind,
    pub world: World,
    /// Where observers began, m.
    observers: Vec<[f64; 2]>,
    jumps: bool,
    file: Option<SaveFile>,
    /// The least budget that the world may have, where it is streamed.
    pub stream: Option<StreamOptions>,
    cycles: u32,
    /// Cycles that ended with other leaves.
    changes: u32,
    /// Hashes, one after the other: equal for all sources of one kind of leaves and columns.
    trail: Vec<u64>,
}

/// An empty file in memory.
fn empty() -> Store {
    Store::create_on(Box::new(Memory::default())).expect("in memory")
}

/// The least budget that a world may have.
fn least(
    build: impl Fn(Option<StreamOptions>) -> Result<World, Error>,
) -> Result<StreamOptions, Error> {
    match build(Some(StreamOptions { budget_bytes: 1 })) {
        Ok(_) => panic!("a world in a byte"),
        Err(Error::World(error)) => match *error {
            WorldError::Bytes { minimum, .. } => Ok(StreamOptions { budget_bytes: minimum }),
            other => Err(other.into()),
        },
        Err(error) => Err(error),
    }
}

/// Observers at these places.
pub fn criteria(places_m: &[[f64; 2]], world: &Scale) -> Vec<Box<dyn Criterion>> {
    let of = |&position_m: &[f64; 2]| -> Box<dyn Criterion> {
        let options = ObserverOptions {
            position_m,
            velocity_m_s: [0.0; 2],
            look_ahead_s: 0.0,
            radii_m: vec![(0, 40.0), (1, 90.0)],
            priority: 1.0,
        };
        Box::new(Observer::try_new(&options, world).expect("a good observer"))
    };
    places_m.iter().map(of).collect()
}

impl Scene {
    /// A world for a feature that has run for two cycles, and was saved and opened then where it is
    /// of such a kind.
    pub fn begin(kind: Kind, feature: &Feature) -> Result<Self, Error> {
        let file = kind.is_streamed().then(|| {
            let mut store = empty();
            write_terrain(&terrain(), &mut store).expect("in memory");
            store.commit().expect("in memory");
            SaveFile::of(store)
        });
        let build = |stream: Option<StreamOptions>| -> Result<World, Error> {
            let builder = match (&file, stream) {
                (Some(file), Some(stream)) => file.builder(stream)?,
                _ => WorldBuilder::new(terrain()),
            };
            Ok((feature.set_up)(kind.of(flooded(builder)))?.build()?)
        };
        let stream = match &file {
            Some(_) => Some(least(build)?),
            None => None,
        };
        let world = build(stream)?;
        let observers = vec![[60.0, 120.0]];
        let mut scene = Self {
            kind,
            world,
            observers,
            jumps: true,
            file,
            stream,
            cycles: 0,
            changes: 0,
            trail: Vec::new(),
        };
        scene.look();
        (0..BEFORE).for_each(|_| scene.cycle());
        if kind.source != Source::InMemory {
            scene.world = scene.reopened()?;
        }
        Ok(scene)
    }

    /// Where observers are now, m.
    pub fn observers(&self) -> Vec<[f64; 2]> {
        let is_away = self.jumps && (self.cycles / JUMP_CYCLES) % 2 == 1;
        let jump_m = if is_away { JUMP_M } else { 0.0 };
        self.observers.iter().map(|[x, y]| [x + jump_m, *y]).collect()
    }

    /// Puts other observers in the place of those there are; they jump as those do.
    pub fn watch_from(&mut self, observers: Vec<[f64; 2]>) {
        self.observers = observers;
        self.look();
    }

    /// Observers jump no more.
    pub fn stay(&mut self) {
        self.jumps = false;
    }

    /// The criteria of the observers, where leaves change.
    pub fn criteria(&self) -> Vec<Box<dyn Criterion>> {
        match self.kind.is_adaptive() {
            true => criteria(&self.observers(), &self.world.extent()),
            false => Vec::new(),
        }
    }

    fn look(&mut self) {
        let new = self.criteria();
        if let Some(criteria) = self.world.criteria_mut() {
            *criteria = new;
        }
    }

    /// Runs a cycle.
    pub fn cycle(&mut self) {
        self.cycle_with(|world| _ = world.run_cycle(SimTime::MAX));
    }

    pub fn cycles(&mut self, count: u32) {
        (0..count).for_each(|_| self.cycle());
    }

    /// Runs a cycle in some way. Not a unit of water may be missing then.
    pub fn cycle_with<T>(&mut self, run: impl FnOnce(&mut World) -> T) -> T {
        let before = self.world.simulation().forest().leaves().to_vec();
        let done = run(&mut self.world);
        self.changes += u32::from(self.world.simulation().forest().leaves() != before);
        assert_eq!(self.world.water().stored(), self.world.water().ledger().expected());
        self.note(self.world.state_hash());
        self.cycles += 1;
        if self.cycles.is_multiple_of(JUMP_CYCLES) {
            self.look();
        }
        done
    }

    /// Notes a number that must be the same wherever such a world comes from.
    pub fn note(&mut self, number: u64) {
        self.trail.push(number);
    }

    /// Notes numbers.
    pub fn note_all(&mut self, numbers: impl IntoIterator<Item = f64>) {
        let mut hash = StateHasher::new();
        numbers.into_iter().for_each(|number| hash.add(number.to_bits()));
        self.note(hash.finish());
    }

    /// The file of the world, which has it as it is now.
    pub fn saved(&mut self) -> Result<&mut SaveFile, Error> {
        let file = self.file.get_or_insert_with(|| SaveFile::of(empty()));
        file.save(&self.world)?;
        Ok(file)
    }

    /// Lends the file, which has the world as it is now; it must come back.
    pub fn with_file<T>(
        &mut self,
        act: impl FnOnce(&mut Self, SaveFile) -> Result<(SaveFile, T), Error>,
    ) -> Result<T, Error> {
        self.saved()?;
        let file = self.file.take().expect("it was saved there");
        let (file, done) = act(self, file)?;
        self.file = Some(file);
        Ok(done)
    }

    /// The world as its file has it, opened as worlds of the kind are.
    pub fn reopened(&mut self) -> Result<World, Error> {
        let (stream, criteria) = (self.stream, self.criteria());
        opened(self.saved()?, stream, criteria)
    }

    /// Checks what must hold in the end, whatever was done: no invariant is violated, a save has it
    /// all, and both go on as one.
    pub fn end(mut self) -> Result<Vec<u64>, Error> {
        let found = violations(&self.world);
        assert!(found.is_empty(), "{found:#?}");
        let counters = self.world.stream().counters();
        assert_eq!(counters.is_some(), self.kind.is_streamed());
        if let Some(counters) = counters {
            assert!(counters.resident_bytes <= counters.most_bytes, "{counters:?}");
            assert!(self.world.stream().error().is_none());
        }
        assert_eq!(self.changes > 0, self.kind.is_adaptive(), "changes of leaves");
        let hash = self.world.state_hash();
        let mut copy = self.reopened()?;
        assert_eq!(self.world.state_hash(), hash, "a save changes nothing");
        assert_eq!(copy.state_hash(), hash, "saved and opened");
        copy.run_cycle(SimTime::MAX);
        self.world.run_cycle(SimTime::MAX);
        assert_eq!(copy.state_hash(), self.world.state_hash(), "saved, opened, and a cycle on");
        self.note(copy.state_hash());
        Ok(self.trail)
    }

    /// An account of the ledger.
    pub fn account(&self, name: &str) -> Account {
        let accounts = self.world.water().ledger().accounts();
        accounts.iter().find(|account| account.name == name).expect("an account").clone()
    }

    /// Volumes that an account moved in and out, m³.
    pub fn moved_m3(&self, name: &str) -> [f64; 2] {
        let Account { into, out, .. } = self.account(name);
        [into, out].map(|units| units as f64 * self.world.water().unit_m3())
    }
}

/// Opens the last commit of a file.
pub fn opened(
    file: &mut SaveFile,
    stream: Option<StreamOptions>,
    criteria: Vec<Box<dyn Criterion>>,
) -> Result<World, Error> {
    Ok(match stream {
        Some(stream) => file.stream(criteria, stream)?,
        None => file.load(criteria)?,
    })
}

/// All depths, leaf by leaf.
pub fn depths(world: &World) -> Vec<i32> {
    let simulation = world.simulation();
    let leaves = simulation.forest().ids();
    let mut depths = Vec::with_capacity(leaves.len() * TILE_CELLS);
    leaves.for_each(|leaf| depths.extend_from_slice(&simulation.water(leaf).depth));
    depths
}
