//! Works of a player: how they are built and removed, their cost, and their action in the world.

use super::building::{Building, BuildingKind};
use super::map::{CityPoint, from_line_m};
use super::{City, CityResult};
use thalweg::terrain::Edit;
use thalweg::world::{Action, Barrier, Drain, Gap, Opening, Pump, Undo, Watch, World};

/// Kind of work that can be built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CityTool {
    Levee,
    Dam,
    Pump,
    Drain,
    House,
}

/// Move of a player.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Move {
    Build { tool: CityTool, line: [CityPoint; 2], height_m: f64 },
    Remove(CityPoint),
    Undo,
    Redo,
}

impl CityTool {
    pub const ALL: [Self; 5] = [Self::Levee, Self::Dam, Self::Pump, Self::Drain, Self::House];

    pub fn name(self) -> &'static str {
        ["levee", "dam", "pump", "drain", "house"][self as usize]
    }

    /// Returns the default height, m; 0 for works without a height.
    pub fn usual_height_m(self) -> f64 {
        [1.5, 5.0, 0.0, 0.0, 0.0][self as usize]
    }

    /// True if the work runs from one place to a second one; else it is at one place.
    pub fn is_line(self) -> bool {
        matches!(self, Self::Levee | Self::Dam | Self::Pump)
    }

    /// Returns the cost of the work.
    pub fn cost(self, [[ax, ay], [bx, by]]: [CityPoint; 2], height_m: f64) -> f64 {
        let face_m2 = (bx - ax).hypot(by - ay) * height_m;
        match self {
            Self::Levee => 0.08 * face_m2,
            Self::Dam => 0.15 * face_m2,
            Self::Pump => 20.0,
            Self::Drain | Self::House => 10.0,
        }
    }

    /// Returns the action of the work in the world.
    pub fn action(
        self,
        world: &World,
        name: String,
        line: [CityPoint; 2],
        height_m: f64,
    ) -> Action {
        let bed = |at: CityPoint| world.place_at(at).and_then(|place| world.bed_m(place));
        let [from_m, to_m] = line.map(|at| bed(at).unwrap_or(0.0));
        match self {
            // A levee follows the ground; a dam is level, over the lowest place that it crosses.
            Self::Levee => Action::PutBarrier(Barrier {
                crest_m: vec![from_m + height_m, to_m + height_m],
                ..Barrier::wall(&name, line.to_vec(), 0.0)
            }),
            Self::Dam => {
                let along = world.query().along(line[0], line[1], 100).unwrap_or_default();
                let beds = along.iter().flatten().map(|sample| sample.bed_m);
                let lowest_m = beds.fold(f64::INFINITY, f64::min);
                let crest_m = lowest_m + height_m;
                // Its turbine: a slot at the bottom.
                let gap = Some(Gap { sill_m: Some(lowest_m), opening: Opening::Fixed(0.2) });
                Action::PutBarrier(Barrier { gap, ..Barrier::wall(&name, line.to_vec(), crest_m) })
            }
            Self::Pump => Action::PutLink(
                Pump {
                    name,
                    from: line[0],
                    to: Some(line[1]),
                    curve: vec![(0.0, 3.0), (4.0, 2.0), (8.0, 0.0)],
                    on_stage_m: from_m + 0.2,
                    off_stage_m: from_m + 0.05,
                    outlet_m: None,
                }
                .into(),
            ),
            Self::Drain => Action::PutLink(
                Drain { name, place: line[0], area_m2: 1.0, perimeter_m: 4.0, ..Drain::default() }
                    .into(),
            ),
            // A house stands on a low pad.
            Self::House => {
                let shape = Building::new(BuildingKind::House, line[0]).area();
                Action::EditTerrain(Edit::Raise { shape, by_m: 0.25 })
            }
        }
    }
}

/// Work built or removed this month, and the way back.
pub struct PlayedMove {
    undo: Undo,
    cost: f64,
    house: Option<Building>,
}

impl City {
    /// Carries out a move of the player; else returns the reason for its failure.
    pub fn play(&mut self, wanted: Move) -> CityResult {
        match wanted {
            Move::Build { tool, line, height_m } => {
                let cost = tool.cost(line, height_m);
                if cost > self.money {
                    return Err(format!("a {} costs {cost:.0}", tool.name()).into());
                }
                self.works_built += 1;
                let name = format!("{} {}", tool.name(), self.works_built);
                let house =
                    (tool == CityTool::House).then(|| Building::new(BuildingKind::House, line[0]));
                self.act(tool.action(&self.world, name.clone(), line, height_m), cost, house)?;
                if matches!(tool, CityTool::Levee | CityTool::Dam) {
                    // The watch also applies if the work is taken back and built again.
                    self.world.watch(Watch::Barrier { name, hysteresis_m: 0.1 })?;
                }
                Ok(())
            }
            Move::Remove(at) => {
                let distance_m = |path: &[CityPoint]| {
                    let pieces = path.windows(2).map(|pair| from_line_m(at, [pair[0], pair[1]]));
                    pieces.fold(f64::INFINITY, f64::min)
                };
                let works = self.works().map(|(name, path)| (distance_m(&path), name.to_owned()));
                let nearest = works.min_by(|a, b| a.0.total_cmp(&b.0));
                let Some((_, name)) = nearest.filter(|(distance_m, _)| *distance_m < 15.0) else {
                    return Err("nothing was built there".into());
                };
                let is_barrier =
                    self.world.structures().barriers().iter().any(|barrier| barrier.name == name);
                let action = match is_barrier {
                    true => Action::RemoveBarrier { name },
                    false => Action::RemoveLink { name },
                };
                self.act(action, 0.0, None)
            }
            Move::Undo => self.turn(1.0),
            Move::Redo => self.turn(-1.0),
        }
    }

    fn act(&mut self, action: Action, cost: f64, house: Option<Building>) -> CityResult {
        let undo = self.world.edits().act(action)?.undo;
        self.money -= cost;
        self.buildings.extend(house);
        self.done.push(PlayedMove { undo, cost, house });
        self.undone.clear();
        Ok(())
    }

    /// Takes the last action back (1), or repeats it (-1).
    fn turn(&mut self, back: f64) -> CityResult {
        let stack = if back > 0.0 { &mut self.done } else { &mut self.undone };
        let PlayedMove { undo, cost, house } = stack.pop().ok_or("nothing was done this month")?;
        let undo = self.world.edits().undo(undo)?.undo;
        self.money += back * cost;
        // The last house that was built is the last of the buildings.
        match house {
            Some(_) if back > 0.0 => drop(self.buildings.pop()),
            _ => self.buildings.extend(house),
        }
        let other = if back > 0.0 { &mut self.undone } else { &mut self.done };
        other.push(PlayedMove { undo, cost, house });
        Ok(())
    }

    /// Returns the works that are structures of the world: their names and courses.
    pub fn works(&self) -> impl Iterator<Item = (&str, Vec<CityPoint>)> {
        let barriers = self.world.structures().barriers().iter();
        let barriers = barriers.map(|barrier| (&*barrier.name, barrier.path_m.clone()));
        let links = self.world.structures().links().map(|link| {
            let (from, to) = link.points_m();
            (link.name(), vec![from, to.unwrap_or(from)])
        });
        barriers.chain(links)
    }
}
