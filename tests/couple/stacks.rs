//! Stacked columns: rest, exactness, and that their water is state as all water is.

use crate::support::{check_books, from_disk, on_threads};
use thalweg::terrain::Terrain;
use thalweg::world::{
    Action, AdaptiveOptions, Amount, CellPlace, ColumnKind, FixedStep, Voids, World, WorldBuilder,
};
use thalweg_engine::sim::{Settings, Solver};
use thalweg_engine::units::hash::scramble;

/// Random numbers that a seed decides.
pub struct Random(pub u64);

impl Random {
    /// A number from 0 to below `count`.
    pub fn below(&mut self, count: u64) -> u64 {
        self.0 = self.0.wrapping_add(1);
        scramble(self.0) % count
    }
}

/// Columns of a square of cells: ground, and the intervals below it, m.
#[derive(Clone)]
pub struct Caves {
    pub size: u32,
    pub ground_m: Vec<f64>,
    pub spans_m: Vec<Vec<[f64; 2]>>,
}

impl Caves {
    /// Up to `most` intervals in each cell, at random heights from 0 to 8 m; in about a third of
    /// the cells the ground is that of an open pit.
    pub fn random(size: u32, most: u64, seed: u64) -> Self {
        let mut random = Random(seed.wrapping_mul(1 << 32));
        let (mut ground_m, mut spans_m) = (Vec::new(), Vec::new());
        for _ in 0..size * size {
            let count = 1 + random.below(most);
            let mut z: Vec<u64> = (0..2 * count).map(|_| 1 + random.below(8191)).collect();
            z.sort_unstable();
            z.dedup();
            let mut spans: Vec<[f64; 2]> = z
                .chunks_exact(2)
                .map(|pair| [pair[0], pair[1]].map(|z| z as f64 / 1024.0))
                .collect();
            let is_open = random.below(10) < 3;
            let pit = spans.pop_if(|_| is_open);
            ground_m.push(pit.map_or(9.0, |[bed, _]| bed));
            spans_m.push(spans);
        }
        Self { size, ground_m, spans_m }
    }

    fn at(&self, place: CellPlace) -> usize {
        (place.y * self.size + place.x) as usize
    }

    /// Which nodes hang together: a number for the open water and for each interval of each cell.
    pub fn parts(&self) -> Vec<Vec<usize>> {
        let mut spans = self.spans_m.clone();
        for (own, &ground_m) in spans.iter_mut().zip(&self.ground_m) {
            own.push([ground_m, 1.0e9]);
        }
        let mut first = vec![0];
        for own in &spans {
            first.push(first[first.len() - 1] + own.len());
        }
        let mut parent: Vec<usize> = (0..first[spans.len()]).collect();
        fn root(parent: &[usize], mut at: usize) -> usize {
            while parent[at] != at {
                at = parent[at];
            }
            at
        }
        let size = self.size as usize;
        for cell in 0..spans.len() {
            let beside = [(cell % size > 0).then(|| cell - 1), cell.checked_sub(size)];
            for other in beside.into_iter().flatten() {
                for (i, a) in spans[cell].iter().enumerate() {
                    for (j, b) in spans[other].iter().enumerate() {
                        if a[0].max(b[0]) < a[1].min(b[1]) {
                            let [a, b] =
                                [first[cell] + i, first[other] + j].map(|n| root(&parent, n));
                            parent[a.max(b)] = a.min(b);
                        }
                    }
                }
            }
        }
        let of = |cell: usize| (first[cell]..first[cell + 1]).map(|n| root(&parent, n)).collect();
        (0..spans.len()).map(of).collect()
    }

    pub fn voids(&self) -> Voids {
        let mut voids = Voids::new();
        for y in 0..self.size {
            for x in 0..self.size {
                let place = CellPlace { x, y };
                for &span_m in &self.spans_m[self.at(place)] {
                    voids.interval(place, span_m);
                }
            }
        }
        voids
    }

    /// A world of these columns, with the stage, m, of each part of the water.
    pub fn world(
        &self,
        stage_m: impl Fn(usize) -> f64 + Clone + Send + Sync + 'static,
    ) -> WorldBuilder {
        let size = self.size as usize;
        let terrain = Terrain::from_heights([size; 2], 1.0, |x, y| self.ground_m[y * size + x]);
        let (caves, parts, of) = (self.clone(), self.parts(), stage_m.clone());
        let (caves_too, parts_too) = (caves.clone(), parts.clone());
        WorldBuilder::new(terrain.expect("good heights"))
            .voids(self.voids())
            .initial_stage(move |at| of(*parts[caves.at(at)].last().expect("open water")))
            .initial_stage_below(move |at, [bed_m, _]| {
                let own = &caves_too.spans_m[caves_too.at(at)];
                // Heights are whole units: the bed that is nearest.
                let off = |span: &[f64; 2]| (span[0] - bed_m).abs();
                let nearest = (0..own.len()).min_by(|&a, &b| off(&own[a]).total_cmp(&off(&own[b])));
                stage_m(parts_too[caves_too.at(at)][nearest.expect("an interval of the cell")])
            })
    }
}

/// Depths of all intervals and of all open water, m.
pub fn depths(world: &World) -> Vec<u64> {
    let (width, height) = world.size();
    let mut all = Vec::new();
    for place in (0..width * height).map(|at| CellPlace {
        x: u32::try_from(at % width).expect("small"),
        y: u32::try_from(at / width).expect("small"),
    }) {
        all.push(world.water().depth_m(place).unwrap_or(-1.0).to_bits());
        all.extend(world.stacks().intervals_at(place).iter().map(|own| own.depth_m.to_bits()));
    }
    all
}

/// A stage of its own for each part of the water, some of them dry.
fn stages(seed: u64) -> impl Fn(usize) -> f64 + Clone + Send + Sync + 'static {
    move |part| {
        let draw = scramble(seed ^ (part as u64) << 20) % 10_240;
        draw as f64 / 1024.0
    }
}

/// Never asleep.
pub fn awake(solver: Solver) -> Settings {
    Settings { sleep_after_cycles: u32::MAX, solver, ..Settings::default() }
}

pub fn step() -> FixedStep {
    FixedStep::try_new(1, 40).expect("a good step")
}

/// Goal: lakes at rest stay at rest, to the unit, whatever they fill. Method: random stacks, a
/// stage for each part that hangs together; never asleep; 10,000 steps at full size.
#[test]
fn lakes_in_random_stacks_stay_at_rest() {
    let cycles = if crate::QUICK { 40 } else { 2_500 };
    for (seed, solver) in
        [(1, Solver::Pipe), (2, Solver::ShallowWater), (3, Solver::Pipe), (4, Solver::ShallowWater)]
    {
        let caves = Caves::random(16, 4, seed);
        let mut world = caves.world(stages(seed)).settings(awake(solver)).build().expect("good");
        let before = depths(&world);
        let full = before.len();
        for cycle in 0..cycles {
            world.run_cycle(step());
            let now = depths(&world);
            let moved = now.iter().zip(&before).filter(|(a, b)| a != b).count();
            assert_eq!(moved, 0, "seed {seed}, cycle {cycle}: {moved} of {full} moved");
        }
        check_books(&world);
    }
}

/// A world whose water moves: a stage for each cell of its own.
fn moving(seed: u64, kind: ColumnKind) -> WorldBuilder {
    let caves = Caves::random(16, 4, seed);
    let spread = move |place: CellPlace| {
        (scramble(seed ^ u64::from(place.y * 64 + place.x)) % 9000) as f64 / 1000.0
    };
    caves
        .world(|_| f64::NAN)
        .columns(kind)
        .initial_stage(spread)
        .initial_stage_below(move |place, _| spread(place))
        .tracer("dye", move |place| if place.x < 8 { 1.0 } else { 0.25 })
}

/// Goal: the water of stacks is state as all water is: the same on 1, 2 and 7 threads, saved and
/// opened in between, and after acts that are undone. Method: hashes.
#[test]
fn their_water_is_state() {
    let cycles = if crate::QUICK { 24 } else { 400 };
    for (seed, kind, solver) in [
        (5, ColumnKind::Flat, Solver::Pipe),
        (6, ColumnKind::SubGrid, Solver::ShallowWater),
        (7, ColumnKind::Flat, Solver::ShallowWater),
    ] {
        let mut hashes = Vec::new();
        for threads in [1, 2, 7] {
            hashes.push(on_threads(threads, || {
                let mut world = moving(seed, kind).settings(awake(solver)).build().expect("good");
                for cycle in 0..cycles {
                    world.run_cycle(step());
                    if threads == 2 && cycle % 7 == 3 {
                        let opened = from_disk("stacks", &world);
                        assert_eq!(opened.state_hash(), world.state_hash(), "cycle {cycle}");
                        world = opened;
                    }
                    if threads == 7 && cycle % 5 == 2 {
                        act_and_undo(&mut world);
                    }
                }
                check_books(&world);
                world.state_hash()
            }));
        }
        assert_eq!(hashes[0], hashes[1], "seed {seed}: saved and opened, on two threads");
        assert_eq!(hashes[0], hashes[2], "seed {seed}: with acts undone, on seven threads");
    }
}

/// Digs, fills and pours, and takes all back.
fn act_and_undo(world: &mut World) {
    let before = world.state_hash();
    let area = |x: f64, y: f64| thalweg::terrain::Shape::rectangle([x, y], [x + 4.0, y + 3.0]);
    let acts = [
        Action::CarveBelow { area: area(2.0, 3.0), span_m: [0.25, 0.75] },
        Action::FillBelow { area: area(6.0, 4.0), span_m: [2.0, 5.0] },
        Action::AddWater { area: area(3.0, 9.0), amount: Amount::DepthM(0.5) },
    ];
    for act in acts {
        let name = format!("{act:?}");
        match world.edits().act(act) {
            Ok(done) => drop(world.edits().undo(done.undo).expect("undone")),
            Err(error) => assert!(
                error.to_string().contains("below the ground")
                    || error.to_string().contains("above the ground"),
                "{name}: {error}"
            ),
        }
        assert_eq!(world.state_hash(), before, "{name}");
    }
}

/// Goal: where leaves change, those with intervals stay, and their water is what it would be.
/// Method: a tunnel below a hill in a world of three levels that would rather be coarse.
#[test]
fn leaves_with_intervals_stay_on_their_level() {
    let terrain =
        Terrain::from_heights(
            [512, 512],
            1.0,
            |x, _| if (200..260).contains(&x) { 9.0 } else { 0.0 },
        );
    let mut voids = Voids::new();
    voids.carve(CellPlace { x: 200, y: 40 }, CellPlace { x: 260, y: 42 }, [0.0, 1.0]);
    let options = AdaptiveOptions { coarsest: 2, budget_cells: 4096 * 64, ..Default::default() };
    let mut world = WorldBuilder::new(terrain.expect("good"))
        .adaptive(options)
        .columns(ColumnKind::Flat)
        .voids(voids)
        .initial_stage(|place| if place.x < 200 { 3.0 } else { 0.5 })
        .build()
        .expect("a good world");
    let levels = |world: &World| {
        let mut levels: Vec<u8> =
            world.simulation().forest().leaves().iter().map(|key| key.level).collect();
        levels.sort_unstable();
        levels.dedup();
        levels
    };
    assert_eq!(levels(&world), [0, 1, 2]);
    for cycle in 0..200 {
        world.run_cycle(FixedStep::try_new(1, 10).expect("a step"));
        if cycle == 120 {
            world = from_disk("stacks_levels", &world);
        }
    }
    assert_eq!(world.stacks().count(), 120);
    let middle = world.stacks().intervals_at(CellPlace { x: 230, y: 40 })[0];
    assert!(middle.depth_m > 0.6 && middle.flow_m2_s[0] > 1.0, "{middle:?}");
    check_books(&world);
    assert!(levels(&world).contains(&2));
}
