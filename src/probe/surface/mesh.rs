//! Meshes of leaves for drawing, kept, and built anew only where something changes.
//!
//! Each is a [`LeafMesh`] with more at its vertices. All values of a vertex depend on the leaves
//! that touch it and on nothing else, so a leaf is built anew if it or one that touches it has
//! changed: then old and new meshes agree wherever they meet.
//!
//! Guarantees: every line between two triangles of the ground, or of water, belongs to both, after
//!             any updates (`no_cracks`).
//! Limits:     if a shore ends in the middle of a coarse cell's side, the finer leaf's last vertex
//!             is on that side, but belongs to no triangle of the coarse leaf. Foam is that of the
//!             moment: [`Surface`](crate::probe::Surface) has a memory of it. Skirts hide cracks in
//!             renderers that leave vertices out.

use crate::probe::cursor::DischargeNeed;
use crate::probe::mesh::{MESH_WIDTH, Vertex};
use crate::probe::query::check_places;
use crate::probe::surface::{SurfaceState, foam};
use crate::probe::{LeafMesh, Query, QueryError, Skin};
use rayon::prelude::*;
use std::collections::BTreeMap;
use thalweg_engine::grid::{LeafId, TileKey};

/// A leaf for drawing: the values of [`LeafMesh`], and more at each of its vertices.
#[derive(Debug, Clone)]
pub struct SurfaceLeaf {
    /// Bed, stage and depth of the vertices, and the triangles.
    pub mesh: LeafMesh,
    /// Unit vectors upright on the bed: east, north, up.
    pub bed_normal: Vec<[f32; 3]>,
    /// Unit vectors upright on the water, of the wet cells around.
    pub water_normal: Vec<[f32; 3]>,
    /// Velocity eastward and northward, m/s: the mean of the water around.
    pub velocity_m_s: Vec<[f32; 2]>,
    /// Foam of the moment, from 0 to 1.
    pub foam: Vec<f32>,
}

/// A strip that hangs down from the sides of a leaf.
#[derive(Debug, Clone, Default)]
pub struct Skirt {
    /// Upper and lower ends by turns, m: east and north of the leaf's corner, elevation.
    pub positions: Vec<[f32; 3]>,
    /// Indices of `positions`; they face outward.
    pub triangles: Vec<[u32; 3]>,
}

impl SurfaceLeaf {
    #[expect(clippy::cast_possible_truncation, reason = "rounded to f32 on purpose")]
    fn of(query: &Query<'_>, leaf: LeafId) -> Self {
        let plane = || Vec::with_capacity(MESH_WIDTH * MESH_WIDTH);
        let (mut bed_normal, mut water_normal) = (plane(), plane());
        let mut velocity_m_s = Vec::with_capacity(MESH_WIDTH * MESH_WIDTH);
        let mut froth = Vec::with_capacity(MESH_WIDTH * MESH_WIDTH);
        let unit_m = query.scale.unit_m();
        let per_m = unit_m / query.cell_width_m(query.forest.base());
        let upright = |slope: [f64; 2]| {
            let [x, y] = slope.map(|v| v * per_m);
            let up = 1.0 / (x * x + y * y + 1.0).sqrt();
            [-x * up, -y * up, up].map(|v| v as f32)
        };
        let mesh = query.mesh_with(leaf, DischargeNeed::Wanted, |vertex: &Vertex| {
            bed_normal.push(upright(vertex.slopes[0]));
            water_normal.push(upright(vertex.slopes[1]));
            let velocity = vertex.velocity.map(|v| v as f32);
            velocity_m_s.push(velocity);
            let depth_m = (vertex.depth * unit_m) as f32;
            froth.push(foam::source(depth_m, velocity[0], velocity[1], vertex.drop as f32));
        });
        Self { mesh, bed_normal, water_normal, velocity_m_s, foam: froth }
    }

    /// Returns the elevations of the vertices, m: of bed or water.
    #[must_use]
    pub fn elevation_m(&self, skin: Skin) -> &[f32] {
        match skin {
            Skin::Bed => &self.mesh.bed_m,
            Skin::Water => &self.mesh.stage_m,
        }
    }

    /// Returns the position of a vertex: m east and north of the leaf's corner, and its elevation.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "rounded to f32 on purpose")]
    pub fn position(&self, skin: Skin, vertex: u16) -> [f32; 3] {
        let vertex = usize::from(vertex);
        let place = [vertex % MESH_WIDTH, vertex / MESH_WIDTH];
        let [x, y] = place.map(|at| (at as f64 * self.mesh.cell_width_m) as f32);
        [x, y, self.elevation_m(skin)[vertex]]
    }

    /// Returns a strip that hangs `depth_m` down from the ends of the triangles at the leaf's
    /// sides.
    #[must_use]
    pub fn skirt(&self, skin: Skin, depth_m: f32) -> Skirt {
        let triangles = self.mesh.triangles(skin);
        let lines = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        let mut skirt = Skirt::default();
        for [a, b] in lines.filter(|line| is_on_side(*line)) {
            let first = u32::try_from(skirt.positions.len()).expect("few");
            for vertex in [a, b] {
                let [x, y, z] = self.position(skin, vertex);
                skirt.positions.extend([[x, y, z], [x, y, z - depth_m]]);
            }
            let [upper, lower, next, below] = [0, 1, 2, 3].map(|i| first + i);
            skirt.triangles.extend([[upper, lower, next], [next, lower, below]]);
        }
        skirt
    }
}

/// True for a line between two vertices of one side of a leaf.
fn is_on_side(line: [u16; 2]) -> bool {
    let last = MESH_WIDTH - 1;
    let places = line.map(|vertex| {
        let vertex = usize::from(vertex);
        [vertex % MESH_WIDTH, vertex / MESH_WIDTH]
    });
    (0..2).any(|axis| {
        let [a, b] = places.map(|place| place[axis]);
        a == b && (a == 0 || a == last)
    })
}

/// Result of an update of meshes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MeshChange {
    /// Leaves whose meshes are new, in the order of the forest.
    pub changed: Vec<TileKey>,
    /// Leaves whose meshes have been removed.
    pub gone: Vec<TileKey>,
}

/// Meshes of all leaves that touch a rectangle: see [the module](self).
#[derive(Debug, Clone)]
pub struct SurfaceMesh {
    low_m: [f64; 2],
    high_m: [f64; 2],
    leaves: BTreeMap<TileKey, SurfaceLeaf>,
    revision: Option<u64>,
    is_moved: bool,
}

impl SurfaceMesh {
    /// Returns a surface of the leaves that touch a rectangle, without meshes before its first
    /// update.
    ///
    /// # Errors
    ///
    /// [`QueryError::Place`] if a corner is not a finite number: 0 the south-western, 1 the
    /// north-eastern one.
    pub fn try_new(
        low_m: impl Into<[f64; 2]>,
        high_m: impl Into<[f64; 2]>,
    ) -> Result<Self, QueryError> {
        let (low_m, high_m) = (low_m.into(), high_m.into());
        check_places(&[low_m, high_m])?;
        Ok(Self { low_m, high_m, leaves: BTreeMap::new(), revision: None, is_moved: true })
    }

    /// Shows another rectangle from the next update on; meshes in both are kept.
    ///
    /// # Errors
    ///
    /// The errors of [`SurfaceMesh::try_new`]; then nothing has changed.
    pub fn move_to(
        &mut self,
        low_m: impl Into<[f64; 2]>,
        high_m: impl Into<[f64; 2]>,
    ) -> Result<(), QueryError> {
        let (low_m, high_m) = (low_m.into(), high_m.into());
        check_places(&[low_m, high_m])?;
        (self.low_m, self.high_m, self.is_moved) = (low_m, high_m, true);
        Ok(())
    }

    /// Returns the meshes, in the order of the forest.
    pub fn leaves(&self) -> impl Iterator<Item = &SurfaceLeaf> {
        self.leaves.values()
    }

    /// Returns the mesh of a leaf.
    #[must_use]
    pub fn leaf(&self, key: TileKey) -> Option<&SurfaceLeaf> {
        self.leaves.get(&key)
    }

    /// Returns the leaves of a state that touch the rectangle.
    pub(crate) fn shown(&self, query: &Query<'_>) -> Vec<LeafId> {
        query.touching(self.low_m, self.high_m).collect()
    }

    /// Builds the meshes that have changed.
    pub(crate) fn follow(&mut self, state: &SurfaceState<'_>) -> MeshChange {
        if self.revision == Some(state.revision) && !self.is_moved {
            return MeshChange::default();
        }
        // If this state is earlier than the last one, as after undoing, nothing is kept.
        let known = self.revision.filter(|&revision| revision <= state.revision);
        let (query, keys) = (&state.query, state.query.forest.leaves());
        let shown = self.shown(query);
        let is_due = |leaf: &LeafId| {
            let is_kept = self.leaves.contains_key(&keys[*leaf]);
            known.is_none_or(|revision| !is_kept || state.has_changed_around(*leaf, revision))
        };
        let due: Vec<LeafId> = shown.iter().copied().filter(is_due).collect();
        let is_shown = |key: &TileKey| {
            query.forest.find(*key).is_some_and(|leaf| shown.binary_search(&leaf).is_ok())
        };
        let gone = self.leaves.keys().copied().filter(|key| !is_shown(key));
        let gone: Vec<TileKey> = gone.collect();
        gone.iter().for_each(|key| _ = self.leaves.remove(key));
        let built = due.into_par_iter().map(|leaf| (keys[leaf], SurfaceLeaf::of(query, leaf)));
        let built: Vec<(TileKey, SurfaceLeaf)> = built.collect();
        let changed = built.iter().map(|(key, _)| *key).collect();
        self.leaves.extend(built);
        (self.revision, self.is_moved) = (Some(state.revision), false);
        MeshChange { changed, gone }
    }
}
