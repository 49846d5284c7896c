//! Small worlds of every kind, drawn.

use crate::draws::Draws;
use crate::support::{terrain_in_memory, terrain_of};
use crate::things::{Map, Whim, name};
use thalweg::criteria::Criterion;
use thalweg::terrain::{Terrain, TerrainOptions};
use thalweg::units::VerticalScale;
use thalweg::world::{
    AdaptiveOptions, ColumnKind, EdgeKind, EdgePlace, MapKinds, SaveFile, StreamOptions, World,
    WorldBuilder,
};
use thalweg_engine::flow::terms::{Terms, Viscosity};
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::grid::{Side, TileKey};
use thalweg_engine::sim::{Fluid, Order, Settings, Solver, StepsOf, StillWaterDamping};
use thalweg_engine::structure::weather::Direction;
use thalweg_engine::units::hash::scramble;

/// Which kind of world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    OneLevel,
    Mixed,
    Adaptive,
    SubGrid,
    AdaptiveSubGrid,
    Streamed,
}

impl Kind {
    pub const ALL: [Self; 6] = [
        Self::OneLevel,
        Self::Mixed,
        Self::Adaptive,
        Self::SubGrid,
        Self::AdaptiveSubGrid,
        Self::Streamed,
    ];

    pub fn is_adaptive(self) -> bool {
        matches!(self, Self::Adaptive | Self::AdaptiveSubGrid | Self::Streamed)
    }

    fn is_sub_grid(self) -> bool {
        matches!(self, Self::SubGrid | Self::AdaptiveSubGrid)
    }
}

/// A world, what it was drawn with, and its file where its beds stay there.
pub struct Drawn {
    pub kind: Kind,
    pub world: World,
    pub map: Map,
    pub whim: Whim,
    pub file: Option<SaveFile>,
}

impl Drawn {
    /// The criteria that the world has.
    pub fn criteria(&self) -> Vec<Box<dyn Criterion>> {
        criteria(self.kind, self.whim)
    }
}

fn criteria(kind: Kind, whim: Whim) -> Vec<Box<dyn Criterion>> {
    if kind.is_adaptive() { vec![Box::new(whim)] } else { Vec::new() }
}

/// A number from 0 to 1 for a place.
fn noise(seed: u64, x: u32, y: u32) -> f64 {
    (scramble(seed ^ scramble(u64::from(x) << 32 | u64::from(y))) >> 11) as f64 / 9.007e15
}

/// Slopes, a trough, and noise, with holes or none.
fn ground(kind: Kind, draws: &mut Draws) -> (Terrain, Map) {
    let sizes: [usize; 2] = match kind {
        Kind::OneLevel => [draws.count(2, 90), draws.count(2, 70)],
        Kind::SubGrid => [draws.count(60, 140), draws.count(40, 130)],
        _ => [128, if draws.once_in(2) { 128 } else { 64 }],
    };
    let cell_m = *draws.pick(&[0.25, 1.0, 2.0, 10.0, 300.0]);
    let (k, datum_m) = (18 + draws.byte(7), *draws.pick(&[0.0, 100.0, -3.5]));
    let most_m = f64::from(1 << 30) / f64::from(1_u32 << k) - 2.0;
    let height_m = draws.between(0.01, 1.0).powi(2) * most_m.min(0.2 * cell_m * sizes[0] as f64);
    // Where leaves change, coarse ones need ground all over.
    let has_holes = matches!(kind, Kind::OneLevel | Kind::SubGrid) && draws.once_in(3);
    let (seed, trough) = (draws.seed(), draws.part());
    let scale = VerticalScale::try_new(k, datum_m).expect("a good scale");
    let bed_exponent = *draws.pick(&[0, 4, 10, 17, 20, 24]);
    let [width, height] = sizes;
    let options = TerrainOptions { width, height, cell_width_m: cell_m, scale, bed_exponent };
    let terrain = terrain_of(options, |x, y| {
        let (u, v) = (x as f64 / width as f64, y as f64 / height as f64);
        let [column, from_south] = [x, y].map(|at| u32::try_from(at).expect("few cells"));
        let place = |shift: u32| noise(seed, column >> shift, from_south >> shift);
        let bed = (u - trough).abs() + 0.3 * v + 0.3 * place(3) + 0.05 * place(0) - 0.8;
        if has_holes && place(2) < 0.04 && x > 0 { f64::NAN } else { datum_m + height_m * bed }
    });
    let size_m = [width as f64 * cell_m, height as f64 * cell_m];
    let (low_m, high_m) = (datum_m - 0.8 * height_m, datum_m + 0.9 * height_m);
    (terrain, Map { size_m, cell_m, low_m, high_m })
}

pub fn settings(draws: &mut Draws) -> Settings {
    let viscosity = match draws.below(3) {
        0 => Viscosity::Off,
        1 => Viscosity::Constant(draws.between(0.0, 3.0)),
        _ => Viscosity::Smagorinsky(draws.part()),
    };
    let wind_m_s = [draws.between(-40.0, 40.0), draws.between(-40.0, 40.0)];
    let terms = Terms { viscosity, wind_m_s, coriolis_per_s: draws.between(-0.01, 0.01) };
    Settings {
        solver: *draws.pick(&[Solver::Pipe, Solver::ShallowWater]),
        order: *draws.pick(&[Order::First, Order::Second]),
        terms: if draws.once_in(2) { terms } else { Terms::NONE },
        gravity: if draws.once_in(8) { draws.between(0.01, 1000.0) } else { 9.81 },
        manning_n: vec![draws.between(0.0, 0.1)],
        seed: draws.seed(),
        damping: *draws.pick(&[StillWaterDamping::On, StillWaterDamping::Off]),
        sleep_after_cycles: 1 + draws.below(4),
        sleep_tolerance: None,
        substeps_log2: draws.byte(3),
        steps: *draws.pick(&[StepsOf::Level, StepsOf::Leaf]),
        fluid: Fluid::WATER,
    }
}

/// Edges, rain, what the ground takes, tracers and inflows.
fn forced(mut builder: WorldBuilder, map: &Map, kind: Kind, draws: &mut Draws) -> WorldBuilder {
    for _ in 0..draws.below(3) {
        let side = *draws.pick(&Side::ALL);
        let first = draws.below(60);
        let place = match draws.below(4) {
            0 => EdgePlace::All,
            1 => EdgePlace::Side(side),
            2 => EdgePlace::Part(side, first..first + draws.below(40)),
            _ => EdgePlace::NoData,
        };
        let edge = match draws.below(3) {
            0 => EdgeKind::Wall,
            1 => EdgeKind::Open,
            _ => EdgeKind::Stage(vec![
                (0.0, draws.between(map.low_m, map.high_m)),
                (40.0, draws.between(map.low_m, map.high_m)),
            ]),
        };
        builder = builder.edge(&name(draws), place, edge);
    }
    for _ in 0..draws.below(3) {
        let direction = *draws.pick(&[Direction::Into, Direction::Out, Direction::Ground]);
        let mut rates = || vec![(0.0, draws.between(0.0, 1.0e-4)), (draws.between(5.0, 90.0), 0.0)];
        let (rates, seed) = ([rates(), rates()], draws.seed());
        let has_classes = kind != Kind::Streamed && draws.once_in(2);
        let class = move |p: CellPlace| u16::from(noise(seed, p.x / 5, p.y / 3) < 0.5);
        let name = name(draws);
        let layer = match has_classes {
            true => builder.layer_classes(&name, direction, &rates, class),
            false => builder.layer(&name, direction, &rates[0]),
        };
        builder = layer.expect("good rates");
    }
    if draws.once_in(4) {
        builder = builder.green_ampt(draws.between(0.0, 1.0e-4), draws.part()).expect("good");
    }
    for tracer in ["dye", "silt"] {
        if draws.once_in(2) {
            let seed = draws.seed();
            builder = builder.tracer(tracer, move |p| noise(seed, p.x / 9, p.y / 9));
        }
    }
    if kind != Kind::Streamed && draws.once_in(4) {
        let seed = draws.seed();
        let class = move |p: CellPlace| u8::from(noise(seed, p.x / 4, p.y / 4) < 0.5);
        builder = builder.manning_classes(vec![0.02, 0.1], class);
    }
    builder
}

/// The water to begin with.
fn filled(builder: WorldBuilder, map: &Map, draws: &mut Draws) -> WorldBuilder {
    let (seed, wet) = (draws.seed(), draws.part());
    let stage_m = draws.between(map.low_m, map.high_m);
    let deep_m = 0.2 * draws.part() * (map.high_m - map.low_m);
    let speed = draws.between(0.0, 3.0);
    let patch = move |p: CellPlace, salt: u64| noise(seed ^ salt, p.x / 11, p.y / 7);
    let lake = move |p: CellPlace| if patch(p, 1) < wet { stage_m } else { f64::NAN };
    let film = move |p: CellPlace| if patch(p, 2) < wet { deep_m * patch(p, 3) } else { f64::NAN };
    let flow = move |p: CellPlace| (speed * (2.0 * patch(p, 4) - 1.0), speed * patch(p, 5));
    let builder = if draws.once_in(3) { builder } else { builder.initial_stage(lake) };
    let builder = if draws.once_in(2) { builder } else { builder.initial_depth(film) };
    if draws.once_in(2) { builder } else { builder.initial_velocity(flow) }
}

fn built(mut builder: WorldBuilder, map: &Map, draws: &mut Draws) -> WorldBuilder {
    if draws.once_in(3) {
        builder = builder.barrier(map.barrier(draws));
    }
    if draws.once_in(3) {
        builder = builder.link(map.link(draws));
    }
    builder
}

/// The leaves of a world with leaves of two levels.
fn mixed(map: &Map) -> Vec<TileKey> {
    let key = |level, x, y| TileKey { level, x, y };
    match map.size_m[1] < map.size_m[0] {
        true => vec![key(0, 0, 0), key(0, 1, 0)],
        false => vec![key(1, 0, 0)],
    }
}

pub const STREAM: StreamOptions = StreamOptions { budget_bytes: 1 << 30 };

/// Kinds of flood maps from a seed, all or none of them once in a while.
pub fn drawn_maps(seed: u64) -> MapKinds {
    let bits = scramble(seed);
    match bits >> 8 & 7 {
        0 => return MapKinds::ALL,
        1 => return MapKinds::NONE,
        _ => {}
    }
    let kinds = MapKinds::EACH.into_iter().enumerate().filter(|(bit, _)| bits >> bit & 1 == 1);
    kinds.map(|(_, kind)| kind).collect()
}

/// A world of some kind, or why it cannot be.
pub fn world(kind: Kind, draws: &mut Draws) -> Result<Drawn, String> {
    world_with(kind, None, (draws, Beds::Held))
}

/// Where the beds of a world are that can be streamed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beds {
    InMemory,
    Held,
}

/// A builder on a terrain, and the file of one whose beds stay there.
pub fn builder(kind: Kind, terrain: Terrain, beds: Beds) -> (WorldBuilder, Option<SaveFile>) {
    if kind != Kind::Streamed || beds == Beds::InMemory {
        return (WorldBuilder::new(terrain), None);
    }
    let file = terrain_in_memory(&terrain);
    (file.builder(STREAM).expect("it holds a terrain"), Some(file))
}

/// A world of some kind that keeps these flood maps, or drawn ones; the same one, wherever its beds
/// are.
pub fn world_with(
    kind: Kind,
    maps: Option<MapKinds>,
    (draws, beds): (&mut Draws, Beds),
) -> Result<Drawn, String> {
    let (terrain, map) = ground(kind, draws);
    let whim = Whim(draws.seed());
    let (mut builder, file) = builder(kind, terrain, beds);
    builder = builder.settings(settings(draws)).wet_depth_m(draws.between(0.001, 0.2));
    builder = builder.maps(maps.unwrap_or(drawn_maps(whim.0)));
    if kind.is_sub_grid() {
        let level = if kind == Kind::SubGrid { 1 + draws.byte(2) } else { 0 };
        builder = builder.columns(ColumnKind::SubGrid).level(level);
    } else if kind == Kind::Streamed && whim.0.is_multiple_of(2) {
        builder = builder.columns(ColumnKind::SubGrid);
    } else {
        builder = builder.columns(ColumnKind::Flat);
    }
    if kind == Kind::Mixed {
        builder = builder.leaves(mixed(&map));
    }
    if kind.is_adaptive() {
        builder = builder.adaptive(AdaptiveOptions {
            coarsest: 1 + draws.byte(2),
            budget_cells: if draws.once_in(3) { 5 << 12 } else { 1 << 20 },
            interval_cycles: draws.below(4),
            min_age_cycles: draws.below(4),
            ahead_cycles: draws.below(3),
            leaves_a_cycle: 1 + draws.below(9),
            criteria: criteria(kind, whim),
        });
    }
    builder = built(filled(forced(builder, &map, kind, draws), &map, draws), &map, draws);
    let world = builder.build().map_err(|error| error.to_string())?;
    Ok(Drawn { kind, world, map, whim, file })
}
