//! Places of a map that must be fine: regions of interest, and places of things in the water.

use crate::forest::criteria::area::polygon_area;
use crate::forest::criteria::{
    Criterion, CriterionError, Rectangle, Request, Scale, check_coordinates, check_level,
    check_priority,
};
use crate::forest::facts::LeafFacts;
use crate::grid::TileKey;
use std::collections::HashMap;

/// A region of interest, in which everything is at least as fine as a level.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    area: RegionArea,
    level: u8,
    priority: f32,
}

#[derive(Debug, Clone, PartialEq)]
enum RegionArea {
    Rectangle(Rectangle),
    Polygon { corners: Vec<[f64; 2]>, around: Rectangle },
}

impl Region {
    /// Creates a rectangle; it may reach beyond the world.
    ///
    /// # Errors
    ///
    /// [`CriterionError`] if a side is not a number or beyond 10⁹ m, if the sides are out of order,
    /// or if the level is not one of the world's.
    pub fn rectangle(
        area: Rectangle,
        level: u8,
        priority: f32,
        world: &Scale,
    ) -> Result<Self, CriterionError> {
        area.check("a region")?;
        Self::try_new(RegionArea::Rectangle(area), level, priority, world)
    }

    /// Creates a polygon from its corners, m east and north of the world's south-west corner; the
    /// last side closes it. If its sides cross, the region is the part that an odd number of them
    /// encloses.
    ///
    /// # Errors
    ///
    /// As for [`Region::rectangle`]; also if the polygon has no area.
    pub fn polygon(
        corners: &[impl Into<[f64; 2]> + Copy],
        level: u8,
        priority: f32,
        world: &Scale,
    ) -> Result<Self, CriterionError> {
        let corners: Vec<[f64; 2]> = corners.iter().map(|&corner| corner.into()).collect();
        for (number, &corner) in corners.iter().enumerate() {
            check_coordinates(&format!("corner {number} of a region"), corner)?;
        }
        if polygon_area(&corners) == 0.0 {
            let mend = "give at least three corners that are not on a line";
            return Err(CriterionError::NoArea { what: "a region".to_owned(), mend });
        }
        let end = |axis: usize, end: fn(f64, f64) -> f64| {
            corners.iter().map(|corner| corner[axis]).reduce(end).unwrap_or(0.0)
        };
        let around = Rectangle {
            west: end(0, f64::min),
            south: end(1, f64::min),
            east: end(0, f64::max),
            north: end(1, f64::max),
        };
        Self::try_new(RegionArea::Polygon { corners, around }, level, priority, world)
    }

    fn try_new(
        area: RegionArea,
        level: u8,
        priority: f32,
        world: &Scale,
    ) -> Result<Self, CriterionError> {
        check_level("the level of a region", level, world.base(), world.coarsest())?;
        check_priority("a region", priority)?;
        Ok(Self { area, level, priority })
    }
}

impl Criterion for Region {
    fn request(&self, leaf: &LeafFacts, world: &Scale) -> Request {
        let tile = world.area(leaf.key);
        let is_touched = match &self.area {
            RegionArea::Rectangle(area) => tile.overlaps(area),
            RegionArea::Polygon { corners, around } => {
                tile.overlaps(around) && tile.overlaps_polygon(corners)
            }
        };
        if is_touched { Request::level(self.level, self.priority) } else { Request::NOTHING }
    }
}

/// A place that must be at least as fine as a level, for instance for a structure there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
    /// Rectangle of the place; [`Scale::cell_area`] returns that of a cell.
    pub area: Rectangle,
    /// Coarsest level allowed.
    pub level: u8,
}

/// Many places that must be fine. The time to answer for a leaf does not grow with their number.
///
/// A leaf that is finer than a place needs may miss the place; the coarser tiles around it do not,
/// and a planner reads them too.
#[derive(Debug, Clone, PartialEq)]
pub struct Places {
    /// The finest level needed by any place in a tile, for tiles of that level and coarser ones.
    needs: HashMap<TileKey, u8>,
    priority: f32,
}

impl Places {
    /// Creates the places of a world; places beyond it request nothing.
    ///
    /// # Errors
    ///
    /// [`CriterionError`] if a side is not a number or beyond 10⁹ m, if sides are out of order, or
    /// if a level is not one of the world's.
    pub fn try_new(places: &[Place], priority: f32, world: &Scale) -> Result<Self, CriterionError> {
        check_priority("places", priority)?;
        let mut needs = HashMap::new();
        for (number, &Place { area, level }) in places.iter().enumerate() {
            let what = format!("place {number}");
            area.check(&what)?;
            check_level(&format!("the level of {what}"), level, world.base(), world.coarsest())?;
            for tile_level in level..=world.coarsest() {
                for key in tiles_in(&area, tile_level, world) {
                    let least = needs.entry(key).or_insert(level);
                    *least = level.min(*least);
                }
            }
        }
        Ok(Self { needs, priority })
    }
}

impl Criterion for Places {
    fn request(&self, leaf: &LeafFacts, world: &Scale) -> Request {
        let mut tiles = (leaf.key.level..=world.coarsest()).map(|level| leaf.key.ancestor(level));
        let first = tiles.find_map(|key| self.needs.get(&key).map(|&level| (key, level)));
        match first {
            // A place in a coarser tile that needs more than that tile is beside this one.
            Some((key, level)) if key == leaf.key || level == key.level => {
                Request::level(level, self.priority)
            }
            _ => Request::NOTHING,
        }
    }
}

/// Returns the tiles of a level that have an area in common with `area`.
fn tiles_in(area: &Rectangle, level: u8, world: &Scale) -> impl Iterator<Item = TileKey> {
    let origin = world.area(TileKey { level, x: 0, y: 0 });
    let (columns, rows) = world.tiles(level);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded here")]
    let range = |from: f64, to: f64, count: u32| {
        let within = |v: f64| v.clamp(0.0, f64::from(count)) as u32;
        within((from / origin.east).floor())..within((to / origin.east).ceil())
    };
    let columns = range(area.west, area.east, columns);
    let rows = range(area.south, area.north, rows);
    rows.flat_map(move |y| columns.clone().map(move |x| TileKey { level, x, y }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::cells::CellPlace;

    const BOX: Rectangle = Rectangle { west: 100.0, south: 0.0, east: 128.0, north: 10.0 };

    fn world() -> Scale {
        Scale::try_new(0, 4, 1.0, CellPlace { x: 1024, y: 1024 }).expect("good")
    }

    fn needs(criterion: &dyn Criterion, level: u8, x: u32, y: u32) -> u8 {
        let leaf = LeafFacts::dry(TileKey { level, x, y });
        criterion.request(&leaf, &world()).tidy(&world()).needs
    }

    #[test]
    fn regions_ask_for_the_tiles_they_share_an_area_with() {
        let rectangle = Region::rectangle(BOX, 1, 0.0, &world()).expect("good");
        let corners = [[100.0, 0.0], [128.0, 0.0], [128.0, 10.0], [100.0, 10.0]];
        let polygon = Region::polygon(&corners, 1, 0.0, &world()).expect("good");
        let place = Place { area: BOX, level: 1 };
        let places = Places::try_new(&[place], 0.0, &world()).expect("good");
        for criterion in [&rectangle as &dyn Criterion, &polygon, &places] {
            for (level, x, y, expected) in
                [(0, 1, 0, 1), (0, 2, 0, 4), (1, 0, 0, 1), (1, 1, 0, 4), (4, 0, 0, 1)]
            {
                let got = needs(criterion, level, x, y);
                assert_eq!(got, expected, "{criterion:?}: tile {x}, {y} of level {level}");
            }
        }
    }

    #[test]
    fn of_several_places_the_finest_counts() {
        let at = |x, level| Place { area: world().cell_area(CellPlace { x, y: 5 }), level };
        let places =
            Places::try_new(&[at(3, 2), at(300, 2), at(70, 0), at(3000, 0)], 0.0, &world())
                .expect("good");
        assert_eq!(needs(&places, 0, 1, 0), 0);
        assert_eq!(needs(&places, 2, 0, 0), 0);
        assert_eq!(needs(&places, 2, 1, 0), 2);
        assert_eq!(needs(&places, 0, 2, 1), 4);
        assert_eq!(needs(&places, 0, 6, 3), 2);
    }

    #[test]
    fn what_has_no_area_is_refused() {
        let upside_down = Rectangle { south: 20.0, ..BOX };
        let region = |area, level| {
            Region::rectangle(area, level, 0.0, &world()).expect_err("wrong").to_string()
        };
        assert_eq!(
            region(upside_down, 1),
            "a region has no area: its west must be less than its east, its south less than its \
             north"
        );
        assert_eq!(
            region(Rectangle { east: f64::NAN, ..BOX }, 1),
            "x of the north-east corner of a region is NaN: choose −10⁹ to 10⁹ m"
        );
        assert_eq!(region(BOX, 5), "the level of a region is 5: choose 0 (finest) to 4 (coarsest)");
        for corners in [&[][..], &[[1.0, 1.0], [2.0, 2.0]], &[[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]] {
            let error = Region::polygon(corners, 1, 0.0, &world()).expect_err("no area");
            assert!(error.to_string().contains("at least three corners"), "{error}");
        }
        let place = Place { area: upside_down, level: 1 };
        let error = Places::try_new(&[place], 0.0, &world()).expect_err("no area");
        assert!(error.to_string().starts_with("place 0 has no area"), "{error}");
    }
}
