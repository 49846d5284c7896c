//! Structures and bodies in a world: barriers, breaches, links, bodies.

use crate::feature::{Feature, as_it_is};
use crate::scene::Scene;
use crate::valley::{BANK_M, LAKE_M, RIVER_M, disc};
use thalweg::Error;
use thalweg::body::{Bodies, Body, BodyId, Load, Motion, Pose, Solid};
use thalweg::glam::DVec3;
use thalweg::structure::Section;
use thalweg::terrain::Shape;
use thalweg::world::{
    Action, Amount, Barrier, Breach, CellPlace, Culvert, Drain, FixedStep, Gap, Link, Opening,
    Pump, Trigger, Voids,
};

pub const FEATURES: &[Feature] = &[
    Feature {
        name: "barriers",
        holds: "a levee holds the river up; a gate in its place lets it through; one is taken away",
        set_up: |builder| Ok(builder.barrier(levee())),
        run: bars,
    },
    Feature {
        name: "barriers that breach",
        holds: "the levee holds until its moment; then it is breached, and the river runs through",
        set_up: |builder| {
            let breach = Breach {
                along_m: 70.0,
                trigger: Trigger::Time(BREACH_S),
                width_m: vec![(0.0, 40.0)],
                bottom_m: vec![(0.0, 0.0)],
            };
            Ok(builder.barrier(Barrier { breach: Some(breach), ..levee() }))
        },
        run: breaches,
    },
    Feature {
        name: "links",
        holds: "a culvert flows down, a pump as it must, a drain's account has what is gone",
        set_up: |builder| Ok(builder.link(culvert()).link(pump()).link(drain())),
        run: joins,
    },
    Feature {
        name: "bodies",
        holds: "a crate falls into the lake and is carried; it blocks cells of the finest level",
        set_up: as_it_is,
        run: floats,
    },
    Feature {
        name: "intervals",
        holds: "water runs through a gallery below the ground; digging and filling keep each unit",
        set_up: |builder| {
            let mut voids = Voids::new();
            let [low, high] = [[300, 62], [330, 65]].map(CellPlace::from);
            voids.carve(low, high, [0.0, 2.0]);
            let stage = |place: CellPlace| if place.x < 310 { 2.5 } else { f64::NAN };
            Ok(builder.voids(voids).initial_stage_below(move |place, _| stage(place)))
        },
        run: digs,
    },
];

/// A wall across the valley, above the lake.
fn levee() -> Barrier {
    Barrier::wall("levee", vec![[100.0, 30.0], [100.0, 170.0]], 12.0)
}

/// Pours water into the river above the levee.
fn pour_above(scene: &mut Scene) -> Result<(), Error> {
    let (area, amount) = (disc([84.0, 108.0], 14.0), Amount::DepthM(1.5));
    scene.world.edits().act(Action::AddWater { area, amount })?;
    Ok(())
}

fn bars(scene: &mut Scene) -> Result<(), Error> {
    pour_above(scene)?;
    scene.cycles(3);
    let flow = scene.world.structures().barrier_flow("levee").expect("it stands");
    assert!(flow.faces > 30 && flow.sealed == 0 && flow.overtopped == 0, "{flow:?}");
    assert!(flow.head_m() > Some(0.3) && flow.discharge_m3_s == 0.0, "{flow:?}");
    let gap = Some(Gap { sill_m: None, opening: Opening::Fixed(0.5) });
    let before = scene.world.structures_mut().put_barrier(Barrier { gap, ..levee() })?;
    assert_eq!(before, Some(levee()));
    scene.cycles(2);
    let flow = scene.world.structures().barrier_flow("levee").expect("it stands");
    assert!(flow.discharge_m3_s > 0.5, "{flow:?}");
    scene.world.structures_mut().remove_barrier("levee")?;
    assert!(scene.world.structures().barriers().is_empty());
    scene.cycle();
    Ok(())
}

/// When the levee breaches, s.
const BREACH_S: f64 = 1.5;

fn breaches(scene: &mut Scene) -> Result<(), Error> {
    let flow = |scene: &Scene| scene.world.structures().barrier_flow("levee").expect("it stands");
    loop {
        let before = flow(scene);
        assert!(before.discharge_m3_s == 0.0 && before.breached_s.is_none(), "{before:?}");
        scene.cycle();
        if scene.world.time().seconds() > BREACH_S {
            break;
        }
    }
    pour_above(scene)?;
    scene.cycles(2);
    let after = flow(scene);
    assert!(after.breached_s.is_some_and(|at_s| at_s >= BREACH_S), "{after:?}");
    assert!(after.discharge_m3_s > 0.5, "{after:?}");
    Ok(())
}

fn culvert() -> Link {
    Link::Culvert(Culvert {
        name: "culvert".to_owned(),
        from: RIVER_M,
        to: LAKE_M,
        from_invert_m: 0.0,
        to_invert_m: 0.0,
        section: Section::Circle { diameter_m: 1.0 },
        ..Culvert::default()
    })
}

fn pump() -> Link {
    Link::Pump(Pump {
        name: "pump".to_owned(),
        from: [LAKE_M[0] + 20.0, LAKE_M[1]],
        to: Some(BANK_M),
        curve: vec![(0.0, 2.0), (20.0, 1.0)],
        on_stage_m: 1.5,
        off_stage_m: 1.0,
        outlet_m: None,
    })
}

pub fn drain() -> Link {
    Link::Drain(Drain {
        name: "drain".to_owned(),
        place: [LAKE_M[0] - 20.0, LAKE_M[1]],
        area_m2: 0.5,
        perimeter_m: 2.0,
        ..Drain::default()
    })
}

fn digs(scene: &mut Scene) -> Result<(), Error> {
    let volume = |scene: &Scene| scene.world.stacks().volume_m3().to_bits();
    let before = volume(scene);
    scene.cycles(4);
    let front = CellPlace { x: 312, y: 63 };
    let own = scene.world.stacks().intervals_at(front)[0];
    assert!(own.depth_m > 0.1 && own.flow_m2_s[0] > 0.1, "{own:?}");
    assert_eq!(volume(scene), before, "nothing leaves it");
    let area = |west: f64, east: f64| Shape::rectangle([west, 124.0], [east, 128.0]);
    let dig = Action::CarveBelow { area: area(660.0, 680.0), span_m: [-1.0, 1.0] };
    let hash = scene.world.state_hash();
    let dug = scene.world.edits().act(dig.clone())?;
    assert_eq!(dug.cells, 20);
    scene.world.edits().undo(dug.undo)?;
    assert_eq!(scene.world.state_hash(), hash);
    scene.world.edits().act_for_good(dig)?;
    let fill = Action::FillBelow { area: area(604.0, 612.0), span_m: [0.0, 1.5] };
    scene.world.edits().act(fill)?;
    scene.cycles(4);
    assert_eq!(volume(scene), before, "nothing leaves it");
    // The roof breaks where cells have one ground each, and is named where they have not.
    let hash = scene.world.state_hash();
    let open = Action::CarveBelow { area: area(648.0, 652.0), span_m: [1.0, 90.0] };
    match scene.world.edits().act(open.clone()) {
        Ok(opened) => {
            scene.world.edits().undo(opened.undo)?;
            assert_eq!(scene.world.state_hash(), hash);
            scene.world.edits().act(open)?;
            let place = CellPlace { x: 325, y: 63 };
            assert!(scene.world.stacks().intervals_at(place).is_empty());
            assert_eq!(scene.world.bed_m(place), Some(0.0));
        }
        Err(refused) => {
            assert!(scene.kind.is_coarse(), "{refused}");
        }
    }
    scene.cycles(2);
    Ok(())
}

fn joins(scene: &mut Scene) -> Result<(), Error> {
    scene.cycles(5);
    let structures = scene.world.structures();
    let flow = |name| structures.link_flow(name).expect("it is there").discharge_m3_s;
    let flows = ["culvert", "pump", "drain"].map(flow);
    assert!(flows[0] > 0.05 && (1.0..=2.0).contains(&flows[1]) && flows[2] > 0.1, "{flows:?}");
    let [into, out] = scene.moved_m3("drain");
    assert!(into == 0.0 && out > 0.1, "{into} m³ in, {out} m³ out");
    scene.note_all(flows);
    let link = scene.world.structures_mut().remove_link("drain")?;
    assert_eq!(link, drain());
    scene.cycles(2);
    assert_eq!(scene.moved_m3("drain")[1].to_bits(), out.to_bits(), "it is gone");
    scene.world.structures_mut().put_link(drain())?;
    scene.cycle();
    assert!(scene.moved_m3("drain")[1] > out, "it is back");
    Ok(())
}

/// A crate that falls, floats and drifts.
struct Crate {
    solid: Solid,
    at: DVec3,
    speed: DVec3,
    force: DVec3,
}

/// Half as dense as water, kg.
const CRATE_KG: f64 = 72_000.0;
const STEPS_A_SECOND: u32 = 10;

impl Bodies for Crate {
    fn solids(&mut self, put: &mut dyn FnMut(Body)) {
        let motion = Motion { linear: self.speed, ..Motion::default() };
        let (solid, pose) = (self.solid.clone(), Pose::at(self.at));
        put(Body { id: BodyId(1), solid, pose, motion, mass_kg: Some(CRATE_KG) });
    }

    fn loads(&mut self, loads: &[(BodyId, Load)]) {
        let (force, _) = loads[0].1.for_engine(CRATE_KG, 9.81, self.at);
        self.speed += (force / CRATE_KG - 9.81 * DVec3::Z) / f64::from(STEPS_A_SECOND);
        self.at += self.speed / f64::from(STEPS_A_SECOND);
        self.force = force;
    }
}

fn floats(scene: &mut Scene) -> Result<(), Error> {
    let frame = FixedStep::try_new(1, STEPS_A_SECOND)?;
    let at = DVec3::new(LAKE_M[0], LAKE_M[1], 5.0);
    let solid = Solid::cuboid([6.0, 6.0, 4.0])?;
    let mut falling = Crate { solid, at, speed: DVec3::ZERO, force: DVec3::ZERO };
    for _ in 0..12 {
        scene.cycle_with(|world| world.run_cycle_with(frame, &mut falling))?;
        scene.note_all(falling.at.to_array());
    }
    assert!(falling.force.z > 0.3 * 9.81 * CRATE_KG, "{}", falling.force);
    assert!((2.0..6.0).contains(&falling.at.z), "{}", falling.at);
    let report = scene.world.structures().body_report();
    let unblocked = if scene.kind.is_coarse() { report.cells } else { 0 };
    assert!(report.cells > 3 && report.unblocked == unblocked, "{report:?}");
    Ok(())
}
