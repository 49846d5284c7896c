//! Readings by a renderer, a gauge or an observer.

use crate::feature::{Feature, as_it_is};
use crate::scene::{Scene, criteria, opened};
use crate::valley::{LAKE_M, PLAIN_M, RIVER_M, SIZE, cell_at};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use thalweg::Error;
use thalweg::probe::{Skin, Surface, SurfaceMesh, Window};
use thalweg::units::SimTime;
use thalweg::world::{CellPlace, MapKinds, VisualLayer, World, WorldBuilder};
use thalweg_engine::grid::cells::column_row;
use thalweg_engine::grid::{LeafId, TileKey};

pub const FEATURES: &[Feature] = &[
    Feature {
        name: "visual layer",
        holds: "its sum stays to the bit while it drifts",
        set_up: as_it_is,
        run: drifts,
    },
    Feature {
        name: "surface",
        holds: "a kept surface is one made anew, and has the depths of the cells",
        set_up: as_it_is,
        run: shows,
    },
    Feature {
        name: "mesh",
        holds: "kept meshes are those made anew, one a leaf",
        set_up: as_it_is,
        run: meshes,
    },
    Feature {
        name: "gauges and queries",
        holds: "the volume over the map is the sum, a raster has the depths of the cells",
        set_up: as_it_is,
        run: answers,
    },
    Feature {
        name: "flood maps",
        holds: "largest depths are those that were seen, and the file keeps them",
        set_up: keeps::<0b1111_1111>,
        run: remembers,
    },
    Feature {
        name: "some flood maps",
        holds: "kinds that are kept are those of a world with all, to the bit; others are an error",
        set_up: keeps::<0b1010_0101>,
        run: keeps_some,
    },
    Feature {
        name: "16 observers",
        holds: "leaves around each are of the finest level, and those far off coarser",
        set_up: as_it_is,
        run: watches,
    },
];

/// The whole map, in cells of a level.
fn window(level: u8) -> Window {
    let [width, height] = SIZE.map(|count| (count >> level) as usize);
    Window { level, corner: CellPlace { x: 0, y: 0 }, width, height }
}

/// The level that all leaves of the scene have, or the finest.
fn level(scene: &Scene) -> u8 {
    u8::from(scene.kind.is_coarse())
}

/// Depths of all cells in leaves of the window's level, with their index in the window, m.
fn depths_m(world: &World, window: Window) -> Vec<(usize, f64)> {
    let simulation = world.simulation();
    let unit_m = world.scale().unit_m();
    let leaves = simulation.forest().iter().filter(|(_, key)| key.level == window.level);
    let mut depths = Vec::new();
    for (leaf, key) in leaves {
        let corner = key.corner();
        for (cell, &depth) in simulation.water(leaf).depth.iter().enumerate() {
            let (x, y) = column_row(cell);
            let [x, y] = [corner.x + x, corner.y + y].map(|at| at as usize);
            if x < window.width && y < window.height {
                depths.push((y * window.width + x, f64::from(depth) * unit_m));
            }
        }
    }
    assert!(!depths.is_empty());
    depths
}

/// The plane has these depths, to rounding.
#[track_caller]
fn check_depths(plane: &[f32], depths: &[(usize, f64)]) {
    for &(at, depth_m) in depths {
        let shown_m = f64::from(plane[at]);
        assert!((shown_m - depth_m).abs() <= 1e-6 * depth_m + 2e-5, "{shown_m} for {depth_m} m");
    }
    assert!(depths.iter().any(|&(_, depth_m)| depth_m > 0.5), "some water");
}

fn drifts(scene: &mut Scene) -> Result<(), Error> {
    let mut foam = VisualLayer::new(&scene.world);
    let place = cell_at(RIVER_M);
    foam.add(&scene.world, place, 7.25)?;
    for _ in 0..6 {
        let before = scene.world.time();
        scene.cycle();
        let span = SimTime::from_ticks(scene.world.time().since(before));
        assert_eq!(foam.advance(&scene.world, span).expect("its world").left, SimTime::ZERO);
        assert_eq!(foam.total().to_bits(), 7.25_f64.to_bits());
        let cells = (0..SIZE[1]).flat_map(|y| (0..SIZE[0]).map(move |x| CellPlace { x, y }));
        let sum: f64 = cells.map(|cell| foam.at(cell)).sum();
        assert_eq!(sum.to_bits(), 7.25_f64.to_bits(), "the sum over all cells");
    }
    let amount = |x: u32| foam.at(CellPlace { x, y: place.y });
    assert!(amount(place.x) < 7.0, "the river takes it along");
    let row: Vec<f64> = (0..SIZE[0]).map(amount).collect();
    scene.note_all(row);
    Ok(())
}

fn shows(scene: &mut Scene) -> Result<(), Error> {
    let window = window(level(scene));
    let mut surface = Surface::try_new(window)?;
    let planes = |surface: &Surface| {
        let [east, north] = surface.velocity_m_s();
        let planes = [surface.bed_m(), surface.depth_m(), surface.stage_m(), east, north];
        planes.map(|plane| plane.iter().map(|value| value.to_bits()).collect::<Vec<u32>>())
    };
    for _ in 0..4 {
        scene.cycles(2);
        assert!(!surface.update(&scene.world).is_empty());
        let mut anew = Surface::try_new(window)?;
        anew.update(&scene.world);
        assert!(planes(&surface) == planes(&anew), "kept, and made anew");
        check_depths(surface.depth_m(), &depths_m(&scene.world, window));
        scene.note_all(surface.stage_m().iter().map(|&stage_m| f64::from(stage_m)));
    }
    Ok(())
}

fn meshes(scene: &mut Scene) -> Result<(), Error> {
    let [low_m, high_m] = [[0.0; 2], [1.0e6; 2]];
    let mut kept = SurfaceMesh::try_new(low_m, high_m)?;
    for _ in 0..4 {
        scene.cycles(2);
        kept.update(&scene.world);
        let mut anew = SurfaceMesh::try_new(low_m, high_m)?;
        anew.update(&scene.world);
        let bits = |mesh: &SurfaceMesh| -> Vec<(TileKey, Vec<u32>)> {
            let leaves = mesh.leaves().map(|leaf| {
                let skins = [Skin::Bed, Skin::Water].map(|skin| leaf.elevation_m(skin));
                (leaf.mesh.key, skins.concat().iter().map(|value| value.to_bits()).collect())
            });
            leaves.collect()
        };
        assert!(bits(&kept) == bits(&anew), "kept, and made anew");
        let forest = scene.world.simulation().forest();
        assert!(kept.leaves().map(|leaf| leaf.mesh.key).eq(forest.leaves().iter().copied()));
        let drawn = kept.leaves().flat_map(|leaf| leaf.mesh.triangles(Skin::Water)).count();
        assert!(drawn > 500, "{drawn} triangles of water");
        let stages = kept.leaves().flat_map(|leaf| leaf.elevation_m(Skin::Water));
        scene.note_all(stages.map(|&stage_m| f64::from(stage_m)).collect::<Vec<f64>>());
    }
    Ok(())
}

fn answers(scene: &mut Scene) -> Result<(), Error> {
    scene.cycles(6);
    let query = scene.world.query();
    let [width_m, height_m] = SIZE.map(|count| 2.0 * f64::from(count));
    let map_m = [[0.0, 0.0], [width_m, 0.0], [width_m, height_m], [0.0, height_m]];
    let over = query.wet_from(0.0)?.over(&map_m)?;
    let stored_m3 = scene.world.water().stored() as f64 * scene.world.water().unit_m3();
    assert!((over.volume_m3 / stored_m3 - 1.0).abs() < 1e-6, "{over:?} for {stored_m3} m³");
    let window = window(level(scene));
    let raster = query.surface(window)?;
    check_depths(&raster.depth_m, &depths_m(&scene.world, window));
    let lake = query.at(LAKE_M)?.expect("in the world");
    let stage_m = scene.world.water().stage_m(cell_at(LAKE_M)).expect("water");
    assert!((lake.surface_m() - stage_m).abs() < 0.05, "{lake:?} at {stage_m} m");
    let edge = query.water_edge(window, 0.05)?;
    assert!(!edge.is_empty(), "the water has an edge");
    let line = query.along([0.0, LAKE_M[1]], [width_m, LAKE_M[1]], 100)?;
    let wet = line.iter().flatten().filter(|sample| sample.is_wet()).count();
    assert!((10..60).contains(&wet), "{wet} of 100 places are wet");
    // Finer than leaves are: what is seen through sub-grid columns.
    let finest = query.surface(self::window(0))?;
    let samples = line.iter().flatten().map(|sample| sample.surface_m());
    let numbers: Vec<f64> = samples.chain(finest.depth_m.iter().map(|&h| f64::from(h))).collect();
    scene.note_all(numbers.into_iter().chain([over.volume_m3, over.wet_area_m2]));
    Ok(())
}

/// Largest depths of the leaves there are, from the moment that they came.
type Seen = BTreeMap<TileKey, Vec<i32>>;

/// Keeps the flood maps of these bits, in the order of `MapKinds::EACH`.
fn keeps<const BITS: u8>(builder: WorldBuilder) -> Result<WorldBuilder, Error> {
    let kinds = MapKinds::EACH.into_iter().enumerate().filter(|(bit, _)| BITS >> bit & 1 == 1);
    Ok(builder.maps(kinds.map(|(_, kind)| kind).collect()))
}

fn largest(world: &World, leaf: LeafId) -> &[i32] {
    world.simulation().maps()[leaf].depth_max().expect("kept")
}

fn see(seen: &mut Seen, world: &World) {
    let simulation = world.simulation();
    seen.retain(|key, _| simulation.forest().find(*key).is_some());
    for (leaf, key) in simulation.forest().iter() {
        match seen.entry(key) {
            // A leaf that has just come has the maps of those before it.
            Entry::Vacant(new) => _ = new.insert(largest(world, leaf).to_vec()),
            Entry::Occupied(mut most) => {
                for (most, depth) in most.get_mut().iter_mut().zip(&*simulation.water(leaf).depth) {
                    *most = (*most).max(*depth);
                }
            }
        }
    }
}

fn remembers(scene: &mut Scene) -> Result<(), Error> {
    let mut seen = Seen::new();
    for _ in 0..6 {
        see(&mut seen, &scene.world);
        scene.cycle();
    }
    scene.world.bring_maps_up_to_date();
    see(&mut seen, &scene.world);
    for (leaf, key) in scene.world.simulation().forest().iter() {
        assert!(largest(&scene.world, leaf) == seen[&key], "{key:?}");
    }
    let place = cell_at(LAKE_M);
    let highest = scene.world.maps().maxima()?.at(LAKE_M)?.expect("in the world").depth_m;
    let now = scene.world.water().depth_m(place).expect("in the world");
    assert!(highest > 0.9 * now && now > 1.0, "{highest} m at most, {now} m now");
    let (hash, copy) = (scene.world.maps().hash(MapKinds::ALL)?, scene.reopened()?);
    assert_eq!(copy.maps().hash(MapKinds::ALL)?, hash, "the file keeps them");
    scene.note(hash);
    Ok(())
}

/// Hash of each kind of flood maps that a world keeps, and of its state.
fn hashes(world: &World) -> ([Option<u64>; 8], u64) {
    (MapKinds::EACH.map(|kind| world.maps().hash(kind).ok()), world.state_hash())
}

fn keeps_some(scene: &mut Scene) -> Result<(), Error> {
    let play = |scene: &mut Scene| -> Result<World, Error> {
        scene.cycles(6);
        scene.world.bring_maps_up_to_date();
        scene.reopened()
    };
    let feature = |set_up| Feature { name: "", holds: "", set_up, run: remembers };
    let mut all = Scene::begin(scene.kind, &feature(keeps::<0b1111_1111>))?;
    play(&mut all)?;
    let (all, state) = hashes(&all.world);
    let mut none = Scene::begin(scene.kind, &feature(keeps::<0>))?;
    let copies = [play(&mut none)?, play(scene)?];
    for world in copies.iter().chain([&none.world, &scene.world]) {
        let kinds = world.maps().kinds();
        let kept = MapKinds::EACH.map(|kind| kinds.has(kind));
        let wanted: Vec<_> =
            all.iter().zip(kept).map(|(hash, kept)| hash.filter(|_| kept)).collect();
        assert_eq!(hashes(world), (<[_; 8]>::try_from(wanted).expect("eight"), state), "{kinds}");
    }
    assert_eq!(none.world.maps().kinds(), MapKinds::NONE);
    assert_eq!(scene.world.maps().kinds().bytes_a_cell(), 28);
    scene.note_all(all.iter().flatten().map(|&hash| f64::from_bits(hash)));
    Ok(())
}

fn watches(scene: &mut Scene) -> Result<(), Error> {
    let place = |at: u32| {
        [
            20.0 + 20.0 * f64::from(at % 4) + 280.0 * f64::from(at / 8),
            40.0 + 55.0 * f64::from(at / 4),
        ]
    };
    scene.watch_from((0..16).map(place).collect());
    if scene.world.criteria_mut().is_none() {
        // A world whose leaves do not change has nothing for an observer to ask for.
        return refuse_criteria(scene);
    }
    scene.stay();
    scene.cycles(6);
    let forest = scene.world.simulation().forest();
    for at in scene.observers() {
        let (leaf, _) = forest.locate(cell_at(at)).expect("in the world");
        assert_eq!(forest.leaves()[leaf].level, 0, "around {at:?}");
    }
    let (leaf, _) = forest.locate(cell_at(PLAIN_M)).expect("in the world");
    assert!(forest.leaves()[leaf].level > 0, "the east is coarser");
    Ok(())
}

/// Opens the world with criteria, which it cannot have.
fn refuse_criteria(scene: &mut Scene) -> Result<(), Error> {
    let criteria = criteria(&scene.observers(), &scene.world.extent());
    let stream = scene.stream;
    opened(scene.saved()?, stream, criteria).map(drop)
}
