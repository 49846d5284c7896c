//! Terrain: a heightmap as exact integers, at every level, and its edits.

pub use thalweg_engine::terrain::{
    BedLevel, Bottom, Changed, Edit, EditError, EditPlan, HeightmapError, Shape, Span, Terrain,
    TerrainBuilder, TerrainOptions,
};
