//! Water that comes into a world and goes: rain, infiltration, inflows, edges, tracers, classes.

use crate::feature::{Feature, as_it_is};
use crate::put::drain;
use crate::scene::{Scene, depths};
use crate::valley::{BANK_M, CELL_M, RIVER_M, SIZE, UNITS_PER_M, cell_at, disc};
use thalweg::Error;
use thalweg::terrain::Shape;
use thalweg::units::{SimTime, Volume};
use thalweg::world::{
    Action, CellPlace, Direction, Discharge, EdgeKind, EdgePlace, Entry, Inflow, InflowPlace, Rate,
    Weather, World,
};
use thalweg_engine::grid::{LeafId, Side, TileKey};
use thalweg_engine::sim::{Fluid, Order, Solver};

pub const FEATURES: &[Feature] = &[
    Feature {
        name: "rain",
        holds: "its account has the same whole units of depth from every finest cell",
        set_up: |builder| Ok(builder.rain("rain", RAIN)?),
        run: |scene| {
            scene.cycles(5);
            check_rain(scene, SIZE[0] * SIZE[1]);
            Ok(())
        },
    },
    Feature {
        name: "classes of rates",
        holds: "rain over the eastern half alone: its account has those cells' units and no others",
        set_up: |builder| {
            let east = |place: CellPlace| u16::from(place.x >= SIZE[0] / 2);
            Ok(builder.layer_classes(
                "rain",
                Direction::Into,
                &[vec![(0.0, 0.0)], RAIN.to_vec()],
                east,
            )?)
        },
        run: |scene| {
            scene.cycles(5);
            check_rain(scene, SIZE[0] * SIZE[1] / 2);
            Ok(())
        },
    },
    Feature {
        name: "weather that changes",
        holds: "a storm over one rectangle, another, and all: its account has their cells' units",
        set_up: |builder| Ok(builder.rain("rain", &[(0.0, 0.0)])?),
        run: storms,
    },
    Feature {
        name: "classes of roughness",
        holds: "each cell has the class that was given for it, whatever leaves came and went",
        set_up: |builder| Ok(builder.manning_classes(vec![0.03, 0.1], roughness)),
        run: keeps_classes,
    },
    Feature {
        name: "infiltration, evaporation",
        holds: "wet ground takes what it conducts or more, the sun its rate from wet cells alone",
        set_up: |builder| {
            let builder = builder.green_ampt(SOAKING, SUCTION_M)?;
            Ok(builder.layer("sun", Direction::Out, &[(0.0, SUN)])?)
        },
        run: soaks,
    },
    Feature {
        name: "inflows",
        holds: "an inflow brings its discharge times the time; one that was taken away, nothing",
        set_up: |builder| Ok(builder.inflow("spring", SPRING, &[cell_at(RIVER_M)])?),
        run: brings_water,
    },
    Feature {
        name: "edges",
        holds: "a river comes in over one side, and a tide over the other",
        set_up: |builder| {
            let river = EdgeKind::Inflow { discharge: SPRING.to_vec(), entry: Entry::Normal };
            let tide = EdgeKind::Stage(vec![(0.0, 9.0), (3600.0, 9.5)]);
            let builder = builder.edge("river", EdgePlace::Side(Side::West), river);
            Ok(builder.edge("tide", EdgePlace::Side(Side::East), tide))
        },
        run: |scene| {
            scene.cycles(4);
            for name in ["river", "tide"] {
                let [into, _] = scene.moved_m3(name);
                assert!(into > 1.0, "{name}: {into} m³");
            }
            Ok(())
        },
    },
    Feature {
        name: "tracers",
        holds: "the sum is that of its ledger, to the unit; a source's dye mixes with the river",
        set_up: |builder| {
            let builder = builder
                .tracer("dye", |place| if place.x < 50 { 1.0 } else { 0.0 })
                .tracer_source("dye", "spring", 0.5);
            Ok(builder.inflow("spring", SPRING, &[cell_at(RIVER_M)])?)
        },
        run: carries_dye,
    },
    Feature {
        name: "fluids",
        holds: "a mud that its yield stress holds moves nowhere; a drain is refused",
        set_up: |builder| Ok(builder.fluid(MUD)),
        run: lies_still,
    },
    Feature {
        name: "solver switch",
        holds: "the other solver goes on from the same state, and to another one",
        set_up: as_it_is,
        run: switches,
    },
];

const RAIN: &[(f64, f64)] = &[(0.0, 1.0e-4)];
/// Part of the lake that stays wet, m².
const LAKE_M2: f64 = 5000.0;
/// Conductivity of the ground, m/s.
const SOAKING: f64 = 2.0e-6;
/// Suction head times moisture deficit, m.
const SUCTION_M: f64 = 0.02;
/// Evaporation, m/s.
const SUN: f64 = 1.0e-5;
const SPRING: &[(f64, f64)] = &[(0.0, 6.0)];

/// The account of rain has the whole units of `RAIN` until now, each of so many finest cells.
#[track_caller]
fn check_rain(scene: &Scene, cells: u32) {
    let (rain, cells) = (scene.account("rain"), Volume::from(cells));
    let expected = RAIN[0].1 * scene.world.time().seconds() * UNITS_PER_M;
    let units = rain.into / cells;
    assert_eq!((rain.into % cells, rain.out), (0, 0), "{rain:?}");
    assert!((units as f64 - expected).abs() <= 1.0 && units > 10, "{units} for {expected}");
}

/// A storm that moves: 96 × 64 finest cells, then 64 × 128, then none.
fn storms(scene: &mut Scene) -> Result<(), Error> {
    let storm = |area: Option<[u32; 4]>, rate| {
        let area = area.map(|[west, south, east, north]| Shape::Rectangle {
            low_m: [west, south].map(|at| f64::from(at) * CELL_M),
            high_m: [east, north].map(|at| f64::from(at) * CELL_M),
        });
        Action::ChangeWeather(Weather { layer: "rain".into(), area, rates: vec![rate] })
    };
    let hour = || Rate::Series(vec![(0.0, RAIN[0].1), (3600.0, 0.0)]);
    let (first, second) = (Some([64, 0, 160, 64]), Some([192, 0, 256, 128]));
    let mut expected = 0.0;
    for (area, cells) in [(first, 96 * 64), (second, 64 * 128), (None, SIZE[0] * SIZE[1])] {
        let before = scene.world.state_hash();
        let done = scene.world.edits().act(storm(area, hour()))?;
        let there = scene.world.state_hash();
        let back = scene.world.edits().undo(done.undo)?;
        assert_eq!(scene.world.state_hash(), before);
        scene.world.edits().undo(back.undo)?;
        assert_eq!(scene.world.state_hash(), there);

        let (begun_s, into) = (scene.world.time().seconds(), scene.account("rain").into);
        scene.cycles(3);
        let fallen = scene.account("rain").into - into;
        let (cells, depth) = (Volume::from(cells), scene.world.time().seconds() - begun_s);
        expected = RAIN[0].1 * depth * UNITS_PER_M;
        assert_eq!(fallen % cells, 0, "{area:?}");
        let units = (fallen / cells) as f64;
        assert!((units - expected).abs() <= 1.0, "{area:?}: {units} for {expected}");
    }
    assert!(expected > 5.0, "it rains");
    scene.world.edits().act_for_good(storm(first, Rate::Constant(0.0)))?;
    let before = scene.account("rain");
    scene.cycles(2);
    assert_eq!(scene.account("rain"), before);
    Ok(())
}

fn roughness(place: CellPlace) -> u8 {
    u8::from((place.x / 5 + place.y / 3) % 2 == 1)
}

fn keeps_classes(scene: &mut Scene) -> Result<(), Error> {
    for _ in 0..3 {
        scene.cycles(2);
        let simulation = scene.world.simulation();
        for leaf in simulation.forest().ids() {
            let ground = simulation.ground(leaf);
            let classes = ground.roughness.as_ref().expect("classes");
            let inside = (0..classes.len()).filter(|&cell| ground.is_inside(cell));
            for cell in inside {
                let place = simulation.forest().place_of(leaf, cell);
                assert_eq!(classes[cell], roughness(place), "{place:?}");
            }
        }
    }
    Ok(())
}

/// Area of the cells that hold water, m².
fn wet_m2(world: &World) -> f64 {
    let simulation = world.simulation();
    let of = |(leaf, key): (LeafId, TileKey)| {
        let wet = simulation.water(leaf).depth.iter().filter(|&&depth| depth > 0).count();
        wet as f64 * (CELL_M * f64::from(1_u32 << key.level)).powi(2)
    };
    simulation.forest().iter().map(of).sum()
}

fn soaks(scene: &mut Scene) -> Result<(), Error> {
    let (mut before, mut most_m2) = ([0.0; 2], wet_m2(&scene.world));
    for _ in 0..5 {
        scene.cycle();
        let now = ["infiltration", "sun"].map(|name| scene.moved_m3(name)[1]);
        assert!(now.iter().zip(before).all(|(now, before)| *now > before), "{now:?} {before:?}");
        (before, most_m2) = (now, most_m2.max(wet_m2(&scene.world)));
    }
    let ([soaked_m3, dried_m3], time_s) = (before, scene.world.time().seconds());
    // Water that stands on ground: F − ψ ln(1 + F/ψ) = K t, and F is less than this.
    let most_m = SOAKING * time_s + (2.0 * SOAKING * SUCTION_M * time_s).sqrt();
    let bounds = [[SOAKING * time_s, most_m], [SUN * time_s, SUN * time_s]];
    for (moved_m3, [low_m, high_m]) in [soaked_m3, dried_m3].into_iter().zip(bounds) {
        let range_m3 = low_m * LAKE_M2..1.1 * high_m * most_m2;
        assert!(range_m3.contains(&moved_m3), "{moved_m3} m³, not {range_m3:?}");
    }
    Ok(())
}

fn brings_water(scene: &mut Scene) -> Result<(), Error> {
    let check = |scene: &Scene, name: &str, expected_m3: f64| {
        let [into, _] = scene.moved_m3(name);
        assert!((into - expected_m3).abs() < 1.0e-3, "{name}: {into} m³, not {expected_m3}");
    };
    scene.cycles(3);
    let begun_s = scene.world.time().seconds();
    let inflow = Inflow {
        name: "rill".to_owned(),
        place: InflowPlace::Area(disc(BANK_M, 7.0)),
        discharge: Discharge::Constant(3.0),
        tracers: Vec::new(),
    };
    scene.world.edits().act(Action::PutInflow(inflow))?;
    scene.cycles(3);
    let stopped_s = scene.world.time().seconds();
    check(scene, "spring", 6.0 * stopped_s);
    check(scene, "rill", 3.0 * (stopped_s - begun_s));
    scene.world.edits().act(Action::RemoveInflow { name: "spring".to_owned() })?;
    scene.cycles(2);
    check(scene, "spring", 6.0 * stopped_s);
    check(scene, "rill", 3.0 * (scene.world.time().seconds() - begun_s));
    assert_eq!(scene.world.structures().inflows().collect::<Vec<_>>(), ["rill"]);
    Ok(())
}

fn carries_dye(scene: &mut Scene) -> Result<(), Error> {
    for _ in 0..6 {
        scene.cycle();
        let water = scene.world.water();
        let expected = water.tracer_ledger("dye").map(|ledger| ledger.expected());
        assert_eq!(water.tracer_stored("dye"), expected);
    }
    let ledger = scene.world.water().tracer_ledger("dye").expect("a tracer");
    let spring = ledger.accounts().iter().find(|account| account.name == "spring");
    assert!(spring.is_some_and(|spring| spring.into > 0), "{spring:?}");
    let [x, y] = SIZE;
    let places = (0..y).flat_map(|y| (0..x).map(move |x| CellPlace { x, y }));
    let mixed = |place: &CellPlace| {
        let part = scene.world.water().concentration("dye", *place);
        part.is_some_and(|part| (0.1..0.9).contains(&part))
    };
    let mixed = places.filter(mixed).count();
    assert!(mixed > 4, "{mixed} cells are mixed");
    Ok(())
}

/// A stiff mud.
const MUD: Fluid = Fluid { viscosity_pa_s: 1.0e3, yield_stress_pa: 5.0e4, ..Fluid::WATER };

fn lies_still(scene: &mut Scene) -> Result<(), Error> {
    scene.cycles(4);
    let simulation = scene.world.simulation();
    assert_eq!(simulation.settings().fluid, MUD);
    for leaf in simulation.forest().ids() {
        let water = simulation.water(leaf);
        let mut flows = water.flow_x.iter().chain(&water.flow_y[..]);
        assert!(flows.all(|&q| q.abs() == 0.0), "held by its yield stress");
    }
    let error = scene.world.structures_mut().put_link(drain()).expect_err("laws of water");
    assert!(error.to_string().contains("viscosity or a yield stress"), "{error}");
    Ok(())
}

fn switches(scene: &mut Scene) -> Result<(), Error> {
    let mut other = scene.reopened()?;
    scene.world.set_solver(Solver::Pipe, Order::First);
    assert_eq!(depths(&scene.world), depths(&other), "a switch moves no water");
    for _ in 0..3 {
        scene.cycle();
        other.run_cycle(SimTime::MAX);
    }
    assert_eq!(scene.world.settings().solver, Solver::Pipe);
    assert_ne!(depths(&scene.world), depths(&other), "the pipe is another solver");
    scene.world.set_solver(Solver::ShallowWater, Order::Second);
    scene.cycles(2);
    Ok(())
}
