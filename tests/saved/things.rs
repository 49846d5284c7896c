//! Things that stand in a world, or come into it: drawn, good and bad.

use crate::draws::Draws;
use thalweg::body::{Body, BodyId, Motion, Pose, Solid};
use thalweg::criteria::{Criterion, Request, Scale};
use thalweg::structure::Section;
use thalweg::terrain::{Bottom, Edit};
use thalweg::world::{
    Barrier, Breach, Culvert, Discharge, Drain, Gap, Inflow, InflowPlace, Link, Opening, Pump,
    Trigger,
};
use thalweg_engine::forest::LeafFacts;
use thalweg_engine::units::hash::scramble;

/// Names that things share, so that one takes the place of another.
const NAMES: [&str; 7] = ["a", "b", "c", "rain", "\u{1b}[31m \"ü\"\n", "", "by hand"];

pub fn name(draws: &mut Draws) -> String {
    let odd = if draws.once_in(8) { NAMES.len() } else { 3 };
    (*draws.pick(&NAMES[..odd])).to_owned()
}

/// Asks for another level of each tile, and for other ones when its seed is another.
#[derive(Debug, Clone, Copy)]
pub struct Whim(pub u64);

impl Criterion for Whim {
    fn request(&self, leaf: &LeafFacts, world: &Scale) -> Request {
        let place = u64::from(leaf.key.x) << 32 | u64::from(leaf.key.y);
        let draw = scramble(self.0 ^ scramble(place ^ u64::from(leaf.key.level) << 60));
        let levels = u64::from(world.coarsest() - world.base()) + 1;
        let level = world.base() + u8::try_from(draw % levels).expect("few levels");
        Request {
            needs: level,
            keeps: level.saturating_sub(1),
            priority: (draw >> 40) as f32 * 1e-6,
        }
    }
}

/// A map to draw things on: its size in metres, and the range of its beds.
#[derive(Debug, Clone, Copy)]
pub struct Map {
    pub size_m: [f64; 2],
    pub cell_m: f64,
    pub low_m: f64,
    pub high_m: f64,
}

impl Map {
    /// An elevation about the ground.
    pub fn elevation(&self, draws: &mut Draws) -> f64 {
        let reach = self.high_m - self.low_m + 2.0;
        draws.wild(self.low_m - 0.1 * reach, self.high_m + 0.3 * reach)
    }

    pub fn series(&self, draws: &mut Draws, value: impl Fn(&mut Draws) -> f64) -> Vec<(f64, f64)> {
        let mut time = 0.0;
        let count = draws.count(1, 3);
        let mut point = |_| {
            let at = time;
            time += draws.wild(1.0, 60.0);
            (at, value(draws))
        };
        (0..count).map(&mut point).collect()
    }

    pub fn barrier(&self, draws: &mut Draws) -> Barrier {
        let mut wall = Barrier::wall(&name(draws), draws.line(self.size_m), self.elevation(draws));
        if draws.once_in(3) {
            wall.crest_m = wall.path_m.iter().map(|_| self.elevation(draws)).collect();
        }
        if draws.once_in(5) {
            (wall.weir_coefficient, wall.contraction) =
                (draws.wild(0.1, 2.0), draws.wild(0.1, 1.0));
        }
        wall.gap = draws.once_in(2).then(|| {
            let open = |draws: &mut Draws| draws.wild(0.0, 3.0);
            let opening = match draws.below(3) {
                0 => Opening::Fixed(open(draws)),
                1 => Opening::Series(self.series(draws, open)),
                _ => {
                    let (first, step) = (self.elevation(draws), draws.between(0.1, 3.0));
                    let points = vec![(first, open(draws)), (first + step, open(draws))];
                    Opening::Rule { at_m: draws.place(self.size_m), points }
                }
            };
            let sill_m = draws.once_in(2).then(|| self.elevation(draws));
            Gap { sill_m, opening }
        });
        wall.breach = draws.once_in(3).then(|| {
            let trigger = match draws.below(2) {
                0 => Trigger::Time(draws.wild(0.0, 30.0)),
                _ => {
                    let (at_m, stage_m) = (draws.place(self.size_m), self.elevation(draws));
                    Trigger::Stage { at_m, stage_m }
                }
            };
            let width_m = self.series(draws, |draws| draws.wild(0.0, 20.0));
            let bottom_m = self.series(draws, |draws| self.elevation(draws));
            Breach { along_m: draws.wild(0.0, self.size_m[1]), trigger, width_m, bottom_m }
        });
        wall
    }

    pub fn link(&self, draws: &mut Draws) -> Link {
        let (name, [from, to]) = (name(draws), [0; 2].map(|_| draws.place(self.size_m)));
        match draws.below(3) {
            0 => {
                let section = match draws.below(2) {
                    0 => Section::Circle { diameter_m: draws.wild(0.1, 3.0) },
                    _ => Section::Box {
                        width_m: draws.wild(0.1, 4.0),
                        height_m: draws.wild(0.1, 2.0),
                    },
                };
                let culvert = Culvert {
                    name,
                    from,
                    to,
                    from_invert_m: draws.wild(self.low_m, self.low_m + 1.0),
                    to_invert_m: draws.wild(self.low_m, self.low_m + 1.0),
                    section,
                    length_m: draws.once_in(3).then(|| draws.wild(1.0, 100.0)),
                    manning_n: draws.wild(0.01, 0.03),
                    inlet_loss: draws.wild(0.1, 1.0),
                    outlet_loss: draws.wild(0.1, 1.0),
                    has_flap: draws.once_in(3),
                };
                culvert.into()
            }
            1 => {
                let off_stage_m = self.elevation(draws);
                let pump = Pump {
                    name,
                    from,
                    to: draws.once_in(2).then_some(to),
                    curve: vec![(0.0, draws.wild(0.0, 20.0)), (5.0, draws.wild(0.0, 5.0))],
                    on_stage_m: off_stage_m + draws.wild(0.0, 0.5),
                    off_stage_m,
                    outlet_m: draws.once_in(3).then(|| self.elevation(draws)),
                };
                pump.into()
            }
            _ => {
                let grate = Drain {
                    name,
                    place: from,
                    area_m2: draws.wild(0.01, 2.0),
                    perimeter_m: draws.wild(0.1, 5.0),
                    ..Drain::default()
                };
                let drain =
                    Drain { rim_m: draws.once_in(3).then(|| self.elevation(draws)), ..grate };
                drain.into()
            }
        }
    }

    pub fn inflow(&self, draws: &mut Draws) -> Inflow {
        let rate = |draws: &mut Draws| draws.wild(0.0, 20.0);
        Inflow {
            name: name(draws),
            place: match draws.below(2) {
                0 => InflowPlace::Point(draws.place(self.size_m)),
                _ => InflowPlace::Area(draws.shape(self.size_m)),
            },
            discharge: match draws.below(2) {
                0 => Discharge::Constant(rate(draws)),
                _ => Discharge::Series(self.series(draws, rate)),
            },
            tracers: match draws.below(3) {
                0 => vec![("dye".to_owned(), draws.wild(0.0, 1.0))],
                1 => vec![("silt".to_owned(), 1.0), ("dye".to_owned(), 0.25)],
                _ => Vec::new(),
            },
        }
    }

    pub fn edit(&self, draws: &mut Draws) -> Edit {
        let shape = draws.shape(self.size_m);
        let reach = self.high_m - self.low_m + 1.0;
        match draws.below(5) {
            0 => Edit::Raise { shape, by_m: draws.wild(0.01, 0.3 * reach) },
            1 => Edit::Lower { shape, by_m: draws.wild(0.01, 0.3 * reach) },
            2 => Edit::Flatten { shape, to_m: self.elevation(draws) },
            3 => {
                let bottom = match draws.below(2) {
                    0 => Bottom::Below { depth_m: draws.wild(0.01, 2.0) },
                    _ => {
                        Bottom::At { first_m: self.elevation(draws), last_m: self.elevation(draws) }
                    }
                };
                let width_m = draws.wild(1.5, 6.0) * self.cell_m;
                Edit::Carve { line_m: draws.line(self.size_m), width_m, bottom }
            }
            _ => {
                let (width, height) = (draws.count(1, 9), draws.count(1, 9));
                let heights_m = (0..width * height)
                    .map(|_| if draws.once_in(5) { f64::NAN } else { self.elevation(draws) });
                let heights_m = heights_m.collect();
                #[expect(clippy::cast_possible_truncation, reason = "some hundred cells")]
                let at = |draws: &mut Draws, metres: f64| {
                    draws.below(((metres / self.cell_m) as u32).max(1))
                };
                let corner = thalweg_engine::grid::cells::CellPlace {
                    x: at(draws, self.size_m[0]),
                    y: at(draws, self.size_m[1]),
                };
                Edit::Paste { corner, width, heights_m }
            }
        }
    }

    pub fn bodies(&self, draws: &mut Draws) -> Vec<Body> {
        let count = draws.count(0, 3);
        let body = |_| {
            let lengths = [(); 3].map(|()| draws.between(0.5, 6.0) * self.cell_m);
            let [x, y] = draws.place(self.size_m);
            let linear = match draws.once_in(3) {
                true => [draws.wild(-2.0, 2.0), draws.wild(-2.0, 2.0), draws.wild(-1.0, 1.0)],
                false => [0.0; 3],
            };
            Body {
                id: BodyId(u64::from(draws.below(6))),
                solid: Solid::cuboid(lengths).expect("a box"),
                pose: Pose::at([x, y, self.elevation(draws)]),
                motion: Motion { linear: linear.into(), ..Motion::default() },
                mass_kg: draws.once_in(2).then(|| draws.wild(1.0, 1.0e5)),
            }
        };
        (0..count).map(body).collect()
    }
}
