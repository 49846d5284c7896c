//! A mirror drawn without its world.

use crate::feature::{Feature, as_it_is};
use crate::scene::Scene;
use crate::valley::{RIVER_M, SIZE, disc};
use thalweg::Error;
use thalweg::follow::{Applied, Feed, Follow, Memory, Mirror, Store};
use thalweg::probe::{Surface, SurfaceMesh, Window};
use thalweg::terrain::Edit;
use thalweg::world::{CellPlace, Limits, MapKinds, SurfaceSource, World};
use thalweg_engine::grid::TileKey;

pub const FEATURES: &[Feature] = &[
    Feature {
        name: "mirror, drawn",
        holds: "surfaces and meshes of a mirror, without a world, are those of one that is opened",
        set_up: as_it_is,
        run: draws,
    },
    Feature {
        name: "mirror, drawn without maps",
        holds: "the same, with the velocities of discharges",
        set_up: |builder| Ok(builder.maps(MapKinds::NONE)),
        run: draws,
    },
];

/// The map at two levels, and a rectangle that touches some leaves.
fn windows() -> [Window; 3] {
    let window = |level: u8, [x, y]: [u32; 2], [width, height]: [usize; 2]| Window {
        level,
        corner: CellPlace { x, y },
        width,
        height,
    };
    let size = SIZE.map(|count| count as usize);
    [
        window(0, [0; 2], size),
        window(1, [0; 2], size.map(|count| count / 2)),
        window(0, [10, 30], [75, 60]),
    ]
}

/// South-west and north-east corners of meshes, m: all, and those around a place in the river.
const MESHES_M: [[[f64; 2]; 2]; 2] = [[[0.0; 2], [1.0e6; 2]], [[20.0, 80.0], [60.0, 120.0]]];

type Bits = Vec<Vec<u32>>;

/// All planes, those of foam apart.
fn planes(surface: &Surface) -> [Bits; 2] {
    let bits = |plane: &[f32]| plane.iter().map(|value| value.to_bits()).collect::<Vec<u32>>();
    let normals = |plane: &[[i8; 4]]| {
        plane.iter().map(|normal| u32::from_le_bytes(normal.map(i8::cast_unsigned))).collect()
    };
    let [east, north] = surface.velocity_m_s();
    let floats = [surface.bed_m(), surface.depth_m(), surface.stage_m(), east, north].map(bits);
    let normals = [surface.bed_normal(), surface.normal()].map(normals);
    [floats.into_iter().chain(normals).collect(), vec![bits(surface.foam())]]
}

fn meshes(mesh: &SurfaceMesh) -> Vec<(TileKey, Vec<u32>)> {
    let leaves = mesh.leaves().map(|leaf| {
        let planes = [&leaf.mesh.bed_m, &leaf.mesh.stage_m, &leaf.mesh.depth_m, &leaf.foam];
        let normals = leaf.bed_normal.iter().chain(&leaf.water_normal).flatten();
        let all = planes.into_iter().flatten().chain(normals);
        let all = all.chain(leaf.velocity_m_s.iter().flatten());
        (leaf.mesh.key, all.map(|value| value.to_bits()).collect())
    });
    leaves.collect()
}

/// Surfaces and meshes that are kept while commits come.
struct Kept {
    surfaces: Vec<Surface>,
    meshes: Vec<SurfaceMesh>,
}

impl Kept {
    fn new() -> Result<Self, Error> {
        let surfaces = windows().into_iter().map(Surface::try_new).collect::<Result<_, _>>()?;
        let meshes =
            MESHES_M.into_iter().map(|[low_m, high_m]| SurfaceMesh::try_new(low_m, high_m));
        Ok(Self { surfaces, meshes: meshes.collect::<Result<_, _>>()? })
    }

    fn update_from(&mut self, source: &mut SurfaceSource) -> Result<(), Error> {
        for surface in &mut self.surfaces {
            surface.update_from(source)?;
        }
        for mesh in &mut self.meshes {
            mesh.update_from(source)?;
        }
        Ok(())
    }

    fn update(&mut self, world: &World) {
        self.surfaces.iter_mut().for_each(|surface| _ = surface.update(world));
        self.meshes.iter_mut().for_each(|mesh| _ = mesh.update(world));
    }
}

fn draws(scene: &mut Scene) -> Result<(), Error> {
    let empty = Store::create_on(Box::new(Memory::default()))?;
    let mut mirror = Mirror::new(empty, Follow::default())?;
    let mut feed = Feed::new(scene.saved()?.store().reader(), &mirror.ask());
    let (mut drawn, mut source) = (Kept::new()?, None::<SurfaceSource>);
    let mut spared = 0;
    for round in 0..4 {
        scene.cycles(2);
        if round == 2 {
            let shape = disc(RIVER_M, 12.0);
            scene.world.edits().edit(&Edit::Raise { shape, by_m: 0.75 })?;
        }
        scene.saved()?;
        let mut stream = Vec::new();
        while feed.write_next(&mut stream)? {}
        let mut stream = &stream[..];
        while mirror.read_next(&mut stream)? != Applied::End {}
        let source = match &mut source {
            None => source.insert(check_limits(&mirror)?),
            Some(source) => {
                let change = source.refresh()?;
                assert!(!change.changed.is_empty() && source.refresh()?.changed.is_empty());
                spared += source.leaves().len() - change.changed.len();
                source
            }
        };
        assert_eq!(source.generation(), mirror.generation());
        drawn.update_from(source)?;
        let (mut anew, mut of_world) = (Kept::new()?, Kept::new()?);
        anew.update_from(source)?;
        let world = scene.reopened()?;
        of_world.update(&world);
        assert_eq!(source.time(), world.time());
        assert_eq!(source.leaves(), world.simulation().forest().leaves());
        for ((kept, anew), of_world) in
            drawn.surfaces.iter().zip(&anew.surfaces).zip(&of_world.surfaces)
        {
            let place = (round, of_world.window());
            assert!(planes(anew) == planes(of_world), "{place:?}: made anew");
            assert!(planes(kept)[0] == planes(of_world)[0], "{place:?}: kept");
        }
        for ((kept, anew), of_world) in drawn.meshes.iter().zip(&anew.meshes).zip(&of_world.meshes)
        {
            assert!(meshes(anew) == meshes(of_world), "{round}: meshes made anew");
            assert!(meshes(kept) == meshes(of_world), "{round}: kept meshes");
        }
        // A source that has decoded no more than some leaves and those around.
        let mut apart = SurfaceSource::try_new(mirror.store().reader(), Limits::default())?;
        let mut some = Kept::new()?;
        some.meshes[1].update_from(&mut apart)?;
        assert!(meshes(&some.meshes[1]) == meshes(&of_world.meshes[1]), "{round}: some leaves");
        let mut apart = SurfaceSource::try_new(mirror.store().reader(), Limits::default())?;
        some.surfaces[2].update_from(&mut apart)?;
        assert!(planes(&some.surfaces[2]) == planes(&of_world.surfaces[2]), "{round}: some leaves");
        let depths_m = drawn.surfaces[1].depth_m();
        assert!(depths_m.iter().any(|&depth_m| depth_m > 0.5), "some water");
        scene.note_all(depths_m.iter().map(|&depth_m| f64::from(depth_m)).collect::<Vec<f64>>());
    }
    // Of few coarse leaves each may have some water that moves.
    assert!(spared > 0 || scene.kind.is_adaptive(), "leaves that sleep are not decoded again");
    Ok(())
}

/// A source of a mirror that is refused what is too much, and goes on within larger limits.
fn check_limits(mirror: &Mirror) -> Result<SurfaceSource, Error> {
    let reader = || mirror.store().reader();
    let mut small = SurfaceSource::try_new(reader(), Limits::default().bytes(1 << 20))?;
    let mut surface = Surface::try_new(windows()[0])?;
    let error = surface.update_from(&mut small).expect_err("several leaves").to_string();
    assert!(error.contains("the leaves that a surface shows"), "{error}");
    assert!(surface.depth_m().iter().all(|&depth_m| depth_m == 0.0));
    Ok(SurfaceSource::try_new(reader(), Limits::default())?)
}
