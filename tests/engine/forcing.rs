//! Sources, sinks and edges do what their laws say.

use crate::support::{moved, scale, seconds, terrain};
use thalweg::terrain::Terrain;
use thalweg::units::{CEILING, SimTime};
use thalweg::world::{EdgeKind, EdgePlace, MapKinds, World, WorldBuilder};
use thalweg_engine::grid::LeafId;
use thalweg_engine::grid::Side;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::{Settings, Solver, Terms, Viscosity};

/// 20 × 10 cells of 5 m, level at 10 m.
fn level_ground() -> Terrain {
    terrain(20, 10, 5.0, scale(20, 0.0), |_, _| 10.0)
}

#[test]
fn an_inflow_brings_its_hydrograph() {
    let points = [(0.0, 0.0), (100.0, 6.0), (300.0, 2.0), (400.0, 0.0)];
    let cells: Vec<CellPlace> = (3..10).map(|x| CellPlace { x, y: 4 }).collect();
    let mut world = WorldBuilder::new(level_ground())
        .inflow("river", &points, &cells)
        .and_then(WorldBuilder::build)
        .expect("a good world");
    world.run_until(seconds(500.0));
    let (into, out) = moved(&world, "river");
    assert!((into - 1200.0).abs() < 0.01, "{into} m³ of 300 + 800 + 100");
    assert!(out == 0.0);
}

/// F − ψΔθ ln(1 + F/ψΔθ) = K t, under ponded water (Green & Ampt 1911).
#[test]
fn green_ampt_follows_its_law() {
    let (conductivity, suction) = (5.0e-6, 0.1);
    let mut world = WorldBuilder::new(level_ground())
        .initial_stage(|_| 11.0)
        .green_ampt(conductivity, suction)
        .and_then(WorldBuilder::build)
        .expect("a good world");
    for hours in [0.5, 2.0, 6.0] {
        world.run_until(seconds(3600.0 * hours));
        let soaked_m = moved(&world, "infiltration").1 / (20.0 * 10.0 * 25.0);
        let lasted_s = (soaked_m - suction * (1.0 + soaked_m / suction).ln()) / conductivity;
        let error = lasted_s / (3600.0 * hours) - 1.0;
        assert!(error.abs() < 0.01, "{hours} h: {soaked_m} m, {error:+}");
    }
}

#[test]
fn an_open_edge_drains_a_slope_and_lets_nothing_in() {
    let ground = terrain(80, 20, 5.0, scale(20, 0.0), |x, _| 10.0 - 0.05 * x as f64);
    let mut world = WorldBuilder::new(ground)
        .edge("foot", EdgePlace::Side(Side::East), EdgeKind::Open)
        .edge("head", EdgePlace::Side(Side::West), EdgeKind::Open)
        .initial_depth(|_| 0.5)
        .build()
        .expect("a good world");
    let start = world.water().stored();
    world.run_until(seconds(1800.0));
    assert!(
        world.water().stored() * 100 < start,
        "{} of {start} units are left",
        world.water().stored()
    );
    assert_eq!(world.water().stored(), world.water().ledger().expected());
    assert!(moved(&world, "foot").0 == 0.0, "{:?}", moved(&world, "foot"));
    assert!(moved(&world, "head").0 == 0.0, "water rose over the head of the slope");
}

/// Goal: an open edge is no spring, wherever a river enters beside it.
/// Method: a source in the first cell on level, falling and rising ground; what the edge lets in is
/// at most what it let out.
#[test]
fn an_open_edge_lets_in_no_more_than_it_let_out() {
    for slope in [-0.01, 0.0, 0.01] {
        let ground = terrain(100, 20, 10.0, scale(20, 0.0), |x, _| {
            if x < 16 { 20.0 } else { 20.0 - slope * (x as f64 - 16.0) }
        });
        let mut world = WorldBuilder::new(ground)
            .edge("west", EdgePlace::Side(Side::West), EdgeKind::Open)
            .edge("east", EdgePlace::Side(Side::East), EdgeKind::Open)
            .inflow("river", &[(0.0, 20.0)], &[CellPlace { x: 0, y: 9 }])
            .and_then(WorldBuilder::build)
            .expect("a good world");
        world.run_until(seconds(1200.0));
        for side in ["west", "east"] {
            let (into, out) = moved(&world, side);
            assert!(into <= out, "slope {slope}, {side}: {into} m³ in, {out} m³ out");
        }
    }
}

/// A river that enters at the edge of rising ground flows into the world, not out of it.
#[test]
fn an_open_edge_is_closed_where_the_ground_rises_towards_it() {
    let ground = terrain(100, 20, 10.0, scale(20, 0.0), |x, _| 20.0 - 0.1 * x as f64);
    let mut world = WorldBuilder::new(ground)
        .edge("head", EdgePlace::Side(Side::West), EdgeKind::Open)
        .inflow("river", &[(0.0, 20.0)], &[CellPlace { x: 0, y: 9 }])
        .and_then(WorldBuilder::build)
        .expect("a good world");
    world.run_until(seconds(600.0));
    assert_eq!(moved(&world, "head"), (0.0, 0.0));
}

/// The order in which a builder gets its values does not matter.
#[test]
fn an_inflow_is_the_same_before_and_after_the_level() {
    let river = |b: WorldBuilder| b.inflow("river", &[(0.0, 1.0)], &[CellPlace { x: 1, y: 1 }]);
    let before = river(WorldBuilder::new(level_ground()).level(2));
    let after = river(WorldBuilder::new(level_ground())).map(|b| b.level(2));
    for builder in [before, after] {
        let mut world = builder.and_then(WorldBuilder::build).expect("a good world");
        world.run_until(seconds(100.0));
        let (into, _) = moved(&world, "river");
        assert!((into - 100.0).abs() < 0.01, "{into} m³");
    }
}

#[test]
fn worlds_that_cannot_be_are_refused() {
    let refused = |builder: WorldBuilder, expected: &str| {
        let error = builder.build().expect_err("a bad world").to_string();
        assert!(error.contains(expected), "{error}");
    };
    let ground = || WorldBuilder::new(level_ground());
    refused(ground().level(40), "level 40 is coarser than");
    let sea = |points: &[(f64, f64)]| ground().edges(EdgeKind::Stage(points.to_vec()));
    refused(sea(&[]), "no points");
    refused(sea(&[(f64::NAN, 1.0)]), "time of point 1");
    refused(sea(&[(-5.0, 1.0), (3.0, 1.0)]), "time of point 1");
    refused(sea(&[(5.0, 1.0), (3.0, 1.0)]), "not in order of time");
    refused(sea(&[(5.0, 1.0e9)]), "outside this world");
    refused(ground().manning(-0.1), "Manning's n is -0.1");
    refused(ground().wet_depth_m(0.0), "counts as wet");
    refused(ground().initial_depth(|_| -1.0), "an initial depth");
    let far = ground().inflow("river", &[(0.0, 1.0)], &[CellPlace { x: 99, y: 1 }]);
    refused(far.expect("a good series"), "river: cell 99, 1 is outside");
}

#[test]
fn a_tide_fills_a_basin_to_its_stage_and_empties_it() {
    let tide = vec![(0.0, 9.0), (600.0, 12.0), (4000.0, 12.0), (4600.0, 10.5)];
    let mut world = WorldBuilder::new(level_ground())
        .edge("sea", EdgePlace::Side(Side::South), EdgeKind::Stage(tide))
        .build()
        .expect("a good world");
    let place = CellPlace { x: 10, y: 7 };
    for (time_s, depth_m) in [(4000.0, 2.0), (9000.0, 0.5)] {
        world.run_until(seconds(time_s));
        let depth = world.water().depth_m(place).expect("inside");
        assert!((depth - depth_m).abs() < 0.01, "{depth} m at {time_s} s, not {depth_m}");
        assert_eq!(world.water().stored(), world.water().ledger().expected());
    }
}

#[test]
fn a_world_full_to_its_ceiling_takes_no_more() {
    let ground = terrain(20, 10, 5.0, scale(24, 0.0), |x, _| 60.0 - x as f64 * 0.1);
    let mut world = WorldBuilder::new(ground)
        .initial_stage(|place| if place.x < 10 { 63.9999 } else { 63.0 })
        .rain("rain", &[(0.0, 0.02)])
        .and_then(|b| b.inflow("spring", &[(0.0, 50.0)], &[CellPlace { x: 12, y: 5 }]))
        .and_then(WorldBuilder::build)
        .expect("a good world");
    for _ in 0..60 {
        world.run_cycle(SimTime::MAX);
        assert_eq!(world.water().stored(), world.water().ledger().expected());
    }
    let simulation = world.simulation();
    let (ground, water) = (simulation.ground(LeafId::new(0)), simulation.water(LeafId::new(0)));
    let stages = ground.bed.iter().zip(&water.depth).map(|(z, h)| z + h);
    assert_eq!(stages.max(), Some(CEILING));
}

#[test]
fn maps_tell_when_water_came_and_how_long_it_stayed() {
    let mut world = WorldBuilder::new(level_ground())
        .initial_depth(|place| if place.x < 5 { 2.0 } else { 0.0 })
        .wet_depth_m(0.05)
        .maps(MapKinds::ALL)
        .build()
        .expect("a good world");
    let end_s = 200.0;
    world.run_until(seconds(end_s));
    world.bring_maps_up_to_date();
    let read = |x: u32| {
        let (maps, cell) = world.maps().at(CellPlace { x, y: 5 }).expect("inside");
        let depth_m = world.scale().depth_m(maps.depth_max().expect("kept")[cell]);
        let (arrival_s, duration_s) = (maps.arrival_s(), maps.duration_s());
        let times = (f64::from(arrival_s.expect("kept")[cell]), duration_s.expect("kept")[cell]);
        let most = [maps.speed_max(), maps.hazard_max()];
        let [speed, hazard] = most.map(|plane| f64::from(plane.expect("kept")[cell]));
        (times, depth_m, speed, hazard)
    };
    let ((arrival, duration), depth, _, _) = read(0);
    assert!(arrival == 0.0 && (duration - end_s).abs() < 0.01, "{arrival} s, {duration} s");
    assert!((depth - 2.0).abs() < 1.0e-6, "{depth} m");
    let ((arrival, duration), depth, speed, hazard) = read(19);
    assert!(arrival > 5.0 && arrival < 60.0, "the front takes 75 m at a few m/s: {arrival} s");
    assert!((arrival + duration - end_s).abs() < 1.0, "it stays: {duration} s");
    assert!(depth > 0.3 && speed > 0.3, "{depth} m, {speed} m/s");
    assert!(hazard > 0.5 * depth && hazard < depth * (speed + 0.5) + 1.0e-6, "{hazard}");
}

/// Goal: settings out of range are refused in one line that holds the limit.
#[test]
fn settings_that_cannot_be_are_refused_with_their_limits() {
    let with = |viscosity, wind_m_s, coriolis_per_s| Settings {
        terms: Terms { viscosity, wind_m_s, coriolis_per_s },
        ..Settings::default()
    };
    let off = Viscosity::Off;
    for (settings, words) in [
        (with(Viscosity::Constant(-0.5), [0.0; 2], 0.0), ["viscosity is -0.5", "0 to 10000 m²/s"]),
        (with(Viscosity::Constant(f64::NAN), [0.0; 2], 0.0), ["viscosity is NaN", "10000 m²/s"]),
        (with(Viscosity::Smagorinsky(1.5), [0.0; 2], 0.0), ["coefficient is 1.5", "0 to 1"]),
        (with(off, [0.0, -200.0], 0.0), ["wind is -200", "−100 to 100 m/s"]),
        (with(off, [0.0; 2], 20.0), ["Coriolis parameter is 20", "−10 to 10 1/s"]),
    ] {
        let line = settings.check().expect_err("out of range").to_string();
        assert!(words.iter().all(|word| line.contains(word)), "{line}");
    }
}

/// Goal: a steady overflow over a dam stands still and does not pile up before it.
/// Method: a channel with a dam two cells wide; over 100 s the depths behind it keep within 2 cm of
/// each other, and in shallow water the head over the crest is within 15 % of a broad crest's,
/// `(q/1.705)^(2/3)`.
#[test]
fn a_steady_overfall_is_steady() {
    for solver in [Solver::Pipe, Solver::ShallowWater] {
        let slope_m = |x: usize| (100 - x) as f64 * 0.04;
        let crest_m = slope_m(40) + 10.0;
        let ground = terrain(100, 8, 10.0, scale(20, 0.0), |x, _| {
            if (40..42).contains(&x) { crest_m } else { slope_m(x) }
        });
        let sources: Vec<CellPlace> = (0..8).map(|y| CellPlace { x: 0, y }).collect();
        let q = 1.5;
        let mut world = WorldBuilder::new(ground)
            .settings(Settings { solver, manning_n: vec![0.035], ..Settings::default() })
            .edge("foot", EdgePlace::Side(Side::East), EdgeKind::Open)
            .initial_stage(move |p| if p.x < 40 { crest_m + 0.8 } else { f64::NAN })
            .inflow("river", &[(0.0, q * 80.0)], &sources)
            .and_then(WorldBuilder::build)
            .expect("a good world");
        let (settled_s, watched_s) = if crate::QUICK { (1500, 30) } else { (3000, 100) };
        world.run_until(SimTime::from_seconds(f64::from(settled_s)));
        let depth =
            |world: &World, x: u32| world.water().depth_m(CellPlace { x, y: 3 }).expect("inside");
        let mut ranges = [(f64::INFINITY, 0.0_f64); 20];
        for second in 1..=watched_s {
            world.run_until(SimTime::from_seconds(f64::from(settled_s + second)));
            for (x, range) in (36..56).zip(&mut ranges) {
                let h = depth(&world, x);
                *range = (range.0.min(h), range.1.max(h));
            }
        }
        for (x, (least, most)) in (36..56).zip(ranges) {
            assert!(most - least < 0.02, "{solver:?}: {least} to {most} m in column {x}");
        }
        let head = depth(&world, 38) + slope_m(38) - crest_m;
        let broad = (q / 1.705_f64).powf(2.0 / 3.0);
        println!("{solver:?}: head {head:.3} m, of a broad crest {broad:.3} m");
        if solver == Solver::ShallowWater {
            assert!((head / broad - 1.0).abs() < 0.15, "{solver:?}: head {head}, {broad}");
        }
    }
}
