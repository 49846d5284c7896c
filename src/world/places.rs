//! From metres to cells: structures, areas and footprints are in metres, depths are asked by cell.

use crate::grid::cells::CellPlace;
use crate::world::World;
use crate::world::links::cell_at;

impl World {
    /// The cell of the simulated level that holds a point, m east and north of the world's
    /// south-west corner; `None` outside the world.
    ///
    /// # Examples
    ///
    /// ```
    /// use thalweg::grid::cells::CellPlace;
    /// use thalweg::terrain::Terrain;
    /// use thalweg::world::WorldBuilder;
    /// let hole = |x, y| if (x, y) == (3, 0) { f64::NAN } else { 2.0 };
    /// let world = WorldBuilder::new(Terrain::from_heights([4, 3], 5.0, hole)?).build()?;
    /// assert_eq!(world.place_at([7.5, 0.0]), Some(CellPlace { x: 1, y: 0 }));
    /// assert_eq!(world.place_at([7.5, 7.5]).and_then(|place| world.bed_m(place)), Some(2.0));
    /// let outside = [[-0.1, 1.0], [20.0, 1.0], [17.5, 2.5], [f64::NAN, 1.0]];
    /// assert!(outside.iter().all(|&point| world.place_at(point).is_none()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn place_at(&self, point_m: [f64; 2]) -> Option<CellPlace> {
        cell_at(point_m, self.cell_width_m()).filter(|&place| self.locate(place).is_some())
    }
}
