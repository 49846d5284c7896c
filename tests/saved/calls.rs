//! Every public setter and act of a world, drawn, with good numbers and bad ones.

use crate::draws::Draws;
use crate::things::{Whim, name};
use crate::worlds::Drawn;
use thalweg::body::{Bodies, Body, BodyId, Load, LoadParams};
use thalweg::units::SimTime;
use thalweg::world::{Action, Amount, Rate, Undo, Weather, World};
use thalweg_engine::flow::versions::versions;
use thalweg_engine::sim::schedule::FixedStep;
use thalweg_engine::sim::{Order, Solver};

/// Bodies that stay where they are.
pub struct Held(Vec<Body>);

impl Bodies for Held {
    fn solids(&mut self, put: &mut dyn FnMut(Body)) {
        self.0.iter().cloned().for_each(put);
    }
    fn loads(&mut self, _: &[(BodyId, Load)]) {}
}

fn seconds(s: f64) -> SimTime {
    SimTime::from_seconds(s)
}

pub fn frame(draws: &mut Draws) -> FixedStep {
    FixedStep::try_new(1 + draws.below(100), 1 + draws.below(60)).expect("within an hour")
}

/// Runs a world for some cycles, in one of its ways.
pub fn run(world: &mut World, draws: &mut Draws) {
    for _ in 0..1 + draws.below(3) {
        match draws.below(4) {
            0 => drop(world.run_cycle(frame(draws))),
            1 => {
                let until = world.time().after(seconds(draws.between(0.0, 3.0)).ticks());
                let mut left = 8;
                while world.time() < until && left > 0 {
                    world.run_cycle(until);
                    left -= 1;
                }
            }
            _ => drop(world.run_cycle(SimTime::MAX)),
        }
    }
}

fn amount(drawn: &Drawn, draws: &mut Draws) -> Amount {
    match draws.below(3) {
        0 => Amount::DepthM(draws.wild(0.0, 3.0)),
        1 => Amount::VolumeM3(draws.wild(0.0, 500.0)),
        _ => Amount::StageM(drawn.map.elevation(draws)),
    }
}

fn action(drawn: &Drawn, draws: &mut Draws) -> Action {
    let map = &drawn.map;
    let area = draws.shape(map.size_m);
    match draws.below(12) {
        0 => Action::AddWater { area, amount: amount(drawn, draws) },
        1 => Action::RemoveWater { area, amount: amount(drawn, draws) },
        2 => {
            let by_m_s = [draws.wild(-20.0, 20.0), draws.wild(-20.0, 20.0)];
            Action::PushWater { area, by_m_s }
        }
        3 => {
            let tracer = (*draws.pick(&["dye", "silt", "milk"])).to_owned();
            Action::ColourWater { area, tracer, concentration: draws.wild(0.0, 1.0) }
        }
        4 => Action::EditTerrain(map.edit(draws)),
        5 => Action::PutBarrier(map.barrier(draws)),
        6 => Action::RemoveBarrier { name: name(draws) },
        7 => Action::PutLink(map.link(draws)),
        8 => Action::RemoveLink { name: name(draws) },
        9 => Action::PutInflow(map.inflow(draws)),
        10 => {
            let area = draws.once_in(2).then_some(area);
            let rates = (0..1 + draws.below(2)).map(|_| Rate::Constant(draws.wild(0.0, 1.0e-4)));
            let rates = rates.collect();
            Action::ChangeWeather(Weather { layer: name(draws), area, rates })
        }
        _ => Action::RemoveInflow { name: name(draws) },
    }
}

/// Result of a call: its name, and the error where it was refused.
pub struct Came {
    pub call: String,
    pub refused: Option<String>,
}

fn came<T, E: std::fmt::Display>(call: &str, done: Result<T, E>) -> Came {
    Came { call: call.to_owned(), refused: done.err().map(|error| error.to_string()) }
}

/// Keeps the way back of what was done.
fn done(
    call: String,
    done: Result<thalweg::world::Done, thalweg::world::ActionError>,
    undos: &mut Vec<Undo>,
) -> Came {
    let refused = match done {
        Ok(done) => {
            undos.push(done.undo);
            None
        }
        Err(error) => Some(error.to_string()),
    };
    Came { call, refused }
}

/// Calls one public setter or act.
pub fn call(drawn: &mut Drawn, undos: &mut Vec<Undo>, draws: &mut Draws) -> Came {
    match draws.below(20) {
        0..6 => {
            let action = action(drawn, draws);
            done(format!("{action:?}"), drawn.world.edits().act(action), undos)
        }
        6..8 if !undos.is_empty() => {
            let undo = undos.swap_remove(draws.count(0, undos.len() - 1));
            done(format!("{undo:?}"), drawn.world.edits().undo(undo), undos)
        }
        8..12 => structure(drawn, draws),
        12..15 => bodies(drawn, draws),
        _ => setting(drawn, draws),
    }
}

fn structure(drawn: &mut Drawn, draws: &mut Draws) -> Came {
    let (map, world) = (drawn.map, &mut drawn.world);
    match draws.below(5) {
        0 => came("put_barrier", world.structures_mut().put_barrier(map.barrier(draws))),
        1 => came("remove_barrier", world.structures_mut().remove_barrier(&name(draws))),
        2 => came("put_link", world.structures_mut().put_link(map.link(draws))),
        3 => came("remove_link", world.structures_mut().remove_link(&name(draws))),
        _ => came("edit", world.edits().edit(&map.edit(draws))),
    }
}

fn bodies(drawn: &mut Drawn, draws: &mut Draws) -> Came {
    let (map, world) = (drawn.map, &mut drawn.world);
    let bodies = map.bodies(draws);
    match draws.below(4) {
        0 => came("run_cycle_with", world.run_cycle_with(SimTime::MAX, &mut Held(bodies))),
        1 => came("run_cycle_with, fixed", world.run_cycle_with(frame(draws), &mut Held(bodies))),
        2 => {
            let slamming_most = draws.wild(0.0, 3.0);
            let params = LoadParams::default();
            came(
                "set_load_params",
                world.structures_mut().set_load_params(wilder(params, slamming_most)),
            )
        }
        _ => came("put_bodies", world.structures_mut().put_bodies(bodies)),
    }
}

fn wilder(params: LoadParams, density: f64) -> LoadParams {
    LoadParams { density_kg_m3: 1000.0 * density, ..params }
}

fn setting(drawn: &mut Drawn, draws: &mut Draws) -> Came {
    let is_adaptive = drawn.kind.is_adaptive();
    let world = &mut drawn.world;
    let good = |call: &str| Came { call: call.to_owned(), refused: None };
    match draws.below(5) {
        0 => {
            let solver = *draws.pick(&[Solver::Pipe, Solver::ShallowWater]);
            world.set_solver(solver, *draws.pick(&[Order::First, Order::Second]));
            good("set_solver")
        }
        1 => {
            world.set_version(*draws.pick(&versions()));
            good("set_version")
        }
        2 => {
            let budget = *draws.pick(&[0, 1 << 12, 5 << 12, 9 << 12, 1 << 20, u64::MAX]);
            came("set_budget", world.set_budget(budget))
        }
        3 if is_adaptive => {
            drawn.whim = Whim(draws.seed());
            let criteria = drawn.criteria();
            *drawn.world.criteria_mut().expect("an adaptive world") = criteria;
            good("criteria_mut")
        }
        _ => {
            world.bring_maps_up_to_date();
            good("bring_maps_up_to_date")
        }
    }
}
