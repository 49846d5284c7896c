//! A flooded valley on three levels as a glTF file. Look first at the picture in any viewer of glTF
//! (or drag the file into <https://gltf-viewer.donmccurdy.com>): ground and water have no cracks
//! between leaves of two levels; the printed lines list these levels.
//!
//! The default file is `target/valley.glb`.

use serde_json::json;
use std::collections::BTreeMap;
use std::path::PathBuf;
use thalweg::criteria::{Observer, ObserverOptions};
use thalweg::probe::{Skin, SurfaceLeaf, SurfaceMesh};
use thalweg::terrain::{TerrainBuilder, TerrainOptions};
use thalweg::units::{SimTime, VerticalScale};
use thalweg::world::{AdaptiveOptions, World, WorldBuilder};

/// Cells of 2 m a side of the world: three by three tiles of level 2. The leaves of level 0 are at
/// the corner of four of these, and as levels change by one at a time the remaining five stay.
const CELLS: u32 = 768;
const WIDTH_M: f64 = 2.0;

type ExportFailure = Box<dyn std::error::Error>;

fn main() -> Result<(), ExportFailure> {
    let mut world = valley()?;
    world.run_until(SimTime::from_seconds(40.0));
    let mut mesh = SurfaceMesh::try_new([0.0; 2], [f64::from(CELLS) * WIDTH_M; 2])?;
    mesh.update(&world);
    let count = |level: u8| mesh.leaves().filter(|leaf| leaf.mesh.key.level == level).count();
    println!("leaves of levels 0, 1 and 2: {:?}", [0, 1, 2].map(count));
    let mut file = File::default();
    file.add(&Soup::of(&mesh, Skin::Bed), "ground");
    file.add(&Soup::of(&mesh, Skin::Water), "water");
    let path = std::env::args_os().nth(1).map_or("target/valley.glb".into(), PathBuf::from);
    path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
    let written = std::fs::write(&path, file.finish()?);
    written.map_err(|reason| format!("{} cannot be written: {reason}", path.display()))?;
    println!("{} is written", path.display());
    Ok(())
}

/// Makes a valley with a winding river, and a lake above that breaks out; fine near an observer.
fn valley() -> Result<World, ExportFailure> {
    let scale = VerticalScale::choose(0.0, 80.0, 100.0)?;
    let size = CELLS as usize;
    let options = TerrainOptions {
        width: size,
        height: size,
        cell_width_m: WIDTH_M,
        scale,
        bed_exponent: 10,
    };
    let mut terrain = TerrainBuilder::try_new(options)?;
    let off_river_m = |x: u32, y: u32| {
        let middle = 256.0 + 60.0 * (f64::from(y) / 60.0).sin();
        WIDTH_M * (f64::from(x) - middle).abs()
    };
    for y in (0..CELLS).rev() {
        let bed_m = |x: u32| {
            let hills = (f64::from(x) / 23.0).sin() * (f64::from(y) / 31.0).cos();
            0.03 * f64::from(y) + (0.09 * off_river_m(x, y)).min(40.0) + 1.5 * hills
        };
        terrain.push_row(&(0..CELLS).map(bed_m).collect::<Vec<_>>())?;
    }
    let builder = WorldBuilder::new(terrain.finish()?);
    let observer = ObserverOptions {
        position_m: [390.0, 620.0],
        velocity_m_s: [0.0; 2],
        look_ahead_s: 0.0,
        radii_m: vec![(0, 40.0), (1, 90.0)],
        priority: 0.0,
    };
    let observer = Observer::try_new(&observer, &builder.extent(2)?)?;
    Ok(builder
        .adaptive(AdaptiveOptions {
            coarsest: 2,
            criteria: vec![Box::new(observer)],
            ..AdaptiveOptions::default()
        })
        .initial_stage(move |place| match place.y {
            300.. => 19.0,
            y if off_river_m(place.x, y) < 20.0 => 0.03 * f64::from(y) + 1.5,
            _ => f64::NAN,
        })
        .build()?)
}

/// Triangles of all leaves. In glTF y goes up and z south.
#[derive(Default)]
struct Soup {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    colours: Vec<[f32; 4]>,
    indices: Vec<u32>,
}

impl Soup {
    fn of(mesh: &SurfaceMesh, skin: Skin) -> Self {
        let mut soup = Self::default();
        for leaf in mesh.leaves() {
            // Only vertices of triangles: the remaining ones may be invalid.
            let mut known = BTreeMap::new();
            for vertex in leaf.mesh.triangles(skin).into_iter().flatten() {
                let next = u32::try_from(soup.positions.len()).expect("few");
                let index = *known.entry(vertex).or_insert(next);
                if index == next {
                    soup.add(leaf, skin, vertex);
                }
                soup.indices.push(index);
            }
        }
        soup
    }

    #[expect(clippy::cast_possible_truncation, reason = "small numbers")]
    fn add(&mut self, leaf: &SurfaceLeaf, skin: Skin, vertex: u16) {
        let [x, y, z] = leaf.position(skin, vertex);
        let corner = leaf.mesh.corner_m.map(|v| v as f32);
        self.positions.push([corner[0] + x, z, -(corner[1] + y)]);
        let at = usize::from(vertex);
        let depth = leaf.mesh.depth_m[at];
        let (normal, colour) = match skin {
            Skin::Bed => {
                let green = leaf.bed_normal[at][2].powi(6);
                (leaf.bed_normal[at], [0.45 - 0.25 * green, 0.30 + 0.10 * green, 0.15, 1.0])
            }
            Skin::Water => {
                let (deep, foam) = ((depth / 4.0).min(1.0), leaf.foam[at]);
                let colour = [0.10, 0.38 - 0.2 * deep, 0.50 - 0.15 * deep];
                let [r, g, b] = colour.map(|colour| colour + (1.0 - colour) * foam);
                (leaf.water_normal[at], [r, g, b, (0.55 + 0.4 * deep).max(foam)])
            }
        };
        self.normals.push([normal[0], normal[2], -normal[1]]);
        self.colours.push(colour);
    }
}

/// Binary glTF file in the making.
#[derive(Default)]
struct File {
    bytes: Vec<u8>,
    views: Vec<serde_json::Value>,
    accessors: Vec<serde_json::Value>,
    meshes: Vec<serde_json::Value>,
}

impl File {
    fn add(&mut self, soup: &Soup, name: &str) {
        let positions = self.plane(&soup.positions);
        let range = |of: fn(f32, f32) -> f32| {
            [0, 1, 2].map(|i| soup.positions.iter().map(|p| p[i]).reduce(of).unwrap_or(0.0))
        };
        self.accessors[positions]["min"] = json!(range(f32::min));
        self.accessors[positions]["max"] = json!(range(f32::max));
        let (normals, colours) = (self.plane(&soup.normals), self.plane(&soup.colours));
        let bytes = soup.indices.iter().flat_map(|index| index.to_le_bytes()).collect();
        let indices = self.accessor(bytes, 34963, [soup.indices.len(), 5125], "SCALAR");
        let attributes = json!({ "POSITION": positions, "NORMAL": normals, "COLOR_0": colours });
        let primitive =
            json!({ "attributes": attributes, "indices": indices, "material": self.meshes.len() });
        self.meshes.push(json!({ "name": name, "primitives": [primitive] }));
    }

    /// Adds vectors as an accessor; returns its number.
    fn plane<const N: usize>(&mut self, vectors: &[[f32; N]]) -> usize {
        let bytes = vectors.as_flattened().iter().flat_map(|v| v.to_le_bytes()).collect();
        let kind = if N == 3 { "VEC3" } else { "VEC4" };
        self.accessor(bytes, 34962, [vectors.len(), 5126], kind)
    }

    fn accessor(&mut self, bytes: Vec<u8>, target: u32, count: [usize; 2], kind: &str) -> usize {
        let (from, length) = (self.bytes.len(), bytes.len());
        self.bytes.extend(bytes);
        self.views.push(json!({ "buffer": 0, "byteOffset": from, "byteLength": length,
            "target": target }));
        self.accessors.push(json!({ "bufferView": self.views.len() - 1,
            "componentType": count[1], "count": count[0], "type": kind }));
        self.accessors.len() - 1
    }

    /// Returns the whole file: a header, and chunks of JSON and of bytes.
    fn finish(self) -> Result<Vec<u8>, ExportFailure> {
        let material = |mode: &str, rough: f64| {
            let metal = json!({ "metallicFactor": 0.0, "roughnessFactor": rough });
            json!({ "alphaMode": mode, "pbrMetallicRoughness": metal })
        };
        let document = json!({
            "asset": { "version": "2.0", "generator": "thalweg" },
            "scene": 0, "scenes": [{ "nodes": [0, 1] }], "nodes": [{ "mesh": 0 }, { "mesh": 1 }],
            "materials": [material("OPAQUE", 1.0), material("BLEND", 0.15)],
            "meshes": self.meshes, "accessors": self.accessors, "bufferViews": self.views,
            "buffers": [{ "byteLength": self.bytes.len() }],
        });
        let mut text = serde_json::to_vec(&document)?;
        text.resize(text.len().next_multiple_of(4), b' ');
        let length = |bytes: &[u8]| u32::try_from(bytes.len());
        let whole = 12 + 8 + length(&text)? + 8 + length(&self.bytes)?;
        let mut file = b"glTF".to_vec();
        file.extend([2, whole].map(u32::to_le_bytes).as_flattened());
        for (chunk, name) in [(&text, b"JSON"), (&self.bytes, b"BIN\0")] {
            file.extend(length(chunk)?.to_le_bytes());
            file.extend(name);
            file.extend(chunk);
        }
        Ok(file)
    }
}
