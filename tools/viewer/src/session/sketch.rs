//! Drawings over the water: leaves, structures and places.

use std::sync::Arc;

use thalweg::world::{Link, TILE_WIDTH, TileKey, World};

use crate::session::{GaugeSeries, LeafMark, LineKind, NamedPlace, PlaceKind, StructureLine};

/// Drawings of a world that were sent, renewed only if the world has changed.
#[derive(Default)]
pub(super) struct Sketch {
    keys: Vec<TileKey>,
    asleep: Vec<bool>,
    leaves: Arc<Vec<LeafMark>>,
    lines: Arc<Vec<StructureLine>>,
    places: Arc<Vec<NamedPlace>>,
}

impl Sketch {
    /// Returns all leaves.
    #[expect(clippy::cast_possible_truncation, reason = "places to draw")]
    pub fn leaves(&mut self, world: &World) -> Arc<Vec<LeafMark>> {
        let (keys, asleep) = (world.leaves().keys(), world.leaves().asleep());
        let is_same =
            |mark: &LeafMark, key: &TileKey| mark.is_resident == world.stream().is_resident(*key);
        if self.keys == keys
            && self.asleep == asleep
            && self.leaves.iter().zip(keys).all(|(mark, key)| is_same(mark, key))
        {
            return Arc::clone(&self.leaves);
        }
        (self.keys, self.asleep) = (keys.to_vec(), asleep.to_vec());
        let tile = f64::from(u32::try_from(TILE_WIDTH).expect("64"));
        let base_m = world.cell_width_m() * tile / f64::from(1_u32 << world.extent().base());
        let mark = |(key, is_asleep): (&TileKey, &bool)| {
            let width_m = base_m * f64::from(1_u32 << key.level);
            LeafMark {
                corner_m: [key.x, key.y].map(|at| (f64::from(at) * width_m) as f32),
                width_m: width_m as f32,
                level: key.level,
                is_asleep: *is_asleep,
                is_resident: world.stream().is_resident(*key),
            }
        };
        self.leaves = Arc::new(keys.iter().zip(asleep).map(mark).collect());
        Arc::clone(&self.leaves)
    }

    /// Returns the barriers and links, with their discharges.
    pub fn lines(&mut self, world: &World) -> Arc<Vec<StructureLine>> {
        let barriers = world.structures().barriers().iter().map(|barrier| {
            let crests = &barrier.crest_m;
            let crest = |at: usize| crests.get(at).or(crests.first()).copied().unwrap_or(0.0);
            StructureLine {
                name: barrier.name.clone(),
                kind: LineKind::Barrier,
                points_m: barrier.path_m.clone(),
                elevations_m: (0..barrier.path_m.len()).map(crest).collect(),
                discharge_m3_s: world
                    .structures()
                    .barrier_flow(&barrier.name)
                    .map_or(0.0, |flow| flow.discharge_m3_s),
            }
        });
        let links = world.structures().links().map(|link| line_of(world, link));
        keep(&mut self.lines, barriers.chain(links).collect());
        Arc::clone(&self.lines)
    }

    /// Returns the inflows and gauges.
    pub fn places(&mut self, world: &World, gauges: &[Arc<GaugeSeries>]) -> Arc<Vec<NamedPlace>> {
        let mut names: Vec<&str> = world.structures().inflows().collect();
        names.dedup();
        let inflows = names.into_iter().filter_map(|name| {
            let at_m = middle_m(world, name)?;
            Some(NamedPlace { name: name.to_owned(), kind: PlaceKind::Inflow, at_m })
        });
        let gauges = gauges.iter().map(|gauge| {
            let (name, at_m) = (gauge.name.clone(), gauge.at_m);
            NamedPlace { name, kind: PlaceKind::Gauge, at_m }
        });
        keep(&mut self.places, inflows.chain(gauges).collect());
        Arc::clone(&self.places)
    }
}

/// Keeps the drawings that were sent if they are the same.
fn keep<T: PartialEq>(kept: &mut Arc<Vec<T>>, now: Vec<T>) {
    if **kept != now {
        *kept = Arc::new(now);
    }
}

/// Returns the middle of the cells of an inflow, m.
fn middle_m(world: &World, name: &str) -> Option<[f64; 2]> {
    let (mut sum, mut count) = ([0.0; 2], 0.0);
    for place in world.structures().inflow_places(name) {
        let own = [place.x, place.y].map(|at| f64::from(at) + 0.5);
        sum = [sum[0] + own[0], sum[1] + own[1]];
        count += 1.0;
    }
    (count > 0.0).then(|| sum.map(|sum| sum / count * world.cell_width_m()))
}

fn line_of(world: &World, link: &Link) -> StructureLine {
    let ends = link.spec().ends();
    let query = world.query();
    let ground_m = |at: [f64; 2]| query.at(at).ok().flatten().map_or(0.0, |sample| sample.bed_m);
    let elevations =
        ends.iter().map(|end| end.elevation_m.unwrap_or_else(|| ground_m(end.point_m)));
    StructureLine {
        name: link.name().to_owned(),
        kind: LineKind::Link(link.spec().kind()),
        points_m: ends.iter().map(|end| end.point_m).collect(),
        elevations_m: elevations.collect(),
        discharge_m3_s: world
            .structures()
            .link_flow(link.name())
            .map_or(0.0, |flow| flow.discharge_m3_s),
    }
}
