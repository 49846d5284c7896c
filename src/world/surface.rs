//! Surfaces of a world.

use crate::probe::surface::SurfaceState;
use crate::probe::{MeshChange, Query, Surface, SurfaceMesh, Window};
use crate::world::World;
use thalweg_engine::grid::LeafId;

impl Surface {
    /// Brings the surface up to date with a world, between two cycles: in leaves that changed since
    /// the last update, and around them. Returns the rectangles of written cells, one in each tile
    /// of 64 × 64 cells of the window's level at most.
    ///
    /// A window finer than sub-grid columns reads the finest beds below them. If they are in a
    /// file, it waits for pages that are not in memory, which counts among the stalls of the world;
    /// a page that cannot be read is the world's error, and outside until [`Surface::forget`].
    ///
    /// If nothing has changed, the call does nothing. Changes are found by revisions, and each
    /// world counts its own: call [`Surface::forget`] before another world, even the same one
    /// loaded again, or parts with the same number stay as they were.
    ///
    /// # Examples
    ///
    /// ```
    /// use thalweg::world::CellPlace;
    /// use thalweg::probe::{Surface, Window};
    /// use thalweg::terrain::{TerrainBuilder, TerrainOptions};
    /// use thalweg::units::{SimTime, VerticalScale};
    /// use thalweg::world::WorldBuilder;
    /// let scale = VerticalScale::choose(0.0, 9.0, 20.0)?;
    /// let options =
    ///     TerrainOptions { width: 10, height: 4, cell_width_m: 5.0, scale, bed_exponent: 10 };
    /// let mut terrain = TerrainBuilder::try_new(options)?;
    /// let slope: Vec<f64> = (0..10).map(f64::from).collect();
    /// (0..4).try_for_each(|_| terrain.push_row(&slope))?;
    /// // A lake on a bank of 1:5.
    /// let lake = |_| 2.75;
    /// let mut world = WorldBuilder::new(terrain.finish()?).initial_stage(lake).build()?;
    ///
    /// let window = Window { level: 0, corner: CellPlace { x: 0, y: 0 }, width: 10, height: 4 };
    /// let mut surface = Surface::try_new(window)?;
    /// assert_eq!(surface.update(&world), [window]);
    /// let wet = |depth_m: &&f32| **depth_m > 0.0;
    /// assert_eq!(surface.depth_m()[..10].iter().filter(wet).count(), 3);
    /// // Stage less bed is a depth with a sign: the shore lies between the third and fourth cell.
    /// let signed: Vec<f32> = (0..5).map(|x| surface.stage_m()[x] - surface.bed_m()[x]).collect();
    /// assert_eq!(signed, [2.75, 1.75, 0.75, -0.25, -1.25]);
    /// assert!(surface.update(&world).is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn update(&mut self, world: &World) -> Vec<Window> {
        let changed_at = |leaf: LeafId| world.simulation().leaves().changed_at(leaf);
        self.follow(&state(world.query(), world, &changed_at))
    }
}

impl SurfaceMesh {
    /// Brings the meshes up to date with a world, between two cycles: of leaves that changed since
    /// the last update, and of their neighbours, so that shared vertices agree. Returns the changed
    /// meshes. Another world, even the same one loaded again, needs a new `SurfaceMesh`.
    pub fn update(&mut self, world: &World) -> MeshChange {
        let changed_at = |leaf: LeafId| world.simulation().leaves().changed_at(leaf);
        // The vertices belong to the leaves' cells.
        self.follow(&state(world.query().on(None), world, &changed_at))
    }
}

/// Returns a world as surfaces read it.
fn state<'a>(
    query: Query<'a>,
    world: &'a World,
    changed_at: &'a (dyn Fn(LeafId) -> u64 + Sync),
) -> SurfaceState<'a> {
    SurfaceState {
        query: query.flowing(world.simulation.maps()),
        changed_at,
        revision: world.simulation().revision(),
        time: world.time(),
    }
}
